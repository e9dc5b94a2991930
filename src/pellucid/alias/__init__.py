"""Make ``import torch`` mean pellucid, so that programs written for PyTorch run unchanged."""

from __future__ import annotations

from pellucid.alias.installing import Alias, install_as_torch, uninstall_as_torch
from pellucid.alias.missing import MissingName, MissingNameError

__all__ = ["Alias", "MissingName", "MissingNameError", "install_as_torch", "uninstall_as_torch"]

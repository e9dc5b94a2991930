"""Groups and collectives, under the name of the module that PyTorch defines them in."""

from __future__ import annotations

from pellucid.distributed import *  # noqa: F403
from pellucid.processes.groups import default_group as _get_default_group

__all__ = ["_get_default_group"]

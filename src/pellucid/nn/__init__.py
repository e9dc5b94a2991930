"""Networks: modules with parameters, layers, losses, first values."""

from __future__ import annotations

from pellucid.nn import functional, init, modules, utils
from pellucid.nn.modules import *  # noqa: F403 - the layers, as listed in their own __all__
from pellucid.nn.parameter import Buffer, Parameter

__all__ = ["Buffer", "Parameter", "functional", "init", "modules", "utils"]
__all__ += modules.__all__

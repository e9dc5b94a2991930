"""Neural networks: modules with parameters, layers, losses and parameter initialization."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.nn import attention, common_types, functional, grad, init, modules, utils
from pellucid.nn.lazy_tensors import UninitializedBuffer, UninitializedParameter
from pellucid.nn.modules import *  # noqa: F403 - the layers, as listed in their own __all__
from pellucid.nn.parameter import Buffer, Parameter
from pellucid.outbuildings import outbuildings

if TYPE_CHECKING:
    from pellucid.nn import parallel
    from pellucid.nn.parallel import DataParallel
else:
    # Not in a `__getattr__`: beside one, CPython looks up all names of a module in a slower way.
    parallel = outbuildings.parallel()
    DataParallel = parallel.DataParallel

__all__ = [
    "Buffer", "DataParallel", "Parameter", "UninitializedBuffer", "UninitializedParameter",
    "attention", "common_types", "functional", "grad", "init", "modules", "parallel", "utils",
]  # fmt: skip
__all__ += modules.__all__

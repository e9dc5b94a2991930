"""pellucid: PyTorch's dynamic computation graph, rebuilt so that people can see through it.

The examples of all docstrings begin after ``import pellucid as torch``.
"""

import gc as _gc
import importlib as _importlib
import os as _os
import typing as _typing
from math import e, inf, nan, pi
from types import ModuleType as _Module
from typing import Any as _Any

# What an import makes stays, so that the collector would look at it in vain, dozens of times.
_collects = _gc.isenabled()
_gc.disable()
try:
    _importlib.import_module("pellucid.tensors")  # and with it most of the package
finally:
    if _collects:
        _gc.enable()

# ruff: noqa: E402, F401, F403, F405 - what is imported is public, or declares what is
from pellucid import autograd, compat, interpreters, ops, random
from pellucid.autograd.modes import *
from pellucid.core.memory.memory_formats import *
from pellucid.core.memory.memory_formats import _mkldnn
from pellucid.device import device
from pellucid.dtypes import *
from pellucid.dtypes import bool_ as bool
from pellucid.interop.frameworks import install as _install_frameworks
from pellucid.outbuildings import outbuildings as _outbuildings
from pellucid.random import default_generator
from pellucid.shapes import Size, broadcast_shapes
from pellucid.tensors import Tensor, creation, ranges
from pellucid.tensors.public_functions import PublicFunctions as _PublicFunctions
from pellucid.tracebacks import *
from pellucid.tracebacks import install as _install_tracebacks

if _typing.TYPE_CHECKING:  # where editors find what the stubs beside this file declare
    from pellucid._definitions.torch import *

half, float, double, cfloat, cdouble = float16, float32, float64, complex64, complex128
short, int, long = int16, int32, int64
chalf, bit = complex32, uint1
newaxis = None
detach_ = Tensor.detach_

__version__ = "0.1.0"

_outbuildings.array_api = lambda: _importlib.import_module("pellucid.array_api")
_outbuildings.compiling = lambda: _importlib.import_module("pellucid.compat.compiling.api")
_outbuildings.parallel = lambda: _importlib.import_module("pellucid.nn.parallel")
_outbuildings.pytorch = lambda: _importlib.import_module("pellucid.inspect.pytorch")
_outbuildings.sparse = lambda: _importlib.import_module("pellucid.sparse")
autograd.__getattr__ = compat.find_in_autograd
# Operators by their full names, ``torch.ops.aten.add``, do too.
ops.__getattr__ = compat.find_operators
_install_tracebacks()
_install_frameworks()

_files = (file.removesuffix(".py") for file in _os.listdir(__path__[0]))
_MODULES = {file for file in _files if "." not in file and not file.startswith("__")}
# These declare functions of `pellucid` too. They are loaded when a name is asked for that is not
# known yet, so that ``import pellucid`` stays quick.
_DECLARED_LATER = (
    "ops.nn.all_operations", "torch_overloads", "tensors.limits", "tensors.windows", "settings",
    "compat.guards", "compat.compiler", "compat.cuda", "compat.streams", "compat.retired",
    "futures", "serialization", "amp", "sparse", "func", "alias", "inspect.layer_table",
)  # fmt: skip
_others = [name for name, value in globals().items() if not isinstance(value, _Module)]
_functions = _PublicFunctions(globals(), *_others)


def __getattr__(name: str) -> _Any:
    if name in _MODULES or name in compat.PUBLIC:
        return _importlib.import_module(f"pellucid.{name}")
    if name == "__all__":
        _load_declarations()
        return [name for name in _functions.names() if not name.startswith("_")]
    if name.startswith("_foreach_"):
        return _importlib.import_module("pellucid.compat.foreach").foreach(name)
    if not name.startswith("__"):
        _load_declarations(name)
    return _functions.get(name)


def __dir__() -> list[str]:
    # public names alone: among more than 750, Python suggests none for a name that is misspelt
    return sorted({*__getattr__("__all__"), *_MODULES, *compat.PUBLIC})


def _load_declarations(name: str = "") -> None:
    """Load the modules that declare names later, until one has declared this name."""
    for module in _DECLARED_LATER:
        if name in _functions.declared:
            return
        _importlib.import_module(f"pellucid.{module}")

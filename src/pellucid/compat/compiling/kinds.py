"""What values and callables are, as far as a recording has to know.

A step is *pure* if it runs no code of the user's and changes nothing that Python sees: what is read
after it can as well be read before.
"""

from __future__ import annotations

import builtins
import functools
import math
import operator
import sys
from types import (
    BuiltinFunctionType,
    BuiltinMethodType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from pellucid.autograd.sites import library_files
from pellucid.core.call.compiled import compiled_instead
from pellucid.core.memory.memory_formats import layout, memory_format
from pellucid.device import device
from pellucid.dtypes import dtype
from pellucid.nn import Buffer, Module, ModuleDict, ModuleList, Parameter, ParameterList, Sequential
from pellucid.optim.optimizer import Optimizer
from pellucid.shapes import Size
from pellucid.tensors import Tensor

NUMBERS = (bool, int, float, complex)
#: values that have no code of the user's in them
PLAIN = {*NUMBERS, str, bytes, type(None), type(...), type(NotImplemented), slice, range}
_LIBRARY_VALUES = (dtype, device, memory_format, layout, np.dtype)
SEQUENCES = (tuple, list, Size)
_TENSORS = (Tensor, Parameter, Buffer)

#: modules all of whose functions compute, and do nothing else
_COMPUTING = (
    "pellucid.ops.", "pellucid.nn.functional", "pellucid.nn.inplace_activations",
    "pellucid.tensors",
    "pellucid.linalg", "pellucid.fft", "pellucid.special", "pellucid.functional", "_operator",
)  # fmt: skip
#: of the functions of `pellucid` itself and of tensors, those that do something else
_ACTING = {
    "backward", "compile", "load", "manual_seed", "register_hook", "retain_grad", "save", "seed",
    "register_post_accumulate_grad_hook", "share_memory_", "initial_seed", "map_", "map2_",
    "apply_", "module_load", "__deepcopy__", "__reduce__", "__reduce_ex__", "vmap", "tensor_split_",
}  # fmt: skip
_SETTINGS = ("set_", "use_", "get_rng", "autocast", "_")

#: methods of tensors that hand values to Python
READING = {
    "item": "item() hands a value to Python", "tolist": "tolist() hands values to Python",
    "numpy": "numpy() hands the memory to NumPy", "__array__": "NumPy reads the tensor",
    "is_nonzero": "is_nonzero() hands a value to Python",
    "equal": "equal() hands a value to Python",
    "allclose": "allclose() hands a value to Python", "__bool__": "the values decide",
    "__float__": "float() hands a value to Python", "__int__": "int() hands a value to Python",
    "__index__": "a tensor is used as an index", "data_ptr": "an address is handed to Python",
    "untyped_storage": "the memory is handed to Python",
}  # fmt: skip

#: what is read of a tensor, and does not change by what is computed with it
FACTS = {
    "device", "dtype", "grad", "is_complex", "is_floating_point", "is_leaf", "is_sparse",
    "itemsize", "layout", "nbytes", "ndim", "requires_grad", "shape",
}  # fmt: skip
#: the same, as methods
FACT_METHODS = {
    "dim", "element_size", "get_device", "is_complex", "is_contiguous", "is_floating_point",
    "ndimension", "nelement", "numel", "size", "storage_offset", "stride",
}  # fmt: skip

#: functions that write to what they are given
_WRITING = {operator.setitem, operator.delitem, *(
    each for name, each in vars(operator).items()
    if name.startswith("i") and "__" + name + "__" in vars(operator)
    and name not in ("index", "inv", "invert")
)}  # fmt: skip
_BUILTINS = {
    abs, all, any, bool, callable, complex, dict, divmod, enumerate, float, frozenset, hasattr,
    hash, int, isinstance, issubclass, len, list, max, min, pow, range, repr, reversed, round, set,
    slice, sorted, str, sum, tuple, type, zip, getattr, iter, id, ord, chr,
    *(each for each in vars(math).values() if isinstance(each, BuiltinFunctionType)),
    *(each for each in vars(operator).values() if isinstance(each, BuiltinFunctionType)),
} - _WRITING  # fmt: skip
#: of these, what may be computed once if its arguments are constants
FOLDED = {abs, bool, divmod, float, int, len, max, min, pow, range, round, slice, sum, ord, chr}

_MUTATORS = {
    list: {"append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"},
    dict: {"clear", "pop", "popitem", "setdefault", "update"},
    set: {"add", "clear", "difference_update", "discard", "intersection_update", "pop", "remove",
          "symmetric_difference_update", "update"},
}  # fmt: skip
_BUILTIN_CLASSES = {
    list, dict, set, frozenset, tuple, str, bytes, int, float, complex, bool, range, Size, slice,
    type({}.items()), type({}.keys()), type({}.values()),
}  # fmt: skip


def is_tensor(value: object) -> bool:
    """Return whether a value is a tensor of the library's own classes, and dense."""
    return type(value) in _TENSORS and value._interpreter is None  # type: ignore[attr-defined]


def is_plain(value: Any, depth: int = 3) -> bool:
    """Return whether no code of the user's can run when a value is used as an argument."""
    kind = type(value)
    if kind in PLAIN or is_tensor(value) or isinstance(value, (*_LIBRARY_VALUES, type)):
        return True
    if kind is np.ndarray or isinstance(value, np.generic):
        return value.dtype != object
    if depth and kind in SEQUENCES and len(value) <= 1000:
        return all(is_plain(each, depth - 1) for each in value)
    if depth and kind is dict and len(value) <= 1000:
        return all(is_plain(k, 1) and is_plain(v, depth - 1) for k, v in value.items())
    return False


def is_simple(value: object) -> bool:
    """Return whether a value has no elements, and no code of the user's."""
    return type(value) in PLAIN or isinstance(value, (*_LIBRARY_VALUES, Module, ModuleType))


def is_builtin_container(value: object) -> bool:
    """Return whether the value's class is one of Python's own with elements or text."""
    return type(value) in _BUILTIN_CLASSES


def mutates(value: object, method: str) -> bool:
    """Return whether a method of Python's own containers changes them."""
    return method in _MUTATORS.get(type(value), ())


def is_pure_builtin(function: object) -> bool:
    """Return whether a function of Python's own computes and does nothing else."""
    try:
        return function in _BUILTINS
    except TypeError:
        return False


def is_library_code(function: Any) -> bool:
    """Return whether a callable is the library's own."""
    if isinstance(function, FunctionType):
        return library_files[function.__code__.co_filename]
    if isinstance(function, MethodType):
        return is_library_code(function.__func__)
    kind = function if isinstance(function, type) else type(function)
    if module_of(kind).startswith("pellucid"):
        return kind is Tensor or _is_known_class(kind) or not isinstance(function, type)
    return module_of(function).startswith("pellucid")


def module_of(value: Any) -> str:
    """Return the name of the module that something comes from; an empty text if it has none."""
    module = getattr(value, "__module__", None)
    return module if isinstance(module, str) else ""


def _is_known_class(kind: type) -> bool:
    """Return whether a class is the one that its module has under its name."""
    module = sys.modules.get(module_of(kind))
    return getattr(module, kind.__name__, None) is kind


def is_object(value: Any) -> bool:
    """Return whether what is called is an object of a class, rather than a function or class."""
    if isinstance(value, FunctionType | type) or is_library_code(value):
        return False
    if isinstance(value, BuiltinFunctionType):
        return value.__self__ is not None and not isinstance(value.__self__, ModuleType | type)
    return not hasattr(value, "__objclass__") and not isinstance(value, MethodType)


def computes(function: Any) -> bool:
    """Return whether a function of the library computes, and does nothing else.

    It may run code of the user's all the same, if it is given any: see `is_plain`.
    """
    if hasattr(function, "op"):
        return True
    name = getattr(function, "__name__", "")
    if name in _ACTING or name.startswith(_SETTINGS):
        return name.startswith("__") and name not in _ACTING
    if isinstance(function, type):
        return False
    if isinstance(function, FunctionType) and hasattr(function, "__wrapped__"):
        return False
    module = module_of(function)
    return module == "pellucid" or module.startswith(_COMPUTING)


def changes_tensors(name: str, kwargs: Any = ()) -> bool:
    """Return whether a function or method of this name writes to tensors that are there."""
    return (
        (name.endswith("_") and not name.endswith("__"))
        or "out" in kwargs
        or (name.startswith("__i") and name not in ("__int__", "__invert__", "__index__"))
    )


_BY_VALUES = {
    "argwhere", "bincount", "combinations", "masked_select", "nonzero", "repeat_interleave",
    "to_sparse", "unique", "unique_consecutive", "where",
}  # fmt: skip


def depends_on_values(name: str, given: Any) -> bool:
    """Return whether the shape of what a function gives depends on values."""
    if name in _BY_VALUES:
        return True
    return any(is_tensor(each) and each._array.dtype.kind in "bu" for each in given) and name in (
        "__getitem__",
        "getitem",
        "index_put",
        "histogram",
    )


def facts(tensor: Any) -> tuple[Any, ...]:
    """Return what a tensor is like beside its values."""
    array = tensor._array
    return (array.shape, array.dtype, array.strides, tensor.requires_grad, tensor.is_leaf)


def layer_facts(layer: Module) -> list[Any]:
    """Return what the parameters and buffers of a layer are like beside their values."""
    held = (*layer.parameters(), *layer.buffers())
    return [[facts(each) for each in held], layer.training]


#: what an optimizer does in a training step
ZERO_GRAD: Any = Optimizer.zero_grad
STEP: Any = Optimizer.step

#: layers are called as they are; of these, what they hold is followed
_FOLLOWED = (Sequential,)
_HAS_ITEMS = (ModuleList, ModuleDict, ParameterList, Sequential)


def _is_unhooked(module: Any, hooks_of_all: Any) -> bool:
    held = module.__dict__
    return not (
        held["_forward_hooks"] or held["_forward_pre_hooks"] or held["_backward_hooks"]
        or held["_backward_pre_hooks"] or hooks_of_all or "forward" in held
        or "_compiled_call_impl" in held
    )  # fmt: skip


#: whether the call of a module is that of its class's forward, and no more, beside `global_hooks`
is_unhooked = compiled_instead(_is_unhooked, "is_unhooked")


def is_layer(module: Module) -> bool:
    """Return whether a module is one of the library's layers, which is called as it is."""
    kind = type(module)
    return (
        module_of(kind).startswith("pellucid.nn")
        and _is_known_class(kind)
        and kind not in _FOLLOWED
        and is_library_code(kind.forward)
        and all(is_layer(each) or type(each) in _FOLLOWED for each in module.children())
    )


def holds_items(value: object) -> bool:
    """Return whether a value is one of the library's containers of modules or parameters."""
    return type(value) in _HAS_ITEMS


def assigns_simply(value: Any, name: str) -> bool:
    """Return whether assigning an attribute runs no code of the user's, and changes it alone."""
    kind = type(value)
    if name.startswith("__") or isinstance(value, type | ModuleType):
        return False
    if isinstance(value, Module) and name in _module_state():
        return False
    held = class_attribute(kind, name)
    return kind.__setattr__ in (object.__setattr__, Module.__setattr__) and not (
        hasattr(held, "__set__") or hasattr(held, "__get__")
    )


@functools.cache
def _module_state() -> set[str]:
    """Return the names under which a module keeps its members and hooks."""
    return {"forward", "_compiled_call_impl", *vars(Module())} - {"training"}


def reads_simply(value: Any, name: str) -> bool:
    """Return whether reading an attribute runs no code of the user's."""
    if name == "__dict__":
        return False
    if isinstance(value, ModuleType):
        return "__getattr__" not in vars(value) or is_library_code(vars(value)["__getattr__"])
    if isinstance(value, type):
        return module_of(type(value)) in ("builtins", "abc") or is_library_code(type(value))
    kind = type(value)
    if kind.__getattribute__ is not object.__getattribute__ and not is_library_code(
        kind.__getattribute__
    ):
        return kind in _BUILTIN_CLASSES
    held = class_attribute(kind, name)
    if held is None:
        own = getattr(value, "__dict__", {})
        fallback = getattr(kind, "__getattr__", None)
        return name in own or fallback is None or fallback is Module.__getattr__
    return not hasattr(held, "__get__") or isinstance(
        held,
        FunctionType | staticmethod | classmethod | MemberDescriptorType | GetSetDescriptorType
        | BuiltinMethodType | BuiltinFunctionType | type(list.append) | type(object.__init__),
    ) or is_library_code(held)  # fmt: skip


def class_attribute(kind: type, name: str) -> Any:
    """Return what a class, or one that it is made from, has under a name; None without."""
    for each in kind.__mro__:
        if name in vars(each):
            return vars(each)[name]
    return None


BUILTIN_NAMES = vars(builtins)

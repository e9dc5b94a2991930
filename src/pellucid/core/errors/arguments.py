"""Arguments of the wrong type: looked for once a call has failed, and reported as PyTorch does.

PyTorch reads the types of all arguments before it does anything. Here a call that succeeds never
pays for that: when one has failed, its arguments are compared with what their names, annotations
and defaults say of them, and the first that does not fit explains the failure.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from types import NoneType
from typing import Any, Final, NamedTuple

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.definition.op import Op
from pellucid.core.from_above import from_above
from pellucid.errors import ArgumentError, ArgumentTypeError
from pellucid.shapes import Size, items_of

_NAMES = {
    "tensor": "input mat mat1 mat2 vec vec1 vec2 batch1 batch2 tensor1 tensor2 index mask "
    "target input1 input2 x1 x2 query key anchor positive negative boundaries "
    "sorted_sequence logits var weight bias tau",
    "operand": "other exponent src end values condition",
    "int": "dim0 dim1 dim2 dimension k n diagonal offset groups num_groups chunks num_samples "
    "decimals minlength bins start_dim end_dim num_classes r upscale_factor downscale_factor",
    "dims": "dim dims axis",
    "sizes": "kernel_size stride dilation output_size output_padding size shape normalized_shape "
    "shifts pad",
    "number": "alpha beta eps lambd margin negative_slope threshold min_val max_val nan "
    "posinf neginf rtol atol scale lower upper momentum step",
    # a bool that a function which reads its arguments late passes on unread
    "flag": "pivot sorted",
    # whatever Python says of it when asked whether it is true
    "truth": "get_infos hard inplace return_indices",
}
_KIND_OF_NAME = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_WORDS = {
    "bool": "bool", "dims": "tuple of ints", "flag": "bool", "float": "float", "int": "int",
    "number": "Number", "operand": "Tensor", "sizes": "tuple of ints", "str": "str",
    "tensor": "Tensor",
}  # fmt: skip
#: the kinds of arguments that are tensors
TENSORS: Final = ("tensor", "operand")
#: the kinds of arguments that are an integer or several
SIZES: Final = ("sizes", "dims")
_AT_ONCE = {
    "bool": (bool,), "dims": (int,), "flag": (bool,), "float": (float, int), "int": (int,),
    "number": (float, int), "operand": (float, int), "sizes": (int,), "str": (str,),
}  # fmt: skip
_OVERFLOW = "Overflow when unpacking long long"
_MAY_BE_NUMBERS = ("src", "source", "value", "values")
_NUMBERS = (int, float, complex)
# A formula runs on arrays, and NumPy makes scalars of those without dimensions when it calculates.
_ARRAYS = (TensorBase, np.ndarray, np.generic)


#: the position of arguments that are given by name alone
BY_NAME: Final = sys.maxsize


class Absent:
    """The value of an argument that was not given."""

    def __repr__(self) -> str:
        return "<absent>"


ABSENT: Final = Absent()


class Argument(NamedTuple):
    """What is known of one argument."""

    name: str
    kind: str
    optional: bool


def misfit(
    function: str, arguments: Iterable[Argument], values: Mapping[str, Any]
) -> ArgumentError | ArgumentTypeError | None:
    """Return the error for the first argument whose type does not fit, if there is one."""
    for position, argument in enumerate(arguments):
        if argument.kind and argument.name in values:
            wrong = misfit_of_one(function, argument, position, values[argument.name])
            if wrong is not None:
                return wrong
    return None


def misfit_of_one(
    function: str, argument: Argument, position: int, value: Any
) -> ArgumentError | ArgumentTypeError | None:
    """Return the error for an argument if its type does not fit."""
    name, kind, optional = argument
    if value is ABSENT:
        return ArgumentTypeError(f'{function}() missing 1 required positional arguments: "{name}"')
    if (value is None and optional) or _fits(kind, value):
        return _overflow(function, name, kind, value)
    found = "Tensor" if isinstance(value, TensorBase) else type(value).__name__
    place = "" if position == BY_NAME else f" (position {position + 1})"
    return ArgumentTypeError(
        f"{function}(): argument '{name}'{place} must be {_WORDS[kind]}, not {found}"
    )


def _overflow(
    function: str, name: str, kind: str, value: Any
) -> ArgumentError | ArgumentTypeError | None:
    """Return the error for an integer that does not fit int64, if there is one."""
    if kind not in ("int", "dims", "sizes"):
        return None
    if isinstance(value, int):
        return None if _is_int64(value) else ArgumentError(_OVERFLOW)
    parts = items_of(value) if isinstance(value, list | tuple) else ()
    for position, part in enumerate(parts):
        if isinstance(part, int) and not _is_int64(part):
            return ArgumentTypeError(
                f"{function}(): argument '{name}' failed to unpack the object at pos "
                f'{position + 1} with error "{_OVERFLOW}"'
            )
    return None


def are_ints(values: tuple[Any, ...]) -> bool:
    """Return whether all are plain integers of 64 bits, as they are where sizes are given."""
    return all(value.__class__ is int and _is_int64(value) for value in values)


def _is_int64(value: int) -> bool:
    return -(2**63) <= value < 2**63


def require(function: str, kind: str, **values: Any) -> None:
    """Raise TypeError for values that are not of a kind, and name the arguments."""
    for name, value in values.items():
        if _is_plain(kind, value):
            continue
        require_fit(function, Argument(name, kind, optional=False), BY_NAME, value)


def _is_plain(kind: str, value: Any) -> bool:
    """Return whether a value is of the kind that is given nearly always."""
    if value.__class__ is int:
        return kind in ("int", "number", *SIZES) and _is_int64(value)
    if value.__class__ is tuple:
        return kind in SIZES and are_ints(value)
    return value.__class__ in _AT_ONCE.get(kind, ()) and value.__class__ is not int


def require_fit(function: str, argument: Argument, position: int, value: Any) -> None:
    """Raise TypeError for a value whose type does not fit an argument."""
    wrong = misfit_of_one(function, argument, position, value)
    if wrong is None:
        return
    try:
        raise wrong
    finally:
        del wrong  # which holds this frame by its traceback, and the frame the operands


def fits_at_once(argument: Argument) -> set[type]:
    """Return classes all values of which fit; of the others it is not said."""
    classes = set(_AT_ONCE.get(argument.kind, ()))
    if argument.kind in TENSORS:
        classes.add(from_above.tensor)
    if argument.kind in SIZES:
        classes.add(Size)
    if argument.optional:
        classes.add(NoneType)
    return classes


def arguments_of(function: Callable[..., Any]) -> list[Argument]:
    """Return what is known of a function's arguments, but for those of any number."""
    return [
        Argument(
            p.name,
            kind_of(p.name, str(p.annotation), p.default),
            p.default is None or str(p.annotation).endswith("| None"),
        )
        for p in inspect.signature(function).parameters.values()
        if p.kind is not p.VAR_POSITIONAL and p.kind is not p.VAR_KEYWORD
    ]


def _fits(kind: str, value: Any) -> bool:
    if kind == "tensor":
        return isinstance(value, _ARRAYS)
    if kind == "operand":
        return isinstance(value, (*_ARRAYS, *_NUMBERS))
    if kind == "str":
        return isinstance(value, str)
    if kind in ("bool", "flag"):
        return isinstance(value, bool | np.bool_)
    if kind in SIZES:
        parts = items_of(value) if isinstance(value, list | tuple) else [value]
        return value is not None and all(
            part is None or isinstance(part, list | tuple) or _fits("int", part) for part in parts
        )
    if isinstance(value, TensorBase):
        array = value._array
        return array.ndim == 0 and not (kind == "int" and array.dtype.kind in "fc")
    if kind == "int":
        return hasattr(value, "__index__") and not isinstance(value, bool | np.ndarray)
    if kind == "number" and isinstance(value, np.ndarray):
        return True
    return isinstance(value, _NUMBERS) and not (kind == "float" and isinstance(value, complex))


def kind_of(name: str, annotation: str, default: Any) -> str:
    """Return what an argument has to be: ``""`` where nothing tells."""
    named = _KIND_OF_NAME.get(name, "")
    if named in ("flag", "truth"):
        return named.removesuffix("truth")
    bare = annotation.removesuffix(" | None")
    if bare in ("int", "float", "bool", "str"):
        return bare
    if bare == "float | complex":
        return "number"
    if bare == "TensorBase | complex":
        return "operand"
    if " | " in bare:  # one of several kinds
        return ""
    if named and not isinstance(default, str):
        return named
    if annotation == "Any":
        return ""
    if isinstance(default, bool | str):
        return type(default).__name__
    return "number" if isinstance(default, int | float) else ""


def misfit_of_op(
    op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]
) -> ArgumentError | ArgumentTypeError | None:
    """Return the error for the first argument of an op whose type does not fit."""
    arguments = [
        Argument(operand.name, _kind_of_operand(op, operand.name, takes_number), operand.optional)
        for operand, takes_number in zip(op.operands, op.takes_numbers, strict=True)
    ]
    for param in op.params:
        annotation = str(op.body.__annotations__.get(param.name, ""))
        kind = kind_of(param.name, annotation, param.default)
        optional = (param.has_default and param.default is None) or kind == "dims"
        arguments.append(Argument(param.name, "" if kind in TENSORS else kind, optional))
    given = dict(zip((each.name for each in arguments), (*operands, *params), strict=False))
    order = op.order
    if order is not None:
        count = len(order)
        arguments[:count] = sorted(arguments[:count], key=lambda each: order.index(each.name))
    return misfit(op.torch_name, arguments, given)


def _kind_of_operand(op: Op, name: str, takes_number: bool) -> str:
    if op.variadic:
        return ""
    may_be_number = takes_number and (op.promotes or name in _MAY_BE_NUMBERS)
    return "operand" if may_be_number else "tensor"

"""NumPy's names of arguments, and their order in old programs, which PyTorch takes as well."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from pellucid.autograd.variable import TensorBase
from pellucid.autograd.warned import warn_once
from pellucid.core.errors import op_errors
from pellucid.core.errors.arguments import ABSENT
from pellucid.errors import ArgumentTypeError

#: what PyTorch calls the arguments that NumPy calls so; and what is called otherwise here in ops
#: that stand for several functions of PyTorch's
PARAMETERS: Final = {"axis": "dim", "keepdims": "keepdim", "input": "A", "other": "src"}

#: what PyTorch calls an argument in one of its functions that it calls otherwise in another, and
#: what it is called here: taken by functions that are not ops
ELSEWHERE: Final = {
    "a": ("input",),
    "axis0": ("dim0",),
    "axis1": ("dim1",),
    "indices": ("indices_or_sections",),
    "input": ("self", "B", "b", "L", "tensor"),
    "input2": ("L", "tau"),
    "input3": ("other",),
    "other": ("tensor2", "tensor"),
    "scalar": ("tensor1",),
    "scalar1": ("tensor1",),
    "scalar2": ("tensor2",),
    "sections": ("indices_or_sections",),
    "split_size": ("split_size_or_sections",),
    "tensor": ("tensor1", "tensor2"),
    "tensor_indices_or_sections": ("indices_or_sections",),
    "x": ("input",),
    "x1": ("input",),
    "x2": ("other",),
}


def aliases_of(names: Iterable[str]) -> dict[str, str]:
    """Return NumPy's names for the arguments of a function, with its own for each."""
    taken = set(names)
    return {
        alias: name for alias, name in PARAMETERS.items() if name in taken and alias not in taken
    }


def by_own_names(names: Iterable[str], given: dict[str, Any]) -> dict[str, Any]:
    """Return keywords by the names that a function which is not an op has for them."""
    free = set(names) - set(given)
    renamed: dict[str, Any] = {}
    for key, value in given.items():
        others = () if key in names else (PARAMETERS.get(key, key), *ELSEWHERE.get(key, ()))
        own = next((each for each in others if each in free), key)
        free.discard(own)
        renamed[own] = value
    return renamed


def call_renamed(function: Callable[..., Any], name: str, given: dict[str, Any]) -> Any:
    """Call an op's function with the arguments known by its own names.

    Raises TypeError where one is missing.
    """
    aliases = {key: own for key, own in PARAMETERS.items() if key in given and own in given}
    own = {key: value for key, value in given.items() if key not in aliases}
    for alias, key in aliases.items():
        if given[alias] is not ABSENT:
            own[key] = given[alias]
    missing = [f'"{key}"' for key, value in own.items() if value is ABSENT]
    if missing:
        there = [
            (key, value) for key, value in own.items() if value is not ABSENT and value is not None
        ]
        raise ArgumentTypeError(
            f"{name}() missing {len(missing)} required positional arguments: {', '.join(missing)}"
            + op_errors.context(name, there)
        )
    return function(**own)


#: the second and third operands where they are two
_PAIR = ("tensor1", "tensor2")


def _warn_of_order(name: str, parameter: str, count: int) -> None:
    """Warn, once for all functions, of the order that PyTorch has given up."""
    operands = [f"Tensor {each}" for each in (_PAIR if count > 1 else ("other",))]
    old = ", ".join(["Tensor input", f"Number {parameter}", *operands, "*"])
    new = ", ".join(["Tensor input", *operands, "*", f"Number {parameter} = 1"])
    _warn_of_overload(name, f"{old}, Tensor out = None", f"{new}, Tensor out = None")


def _warn_of_overload(name: str, old: str, new: str) -> None:
    warn_once(
        f"This overload of {name} is deprecated:\n\t{name}({old})\n"
        f"Consider using one of the following signatures instead:\n\t{name}({new})",
        about="This overload is deprecated",
    )


def call_scaled(function: Callable[..., Any], name: str, *given: Any, **scale: Any) -> Any:
    """Call an op's function with a number that stands before the second operand.

    The optional argument that this number is must not be given, too. Raises TypeError else.
    """
    input, number, *others = given
    ((parameter, value),) = scale.items()
    if value != 1 or isinstance(value, bool) or not isinstance(number, int | float | complex):
        raise ArgumentTypeError(
            f"{name}() takes {len(given) - 1} positional arguments but {len(given)} were given: "
            f"a number that scales goes by its name, {parameter}=..."
        )
    _warn_of_order(name, parameter, len(others))
    return function(input, *others, **{parameter: number})


def in_new_order(
    parameters: Iterable[str], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """Return arguments of `addmm` and its kin as they are taken, for those in the order of old.

    In it ``beta`` is first, or first after the tensor of a method, and ``alpha`` stands before the
    product. The name is ``Tensor.addmm`` for a method. None where that is not what was given.
    """
    operands, scales = [*parameters][:3], [*parameters][3:5]
    if scales != ["beta", "alpha"] or not kwargs.keys().isdisjoint(scales):
        return None
    is_method, name = name.startswith("Tensor."), name.rpartition(".")[2]
    kinds = [_kind(each) for each in args]
    first = ["Tensor", "Number"] if is_method else ["Number", "Tensor"]
    product = ["Tensor", "Tensor"]
    if kinds not in ([*first, *product], [*first, "Number", *product]):
        return None
    names = {"Tensor": iter(operands), "Number": iter(scales)}
    old = [f"{kind} {next(names[kind])}" for kind in kinds][is_method:]
    new = [f"Tensor {each}" for each in operands][is_method:]
    new += ["*", "Number beta = 1", "Number alpha = 1"]
    if not is_method:
        old, new = [*old, "*", "Tensor out = None"], [*new, "Tensor out = None"]
    _warn_of_overload(name, ", ".join(old), ", ".join(new))
    numbers = [each for each in args if not isinstance(each, TensorBase)]
    tensors = tuple(each for each in args if isinstance(each, TensorBase))
    return tensors, {**kwargs, **dict(zip(scales, numbers, strict=False))}


def _kind(argument: Any) -> str:
    """Return what PyTorch's signatures call the type of an argument, if it is one of these two."""
    if isinstance(argument, TensorBase):
        return "Tensor"
    return "Number" if isinstance(argument, int | float | complex) else ""

"""Results that are written into tensors which are there already: ``torch.add(a, b, out=c)``."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.autograd.modes import modes, no_autocast, no_grad
from pellucid.autograd.sites import user_frame, user_stacklevel
from pellucid.autograd.variable import TensorBase, storage_of
from pellucid.core.backward.history import requires_grad
from pellucid.core.call import opmath
from pellucid.core.call.call import call, operand_arrays
from pellucid.core.call.checked import explaining
from pellucid.core.call.fast_call import function_with_out
from pellucid.core.call.overriding import public_arguments, relevant, take_over
from pellucid.core.definition.op import Op, OpFunction
from pellucid.core.definition.public import EXACT, JOINING, SEQUENCE, TRUTH, Out
from pellucid.core.errors import op_errors
from pellucid.core.memory.ownership import resized
from pellucid.core.memory.writing import check_overlap, check_result_dtype, check_writable
from pellucid.dtypes import castable, from_numpy_dtype, scalar_name, to_numpy_dtype
from pellucid.errors import ArgumentTypeError, DtypeError, GraphError, PellucidError
from pellucid.kernels.active import cpu
from pellucid.kernels.numpy.float8 import fitted
from pellucid.kernels.numpy.precision import quiet


def op_with_out(op: Op, kind: Out) -> OpFunction:
    """Return the op's public function with an argument more: ``out``, where the result goes."""

    def write(
        op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], out: Any, function: Any
    ) -> Any:
        taking = relevant((*operands, *params, out))
        if taking or modes.function_modes:
            args, kwargs = public_arguments(op, operands, params)
            return take_over(function.public, taking, args, {**kwargs, "out": out})
        try:
            return _write_op(op, operands, params, out, kind)
        except PellucidError as error:
            if op_errors.CONTEXT in str(error):
                raise
            raise type(error)(f"{error}{op_errors.op_context(op, operands, params)}") from None

    return function_with_out(op, write)


def composite_with_out(function: Any, module: str, name: str, reads_late: bool, kind: Out) -> Any:
    """Return the checked function with an argument more: ``out``, where the result goes."""

    def write(
        function: Callable[..., Any], name: str, args: Any, kwargs: dict[str, Any], out: Any
    ) -> Any:
        try:
            return _write_composite(function, name, args, kwargs, out, kind)
        except PellucidError as error:
            if op_errors.CONTEXT in str(error):
                raise
            names = inspect.signature(function).parameters
            given = [*zip(names, args, strict=False), *kwargs.items()]
            raise type(error)(f"{error}{op_errors.context(name, given, 3)}") from None

    return explaining(function, module, name, reads_late, write)


def _write_op(
    op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], out: Any, kind: Out
) -> Any:
    targets = _targets(op.name, out, len(op.outputs))
    if any(target._interpreter is not None for target in targets):
        with no_grad(), no_autocast():
            return _become(targets, call(op, operands, params))
    _check_targets(op.name, targets, _tensors(operands))
    if _compute_in_place(op, operands, params, targets):
        return out
    if kind is not EXACT:  # what can compute in another dtype does so in that of the target
        params = tuple(
            _dtype_for(targets[0], value) if param.name == "dtype" else value
            for param, value in zip(op.params, params, strict=True)
        )
    with no_grad(), no_autocast():
        result = call(op, operands, params)
    return _deliver(op.name, result, targets, kind)


def _become(targets: list[Any], result: Any) -> Any:
    """Give targets that hold no array, such as sparse tensors, the parts of the results."""
    results = result if isinstance(result, tuple) else (result,)
    for target, made in zip(targets, results, strict=True):
        target.become(target.adapted(made))
    return tuple(targets) if isinstance(result, tuple) else targets[0]


def _compute_in_place(
    op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], targets: list[TensorBase]
) -> bool:
    """Compute straight into the memory of the target, if the op can."""
    if op.out_variant is None or len(targets) != 1 or op.variadic or not all(op.promoted):
        return False
    target = targets[0]._array
    arrays = operand_arrays(op, operands, params)
    given = [each for each in arrays if each is not None]
    fits = all(
        each.shape in ((), target.shape)
        and each.dtype == target.dtype
        and not np.may_share_memory(each, target)
        for each in given
    )
    if not fits or all(each.shape != target.shape for each in given):
        return False
    if opmath.is_wider(op, target, arrays):
        return False
    quiet.run(op.out_variant, cpu, target, *arrays, *params)
    _note_change(targets[0], op.name)
    return True


def _write_composite(
    function: Callable[..., Any], name: str, args: Any, kwargs: dict[str, Any], out: Any,
    kind: Out,
) -> Any:  # fmt: skip
    targets = _targets(name, out, None)
    operands = _tensors((*args, *kwargs.values()))
    _check_targets(name, targets, operands)
    if kind is not EXACT and "dtype" in inspect.signature(function).parameters:
        kwargs = {**kwargs, "dtype": _dtype_for(targets[0], kwargs.get("dtype"))}
    with no_grad(), no_autocast():
        result = function(*args, **kwargs)
    return _deliver(name, result, targets, kind, warns=bool(operands))


def _dtype_for(target: TensorBase, asked: Any) -> Any:
    """Return the dtype of the target, in which to compute; raise where another one is asked for."""
    own = from_numpy_dtype(target._array.dtype)
    wanted = own.numpy if asked is None else to_numpy_dtype(asked)
    if wanted != own.numpy:
        wanted, found = (scalar_name(each).lower() for each in (wanted, own.numpy))
        raise DtypeError(f"Expected out tensor to have dtype {wanted}, but got {found} instead")
    return own


def _targets(name: str, out: Any, count: int | None) -> list[TensorBase]:
    """Return the tensors to write into; raise TypeError for anything else, or another count."""
    targets = list(out) if isinstance(out, tuple | list) else [out]
    for each in targets:
        if not isinstance(each, TensorBase):
            raise ArgumentTypeError(
                f"{name}(): argument 'out' must be Tensor, not {type(each).__name__}"
            )
    if count is not None and len(targets) != count:
        raise ArgumentTypeError(
            f"{name}(): argument 'out' must be {_tensors_in_words(count)}, "
            f"but {len(targets)} were given"
        )
    return targets


def _tensors_in_words(count: int) -> str:
    return "a Tensor" if count == 1 else f"a tuple of {count} Tensors"


def _tensors(arguments: tuple[Any, ...]) -> list[TensorBase]:
    """Return the tensors among the arguments and in the sequences among them."""
    found: list[TensorBase] = []
    for each in arguments:
        if isinstance(each, TensorBase):
            found.append(each)
        elif isinstance(each, tuple | list):
            found += _tensors(tuple(each))
    return found


def _check_targets(name: str, targets: list[TensorBase], operands: list[TensorBase]) -> None:
    """Raise where writing would lose a gradient, or change what is still to be read."""
    if modes.grad_enabled and any(requires_grad(each) for each in (*operands, *targets)):
        raise GraphError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad. Leave out= out, or call it under "
            "torch.no_grad()."
        )
    for target in targets:
        check_writable(target)
        check_overlap(target, tuple(operands))


def _deliver(
    name: str, result: Any, targets: list[TensorBase], kind: Out, warns: bool = True
) -> Any:
    """Write the results into the targets, and return those in the form of the results."""
    results = list(result) if isinstance(result, tuple | list) else [result]
    if len(results) != len(targets):
        raise ArgumentTypeError(
            f"{name}(): argument 'out' must be {_tensors_in_words(len(results))}, "
            f"but {len(targets)} were given"
        )
    for made, target in zip(results, targets, strict=True):
        _check_dtype(name, made._array.dtype, target._array.dtype, kind)
    for made, target in zip(results, targets, strict=True):
        values = made._array
        if kind is SEQUENCE and values.size == target._array.size:
            values = values.reshape(target._array.shape)
        _fit_shape(target, values.shape, warns)
        np.copyto(target._array, fitted(values, target._array.dtype), casting="unsafe")
        _note_change(target, name)
    make = getattr(type(result), "_make", type(result))  # of a named tuple, or of a plain one
    return make(targets) if isinstance(result, tuple | list) else targets[0]


def _check_dtype(name: str, result: Any, wanted: Any, kind: Out) -> None:
    if kind is TRUTH and wanted.name not in ("bool", "uint8"):
        found = scalar_name(wanted)
        raise DtypeError(f"{name} only supports bool tensor for result, got: {found}")
    if result.kind == "b" and kind is not EXACT:
        return  # truth values may be written as any numbers
    if kind is EXACT and result != wanted:
        raise DtypeError(
            f"Expected out tensor to have dtype {scalar_name(result).lower()}, but got "
            f"{scalar_name(wanted).lower()} instead"
        )
    if kind is JOINING and not castable(result, wanted):
        raise ArgumentTypeError(
            f"torch.{name}(): input types can't be cast to the desired output type "
            f"{scalar_name(wanted)}"
        )
    check_result_dtype(result, wanted)


def _fit_shape(target: TensorBase, shape: tuple[int, ...], warns: bool) -> None:
    """Give the target the shape of the result, within its memory where that is large enough.

    What is made from no tensor resizes without a warning, as in PyTorch.
    """
    if target._array.shape == shape:
        return
    if warns and target._array.size:
        warnings.warn(
            "An output with one or more elements was resized since it had shape "
            f"{list(target._array.shape)}, which does not match the required output shape "
            f"{list(shape)}. This behavior is deprecated, and in a future PyTorch release outputs "
            "will not be resized unless they have zero elements. You can explicitly reuse an out "
            "tensor t by resizing it, inplace, to zero elements with t.resize_(0).",
            UserWarning,
            stacklevel=user_stacklevel(),
        )
    target._array = resized(target._array, shape)


def _note_change(target: TensorBase, name: str) -> None:
    storage_of(target).note_change(name, *user_frame(2))

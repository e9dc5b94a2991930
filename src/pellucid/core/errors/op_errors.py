"""Explaining an op's failure: the operands, the reason, and the user's line."""

from __future__ import annotations

import importlib
import reprlib
from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from pellucid.autograd.explanations.remedies import remedy_of
from pellucid.autograd.explanations.reordered import view_refused
from pellucid.autograd.sites import Site, user_frame
from pellucid.autograd.variable import TensorBase
from pellucid.core.definition.numbers import is_number
from pellucid.core.definition.op import Op
from pellucid.core.errors.arguments import misfit_of_op
from pellucid.dtypes import result_dtype, scalar_name
from pellucid.errors import (
    AllocationError,
    ArgumentError,
    ArgumentTypeError,
    DomainError,
    DtypeError,
    IndexingError,
    LinAlgError,
    NotATensorError,
    PellucidError,
    ShapeError,
    UnsupportedDtypeError,
)
from pellucid.shapes import broadcast_shapes, items_of

#: what opens the lines after an error's first sentence
CONTEXT: Final = "\n  in "


#: makes text of a value without walking through all of it
_SHORTENED: Final = reprlib.Repr()
_SHORTENED.maxlevel = 4
_SHORTENED.maxstring = _SHORTENED.maxlong = _SHORTENED.maxother = 100
_SHORTENED.maxlist = _SHORTENED.maxtuple = _SHORTENED.maxdict = _SHORTENED.maxset = 20
_MOST_DESCRIBED: Final = 100


def describe(value: Any, depth: int = 4) -> str:
    """Describe an operand: ``float32[3, 4]`` for a tensor."""
    if isinstance(value, TensorBase):
        tensor: Any = value  # a sparse one has no array
        return f"{tensor.dtype.name}{list(tensor.shape)}"
    if isinstance(value, np.ndarray):
        return f"numpy {value.dtype}{list(value.shape)}"
    if isinstance(value, list | tuple):
        value = items_of(value)
        if depth and any(isinstance(each, TensorBase) for each in value):
            described = [describe(each, depth - 1) for each in value[:_MOST_DESCRIBED]]
            return "[" + ", ".join(described + ["..."] * (len(value) > _MOST_DESCRIBED)) + "]"
    text = _SHORTENED.repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def op_context(op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]) -> str:
    """Return the lines that follow an error's first sentence."""
    named = [(o.name, v) for o, v in zip(op.operands, operands, strict=False)]
    named += [(p.name, v) for p, v in zip(op.params, params, strict=False) if v is not p.default]
    return context(op.torch_name, named, 3)


def context(name: str, arguments: Iterable[tuple[str, Any]], depth: int = 2) -> str:
    """Return the lines that say what was called with what, and where the user did so."""
    values = ", ".join(f"{name}: {describe(value)}" for name, value in arguments)
    site = Site(*user_frame(depth))
    return f"{CONTEXT}{name}({values})\n  at {site}   {site.text}"


def not_a_tensor(op: Op, position: int, value: Any) -> ArgumentTypeError:
    """Return the error for an operand that is not a tensor."""
    name = op.operands[0 if op.variadic else position].name
    position = position if op.order is None else op.order.index(name)
    return ArgumentTypeError(
        f"{op.torch_name}(): argument '{name}' (position {position + 1}) must be Tensor, "
        f"not {type(value).__name__}"
    )


def refused(op: Op, numpy_dtype: Any) -> UnsupportedDtypeError:
    """Return the error for a dtype that the op is not defined for."""
    return unsupported(op.torch_kernel_name, numpy_dtype)


def unsupported(kernel: str, numpy_dtype: Any) -> UnsupportedDtypeError:
    """Return the error for a dtype that PyTorch has no kernel of this name for."""
    return UnsupportedDtypeError(f"\"{kernel}\" not implemented for '{scalar_name(numpy_dtype)}'")


def check_same_dtype(
    first: Any, second: Any, sentence: str = "expected scalar type {} but found {}"
) -> None:
    """Raise RuntimeError, with a sentence that names both dtypes, for operands of two dtypes."""
    one, other = getattr(first, "_array", first).dtype, getattr(second, "_array", second).dtype
    if one != other:
        raise DtypeError(sentence.format(scalar_name(one), scalar_name(other)))


def _is_of_memory(error: Exception) -> bool:
    """Return whether memory was missing.

    Where there is none for the frame of a Python function, CPython 3.11 forgets to say so, as NumPy
    does for a ufunc: what was called is then said to have "returned NULL without setting an
    exception".
    """
    if isinstance(error, SystemError):
        return str(error).startswith(("<function ", "<ufunc ")) and "exception" in str(error)
    return isinstance(error, MemoryError)


def out_of_memory(error: Exception) -> str:
    """Return the sentence of PyTorch for memory that NumPy could not get, and what is alive."""
    alive = importlib.import_module("pellucid.inspect.live").report_of_error()
    return f"DefaultCPUAllocator: can't allocate memory: {error}{alive}"


def translated(error: Exception) -> PellucidError | None:
    """Return an error of ours, without its context, for one that Python or NumPy raised in here.

    Return ``None`` for errors that are ours, and those that code of the user raised.
    """
    if isinstance(error, PellucidError) or not _was_raised_inside(error):
        return None
    if _is_of_memory(error):
        return AllocationError(out_of_memory(error))
    if isinstance(error, ValueError) and str(error).startswith(_TOO_LARGE):
        return ShapeError(f"Storage size calculation overflowed: {error}")
    ours = next((ours for theirs, ours in _TRANSLATIONS if isinstance(error, theirs)), None)
    return ours and ours(str(error))


def _was_raised_inside(error: Exception) -> bool:
    """Return whether there is no code of the user between the call and the error."""
    trace = error.__traceback__
    while trace is not None:
        package = str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
        if package not in _INSIDE and not trace.tb_frame.f_code.co_filename.startswith("<pellucid"):
            return False
        trace = trace.tb_next
    return True


_INSIDE = ("pellucid", "numpy", "scipy")
#: what NumPy says of sizes that no memory could have
_TOO_LARGE = ("array is too big", "Maximum allowed dimension exceeded")
_TRANSLATIONS: tuple[tuple[type[Exception], type[PellucidError]], ...] = (
    (np.linalg.LinAlgError, LinAlgError),
    (IndexError, IndexingError),
    (AttributeError, NotATensorError),
    (TypeError, ArgumentTypeError),
    (ZeroDivisionError, DomainError),
    (ValueError, ArgumentError),
    (KeyError, ArgumentError),
    (OverflowError, ArgumentError),
)


def misused(op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]) -> PellucidError | None:
    """Return the error for an argument whose type does not fit, if there is one."""
    wrong = misfit_of_op(op, operands, params)
    return wrong and type(wrong)(f"{wrong}{op_context(op, operands, params)}")


def explained(
    error: Exception, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]
) -> Exception:
    """Return the error that tells what the op was given, of the class PyTorch raises.

    Its traceback goes on to where the body failed, which is where a debugger wants to be.
    """
    return _explained(error, op, operands, params).with_traceback(error.__traceback__)


def _explained(
    error: Exception, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]
) -> Exception:
    text = op_context(op, operands, params)
    if _is_of_memory(error):
        return AllocationError(f"{out_of_memory(error)}{text}")
    if isinstance(error, SystemError):
        return error
    wrong = misused(op, operands, params)
    if wrong is not None:
        return wrong
    if isinstance(error, AttributeError):
        positions = [position for position, operand in enumerate(operands) if operand is error.obj]
        if positions and not isinstance(error.obj, TensorBase):
            error = not_a_tensor(op, positions[0], error.obj)
    if not isinstance(error, PellucidError):
        error = _reason(error, op, operands, params) or error
    if isinstance(error, PellucidError):
        refused = view_refused() if op.torch_name == "view" else ""
        return type(error)(f"{error}{text}{refused or remedy_of(str(error))}")
    if isinstance(error, NotImplementedError):
        return UnsupportedDtypeError(f"{error}{text}")
    if isinstance(error, RuntimeError):
        return DomainError(f"{error}{text}")
    if isinstance(error, TypeError):
        return ArgumentTypeError(f"{op.torch_name}(): {error}{text}")
    return ShapeError(f"{op.torch_name}(): {error}{text}")


def _reason(
    error: Exception, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]
) -> PellucidError | None:
    """Look for what is wrong with the operands, now that the body has failed."""
    values = [each._array if isinstance(each, TensorBase) else each for each in operands]
    present = [each for each in values if each is not None]
    try:
        if op.check is not None:
            # A number that an op does not take may be all that is wrong, and has no dtype.
            op.check(*(np.asarray(each) if is_number(each) else each for each in values), *params)
        if op.promotes and not op.variadic:
            broadcast_shapes(*map(np.shape, present))
    except PellucidError as found:
        return found.with_traceback(None)  # which holds the operands, and this frame the error
    # NumPy's ufuncs raise TypeError for dtypes that they have no loop for.
    return refused(op, result_dtype(present)) if _lacks_loop(error, op) else None


def _lacks_loop(error: Exception, op: Op) -> bool:
    elementwise = op.promotes and not op.variadic
    return elementwise and isinstance(error, TypeError) and "ufunc" in str(error)

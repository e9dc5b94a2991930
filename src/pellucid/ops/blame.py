"""Explaining an op's failure: the operands, the reason, and the user's line."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.autograd.sites import Site, user_frame
from pellucid.autograd.variable import TensorBase
from pellucid.dtypes import from_numpy_dtype
from pellucid.errors import ArgumentTypeError, PellucidError, ShapeError
from pellucid.ops.op import Op


def describe(value: Any) -> str:
    """Describe an operand: ``float32[3, 4]`` for a tensor."""
    if isinstance(value, TensorBase):
        return f"{from_numpy_dtype(value._array.dtype).name}{list(value._array.shape)}"
    if isinstance(value, np.ndarray):
        return f"numpy {value.dtype}{list(value.shape)}"
    if isinstance(value, list | tuple) and any(isinstance(each, TensorBase) for each in value):
        return "[" + ", ".join(describe(each) for each in value) + "]"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def story(op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]) -> str:
    """Return the lines that follow an error's first sentence."""
    named = [(o.name, v) for o, v in zip(op.operands, operands, strict=False)]
    named += [(p.name, v) for p, v in zip(op.params, params, strict=False) if v != p.default]
    values = ", ".join(f"{name}: {describe(value)}" for name, value in named)
    site = Site(*user_frame(2))
    return f"\n  in {op.name}({values})\n  at {site}   {site.text}"


def not_a_tensor(op: Op, position: int, value: Any) -> ArgumentTypeError:
    """Return the error for an operand that is no tensor."""
    name = op.operands[0 if op.variadic else position].name
    return ArgumentTypeError(
        f"{op.name}(): argument '{name}' (position {position + 1}) must be Tensor, "
        f"not {type(value).__name__}"
    )


def explained(
    error: Exception, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]
) -> Exception:
    """Return the error that tells what the op was given, of the class PyTorch raises."""
    text = story(op, operands, params)
    if isinstance(error, PellucidError):
        return type(error)(f"{error}{text}")
    if isinstance(error, TypeError):
        return ArgumentTypeError(f"{op.name}(): {error}{text}")
    return ShapeError(f"{op.name}(): {error}{text}")

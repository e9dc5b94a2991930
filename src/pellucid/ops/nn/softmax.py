"""Exponentials that are normalised along a dimension, and their logarithms."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from pellucid.autograd.sites import user_stacklevel
from pellucid.core.call.compiled import remember_nothing, replayable
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.public import EXACT, public
from pellucid.core.errors.op_errors import unsupported
from pellucid.core.families import op
from pellucid.core.memory.layouts import contiguous
from pellucid.dtypes import is_half, to_numpy_dtype
from pellucid.ops.elementwise.exponential import exp
from pellucid.ops.reduce.reductions import sum
from pellucid.shapes import dim_from_end

_SINGLE = np.dtype(np.float32)


def _prepared(name: str, input: Any, dim: int, dtype: Any) -> Any:
    """Return the input in the dtype to compute in; raise NotImplementedError if there is none."""
    target = input.dtype if dtype is None else to_numpy_dtype(dtype)
    if target is not _SINGLE and target.kind != "f" and not is_half(target):
        place = "_lastdim" if dim >= input.ndim - 1 else ""
        raise unsupported(f"{name}{place}_kernel_impl", target)
    return input if target is input.dtype else input.astype(target)


@public("softmax", method=True, out=EXACT)
@public("special.softmax")
@op(
    torch_kernel_name="softmax_lastdim_kernel_impl", layout=contiguous, batch=Batch.ALONG_DIMS,
    compiled_kernel=("softmax", 1),
)  # fmt: skip
def softmax(be, input, /, dim, dtype=None):
    """Divide exponentials by their sum along a dimension; ``dtype`` is converted to beforehand.

    Args:
        input: Floating point tensor of any shape.
        dim: Dimension along which the results add up to 1.
        dtype: Dtype to compute in, floating point.

    >>> torch.softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])
    """
    dim = dim_from_end(dim, input.ndim)
    return be.softmax(_prepared("softmax", input, dim, dtype), dim)


@softmax.vjp("input")
def softmax_input(g, out, dim):
    return softmax_backward_data(g, out, dim)


@op
def softmax_backward_data(be, grad_output, output, /, dim):
    """Return the gradient of the input of `softmax` where that gives ``output``."""
    return be.softmax_backward(grad_output, output, dim)


@softmax_backward_data.vjp("grad_output")
def softmax_backward_data_grad_output(g, output, dim):
    return softmax_backward_data(g, output, dim)


@softmax_backward_data.vjp("output")
def softmax_backward_data_output(g, grad_output, output, dim):
    of_grad = sum(output * grad_output, dim, True)
    return grad_output * g - of_grad * g - grad_output * sum(output * g, dim, True)


@op(layout=contiguous, batch=Batch.ALONG_DIMS, compiled_kernel=("safe_softmax", 1))
def safe_softmax(be, input, /, dim):
    """Return `softmax`, and zeros where everything along the dimension is minus infinity."""
    blind = (input == -np.inf).all(dim, keepdims=True)
    return be.where(blind, 0, be.softmax(be.where(blind, 0, input), dim_from_end(dim, input.ndim)))


@safe_softmax.vjp("input")
def safe_softmax_input(g, out, dim):
    return softmax_input(g, out, dim)


@public("log_softmax", method=True, out=EXACT)
@public("special.log_softmax")
@op(
    torch_kernel_name="log_softmax_lastdim_kernel_impl", layout=contiguous, batch=Batch.ALONG_DIMS,
    compiled_kernel=("log_softmax", 1),
)  # fmt: skip
def log_softmax(be, input, /, dim, dtype=None):
    """Return the logarithm of `softmax`, exact where probabilities vanish.

    Args: As for `softmax`.

    >>> torch.log_softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([-0.6931, -0.6931])
    """
    dim = dim_from_end(dim, input.ndim)
    return be.log_softmax(_prepared("log_softmax", input, dim, dtype), dim)


@log_softmax.vjp("input")
def log_softmax_input(g, out, dim):
    return log_softmax_backward_data(g, out, dim)


@op
def log_softmax_backward_data(be, grad_output, output, /, dim):
    """Return the gradient of the input of `log_softmax` where that gives ``output``."""
    return be.log_softmax_backward(grad_output, output, dim)


@log_softmax_backward_data.vjp("grad_output")
def log_softmax_backward_data_grad_output(g, output, dim):
    return g - sum(g * exp(output), dim, True)


@log_softmax_backward_data.vjp("output")
def log_softmax_backward_data_output(g, grad_output, output, dim):
    return -sum(grad_output, dim, True) * exp(output) * g


def implicit_dim(name: str, ndim: int) -> int:
    """Choose the dimension that older programs left open, and warn."""
    remember_nothing()  # there is a warning each time
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. "
        "Change the call to include dim=X as an argument.",
        UserWarning,
        stacklevel=user_stacklevel(),
    )
    return 0 if ndim in (0, 1, 3) else 1


@public("nn.functional.softmax", reads_late=True)
@replayable
def softmax_along(
    input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Any:
    """Divide exponentials by their sum along a dimension.

    Args: As for `softmax`.

    >>> torch.nn.functional.softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])
    """
    if dim is None:
        dim = implicit_dim("softmax", input.ndim)
    return softmax(input, dim, dtype)


@public("nn.functional.log_softmax", reads_late=True)
@replayable
def log_softmax_along(
    input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Any:
    """Return the logarithm of `softmax`, exact where probabilities vanish.

    Args: As for `softmax`.

    >>> torch.nn.functional.log_softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([-0.6931, -0.6931])
    """
    if dim is None:
        dim = implicit_dim("log_softmax", input.ndim)
    return log_softmax(input, dim, dtype)


@public("nn.functional.softmin", reads_late=True)
def softmin(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """Return `softmax` of the negated elements.

    Args: As for `softmax`.

    >>> torch.nn.functional.softmin(torch.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])
    """
    if dim is None:
        dim = implicit_dim("softmin", input.ndim)
    return softmax(-input, dim, dtype)

"""Autocast: in which dtype an operation computes while it is on, and casting its operands to it.

What it does is decided by the name of the operation: products run in half precision, what sums up
many numbers or divides by small ones in float32. Which they are follows PyTorch's lists for CPUs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final, TypeGuard

from pellucid.autograd.modes import modes, no_autocast
from pellucid.autograd.node import AccumulateGrad
from pellucid.autograd.variable import TensorBase
from pellucid.core.interpreter import Below, Interpreter
from pellucid.core.op import Op
from pellucid.dtypes import bfloat16, dtype, float16, float32, from_numpy_dtype, promote_types
from pellucid.observe import slow_path
from pellucid.ops.shape.copying import cast

_LOWER: Final = """
    matmul linear mm bmm addmm addbmm baddbmm chain_matmul einsum tensordot prelu vecdot
    scaled_dot_product_attention convolution transposed_convolution conv1d conv2d conv3d
    conv_transpose1d conv_transpose2d conv_transpose3d
"""
_FLOAT32: Final = """
    avg_pool3d max_pool3d adaptive_avg_pool3d adaptive_max_pool3d fractional_max_pool2d
    fractional_max_pool3d max_unpool2d max_unpool3d grid_sample polar view_as_complex prod quantile
    nanquantile cdist trace stft binary_cross_entropy binary_cross_entropy_with_logits cross_entropy
    nll_loss mse_loss l1_loss smooth_l1_loss huber_loss kl_div soft_margin_loss hinge_embedding_loss
    poisson_nll_loss margin_ranking_loss cosine_embedding_loss triplet_margin_loss multi_margin_loss
    multilabel_margin_loss ctc_loss local_response_norm
    cholesky cholesky_ex cholesky_inverse cholesky_solve inverse inv inv_ex lu_solve orgqr ormqr
    householder_product pinverse geqrf qr svd svdvals eig eigh eigvals eigvalsh triangular_solve
    solve lstsq cond matrix_rank tensorinv tensorsolve linalg_qr linalg_svd linalg_eig linalg_eigh
    fft ifft fft2 ifft2 fftn ifftn rfft irfft rfft2 irfft2 rfftn irfftn hfft ihfft
"""
# Products that PyTorch does not list: here they call those that it does.
_AS_IT_IS: Final = (
    "mv dot vdot addmv bilinear fold lu lu_factor det slogdet logdet solve_triangular"
)
# Computed in float32, but what is returned is a product.
_LOWER_RESULT: Final = "pinv"

#: what is done with the operands of each operation that autocast knows
_POLICIES: Final[dict[str, str]] = {
    **dict.fromkeys(_LOWER.split(), "lower"),
    **dict.fromkeys(_FLOAT32.split(), "float32"),
    **dict.fromkeys(_AS_IT_IS.split(), "as it is"),
    **dict.fromkeys(_LOWER_RESULT.split(), "lower result"),
    "index_copy": "widest",
}
_FLOAT32_PADDINGS: Final = ("reflect", "replicate")


class Casting(Interpreter):
    """Cast operands to the dtype that autocast has been given for products."""

    casts = True

    def __init__(self, lower: dtype, cached: bool) -> None:
        self.lower = lower
        self.cached = cached

    def call(self, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], below: Below) -> Any:
        policy = _POLICIES.get(op.name)
        if policy is not None and policy != "as it is":
            operands = self._cast(operands, self._target(policy, operands))
        return below(op, operands, params)

    def call_composite(
        self, function: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Call a function that is made of ops; inside one that is listed nothing else is cast."""
        policy = _policy_of(name.rpartition(".")[2], args, kwargs)
        if policy is None:
            return function(*args, **kwargs)
        if policy != "as it is":
            values = (*args, *kwargs.values())
            values = self._cast(values, self._target(policy, values))
            args = values[: len(args)]
            kwargs = dict(zip(kwargs, values[len(args) :], strict=True))
        with no_autocast():
            result = function(*args, **kwargs)
            return self._value(result, self.lower) if policy == "lower result" else result

    def lowered(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return values in the dtype of products."""
        return self._cast(values, self.lower)

    def _target(self, policy: str, operands: tuple[Any, ...]) -> dtype:
        if policy == "lower":
            return self.lower
        if policy in ("float32", "lower result"):
            return float32
        widest = None
        for each in operands:
            if _is_eligible(each):
                own = from_numpy_dtype(each._array.dtype)
                widest = own if widest is None else promote_types(widest, own)
        return widest or float32

    def _cast(self, values: tuple[Any, ...], target: dtype) -> tuple[Any, ...]:
        return tuple(self._value(each, target) for each in values)

    def _value(self, value: Any, target: dtype) -> Any:
        if value.__class__ is list or value.__class__ is tuple:
            return value.__class__(self._value(each, target) for each in value)
        if not _is_eligible(value) or value._array.dtype == target.numpy:
            return value
        if self.cached and target is self.lower and _is_weight(value):
            return _cached_cast(value, target)
        return cast(value, target)


def _policy_of(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    if name == "pad":
        mode = kwargs.get("mode", args[2] if len(args) > 2 else "constant")
        return "float32" if mode in _FLOAT32_PADDINGS else None
    if name.endswith("_") and name[:-1] in _POLICIES:
        return "as it is"  # the dtype of what is written into is given
    return _POLICIES.get(name)


def _is_eligible(value: object) -> TypeGuard[TensorBase]:
    """Tell whether autocast may change a value's dtype: double precision has been asked for."""
    return (
        isinstance(value, TensorBase)
        and value._array.dtype.kind in "fV"
        and value._array.dtype.itemsize != 8
    )


def _is_weight(tensor: TensorBase) -> bool:
    """Tell whether a tensor is a leaf in float32, which will be cast again and again."""
    edge = tensor._edge
    return (
        edge is not None
        and isinstance(edge[0], AccumulateGrad)
        and tensor._view is None
        and tensor._array.dtype == float32.numpy
    )


def _cached_cast(tensor: Any, target: dtype) -> Any:
    """Return the cast made before, if the weight has not changed since; else make and keep one."""
    key = (id(tensor), target, modes.grad_enabled)
    version = tensor._version
    kept = state.cache.get(key)
    if kept is None or kept[0] is not tensor or kept[1] != version:
        kept = state.cache[key] = (tensor, version, cast(tensor, target))
    return kept[2]


class State(threading.local):
    """Hold what a thread has said about autocast, device by device."""

    def __init__(self) -> None:
        self.enabled: dict[str, bool] = {}
        self.dtypes: dict[str, dtype] = {}
        self.cache_enabled = True
        #: how many blocks of autocast are open; the cache lives as long as the outermost
        self.nesting = 0
        self.cache: dict[tuple[int, dtype, bool], tuple[Any, int, Any]] = {}

    def dtype_of(self, device_type: str) -> dtype:
        """Return the dtype of products on a device."""
        return self.dtypes.get(device_type, bfloat16 if device_type == "cpu" else float16)

    def apply(self) -> None:
        """Let operations of this thread see what has been set."""
        before = modes.autocast
        if self.enabled.get("cpu", False):
            modes.autocast = Casting(self.dtype_of("cpu"), self.cache_enabled)
        else:
            modes.autocast = None
        if before is None and modes.autocast is not None:
            slow_path.enter()
        elif before is not None and modes.autocast is None:
            slow_path.leave()


state = State()

"""What flows through the graph: arrays in an ordinary backward, tensors under ``create_graph``."""

from __future__ import annotations

import functools
import sys
import warnings
from typing import Any

import numpy as np

from pellucid.autograd.gradient_ops import gradient_ops
from pellucid.autograd.modes import modes
from pellucid.autograd.node import AccumulateGrad
from pellucid.autograd.sites import user_frame
from pellucid.autograd.variable import TensorBase, make_inference, storage_of
from pellucid.core.backward.sparse_array import SparseArray
from pellucid.core.call.call import new_tensor
from pellucid.core.call.compiled import compiled_instead
from pellucid.core.memory.ownership import with_all_samples
from pellucid.core.memory.writing import check_mode, repeats_elements
from pellucid.dtypes import from_numpy_dtype, is_complex_dtype, is_half, wide_counterpart
from pellucid.errors import GraphError, InvalidGradientError, ShapeError
from pellucid.kernels.active import cpu, kernels_for
from pellucid.kernels.meta import is_meta
from pellucid.kernels.numpy.float8 import fitted
from pellucid.kernels.numpy.precision import silence

_constant = compiled_instead(lambda tensor: tensor, "list_constant")
_SINGLE = np.dtype(np.float32)
_DOUBLE = np.dtype(np.float64)


def _reduced(g: Any, shape: tuple[int, ...], total: Any, was_unsqueezed: bool) -> Any:
    """Sum ``g`` over the dimensions in which a tensor of ``shape`` was stretched.

    It may lack first dimensions of size 1 that a leaf has got since, by ``unsqueeze_``.
    """
    extra = g.ndim - len(shape)
    if extra < 0 and was_unsqueezed and shape[:-extra] == (1,) * -extra:
        return _reduced(g.reshape((1,) * -extra + tuple(g.shape)), shape, total, False)
    if extra < 0 or any(
        size not in (1, have) for size, have in zip(shape, g.shape[extra:], strict=True)
    ):
        raise InvalidGradientError(
            f"got {list(g.shape)} but expected shape compatible with {list(shape)}"
        )
    stretched = tuple(range(extra)) + tuple(
        extra + dim for dim, size in enumerate(shape) if size == 1 and g.shape[extra + dim] != 1
    )
    if stretched:
        g = total(g, stretched)
    return g.reshape(shape) if g.shape != shape else g


def _has_other_shape_now(like: Any) -> bool:
    """Return whether gradients go to a leaf that had another shape when it was first used."""
    return isinstance(like, AccumulateGrad) and like.first_shape != like.shape


def _sum_array(g: Any, dims: tuple[int, ...]) -> Any:
    if is_half(g.dtype):  # sums in half precision would stop growing at 2048 or 256 ones
        return kernels_for((g,)).total(g.astype(_SINGLE), dims, True).astype(g.dtype)
    return kernels_for((g,)).total(g, dims, True)


def _column_sums(g: Any) -> Any:
    """Add up the rows of a matrix, as for a bias."""
    if (g.dtype is _SINGLE or g.dtype is _DOUBLE) and not is_meta(g):
        return cpu.column_sums(g)
    return _sum_array(g, (0,))[0]


@functools.cache
def _one(dtype: Any) -> Any:
    one = np.ones((), dtype)
    one.flags.writeable = False
    return one


def _sole_references() -> int:
    """Count the references that `ArrayGradients.accumulate` sees to an array nobody else holds."""

    def take(held: Any) -> int:
        return sys.getrefcount(held)

    buffers = {0: np.zeros(())}
    return take(buffers.pop(0))


_SOLE = _sole_references()


def _has_nan(array: Any) -> bool:
    """Return whether a value is nan: one of any sample; what is on meta has no values."""
    array = with_all_samples(array)
    return not is_meta(array) and bool(np.isnan(array).any())


def _made(g: Any) -> TensorBase:
    """Return a gradient as a tensor; one of a pass in inference mode is made there."""
    made = new_tensor(g)
    if modes.inference:
        make_inference(made)
    return made


class ArrayGradients:
    """Gradients are arrays; nothing is recorded."""

    recorded = False
    quiet = staticmethod(silence)

    def sum_to_size(self, g: Any, like: Any) -> Any:
        shape = like.shape
        if g.shape != shape:
            if len(g.shape) == 2 and g.shape[1:] == shape:
                g = _column_sums(g)
            else:
                g = _reduced(g, shape, _sum_array, _has_other_shape_now(like))
        if like.dtype is not None and g.dtype is not like.dtype and g.dtype != like.dtype:
            if is_complex_dtype(g.dtype) and not is_complex_dtype(like.dtype):
                g = g.astype(wide_counterpart(g.dtype), copy=False).real
            g = fitted(g, like.dtype).astype(like.dtype, copy=False)
        return g

    def whole(self, g: Any) -> Any:
        if isinstance(g, list):
            return [self.whole(each) for each in g]
        return np.asarray(g) if isinstance(g, np.generic) else g

    def add(self, first: Any, second: Any) -> Any:
        return first + second

    def accumulate(self, leaf: AccumulateGrad, g: Any, changes: int = 0, holders: int = 0) -> None:
        """Steal ``g`` for a leaf without gradient if nobody else holds it; else copy, or add.

        ``_version`` tells what became of it, as in PyTorch: a copy was written once, a gradient
        that was handed over as often as others were added to it.
        """
        tensor = leaf.leaf
        if tensor is None:
            return
        with leaf.lock:
            edge = tensor._edge
            if (edge is None or edge[0] is not leaf) and not _takes_gradient(leaf, tensor):
                return
            held, param = tensor._grad, tensor._array
            if isinstance(g, SparseArray) or is_sparse(held):
                tensor._grad = _added_sparse(held, g)
                return
            if held is not None:
                if held._array.strides != param.strides:
                    _tell_of_layout(held._array, param)
                _add_in_place(held, g)
                return
            plain = param.flags.c_contiguous and g.dtype.itemsize == param.itemsize
            strides = param.strides if plain else _dense_strides(param, g.dtype)
            handed_over = sys.getrefcount(g) <= _SOLE + holders
            if not (handed_over and _same_strides(g, strides)):
                changes = 1
            if not (
                handed_over
                and g.__class__ is np.ndarray
                and g.base is None
                and g.strides == strides
            ):
                g = _laid_out_like(param, g)
            tensor._grad = made = _made(g)
            if changes and not modes.inference:
                storage_of(made).version = changes

    def retain(self, tensor: Any, g: Any) -> None:
        held = tensor._grad
        if isinstance(g, SparseArray) or is_sparse(held):
            tensor._grad = _added_sparse(held, g)
            return
        tensor._grad = _made(g.copy() if held is None else held._array + g)

    def wrap(self, g: Any) -> Any:
        if isinstance(g, SparseArray):
            return g.tensor()
        # a constant without dimensions is shared by all backward passes, and the user may write
        return _made(g if g.ndim or g.flags.writeable else g.copy())

    def own(self, g: Any) -> Any:
        if isinstance(g, SparseArray) or (g.flags.writeable and not repeats_elements(g)):
            return g
        return g.copy()

    def unwrap(self, tensor: Any) -> Any:
        return tensor._array if tensor._interpreter is None else tensor.as_array()

    def zeros(self, like: Any) -> Any:
        return np.zeros_like(like) if is_meta(like) else np.zeros(like.shape, like.dtype)

    def ones(self, like: Any) -> Any:
        if is_meta(like):
            return np.empty_like(like)
        return np.ones(like.shape, like.dtype) if like.shape else _one(like.dtype)

    def has_nan(self, g: Any) -> bool:
        return _has_nan(g.values if isinstance(g, SparseArray) else g)


def _sum_tensor(g: Any, dims: tuple[int, ...]) -> Any:
    return g.sum() if len(dims) == g.ndim else g.sum(dims, keepdim=True)


class TensorGradients:
    """Gradients are tensors, and what is done with them is recorded."""

    recorded = True
    quiet = staticmethod(silence)

    def sum_to_size(self, g: Any, like: Any) -> Any:
        if is_sparse(g):
            return g
        if g._array.shape != like.shape:
            summed = _reduced(g, like.shape, _sum_tensor, _has_other_shape_now(like))
            if summed._edge is None and summed._view is not None:
                summed._view = None  # as in PyTorch, which sums to new memory
            g = summed
        if like.dtype is not None and g._array.dtype != like.dtype:
            if is_complex_dtype(g._array.dtype) and not is_complex_dtype(like.dtype):
                g = g.real
            g = g.to(from_numpy_dtype(like.dtype))
        return g

    def whole(self, g: Any) -> Any:
        return g

    def add(self, first: Any, second: Any) -> Any:
        return second + first if is_sparse(first) else first + second

    def accumulate(self, leaf: AccumulateGrad, g: Any, changes: int = 0, holders: int = 0) -> None:
        tensor = leaf.leaf
        if tensor is None or not _takes_gradient(leaf, tensor):
            return
        with leaf.lock:
            held = tensor._grad
            if held is None:
                tensor._grad = made = g.clone()
                if modes.grad_enabled or (not is_sparse(g) and repeats_elements(g._array)):
                    changes = 1  # PyTorch copies what is recorded, and what has been expanded
                if changes and not is_sparse(g) and not modes.inference:
                    storage_of(made).version = changes
                return
            if is_sparse(held) or is_sparse(g):
                tensor._grad = self.add(held, g)
                return
            if held._array.strides != tensor._array.strides:
                _tell_of_layout(held._array, tensor._array)
            if modes.grad_enabled:
                tensor._grad = held + g
            else:
                _add_in_place(held, g._array)

    def retain(self, tensor: Any, g: Any) -> None:
        held = tensor._grad
        tensor._grad = self.own(g) if held is None else self.add(held, g)

    def wrap(self, g: Any) -> Any:
        return g

    def own(self, g: Any) -> Any:
        return g.clone() if not is_sparse(g) and repeats_elements(g._array) else g

    def unwrap(self, tensor: Any) -> Any:
        return tensor

    def zeros(self, like: Any) -> Any:
        return _constant(new_tensor(array_gradients.zeros(like)))

    def ones(self, like: Any) -> Any:
        return _constant(new_tensor(array_gradients.ones(like).copy()))

    def has_nan(self, g: Any) -> bool:
        return _has_nan((g._values() if is_sparse(g) else g)._array)


def is_sparse(tensor: Any) -> bool:
    """Return whether there is a tensor, and it is a sparse one."""
    return tensor is not None and tensor.is_sparse


def _added_sparse(held: Any, g: Any) -> Any:
    """Return the sum of what a leaf has and a gradient, one of which is sparse, as a tensor."""
    if held is None:
        return g.tensor()
    if not is_sparse(held):
        _add_in_place(held, g)
        return held
    total = g + held.as_array()
    return total.tensor() if isinstance(total, SparseArray) else new_tensor(total)


def _takes_gradient(leaf: AccumulateGrad, tensor: TensorBase) -> bool:
    """Return whether the leaf still wants a gradient; raise if it is no longer a leaf.

    Its node may be another by now: after a change of its dtype.
    """
    edge = tensor._edge
    if edge is None:
        return False
    if not isinstance(edge[0], AccumulateGrad):
        raise GraphError("leaf variable has been moved into the graph interior")
    return True


def _dense_strides(param: Any, dtype: Any) -> tuple[int, ...]:
    """Return the strides, in bytes, of a gradient that lies as its parameter does, without gaps."""
    return np.empty_like(param, dtype=dtype).strides


_warned_of_layout = False


def _tell_of_layout(grad: Any, param: Any) -> None:
    """Warn, once, of a gradient that lies in memory otherwise than its parameter."""
    global _warned_of_layout
    if _warned_of_layout or grad.shape != param.shape or not grad.size:
        return
    if repeats_elements(param) and grad.flags.c_contiguous:
        return
    sizes, wanted = param.shape, _dense_strides(param, grad.dtype)
    if _same_strides(grad, wanted):
        return
    _warned_of_layout = True
    described = [
        f"{name}.sizes() = {list(sizes)}, strides() = {[step // a.itemsize for step in a.strides]}"
        for name, a in (("grad", grad), ("param", param))
    ]
    warnings.warn(
        "grad and param do not obey the gradient layout contract. This is not an error, but may "
        "impair performance.\n" + "\n".join(described) + "\nWhoever assigned .grad gave it "
        "another order of elements: torch.empty_like(param) has the right one.",
        UserWarning,
        stacklevel=2,
    )


def _same_strides(g: Any, strides: tuple[int, ...]) -> bool:
    """Return whether the elements of an array lie one after the other as strides say."""
    if g.strides == strides or not g.size:
        return True
    ways = zip(g.strides, strides, g.shape, strict=True)
    return all(have == want for have, want, size in ways if size > 1)


def _laid_out_like(param: Any, g: Any) -> Any:
    """Return a copy of ``g`` in the parameter's memory layout."""
    copy = np.empty_like(param, dtype=g.dtype, subok=False)
    np.copyto(copy, g)
    return copy


def _add_in_place(grad: TensorBase, g: Any) -> None:
    """Add to a ``.grad`` that is there: the same tensor, its layout kept."""
    check_mode(grad)
    if grad._edge is not None and modes.grad_enabled:
        raise GraphError(
            "a leaf Variable that requires grad is being used in an in-place operation."
        )
    held = grad._array
    try:
        if isinstance(g, SparseArray):
            g.added_to(held)
        else:
            np.add(held, g, out=held, casting="unsafe")
    except ValueError:  # the leaf has been given another shape since it got the gradient
        added = g.ndim - held.ndim
        if g.shape != (1,) * added + held.shape:
            raise ShapeError(
                f"output with shape {list(held.shape)} doesn't match the broadcast shape "
                f"{list(g.shape)}: the leaf has another shape than its .grad by now, which should "
                "be set to None"
            ) from None
        np.add(held, g.reshape(held.shape), out=held, casting="unsafe")
    storage_of(grad).note_change("AccumulateGrad", *user_frame(2))


array_gradients = gradient_ops.arrays = ArrayGradients()
tensor_gradients = gradient_ops.tensors = TensorGradients()

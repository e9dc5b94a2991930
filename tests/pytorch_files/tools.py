"""Private tools of PyTorch's that its tests look through, in terms of pellucid."""

from __future__ import annotations

import weakref
from types import ModuleType
from typing import Any

import pellucid
from pellucid.autograd import saved
from pellucid.autograd.modes import modes
from pellucid.autograd.node import AccumulateGrad
from pellucid.func import pytree
from pellucid.nn.modules import calling


class WeakTensorRef:
    """A weak reference to a tensor, which says whether the tensor is gone."""

    def __init__(self, tensor: Any) -> None:
        self.reference = weakref.ref(tensor)

    def expired(self) -> bool:
        """Return whether the tensor is gone."""
        return self.reference() is None


class _Undefined(pellucid.autograd.Function):
    """A function whose gradient never arrives."""

    @staticmethod
    def forward(ctx: Any, *tensors: Any) -> Any:
        return tensors[0].clone() if len(tensors) == 1 else tuple(t.clone() for t in tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return None if len(grads) == 1 else (None,) * len(grads)


class UndefinedGrad:
    """A node that sends no gradient on."""

    def __call__(self, *tensors: Any) -> Any:
        return _Undefined.apply(*tensors)


class _Failing(pellucid.autograd.Function):
    """A function whose backward fails."""

    @staticmethod
    def forward(ctx: Any, message: str, *tensors: Any) -> Any:
        ctx.message = message
        return tensors[0].clone() if len(tensors) == 1 else tuple(t.clone() for t in tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise RuntimeError(ctx.message)


class DelayedError:
    """A node that fails when it is reached.

    Args:
        message: What the error says.
        count: How many tensors go in.
    """

    def __init__(self, message: str, count: int) -> None:
        self.message = message

    def __call__(self, *tensors: Any) -> Any:
        return _Failing.apply(self.message, *tensors)


def validate_coo(
    indices: Any, values: Any, size: Any, is_coalesced: Any = None, **options: Any
) -> None:
    """Raise where parts do not make a sparse tensor."""
    pellucid.sparse_coo_tensor(indices, values, size, check_invariants=True)


def validate_compressed(ends: Any, others: Any, values: Any, size: Any, layout: Any) -> None:
    """Raise where parts do not make a matrix in a compressed layout."""
    pellucid.sparse_compressed_tensor(
        ends, others, values, size, layout=layout, check_invariants=True
    )


def _in_layout(layout: Any) -> Any:
    return lambda ends, others, values, size: validate_compressed(
        ends, others, values, size, layout
    )


class _ModuleOfLayers(ModuleType):
    """The module of layers, where tests forget global hooks by giving new dictionaries."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("_global_backward_hooks", "_global_forward_hooks"):
            calling.global_hooks.clear()
        super().__setattr__(name, value)


def forget_hooks_with_their_dictionaries() -> None:
    """Let the module of layers forget global hooks when it is given new dictionaries for them."""
    pellucid.nn.modules.module.__class__ = _ModuleOfLayers  # pyright: ignore


def count_to_prune(amount: Any, tensor_size: int) -> int:
    """Return how many of so many units are pruned: a number of them, or a fraction."""
    return amount if isinstance(amount, int) else round(amount * tensor_size)


def unstacked(tree: Any) -> list[Any]:
    """Return the slices of a pytree of tensors along their first dimension."""
    leaves, structure = pytree.tree_flatten(tree)
    slices = zip(*(leaf.unbind(0) for leaf in leaves), strict=True)
    return [pytree.tree_unflatten(each, structure) for each in slices]


def stacked(trees: list[Any]) -> Any:
    """Return a pytree of tensors for many, stacked along a new first dimension."""
    columns = zip(*(pytree.tree_leaves(tree) for tree in trees), strict=True)
    structure = pytree.tree_structure(trees[0])
    return pytree.tree_unflatten([pellucid.stack(column) for column in columns], structure)


def scan_in_a_loop(
    combine: Any, init: Any, xs: Any, dim: int = 0, reverse: bool = False
) -> tuple[Any, Any]:
    """Return what `scan` does for single tensors: the yardstick of its tests."""
    carry, results = init, []
    places = range(xs.size(dim))
    for place in reversed(places) if reverse else places:
        carry, result = combine(carry, xs.select(dim, place))
        results.append(result)
    out = pellucid.stack(results[::-1] if reverse else results)
    return carry, out.movedim(0, dim) if dim < out.ndim else out


#: by the names that the tests call them by
TOOLS: dict[str, Any] = {
    "torch.nn.utils.prune._compute_nparams_toprune": count_to_prune,
    "torch._neg_view": pellucid.neg,
    "torch.Tensor._neg_view": pellucid.neg,
    "torch._higher_order_ops._stack_pytree": stacked,
    "torch._higher_order_ops._unstack_pytree": unstacked,
    "torch._higher_order_ops.scan._fake_scan": scan_in_a_loop,
    "torch._C._WeakTensorRef": WeakTensorRef,
    "torch._C._functions.UndefinedGrad": UndefinedGrad,
    "torch._C._functions.DelayedError": DelayedError,
    "torch._C._functions.AccumulateGrad": AccumulateGrad,
    "torch._C._autograd.SavedTensor": saved.SavedTensor,
    "torch._C._autograd._saved_tensors_hooks_is_enabled": (
        lambda: modes.saved_tensor_hooks_disabled is None
    ),
    "torch.autograd.kineto_available": pellucid.profiler.kineto_available,
    "torch._vmap_internals._vmap": (
        lambda function, in_dims=0, out_dims=0, **_: pellucid.vmap(function, in_dims, out_dims)
    ),
    "torch._validate_sparse_coo_tensor_args": validate_coo,
    "torch._validate_sparse_compressed_tensor_args": validate_compressed,
    "torch._validate_sparse_csr_tensor_args": _in_layout(pellucid.sparse_csr),
    "torch._validate_sparse_csc_tensor_args": _in_layout(pellucid.sparse_csc),
    "torch._validate_sparse_bsr_tensor_args": _in_layout(pellucid.sparse_bsr),
    "torch._validate_sparse_bsc_tensor_args": _in_layout(pellucid.sparse_bsc),
}

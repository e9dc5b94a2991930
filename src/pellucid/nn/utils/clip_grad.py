"""Gradient clipping."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from types import GeneratorType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.autograd.sites import user_frame, user_stacklevel
from pellucid.autograd.variable import storage_of
from pellucid.core.call.call import new_tensor
from pellucid.kernels.active import cpu
from pellucid.kernels.numpy.precision import as_working
from pellucid.observe import announce, watchers
from pellucid.tensors import Tensor


def norm_of_array(x: NDArray[Any], order: float) -> Any:
    """Return the norm of all elements in their own dtype."""
    work = as_working(x)
    if order == 2 and work.dtype.kind == "f":
        return np.sqrt(cpu.total(work * work, None, False)).astype(x.dtype)
    return np.linalg.norm(work.ravel(), order)


def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Return the norm of several tensors, taken together as one vector.

    Args:
        tensors: A tensor or an iterable of tensors.
        norm_type: Exponent p of the norm; ``inf`` for the maximum.
        error_if_nonfinite: Whether to raise an error if the norm is not finite.
        foreach: Accepted for compatibility; changes nothing.

    Returns:
        A 0-d tensor; a `DTensor` if some of the tensors are.

    Raises:
        RuntimeError: If the norm is not finite and ``error_if_nonfinite``.

    >>> torch.nn.utils.get_total_norm([torch.tensor([3.0]), torch.tensor([4.0])])
    tensor(5.)
    """
    order = float(norm_type)
    listed = _listed(tensors)
    spread = [each for each in listed if each._interpreter is not None and not each.is_sparse]
    arrays = [
        (each.coalesce() if each.is_sparse else each).held._array
        for each in listed if each._interpreter is None or each.is_sparse
    ]  # fmt: skip
    norms = np.array([norm_of_array(array, order) for array in arrays])
    if spread:
        whole = np.asarray(spread[0].norm_of_all(spread, order), spread[0]._array.dtype)
        norms = np.append(norms, whole).astype(whole.dtype)
    if not norms.size:
        return _new(np.array(0.0, dtype=np.float32))
    total = np.asarray(np.linalg.norm(norms, order), dtype=norms.dtype)
    _check_finite(total, order, error_if_nonfinite)
    return spread[0].placed_like(_new(total)) if spread else _new(total)


def _check_finite(total: Any, order: float, wanted: bool) -> None:
    if wanted and not np.isfinite(total):
        raise RuntimeError(
            f"The total norm of order {order} for gradients from `parameters` is non-finite, so it "
            "cannot be clipped. To disable this error and scale the gradients by the non-finite "
            "norm anyway, set `error_if_nonfinite=False`"
        )


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0,
    error_if_nonfinite: bool = False, foreach: bool | None = None,
) -> Tensor:  # fmt: skip
    """Scale all gradients in place so that their total norm is at most ``max_norm``.

    Args:
        parameters: A tensor or an iterable of tensors; those without a gradient are skipped.
        max_norm: Upper bound of the norm.
        norm_type: Exponent p of the norm; ``inf`` for the maximum.
        error_if_nonfinite: Whether to raise an error if the norm is not finite.
        foreach: Accepted for compatibility; changes nothing.

    Returns:
        The norm before scaling, a 0-d tensor; a `DTensor` if some of the gradients are.

    Raises:
        RuntimeError: If the norm is not finite and ``error_if_nonfinite``; nothing is changed then.

    >>> w = torch.tensor([3.0, 4.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> torch.nn.utils.clip_grad_norm_([w], max_norm=1.0)
    tensor(10.)
    >>> w.grad
    tensor([0.6000, 0.8000])
    """
    listed = _listed(parameters)
    if not listed and isinstance(parameters, GeneratorType):
        text = "`parameters` is an empty generator, no gradient clipping will occur."
        warnings.warn(text, UserWarning, stacklevel=user_stacklevel())
    gradients = [gradient for p in listed if (gradient := p._grad) is not None]
    total = get_total_norm(gradients, norm_type, error_if_nonfinite)
    _scale(gradients, max_norm, total, "clip_grad_norm_")
    if watchers:
        announce("clipped", listed)
    return total


def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    total_norm: Tensor,
    foreach: bool | None = None,
) -> None:
    """Scale all gradients in place by the factor that reduces a known norm to ``max_norm``.

    Args:
        parameters: A tensor or an iterable of tensors; those without a gradient are skipped.
        max_norm: Upper bound of the norm.
        total_norm: The present norm, a 0-d tensor.
        foreach: Accepted for compatibility; changes nothing.

    >>> w = torch.tensor([3.0, 4.0], requires_grad=True)
    >>> w.sum().backward()
    >>> torch.nn.utils.clip_grads_with_norm_(w, 1.0, torch.tensor(2.0))
    >>> w.grad
    tensor([0.5000, 0.5000])
    """
    gradients = _gradients(parameters)
    _scale(gradients, max_norm, total_norm, "clip_grads_with_norm_")


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0,
    error_if_nonfinite: bool = False, foreach: bool | None = None,
) -> Tensor:  # fmt: skip
    """Call ``clip_grad_norm_``, of which this is the deprecated older name.

    Args:
        parameters: A tensor or an iterable of tensors.
        max_norm: Upper bound of the norm.
        norm_type: Exponent p of the norm; ``inf`` for the maximum.
        error_if_nonfinite: Whether to raise an error if the norm is not finite.
        foreach: Accepted for compatibility; changes nothing.

    >>> import warnings
    >>> w = torch.tensor([3.0, 4.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.nn.utils.clip_grad_norm([w], 1.0)
    tensor(10.)
    """
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of "
        "`torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def _scale(gradients: list[Any], max_norm: float, total: Any, op: str) -> None:
    value = float(total.held._array)
    factor = min(1.0, float(max_norm) / (value + 1e-6))
    if np.isnan(value):
        factor = float("nan")
    for gradient in gradients:
        values = gradient.held._array
        values *= factor
    _note(gradients, op)


def clip_grad_value_(
    parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None
) -> None:
    """Clamp the elements of all gradients to [-clip_value, clip_value], in place.

    Args:
        parameters: A tensor or an iterable of tensors; those without a gradient are skipped.
        clip_value: The bound.
        foreach: Accepted for compatibility; changes nothing.

    >>> w = torch.ones(2, requires_grad=True)
    >>> (w * torch.tensor([0.5, 3.0])).sum().backward()
    >>> torch.nn.utils.clip_grad_value_([w], 1.0)
    >>> w.grad
    tensor([0.5000, 1.0000])
    """
    listed = _listed(parameters)
    gradients = _gradients(listed)
    for gradient in gradients:
        if gradient.is_sparse and not gradient.is_coalesced():
            gradient.become(gradient.coalesce())
    limit = float(clip_value)
    for gradient in gradients:
        values = gradient.held._array
        np.clip(values, -limit, limit, out=values)
    for _ in range(2):  # once for each bound
        _note(gradients, "clip_grad_value_")
    if watchers:
        announce("clipped", listed)


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Any]:
    return [gradient for p in _listed(parameters) if (gradient := p._grad) is not None]


def _listed(tensors: Tensor | Iterable[Tensor]) -> list[Any]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _new(array: Any) -> Any:
    return new_tensor(array)


def _note(gradients: list[Any], op: str) -> None:
    """Record the in-place change of gradients, for autograd's version checks."""
    site = user_frame(2)
    for gradient in gradients:
        storage_of(gradient).note_change(op, *site)

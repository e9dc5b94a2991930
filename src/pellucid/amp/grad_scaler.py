"""Scaling a loss, so that gradients in half precision do not vanish, and the gradients back."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import Any

import numpy as np

from pellucid.autograd.modes import no_grad
from pellucid.autograd.sites import user_stacklevel
from pellucid.dtypes import float16, float32, int32
from pellucid.errors import ArgumentError, GraphError
from pellucid.observe import announce, watchers
from pellucid.tensors import Tensor
from pellucid.tensors.creation import full


class OptState(Enum):
    """How far an optimizer has come since the last update of the scale."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _fresh_state() -> dict[str, Any]:
    return {"stage": OptState.READY, "found_inf": None}


class GradScaler:
    """A factor for a loss that grows as long as no gradient overflows.

    An optimizer's step is skipped where a gradient is infinite or NaN.

    Args:
        device: The kind of device. For ``"cuda"``, which is not here, it warns and does nothing.
        init_scale: The first scale.
        growth_factor: What the scale is multiplied by after ``growth_interval`` steps in a row.
        backoff_factor: What the scale is multiplied by where a gradient is infinite or NaN.
        growth_interval: The number of steps without an overflow after which the scale grows.
        enabled: Whether anything is scaled.

    Raises:
        AssertionError: If the growth factor is not above 1, or the backoff factor not below.

    >>> w = torch.ones(1, requires_grad=True)
    >>> optimizer = torch.optim.SGD([w], lr=0.25)
    >>> scaler = torch.amp.GradScaler("cpu")
    >>> scaler.scale((w * w).sum()).backward()
    >>> scaler.step(optimizer)
    >>> scaler.update()
    >>> w
    tensor([0.5000], requires_grad=True)
    """

    def __init__(
        self, device: str = "cuda", init_scale: float = 2.0**16, growth_factor: float = 2.0,
        backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True,
    ) -> None:  # fmt: skip
        self._device = device
        self._enabled = bool(enabled)
        if self._enabled and device == "cuda":
            warnings.warn(
                "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.",
                stacklevel=user_stacklevel(),
            )
            self._enabled = False
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale = init_scale
        self._init_growth_tracker = 0
        # made by the first loss that is scaled
        self._scale: Tensor | None = None
        self._growth_tracker: Tensor | None = None
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._per_optimizer_states: dict[int, dict[str, Any]] = defaultdict(_fresh_state)

    # ---- a training step ----------------------------------------------------------------------

    def scale(self, outputs: Any) -> Any:
        """Multiply a tensor, or all tensors of nested collections, by the scale.

        Raises ValueError for what is neither.
        """
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * self._current_scale()
        if isinstance(outputs, list | tuple):
            return type(outputs)(map(self.scale, outputs))
        if isinstance(outputs, Iterable):
            return map(self.scale, outputs)
        raise ArgumentError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer: Any) -> None:
        """Divide the optimizer's gradients by the scale, for example to clip them.

        Raises RuntimeError if this has been done since the last `update`, ValueError for gradients
        in float16.
        """
        if not self._enabled:
            return
        scale = self._required("unscale_")
        optimizer_state = self._per_optimizer_states[id(optimizer)]
        if optimizer_state["stage"] is OptState.UNSCALED:
            raise GraphError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        if optimizer_state["stage"] is OptState.STEPPED:
            raise GraphError("unscale_() is being called after step().")
        if watchers:
            announce("unscaled", (optimizer, scale.item()))
        inverse = float(np.float32(1.0 / scale.item()))
        optimizer_state["found_inf"] = _unscale(_gradients(optimizer), inverse)
        optimizer_state["stage"] = OptState.UNSCALED

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Step the optimizer, on gradients without the scale, unless one is infinite or NaN.

        Returns what its step returns. Raises RuntimeError for a second step since the last
        `update`, and for a closure.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise GraphError("Closure use is not currently supported if GradScaler is enabled.")
        self._required("step")
        optimizer_state = self._per_optimizer_states[id(optimizer)]
        if optimizer_state["stage"] is OptState.STEPPED:
            raise GraphError("step() has already been called since the last update().")
        if optimizer_state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        found_inf = optimizer_state["found_inf"]
        if found_inf is None:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        returned = None if found_inf else optimizer.step(*args, **kwargs)
        optimizer_state["stage"] = OptState.STEPPED
        return returned

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Set the scale for the next step: smaller if a gradient overflowed, or the one given."""
        if not self._enabled:
            return
        scale = self._required("update")
        if new_scale is not None:
            self._set_scale(scale, new_scale)
        else:
            found = [
                each["found_inf"]
                for each in self._per_optimizer_states.values()
                if each["found_inf"] is not None
            ]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            self._adapt(scale, any(found))
        self._per_optimizer_states = defaultdict(_fresh_state)

    def _adapt(self, scale: Tensor, overflowed: bool) -> None:
        assert self._growth_tracker is not None
        if overflowed:
            scale.mul_(self._backoff_factor)
            self._growth_tracker.fill_(0)
            return
        successes = int(self._growth_tracker.item()) + 1
        if successes == self._growth_interval:
            grown = scale * self._growth_factor
            if np.isfinite(grown.item()):
                scale.copy_(grown)
            successes = 0
        self._growth_tracker.fill_(successes)

    def _set_scale(self, scale: Tensor, new_scale: Any) -> None:
        if isinstance(new_scale, float):
            scale.fill_(new_scale)
            return
        if not isinstance(new_scale, Tensor) or new_scale.numel() != 1 or new_scale.requires_grad:
            raise AssertionError(
                "new_scale should be a float or a 1-element torch.cuda.FloatTensor or "
                "torch.FloatTensor with requires_grad=False."
            )
        scale.copy_(new_scale.reshape(()))

    def _current_scale(self) -> Tensor:
        if self._scale is None:
            self._scale = full((), self._init_scale, dtype=float32)
            self._growth_tracker = full((), self._init_growth_tracker, dtype=int32)
        return self._scale

    def _required(self, name: str) -> Tensor:
        if self._scale is None:
            raise AssertionError(
                f"Attempted {name} but _scale is None.  This may indicate your script did not use "
                "scaler.scale(loss or outputs) earlier in the iteration."
            )
        return self._scale

    # ---- what it is set to --------------------------------------------------------------------

    def is_enabled(self) -> bool:
        """Return whether losses are scaled."""
        return self._enabled

    def get_scale(self) -> float:
        """Return the scale; 1 if nothing is scaled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self) -> float:
        """Return what the scale is multiplied by after steps without overflow."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set what the scale is multiplied by after steps without overflow."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """Return what the scale is multiplied by after an overflow."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set what the scale is multiplied by after an overflow."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """Return after how many steps without overflow the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set after how many steps without overflow the scale grows."""
        self._growth_interval = new_interval

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        if self._growth_tracker is None:
            return self._init_growth_tracker
        return int(self._growth_tracker.item())

    # ---- keeping it ---------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return what `load_state_dict` needs; nothing if nothing is scaled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state; raise RuntimeError for one that was saved while scaling was disabled."""
        if not self._enabled:
            return
        if not state_dict:
            raise GraphError(
                "The source state dict is empty, possibly because it was saved "
                "from a disabled instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._scale is not None and self._growth_tracker is not None:
            self._scale.fill_(self._init_scale)
            self._growth_tracker.fill_(self._init_growth_tracker)

    def __getstate__(self) -> dict[str, Any]:
        kept = self.__dict__.copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError(
                    "A GradScaler instance may only be pickled at the beginning "
                    "of an iteration, or at the end after scaler.update()."
                )
            kept["_init_scale"] = self.get_scale()
            kept["_init_growth_tracker"] = self._get_growth_tracker()
            kept["_scale"] = kept["_growth_tracker"] = None
        return kept

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def _gradients(optimizer: Any) -> list[Tensor]:
    """Return the gradients that there are; raise ValueError for one in float16."""
    gradients = [
        gradient
        for group in optimizer.param_groups
        for param in group["params"]
        if (gradient := param.grad) is not None
    ]
    if any(each.dtype == float16 for each in gradients):
        raise ArgumentError("Attempting to unscale FP16 gradients.")
    return gradients


def _unscale(gradients: list[Any], inverse: float) -> bool | None:
    """Multiply gradients in place; tell whether one is infinite or NaN, ``None`` without any."""
    overflowed: bool | None = None
    with no_grad():
        for gradient in gradients:
            values = gradient._values() if gradient.is_sparse else gradient
            finite = bool((values - values == 0).all())
            overflowed = bool(overflowed) or not finite
            gradient.mul_(inverse)
    return overflowed

"""The L-BFGS optimizer, a quasi-Newton method with limited memory."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from pellucid.autograd.sites import user_frame
from pellucid.errors import ArgumentError
from pellucid.optim.operands import Array, as_number, as_real, new_tensor
from pellucid.optim.optimizer import Optimizer, evaluate
from pellucid.optim.options import check_rate, options_of
from pellucid.tensors import Tensor

#: sufficient decrease, and curvature: the constants of the strong Wolfe conditions
_C1, _C2 = 1e-4, 0.9
#: steps with a smaller curvature are not remembered
_MIN_CURVATURE = 1e-10


class LBFGS(Optimizer):
    """The L-BFGS optimizer, a quasi-Newton method with limited memory.

    It supports one parameter group, and ``step`` needs a closure, which is called several times.
    Source: Nocedal and Wright, "Numerical optimization", algorithms 7.4 and 7.5, and 3.5 and 3.6
    for the line search.

    Args:
        params: Tensors to optimize, ``(name, tensor)`` pairs, or dicts of parameter groups with
            their own options.
        lr: Learning rate, a number or a tensor with one element.
        max_iter: Maximum number of iterations in one call of ``step``.
        max_eval: Maximum number of calls of the closure in one call of ``step``; ``max_iter * 5 //
            4`` by default.
        tolerance_grad: The step ends when no element of the gradient exceeds this magnitude.
        tolerance_change: The step ends when the parameters and the loss change by less than this.
        history_size: Number of past steps that estimate the Hessian.
        line_search_fn: ``"strong_wolfe"`` for a line search, None for steps of length ``lr``.

    Raises:
        ValueError: If ``lr`` is out of range or there are several parameter groups.

    >>> w = torch.tensor([3.0, -2.0], requires_grad=True)
    >>> optimizer = torch.optim.LBFGS([w], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = (w * w).sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure)
    tensor(13., grad_fn=<SumBackward0>)
    >>> closure().item() < 1e-10
    True
    """

    elementwise = False

    def __init__(
        self, params: Any, lr: float | Tensor = 1, max_iter: int = 20, max_eval: int | None = None,
        tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:  # fmt: skip
        check_rate(lr)
        if max_eval is None:
            max_eval = max_iter * 5 // 4
        super().__init__(params, options_of(locals()))
        if len(self.param_groups) != 1:
            raise ArgumentError("LBFGS doesn't support per-parameter options (parameter groups)")

    def step(self, closure: Callable[[], Any]) -> Any:
        """Run at most ``max_iter`` iterations.

        Args:
            closure: Function that clears the gradients, computes the loss and its gradients, and
                returns the loss.

        Returns:
            The loss of the first call of the closure.

        Raises:
            RuntimeError: If ``line_search_fn`` is unknown.

        >>> w = torch.tensor([2.0], requires_grad=True)
        >>> optimizer = torch.optim.LBFGS([w])
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = (w * w).sum()
        ...     loss.backward()
        ...     return loss
        >>> optimizer.step(closure).item()
        4.0
        """
        self.refuse_parts(self.param_groups[0]["params"])
        group = self.param_groups[0]
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")
        return _Minimization(self, closure, *user_frame(2)).run()


class _Point(NamedTuple):
    """Point on the search line: distance, loss, gradient, and slope along the line."""

    t: float
    loss: float
    gradient: Array
    slope: float


class _Minimization:
    """One call of ``LBFGS.step``."""

    def __init__(
        self, optimizer: LBFGS, closure: Callable[[], Any], code: CodeType, lasti: int
    ) -> None:
        self.optimizer = optimizer
        self.closure = closure
        self.site = (code, lasti)
        self.group = optimizer.param_groups[0]
        self.params: list[Any] = self.group["params"]
        self.state: dict[str, Any] = optimizer.state[self.params[0]]
        self.state.setdefault("func_evals", 0)
        self.state.setdefault("n_iter", 0)
        self.evaluations = 0
        self.loss = 0.0
        self.gradient: Array = None

    def run(self) -> Any:
        first = self._evaluate()
        if self._is_flat():
            return first
        for iteration in range(1, self.group["max_iter"] + 1):
            self.state["n_iter"] += 1
            if self._iterate(iteration == self.group["max_iter"]):
                break
        return first

    def _evaluate(self) -> Any:
        loss = evaluate(self.closure)
        self.evaluations += 1
        self.state["func_evals"] += 1
        self.loss = float(as_number(loss))
        self.gradient = np.concatenate(
            [
                as_real(np.zeros_like(p._array) if gradient is None else gradient._array).ravel()
                for p in self.params
                for gradient in (p._grad,)
            ]
        )
        return loss

    def _is_flat(self) -> bool:
        return bool(np.abs(self.gradient).max() <= self.group["tolerance_grad"])

    def _iterate(self, is_last: bool) -> bool:
        """Take one step and return whether to stop."""
        direction = self._direction()
        self.state["d"] = new_tensor(direction)
        self.state["prev_flat_grad"] = new_tensor(self.gradient.copy())
        before = self.state["prev_loss"] = self.loss
        t: float = as_number(self.group["lr"])
        size = float(np.abs(self.gradient).sum())
        #: the first length follows from the gradient, and is a tensor then
        follows = self.state["n_iter"] == 1 and size > 1.0
        if follows:
            t /= size
        slope = float(self.gradient @ direction)
        tolerance = self.group["tolerance_change"]
        if slope <= -tolerance and self.group["line_search_fn"] is not None:
            t = self._search(t, direction, slope)
        self.state["t"] = new_tensor(np.asarray(t, self.gradient.dtype)) if follows else t
        if slope > -tolerance:
            return True
        self._move(t, direction)
        if self.group["line_search_fn"] is None and not is_last:
            self._evaluate()
        return (
            is_last
            or self.evaluations >= self.group["max_eval"]
            or self._is_flat()
            or bool(np.abs(direction * t).max() <= tolerance)
            or abs(self.loss - before) < tolerance
        )

    def _direction(self) -> Array:
        """Return minus the estimated inverse Hessian times the gradient: the two-loop recursion."""
        if self.state["n_iter"] == 1:
            self.state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return -self.gradient
        self._remember_last_step()
        changes = [each._array for each in self.state["old_dirs"]]
        steps = [each._array for each in self.state["old_stps"]]
        inverses = [float(each._array) for each in self.state["ro"]]
        direction = -self.gradient
        weights: list[float] = []
        for change, step, inverse in reversed(list(zip(changes, steps, inverses, strict=True))):
            weights.append(float(step @ direction) * inverse)
            direction -= change * weights[-1]
        scale = self.state["H_diag"]
        direction *= float(scale._array) if isinstance(scale, Tensor) else scale
        for change, step, inverse in zip(changes, steps, inverses, strict=True):
            direction += step * (weights.pop() - float(change @ direction) * inverse)
        return direction

    def _remember_last_step(self) -> None:
        """Append the last step and change of the gradient to the history, unless it was flat."""
        state = self.state
        change = self.gradient - state["prev_flat_grad"]._array
        step = state["d"]._array * as_number(state["t"])
        curvature = change @ step
        if curvature <= _MIN_CURVATURE:
            return
        for name, value in (
            ("old_dirs", change), ("old_stps", step), ("ro", 1.0 / curvature),
        ):  # fmt: skip
            remembered = state[name]
            if len(remembered) == self.group["history_size"]:
                remembered.pop(0)
            remembered.append(new_tensor(np.asarray(value)))
        state["H_diag"] = new_tensor(np.asarray(curvature / (change @ change)))

    def _move(self, t: float, direction: Array) -> None:
        """Add a multiple of the direction to the parameters."""
        offset = 0
        for param in self.params:
            flat = as_real(param._array)
            flat += direction[offset : offset + flat.size].reshape(flat.shape) * t
            offset += flat.size
        self._note()

    def _note(self) -> None:
        self.optimizer.note_step(0, self.group, self.params, *self.site)

    # ---- the line search ----------------------------------------------------------------------

    def _search(self, t: float, direction: Array, slope: float) -> float:
        """Return a step length that meets the strong Wolfe conditions; update loss and gradient."""
        start = [param._array.copy() for param in self.params]

        def probe(t: float) -> _Point:
            self._move(t, direction)
            self._evaluate()
            for param, array in zip(self.params, start, strict=True):
                param._array[...] = array
            self._note()
            return _Point(t, self.loss, self.gradient, float(self.gradient @ direction))

        origin = _Point(0.0, self.loss, self.gradient, slope)
        search = _WolfeSearch(
            probe,
            origin,
            tries=self.group["max_eval"] - self.evaluations,
            narrowest=self.group["tolerance_change"] / float(np.abs(direction).max()),
        )
        found = search.run(t)
        self.loss, self.gradient = found.loss, found.gradient
        return found.t


class _WolfeSearch:
    """Line search for the strong Wolfe conditions: bracket a step, then narrow the bracket."""

    def __init__(
        self, probe: Callable[[float], _Point], origin: _Point, tries: int, narrowest: float
    ) -> None:
        self.probe = probe
        self.origin = origin
        self.tries = tries
        self.tried = 0
        self.narrowest = narrowest

    def run(self, t: float) -> _Point:
        bracket = self._bracket(t)
        return bracket if isinstance(bracket, _Point) else self._narrow(*bracket)

    def _violates_decrease(self, point: _Point) -> bool:
        return point.loss > self.origin.loss + _C1 * point.t * self.origin.slope

    def _meets_curvature(self, point: _Point) -> bool:
        return abs(point.slope) <= -_C2 * self.origin.slope

    def _bracket(self, t: float) -> _Point | tuple[_Point, _Point]:
        """Extend the step until two points bracket a suitable one, or until it is suitable."""
        before, point = self.origin, self.probe(t)
        while self.tried < self.tries:
            if self._violates_decrease(point) or (self.tried > 1 and point.loss >= before.loss):
                return before, point
            if self._meets_curvature(point):
                return point
            if point.slope >= 0:
                return before, point
            nearest, furthest = point.t + 0.01 * (point.t - before.t), point.t * 10
            t = _minimum_between(before, point, (nearest, furthest))
            before, point = point, self.probe(t)
            self.tried += 1
        return self.origin, point

    def _narrow(self, left: _Point, right: _Point) -> _Point:
        """Narrow the bracket until a point meets the conditions, and return the best one."""
        low, high = (left, right) if left.loss <= right.loss else (right, left)
        stuck = False
        while self.tried < self.tries and abs(high.t - low.t) >= self.narrowest:
            t = _minimum_between(low, high)
            t, stuck = _away_from_the_ends(t, *sorted((low.t, high.t)), stuck)
            point = self.probe(t)
            self.tried += 1
            if self._violates_decrease(point) or point.loss >= low.loss:
                low, high = (low, point) if low.loss <= point.loss else (point, low)
                continue
            if self._meets_curvature(point):
                return point
            if point.slope * (high.t - low.t) >= 0:
                high = low
            low = point
        return low


def _away_from_the_ends(t: float, left: float, right: float, stuck: bool) -> tuple[float, bool]:
    """Move a step away from the ends of the bracket if the search was close to them before."""
    margin = 0.1 * (right - left)
    if min(right - t, t - left) >= margin:
        return t, False
    if stuck or t >= right or t <= left:
        return (right - margin if abs(right - t) < abs(t - left) else left + margin), False
    return t, True


def _minimum_between(a: _Point, b: _Point, bounds: tuple[float, float] | None = None) -> float:
    """Return the minimum, within the bounds, of the cubic through two points and their slopes.

    Nocedal and Wright, equation 3.59.
    """
    if a.t > b.t:
        a, b = b, a
    lowest, highest = (a.t, b.t) if bounds is None else bounds
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    radicand = d1 * d1 - a.slope * b.slope
    if radicand < 0:
        return (lowest + highest) / 2.0
    d2 = radicand**0.5
    t = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    return min(max(t, lowest), highest)

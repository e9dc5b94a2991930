"""What tensors were computed by: the latest calls behind a tensor, by weak reference to it."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any, NamedTuple

from pellucid.autograd.reading import is_tensor
from pellucid.autograd.sites import Site
from pellucid.inspect.checks.calls import LOSSES, Call

#: calls behind a tensor that are remembered, where there is nothing to end them before
_DEEP = 40
#: calls that give the same numbers in another shape or dtype
RESHAPING = frozenset({
    "view", "reshape", "squeeze", "unsqueeze", "flatten", "unflatten", "contiguous", "clone",
    "cast", "index", "transpose", "t", "permute", "movedim", "view_as", "reshape_as", "expand",
    "detach", "cpu", "narrow", "select", "alias",
})  # fmt: skip

#: calls whose operands tell something of the result; what is behind others is not remembered
_SEEN_THROUGH = RESHAPING | LOSSES | {
    "neg", "mul", "add", "sub", "div", "log", "exp", "pow", "square", "abs", "sum", "mean", "sqrt",
    "softmax", "log_softmax", "sigmoid", "tanh", "relu", "argmax", "max", "topk", "round", "gt",
    "ge", "clamp", "clip", "dropout", "stack", "cat", "where", "logsigmoid",
}  # fmt: skip


class Origin(NamedTuple):
    """The call that made a tensor.

    Attributes:
        name: The function.
        site: The line.
        dim: Its dimension, where it is one that has to do with one.
        number: A number that it was given as an operand.
        sources: The calls that made its tensors; None for one that no call is known of.
        module: The outermost module in which it was called, by weak reference.
        scope: The dotted name of the module that called it.
        recorded: Whether nodes were recorded.
        training: Whether that outermost module was in training mode.
        depth: How many calls are remembered behind it.
    """

    name: str
    site: Site
    dim: Any
    number: float | None
    sources: tuple[Origin | None, ...]
    module: Any
    scope: str | None
    recorded: bool
    training: bool
    depth: int = 0

    def chain(self) -> Iterator[Origin]:
        """Yield this call and those behind it, each time by the first operand, the latest first."""
        now: Origin | None = self
        while now is not None:
            yield now
            now = next((each for each in now.sources if each is not None), None)

    def in_other_shape(self) -> Origin:
        """Return the call that made the numbers, behind those that gave them another shape."""
        now = self
        while now.name in RESHAPING and now.sources and now.sources[0] is not None:
            now = now.sources[0]
        return now

    def written(self, part: str) -> str:
        """Return the line that made it in brackets, if what made it is named there."""
        return f" ({self.site.text})" if part in self.site.text else ""

    @property
    def model(self) -> Any:
        """The outermost module that made it; None outside of modules, or if it is gone."""
        return None if self.module is None else self.module()


class Origins:
    """The calls behind the tensors that are there."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[Any], Origin]] = {}

    def of(self, tensor: Any) -> Origin | None:
        """Return the call that made a tensor, if it was heard of."""
        known = self._known.get(id(tensor))
        return known[1] if known is not None and known[0]() is tensor else None

    def numbers_of(self, tensor: Any) -> Origin | None:
        """Return the call that made the numbers of a tensor, whatever gave them their shape."""
        origin = self.of(tensor)
        return None if origin is None else origin.in_other_shape()

    def note(self, call: Call) -> None:
        """Remember a call by the tensors that it returned."""
        results = call.result if isinstance(call.result, tuple | list) else (call.result,)
        made = [each for each in results if is_tensor(each)]
        if not made:
            return
        sources = self._sources(call)
        origin = Origin(
            call.name, call.site, _dim(call), _number(call), sources,
            None if call.module is None else weakref.ref(call.module), call.scope, call.recorded,
            bool(getattr(call.module, "training", True)),
            1 + max((each.depth for each in sources if each is not None), default=0),
        )  # fmt: skip
        for tensor in made:
            self._remember(tensor, origin)

    def _remember(self, tensor: Any, origin: Origin) -> None:
        key, known = id(tensor), self._known
        known[key] = weakref.ref(tensor, lambda _: known.pop(key, None)), origin

    def forget(self) -> None:
        """Forget all."""
        self._known.clear()

    def _sources(self, call: Call) -> tuple[Origin | None, ...]:
        if call.name not in _SEEN_THROUGH:
            return ()
        operands = call.args
        if operands and isinstance(operands[0], tuple | list):
            operands = tuple(operands[0][:4])
        found = tuple([self.of(each) for each in operands if is_tensor(each)])
        return () if any(each is not None and each.depth >= _DEEP for each in found) else found


def _dim(call: Call) -> int | None:
    """Return the dimension of a softmax, counted from the first one."""
    if call.name not in ("softmax", "log_softmax"):
        return None
    count, dim = len(call.result.shape), call.argument(1, "dim")
    if type(dim) is int:
        return dim % max(count, 1)
    return 0 if count in (0, 1, 3) else 1


def _number(call: Call) -> float | None:
    return next((each for each in call.args if type(each) in (int, float)), None)

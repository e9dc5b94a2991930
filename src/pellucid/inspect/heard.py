"""What a step calls: pellucid and PyTorch have functions in common, and no operations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from difflib import SequenceMatcher
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from pellucid.autograd.explanations.variables import variables_with
from pellucid.autograd.reading import has_pytorch, is_tensor
from pellucid.inspect.checks.calls import Call, Calls
from pellucid.inspect.checks.run import array_of
from pellucid.outbuildings import outbuildings


class Done(NamedTuple):
    """Something that a step has done, with copies of what it gave.

    Attributes:
        phase: ``"forward"`` or ``"backward"``.
        name: What was called, or whose gradient it is.
        code: The code object of the line; None where there is none.
        lasti: The position in it.
        arrays: The values.
    """

    phase: str
    name: str
    code: CodeType | None
    lasti: int
    arrays: list[Any]


class Heard:
    """The calls that a step records, and the gradients of the leaves that they use.

    Attributes:
        of_torch: Whether some are PyTorch's.
    """

    def __init__(self) -> None:
        self.of_torch = False
        self._calls: list[Done] = []
        self._leaves: dict[int, Any] = {}

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hear of the calls in the block; of none where no program has PyTorch."""
        if not has_pytorch():
            yield
            return
        ours, theirs = Calls(), outbuildings.pytorch().source()
        with ExitStack() as stack:
            stack.enter_context(theirs.watching(lambda event, subject: None))
            stack.callback(ours.listen, None)
            ours.listen(self._hear)
            theirs.listen(self._hear_torch)
            yield

    def _hear_torch(self, call: Call) -> None:
        self.of_torch = True
        self._hear(call)

    def _hear(self, call: Call) -> None:
        tensors = [each for each in (*call.args, *call.kwargs.values()) if is_tensor(each)]
        if not call.recorded or not tensors or not is_tensor(call.result):
            return
        self._calls.append(Done("forward", call.name, *call.frame, [_copy(call.result)]))
        for each in tensors:
            if each.requires_grad and each.is_leaf:
                self._leaves.setdefault(id(each), each)

    def done(self) -> list[Done]:
        """Return the calls, and then the gradients."""
        leaves = list(self._leaves.values())
        names = variables_with(enumerate(leaves))
        gradients = [
            Done("backward", names.get(n, f"leaf {n}"), None, 0, [_copy(each.grad)])
            for n, each in enumerate(leaves) if each.grad is not None
        ]  # fmt: skip
        return [*self._calls, *gradients]


def in_common(first: list[Done], second: list[Done]) -> Iterator[tuple[Done, Done]]:
    """Yield what both libraries have done; the order of gradients is that of first use."""
    names = [[each.name for each in run if each.phase == "forward"] for run in (first, second)]
    for a, b, count in SequenceMatcher(None, *names, autojunk=False).get_matching_blocks():
        yield from zip(first[a : a + count], second[b : b + count], strict=True)
    yield from zip(first[len(names[0]) :], second[len(names[1]) :], strict=False)


def _copy(tensor: Any) -> np.ndarray:
    return array_of(tensor).copy()

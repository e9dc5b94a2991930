"""What a step calls: pellucid and PyTorch have functions in common, and no operations."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from difflib import SequenceMatcher
from types import CodeType
from typing import Any, NamedTuple

from pellucid.autograd.explanations.variables import variables_with
from pellucid.autograd.reading import is_tensor
from pellucid.inspect.checks.calls import Call
from pellucid.inspect.checks.run import array_of
from pellucid.inspect.libraries import Own, libraries


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
        of_others: Whether some are of another library than pellucid.
    """

    def __init__(self) -> None:
        self.of_others = False
        self._calls: list[Done] = []
        self._leaves: dict[int, Any] = {}

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hear of the calls in the block; of none where the program uses pellucid alone."""
        used = libraries()
        with ExitStack() as stack:
            for library in used if len(used) > 1 else ():
                calls = library.source()
                stack.enter_context(calls.watching(lambda event, subject: None))
                stack.callback(calls.listen, None)
                calls.listen(functools.partial(self._hear, library))
            yield

    def _hear(self, library: Any, call: Call) -> None:
        self.of_others = self.of_others or library is not Own
        tensors = [each for each in (*call.args, *call.kwargs.values()) if is_tensor(each)]
        if not call.recorded or not tensors or not is_tensor(call.result):
            return
        self._calls.append(Done("forward", call.name, *call.frame, [array_of(call.result).copy()]))
        for each in tensors:
            if each.requires_grad and each.is_leaf:
                self._leaves.setdefault(id(each), each)

    def done(self) -> list[Done]:
        """Return the calls, and then the gradients."""
        leaves = list(self._leaves.values())
        names = variables_with(enumerate(leaves))
        gradients = [
            Done("backward", names.get(n, f"leaf {n}"), None, 0, [array_of(each.grad).copy()])
            for n, each in enumerate(leaves) if each.grad is not None
        ]  # fmt: skip
        return [*self._calls, *gradients]


def in_common(first: list[Done], second: list[Done]) -> Iterator[tuple[Done, Done]]:
    """Yield what both libraries have done; the order of gradients is that of first use."""
    names = [[each.name for each in run if each.phase == "forward"] for run in (first, second)]
    for a, b, count in SequenceMatcher(None, *names, autojunk=False).get_matching_blocks():
        yield from zip(first[a : a + count], second[b : b + count], strict=True)
    yield from zip(first[len(names[0]) :], second[len(names[1]) :], strict=False)

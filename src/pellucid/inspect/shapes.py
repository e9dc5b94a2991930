"""The shapes that each line makes, printed while a program runs."""

from __future__ import annotations

import functools
import sys
import threading
from types import CodeType
from typing import Any, TextIO

from pellucid.autograd.reading import is_tensor
from pellucid.autograd.sites import Site, user_frame
from pellucid.blocks import Block, temporary
from pellucid.inspect.libraries import libraries
from pellucid.observe import Observer

#: the width of the column with the source
_WIDTH = 48


class _Line(threading.local):
    """The line of one thread that is running."""

    code: CodeType | None = None
    lasti = 0
    number = 0
    depth = 0
    taken: tuple[str, ...] = ()
    made: tuple[str, ...] = ()


class _Shapes(Observer):
    """What prints a line when the next one begins."""

    def __init__(self, file: TextIO | None) -> None:
        self.file = file
        self.here = _Line()

    def op_began(self, kind: str, name: str, operands: Any) -> None:
        here = self.here
        here.depth += 1
        if here.depth > 1:
            return
        code, lasti = user_frame()
        number = Site(code, lasti).line
        if code is not here.code or number != here.number:
            self.end_line()
            here.code, here.lasti, here.number = code, lasti, number
        here.taken = here.taken or _likes(operands)

    def op_ended(self, result: Any) -> None:
        here = self.here
        here.depth -= 1
        if here.depth == 0:
            here.made = _likes((result,)) or here.made

    def end_line(self) -> None:
        """Print the line that has run."""
        here = self.here
        if here.code is not None and here.made:
            site = Site(here.code, here.lasti)
            shapes = f"{', '.join(here.taken)} → {', '.join(here.made)}"
            text = f"{site}  {site.text:<{_WIDTH}}  {shapes if here.taken else shapes[2:]}"
            print(text.rstrip(), file=self.file or sys.stdout)
        here.code, here.taken, here.made = None, (), ()


def _likes(values: Any) -> tuple[str, ...]:
    found: list[str] = []
    for value in values:
        several = value if isinstance(value, tuple | list) else (value,)
        tensors: list[Any] = [each for each in several if is_tensor(each)]
        found += [f"{str(t.dtype).removeprefix('torch.')}{list(t.shape)}" for t in tensors]
    return tuple(found)


@temporary
def shapes(block: Block, file: TextIO | None = None) -> None:
    """A block, or a decorator, in which each line that runs is printed with the shapes it makes.

    Args:
        file: Where to print; the standard output by default.

    >>> @torch.inspect.shapes()
    ... def product(x):
    ...     y = x @ torch.ones(3, 4)
    ...     return y.sum(0)
    >>> result = product(torch.ones(8, 3))  # doctest: +ELLIPSIS
    <doctest ...  y = x @ torch.ones(3, 4)   ...  float32[8, 3], float32[3, 4] → float32[8, 4]
    <doctest ...  return y.sum(0)            ...  float32[8, 4] → float32[4]
    """
    printing = _Shapes(file)
    for library in libraries():
        heard = library.observing(printing)
        block._at_end(functools.partial(heard.__exit__, None, None, None))
        heard.__enter__()
    block._at_end(printing.end_line)

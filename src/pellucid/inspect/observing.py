"""An observer in a block, of what pellucid does and of what an installed PyTorch does."""

from __future__ import annotations

from pellucid.autograd.reading import has_pytorch
from pellucid.blocks import Block
from pellucid.observe import Observer, observers, slow_path
from pellucid.outbuildings import outbuildings


def observe_in(block: Block, observer: Observer) -> None:
    """Report to the observer all that happens in the block, in the library that the program uses.

    Args:
        block: The block.
        observer: What hears of operations and nodes.
    """
    block._append(observers, observer)
    slow_path.need_in(block)
    if has_pytorch():
        theirs = outbuildings.pytorch().observing(observer)
        block._at_end(lambda: theirs.__exit__(None, None, None))
        theirs.__enter__()

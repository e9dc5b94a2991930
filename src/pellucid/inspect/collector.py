"""Making many objects at once, none of which is garbage."""

from __future__ import annotations

import gc

from pellucid.blocks import Block, temporary


@temporary
def collector_off(block: Block) -> None:
    """Keep the garbage collector from going through what is made in the block, over and over."""
    if gc.isenabled():
        block._at_end(gc.enable)
        gc.disable()

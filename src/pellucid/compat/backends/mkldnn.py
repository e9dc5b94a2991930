"""Intel's library for deep networks: it is not used, and its switches change nothing."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from typing import Any

from pellucid.blocks import having
from pellucid.compat.absent import constant_function

is_available = constant_function(False, "Return False: only NumPy is called.")
enabled = False
deterministic = False
allow_tf32 = True
fp32_precision = "none"


def flags(**switches: Any) -> AbstractContextManager[None]:
    """Set switches in the block, by the names of this module."""
    return having(sys.modules[__name__], **switches)

"""How large an array has to be for a kernel to go another way."""

from __future__ import annotations

from typing import Final

#: arrays of fewer elements are quicker with the fewest calls
MANY: Final = 4096

"""Reading how an error explains itself."""

from __future__ import annotations

from collections.abc import Callable

Failing = Callable[[str], Exception]


def rows(error: Exception) -> dict[str, list[str]]:
    """Return the rows of an error's explanation: label -> its other columns."""
    lines = [line for line in str(error).splitlines() if line.startswith("    ")]
    split = [[part.strip() for part in line.split("   ") if part.strip()] for line in lines]
    return {label: rest for label, *rest in split}


def remedy(error: Exception) -> str:
    """Return the last line of an error: what to do."""
    return str(error).splitlines()[-1].strip()

"""What a job prints: names and numbers, which are compared between the two libraries."""

from __future__ import annotations

import json
from typing import Any


def report(name: str, *values: Any) -> None:
    """Print the numbers of tensors, or numbers themselves, under a name."""
    print(json.dumps([name, [_plain(each) for each in values]]), flush=True)


def _plain(value: Any) -> Any:
    if hasattr(value, "detach"):
        value = value.detach()
        if value.numel() > 64:
            value = value.double()
            return [list(value.shape), value.mean().item(), value.abs().mean().item()]
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value

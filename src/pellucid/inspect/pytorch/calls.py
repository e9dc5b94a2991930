"""The calls of PyTorch's functions, for the checks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from pellucid.inspect.checks.calls import Call
from pellucid.inspect.pytorch.torch_ranks import TorchRanks


class Calls(threading.local):
    """PyTorch's calls in a thread, told by the mode that notes lines.

    Attributes:
        hear: Called with each call; None while nobody listens.
        recorded: Whether PyTorch recorded nodes where the latest event happened.
        ranks: The processes that train together.
    """

    hear: Callable[[Call], None] | None = None
    recorded = True
    ranks = TorchRanks()

    def listen(self, hear: Callable[[Call], None] | None) -> None:
        """Call ``hear`` with each call of this thread from now on; stop with None."""
        self.hear = hear

    def records(self) -> bool:
        """Return whether PyTorch recorded nodes where the latest event happened."""
        return self.recorded

    def watching(self, listener: Callable[[str, Any], None]) -> AbstractContextManager[None]:
        """Call ``listener(event, subject)`` for PyTorch's events, and tell of its calls as well."""
        from pellucid.inspect.pytorch.events import watching_torch

        return watching_torch(listener, self)

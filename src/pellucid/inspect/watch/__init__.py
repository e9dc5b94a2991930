"""A program watched while it runs: a line of state, findings as they come up, a summary."""

from pellucid.inspect.watch.session import Watch
from pellucid.inspect.watch.terminal import Terminal

__all__ = ["Terminal", "Watch"]

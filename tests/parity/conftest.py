"""The programs of several processes are run, not imported."""

from __future__ import annotations

collect_ignore = ["processes"]

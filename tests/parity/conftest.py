"""The programs of several processes are run, not imported, and one module needs PyTorch."""

from __future__ import annotations

collect_ignore = ["operator_database.py", "processes"]

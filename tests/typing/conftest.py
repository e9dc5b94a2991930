"""The programs are read by type checkers; one of them is full of mistakes."""

from __future__ import annotations

collect_ignore = ["programs"]

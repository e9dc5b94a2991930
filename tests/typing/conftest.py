"""The programs here are read by type checkers; one of them is full of mistakes."""

from __future__ import annotations

collect_ignore = ["mistaken_program.py", "usual_program.py"]

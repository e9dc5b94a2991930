"""The programs are run by a test, each in a process of its own, and are no tests themselves."""

from __future__ import annotations

collect_ignore = ["programs"]

"""The programs here are run as several processes, not imported by the tests."""

from __future__ import annotations

collect_ignore = ["programs"]

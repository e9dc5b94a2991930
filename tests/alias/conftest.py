"""Programs and the jobs of packages have runners of their own, and are no tests themselves."""

from __future__ import annotations

collect_ignore = ["packages", "programs"]

"""The truths that the tools are held to, in one list: what they say is what is so.

Each entry names a file of tests, or one test of it. They compare what a tool says with a count by
hand, with `tracemalloc`, with the garbage collector, or with what another tool says. Run them all,
with a line for each tool:

    python -m tests.inspect.truths
"""

from __future__ import annotations

import importlib
import math
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

HERE = Path(__file__).parent
LEDGERS, NETWORKS = "test_truths.py::", "test_truths_of_networks.py::"

TRUTHS: dict[str, tuple[str, ...]] = {
    "ledger": (
        LEDGERS + "test_the_ledger_says_what_goes_when_the_graph_is_dropped",
        LEDGERS + "test_a_block_has_the_name_of_the_tensor_that_was_saved",
        LEDGERS + "test_a_part_of_a_larger_memory_is_called_so",
        LEDGERS + "test_a_block_with_different_views_has_the_name_of_all_of_it",
        NETWORKS + "test_the_ledger_is_what_dropping_the_graph_frees",
        "test_memory.py",
    ),
    "plan": (
        LEDGERS + "test_the_plan_and_the_ledger_say_the_same_of_what_stays",
        LEDGERS + "test_what_a_variable_keeps_is_told_apart_in_the_plan",
        NETWORKS + "test_the_plan_has_the_order_and_the_end_of_the_pass",
        NETWORKS + "test_the_peak_of_the_plan_is_near_the_real_one",
        "test_plan.py",
    ),
    "record": (
        LEDGERS + "test_memory_that_was_there_before_is_made_by_no_line",
        LEDGERS + "test_the_recorder_has_a_row_for_its_own_time",
        LEDGERS + "test_the_peak_of_a_recording_is_that_of_tracemalloc",
        NETWORKS + "test_a_recording_books_no_time_twice_and_has_the_real_peak",
        "recording/test_memory.py",
    ),
    "why_alive": ("test_why_alive.py",),
    "growth": ("checks/test_growth.py",),
    "why_no_grad": ("test_cuts_between.py", "test_why_no_grad.py"),
    "graphs and pages": (
        LEDGERS + "test_the_graph_and_the_ledger_say_the_same_bytes",
        NETWORKS + "test_graph_ledger_and_page_say_the_same_bytes",
        "page/test_document.py",
    ),
}


def tests_in(entry: str) -> list[Any]:
    """Return the test functions that an entry names."""
    file, _, name = entry.partition("::")
    path = (HERE / file).with_suffix("").relative_to(HERE).as_posix().replace("/", ".")
    module: ModuleType = importlib.import_module(f"tests.inspect.{path}")
    if name:
        return [getattr(module, name)]
    return [each for title, each in vars(module).items() if title.startswith("test_")]


def count(tool: str) -> int:
    """Return how many cases the tests of a tool have."""
    return sum(_cases(test) for entry in TRUTHS[tool] for test in tests_in(entry))


def _cases(test: Any) -> int:
    marks = [each for each in getattr(test, "pytestmark", ()) if each.name == "parametrize"]
    asked = test.__code__.co_varnames[: test.__code__.co_argcount]
    networks = len(sys.modules[test.__module__].NETS) if "make" in asked else 1
    return networks * math.prod(len(mark.args[1]) for mark in marks)


class _Outcomes:
    """A plugin of pytest that counts by tool what holds and what does not."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {tool: Counter() for tool in TRUTHS}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a case when it was called."""
        if report.when != "call":
            return
        case = report.nodeid.partition("[")[0].removeprefix("tests/inspect/")
        for tool, entries in TRUTHS.items():
            if any(case == each or case.startswith(f"{each}::") for each in entries):
                self.counts[tool][report.outcome] += 1


def main() -> int:
    """Run all of them, and print a line for each tool."""
    outcomes = _Outcomes()
    paths = [str(HERE / entry) for entries in TRUTHS.values() for entry in entries]
    status = pytest.main(["-q", *dict.fromkeys(paths)], plugins=[outcomes])
    for tool, counts in outcomes.counts.items():
        print(f"{tool:<18}{counts['passed']:>5} of {counts.total():>4} hold")
    return int(status)


if __name__ == "__main__":
    raise SystemExit(main())

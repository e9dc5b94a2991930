"""PyTorch raises what the table of bad input says: the class, and how its text opens."""

from __future__ import annotations

import warnings

import pytest

from tests.robustness.programs import Row, accepted, builtin_classes, grouped, operands, rows, run

torch = pytest.importorskip("torch")


def faults(row: Row) -> list[str]:
    """Say in what PyTorch differs from the table; its class may be a base of ours."""
    error = run(torch, row.program, operands(torch))
    if error is None:
        return ["nothing is raised"]
    found = []
    if row.error not in builtin_classes(error):
        found.append(f"raises {error!r}")
    if not str(error).startswith(row.opening):
        found.append(f"says {str(error)!r}, not {row.opening!r}")
    return found


@pytest.mark.parametrize("group", grouped(rows()), ids=lambda group: group[0].program[:40])
def test_pytorch_refuses_bad_input_as_the_table_says(group: list[Row]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert {row.program: wrong for row in group if (wrong := faults(row))} == {}


def test_pytorch_refuses_what_the_list_says_that_runs_here() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [each for each in accepted() if run(torch, each, operands(torch)) is None] == []

"""What random programs can observe after each statement is what PyTorch shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from tests.parity.programs.known import KNOWN
from tests.parity.programs.outcome import outcome_of, outcomes, percentages

PROGRAMS, PART = 2000, 500
#: of a hundred programs, how many agree at least on each level, in each part
LEAST = {1: 97, 2: 96, 3: 68}


@pytest.mark.parametrize("first", range(0, PROGRAMS, PART))
def test_programs_agree_with_pytorch(first: int) -> None:
    made = list(outcomes(range(first, first + PART), processes=1))
    agreeing = percentages(made)
    told = [f"{each.seed}: {found}" for each in made for found in each.found.values()]
    assert all(agreeing[level] >= least for level, least in LEAST.items()), (agreeing, told)


FOUND = (Path(__file__).parent / "programs" / "found.txt").read_text("utf-8").split("\n\n")


@pytest.mark.parametrize("program", FOUND)
def test_a_program_that_once_differed_agrees(program: str) -> None:
    found = outcome_of(program).found
    assert not {1, 2} & found.keys(), "\n".join(map(str, found.values()))


def test_what_is_known_is_a_row_of_the_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "differences.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    for each in KNOWN:
        assert any(row.startswith(f"| {each.row}") or each.row in row for row in rows), each.row


def test_a_difference_is_found_on_its_level() -> None:
    here = "torch.__file__.endswith('pellucid/__init__.py')"
    found = outcome_of(f"x = leaf((2,), torch.float64, 0)\ny = x * (1 + {here})")
    assert found.found[1].aspect == "values of y"
    found = outcome_of(f"x = leaf((2,), torch.float64, 0, grad={here})")
    assert set(found.found) == {2}
    assert outcome_of("x = leaf((2,), torch.float64, 0)\ny = x.sin()").agrees(3)


def test_only_what_single_precision_went_into_may_differ_by_its_rounding() -> None:
    here = "torch.__file__.endswith('pellucid/__init__.py')"
    leaves = "s = leaf((2,), torch.float32, 0)\nx = leaf((2,), torch.float64, 0)\n"
    assert outcome_of(f"{leaves}y = s.double() * (1 + 1e-6 * {here})").agrees(3)
    assert outcome_of(f"{leaves}y = x * (1 + 1e-6 * {here})").found[1].aspect == "values of y"
    both = f"show(s.double() * (1 + 1e-6 * {here}), s * (1 + {here}))"
    assert outcome_of(f"{leaves}{both}").found[1].aspect == "shown"

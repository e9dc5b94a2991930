"""Some of the programs that `.ci/run` runs all of, and what runs and compares them."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator

import numpy as np
import pytest

from pellucid import _native
from tests.robustness.both_ways import lists
from tests.robustness.both_ways.agreement import TABLE, units_of
from tests.robustness.both_ways.comparing import Comparison, units_between
from tests.robustness.both_ways.describing import Record, Values
from tests.robustness.both_ways.generator import program
from tests.robustness.both_ways.pair import Finding, Pair
from tests.robustness.both_ways.shrinking import shrunk, smaller
from tests.robustness.both_ways.worker import run

#: how many of the seeds of the list run here
SEEDS = 40
there_is_a_module = pytest.mark.skipif(
    _native.compiled is None or "PELLUCID_NATIVE" in os.environ,
    reason="there is no compiled module",
)


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with Pair() as made:
        yield made


@there_is_a_module
@pytest.mark.parametrize(("name", "texts"), lists.found(), ids=lambda each: str(each)[:40])
def test_what_was_found_is_mended(pair: Pair, name: str, texts: tuple[str, ...]) -> None:
    assert pair.run_afresh(*texts) is None


@there_is_a_module
def test_random_programs_do_the_same_with_and_without_the_compiled_module(pair: Pair) -> None:
    found = [str(pair.run(program(seed))) for seed in lists.seeds()[:SEEDS]]
    assert found == ["None"] * SEEDS


# ---- what finds differences finds them ------------------------------------------------------


def records(text: str) -> list[Record]:
    return run(text)


PROGRAM = """x1 = leaf((2, 3), torch.float32, 3, grad=True)
for step in range(2):
    y2 = x1 * 2
    total(y2).backward()
    show(y2)
"""


@pytest.mark.parametrize(
    "change",
    [
        ("y2 = x1 * 2", "y2 = x1 * 3"), ("y2 = x1 * 2", "y2 = x1 + x1"),
        ("y2 = x1 * 2", "y2 = (x1 * 2).t().clone().t()"), ("y2 = x1 * 2", "y2 = x1.detach() * 2"),
        ("show(y2)", "show(y2 + 0)"), ("show(y2)", "show('y2')"), ("show(y2)", "pass"),
        ("total(y2).backward()", "total(y2 * 1.5).backward()"), ("show(y2)",
        "show(y2, y2.add_(0))"),
        ("show(y2)", "show(y2); raise ValueError"), ("show(y2)", "show(y2); torch.rand(1)"),
        ("show(y2)", "show(y2); torch.set_grad_enabled(False)"),
        ("show(y2)", "show(y2); import warnings; warnings.warn('told')"),
        ("y2 = x1 * 2", "y2 = (x1 * 2).view(2, 3)"),
    ],
    ids=str,
)  # fmt: skip
def test_whatever_differs_is_seen(change: tuple[str, str]) -> None:
    other = PROGRAM.replace(*change)
    assert Comparison(PROGRAM).first_difference(records(PROGRAM), records(other)) is not None


def test_a_program_agrees_with_itself() -> None:
    assert Comparison(PROGRAM).first_difference(records(PROGRAM), records(PROGRAM)) is None


def test_errors_are_logged_and_the_next_statement_runs() -> None:
    seen = records("torch.ones(2) @ torch.ones(3)\nshow(1)")
    assert [each.subject for each in seen if each.subject in ("raised", "log")] == ["raised", "log"]


def test_a_call_that_ends_as_none_may_is_a_difference_of_its_own() -> None:
    text = "odd(lambda: int('x'))"
    found = Comparison(text).first_difference(records(text), records(text))
    assert found is not None
    assert found.kind == "complaint"


# ---- what may differ ------------------------------------------------------------------------


def test_a_name_of_the_table_is_found_as_function_change_and_layer() -> None:
    texts = (
        "torch.tanh(x)",
        "x.tanh_()",
        "nn.Tanh()",
        "nn.BatchNorm1d(3)",
        "x @ y",
        "nn.GRU(3, 2)",
    )
    assert all(units_of(each) for each in texts)
    assert not any(
        units_of(each) for each in ("x * y", "x.expand(2)", "@linear", "total(x)", "x[0]")
    )


def test_units_are_those_of_the_largest_number() -> None:
    one = np.array([1.0, 1e-6], np.float32)
    assert units_between(one, one + np.array([0, 2**-23], np.float32)) == pytest.approx(1, abs=0.1)
    assert units_between(one, np.array([1.0, np.nan], np.float32)) == float("inf")
    assert units_between(np.array([0.0]), np.array([-0.0])) == float("inf")
    assert units_between(np.array([np.nan]), np.array([np.nan])) == 0


def seen(value: float) -> list[Record]:
    return [
        Record(0, 1, "y", pickle.dumps(Values("torch.float64", (), np.float64(value).tobytes())))
    ]


def test_results_of_the_table_may_differ_by_little_and_others_by_nothing() -> None:
    near = np.nextafter(1.0, 2.0)
    assert Comparison("y = x.exp()").first_difference(seen(1.0), seen(near)) is None
    assert Comparison("y = x.exp()").first_difference(seen(1.0), seen(1.001)) is not None
    assert Comparison("y = x * 2").first_difference(seen(1.0), seen(near)) is not None


def at_lines(values: dict[int, float]) -> list[Record]:
    """Return what is seen at lines of a program."""
    return [seen(value)[0]._replace(line=line) for line, value in values.items()]


def test_after_a_jump_that_a_rounded_value_may_have_come_to_values_are_not_compared() -> None:
    near = np.nextafter(1.0, 2.0)
    for jump in ("y.sign_()", "torch.floor(y)", "opt.step()"):
        text = "y = x.exp()\n" + jump + "\nz = y * 2\nopt = torch.optim.Adam([x])"
        parted = Comparison(text).first_difference(
            at_lines({1: 1.0, 3: 3.0}), at_lines({1: near, 3: 5.0})
        )
        assert parted is None
        exact = text.replace("x.exp()", "x * 3")
        assert Comparison(exact).first_difference(
            at_lines({1: 1.0, 3: 3.0}), at_lines({1: 1.0, 3: 5.0})
        )
    text = "y = x.exp()\ny.neg_()\nz = y * 2"
    assert Comparison(text).first_difference(
        at_lines({1: 1.0, 3: 3.0}), at_lines({1: near, 3: 5.0})
    )


# ---- programs -------------------------------------------------------------------------------


def test_a_seed_gives_the_same_program_each_time() -> None:
    assert [program(seed) for seed in range(20)] == [program(seed) for seed in range(20)]


def test_smaller_programs_are_programs() -> None:
    for each in smaller(program(3)):
        compile(each, "program.py", "exec")


@there_is_a_module
def test_a_finding_is_shrunk_to_the_statements_that_it_needs(pair: Pair) -> None:
    differing = (
        "x1 = leaf((2, 3))\ny2 = x1 * 2\nshow(2)\nshow(torch.pellucid_native())\ny3 = y2 + 1"
    )
    text = differing.replace(
        "torch.pellucid_native()", "__import__('pellucid')._native.compiled is None"
    )
    found = pair.run_afresh(text)
    assert isinstance(found, Finding)
    assert shrunk(pair, found).program == "show(__import__('pellucid')._native.compiled is None)"


def test_the_page_quotes_the_table() -> None:
    page = (lists.FOLDER.parents[2] / "docs/use/seeds-and-determinism.md").read_text("utf-8")
    for row in TABLE:
        assert f"| {row.what} | {row.units} | {row.why} |" in page

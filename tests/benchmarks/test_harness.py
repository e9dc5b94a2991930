"""The benchmark harness measures in turns and reports what it measured."""

from __future__ import annotations

import gc
from types import ModuleType, SimpleNamespace

import pytest

import pellucid
from benchmarks import harness, run
from benchmarks.harness import Duel, Row


@pytest.fixture
def short_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "SECONDS_PER_ROUND", 1e-4)


def library(name: str) -> ModuleType:
    return ModuleType(name)


def counting(calls: dict[str, int]):
    def prepare(module: ModuleType) -> harness.Program:
        def program() -> None:
            calls[module.__name__] = calls.get(module.__name__, 0) + 1

        return program

    return prepare


@pytest.mark.usefixtures("short_rounds")
def test_a_duel_runs_the_same_program_on_both_libraries() -> None:
    calls: dict[str, int] = {}
    (row,) = Duel("count", counting(calls), target=1e9).rows(library("ours"), library("theirs"))
    assert set(calls) == {"ours", "theirs"}
    assert row.ratio is not None
    assert row.reached is True
    assert row.reference.startswith("torch ")


@pytest.mark.usefixtures("short_rounds")
def test_a_ratio_above_the_target_is_reported_as_over() -> None:
    (row,) = Duel("count", counting({}), target=0.0).rows(library("ours"), library("theirs"))
    assert row.reached is False
    assert row.cells()[-1] == "over"


@pytest.mark.usefixtures("short_rounds")
def test_without_torch_there_is_a_time_but_neither_ratio_nor_verdict() -> None:
    calls: dict[str, int] = {}
    (row,) = Duel("count", counting(calls), target=0.5).rows(library("ours"), None)
    assert set(calls) == {"ours"}
    assert row.ours
    assert (row.reference, row.ratio, row.reached) == ("", None, None)


@pytest.mark.usefixtures("short_rounds")
def test_whoever_went_first_goes_last_in_the_next_round() -> None:
    order: list[str] = []

    def program(name: str) -> harness.Program:
        return lambda: order.append(name) if order[-1:] != [name] else None

    harness.time_in_turns([program("a"), program("b")], rounds=4)
    # Warming up, then ab, ba, ab, ba, where a repeated letter is noted once.
    assert "".join(order) == "ab" + "ababa"


@pytest.mark.usefixtures("short_rounds")
def test_the_collector_is_off_while_the_clock_runs_and_on_again_afterwards() -> None:
    seen: set[bool] = set()
    harness.time_in_turns([lambda: seen.add(gc.isenabled())], rounds=2)
    assert seen == {False}
    assert gc.isenabled()


def test_the_ratio_is_the_median_of_the_rounds_so_one_bad_round_does_not_count() -> None:
    assert harness.median_ratio([1.0, 1.0, 9.0], [2.0, 2.0, 2.0]) == 0.5


@pytest.mark.parametrize(
    ("seconds", "text"), [(2.0, "2 s"), (0.0123, "12.3 ms"), (1.5e-6, "1.5 µs"), (4e-8, "0.04 µs")]
)
def test_durations_are_written_in_a_unit_that_suits_them(seconds: float, text: str) -> None:
    assert harness.duration(seconds) == text


def test_the_columns_of_the_plain_table_line_up() -> None:
    rows = [Row("a", "1 µs", "torch 2 µs", 0.5, "≤ 0.75", True), Row("a longer name", "10 µs")]
    header, first, second = harness.plain_table(rows)
    end = header.index("pellucid") + len("pellucid")
    assert first[:end].endswith("1 µs")
    assert second == "a longer name" + "10 µs".rjust(end - len("a longer name"))


def test_every_line_of_the_markdown_table_has_every_column() -> None:
    lines = list(harness.markdown_table([Row("a", "1 µs"), Row("b", "2 µs", "torch 1 µs", 2.0)]))
    assert {line.count("|") for line in lines} == {len(harness.COLUMNS) + 1}


@pytest.mark.parametrize(("threads", "text"), [(1, "; one thread each"), (2, "; 2 threads each")])
def test_the_machine_is_told_with_the_number_of_threads(threads: int, text: str) -> None:
    assert harness.machine(None, threads).endswith(text)


def test_both_libraries_get_the_number_of_threads_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    counts: list[int] = []
    theirs = SimpleNamespace(set_num_threads=counts.append, __version__="0")
    monkeypatch.setattr(run, "installed_torch", lambda: theirs)
    monkeypatch.setattr(run, "measure", lambda *chosen: iter(()))
    before = pellucid.get_num_threads()
    try:
        run.main(["--threads", "3"])
        counts.append(pellucid.get_num_threads())
    finally:
        pellucid.set_num_threads(before)
    assert counts == [3, 3]
    assert "3 threads each" in capsys.readouterr().out

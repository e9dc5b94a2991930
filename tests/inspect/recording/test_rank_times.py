"""Recordings of several ranks side by side, made of what each of them has told."""

from __future__ import annotations

import re
from typing import Any

import pytest

import pellucid as torch
from pellucid.inspect import Recording, record
from pellucid.inspect.page.ranks import ranks_section
from pellucid.inspect.page.recorded import recording_page
from pellucid.inspect.recording import rank_times
from pellucid.ranks import ranks

#: what two ranks tell: an exchange at which rank 1 comes 50 later, and a message from nowhere
TOLD = [
    rank_times._Part(
        1000, 400,
        [
            ("sum <all>", ("0", None, 1), (0, 1), 90, [(100, 300, "a.py:1")]),
            ("recv", None, (0, 1), 310, [(310, 320, "a.py:2")]),
        ],
        {"a.py:1": (70, "total(<x>)"), "a.py:2": (0, "recv(x)")},
        (16, "a.py:1"), ((0, 8), (50, 16)),
    ),
    rank_times._Part(
        1040, 400, [("sum <all>", ("0", None, 1), (0, 1), 110, [(111, 261, "a.py:1")])],
        {"a.py:1": (30, "total(<x>)")}, (8, ""), ((0, 8),),
    ),
]  # fmt: skip


class Told:
    """A group whose ranks have told this."""

    def gathered(self, value: Any, call: str) -> list[Any]:
        return TOLD


@pytest.fixture
def side_by_side(monkeypatch: pytest.MonkeyPatch) -> rank_times.RankTimes:
    monkeypatch.setattr(ranks, "resolved", lambda group: Told())
    return Recording().over_ranks()


def test_a_wait_is_divided_where_the_last_rank_has_come(side_by_side: Any) -> None:
    first, second = side_by_side.rows
    assert first.stretches == (
        ("waiting", 100, 150, "sum <all>", "a.py:1", 1),
        ("exchanging", 150, 300, "sum <all>", "a.py:1", None),
        ("exchanging", 310, 320, "recv", "a.py:2", None),
    )
    assert second.stretches == (("exchanging", 151, 301, "sum <all>", "a.py:1", None),)
    assert [first.time_of(kind) for kind in rank_times.KINDS] == [190, 160, 50]
    assert [second.time_of(kind) for kind in rank_times.KINDS] == [250, 150, 0]
    assert (second.start, second.end) == (40, 440)


def test_a_line_has_its_times_on_each_rank(side_by_side: Any) -> None:
    found = {(line.where, line.rank): line for line in side_by_side.lines}
    waiting = found["a.py:1", 0]
    assert (waiting.computing, waiting.exchanging, waiting.waiting) == (70, 150, 50)
    assert waiting.late == {1: 50}
    assert found["a.py:1", 1].computing == 30
    assert side_by_side.lines[0] is waiting  # the longest first


def test_it_prints_each_rank_and_each_line(side_by_side: Any) -> None:
    text = str(side_by_side)
    assert re.search(r"^ +0 +0.19 µs +0.16 µs +0.05 µs +12.5 % +16 B +a.py:1$", text, re.MULTILINE)
    marks = [line[6:] for line in text.splitlines() if re.match(r" +[01]  [ █▒·]+$", line)]
    assert len(marks) == 2
    assert marks[0].strip("█ ").startswith("·")
    assert marks[1].startswith("     █")  # it began later


def test_the_page_has_all_ranks(side_by_side: Any) -> None:
    section = ranks_section(side_by_side)
    assert section.count('<rect class="computing"') == 2
    assert section.count('<rect class="waiting"') == 1
    assert "waiting for rank 1, 0.05 µs: sum &lt;all&gt;  a.py:1" in section
    assert "<x>" not in section
    with record() as recording:
        torch.ones(2).exp()
    assert ranks_section(recording.ranks) == ""
    recording.ranks = side_by_side
    assert section in recording_page(recording)

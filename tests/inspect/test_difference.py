"""The difference of two graphs: what was added, removed and changed, line by line."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pellucid as torch
from pellucid.inspect import Graph, diff, graph, record
from tests.inspect.page.test_document import data_of
from tests.samples.grouped import together


def loop(rounds: int) -> Graph:
    w = torch.ones(2, requires_grad=True)
    total = torch.zeros(())
    for _ in range(rounds):
        total = total + (w * 2).sum()
    return graph(total)


def batch(size: int) -> Graph:
    layer = torch.nn.Linear(3, 2)
    return graph(layer(torch.ones(size, 3)).relu().sum())


def test_a_graph_does_not_differ_from_itself() -> None:
    picture = loop(5)
    found = diff(picture, picture)
    assert found.is_empty
    assert found.same == len(picture.nodes)
    assert "no difference" in str(found)


@pytest.mark.parametrize(("before", "after"), [(10, 11), (10, 30), (3, 4), (0, 2)])
def test_rounds_that_were_added_are_told(before: int, after: int) -> None:
    if before == 0:
        w = torch.ones(2, requires_grad=True)
        first = graph((w * 2).sum())
    else:
        first = loop(before)
    second = loop(after)
    found = diff(first, second)
    assert len(second.nodes) - len(found.added) == len(first.nodes) - len(found.removed)
    if before:
        assert len(found.added) == 3 * (after - before)
        assert (found.removed, found.changed) == ((), ())


def test_what_was_removed_is_what_would_be_added_the_other_way_round() -> None:
    first, second = loop(4), loop(9)
    forth, back = diff(first, second), diff(second, first)
    assert (forth.added, forth.removed) == (back.removed, back.added)


def test_another_shape_is_a_change_of_the_same_node() -> None:
    found = diff(batch(4), batch(8))
    assert (found.added, found.removed) == ((), ())
    assert "float32[4, 2] → float32[8, 2]" in found.text(width=200)
    assert found.same == 1  # the sum


def test_a_freed_node_is_a_change() -> None:
    w = torch.ones(2, requires_grad=True)
    loss = w.exp().sum()
    before = graph(loss)
    loss.backward()
    found = diff(before, graph(loss))
    assert len(found.changed) == 1
    assert "exp freed" in found.text(width=200)


def test_the_text_has_the_line_and_the_bytes() -> None:
    text = diff(loop(1), loop(3)).text(width=200)
    (row,) = (line for line in text.splitlines() if line.startswith("+"))
    assert "total = total + (w * 2).sum()" in row
    assert "6" in row.split()


@together()
@pytest.mark.parametrize("seed", range(10))
def test_nodes_that_correspond_come_in_the_same_order_on_both_sides(seed: int) -> None:
    draw = random.Random(seed)
    w = torch.ones(2, requires_grad=True)
    ops: list[Callable[[Any], Any]] = [torch.exp, torch.sin, torch.cos, torch.tanh]

    def picture() -> Graph:
        value: Any = w
        for _ in range(draw.randint(1, 40)):
            value = draw.choice(ops)(value)
        return graph(value)

    first, second = picture(), picture()
    found = diff(first, second)
    kept = [
        [node.name for node in side.nodes if node.number not in gone]
        for side, gone in ((first, found.removed), (second, found.added))
    ]
    assert kept[0] == kept[1]


def test_recordings_are_compared_by_their_graphs() -> None:
    w = torch.ones(2, requires_grad=True)

    def step(times: int) -> Any:
        with record() as recording:
            for _ in range(times):
                (w * 2).sum().backward()
        return recording

    assert len(diff(step(2), step(3)).added) == 2


def test_large_graphs_are_compared() -> None:
    assert len(diff(loop(3000), loop(3001)).added) == 3


def test_only_graphs_and_recordings_are_compared() -> None:
    with pytest.raises(TypeError, match="graphs and recordings, not Tensor"):
        diff(torch.ones(2), loop(2))  # type: ignore[arg-type]


def test_the_page_has_both_graphs_with_marks(tmp_path: Path) -> None:
    found = diff(batch(4), batch(8))
    found.html(tmp_path / "diff.html")
    first, second = data_of((tmp_path / "diff.html").read_text(encoding="utf-8"))["scenes"]
    for side, scene in enumerate((first, second)):
        for pair in found.changed:
            assert scene["flags"][str(pair[side])] == "~"
    grown = diff(loop(2), loop(4))
    grown.html(tmp_path / "diff.html")
    first, second = data_of((tmp_path / "diff.html").read_text(encoding="utf-8"))["scenes"]
    marks = {number for number, mark in second["flags"].items() if mark == "+"}
    assert marks >= set(map(str, grown.added))
    assert not first["flags"]


def test_a_notebook_shows_a_table() -> None:
    assert "<td>~</td>" in diff(batch(4), batch(8))._repr_html_()

"""Layers and coordinates: every edge is drawn, from row to row, and nothing overlaps."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from scipy.optimize import isotonic_regression

from pellucid.inspect.page.coordinates import BESIDE, LINE_BESIDE, Placed, place
from pellucid.inspect.page.layers import OUTSIDE, Layers, layers

Edge = tuple[int, int, int]


def random_edges(count: int, seed: int) -> list[Edge]:
    """Return edges between parts, and some that come in and go out."""
    draw = random.Random(seed)
    edges: set[Edge] = set()
    for target in range(1, count):
        for source in draw.sample(range(target), k=min(target, draw.randint(1, 3))):
            edges.add((source, source, target))
    edges |= {(count + each, OUTSIDE, draw.randrange(count)) for each in range(3)}
    return [*sorted(edges), (count - 1, count - 1, OUTSIDE), (count // 2, count // 2, OUTSIDE)]


def drawn_edges(drawn: Layers) -> set[Edge]:
    """Return the edges that the links say, by following each value from point to point."""
    below: dict[tuple[int, int], list[int]] = {}
    for upper, lower, value in drawn.links:
        below.setdefault((upper, value), []).append(lower)
    outlets = {entry: value for value, entry in drawn.outlets.items()}
    starts = {(entry, value): OUTSIDE for value, entry in drawn.inlets.items()}
    starts |= {(upper, v): upper for upper, _, v in drawn.links if upper < drawn.count}
    found: set[Edge] = set()
    for (start, value), source in starts.items():
        waiting = [*below[start, value]]
        while waiting:
            entry = waiting.pop()
            if entry < drawn.count:
                found.add((value, source, entry))
            elif entry in outlets:
                found.add((value, source, OUTSIDE))
            else:
                waiting += below[entry, value]
    return found


@pytest.mark.parametrize("seed", range(5))
def test_all_edges_are_drawn_and_no_others(seed: int) -> None:
    edges = random_edges(12, seed)
    assert drawn_edges(layers(12, edges)) == set(edges)


@pytest.mark.parametrize("seed", range(5))
def test_a_link_leads_from_a_row_to_the_next(seed: int) -> None:
    drawn = layers(12, random_edges(12, seed))
    row_of = {entry: row for row, entries in enumerate(drawn.rows) for entry in entries}
    assert {row_of[lower] - row_of[upper] for upper, lower, _ in drawn.links} == {1}
    assert len(row_of) == sum(map(len, drawn.rows))


def test_what_uses_nothing_stands_right_above_its_user() -> None:
    drawn = layers(4, [(0, 0, 1), (1, 1, 2), (3, 3, 2)][:2] + [(0, 0, 3)])
    assert drawn.rows[0] == (0,)
    late = layers(4, [(0, 0, 2), (2, 2, 3), (1, 1, 3)])
    assert [1 in row for row in late.rows] == [False, True, False]


def test_crossings_that_can_be_avoided_are_avoided() -> None:
    drawn = layers(6, [(0, 0, 5), (1, 1, 4), (2, 2, 3)])
    upper, lower = drawn.rows
    partner = {0: 5, 1: 4, 2: 3}
    assert [partner[entry] for entry in upper] == list(lower)


def test_a_large_tangle_has_all_its_edges_too() -> None:
    edges = random_edges(400, 0)
    drawn = layers(400, edges)
    assert sum(map(len, drawn.rows)) > 1000
    assert drawn_edges(drawn) == set(edges)


def placed(drawn: Layers, sizes: list[tuple[float, float]]) -> Placed:
    return place(drawn, sizes, lambda part, value, incoming: 0.0)


@pytest.mark.parametrize("seed", range(5))
def test_entries_of_a_row_keep_their_order_and_gaps(seed: int) -> None:
    drawn = layers(12, random_edges(12, seed))
    sizes = [(20.0 + 7 * part, 10.0) for part in range(12)]
    result = placed(drawn, sizes)
    half = [width / 2 for width, _ in sizes] + [0.0] * (len(result.across) - 12)
    for row in drawn.rows:
        for left, right in pairwise(row):
            gap = LINE_BESIDE if min(left, right) >= 12 else BESIDE
            free = result.across[right] - half[right] - result.across[left] - half[left]
            assert free > gap - 1e-9


def test_all_is_inside_the_width_and_height() -> None:
    drawn = layers(12, random_edges(12, seed=3))
    result = placed(drawn, [(50.0, 30.0)] * 12)
    for part in range(12):
        assert 25 - 1e-9 <= result.across[part] <= result.width - 25 + 1e-9
    assert result.tops[-1] + result.heights[-1] == result.height


def test_a_row_is_as_near_to_its_neighbours_as_the_gaps_allow() -> None:
    # three parts that all want to stand below the first: isotonic regression has the answer
    drawn = layers(4, [(0, 0, 1), (0, 0, 2), (0, 0, 3)])
    result = placed(drawn, [(40.0, 10.0), (10.0, 10.0), (20.0, 10.0), (60.0, 10.0)])
    row = drawn.rows[1]
    widths = {1: 10.0, 2: 20.0, 3: 60.0}
    offsets = [0.0]
    for left, right in pairwise(row):
        offsets.append(offsets[-1] + (widths[left] + widths[right]) / 2 + BESIDE)
    wanted = isotonic_regression([result.across[0] - offset for offset in offsets]).x
    for entry, offset, start in zip(row, offsets, wanted, strict=True):
        assert result.across[entry] == pytest.approx(start + offset)


def test_a_chain_is_straight() -> None:
    drawn = layers(5, [(each, each, each + 1) for each in range(4)])
    result = placed(drawn, [(30.0, 10.0), (80.0, 10.0), (20.0, 10.0), (50.0, 10.0), (10.0, 10.0)])
    assert max(result.across) - min(result.across) < 1e-9

"""Where each box stands: coordinates for the parts of a group, from its layers and their sizes.

`assets/place.js` does the same in the page, each time a group is opened or closed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pellucid.inspect.page.layers import Layers

#: pixels between boxes of a row, between lines, and between rows
BESIDE, LINE_BESIDE, BELOW = 22.0, 10.0, 30.0
_SWEEPS = 6


@dataclass(frozen=True, slots=True)
class Placed:
    """The middles of a group's entries across, and its rows from top to bottom.

    Attributes:
        across: For each entry, the x of its middle.
        tops: For each row, the y of its upper end.
        heights: For each row, its height.
        width: The width of all.
        height: The height of all.
    """

    across: tuple[float, ...]
    tops: tuple[float, ...]
    heights: tuple[float, ...]
    width: float
    height: float


def place(
    layers: Layers, sizes: Sequence[tuple[float, float]], shift: Callable[[int, int, bool], float]
) -> Placed:
    """Return the coordinates of a group's entries.

    Args:
        layers: The rows of the group.
        sizes: Width and height of each part.
        shift: For a part, a value and whether it comes in: how far right of the part's middle the
            line of this value meets it.
    """
    if not layers.rows:
        return Placed((), (), (), 0.0, 0.0)
    count = layers.count
    entries = sum(map(len, layers.rows))
    widths = [size[0] for size in sizes] + [0.0] * (entries - count)
    across = [0.0] * entries
    above: list[list[tuple[int, float]]] = [[] for _ in range(entries)]
    below: list[list[tuple[int, float]]] = [[] for _ in range(entries)]
    for upper, lower, value in layers.links:
        offset = (shift(upper, value, False) if upper < count else 0.0) - (
            shift(lower, value, True) if lower < count else 0.0
        )
        above[lower].append((upper, offset))
        below[upper].append((lower, -offset))
    for row in layers.rows:
        _place_row(row, widths, count, across, [[]] * entries)
    for sweep in range(_SWEEPS):
        rows, neighbours = (layers.rows[::-1], below) if sweep % 2 else (layers.rows, above)
        for row in rows:
            _place_row(row, widths, count, across, neighbours)
    left = min(x - w / 2 for x, w in zip(across, widths, strict=True))
    right = max(x + w / 2 for x, w in zip(across, widths, strict=True))
    heights = [
        max((sizes[entry][1] for entry in row if entry < count), default=0.0) for row in layers.rows
    ]
    tops, top = [], 0.0
    for height in heights:
        tops.append(top)
        top += height + BELOW
    return Placed(
        tuple(x - left for x in across), tuple(tops), tuple(heights), right - left, top - BELOW
    )


def _place_row(
    row: Sequence[int], widths: Sequence[float], count: int, across: list[float],
    neighbours: Sequence[list[tuple[int, float]]],
) -> None:  # fmt: skip
    """Move a row's entries as near to their neighbours as the order and the gaps allow.

    The sum of squared distances is least; pooling adjacent violators finds it (Ayer et al., 1955).
    """
    if not row:
        return
    offsets, offset = [0.0], 0.0
    for left, right in pairwise(row):
        gap = BESIDE if left < count or right < count else LINE_BESIDE
        offset += (widths[left] + widths[right]) / 2 + gap
        offsets.append(offset)
    #: mean, weight and number of entries of each block that moves as one
    blocks: list[tuple[float, float, int]] = []
    for entry, start in zip(row, offsets, strict=True):
        near = neighbours[entry]
        wanted = sum(across[n] + o for n, o in near) / len(near) if near else across[entry]
        mean, weight, number = wanted - start, (1.0 if near else 0.01), 1
        while blocks and blocks[-1][0] > mean:
            before, heavy, many = blocks.pop()
            mean = (mean * weight + before * heavy) / (weight + heavy)
            weight, number = weight + heavy, number + many
        blocks.append((mean, weight, number))
    index = 0
    for mean, _, number in blocks:
        for _ in range(number):
            across[row[index]] = mean + offsets[index]
            index += 1

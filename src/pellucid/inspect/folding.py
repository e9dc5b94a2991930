"""Folding: find the stretches of a sequence that repeat, as a loop in the program makes them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from pellucid.inspect.progress import Progress

#: how long a stretch each pass looks for; an outer loop is at least three times as long as an inner
LENGTHS = (1, 3, 9, 27, 81, 243)
#: fewest rows that a fold must save
WORTH = 4


@dataclass(frozen=True, slots=True)
class Repeat:
    """A stretch that stands several times in a row."""

    items: tuple[Hashable, ...]
    times: int
    #: number of elements of the sequence in all of it
    length: int


def fold(sequence: Sequence[Hashable]) -> list[Hashable]:
    """Return the sequence with each stretch that repeats as one `Repeat`; loops in loops too."""
    items = list(sequence)
    progress = Progress("looking for loops", f"of {len(LENGTHS) * len(items):,} steps")
    for longest in LENGTHS:
        items = _fold_once(items, longest)
        progress.add(len(sequence))
    progress.end()
    return items


def length_of(item: Hashable) -> int:
    """Return how many elements of the sequence an item stands for."""
    return item.length if isinstance(item, Repeat) else 1


def _fold_once(items: list[Hashable], longest: int) -> list[Hashable]:
    following = _next_equal(items)
    folded: list[Hashable] = []
    start = 0
    while start < len(items):
        period, times = _repetition(items, following, start, longest)
        if times == 1:
            folded.append(items[start])
            start += 1
            continue
        stretch = tuple(items[start : start + period])
        folded.append(Repeat(stretch, times, times * sum(map(length_of, stretch))))
        start += period * times
    return folded


def _next_equal(items: list[Hashable]) -> list[int]:
    """Return for each position that of the next equal item; past the end if there is none."""
    seen: dict[Hashable, int] = {}
    following = [len(items)] * len(items)
    for position in range(len(items) - 1, -1, -1):
        item = items[position]
        following[position] = seen.get(item, len(items))
        seen[item] = position
    return following


def _repetition(
    items: list[Hashable], following: list[int], start: int, longest: int
) -> tuple[int, int]:
    """Return length and count of the shortest stretch that is worth folding here, or 1 and 1."""
    first, again = items[start], following[start]
    # Twice is not worth folding: a stretch that does not fit three times ends the search.
    farthest = min(longest, (len(items) - start) // 3)
    while (period := again - start) <= farthest:
        # the ends of the first three are compared first, as most stretches do not repeat
        last, third = items[again - 1], again + period
        if last == items[third - 1] == items[third + period - 1] and items[third] == first:
            times = _times(items, start, period)
            if times > 2 and (times - 1) * period >= WORTH:
                return period, times
        again = following[again]
    return 1, 1


def _times(items: list[Hashable], start: int, period: int) -> int:
    """Count how often the stretch stands in a row."""
    stretch, times = items[start : start + period], 1
    place = start + period
    while items[place : place + period] == stretch:
        times += 1
        place += period
    return times

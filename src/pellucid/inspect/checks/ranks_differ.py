"""Ranks whose parameters or buffers are meant to be the same, and are not.

Note [Comparing without an exchange]
    The ranks need not come to a step together, and not all may be watched; an exchange could wait
    for ever. So each rank shows the others a note, which they read when they like: checksums of its
    parameters, their gradients and its buffers, at the steps 1, 2, 4, 8, and so on. A rank compares
    the notes of a step with its own at the step after. Where the ranks train together, all have
    come to the step by then, and none has left it for the next that is shown.

    Some ranks are meant to differ, as the stages of a pipeline. Where all gradients are the same on
    two ranks, they train one model. Where the ranks began with the same values and exchange nothing
    at all, they were meant to.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from pellucid.autograd.sites import Site
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.finding import listed
from pellucid.inspect.checks.run import Step, array_of
from pellucid.inspect.ranks import stream_checksums

PARAMETERS = "parameters that differ among ranks"
BUFFERS = "buffers that differ among ranks"
ALONE = "ranks that train on their own"

#: the step, the other single numbers of a note, and how many checksums follow of each kind
_HEAD = struct.Struct("<QIIIIHHH")
#: checksums of each kind; where there are more parameters, neighbours share one
_MOST = 160
#: steps without an exchange after which ranks count as training on their own
_SILENT = 8
_MASK = (1 << 32) - 1


class _Note(NamedTuple):
    """What a rank had at one step: checksums."""

    step: int
    #: of the names of what the other checksums are of
    names: int
    #: of the parameters at the first step
    first: int
    #: of the streams of random numbers
    streams: int
    #: whether the rank has published that it trains on its own
    told: int
    parameters: tuple[int, ...]
    gradients: tuple[int, ...]
    buffers: tuple[int, ...]

    def packed(self) -> bytes:
        """Return it as the bytes that are shown."""
        *single, parameters, gradients, buffers = self
        kinds = parameters, gradients, buffers
        numbers = np.array([*parameters, *gradients, *buffers], np.uint32)
        return _HEAD.pack(*single, *map(len, kinds)) + numbers.tobytes()


def _unpacked(shown: bytes) -> _Note | None:
    """Return the note of a rank, None if it shows none."""
    if len(shown) < _HEAD.size:
        return None
    *single, parameters, gradients, buffers = _HEAD.unpack_from(shown)
    numbers = iter(np.frombuffer(shown, np.uint32, offset=_HEAD.size).tolist())
    kinds = [tuple(islice(numbers, count)) for count in (parameters, gradients, buffers)]
    return _Note(*single, *kinds)


class RanksDiffer(Check):
    """A comparison of what the ranks have; the lowest that is watched tells of it."""

    kinds = (PARAMETERS, BUFFERS, ALONE)

    def prepare(self) -> None:
        self._ranks = self.run.ranks
        #: what this rank has shown, by step
        self._shown: dict[int, _Note] = {}
        #: names of what each checksum is of, by kind
        self._names: dict[str, list[str]] = {}
        #: steps since the last exchange
        self._silent = self._exchanges = 0
        self._found: set[str] = set()
        self._site: Site | None = None
        #: whether the streams of random numbers were the same as those of each rank
        self._streams: dict[int, bool] = {}

    def exchanged(self, exchange: Any) -> None:
        self._silent = 0

    def step_began(self, step: Step) -> None:
        if not self._ranks.is_initialized():
            return
        number, self._site = step.number, step.site
        exchanges = self._ranks.exchanges()
        if exchanges != self._exchanges:
            self._exchanges, self._silent = exchanges, 0
        if _is_power(number - 1) and number > 2:
            self._compare(self._ranks.notes(None))
        if _is_power(number):
            self._shown[number] = self._note(step)
            self._ranks.notes(self._shown[number].packed())
        self._silent += 1

    unsampled_step_began = step_began

    def finished(self) -> None:
        if self._shown and self._ranks.is_initialized():
            self._compare(self._ranks.notes(None))

    def facts(self) -> list[str]:
        if not self._streams:
            return []
        other = [str(rank) for rank, equal in sorted(self._streams.items()) if not equal]
        if not other:
            return ["all ranks draw the same random numbers"]
        return [f"rank{'s' * (len(other) > 1)} {listed(other)} and this one draw different numbers"]

    def _note(self, step: Step) -> _Note:
        entries = [each for each in step.entries if _is_whole(each.tensor)]
        names = self.run.names_of(entries)
        buffers = list(_buffers(self.run.live_modules()))
        self._names = {
            PARAMETERS: _shared_names(names), BUFFERS: _shared_names([name for name, _ in buffers])
        }  # fmt: skip
        parameters = _checksums([each.tensor for each in entries])
        first = next(iter(self._shown.values())).first if self._shown else hash(parameters)
        all_names = " ".join([*names, *(name for name, _ in buffers)])
        return _Note(
            step.number, zlib.crc32(all_names.encode()), first & _MASK,
            hash((self._ranks.streams or stream_checksums)()) & _MASK, ALONE in self._found,
            parameters,
            _checksums([each.grad for each in entries if each.grad is not None]),
            _checksums([buffer for _, buffer in buffers]),
        )  # fmt: skip

    def _compare(self, shown: list[bytes]) -> None:
        """Compare what the others show with what this rank had at the same step."""
        notes, me = list(map(_unpacked, shown)), self._ranks.resolved(None).rank()
        differing: dict[str, dict[int, _Note]] = {}
        for rank, theirs in enumerate(notes):
            mine = None if theirs is None else self._shown.get(theirs.step)
            if rank == me or theirs is None or mine is None or theirs.names != mine.names:
                continue
            self._streams[rank] = theirs.streams == mine.streams
            kind = self._difference(mine, theirs)
            if kind and (kind == ALONE or not any(notes[:me])):  # the lowest tells for all
                differing.setdefault(kind, {})[rank] = theirs
        for kind, those in differing.items():
            if kind not in self._found:
                self._found.add(kind)
                self._report(kind, those)

    def _difference(self, mine: _Note, theirs: _Note) -> str:
        """Return the kind of a difference that was not meant to be; see the note above."""
        equal = theirs.parameters == mine.parameters
        if mine.gradients and theirs.gradients == mine.gradients:
            return PARAMETERS if not equal else BUFFERS if theirs.buffers != mine.buffers else ""
        alone = not equal and theirs.first == mine.first and self._silent >= _SILENT
        return ALONE if alone and not theirs.told else ""

    def _report(self, kind: str, those: dict[int, _Note]) -> None:
        who = f"rank{'s' * (len(those) > 1)} {listed(list(map(str, those)))}"
        me = self._ranks.resolved(None).rank()
        steps = self.run.steps + 1
        if kind == ALONE:
            self._ranks.notes(next(reversed(self._shown.values()))._replace(told=1).packed())
            self.report(
                kind, f"{who} and rank {me} had the same parameters, and no longer have",
                self._site,
                f"In {self._silent} steps nothing was exchanged: each rank trains a model of its "
                "own, on its part of the data.",
                "Wrap the model in DistributedDataParallel, or average the gradients before the "
                "step.", steps,
            )  # fmt: skip
            return
        field = "parameters" if kind == PARAMETERS else "buffers"
        pairs = [
            (getattr(self._shown[each.step], field), getattr(each, field))
            for each in those.values()
        ]
        names = [
            name
            for place, name in enumerate(self._names[kind])
            if any(mine[place] != theirs[place] for mine, theirs in pairs)
        ]
        one = len(names) == len(those) == 1
        self.report(
            kind, f"{listed(names)} of {who} {'differs' if one else 'differ'} from "
            f"{'that' if one else 'those'} of rank {me}", self._site, *_WHY[kind], steps,
        )  # fmt: skip


_WHY = {
    PARAMETERS: (
        "All ranks get the same gradients, and step from different places: what they train is not "
        "one model.",
        "Send the parameters of rank 0 to all before the first step, as DistributedDataParallel "
        "does, change them on all ranks alike, and load the same checkpoint on all.",
    ),
    BUFFERS: (
        "Each rank evaluates with its own, and a checkpoint has those of the rank that saves it.",
        "Use SyncBatchNorm, or send the buffers of rank 0 to all (forward_sync_buffers=True).",
    ),
}


def _is_power(number: int) -> bool:
    """Return whether a number is 1, 2, 4, 8, ..."""
    return number > 0 and not number & (number - 1)


def _is_whole(tensor: Any) -> bool:
    """Return whether a tensor is not this rank's part of one."""
    return getattr(tensor, "held", tensor) is tensor and not hasattr(tensor, "to_local")


def _buffers(modules: list[Any]) -> Iterator[tuple[str, Any]]:
    """Yield the buffers that are not replaced by those of rank 0 before the next forward."""
    for module in modules:
        if not getattr(module, "broadcast_buffers", False):
            for name, buffer in module.named_buffers():
                if _is_whole(buffer):
                    yield f"{type(module).__name__}.{name}", buffer


def _width(count: int) -> int:
    """Return how many neighbours share a checksum."""
    return max(1, -(-count // _MOST))


def _shared_names(names: list[str]) -> list[str]:
    width = _width(len(names))
    if width == 1:
        return names
    starts = range(0, len(names), width)
    return [f"one of {names[at]} to {names[min(at + width, len(names)) - 1]}" for at in starts]


def _checksums(tensors: list[Any]) -> tuple[int, ...]:
    width = _width(len(tensors))
    found: list[int] = []
    for place, tensor in enumerate(tensors):
        before = found.pop() if place % width else 0
        found.append(zlib.crc32(np.ascontiguousarray(array_of(tensor)).view(np.uint8).data, before))
    return tuple(found)

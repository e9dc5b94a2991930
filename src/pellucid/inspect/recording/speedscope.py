"""A recording as a file of speedscope's: https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pellucid.inspect.recording.events import Event

if TYPE_CHECKING:
    from pellucid.inspect.recording.recording import Recording

SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def speedscope(recording: Recording) -> dict[str, Any]:
    """Return the file, ready for JSON: one profile per thread, a frame per name and line."""
    frames = _Frames(recording)
    profiles = [
        {
            "type": "evented", "name": name, "unit": "nanoseconds", "startValue": 0,
            "endValue": recording.duration,
            "events": _openings_and_closings(
                [each for each in recording.events if each.thread == number],
                frames, recording.duration,
            ),
        }
        for number, name in enumerate(recording.threads)
    ]  # fmt: skip
    return {
        "$schema": SCHEMA, "name": "pellucid", "exporter": "pellucid", "activeProfileIndex": 0,
        "shared": {"frames": frames.listed}, "profiles": profiles,
    }  # fmt: skip


class _Frames:
    """The frames that profiles share, each listed once."""

    def __init__(self, recording: Recording) -> None:
        self.listed: list[dict[str, Any]] = []
        self._lines = recording.lines
        self._known: dict[tuple[str, int | None], int] = {}

    def number(self, event: Event) -> int:
        key = (event.name, event.line)
        if key not in self._known:
            self._known[key] = len(self.listed)
            frame: dict[str, Any] = {"name": event.name}
            if event.line is not None:
                line = self._lines[event.line]
                frame |= {"name": f"{event.name} {line.where}", "file": line.file,
                          "line": line.line}  # fmt: skip
            self.listed.append(frame)
        return self._known[key]


def _openings_and_closings(
    events: Iterable[Event], frames: _Frames, duration: int
) -> list[dict[str, Any]]:
    """Return the events of a thread as openings and closings that are nested and in order."""
    found: list[dict[str, Any]] = []
    open_: list[tuple[int, int]] = []  # (frame, end), the innermost last

    def close_until(time: int) -> None:
        while open_ and open_[-1][1] <= time:
            frame, end = open_.pop()
            found.append({"type": "C", "frame": frame, "at": end})

    for event in events:
        close_until(event.start)
        end = min(event.end, open_[-1][1] if open_ else duration)
        frame = frames.number(event)
        open_.append((frame, end))
        found.append({"type": "O", "frame": frame, "at": event.start})
    close_until(duration)
    return found

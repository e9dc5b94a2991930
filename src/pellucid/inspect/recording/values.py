"""What results and gradients were like, by line, layer and pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pellucid.inspect.recording.events import RecordedValue, SourceLine
from pellucid.inspect.tables import LINE, Column, Printed, limited_lines
from pellucid.tensors.summary import bars

if TYPE_CHECKING:
    from pellucid.inspect.recording.recording import Recording


@dataclass(frozen=True, slots=True)
class ValueTable(Printed):
    """The results and gradients of one step.

    Attributes:
        step: The number of the step.
        rows: What they were like, in the order of their making.
        sources: The lines of the recording.
    """

    step: int
    rows: tuple[RecordedValue, ...]
    sources: tuple[SourceLine, ...]

    @property
    def first_unusual(self) -> RecordedValue | None:
        """The first result or gradient with an element that is NaN or infinite."""
        return next((each for each in self.rows if each.summary.nans or each.summary.infs), None)

    def of_module(self, name: str) -> tuple[RecordedValue, ...]:
        """Return what was made, and arrived, in a module and those inside of it.

        Args:
            name: The dotted name of the module.
        """
        below = f"{name}."
        return tuple(
            each for each in self.rows if each.module == name or each.module.startswith(below)
        )

    def text(self, limit: int | None = 30, width: int | None = None) -> str:
        """Return a table as text: at most ``limit`` rows, by default as wide as the terminal."""
        columns = [
            LINE, Column("source", True, 20), Column("module", True, 6), Column("", True, 8),
            Column("what", True, 8), Column("like", True, 24), Column("from low to high", True, 8),
        ]  # fmt: skip
        lines = [f"values of step {self.step}"]
        first = self.first_unusual
        if first is not None:
            lines.append(f"the first NaN or infinity: {first.kind} of {first.name}, "
                         f"{self._where(first)[0]}")  # fmt: skip
        shown = limited_lines(columns, self.rows, self._cells, limit, width, "value")
        return "\n".join([*lines, "", *shown])

    def _cells(self, each: RecordedValue) -> list[str]:
        return [*self._where(each), each.module, each.kind, each.name, each.summary.text(),
                bars(each.summary.histogram)]  # fmt: skip

    def _where(self, row: RecordedValue) -> tuple[str, str]:
        source = None if row.line is None else self.sources[row.line]
        return ("", "") if source is None else (source.where, source.text)


def table(recording: Recording, step: int) -> ValueTable:
    """Return the values of one step; -1 is the last step."""
    number = recording.steps[step].number
    rows = tuple(each for each in recording.recorded_values if each.step == number)
    return ValueTable(number, rows, recording.lines)

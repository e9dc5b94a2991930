"""The flow of gradients: at the results of each line, and at each parameter with its update."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pellucid.inspect.recording.events import LineGradient, ParameterGradient, SourceLine
from pellucid.inspect.snapshot import count_text
from pellucid.inspect.tables import LINE, Column, table_lines

if TYPE_CHECKING:
    from pellucid.inspect.recording.recording import Recording


@dataclass(frozen=True, slots=True)
class GradientFlow:
    """Gradients and updates of one step.

    Attributes:
        step: The number of the step.
        lines: What arrived at the results of each line, in the order of its arrival.
        parameters: What the optimizers found of each parameter, and what they made of it.
        sources: The lines of the recording.
    """

    step: int
    lines: tuple[LineGradient, ...]
    parameters: tuple[ParameterGradient, ...]
    sources: tuple[SourceLine, ...]

    @property
    def first_unusual(self) -> LineGradient | None:
        """Where a gradient first had an element that is NaN or infinite."""
        return next((each for each in self.lines if each.nans or each.infs), None)

    def text(self, limit: int | None = 30, width: int | None = None) -> str:
        """Return both tables as text: at most ``limit`` rows, and ``width`` characters."""
        lines = [f"gradients of step {self.step}"]
        first = self.first_unusual
        if first is not None:
            source = self.sources[first.line]
            lines.append(f"the first NaN or infinity arrived at {source.where}   {source.text}")
        if self.parameters:
            columns = [Column("parameter", True), *_MEASURES, *_UPDATES]
            cells = [
                [each.name, *_measured(each), f"{each.weight:.3g}", f"{each.update:.3g}",
                 f"{each.ratio:.2g}"]
                for each in self.parameters
            ]  # fmt: skip
            lines += ["", *_limited(columns, cells, limit, width, "parameter")]
        if self.lines:
            columns = [LINE, Column("source", True, 24), *_MEASURES]
            cells = [
                [self.sources[each.line].where, self.sources[each.line].text, *_measured(each)]
                for each in self.lines
            ]
            lines += ["", *_limited(columns, cells, limit, width, "line")]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()


_MEASURES = [Column("gradient"), Column("zeros"), Column("NaN"), Column("inf")]
_UPDATES = [Column("weight"), Column("update"), Column("ratio")]


def _measured(found: LineGradient | ParameterGradient) -> list[str]:
    zeros = f"{100 * found.zeros:.1f} %" if found.count else "none"
    return [f"{found.norm:.3g}", zeros, f"{found.nans or ''}", f"{found.infs or ''}"]


def _limited(
    columns: Sequence[Column], cells: list[list[str]], limit: int | None, width: int | None,
    word: str,
) -> list[str]:  # fmt: skip
    shown = cells if limit is None else cells[:limit]
    lines = table_lines(columns, shown, width)
    left = len(cells) - len(shown)
    return [*lines, f"{count_text(left, word)} more"] if left else lines


def flow(recording: Recording, step: int) -> GradientFlow:
    """Return the gradients of one step; -1 is the last step."""
    number = recording.steps[step].number
    return GradientFlow(
        number,
        tuple(each for each in recording.line_gradients if each.step == number),
        tuple(each for each in recording.parameter_gradients if each.step == number),
        recording.lines,
    )

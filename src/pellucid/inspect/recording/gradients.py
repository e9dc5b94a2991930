"""The flow of gradients: at the results of each line, and at each parameter with its update."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pellucid.inspect.recording.events import LineGradient, ParameterGradient, SourceLine
from pellucid.inspect.tables import LINE, Column, Printed, limited_lines

if TYPE_CHECKING:
    from pellucid.inspect.recording.recording import Recording


@dataclass(frozen=True, slots=True)
class GradientFlow(Printed):
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
            shown = limited_lines(
                columns, self.parameters, _parameter_cells, limit, width, "parameter"
            )
            lines += ["", *shown]
        if self.lines:
            columns = [LINE, Column("source", True, 24), *_MEASURES]
            shown = limited_lines(columns, self.lines, self._line_cells, limit, width, "line")
            lines += ["", *shown]
        return "\n".join(lines)

    def _line_cells(self, each: LineGradient) -> list[str]:
        return [self.sources[each.line].where, self.sources[each.line].text, *_measured(each)]


_MEASURES = [Column("gradient"), Column("zeros"), Column("NaN"), Column("inf")]
_UPDATES = [Column("weight"), Column("update"), Column("ratio")]


def _measured(found: LineGradient | ParameterGradient) -> list[str]:
    zeros = f"{100 * found.zeros:.1f} %" if found.count else "none"
    return [f"{found.norm:.3g}", zeros, f"{found.nans or ''}", f"{found.infs or ''}"]


def _parameter_cells(found: ParameterGradient) -> list[str]:
    measured = _measured(found)
    return [found.name, *measured, *(f"{each:.3g}" for each in (found.weight, found.update)),
            f"{found.ratio:.2g}"]  # fmt: skip


def flow(recording: Recording, step: int) -> GradientFlow:
    """Return the gradients of one step; -1 is the last step."""
    number = recording.steps[step].number
    return GradientFlow(
        number,
        tuple(each for each in recording.line_gradients if each.step == number),
        tuple(each for each in recording.parameter_gradients if each.step == number),
        recording.lines,
    )

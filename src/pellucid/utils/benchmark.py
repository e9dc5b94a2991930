"""Timing of statements: ``torch.utils.benchmark``, on Python's `timeit`."""

from __future__ import annotations

import dataclasses
import statistics
import textwrap
import timeit
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

__all__ = ["Compare", "Measurement", "TaskSpec", "Timer", "timer"]

timer = perf_counter
_UNITS = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9))


@dataclasses.dataclass(frozen=True)
class TaskSpec:
    """What was measured.

    Args:
        stmt: The statement.
        setup: What ran before.
        global_setup: What runs before in other languages.
        label: A name for a group of measurements.
        sub_label: A name for the row of a table.
        description: A name for the column of a table.
        env: A name for the surroundings.
        num_threads: The number of threads.
    """

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label, or else the statement."""
        if self.label is not None:
            return self.label + (f": {self.sub_label}" if self.sub_label else "")
        return f"{self.stmt}" if "\n" not in self.stmt else f"stmt:\n{self.stmt}"


@dataclasses.dataclass
class Measurement:
    """The times that a statement took.

    Args:
        number_per_run: How often it ran for each time.
        raw_times: The times in seconds.
        task_spec: What was measured.
        metadata: Anything.
    """

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.task_spec, name)

    @property
    def times(self) -> list[float]:
        """Seconds for one run of the statement, each."""
        return [time / self.number_per_run for time in self.raw_times]

    @property
    def mean(self) -> float:
        """The mean of the times."""
        return statistics.fmean(self.times)

    @property
    def median(self) -> float:
        """The median of the times."""
        return statistics.median(self.times)

    @property
    def iqr(self) -> float:
        """The distance between the quartiles of the times."""
        if len(self.raw_times) < 2:
            return 0.0
        first, _, third = statistics.quantiles(self.times, n=4, method="inclusive")
        return third - first

    def __repr__(self) -> str:
        runs = f"{len(self.raw_times)} measurement{'s' * (len(self.raw_times) > 1)}"
        threads = f"{self.num_threads} thread{'s' * (self.num_threads > 1)}"
        return (
            f"<Measurement of {self.title}>\n  {_readable(self.median)}\n"
            f"  {runs}, {self.number_per_run} runs per measurement, {threads}"
        )


class Timer:
    """A timer of a statement.

    Args:
        stmt: The statement.
        setup: What runs before.
        global_setup: Has no effect.
        timer: The clock.
        globals: The names that the statement knows.
        label: A name for a group of measurements.
        sub_label: A name for the row of a table.
        description: A name for the column of a table.
        env: A name for the surroundings.
        num_threads: The number of threads; one that is only noted.
        language: Python.

    >>> from pellucid.utils.benchmark import Timer
    >>> len(Timer("x + 1", globals={"x": 1}).repeat(repeat=3, number=5).times)
    3
    """

    def __init__(
        self, stmt: str = "pass", setup: str = "pass", global_setup: str = "",
        timer: Callable[[], float] = timer, globals: dict[str, Any] | None = None,
        label: str | None = None, sub_label: str | None = None, description: str | None = None,
        env: str | None = None, num_threads: int = 1, language: Any = "python",
    ) -> None:  # fmt: skip
        stmt, setup = textwrap.dedent(stmt).strip(), textwrap.dedent(setup).strip() or "pass"
        self._timer = timeit.Timer(stmt, setup, timer, globals)
        self._task_spec = TaskSpec(
            stmt, setup, global_setup, label, sub_label, description, env, num_threads
        )

    def timeit(self, number: int = 1_000_000) -> Measurement:
        """Run the statement, after a tenth as many runs to warm up, and return the time.

        Args:
            number: How often.

        Returns:
            One time for all runs.
        """
        self._timer.timeit(max(number // 10, 1))
        return Measurement(number, [self._timer.timeit(number)], self._task_spec)

    def repeat(self, repeat: int = -1, number: int = -1) -> Measurement:
        """Measure several times, with as many runs as `autorange` says where it is not given."""
        runs = number if number > 0 else self._timer.autorange()[0]
        times = self._timer.repeat(repeat if repeat > 0 else 5, runs)
        return Measurement(runs, times, self._task_spec)

    def autorange(self, callback: Callable[[int, float], Any] | None = None) -> Measurement:
        """Run the statement so often that it takes a fifth of a second."""
        number, time = self._timer.autorange(callback)
        return Measurement(number, [time], self._task_spec)

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Measure blocks of runs, until they have taken a time together.

        Args:
            callback: Called with the number of runs and the time of each block.
            min_run_time: The time in seconds.

        Returns:
            A time for each block.
        """
        number, time = 1, self._timer.timeit(1)
        while time < min_run_time / 1000:
            number *= 10
            time = self._timer.timeit(number)
        times: list[float] = []
        while not times or sum(times) < min_run_time:
            times.append(self._timer.timeit(number))
            if callback is not None:
                callback(number, times[-1])
        return Measurement(number, times, self._task_spec)

    def adaptive_autorange(
        self, threshold: float = 0.1, *, min_run_time: float = 0.01, max_run_time: float = 10.0,
        callback: Callable[[int, float], Any] | None = None,
    ) -> Measurement:  # fmt: skip
        """Measure blocks of runs, until the times differ by less than a share of their median.

        Args:
            threshold: The share.
            min_run_time: The least time in seconds.
            max_run_time: The time after which it ends.
            callback: Called with the number of runs and the time of each block.

        Returns:
            A time for each block.
        """
        found = self.blocked_autorange(callback, min_run_time)
        while sum(found.raw_times) < max_run_time:
            if len(found.raw_times) > 3 and found.iqr / found.median < threshold:
                break
            more = self.blocked_autorange(callback, min_run_time)
            times = [time / more.number_per_run * found.number_per_run for time in more.raw_times]
            found.raw_times += times
        return found


class Compare:
    """A table of measurements: a row for each statement, a column for each description.

    Args:
        results: The measurements.
    """

    def __init__(self, results: Sequence[Measurement]) -> None:
        self._results = list(results)

    def extend_results(self, results: Sequence[Measurement]) -> None:
        """Add measurements."""
        self._results += results

    def trim_significant_figures(self) -> None:
        """Do nothing: times are shown with four digits."""

    colorize = highlight_warnings = trim_significant_figures

    def print(self) -> None:
        """Print the table."""
        print(str(self))  # noqa: T201 - what it is for

    def __str__(self) -> str:
        columns = list(dict.fromkeys(self._column(each) for each in self._results))
        rows = list(dict.fromkeys(self._row(each) for each in self._results))
        cells = {
            (self._row(each), self._column(each)): _readable(each.median) for each in self._results
        }
        lines = [["", *columns]]
        lines += [[row, *(cells.get((row, column), "") for column in columns)] for row in rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            " | ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
            for line in lines
        )

    @staticmethod
    def _column(measurement: Measurement) -> str:
        return measurement.description or ""

    @staticmethod
    def _row(measurement: Measurement) -> str:
        threads = measurement.num_threads
        name = measurement.sub_label or measurement.stmt
        return name if threads == 1 else f"{name} ({threads} threads)"


def _readable(seconds: float) -> str:
    """Return a time in the unit in which it has few digits before the point."""
    unit, scale = next(((u, s) for u, s in _UNITS if seconds >= s), _UNITS[-1])
    return f"{seconds / scale:.2f} {unit}"

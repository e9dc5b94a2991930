"""The watch over a program: what it hears becomes a state, findings, a recording, a summary."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from time import perf_counter_ns
from typing import Any

from pellucid.autograd.sites import Site, user_site
from pellucid.inspect.checks.calls import Source
from pellucid.inspect.checks.finding import Finding, Findings
from pellucid.inspect.checks.run import loss_of
from pellucid.inspect.checks.training import Training
from pellucid.inspect.holdings import kept_bytes
from pellucid.inspect.recording import Recording, record
from pellucid.inspect.tables import count_text, size_text, time_text
from pellucid.inspect.watch.calls import Calls
from pellucid.inspect.watch.terminal import Terminal
from pellucid.observe import Listener
from pellucid.outbuildings import outbuildings
from pellucid.ranks import Exchange

#: the step after which one is recorded: the first ones also make what stays
_RECORDED_AFTER = 2
#: the share of the loss below which a change has no direction
_SAME = 0.01


class Watch:
    """The watch over one program.

    Args:
        terminal: Where to show it.
        records: Whether a step is recorded, and the memory of graphs counted.
        calls: Where calls of torch functions are heard; pellucid's if None.

    Attributes:
        findings: What has been found so far.
        steps: How many steps there were: of optimizers, or else backward passes.
        recording: One step of the program, recorded; empty until then.
    """

    def __init__(
        self, terminal: Terminal, *, records: bool = True, calls: Source | None = None
    ) -> None:
        self.terminal = terminal
        self.records = records
        self.findings = Findings()
        #: those that no other rank had named before
        self._named: list[Finding] = []
        self.steps = 0
        self.recording = Recording()
        self.began = perf_counter_ns()
        self._training = Training(self._report, calls)
        self._calls = Calls()
        self._open = _Open()
        self._last_step = self.began
        #: the shortest step so far
        self._shortest = 0
        self._nodes = self._nodes_before = self._bytes = 0
        #: those of the steps that are backward passes
        self._passes = 0
        self._recorder = ExitStack()
        self._recorded: int | None = None
        #: the first loss of one number, and the latest one of the same line
        self._losses: tuple[float | None, float | None] = (None, None)
        self._line: Site | None = None
        self._failed = False

    @contextmanager
    def watching(
        self, source: Callable[[Listener], AbstractContextManager[None]]
    ) -> Iterator[None]:
        """Watch what runs in the block, then write the summary, also if the block is left early.

        Args:
            source: Tells a listener of events, as `pellucid.observe.watching` does.
        """
        with self.terminal:
            try:
                with source(self.hear):
                    yield
            except Exception:
                self._failed = True
                raise
            finally:
                self._recorder.close()
                self._training.finish()
                self.terminal.write(self.summary())

    def add_module(self, module: Any) -> None:
        """Add a module by which findings name parameters, also if the program never calls it."""
        self._training.run.add_module(module)

    def _report(self, finding: Finding) -> None:
        self.findings.found.append(finding)
        said = f"{finding.kind} {finding.where}"
        again = sum(f"{each.kind} {each.where}" == said for each in self.findings)
        if self._training.run.ranks.is_first(f"{said} {again}"):
            self._named.append(finding)
            self.terminal.write(f"pellucid, step {finding.step}: {finding}")

    # ---- events -------------------------------------------------------------------------------

    def hear(self, event: str, subject: Any) -> None:
        """Take an event of `pellucid.observe.watching`."""
        name, _, phase = event.rpartition(" ")
        if phase == "began":
            self._began(name, subject)
        self._training.hear(event, subject)
        if phase == "began":
            self._open.starts.append(perf_counter_ns())
        elif phase in ("ended", "failed"):
            self._ended(name, subject, perf_counter_ns() - self._open.starts.pop())

    def _began(self, name: str, subject: Any) -> None:
        if name == "backward" and self.records and self.terminal.is_due(self.steps + 1):
            self._bytes = kept_bytes(subject.nodes)

    def _ended(self, name: str, subject: Any, nanoseconds: int) -> None:
        if name == "backward":
            nodes = len(subject.nodes)
            self._nodes += nodes
            self._note_loss(subject)
            self._calls.add(subject.run.site, subject.run.call, nanoseconds, nodes)
            if not self._open.starts and not self._training.run.optimizers:
                self._step(0)
        else:
            suffix = ".step" if name == "step" else ""
            is_exchange = isinstance(subject, Exchange)
            what = subject.name if is_exchange else f"{type(subject).__name__}{suffix}"
            self._calls.add(user_site(), what, nanoseconds)
            if name == "step" and not self._open.starts:
                self._step(id(subject))

    def _note_loss(self, asked: Any) -> None:
        """Note the number that a pass started from, if its line is the first one's."""
        loss = loss_of(asked)
        if loss is not None and self._line is None:
            self._line = asked.run.site
        if loss is not None and asked.run.site == self._line:
            first = self._losses[0]
            self._losses = (loss if first is None else first, loss)

    def _step(self, clock: int) -> None:
        """Take note of the end of a step; ``clock`` tells whose step it was."""
        now = perf_counter_ns()
        if clock and self._passes:  # there is an optimizer after all, whose making was not seen
            self.steps, self._passes = self.steps - self._passes, 0
        self.steps += 1
        self._passes += not clock
        if self.terminal.is_due(self.steps):
            self.terminal.show(self._state(now - self._last_step))
        took = now - self._last_step
        self._shortest = min(self._shortest or took, took)
        self._last_step = now
        self._nodes_before, self._nodes = self._nodes, 0
        self._record(clock)

    def _state(self, nanoseconds: int) -> str:
        grown = self._nodes - self._nodes_before if self.steps > 1 else 0
        nodes = count_text(self._nodes, "node") + (f", {grown:+,}" if grown else "")
        parts = [f"pellucid: step {self.steps:,}", time_text(nanoseconds), nodes]
        if self.records:
            parts.append(f"{size_text(self._bytes)} kept for backward")
        return "  ".join([*parts, count_text(len(self.findings), "finding")])

    def _record(self, clock: int) -> None:
        """Record from the end of one step to the end of the next one of the same optimizer."""
        if self.records and self._recorded is None and self.steps >= _RECORDED_AFTER:
            self._recorded = clock
            self.recording = self._recorder.enter_context(record(gradients=False))
        elif self._recorded == clock:
            self._recorder.close()
            self._recorded = -1

    # ---- the end ------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return the summary of the run as text."""
        seconds = (perf_counter_ns() - self.began) / 1e9
        each = f", {time_text(int(seconds * 1e9) // self.steps)} each" if self.steps else ""
        parts = [f"pellucid watched {count_text(self.steps, 'step')} in {seconds:.1f} s{each}"]
        if self._calls.lines:
            parts.append(self._calls.text())
        if self.recording.events:
            parts.append(f"One step by line:\n{self.recording.by_line()}")
        parts += [*self._training.facts, *self._advice(), self._found()]
        return "\n\n".join(parts)

    def _advice(self) -> list[str]:
        """Return what compiling a step would give, where there is one that has been recorded."""
        if self._failed or not self.recording.events:
            return []
        told = outbuildings.compiling().advice(self.recording, self._shortest)
        return [told] if told else []

    def write_page(self, path: str) -> None:
        """Write the recorded step as a page, if there was one."""
        if self.recording.events:
            self.recording.html(path)
        else:
            self.terminal.write(f"pellucid: no step to write to {path}")

    def _change_of_loss(self) -> str:
        """Return how the loss has changed, where the same line has computed several."""
        first, last = self._losses
        if first is None or last is None or not first or first == last:
            return ""
        verb = "fell" if last < first else "rose"
        if min(first, last) <= 0:  # no share of what may be on both sides of zero
            return f"; the loss {verb} from {first:.3g} to {last:.3g}"
        change = abs(last - first) / first
        if change < _SAME:
            return f"; the loss changed by less than {_SAME:.0%}"
        return f"; the loss {verb} by {change:.0%}"

    def _found(self) -> str:
        looked = f"looked for {len(self._training.kinds)} kinds of faults"
        if not len(self.findings):
            if self._failed:
                return f"{looked} until the program raised"
            return f"{looked}, found none{self._change_of_loss()}"
        lines = [
            f"  {finding.kind}: {finding.what}  {finding.where}".rstrip() for finding in self._named
        ]
        if len(self.findings) > len(self._named):
            count = len(self.findings) - len(self._named)
            lines.append(f"  {count_text(count, 'finding')} that another rank has named")
        return "\n".join([f"{count_text(len(self.findings), 'finding')}:", *lines])


class _Open(threading.local):
    """When what is running in this thread began, the innermost last."""

    def __init__(self) -> None:
        self.starts: list[int] = []

"""Compiled functions: their recordings, and which of them a call runs."""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Callable
from threading import Lock
from time import perf_counter_ns
from types import FunctionType, MethodType, TracebackType
from typing import Any, NamedTuple

from pellucid.autograd.short_tracebacks import chain
from pellucid.autograd.sites import GENERATED
from pellucid.compat.compiling import settings
from pellucid.compat.compiling.generate import generate, generate_flat
from pellucid.compat.compiling.graphs import compiled_by
from pellucid.compat.compiling.instrument import Instrumented, instrumented
from pellucid.compat.compiling.recorder import FullGraphError, Recorder, Value, plain
from pellucid.compat.compiling.report import CompiledReport, report
from pellucid.compat.compiling.running import Miss, running
from pellucid.compat.compiling.sources import Unsupported
from pellucid.compat.compiling.trace import Break, Exit, Trace, TraceFrame
from pellucid.compat.compiling.tracer import Frame
from pellucid.compat.compiling.trial import FIRST_RUNS, Trial
from pellucid.compat.compiling.wording import missed
from pellucid.observe import slow_path

_NONE: list[Trace] = []
log = logging.getLogger("pellucid.compile")


class Recompilation(NamedTuple):
    """A call for which none of the recordings held.

    Attributes:
        number: Which recording was made, from 1.
        failed: What differed, for each recording that was tried.
    """

    number: int
    failed: tuple[str, ...]

    def __str__(self) -> str:
        return f"recording {self.number}: " + "; ".join(self.failed)


class Compiled:
    """What `torch.compile` keeps of a function: its recordings, and why there are others or none.

    Args:
        function: The function.
        options: The arguments of `torch.compile`.
        name: What it is called; the function's name if empty.
    """

    def __init__(
        self, function: Callable[..., Any], options: settings.Options, name: str = ""
    ) -> None:
        self._name = name
        self.function = function
        self.options = options
        #: the recordings by the number of arguments and their names; the last used first
        self.traces: dict[Any, list[Trace]] = {}
        self.recompilations: list[Recompilation] = []
        #: why it runs as it is, if so
        self.plain_because = ""
        #: whether it was found to take no more time so: nothing is asked before its calls
        self.is_plain = False
        #: calls that are timed, while some are
        self._trial: Trial | None = None
        self.breaks: list[Break] = []
        self.plain_runs = 0
        #: held while recordings are compared, which runs no code of the program's
        self._adding = Lock()
        settings.everything.add(self)

    def forget(self) -> None:
        """Forget all recordings."""
        self.traces.clear()
        self.recompilations.clear()
        self.breaks.clear()
        self.plain_because = ""
        self.is_plain, self._trial = False, None

    # ---- calls --------------------------------------------------------------------------------

    def entry(self, plain: Callable[..., Any], *before: Any) -> Callable[..., Any]:
        """Return what programs call: it runs the function, or plain what does the same.

        Args:
            plain: The function without the arguments that come before the program's.
            before: These arguments.
        """
        run = self.run

        def compiled(*args: Any, **kwargs: Any) -> Any:
            if self.is_plain:
                return plain(*args, **kwargs)
            return run((*before, *args) if before else args, kwargs)

        return compiled

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the function by a recording that holds, or make one."""
        if self.plain_because or slow_path.active or running.disabled or settings.runs_plain():
            return self._plainly(args, kwargs)
        if self._trial is not None:
            return self._try(self._trial, args, kwargs)
        return self._replay(args, kwargs)

    def _replay(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        key = (len(args), *kwargs) if kwargs else len(args)
        traces = self.traces.get(key, _NONE)
        failed: list[str] = []
        try:
            for trace in traces:
                try:
                    result = trace.run(*args, *kwargs.values()) if kwargs else trace.run(*args)
                except Exit as exit:
                    exit.__traceback__, left = None, exit
                    break
                if result.__class__ is not Miss:
                    trace.runs += 1
                    if trace is not traces[0]:
                        self._put_first(key, trace)
                    if trace.runs == trace.judged_at:
                        self._look_whether_to_try(trace)
                    return result
                failed.append(missed(trace, result.number, result.now))
            else:
                return self._record(key, args, kwargs, failed)
            return self._resume(trace, left, args, kwargs)
        except Exception as error:
            _leave_out_compiler(error)
            raise

    def _look_whether_to_try(self, trace: Trace) -> None:
        """Begin to time calls if it is settled how a recording runs; else look again later."""
        if all(each.is_ready or each.why_not for each in trace.stretches):
            self._trial = Trial()
        else:
            trace.judged_at *= 2

    def _try(self, trial: Trial, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the function by its recordings or plain, whose turn it is."""
        result = trial.call(
            lambda: self._replay(args, kwargs), lambda: self.function(*args, **kwargs)
        )
        if trial.is_over and self._trial is trial:
            self._trial = None
            if trial.why_plain:
                log.info("%s runs as it is: %s", self.name, trial.why_plain)
                self.plain_because, self.is_plain = trial.why_plain, True
        return result

    def _put_first(self, key: Any, trace: Trace) -> None:
        """Try a recording before the others from now on."""
        held = self.traces.get(key)  # another thread may have forgotten all
        if held:
            self.traces[key] = [trace, *(each for each in held if each is not trace)]

    def _plainly(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the function as it is."""
        self.plain_runs += 1
        return self.function(*args, **kwargs)

    def _record(
        self, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any], failed: list[str]
    ) -> Any:
        """Run the function, and record what it does."""
        if settings.stance.fails:
            raise RuntimeError(
                "Detected recompile when torch.compile stance is 'fail_on_recompile'. "
                + "; ".join(failed)
            )
        if settings.stance.name == "eager_on_recompile":
            return self._plainly(args, kwargs)
        held = self.traces.setdefault(key, [])
        if len(held) >= self._limit():
            self._give_up(f"{len(held)} recordings did not hold: {failed[0] if failed else ''}")
            return self._plainly(args, kwargs)
        function, bound = self.function, args
        if isinstance(function, MethodType):
            function, bound = function.__func__, (function.__self__, *args)
        made = self._instrumented(function)
        if made is None:
            return self._plainly(args, kwargs)
        began = perf_counter_ns()
        recorder, values, named = self._recorder(function, args, kwargs)
        frame = Frame(recorder, recorder.trace.root, function, catches=made.catches)
        if recorder.specialized:
            frame.same_modes()
            values = [frame.settled(each) for each in values]
            named = {name: frame.settled(each) for name, each in named.items()}
        first = () if len(bound) == len(args) else (bound[0],)
        run = frame.running(made, bound, kwargs)
        try:
            result = run(*first, *values, **named)
            del values, named
            kept = self._keep(recorder, held, result, failed)
            recorder.trace.nanoseconds = perf_counter_ns() - began
            return kept
        finally:
            recorder.forget()

    def _instrumented(self, function: Any) -> Instrumented | None:
        """Return the function rewritten; give up for one that is not followed."""
        try:
            return instrumented(_code(function))
        except Unsupported as why:
            told = f"{getattr(function, '__qualname__', function)}() is not followed: {why}"
            self._give_up(told)
            if self.options.fullgraph:
                raise FullGraphError(
                    f"torch.compile(fullgraph=True) cannot record all of the call\n  {told}"
                ) from None
            return None

    def _recorder(
        self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Recorder, list[Value], dict[str, Value]]:
        """Return what records a call, and the arguments as its values."""
        backend = self.options.backend
        specialized = backend is not None and not self.options.dynamic
        recorder = Recorder(self.options.fullgraph, specialized, backend is not None)
        trace = recorder.trace
        trace.root = recorder.current = TraceFrame(function, None, -1)
        values = [Value(each, recorder.register(), None, True) for each in args]
        named = {name: Value(v, recorder.register(), None, True) for name, v in kwargs.items()}
        trace.keywords = tuple(kwargs)
        for each in (*values, *named.values()):
            if each.register is not None:
                trace.arguments.append(each.register)
                recorder.note_made(each.register, each.plain, ())
                recorder.examples[each.register] = each.plain
        return recorder, values, named

    def _keep(self, recorder: Recorder, held: list[Trace], result: Any, failed: list[str]) -> Any:
        """Keep a recording, if there is one; return what the call gave."""
        trace = recorder.trace
        self.breaks += [each for each in trace.breaks if each not in self.breaks]
        if not recorder.recording:
            self._give_up(recorder.stopped)
            return plain(result)
        trace.root.result = result.register if type(result) is Value else recorder.constant(result)
        recorder.recording = False
        take = getattr(self.options.backend, "take", None)
        if take is not None:
            take(trace, recorder.examples)
        if self.options.backend is None or take is not None:
            trace.written = generate(trace)
        else:
            items, flat = compiled_by(trace, self.options.backend, recorder.examples.get)
            trace.written = generate_flat(trace, items, flat)
        if self.options.backend is None and not trace.depends_on_compiling:
            trace.judged_at = FIRST_RUNS
        if not self._add(held, trace):
            return plain(result)
        if failed:
            number = sum(map(len, self.traces.values()))
            self.recompilations.append(Recompilation(number, tuple(failed)))
            log.info("%s is recorded anew: %s", self.name, "; ".join(failed))
        return plain(result)

    def _add(self, held: list[Trace], trace: Trace) -> bool:
        """Try a recording before the others; not if another thread has made an equal one."""
        with self._adding:
            if any(each.written.does_as(trace.written) for each in held):
                return False
            held.insert(0, trace)
            return True

    def _limit(self) -> int:
        return settings.config.recompile_limit

    def _give_up(self, why: str) -> None:
        if not self.plain_because:
            log.info("%s runs as it is: %s", self.name, why)
            self.plain_because = why or "it was not recorded"
            self.traces.clear()

    def report(self, run: Callable[..., Any]) -> CompiledReport:
        """Return what was recorded, for people; see `inspect.compiled`.

        Args:
            run: Calls the compiled function.
        """
        return report(self, run)

    @property
    def name(self) -> str:
        """The function's name."""
        return self._name or getattr(self.function, "__qualname__", type(self.function).__name__)

    def _resume(
        self, trace: Trace, left: Exit, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Run a call on from where its replay was left; nothing is done twice."""
        found: tuple[TraceFrame | None, int] = trace.exits[left.number]
        frame, number = found
        trace.left += 1
        if trace.left > self._limit():
            self._give_up(_told_exit(trace, left))
        while frame is not None:
            left.path[id(frame)] = number
            frame, number = frame.parent, frame.event
        for name, other in trace.renamed.items():
            if other in left.known:
                left.known.setdefault(name, left.known[other])
        recorder = Recorder()
        recorder.stop("a replay is run on")
        root = trace.root
        function = root.function
        bound: tuple[Any, ...] = args
        if isinstance(self.function, MethodType):
            bound = (self.function.__self__, *args)
        again = Frame(recorder, root, function, old=root, left=left)
        run = again.running(instrumented(root.code), bound, kwargs)
        try:
            return plain(run(*map(Value, bound), **{k: Value(v) for k, v in kwargs.items()}))
        finally:
            left.forget()


def _code(function: Any) -> Any:
    if isinstance(function, FunctionType):
        return function.__code__
    raise Unsupported("it is not a function of Python's")


def _told_exit(trace: Trace, left: Exit) -> str:
    frame, _ = trace.exits[left.number]
    return f"what runs in {frame.code.co_qualname} depends on what is computed or done before"


_HERE = (os.path.dirname(__file__) + os.sep, f"{GENERATED}step>", f"{GENERATED}unpack>")


def _leave_out_compiler(error: Exception) -> None:
    """Take the frames of the recorder out of the tracebacks of an error, and of its causes.

    The frame of the call is in these tracebacks: a variable there would keep the errors alive.
    """
    for each in chain(error):
        each.__traceback__ = _without_compiler(each.__traceback__)


def _without_compiler(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback without the frames of the recorder."""
    entries: list[TracebackType] = []
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(_HERE):
            entries.append(trace)
        trace = trace.tb_next
    short = None
    for each in reversed(entries):
        short = TracebackType(short, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return short


def wrapped(function: Callable[..., Any], options: settings.Options) -> Callable[..., Any]:
    """Return the function that a compiled function is called by."""
    kept = Compiled(function, options)
    compiled: Any = functools.wraps(function)(kept.entry(function))
    compiled._compiled = kept
    compiled._torchdynamo_orig_callable = function
    return compiled

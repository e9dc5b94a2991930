"""What records a program of PyTorch's: its own profiler, with the program's lines beside it.

Note [Recorded by PyTorch's profiler]: a mode that sees each operation (`TorchDispatchMode`) lets
PyTorch choose other formulas, with other bits and other memory. Its profiler does not. It notes
when each operation began and ended, and each piece of memory that the allocator gave and took. What
it does not know are lines. So each call of a function is put into a range with a number, under
which the recorder has noted the line; `profile_tree` puts both together when the block ends.

Until then a call is two tuples, with nothing in them that the garbage collector has to follow: it
would look at all of the program again and again where a recording keeps many objects.
"""

from __future__ import annotations

import gc
import importlib
import os
import warnings
import weakref
from contextlib import AbstractContextManager, ExitStack
from time import perf_counter_ns
from typing import Any

from pellucid.autograd.passes import BackwardPass
from pellucid.autograd.sites import user_frame
from pellucid.dtypes import is_differentiable
from pellucid.inspect.pytorch import accelerator
from pellucid.inspect.pytorch.events import watching_torch
from pellucid.inspect.pytorch.graphs import TorchLeaf, array_of, saved_tensors
from pellucid.inspect.pytorch.node_events import recorders
from pellucid.inspect.pytorch.profile_tree import OWN, PREFIX, Tree
from pellucid.inspect.pytorch.saved_values import storage_key
from pellucid.inspect.recording.measures import Measure, measure, measure_at
from pellucid.inspect.recording.traces import PastMemory, Span
from pellucid.inspect.recording.written import ParameterTrace, Written, updated_by

torch: Any = importlib.import_module("torch")
_profiler: Any = importlib.import_module("torch.autograd.profiler")
_Range: Any = torch._C._profiler._RecordFunctionFast
#: switches whether the operations of this thread are reported to the profiler
_report_operations: Any = torch._C._autograd._enable_record_function
_records = torch.is_grad_enabled
#: dtypes of real numbers that are measured where they lie, and the bytes of each
_REAL = {torch.float32: 4, torch.float64: 8}
#: the number of a leaf's end of the graph, which is above all others
_OF_A_LEAF = 2**63


class Mark:
    """A range of the program's: what ran in it, and at which line.

    Attributes:
        span: The span that it becomes.
        keeps: Whether a pass has kept what its nodes have saved.
        results: Memory, shape and dtype of what it returned.
        nodes: Number, name, numbers of operands and saved memory of the nodes that it made.
        owned: Memory that belongs to parameters at its end: memory, kind, parameter, name.
        watching: Nanoseconds that the recorder took after it.
    """

    __slots__ = (
        "keeps", "nodes", "owned", "range", "results", "span", "subject",
        "watching",
    )  # fmt: skip

    def __init__(self, span: Span, subject: int = 0) -> None:
        self.span = span
        self.subject = subject
        self.range: Any = None
        self.keeps = True
        self.watching = 0
        self.results: tuple[tuple[Any, Any], ...] = ()
        self.nodes: tuple[tuple[int, str, tuple[int | None, ...], tuple[Any, ...]], ...] = ()
        self.owned: list[tuple[Any, str, int, str]] = []


class _Before(weakref.ref[Any]):
    """Memory that was there before, by a weak reference to its storage, which notes its end."""

    __slots__ = ("memory",)

    memory: PastMemory


def _note_end(storage: _Before) -> None:
    storage.memory.freed = perf_counter_ns()


class _OwnRange:
    """A range whose time is known, and whose operations, which cost much to note, are not."""

    __slots__ = ("_range",)

    def __enter__(self) -> None:
        self._range = _Range(OWN)
        self._range.__enter__()
        _report_operations(False)

    def __exit__(self, *error: object) -> None:
        _report_operations(True)
        self._range.__exit__(None, None, None)


class TorchRecorder(Written):
    """What writes down what PyTorch does between `start` and `stop`, in the thread of `start`.

    Args:
        gradients: Whether gradients and updates are measured.
        values: Whether results and gradients are summed up; ``"whole"``: copied, too.
    """

    def __init__(self, gradients: bool, values: bool | str) -> None:
        super().__init__(gradients, values)
        self.marks_by_number: list[Mark] = []
        #: by number: ranges, and calls as (name, phase, code, instruction, scope)
        self._noted: list[Any] = []
        #: number of calls, and their results, nodes and time of the recorder, as `Mark` has them
        self._outcomes: list[tuple[int, Any, Any, int]] = []
        #: memory that was there before, by device and address
        self.before: dict[Any, PastMemory] = {}
        #: what the allocators of accelerators have given and not got back at the end, likewise
        self.given: dict[Any, int] = {}
        #: number of a node, and the times when measuring what arrived at it began and ended
        self.measuring: list[tuple[int, int, int]] = []
        self._ends: list[_Before] = []
        self._open: list[Mark] = []
        self._named: set[int] = set()
        #: by parameter and name: the state of optimizers that was noted
        self._state: dict[tuple[int, str], weakref.ref[Any]] = {}
        self._updating: list[ParameterTrace] = []
        self._block = ExitStack()
        self._profile: Any = None
        #: whether what it does after a call is computed with tensors
        self.computes = self.sums_up
        #: the kind of accelerator whose kernels are timed
        self.device = accelerator.name()

    # ---- from start to stop ----------------------------------------------------------------------

    def start(self) -> None:
        """Begin to listen, unless PyTorch's profiler runs already."""
        if torch.autograd._profiler_enabled():
            self.missed = (
                "record() has recorded nothing: it uses PyTorch's profiler, of which there is one "
                "in a process, and which ran already, for the program or for another record()"
            )
            return
        self._note_memory_before()
        self._block.enter_context(watching_torch(self._watch, recorder=self))
        if self.measures or self.sums_up:
            recorders.append(self)
            self._block.callback(recorders.remove, self)
        os.environ.setdefault("KINETO_LOG_LEVEL", "9")  # else it tells that it starts and stops
        with warnings.catch_warnings(action="ignore"):
            self._profile = _profiler.profile(
                use_kineto=True, profile_memory=True, record_shapes=True,
                use_device=self.device,
            )  # fmt: skip
            self._profile.__enter__()
        self.began = perf_counter_ns()
        with self._range(Span("clock", "", "forward", None, 0, None, 0, None)):
            pass  # by which the profiler's clock is compared

    def stop(self) -> None:
        """Stop listening, and read what the profiler has noted."""
        if self.missed:
            return
        self.ended, self.given = perf_counter_ns(), accelerator.given_memory()
        while self._open:
            self._leave(self._open[-1])
        with warnings.catch_warnings(action="ignore"):
            self._profile.__exit__(None, None, None)
        self._block.close()
        profile, self._profile = self._profile, None
        self.marks_by_number = [self._mark(number) for number in range(len(self._noted))]
        for number, results, nodes, watching in self._outcomes:
            mark = self.marks_by_number[number]
            mark.results, mark.nodes, mark.watching = results, nodes, watching
        Tree(self, profile.kineto_results).read()
        self.before, self.given, self._ends, self.measuring = {}, {}, [], []
        self.marks_by_number, self._noted, self._outcomes = [], [], []

    def _note_memory_before(self) -> None:
        for each in gc.get_objects():
            if not issubclass(type(each), torch.Tensor):
                continue
            with torch._C.DisableTorchFunction():
                place = storage_key(each)
                if place is None or place in self.before or each.is_meta:
                    continue
                storage = each.untyped_storage()
                kind = "parameter" if each.requires_grad and each.grad_fn is None else "input"
                memory = self.before[place] = PastMemory(kind, storage.nbytes(), 0, None)
                memory.like = tuple(each.shape), each.dtype
                reference = _Before(storage, _note_end)
                reference.memory = memory
                self._ends.append(reference)
        for place, size in accelerator.given_memory().items():
            self.before.setdefault(place, PastMemory("library", size, 0, None)).bytes = size

    def own_range(self) -> AbstractContextManager[None]:
        """Return a range for what the recorder itself computes, which is left out."""
        return _OwnRange()

    # ---- ranges ----------------------------------------------------------------------------------

    def _range(self, span: Span, subject: int = 0) -> Any:
        """Return a range of the profiler's, not entered, for what a span stands for."""
        mark = Mark(span, subject)
        mark.range = self._numbered()
        self._noted.append(mark)
        span.start = perf_counter_ns()
        return mark.range

    def _numbered(self) -> Any:
        """Return a range of the profiler's with the number of what is noted next."""
        return _Range(f"{PREFIX}{len(self._noted)}")

    def _mark(self, number: int) -> Mark:
        """Return a range, which is made of a call when it is first asked for."""
        noted = self._noted[number]
        if type(noted) is tuple:
            name, phase, code, lasti, scope = noted
            span = Span("function", name, phase, code, lasti, scope, 0, None)
            noted = self._noted[number] = Mark(span)
        return noted

    def call(
        self, name: str, scope: str | None, frame: Any, function: Any, args: Any,
        given: dict[str, Any],
    ) -> Any:  # fmt: skip
        """Call a function of PyTorch's, in a range of its own.

        Args:
            name: Its name.
            scope: The module that runs.
            frame: Code object and instruction of the program's line.
            function: The function.
            args: Its arguments.
            given: Those given by name.
        """
        open_ = self._open
        phase = open_[-1].span.phase if open_ else "forward"
        if phase == "update" and _records():
            phase = "forward"  # in a closure
        range_ = self._numbered()
        self._noted.append((name, phase, *frame, scope))
        with range_:
            return function(*args, **given)

    def called(self, result: Any, start: int, end: int) -> None:
        """Note what the function has returned that was called last, and the nodes it has made.

        Args:
            result: What it returned.
            start: The number of its first node.
            end: The number after its last one.
        """
        began = perf_counter_ns()
        number = len(self._noted) - 1
        if type(result) is torch.Tensor:
            tensors, place = (result,), storage_key(result)
            results = () if place is None else ((place, (tuple(result.shape), result.dtype)),)
        else:
            several = result if isinstance(result, tuple | list) else (result,)
            tensors = [each for each in several if isinstance(each, torch.Tensor)]
            results = tuple([
                (place, (tuple(each.shape), each.dtype))
                for each in tensors
                if (place := storage_key(each)) is not None
            ])  # fmt: skip
        nodes = tuple(_new_nodes(tensors, start)) if start != end else ()
        # where it computes, it runs in a range, which has the time
        watching = 0 if self.computes else perf_counter_ns() - began
        self._outcomes.append((number, results, nodes, watching))
        if self.sums_up:
            span = self._mark(number).span
            arrays = [array for each in tensors if (array := array_of(each)) is not None]
            self.note_values("value", span, span.name, arrays, perf_counter_ns())

    # ---- passes, steps and modules ---------------------------------------------------------------

    def _watch(self, event: str, subject: Any) -> None:
        """Take note of the beginning or the end of something longer than a call."""
        kind, _, happened = event.partition(" ")
        if happened == "began":
            self._began(kind, subject)
        elif happened in ("ended", "failed"):
            mark = next((each for each in self._open if each.subject == id(subject)), None)
            while mark is not None and mark in self._open:
                self._leave(self._open[-1])
            if mark is not None:
                with self.own_range(), torch.no_grad():
                    self._ended(kind, subject, mark)

    def _began(self, kind: str, subject: Any) -> None:
        site, name, phase, scope = user_frame(), kind, "forward", None
        if isinstance(subject, BackwardPass):
            name, phase = subject.run.call, "backward"
            site = (subject.run.code, subject.run.lasti)
        elif kind == "step":
            name, phase = f"{type(subject).__name__}.step", "update"
            if self.measures:
                now = perf_counter_ns()
                with self.own_range(), torch.no_grad():
                    self._updating = [
                        ParameterTrace(*each, now) for each in updated_by(subject, self.names)
                    ]
        elif kind == "module":
            name = scope = type(subject).__name__
        entered = self._range(Span(kind, name, phase, *site, scope, 0, None), id(subject))
        mark = self._noted[-1]
        if kind == "module" and id(subject) not in self._named:
            self._named.add(id(subject))
            for each in self.name_parameters(subject):
                self._own(mark, each, "parameter", each)
        self._open.append(mark)
        entered.__enter__()

    def _leave(self, mark: Mark) -> None:
        mark.range.__exit__(None, None, None)
        self._open.remove(mark)

    def _ended(self, kind: str, subject: Any, mark: Mark) -> None:
        if isinstance(subject, BackwardPass):
            mark.keeps = bool(subject.keep)
            for leaf in _leaves(subject.nodes):
                if leaf.is_leaf and leaf.grad is not None:
                    self._own(mark, leaf.grad, "gradient", leaf)
        elif kind == "step":
            for parameter, state in subject.state.items():
                for name, value in state.items() if isinstance(state, dict) else ():
                    if isinstance(value, torch.Tensor):
                        self._own_state(mark, value, parameter, name)
            for trace in self._updating:
                trace.compare()
                self.parameters.append(trace)
            self._updating = []

    def _own(self, mark: Mark, tensor: Any, kind: str, parameter: Any, name: str = "") -> None:
        place = storage_key(tensor)
        if place is not None:
            mark.owned.append((place, kind, id(parameter), name))

    def _own_state(self, mark: Mark, tensor: Any, parameter: Any, name: str) -> None:
        """Note what belongs to a parameter from step to step, the first time."""
        key = id(parameter), name
        known = self._state.get(key)
        if known is None or known() is not tensor:
            self._state[key] = weakref.ref(tensor)
            self._own(mark, tensor, "state", parameter, name)

    # ---- nodes -----------------------------------------------------------------------------------

    def arrive(self, node: Any, gradients: Any) -> list[Any]:
        """Measure the gradients that have arrived at a node, where they lie, running no operation.

        Args:
            node: The node.
            gradients: The gradients, each a tensor or None.

        Returns:
            Those that have to be read as arrays.
        """
        if self.sums_up:
            return [each for each in gradients if each is not None]
        now, left = perf_counter_ns(), []
        for each in gradients:
            if each is not None:
                found = _measure_in_place(each)
                if found is None:
                    left.append(each)
                else:
                    self.arrived.append((now, node.code, node._lasti, found))
        self.measuring.append((node.seq, now, perf_counter_ns()))
        return left

    def arrive_as_arrays(self, node: Any, gradients: list[Any]) -> None:
        """Measure and sum up gradients that have arrived at a node.

        Args:
            node: The node.
            gradients: The gradients.
        """
        now = perf_counter_ns()
        arrays = [array for each in gradients if (array := array_of(each)) is not None]
        if self.measures:
            for each in arrays:
                if is_differentiable(each.dtype):
                    self.arrived.append((now, node.code, node._lasti, measure(each)))
        if self.sums_up:
            span = Span(
                "node", node.name(), "backward", node.code, node._lasti, node.scope, 0, None
            )
            self.note_values("gradient", span, node.name(), arrays, now)


def _measure_in_place(tensor: Any) -> Measure | None:
    """Measure a plain tensor of the CPU's, whose elements lie without gaps; None for others."""
    bytes_of_each = _REAL.get(tensor.dtype)
    if bytes_of_each is None or type(tensor) is not torch.Tensor or not tensor.is_cpu:
        return None
    if tensor.is_contiguous() or _is_transposed(tensor):
        return measure_at(tensor.data_ptr(), tensor.numel(), bytes_of_each)
    return None


def _is_transposed(matrix: Any) -> bool:
    shape = matrix.shape
    return len(shape) == 2 and matrix.stride() == (1, shape[0])


def _new_nodes(tensors: Any, start: int) -> list[Any]:
    """Return what is noted of the nodes from a number on that tensors lead to."""
    found: list[Any] = []
    stack = [each.grad_fn for each in tensors]
    seen: set[int] = set()
    for function in stack:  # which grows
        if function is None:
            continue
        seq = function._sequence_nr()
        if not start <= seq < _OF_A_LEAF or seq in seen:
            continue
        seen.add(seq)
        operands: list[int | None] = []
        for below, _ in function.next_functions:
            number = None if below is None else below._sequence_nr()
            operands.append(number)
            if number is not None and start <= number < _OF_A_LEAF:
                stack.append(below)
        saved = [(name, storage_key(each)) for name, each in saved_tensors(function)]
        found.append((seq, function.name(), tuple(operands), tuple(saved)))
    return found


def _leaves(nodes: Any) -> Any:
    """Yield the leaves that nodes of a pass lead to."""
    seen: set[Any] = set()
    for node in nodes:
        for edge in node.edges:
            if edge is not None and isinstance(edge[0], TorchLeaf) and edge[0] not in seen:
                seen.add(edge[0])
                yield edge[0].leaf

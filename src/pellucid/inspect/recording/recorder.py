"""The recorder: it hears of ops, nodes, passes and steps, and writes down what `building` reads.

Note [What a recorder may do]: it reads frames, arrays and nodes, and keeps none of them. Of memory
it has a weak reference to the array that owns it, whose end it is told; of a node the same; of a
line the code object and an offset in it.
"""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterable
from itertools import compress
from time import perf_counter_ns, time_ns
from typing import Any

import numpy as np

from pellucid.autograd.explanations.saved_values import saved_name
from pellucid.autograd.modes import modes
from pellucid.autograd.node import LAST_SEQUENCE, AccumulateGrad, BackwardRun, Node, sequence
from pellucid.autograd.passes import BackwardPass
from pellucid.autograd.sites import user_frame, user_stack
from pellucid.autograd.variable import TensorBase
from pellucid.blocks import Block, temporary
from pellucid.dtypes import is_differentiable
from pellucid.inspect.leaf_names import leaf_name
from pellucid.inspect.recording.measures import measure
from pellucid.inspect.recording.traces import Like, MemoryTrace, NodeTrace, Span
from pellucid.inspect.recording.written import ParameterTrace, Written, updated_by
from pellucid.inspect.survey import owner_of
from pellucid.nn import Module
from pellucid.observe import Observer, observers, slow_path, watchers
from pellucid.optim import Optimizer
from pellucid.ranks import Exchange

ndarray = np.ndarray
#: spans inside of which ops are parts
_OPS = ("op", "function", "custom")


class _Thread(threading.local):
    """What runs in one thread."""

    def __init__(self, names: list[str]) -> None:
        self.number = len(names)
        names.append(threading.current_thread().name)
        #: what has begun and not ended, the innermost last
        self.open: list[Span] = []


@temporary
def _hearing(block: Block, recorder: Recorder) -> None:
    """Report all that happens to a recorder."""
    block._append(watchers, recorder._watch)
    block._append(observers, recorder)
    slow_path.need_in(block)


class Recorder(Written, Observer):
    """What writes down all that happens between `start` and `stop`, in all threads.

    Args:
        gradients: Whether gradients and updates are measured.
        stacks: Whether the lines of all callers are written down.
        values: Whether results and gradients are summed up; ``"whole"``: copied, too.
    """

    is_of_pellucid = True

    def __init__(
        self, gradients: bool = True, stacks: bool = False, values: bool | str = False
    ) -> None:
        super().__init__(gradients, values)
        self.stacks = stacks
        #: nodes with a smaller sequence number were there before
        self._first = 0
        self._local = _Thread(self.threads)
        #: memory that is there, by the identity of the array that owns it
        self._alive: dict[int, MemoryTrace] = {}
        #: memory that tensors had before: weak references to the arrays that own it, by identity
        self._before: dict[int, weakref.ref[Any]] = {}
        #: the names of what nodes have saved, by what runs them backward
        self._saved_names: dict[Any, tuple[str, ...]] = {}
        #: classes and identities of modules whose parameters have been named
        self._modules: dict[int, weakref.ref[Any]] = {}
        #: parameters on which an optimizer step is working
        self._updating: dict[int, list[ParameterTrace]] = {}
        self._listening = _hearing(self)

    # ---- from start to stop ----------------------------------------------------------------------

    def start(self) -> None:
        """Begin to listen."""
        self._first = next(sequence)
        self._before = _memory_of_tensors()
        self.began, self.clock = perf_counter_ns(), time_ns()
        self._listening.__enter__()

    def stop(self) -> None:
        """Stop listening, and let go of everything."""
        self.ended = perf_counter_ns()
        self._listening.__exit__(None, None, None)
        self._alive = {}
        self._before = {}
        self._updating = {}
        for span in self.spans:
            span.end = span.end or self.ended

    # ---- spans -----------------------------------------------------------------------------------

    def _begin(
        self, kind: str, name: str, phase: str, site: tuple[Any, int], scope: str | None
    ) -> Span:
        here = self._local
        stack = here.open
        span = Span(kind, name, phase, *site, scope, here.number, stack[-1] if stack else None)
        if self.stacks and kind != "node":
            span.stack = user_stack()
        self.spans.append(span)
        stack.append(span)
        return span

    def _end(self, now: int) -> Span:
        """End the innermost span of this thread."""
        span = self._local.open.pop()
        span.end = now
        if span.parent is not None:
            span.parent.last_part = span
        return span

    def _watched_until_now(self, span: Span | None, since: int) -> None:
        """Take the time since then off the own time of what runs around a span."""
        self._watched(span, perf_counter_ns() - since)

    def _watched(self, span: Span | None, time: int) -> None:
        """Take the recorder's own time off that of what runs around it."""
        self.own_time += time
        if span is not None:
            span.watching += time

    # ---- ops -------------------------------------------------------------------------------------

    def op_began(self, kind: str, name: str, operands: Any) -> None:
        entered = perf_counter_ns()
        phase, site, scope = self._circumstances()
        span = self._begin(kind, name, phase, site, scope)
        tensors = _tensors(operands)
        span.inputs = _likes([each._array for each in tensors])
        for each in tensors:
            self._note_operand(each, span)
        span.start = perf_counter_ns()
        self._watched(span.parent, span.start - entered)

    def op_ended(self, result: Any) -> None:
        now = perf_counter_ns()
        span = self._end(now)
        tensors = _tensors((result,))
        span.outputs = _likes([each._array for each in tensors])
        for each in tensors:
            self._note_memory(each._array, "result", span, now)
            edge = each._edge
            if edge is not None and edge[0].seq not in self.nodes:
                self._note_node(edge[0], span)
        if self.sums_up and (span.parent is None or span.parent.kind not in _OPS):
            self.note_values("value", span, span.name, [each._array for each in tensors], now)
        self._watched_until_now(span.parent, now)

    def _circumstances(self) -> tuple[str, tuple[Any, int], str | None]:
        """Return phase, line and module of an op that begins.

        An op that a node's formula calls belongs to the line that made the node.
        """
        site, scope = user_frame(), modes.scope
        task, node = modes.task, modes.evaluating
        if task is None:
            return self._phase(), site, scope
        if node is not None:
            if site == (task.run.code, task.run.lasti):
                site = (node.code, node._lasti)
            scope = scope or node.scope
        return "backward", site, scope

    def _phase(self) -> str:
        if modes.task is not None:
            return "backward"
        stack = self._local.open
        updates = bool(stack) and stack[-1].phase == "update" and not modes.grad_enabled
        return "update" if updates else "forward"

    def _note_operand(self, tensor: Any, span: Span) -> None:
        """Note memory that was made where nobody was listening."""
        array = tensor._array
        if id(array) in self._alive:
            return
        edge = tensor._edge
        if edge is not None and isinstance(edge[0], AccumulateGrad):
            self._note_memory(array, "parameter", None, self.began)
        elif self._was_there(array):
            self._note_memory(array, "input", None, self.began)
        else:
            trace = self._note_memory(array, "input", None, perf_counter_ns())
            if trace is not None:
                trace.site = span.code, span.lasti

    def _was_there(self, array: Any) -> bool:
        """Return whether a tensor had this memory when the recording began."""
        owner = owner_of(array)
        known = self._before.get(id(owner))
        return known is not None and known() is owner

    # ---- memory ----------------------------------------------------------------------------------

    def _note_memory(
        self, array: Any, kind: str, span: Span | None, born: int
    ) -> MemoryTrace | None:
        """Return the trace of an array's memory if it is new."""
        if not isinstance(array, ndarray):
            return None
        owner = array if array.base is None else owner_of(array)
        identity = id(owner)
        if identity in self._alive:
            return None
        trace = self._alive[identity] = MemoryTrace(owner, self._memory_ended)
        trace.identity, trace.kind, trace.like = identity, kind, (array.shape, array.dtype)
        trace.bytes, trace.born, trace.freed = owner.nbytes, born, None
        trace.span, trace.site, trace.owners = span, (None, 0), ()
        self.memory.append(trace)
        if span is not None:
            span.made += trace.bytes
        return trace

    def _trace_of(self, array: Any) -> MemoryTrace | None:
        return self._alive.get(id(array)) or self._alive.get(id(owner_of(array)))

    def _memory_ended(self, trace: MemoryTrace) -> None:
        """Take note that memory has been freed, and while what ran."""
        if self._alive.pop(trace.identity, None) is None:
            return
        trace.freed = perf_counter_ns()
        stack = self._local.open
        if not stack:
            return
        span = stack[-1]
        if span.kind == "backward" and span.last_part is not None:
            span = span.last_part  # a node's values are freed right after it has run
        span.freed += trace.bytes

    def _own(self, array: Any, kind: str, parameter: Any, name: str = "") -> None:
        """Note that memory belongs to a parameter: its values, its gradient, or its state."""
        trace = self._trace_of(array)
        known = () if trace is None else ((each[0], each[1]) for each in trace.owners)
        if trace is not None and (kind, id(parameter)) not in known:
            trace.owners += ((kind, id(parameter), name),)

    # ---- nodes -----------------------------------------------------------------------------------

    def _note_node(self, node: Any, span: Span) -> None:
        """Note a node that the span has made, the leaves that it uses, and what it keeps."""
        if isinstance(node, AccumulateGrad) or node.seq < self._first:
            return
        trace = self.nodes[node.seq] = span.node = NodeTrace(node, span)
        for position, operand in enumerate(trace.operands):
            if operand == LAST_SEQUENCE:
                self._note_leaf(node, position, node.edges[position][0].leaf)
        if isinstance(node.saved, tuple):
            self._note_saved(trace, node, span)

    def _note_leaf(self, node: Node, position: int, leaf: Any) -> None:
        if leaf is None or id(leaf) in self.names:
            return
        self.names[id(leaf)] = leaf_name(node, position) or "a leaf"
        if _has_array(leaf):
            self._own(leaf._array, "parameter", leaf)

    def _note_saved(self, trace: NodeTrace, node: Any, span: Span) -> None:
        """Note what a node keeps for its backward, without unpacking anything."""
        for name, entry in zip(self._names_of_saved(node), node.saved, strict=True):
            value = entry[0] if isinstance(entry, tuple) else entry
            value = getattr(value, "_array", value)
            if isinstance(value, ndarray):
                held = self._trace_of(value) or self._note_memory(value, "saved", span, span.end)
                if held is not None:
                    trace.saved.append((held, name))
            elif isinstance(value, Node) and isinstance(value.saved, tuple):
                self._note_saved(trace, value, span)  # of a change that was made to a view

    def _names_of_saved(self, node: Any) -> tuple[str, ...]:
        names = self._saved_names.get(node.backward, ())
        if len(names) != len(node.saved):
            count = len(node.saved)
            names = tuple([saved_name(node, place) or "a value" for place in range(count)])
            self._saved_names[node.backward] = names
        return names

    def node_began(self, node: Any, g: Any) -> None:
        entered = perf_counter_ns()
        site = (node.code, node._lasti)
        span = self._begin("node", node.short_name(), "backward", site, node.scope)
        span.node = self.nodes.get(node.seq)
        span.start = entered
        self._note_gradients(node, g, span)
        span.start = perf_counter_ns()
        self._watched(span.parent, span.start - entered)

    def _note_gradients(self, node: Any, g: Any, span: Span) -> None:
        """Note what has arrived at a node; sums of several gradients were made on the way."""
        arrays = _arrays(g)
        span.inputs = _likes(arrays)
        for each in arrays:
            self._note_memory(each, "gradient", span.parent, span.start)
            if self.measures and is_differentiable(each.dtype):
                self.arrived.append((span.start, node.code, node._lasti, measure(each)))
        if self.sums_up:
            self.note_values("gradient", span, node.name(), arrays, span.start)

    def node_ended(self, node: Any, grads: Any) -> None:
        now = perf_counter_ns()
        span = self._end(now)
        if span.node is not None:
            span.node.ran = now
        arrays = _arrays(grads)
        span.outputs = _likes(arrays)
        for each in arrays:
            self._note_memory(each, "gradient", span, now)
        self._watched_until_now(span.parent, now)

    # ---- passes, steps, modules and ranges -------------------------------------------------------

    def _watch(self, event: str, subject: Any) -> None:
        """Take note of the beginning or the end of something longer than an op."""
        entered = perf_counter_ns()
        kind, _, happened = event.partition(" ")
        if event == "exchange":
            self.exchanges.append((subject, *user_frame()))
        elif kind == "batch":
            return
        elif happened == "began":
            self._announced(kind, subject)
        elif happened:
            self._announced_end(kind, subject, entered)

    def _announced(self, kind: str, subject: Any) -> None:
        entered = perf_counter_ns()
        site, name, phase, scope = user_frame(), kind, "forward", modes.scope
        if isinstance(subject, BackwardPass):
            name, phase = subject.run.call, "backward"
            site = (subject.run.code, subject.run.lasti)
        elif isinstance(subject, Optimizer):
            name, phase = f"{type(subject).__name__}.step", "update"
        elif isinstance(subject, Module):
            name = scope = type(subject).__name__
            self._name_parameters(subject)
        elif isinstance(subject, str):
            name = subject
        elif isinstance(subject, Exchange):
            name, phase = subject.call, self._phase()
        span = self._begin(kind, name, phase, site, scope)
        span.subject = id(subject)
        if isinstance(subject, Optimizer):
            self._update_begins(subject, span)
        span.start = perf_counter_ns()
        self._watched(span.parent, span.start - entered)

    def _announced_end(self, kind: str, subject: Any, now: int) -> None:
        stack = self._local.open
        if not any(each.kind == kind and each.subject == id(subject) for each in stack):
            return  # it began before the recording
        while stack[-1].kind != kind or stack[-1].subject != id(subject):
            self._end(now)
        span = self._end(now)
        if isinstance(subject, BackwardPass):
            self._pass_ended(subject, span)
        elif isinstance(subject, Optimizer):
            self._update_ended(subject, span)
        self._watched_until_now(span.parent, now)

    def _pass_ended(self, finished: BackwardPass, span: Span) -> None:
        """Note which nodes the pass has freed, and whose gradients it has made."""
        leaves: dict[int, Any] = {}
        for node in finished.nodes:
            trace = self.nodes.get(node.seq)
            if trace is not None and trace.freed is None and isinstance(node.saved, BackwardRun):
                trace.freed = trace.ran
            for edge in node.edges:
                if edge is not None and edge[0].seq == LAST_SEQUENCE:
                    leaves[id(edge[0])] = edge[0].leaf
        for leaf in leaves.values():
            if leaf is not None and _has_array(leaf._grad):
                self._note_memory(leaf._grad._array, "gradient", span, span.end)
                self._own(leaf._grad._array, "gradient", leaf)

    def _name_parameters(self, module: Module) -> None:
        """Name the parameters and buffers of a module when it is first called."""
        known = self._modules.get(id(module))
        if known is not None and known() is module:
            return
        self._modules[id(module)] = weakref.ref(module)
        for each in self.name_parameters(module):
            if _has_array(each):
                self._note_memory(each._array, "parameter", None, self.began)
                self._own(each._array, "parameter", each)

    def _update_begins(self, optimizer: Optimizer, span: Span) -> None:
        now = perf_counter_ns()
        updated = list(updated_by(optimizer, self.names))
        for parameter, _, _ in updated:
            self._note_memory(parameter._array, "parameter", None, self.began)
            self._own(parameter._array, "parameter", parameter)
        self._note_state(optimizer, None)
        if self.measures:
            self._updating[id(span)] = [ParameterTrace(*each, now) for each in updated]

    def _update_ended(self, optimizer: Optimizer, span: Span) -> None:
        self._note_state(optimizer, span)
        for trace in self._updating.pop(id(span), []):
            trace.compare()
            self.parameters.append(trace)

    def _note_state(self, optimizer: Optimizer, span: Span | None) -> None:
        """Note the memory of an optimizer's state: made by a step, or there before."""
        for parameter, state in optimizer.state.items():
            for name, value in state.items() if isinstance(state, dict) else ():
                if isinstance(value, TensorBase) and _has_array(value):
                    born = span.end if span else self.began
                    self._note_memory(value._array, "state", span, born)
                    self._own(value._array, "state", parameter, name)


def _memory_of_tensors() -> dict[int, weakref.ref[Any]]:
    """Return weak references to the arrays that own the memory of all tensors, by identity."""
    objects = gc.get_objects()
    # by their types, as `isinstance` asks an object, which may be somebody's proxy, for its class
    kinds = set(filter(TensorBase.__subclasscheck__, set(map(type, objects))))
    tensors = compress(objects, map(kinds.__contains__, map(type, objects)))
    owners = [owner_of(each._array) for each in tensors if _has_array(each)]
    return {id(owner): weakref.ref(owner) for owner in owners}


def _tensors(values: Iterable[Any]) -> list[TensorBase]:
    """Return the tensors among operands or results, and in sequences among them."""
    found: list[TensorBase] = []
    for value in values:
        if isinstance(value, TensorBase):
            if _has_array(value):
                found.append(value)
        elif isinstance(value, tuple | list):
            found += [each for each in value if isinstance(each, TensorBase) and _has_array(each)]
    return found


def _likes(arrays: list[Any]) -> tuple[Like, ...]:
    return tuple([(each.shape, each.dtype) for each in arrays])


def _has_array(tensor: TensorBase | None) -> bool:
    """Return whether a tensor has one array, which a sparse or batched one has not."""
    return isinstance(getattr(tensor, "_array", None), ndarray)


def _arrays(gradients: Any) -> list[Any]:
    """Return the arrays of gradients: one or several arrays or tensors, or None."""
    several = gradients if isinstance(gradients, tuple | list) else (gradients,)
    arrays = [getattr(each, "_array", each) for each in several]
    return [each for each in arrays if isinstance(each, ndarray)]

"""What happens in a training run of PyTorch, told as `pellucid.observe.watching` tells it."""

from __future__ import annotations

import functools
import importlib
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any

from pellucid.autograd.sites import user_frame
from pellucid.inspect.pytorch import explanations
from pellucid.inspect.pytorch.call_errors import explain_reduction
from pellucid.inspect.pytorch.calls import Calls
from pellucid.inspect.pytorch.cut_notes import note_none
from pellucid.inspect.pytorch.guard import Guard
from pellucid.inspect.pytorch.line_mode import Lines, mode_stack
from pellucid.inspect.pytorch.node_events import telling_observers
from pellucid.inspect.pytorch.notes import next_number, note_nodes
from pellucid.inspect.pytorch.passes import Request, kept
from pellucid.inspect.pytorch.scopes import NamesBelow
from pellucid.inspect.pytorch.warned import at_the_users_line

torch: Any = importlib.import_module("torch")
_hooks: Any = importlib.import_module("torch.nn.modules.module")
_optimizers: Any = importlib.import_module("torch.optim.optimizer")

#: what no check asks for where it is assigned
_PLAIN = (bool, int, float, str, type(None))
#: what a compiler traces with, inside of a mode that is not Dynamo's
_Traced: Any = importlib.import_module("torch._subclasses.functional_tensor").FunctionalTensor
Listener = Callable[[str, Any], None]


@contextmanager
def watching_torch(
    listener: Listener | None, calls: Calls | None = None, recorder: Any = None
) -> Iterator[None]:
    """Call ``listener(event, subject)`` as `pellucid.observe.watching` does, for PyTorch's events.

    Lines of the program are noted on the graphs, and PyTorch's errors about graphs tell them. An
    observer that fails is told once on stderr and left out; the program is not concerned. Blocks
    that overlap share one watch, so that each call is looked at once.

    Args:
        listener: What is called; None to note lines only, which costs less.
        calls: Who is told of the calls of PyTorch's functions.
        recorder: What calls them, to see what they take; see `torch_recorder`.
    """
    hearing = _Hearing(listener, calls or Calls(), recorder is not None)
    with _installed() as watch, watch.lines.in_this_thread():
        watch.add(hearing, recorder)
        try:
            yield
        finally:
            watch.remove(hearing, recorder)


@contextmanager
def _installed() -> Iterator[_Watch]:
    """Give the watch of this process: the first block sets it up, the last one ends it."""
    with _shared.lock:
        _shared.blocks += 1
        watch = _shared.watch or _shared.set_up()
    try:
        yield watch
    finally:
        with _shared.lock:
            _shared.blocks -= 1
            if not _shared.blocks:
                _shared.end()


class _Shared:
    """The watch of this process, while there is one."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.blocks = 0
        self.watch: _Watch | None = None
        self._stack = ExitStack()

    def set_up(self) -> _Watch:
        """Put the hooks and functions of a watch in place."""
        watch = self.watch = _Watch()
        with ExitStack() as stack:
            stack.callback(setattr, watch.guard, "is_over", True)
            stack.enter_context(at_the_users_line())
            for handle in watch.registered():
                stack.callback(handle.remove)
            for owner, name, function in watch.replaced():
                stack.callback(setattr, owner, name, vars(owner)[name])
                setattr(owner, name, function)
            self._stack = stack.pop_all()
        return watch

    def end(self) -> None:
        """Put PyTorch's own in place again."""
        self.watch = None
        self._stack.close()


_shared = _Shared()


class _Hearing:
    """Who hears of events, until it fails.

    Attributes:
        records: Whether it is a recorder's.
        hears: Whether there is a listener that has not failed.
    """

    def __init__(self, listener: Listener | None, calls: Calls, records: bool) -> None:
        self.calls = calls
        self.records = records
        self.hears = listener is not None
        self._listener: Any = listener
        self._begun: list[tuple[str, int]] = []

    def tell(self, guard: Guard, event: str, subject: Any) -> None:
        """Report an event, unless it is the end of what began before anyone listened."""
        name, _, phase = event.rpartition(" ")
        begun = name, id(subject)
        if phase == "began":
            self._begun.append(begun)
        elif phase in ("ended", "failed"):
            if begun not in self._begun:
                return
            self._begun.remove(begun)
        self.calls.recorded = torch.is_grad_enabled()
        what = "what listens to events"
        if self.records:  # it begins ranges, which do not end with the call
            self.hears, _ = guard.attempt_in(nullcontext(), what, self._listener, event, subject)
        else:
            self.hears, _ = guard.attempt_apart(what, self._listener, event, subject)


class _Watch:
    """The hooks and the functions that stand in PyTorch's place while it is watched."""

    def __init__(self) -> None:
        self._hearing: list[_Hearing] = []
        self._listens = False
        self.guard = Guard()
        self.lines = Lines(self.guard)
        self._running = _Running()

    def add(self, hearing: _Hearing, recorder: Any) -> None:
        """Add one who hears of events and calls, and what records, if it is given."""
        self._hearing.append(hearing)
        self.lines.hearing.append(hearing.calls)
        if recorder is not None:
            self.lines.recorders.append(recorder)
            self.guard.range = recorder.own_range
        self._listens = any(each.hears for each in self._hearing)

    def remove(self, hearing: _Hearing, recorder: Any) -> None:
        """Remove one who hears, and what records."""
        self._hearing.remove(hearing)
        self.lines.hearing.remove(hearing.calls)
        if recorder is not None:
            self.lines.recorders.remove(recorder)
            self.guard.range = nullcontext
        self._listens = any(each.hears for each in self._hearing)

    def hear(self, event: str, subject: Any) -> None:
        """Report an event to the listeners; one that fails hears nothing more.

        Args:
            event: The event, as `pellucid.observe.watching` calls it.
            subject: What it happens to.
        """
        listeners = list(self._hearing) if self._listens else []
        if event.endswith((" ended", " failed")):
            listeners.reverse()  # who came last hears the end first, and may be told to leave then
        for each in listeners:
            if each.hears:
                each.tell(self.guard, event, subject)
                self._listens = self._listens and any(other.hears for other in self._hearing)

    def registered(self) -> Iterator[Any]:
        """Register hooks on all modules and optimizers, and yield their handles."""
        yield _hooks.register_module_forward_pre_hook(self._module_began)
        yield _hooks.register_module_forward_hook(self._module_ended, always_call=True)
        yield _optimizers.register_optimizer_step_pre_hook(self._step_began)
        yield _optimizers.register_optimizer_step_post_hook(self._step_ended)

    def replaced(self) -> Iterator[tuple[Any, str, Any]]:
        """Yield what is to be replaced: owner, name and function."""
        yield torch.autograd, "backward", self._backward(torch.autograd.backward)
        yield torch.autograd, "grad", self._grad(torch.autograd.grad)
        custom = torch.autograd.Function
        yield custom, "apply", classmethod(self._applied(vars(custom)["apply"].__func__))
        behind = torch.autograd.function.BackwardCFunction
        yield behind, "apply", self._ran_backward(behind.apply)
        optimizer = torch.optim.Optimizer
        yield optimizer, "__init__", self._made(optimizer.__init__)
        yield optimizer, "zero_grad", self._zeroed(optimizer.zero_grad)
        module = torch.nn.Module
        yield module, "zero_grad", self._zeroed(module.zero_grad)
        yield module, "__setattr__", self._assigned(module.__setattr__)
        yield module, "train", self._mode_changed(module.train)
        yield module, "load_state_dict", self._loaded(module.load_state_dict)
        scaler = torch.amp.GradScaler
        yield scaler, "unscale_", self._unscaled(scaler.unscale_)
        for scheduler in _stepping_schedulers():
            yield scheduler, "step", self._scheduled(scheduler.step)
        for name in ("clip_grad_norm_", "clip_grad_value_"):
            clipping = self._clipped(getattr(torch.nn.utils, name))
            yield torch.nn.utils, name, clipping
            yield torch.nn.utils.clip_grad, name, clipping
        captured = torch.cuda.CUDAGraph
        yield captured, "capture_begin", self._capture_began(captured.capture_begin)
        yield captured, "capture_end", self._capture_ended(captured.capture_end)
        yield threading.Thread, "run", self._threaded(threading.Thread.run)
        overrides = torch.overrides
        yield overrides, "has_torch_function", self._overridden(overrides.has_torch_function)

    def _overridden(self, function: Any) -> Any:
        """Return PyTorch's question whether calls are overridden, which passes over the lines.

        Attention and transformers ask it, and compute in another way, to other bits, if they are.
        """

        @functools.wraps(function)
        def has_torch_function(args: Any) -> bool:
            if torch.compiler.is_compiling() or mode_stack() != [self.lines]:
                return function(args)
            with torch.overrides._pop_mode_temporarily():
                return function(args)

        return has_torch_function

    def _capture_began(self, function: Any) -> Any:
        @functools.wraps(function)
        def capture_begin(graph: Any, *args: Any, **kwargs: Any) -> None:
            function(graph, *args, **kwargs)
            self.guard.captures += 1

        return capture_begin

    def _capture_ended(self, function: Any) -> Any:
        @functools.wraps(function)
        def capture_end(graph: Any) -> None:
            self.guard.captures = max(0, self.guard.captures - 1)
            function(graph)

        return capture_end

    def _threaded(self, function: Any) -> Any:
        """Return what a thread runs: the same, with the mode, which is one thread's."""

        @functools.wraps(function)
        def run(thread: Any) -> Any:
            with self.lines.in_this_thread():
                return function(thread)

        return run

    # ---- modules and optimizers ---------------------------------------------------------------

    def _module_began(self, module: Any, _: Any) -> None:
        if self.guard.is_looking:
            try:
                outermost = self.lines.scopes.enter(module)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is not the program's
                self.guard.tell("the name of a module", error)
                outermost = True
            if outermost:
                self._begin(module)

    def _begin(self, module: Any) -> None:
        """Report a module that no other one called, after what was left without a word."""
        for left in reversed(self._running.modules):
            self.hear("module failed", left)
        self._running.modules[:] = [module]
        self.hear("module began", module)

    def _module_ended(self, module: Any, *_: Any) -> None:
        if not self.guard.is_looking:  # asked first: Dynamo traces what follows
            return
        error = sys.exception()
        if isinstance(error, RuntimeError):
            self.guard.attempt("the story of an error", explain_reduction, error, module)
        if self.lines.scopes.leave() and self._running.modules:
            self._running.modules.clear()
            self.hear("module ended", module)

    def _step_began(self, optimizer: Any, *arguments: Any) -> None:
        if self.guard.is_looking:
            self._leave_steps(optimizer)
            self._running.steps.append(optimizer)
            self.hear("step began", optimizer)
            if not _has_closure(arguments):
                self._running.paused.append(optimizer)
                self.lines.pause()

    def _leave_steps(self, optimizer: Any) -> None:
        """Report the steps that an exception has ended: no optimizer steps inside its own step."""
        steps = self._running.steps
        while any(each is optimizer for each in steps):
            left = steps.pop()
            self._go_on(left)
            self.hear("step failed", left)

    def _go_on(self, optimizer: Any) -> None:
        """Look at calls again, after the step of an optimizer."""
        paused = self._running.paused
        if paused and paused[-1] is optimizer:
            paused.pop()
            self.lines.go_on()

    def _step_ended(self, optimizer: Any, *_: Any) -> None:
        steps = self._running.steps
        if any(each is optimizer for each in steps):
            while steps[-1] is not optimizer:
                left = steps.pop()
                self._go_on(left)
                self.hear("step failed", left)
            self._go_on(steps.pop())
            self.guard.attempt("a note of a step", self.lines.changes.note_step, optimizer)
            self.hear("step ended", optimizer)

    def _made(self, function: Any) -> Any:
        @functools.wraps(function)
        def __init__(optimizer: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
            function(optimizer, *args, **kwargs)
            if self.guard.is_looking:
                self.hear("optimizer made", optimizer)

        return __init__

    def _zeroed(self, function: Any) -> Any:
        @functools.wraps(function)
        def zero_grad(owner: Any, *args: Any, **kwargs: Any) -> Any:
            if self.guard.is_looking:
                self.hear("zero_grad", owner)
            if args or kwargs:  # they may ask for zeros, which change memory
                return function(owner, *args, **kwargs)
            self.lines.pause()
            try:
                return function(owner)
            finally:
                self.lines.go_on()

        return zero_grad

    def _mode_changed(self, function: Any) -> Any:
        @functools.wraps(function)
        def train(module: Any, mode: bool = True) -> Any:
            if self.guard.is_looking and isinstance(mode, bool) and mode is not module.training:
                self.hear("training mode", module)
            return function(module, mode)

        return train

    def _assigned(self, function: Any) -> Any:
        @functools.wraps(function)
        def __setattr__(module: Any, name: str, value: Any) -> None:  # noqa: N807
            function(module, name, value)
            if isinstance(value, torch.nn.Module):
                NamesBelow.assigned += 1
            if self._listens and type(value) not in _PLAIN and self.guard.is_looking:
                self.hear("assigned", (module, name, value))

        return __setattr__

    def _loaded(self, function: Any) -> Any:
        @functools.wraps(function)
        def load_state_dict(
            module: Any, state_dict: Any, strict: bool = True, *args: Any, **kwargs: Any
        ) -> Any:
            keys = function(module, state_dict, strict, *args, **kwargs)
            if self.guard.is_looking:
                self.hear("state loaded", (module, state_dict, keys, strict))
            return keys

        return load_state_dict

    def _scheduled(self, function: Any) -> Any:
        @functools.wraps(function)
        def step(scheduler: Any, *args: Any, **kwargs: Any) -> Any:
            result = function(scheduler, *args, **kwargs)
            if self.guard.is_looking:
                self.hear("schedule", scheduler)
            return result

        return step

    def _unscaled(self, function: Any) -> Any:
        @functools.wraps(function)
        def unscale_(scaler: Any, optimizer: Any) -> Any:
            if self.guard.is_looking and scaler.is_enabled():
                self.hear("unscaled", (optimizer, scaler.get_scale()))
            return function(scaler, optimizer)

        return unscale_

    def _clipped(self, function: Any) -> Any:
        @functools.wraps(function)
        def clip(parameters: Any, *args: Any, **kwargs: Any) -> Any:
            parameters = kept(parameters)
            result = function(parameters, *args, **kwargs)
            if self.guard.is_looking:
                one = isinstance(parameters, torch.Tensor)
                self.hear("clipped", [parameters] if one else list(parameters))
            return result

        return clip

    def _applied(self, function: Any) -> Any:
        @functools.wraps(function)
        def apply(kind: Any, *args: Any, **kwargs: Any) -> Any:
            start = next_number()
            result = function(kind, *args, **kwargs)
            if self.guard.is_looking:
                self.guard.attempt("a note of a line", self._note_function, start, result)
            return result

        return apply

    def _note_function(self, start: int, result: Any) -> None:
        note_nodes(start, next_number(), *user_frame(), self.lines.scopes.current, result)

    def _ran_backward(self, function: Any) -> Any:
        @functools.wraps(function)
        def apply(node: Any, *args: Any) -> Any:
            made = function(node, *args)
            if self.guard.is_looking:
                several = made if isinstance(made, tuple) else (made,)
                needed = zip(several, node.needs_input_grad, strict=False)
                if any(each is None and needs for each, needs in needed):
                    self.guard.attempt("a note of a missing gradient", note_none, node)
            return made

        return apply

    # ---- passes -------------------------------------------------------------------------------

    def _backward(self, function: Any) -> Any:
        @functools.wraps(function)
        def backward(
            tensors: Any, grad_tensors: Any = None, retain_graph: bool | None = None,
            create_graph: bool = False, grad_variables: Any = None, inputs: Any = None,
        ) -> Any:  # fmt: skip
            tensors, inputs = kept(tensors), kept(inputs)
            return self._run(
                "backward",
                lambda: function(
                    tensors, grad_tensors, retain_graph, create_graph, grad_variables, inputs
                ),
                tensors, inputs, retain_graph, create_graph, grad_tensors,
            )  # fmt: skip

        return backward

    def _grad(self, function: Any) -> Any:
        @functools.wraps(function)
        def grad(
            outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None,
            create_graph: bool = False, *args: Any, **kwargs: Any,
        ) -> Any:  # fmt: skip
            outputs, inputs = kept(outputs), kept(inputs)
            return self._run(
                "grad",
                lambda: function(
                    outputs, inputs, grad_outputs, retain_graph, create_graph, *args, **kwargs
                ),
                outputs, inputs, retain_graph, create_graph, grad_outputs,
            )  # fmt: skip

        return grad

    def _run(
        self, call: str, function: Callable[[], Any], outputs: Any, wanted: Any,
        retain_graph: bool | None, create_graph: bool, given: Any,
    ) -> Any:  # fmt: skip
        if not self.guard.is_looking or _is_traced(outputs):
            return function()
        keep = create_graph if retain_graph is None else retain_graph
        made, request = self.guard.attempt(
            "the look at a pass", Request, call, outputs, wanted, keep, create_graph
        )
        if not made:
            return function()
        request.with_values = self._listens
        passes = self._running.passes
        if passes and passes[-1].is_of(request):
            return function()
        asked = self._seen(request).asked if self._listens else None
        passes.append(request)
        if asked is not None:
            self.hear("backward began", asked)
        try:
            with telling_observers(self.guard, () if asked is None else asked.nodes):
                result = function()
        except BaseException as error:
            if isinstance(error, Exception):
                self.guard.attempt_apart("the story of an error", self._explain, error, request)
            if asked is not None:
                self.hear("backward failed", asked)
            raise
        finally:
            passes.pop()
        if create_graph:
            self.guard.attempt_apart("a note of a line", request.note_made, result, given)
        if not keep and (asked is not None or not self._listens):
            self.guard.attempt_apart("a note of what was freed", request.note_freed)
        if asked is not None:
            self.hear("backward ended", asked)
        return result

    def _seen(self, request: Request) -> Any:
        seen, pass_ = self.guard.attempt_apart("the look at a pass", request.see)
        return pass_ if seen else _UNSEEN

    def _explain(self, error: Exception, request: Request) -> None:
        explanations.explain_pass(error, request.see(), self.lines.changes.all())


def _is_traced(outputs: Any) -> bool:
    several = outputs if isinstance(outputs, list | tuple) else (outputs,)
    return any(type(each) is _Traced for each in several)


class _Unseen:
    """What could not be looked at."""

    asked = None


_UNSEEN = _Unseen()


class _Running(threading.local):
    """What runs in a thread: the outermost module, passes and steps, the innermost last."""

    def __init__(self) -> None:
        self.passes: list[Request] = []
        self.modules: list[Any] = []
        self.steps: list[Any] = []
        #: the optimizers whose calls are not looked at while they step
        self.paused: list[Any] = []


def _has_closure(arguments: tuple[Any, ...]) -> bool:
    """Return whether a step, as its hook is given it, calls a function of the program's."""
    return any(each for given in arguments for each in (given, *_values(given)) if callable(each))


def _values(given: Any) -> Iterable[Any]:
    return given.values() if isinstance(given, dict) else given if type(given) is tuple else ()


def _stepping_schedulers() -> list[Any]:
    """Return the classes of schedulers of learning rates that define ``step``."""
    known = vars(torch.optim.lr_scheduler).values()
    base = torch.optim.lr_scheduler.LRScheduler
    return [
        each
        for each in known
        if isinstance(each, type) and issubclass(each, base) and "step" in vars(each)
    ]

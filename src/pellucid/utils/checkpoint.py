"""Checkpointing: parts of a graph keep their inputs only, and are computed again for backward.

Without re-entrance, hooks on saved values stand in for everything the part saves. The first value
that backward asks for runs the function again, as far as the last value that was saved, and all
that is saved on the way is handed out. Parts may be nested: then a part's inputs are themselves
values that the part around it computes again.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import threading
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from pellucid import observe
from pellucid.autograd.backward import backward
from pellucid.autograd.function import Function
from pellucid.autograd.modes import enable_grad, modes, no_grad, with_casting
from pellucid.autograd.saved import PackedValue, pack, saved_tensors_hooks
from pellucid.blocks import Block, temporary
from pellucid.errors import ArgumentError, GraphError
from pellucid.random import get_rng_state, set_rng_state
from pellucid.tensors import Tensor

__all__ = [
    "CheckpointError", "checkpoint", "checkpoint_sequential", "get_device_states",
    "noop_context_fn", "set_checkpoint_debug_enabled", "set_checkpoint_early_stop",
    "set_device_states",
]  # fmt: skip

ContextFn = Callable[[], tuple[AbstractContextManager[Any], AbstractContextManager[Any]]]

_USE_REENTRANT = (
    "the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, calling "
    "checkpoint without use_reentrant will raise an exception. use_reentrant=False is recommended, "
    "but if you need to preserve the current default behavior, you can pass use_reentrant=True. "
    "Refer to docs for more details on the differences between the two variants."
)
_CHANGED = (
    "\nThe function has to do the same both times: look for what it depends on besides its "
    "arguments, such as global variables, modes and the tensors that require grad."
)


class CheckpointError(GraphError):
    """A part did not do the same when it was computed again."""


class _Overrides:
    """Options for all checkpoints, where they are set."""

    early_stop: bool | None = None
    debug: bool | None = None


def noop_context_fn() -> tuple[AbstractContextManager[Any], AbstractContextManager[Any]]:
    """Return two context managers that do nothing.

    >>> first, second = torch.utils.checkpoint.noop_context_fn()
    >>> with first, second:
    ...     print("inside")
    inside
    """
    return contextlib.nullcontext(), contextlib.nullcontext()


def get_device_states(*args: Any) -> tuple[list[int], list[Tensor]]:
    """Return the devices other than the CPU that tensors are on, and their generators' states.

    Args:
        args: Tensors, and containers of tensors.

    Returns:
        Two empty lists: there are no other devices.

    >>> torch.utils.checkpoint.get_device_states(torch.ones(2))
    ([], [])
    """
    return [], []


def set_device_states(devices: Any, states: Any, *, device_type: str | None = None) -> None:
    """Restore the states of the generators of devices other than the CPU, of which there are none.

    Args:
        devices: The devices, as `get_device_states` returns them.
        states: The states, as `get_device_states` returns them.
        device_type: The kind of device.

    >>> torch.utils.checkpoint.set_device_states([], [])
    """


@temporary
def set_checkpoint_early_stop(block: Block, enable: bool) -> None:
    """Set, for all checkpoints made in a block, whether they stop as soon as all is recomputed.

    Args:
        enable: Whether a checkpoint computes no more than backward needs; overrides its argument
            ``early_stop``.

    Returns:
        A context manager.

    >>> from pellucid.utils.checkpoint import checkpoint, set_checkpoint_early_stop
    >>> x = torch.ones(2, requires_grad=True)
    >>> with set_checkpoint_early_stop(False):
    ...     y = checkpoint(torch.exp, x, use_reentrant=False)
    >>> y.sum().backward()
    >>> x.grad
    tensor([2.7183, 2.7183])
    """
    block._set(_Overrides, "early_stop", enable)


@temporary
def set_checkpoint_debug_enabled(block: Block, enabled: bool | None) -> None:
    """Set, for all checkpoints made in a block, whether errors list the operations.

    Args:
        enabled: Whether they do; overrides their argument ``debug``. None leaves it to the
            argument.

    Returns:
        A context manager.

    >>> from pellucid.utils.checkpoint import checkpoint, set_checkpoint_debug_enabled
    >>> x = torch.ones(2, requires_grad=True)
    >>> with set_checkpoint_debug_enabled(True):
    ...     y = checkpoint(torch.exp, x, use_reentrant=False)
    >>> y.sum().backward()
    >>> x.grad
    tensor([2.7183, 2.7183])
    """
    block._set(_Overrides, "debug", enabled)


def checkpoint(
    function: Callable[..., Any], *args: Any, use_reentrant: bool | None = None,
    context_fn: ContextFn = noop_context_fn, determinism_check: str = "default",
    debug: bool = False, early_stop: bool = True, **kwargs: Any,
) -> Any:  # fmt: skip
    """Call a function and keep only its arguments for backward, which computes the rest again.

    Args:
        function: The function; it must do the same each time it is called.
        args: Its positional arguments.
        use_reentrant: With False, all of autograd is supported: gradients of chosen inputs, nested
            checkpoints, keyword arguments. With True, a backward pass is run inside of the backward
            pass, which needs an argument that requires grad and a backward pass to all leaves.
            If it is not given, checkpoint warns and takes True.
        context_fn: A function that returns two context managers, for the first computation and for
            the second.
        determinism_check: ``"default"`` compares shapes and dtypes of the two computations,
            ``"none"`` does not.
        debug: Whether an error lists the operations of the two computations.
        early_stop: Whether the second computation stops as soon as all is computed that backward
            needs.
        kwargs: Keyword arguments of the function; and ``preserve_rng_state``: whether the second
            computation draws the same random numbers, True by default.

    Returns:
        What the function returns.

    Raises:
        CheckpointError: In backward, a RuntimeError, if the function does not do the same again.
        ValueError: If an option is not known.

    >>> from pellucid.utils.checkpoint import checkpoint
    >>> x = torch.ones(2, requires_grad=True)
    >>> checkpoint(lambda t: t.exp().exp(), x, use_reentrant=False).sum().backward()
    >>> x.grad
    tensor([41.1936, 41.1936])
    """
    if use_reentrant is None:
        warnings.warn(f"torch.utils.checkpoint: {_USE_REENTRANT}", stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if not use_reentrant:
        return _checkpoint_by_hooks(
            function, args, kwargs, preserve, context_fn, determinism_check, debug, early_stop
        )
    if kwargs:
        raise ArgumentError("Unexpected keyword arguments: " + ",".join(kwargs))
    if context_fn is not noop_context_fn or debug:
        raise ArgumentError(
            "Passing `context_fn` or `debug` is only supported when use_reentrant=False."
        )
    _warn_unless_required(args)
    return CheckpointFunction.apply(function, preserve, *args)


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Call functions one after the other, in segments that are checkpointed, except the last one.

    Args:
        functions: A list of functions or modules, or a ``Sequential``.
        segments: The number of segments.
        input: The argument of the first function.
        use_reentrant: See `checkpoint`.
        kwargs: ``preserve_rng_state``: whether the same random numbers are drawn again.

    Returns:
        What the last function returns.

    Raises:
        ValueError: For unknown keyword arguments.

    >>> from pellucid.utils.checkpoint import checkpoint_sequential
    >>> x = torch.ones(2, requires_grad=True)
    >>> checkpoint_sequential([torch.exp, torch.log], 2, x, use_reentrant=False).sum().backward()
    >>> x.grad
    tensor([1., 1.])
    """
    if use_reentrant is None:
        warnings.warn(
            f"torch.utils.checkpoint.checkpoint_sequential: {_USE_REENTRANT}", stacklevel=2
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ArgumentError("Unexpected keyword arguments: " + ",".join(kwargs))
    # A Sequential has children; the layers that import this module are not imported here.
    steps = list(functions.children() if hasattr(functions, "children") else functions)
    size = len(steps) // segments
    last = size * (segments - 1)
    for start in range(0, last, size or 1):
        part = _in_a_row(steps[start : start + size])
        input = checkpoint(part, input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return _in_a_row(steps[last:])(input)


def _in_a_row(steps: list[Callable[..., Any]]) -> Callable[[Any], Any]:
    def forward(input: Any) -> Any:
        for step in steps:
            input = step(input)
        return input

    return forward


# ---- by hooks on what is saved ------------------------------------------------------------------


class _Stop(BaseException):
    """The signal to leave the second computation: everything that is needed has been saved.

    Like an interruption it is no Exception, so that functions that catch those do not catch it.
    """

    def __init__(self, frame: _Frame) -> None:
        self.frame = frame


class _Holder:
    """The place of one saved value, filled between the second computation and its use."""

    __slots__ = ("__weakref__", "value")

    def __init__(self) -> None:
        self.value: Any = None


class _Argument:
    """One tensor among the arguments, or what the enclosing part makes of it."""

    def __init__(self, tensor: Tensor) -> None:
        self._requires_grad = tensor.requires_grad
        hooks = modes.saved_tensor_hooks
        self._kept: Any = pack(tensor, hooks[-1]) if hooks else tensor.detach()
        self._version = tensor._version

    def again(self) -> Tensor:
        kept = self._kept
        if isinstance(kept, PackedValue):
            kept = kept.unpack()
        elif kept._version != self._version:
            raise GraphError(
                "one of the variables needed for gradient computation has been modified by an "
                f"inplace operation: an argument of checkpoint() is at version {kept._version}; "
                f"expected version {self._version} instead."
            )
        return kept.detach().requires_grad_(self._requires_grad)


class _Frame:
    """One checkpointed call: what it takes to repeat it, and what it saved the first time."""

    def __init__(
        self, repeat: Callable[..., Any], args: tuple[Any, ...], early_stop: bool,
        describe: Callable[[Tensor], Any], debug: bool,
    ) -> None:  # fmt: skip
        self._repeat = repeat
        self._args = [_Argument(each) if isinstance(each, Tensor) else each for each in args]
        self._early_stop = early_stop
        self._describe = describe
        self.logs: tuple[list[str], list[str]] | None = ([], []) if debug else None
        self._holders: list[weakref.ref[_Holder]] = []
        self._descriptions: list[Any] = []
        self._count = 0
        self._is_partial = False
        self.is_complete = False
        #: several threads may go backward through one graph, whose values they would take away
        #: from one another
        self._lock = threading.RLock()

    def kept_for_backward(self) -> list[Any]:
        """Return what is kept of the arguments."""
        return [each._kept for each in self._args if isinstance(each, _Argument)]

    def pack(self, tensor: Tensor) -> _Holder:
        """Keep nothing of a value but what it looks like."""
        holder = _Holder()
        self._holders.append(weakref.ref(holder))
        self._descriptions.append(self._describe(tensor))
        return holder

    def unpack(self, holder: _Holder) -> Tensor:
        """Return the value that was saved, computing it again if need be."""
        with self._lock:
            if holder.value is None:
                self._compute_again()
            value, holder.value = holder.value, None
        if value is None:
            raise CheckpointError(
                "torch.utils.checkpoint: A value that was saved during the original forward was "
                f"not saved during recomputation.{_CHANGED}{self._log_text()}"
            )
        return value

    def _compute_again(self) -> None:
        args = [each.again() if isinstance(each, _Argument) else each for each in self._args]
        self._count = 0
        self._is_partial = False
        hooks = saved_tensors_hooks(self._pack_again, lambda value: value)
        try:
            with hooks, enable_grad(), _logging(self.logs and self.logs[1]):
                self._repeat(*args)
        except _Stop as stop:
            if stop.frame is not self:
                raise
        self._check_count()

    def _pack_again(self, tensor: Tensor) -> Tensor:
        tensor = tensor.detach()  # nothing is to be kept of the graph that this makes
        position = self._count
        self._count += 1
        if position >= len(self._holders):
            if self.is_complete:
                raise CheckpointError(
                    "torch.utils.checkpoint: trying to save more tensors during recomputation than "
                    f"during the original forward pass.{_CHANGED}{self._log_text()}"
                )
            # A backward pass inside of the function: what comes after it is not needed.
            self._is_partial = True
            return tensor
        holder = self._holders[position]()
        if holder is not None:
            self._compare(position, tensor)
            holder.value = tensor
        if self._early_stop and self._count == len(self._holders):
            raise _Stop(self)
        return tensor

    def _compare(self, position: int, tensor: Tensor) -> None:
        before, now = self._descriptions[position], self._describe(tensor)
        if before != now:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have "
                "different metadata than during the forward pass.\n"
                f"tensor at position {position}:\nsaved metadata: {before}\n"
                f"recomputed metadata: {now}\n{_CHANGED}{self._log_text()}"
            )

    def _check_count(self) -> None:
        if self._count == len(self._holders) or self._is_partial:
            return
        raise CheckpointError(
            "torch.utils.checkpoint: A different number of tensors was saved during the original "
            "forward and recomputation.\n"
            f"Number of tensors saved during forward: {len(self._holders)}\n"
            f"Number of tensors saved during recomputation: {self._count}.\n"
            f"{_CHANGED}{self._log_text()}"
        )

    def _log_text(self) -> str:
        if self.logs is None:
            return "\nWith debug=True, the operations of both computations are listed here."
        before, again = ("\n".join(f"  {line}" for line in log) for log in self.logs)
        return (
            f"\nOperations executed during the original forward:\n{before}"
            f"\nOperations executed during recomputation:\n{again}"
        )


@contextlib.contextmanager
def _logging(log: list[str] | None) -> Iterator[None]:
    """Write down the name and the place of every operation that is recorded in the block."""
    if log is None:
        yield
        return

    def note(event: str, node: Any) -> None:
        if event == "node":
            log.append(
                f"{node.short_name()}  {node.site}" if node.site is not None else node.short_name()
            )

    log.clear()
    with observe.listening(note):
        yield


_CHECKS: dict[str, Callable[[Tensor], Any]] = {
    "default": lambda tensor: {
        "shape": tensor.shape,
        "dtype": tensor.dtype,
        "device": tensor.device,
    },
    "none": lambda tensor: None,
}


def _checkpoint_by_hooks(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any],
    preserve_rng_state: bool, context_fn: ContextFn, determinism_check: str, debug: bool,
    early_stop: bool,
) -> Any:  # fmt: skip
    debug = debug if _Overrides.debug is None else _Overrides.debug
    early_stop = early_stop if _Overrides.early_stop is None else _Overrides.early_stop
    if debug and context_fn is not noop_context_fn:
        raise ArgumentError("debug=True is incompatible with non-default context_fn")
    if determinism_check not in _CHECKS:
        raise ArgumentError(
            f"determinism_check should be one of {list(_CHECKS)}, but got {determinism_check}"
        )
    first_context, second_context = context_fn()
    state = get_rng_state() if preserve_rng_state else None

    casting = modes.autocast

    def repeat(*again: Any) -> None:
        with _random_numbers_of(state), _casting_by(casting), second_context:
            function(*again, **kwargs)

    if not modes.grad_enabled:
        return function(*args, **kwargs)
    frame = _Frame(repeat, args, early_stop, _CHECKS[determinism_check], debug)
    hooks = saved_tensors_hooks(frame.pack, frame.unpack)
    with first_context, hooks, _logging(frame.logs and frame.logs[0]):
        result = function(*args, **kwargs)
    frame.is_complete = True
    return result


@temporary
def _casting_by(block: Block, casting: Any) -> None:
    """Set autocast in the block to the casting taken from the modes earlier."""
    with_casting(block, casting)


@temporary
def _random_numbers_of(block: Block, state: Any) -> None:
    """Draw in the block the random numbers that follow a state, and put the stream back."""
    if state is not None:
        block._at_end(functools.partial(set_rng_state, get_rng_state()))
        set_rng_state(state)


# ---- by a backward pass inside of the backward pass ---------------------------------------------


class CheckpointFunction(Function):
    """A function computed without recording, and in backward once more with recording."""

    @staticmethod
    def forward(ctx: Any, function: Callable[..., Any], preserve: bool, *args: Any) -> Any:
        ctx.function = function
        ctx.state = get_rng_state() if preserve else None
        ctx.casting = modes.autocast
        ctx.others = [None if isinstance(each, Tensor) else each for each in args]
        ctx.is_tensor = [isinstance(each, Tensor) for each in args]
        ctx.save_for_backward(*itertools.compress(args, ctx.is_tensor))
        with no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        task = modes.task
        if task is not None and (task.captures is not None or task.plan.needed is not None):
            raise GraphError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or "
                "passing an `inputs` parameter to .backward(). To resolve this error, you can "
                "either set use_reentrant=False, or call .backward() without passing the `inputs` "
                "argument."
            )
        tensors = iter(ctx.saved_tensors)
        args = [
            _detached(next(tensors)) if is_tensor else other
            for is_tensor, other in zip(ctx.is_tensor, ctx.others, strict=True)
        ]
        with _random_numbers_of(ctx.state), _casting_by(ctx.casting), enable_grad():
            outputs = ctx.function(*args)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        pairs = [
            (output, gradient)
            for output, gradient in zip(outputs, gradients, strict=True)
            if isinstance(output, Tensor) and output.requires_grad
        ]
        if not pairs:
            raise GraphError(
                "none of output has requires_grad=True, this checkpoint() is not necessary"
            )
        backward([output for output, _ in pairs], [gradient for _, gradient in pairs])
        return (None, None, *(each.grad if isinstance(each, Tensor) else None for each in args))


def _detached(tensor: Tensor) -> Tensor:
    """Return the tensor as a leaf that requires grad if the tensor does."""
    return tensor.detach().requires_grad_(tensor.requires_grad)


def _warn_unless_required(args: Iterable[Any]) -> None:
    if modes.grad_enabled and not any(isinstance(a, Tensor) and a.requires_grad for a in args):
        warnings.warn(
            "None of the inputs have requires_grad=True. Gradients will be None", stacklevel=3
        )

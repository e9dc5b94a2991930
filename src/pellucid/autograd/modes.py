"""Whether operations record a graph: thread-local modes, as context managers and decorators."""

from __future__ import annotations

import functools
import inspect
import threading
import warnings
from collections.abc import Callable
from typing import Any, ClassVar, Self, TypeVar, overload

from pellucid._native import compiled
from pellucid.blocks import Block, temporary
from pellucid.observe import slow_path

#: what is public in ``pellucid`` too
__all__ = [
    "enable_grad", "inference_mode", "is_anomaly_enabled", "is_grad_enabled",
    "is_inference_mode_enabled", "no_grad", "set_grad_enabled",
]  # fmt: skip

F = TypeVar("F", bound=Callable[..., Any])
M = TypeVar("M")


class Modes(threading.local):
    """The modes of one thread; the class attributes are what a new thread starts with."""

    grad_enabled: bool = True
    inference: bool = False
    #: dotted name of the module whose forward is running, for the nodes made inside it
    scope: str | None = None
    #: names of all modules below the outermost running one, by identity; None outside of modules
    module_names: dict[int, str] | None = None
    #: innermost pair of saved-tensor hooks last
    saved_tensor_hooks: tuple[Any, ...] = ()
    #: why saved-tensor hooks may not be used now, if so
    saved_tensor_hooks_disabled: str | None = None
    #: open forward-mode levels
    forward_levels: tuple[Any, ...] = ()
    #: running `vmap` calls, the innermost last; see `pellucid.interpreters.vmap.batched`
    batch_levels: tuple[Any, ...] = ()
    #: levels at which only tangents are batched, in forward mode
    tangent_levels: tuple[Any, ...] = ()
    #: how many of `pellucid.func`'s transforms are running
    transforms: int = 0
    #: how many levels there are at which tensors may be batched
    batching: int = 0
    #: whether the compiled module stays out; see `in_python`
    in_python: bool = False
    #: what gives op calls another meaning, the innermost last; see `pellucid.core.call.interpreter`
    interpreters: tuple[Any, ...] = ()
    #: whether classes of arguments take functions over; see `pellucid.core.call.overriding`
    overriding: Any = True
    #: what `is_multithreading_enabled` returns
    multithreading: bool = True
    #: what takes all functions over, the innermost last
    function_modes: tuple[Any, ...] = ()
    #: the node whose backward is running, for nodes made by it
    evaluating: Any = None
    #: the backward pass that is running, and how many enclose it
    task: Any = None
    depth: int = 0
    #: the observer of in-place changes; see `allow_mutation_on_saved_tensors`
    before_change: Any = None

    @property
    def autocast(self) -> Any:
        """The interpreter that casts the operands of operations, while autocast is on."""
        return next((each for each in self.interpreters if each.casts), None)

    @autocast.setter
    def autocast(self, casting: Any) -> None:
        others = tuple(each for each in self.interpreters if not each.casts)
        self.interpreters = others if casting is None else (*others, casting)


modes = Modes()

#: the modes that change nothing of what the compiled module does, or that it looks at itself; in
#: any other mode, those still unknown among them, it leaves a backward pass to Python
HARMLESS_MODES = ("grad_enabled", "scope", "module_names", "multithreading", "overriding")


def push_interpreter(block: Block, interpreter: Any) -> None:
    """Put an interpreter on top of this thread's stack for the time of a block.

    Op calls come to it first.
    """
    slow_path.need_in(block)
    block._push(modes, "interpreters", interpreter)


@temporary
def interpreting(block: Block, interpreter: Any) -> None:
    """Pass all op calls of this thread to an interpreter first, in the block."""
    push_interpreter(block, interpreter)


def with_casting(block: Block, casting: Any) -> None:
    """Cast the operands of this thread's operations by an interpreter, or by none, in a block."""
    others = tuple(each for each in modes.interpreters if not each.casts)
    if casting is not None:
        slow_path.need_in(block)
        others = (*others, casting)
    block._set(modes, "interpreters", others)


@temporary
def no_autocast(block: Block) -> None:
    """Cast nothing in the block."""
    with_casting(block, None)


class DecoratingContext:
    """The base of modes that are usable as decorators."""

    def _fresh(self) -> Any:
        """Return a mode like this one, for one more use of a decorated function."""
        return type(self)()

    def __call__(self, function: F) -> F:
        return self._decorated(function)

    def _decorated(self, function: Any) -> Any:
        if inspect.isclass(function):
            warnings.warn(
                "Decorating classes is deprecated and will be disabled in future versions. You "
                "should only decorate functions or methods. To preserve the current behavior of "
                "class decoration, you can directly decorate the `__init__` method and nothing "
                "else.",
                FutureWarning,
                stacklevel=3,
            )
            function.__init__ = self(function.__init__)
            return function
        if inspect.isgeneratorfunction(function):
            return _decorate_generator(self, function)

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with self._fresh():
                return function(*args, **kwargs)

        return wrapped


def _decorate_generator(
    mode: DecoratingContext, function: Callable[..., Any]
) -> Callable[..., Any]:
    """Run each step of the generator under the mode, and the code between the steps outside it."""

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        generator = function(*args, **kwargs)
        step: Callable[[], Any] = lambda: next(generator)  # noqa: E731
        while True:
            try:
                with mode._fresh():
                    value = step()
            except StopIteration as stop:
                return stop.value
            try:
                sent = yield value
            except GeneratorExit:
                with mode._fresh():
                    generator.close()
                raise
            except BaseException as error:  # noqa: BLE001 - passed on
                step = functools.partial(generator.throw, error)
            else:
                step = functools.partial(generator.send, sent)

    return wrapped


class _DecoratesBare(type):
    """The metaclass that makes ``@no_grad`` mean ``@no_grad()``."""

    @overload
    def __call__(cls: type[M]) -> M: ...
    @overload
    def __call__(cls, function: F) -> F: ...
    def __call__(cls, function: Any = None) -> Any:
        mode = super().__call__()
        return mode if function is None else mode(function)


class _PutsGradModeBack:
    """A block at whose end ``modes.grad_enabled`` is again what its ``before`` is."""

    before: bool

    def __exit__(self, *exc: object) -> None:
        modes.grad_enabled = self.before


#: entered often, and quicker than a `Block`: assignments alone cannot be interrupted
_PutsBack: Any = _PutsGradModeBack if compiled is None else compiled.GradMode


class _GradMode(DecoratingContext, _PutsBack):
    enabled: ClassVar[bool]

    def __enter__(self) -> None:
        self.before = modes.grad_enabled
        modes.grad_enabled = self.enabled and not modes.inference


class no_grad(_GradMode, metaclass=_DecoratesBare):  # noqa: N801 - PyTorch's name
    """A context manager and decorator in which no operation is recorded.

    In-place changes are still counted, and results can be used in recorded operations later.

    Args:
        function: The function to decorate; left out for a context manager.

    >>> w = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad():
    ...     (w * 2).requires_grad
    False
    """

    enabled = False


class enable_grad(_GradMode, metaclass=_DecoratesBare):  # noqa: N801 - PyTorch's name
    """A context manager and decorator in which operations are recorded, also within `no_grad`.

    Args:
        function: The function to decorate; left out for a context manager.

    >>> w = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad(), torch.enable_grad():
    ...     (w * 2).requires_grad
    True
    """

    enabled = True


class set_grad_enabled(DecoratingContext, _PutsBack):  # noqa: N801 - PyTorch's name
    """A switch for recording that takes effect when it is made, and is undone when used as a block.

    Args:
        mode: Whether operations are recorded.

    >>> with torch.set_grad_enabled(False):
    ...     torch.is_grad_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        self.mode = bool(mode)
        self.before = modes.grad_enabled
        modes.grad_enabled = self.mode

    def __enter__(self) -> None:
        modes.grad_enabled = self.mode

    def _fresh(self) -> Any:
        return type(self)(self.mode)

    def __call__(self, function: F) -> F:
        modes.grad_enabled = self.before  # as a decorator it changes nothing outside
        return super().__call__(function)


class inference_mode(DecoratingContext, Block):  # noqa: N801 - PyTorch's name
    """A context manager and decorator without recording and version counters, for inference only.

    Args:
        mode: Whether inference mode is on; or the function to decorate.

    >>> with torch.inference_mode():
    ...     x = torch.ones(2)
    >>> x.is_inference()
    True
    """

    @overload
    def __new__(cls, mode: bool = True) -> Self: ...
    @overload
    def __new__(cls, mode: F) -> F: ...
    def __new__(cls, mode: Any = True) -> Any:
        if callable(mode):
            return cls()(mode)
        return super().__new__(cls)

    def __init__(self, mode: bool = True) -> None:
        self.mode = bool(mode)

    def _begin(self) -> None:
        if self.mode:
            slow_path.need_in(self)
        self._set(modes, "inference", self.mode)
        self._set(modes, "grad_enabled", not self.mode)

    def _fresh(self) -> Any:
        return type(self)(self.mode)


class set_multithreading_enabled(DecoratingContext):  # noqa: N801 - PyTorch's name
    """A switch for backward passes in several threads, of which there is one here.

    It is there for the programs that set and ask it; passes run in the thread that begins them.

    Args:
        mode: What `is_multithreading_enabled` returns from now on, or in the block.

    >>> with torch.autograd.set_multithreading_enabled(False):
    ...     torch.autograd.is_multithreading_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        self.before = modes.multithreading
        self.mode = modes.multithreading = bool(mode)

    def _fresh(self) -> Any:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        modes.multithreading = self.before


def is_multithreading_enabled() -> bool:
    """Return whether backward passes may run in several threads, as far as programs ask.

    >>> torch.autograd.is_multithreading_enabled()
    True
    """
    return modes.multithreading


def is_grad_enabled() -> bool:
    """Return whether operations are being recorded in this thread.

    >>> torch.is_grad_enabled()
    True
    """
    return modes.grad_enabled


def leave_hooks_entered_since(before: tuple[Any, ...]) -> None:
    """Drop the saved-tensor hooks that a backward pass has entered and not left."""
    if len(modes.saved_tensor_hooks) > len(before):
        modes.saved_tensor_hooks = modes.saved_tensor_hooks[: len(before)]


def is_inference_mode_enabled() -> bool:
    """Return whether inference mode is on in this thread.

    >>> torch.is_inference_mode_enabled()
    False
    """
    return modes.inference


class in_python(DecoratingContext, Block, metaclass=_DecoratesBare):  # noqa: N801 - used as a function
    """A context manager and decorator in which a debugger can step through ops and backward.

    Calls, the engine and derivatives run as they are defined, in Python, with the same results;
    elsewhere the compiled module takes the usual ones. Kernels, which compute whole arrays, stay
    compiled; ``PELLUCID_NATIVE=0`` in the environment turns all of the module off.

    Args:
        function: The function to decorate; left out for a context manager.

    >>> a = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> with torch.inspect.in_python():
    ...     (a * a).sum().backward()  # `step` of a debugger goes into each of them
    >>> a.grad
    tensor([2., 4.])
    """

    def _begin(self) -> None:
        slow_path.need_python_in(self)
        self._set(modes, "in_python", True)


class _Anomaly:
    """Whether backward looks for NaN; one for all threads, as in PyTorch."""

    enabled = False
    check_nan = True

    def switch(self, enabled: bool, check_nan: bool) -> None:
        """Set both; while enabled, each node made in a backward pass notes which node made it."""
        slow_path.need(self, enabled)
        self.enabled, self.check_nan = enabled, check_nan


anomaly = _Anomaly()


class set_detect_anomaly(Block):  # noqa: N801 - PyTorch's name
    """A switch for the search for NaN in gradients, used at once or as a block.

    Args:
        mode: Whether backward stores where operations were called, for its error messages.
        check_nan: Whether backward raises at the first NaN.

    >>> with torch.autograd.set_detect_anomaly(True):
    ...     torch.is_anomaly_enabled()
    True
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = (anomaly.enabled, anomaly.check_nan)
        anomaly.switch(bool(mode), bool(check_nan))

    def _begin(self) -> None:
        self._at_end(functools.partial(anomaly.switch, *self._before))


class detect_anomaly(set_detect_anomaly):  # noqa: N801 - PyTorch's name
    """A block in which backward raises at the first NaN, naming the line of the operation.

    Args:
        check_nan: Whether it does.

    >>> import warnings
    >>> warnings.simplefilter("ignore")  # that the search takes time
    >>> with torch.autograd.detect_anomaly():
    ...     x = torch.tensor(0.0, requires_grad=True)
    ...     try:
    ...         (x * 0 / x).backward()
    ...     except RuntimeError as error:
    ...         print(str(error).splitlines()[0])
    Function 'DivBackward0' returned nan values in its 1th output.
    """

    def __init__(self, check_nan: bool = True) -> None:
        super().__init__(True, check_nan)
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should "
            "only be enabled for debugging.",
            UserWarning,
            stacklevel=2,
        )


def is_anomaly_enabled() -> bool:
    """Return whether backward looks for NaN in gradients.

    >>> torch.is_anomaly_enabled()
    False
    """
    return anomaly.enabled

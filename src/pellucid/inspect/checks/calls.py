"""The calls of torch functions as checks see them, and when they are listened to.

Note [Calls are sampled]: to hear of every call takes a mode, under which an op takes a few times as
long. So the mode is there for the first steps, for one step of each power of two from then on, and
after a module has been called in a state (training or not, recorded or not) that is new. What a
loss is given is the same in every step; what happens later alone is seen at one of the powers. In
a step of many thousand calls, as of an episode, a line does the same again and again: of its equal
calls the first ones are looked at.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol

from pellucid.autograd.modes import modes
from pellucid.autograd.reading import is_tensor
from pellucid.autograd.sites import Site, user_frame
from pellucid.core.call.attributes import TorchFunctionMode
from pellucid.observe import watching

#: steps that are listened to at the beginning
_FIRST = 3
#: from this step on, steps whose number is a power of two
_POWERS_FROM = 8
#: calls of modules that are listened to after one was called in a new state
_AFTER_NEWS = 8
#: equal calls of one line in a step that are looked at
_OF_A_LINE = 64

#: other names of one function, PyTorch's and pellucid's
_NAMES = {
    "basic_index": "index", "indexed_position": "index", "getitem": "index",
    "gather_index": "index", "advanced_index": "index", "float": "cast", "double": "cast",
    "half": "cast", "type": "cast", "to": "cast", "subtract": "sub", "rsub": "sub",
    "multiply": "mul", "rmul": "mul", "negative": "neg", "cross_entropy_loss": "cross_entropy",
    "special_softmax": "softmax", "special_log_softmax": "log_softmax", "pow_scalar": "pow",
    "truediv": "div", "divide": "div", "radd": "add", "absolute": "abs", "expit": "sigmoid",
    "square": "square", "greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le",
}  # fmt: skip

#: losses of numbers, and all that compare an output with a target
LOSSES_OF_NUMBERS = frozenset({"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"})
LOSSES = LOSSES_OF_NUMBERS | {
    "cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits",
}  # fmt: skip


def name_of(function: Any) -> str:
    """Return the name of a torch function, one for all its forms: ``sub`` for ``__rsub__``."""
    name = getattr(function, "__name__", "").strip("_")
    return _NAMES.get(name, name)


class Call:
    """One call of a torch function by the program, after it succeeded.

    Args:
        function: The function.
        args: Its arguments.
        kwargs: Those given by name.
        result: What it returned.
        scope: The dotted name of the module that made the call; None outside of modules.
        recorded: Whether nodes are recorded.

    Attributes:
        frame: Code object and position of the line of the program.
        module: The outermost module that is running, if there is one.
    """

    __slots__ = (
        "args", "frame", "function", "kwargs", "module", "name", "recorded", "result", "scope",
    )  # fmt: skip

    def __init__(
        self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any,
        scope: str | None, recorded: bool,
    ) -> None:  # fmt: skip
        self.function = function
        self.name = name_of(function)
        self.args = args
        self.kwargs = kwargs
        self.result = result
        self.scope = scope
        self.recorded = recorded
        self.module: Any = None
        self.frame = user_frame()

    @property
    def site(self) -> Site:
        """The line of the program."""
        return Site(*self.frame)

    def argument(self, position: int, name: str, default: Any = None) -> Any:
        """Return an argument, however it was given."""
        if position < len(self.args):
            return self.args[position]
        return self.kwargs.get(name, default)

    @property
    def tensors(self) -> list[Any]:
        """The tensors among the arguments given by position, in order."""
        return [each for each in self.args if is_tensor(each)]


class Source(Protocol):
    """Where calls are heard: pellucid's mode, or the one that PyTorch's lines are noted by."""

    def listen(self, hear: Callable[[Call], None] | None) -> None:
        """Call ``hear`` with each call of this thread from now on; stop with None."""
        ...


class _Listening(TorchFunctionMode):
    """The mode that tells of the calls of pellucid's functions."""

    _takes_attributes = False

    def __init__(self, hear: Callable[[Call], None]) -> None:
        self.hear = hear

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        given = kwargs or {}
        result = func(*args, **given)
        self.hear(Call(func, args, given, result, modes.scope, modes.grad_enabled))
        return result


class Calls(threading.local):
    """Pellucid's calls in a thread."""

    mode: _Listening | None = None
    watching = staticmethod(watching)

    def listen(self, hear: Callable[[Call], None] | None) -> None:
        """Enter or leave the mode; either may be done twice."""
        if hear is None and self.mode is not None:
            mode, self.mode = self.mode, None
            mode.__exit__(None, None, None)
        elif hear is not None and self.mode is None:
            mode = self.mode = _Listening(hear)
            mode.__enter__()


class Sampling:
    """When calls are listened to; see Note [Calls are sampled]."""

    def __init__(self) -> None:
        self.steps = 0
        self.on = True
        self._states: set[tuple[int, bool, bool]] = set()
        #: calls of modules that are still to be listened to, at the least
        self._due = 0
        #: how often a line has made an equal call in this step
        self._repeated: dict[tuple[int, int, str, str | None], int] = {}
        #: the first line of which calls were left out
        self.left: Site | None = None

    def is_looked_at(self, call: Call) -> bool:
        """Return whether a call that was heard is one of the first of its kind in this step."""
        code, lasti = call.frame
        kind = id(code), lasti, call.name, call.scope
        number = self._repeated[kind] = self._repeated.get(kind, 0) + 1
        if number <= _OF_A_LINE:
            return True
        self.left = self.left or call.site
        return False

    def facts(self) -> list[str]:
        """Return what was left out, for the summary."""
        if self.left is None:
            return []
        return [
            f"where a line makes the same call more than {_OF_A_LINE} times in a step, the first "
            f"{_OF_A_LINE} were looked at ({self.left})"
        ]

    def module_began(self, module: Any, recorded: bool) -> None:
        """Note a call of a module that no other has called."""
        state = id(module), bool(getattr(module, "training", True)), recorded
        if state not in self._states:
            self._states.add(state)
            self._due = _AFTER_NEWS
            self.on = True
        elif self._due:
            self._due -= 1
            self.on = self._due > 0 or self._is_sampled

    def step_ended(self) -> None:
        """Note the end of a step of an optimizer; or of a pass, where there is none."""
        self.steps += 1
        self._repeated.clear()
        self.on = self._is_sampled

    @property
    def _is_sampled(self) -> bool:
        coming = self.steps + 1
        return coming <= _FIRST or (coming >= _POWERS_FROM and not coming & (coming - 1))

"""What packages take from the parts of PyTorch that TorchScript's compiler reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pellucid.compat.jit import _overload, _overload_method, export, ignore, is_scripting, unused
from pellucid.futures import Future

__all__ = [
    "Final", "Future", "_copy_to_script_wrapper", "_overload", "_overload_method",
    "boolean_dispatch", "export", "ignore", "is_scripting", "unused",
]  # fmt: skip

_copy_to_script_wrapper = export


def boolean_dispatch(
    arg_name: str, arg_index: int, default: bool, if_true: Callable[..., Any],
    if_false: Callable[..., Any], module_name: str, func_name: str,
) -> Callable[..., Any]:  # fmt: skip
    """Return a function that calls one of two, as one of its arguments says.

    Args:
        arg_name: The name of the argument, which both functions are given too.
        arg_index: Its place.
        default: What it is where it is not given.
        if_true: The function that is called where it is true.
        if_false: The function that is called where it is not.
        module_name: The module of the function returned.
        func_name: Its name.

    >>> def both(x, pair=True):
    ...     return max(x), min(x)
    >>> def one(x, pair=False):
    ...     return max(x)
    >>> largest = boolean_dispatch("pair", 1, False, both, one, __name__, "largest")
    >>> largest([3, 4]), largest([3, 4], pair=True)
    (4, (4, 3))
    """

    def dispatch(*args: Any, **kwargs: Any) -> Any:
        chosen = args[arg_index] if len(args) > arg_index else kwargs.get(arg_name, default)
        return (if_true if chosen else if_false)(*args, **kwargs)

    dispatch.__module__, dispatch.__name__ = module_name, func_name
    return dispatch

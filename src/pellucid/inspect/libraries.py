"""The libraries that a program uses, and what each of them lets the tools hear.

A tool treats them alike, as it does their tensors: see Note [Two libraries, one reader each].
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from pellucid.autograd import reading
from pellucid.inspect import products
from pellucid.inspect.checks.calls import Calls
from pellucid.nn import Module
from pellucid.observe import observing
from pellucid.random import get_rng_state, set_rng_state


class Own:
    """Pellucid itself; `inspect.pytorch` has the same for an installed PyTorch."""

    observing = staticmethod(observing)
    source = staticmethod(Calls)
    counting = staticmethod(products.counting)

    @staticmethod
    def is_module(value: Any) -> bool:
        """Return whether a value is a module of the library's."""
        return isinstance(value, Module)

    @staticmethod
    def random_state() -> Callable[[], None]:
        """Return what puts the state of the library's random numbers back to what it is now."""
        return functools.partial(set_rng_state, get_rng_state())


def libraries() -> list[Any]:
    """Return the libraries that the program uses: pellucid, and then others."""
    return [Own, *reading.others()]

"""Named ranges of a program."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from pellucid.observe import announce, watchers


class record_function:  # noqa: N801 - PyTorch's name
    """A context manager or decorator that names a block for a profile or recording.

    Args:
        name: The name.
        args: A further text; it is not shown.

    >>> with torch.profiler.profile() as profile:
    ...     with torch.profiler.record_function("a part"):
    ...         torch.ones(2).exp()
    tensor([2.7183, 2.7183])
    >>> [event.name for event in profile.events()]
    ['a part', 'aten::ones', 'aten::exp']
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name = name
        self.args = args

    def __enter__(self) -> record_function:
        if watchers:
            announce("range began", self.name)
        return self

    def __exit__(self, *_: object) -> None:
        if watchers:
            announce("range ended", self.name)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def named(*args: Any, **kwargs: Any) -> Any:
            with record_function(self.name, self.args):
                return function(*args, **kwargs)

        return named

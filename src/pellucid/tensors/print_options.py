"""The options for the text of tensors."""

from __future__ import annotations

import functools
import math
from types import SimpleNamespace
from typing import Any

from pellucid.blocks import Block, temporary
from pellucid.core.definition.public import public


class PrintOptions(SimpleNamespace):
    """How tensors are printed; see ``set_printoptions``."""

    def __init__(
        self, precision: int = 4, threshold: float = 1000, edgeitems: int = 3,
        linewidth: int = 80, sci_mode: bool | None = None, summary: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(
            precision=precision, threshold=threshold, edgeitems=edgeitems, linewidth=linewidth,
            sci_mode=sci_mode, summary=summary,
        )  # fmt: skip


print_options = PrintOptions()
"""The options in force."""

_PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
    "summary": PrintOptions(summary=True),
}


@public("set_printoptions", checked=False)
def set_printoptions(
    precision: int | None = None, threshold: float | None = None, edgeitems: int | None = None,
    linewidth: int | None = None, profile: str | None = None, sci_mode: bool | None = None,
) -> None:  # fmt: skip
    """Set how tensors are printed.

    ``precision``: digits after the point; ``threshold``: the number of elements above which only
    the edges are shown, with ``edgeitems`` of them at each end; ``linewidth``: characters per line;
    ``profile``: "default", "short" or "full", which the other arguments refine, or "summary", one
    line with shape, mean, deviation, range, zeros and NaN. What is not given
    stays as it is, except ``sci_mode``: True or False asks for or forbids scientific notation, and
    leaving it out lets the values decide. Another profile is ignored, as in PyTorch.

    Args:
        precision: Number of digits after the decimal point.
        threshold: Number of elements from which on the text is shortened.
        edgeitems: Number of elements shown at each end of a dimension.
        linewidth: Number of characters in a line.
        profile: ``"default"``, ``"short"``, ``"full"`` or ``"summary"``.
        sci_mode: Whether to use scientific notation; ``None`` decides by the values.

    >>> set_printoptions(precision=2)
    >>> print_options.precision
    2
    >>> set_printoptions(profile="default")
    """
    current = print_options if profile is None else _PROFILES.get(profile, print_options)
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    vars(print_options).update(vars(current) | chosen | {"sci_mode": sci_mode})


def get_printoptions() -> dict[str, Any]:
    """Return the options in force, as keyword arguments for ``set_printoptions``."""
    return {name: value for name, value in vars(print_options).items() if name != "summary"}


@temporary
def printoptions(block: Block, **options: Any) -> None:
    """Print with other options inside a ``with`` block; the arguments are ``set_printoptions``'s.

    Args:
        **options: More options.

    >>> with printoptions(precision=2):
    ...     print_options.precision
    2
    >>> print_options.precision
    4
    """
    block._at_end(functools.partial(vars(print_options).update, dict(vars(print_options))))
    set_printoptions(**options)

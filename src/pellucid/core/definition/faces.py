"""What nodes show of themselves under PyTorch's names: their edges, and what they have saved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Shown = Callable[[Any], Any]


class Face:
    """What the nodes of one of PyTorch's overloads show.

    Args:
        saved: The names behind ``_saved_``. ``name=source`` takes an operand, a parameter or an
            output that is called otherwise here. A name may end in ``()``, for a number that
            PyTorch takes for a list of one; in ``()?``, where ``None`` stays; in ``#``, for an
            operand or a parameter that is a number and no tensor; in ``~``, for an output that has
            no history there; in ``@``, for an operand or an output that PyTorch saves and
            that no derivative here reads: it is saved if all faces of the op have it, else shown
            where somebody still has it.
        edges: The operands that have an edge, in PyTorch's order; those with a derivative if None.
        hidden: Whether PyTorch has no such node.
        computed: What else it shows, as functions of the node.

    >>> face = Face("exponent# self", edges="input")
    >>> face.edges
    ('input',)
    """

    __slots__ = ("computed", "edges", "hidden", "saved")

    def __init__(
        self, /, saved: str = "", edges: str | None = None,
        hidden: bool = False, **computed: Shown,
    ) -> None:  # fmt: skip
        #: shown name -> (source, form)
        self.saved = dict(map(_parsed, saved.split()))
        self.edges = None if edges is None else tuple(edges.split())
        self.hidden = hidden
        self.computed = computed


_FORMS = ("()?", "()", "#", "~", "@")


def _parsed(word: str) -> tuple[str, tuple[str, str]]:
    form = next((each for each in _FORMS if word.endswith(each)), "")
    shown, _, source = word.removesuffix(form).partition("=")
    whose = shown.partition("_sym_")[0]
    return shown, (source or _OURS.get(whose, whose), form)


#: what PyTorch calls otherwise
_OURS = {"self": "input", "result": "out"}


def unsigned(value: Any) -> Any:
    """Return whole numbers as PyTorch's nodes show them: a negative one counts from 2**64."""
    if type(value) is int:
        return value % 2**64
    if isinstance(value, list | tuple):
        return tuple(map(unsigned, value))
    return value


def as_list(value: Any) -> Any:
    """Return a number as a tuple of one."""
    return (value,) if isinstance(value, int) else tuple(value)

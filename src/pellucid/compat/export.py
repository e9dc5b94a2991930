"""`torch.export`: a module and example inputs give a program that runs without its code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.compat.compiling import exporting
from pellucid.compat.compiling.exporting import ExportedProgram

__all__ = ["Dim", "ExportedProgram", "export", "load", "save"]


class Dim:
    """A size that may vary, in ``dynamic_shapes``.

    Args:
        name: What it is called.
        min: The smallest.
        max: The largest.
    """

    AUTO = DYNAMIC = STATIC = None

    def __init__(self, name: str, *, min: int | None = None, max: int | None = None) -> None:
        self.name, self.min, self.max = name, min, max


def export(
    mod: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None, *,
    dynamic_shapes: Any = None, strict: bool = False,
) -> Any:  # fmt: skip
    """Return the program that a module runs for example inputs: one graph, and the parameters.

    Args:
        mod: The module.
        args: The inputs by position.
        kwargs: The inputs by name.
        dynamic_shapes: None for a program for inputs of the same sizes alone; anything else, and no
            size is fixed but those that decide what runs.
        strict: Kept for PyTorch's callers.

    Raises:
        RuntimeError: For what cannot be part of one graph, with the line.

    >>> program = torch.export.export(torch.nn.Linear(2, 1), (torch.ones(3, 2),))
    >>> program.module()(torch.ones(3, 2)).shape
    torch.Size([3, 1])
    """
    return exporting.exported(mod, args, dict(kwargs or {}), dynamic_shapes is not None)


def save(ep: Any, f: Any, **options: Any) -> None:
    """Write an exported program to a file.

    Args:
        ep: The program.
        f: The file, or its path.
        options: Kept for PyTorch's callers.
    """
    exporting.saved(ep, f)


def load(f: Any, **options: Any) -> Any:
    """Return an exported program from a file that `save` has written.

    Args:
        f: The file, or its path.
        options: Kept for PyTorch's callers.
    """
    return exporting.loaded(f)

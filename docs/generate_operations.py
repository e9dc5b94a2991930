"""Write ``docs/operations.md``: which of PyTorch's operations are here, and what they can do.

Run it after adding an operation: ``python docs/generate_operations.py``. Nothing is claimed that
is not looked up: a name is there if it can be reached, an op has a derivative if its definition
gives one, and takes complex numbers if it takes those of its samples.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import pellucid as torch
from pellucid.errors import PellucidError
from pellucid.ops.op import Op
from pellucid.testing.samples import Sample, samples

FOLDER = Path(__file__).parent
PAGE = FOLDER / "operations.md"
NAMES = FOLDER / "names.txt"

HEAD = """\
# Operations

Which of the names of PyTorch 2.13 are here. Sparse, quantized, nested and named tensors, and what
belongs to one vendor's devices, are left out of the count.

An **op** is defined on arrays, with derivatives of its own; it works in forward mode if it has a
derivative. A **composite** is a function of ops and takes both from them. The last column says
whether an op takes complex numbers.

This page is written by `docs/generate_operations.py`; do not edit it.
"""


def public_names() -> dict[str, list[str]]:
    """Return the names to look up, by the place where PyTorch has them."""
    found: dict[str, list[str]] = {}
    place = ""
    for line in NAMES.read_text("utf-8").splitlines():
        if line.startswith("# "):
            place = line.removeprefix("# ")
            found[place] = []
        elif line:
            found[place].append(line)
    return found


def owner(place: str) -> Any:
    """Return our module or class for one of PyTorch's."""
    if place == "torch.Tensor":
        return torch.Tensor
    return importlib.import_module(place.replace("torch", "pellucid", 1))


def takes_complex(op: Op) -> bool:
    """Tell whether an op takes one of its samples with complex numbers in it."""
    return any(_runs(op, sample) for sample in samples(op))


def _runs(op: Op, sample: Sample) -> bool:
    made = sample.converted(
        lambda array: np.asarray(array + 0.5j) if array.dtype.kind == "f" else array
    )
    operands = [
        [torch.from_numpy(each) for each in value]
        if isinstance(value, list)
        else torch.from_numpy(value)
        if isinstance(value, np.ndarray)
        else value
        for value in made.operands
    ]
    if repr(made) == repr(sample) and "complex" not in repr(sample):
        return False
    try:
        op.function(*operands, **sample.params)
    except PellucidError:
        return False
    return True


def row(place: Any, name: str) -> tuple[str, str, str, str]:
    """Return what the table says of a name: what it is, derivative, forward mode, complex."""
    found = getattr(place, name)
    if isinstance(found, type):
        return ("class", "", "", "")
    op = getattr(found, "op", None)
    if op is None:
        twin = getattr(place, name.removesuffix("_"), None) if name.endswith("_") else None
        op = getattr(twin, "op", None)
        return ("in place", *_abilities(op)) if op is not None else ("composite", "", "", "")
    return ("op" if op.name == name else f"op `{op.name}`", *_abilities(op))


def _abilities(op: Op) -> tuple[str, str, str]:
    derivative = "yes" if op.formulas else "no"
    return derivative, derivative, "yes" if takes_complex(op) else "no"


def lines() -> Iterator[str]:
    """Yield the lines of the page."""
    yield HEAD
    for place, names in public_names().items():
        here = owner(place)
        there = [name for name in names if getattr(here, name, None) is not None]
        missing = [name for name in names if name not in there]
        yield f"## {place}\n"
        yield f"{len(there)} of {len(names)} names are here.\n"
        yield "| name | what it is | derivative | forward mode | complex |"
        yield "|---|---|---|---|---|"
        for name in there:
            yield f"| `{name}` | {' | '.join(row(here, name))} |"
        yield ""
        if missing:
            yield f"Not here: {', '.join(f'`{name}`' for name in missing)}.\n"


def page() -> str:
    """Return the whole page."""
    return "\n".join(lines()).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

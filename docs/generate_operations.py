"""Write ``docs/operations.md``: which of PyTorch's operations are here, and what they can do.

Run it after adding an operation: ``python docs/generate_operations.py``. Nothing is claimed that
is not tried: a name is there if it can be reached; a derivative is there if it agrees with finite
differences on calls of the name, those of ``tests/samples/calls``; complex numbers are taken if
such a call takes them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pellucid as torch
from tests.samples.measuring import (
    Smooth,
    derivative_faults,
    run,
    second_derivative_faults,
    smooth,
    tangent_faults,
)
from tests.samples.names import Call, calls, owner, public_names
from tests.samples.operands import tensors_of

PAGE = Path(__file__).with_name("operations.md")

HEAD = """\
# Operations

Which of the names of PyTorch 2.13 are here: {here} of {all}, {share:.1%}. Sparse, quantized, nested
and named tensors, and what belongs to one vendor's devices, are left out of the count.

An **op** is defined on arrays, with derivatives of its own. A **composite** is a function of ops
and takes derivatives from them. The other columns are measured on calls of the name, those of
`tests/samples/calls`: **derivative**, **second** and **forward** say that the gradient, the
gradient of the gradient and the forward-mode derivative agree with finite differences in double
precision (a cast to fewer bits shows none); **complex** says that complex numbers are taken. A
dash: there is nothing to differentiate or to be complex.

This page is written by `docs/generate_operations.py`; do not edit it.
"""

#: names that are not here, and why
LEFT_OUT = {
    "Tag": "describes the entries of PyTorch's table of compiled operators, which is not here",
    "chalf": "complex numbers of half precision, which NumPy has not",
    "index": "takes first-class dimensions, as named tensors do",
    "log_sigmoid": "PyTorch's module has no such name either; `logsigmoid` is here",
    "saddmm": "a product of sparse matrices",
}


def kind(place: Any, name: str) -> str:
    """Return what the table says a name is."""
    found = getattr(place, name, None)
    if isinstance(found, type):
        return "class"
    if not callable(found):
        return "attribute"
    op = getattr(found, "op", None)
    if op is not None:
        return "op" if op.name == name else f"op `{op.name}`"
    return "in place" if name.endswith("_") and not name.endswith("__") else "composite"


def abilities(made: list[Call]) -> tuple[str, str, str, str]:
    """Return derivative, second derivative, forward mode and complex, measured on some calls."""
    varied = [call for call in made if Smooth(call).leaves]
    if not varied:
        return "–", "–", "–", "–"
    derived = [call for call in varied if smooth(call) is not None][:2]
    measures = (derivative_faults, second_derivative_faults, tangent_faults)
    first, second, forward = (agrees(measure, derived) for measure in measures)
    return first, second, forward, "yes" if any(map(takes_complex, varied[:4])) else "no"


def agrees(faults: Callable[[Call], str], derived: list[Call]) -> str:
    """Tell whether a derivative is there, and agrees with finite differences."""
    return "yes" if derived and not any(map(faults, derived)) else "no"


def takes_complex(call: Call) -> bool:
    """Tell whether a call works when its operands in double precision are complex."""
    made = Smooth(call, lambda array: np.asarray(array + 0.5j) if array.dtype == float else array)
    try:
        run(call, tensors_of(torch, made.arrays))
    except (RuntimeError, TypeError, ValueError):
        return False
    return True


def lines() -> Iterator[str]:
    """Yield the lines of the page."""
    names = public_names()
    there = {
        place: [name for name in wanted if hasattr(owner(place), name) or (place, name) in calls()]
        for place, wanted in names.items()
    }
    here, count = (sum(map(len, each.values())) for each in (there, names))
    yield HEAD.format(here=here, all=count, share=here / count)
    for place, wanted in names.items():
        yield f"## {place}\n"
        yield f"{len(there[place])} of {len(wanted)} names are here.\n"
        yield "| name | what it is | derivative | second | forward | complex |"
        yield "|---|---|---|---|---|---|"
        for name in there[place]:
            what = kind(owner(place), name)
            row = (what, *abilities([] if what == "class" else calls()[place, name]))
            yield f"| `{name}` | {' | '.join(row)} |"
        yield ""
        for name in wanted:
            if name not in there[place]:
                yield f"Not here: `{name}`: {LEFT_OUT[name]}.\n"


def page() -> str:
    """Return the whole page."""
    return "\n".join(lines()).rstrip() + "\n"


if __name__ == "__main__":
    torch.manual_seed(0)
    PAGE.write_text(page(), encoding="utf-8")

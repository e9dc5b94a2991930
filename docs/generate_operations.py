"""Write ``docs/operations.md``: which of PyTorch's operations are here, and what they can do.

Run it after adding an operation: ``python docs/generate_operations.py``. What
is declared is read from the declarations. What is not, is tried: a derivative is there if it agrees
with finite differences on calls of the name, those of ``tests/samples/calls``; complex numbers are
taken if such a call takes them. `tests/ops/test_every_name.py` compares each row with what it
finds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pellucid as torch
from pellucid.core.definition.dtype_rules import FLOAT_MATH
from pellucid.core.definition.public import METHODS, PublicName
from pellucid.core.definition.public import public_names as public_by_module
from tests.samples.measuring import abilities
from tests.samples.names import calls, owner, public_names

PAGE = Path(__file__).with_name("operations.md")

HEAD = """\
# Operations

Of the {all} names of PyTorch 2.13, {here} are here ({share:.1%}). Sparse, quantized, nested and
named tensors, and whatever belongs to one vendor's devices, are not counted.

The first columns are read from declarations. An **op** is defined on arrays and has derivatives of
its own; a **composite** is a function of ops and gets its derivatives from them. **dtype** says in
which dtype an op computes: the *common* one of its operands, the default floating dtype if they are
integers (*float*), that of the *first* operand, or each in its *own*. **out** says which dtype the
tensor given as `out=` may have: *exact*, the dtype of the result; *casting*, any dtype that the
result can be cast to without losing its category; *joining*, for functions that join tensors;
*sequence*, like casting, but a tensor with the right number of elements keeps its shape.

The other columns are measured on calls of the name, those of `tests/samples/calls`: **derivative**,
**second** and **forward** say that the gradient, the gradient of the gradient and the forward-mode
derivative agree with finite differences in double precision (a cast to fewer bits shows none);
**complex** says that complex numbers are accepted. A dash means that the question does not arise.

This page is written by `docs/generate_operations.py`; do not edit it.
"""

#: the folders of operations, and what they are called on the page, in its order
FAMILIES = {
    "elementwise": "element by element", "reduce": "reductions", "shape": "shapes and views",
    "index": "indexing", "linalg": "linear algebra", "nn": "neural networks",
    "random": "random numbers", "signal": "signals",
}  # fmt: skip
OTHERS = "creation, settings and others"
#: names in a section from which on it is divided into families
MANY = 60

#: names that are not here, and why
LEFT_OUT = {
    "Tag": "describes the entries of PyTorch's table of compiled operators, which is not here",
    "index": "takes first-class dimensions, as named tensors do",
    "log_sigmoid": "PyTorch's module has no such name either; `logsigmoid` is here",
    "saddmm": "a product of sparse matrices",
}


def public_name_of(place: str, name: str) -> PublicName | None:
    """Return the declaration of a public name, if there is one."""
    inside = METHODS if place == "torch.Tensor" else place.removeprefix("torch").removeprefix(".")
    return public_by_module[inside].get(name)


def declared(place: str, name: str) -> tuple[str, str, str]:
    """Return what a name is, the rule of its dtypes, and the rule for the dtype of ``out=``."""
    entry, found = public_name_of(place, name), getattr(owner(place), name, None)
    if entry is None or isinstance(found, type):
        return undeclared(found), "–", "–"
    op = getattr(entry.declaration.function, "op", None)
    out = entry.declaration.out
    what = "composite" if op is None else "op" if op.name == name else f"op `{op.name}`"
    return (
        f"{what}, in place" if entry.inplace else what,
        "–" if op is None else dtype_rule(op),
        "–" if out is None or entry.inplace or place == "torch.Tensor" else out.value,
    )


def undeclared(found: Any) -> str:
    """Return what a name is that is no function of a declaration."""
    if isinstance(found, type):
        return "class"
    return "composite" if callable(found) else "attribute"


def dtype_rule(op: Any) -> str:
    """Return in a word in which dtype an op computes."""
    if not op.promotes:
        return "own"
    if op.dtypes.like_first:
        return "first"
    return "float" if op.dtypes.int_to_float is FLOAT_MATH.int_to_float else "common"


def families(place: str, names: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the families that a section is divided into, with a title if there are several."""
    if len(names) < MANY:
        yield "", list(names)
        return
    found = {name: family_of(place, name) for name in names}
    for title in (*FAMILIES.values(), OTHERS):
        if family := [name for name in names if found[name] == title]:
            yield title, family


def family_of(place: str, name: str) -> str:
    """Return what the folder of operations is called that defines a name."""
    entry = public_name_of(place, name)
    home = "" if entry is None else getattr(entry.declaration.function, "__module__", "")
    folder = home.removeprefix("pellucid.").removeprefix("ops.").partition(".")[0]
    return FAMILIES.get(folder, OTHERS)


def lines(measured: Callable[[str, str], Sequence[str]]) -> Iterator[str]:
    """Yield the lines of the page; what is measured of a name comes from a function."""
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
        for title, family in families(place, there[place]):
            if title:
                yield f"### {place}: {title}\n"
            yield "| name | what it is | dtype | out | derivative | second | forward | complex |"
            yield "|---|---|---|---|---|---|---|---|"
            for name in family:
                row = (*declared(place, name), *measured(place, name))
                yield f"| `{name}` | {' | '.join(row)} |"
            yield ""
        for name in wanted:
            if name not in there[place]:
                yield f"Not here: `{name}`: {LEFT_OUT[name]}.\n"


def page(measured: Callable[[str, str], Sequence[str]] = abilities) -> str:
    """Return the whole page."""
    return "\n".join(lines(measured)).rstrip() + "\n"


if __name__ == "__main__":
    torch.manual_seed(0)
    PAGE.write_text(page(), encoding="utf-8")

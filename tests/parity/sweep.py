"""Every sample call of every public name, with operands of other kinds, here and in PyTorch.

A case is a call of ``tests/samples/calls`` and one change of its operands: another layout, dtype or
size, a number in place of a tensor, arguments by name. As a program, it runs all cases, or those of
names with some words in them, and lists what differs::

    python -m tests.parity.sweep [words of names] [--changes words] [--every N]
"""

from __future__ import annotations

import argparse
import ast
import functools
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import torch

import pellucid
from tests.parity.accepted import ACCEPTED, Accepted, accepting
from tests.parity.in_a_child import run_all
from tests.parity.layouts import LAYOUTS, laid_out
from tests.parity.side_by_side import Outcome, differences, differences_of_strides, evaluate_on
from tests.parity.stubs import forms
from tests.samples.names import PREFIXES, calls, wanted
from tests.samples.operands import operands
from tests.samples.running import used

DTYPES = (
    "bool", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
    "complex64",
)  # fmt: skip
NUMBERS = {"True": True, "2": 2, "-1": -1, "2.5": 2.5, "1j": 1 + 2j}

#: how an operand is made of its array
Maker = Callable[[ModuleType, np.ndarray], Any]


@dataclass(frozen=True)
class Case:
    """A call, and what is other about its operands than the samples say."""

    name: str
    text: str
    change: str
    makers: tuple[tuple[str, Maker], ...] = ()

    def __str__(self) -> str:
        return f"{self.name} | {self.change} | {self.text}"

    def tensors(self, library: ModuleType) -> dict[str, Any]:
        """Return the operands; those that can be differentiated require a gradient."""
        makers = dict(self.makers)
        made = {}
        for name, array in used(self.text, operands()).items():
            made[name] = makers.get(name, as_it_is)(library, array)
            if hasattr(made[name], "requires_grad_") and (
                made[name].is_floating_point() or made[name].is_complex()
            ):
                made[name] = made[name].detach().requires_grad_()
        return made


# ---- changes of operands --------------------------------------------------------------------


def as_it_is(library: ModuleType, array: np.ndarray) -> Any:
    return library.from_numpy(np.array(array, order="K"))


def in_layout(layout: str, library: ModuleType, array: np.ndarray) -> Any:
    return laid_out(library, array, layout)


def of_dtype(dtype: str, library: ModuleType, array: np.ndarray) -> Any:
    """Return a tensor of a dtype; floats become whole numbers where it holds no others."""
    if array.dtype.kind == "f" and not dtype.startswith(("float", "bfloat", "complex")):
        array = np.clip(np.nan_to_num(array), -3, 3) * 3
        array = np.abs(array) if dtype == "uint8" else array
    if array.dtype.kind == "c" and not dtype.startswith("complex"):
        array = array.real
    if dtype == "complex64" and array.dtype.kind == "f":
        array = array + 1j * np.roll(np.nan_to_num(array, posinf=2, neginf=-2), 1)
    return library.from_numpy(np.array(array, order="K")).to(getattr(library, dtype))


def number(value: complex, library: ModuleType, array: np.ndarray) -> Any:
    return value


def shaped(how: str, library: ModuleType, array: np.ndarray) -> Any:
    """Return a tensor of some of the elements."""
    changed = {
        "0-d": lambda: array.reshape(-1)[:1].reshape(()) if array.size else array,
        "flat": lambda: array.reshape(-1),
        "empty": lambda: array[:0] if array.ndim else array,
        "nothing in a row": lambda: array[..., :0] if array.ndim else array,
        "one dimension more": lambda: array[None],
    }[how]()
    return library.from_numpy(np.array(changed))


def a_list(library: ModuleType, array: np.ndarray) -> Any:
    return array.tolist()


def single(name: str, maker: Callable[..., Any], *given: Any) -> tuple[tuple[str, Maker], ...]:
    return ((name, functools.partial(maker, *given) if given else maker),)


def changes(text: str) -> Iterator[tuple[str, tuple[tuple[str, Maker], ...]]]:
    """Yield what may be changed of a call's operands, with a word for it."""
    arrays = used(text, operands())
    yield "as it is", ()
    if not arrays:
        return
    names = sorted(arrays, key=lambda name: position(text, name))
    kind = arrays[names[0]].dtype.kind
    alike = [name for name in names if arrays[name].dtype.kind == kind]
    for layout in LAYOUTS:
        if any(arrays[name].ndim > (3 if layout == "channels-last" else 0) for name in names):
            maker = functools.partial(in_layout, layout)
            yield layout, tuple((name, maker) for name in names)
            if len(names) > 1:
                yield f"{layout} first", ((names[0], maker),)
    for dtype in DTYPES:
        maker = functools.partial(of_dtype, dtype)
        yield dtype, tuple((name, maker) for name in alike)
        for name in names if len(names) > 1 else ():
            yield f"{dtype} {name}", ((name, maker),)
    for how in ("0-d", "flat", "empty", "nothing in a row", "one dimension more"):
        maker = functools.partial(shaped, how)
        yield how, tuple((name, maker) for name in names)
        for name in names if len(names) > 1 else ():
            yield f"{how} {name}", ((name, maker),)
    for name in names:
        for word, value in NUMBERS.items():
            yield f"{word} {name}", single(name, number, value)
        yield f"None {name}", single(name, number, None)
        yield f"list {name}", single(name, a_list)


def position(text: str, name: str) -> int:
    """Return where a text first names an operand."""
    found = re.search(rf"\b{name}\b", text)
    return found.start() if found else len(text)


# ---- arguments by name ----------------------------------------------------------------------


@functools.cache
def stub_forms(place: str) -> dict[str, list[tuple[str, ...]]]:
    """Return the names of the arguments of PyTorch's functions, by its type stubs."""
    file, of_class = {
        "torch": ("_C/_VariableFunctions.pyi", None),
        "torch.Tensor": ("_C/__init__.pyi", "TensorBase"),
        "torch.nn.functional": ("nn/functional.pyi", None),
    }.get(place, (None, None))
    return forms(file, of_class) if file else {}


def by_names(place: str, name: str, text: str) -> Iterator[str]:
    """Yield the call with all arguments by name but the first, in each form that has so many."""
    prefix = PREFIXES.get(place)
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        right = ast.unparse(node.func) == f"{prefix}.{name}" if prefix else node.func.attr == name
        kept = 1 if prefix else 0
        given = node.args
        if not right or any(isinstance(each, ast.Starred) for each in given):
            continue
        keywords = node.keywords
        for form in dict.fromkeys(stub_forms(place).get(name, [])):
            if kept < len(given) <= len(form):
                named = [
                    ast.keyword(arg, value)
                    for arg, value in zip(form[kept:], given[kept:], strict=False)
                ]
                node.args, node.keywords = given[:kept], [*named, *keywords]
                yield ast.unparse(tree)
        node.args, node.keywords = given, keywords
        return


#: names that are left out: PyTorch compiles anew for each dtype, or reads and writes beyond its
#: memory where a factorization does not fit
LEFT_OUT = {
    "compile", "ormqr", "orgqr", "householder_product", "lu_solve", "ldl_solve", "lu_unpack",
}  # fmt: skip


def cases(part: int = 0, parts: int = 1) -> Iterator[Case]:
    """Yield the cases of one part of the calls, of several."""
    seen: set[str] = set()
    for place, name in wanted():
        for call in calls()[place, name] if name not in LEFT_OUT else ():
            known = len(seen)
            seen.add(call.text)
            if len(seen) == known or known % parts != part:
                continue
            for change, makers in changes(call.text):
                yield Case(f"{place}.{name}", call.text, change, makers)
            for text in dict.fromkeys(by_names(place, name, call.text)):
                yield Case(f"{place}.{name}", text, "by names")


def sample(every: int, part: int = 0, parts: int = 1) -> Iterator[Case]:
    """Yield one of so many cases of a part, drawn at random, always the same ones."""
    chosen = random.Random(part)
    return (case for case in cases(part, parts) if chosen.randrange(every) == 0)


# ---- what is compared -----------------------------------------------------------------------


def outcome(library: ModuleType, case: Case) -> Outcome:
    """Return what a case gives."""
    try:
        tensors = case.tensors(library)
    except Exception as error:
        raise AssertionError(f"operands of {case}") from error
    return evaluate_on(library, case.text, tensors, 1)


def tolerances(case: Case) -> tuple[float, float]:
    """Return how far numbers may be apart, by the narrowest that a case has."""
    if re.search("float16", case.change):
        return 5e-2, 2e-2
    arrays = used(case.text, operands()).values()
    narrow = any(each.dtype.itemsize < 8 for each in arrays if each.dtype.kind in "fc")
    return (2e-5, 2e-6) if narrow or re.search("float32|complex64", case.change) else (1e-6, 1e-9)


def compare(case: Case, before: Callable[[str], None] = lambda library: None) -> list[str]:
    """Return in what the outcomes of a case differ; each text begins with the kind.

    Each library's name is told before it is its turn.
    """
    before("pellucid")
    ours = outcome(pellucid, case)
    before("PyTorch")
    theirs = outcome(torch, case)
    if NotImplementedError in (ours.error, theirs.error) and ours.error and theirs.error:
        return []
    found = differences(ours, theirs, *tolerances(case))
    return found + differences_of_strides(ours, theirs)


def compare_all(chosen: Sequence[Case]) -> Iterator[tuple[Case, list[str]]]:
    """Yield in what the outcomes of each case differ; that a library ended is a difference too."""
    for case, found, crash in run_all(chosen, compare):
        yield case, [f"crash: {crash}"] if crash else found


def explained(case: Case, difference: str) -> Accepted | None:
    """Return the entry that accepts a difference."""
    return accepting(case.name, case.change, difference)


def _has_any(words: list[str], text: str) -> bool:
    return not words or any(word in text for word in words)


def main() -> int:
    """List what differs; return 1 if there is something that is not accepted."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("names", nargs="*", help="parts of names; all, if there are none")
    parser.add_argument("--changes", nargs="*", default=[], help="parts of what is changed")
    parser.add_argument("--every", type=int, default=1, help="run one of so many cases")
    options = parser.parse_args()
    chosen = [
        case
        for case in sample(options.every)
        if _has_any(options.names, case.name) and _has_any(options.changes, case.change)
    ]
    count: Counter[str] = Counter()
    for case, found in compare_all(chosen):
        count["cases"] += 1
        for difference in found:
            entry = explained(case, difference)
            count[f"accepted: {entry.row}" if entry else difference.split(":")[0]] += 1
            if not entry:
                print(f"{case} | {difference}".replace("\n", " "), flush=True)
    everything = options.every == 1 and not (options.names or options.changes)
    unused = {each.row for each in ACCEPTED if not count[f"accepted: {each.row}"]}
    for row in unused if everything else ():
        print(f"no case differs as accepted, though samples of PyTorch's tables may: {row}")
    for what, number in count.items():
        print(f"# {what}: {number}")
    kinds = [what for what in count if what != "cases" and not what.startswith("accepted")]
    return int(bool(kinds))


if __name__ == "__main__":
    sys.exit(main())

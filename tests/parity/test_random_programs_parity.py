"""Random programs of ops, views, in-place changes and backward passes, run by both libraries."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest

import pellucid
from tests.parity.side_by_side import to_array
from tests.samples.running import builtin_class

torch = pytest.importorskip("torch")

PROGRAMS = 400
STEPS = 14

UNARY = [
    "sin()", "cos()", "tanh()", "sigmoid()", "relu()", "exp()", "abs()", "square()", "clone()",
    "neg()",
]  # fmt: skip
REDUCE = [
    "sum()", "mean()", "sum(0)", "sum(-1, keepdim=True)", "max()", "prod()", "amax(0)", "std()",
]  # fmt: skip
VIEWS = [
    "t()", "[0]", "[-1]", "[..., 0]", "[:, 1:]", "[:1]", "view(-1)", "reshape(-1)", "view(3, 2)",
    "unsqueeze(0)", "squeeze()", "transpose(0, 1)", "expand(2, 3)", "select(0, 1)",
    "narrow(0, 0, 1)", "flatten()", "diagonal()", "unbind()[0]", "split(1)[1]", "detach()",
    "[None]", "as_strided((2,), (1,))", "view_as(x)", "permute(1, 0)", "chunk(2)[0]",
    "contiguous()", "[[0, 1]]", "data",
]  # fmt: skip
CHANGES = [
    "mul_({other})", "add_({other})", "sub_(0.5)", "mul_(2)", "tanh_()", "sigmoid_()", "relu_()",
    "neg_()", "copy_({other})", "div_(2)", "clamp_(-1, 1)", "exp_()", "pow_(2)",
    "t_()", "squeeze_()", "unsqueeze_(0)",
    "masked_fill_({other} > 0, 0.1)", "sqrt_()", "add_({other}, alpha=2)",
]  # fmt: skip
ASSIGNMENTS = ["[0]", "[:, 0]", "[...]", "[-1:]", "[{other} > 0]", "[[0]]", "[0, 1]"]
OPERATORS = ["+", "-", "*", "/", "@"]


#: kinds of statements, and how often each is written
KINDS = {
    "unary": 4, "reduce": 2, "binary": 6, "view": 7, "change": 5, "assign": 2, "augment": 3,
    "no_grad": 1, "no_grad view": 1, "backward": 3, "grad": 1, "retain_grad": 1, "delete": 1,
    "joined": 1,
}  # fmt: skip


class Writer:
    """Write the statements of a program, knowing only the names that may exist by now."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = ["x", "y", "v", "c"]

    def some(self) -> str:
        """Return a name; newer ones more often."""
        return self.random.choice([*self.names, *self.names[-3:]])

    def fresh(self) -> str:
        self.names.append(f"n{len(self.names)}")
        return self.names[-1]

    def statement(self) -> str:
        kind = self.random.choices(list(KINDS), list(KINDS.values()))[0]
        first, second = self.some(), self.some()
        if kind == "unary":
            return f"{self.fresh()} = {first}.{self.random.choice(UNARY)}"
        if kind == "reduce":
            return f"{self.fresh()} = {first}.{self.random.choice(REDUCE)}"
        if kind == "binary":
            return f"{self.fresh()} = {first} {self.random.choice(OPERATORS)} {second}"
        if kind == "view":
            view = self.random.choice(VIEWS)
            return f"{self.fresh()} = {first}{view if view.startswith('[') else f'.{view}'}"
        if kind == "change":
            return f"{first}.{self.random.choice(CHANGES).format(other=second)}"
        if kind == "assign":
            value = self.random.choice([second, "0.5", f"{second}.sum()"])
            return f"{first}{self.random.choice(ASSIGNMENTS).format(other=first)} = {value}"
        if kind == "augment":
            return f"{first} {self.random.choice('+-*/')}= {self.random.choice([second, '2'])}"
        if kind == "no_grad":
            change = self.random.choice(CHANGES).format(other=second)
            return f"with torch.no_grad(): {first}.{change}"
        if kind == "no_grad view":
            view = self.random.choice(VIEWS)
            made = f"{first}{view if view.startswith('[') else f'.{view}'}"
            return f"with torch.no_grad(): {self.fresh()} = {made}"
        if kind == "backward":
            keep = self.random.choice(["", "retain_graph=True", "retain_graph=True"])
            root = self.random.choice(
                [f"{first}.sum()", f"({first} * {second}).sum()", f"{first}.norm()"]
            )
            return f"{root}.backward({keep})"
        if kind == "grad":
            call = f"torch.autograd.grad({first}.sum(), {second}, retain_graph=True)"
            # a copy: elements of what PyTorch hands out may share their memory
            return f"{self.fresh()} = {call}[0].clone()"
        if kind == "retain_grad":
            return f"{first}.retain_grad()"
        if kind == "joined":
            return f"{self.fresh()} = torch.stack([{first}, {second}])"
        return f"{second} = None" if self.random.random() < 0.2 else f"{second} = {first}"


def start(library: Any) -> dict[str, Any]:
    values = np.random.default_rng(3)
    names: dict[str, Any] = {"torch": library}
    for name, shape in (("x", (2, 3)), ("y", (2, 3)), ("v", (3,)), ("c", (2, 3))):
        names[name] = library.from_numpy(np.asarray(values.uniform(-1.5, 1.5, shape)))
    for name in ("x", "y", "v"):
        names[name].requires_grad_()
    return names


def execute(names: dict[str, Any], statement: str) -> tuple[str, str]:
    """Run a statement; return the builtin class of its error and its text, or nothing."""
    try:
        exec(statement, names)
    except Exception as error:  # noqa: BLE001 - which one it is gets compared
        return builtin_class(error).__name__, str(error)
    return "", ""


#: Errors after which a program ends: of memory that elements share, with which we are stricter,
#: and of PyTorch's own mistakes.
ENDS = ("single memory location", "INTERNAL ASSERT FAILED")


def differently_strict(mine: tuple[str, str], yours: tuple[str, str]) -> bool:
    """Return whether both refuse, for another reason each, or PyTorch alone, though it need not.

    It looks at the history of a view before it looks at the arguments, and it frees the indices
    that picked elements, which are kept here, as they are no values.
    """
    if mine[0]:
        return "its base or another view of its base has been modified" in yours[1]
    return "backward through the graph a second time" in yours[1]


def seen(names: dict[str, Any], at_first: dict[int, int]) -> dict[str, Any]:
    """Return all that is seen of the tensors; versions count from when each is first seen."""
    found: dict[str, Any] = {}
    for name, value in names.items():
        if not hasattr(type(value), "grad_fn"):
            continue
        version = value._version - at_first.setdefault(id(value), value._version)
        try:
            grad = value.grad
            found[name] = {
                "requires grad": value.requires_grad, "leaf": value.is_leaf,
                "shape": tuple(value.shape), "version": version, "value": to_array(value),
                "strides": strides_that_matter(value), "grad": to_array(grad),
            }  # fmt: skip
        except RuntimeError:
            found[name] = FORBIDDEN
    return found


FORBIDDEN = {"error": "a view at which PyTorch does not let one look"}


def strides_that_matter(tensor: Any) -> list[int]:
    """Return the strides of the dimensions along which there is a way to go."""
    return [stride for stride, size in zip(tensor.stride(), tensor.shape, strict=True) if size > 1]


def same_gradient(mine: np.ndarray | None, yours: np.ndarray | None) -> bool:
    """Return whether gradients are equal; none is as good as zeros."""
    if mine is None or yours is None:
        return not np.any(yours if mine is None else mine)
    return mine.shape == yours.shape and np.allclose(mine, yours, 1e-8, 1e-10, equal_nan=True)


def unequal(mine: dict[str, Any], yours: dict[str, Any]) -> list[str]:
    found = [f"names: {sorted(mine.keys() ^ yours.keys())}"] if mine.keys() != yours.keys() else []
    for name in mine.keys() & yours.keys():
        for what in {**mine[name], **yours[name]}:
            value, other = mine[name].get(what), yours[name].get(what)
            if what == "grad":
                same = value is other or same_gradient(value, other)
            elif isinstance(value, np.ndarray) and isinstance(other, np.ndarray):
                same = value.shape == other.shape and np.allclose(
                    value, other, 1e-8, 1e-10, equal_nan=True
                )
            else:
                same = type(value) is type(other) and value == other
            if not same:
                found.append(f"{what} of {name}: ours {value}, theirs {other}")
    return found


def divergence(seed: int) -> list[str]:
    """Run one program on both sides; return it with the difference, or nothing."""
    writer = Writer(seed)
    ours, theirs = start(pellucid), start(torch)
    program: list[str] = []
    versions: tuple[dict[int, int], dict[int, int]] = {}, {}
    kept: list[Any] = []  # ids stay unique while objects live
    for _ in range(STEPS):
        statement = writer.statement()
        program.append(statement)
        mine, yours = execute(ours, statement), execute(theirs, statement)
        if any(end in mine[1] + yours[1] for end in ENDS) or differently_strict(mine, yours):
            break
        if mine[0] != yours[0]:
            return [*program, f"errors: ours {' '.join(mine)}, theirs {' '.join(yours)}"]
        if mine[0] and "backward" in statement:
            # PyTorch may have written some gradients before it found the error; we have not
            break
        kept += [*ours.values(), *theirs.values()]
        if found := unequal(seen(ours, versions[0]), seen(theirs, versions[1])):
            return [*program, *found]
    return []


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_random_program_does_the_same(seed: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert divergence(seed) == []

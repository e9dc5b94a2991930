"""The table of programs with bad input, the operands that they name, and what may not change."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np


class Row(NamedTuple):
    """A program, the builtin class that it raises, and how the text opens ("": not compared)."""

    error: str
    opening: str
    program: str


def rows() -> list[Row]:
    """Return the table."""
    lines = Path(__file__).with_name("bad_input.txt").read_text("utf-8").splitlines()
    return [Row(*line.split(" | ", 2)) for line in lines if not line.startswith("#")]


def accepted() -> list[str]:
    """Return the programs that PyTorch refuses and that run here, each for a reason given."""
    lines = Path(__file__).with_name("accepted.txt").read_text("utf-8").splitlines()
    return [line.split(" | ", 1)[1] for line in lines if not line.startswith("#")]


def grouped(table: list[Row], size: int = 25) -> list[list[Row]]:
    """Return the rows in groups, so that each test runs a number of them."""
    return [table[start : start + size] for start in range(0, len(table), size)]


def operands(library: ModuleType) -> dict[str, Any]:
    """Return the tensors that programs name, made anew."""
    random = np.random.default_rng(3)

    def normal(*shape: int) -> Any:
        return library.from_numpy(np.asarray(random.standard_normal(shape)))

    leaf = normal(2, 3).requires_grad_()
    leaf.grad = library.ones(2, 3, dtype=library.float64)
    b = normal(2, 3)
    return {
        "leaf": leaf, "a": leaf * 2, "b": b, "v": normal(3), "v4": normal(4), "q": normal(3, 3),
        "t": normal(2, 3, 4), "s": normal(), "e": normal(0, 3), "w": b[:, :2],
        "x": normal(1, 3).expand(2, 3), "z": library.complex(normal(2, 3), normal(2, 3)),
        "i": library.tensor([[0, 2, 1], [1, 0, 2]]), "l": library.tensor([2, 0]), "m": b > 0,
        "u8": library.tensor([1, 2, 250], dtype=library.uint8), "h": b.half(), "f": b.float(),
        "img": normal(2, 4, 6, 6), "seq": normal(2, 4, 9), "k2": normal(6, 4, 3, 3),
        "k1": normal(6, 4, 3), "emb": normal(10, 3),
    }  # fmt: skip


def run(library: ModuleType, program: str, tensors: dict[str, Any]) -> Exception | None:
    """Run a program and return what it raises."""
    library.manual_seed(0)
    names = {
        **tensors, "torch": library, "nn": library.nn, "F": library.nn.functional,
        "optim": library.optim, "data": library.utils.data,
    }  # fmt: skip
    try:
        exec(compile(program.replace("\\n", "\n"), "program.py", "exec"), names)
    except Exception as error:  # noqa: BLE001 - which one it is gets compared
        return error
    return None


def builtin_classes(error: Exception) -> set[str]:
    """Return the names of the builtin classes that catch an error."""
    return {each.__name__ for each in type(error).__mro__ if each.__module__ == "builtins"}

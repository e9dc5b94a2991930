"""Running a program under one library, statement by statement."""

from __future__ import annotations

import ast
import contextlib
import copy
import gc
import linecache
import pickle
import warnings
import weakref
from types import CodeType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from tests.parity.programs.observing import Observer, described_error, first_sentence

FILE = "program.py"


class Statement(NamedTuple):
    """A statement of a program, compiled."""

    line: int
    text: str
    code: CodeType
    names: frozenset[str]


class Seen(NamedTuple):
    """What was seen after a statement, by subject."""

    statement: Statement
    facts: dict[str, Any]


def statements(text: str) -> list[Statement]:
    """Return the statements of a program."""
    return [
        Statement(
            each.lineno, ast.unparse(each),
            compile(ast.Module([each], []), FILE, "exec", dont_inherit=True),
            frozenset(node.id for node in ast.walk(each) if isinstance(node, ast.Name)),
        )
        for each in ast.parse(text).body
    ]  # fmt: skip


class Run:
    """One run of a program under a library."""

    def __init__(self, library: ModuleType, text: str) -> None:
        self.torch = library
        self.observer = Observer(library)
        self.text = text
        self.shown: list[Any] = []
        self.logged: list[Any] = []
        self.warned: list[Any] = []
        self.names = self._vocabulary()
        self.own = frozenset(self.names)

    def _vocabulary(self) -> dict[str, Any]:
        torch = self.torch
        return {
            "torch": torch, "nn": torch.nn, "F": torch.nn.functional, "np": np, "copy": copy,
            "fwAD": torch.autograd.forward_ad, "weakref": weakref, "pickle": pickle,
            "checkpoint": torch.utils.checkpoint.checkpoint, "leaf": self.leaf, "known": self.known,
            "show": self.show, "hooked": self.hooked, "twice": twice, "raising": raising,
            "contextlib": contextlib, "__name__": "program",
        }  # fmt: skip

    def leaf(self, shape: tuple[int, ...], dtype: Any, seed: int, grad: bool = False) -> Any:
        """Return a tensor of random values."""
        values = np.random.default_rng(seed).standard_normal(shape)
        return self.torch.tensor(values, dtype=dtype).requires_grad_(grad)

    def known(self, layer: Any) -> Any:
        """Return a layer whose parameters have known values."""
        with self.torch.no_grad():
            for number, each in enumerate(layer.parameters()):
                values = np.random.default_rng(number).standard_normal(tuple(each.shape))
                each.copy_(self.torch.tensor(values))
        return layer

    def show(self, *values: Any) -> None:
        """Log values that a statement shows."""
        self.shown.append(self.observer.plain(list(values)))

    def hooked(self, *values: Any) -> None:
        """Log values that a hook is given."""
        self.logged.append(self.observer.plain(list(values)))

    def run(self, program: list[Statement]) -> list[Seen]:
        """Run all statements and return what was seen after each."""
        linecache.cache[FILE] = (len(self.text), None, self.text.splitlines(True), FILE)
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = self._warn
            return [Seen(each, self._after(each)) for each in program]

    def _warn(self, message: Any, category: Any, *_: Any) -> None:
        self.warned.append((category.__name__, first_sentence(str(message))))

    def _after(self, statement: Statement) -> dict[str, Any]:
        self.shown, self.logged, self.warned = [], [], []
        facts: dict[str, Any] = {"raised": None}
        try:
            exec(statement.code, self.names)
        except Exception as error:  # noqa: BLE001 - which one it is gets compared
            facts["raised"] = described_error(error)
        facts |= {"shown": self.shown, "logged": self.logged, "warned": self.warned}
        self.warned = []  # looking warns too
        return facts | self._look(statement)

    def _look(self, statement: Statement) -> dict[str, Any]:
        facts: dict[str, Any] = {}
        tensors: dict[str, Any] = {}
        references: dict[str, Any] = {}
        seen: dict[int, Any] = {}
        for name, value in self.names.items():
            if name in self.own or name.startswith("__"):
                continue
            if self.observer.is_tensor(value):
                tensors[name] = value
                if id(value) not in seen:
                    seen[id(value)] = self.observer.tensor(value)
                facts[name] = seen[id(value)]
                if name in statement.names:
                    facts[f"graph of {name}"] = self.observer.graph(value)
                    facts[f"saved by {name}"] = self.observer.saved(value)
            elif isinstance(value, weakref.ref):
                references[name] = value
            elif isinstance(value, self.torch.nn.Module):
                facts[f"layer {name}"] = self._layer(value)
            elif name in statement.names:
                facts[f"value {name}"] = self.observer.plain(self._value(name, value))
        if references:
            gc.collect()
            facts["alive"] = {name: each() is not None for name, each in references.items()}
        facts["bound"] = sorted(
            each for each in self.names.keys() - self.own if not each.startswith("__")
        )
        facts["modes"] = self.observer.modes()
        facts["same object"], facts["same memory"] = self.observer.shared(tensors)
        return facts

    def _value(self, name: str, value: Any) -> Any:
        return value.state_dict() if name.startswith("opt") else value

    def _layer(self, layer: Any) -> Any:
        return {
            name: self.observer.plain([each, each.grad, each.requires_grad])
            for name, each in layer.named_parameters()
        } | {name: self.observer.plain(each) for name, each in layer.named_buffers()}


def run(library: ModuleType, text: str, parsed: list[Statement]) -> list[Seen]:
    """Run the statements of a program from a known state and return what was seen."""
    library.default_generator.manual_seed(0)
    try:
        return Run(library, text).run(parsed)
    finally:
        library.set_grad_enabled(True)
        library.autograd.set_detect_anomaly(False)
        with contextlib.suppress(RuntimeError):  # as a rule none is open
            library.autograd.forward_ad.exit_dual_level()


def twice(into: tuple[Any, ...], _: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return twice the gradients that a hook of a node is given."""
    return tuple(None if g is None else g * 2 for g in into)


def raising(*_: Any, **__: Any) -> Any:
    """Raise what a program's own function may raise."""
    raise ArithmeticError("from a program")

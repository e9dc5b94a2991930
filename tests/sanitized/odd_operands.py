"""Programs with odd operands: whatever they raise, they end, and leave no mode and no memory wrong.

``python -m tests.sanitized.odd_operands SECONDS [SEED]`` takes known programs, puts something odd
in the place of an operand or parameter, runs each, goes backward, and looks at what comes of it. It
prints programs that raise what only a fault in compiled code raises, that leave a mode behind, take
too long, or end the process: a child process runs them, and another goes on behind what ended it.
``SEED.NUMBER`` instead of SEED runs one program again, with what it raises.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import gc
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any, NoReturn

import numpy as np

import pellucid as torch
from pellucid.autograd.modes import modes
from pellucid.observe import slow_path
from tests.samples.operands import operands, tensors_of
from tests.samples.running import FILE, builtin_class, flattened, used
from tests.sanitized.oddities import World, odd
from tests.sanitized.programs import programs

CALL_SECONDS = 20
MEMORY = 1 << 29
#: what would read files, or call what it is given without an end
_LEFT_OUT = ("from_file", "load", "torch.hub", "lobpcg", "pca_lowrank", "svd_lowrank", "compile(")
_AFTER = (
    "torch.inspect.graph(X)", "torch.autograd.grad(X, list(world.tensors.values()))", "repr(X)",
    "X.backward(odd(X.detach()))", "torch.autograd.backward([X, X], odd([X.detach(), X.detach()]))",
    "torch.autograd.grad(X, odd(list(world.tensors.values())), odd(X.detach()), odd(True))",
    "X.register_hook(odd(lambda g: g)) and X.sum().backward()", "X.tolist()", "X.numpy()",
    "X.register_hook(lambda g: world.disturb()) and X.sum().backward()", "copy.deepcopy(X)",
    "X.grad_fn.register_prehook(lambda g: odd(g)) and X.sum().backward()", "pickle.dumps(X)",
    "X.grad_fn.register_hook(lambda g, h: odd(g)) and X.sum().backward()", "X[odd((0, ...))]",
    "torch.autograd.graph.GradientEdge(X.grad_fn, odd(0)) and None", "X.__dlpack__()",
    "torch.autograd.backward(torch.autograd.graph.GradientEdge(X.grad_fn, odd(0)), X.detach())",
    "with torch.autograd.graph.saved_tensors_hooks(odd, odd): (X * X).sum().backward()",
    "optim.SGD([X.detach().requires_grad_()], odd(0.1), odd(0.9)).step()", "X.add_(odd(X))",
    "X.storage_offset()",
    "[setattr(t, 'grad', odd(t.detach())) for t in world.tensors.values()] and "
    "optim.Adam(list(world.tensors.values())).step()",
    "torch.cat(odd([X, X]), odd(0))", "torch.stack(odd([X] * 3), odd(0))", "X.sum(odd((0,)))",
    "torch.tensor(odd([[1.5, 2.5]] * 3))", "torch.tensor(odd([odd(1.5), odd(2)]))",
)  # fmt: skip


class TookTooLong(BaseException):
    """A program that did not end in time."""


def _stop(*_: object) -> NoReturn:
    raise TookTooLong


class _Odder(ast.NodeTransformer):
    """Puts ``odd(...)`` around some arguments of a program."""

    def __init__(self, rng: random.Random, share: float) -> None:
        self._rng = rng
        self._share = share
        self.changed = 0

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node.args = [self._maybe(self.visit(each)) for each in node.args]
        for keyword in node.keywords:
            keyword.value = self._maybe(self.visit(keyword.value))
        node.func = self.visit(node.func)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        node.left, node.right = self._maybe(node.left), self._maybe(node.right)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if isinstance(node.ctx, ast.Load):
            node.slice = self._maybe(node.slice)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return node

    def _maybe(self, node: Any) -> Any:
        bare = isinstance(node, ast.Starred) or any(
            isinstance(each, ast.Slice) for each in getattr(node, "elts", [node])
        )
        if bare or self._rng.random() > self._share:
            return node
        self.changed += 1
        return ast.Call(ast.Name("odd", ast.Load()), [node], [])


@functools.cache
def _known() -> list[str]:
    return [text for text in programs() if not any(each in text for each in _LEFT_OUT)]


def written(rng: random.Random) -> str:
    """Return a program in which something is odd."""
    while True:
        text = rng.choice(_known())
        tree = ast.parse(text)
        odder = _Odder(rng, rng.choice([0.2, 0.5, 0.9]))
        changed = ast.fix_missing_locations(odder.visit(tree))
        if odder.changed:
            return ast.unparse(changed)


@functools.lru_cache(maxsize=64)
def _compiled(text: str) -> CodeType:
    tree = ast.parse(text)
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        tree.body[-1] = ast.Assign([ast.Name("out", ast.Store())], last.value)
    return compile(ast.fix_missing_locations(tree), FILE, "exec", dont_inherit=True)


class OddProgram:
    """A program of the number and seed, always the same one."""

    def __init__(self, seed: int, number: int, tame: bool = False) -> None:
        self.rng = random.Random(f"{seed}.{number}")
        self.text = written(self.rng)
        named = used(self.text, operands())
        tensors = tensors_of(torch, named, requires_grad=self.rng.random() < 0.7)
        self.world = World(self.rng, tensors, tame)
        self.after = [] if tame else self.rng.sample(_AFTER, 2)

    def run(self) -> Any:
        """Run the program and what follows it; return what it gives."""
        import copy
        import pickle

        names = {
            "torch": torch, "nn": torch.nn, "F": torch.nn.functional, "optim": torch.optim,
            "data": torch.utils.data, "np": np, "odd": functools.partial(odd, self.world),
            "math": __import__("math"), "world": self.world, "copy": copy, "pickle": pickle,
            **self.world.tensors,
        }  # fmt: skip
        torch.default_generator.manual_seed(0)
        exec(_compiled(self.text), names)
        out = names.get("out")
        for each in flattened(out)[:2]:
            for text in self.after:
                with contextlib.suppress(Exception):
                    exec(_compiled(text), {**names, "X": each})
            if isinstance(each, torch.Tensor) and each.requires_grad:
                each.sum().backward()
        return out


def complaint(program: OddProgram) -> str | None:
    """Run a program; return what is wrong with how it ended."""
    before = slow_path.active, modes.grad_enabled, torch.get_default_dtype()
    signal.setitimer(signal.ITIMER_REAL, CALL_SECONDS)
    found = None
    try:
        program.run()
    except SystemError as error:
        found = f"{type(error).__name__}: {error} {traceback.format_exc()[-700:]}"
    except TookTooLong:
        found = f"takes longer than {CALL_SECONDS} s: {traceback.format_exc()[-700:]}"
    except Exception:  # noqa: BLE001 - what an odd operand raises is its own affair
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    program.world.tensors.clear()
    program.world.lists.clear()
    after = slow_path.active, modes.grad_enabled, torch.get_default_dtype()
    if found is None and after != before:
        found = f"{before} became {after}"
    slow_path.active, modes.grad_enabled = before[:2]
    torch.set_default_dtype(before[2])
    return found


def complaints(seed: int, first: int, seconds: float) -> Iterator[tuple[int, str | None]]:
    """Run programs for so long; yield each one's number before it, and what is wrong after it."""
    end, number = time.monotonic() + seconds, first
    previous = signal.signal(signal.SIGALRM, _stop)
    try:
        while time.monotonic() < end:
            yield number, None
            program = OddProgram(seed, number)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = complaint(program)
            if found:
                yield number, f"{program.text}\n    {found}"
            number += 1
    finally:
        signal.signal(signal.SIGALRM, previous)


def _limit_memory() -> None:
    """Bound what programs allocate; the sanitizer reserves more than any bound, and has its own."""
    if "ASAN_OPTIONS" in os.environ:
        return
    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))


def _child(seed: int, first: int, seconds: float, place: Path) -> None:
    """Run programs, with the number of the one that runs, and how many were wrong, in a file."""
    bad = 0
    _limit_memory()
    sys.unraisablehook = lambda _: None
    with place.open("w", encoding="ascii") as file:
        for number, found in complaints(seed, first, seconds):
            if found is None:
                file.seek(0)
                file.write(f"{number:20} {bad:5}")
                file.flush()
                continue
            bad += 1
            print(f"{seed}.{number} {found}", flush=True)
        file.seek(0)
        file.write(f"{number:20} {bad:5}")


def main(seconds: float, seed: int) -> int:
    """Run programs in child processes for so long; return how many complaints there are."""
    end, first, bad, of_others = time.monotonic() + seconds, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        place, report = Path(folder) / "number", Path(folder) / "report"
        while (left := end - time.monotonic()) > 0:
            place.write_text("0 0", "ascii")
            status = _in_a_child(report, lambda: _child(seed, first, left, place))  # noqa: B023
            number, found = map(int, place.read_text("ascii").split())
            first, bad = number + 1, bad + found
            if not status:
                continue
            written_down = report.read_text("utf-8", "replace")
            if is_of_others(written_down):
                of_others += 1
                continue
            bad += 1
            print(f"{seed}.{number} {OddProgram(seed, number).text}")
            print(f"    the process ended with status {status}")
            print(_from_the_first_frame(written_down), flush=True)
    print(
        f"{first} programs with odd operands in {seconds:.0f} s, {bad} complaints, "
        f"and {of_others} that NumPy or Python itself does not survive"
    )
    return bad


def _in_a_child(report: Path, task: Callable[[], None]) -> int:
    """Run a task in a child process that writes its errors into a file; return its status."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    status = 1
    try:
        with report.open("w") as errors:
            os.dup2(errors.fileno(), 2)
        task()
        status = 0
    finally:
        sys.stdout.flush()
        os._exit(status)


def is_of_others(report: str) -> bool:
    """Return whether no function of the compiled module led to what a sanitizer reports.

    What Python code calls in NumPy is NumPy's affair: that, too, borrows what a list holds while it
    asks an object for its array.
    """
    return "#0 " in report and "_native/" not in report.partition("_PyEval_EvalFrame")[0]


def _from_the_first_frame(report: str) -> str:
    lines = [line for line in report.splitlines() if " WARNING: " not in line]
    return "\n".join(f"    {line}" for line in lines[:16])


def outcomes(seed: int, count: int) -> list[str]:
    """Return the builtin class of the error that each program raises, or an empty text."""
    found = []
    _limit_memory()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(count):
            program = OddProgram(seed, number, tame=True)
            try:
                program.run()
                found.append("")
            except Exception as error:  # noqa: BLE001 - which one it is gets compared
                found.append(builtin_class(error).__name__)
    return found


def replay(seed: int, number: int) -> None:
    """Run one program, and print it and what it raises."""
    program = OddProgram(seed, number)
    print(program.text, program.after, flush=True)
    try:
        print(program.run())
    except Exception:  # noqa: BLE001 - to be seen
        traceback.print_exc()


if __name__ == "__main__":
    _seed, _, _number = (sys.argv[2] if len(sys.argv) > 2 else "0").partition(".")
    if _number:
        replay(int(_seed), int(_number))
    else:
        _known()
        gc.collect()
        gc.freeze()
        sys.exit(bool(main(float(sys.argv[1]), int(_seed))))

"""A process that runs programs: it reads their texts from a pipe and writes what they did.

A program is Python. Each of its statements, and each of those right below a ``for step in``, runs
by itself: an error is logged and the next one runs. After each, the tensors that it names are
described; after each step all of them, with the modes and what shares memory.
"""

from __future__ import annotations

import ast
import gc
import linecache
import os
import pickle
import resource
import signal
import struct
import threading
import warnings
from collections.abc import Callable
from functools import partial
from types import CodeType
from typing import Any, BinaryIO, NamedTuple

import pellucid as torch
from tests.robustness.both_ways.describing import (
    COMPLAINT,
    Record,
    described,
    described_error,
    described_graph,
    described_modes,
    plain,
    shared_memory,
)  # fmt: skip
from tests.robustness.both_ways.odd_calls import outcome, stop
from tests.robustness.both_ways.vocabulary import vocabulary

FILE = "program.py"
MEMORY = 4 << 30
CHILD_SECONDS = 60


class _Statement(NamedTuple):
    line: int
    code: CodeType
    names: tuple[str, ...]


class Run:
    """One run of a program, and what was seen of it so far."""

    def __init__(self, text: str) -> None:
        self.records: list[Record] = []
        self.step, self.line = -1, 0
        self.names = vocabulary(self.log, partial(described_graph, public=True))
        self.names["odd"] = self.odd
        self.own = frozenset(self.names)
        self.setup, self.steps, self.count = _statements(text)

    def log(self, *values: Any) -> None:
        """Log what a program shows."""
        where = "log" if threading.current_thread() is threading.main_thread() else "thread"
        if where == "log":
            self.note("log", described(list(values)))

    def odd(self, call: Callable[[], Any]) -> None:
        """Log what a call with odd arguments gave, and what is wrong with how it ended."""
        found, complaint = outcome(call)
        self.note("odd call", described(found))
        if complaint is not None:
            self.note(COMPLAINT, complaint)

    def note(self, subject: str, seen: Any) -> None:
        self.records.append(Record(self.step, self.line, subject, pickle.dumps(seen)))

    def run(self) -> list[Record]:
        """Run all of it and return what was seen."""
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            # the library's own filter, which "always" has hidden
            warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"pellucid\.")
            warnings.showwarning = self._warned
            self._run_all(self.setup)
            for step in range(self.count):
                self.step = self.names["step"] = step
                self._run_all(self.steps)
                self._look_at_all()
        return self.records

    def _warned(self, message: Any, category: Any, filename: str, *_: Any) -> None:
        own = filename == FILE
        self.note("warning", (category.__name__, plain(str(message)), own))

    def _run_all(self, statements: list[_Statement]) -> None:
        for each in statements:
            self.line = each.line
            try:
                exec(each.code, self.names)
            except Exception as error:  # noqa: BLE001 - which one it is gets compared
                self.note("raised", described_error(error))
            for name in each.names:
                if isinstance(self.names.get(name), torch.Tensor):
                    self._look(name)

    def _look(self, name: str, describe: Callable[[Any], Any] = described) -> None:
        try:
            seen = describe(self.names[name])
        except Exception as error:  # noqa: BLE001 - which one it is gets compared
            seen = described_error(error)
        self.note(name, seen)

    def _look_at_all(self) -> None:
        tensors = {
            name: value for name, value in self.names.items() if isinstance(value, torch.Tensor)
        }
        for name in tensors:
            self._look(name)
            self._look(name, described_graph)
        self.note("memory", shared_memory(tensors))
        for name, value in self.names.items():
            if isinstance(value, torch.nn.Module) or name.startswith("opt"):
                self.note(name, described(value.state_dict(), 8))
        self.note("modes", described_modes())
        self.note("random", described(torch.get_rng_state()[:64]))


def _statements(text: str) -> tuple[list[_Statement], list[_Statement], int]:
    """Return the statements before the steps, those of a step, and how many steps there are."""
    setup: list[_Statement] = []
    steps: list[_Statement] = []
    count = 0
    for each in ast.parse(text, FILE).body:
        if isinstance(each, ast.For) and isinstance(each.target, ast.Name) and (
            each.target.id == "step"
        ):  # fmt: skip
            count = len(eval(compile(ast.Expression(each.iter), FILE, "eval")))
            steps += [_statement(inner) for inner in each.body]
        else:
            setup.append(_statement(each))
    return setup, steps, count


def _statement(node: ast.stmt) -> _Statement:
    names = dict.fromkeys(each.id for each in ast.walk(node) if isinstance(each, ast.Name))
    code = compile(ast.Module([node], []), FILE, "exec", dont_inherit=True)
    return _Statement(node.lineno, code, tuple(names))


def run(text: str) -> list[Record]:
    """Run a program from a known state and return what was seen."""
    torch.default_generator.manual_seed(0)
    linecache.cache[FILE] = (len(text), None, text.splitlines(keepends=True), FILE)
    try:
        return Run(text).run()
    finally:
        _restore_modes()
        gc.collect(0)


def _restore_modes() -> None:
    torch.set_grad_enabled(True)
    torch.autograd.set_detect_anomaly(False)


def read_message(pipe: BinaryIO) -> Any:
    """Return the next object that was sent, or raise EOFError."""
    head = pipe.read(8)
    if len(head) < 8:
        raise EOFError
    return pickle.loads(pipe.read(struct.unpack("q", head)[0]))


def send_message(pipe: BinaryIO, message: Any) -> None:
    """Send an object to who reads the other end."""
    data = pickle.dumps(message)
    pipe.write(struct.pack("q", len(data)) + data)
    pipe.flush()


def answer(message: tuple[bool, tuple[str, ...]]) -> list[Record] | str:
    """Run programs and return what was seen of the last, or how the process ended that ran them.

    Programs that are to run afresh do so in a process of their own, which has run no other.
    """
    afresh, programs = message
    if afresh:
        return _in_a_child(programs)
    return [run(each) for each in programs][-1]


def _in_a_child(programs: tuple[str, ...]) -> list[Record] | str:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_CPU, (CHILD_SECONDS, CHILD_SECONDS))
        with os.fdopen(writing, "wb") as pipe:
            send_message(pipe, answer((False, programs)))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        try:
            found = read_message(pipe)
        except (EOFError, pickle.UnpicklingError):
            found = None
    _, status = os.waitpid(child, 0)
    return f"ended with {os.waitstatus_to_exitcode(status)}" if found is None else found


def serve() -> None:
    """Answer messages until there are none; what is printed goes elsewhere."""
    source, target = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            message = read_message(source)
        except EOFError:
            return
        send_message(target, answer(message))


def main() -> None:
    """Be a worker."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    signal.signal(signal.SIGALRM, stop)
    torch.set_num_threads(1)
    gc.freeze()  # who looks for what refers to a tensor need not look through the library
    serve()

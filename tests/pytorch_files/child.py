"""Run the tests of one of PyTorch's files, in this process, and write each outcome down.

The outcomes are lines of JSON: ``begun`` before a test, then ``passed``, ``skipped`` or
``failed`` with the cause. A process that ends in the middle has written where.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import sys
import time
import traceback
import unittest
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import FrameType, ModuleType, TracebackType
from typing import Any, TextIO

import numpy as np

from tests.pytorch_files import helpers, private
from tests.pytorch_files.left_out import reason_to_leave_out

#: what a test may use of the machine
SECONDS = 40
BYTES = 6 << 30
#: set for processes that tests start afresh, which import this module before the file of tests
_ON_PELLUCID = "PYTORCH_FILES_ON_PELLUCID"


class TimeLimitError(BaseException):
    """A test took longer than it may."""


class Outcomes(unittest.TestResult):
    """A result that writes each outcome to a file at once."""

    def __init__(self, file: TextIO) -> None:
        super().__init__()
        self.file = file

    def write(self, test: unittest.TestCase, outcome: str, **more: Any) -> None:
        self.file.write(json.dumps({"test": name_of(test), "outcome": outcome, **more}) + "\n")
        self.file.flush()

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self.outcome: tuple[str, dict[str, Any]] = ("passed", {})
        self.write(test, "begun")
        signal.alarm(SECONDS)

    def stopTest(self, test: unittest.TestCase) -> None:
        signal.alarm(0)
        super().stopTest(test)
        outcome, more = self.outcome
        self.write(test, outcome, **more)

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        self.outcome = ("skipped", {"why": reason})

    def addFailure(self, test: unittest.TestCase, error: Any) -> None:
        self.outcome = ("failed", cause(error))

    def addError(self, test: unittest.TestCase, error: Any) -> None:
        if not isinstance(test, unittest.TestCase):  # what a class sets up for its tests
            traceback.print_exception(*error)
        self.outcome = ("failed", cause(error))

    def addSubTest(self, test: unittest.TestCase, subtest: Any, error: Any) -> None:
        if error is not None:
            self.outcome = ("failed", cause(error))

    def addExpectedFailure(self, test: unittest.TestCase, error: Any) -> None:
        self.outcome = ("skipped", {"why": "expected to fail"})

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        self.outcome = ("skipped", {"why": "expected to fail, and passes"})


def name_of(test: unittest.TestCase) -> str:
    """Return the class and the method of a test, as they are called under PyTorch."""
    name = f"{type(test).__name__}.{getattr(test, '_testMethodName', test)}"
    if name.endswith("___get__"):  # the attribute is one of PyTorch's class written in C++
        name = name.replace(".test_Tensor_", ".test_TensorBase_")
    name = name.replace(".test_pellucid_nn_functional_", ".test_torch_nn_functional_")
    return name.replace("pellucid_nn_", "nn_").replace("pellucid_", "torch_")


def cause(error: tuple[type[BaseException], BaseException, TracebackType | None]) -> dict[str, Any]:
    """Describe what a test failed of: the error, its first lines and the last frame of note."""
    kind, value, trace = error
    frames = traceback.extract_tb(trace)
    ours = [frame for frame in frames if "/src/pellucid/" in frame.filename]
    tests = [frame for frame in frames if "/test/" in frame.filename]
    text = str(value)
    return {
        "error": kind.__name__,
        "text": text[:1500],
        "place": _place(ours[-1]) if ours else "",
        "line": _place(tests[-1]) + ": " + (tests[-1].line or "") if tests else "",
    }


def _place(frame: traceback.FrameSummary) -> str:
    name = frame.filename
    for mark in ("/src/pellucid/", "/test/"):
        name = name.rpartition(mark)[2]
    return f"{name}:{frame.lineno} {frame.name}"


def _tests(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for entry in suite:
        if isinstance(entry, unittest.TestSuite):
            yield from _tests(entry)
        elif isinstance(entry, unittest.TestCase):
            yield entry


def put_pellucid_in_place() -> None:
    """Let ``torch`` be pellucid, and PyTorch's helpers for tests run on top of it."""
    import pellucid

    pytorch = helpers.directory_of_pytorch()
    pellucid.install_as_torch()
    sys.meta_path.insert(0, helpers.HelpersFinder(pytorch))
    private.answer()
    os.environ[_ON_PELLUCID] = "1"


def load(file: Path, top: Path, wanted: Iterable[str] = ()) -> unittest.TestSuite:
    """Import a file of tests, and return what is in it."""
    for directory in {top, file.parent}:
        sys.path.insert(0, str(directory))
    private.supply_given_up_names(file)
    module = ModuleType(file.stem)
    module.__file__ = str(file)
    sys.modules[file.stem] = module
    # The classes that the newer helpers make are one level further down: so written it never ends.
    source = file.read_text().replace("super(self.__class__, self)", "super()")
    exec(compile(source, str(file), "exec", dont_inherit=True), vars(module))
    if file.stem == "test_overrides" and wanted:
        from tests.pytorch_files.overridden import add_tests_of_other_names

        add_tests_of_other_names(module, wanted)
    return unittest.TestLoader().loadTestsFromModule(module)


def _time_is_over(signal_number: int, frame: FrameType | None) -> None:
    raise TimeLimitError(f"longer than {SECONDS} s")


def _part(name: str, share: int) -> bool:
    """Return whether a test is in the part that is run: one in so many, the same every time."""
    return random.Random(name).randrange(share) == 0


def main() -> None:
    """Run what the arguments say."""
    parser = argparse.ArgumentParser()
    parser.add_argument("package", choices=["pytorch", "pellucid"])
    parser.add_argument("file", type=Path, help="relative to the directory of tests")
    parser.add_argument("--top", type=Path, required=True, help="PyTorch's directory of tests")
    parser.add_argument("--outcomes", type=Path, required=True, help="where they are written")
    parser.add_argument("--only", type=Path, help="a file with names of tests, one a line")
    parser.add_argument("--done", type=Path, help="a file with names of tests that are not run")
    parser.add_argument("--share", type=int, default=1, help="run one in so many")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    signal.signal(signal.SIGALRM, _time_is_over)
    warnings.simplefilter("ignore")
    os.environ["TORCH_COMPILE_DISABLE"] = "1"
    sys.argv = [str(options.file)]
    np.random.seed(0)  # noqa: NPY002 - the tests use it
    only = set(options.only.read_text().splitlines()) if options.only else None
    with options.outcomes.open("a") as file:
        outcomes = Outcomes(file)
        if options.package == "pellucid":
            put_pellucid_in_place()
        try:
            suite = load(options.top / options.file, options.top, only or ())
        except BaseException as error:
            what = cause((type(error), error, error.__traceback__))
            file.write(json.dumps({"test": "import", "outcome": "failed", **what}) + "\n")
            raise
        done = set(options.done.read_text().splitlines()) if options.done else set()
        chosen = [
            test
            for test in _tests(suite)
            if name_of(test) not in done
            and (_part(name_of(test), options.share) if only is None else name_of(test) in only)
            and not reason_to_leave_out(name_of(test))
        ]
        present = {name_of(test) for test in chosen}
        for missing in sorted((only or set()) - present - done):
            what = {"error": "NotThere", "text": "the test is not made", "place": "", "line": ""}
            file.write(json.dumps({"test": missing, "outcome": "failed", **what}) + "\n")
        # unittest keeps what a class has set up while its tests follow each other
        group = unittest.TestSuite(chosen)
        begin = time.time()
        group.run(outcomes)
        file.write(
            json.dumps({"test": "", "outcome": "end", "seconds": time.time() - begin}) + "\n"
        )


if __name__ == "__mp_main__" and _ON_PELLUCID in os.environ:
    put_pellucid_in_place()

if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # threads and processes that tests have left behind are not waited for

"""What holds for every test and every doctest."""

from __future__ import annotations

import gc
import importlib
import importlib.util
import itertools
import linecache
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule

from tests.samples.docstrings import by_module

#: counts the tests that have run
_run = itertools.count(1)
#: the settings before the test that runs
_settings: dict[str, object] = {}
TESTS = Path(__file__).with_name("tests")
#: what needs a package that may not be there, which nothing else does
NEEDING = {
    "src/pellucid/inspect/pytorch": "torch",
    "tests/parity": "torch",
    "src/pellucid/utils/tensorboard/event_log.py": "tensorboard",
    "tests/inspect/pytorch": "torch",
    "tests/onnx": "onnx",
    "tests/utils/tensorboard/test_event_files.py": "tensorboard",
}
collect_ignore = [
    path for path, package in NEEDING.items() if not importlib.util.find_spec(package)
]
# `make site-check` builds the site and says where it lies.
if "PELLUCID_SITE" not in os.environ:
    collect_ignore.append("tests/site")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Import the package, as pytest would import the first file's package again after its own.

    A process that only hands the tests to workers goes without. Programs that tests interrupt are
    interrupted too where a shell had these tests, in the background, ignore Ctrl-C.
    """
    if session.config.getoption("dist", "no") == "no":
        importlib.import_module("pellucid")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def names_in_examples(doctest_namespace: dict[str, Any]) -> None:
    """In the examples of docstrings, as in PyTorch's, ``torch`` has been imported."""
    doctest_namespace["torch"] = importlib.import_module("pellucid")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Iterator[list[pytest.Collector]]:
    """Look for examples in the docstrings of the library alone."""
    collectors: list[pytest.Collector] = yield
    if file_path.is_relative_to(TESTS):
        return [each for each in collectors if not isinstance(each, DoctestModule)]
    return collectors


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Make one test of the examples of a module, or of those of them that were asked for."""
    items[:] = by_module(items)
    for item in items:
        if isinstance(item, pytest.DoctestItem) and item.path.name == "owners.py":
            item.fixturenames.append("without_the_session")


def set_aside() -> None:
    """Set aside what lives now, so that the garbage collector does not walk it in tests."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect tests without the garbage collector, which would walk all of them time and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Set aside what was collected, and forget the files that were read for it.

    Before each docstring's examples the debugger, though unused, looks whether one has changed.
    """
    set_aside()
    for name in [name for name, entry in linecache.cache.items() if _is_file(entry)]:
        del linecache.cache[name]


def _is_file(entry: tuple[Any, ...]) -> bool:
    """Return whether an entry of ``linecache`` has a file's time of change."""
    return len(entry) > 1 and entry[1] is not None


def global_settings() -> dict[str, object]:
    """Return what a test could change for all that run after it."""
    from pellucid import dtypes
    from pellucid.autograd.modes import modes

    return {"grad mode": modes.grad_enabled, "default dtype": dtypes.get_default_dtype()}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Remember the settings before the test."""
    _settings.update(global_settings())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Iterator[None]:
    """Fail where the test has left other settings, and set them back.

    Set aside what tests have left: after thousands of them a collection takes half a second.
    """
    try:
        return (yield)
    finally:
        after = global_settings()
        set_back(_settings)
        assert after == _settings
        if next(_run) % 500 == 0:
            set_aside()


def set_back(settings: dict[str, Any]) -> None:
    """Set what `global_settings` returned."""
    from pellucid import dtypes
    from pellucid.autograd.modes import modes

    modes.grad_enabled = settings["grad mode"]
    dtypes.set_default_dtype(settings["default dtype"])


@pytest.fixture
def without_the_session(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Hide the other tests where owners of tensors are searched for."""
    own = request.module
    monkeypatch.setattr("pellucid.inspect.owners._is_of_program", lambda module: module is own)
    monkeypatch.setattr("pellucid.inspect.owners._of_libraries", lambda: iter(()))

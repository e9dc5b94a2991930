"""A small file cannot ask for much time or memory, whatever it describes."""

from __future__ import annotations

import io
import resource
import signal
from collections.abc import Iterator

import numpy as np
import pytest

import pellucid as torch
from tests.interop.hostile import (
    ATTACKS,
    LARGE,
    MEMORY,
    SECONDS,
    archive,
    expanded,
    marked,
    outcome,
)

SIZE = 100_000


@pytest.fixture(autouse=True)
def _limits() -> Iterator[None]:
    """Stop a test that takes too much, instead of the machine."""
    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, hard))
    signal.alarm(10 * SECONDS)
    yield
    signal.alarm(0)
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@pytest.mark.parametrize("name", ATTACKS)
def test_a_file_is_refused_that_holds(name: str) -> None:
    assert outcome(ATTACKS[name](SIZE)) in ("UnpicklingError", "FileError", "UnimplementedError")


@pytest.mark.parametrize("name", LARGE)
def test_a_file_is_loaded_that_holds(name: str) -> None:
    assert outcome(LARGE[name](SIZE)) == "loaded"


def test_a_negated_tensor_is_the_negative_of_its_memory() -> None:
    values = np.arange(1, 5, dtype=np.float32)
    file = archive(expanded(marked(b"neg")) + b".", data_0=values.tobytes())
    found = torch.load(io.BytesIO(file))
    assert found.shape == (2**30, 1)
    assert found.stride() == (0, 1)
    assert found[5, 0].item() == -1


def test_large_keys_of_honest_files_are_loaded() -> None:
    obj = {(k, str(k), (k, 2.5)): {k: None, -k * 2**70: k} for k in range(2000)}
    file = io.BytesIO()
    torch.save(obj, file)
    file.seek(0)
    assert torch.load(file) == obj

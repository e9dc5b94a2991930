"""The pool of threads: its size changes no bits, and a child process makes its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import pellucid
from tests.native.kernel_samples import assert_close, kernels, needs_kernels

pytestmark = needs_kernels


@pytest.fixture(autouse=True)
def _restored_thread_count():
    count = kernels.get_num_threads() if kernels is not None else 1
    yield
    kernels.set_num_threads(count)


def computed():
    """Return results of kernels that divide their work among threads."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20, 16, 20, 20)).astype(np.float32)
    w = rng.normal(size=(24, 16, 3, 3)).astype(np.float32)
    options = ((1, 1), (1, 1), (1, 1), 1)
    y = kernels.convolve(x, w, *options, None)
    rows = x.reshape(-1, 100)
    places = rng.integers(0, 100, rows.shape)
    gates = rng.random((64, 300), np.float32)
    mean, rstd = kernels.layer_norm(rows, 1, None, None, 1e-5)[1:]
    return [
        y,
        kernels.convolve_to_input(y, w, x.shape, *options, None),
        kernels.convolve_to_weight(y, x, w.shape, *options),
        *kernels.batch_norm(x, None, None, 1e-5),
        kernels.normalisation_to_weight(rows, rows, mean, rstd, (0,)),
        kernels.softmax(rows, 1),
        kernels.gelu(x),
        *kernels.max_pool(x, (2, 2), (2, 2), (0, 0), (1, 1), False),
        kernels.take_along(rows, places, 1),
        kernels.scatter_add_along(rows.shape, places, rows, 0),
        kernels.scatter_reduce(rows, 1, places, rows, "sum"),
        kernels.index_add(rows, 0, places[0], rows[:100]),
        kernels.embedding_to_weight(x, places[:20, 0], 100),
        kernels.cumsum(rows, 0),
        kernels.cumprod(rows, 1),
        kernels.arctan2(x, y[:, :16, :20, :20]),
        kernels.power(np.abs(x), np.float32(2.5)),
        kernels.where(x > 0, x, 0.5),
        kernels.largest(rows, 1, True),
        kernels.product(rows, 0, None, False),
        kernels.product(rows, 1, None, False),
        *kernels.cummax(rows, 1),
        kernels.triu(rows, 3),
        kernels.searchsorted(np.sort(rows[0]), rows, "right"),
        kernels.scatter(rows, 1, places, rows),
        kernels.logsumexp(rows, 1, True),
        kernels.logcumsumexp(rows, 0),
        kernels.logcumsumexp(rows, 1),
        kernels.total_of_squares(rows, (0,), False),
        *kernels.sort(rows, 1, True),
        *kernels.topk(rows, 5, 0, False, True),
        kernels.cast(rows, np.dtype(np.float16)),
        kernels.gru_cell_to_input(gates, gates, rows[:64], rows[:64]),
        *kernels.gru(gates[None], rows[:64], rows[:300], gates[0], False),
    ]


def test_the_number_of_threads_changes_no_bits():
    kernels.set_num_threads(1)
    alone = computed()
    for count in (2, 3, 7):
        kernels.set_num_threads(count)
        for found, expected in zip(computed(), alone, strict=True):
            assert np.array_equal(found, expected)


def test_several_threads_may_use_kernels_at_once():
    kernels.set_num_threads(2)
    expected = computed()
    results = [None] * 4

    def run(place):
        results[place] = computed()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(results))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        for found, wanted in zip(result, expected, strict=True):
            assert np.array_equal(found, wanted)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_makes_a_pool_of_its_own():
    kernels.set_num_threads(2)
    expected = computed()
    child = os.fork()
    if child == 0:
        same = all(map(np.array_equal, computed(), expected))
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers")
def test_an_interrupt_during_long_kernels_stops_the_program_and_leaves_kernels_in_order():
    kernels.set_num_threads(2)
    expected = computed()
    x = np.ones((900, 900), np.float32)
    before = sys.getrefcount(x)

    def interrupt(number, frame):
        raise KeyboardInterrupt

    def go_on():
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        end = time.monotonic() + 30
        while time.monotonic() < end:
            kernels.matmul(kernels.softmax(x, 1), x)

    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            go_on()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert sys.getrefcount(x) == before
    assert all(map(np.array_equal, computed(), expected))


def test_a_count_below_one_is_declined():
    assert kernels.set_num_threads(0) is NotImplemented


PROGRAM = """
import sys
import numpy as np
sys.path.insert(0, sys.argv[2])
from tests.native.test_kernels_threads import computed
np.savez(sys.argv[1], *computed())
"""


@pytest.mark.parametrize("level", ["baseline", "avx2"])
def test_every_processor_level_computes_the_same_up_to_rounding(level, tmp_path):
    source, tests = Path(pellucid.__file__).parents[1], Path(__file__).parents[2]
    environment = os.environ | {"PELLUCID_NATIVE": level, "PYTHONPATH": str(source)}
    file = tmp_path / "results.npz"
    subprocess.run(
        [sys.executable, "-c", PROGRAM, str(file), str(tests)], env=environment, check=True
    )
    with np.load(file) as results:
        for found, expected in zip(results.values(), computed(), strict=True):
            assert_close(found, expected, units=2048)


COUNTED = """
import os
import threading
import numpy as np
from pellucid._native import compiled
first = threading.Thread(target=int)  # with which a sanitizer starts a thread of its own
first.start()
first.join()
begun = len(os.listdir("/proc/self/task"))
compiled.kernels.set_num_threads(70_000)
compiled.kernels.softmax(np.ones((3, 200_000), np.float32), 1)
print(len(os.listdir("/proc/self/task")) - begun)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="threads cannot be counted")
def test_there_are_no_more_threads_than_parts_of_work():
    environment = os.environ | {"PYTHONPATH": str(Path(pellucid.__file__).parents[1])}
    started = subprocess.run(
        [sys.executable, "-c", COUNTED], env=environment, check=True, capture_output=True
    ).stdout
    assert 1 <= int(started) <= 2  # beside the thread that calls: three rows are three parts

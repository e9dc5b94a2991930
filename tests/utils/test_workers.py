"""Batches made by worker processes: the same ones in the same order, and no worker left behind."""

from __future__ import annotations

import functools
import gc
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info
from pellucid.utils.data._utils.transport import BIG

SOURCE = Path(torch.__file__).resolve().parents[1]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="workers are forked")


class Computed(Dataset):
    """Samples that a function computes from their index."""

    def __init__(self, count: int, function: Any) -> None:
        self.count = count
        self.function = function

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> Any:
        return self.function(index)


class Parts(IterableDataset):
    """A stream of which each worker has its own part: worker w of n gives w, w + n, w + 2n, ..."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __iter__(self):
        worker = get_worker_info()
        assert worker is not None
        assert worker.dataset is self
        return iter(range(worker.id, self.count, worker.num_workers))


def own_process(_: int) -> int:
    return os.getpid()


def is_running(pid: int) -> bool:
    """Return whether a process runs; one that has ended and only waits to be noticed does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


def have_ended(pids: Any, within: float = 10) -> bool:
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if not any(is_running(int(pid)) for pid in pids):
            return True
        time.sleep(0.02)
    return False


def pids_of(iterator: Any) -> list[int]:
    return [process.pid for process in iterator._workers]


# ---- the batches -------------------------------------------------------------------------------


@pytest.mark.parametrize("prefetch_factor", [None, 1, 5])
def test_workers_give_the_batches_of_the_sampler_in_its_order(prefetch_factor: int | None) -> None:
    def late(index: int) -> int:
        time.sleep(0.01 * (index % 3 == 0))
        return index * index

    loader = DataLoader(
        Computed(11, late), batch_size=2, num_workers=2, prefetch_factor=prefetch_factor
    )
    expected = [[i * i for i in range(start, min(start + 2, 11))] for start in range(0, 11, 2)]
    assert [batch.tolist() for batch in loader] == expected
    assert len(loader) == len(expected)


def test_batches_are_made_in_other_processes() -> None:
    (seen,) = {tuple(batch.tolist()) for batch in DataLoader(Computed(3, own_process), 3)}
    assert set(seen) == {os.getpid()}
    made_by = {pid.item() for pid in DataLoader(Computed(6, own_process), num_workers=2)}
    assert len(made_by) == 2
    assert os.getpid() not in made_by


def test_single_samples_and_samplers_of_batches_work_with_workers() -> None:
    squares = Computed(5, lambda index: index * index)
    assert list(DataLoader(squares, batch_size=None, num_workers=1)) == [0, 1, 4, 9, 16]
    batches = DataLoader(squares, batch_sampler=[[4, 0], [2]], num_workers=2)
    assert [batch.tolist() for batch in batches] == [[16, 0], [4]]


def test_collate_fn_runs_in_the_worker() -> None:
    loader = DataLoader(range(4), 2, num_workers=1, collate_fn=lambda batch: (os.getpid(), batch))
    (first, one), (second, two) = loader
    assert first == second != os.getpid()
    assert (one, two) == ([0, 1], [2, 3])


def test_a_stream_is_shared_out_by_what_a_worker_knows_of_itself() -> None:
    batches = [batch.tolist() for batch in DataLoader(Parts(7), batch_size=2, num_workers=2)]
    assert batches == [[0, 2], [1, 3], [4, 6], [5]]
    batches = [
        batch.tolist()
        for batch in DataLoader(Parts(7), batch_size=2, num_workers=2, drop_last=True)
    ]
    assert batches == [[0, 2], [1, 3], [4, 6]]


def test_a_stream_that_ends_early_leaves_the_others_their_turn() -> None:
    class Uneven(IterableDataset):
        def __iter__(self):
            return iter([] if get_worker_info().id == 0 else range(5))

    assert [x.item() for x in DataLoader(Uneven(), num_workers=2)] == [0, 1, 2, 3, 4]


def test_order_may_be_given_up_for_what_is_there_first() -> None:
    def slow_start(index: int) -> int:
        time.sleep(0.6 if index == 0 else 0)
        return index

    loader = DataLoader(Computed(6, slow_start), num_workers=2, in_order=False)
    order = [x.item() for x in loader]
    assert sorted(order) == list(range(6))
    assert order[0] != 0


@pytest.mark.parametrize("size", [BIG // 4 - 1, BIG // 4, 3 * BIG // 4 + 5])
def test_arrays_of_any_size_arrive_whole_and_writable(size: int) -> None:
    def sample(index: int) -> Any:
        base = torch.arange(size, dtype=torch.float32) + index
        return {"x": base, "n": np.full((2, size), index, np.int32), "name": f"row {index}"}

    loader = DataLoader(Computed(4, sample), batch_size=2, num_workers=2)
    for number, batch in enumerate(loader):
        rows = np.array([2 * number, 2 * number + 1])
        assert np.array_equal(batch["x"].numpy(), np.arange(size) + rows[:, None])
        assert np.array_equal(batch["n"].numpy()[:, 1], np.repeat(rows[:, None], size, 1))
        assert batch["name"] == [f"row {row}" for row in rows]
        batch["x"].add_(1)
        assert batch["x"][1, 0].item() == rows[1] + 1


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files through /proc")
def test_big_batches_that_are_kept_keep_no_file_open() -> None:
    big = Computed(6, lambda index: torch.full((BIG,), index, dtype=torch.uint8))
    before = len(os.listdir("/proc/self/fd"))
    kept = list(DataLoader(big, batch_size=1, num_workers=2))
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= before
    assert [batch[0, -1].item() for batch in kept] == list(range(6))


def test_leaves_keep_that_they_require_grad() -> None:
    def leaf(index: int) -> Any:
        return torch.ones(2).requires_grad_()

    (x,) = DataLoader(Computed(1, leaf), batch_size=None, num_workers=1)
    assert x.requires_grad
    assert x.is_leaf


# ---- seeds, and what a worker is told ------------------------------------------------------------


def test_each_worker_is_seeded_by_the_seed_of_the_pass_and_its_number() -> None:
    def told(_: int) -> list[int]:
        return [get_worker_info().seed, torch.initial_seed(), get_worker_info().id]

    generator = torch.Generator().manual_seed(5)
    base = torch.empty((), dtype=torch.int64).random_(generator=generator).item()
    generator.manual_seed(5)
    loader = DataLoader(Computed(4, told), None, num_workers=2, generator=generator)
    assert list(loader) == [[base + n, base + n, n] for n in (0, 1, 0, 1)]


def test_the_main_process_draws_as_many_numbers_with_workers_as_without() -> None:
    def after(num_workers: int) -> float:
        torch.manual_seed(1)
        order = [x.item() for x in DataLoader(range(5), shuffle=True, num_workers=num_workers)]
        return [*order, torch.rand(()).item()]

    assert after(0) == after(2)


def test_the_function_for_workers_runs_in_each_before_its_first_batch() -> None:
    def prepare(number: int) -> None:
        get_worker_info().dataset.function = lambda index: (number, index)

    loader = DataLoader(Computed(4, None), None, num_workers=2, worker_init_fn=prepare)
    assert list(loader) == [[0, 0], [1, 1], [0, 2], [1, 3]]
    assert get_worker_info() is None


def test_persistent_workers_stay_from_pass_to_pass() -> None:
    loader = DataLoader(
        Computed(4, own_process), num_workers=2, persistent_workers=True, shuffle=True
    )
    first = {pid.item() for pid in loader}
    unfinished = iter(loader)
    next(unfinished)
    assert {pid.item() for pid in loader} == first
    assert len(first) == 2
    del loader, unfinished
    gc.collect()
    assert have_ended(first)


def test_persistent_workers_begin_a_stream_anew() -> None:
    loader = DataLoader(Parts(4), num_workers=2, persistent_workers=True)
    for _ in range(3):
        assert [x.item() for x in loader] == [0, 1, 2, 3]


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_workers_can_be_started_afresh(method: str) -> None:
    loader = DataLoader(range(5), 2, num_workers=1, multiprocessing_context=method)
    assert loader.multiprocessing_context.get_start_method() == method
    assert [batch.tolist() for batch in loader] == [[0, 1], [2, 3], [4]]


def test_what_cannot_be_pickled_for_a_worker_is_refused_and_leaves_none_behind() -> None:
    loader = DataLoader(
        Computed(2, lambda index: index), num_workers=1, multiprocessing_context="spawn"
    )
    with pytest.raises((AttributeError, TypeError)) as caught:
        iter(loader)
    assert "pickle" in str(caught.value)


# ---- errors ------------------------------------------------------------------------------------


def failing(error: Exception, index: int) -> int:
    if index == 1:
        raise error
    return index


class Peculiar(Exception):
    def __init__(self, one: int, two: int) -> None:
        super().__init__(one + two)


@pytest.mark.parametrize(
    ("error", "raised"),
    [(ValueError("no. 1"), ValueError), (KeyError("k"), KeyError), (Peculiar(1, 2), RuntimeError)],
)
def test_an_exception_in_a_worker_is_raised_here_with_its_traceback(
    error: Exception, raised: type[Exception]
) -> None:
    loader = DataLoader(Computed(4, functools.partial(failing, error)), num_workers=1)
    iterator = iter(loader)
    assert next(iterator).item() == 0
    with pytest.raises(raised) as caught:
        next(iterator)
    text = str(caught.value)
    name = type(error).__name__
    assert text.startswith(f"Caught {name} in DataLoader worker process 0.\nOriginal Traceback")
    assert "in failing\n    raise error\n" in text
    assert [x.item() for x in iterator] == [2, 3]  # the worker goes on


def test_an_exception_before_the_first_batch_is_raised_at_the_first_batch() -> None:
    def refuse(number: int) -> None:
        raise ValueError("not today")

    with pytest.raises(ValueError, match=r"worker process 0\.[\s\S]*not today"):
        next(iter(DataLoader(range(2), num_workers=1, worker_init_fn=refuse)))


def test_a_batch_that_cannot_be_pickled_is_reported_and_not_lost() -> None:
    loader = DataLoader(Computed(2, lambda index: lambda: index), None, num_workers=1)
    with pytest.raises(Exception, match=r"in DataLoader worker process 0[\s\S]*pickle"):
        list(loader)


@pytest.mark.parametrize("how", ["killed", "exited"])
def test_a_worker_that_dies_is_reported(how: str) -> None:
    def die(index: int) -> int:
        if index == 2 and how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if index == 2:
            os._exit(3)
        return index

    iterator = iter(DataLoader(Computed(4, die), num_workers=2))
    pids = pids_of(iterator)
    told = "killed by signal: Killed" if how == "killed" else "exited with code 3"
    with pytest.raises(
        RuntimeError, match=rf"pid\(s\) {pids[0]}\) exited unexpectedly[\s\S]*{told}"
    ):
        list(iterator)
    assert have_ended(pids)


def test_a_worker_killed_while_it_sends_is_reported() -> None:
    big = Computed(50, lambda index: "x" * 3_000_000)
    iterator = iter(DataLoader(big, None, num_workers=1, prefetch_factor=4))
    next(iterator)
    time.sleep(0.1)
    os.kill(pids_of(iterator)[0], signal.SIGKILL)
    with pytest.raises(RuntimeError, match="exited unexpectedly"):
        list(iterator)


def test_a_worker_that_was_stopped_ends_by_itself_when_the_loader_is_closed() -> None:
    iterator: Any = iter(DataLoader(Computed(4, lambda index: index), None, num_workers=2))
    next(iterator)
    for pid in pids_of(iterator):
        os.kill(pid, signal.SIGSTOP)
    processes = iterator._workers
    iterator.close()
    assert [process.exitcode for process in processes] == [0, 0]


def test_waiting_too_long_is_an_error() -> None:
    slow = Computed(2, lambda index: time.sleep(0.5))
    with pytest.raises(RuntimeError, match=r"^DataLoader timed out after 0.05 seconds"):
        next(iter(DataLoader(slow, None, num_workers=1, timeout=0.05)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_workers": -1}, "num_workers option should be non-negative"),
        ({"num_workers": 1, "prefetch_factor": -1}, "prefetch_factor option should be non-neg"),
        ({"prefetch_factor": 2}, "prefetch_factor option could only be specified in multiproc"),
        ({"persistent_workers": True}, "persistent_workers option needs num_workers > 0"),
        ({"timeout": -1}, "timeout option should be non-negative"),
        ({"multiprocessing_context": "fork"}, "can only be used with multi-process loading"),
        ({"multiprocessing_context": "x", "num_workers": 1}, "should specify a valid start method"),
    ],
)
def test_options_that_exclude_each_other_are_refused(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DataLoader(range(3), **options)


def test_more_workers_than_processors_are_worth_a_warning() -> None:
    with pytest.warns(UserWarning, match="This DataLoader will create 5000 worker processes in"):
        DataLoader(range(3), num_workers=5000)


# ---- no worker is left behind --------------------------------------------------------------------


def test_workers_end_with_a_pass_that_is_over() -> None:
    iterator = iter(DataLoader(range(4), num_workers=2))
    pids = pids_of(iterator)
    assert all(is_running(pid) for pid in pids)
    list(iterator)
    assert have_ended(pids)


@pytest.mark.parametrize("payload", [1, BIG])
def test_workers_end_when_their_iterator_is_dropped(payload: int) -> None:
    # With a big payload they are in the middle of sending what nobody reads.
    loader = DataLoader(Computed(50, lambda index: "x" * payload), None, num_workers=2)
    iterator = iter(loader)
    next(iterator)
    processes = list(iterator._workers)
    del iterator
    assert have_ended([process.pid for process in processes])
    assert [process.exitcode for process in processes] == [0, 0]  # of themselves: none was killed


PROGRAM = """
import os, sys, time
import pellucid as torch

class Slow(torch.utils.data.Dataset):
    def __len__(self):
        return 1000
    def __getitem__(self, index):
        time.sleep(0.01)
        return index

if __name__ == "__main__":
    loader = torch.utils.data.DataLoader(Slow(), num_workers=2, persistent_workers={persistent})
    iterator = iter(loader)
    next(iterator)
    print(*(process.pid for process in iterator._workers), flush=True)
    {action}
"""


def run_program(action: str, *, persistent: bool = False) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(action=action, persistent=persistent)],
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("action", ["pass", "sys.exit(0)"])
def test_workers_end_with_the_interpreter(action: str, persistent: bool) -> None:
    program = run_program(action, persistent=persistent)
    output, errors = program.communicate(timeout=30)
    assert (program.returncode, errors) == (0, "")
    assert have_ended(output.split())


@pytest.mark.parametrize("everyone", [False, True])
def test_workers_end_when_the_program_is_interrupted(everyone: bool) -> None:
    program = run_program("list(iterator)")
    pids = program.stdout.readline().split()
    time.sleep(0.2)
    # A terminal sends the signal to all processes of the group.
    (os.killpg if everyone else os.kill)(program.pid, signal.SIGINT)
    _, errors = program.communicate(timeout=30)
    assert errors.count("Traceback") == 1
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert have_ended(pids)


def test_an_interrupted_program_can_go_on_with_new_workers() -> None:
    def interrupt(signum: int, frame: Any) -> None:
        raise KeyboardInterrupt

    loader = DataLoader(Computed(100, lambda index: time.sleep(0.05)), None, num_workers=1)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        iterator = iter(loader)
        pids = pids_of(iterator)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            list(iterator)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert have_ended(pids)
    assert next(iter(loader)) is None


def test_workers_of_a_killed_program_notice() -> None:
    program = run_program("time.sleep(60)")
    pids = program.stdout.readline().split()
    program.kill()
    program.communicate(timeout=30)
    assert have_ended(pids)


def test_an_exception_travels_between_processes_with_its_traceback() -> None:
    from pellucid.compat._utils import ExceptionWrapper

    try:
        raise LookupError("nothing here")
    except LookupError:
        wrapped = ExceptionWrapper(where="in a test"), ExceptionWrapper(sys.exc_info())
    for each, where in zip(wrapped, ("in a test", "in background"), strict=True):
        arrived = pickle.loads(pickle.dumps(each))
        assert arrived.exc_type is LookupError
        with pytest.raises(LookupError, match=f"Caught LookupError {where}.\nOriginal Traceback"):
            arrived.reraise()

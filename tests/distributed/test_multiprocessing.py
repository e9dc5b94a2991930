"""Processes that work on the same tensors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pellucid as torch
import pellucid.multiprocessing as mp
from tests.samples.duration import takes_long

SOURCE = Path(torch.__file__).resolve().parents[1]

# A process that starts afresh imports the program, so the program has to be a file.
PROGRAM = """
import sys
import pellucid as torch
import pellucid.multiprocessing as mp

def train(rank, model, counter, inbox, queue):
    assert counter.is_shared() and model.weight.is_shared()
    counter += 1
    inbox.get(timeout=60).add_(10)  # the same one, by another way
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    model(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    queue.put((rank, torch.full((2,), rank)))

if __name__ == "__main__":
    context = mp.get_context(sys.argv[1])
    model = torch.nn.Linear(3, 1).share_memory()
    counter = torch.zeros(4).share_memory_()
    inbox, queue = context.Queue(), context.Queue()
    before = model.weight.clone()
    for rank in range(2):
        process = context.Process(target=train, args=(rank, model, counter, inbox, queue))
        process.start()
        inbox.put(counter)
        number, copy = queue.get(timeout=60)
        assert (number, copy.tolist()) == (rank, [rank, rank])
        process.join()
        assert process.exitcode == 0
    assert counter.tolist() == [22.0] * 4, counter
    assert torch.allclose(model.weight, before - 2)
    print("done")
"""

FAILING = """
import os, signal, sys, time
import pellucid.multiprocessing as mp

def work(rank, how):
    if rank == 1 and how == "raise":
        raise ValueError("boom")
    if rank == 1 and how == "exit":
        sys.exit(3)
    if rank == 1 and how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if how != "well":
        time.sleep(60)

if __name__ == "__main__":
    for how in sys.argv[1].split():
        try:
            mp.spawn(work, args=(how,), nprocs=2)
            print(how, "well")
        except mp.ProcessException as error:
            print(how, type(error).__name__, error.error_index, str(error).replace(chr(10), " "))
"""


def output_of(tmp_path: Path, program: str, argument: str) -> str:
    path = tmp_path / "program.py"
    path.write_text(program)
    finished = subprocess.run(
        [sys.executable, "-W", "error", str(path), argument],
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.strip()


#: processes that start afresh are tested by "spawn"
METHODS = [
    pytest.param(each, marks=takes_long) if each == "forkserver" else each
    for each in mp.get_all_start_methods()
]


@pytest.mark.parametrize("method", METHODS)
def test_shared_tensors_and_modules_are_the_same_in_all_processes(
    tmp_path: Path, method: str
) -> None:
    assert output_of(tmp_path, PROGRAM, method) == "done"


@takes_long
def test_the_first_process_to_fail_ends_the_others(tmp_path: Path) -> None:
    told = {
        "well": "well",
        "raise": "ProcessRaisedException 1   -- Process 1 terminated with the following error:",
        "exit": "ProcessExitedException 1 process 1 terminated with exit code 3",
        "kill": "ProcessExitedException 1 process 1 terminated with signal SIGKILL",
    }
    # Where MPI starts the processes, its launcher may print lines of its own before.
    lines = output_of(tmp_path, FAILING, " ".join(told)).splitlines()
    missing = {
        how for how, text in told.items()
        if not any(line.startswith(f"{how} {text}") for line in lines)
    }  # fmt: skip
    assert missing == set(), lines


def test_sharing_keeps_values_order_and_gradients() -> None:
    x = torch.arange(6.0).reshape(2, 3).t().clone(memory_format=torch.preserve_format)
    x.requires_grad_()
    y = (x * x).sum()
    assert not x.is_shared()
    assert x.share_memory_() is x
    assert x.is_shared()
    assert x.stride() == (1, 3)
    assert x.tolist() == [[0, 3], [1, 4], [2, 5]]
    y.backward()
    (x * 3).sum().backward()
    assert x.grad is not None
    assert torch.equal(x.grad, 2 * x + 3)


def test_views_made_after_sharing_and_empty_tensors_are_shared() -> None:
    x = torch.zeros(2, 3).share_memory_()
    assert x[1].is_shared()
    assert x.untyped_storage().is_shared()
    assert not torch.zeros(2).untyped_storage().is_shared()
    assert x.numpy().base is not None
    assert torch.empty(0, 2).share_memory_().shape == (0, 2)


def test_numbers_meet_tensors_whose_dtype_came_out_of_a_pickle() -> None:
    import pickle

    strange = torch.from_numpy(pickle.loads(pickle.dumps(np.ones(2, np.float32))))
    assert (strange * 77).tolist() == [77, 77]
    assert (torch.ones(2) * 77).tolist() == [77, 77]
    assert (torch.ones(2) * strange).tolist() == [1, 1]


# In a program of its own: processes are forked from one that has no threads of other tests.
SENDING = """
import sys
import pellucid as torch
import pellucid.multiprocessing as mp

def fill(t):
    t.fill_(4)
    return t + 1

def put_and_end(queue):
    queue.put(torch.full((10,), 3.0))

if __name__ == "__main__":
    context = mp.get_context(sys.argv[1])
    x = torch.zeros(2, 2, requires_grad=True)
    row, bytes_of_x = x.detach()[0], x.untyped_storage()
    with context.Pool(1) as pool:
        results = pool.map(fill, [x.detach(), torch.zeros(3)])
    assert [r.tolist() for r in results] == [[[5, 5], [5, 5]], [5, 5, 5]]
    assert x.tolist() == [[4, 4], [4, 4]] and row.tolist() == [4, 4] and x.is_shared()
    assert bytes_of_x.tolist() == x.detach().untyped_storage().tolist()
    (x * x).sum().backward()
    assert x.grad.tolist() == [[8, 8], [8, 8]]

    queue = context.Queue()
    queue.put(x)
    again = queue.get(timeout=60)
    assert again.data_ptr() == x.data_ptr() and again.requires_grad
    weight = torch.nn.Parameter(torch.zeros(4, 3))
    queue.put((weight, weight.detach()[2:], weight.detach().untyped_storage()))
    again, part, storage = queue.get(timeout=60)
    assert type(again) is torch.nn.Parameter and part.storage_offset() == 6
    again.data[2] = 7
    assert weight[2].tolist() == part[0].tolist() == [7, 7, 7]
    assert storage.data_ptr() == part.untyped_storage().data_ptr() == weight.data_ptr()

    process = context.Process(target=put_and_end, args=(queue,))
    process.start()
    process.join()
    assert queue.get(timeout=60).tolist() == [3] * 10  # the sender has ended before
    print("done")
"""


@pytest.mark.parametrize("method", METHODS)
def test_a_tensor_that_is_sent_is_the_same_one_there(tmp_path: Path, method: str) -> None:
    assert output_of(tmp_path, SENDING, method) == "done"


def test_tensors_without_memory_are_sent_as_before() -> None:
    queue = mp.Queue()
    for sent in (torch.eye(2).to_sparse(), torch.ones(2, device="meta"), torch.nn.LazyLinear(2)):
        queue.put(sent)
        assert type(queue.get(timeout=60)) is type(sent)

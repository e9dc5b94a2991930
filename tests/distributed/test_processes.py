"""Groups of several processes: what they exchange, and how they end."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import pellucid as torch
from pellucid.distributed import checkpoint
from pellucid.distributed.checkpoint import format_utils
from pellucid.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_optimizer_state_dict,
    set_optimizer_state_dict,
)
from tests.distributed.launch import SOURCE, needs_mpi, run, succeed
from tests.samples.duration import takes_long

dist = torch.distributed


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a directory for all jobs of the module."""
    return str(tmp_path_factory.mktemp("shared"))


@pytest.fixture(scope="module")
def printed_by_two(shared: str) -> str:
    """Return what two processes print that run several programs."""
    programs = ["data_parallel", "+", "sharded", shared, "save", "+", "overlap"]
    return succeed(2, "several", *programs)


@pytest.fixture(scope="module")
def printed_by_three(shared: str, printed_by_two: str) -> str:
    """Return what three processes print that run several programs."""
    assert "after save" in printed_by_two
    return succeed(3, "several", "collectives", "+", "sharded", shared, "load")


@needs_mpi
def test_every_exchange_gives_what_numpy_makes_of_all_tensors(printed_by_three: str) -> None:
    assert "all agree on collectives" in printed_by_three


@needs_mpi
def test_data_parallel_training_equals_training_on_the_whole_batch(printed_by_two: str) -> None:
    assert "all agree on data-parallel training" in printed_by_two


@needs_mpi
def test_exchanges_go_on_while_ranks_compute(printed_by_two: str) -> None:
    assert "all agree on overlap" in printed_by_two


@needs_mpi
def test_sharded_training_equals_that_of_one_process(printed_by_two: str) -> None:
    assert "all agree after save" in printed_by_two


@needs_mpi
def test_sharded_training_goes_on_with_more_processes(printed_by_three: str) -> None:
    assert "all agree after load" in printed_by_three


@takes_long
@needs_mpi
def test_the_example_learns_the_same_with_two_processes_as_with_one() -> None:
    example = str(Path(__file__).resolve().parents[2] / "examples" / "data_parallel.py")
    launcher = ["-m", "pellucid.distributed.run", "--nproc-per-node", "2"]
    told = []
    for started in ([], launcher):
        finished = subprocess.run(
            [sys.executable, *started, example, "--epochs", "2"],
            env=os.environ | {"PYTHONPATH": str(SOURCE)},
            capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        told.append(finished.stdout.splitlines())
    assert [lines[0] for lines in told] == ["1 processes, 2 epochs", "2 processes, 2 epochs"]
    assert told[0][1:] == told[1][1:]


@needs_mpi
@pytest.mark.parametrize(
    ("how", "why"),
    [
        pytest.param(
            "raising",
            r"because rank 1 failed: ValueError: a bad batch \(ending.py:\d+\)",
            marks=takes_long,
        ),
        pytest.param("leaving", "because rank 1 has left: its program is over", marks=takes_long),
        ("killed", r"because rank 1 died: its process \d+ on \S+ is gone"),
    ],
)
def test_the_others_say_which_rank_has_ended_and_why(tmp_path: Path, how: str, why: str) -> None:
    finished = run(3, "ending", how, str(tmp_path / "pid"), launcher="run")
    assert finished.returncode != 0
    for rank in (0, 2):
        assert re.search(
            rf"rank {rank} cannot complete all_reduce\(float32\[1048576\], SUM\) at ending.py:\d+: "
            + why,
            finished.stderr,
        ), finished.stderr[-3000:]
    if how == "killed":
        assert "was killed by SIGKILL" in finished.stderr
        with pytest.raises(ProcessLookupError):
            os.kill(int((tmp_path / "pid").read_text()), 0)


@takes_long
@needs_mpi
@pytest.mark.parametrize("seconds", ["0.01", "0.05"])
def test_a_checkpoint_is_whole_though_a_rank_was_killed_while_saving(
    tmp_path: Path, seconds: str
) -> None:
    assert run(2, "saving", str(tmp_path), seconds, launcher="run").returncode != 0
    state = {"first": torch.zeros(1 << 18), "second": torch.zeros(1 << 18)}
    checkpoint.load(state, checkpoint_id=tmp_path)
    step = state["first"][0].item()
    assert step >= 2
    assert torch.equal(state["first"], torch.full((1 << 18,), step))
    assert torch.equal(state["second"], state["first"] * 2)


def test_a_save_that_fails_leaves_no_part_of_a_file(tmp_path: Path) -> None:
    def arrays() -> Iterator[np.ndarray]:
        yield np.ones(1000)
        raise OSError("No space left on device")

    with pytest.raises(OSError, match="No space left"):
        checkpoint.FileSystemWriter(tmp_path).write_data("part", arrays())
    assert not list(tmp_path.iterdir())


def test_a_planner_is_refused_rather_than_ignored(tmp_path: Path) -> None:
    state = {"weight": torch.ones(2)}
    checkpoint.save(state, checkpoint_id=tmp_path)
    for call in (checkpoint.save, checkpoint.load):
        with pytest.raises(NotImplementedError, match=r"planner=object.*: .*Leave it out"):
            call(state, checkpoint_id=tmp_path, planner=object())


SPAWNING = """
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

def work(rank, size, totals, queue):
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:1", rank=rank, world_size=size)
    x = torch.full((1,), rank + 1.0)
    dist.all_reduce(x)
    totals[rank] = x.item()
    queue.put(rank)
    dist.barrier()
    if rank == 1:
        raise ValueError("boom")
    dist.all_reduce(x)

if __name__ == "__main__":
    totals, queue = torch.zeros(2).share_memory_(), mp.get_context("spawn").Queue()
    try:
        mp.spawn(work, args=(2, totals, queue), nprocs=2)
    except mp.ProcessRaisedException as error:
        print("process", error.error_index, str(error).strip().splitlines()[-1])
    print(totals.tolist(), sorted(queue.get(timeout=5) for _ in range(2)))
"""


@takes_long
@needs_mpi
def test_spawned_processes_make_a_group_and_the_first_to_fail_is_told(tmp_path: Path) -> None:
    program = tmp_path / "spawning.py"
    program.write_text(SPAWNING)
    finished = subprocess.run(
        [sys.executable, "-m", "pellucid", "run", str(program)],
        env=os.environ | {"PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    # The launcher of MPI may print its own lines when a rank has failed.
    told = [line for line in finished.stdout.splitlines() if line[:1] in ("p", "[")]
    assert told == ["process 1 ValueError: boom", "[3.0, 3.0] [0, 1]"], (
        finished.stdout + finished.stderr
    )


def test_without_mpi_a_group_of_several_says_how_to_start_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ValueError, match="environment variable RANK expected, but not set"):
        dist.init_process_group()
    with pytest.raises(ValueError, match="environment variable MASTER_ADDR expected, but not set"):
        dist.init_process_group(world_size=2, rank=0)
    with pytest.raises(NotImplementedError, match=r"mpiexec -n 2 python SCRIPT"):
        dist.init_process_group("mpi", world_size=2, rank=0)
    with pytest.raises(ValueError, match="Invalid rank 2"):
        dist.init_process_group(world_size=2, rank=2)
    assert not dist.is_initialized()


def test_a_group_of_one_exchanges_with_itself() -> None:
    dist.init_process_group("mpi", world_size=1, rank=0)
    try:
        x = torch.arange(4.0)
        outputs = [torch.zeros(4) for _ in range(5)]
        dist.all_gather([outputs[0]], x)
        dist.all_gather_into_tensor(outputs[1], x)
        dist.reduce_scatter_tensor(outputs[2], x)
        dist.all_to_all_single(outputs[3], x)
        dist.scatter(outputs[4], [x])
        assert all(torch.equal(each, x) for each in outputs)
        with pytest.warns(FutureWarning, match="please use `torch.distributed.ReduceOp`"):
            dist.all_reduce(x, dist.reduce_op.MAX)
        lists = [[torch.zeros(4), torch.zeros(2)]]
        dist.all_gather_coalesced(lists, [x, x[:2]], async_op=True).wait()
        assert [each.tolist() for each in lists[0]] == [[0, 1, 2, 3], [0, 1]]
        work = dist.all_reduce(x, dist.ReduceOp.AVG, async_op=True)
        assert work.get_future().then(lambda done: done.value()[0].sum().item()).wait() == 6
        assert dist.get_backend() == "mpi"
        with pytest.raises(ValueError, match="should not be the same as the rank of the current"):
            dist.send(x, 0)
        with pytest.raises(TypeError, match=r"Expected parameter `tensor` of type torch.Tensor"):
            dist.all_reduce([1.0])
        with pytest.raises(RuntimeError, match=r"Cannot use ReduceOp.BAND with non-integral dtype"):
            dist.all_reduce(x, dist.ReduceOp.BAND)
        with pytest.raises(ValueError, match=r"does not support RedOpType.MAX on complex tensors"):
            dist.all_reduce(torch.ones(1, dtype=torch.complex64), dist.ReduceOp.MAX)
        with pytest.raises(ValueError, match="initialize the default process group twice"):
            dist.init_process_group("mpi", world_size=1, rank=0)
    finally:
        dist.destroy_process_group()


def test_the_state_of_an_optimizer_comes_back_from_one_flat_dictionary() -> None:
    flat = StateDictOptions(flatten_optimizer_state_dict=True)
    nets = [torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)) for _ in range(2)]
    first, second = (
        torch.optim.AdamW(net.parameters(), lr=rate)
        for net, rate in zip(nets, (0.5, 0.1), strict=True)
    )
    nets[0](torch.ones(1, 2)).sum().backward()
    first.step()
    saved = get_optimizer_state_dict(nets[0], first, options=flat)
    assert saved["param_groups.1.bias.lr"] == 0.5
    set_optimizer_state_dict(nets[1], second, saved, options=flat)
    assert second.param_groups[0]["lr"] == 0.5
    for mine, theirs in zip(nets[0].parameters(), nets[1].parameters(), strict=True):
        assert sorted(second.state[theirs]) == ["exp_avg", "exp_avg_sq", "step"]
        assert torch.equal(first.state[mine]["exp_avg"], second.state[theirs]["exp_avg"])
    with pytest.raises(ValueError, match="full_state_dict must be True when broadcast"):
        StateDictOptions(broadcast_from_rank0=True)


def test_a_checkpoint_becomes_one_file_and_back(tmp_path: Path) -> None:
    state = {"net": {"w": torch.arange(3.0)}, "list": [torch.ones(2), {"a": 1}], "step": 3}
    torch.save(state, tmp_path / "before.pt")
    format_utils.torch_save_to_dcp(tmp_path / "before.pt", tmp_path / "checkpoint")
    format_utils.dcp_to_torch_save(tmp_path / "checkpoint", tmp_path / "after.pt")
    loaded = torch.load(tmp_path / "after.pt")
    assert torch.equal(loaded["net"]["w"], state["net"]["w"])
    assert torch.equal(loaded["list"][0], state["list"][0])
    assert (loaded["list"][1], loaded["step"]) == ({"a": 1}, 3)

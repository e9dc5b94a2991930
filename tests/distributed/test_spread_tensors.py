"""Tensors that are spread over ranks: whole to whoever asks, on any number of ranks."""

from __future__ import annotations

from pathlib import Path

import pytest

import pellucid as torch
from pellucid.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from tests.distributed.launch import needs_mpi, succeed
from tests.samples.duration import takes_long


@takes_long
@needs_mpi
@pytest.mark.parametrize(
    ("count", "launcher"),
    [(2, "mpiexec"), (3, "mpiexec"), (4, "mpiexec"), (3, "sockets"), (4, "sockets")],
)
def test_operations_layouts_layers_and_copies_of_shards_are_those_of_the_whole(
    count: int, launcher: str, tmp_path: Path
) -> None:
    told = succeed(
        count, "several", "spread", "+", "layers", "+", "sharded", str(tmp_path), "copies",
        launcher=launcher,
    )  # fmt: skip
    assert "all agree after copies" in told
    assert "spread tensors agree" in told
    assert "parallel layers agree" in told


@pytest.fixture
def alone():
    torch.distributed.init_process_group(world_size=1, rank=0)
    yield torch.distributed.init_device_mesh("cpu", (1,))
    torch.distributed.destroy_process_group()


def test_a_spread_tensor_prints_its_part_and_its_layout(alone) -> None:
    spread = distribute_tensor(torch.ones(2), alone, [Shard(0)])
    assert repr(spread).startswith("DTensor(local_tensor=tensor([1., 1.]), device_mesh=DeviceMesh")
    assert repr(spread).endswith("placements=(Shard(dim=0),))")


def test_placements_say_what_they_are() -> None:
    kinds = (Shard(1), Replicate(), Partial())
    assert [(k.is_shard(), k.is_replicate(), k.is_partial()) for k in kinds] == [
        (True, False, False), (False, True, False), (False, False, True),
    ]  # fmt: skip
    assert [str(each) for each in kinds] == ["S(1)", "R", "P(sum)"]
    assert len({Shard(0), Shard(0), Shard(1), Partial("max"), Partial()}) == 4
    with pytest.raises(ValueError, match="reduce_op must be one of"):
        Partial("median")


def test_an_exchange_is_a_node_of_the_graph(alone) -> None:
    part = torch.ones(3, requires_grad=True)
    spread = DTensor.from_local(part, alone, [Shard(0)])
    assert spread.is_leaf is False
    assert type(spread.sum().grad_fn).__name__ == "SumBackward0"


def test_gradients_of_a_spread_leaf_are_spread(alone) -> None:
    leaf = distribute_tensor(torch.ones(3), alone, [Shard(0)]).requires_grad_()
    seen = []
    leaf.register_hook(lambda gradient: seen.append(gradient.placements))
    (leaf * 2).sum().backward()
    assert isinstance(leaf.grad, DTensor)
    assert leaf.grad.full_tensor().tolist() == [2.0] * 3
    assert seen == [(Shard(0),)]
    leaf.grad = None


def test_numbers_that_are_written_reach_the_part(alone) -> None:
    spread = distribute_tensor(torch.ones(2, 2), alone, [Shard(0)])
    spread[0] = 3.0
    assert spread.to_local().tolist() == [[3, 3], [1, 1]]
    assert spread.fill_(2.0).to_local().tolist() == [[2, 2], [2, 2]]
    assert spread.zero_().to_local().tolist() == [[0, 0], [0, 0]]

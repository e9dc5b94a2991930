"""What each rank of `bench_distributed` runs, with either library; the first rank prints JSON.

Arguments: ``exchange BYTES...`` for the seconds of one all_reduce per size, or ``train NAME`` for
the seconds of one training step, in one process if it is started alone; or ``overlap``.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

BATCH = 32
ROUNDS = 7


class Block(nn.Module):
    """A layer of a small GPT."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, 4, batch_first=True)
        self.rest = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: Any) -> Any:
        y = self.before(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.rest(self.after(x))


def mlp() -> tuple[Any, Any]:
    """Return a network of three layers and its inputs."""
    layers = nn.Sequential(
        nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)
    )
    return layers, torch.randn(8 * BATCH, 784)


def gpt() -> tuple[Any, Any]:
    """Return a network of four blocks and its inputs."""
    return nn.Sequential(*(Block(128) for _ in range(4))), torch.randn(BATCH, 64, 128)


def cnn() -> tuple[Any, Any]:
    """Return a network of three convolutions and its inputs."""
    layers = nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(64, 64, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(64 * 64, 10),
    )  # fmt: skip
    return layers, torch.randn(2 * BATCH, 3, 32, 32)


NETWORKS: dict[str, Callable[[], tuple[Any, Any]]] = {"MLP": mlp, "GPT": gpt, "CNN": cnn}


def connect() -> tuple[int, int]:
    """Join the group, if this process is one of several; return rank and size."""
    if "INIT_METHOD" in os.environ:
        rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        dist.init_process_group(
            "gloo", init_method=os.environ["INIT_METHOD"], rank=rank, world_size=size
        )
    elif os.environ.get("PMI_SIZE", os.environ.get("OMPI_COMM_WORLD_SIZE")):
        dist.init_process_group("gloo")
    else:
        return 0, 1
    return dist.get_rank(), dist.get_world_size()


def median_seconds(program: Callable[[], object], length: float, together: bool) -> float:
    """Return the median over some rounds of the seconds that one call takes."""
    program()
    start = time.perf_counter()
    program()
    calls = max(1, min(300, int(length / (time.perf_counter() - start))))
    if together:
        shared = [calls]
        dist.broadcast_object_list(shared, 0)
        calls = shared[0]
    rounds = []
    for _ in range(ROUNDS):
        if together:
            dist.barrier()
        start = time.perf_counter()
        for _ in range(calls):
            program()
        rounds.append((time.perf_counter() - start) / calls)
    return statistics.median(rounds)


def exchange(sizes: list[int]) -> dict[str, float]:
    """Return the seconds of an all_reduce of each size in bytes."""
    seconds = {}
    for size in sizes:
        tensor = torch.zeros(max(1, size // 4))
        seconds[str(size)] = median_seconds(
            lambda tensor=tensor: dist.all_reduce(tensor), 0.1, together=True
        )
    return seconds


def train(name: str, rank: int, size: int) -> dict[str, float]:
    """Return the seconds of a step on this rank's part of the batch, and the bytes it sends."""
    torch.manual_seed(0)
    network, inputs = NETWORKS[name]()
    inputs = inputs[rank::size].clone()
    model = DistributedDataParallel(network) if size > 1 else network
    optimizer = torch.optim.SGD(network.parameters(), lr=1e-3)

    def step() -> None:
        optimizer.zero_grad()
        outputs = model(inputs)
        functional.mse_loss(outputs, torch.zeros_like(outputs)).backward()
        optimizer.step()

    step()
    seconds = median_seconds(step, 0.5, together=size > 1)
    count = sum(param.numel() for param in network.parameters())
    return {"seconds": seconds, "bytes": 4 * count}


def overlap(size: int) -> dict[str, float]:
    """Return how many buckets of three large layers have been exchanged when backward ends.

    That is the median of some steps; the last bucket's gradients are complete only then.
    """
    layers = nn.Sequential(*(nn.Linear(2048, 2048, bias=False) for _ in range(3)))
    model = DistributedDataParallel(layers, bucket_cap_mb=16)
    inputs = torch.randn(BATCH * 16, 2048)
    hidden = []
    for _ in range(ROUNDS):
        model.zero_grad()
        model(inputs).sum().backward()
        hidden.append(model._get_ddp_logging_data()["num_buckets_hidden"])
    return {"hidden": statistics.median(hidden), "buckets": 3, "ranks": size}


def main() -> None:
    """Measure what the arguments say."""
    torch.set_num_threads(1)
    rank, size = connect()
    kind, *arguments = sys.argv[1:]
    if kind == "exchange":
        result = exchange([int(each) for each in arguments])
    elif kind == "overlap":
        result = overlap(size)
    else:
        result = train(arguments[0], rank, size)
    if rank == 0:
        print(json.dumps(result), flush=True)
    if size > 1:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()

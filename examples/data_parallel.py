"""Several processes train one network, each on its part of every batch.

    python -m pellucid.distributed.run --nproc-per-node 2 examples/data_parallel.py

or ``mpiexec -n 2 python examples/data_parallel.py``; started alone, it is one process. The network
learns to tell on which of two spirals a point lies. At the end every rank has the same parameters,
which are those that one process gets from the whole batches.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence

import pellucid as torch
import pellucid.distributed as dist
from pellucid import nn
from pellucid.nn.parallel import DistributedDataParallel
from pellucid.processes.environment import launched
from pellucid.utils.data import DataLoader, DistributedSampler, TensorDataset

BATCH = 64


def spirals(count: int) -> TensorDataset:
    """Return points on two spirals, and on which one each lies."""
    which = torch.arange(count) % 2
    turn = torch.rand(count) * 3 * math.pi
    angle = turn + math.pi * which
    points = torch.stack((turn * angle.cos(), turn * angle.sin()), 1) / 10
    return TensorDataset(points + 0.02 * torch.randn(count, 2), which.float())


def network() -> nn.Module:
    """Return a network from a point to a score."""
    return nn.Sequential(
        nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1), nn.Flatten(0)
    )


def train(model: nn.Module, data: TensorDataset, epochs: int) -> None:
    """Train on this rank's part of each batch."""
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=BATCH // dist.get_world_size(), sampler=sampler)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for points, which in loader:
            optimizer.zero_grad()
            nn.functional.binary_cross_entropy_with_logits(model(points), which).backward()
            optimizer.step()


def share_right(model: nn.Module, data: TensorDataset) -> float:
    """Return the share of points that are classified correctly, counted by all ranks together."""
    rank, size = dist.get_rank(), dist.get_world_size()
    points, which = (each[rank::size] for each in data.tensors)
    with torch.no_grad():
        right = ((model(points) > 0) == (which > 0)).float().sum()
    counts = torch.stack((right, torch.tensor(float(len(which)))))
    dist.all_reduce(counts)
    return (counts[0] / counts[1]).item()


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, and let the first rank say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    if launched() is None:
        dist.init_process_group(rank=0, world_size=1)
    else:
        dist.init_process_group()
    torch.manual_seed(chosen.seed)
    data = spirals(1024)
    model = DistributedDataParallel(network())
    before = share_right(model, data)
    train(model, data, chosen.epochs)
    after = share_right(model, data)
    if dist.get_rank() == 0:
        print(f"{dist.get_world_size()} processes, {chosen.epochs} epochs")
        print(f"  classified correctly before  {before:.3f}")
        print(f"  classified correctly after   {after:.3f}")
    dist.destroy_process_group()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""DistributedDataParallel with `mp.spawn`: a basic use, a checkpoint, a module of two parts.

What PyTorch's tutorial "Getting started with DistributedDataParallel" teaches.
"""

import os
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def setup(rank, world_size):
    os.environ.setdefault("MASTER_ADDR", "localhost")
    dist.init_process_group("gloo", rank=rank, world_size=world_size)
    torch.set_num_threads(1)


class ToyModel(nn.Module):
    """Two layers."""

    def __init__(self):
        super().__init__()
        self.net1, self.relu, self.net2 = nn.Linear(10, 10), nn.ReLU(), nn.Linear(10, 5)

    def forward(self, x):
        return self.net2(self.relu(self.net1(x)))


def steps(rank, model, count, name):
    loss_fn, optimizer = nn.MSELoss(), torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.Generator().manual_seed(rank)
    for number in range(count):
        optimizer.zero_grad()
        outputs = model(torch.randn(20, 10, generator=data))
        loss = loss_fn(outputs, torch.randn(20, 5, generator=data))
        loss.backward()
        optimizer.step()
        if rank == 0:
            print(name, number, "loss", loss.item())


def demo(rank, world_size, folder):
    setup(rank, world_size)
    torch.manual_seed(rank)  # DDP sends rank 0's parameters
    basic = DDP(ToyModel())
    steps(rank, basic, 3, "basic")

    path = os.path.join(folder, "model.checkpoint")
    if rank == 0:
        torch.save(basic.state_dict(), path)
    dist.barrier()
    restored = DDP(ToyModel())
    restored.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    steps(rank, restored, 3, "restored")
    dist.barrier()
    if rank == 0:
        os.remove(path)

    unequal = DDP(nn.Sequential(ToyModel(), nn.BatchNorm1d(5), nn.Dropout(0.0)))
    with unequal.join():
        steps(rank, unequal, 3 + rank, "unequal")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        size = int(sys.argv[1])
        mp.spawn(demo, args=(size, folder), nprocs=size, join=True)

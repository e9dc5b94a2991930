"""Data-parallel training, in a group of one."""

import os
import tempfile

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

os.environ.setdefault("MASTER_ADDR", "localhost")
init = "file://" + tempfile.mktemp()
dist.init_process_group("gloo", init_method=init, rank=0, world_size=1)
torch.manual_seed(0)
model = DDP(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)))
x = torch.randn(32, 4)
dataset = TensorDataset(x, x.sum(1, keepdim=True))
sampler = DistributedSampler(dataset, num_replicas=1, rank=0)
loader = DataLoader(dataset, batch_size=8, sampler=sampler)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(4):
    sampler.set_epoch(epoch)
    for source, targets in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(source), targets)
        loss.backward()
        optimizer.step()
    print(f"rank {dist.get_rank()} of {dist.get_world_size()} loss {loss.item():.4f}")
torch.save(model.module.state_dict(), "snapshot.pt")
dist.destroy_process_group()

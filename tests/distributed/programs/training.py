"""Ranks train and save a checkpoint after each step, for as long as somebody lets them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

folder = Path(sys.argv[1])
(folder / f"pid{os.environ['RANK']}").write_text(str(os.getpid()))  # a rank may be killed from here

import pellucid as torch  # noqa: E402
import pellucid.distributed as dist  # noqa: E402
from pellucid import nn  # noqa: E402
from pellucid.distributed import checkpoint  # noqa: E402

dist.init_process_group()
torch.manual_seed(0)
net = nn.parallel.DistributedDataParallel(nn.Linear(256, 256))
optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
for step in range(1, 100_000):
    optimizer.zero_grad()
    net(torch.randn(8, 256)).pow(2).mean().backward()
    optimizer.step()
    values = torch.full((1 << 16,), float(step))
    state = {"first": values, "second": values * 2, "net": net.module.state_dict()}
    checkpoint.save(state, checkpoint_id=folder / "checkpoint")
    if step == 1 and dist.get_rank() == 0:
        (folder / "trains").touch()

"""Groups are made, used and destroyed thousands of times, which frees what they hold."""

from __future__ import annotations

import sys
from pathlib import Path

import pellucid as torch
import pellucid.distributed as dist

dist.init_process_group()
x = torch.ones(1 << 13)  # as many as ranks of one machine reduce in memory in common
for number in range(int(sys.argv[1])):
    group = dist.new_group(list(range(dist.get_world_size())))
    if number % 50 == 0:
        dist.all_reduce(x, dist.ReduceOp.AVG, group=group)
    dist.destroy_process_group(group)
assert (x == 1).all()
if Path("/proc/self/maps").exists():
    assert Path("/proc/self/maps").read_text().count("memfd:pellucid") <= 2 * dist.get_world_size()
if dist.get_rank() == 0:
    print("all groups are gone")

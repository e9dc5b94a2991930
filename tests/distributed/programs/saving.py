"""Ranks save a checkpoint again and again, until one of them is killed at some moment."""

from __future__ import annotations

import os
import signal
import sys
import threading

import pellucid as torch
import pellucid.distributed as dist
from pellucid.distributed import checkpoint

dist.init_process_group()
for step in range(1, 10_000):
    values = torch.full((1 << 18,), float(step))
    checkpoint.save({"first": values, "second": values * 2}, checkpoint_id=sys.argv[1])
    if step == 2 and dist.get_rank() == 1:
        threading.Timer(float(sys.argv[2]), os.kill, (os.getpid(), signal.SIGKILL)).start()

"""One rank ends in the middle, in the way that the argument names."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pellucid as torch
import pellucid.distributed as dist

dist.init_process_group()
x = torch.ones(1 << 20)
for step in range(1000):
    dist.all_reduce(x)
    if dist.get_rank() == 1 and step == 3:
        if sys.argv[1] == "killed":
            Path(sys.argv[2]).write_text(str(os.getpid()))
            dist.all_reduce(x, async_op=True)
            os.kill(os.getpid(), signal.SIGKILL)
        if sys.argv[1] == "raising":
            raise ValueError("a bad batch")
        sys.exit(0)

"""How the ranks of the programs in this folder begin, keep results and end; for PyTorch."""

from __future__ import annotations

import os
import sys
import warnings

import numpy as np
import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor

_results: dict[str, np.ndarray] = {}


def begin() -> tuple[int, int]:
    """Join the group that the environment tells of; return the rank and how many there are."""
    warnings.simplefilter("ignore")  # what PyTorch has deprecated is compared, too
    torch.set_num_threads(1)
    place = {}
    if "INIT_METHOD" in os.environ:
        numbers = {"rank": int(os.environ["RANK"]), "world_size": int(os.environ["WORLD_SIZE"])}
        place = {"init_method": os.environ["INIT_METHOD"], **numbers}
    dist.init_process_group("gloo", **place)
    return dist.get_rank(), dist.get_world_size()


def keep(name: str, value) -> None:
    """Keep a number, an array, or a tensor as a whole."""
    if isinstance(value, DTensor):
        value = value.full_tensor()
    if isinstance(value, torch.Tensor):
        value = value.detach()
        value = (value.float() if value.dtype is torch.bfloat16 else value).numpy()
    _results[name] = np.array(value)


def end() -> None:
    """Write what was kept to a file of the folder that the program was given, and leave."""
    dist.barrier()
    np.savez(f"{sys.argv[1]}/{dist.get_rank()}.npz", **_results)
    dist.destroy_process_group()

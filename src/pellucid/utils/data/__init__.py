"""Data: sets of samples, orders to visit them in, and batches."""

from __future__ import annotations

from pellucid.utils.data import _utils, dataloader, dataset, distributed, sampler
from pellucid.utils.data._utils.collate import default_collate, default_convert
from pellucid.utils.data._utils.worker import get_worker_info
from pellucid.utils.data.dataloader import DataLoader
from pellucid.utils.data.dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from pellucid.utils.data.distributed import DistributedSampler
from pellucid.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

__all__ = [
    "BatchSampler", "ChainDataset", "ConcatDataset", "DataLoader", "Dataset", "DistributedSampler",
    "IterableDataset", "RandomSampler", "Sampler", "SequentialSampler", "StackDataset", "Subset",
    "SubsetRandomSampler", "TensorDataset", "WeightedRandomSampler", "_utils", "dataloader",
    "dataset", "default_collate", "default_convert", "distributed", "get_worker_info",
    "random_split", "sampler",
]  # fmt: skip

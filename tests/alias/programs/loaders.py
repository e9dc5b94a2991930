"""Worker processes, a stream of samples, a split, checkpoints of activations, packed sequences."""

import random

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.optim.swa_utils import AveragedModel
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info, random_split
from torch.utils.data.sampler import WeightedRandomSampler


class Words(Dataset):
    def __init__(self):
        g = torch.Generator().manual_seed(1)
        self.items = [
            torch.randint(1, 9, (int(n),), generator=g)
            for n in torch.randint(2, 6, (40,), generator=g)
        ]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i], int(self.items[i].sum() % 2)


class Stream(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        start, step = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(start, 8, step))


def collate(batch):
    words, labels = zip(*batch)
    lengths = torch.tensor([len(w) for w in words])
    return pad_sequence(words, batch_first=True), lengths, torch.tensor(labels)


def seed_worker(worker_id):
    worker_seed = torch.initial_seed() % 2**32
    np.random.seed(worker_seed)
    random.seed(worker_seed)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(9, 8, padding_idx=0)
        self.lstm = nn.LSTM(8, 8, bidirectional=True, batch_first=True)
        self.head = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 2))

    def forward(self, words, lengths):
        packed = pack_padded_sequence(
            self.embed(words), lengths, batch_first=True, enforce_sorted=False
        )
        out, (h, c) = self.lstm(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        pooled = out.max(dim=1).values
        return checkpoint(self.head, pooled, use_reentrant=False)


if __name__ == "__main__":
    torch.manual_seed(0)
    train_set, valid_set = random_split(
        Words(), [32, 8], generator=torch.Generator().manual_seed(42)
    )
    g = torch.Generator()
    g.manual_seed(0)
    loader = DataLoader(
        train_set,
        batch_size=8,
        shuffle=True,
        num_workers=2,
        collate_fn=collate,
        worker_init_fn=seed_worker,
        generator=g,
        persistent_workers=True,
    )
    model = Tagger()
    average = AveragedModel(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    for epoch in range(4):
        total = 0.0
        for words, lengths, labels in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(words, lengths), labels, label_smoothing=0.05)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(labels)
        average.update_parameters(model)
        scheduler.step(total)
        print(f"loss {total / len(train_set):.4f}")
    print(
        sorted(int(v) for batch in DataLoader(Stream(), num_workers=2, batch_size=2) for v in batch)
    )
    sampler = WeightedRandomSampler([0.1, 0.9], 10)
    print(list(sampler))

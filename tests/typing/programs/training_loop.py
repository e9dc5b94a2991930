"""A classifier trained from a data set of one's own, evaluated, saved and loaded again."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import assert_type

import pellucid as torch
from pellucid import Tensor, nn, optim
from pellucid.nn import functional as F
from pellucid.utils.data import DataLoader, Dataset, Subset, TensorDataset, random_split

Sample = tuple[Tensor, int]
Batch = tuple[Tensor, Tensor]


class Spirals(Dataset[Sample]):
    def __init__(self, size: int) -> None:
        generator = torch.Generator().manual_seed(0)
        self.points = torch.randn(size, 2, generator=generator)

    def __len__(self) -> int:
        return self.points.size(0)

    def __getitem__(self, index: int) -> Sample:
        point = self.points[index]
        return point, int(point.sum() > 0)


class Classifier(nn.Module):
    def __init__(self, width: int, classes: int = 2) -> None:
        super().__init__()
        self.first = nn.Linear(2, width)
        self.norm = nn.BatchNorm1d(width)
        self.hidden = nn.ModuleList([nn.Linear(width, width) for _ in range(2)])
        self.head = nn.Linear(width, classes)
        self.scale = nn.Parameter(torch.ones(classes))
        self.drop = nn.Dropout(p=0.1)

    def forward(self, points: Tensor) -> Tensor:
        x = torch.relu(self.norm(self.first(points)))
        for layer in self.hidden:
            x = self.drop(F.gelu(layer(x)))
        return self.head(x) * self.scale


def collate(samples: list[Sample]) -> Batch:
    return torch.stack([point for point, _ in samples]), torch.tensor([c for _, c in samples])


def evaluate(model: Classifier, batches: DataLoader[Sample]) -> float:
    model.eval()
    correct = total = 0
    with torch.no_grad():
        for points, classes in batches:
            predicted = model(points).argmax(dim=1)
            correct += int((predicted == classes).sum().item())
            total += classes.numel()
    return correct / total


def train(epochs: int, folder: Path) -> Classifier:
    data = Spirals(100)
    training, held_back = random_split(data, [80, 20], generator=torch.Generator())
    assert_type(training, Subset[Sample])
    batches = DataLoader(training, batch_size=16, shuffle=True, collate_fn=collate)
    model = Classifier(8).to(torch.float32)
    optimizer = optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.1)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    for _ in range(epochs):
        model.train()
        for points, classes in batches:
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = criterion(model(points), classes)
            assert_type(loss, Tensor)
            scaler.scale(loss).backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
            assert_type(norm, Tensor)
            scaler.step(optimizer)
            scaler.update()
        schedule.step()
        print(schedule.get_last_lr()[0], loss_of(model, held_back))
    torch.save({"model": model.state_dict(), "epochs": epochs}, folder / "model.pt")
    again = Classifier(8)
    missing = again.load_state_dict(torch.load(folder / "model.pt")["model"])
    assert not missing.missing_keys
    return again


def loss_of(model: nn.Module, data: Dataset[Sample]) -> float:
    total = torch.zeros(())
    for points, classes in DataLoader(data, batch_size=4, collate_fn=collate):
        total += F.cross_entropy(model(points), classes, reduction="sum")
    return total.item()


def pairs() -> None:
    data = TensorDataset(torch.randn(8, 2), torch.arange(8))
    assert_type(data[0], tuple[Tensor, ...])
    for points, numbers in DataLoader(data, batch_size=2):
        print(points.shape, numbers.tolist())


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        train(1, Path(folder))
    pairs()

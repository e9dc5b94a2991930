"""A trained trunk, frozen, gets a new head; then everything learns, at two speeds."""

import copy
import os
import tempfile

import torch
import torch.nn as nn
import torch.optim as optim
from torch.optim import lr_scheduler

torch.manual_seed(3)


class Block(nn.Module):
    def __init__(self, inside, outside, stride):
        super().__init__()
        self.conv = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.bn = nn.BatchNorm2d(outside)
        self.skip = nn.Sequential(nn.Conv2d(inside, outside, 1, stride), nn.BatchNorm2d(outside))

    def forward(self, x):
        return torch.relu(self.bn(self.conv(x)) + self.skip(x))


class SmallResNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.layer1 = Block(3, 8, 1)
        self.layer2 = Block(8, 12, 2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(12, classes)

    def forward(self, x):
        x = self.avgpool(self.layer2(self.layer1(x)))
        return self.fc(torch.flatten(x, 1))


def data(classes, count, seed):
    made = torch.Generator().manual_seed(seed)
    labels = torch.randint(0, classes, (count,), generator=made)
    colours = torch.randn(classes, 3, 1, 1, generator=made)
    return colours[labels] + 0.5 * torch.randn(count, 3, 8, 8, generator=made), labels


def train_model(model, criterion, optimizer, scheduler, inputs, labels, epochs):
    best, best_accuracy = copy.deepcopy(model.state_dict()), 0.0
    for _ in range(epochs):
        model.train()
        for part in torch.arange(len(inputs)).chunk(4):
            optimizer.zero_grad()
            with torch.set_grad_enabled(True):
                loss = criterion(model(inputs[part]), labels[part])
                loss.backward()
                optimizer.step()
        scheduler.step()
        model.eval()
        with torch.no_grad():
            outputs = model(inputs)
            _, predicted = torch.max(outputs, 1)
            accuracy = (predicted == labels.data).double().mean().item()
        if accuracy > best_accuracy:
            best, best_accuracy = copy.deepcopy(model.state_dict()), accuracy
        print(
            f"{criterion(outputs, labels).item():.4f} {accuracy:.3f} "
            f"{optimizer.param_groups[0]['lr']:.5f}"
        )
    model.load_state_dict(best)
    return model


criterion = nn.CrossEntropyLoss(label_smoothing=0.05)
trunk = SmallResNet(4)
optimizer = optim.SGD(trunk.parameters(), lr=0.05, momentum=0.9, nesterov=True)
train_model(trunk, criterion, optimizer, lr_scheduler.StepLR(optimizer, 2, 0.1), *data(4, 64, 0), 3)

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "trunk.pt")
    torch.save(trunk.state_dict(), path)
    model = SmallResNet(2)
    weights = {k: v for k, v in torch.load(path, weights_only=True).items() if "fc" not in k}
missing = model.load_state_dict(weights, strict=False)
print(missing.missing_keys, missing.unexpected_keys)
for name, param in model.named_parameters():
    param.requires_grad = name.startswith("fc")
frozen = model.layer1.conv.weight.clone()
optimizer = optim.Adam((p for p in model.parameters() if p.requires_grad), lr=0.02)
schedule = lr_scheduler.CosineAnnealingLR(optimizer, T_max=3)
train_model(model, criterion, optimizer, schedule, *data(2, 48, 1), 3)
print("frozen:", torch.equal(frozen, model.layer1.conv.weight))

model.requires_grad_(True)
head = set(model.fc.parameters())
optimizer = optim.Adam(
    [
        {"params": [p for p in model.parameters() if p not in head], "lr": 1e-3},
        {"params": list(head)},
    ],
    lr=1e-2,
)
schedule = lr_scheduler.OneCycleLR(optimizer, max_lr=[2e-3, 2e-2], total_steps=6)
train_model(model, criterion, optimizer, schedule, *data(2, 48, 1), 2)
print("learns:", not torch.equal(frozen, model.layer1.conv.weight))

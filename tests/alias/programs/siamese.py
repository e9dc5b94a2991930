"""Are two pictures of the same kind? One trunk for both, without its own last layer."""

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(5)


class Pairs(Dataset):
    def __init__(self, count):
        generator = torch.Generator().manual_seed(count)
        self.images = torch.randn(count, 1, 8, 8, generator=generator)
        self.kind = torch.randint(0, 2, (count,), generator=generator)
        self.images += self.kind.view(-1, 1, 1, 1) * 2
        self.where = [np.where(np.array(self.kind, copy=None) == k)[0] for k in (0, 1)]

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        other = index % 2
        kind = int(self.kind[index])
        partner = self.where[kind if other else 1 - kind][index % 3]
        return self.images[index], self.images[partner], torch.tensor(other, dtype=torch.float)


class SiameseNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        trunk = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 10))
        self.fc_in_features = trunk[3].in_features
        self.trunk = torch.nn.Sequential(*(list(trunk.children())[:-1]))
        self.fc = nn.Sequential(
            nn.Linear(self.fc_in_features * 2, 16), nn.ReLU(inplace=True), nn.Linear(16, 1)
        )
        self.sigmoid = nn.Sigmoid()
        self.trunk.apply(self.init_weights)
        self.fc.apply(self.init_weights)

    def init_weights(self, m):
        if isinstance(m, nn.Linear):
            torch.nn.init.xavier_uniform_(m.weight)
            m.bias.data.fill_(0.01)

    def forward(self, first, second):
        pair = [self.trunk(x).view(x.size()[0], -1) for x in (first, second)]
        return self.sigmoid(self.fc(torch.cat(pair, 1)))


model = SiameseNetwork()
optimizer = optim.Adadelta(model.parameters(), lr=1.0)
scheduler = StepLR(optimizer, step_size=1, gamma=0.7)
criterion = nn.BCELoss()
for epoch in range(5):
    model.train()
    for first, second, targets in DataLoader(Pairs(40), batch_size=10):
        optimizer.zero_grad()
        outputs = model(first, second).squeeze()
        loss = criterion(outputs, targets)
        loss.backward()
        optimizer.step()
    scheduler.step()
    print(f"loss {loss.item():.4f}")
pred = torch.where(outputs > 0.5, 1, 0)
print("right", pred.eq(targets.view_as(pred)).sum().item(), "of", len(targets))

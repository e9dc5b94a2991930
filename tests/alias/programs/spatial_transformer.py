"""A network that learns to shift and turn its own input before it looks at it."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, kernel_size=3)
        self.drop = nn.Dropout2d(0.1)
        self.fc = nn.Linear(6 * 7 * 7, 3)
        self.localization = nn.Sequential(
            nn.Conv2d(1, 4, kernel_size=5),
            nn.MaxPool2d(2, stride=2),
            nn.ReLU(True),
            nn.Conv2d(4, 4, kernel_size=3),
            nn.MaxPool2d(2, stride=2),
            nn.ReLU(True),
        )
        self.fc_loc = nn.Sequential(nn.Linear(4 * 2 * 2, 8), nn.ReLU(True), nn.Linear(8, 3 * 2))
        self.fc_loc[2].weight.data.zero_()
        nearly_as_it_is = torch.tensor([0.93, 0.04, 0.01, -0.05, 0.91, 0.02])
        self.fc_loc[2].bias.data.copy_(nearly_as_it_is)

    def stn(self, x):
        xs = self.localization(x)
        theta = self.fc_loc(xs.view(-1, 4 * 2 * 2)).view(-1, 2, 3)
        grid = F.affine_grid(theta, x.size(), align_corners=False)
        return F.grid_sample(x, grid, align_corners=False)

    def forward(self, x):
        x = self.stn(x)
        x = self.drop(F.relu(F.max_pool2d(self.conv(x), 2)))
        return F.log_softmax(self.fc(x.flatten(1)), dim=1)


def pictures(count):
    """Draw bars, crosses and squares, each somewhere."""
    images = 0.1 * torch.rand(count, 1, 16, 16)
    kinds = torch.randint(0, 3, (count,))
    for image, kind, (row, column) in zip(images, kinds, torch.randint(2, 8, (count, 2)).tolist()):
        if kind == 0:
            image[0, row : row + 6, column + 2] = 1.0
        elif kind == 1:
            image[0, row + 3, column : column + 6] = 1.0
            image[0, row : row + 6, column + 3] = 1.0
        else:
            image[0, row : row + 5, column : column + 5] = 1.0
    return images, kinds


model = Net()
optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.5)
images, kinds = pictures(96)
for epoch in range(4):
    model.train()
    total = 0.0
    for batch in torch.arange(96).view(6, 16):
        optimizer.zero_grad()
        loss = F.nll_loss(model(images[batch]), kinds[batch])
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"loss {total / 6:.4f}")
with torch.no_grad():
    model.eval()
    shifted = model.stn(images[:4])
    print(tuple(shifted.shape), f"{shifted.mean().item():.4f} {shifted.std().item():.4f}")

"""Enlarge pictures with a sub-pixel convolution; save the network whole."""

from math import log10

import torch
import torch.nn as nn
import torch.nn.init as init
import torch.optim as optim

torch.manual_seed(123)


class Net(nn.Module):
    def __init__(self, upscale_factor):
        super().__init__()
        self.relu = nn.ReLU()
        self.conv1 = nn.Conv2d(1, 16, (5, 5), (1, 1), (2, 2))
        self.conv2 = nn.Conv2d(16, upscale_factor**2, (3, 3), (1, 1), (1, 1))
        self.pixel_shuffle = nn.PixelShuffle(upscale_factor)
        self._initialize_weights()

    def forward(self, x):
        return self.pixel_shuffle(self.conv2(self.relu(self.conv1(x))))

    def _initialize_weights(self):
        init.orthogonal_(self.conv1.weight, init.calculate_gain("relu"))
        init.orthogonal_(self.conv2.weight)


y, x = torch.meshgrid(torch.linspace(0, 3, 16), torch.linspace(0, 3, 16), indexing="ij")
large = torch.stack([torch.sin(k * y) * torch.cos(x) for k in range(1, 9)]).unsqueeze(1) * 0.5 + 0.5
small = nn.functional.avg_pool2d(large, 2)
model = Net(2)
criterion = nn.MSELoss()
optimizer = optim.Adam(model.parameters(), lr=0.01)
for epoch in range(8):
    epoch_loss = 0
    for i in range(0, 8, 4):
        optimizer.zero_grad()
        loss = criterion(model(small[i : i + 4]), large[i : i + 4])
        epoch_loss += loss.item()
        loss.backward()
        optimizer.step()
    print(f"loss {epoch_loss / 2:.4f} psnr {10 * log10(1 / (epoch_loss / 2)):.2f}")
torch.save(model, "model.pth")
again = torch.load("model.pth", weights_only=False)
out = again(small[:1]).cpu()[0].detach().numpy()
assert (out.clip(0, 1) == model(small[:1])[0].detach().numpy().clip(0, 1)).all()

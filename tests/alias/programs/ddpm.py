"""Diffusion: predict the noise that was mixed in, keep an average of the weights, sample."""

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(9)


class Down(nn.Module):
    def __init__(self, a, b, time):
        super().__init__()
        self.conv = nn.Sequential(
            nn.MaxPool2d(2),
            nn.Conv2d(a, b, 3, padding=1, bias=False),
            nn.GroupNorm(2, b),
            nn.GELU(),
        )
        self.emb_layer = nn.Sequential(nn.SiLU(), nn.Linear(time, b))

    def forward(self, x, t):
        x = self.conv(x)
        return x + self.emb_layer(t)[:, :, None, None].repeat(1, 1, x.shape[-2], x.shape[-1])


class UNet(nn.Module):
    def __init__(self, c=8, time=16):
        super().__init__()
        self.time = time
        self.inc = nn.Conv2d(1, c, 3, padding=1)
        self.down = Down(c, 2 * c, time)
        self.attention = nn.MultiheadAttention(2 * c, 2, batch_first=True)
        self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
        self.out = nn.Conv2d(3 * c, 1, 1)

    def pos_encoding(self, t):
        inv_freq = 1.0 / (10000 ** (torch.arange(0, self.time, 2).float() / self.time))
        angles = t.repeat(1, self.time // 2) * inv_freq
        return torch.cat([torch.sin(angles), torch.cos(angles)], dim=-1)

    def forward(self, x, t):
        t = self.pos_encoding(t.unsqueeze(-1).type(torch.float))
        x1 = F.silu(self.inc(x))
        x2 = self.down(x1, t)
        size = x2.shape[-1]
        flat = x2.view(-1, x2.shape[1], size * size).swapaxes(1, 2)
        flat = flat + self.attention(flat, flat, flat)[0]
        x2 = flat.swapaxes(2, 1).view(-1, x2.shape[1], size, size)
        return self.out(torch.cat([x1, self.up(x2)], dim=1))


class EMA:
    def __init__(self, beta):
        self.beta = beta

    def step(self, average, model):
        for current, mean in zip(model.parameters(), average.parameters()):
            mean.data = mean.data * self.beta + (1 - self.beta) * current.data


steps = 20
beta = torch.linspace(1e-3, 0.2, steps)
alpha = 1.0 - beta
alpha_hat = torch.cumprod(alpha, dim=0)
model = UNet()
average = copy.deepcopy(model).eval().requires_grad_(False)
ema, mse = EMA(0.9), nn.MSELoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
data = torch.sign(torch.randn(32, 1, 1, 1)).expand(-1, -1, 8, 8) * 0.8
for epoch in range(8):
    for images in data.split(16):
        t = torch.randint(low=1, high=steps, size=(len(images),))
        root = torch.sqrt(alpha_hat[t])[:, None, None, None]
        rest = torch.sqrt(1 - alpha_hat[t])[:, None, None, None]
        noise = torch.randn_like(images)
        loss = mse(noise, model(root * images + rest * noise, t))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        ema.step(average, model)
    print(f"loss {loss.item():.4f}")
with torch.inference_mode():
    x = torch.randn(2, 1, 8, 8)
    for i in reversed(range(1, steps)):
        t = (torch.ones(2) * i).long()
        a, ah, b = (v[t][:, None, None, None] for v in (alpha, alpha_hat, beta))
        noise = torch.randn_like(x) if i > 1 else torch.zeros_like(x)
        x = (
            1 / torch.sqrt(a) * (x - ((1 - a) / torch.sqrt(1 - ah)) * average(x, t))
            + torch.sqrt(b) * noise
        )
    x = (x.clamp(-1, 1) + 1) / 2
print((x * 255).type(torch.uint8).shape, f"{x.mean().item():.3f}")

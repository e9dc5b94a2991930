"""Two moons by a chain of affine couplings (RealNVP), and by a mixture given by a network."""

import math

import torch
import torch.distributions as D
import torch.nn as nn

torch.manual_seed(0)


class Coupling(nn.Module):
    def __init__(self, mask):
        super().__init__()
        self.register_buffer("mask", mask)
        self.net = nn.Sequential(nn.Linear(2, 24), nn.LeakyReLU(0.1), nn.Linear(24, 4))

    def parts(self, x):
        s, t = self.net(x * self.mask).chunk(2, dim=-1)
        free = 1 - self.mask
        return torch.tanh(s) * free, t * free

    def forward(self, z):
        s, t = self.parts(z)
        return z * s.exp() + t

    def inverse(self, x):
        s, t = self.parts(x)
        return (x - t) * torch.exp(-s), -s.sum(-1)


class Flow(nn.Module):
    def __init__(self, masks):
        super().__init__()
        self.base = D.MultivariateNormal(torch.zeros(2), torch.eye(2))
        self.layers = nn.ModuleList(Coupling(m) for m in masks)

    def log_prob(self, x):
        volume = x.new_zeros(x.shape[0])
        for layer in reversed(self.layers):
            x, change = layer.inverse(x)
            volume = volume + change
        return self.base.log_prob(x) + volume

    def sample(self, count):
        z = self.base.sample((count,))
        for layer in self.layers:
            z = layer(z)
        return z


def moons(count):
    angle = torch.rand(count) * math.pi
    side = torch.arange(count) % 2
    x = torch.stack((torch.cos(angle), torch.sin(angle)), dim=1)
    x[side == 1] = torch.tensor([1.0, 0.5]) - x[side == 1]
    return x + 0.05 * torch.randn_like(x)


masks = torch.tensor([[0.0, 1.0], [1.0, 0.0]]).repeat(3, 1)
flow = Flow(masks)
optimizer = torch.optim.Adam(flow.parameters(), lr=5e-3)
for step in range(60):
    optimizer.zero_grad(set_to_none=True)
    loss = -flow.log_prob(moons(64)).mean()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(f"loss {loss.item():.4f}")
with torch.no_grad():
    x = flow.sample(5)
    z, change = flow.layers[0].inverse(flow.layers[0](x))
    print("invertible:", torch.allclose(z, x, atol=1e-5))


class MixtureDensity(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(1, 16), nn.Tanh())
        self.pi, self.mu = nn.Linear(16, count), nn.Linear(16, count)
        self.sigma = nn.Sequential(nn.Linear(16, count), nn.Softplus())

    def forward(self, x):
        h = self.body(x)
        parts = D.Normal(self.mu(h), self.sigma(h) + 1e-3)
        return D.MixtureSameFamily(D.Categorical(logits=self.pi(h)), parts)


y = torch.rand(128, 1) * 2 - 1
x = y + 0.3 * torch.sin(2 * math.pi * y) + 0.05 * torch.randn_like(y)
network = MixtureDensity(3)
optimizer = torch.optim.Adam(network.parameters(), lr=2e-2)
for step in range(40):
    optimizer.zero_grad()
    cost = -network(x).log_prob(y.squeeze(-1)).mean()
    cost.backward()
    optimizer.step()
    if step % 10 == 9:
        print(f"cost {cost.item():.4f}")
mixture = network(torch.tensor([[0.1]]))
print(f"{mixture.mean.item():.4f} {mixture.variance.item():.4f}")

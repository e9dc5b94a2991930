"""Networks of energies, kernels and distances: Hopfield, RBM, Gaussian process, triplets."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Hopfield:
    def __init__(self, patterns):
        n = patterns.shape[1]
        self.W = (patterns.t() @ patterns / n).fill_diagonal_(0)

    def energy(self, s):
        return -0.5 * torch.einsum("bi,ij,bj->b", s, self.W, s)

    def recall(self, s, sweeps=3):
        s = s.clone()
        for _ in range(sweeps):
            for i in torch.randperm(s.shape[1]).tolist():
                s[:, i] = torch.where(s @ self.W[i] >= 0, 1.0, -1.0)
        return s


patterns = torch.randint(0, 2, (3, 40)).float() * 2 - 1
memory = Hopfield(patterns)
noisy = patterns.clone()
noisy[torch.rand_like(noisy) < 0.1] *= -1
found = memory.recall(noisy)
print(
    "recalled",
    torch.equal(found, patterns),
    bool((memory.energy(found) <= memory.energy(noisy)).all()),
)


class RBM(nn.Module):
    def __init__(self, visible, hidden):
        super().__init__()
        self.W = nn.Parameter(torch.randn(hidden, visible) * 0.1)
        self.v_bias, self.h_bias = (
            nn.Parameter(torch.zeros(visible)),
            nn.Parameter(torch.zeros(hidden)),
        )

    def sample_h(self, v):
        p = torch.sigmoid(F.linear(v, self.W, self.h_bias))
        return p, F.relu(torch.sign(p - torch.rand(p.size())))

    def sample_v(self, h):
        p = torch.sigmoid(F.linear(h, self.W.t(), self.v_bias))
        return p, torch.bernoulli(p)

    def forward(self, v, k=1):
        for _ in range(k):
            _, h = self.sample_h(v)
            _, v = self.sample_v(h)
        return v

    def free_energy(self, v):
        wx_b = F.linear(v, self.W, self.h_bias)
        return (-v.mv(self.v_bias) - F.softplus(wx_b).sum(1)).mean()


bars = torch.zeros(32, 16)
bars.view(32, 4, 4)[torch.arange(32), torch.arange(32) % 4] = 1.0
rbm = RBM(16, 8)
optimizer = torch.optim.SGD(rbm.parameters(), lr=0.2)
for epoch in range(20):
    v = rbm(bars, k=2).detach()
    cost = rbm.free_energy(bars) - rbm.free_energy(v)
    optimizer.zero_grad()
    cost.backward()
    optimizer.step()
with torch.no_grad():
    again = rbm.sample_v(rbm.sample_h(bars)[0])[0]
print(f"reconstruction {F.mse_loss(again, bars).item():.3f}")


def kernel(a, b, log_scale, log_length):
    squared = torch.cdist(a / log_length.exp(), b / log_length.exp()).pow(2)
    return (2 * log_scale).exp() * torch.exp(-0.5 * squared)


x = torch.linspace(0, 4, 25, dtype=torch.float64).unsqueeze(1)
y = torch.sin(2 * x.squeeze()) + 0.1 * torch.randn(25, dtype=torch.float64)
logs = torch.zeros(3, dtype=torch.float64).requires_grad_()
optimizer = torch.optim.LBFGS([logs], lr=0.5, max_iter=5, line_search_fn="strong_wolfe")


def evidence():
    K = kernel(x, x, logs[0], logs[1]) + (2 * logs[2]).exp() * torch.eye(25, dtype=torch.float64)
    L = torch.linalg.cholesky(K)
    alpha = torch.cholesky_solve(y.unsqueeze(1), L).squeeze(1)
    return 0.5 * y @ alpha + L.diagonal().log().sum() + 12.5 * math.log(2 * math.pi), L, alpha


def closure():
    optimizer.zero_grad()
    loss = evidence()[0]
    loss.backward()
    return loss


for _ in range(4):
    print(f"loss {optimizer.step(closure).item():.4f}")
with torch.no_grad():
    _, L, alpha = evidence()
    new = torch.tensor([[0.5], [2.2]], dtype=torch.float64)
    k = kernel(x, new, logs[0], logs[1])
    mean = k.t() @ alpha
    half = torch.linalg.solve_triangular(L, k, upper=False)
    variance = (2 * logs[0]).exp() - (half**2).sum(0)
print([f"{v:.3f}" for v in mean.tolist()], [f"{v:.4f}" for v in variance.tolist()])

embed = nn.Sequential(nn.Linear(4, 16), nn.PReLU(), nn.Linear(16, 3))
triplet = nn.TripletMarginLoss(margin=0.5, p=2, swap=True)
by_angle = nn.TripletMarginWithDistanceLoss(
    distance_function=lambda a, b: 1.0 - F.cosine_similarity(a, b), margin=0.3
)
pairs, ranks = nn.CosineEmbeddingLoss(margin=0.1), nn.MarginRankingLoss(margin=0.1)
optimizer = torch.optim.NAdam(embed.parameters(), lr=0.02)
centres = torch.randn(3, 4)
kinds = torch.arange(48) % 3
points = centres[kinds] + 0.4 * torch.randn(48, 4)
positive, negative = points.roll(3, 0), points.roll(1, 0)
for step in range(9):
    a, p, n = embed(points), embed(positive), embed(negative)
    near, far = F.pairwise_distance(a, p), F.pairwise_distance(a, n)
    parts = torch.stack(
        [
            triplet(a, p, n),
            by_angle(a, p, n),
            pairs(a, p, torch.ones(48)),
            pairs(a, n, -torch.ones(48)),
            ranks(far, near, torch.ones(48)),
        ]
    )
    optimizer.zero_grad()
    parts.sum().backward()
    optimizer.step()
    if step % 4 == 0:
        print([f"{v:.4f}" for v in parts.tolist()])
distances = torch.cdist(embed(points), embed(points)).fill_diagonal_(float("inf"))
right = (kinds[distances.argmin(1)] == kinds).float().mean()
print(f"nearest of the same kind {right.item():.2f}")

"""Per-sample gradients, Jacobians and a learning step inside a learning step."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, jacrev, vmap

torch.manual_seed(8)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
params = {k: v.detach() for k, v in net.named_parameters()}
data, targets = torch.randn(6, 3), torch.randint(0, 2, (6,))


def compute_loss(params, sample, target):
    logits = functional_call(net, params, (sample.unsqueeze(0),))
    return F.cross_entropy(logits, target.unsqueeze(0))


per_sample = vmap(grad(compute_loss), in_dims=(None, 0, 0))(params, data, targets)
print({k: tuple(v.shape) for k, v in per_sample.items()})
loss = F.cross_entropy(net(data), targets)
whole = torch.autograd.grad(loss, list(net.parameters()))
for mine, theirs in zip(per_sample.values(), whole):
    assert torch.allclose(mine.mean(0), theirs, atol=1e-6)
jacobian = jacrev(lambda x: net(x))(data[0])
print(f"{jacobian.norm():.4f}", tuple(jacobian.shape))
print(f"{torch.autograd.functional.hessian(lambda x: net(x).sum(), data[0]).norm():.4f}")

meta = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(6):
    meta.zero_grad()
    total = 0.0
    for task in range(3):
        x = torch.randn(8, 3)
        y = torch.stack((x[:, task], -x[:, task]), 1)
        inner = F.mse_loss(net(x), y)
        fast = torch.autograd.grad(inner, list(net.parameters()), create_graph=True)
        adapted = {n: p - 0.1 * g for (n, p), g in zip(net.named_parameters(), fast)}
        total = total + F.mse_loss(functional_call(net, adapted, (x,)), y)
    total.backward()
    meta.step()
    print(f"loss {total.item() / 3:.4f}")

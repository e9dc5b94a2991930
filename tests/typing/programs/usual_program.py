"""Expressions of everyday programs, each with the type that a checker has to know."""

from __future__ import annotations

from typing import Any, assert_type

import numpy as np

import pellucid as torch
from pellucid import Size, Tensor, dtype, nn, optim
from pellucid.nn import functional as F
from pellucid.utils.data import DataLoader, Subset, TensorDataset, random_split

x = torch.tensor([[1.0, -2.0], [3.0, 4.0]], requires_grad=True)
i = torch.tensor([0, 1])
layer = nn.Linear(2, 2)
pair = torch.distributions.Normal(0.0, 1.0)

# made
assert_type(x, Tensor)
assert_type(torch.zeros(2, 3), Tensor)
assert_type(torch.ones((2, 3), dtype=torch.float64), Tensor)
assert_type(torch.full((2,), 1.5), Tensor)
assert_type(torch.arange(0, 4, 2), Tensor)
assert_type(torch.linspace(0, 1, 5), Tensor)
assert_type(torch.eye(2), Tensor)
assert_type(torch.randn(2, 3, requires_grad=True), Tensor)
assert_type(torch.randint(0, 4, (3,)), Tensor)
assert_type(torch.zeros_like(x), Tensor)
assert_type(torch.from_numpy(np.zeros(2)), Tensor)

# operators
assert_type(x + 1, Tensor)
assert_type(2.0 - x, Tensor)
assert_type(x * x, Tensor)
assert_type(1 / x, Tensor)
assert_type(x**2, Tensor)
assert_type(-x, Tensor)
assert_type(x @ x, Tensor)
assert_type(x > 0, Tensor)
assert_type((x > 0) & (x < 1), Tensor)
assert_type(~(x > 0), Tensor)
assert_type(x[0], Tensor)
assert_type(x[:, None, ...], Tensor)
assert_type(x[x > 0], Tensor)

# what a tensor is
assert_type(x.shape, Size)
assert_type(x.shape[0], int)
assert_type(x.size(), Size)
assert_type(x.size(0), int)
assert_type(x.dtype, dtype)
assert_type(x.requires_grad, bool)
assert_type(x.grad, Tensor | None)
assert_type(x.dim(), int)
assert_type(x.numel(), int)
assert_type(x.T, Tensor)
assert_type(x.is_contiguous(), bool)
assert_type(x.detach(), Tensor)
assert_type(x.backward(torch.ones(2, 2)), None)

# methods
assert_type(x.sum(), Tensor)
assert_type(x.mean(dim=0, keepdim=True), Tensor)
assert_type(x.view(-1), Tensor)
assert_type(x.reshape(4, 1), Tensor)
assert_type(x.permute(1, 0), Tensor)
assert_type(x.unsqueeze(0).expand(2, -1, -1), Tensor)
assert_type(x.to(torch.float64), Tensor)
assert_type(x.clamp(min=0), Tensor)
assert_type(x.detach().add_(1), Tensor)
assert_type(x.max(), Tensor)
assert_type(x.max(dim=1).values, Tensor)
assert_type(x.argmax(dim=1), Tensor)

# functions
assert_type(torch.cat([x, x], dim=1), Tensor)
assert_type(torch.stack((x, x)), Tensor)
assert_type(torch.where(x > 0, x, 0.0), Tensor)
assert_type(torch.exp(x), Tensor)
assert_type(torch.matmul(x, x), Tensor)
assert_type(torch.einsum("ij,jk->ik", x, x), Tensor)
assert_type(torch.sort(x, dim=0).indices, Tensor)
assert_type(torch.topk(x, 1).values, Tensor)
assert_type(torch.split(x, 1), tuple[Tensor, ...])
assert_type(torch.allclose(x, x), bool)
assert_type(torch.linalg.norm(x), Tensor)
assert_type(torch.linalg.svd(x).Vh, Tensor)
assert_type(torch.fft.fft(x), Tensor)
assert_type(torch.special.erf(x), Tensor)
assert_type(F.relu(x, inplace=False), Tensor)
assert_type(F.softmax(x, dim=-1), Tensor)
assert_type(F.cross_entropy(x, i, label_smoothing=0.1), Tensor)
assert_type(F.linear(x, x, bias=None), Tensor)
assert_type(F.max_pool1d(x, 2), Tensor)
assert_type(layer.weight, nn.Parameter)
assert_type(torch.is_tensor(x), bool)
assert_type(torch.is_grad_enabled(), bool)
assert_type(torch.pi, float)

# modules that are loaded when asked for
assert_type(layer(x), Tensor)
assert_type(nn.Embedding(3, 2)(i), Tensor)
assert_type(nn.CrossEntropyLoss()(x, i), Tensor)
assert_type(nn.MultiheadAttention(2, 1)(x, x, x), tuple[Tensor, Tensor | None])
assert_type(layer.eval(), nn.Linear)
assert_type(list(layer.parameters()), list[nn.Parameter])
assert_type(layer.state_dict(), dict[str, Any])
assert_type(optim.SGD([x], lr=0.1), optim.SGD)
assert_type(optim.lr_scheduler.StepLR(optim.SGD([x]), 2).get_last_lr(), list[Any])
assert_type(torch.autograd.grad(x.sum(), x), tuple[Tensor, ...])
assert_type(torch.autograd.gradcheck(torch.sin, x), bool)
assert_type(torch.autograd.forward_ad.unpack_dual(x).tangent, Tensor | None)
assert_type(torch.vmap(torch.dot)(x, x), Tensor)
assert_type(torch.inspect.graph(x), torch.inspect.Graph)
assert_type(torch.linalg.eigh(x).eigenvalues, Tensor)
assert_type(torch.fft.fftfreq(4), Tensor)
assert_type(torch.special.logsumexp(x, dim=0), Tensor)
assert_type(torch.distributions.Normal(x, 1.0).rsample(), Tensor)
assert_type(torch.distributions.kl_divergence(pair, pair), Tensor)
assert_type(TensorDataset(x)[0], tuple[Tensor, ...])
assert_type(DataLoader(TensorDataset(x)), DataLoader[tuple[Tensor, ...]])
assert_type(random_split(TensorDataset(x), [1, 1]), list[Subset[tuple[Tensor, ...]]])
assert_type(x.float(), Tensor)
assert_type(x.type(), str)
assert_type(x.stride(), tuple[int, ...])
assert_type(x.item(), int | float | bool)

"""Mistakes that a type checker has to find, one a line."""

from __future__ import annotations

import pellucid as torch
from pellucid import nn
from pellucid.nn import functional as F

x = torch.ones(2, 2)

torch.zeros(2, 3, dtyp=torch.float64)
torch.relu("x")
torch.cat(x, dimension=0)
torch.exp()
torch.softmax(x, dim="last")
torch.add(x, "1")
torch.relux(x)
x.summ()
x.sum(keepdims="yes")
x.reshape("2")
x.T.shape.rank
x + "1"
F.cross_entropy(x)
F.relu(x, in_place=True)
F.dropout(x, p="half")
torch.linalg.inv([1.0])
nn.Linear("2", 3)
y: int = torch.ones(2)
nn.Linear(2, 3)("x")
nn.Linear(2, 3)(x, x)
nn.Sequentiel(nn.ReLU())
torch.optim.SGD([x], lr="fast")
torch.optim.SGD([x], lr=0.1, momentun=0.9)
torch.optim.lr_scheduler.StepLR(3)
torch.distributions.Normal(x, sigma=1.0)
torch.utils.data.DataLoader(3)
torch.utils.data.DataLoader([x], batchsize=2)
torch.autograd.grad(x)
torch.autograd.backward("x")
torch.func.vmap(3)
torch.inspect.grph(x)
torch.linalg.invert(x)
torch.fft.fft(x, m=3)
torch.special.erf("x")
torch.vmap(torch.dot)(x, 1)
x.float(1)
x.backward(retain="yes")
z: str = x.item()

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

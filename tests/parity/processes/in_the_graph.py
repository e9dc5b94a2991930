"""Exchanges with gradients, spread tensors and parallel layers, written for PyTorch.

Run by `test_distributed_parity.py` as `program.py` is.
"""

from __future__ import annotations

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
import torch.distributed.nn.functional as exchanged
import torch.nn.functional as F
from rank import begin, end, keep
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import (
    DTensor,
    Partial,
    Replicate,
    Shard,
    distribute_tensor,
    ones,
    zeros,
)
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    SequenceParallel,
    loss_parallel,
    parallelize_module,
)

me, count = begin()
mesh = init_device_mesh("cpu", (count,), mesh_dim_names=("tp",))


# ---- exchanges ---------------------------------------------------------------------------------


def differentiate(name: str, function, *shape: int) -> None:
    """Keep what a function gives, and its gradient, for another loss on every rank."""
    torch.manual_seed(me)
    x = torch.randn(shape, requires_grad=True)
    out = function(x)
    parts = out if isinstance(out, tuple | list) else (out,)
    for position, part in enumerate(parts):
        keep(f"{name} {position}", part)
    sum((part * (me + 1) * (position + 1)).sum() for position, part in enumerate(parts)).backward()
    keep(f"{name} gradient", x.grad)


n, g = count, dist.group.WORLD
differentiate("all_reduce", exchanged.all_reduce, 2, 3)
differentiate("all_gather", exchanged.all_gather, 2, 3)
differentiate("broadcast", lambda x: exchanged.broadcast(x, 1), 2, 3)
differentiate("gather", lambda x: exchanged.gather(x, 1), 2, 3)
differentiate("scatter", lambda x: exchanged.scatter(list(x), 0), n, 3)
differentiate("reduce_scatter",
              lambda x: exchanged.reduce_scatter(torch.empty(3), list(x)), n, 3)  # fmt: skip
differentiate(
    "all_to_all", lambda x: exchanged.all_to_all([torch.empty(3) for _ in range(n)], list(x)), n, 3
)
differentiate("all_to_all_single",
              lambda x: exchanged.all_to_all_single(torch.empty(n, 3), x), n, 3)  # fmt: skip
differentiate("reduce", lambda x: exchanged.reduce(x, 1) * (me == 1), 2, 3)
differentiate("funcol all_reduce", lambda x: funcol.all_reduce(x, "sum", g), 2, 3)
differentiate("funcol all_gather",
              lambda x: funcol.all_gather_tensor_autograd(x, 1, (mesh, 0)), 2, 3)  # fmt: skip
differentiate(
    "funcol reduce_scatter",
    lambda x: funcol.reduce_scatter_tensor_autograd(x, "sum", 1, g),
    2,
    3 * n,
)
differentiate("funcol all_to_all",
              lambda x: funcol.all_to_all_single_autograd(x, None, None, mesh), n, 3)  # fmt: skip
shifted = [(rank + 1) % n for rank in range(n)]
keep("funcol permute", funcol.permute_tensor(torch.full((2,), float(me)), shifted, g))
keep("funcol max", funcol.wait_tensor(funcol.all_reduce(torch.tensor([float(me)]), "max", g)))

# ---- spread tensors ----------------------------------------------------------------------------

torch.manual_seed(0)
X, W = torch.randn(5, 6), torch.randn(7, 6)


def spread(tensor, placement):
    return distribute_tensor(tensor, mesh, [placement]).requires_grad_()


for kind in (Replicate(), Shard(0), Shard(1)):
    for name, function in (
        ("sum", lambda x: x.sum()), ("mean", lambda x: x.mean()), ("norm", lambda x: x.norm()),
        ("square", lambda x: x.pow(2).sum()), ("softmax", lambda x: x.softmax(-1)),
        ("max", lambda x: x.detach().max()), ("dims", lambda x: x.sum(0)),
        ("view", lambda x: x.unsqueeze(0).transpose(1, 2)), ("gelu", F.gelu),
        ("norm 1", lambda x: torch.linalg.vector_norm(x, 1)),
        ("norm inf", lambda x: torch.linalg.vector_norm(x, float("inf"))),
        ("layer norm", lambda x: F.layer_norm(x, (6,))),
        ("mm", lambda x: x @ spread(W, Shard(0)).t()),
        ("linear", lambda x: F.linear(x, spread(W, Shard(1)))),
    ):  # fmt: skip
        if count > 3 and name in ("max", "norm inf"):
            continue  # an empty part is an error in PyTorch
        x = spread(X, kind)
        out = function(x)
        keep(f"{name} of {kind}", out)
        keep(f"{name} of {kind} is", [*out.shape, x.ndim, x.numel()])
        if out.requires_grad and name != "norm inf":  # nan in PyTorch, where it is cut
            out.sum().backward()
            keep(f"{name} of {kind} gradient", x.grad)
    keep(f"part of {kind}", x.to_local())
    for wanted in (Replicate(), Shard(0), Shard(1)):
        keep(f"{kind} to {wanted}", x.redistribute(placements=[wanted]).to_local())
summands = DTensor.from_local(torch.full((4, 3), me + 1.0), mesh, [Partial()])
keep("summands", summands.redistribute(placements=[Shard(0)]).to_local())
# item() of what is still to be summed is this rank's summand in PyTorch, and the sum here
keep("item", [summands.sum().full_tensor().item(), summands.mean().full_tensor().item()])
keep("made", [ones(3, 2, device_mesh=mesh, placements=[Shard(0)]).sum().full_tensor().item(),
              zeros(3, device_mesh=mesh, placements=[Shard(0)]).to_local().numel()])  # fmt: skip
keep("names", [str(each) for each in (Shard(1), Replicate(), Partial(), Partial("max"))])
keep("texts", [repr(each) for each in (Shard(1), Replicate(), Partial(), Partial("avg"))])


def refused(function) -> str:
    try:
        function()
    except (RuntimeError, ValueError, TypeError, NotImplementedError):
        return "refused"
    return ""


keep("refusals", [
    refused(lambda: spread(X, Shard(0)) + X), refused(lambda: distribute_tensor(X, mesh, [])),
    refused(lambda: summands.redistribute(placements=None)),
])  # fmt: skip

# ---- layers ------------------------------------------------------------------------------------


class Layers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(5)
        self.embed = nn.Embedding(10, 8)
        self.norm = nn.LayerNorm(8)
        self.up, self.down = nn.Linear(8, 4 * count), nn.Linear(4 * count, 8)
        self.head = nn.Linear(8, 2 * count + 7)

    def forward(self, tokens):
        x = self.embed(tokens)
        return self.head(x + self.down(self.up(self.norm(x)).tanh()))


tokens = torch.arange(8 * count).reshape(4, 2 * count) % 9
targets = tokens.flatten() * 3 % 7


def train(name: str, net, loss_of) -> None:
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.05)
    losses = []
    for _ in range(4):
        optimizer.zero_grad()
        loss = loss_of(net)
        loss.backward()
        optimizer.step()
        losses.append(loss.full_tensor().item() if isinstance(loss, DTensor) else loss.item())
    keep(f"{name} losses", losses)
    for key, value in net.named_parameters():
        keep(f"{name} {key} shape", list(value.shape))
        keep(f"{name} {key}", value)


def usual(net):
    return F.cross_entropy(net(tokens).flatten(0, 1), targets)


train("tensor parallel", parallelize_module(Layers(), mesh, {
    "embed": RowwiseParallel(input_layouts=Replicate()), "up": ColwiseParallel(),
    "down": RowwiseParallel(), "head": ColwiseParallel(output_layouts=Replicate()),
}), usual)  # fmt: skip
train("sequence parallel", parallelize_module(Layers(), mesh, {
    "embed": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
    "norm": SequenceParallel(), "up": ColwiseParallel(input_layouts=Shard(1)),
    "down": RowwiseParallel(output_layouts=Shard(1)),
    "head": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
}), usual)  # fmt: skip
scores = spread(torch.randn(5, 7, generator=torch.Generator().manual_seed(3)), Shard(1))
with loss_parallel():
    loss = F.cross_entropy(scores, torch.tensor([0, 6, 3, 1, 2]))
    loss.backward()
keep("loss parallel", loss)
keep("loss parallel gradient", scores.grad)

sharded = Layers()
fully_shard(sharded)
keep("whole", [sum(p.numel() for p in sharded.parameters()),
               sum(p.norm().full_tensor().item() for p in sharded.parameters()),
               sum(p.pow(2).sum() for p in sharded.parameters()).full_tensor().item()])  # fmt: skip
train("sharded", sharded, usual)
if count == 4:
    grid = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    both = Layers()
    parallelize_module(both, grid["tp"], {"up": ColwiseParallel(), "down": RowwiseParallel()})
    fully_shard(both, mesh=grid["dp"])
    train("both", both, usual)
    copies = Layers()
    fully_shard(copies, mesh=grid)
    train("copies", copies, usual)

end()

"""Tensor and sequence parallel transformers, alone and sharded, next to one process's."""

from __future__ import annotations

import copy

import numpy as np

import pellucid as torch
import pellucid.distributed as dist
import pellucid.nn.functional as F
from pellucid import nn
from pellucid.distributed.fsdp import fully_shard
from pellucid.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from pellucid.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    PrepareModuleOutput,
    RowwiseParallel,
    SequenceParallel,
    loss_parallel,
    parallelize_module,
)

dist.init_process_group("gloo")
me, count = dist.get_rank(), dist.get_world_size()


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.q, self.k, self.v = (nn.Linear(width, width) for _ in range(3))
        self.out = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attend(self, x):
        q, k, v = (
            each(x).unflatten(-1, (-1, x_width)).transpose(1, 2)
            for each in (self.q, self.k, self.v)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).flatten(2))

    def forward(self, x):
        x = x + self.attend(self.norm(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


x_width = 3


class Model(nn.Module):
    def __init__(self, heads: int) -> None:
        super().__init__()
        width = heads * x_width
        self.embed = nn.Embedding(11, width)
        self.layers = nn.ModuleList([Block(width, heads) for _ in range(2)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, 11, bias=False)

    def forward(self, tokens):
        x = self.embed(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


def model(ranks: int) -> Model:
    torch.manual_seed(3)
    return Model(2 * ranks)


PLAIN = {
    "embed": RowwiseParallel(input_layouts=Replicate()),
    "layers.*.[qkv]": ColwiseParallel(),
    "layers.*.out": RowwiseParallel(),
    "layers.*.up": ColwiseParallel(),
    "layers.*.down": RowwiseParallel(),
    "head": ColwiseParallel(output_layouts=Replicate()),
}
SEQUENCE = {
    "embed": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
    "layers.*.norm": SequenceParallel(use_local_output=True),
    "layers.*.[qkv]": ColwiseParallel(input_layouts=Shard(1)),
    "layers.*.out": RowwiseParallel(output_layouts=Shard(1)),
    "layers.*.norm2": SequenceParallel(use_local_output=True),
    "layers.*.up": ColwiseParallel(input_layouts=Shard(1)),
    "layers.*.down": RowwiseParallel(output_layouts=Shard(1)),
    "norm": SequenceParallel(use_local_output=True),
    "head": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
}


def train(net, tokens, steps=3):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.3, momentum=0.9)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        scores = net(tokens)
        loss = F.cross_entropy(scores[:, :-1].reshape(-1, 11), tokens[:, 1:].reshape(-1))
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        optimizer.step()
        losses.append(loss.item())
    return losses


def agree(net, alone) -> None:
    for (name, mine), theirs in zip(net.named_parameters(), alone.parameters(), strict=True):
        found = mine.full_tensor() if isinstance(mine, DTensor) else mine
        np.testing.assert_allclose(
            found.detach().numpy(), theirs.detach().numpy(), rtol=1e-4, atol=1e-5, err_msg=name
        )


torch.manual_seed(1)
tokens = torch.randint(11, (4, 6 * count))
mesh = dist.init_device_mesh("cpu", (count,), mesh_dim_names=("tp",))


def check_plans() -> None:
    alone = model(count)
    expected = train(alone, tokens)
    for plan in (PLAIN, SEQUENCE):
        net = parallelize_module(model(count), mesh, plan)
        assert net.layers[0].up.weight.placements == (Shard(0),)
        np.testing.assert_allclose(train(net, tokens), expected, rtol=1e-4)
        agree(net, alone)


def check_two_dims() -> None:
    """Cut the layers along one dim of a mesh, and shard the cut ones along the other."""
    if count % 2:
        return
    grid = dist.init_device_mesh("cpu", (2, count // 2), mesh_dim_names=("dp", "tp"))
    alone = model(count // 2)
    net = parallelize_module(model(count // 2), grid["tp"], PLAIN)
    for layer in net.layers:
        fully_shard(layer, mesh=grid["dp"])
    fully_shard(net, mesh=grid["dp"])
    assert net.layers[0].up.weight.shape == alone.layers[0].up.weight.shape
    half = slice(2 * grid.get_local_rank("dp"), 2 * grid.get_local_rank("dp") + 2)
    np.testing.assert_allclose(
        sum(p.norm().item() for p in net.parameters()),
        sum(p.norm().item() for p in alone.parameters()), rtol=1e-5,
    )  # fmt: skip
    twin = copy.deepcopy(net)
    train(net, tokens[half])
    train(alone, tokens)
    agree(net, alone)
    train(twin, tokens[half])
    agree(twin, alone)


def check_loss() -> None:
    torch.manual_seed(2)
    scores, target = torch.randn(5, 7), torch.tensor([0, 6, -100, 3, 2])
    weight = torch.rand(7)
    for options in ({}, {"reduction": "sum"}, {"reduction": "none"}, {"weight": weight}):
        plain = scores.clone().requires_grad_()
        spread = distribute_tensor(scores, mesh, [Shard(1)]).requires_grad_()
        expected = F.cross_entropy(plain, target, **options)
        with loss_parallel():
            found = F.cross_entropy(spread, target, **options)
        torch.testing.assert_close(found.full_tensor(), expected)
        expected.sum().backward()
        found.sum().backward()
        assert spread.grad.placements == (Shard(1),)
        torch.testing.assert_close(spread.grad.full_tensor(), plain.grad)


def check_inputs_and_outputs() -> None:
    class Sum(nn.Module):
        def forward(self, a, b=None):
            return a + b, a

    net = Sum()
    parallelize_module(net, mesh, PrepareModuleInput(
        input_layouts=Shard(0), desired_input_layouts=Replicate(),
        input_kwarg_layouts={"b": Replicate()}, desired_input_kwarg_layouts={"b": Replicate()},
    ))  # fmt: skip
    parallelize_module(net, mesh, PrepareModuleOutput(
        output_layouts=(Replicate(), Replicate()), desired_output_layouts=(Shard(0), Replicate()),
    ))  # fmt: skip
    part, whole = net(torch.full((1, 2), float(me)), b=torch.ones(count, 2))
    assert part.tolist() == [[me + 1.0] * 2]
    assert whole[:, 0].tolist() == list(range(count))


check_plans()
check_two_dims()
check_loss()
check_inputs_and_outputs()
dist.destroy_process_group()
if me == 0:
    print("parallel layers agree")

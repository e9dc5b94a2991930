"""Sharded parameters: initialization on meta, clipping, checkpoints, tensor parallelism.

What PyTorch's tutorials on FSDP2 and on tensor parallelism teach, started by torchrun.
"""

import os
import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
)
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    loss_parallel,
    parallelize_module,
)
from torch.nn import functional as F

WIDTH, WORDS, LENGTH = 16, 24, 8


class FeedForward(nn.Module):
    """A gated layer."""

    def __init__(self):
        super().__init__()
        self.w1, self.w3 = nn.Linear(WIDTH, 32, bias=False), nn.Linear(WIDTH, 32, bias=False)
        self.w2 = nn.Linear(32, WIDTH, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Layer(nn.Module):
    """A norm and a gated layer."""

    def __init__(self):
        super().__init__()
        self.norm, self.feed_forward = nn.LayerNorm(WIDTH), FeedForward()

    def forward(self, x):
        return x + self.feed_forward(self.norm(x))


class Model(nn.Module):
    """An embedding, some layers and an output."""

    def __init__(self):
        super().__init__()
        self.tok_embeddings = nn.Embedding(WORDS, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(3))
        self.norm, self.output = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS)

    def forward(self, words):
        x = self.tok_embeddings(words)
        for layer in self.layers:
            x = layer(x)
        return self.output(self.norm(x))


def made(seed=0):
    torch.manual_seed(seed)
    return Model()


def batch(number, rank):
    chosen = torch.Generator().manual_seed(100 * number + rank)
    words = torch.randint(WORDS, (4, LENGTH + 1), generator=chosen)
    return words[:, :-1], words[:, 1:]


def wrapped(model):
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
    for one, other in zip(model.layers[:-1], model.layers[1:], strict=True):
        one.set_modules_to_forward_prefetch([other])
    return model


def sharded(rank, folder):
    model = wrapped(made())
    assert isinstance(model, FSDPModule)
    assert all(isinstance(param, DTensor) for param in model.parameters())
    assert all(param.placements == (Shard(0),) for param in model.parameters())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def train(model, optimizer, begin, end, name):
        for number in range(begin, end):
            words, targets = batch(number, rank)
            loss = F.cross_entropy(model(words).flatten(0, 1), targets.flatten())
            loss.backward()
            norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).full_tensor()
            optimizer.step()
            optimizer.zero_grad()
            if rank == 0:
                print(name, number, "loss", loss.item(), "norm", norm.item())

    train(model, optimizer, 0, 3, "sharded")
    whole = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True))
    state = {
        "model": get_model_state_dict(model),
        "optim": get_optimizer_state_dict(model, optimizer),
    }
    dcp.save(state, checkpoint_id=os.path.join(folder, "checkpoint"))
    again = wrapped(made(1))
    resumed = torch.optim.Adam(again.parameters(), lr=1e-2)
    state = {
        "model": get_model_state_dict(again), "optim": get_optimizer_state_dict(again, resumed)
    }  # fmt: skip
    dcp.load(state, checkpoint_id=os.path.join(folder, "checkpoint"))
    set_model_state_dict(again, state["model"])
    set_optimizer_state_dict(again, resumed, state["optim"])
    train(again, resumed, 3, 5, "resumed")
    third = wrapped(made(2))
    set_model_state_dict(
        third, whole,
        options=StateDictOptions(full_state_dict=True, broadcast_from_rank0=True),
    )  # fmt: skip
    norms = [param.norm().full_tensor().item() for param in third.parameters()]
    if rank == 0:
        print("restored", *norms)


def tensor_parallel(rank, count):
    mesh = init_device_mesh("cpu", (count,))
    model = made()
    model = parallelize_module(model, mesh, {
        "tok_embeddings": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
        "norm": SequenceParallel(),
        "output": ColwiseParallel(
            input_layouts=Shard(1), output_layouts=Shard(-1), use_local_output=False
        ),
    })  # fmt: skip
    for layer in model.layers:
        parallelize_module(layer, mesh, {
            "norm": SequenceParallel(),
            "feed_forward": PrepareModuleInput(
                input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),)
            ),
            "feed_forward.w1": ColwiseParallel(), "feed_forward.w3": ColwiseParallel(),
            "feed_forward.w2": RowwiseParallel(output_layouts=Shard(1)),
        })  # fmt: skip
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, foreach=True)
    for number in range(3):
        words, targets = batch(number, 0)
        with loss_parallel():
            loss = F.cross_entropy(model(words).flatten(0, 1), targets.flatten())
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        value = loss.full_tensor() if isinstance(loss, DTensor) else loss
        if rank == 0:
            print("parallel", number, "loss", value.item())


def both(rank, count):
    """Parts of layers along one dim of the mesh, sharded parameters along the other."""
    mesh = init_device_mesh("cpu", (count // 2, 2), mesh_dim_names=("dp", "tp"))
    model = made()
    for layer in model.layers:
        parallelize_module(layer.feed_forward, mesh["tp"], {
            "w1": ColwiseParallel(), "w3": ColwiseParallel(), "w2": RowwiseParallel(),
        })  # fmt: skip
        fully_shard(layer, mesh=mesh["dp"])
    fully_shard(model, mesh=mesh["dp"])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for number in range(3):
        words, targets = batch(number, mesh["dp"].get_local_rank())
        loss = F.cross_entropy(model(words).flatten(0, 1), targets.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if rank == 0:
            print("both", number, "loss", loss.item())


if __name__ == "__main__":
    dist.init_process_group("gloo")
    torch.set_num_threads(1)
    rank, count = dist.get_rank(), dist.get_world_size()
    sharded(rank, sys.argv[1])
    tensor_parallel(rank, count)
    both(rank, count)
    dist.destroy_process_group()

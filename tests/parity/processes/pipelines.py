"""Pipelines, hooks of gradients and averages of models, written for PyTorch.

Run by `test_distributed_parity.py` as `program.py` is.
"""

from __future__ import annotations

import copy

import torch
import torch.distributed as dist
from rank import begin, end, keep
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import (
    DDPCommHookType,
    debugging_hooks,
    post_localSGD_hook,
    register_ddp_comm_hook,
)
from torch.distributed.algorithms.model_averaging import averagers
from torch.distributed.algorithms.model_averaging.hierarchical_model_averager import (
    HierarchicalModelAverager,
)
from torch.distributed.optim import PostLocalSGDOptimizer
from torch.distributed.pipelining import (
    PipelineStage,
    Schedule1F1B,
    ScheduleGPipe,
    ScheduleInterleaved1F1B,
)
from torch.distributed.pipelining.schedules import ScheduleLoopedBFS
from torch.nn.parallel import DistributedDataParallel

me, count = begin()
device = torch.device("cpu")


# ---- pipelines ---------------------------------------------------------------------------------


class Layer(nn.Module):
    """A layer that passes two tensors on, but for the last one."""

    def __init__(self, number: int, total: int) -> None:
        super().__init__()
        torch.manual_seed(number)
        self.linear, self.is_last = nn.Linear(6, 6), number == total - 1

    def forward(self, x, y=None):
        y = x * 0.5 if y is None else y
        x = torch.tanh(self.linear(x)) + y
        return x if self.is_last else (x, y * 0.9)


torch.manual_seed(1)
batch, targets = torch.randn(24, 6), torch.randn(24, 6)
for name, make, per_rank in (
    ("gpipe", ScheduleGPipe, 1), ("1f1b", Schedule1F1B, 1),
    ("interleaved", ScheduleInterleaved1F1B, 2), ("looped", ScheduleLoopedBFS, 2),
):  # fmt: skip
    total = count * per_rank
    layers = [Layer(me + at * count, total) for at in range(per_rank)]
    stages = [
        PipelineStage(layer, me + at * count, total, device) for at, layer in enumerate(layers)
    ]
    schedule = make(stages if per_rank > 1 else stages[0], 2 * count, nn.functional.mse_loss)
    optimizer = torch.optim.SGD([p for layer in layers for p in layer.parameters()], lr=0.1)
    for step in range(2):
        optimizer.zero_grad()
        losses: list[torch.Tensor] = []
        first = [batch] if me == 0 else []
        out = schedule.step(*first, target=targets if me == count - 1 else None, losses=losses)
        if me == count - 1:
            keep(f"{name} {step} out", out)
            keep(f"{name} {step} losses", [each.item() for each in losses])
            keep(f"{name} {step} losses with a graph", [each.requires_grad for each in losses])
        optimizer.step()
    for at, layer in enumerate(layers):
        keep(f"{name} {at}", layer.linear.weight)
        keep(f"{name} {at} gradient", layer.linear.bias.grad)

# ---- hooks of gradients, averages of models ----------------------------------------------------

torch.manual_seed(me)
x, y = torch.randn(8, 6), torch.randn(8, 3)


def network():
    torch.manual_seed(5)
    return nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))


def train(name: str, model, optimizer, after=lambda: None, steps: int = 4) -> None:
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        after()
        losses.append(loss.item())
    keep(f"{name} losses", losses)
    for key, value in model.state_dict().items():
        keep(f"{name} {key}", value)


for kind in ("NOOP", "FP16_COMPRESS", "ALLREDUCE"):  # gloo has no others
    model = DistributedDataParallel(network())
    register_ddp_comm_hook(getattr(DDPCommHookType, kind), model, None)
    name = "fp16" if kind == "FP16_COMPRESS" else kind
    train(name, model, torch.optim.SGD(model.parameters(), lr=0.1))
model = DistributedDataParallel(network())
model.register_comm_hook(None, debugging_hooks.noop_hook)
train("noop", model, torch.optim.SGD(model.parameters(), lr=0.1))

model = DistributedDataParallel(network())
alone = dist.new_subgroups(1)[0]
state = post_localSGD_hook.PostLocalSGDState(None, alone, start_localSGD_iter=2)
model.register_comm_hook(state, post_localSGD_hook.post_localSGD_hook)
averager = averagers.PeriodicModelAverager(period=2, warmup_steps=2)
optimizer = PostLocalSGDOptimizer(torch.optim.SGD(model.parameters(), lr=0.1), averager)
train("local SGD", model, optimizer, steps=7)
keep("local SGD step", optimizer.state_dict()["step"])
model = network()
averager = averagers.PeriodicModelAverager(period=3)
train("averager", model, torch.optim.SGD(model.parameters(), lr=0.1),
      lambda: averager.average_parameters(model.parameters()), 5)  # fmt: skip
if count == 4:
    model = network()
    levels = HierarchicalModelAverager({2: 2, 4: 4}, warmup_steps=1)
    train("levels", model, torch.optim.SGD(model.parameters(), lr=0.1),
          lambda: levels.average_parameters(model.parameters()), 6)  # fmt: skip
keep("copies", len(list(copy.deepcopy(model).parameters())))

end()

"""What else `fully_shard` can be told, and state dicts of sharded modules, written for PyTorch.

Run by `test_distributed_parity.py` as `program.py` is.
"""

from __future__ import annotations

import torch
from rank import begin, end, keep
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard, register_fsdp_forward_method
from torch.distributed.tensor import Shard

me, count = begin()


class Layers(nn.Module):
    """Layers with a second way to compute."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(5)
        self.up, self.down = nn.Linear(12, 12 * count), nn.Linear(12 * count, 12)

    def forward(self, x):
        return self.down(self.up(x).tanh())

    def energy(self, x):
        return self(x).pow(2).mean()


def sharded(mesh=None, **options):
    net = Layers()
    for each in (net.up, net.down, net):
        fully_shard(each, mesh=mesh, **options)
    return net


torch.manual_seed(me)
x, y = torch.randn(4, 12), torch.randn(4, 12)


def train(name: str, net, prepare=lambda step: None, loss_of=None, steps: int = 4) -> None:
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.05)
    losses = []
    for step in range(steps):
        prepare(step)
        loss = ((net(x) - y) ** 2).mean() if loss_of is None else loss_of()
        loss.backward()
        keep(f"{name} {step} whole", [not hasattr(each, "placements") for each in net.parameters()])
        for each in (net.up, net.down, net):
            each.reshard()
        if all(param.grad is not None for param in net.parameters()):
            optimizer.step()
            optimizer.zero_grad()
        losses.append(loss.item())
    keep(f"{name} losses", losses)
    for key, value in net.named_parameters():
        keep(f"{name} {key} part", value.to_local())
        keep(f"{name} {key}", value.full_tensor())


def by_columns(param):
    return Shard(1) if param.ndim > 1 else None


columns = sharded(shard_placement_fn=by_columns)
keep("columns are", [str(each.placements) for each in columns.parameters()])
train("columns", columns)

net = sharded()
for each in (net.up, net.down):
    each.set_reshard_after_forward(False)
    each.set_reshard_after_backward(False)
    each.set_unshard_in_backward(True)
net.set_is_last_backward(True)
train("kept after backward", net)

net = sharded()
for each in (net.up, net.down, net):
    each.set_force_sum_reduction_for_comms(True)  # gloo has no other
    each.set_gradient_divide_factor(3.0)
train("divided by 3", net)

net = sharded()
for each in (net.up, net.down):
    register_fsdp_forward_method(each, "forward")
register_fsdp_forward_method(net, "energy")
train("by another method", net, loss_of=lambda: net.energy(x))

if count == 4:
    net = sharded(init_device_mesh("cpu", (2, 2), mesh_dim_names=("copies", "shards")))
    train("copies now and then", net, lambda step: net.set_requires_all_reduce(step % 2 == 1))
    net = sharded(init_device_mesh("cpu", (2, 2), mesh_dim_names=("copies", "shards")))
    for each in (net.up, net.down):
        each.set_all_reduce_hook(lambda flat: flat.mul_(0.5))
    train("halved", net)

end()

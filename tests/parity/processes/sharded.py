"""What else `fully_shard` can be told, and state dicts of sharded modules, written for PyTorch.

Run by `test_distributed_parity.py` as `program.py` is.
"""

from __future__ import annotations

import torch
from rank import begin, end, keep
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    CheckpointImpl,
    apply_activation_checkpointing,
    checkpoint_wrapper,
)
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    get_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
)
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard, register_fsdp_forward_method
from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler
from torch.distributed.tensor import Replicate, Shard, distribute_tensor
from torch.distributed.tensor.experimental import local_map

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

# ---- state dicts -------------------------------------------------------------------------------


def keep_nested(name: str, value) -> None:
    if isinstance(value, dict):
        for key, each in value.items():
            keep_nested(f"{name} {key}", each)
    elif isinstance(value, list | tuple) and value and isinstance(value[0], dict):
        for number, each in enumerate(value):
            keep_nested(f"{name} {number}", each)
    elif isinstance(value, torch.Tensor | bool | int | float):
        keep(name, value)


net = sharded()
optimizer = torch.optim.AdamW(net.parameters(), lr=0.05)
net(x).sum().backward()
optimizer.step()
for name, options in (
    ("whole", {"full_state_dict": True}),
    ("flat", {"full_state_dict": True, "flatten_optimizer_state_dict": True}),
    ("for the first", {"full_state_dict": True, "cpu_offload": True}),
):
    made = get_state_dict(net, optimizer, options=StateDictOptions(**options))
    for number, each in enumerate(made):
        keep_nested(f"state dict {name} {number}", each)
whole = StateDictOptions(full_state_dict=True)
from_first = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
model_state = get_model_state_dict(net, options=whole)
optimizer_state = get_optimizer_state_dict(net, optimizer, options=whole)
if me:
    model_state, optimizer_state = {}, {}
other = sharded()
others = torch.optim.AdamW(other.parameters(), lr=0.5)
with torch.no_grad():
    for param in other.parameters():
        param.mul_(2)
set_model_state_dict(other, model_state, options=from_first)
set_optimizer_state_dict(other, others, optimizer_state, options=from_first)
keep_nested("loaded", get_model_state_dict(other, options=whole))
keep_nested("loaded state", get_optimizer_state_dict(other, others, options=whole))

torch.manual_seed(0)
plain = nn.Linear(3, 1)
optimizer = torch.optim.SGD(plain.parameters(), lr=0.1)
scaler = ShardedGradScaler("cpu", init_scale=4.0, growth_interval=1)
for step in range(3):
    optimizer.zero_grad()
    factor = float("inf") if step == 1 and me == 0 else 1.0
    scaler.scale(plain(x[:, :3]).sum() * factor).backward()
    scaler.step(optimizer)
    scaler.update()
    keep(f"scale {step}", scaler.get_scale())
    keep(f"scaled {step}", plain.weight)

# ---- activations that are computed again, functions of parts -----------------------------------

net = Layers()
apply_activation_checkpointing(net, check_fn=lambda each: isinstance(each, nn.Linear))
keep("wrapped", [*net.state_dict(), *(name for name, _ in net.named_parameters())])
for each in (net.up, net.down, net):
    fully_shard(each)
train("computed again", net)
net = checkpoint_wrapper(Layers(), CheckpointImpl.REENTRANT)
start = x.clone().requires_grad_()
net(x=start).sum().backward()
keep("reentrant", start.grad)
keep("wrapper loads", str(net.load_state_dict(Layers().state_dict())))

mesh = init_device_mesh("cpu", (count,))
torch.manual_seed(0)
spread = distribute_tensor(torch.randn(2 * count, 3), mesh, [Shard(0)]).requires_grad_()
doubled = local_map(lambda x, by: x * by, out_placements=[Shard(0)],
                    in_placements=([Shard(0)], None))  # fmt: skip
result = doubled(spread, 2.0)
(result * result).sum().backward()
keep("mapped", result)
keep("mapped gradient", spread.grad)
both = local_map(
    lambda x: (x + 1, x.sum(0, keepdim=True)), ([Replicate()], [Replicate()]), ([Replicate()],),
    redistribute_inputs=True,
)  # fmt: skip
for number, each in enumerate(both(spread.detach())):
    keep(f"mapped {number}", each)
try:
    local_map(lambda x: x, [Shard(0)], ([Replicate()],))(spread)
except ValueError:
    keep("refused", True)

if count == 4:
    net = sharded(init_device_mesh("cpu", (2, 2), mesh_dim_names=("copies", "shards")))
    train("copies now and then", net, lambda step: net.set_requires_all_reduce(step % 2 == 1))
    net = sharded(init_device_mesh("cpu", (2, 2), mesh_dim_names=("copies", "shards")))
    for each in (net.up, net.down):
        each.set_all_reduce_hook(lambda flat: flat.mul_(0.5))
    train("halved", net)

end()

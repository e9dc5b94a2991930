"""Exchanges and training by several processes, written for PyTorch; results go to a file per rank.

Run by `test_distributed_parity.py`: under mpiexec with pellucid in PyTorch's place, and as
processes of their own with PyTorch and gloo.
"""

from __future__ import annotations

import functools
import sys

import torch
import torch.distributed as dist
from rank import begin, end, keep
from torch import nn
from torch.distributed import checkpoint
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.distributed.fsdp.wrap import size_based_auto_wrap_policy
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

me, count = begin()
Op = dist.ReduceOp


def told(function) -> str:
    """Return the class of what a function raises."""
    try:
        function()
    except (RuntimeError, ValueError, TypeError) as error:
        return next(k.__name__ for k in type(error).__mro__ if k.__module__ == "builtins")
    return ""


# ---- exchanges ---------------------------------------------------------------------------------
torch.manual_seed(me)
kinds = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8,
         torch.int32, torch.int64]  # fmt: skip
for kind in kinds:
    value = torch.randint(1, 5, (4, 3)).to(kind)
    for name in ("SUM", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR", "AVG"):
        if name in ("BAND", "BOR", "BXOR") and kind.is_floating_point:
            continue
        if name == "AVG" and not kind.is_floating_point:
            continue
        reduced = value.clone()
        dist.all_reduce(reduced, getattr(Op, name))
        keep(f"all_reduce {kind} {name}", reduced)
    gathered = [torch.zeros_like(value) for _ in range(count)]
    dist.all_gather(gathered, value)
    keep(f"all_gather {kind}", torch.stack(gathered))
    sent = value.clone()
    dist.broadcast(sent, count - 1)
    keep(f"broadcast {kind}", sent)
truth = torch.tensor([me == 0, True, False])
dist.all_reduce(truth)
keep("all_reduce bool", truth)
turned = torch.ones(2, dtype=torch.complex64) * (1 + 1j * me)
dist.all_reduce(turned)
keep("all_reduce complex", turned)

value = torch.randn(count, 3)
keep("seeded", value)
reduced = value.clone()
dist.reduce(reduced, 1)
if me == 1:
    keep("reduce", reduced)
flat = torch.zeros(count * count, 3)
dist.all_gather_into_tensor(flat, value)
keep("all_gather_into_tensor", flat)
listed = [torch.zeros(count, 3) for _ in range(count)] if me == 0 else None
dist.gather(value, listed, dst=0)
keep("gather", torch.stack(listed) if listed else torch.zeros(1))
row = torch.zeros(3)
dist.scatter(row, list(value) if me == 0 else None, src=0)
keep("scatter", row)
dist.reduce_scatter(row, list(value))
keep("reduce_scatter", row)
one = torch.zeros(1, 3)
dist.reduce_scatter_tensor(one, value)
keep("reduce_scatter_tensor", one)
moved = torch.zeros(count, 3)
dist.all_to_all_single(moved, value)
keep("all_to_all_single", moved)
sizes = list(range(1, count + 1))
uneven = torch.zeros(count * (me + 1), 2)
dist.all_to_all_single(uneven, torch.randn(sum(sizes), 2), [me + 1] * count, sizes)
keep("all_to_all_single uneven", uneven)
work = dist.all_reduce(value, async_op=True)
future = work.get_future()
work.wait()
keep("future", future.wait()[0])
ring = torch.zeros(3)
requests = dist.batch_isend_irecv([
    dist.P2POp(dist.isend, row, (me + 1) % count),
    dist.P2POp(dist.irecv, ring, (me - 1) % count),
])  # fmt: skip
for request in requests:
    request.wait()
keep("ring", ring)
things = [None] * count
dist.all_gather_object(things, {"rank": me})
keep("objects", [each["rank"] for each in things])
whole, mine_here = dist.group.WORLD, torch.full((2,), me + 1.0)
for name, begun in (
    ("allreduce", lambda x: whole.allreduce([x])),
    ("maximum", lambda x: whole.allreduce(x, Op.MAX)),
    ("broadcast", lambda x: whole.broadcast(x, 1)),
    ("gathered", lambda x: whole.allgather([list(moved[:, :2])], [x])),
    ("swapped", lambda x: whole.alltoall_base(flat, value.repeat(count, 1), [], [])),
):  # fmt: skip
    given = mine_here.clone()
    begun(given).wait()
    keep(f"method {name}", torch.cat([given, moved.flatten(), flat.flatten()]))
keep("backends", [dist.get_default_backend_for_device("cpu"), dist.get_backend_config()[:8],
                  dist.is_backend_available("gloo"), dist.supports_complex(Op.MAX)])  # fmt: skip
group = dist.new_group([0, 1])
keep("group", [dist.get_rank(group), dist.get_world_size(group), dist.get_rank()])
mesh = dist.init_device_mesh("cpu", (1, count), mesh_dim_names=("a", "b"))
keep("mesh", [mesh.get_local_rank("b"), mesh.size(1), *mesh.get_coordinate()])
keep("errors", [
    told(lambda: dist.all_gather([torch.zeros(1)], torch.zeros(1))),
    told(lambda: dist.all_gather([torch.zeros(2)] * count, torch.zeros(1))),
    told(lambda: dist.all_gather([torch.zeros(1).long()] * count, torch.zeros(1))),
    told(lambda: dist.all_reduce([1])),
    told(lambda: dist.all_reduce(torch.ones(1), Op.BAND)) and "some",
    told(lambda: dist.all_reduce(torch.ones(1, dtype=torch.complex64), Op.MAX)),
    told(lambda: dist.send(torch.ones(1), me)),
    told(lambda: dist.new_group([0, count])),
    told(lambda: dist.init_process_group("gloo")),
])  # fmt: skip

# ---- training ----------------------------------------------------------------------------------


def network(norm: bool = False):
    torch.manual_seed(5)
    middle = nn.BatchNorm1d(16) if norm else nn.Identity()
    return nn.Sequential(nn.Linear(6, 16), middle, nn.Tanh(), nn.Linear(16, 3))


torch.manual_seed(1)
x, y = torch.randn(8 * count, 6), torch.randn(8 * count, 3)
mine = slice(8 * me, 8 * me + 8)


def train(model, optimizer, steps: int = 5) -> list[float]:
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = ((model(x[mine]) - y[mine]) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def keep_training(name: str, model, optimizer, steps: int = 5) -> None:
    keep(f"{name} losses", train(model, optimizer, steps))
    for key, value in model.state_dict().items():
        keep(f"{name} {key}", value)


for name, options in (
    ("plain", {}), ("small buckets", {"bucket_cap_mb": 1e-4}), ("static", {"static_graph": True}),
    ("unused", {"find_unused_parameters": True}), ("views", {"gradient_as_bucket_view": True}),
    ("batched", {"batched_grad_copy": True}), ("own buffers", {"forward_sync_buffers": False}),
    ("never sent", {"broadcast_buffers": False}),
):  # fmt: skip
    parallel = DistributedDataParallel(network(norm=True), **options)
    keep_training(name, parallel, torch.optim.SGD(parallel.parameters(), lr=0.1, momentum=0.9))
for name, options in (("sparse", {}), ("sparse, unused", {"find_unused_parameters": True})):
    torch.manual_seed(0)
    tables = nn.Sequential(nn.EmbeddingBag(10, 4, sparse=True), nn.Linear(4, 2))
    parallel = DistributedDataParallel(tables, **options)
    optimizer = torch.optim.SGD(parallel.parameters(), lr=0.1)
    for number in range(3):
        optimizer.zero_grad()
        parallel(torch.tensor([[me, 2], [me + number, 4]])).pow(2).sum().backward()
        optimizer.step()
    keep(f"{name} gradient", tables[0].weight.grad.to_dense())
    for key, value in tables.state_dict().items():
        keep(f"{name} {key}", value)
for name, state, hook in (
    ("fp16", None, default_hooks.fp16_compress_hook),
    ("full", None, default_hooks.allreduce_hook),
    ("powerSGD", powerSGD_hook.PowerSGDState(None, 1, 2), powerSGD_hook.powerSGD_hook),
):
    parallel = DistributedDataParallel(network())
    parallel.register_comm_hook(state, hook)
    keep_training(name, parallel, torch.optim.SGD(parallel.parameters(), lr=0.1))
for divide in (True, False):
    parallel = DistributedDataParallel(network())
    optimizer = torch.optim.SGD(parallel.parameters(), lr=0.1)
    with parallel.join(divide_by_initial_world_size=divide):
        keep_training(f"join {divide}", parallel, optimizer, 1 + me)
    for key, value in parallel.state_dict().items():
        keep(f"join {divide} {key}", value)
parallel = DistributedDataParallel(network())
spread = ZeroRedundancyOptimizer(parallel.parameters(), torch.optim.Adam, lr=0.05)
keep_training("zero", parallel, spread)
keep("zero part", len(spread.optim.state))
sharded = network()
for layer in (sharded[0], sharded[3]):
    fully_shard(layer)
fully_shard(sharded)
optimizer = torch.optim.AdamW(sharded.parameters(), lr=0.05)
keep("sharded losses", train(sharded, optimizer))
norm = nn.utils.clip_grad_norm_(sharded.parameters(), 1.0)
keep("sharded norm", norm.full_tensor() if hasattr(norm, "full_tensor") else norm)
for key, value in sharded.named_parameters():
    keep(f"sharded part {key}", value.to_local())
    keep(f"sharded {key}", value.full_tensor())
checkpoint.save(
    {"model": sharded.state_dict(), "sizes": [1, 2], "turn": 5},
    checkpoint_id=f"{sys.argv[1]}/checkpoint",
)
older = FullyShardedDataParallel(
    network(), auto_wrap_policy=functools.partial(size_based_auto_wrap_policy, min_num_params=60),
    device_id=torch.device("cpu"), use_orig_params=True,
)  # fmt: skip
optimizer = torch.optim.AdamW(older.parameters(), lr=0.05)
keep("older losses", train(older, optimizer))
keep("older norm", older.clip_grad_norm_(1.0))
for key, value in older.state_dict().items():
    keep(f"older {key}", value)

end()

"""Exchanges go on while the ranks compute."""

import time

import numpy as np

import pellucid as torch
import pellucid.distributed as dist
from pellucid import nn
from pellucid.distributed.fsdp import fully_shard
from pellucid.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
me, count = dist.get_rank(), dist.get_world_size()


# ---- a large exchange moves while this process computes and asks for nothing --------------------
sent = torch.full((1 << 22,), float(me))
dist.barrier()
first, again = dist.all_reduce(sent, async_op=True), DistributedDataParallel(nn.Linear(1, 1))
again(torch.ones(1, 1)).sum().backward()  # which starts the thread in the background
until = time.monotonic() + 10
square = np.ones((400, 400), np.float32)
while not first.has_arrived and time.monotonic() < until:
    square @ square  # the BLAS leaves the interpreter to other threads
assert first.has_arrived
first.wait()
assert sent[0].item() == count * (count - 1) / 2


# ---- buckets follow the order in which gradients come --------------------------------------------
class Backwards(nn.Module):
    """Layers that are used in another order than they are defined in."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.last, self.middle, self.first = (nn.Linear(width, width) for _ in range(3))

    def forward(self, x):
        return self.last(self.middle(self.first(x).relu()).relu())


torch.manual_seed(3)
model = DistributedDataParallel(Backwards(512), bucket_cap_mb=1)
x = torch.randn(256, 512, generator=torch.Generator().manual_seed(me))
for step in range(2):
    model.zero_grad()
    model(x).sum().backward()
    told = model._get_ddp_logging_data()
    assert told["has_rebuilt_buckets"] == (step == 1), told
names = {id(param): name for name, param in model.module.named_parameters()}
order = [names[id(param)] for bucket in model.reducer.buckets for param in bucket.parameters()]
assert [each.partition(".")[0] for each in order] == ["last"] * 2 + ["middle"] * 2 + ["first"] * 2
alone = Backwards(512)
alone.load_state_dict(model.module.state_dict())
total = sum(
    alone(torch.randn(256, 512, generator=torch.Generator().manual_seed(rank))).sum()
    for rank in range(count)
)
(total / count).backward()
for mine, whole in zip(model.module.parameters(), alone.parameters(), strict=True):
    assert torch.allclose(mine.grad, whole.grad, rtol=1e-3, atol=1e-3)


# ---- of three large layers two have been exchanged when backward ends ----------------------------
class Busy(torch.autograd.Function):
    """The identity, which computes in backward as long as an exchange may take."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        until = time.monotonic() + 60
        while not all(work.has_arrived for work in large.reducer._started):
            square @ square
            assert time.monotonic() < until
        return g


class Large(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(1024, 1024, bias=False) for _ in range(3))

    def forward(self, x):
        first, second, third = self.layers
        return third(Busy.apply(second(Busy.apply(first(x)))))


large = DistributedDataParallel(Large(), bucket_cap_mb=4)
for _ in range(2):
    large.zero_grad()
    large(torch.randn(8, 1024)).sum().backward()
    assert len(large.reducer.buckets) == 3
    assert large._get_ddp_logging_data()["num_buckets_hidden"] >= 2

# ---- parameters that are gathered in advance ----------------------------------------------------
plain = nn.Sequential(*(nn.Linear(8, 8) for _ in range(3)))
sharded = nn.Sequential(*(nn.Linear(8, 8) for _ in range(3)))
sharded.load_state_dict(plain.state_dict())
for layer in sharded:
    fully_shard(layer)
fully_shard(sharded)
for number in range(2):
    sharded[number].set_modules_to_forward_prefetch([sharded[number + 1]])
    sharded[number + 1].set_modules_to_backward_prefetch([sharded[number]])
data = torch.randn(4, 8, generator=torch.Generator().manual_seed(7))
for _ in range(2):
    plain.zero_grad()
    sharded.zero_grad()
    plain(data).pow(2).sum().backward()
    sharded(data).pow(2).sum().backward()
for mine, whole in zip(sharded.parameters(), plain.parameters(), strict=True):
    assert torch.allclose(mine.grad.full_tensor(), whole.grad, rtol=1e-4, atol=1e-5)
handle = sharded[0].unshard(async_op=True)
handle.wait()
assert torch.equal(sharded[0].weight.detach(), plain[0].weight.detach())
sharded[0].reshard()

dist.destroy_process_group()
if me == 0:
    print("all agree on overlap")

"""Data-parallel training, compared with training on the whole batch in one process."""

from __future__ import annotations

import copy
import io
import random
import warnings

import numpy as np

import pellucid as torch
import pellucid.distributed as dist
from pellucid import nn
from pellucid.distributed._composable import replicate
from pellucid.distributed.algorithms.ddp_comm_hooks import (
    default_hooks,
    powerSGD_hook,
    quantization_hooks,
)
from pellucid.distributed.algorithms.join import Join
from pellucid.distributed.optim import ZeroRedundancyOptimizer
from pellucid.inspect import graph, over_ranks, ranks_differ
from pellucid.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
me, count = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
x, y = torch.randn(8 * count, 6), torch.randn(8 * count, 3)
mine = slice(8 * me, 8 * me + 8)


def raised(kind, function) -> str:
    """Return the text of the exception that a function raises."""
    try:
        function()
    except kind as error:
        return str(error)
    raise AssertionError(f"{kind.__name__} expected")


def network():
    return nn.Sequential(nn.Linear(6, 20), nn.Tanh(), nn.Linear(20, 3))


def step(model, optimizer, rows) -> None:
    optimizer.zero_grad()
    ((model(x[rows]) - y[rows]) ** 2).mean().backward()
    optimizer.step()


def end_early(together) -> None:
    with together:
        for _ in range(1 + me):
            parallel(x[mine]).sum().backward()


def parameters(model) -> np.ndarray:
    return np.concatenate([each.detach().numpy().ravel() for each in model.parameters()])


def agree(model) -> None:
    """Check that all ranks have the same parameters."""
    every = [None] * count
    dist.all_gather_object(every, parameters(model))
    assert all(np.array_equal(each, every[0]) for each in every)


def trained(model, optimizer, steps, **options):
    """Train a model in all ranks, check it against one process, and return it wrapped."""
    parallel = DistributedDataParallel(model, **options)
    alone = copy.deepcopy(model)
    optimizers = [optimizer(each.parameters(), lr=0.01) for each in (parallel, alone)]
    for _ in range(steps):
        step(parallel, optimizers[0], mine)
        step(alone, optimizers[1], slice(None))
    agree(model)
    np.testing.assert_allclose(parameters(model), parameters(alone), rtol=1e-4, atol=1e-6)
    return parallel


# ---- the same as one process with the whole batch --------------------------------------------
for options in (
    {}, {"bucket_cap_mb": 1e-4}, {"gradient_as_bucket_view": True}, {"static_graph": True},
    {"find_unused_parameters": True}, {"batched_grad_copy": True},
):  # fmt: skip
    torch.manual_seed(me)  # the parameters of rank 0 count
    trained(network(), torch.optim.Adam, 6, **options)
assert len(DistributedDataParallel(network(), bucket_cap_mb=1e-4).reducer.buckets) > 1

# ---- large gradients, which are reduced where they are -----------------------------------------
for options in ({}, {"gradient_as_bucket_view": True}, {"bucket_cap_mb_list": [0.1]}):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 1 << 15), nn.Tanh(), nn.Linear(1 << 15, 3))
    parallel = trained(model, torch.optim.SGD, 3, **options)
seen = []
model[0].weight.register_post_accumulate_grad_hook(lambda param: seen.append(param.grad.clone()))
for reduced in (False, True):
    parallel.zero_grad()
    parallel.require_backward_grad_sync = reduced
    parallel(x[mine]).sum().backward()
assert torch.equal(seen[0], seen[1])
assert not torch.equal(seen[1], model[0].weight.grad)

# ---- sparse gradients, which have elements at other places on each rank -------------------------
tokens = torch.arange(8 * count) % 9
table = nn.Embedding(12, 3, sparse=True)
parallel = DistributedDataParallel(table)
alone = copy.deepcopy(table)
parallel(tokens[mine]).square().mean().backward()
alone(tokens).square().mean().backward()
assert table.weight.grad.is_sparse
assert torch.allclose(table.weight.grad.to_dense(), alone.weight.grad.to_dense())
agree(table)

# ---- buffers: sent at the start, before each forward pass, or never ------------------------------
for options, at_first, later in (
    ({}, 0, 0), ({"forward_sync_buffers": False}, 0, me), ({"broadcast_buffers": False}, me, me),
):  # fmt: skip
    norm = nn.BatchNorm1d(2)
    norm.running_mean.fill_(float(me))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        parallel = DistributedDataParallel(norm, **options)
    assert [each.category for each in told] == [FutureWarning] * ("broadcast_buffers" in options)
    assert norm.running_mean.tolist() == [at_first] * 2
    norm.running_mean.fill_(float(me))
    with torch.no_grad():
        parallel.eval()(torch.ones(3, 2))
    assert norm.running_mean.tolist() == [later] * 2

# ---- gradients that stay, and then are reduced with the next ones ----------------------------
model = network()
parallel = DistributedDataParallel(model)
with parallel.no_sync():
    parallel(x[mine]).sum().backward()
own = model[0].weight.grad.clone()
parallel(x[mine]).sum().backward()
expected = [None] * count
dist.all_gather_object(expected, 2 * own.numpy())
np.testing.assert_allclose(model[0].weight.grad.numpy(), np.mean(expected, 0), rtol=1e-5)

# ---- parameters that some ranks, or none, use ------------------------------------------------


class Choosing(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.c = nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, value):
        return self.a(value) if me == 0 else self.b(value)


model = Choosing()
DistributedDataParallel(model, find_unused_parameters=True)(torch.ones(1, 2)).sum().backward()
np.testing.assert_allclose(model.a.bias.grad.numpy(), 1 / count, rtol=1e-6)
np.testing.assert_allclose(model.b.bias.grad.numpy(), 1 - 1 / count, rtol=1e-6)
assert model.c.bias.grad is None

model = Choosing()
model.forward = lambda value: model.b(model.a(value))
parallel = DistributedDataParallel(model)
parallel(torch.ones(1, 2)).sum().backward()
told = raised(RuntimeError, lambda: parallel(torch.ones(1, 2)))
assert "Expected to have finished reduction in the prior iteration" in told
assert f"for rank {me}: 4 5 (c.weight, c.bias)" in told

told = raised(RuntimeError, lambda: DistributedDataParallel(nn.Linear(2, 2 + me)))
assert "in process 1 with sizes [3, 2] and torch.float32 appears not to match" in told
told = raised(RuntimeError, lambda: DistributedDataParallel(nn.ReLU()))
assert "not needed when a module doesn't have any parameters" in told

# ---- other ways to exchange ------------------------------------------------------------------
torch.manual_seed(3)
start = network()
results = {}
for name, state, hook in (
    ("plain", None, None),
    ("full", None, default_hooks.allreduce_hook),
    ("fp16", None, default_hooks.fp16_compress_hook),
    ("bf16", None, default_hooks.bf16_compress_hook),
    ("rounded", None, default_hooks.fp16_compress_wrapper(default_hooks.allreduce_hook)),
    ("per tensor", None, quantization_hooks.quantization_pertensor_hook),
    ("per channel", None, quantization_hooks.quantization_perchannel_hook),
    ("powerSGD", powerSGD_hook.PowerSGDState(None, 3, 2), powerSGD_hook.powerSGD_hook),
    ("square", powerSGD_hook.PowerSGDState(None, 99, 2), powerSGD_hook.batched_powerSGD_hook),
    ("coarse", powerSGD_hook.PowerSGDState(None, 2, 2), powerSGD_hook.batched_powerSGD_hook),
):
    model = copy.deepcopy(start)
    parallel = DistributedDataParallel(model)
    if hook is not None:
        parallel.register_comm_hook(state, hook)
    optimizer = torch.optim.SGD(parallel.parameters(), lr=0.1)
    for _ in range(5):
        step(parallel, optimizer, mine)
    agree(model)
    results[name] = parameters(model)
for name, tolerance in (("full", 1e-6), ("fp16", 1e-3), ("rounded", 1e-3), ("bf16", 1e-2),
                        ("per tensor", 2e-2), ("per channel", 2e-2)):  # fmt: skip
    np.testing.assert_allclose(results[name], results["plain"], atol=tolerance)
# Rank 3 is all there is of a gradient for three outputs, so nothing but rounding is lost.
np.testing.assert_allclose(results["powerSGD"], results["plain"], atol=1e-5)
np.testing.assert_allclose(results["square"], results["plain"], atol=1e-5)
assert 1e-3 < abs(results["coarse"] - results["plain"]).max() < 0.5

# ---- different numbers of batches ------------------------------------------------------------
first = network()
for spread, divides in ((False, True), (True, True), (True, False)):
    model, alone = copy.deepcopy(first), copy.deepcopy(first)
    parallel = DistributedDataParallel(model)
    if spread:
        optimizer = ZeroRedundancyOptimizer(parallel.parameters(), torch.optim.Adam, lr=0.1)
        together = Join([parallel, optimizer], divide_by_initial_world_size=divides)
    else:
        optimizer = torch.optim.Adam(parallel.parameters(), lr=0.1)
        together = parallel.join(divide_by_initial_world_size=divides)
    with together:
        for _ in range(1 + me):
            step(parallel, optimizer, mine)
    agree(model)
    optimizer = torch.optim.Adam(alone.parameters(), lr=0.1)
    for done in range(count):
        optimizer.zero_grad()
        for rank in range(done, count):
            rows = slice(8 * rank, 8 * rank + 8)
            shares = count if divides else count - done
            (((alone(x[rows]) - y[rows]) ** 2).mean() / shares).backward()
        optimizer.step()
    np.testing.assert_allclose(parameters(model), parameters(alone), rtol=1e-4, atol=1e-5)
told = raised(RuntimeError, lambda: end_early(Join([parallel], throw_on_early_termination=True)))
assert ("exhausted all inputs" if me == 0 else "at least one rank that exhausted inputs") in told

# ---- buffers, and batch normalisation over all ranks -----------------------------------------
whole, synced = nn.BatchNorm1d(6), nn.SyncBatchNorm(6)
a, b = x.clone().requires_grad_(), x[mine].clone().requires_grad_()
g = torch.randn(8 * count, 6)
outputs = whole(a), synced(b)
torch.testing.assert_close(outputs[1], outputs[0][mine])
outputs[0].backward(g)
outputs[1].backward(g[mine])
torch.testing.assert_close(b.grad, a.grad[mine], rtol=1e-4, atol=1e-6)
torch.testing.assert_close(synced.running_mean, whole.running_mean)
torch.testing.assert_close(synced.running_var, whole.running_var)
dist.all_reduce(synced.weight.grad)
torch.testing.assert_close(synced.weight.grad, whole.weight.grad, rtol=1e-4, atol=1e-5)

parallel = DistributedDataParallel(nn.BatchNorm1d(6))
parallel(x[mine]).sum().backward()
before = x[:8].mean(0) * 0.1
parallel(x[mine]).sum().backward()
expected = before * 0.9 + x[mine].mean(0) * 0.1
torch.testing.assert_close(parallel.module.running_mean, expected, rtol=1e-4, atol=1e-6)

# In evaluation, the buffers are those of rank 0 too.
parallel.eval()
with torch.no_grad():
    shown = [parallel(x[:3]) for _ in range(2)]
of_all = [torch.zeros(3, 6) for _ in range(count)]
for each in shown:
    dist.all_gather(of_all, each)
    assert all(torch.equal(other, of_all[0]) for other in of_all)


# ---- outputs that the loss does not need ----------------------------------------------------
class TwoHeads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(6, 2), nn.Linear(6, 2)

    def forward(self, rows):
        return self.first(rows), self.second(rows)


torch.manual_seed(0)
parallel = DistributedDataParallel(TwoHeads(), find_unused_parameters=True)
for turn in range(4):
    parallel.zero_grad()
    used, unused = ("second", "first") if turn % 2 else ("first", "second")
    parallel(x[mine])[turn % 2].sum().backward()
    assert getattr(parallel.module, unused).weight.grad is None
    expected = torch.stack([x.sum(0) / count] * 2)
    torch.testing.assert_close(getattr(parallel.module, used).weight.grad, expected)

# ---- without a wrapper -----------------------------------------------------------------------
model, wrapped = copy.deepcopy(start), DistributedDataParallel(copy.deepcopy(start))
assert replicate(model) is model
assert [name for name, _ in model.named_parameters()] == list(start.state_dict())
for each in (model, wrapped):
    step(each, torch.optim.SGD(each.parameters(), lr=0.1), mine)
assert np.array_equal(parameters(model), parameters(wrapped))
model.set_requires_gradient_sync(False)
(model(x[mine]) - y[mine]).square().mean().backward()
told = [None] * count
dist.all_gather_object(told, model[0].weight.grad.sum().item())
assert len(set(told)) == count
assert "already been called" in raised(ValueError, lambda: replicate(model))

# ---- copies, which one rank alone may make ---------------------------------------------------
parallel = DistributedDataParallel(network())
step(parallel, torch.optim.SGD(parallel.parameters(), lr=0.1), mine)
if me == 0:
    file = io.BytesIO()
    torch.save(parallel, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    assert np.array_equal(parameters(loaded), parameters(parallel))
twin = copy.deepcopy(parallel)
averaged = torch.optim.swa_utils.AveragedModel(parallel)
averaged.update_parameters(parallel)
assert np.array_equal(parameters(averaged.module), parameters(parallel))
for model in (parallel, twin):
    step(model, torch.optim.SGD(model.parameters(), lr=0.1), mine)
assert np.array_equal(parameters(twin), parameters(parallel))
agree(twin)

# ---- the graphs of all ranks ---------------------------------------------------------------
a = torch.ones(2, requires_grad=True)
totals = over_ranks(graph((a * a).sum() if me == 0 else (a * a).exp().sum()))
assert [nodes for nodes, _, _ in totals.rows] == [2] + [3] * (count - 1)
assert totals.differing == tuple(range(1, count))
assert str(totals).startswith("rank 0: 2 nodes, 1 leaves, holds 8 B")

# ---- what differs among ranks ----------------------------------------------------------------
torch.manual_seed(0)
random.seed(0)
model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
assert not ranks_differ(model)
if me == 1:
    model[0].bias.data[1] += 1
    model[1].running_mean += 1
    torch.rand(1)
told = ranks_differ(model).rows
assert told == (
    ("parameter", "0.bias", (1,)), ("buffer", "1.running_mean", (1,)),
    ("random numbers of", "torch", (1,)),
), told  # fmt: skip
dist.destroy_process_group()
if me == 0:
    print("all agree on data-parallel training")

"""Operations of tensors that are spread over the ranks, compared with those of plain tensors.

Every operand is tried whole and cut along each dim; sizes are not multiples of the ranks, so that
parts differ and some are empty. Values, gradients and gradients of gradients are compared.
"""

from __future__ import annotations

import itertools
import sys

import numpy as np

import pellucid as torch
import pellucid.distributed as dist
import pellucid.distributed._functional_collectives as funcol
import pellucid.distributed.nn.functional as exchanged
import pellucid.nn.functional as F
from pellucid.distributed.tensor import (
    DTensor,
    Partial,
    Placement,
    Replicate,
    Shard,
    distribute_module,
    distribute_tensor,
    init_device_mesh,
    randn,
)
from pellucid.ops.linalg.distances import normalized_weight

dist.init_process_group("gloo")
me, count = dist.get_rank(), dist.get_world_size()
mesh = init_device_mesh("cpu", (count,))
whole = [Replicate()]
torch.manual_seed(0)
r = torch.randn
X, W = r(5, 6), r(7, 6)
IMAGES = r(5, 3, 4, 4)
EASY = r(5, 5).triu() + 4 * torch.eye(5)

CASES = [
    ("linear", F.linear, X, W, r(7)),
    ("mul", lambda a, b: a * b, X, r(6)),
    ("add3", lambda a, b: a + b, X, r(4, 5, 6)),
    ("norm", lambda a: a.norm(), X),
    ("norm1", lambda a: a.norm(1, dim=0), X),
    ("sum", lambda a: a.sum(), X),
    ("sumd", lambda a: a.sum(1, keepdim=True), X),
    ("mean", lambda a: a.mean(), X),
    ("meand", lambda a: a.mean(0), X),
    ("softmax", lambda a: a.softmax(-1), X),
    ("lsm", lambda a: F.log_softmax(a, 0), X),
    ("ln", lambda a, w, b: F.layer_norm(a, (6,), w, b), X, r(6), r(6)),
    ("mm", lambda a, b: a @ b.t(), X, W),
    ("roll", lambda a: a.roll((1, -2), (0, 1)), X),
    ("roll flat", lambda a: a.roll(3), X),
    ("repeat", lambda a: a.repeat(2, 1, 3), X),
    ("trace", lambda a: a.trace(), X),
    ("quantile", lambda a: a.quantile(0.3, 0), X),
    ("repeat_interleave", lambda a: a.repeat_interleave(2, 0), X),
    ("cross", lambda a, b: torch.linalg.cross(a, b), r(5, 3), r(5, 3)),
    ("bmm", lambda a, b: a @ b, r(3, 4, 5), r(3, 5, 2)),
    ("addmm", lambda c, a, b: torch.addmm(c, a, b), r(5, 7), X, r(6, 7)),
    ("view", lambda a: a.view(2, 3, -1), r(6, 4)),
    ("flatten", lambda a: a.flatten(), r(4, 4)),
    ("reshape", lambda a: a.reshape(4, 2, 4), r(8, 4)),
    ("permute", lambda a: a.permute(2, 0, 1), r(2, 3, 4)),
    ("transpose", lambda a: a.transpose(0, 1).reshape(6, 5) * 2, X),
    ("slice", lambda a: a[1:3, 2], X),
    ("slice2", lambda a: a[:, 1:4], X),
    ("squeeze", lambda a: a.unsqueeze(1).squeeze(), X),
    ("squeeze4", lambda a: a.squeeze(), r(4, 1, 2)),
    ("cat", lambda a, b: torch.cat([a, b], 1), X, r(5, 2)),
    ("stack", lambda a, b: torch.stack([a, b]), X, X + 1),
    ("chunk", lambda a: a.chunk(2, 1)[1] * 1, X),
    ("expand", lambda a: a.unsqueeze(0).expand(3, 5, 6) * 1, X),
    ("max", lambda a: a.max(), X),
    ("amax", lambda a: a.amax(1), X),
    ("prod", lambda a: a.prod(), X),
    ("prod1", lambda a: a.prod(1), X),
    ("logsumexp", lambda a: a.logsumexp(0), X),
    ("var", lambda a: a.var(0), X),
    ("std", lambda a: a.std(), X),
    ("gelu", lambda a: F.gelu(a), X),
    ("relu", lambda a: a.relu() + a.tanh().exp(), X),
    ("pow", lambda a: (a**2).sum() + a.abs().mean(), X),
    ("where", lambda a, b: torch.where(a > 0, a, b), X, X * 2),
    ("div", lambda a: (a / 3 - 1).sum(), X),
    ("clamp", lambda a: a.clamp(-1, 0.5), X),
    ("einsum", lambda a, b: torch.einsum("bij,bjk->bik", a, b), r(3, 4, 5), r(3, 5, 2)),
    (
        "sdpa",
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        r(2, 3, 4, 5),
        r(2, 3, 4, 5),
        r(2, 3, 4, 5),
    ),
    ("sqnorm", lambda a: (a * a).sum(0).mean() * a.sum(), X),
    ("cumsum", lambda a: a.cumsum(1), X),
    ("mse", lambda a, b: F.mse_loss(a, b), X, X * 2 + 1),
    ("dot", lambda a, b: a @ b, r(5), r(5)),
    ("mv", lambda a, b: a @ b, X, r(6)),
    ("sort", lambda a: a.sort(1)[0], X),
    ("conv", lambda a, w, b: F.conv2d(a, w, b), r(4, 3, 5, 5), r(6, 3, 2, 2), r(6)),
    ("rms", lambda a, w: F.rms_norm(a, (6,), w), X, r(6)),
    ("bce", lambda a: F.binary_cross_entropy_with_logits(a, (a > 0).float()), X),
    ("bce of numbers", lambda a: F.binary_cross_entropy(a.sigmoid(), (a > 0).float()), X),
    ("bounds", lambda a, b: a.clamp_min(b).clamp_max(0.5) + (2 - a), X, X / 2),
    ("normalize", lambda a: F.normalize(a, dim=0), X),
    ("cdist", lambda a, b: torch.cdist(a, b), X, r(4, 6)),
    ("cdist of 1", lambda a, b: torch.cdist(a, b, p=1), X, r(4, 6)),
    ("renorm", lambda a: a.renorm(2, 0, 0.5), X),
    ("weight norm", lambda v, g: normalized_weight(v, g, 0), X, r(5, 1)),
    ("slice scatter", lambda a, b: a.slice_scatter(b, 0, 1, 3), X, r(2, 6)),
    ("select scatter", lambda a, b: a.select_scatter(b, 1, 2), X, r(5)),
    ("diagonal scatter", lambda a, b: a.diagonal_scatter(b), X, r(5)),
    ("flip", lambda a: a.flip(0), X),
    ("tril", lambda a: a.tril(), X),
    ("outer", lambda a, b: torch.outer(a, b), r(5), r(4)),
    ("lerp", lambda a, b: torch.lerp(a, b, 0.3), X, X * 2),
    ("dropout0", lambda a: F.dropout(a, 0.5, training=False), X),
    ("unbind", lambda a: a.unbind(1)[2] * 1, X),
    ("iter", lambda a: list(a)[1] * 2, X),
    ("clone", lambda a: a.clone().contiguous(), X),
    ("double", lambda a: a.double().sum(), X),
    ("max pool", lambda a: F.max_pool2d(a, 2), IMAGES),
    ("avg pool", lambda a: F.avg_pool2d(a, 3, 2, 1), IMAGES),
    ("adaptive", lambda a: F.adaptive_avg_pool2d(a, 2) + F.adaptive_max_pool2d(a, 2), IMAGES),
    ("unpool", lambda a: F.max_unpool2d(*F.max_pool2d(a, 2, return_indices=True), 2), IMAGES),
    ("resize", lambda a: F.interpolate(a, scale_factor=1.5, mode="bilinear"), IMAGES),
    ("bn", lambda a, w, b: F.batch_norm(a, None, None, w, b, True), IMAGES, r(3), r(3)),
    ("in", lambda a: F.instance_norm(a), IMAGES),
    ("grid", lambda a, g: F.grid_sample(a, g.tanh(), align_corners=False), IMAGES, r(5, 2, 2, 2)),
    ("affine", lambda a: F.affine_grid(a, [5, 1, 2, 3], align_corners=True), r(5, 2, 3)),
    ("transposed", lambda a, w: F.conv_transpose2d(a, w), IMAGES, r(3, 2, 2, 2)),
    ("solve", lambda a, b: torch.linalg.solve(a, b), EASY, r(5, 3)),
    ("triangular", lambda a, b: torch.linalg.solve_triangular(a, b, upper=True), EASY, r(5, 3)),
    ("lstsq", lambda a, b: torch.linalg.lstsq(a, b).solution, EASY, r(5, 3)),
    ("masked select", lambda a: a.masked_select(a > 0.1), X),
    ("mask", lambda a: a[a > 0.1], X),
]


def layouts(tensors):
    """Return every layout of the operands; on many ranks at most two of them are cut at a time."""
    every = itertools.product(
        *[[Replicate(), *(Shard(dim) for dim in range(each.ndim))] for each in tensors]
    )
    return (each for each in every if count < 4 or sum(map(Placement.is_shard, each)) < 3)


def spread_over(grid, tensor, placements):
    """Return a tensor that all ranks have, spread without an exchange."""
    return distribute_tensor(tensor, grid, placements, src_data_rank=None)


def agree(found, expected, tolerance=1e-5) -> None:
    """Compare each rank's part, and what only a reduction tells as a whole."""
    assert found.shape == expected.shape
    expected = expected.detach()
    if any(each.is_partial() for each in found.placements):
        value = found.full_tensor()
    else:
        expected = spread_over(found.device_mesh, expected, found.placements).to_local()
        value = found.to_local()
    np.testing.assert_allclose(value.detach(), expected, rtol=1e-3, atol=tolerance)


def compare(function, tensors, placements) -> None:
    plain = [each.clone().requires_grad_() for each in tensors]
    spread = [
        spread_over(mesh, each, [placement]).requires_grad_()
        for each, placement in zip(tensors, placements, strict=True)
    ]
    expected, found = function(*plain), function(*spread)
    agree(found, expected)
    factor = r(expected.shape, generator=torch.Generator().manual_seed(3))
    losses = (found * spread_over(mesh, factor, whole)).sum(), (expected * factor).sum()
    pairs = zip(*map(gradients, losses, (spread, plain)), strict=True)
    pairs = [(mine, theirs) for mine, theirs in pairs if theirs is not None]
    for mine, theirs in pairs:
        agree(mine, theirs)
    pairs = [each for each in pairs if each[1].requires_grad]
    if pairs and placements == (Shard(0),) * len(placements):
        losses = [sum((side * side).sum() for side in sides) for sides in zip(*pairs, strict=True)]
        for mine, theirs in zip(*map(gradients, losses, (spread, plain)), strict=True):
            if theirs is not None:
                agree(mine, theirs, 1e-4)


def gradients(loss, inputs):
    return torch.autograd.grad(loss, inputs, create_graph=True, allow_unused=True)


def check_operations() -> None:
    for name, function, *tensors in CASES:
        for placements in layouts(tensors):
            try:
                compare(function, tensors, placements)
            except Exception as error:
                raise AssertionError(f"{name} of {placements}") from error


def check_layouts() -> None:
    """Move a tensor from every layout to every other, on meshes of one and of two dims."""
    shapes = [(count,)] + ([(2, count // 2)] if count % 2 == 0 else [])
    for shape in shapes:
        grid = init_device_mesh("cpu", shape)
        every = list(itertools.product([Replicate(), Shard(0), Shard(1)], repeat=len(shape)))
        tensor = r(7, 5, generator=torch.Generator().manual_seed(1))
        for before, after in itertools.product(every, every):
            spread = spread_over(grid, tensor, before).requires_grad_()
            moved = spread.redistribute(placements=after)
            assert moved.placements == after
            assert torch.equal(moved.to_local(), spread_over(grid, tensor, after).to_local())
            assert torch.equal(moved.full_tensor(), tensor)
            (moved * moved).sum().backward()
            agree(spread.grad, 2 * tensor)
            assert spread.grad.placements == before
    summands = DTensor.from_local(
        torch.full((5, 2), me + 1.0, requires_grad=True), mesh, [Partial()]
    )
    total = count * (count + 1) / 2
    for after in (Replicate(), Shard(0), Shard(1)):
        assert summands.redistribute(placements=[after]).full_tensor().tolist() == [[total] * 2] * 5
    for name, value in (("max", count), ("min", 1), ("avg", total / count)):
        part = DTensor.from_local(torch.tensor(me + 1.0), mesh, [Partial(name)])
        assert part.item() == value


def check_exchanges() -> None:
    """Check that each derivative is the transpose: <A x, y> = <x, A' y> over all ranks."""
    given = torch.Generator().manual_seed(9 + me)
    for function, *shape in (
        (exchanged.all_reduce, 2, 3), (exchanged.all_gather, 2, 3),
        (lambda x: exchanged.broadcast(x, count - 1), 2, 3), (lambda x: exchanged.reduce(x, 1), 2),
        (lambda x: exchanged.gather(x, 1), 3), (lambda x: exchanged.scatter(list(x), 0), count, 2),
        (lambda x: exchanged.reduce_scatter(torch.empty(2), list(x)), count, 2),
        (lambda x: exchanged.all_reduce(x, dist.ReduceOp.AVG), 2),
        (lambda x: exchanged.all_to_all_single(torch.empty(count, 2), x), count, 2),
        (lambda x: funcol.reduce_scatter_tensor(x, "avg", 1, mesh), 2, 2 * count),
        (lambda x: funcol.all_gather_tensor(x, 1, (mesh, 0)), 2, 3),
    ):  # fmt: skip
        x = r(*shape, generator=given).requires_grad_()
        out = function(x)
        out = torch.stack(out) if isinstance(out, tuple) else out
        y = r(*out.shape, generator=given).requires_grad_()
        (slope,) = torch.autograd.grad((out * y).sum(), x, create_graph=True)
        sides = torch.stack([(out * y).sum(), (x * slope).sum()]).detach()
        dist.all_reduce(sides)
        torch.testing.assert_close(sides[0], sides[1], rtol=1e-4, atol=1e-4)
        slope.square().sum().backward()  # through the transpose, on all ranks
        assert y.grad is not None
    x = torch.tensor([float(me)], requires_grad=True)
    exchanged.all_reduce(x, dist.ReduceOp.MAX).sum().backward()
    assert x.grad.tolist() == [float(count) if me == count - 1 else 0.0]
    told = refusal(lambda: exchanged.all_reduce(x, dist.ReduceOp.BAND), ValueError)
    assert "no derivative" in told


def check_changes_in_place() -> None:
    spread, plain = distribute_tensor(X, mesh, [Shard(0)]), X.clone()
    other = distribute_tensor(X + 1, mesh, [Shard(1)])
    for tensor, argument in ((spread, other), (plain, X + 1)):
        tensor.mul_(2).add_(argument).clamp_(min=-1)
        tensor.copy_(tensor.abs())
        tensor += 1
    agree(spread, plain)
    assert spread.placements == (Shard(0),)
    row = spread[0]
    told = refusal(lambda: row.zero_(), RuntimeError)
    assert "had to be gathered" in told, told
    spread.zero_()
    assert spread.sum().item() == 0


def check_indices() -> None:
    """Compare functions that take places, of whole numbers, with those of plain tensors."""
    places, rows = torch.tensor([3, 1]), torch.tensor([[0, 1, 2, 3, 4, 0]])
    values, columns = r(2, 6), r(5, 2)
    functions = [
        lambda x, s: x.index_add(0, s(places), s(values)),
        lambda x, s: x.index_add(1, s(places), s(columns)),
        lambda x, s: x.index_copy(0, s(places), s(values)),
        lambda x, s: x.index_fill(1, s(places), 2.0),
        lambda x, s: x.scatter(0, s(rows), s(values)),
        lambda x, s: x.scatter(0, s(rows), 1.0),
        lambda x, s: x.scatter_add(0, s(rows), s(values)),
        lambda x, s: x.index_put((s(places),), s(values)),
        lambda x, s: (x * 1).index_put_((s(places),), s(values), True),
        lambda x, s: x.take(s(places)),
    ]
    for placement in (Replicate(), Shard(0), Shard(1)):
        for number, function in enumerate(functions):
            plain, spread = X.clone().requires_grad_(), spread_over(mesh, X, [placement])
            spread.requires_grad_()
            wanted = function(plain, lambda each: each)
            got = function(spread, lambda each: spread_over(mesh, each, whole))
            (wanted * wanted).sum().backward()
            (got * got).sum().backward()
            told = f"{number} of {placement}"
            assert torch.equal(got.full_tensor(), wanted), told
            assert torch.allclose(spread.grad.full_tensor(), plain.grad), told


def check_what_depends_on_values() -> None:
    """Compare functions whose results have as many elements as values say."""
    given = torch.tensor([3, 1, 3, 0, 1])
    spread = spread_over(mesh, given, [Shard(0)])
    for function in (
        lambda x: x.nonzero(), lambda x: torch.unique(x, return_counts=True),
        lambda x: torch.isin(x, x[:2]), lambda x: F.one_hot(x, 4), lambda x: x[x > 1],
        F.one_hot,
        lambda x: F.embedding_bag(x.reshape(1, 5), (x * 1.5).reshape(5, 1)),
    ):  # fmt: skip
        wanted, got = function(given), function(spread)
        wanted, got = (
            (each,) if isinstance(each, torch.Tensor) else each for each in (wanted, got)
        )
        for mine, theirs in zip(got, wanted, strict=True):
            agree(mine, theirs)
    assert torch.equal(spread, spread + 0)
    assert not torch.allclose(spread, spread + 1)
    changed, plain = spread.clone(), given.clone()
    changed[changed > 1] = 7
    plain[plain > 1] = 7
    agree(changed, plain)


def refusal(function, kind) -> str:
    try:
        function()
    except kind as error:
        return str(error)
    raise AssertionError(f"{kind} expected")


def check_refusals() -> None:
    spread = distribute_tensor(X, mesh, [Shard(0)])
    told = refusal(lambda: spread.as_strided((2, 2), (1, 2)), NotImplementedError)
    assert "as_strided of a DTensor" in told
    assert "spread.py:" in told
    assert "full_tensor()" in told
    assert "to_local()" in told
    assert "mixed torch.Tensor and DTensor" in refusal(lambda: spread + X, TypeError)
    assert "mixed torch.Tensor and DTensor" in refusal(lambda: X.clone().add_(spread), TypeError)
    assert "part of it only" in refusal(spread.numpy, TypeError)
    told = refusal(lambda: torch.add(spread, spread, out=spread), NotImplementedError)
    assert "with out=" in told
    net = torch.nn.Linear(2, 2)
    net.weight = torch.nn.Parameter(distribute_tensor(net.weight.detach(), mesh, [Shard(0)]))
    told = refusal(lambda: torch.nn.parallel.DistributedDataParallel(net), RuntimeError)
    assert "take fully_shard" in told
    assert "same length" in refusal(lambda: distribute_tensor(X, mesh, whole * 2), ValueError)
    assert "runs from -2 to 1" in refusal(
        lambda: distribute_tensor(X, mesh, [Shard(2)]), ValueError
    )


def check_random_numbers() -> None:
    torch.manual_seed(4)
    expected = torch.randn(5, 3), torch.rand(4), F.dropout(X, 0.5)
    torch.manual_seed(4)
    found = (
        randn(5, 3, device_mesh=mesh, placements=[Shard(0)]),
        torch.rand_like(distribute_tensor(torch.zeros(4), mesh, [Shard(0)])),
        F.dropout(distribute_tensor(X, mesh, [Shard(1)]), 0.5),
    )
    for mine, theirs in zip(found, expected, strict=True):
        assert torch.equal(mine.full_tensor(), theirs)
    torch.manual_seed(me)  # the first rank's numbers where the ranks' generators differ
    first = randn(3, device_mesh=mesh, placements=whole).to_local().tolist()
    every = [None] * count
    dist.all_gather_object(every, first)
    assert all(each == every[0] for each in every)


def check_modules() -> None:
    torch.manual_seed(2)
    plain = torch.nn.Sequential(torch.nn.Linear(6, 7), torch.nn.Tanh(), torch.nn.Linear(7, 2))
    torch.manual_seed(2)
    net = torch.nn.Sequential(torch.nn.Linear(6, 7), torch.nn.Tanh(), torch.nn.Linear(7, 2))

    def cut(name, module, mesh) -> None:
        for key, param in list(module.named_parameters(recurse=False)):
            spread = distribute_tensor(param, mesh, [Shard(0)])
            module.register_parameter(key, torch.nn.Parameter(spread.detach()))

    distribute_module(net, mesh, cut)
    optimizers = [torch.optim.AdamW(each.parameters(), lr=0.1) for each in (net, plain)]
    for _ in range(3):
        for module, optimizer, x in zip(
            (net, plain), optimizers, (distribute_tensor(X, mesh, whole), X), strict=True
        ):
            optimizer.zero_grad()
            module(x).square().mean().backward()
            torch.nn.utils.clip_grad_norm_(module.parameters(), 0.1)
            optimizer.step()
    for mine, theirs in zip(net.parameters(), plain.parameters(), strict=True):
        agree(mine, theirs)
    state = optimizers[0].state[net[0].weight]
    assert state["exp_avg"].shape == (7, 6)
    assert "looks at whole parameters" in refusal(
        lambda: torch.optim.LBFGS(net.parameters()).step(lambda: 0), RuntimeError
    )


for check in (
    check_exchanges, check_operations, check_layouts, check_changes_in_place, check_indices,
    check_what_depends_on_values, check_refusals, check_random_numbers, check_modules,
):  # fmt: skip
    if len(sys.argv) < 2 or sys.argv[1] in check.__name__:
        check()
dist.destroy_process_group()
if me == 0:
    print("spread tensors agree")

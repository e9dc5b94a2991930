"""``vmap`` computes for all samples what its function says of one."""

from __future__ import annotations

import importlib
import pkgutil
import threading
import warnings

import numpy as np
import pytest

import pellucid as torch
import pellucid.func  # enters the rules
import pellucid.ops
from pellucid.core.definition.op import registry
from pellucid.interpreters.vmap import dispatch
from pellucid.interpreters.vmap.dispatch import instead, rules
from tests.samples.grouped import together

for _module in pkgutil.iter_modules(pellucid.ops.__path__):
    importlib.import_module(f"pellucid.ops.{_module.name}")

#: ops that go through the samples one by one, and warn of it
WITHOUT_RULE = {
    "histc": "NumPy counts one sample at a time",
    "binned": "NumPy counts one sample at a time",
    "isin_values": "NumPy sorts one sample at a time",
    "reduce_segments": "each sample has its own segments",
    "nonzero_static": "each sample has its own places",
    "kept_operand_of_shape": "nodes are made of it, and nobody calls it",
    "lstm": "layers go step by step where samples are batched",
    "gru": "layers go step by step where samples are batched",
}


def numbers(*shape, seed=0):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape))


def looped(function, *columns):
    """Return a function's results for one sample after the other, stacked."""
    return torch.stack([function(*row) for row in zip(*columns, strict=True)])


def same(mine, wanted):
    np.testing.assert_allclose(mine.detach().numpy(), wanted.detach().numpy(), rtol=1e-9)


def test_only_these_ops_have_no_rule():
    without = {
        name
        for name, op in registry.items()
        if op not in rules
        and op not in instead
        and op.batch is None
        and op.body.__module__.startswith("pellucid.")  # other tests make ops of their own
    }
    assert without <= set(WITHOUT_RULE)


def test_an_op_without_rule_warns_once_and_is_right(monkeypatch):
    monkeypatch.setattr(dispatch, "_warned", set())
    x = numbers(3, 8)
    with pytest.warns(UserWarning, match="performance drop"):
        found = torch.vmap(lambda a: torch.isin(a, a[:2]))(x)
    np.testing.assert_array_equal(found.numpy(), looped(lambda a: torch.isin(a, a[:2]), x).numpy())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.vmap(lambda a: torch.isin(a, a[:2]))(x)


def test_a_sample_shows_its_own_shape():
    seen = []

    def look(a):
        seen.append((tuple(a.shape), a.ndim, a.numel(), a.size(0), len(a), a.is_contiguous()))
        return a.sum()

    torch.vmap(look)(numbers(5, 3, 2))
    assert seen == [((3, 2), 2, 6, 3, 3, True)]


@together()
@pytest.mark.parametrize(
    "function",
    [
        lambda a: torch.softmax(a @ a.t(), -1).diagonal(),
        lambda a: a.mean(0, keepdim=True) - a.std(),
        lambda a: torch.cat([a, a.flip(1)], 1)[:, ::2].cumsum(0),
        lambda a: torch.nn.functional.pad(a, (1, 1)).unfold(1, 2, 2),
        lambda a: torch.linalg.svd(a).S,
        lambda a: torch.einsum("ij,kj->ik", a, a).tril(),
        lambda a: a.masked_fill(a > 0, 0.0).view(-1).sort().values,
        lambda a: torch.cdist(a, a),
        lambda a: torch.stack(a.unbind(0), 1).permute(1, 0).squeeze(),
        lambda a: torch.nn.functional.layer_norm(a, a.shape[1:]),
        lambda a: torch.nn.functional.scaled_dot_product_attention(a[None], a[None], a[None]),
        lambda a: torch.fft.rfft(a).abs(),
        lambda a: torch.nn.functional.normalize(a).norm(dim=0),
        lambda a: torch.quantile(a, 0.3),
        lambda a: a.var(0) + a.logsumexp(0) + a.median(),
    ],
)
def test_programs_give_what_a_loop_gives(function):
    x = numbers(4, 3, 3)
    same(torch.vmap(function)(x), looped(function, x))


def test_samples_lie_along_any_dimension():
    x = numbers(3, 4, 2)
    for dim in (0, 1, 2, -1):
        found = torch.vmap(torch.sum, in_dims=dim)(x)
        same(found, looped(torch.sum, x.movedim(dim, 0)))


def test_convolutions_of_samples_with_their_own_filters():
    x, w, b = numbers(3, 2, 4, 6, 6), numbers(3, 6, 2, 3, 3), numbers(3, 6)
    conv = lambda x, w, b: torch.nn.functional.conv2d(x, w, b, padding=1, groups=2)  # noqa: E731
    same(torch.vmap(conv)(x, w, b), looped(conv, x, w, b))


def test_tangents_go_through_convolutions_without_their_gradients():
    x, w, b = numbers(2, 4, 5, 5), numbers(6, 2, 3, 3), numbers(6)
    dx, dw, db = numbers(2, 4, 5, 5), numbers(6, 2, 3, 3), numbers(6)
    conv = lambda x, w, b: torch.nn.functional.conv2d(x, w, b, groups=2)  # noqa: E731
    with torch.profiler.profile() as seen:
        _, found = torch.func.jvp(conv, (x, w, b), (dx, dw, db))
    counts = {event.key: event.count for event in seen.key_averages()}
    assert counts["aten::convolution"] == 3  # of the values, and of two tangents
    same(found, conv(dx, w, None) + conv(x, dw, db))
    _, found = torch.func.jvp(lambda b: conv(x, w, b), (b,), (db,))
    same(found, db.reshape(6, 1, 1).expand(2, 6, 3, 3))


def test_modules_keep_their_parameters_for_all_samples():
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
    x = numbers(5, 3).float()
    torch.vmap(model)(x).sum().backward()
    found = [each.grad.clone() for each in model.parameters()]
    model.zero_grad()
    model(x).sum().backward()
    for mine, each in zip(found, model.parameters(), strict=True):
        np.testing.assert_allclose(mine.numpy(), each.grad.numpy(), rtol=1e-5)


def test_a_batched_result_has_the_history_of_its_samples():
    x = numbers(4, 3).requires_grad_()
    torch.vmap(lambda a: a[0] * a.exp().sum())(x).sum().backward()
    y = x.detach().requires_grad_()
    sum(a[0] * a.exp().sum() for a in y).backward()
    same(x.grad, y.grad)


def test_views_of_a_sample_write_into_it():
    def write(a):
        copy = a.clone()
        copy[1:].mul_(10)
        copy.view(-1)[0] = -1
        return copy

    x = numbers(3, 4)
    same(torch.vmap(write)(x), looped(write, x))


def test_a_tensor_for_all_samples_takes_no_batched_values():
    kept = torch.zeros(3, dtype=torch.float64)
    with pytest.raises(RuntimeError, match="not possible because there exists a Tensor `other`"):
        torch.vmap(lambda a: kept.add_(a))(numbers(2, 3))
    assert kept.abs().sum() == 0


def test_in_place_results_must_fit_the_sample():
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        torch.vmap(lambda a, b: a.add_(b))(numbers(2, 3), numbers(2, 4, 3))
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch.vmap(lambda a, b: a.add_(b))(torch.ones(2, 3, dtype=torch.int64), numbers(2, 3))


def test_dtypes_of_samples_without_dimensions_do_not_count():
    x = torch.ones(4, dtype=torch.float64)
    found = torch.vmap(lambda a: torch.ones(3) * a)(x)
    assert found.dtype == torch.float32


def test_nothing_stays_behind_after_an_error():
    with pytest.raises(ZeroDivisionError):
        torch.vmap(lambda a: 1 / 0)(numbers(2, 3))
    x = numbers(2)
    assert torch.vmap(lambda a: a * 2)(x).tolist() == (x * 2).tolist()
    from pellucid.autograd.modes import modes

    assert modes.batch_levels == ()
    assert modes.batching == 0


def test_threads_map_on_their_own():
    found = {}

    def run(number):
        x = numbers(5, 7, seed=number)
        for _ in range(20):
            found[number] = torch.vmap(lambda a: a.sin().sum())(x), x.sin().sum(1)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    for mine, wanted in found.values():
        same(mine, wanted)


def test_no_samples_give_no_results():
    assert tuple(torch.vmap(lambda a: a.sum())(torch.zeros(0, 3)).shape) == (0,)


def test_chunks_give_what_the_whole_gives():
    x = numbers(7, 3)
    sizes = []

    def program(a):
        sizes.append(torch.func.debug_unwrap(a).shape[0])
        return a.sum(), {"twice": a * 2}

    total, rest = torch.vmap(program, chunk_size=3)(x)
    same(total, x.sum(1))
    same(rest["twice"], x * 2)
    assert sizes == [3, 3, 1]


@pytest.mark.parametrize("chunk_size", [None, 2])
def test_same_random_numbers_for_all_samples(chunk_size):
    found = torch.vmap(
        lambda a: a * 0 + torch.rand(3, dtype=torch.float64),
        randomness="same", chunk_size=chunk_size,
    )(numbers(5, 3))  # fmt: skip
    assert all(row == found.tolist()[0] for row in found.tolist())


def test_different_random_numbers_for_each_sample():
    for draw in (
        lambda a: torch.rand(3),
        lambda a: torch.nn.functional.dropout(torch.ones(40)),
        lambda a: torch.empty_like(a).normal_(),
        lambda a: torch.bernoulli(torch.full_like(a, 0.5).expand(3)[:1].expand(30) * 1),
    ):
        found = torch.vmap(draw, randomness="different")(numbers(4, 3)).tolist()
        assert len({tuple(row) for row in found}) == 4


def test_random_numbers_are_refused_without_a_word():
    with pytest.raises(RuntimeError, match="called random operation while in randomness error"):
        torch.vmap(lambda a: torch.randn(3))(numbers(2, 3))


def test_values_cannot_be_read_inside():
    for read, message in (
        (lambda a: a.sum().item(), "calling .item"),
        (lambda a: bool(a.sum()), "data-dependent control flow"),
        (lambda a: np.asarray(a), "data pointer"),
        (lambda a: a.nonzero(), "dynamic shape"),
        (lambda a: a[a > 0], "dynamic shape"),
    ):
        with pytest.raises(RuntimeError, match=message):
            torch.vmap(read)(numbers(2, 3))


def test_a_batched_tensor_prints_all_samples():
    texts = []
    torch.vmap(lambda a: (texts.append(repr(a)), a)[1])(torch.ones(2))
    assert "BatchedTensor(lvl=" in texts[0]
    assert "tensor([1., 1.])" in texts[0]


def test_a_sample_of_nested_maps_is_contiguous_where_its_memory_is():
    def told(x):
        return torch.tensor(x.is_contiguous())

    vmap = torch.func.vmap
    assert vmap(vmap(told), in_dims=1)(torch.randn(5, 3, 4)).all()
    assert not vmap(vmap(told, in_dims=1))(torch.randn(3, 4, 5)).any()

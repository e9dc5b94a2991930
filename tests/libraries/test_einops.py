"""einops works on tensors as it is imported, without the alias."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest

import pellucid as torch

einops = pytest.importorskip("einops")

A = np.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize(
    ("pattern", "sizes"),
    [
        ("a b c -> c (b a)", {}),
        ("a (b1 b2) c -> b2 a b1 c", {"b1": 3}),
        ("a b c -> a 1 b c", {}),
        ("... c -> c ...", {}),
    ],
)
def test_rearrange(pattern: str, sizes: dict[str, int]) -> None:
    got = einops.rearrange(torch.tensor(A), pattern, **sizes)
    assert isinstance(got, torch.Tensor)
    assert np.array_equal(got.numpy(), einops.rearrange(A, pattern, **sizes))


@pytest.mark.parametrize("operation", ["min", "max", "sum", "mean", "prod"])
def test_reduce(operation: str) -> None:
    got = einops.reduce(torch.tensor(A), "a b c -> b", operation)
    assert np.allclose(got.numpy(), einops.reduce(A, "a b c -> b", operation))


def test_reduce_to_truth() -> None:
    truth = torch.tensor(A > 3)
    assert einops.reduce(truth, "a b c -> a", "any").tolist() == [True, True]
    assert einops.reduce(truth, "a b c -> a", "all").tolist() == [False, True]


def test_repeat_pack_and_einsum() -> None:
    x = torch.tensor(A)
    assert np.array_equal(
        einops.repeat(x, "a b c -> (2 a) b n c", n=3).numpy(),
        einops.repeat(A, "a b c -> (2 a) b n c", n=3),
    )
    packed, shapes = einops.pack([x, x[0]], "* c")
    assert packed.shape == (9, 4)
    assert [each.shape for each in einops.unpack(packed, shapes, "* c")] == [(2, 3, 4), (3, 4)]
    product = einops.einsum(x, x, "a b c, d b c -> a d")
    assert np.allclose(product.numpy(), np.einsum("abc,dbc->ad", A, A))
    assert einops.parse_shape(x, "a _ c") == {"a": 2, "c": 4}
    assert np.array_equal(einops.asnumpy(x), A)


def test_layers_are_modules() -> None:
    from einops.layers.pellucid import EinMix, Rearrange, Reduce

    model = torch.nn.Sequential(
        Rearrange("a (b c) -> a b c", c=2),
        EinMix("a b c -> a (b d)", "c d", "d", c=2, d=3),
        Reduce("a (b d) -> a d", "max", d=3),
    )
    x = torch.tensor(A.reshape(4, 6), dtype=torch.float32)
    weight, bias = model[1].weight.detach().numpy(), model[1].bias.detach().numpy()
    expected = (np.einsum("abc,cd->abd", x.reshape(4, 3, 2).numpy(), weight) + bias).max(1)
    assert np.allclose(model(x).detach().numpy(), expected, rtol=1e-5)
    assert list(model.state_dict()) == ["1.weight", "1.bias"]
    model(x).sum().backward()
    assert model[1].bias.grad.flatten().tolist() == [4, 4, 4]
    twin = pickle.loads(pickle.dumps(model[0]))
    assert torch.equal(twin(x), model[0](x))


def test_gradients_go_through() -> None:
    x = torch.tensor(A, requires_grad=True)
    einops.reduce(einops.rearrange(x, "a b c -> b (a c)"), "b k -> b", "mean").sum().backward()
    assert np.allclose(x.grad.numpy(), 1 / 8)


@pytest.mark.parametrize("first", ["einops", "pellucid"])
def test_the_order_of_imports_does_not_matter(first: str) -> None:
    second = {"einops": "pellucid", "pellucid": "einops"}[first]
    program = (
        f"import {first}, {second}\n"
        "print(tuple(einops.rearrange(pellucid.ones(2, 3), 'a b -> b a').shape))"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert finished.stdout.strip() == "(3, 2)", finished.stderr


def test_func_rearrange_is_einops_and_refuses_as_pytorch_does() -> None:
    x = torch.tensor(A, requires_grad=True)
    y = torch.func.rearrange([x, x], "n a (b c) d -> (n c) d b a", c=3)
    stacked = np.stack([A, A])
    assert np.array_equal(
        y.detach().numpy(), einops.rearrange(stacked, "n a (b c) d -> (n c) d b a", c=3)
    )
    y.sum().backward()
    assert np.array_equal(x.grad.numpy(), np.full_like(A, 2.0))
    with pytest.raises(ValueError, match=r"only on one side .*rearrange by 'a b c -> d'"):
        torch.func.rearrange(x, "a b c -> d")

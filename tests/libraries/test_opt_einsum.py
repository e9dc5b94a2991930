"""opt_einsum contracts tensors as it is imported, without the alias."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch

opt_einsum = pytest.importorskip("opt_einsum")


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ab,bc,cd->ad", [(2, 3), (3, 4), (4, 5)]),
        ("abc,dc,ae->bde", [(2, 3, 4), (5, 4), (2, 6)]),
        ("ij,jk->ki", [(2, 3), (3, 4)]),
        ("ii->i", [(3, 3)]),
        ("a,b->ba", [(2,), (3,)]),
    ],
)
def test_a_contraction_is_that_of_numpy(equation: str, shapes: list[tuple[int, ...]]) -> None:
    generator = np.random.default_rng(0)
    arrays = [generator.normal(size=shape) for shape in shapes]
    got = opt_einsum.contract(equation, *map(torch.tensor, arrays))
    assert isinstance(got, torch.Tensor)
    assert np.allclose(got.numpy(), np.einsum(equation, *arrays))


def test_an_expression_is_differentiated() -> None:
    expression = opt_einsum.contract_expression("ab,bc,c->a", (2, 3), (3, 4), (4,))
    a, b, c = (torch.ones(shape, requires_grad=True) for shape in [(2, 3), (3, 4), (4,)])
    expression(a, b, c).sum().backward()
    assert a.grad.tolist() == [[4.0] * 3] * 2
    assert c.grad.tolist() == [6.0] * 4

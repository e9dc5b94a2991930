from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch


def numbers() -> torch.Tensor:
    return torch.tensor([1 + 2j, 3 - 4j], dtype=torch.complex128)


def test_parts_share_memory() -> None:
    z = numbers()
    z.real[0] = 7
    z.imag = torch.tensor([0.0, 1.0])
    assert z.tolist() == [7 + 0j, 3 + 1j]
    torch.view_as_real(z)[1, 0] = 5
    assert z[1] == 5 + 1j


def test_pairs_seen_as_complex_numbers_share_memory() -> None:
    pairs = torch.zeros(2, 2)
    torch.view_as_complex(pairs)[0] = 1 + 2j
    assert pairs.tolist() == [[1.0, 2.0], [0.0, 0.0]]


def test_real_tensors_are_their_own_real_part_and_conjugate() -> None:
    x = torch.ones(2)
    assert torch.real(x) is x
    assert x.conj() is x
    assert not hasattr(torch.ones(2), "imag")  # which libraries ask that take any array
    with pytest.raises(RuntimeError, match="imag is not implemented for tensors with non-complex"):
        torch.imag(x)


@pytest.mark.parametrize(
    ("pairs", "sentence"),
    [
        (torch.ones(3), "last dimension of size 2"),
        (torch.ones(2, 3)[:, :2], "stride divisible by 2"),
        (torch.ones(2, 4)[:, ::2], "stride 1"),
        (torch.tensor([1, 2]), "view_as_complex is only supported for"),
    ],
)
def test_only_adjacent_pairs_of_floats_are_complex_numbers(pairs, sentence: str) -> None:
    with pytest.raises(RuntimeError, match=sentence):
        torch.view_as_complex(pairs)


def test_the_parts_of_a_complex_number_have_one_floating_dtype() -> None:
    with pytest.raises(RuntimeError, match="Expected both inputs to be Half, Float or Double"):
        torch.complex(torch.tensor([1]), torch.tensor([1]))
    with pytest.raises(RuntimeError, match="scalar type Float but got scalar type Double"):
        torch.complex(torch.ones(1), torch.ones(1).double())


@pytest.mark.parametrize(
    "function",
    [
        torch.real,
        torch.imag,
        torch.abs,
        torch.angle,
        lambda z: torch.sgn(z).real + 2 * torch.sgn(z).imag,
        lambda z: torch.view_as_real(z) * torch.tensor([1.0, 3.0]),
        lambda z: (z.conj() * z * z).real,
        lambda z: torch.polar(z.abs(), z.angle() * 2).imag,
        lambda z: torch.view_as_complex(torch.view_as_real(z) ** 2).imag,
    ],
)
def test_the_gradient_is_the_direction_of_steepest_ascent(function) -> None:
    z = numbers().requires_grad_()
    function(z).sum().backward()
    step = 1e-6

    def slope(direction: complex, position: int) -> float:
        moved = np.zeros(2, complex)
        moved[position] = direction * step
        with torch.no_grad():
            above = function(z + torch.from_numpy(moved)).sum().item()
            below = function(z - torch.from_numpy(moved)).sum().item()
        return (above - below) / (2 * step)

    expected = [slope(1, i) + 1j * slope(1j, i) for i in range(2)]
    np.testing.assert_allclose(z.grad.numpy(), expected, rtol=1e-6, atol=1e-8)

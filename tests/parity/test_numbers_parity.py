"""Numbers of every kind beside tensors of every dtype: what they become, and what is refused."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pellucid
from tests.parity.test_findings_parity import named

torch = pytest.importorskip("torch")

NUMBERS = (
    -1, -2, 3, 300, -129, -255, -256, -300, 40_000, 2**31, 2**40, -(2**40), 2**63 - 1, -(2**63),
    1.5, -1.5, 300.5, 1e20, float("nan"), float("inf"), float("-inf"),
)  # fmt: skip
DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float32", "float64")

#: what is done with a library, a tensor of two elements and a number
CALLS: list[Callable[[Any, Any, Any], Any]] = [
    lambda t, x, n: x.clamp(n),
    lambda t, x, n: x.clamp(max=n),
    lambda t, x, n: x.clone().clamp_(n),
    lambda t, x, n: t.clamp(x, n, out=t.empty_like(x)),
    lambda t, x, n: t.clamp_min(x, n),
    lambda t, x, n: x.clone().clamp_max_(n),
    lambda t, x, n: t.where(t.tensor([True, False]), x, n),
    lambda t, x, n: t.where(t.tensor([True, False]), n, x),
    lambda t, x, n: x.masked_fill(t.tensor([True, False]), n),
    lambda t, x, n: x.clone().fill_(n),
    lambda t, x, n: t.full_like(x, n),
    lambda t, x, n: x.new_full((2,), n),
    lambda t, x, n: t.full((2,), n, dtype=x.dtype),
    lambda t, x, n: t.tensor([n, 1], dtype=x.dtype),
    lambda t, x, n: t.as_tensor(n, dtype=x.dtype),
    lambda t, x, n: x.clone().__setitem__(0, n),
    lambda t, x, n: x.clone().__setitem__(t.tensor([0]), n),
    lambda t, x, n: x + n,
    lambda t, x, n: n - x,
    lambda t, x, n: x.clone().mul_(n),
    lambda t, x, n: t.add(x, x, alpha=n),
    lambda t, x, n: x.clone().add_(x, alpha=n),
    lambda t, x, n: t.index_add(x, 0, t.tensor([0]), x[:1], alpha=n),
    lambda t, x, n: x.index_fill(0, t.tensor([0]), n),
    lambda t, x, n: x.clone().scatter_(0, t.tensor([0]), n),
    lambda t, x, n: x.scatter(0, t.tensor([0]), n, reduce="add"),
    lambda t, x, n: t.addcmul(x, x, x, value=n),
    lambda t, x, n: t.addmm(x[None], x[:1, None], x[None], alpha=n),
    lambda t, x, n: t.addmm(x[None], x[:1, None], x[None], beta=n),
    lambda t, x, n: t.addmv(x, x[:, None], x[:1], alpha=n),
    lambda t, x, n: t.addr(x[None], x[:1], x, beta=n),
    lambda t, x, n: t.threshold(x, 1, n),
    lambda t, x, n: t.threshold(x, n, 1),
    lambda t, x, n: t.linspace(0, n, 3, dtype=x.dtype),
    lambda t, x, n: t.trapezoid(x, dx=n),
]


def outcome(call: Any, library: Any, dtype: str, number: Any) -> Any:
    """Return dtype and values of what a call gives; the word of its refusal where it gives none."""
    x = library.tensor([1, 2]).to(getattr(library, dtype))
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        try:
            given = call(library, x, number)
        except (RuntimeError, ValueError, OverflowError, TypeError):
            return "refused"
    if given is None:
        return None
    return str(given.dtype).rpartition(".")[2], given.tolist()


@pytest.mark.parametrize("call", CALLS)
def test_a_number_becomes_what_it_becomes_in_pytorch(call: Any) -> None:
    for dtype, number in itertools.product(DTYPES, NUMBERS):
        found, expected = (outcome(call, library, dtype, number) for library in (pellucid, torch))
        if isinstance(found, tuple) and isinstance(expected, tuple):
            assert found[0] == expected[0], (dtype, number)
            np.testing.assert_allclose(found[1], expected[1], 1e-6, err_msg=f"{dtype} {number}")
        else:
            assert found == expected, (dtype, number)


PROGRAMS = [
    "r = torch.tensor(2**64, dtype=torch.float64), torch.tensor([2**64, 1.5])",
    "r = torch.tensor([2**64 - 1, 0], dtype=torch.uint64), torch.tensor([2**70], dtype=torch.bool)",
    "r = torch.tensor([2**53 + 1, 1.5], dtype=torch.int64), torch.tensor([2**70, 1j])",
    "import numpy as np\n"
    "lists = [[1, 2], [3, np.array(5.0)]], [1.5, np.float32(2)], [1, np.float64(2)]\n"
    "r = [torch.tensor(each).dtype for each in lists]",
    "x = torch.tensor([1e-19 + 1e-18j, -1e-5 + 3e-3j, 0.001 - 1e-9j])\n"
    "r = torch.log1p(x), torch.log1p(x.to(torch.complex128)).real",
    "p = [complex(a, b) for a in (0.0, 1.0, float('inf'), float('-inf')) for b in (0.0, 2.0)]\n"
    "x = torch.tensor(p).repeat(8)\n"
    "y = torch.tensor(p).repeat_interleave(8)\n"
    "r = torch.logaddexp(x, y), torch.logcumsumexp(torch.stack([x, y]), 0)",
    "b = nn.EmbeddingBag(5, 2, mode='max')\n"
    "b(torch.empty(0, dtype=torch.int64), torch.tensor([0, 0])).sum().backward()\n"
    "r = b.weight.grad",
    "n = float('nan')\n"
    "x = torch.tensor([1, n, 3, 2, 0, 5, n, 0, 2, n, n, 1, float('inf'), 0, 2])\n"
    "x.requires_grad_()\n"
    "cuts = torch.full((5,), 3)\n"
    "r = [torch.autograd.grad(torch.segment_reduce(x, how, lengths=cuts).sum(), x)\n"
    "     for how in ('prod', 'max', 'min')]",
    "r = torch.tensor(3.0).index_fill(0, torch.tensor([], dtype=torch.int64), 7)",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_leaves_what_it_leaves_in_pytorch(program: str) -> None:
    assert named(pellucid, program) == named(torch, program)


def test_what_pytorch_refuses_is_refused() -> None:
    refused: list[Callable[[Any], Any]] = [
        lambda t: t.tensor(1.0).index_select(0, t.tensor([0, 0])),
        lambda t: t.tensor(1.0).index_fill(0, t.tensor([1]), 7),
        lambda t: t.tensor(1.0).index_add(0, t.tensor([0]), t.ones(1)),
        lambda t: t.zeros(2).index_reduce(0, t.tensor([0]), t.tensor(5.0), "prod"),
        lambda t: t.tensor([2**63, -1]),
        lambda t: t.tensor(2**64, dtype=t.uint64),
        lambda t: t.tensor(-1, dtype=t.uint64),
        lambda t: t.tensor(10**400, dtype=t.float64),
        lambda t: t.linspace(0, 1, 3, dtype=t.bool),
    ]
    for number, function in enumerate(refused):
        for library in (torch, pellucid):
            with pytest.raises((RuntimeError, ValueError, IndexError, OverflowError)):
                pytest.fail(f"{number} {library.__name__}: {function(library)}")

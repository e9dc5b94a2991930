"""Every function that takes ``out`` takes it as PyTorch does, for every dtype of ``out``."""

from __future__ import annotations

import warnings

import pytest

import pellucid
from pellucid.core.definition.public import public_names

torch = pytest.importorskip("torch")

NAMES = [
    (place, name)
    for place in ("", "linalg", "fft", "special")
    for name, entry in public_names[place].items()
    if entry.declaration.out is not None and not entry.inplace
]
DTYPES = ("float32", "float64", "int64", "complex64", "bool")

#: functions whose PyTorch writes into dtypes by rules of its own, which are not followed here
OWN_RULES = {
    "arange": "no kernel for complex numbers",
    "bernoulli": "draws in the dtype of out",
    "cumprod": "no kernel for truth values",
    "cumsum": "no kernel for truth values",
    "nansum": "no kernel for integers",
    "linspace": "no kernel for truth values",
    "logspace": "no kernel for truth values",
    "rand": "no kernel for integers",
    "randint": "bounds are checked against the dtype of out",
    "randn": "no kernel for integers",
    "normal": "no kernel for integers",
    "randperm": "no kernel for truth values",
    "range": "no kernel for complex numbers",
    "nanmean": "no kernel for complex numbers",
    "chain_matmul": "one matrix alone is copied into any dtype",
    "lu": "copied into any dtype",
    "fftfreq": "wants a floating-point dtype",
    "rfftfreq": "wants a floating-point dtype",
    "hfft": "wants a floating-point dtype",
    "hfft2": "wants a floating-point dtype",
    "hfftn": "wants a floating-point dtype",
    "irfft": "wants a floating-point dtype",
    "irfft2": "wants a floating-point dtype",
    "irfftn": "wants a floating-point dtype",
}
#: functions that take ``out`` in PyTorch with these operands only: numbers in `operand_choices`
WITH = {"sum": 3, "prod": 3, "median": 3, "nanmedian": 3, "where": 18, "normal": 30}


def operand_choices(t):
    """Return operands of many kinds, of which some suit each function."""
    a, b, v = t.tensor([[0.6, 0.2], [0.3, 0.9]]), t.tensor([[0.4, 0.5], [0.8, 0.1]]), t.ones(2)
    k, spd = t.tensor([1, 2]), t.tensor([[2.0, 0.5], [0.5, 1.0]])
    i = t.tensor([[0, 1], [0, 1]])
    batch = t.tensor([[[0.6, 0.2], [0.3, 0.9]]])
    return [
        (a,), (a, b), (a, 1), (a, 0), ([a, b],), (a, v), (v, v), (v,), (k, k), (k,), (spd,),
        (spd, b), (a, a, b), (a, v, v), (v, a, v), (a, 0, i), (a, 0, k - 1), (a, 0, k - 1, b),
        (a > 0.5, a, b), (a, a > 0.5), (a, k - 1), (batch, batch), (a, batch, batch),
        (batch, batch, batch), (3,), (0, 3), (0, 1, 5), (1, a), (a, 0.5), ((3, 3),),
        ((3, 3), 1.0), (0, 5, (3,)), (2.0, a),
    ]  # fmt: skip


def outcome(t, module, name, operands, dtype):
    """Return how writing into a tensor of this dtype ends: class of error, or shape and values."""
    function = getattr(getattr(t, module) if module else t, name)
    plain = function(*operands)
    results = plain if isinstance(plain, tuple) else (plain,)
    targets = tuple(
        t.empty(0, dtype=getattr(t, dtype) if not n else each.dtype)
        for n, each in enumerate(results)
    )
    try:
        returned = function(*operands, out=targets if isinstance(plain, tuple) else targets[0])
    except (RuntimeError, TypeError) as error:
        return next(c for c in (TypeError, RuntimeError) if isinstance(error, c)).__name__
    same = returned is targets[0] or all(a is b for a, b in zip(returned, targets, strict=True))
    return same, tuple(targets[0].shape), str(targets[0].dtype)


@pytest.mark.parametrize(("module", "name"), NAMES, ids=[".".join(each) for each in NAMES])
def test_out_is_taken_and_refused_as_pytorch_does(module, name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        where = getattr(torch, module) if module else torch
        for number, operands in enumerate(operand_choices(torch)):
            if number != WITH.get(name, number):
                continue
            try:
                getattr(where, name)(*operands)
            except (RuntimeError, TypeError, IndexError, ValueError):
                continue
            break
        else:
            pytest.skip("none of the operands suits it")
        for dtype in DTYPES:
            if name in OWN_RULES and dtype not in ("float32", "float64"):
                continue
            expected = outcome(torch, module, name, operands, dtype)
            found = outcome(pellucid, module, name, operand_choices(pellucid)[number], dtype)
            assert found == expected, dtype

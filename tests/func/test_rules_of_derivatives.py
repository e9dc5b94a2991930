"""Every op's derivatives, all directions at once: Jacobians in both modes."""

from __future__ import annotations

import importlib
import pkgutil
import warnings
from typing import Any

import numpy as np
import pytest

import pellucid as torch
import pellucid.ops
from pellucid.core.definition.op import Op, registry
from tests.samples.grouped import folder_of, for_each
from tests.samples.ops import NOT_SMOOTH, Sample, samples

for _module in pkgutil.iter_modules(pellucid.ops.__path__):
    importlib.import_module(f"pellucid.ops.{_module.name}")

MOST_ELEMENTS = 40
#: ops whose other outputs are statistics, which nothing differentiates
ONE_OUTPUT = {"batch_norm_training", "native_layer_norm"}


def differentiable(op: Op, sample: Sample) -> bool:
    """Return whether the first operand alone is an array of real numbers, and not a large one."""
    first = sample.operands[0]
    return (
        isinstance(first, np.ndarray)
        and first.dtype.kind == "f"
        and 0 < first.size <= MOST_ELEMENTS
        and op.operands[0].name in op.formulas
    )


def function_of_first(op: Op, sample: Sample) -> Any:
    """Return a function of the first operand that gives the outputs that have derivatives."""
    rest = [
        torch.tensor(each) if isinstance(each, np.ndarray) else each for each in sample.operands[1:]
    ]

    def function(first: Any) -> Any:
        found = op.apply((first, *rest), sample.params)
        outputs = found if isinstance(found, tuple | list) else (found,)
        outputs = outputs[:1] if op.name in ONE_OUTPUT else outputs
        return tuple(each for each in outputs if each.is_floating_point())

    return function


def one_by_one(function: Any, first: Any) -> list[np.ndarray]:
    """Return the Jacobians of all outputs, one backward pass for each of their elements."""
    x = first.clone().requires_grad_()
    jacobians = []
    for output in function(x):
        rows = []
        for row in np.eye(output.numel()):
            weight = torch.tensor(row).reshape(output.shape).to(output.dtype)
            (found,) = (
                torch.autograd.grad(output, x, weight, retain_graph=True, allow_unused=True)
                if output.requires_grad
                else (None,)
            )
            rows.append(np.zeros(x.shape) if found is None else found.numpy())
        jacobians.append(np.reshape(rows, (*output.shape, *x.shape)))
    return jacobians


def has_derivative(op: Op) -> bool:
    return bool(op.formulas) and op.family.name != "underived"


DERIVED = [op for op in registry.values() if has_derivative(op) and op.name not in NOT_SMOOTH]


@pytest.mark.parametrize("mode", ["jacrev", "jacfwd"])
@for_each([{"op": op} for op in DERIVED], lambda member: folder_of(member["op"]))
def test_all_directions_at_once_give_what_each_gives(op, mode):
    tried = 0
    for sample in samples(op):
        if not differentiable(op, sample):
            continue
        function = function_of_first(op, sample)
        first = torch.tensor(sample.operands[0])
        outputs = function(first)
        if not outputs or sum(each.numel() for each in outputs) > 3 * MOST_ELEMENTS:
            continue
        tried += 1
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "There is a performance drop")
            found = getattr(torch.func, mode)(function)(first)
        for mine, wanted in zip(found, one_by_one(function, first), strict=True):
            assert tuple(mine.shape) == wanted.shape
            np.testing.assert_allclose(mine.numpy(), wanted, rtol=1e-6, atol=1e-8)
    if not tried:
        pytest.skip("no sample whose first operand is differentiable")

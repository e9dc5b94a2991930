"""Every op, for every sample of operands: all at once gives what one after the other gives."""

from __future__ import annotations

import importlib
import itertools
import pkgutil
import warnings
from typing import Any

import numpy as np
import pytest

import pellucid as torch
import pellucid.func
import pellucid.ops
from pellucid.core.definition.op import Op, registry
from pellucid.interpreters.vmap.batched import Level, batched
from pellucid.interpreters.vmap.dispatch import entered
from tests.samples.grouped import folder_of, for_each
from tests.samples.ops import Sample, samples

for _module in pkgutil.iter_modules(pellucid.ops.__path__):
    importlib.import_module(f"pellucid.ops.{_module.name}")

#: ops that no rule can serve, as their results have shapes that depend on the values
DYNAMIC = {"argwhere", "unique2", "unique_dim", "unique_consecutive_values", "bincount"}
SIZE = 3


#: ops whose operands have to stay in order
ORDERED = {"search_rows"}


def changed(array: np.ndarray, number: int, ordered: bool) -> np.ndarray:
    """Return an operand for another sample: as far from trouble as the first."""
    if number == 0 or not array.size:
        return array
    if number == 1 and not ordered:
        return np.ascontiguousarray(np.flip(array)).reshape(array.shape)
    return array * array.dtype.type(0.97) if array.dtype.kind in "fc" else array


def flat_operands(sample: Sample) -> tuple[list[Any], Any]:
    """Return the operands in a row, and a function that puts them back in form."""
    if len(sample.operands) == 1 and isinstance(sample.operands[0], list):
        return list(sample.operands[0]), lambda given: (list(given),)
    return list(sample.operands), tuple


def patterns(operands: list[Any]) -> list[tuple[bool, ...]]:
    """Return which operands are batched: all, and each alone."""
    tensors = [isinstance(each, np.ndarray) for each in operands]
    chosen = {tuple(tensors)}
    for position, is_tensor in enumerate(tensors):
        if is_tensor:
            chosen.add(tuple(place == position for place in range(len(operands))))
    return sorted(chosen)


def listed(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple | list) else [result]


def check(op: Op, sample: Sample, pattern: tuple[bool, ...]) -> None:
    operands, formed = flat_operands(sample)
    slices = [
        [
            torch.tensor(changed(each, number if flag else 0, op.name in ORDERED))
            if isinstance(each, np.ndarray) else each
            for each, flag in zip(operands, pattern, strict=True)
        ]
        for number in range(SIZE)
    ]  # fmt: skip
    expected = [listed(op.apply(formed(each), sample.params)) for each in slices]
    level = Level(SIZE, "error")
    with entered(level):
        given = [
            batched(torch.stack(list(column)), level) if flag else column[0]
            for column, flag in zip(zip(*slices, strict=True), pattern, strict=True)
        ]
        found = listed(op.apply(formed(given), sample.params))
    assert len(found) == len(expected[0])
    for position, each in enumerate(found):
        wanted = torch.stack([row[position] for row in expected])
        assert tuple(each.shape) == tuple(wanted.shape[1:])
        assert each.dtype == wanted.dtype
        np.testing.assert_allclose(
            each.value.numpy(), wanted.numpy(), rtol=1e-6, atol=1e-9, equal_nan=True
        )


@for_each([{"op": op} for op in registry.values()], lambda member: folder_of(member["op"]))
def test_op_on_all_samples_gives_what_it_gives_on_each(op):
    drawn = samples(op)
    if op.name in DYNAMIC:
        level = Level(SIZE, "error")
        with entered(level), pytest.raises(RuntimeError, match="dynamic shape"):
            op.function(batched(torch.ones(SIZE, 2), level), **_defaults(op))
        return
    if not drawn:
        pytest.skip("no samples")
    for sample in drawn:
        for pattern in patterns(flat_operands(sample)[0]):
            if any(pattern):
                with warnings.catch_warnings():
                    warnings.filterwarnings("ignore", "There is a performance drop")
                    check(op, sample, pattern)


def _defaults(op: Op) -> dict[str, Any]:
    return {param.name: param.default if param.has_default else None for param in op.params}


def test_levels_are_taken_off_innermost_first():
    outer, inner = Level(2, "error"), Level(3, "error")
    x = torch.arange(24.0).view(2, 3, 4)
    with entered(outer), entered(inner):
        tensor = batched(batched(x, outer), inner)
        assert tuple(tensor.shape) == (4,)
        total = tensor.sum()
        assert tuple(total.shape) == ()
    np.testing.assert_array_equal(total.value.value.numpy(), x.numpy().sum(-1))
    assert list(itertools.islice(tensor.shape, 1)) == [4]

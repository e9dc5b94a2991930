"""Writing one row or element: what a loop over elements does, and what it must not pass over."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from tests.samples.grouped import together


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_rows_and_numbers_are_written_where_the_index_says(dtype: torch.dtype):
    x = torch.zeros(3, 2, dtype=dtype)
    x[0] = torch.tensor([1.1, 2.2], dtype=dtype)
    x[-1] = 0.1
    assert x.tolist() == torch.tensor([[1.1, 2.2], [0, 0], [0.1, 0.1]], dtype=dtype).tolist()
    y = torch.zeros(2, dtype=dtype)
    y[1] = torch.tensor(0.3, dtype=dtype)
    assert y.tolist() == [0.0, torch.tensor(0.3, dtype=dtype).item()]


def test_a_write_is_counted_and_noted_with_its_line():
    x = torch.zeros(3)
    x[1] = 2.0
    line = inspect.currentframe().f_lineno - 1
    assert x._version == 1
    (change,) = x._storage.changes
    assert (change.op, change.version, change.site.line) == ("copy_", 1, line)


def test_a_write_to_a_saved_value_is_noticed_by_backward():
    w = torch.ones(2, requires_grad=True)
    x = torch.ones(2)
    product = (w * x).sum()
    x[0] = 5.0
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()


def test_a_write_to_a_computed_tensor_is_recorded():
    w = torch.ones(3, requires_grad=True)
    y, part = w * 2, torch.ones((), requires_grad=True)
    y[1] = part * 3
    y[2] = 7.0
    y.sum().backward()
    assert w.grad.tolist() == [2.0, 0.0, 0.0]
    assert part.grad.item() == 3.0
    plain = torch.zeros(2)
    plain[0] = part * 4
    assert plain.requires_grad


def test_a_write_through_a_view_reaches_its_base():
    base = torch.zeros(2, 2)
    row = base[1]
    row[0] = 4.0
    assert base.tolist() == [[0.0, 0.0], [4.0, 0.0]]
    assert base._version == row._version == 1


def test_a_row_of_the_same_memory_is_copied():
    x = torch.arange(4.0).reshape(2, 2)
    x[0] = x[1]
    assert x.tolist() == [[2.0, 3.0], [2.0, 3.0]]


@pytest.mark.parametrize(
    ("index", "value", "error"),
    [
        (3, 1.0, IndexError), (-4, 1.0, IndexError), (0, torch.ones(2), RuntimeError),
        (0, "1", TypeError),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_and_nothing_is_written(index, value, error):
    x = torch.zeros(3)
    with pytest.raises(error):
        x[index] = value
    assert x.tolist() == [0.0] * 3
    assert x._version == 0


def test_expanded_memory_and_leaves_are_refused():
    with pytest.raises(RuntimeError, match="single memory location"):
        torch.zeros(1, 1).expand(2, 3)[0] = 1.0
    with pytest.raises(RuntimeError, match="leaf Variable"):
        torch.zeros(3, requires_grad=True)[0] = 1.0


@together()
@pytest.mark.parametrize("index", [(1, 2), (slice(1, 3), 0), slice(None), (-1,), slice(5, 9), ()])
@pytest.mark.parametrize("value", [2.5, -3, 0])
def test_a_number_is_written_to_plain_places(index, value):
    t = torch.arange(12.0).reshape(4, 3)
    expected = t.numpy().copy()
    expected[index] = value
    before = t._version
    t[index] = value
    np.testing.assert_array_equal(t.numpy(), expected)
    assert t._version == before + 1


@pytest.mark.parametrize(
    "make", [lambda: torch.ones(3), lambda: torch.ones(2, 2).T, lambda: torch.tensor(1.0)]
)
def test_filling_counts_as_one_change(make):
    t = make()
    before = t._version
    assert t.fill_(2.5) is t
    assert t.eq(2.5).all()
    assert not t.zero_().any()
    assert t._version == before + 2


def test_filling_what_was_saved_is_noticed():
    x = torch.ones(2, requires_grad=True)
    y = torch.ones(2)
    out = (x * y).sum()
    y.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.backward()


def test_filling_a_tensor_with_history_is_recorded():
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.zero_()
    y.sum().backward()
    assert not x.grad.any()
    with pytest.raises(RuntimeError, match="leaf Variable"):
        x.fill_(3)


def writes(x: Any, index: Any, values: Any) -> dict[str, Callable[[], Any]]:
    """Return what writes values to a vector at indices, by name."""
    return {
        "put_": lambda: x.put_(index, values),
        "put_ and add": lambda: x.put_(index, values, accumulate=True),
        "scatter_": lambda: x.scatter_(0, index, values),
        "scatter_ and add": lambda: x.scatter_(0, index, values, reduce="add"),
        "scatter_add_": lambda: x.scatter_add_(0, index, values),
        "scatter_reduce_": lambda: x.scatter_reduce_(0, index, values, "amax"),
        "index_add_": lambda: x.index_add_(0, index, values),
        "index_copy_": lambda: x.index_copy_(0, index, values),
        "index_reduce_": lambda: x.index_reduce_(0, index, values, "prod"),
        "index_put_": lambda: x.index_put_((index,), values),
        "setitem": lambda: x.__setitem__(index, values),
    }


REVERSED = [3, 2, 1, 0]


@pytest.mark.parametrize("name", writes(None, None, None))
def test_values_and_indices_in_the_memory_that_is_written_are_refused(name: str) -> None:
    x, index = torch.arange(4), torch.tensor(REVERSED)
    for positions, values in (
        (index, x), (index, x.view(4)), (index[:2], x[1:3]), (x, index), (x[:2], index[:2]),
    ):  # fmt: skip
        with pytest.raises(RuntimeError, match="refer to a single memory location"):
            writes(x, positions, values)[name]()
    assert x.tolist() == [0, 1, 2, 3]
    assert index.tolist() == REVERSED


@pytest.mark.parametrize("name", writes(None, None, None))
def test_values_beside_the_memory_that_is_written_are_read(name: str) -> None:
    base = torch.arange(8)
    apart = torch.arange(4)
    index = torch.tensor(REVERSED)
    writes(apart, index, torch.arange(4, 8))[name]()
    writes(base[:4], index, base[4:])[name]()
    assert base.tolist() == [*apart.tolist(), 4, 5, 6, 7]


def test_filling_with_an_element_of_the_tensor_reads_it_first() -> None:
    x = torch.tensor([1.0, 2.0, 3.0])
    assert x.index_fill_(0, torch.tensor([0, 2]), x[2]).tolist() == [3, 2, 3]
    assert x.index_fill_(0, torch.tensor([1]), x[2]).tolist() == [3, 3, 3]


def test_an_element_can_be_written_where_it_is() -> None:
    x = torch.arange(3.0).view(3, 1)
    x[0] = x.view(-1)[0]
    x[1] = x[1, 0]
    assert x.tolist() == [[0], [1], [2]]
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        x[0].add_(x.view(-1)[0])


def test_masks_and_indices_write_once_to_expanded_memory_with_a_warning():
    mask = torch.tensor([[False, True], [False, False]])

    def expanded():
        return torch.zeros(2).expand(2, 2)

    x = expanded()
    with pytest.warns(UserWarning, match="Use of masked_fill_ on expanded tensors is deprecated"):
        x.masked_fill_(mask, 2.0)
    assert x.tolist() == [[0, 2], [0, 2]]
    x = expanded()
    with pytest.warns(UserWarning, match="Use of index_put_ on expanded tensors is deprecated"):
        x[mask] = 3.0
    assert x.tolist() == [[0, 3], [0, 3]]
    x = expanded()
    assert torch.nn.functional.threshold(x, 1.0, 4.0, inplace=True) is x
    assert x.tolist() == [[4, 4], [4, 4]]


def test_what_adds_up_or_is_recorded_is_not_written_to_expanded_memory():
    x = torch.zeros(2).expand(2, 2)
    index = (torch.tensor([0, 1]), torch.tensor([0, 0]))
    with pytest.raises(RuntimeError, match="refers to a single memory location"):
        x.index_put_(index, torch.ones(2), accumulate=True)
    recorded = torch.zeros(2, requires_grad=True).clone().expand(2, 2)
    with pytest.raises(RuntimeError, match="refers to a single memory location"):
        recorded[recorded == 0] = 1.0

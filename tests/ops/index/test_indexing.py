from __future__ import annotations

import warnings

import numpy as np
import pytest

import pellucid as torch
from tests.samples.grouped import together

BASE = np.arange(24.0).reshape(2, 3, 4)

#: indices that NumPy reads as PyTorch does
SAME_AS_NUMPY = {
    "int": 1,
    "negative int": -1,
    "slice": slice(1, None),
    "stepped slice": (..., slice(None, None, 2)),
    "none": (None, 1),
    "ellipsis": (..., 0),
    "all ints": (1, 2, 3),
    "empty tuple": (),
    "list": [1, 0, 1],
    "array": np.array([[0, 1], [1, 1]]),
    "two arrays": (np.array([0, 1]), np.array([2, 0])),
    "arrays apart": (np.array([0, 1]), slice(None), np.array([2, 0])),
    "array and slice": (slice(None), np.array([2, 2, 0]), slice(1, 3)),
    "negative places": (slice(None), np.array([-1, -3])),
    "mask": BASE % 3 == 0,
    "mask of leading dims": BASE[..., 0] > 4,
    "mask in the middle": (0, np.array([True, False, True])),
    "true": True,
    "false": False,
    "range": range(2),
}


def ours(index):
    if isinstance(index, tuple):
        return tuple(ours(part) for part in index)
    return torch.from_numpy(index) if isinstance(index, np.ndarray) else index


def numpys(index):
    return np.array(index) if isinstance(index, range) else index


@together()
@pytest.mark.parametrize("name", SAME_AS_NUMPY)
def test_reading_agrees_with_numpy(name: str) -> None:
    index = SAME_AS_NUMPY[name]
    found = torch.from_numpy(BASE)[ours(index)]
    assert np.array_equal(found.numpy(), BASE[numpys(index)])


@together()
@pytest.mark.parametrize("name", SAME_AS_NUMPY)
def test_writing_agrees_with_numpy(name: str) -> None:
    index = SAME_AS_NUMPY[name]
    x, expected = torch.tensor(BASE), BASE.copy()
    x[ours(index)] = -1
    expected[numpys(index)] = -1
    assert np.array_equal(x.numpy(), expected)


@together()
@pytest.mark.parametrize("name", SAME_AS_NUMPY)
def test_gradients_of_reading_add_up_at_repeated_places(name: str) -> None:
    index = SAME_AS_NUMPY[name]
    x = torch.tensor(BASE, requires_grad=True)
    x[ours(index)].sum().backward()
    expected = np.zeros_like(BASE)
    np.add.at(expected, numpys(index), 1.0)
    assert np.array_equal(x.grad.numpy(), expected)


@together()
@pytest.mark.parametrize("name", [name for name in SAME_AS_NUMPY if name != "list"])
def test_gradients_of_writing_go_to_the_value_and_what_is_left(name: str) -> None:
    index = SAME_AS_NUMPY[name]
    leaf = torch.tensor(BASE, requires_grad=True)
    value = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    x = leaf * 1
    x[ours(index)] = value
    (x * x).sum().backward()
    written = np.zeros(BASE.shape, bool)
    written[numpys(index)] = True
    assert np.array_equal(leaf.grad.numpy(), np.where(written, 0, 2 * BASE))
    if len(np.unique(np.argwhere(written), axis=0)) == BASE[numpys(index)].size:
        assert value.grad.item() == 4 * written.sum()


def test_an_integer_among_arrays_looks_before_they_gather() -> None:
    x = torch.from_numpy(BASE)
    assert x[0, :, [1, 2]].tolist() == BASE[0][:, [1, 2]].tolist()


def test_an_integer_tensor_without_dimensions_is_an_integer() -> None:
    x = torch.from_numpy(BASE)
    assert x[torch.tensor(1)]._is_view()
    assert x[torch.tensor(1)].tolist() == BASE[1].tolist()


def test_a_tensor_of_bytes_is_a_mask_and_warns() -> None:
    x = torch.arange(3)
    with pytest.warns(UserWarning, match="indexing with dtype torch.uint8 is now deprecated"):
        assert x[torch.tensor([1, 0, 1], dtype=torch.uint8)].tolist() == [0, 2]


@pytest.mark.parametrize(
    ("index", "error", "text"),
    [
        (3, IndexError, "index 3 is out of bounds for dimension 0 with size 2"),
        ((0, -4), IndexError, "index -4 is out of bounds for dimension 1 with size 3"),
        ((0, 0, 0, 0), IndexError, "too many indices for tensor of dimension 3"),
        (slice(None, None, -1), ValueError, "step must be greater than zero"),
        (1.5, IndexError, "only integers, slices"),
        (torch.tensor([2]), IndexError, "index 2 is out of bounds for dimension 0 with size 2"),
        (torch.tensor([1.0]), IndexError, "tensors used as indices must be long"),
        (torch.tensor([True]), IndexError, r"The shape of the mask \[1\] at index 0"),
        (
            (torch.tensor([0, 1]), torch.tensor([0, 1, 2])),
            IndexError,
            r"could not be broadcast together with shapes \[2\], \[3\]",
        ),
    ],
)
def test_a_wrong_index_is_refused_for_reading_and_writing(index, error, text) -> None:
    x = torch.tensor(BASE)
    with pytest.raises(error, match=text):
        x[index]
    with pytest.raises(error, match=text):
        x[index] = 0
    assert np.array_equal(x.numpy(), BASE)


def test_a_value_that_does_not_fit_is_refused() -> None:
    x = torch.zeros(3)
    with pytest.raises(RuntimeError, match=r"expanded size of the tensor \(2\) must match"):
        x[:2] = torch.ones(3)
    with pytest.raises(RuntimeError, match="shape mismatch: value tensor of shape"):
        x[[0, 1]] = torch.ones(3)
    with pytest.raises(TypeError, match=r"can't assign a str to a torch.FloatTensor"):
        x[0] = "one"


def test_a_later_change_of_the_index_does_not_reach_the_gradient() -> None:
    x = torch.ones(3, requires_grad=True)
    index = torch.tensor([0, 0])
    y = x[index]
    index.fill_(2)
    y.sum().backward()
    assert x.grad.tolist() == [2, 0, 0]


def test_augmented_assignment_to_a_part() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x * 1
    y[1] += 5
    y[[0, 2]] *= 3
    y.sum().backward()
    assert y.tolist() == [3, 6, 3]
    assert x.grad.tolist() == [3, 1, 3]


def test_index_put_accumulates_repeated_places() -> None:
    x, v = torch.zeros(3, requires_grad=True), torch.ones(3, requires_grad=True)
    y = x.index_put((torch.tensor([1, 1, 0]),), v * 2, accumulate=True)
    assert y.tolist() == [2, 4, 0]
    (y * y).sum().backward()
    assert v.grad.tolist() == [16, 16, 8]


def test_a_list_of_lists_indexes_one_dimension_each_and_warns() -> None:
    x = torch.from_numpy(BASE)
    with pytest.warns(UserWarning, match="non-tuple sequence"):
        assert x[[[0, 1], [2, 0]]].tolist() == BASE[[0, 1], [2, 0]].tolist()


def test_reading_a_leaf_part_in_a_loop_records_nothing_without_grad() -> None:
    x = torch.ones(3, requires_grad=True)
    with torch.no_grad(), warnings.catch_warnings():
        x[0] = 5
    assert x.tolist() == [5, 1, 1]
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        x[0] = 5


def test_a_row_may_be_written_over_the_tensor_it_belongs_to() -> None:
    x = torch.arange(6.0).view(2, 3)
    x[:] = x[1]
    assert x.tolist() == [[3, 4, 5], [3, 4, 5]]


def test_the_gradient_of_a_row_written_over_its_own_tensor_goes_to_that_row() -> None:
    w = torch.ones(2, 2, requires_grad=True)
    y = w * 1
    y[0] = y[1, 1]
    y.sum().backward()
    assert w.grad.tolist() == [[0, 0], [1, 3]]


def test_shifted_parts_of_one_tensor_are_not_written_over_each_other() -> None:
    x = torch.arange(6.0)
    with pytest.raises(RuntimeError, match="single memory location"):
        x[1:] = x[:-1]
    assert x.tolist() == [0, 1, 2, 3, 4, 5]

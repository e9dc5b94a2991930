from __future__ import annotations

import copy
import pickle
from multiprocessing.reduction import ForkingPickler

import numpy as np
import pytest

import pellucid as torch
from pellucid.nn.utils import prune
from tests.samples.grouped import together


@together()
@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        (1, torch.int64),
        (1.5, torch.float32),
        (True, torch.bool),
        (1j, torch.complex64),
        ([1, 2.5], torch.float32),
        ([True, 2], torch.int64),
        ([], torch.float32),
        (np.float64(1), torch.float64),
        ([np.int32(1)], torch.int32),
        (np.zeros(2, np.float16), torch.float16),
        (range(3), torch.int64),
    ],
)
def test_the_data_decide_the_dtype(data, dtype) -> None:
    x = torch.tensor(data)
    assert x.dtype == dtype
    assert np.array_equal(x.numpy(), np.array(data))


@pytest.mark.parametrize(
    ("data", "error", "text"),
    [
        ([[1, 2], [3]], ValueError, r"expected sequence of length 2 at dim 1 \(got 1\)"),
        ([[1, 2], 3], TypeError, "not a sequence"),
        ([1, None], RuntimeError, "Could not infer dtype of NoneType"),
        ({1}, RuntimeError, "Could not infer dtype of set"),
        ([2**70], ValueError, "Overflow when unpacking long long"),
    ],
)
def test_data_that_are_no_numbers_are_refused(data, error, text) -> None:
    with pytest.raises(error, match=text):
        torch.tensor(data)


def test_from_numpy_shares_memory_and_tensor_copies() -> None:
    array = np.zeros(2)
    shared, own = torch.from_numpy(array), torch.tensor(array)
    array[0] = 1
    assert shared.tolist() == [1, 0]
    assert own.tolist() == [0, 0]
    with pytest.raises(ValueError, match="negative"):
        torch.from_numpy(array[::-1])


def test_conversions_return_the_tensor_itself_where_nothing_changes() -> None:
    x = torch.ones(2)
    assert x.float() is x
    assert x.to(torch.float32) is x
    assert x.to("cpu") is x
    assert x.contiguous() is x
    assert x.to(torch.float32, copy=True) is not x
    assert x.double().dtype == torch.float64
    assert x.type("torch.IntTensor").dtype == torch.int32


def test_a_conversion_passes_the_gradient_back_in_the_dtype_of_its_input() -> None:
    x = torch.ones(2, requires_grad=True)
    (x.double() * 3).sum().backward()
    assert x.grad.dtype == torch.float32
    assert x.grad.tolist() == [3, 3]


def test_python_takes_one_element_as_a_number() -> None:
    assert int(torch.tensor([2.7])) == 2
    assert float(torch.tensor(3)) == 3.0
    assert complex(torch.tensor(1j)) == 1j
    assert [5, 6, 7][torch.tensor(1)] == 6
    assert f"{torch.tensor(1.234):.1f}" == "1.2"
    assert 2 in torch.arange(3)
    assert 7 not in torch.arange(3)
    with pytest.raises(TypeError, match="only integer tensors of a single element"):
        [1][torch.tensor(0.0)]
    with pytest.raises(ValueError, match="only one element tensors"):
        float(torch.ones(2))


def test_a_deep_copy_has_its_own_memory_gradient_and_attributes() -> None:
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    x.label = ["mine"]
    copied = copy.deepcopy(x)
    with torch.no_grad():
        x.zero_()
    x.label.append("changed")
    assert copied.tolist() == [1, 1]
    assert copied.grad.tolist() == [2, 2]
    assert copied.label == ["mine"]
    assert copied.is_leaf
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(x * 2)


def test_a_pickle_keeps_values_flag_and_attributes() -> None:
    x = torch.ones(2, requires_grad=True)
    x.label = "mine"
    copied = pickle.loads(pickle.dumps(x))
    assert (copied.tolist(), copied.requires_grad, copied.label) == ([1, 1], True, "mine")


def test_numpy_reads_a_tensor_without_copying() -> None:
    x = torch.ones(2)
    assert np.shares_memory(np.asarray(x), x.numpy())
    assert not np.shares_memory(np.array(x), x.numpy())
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
        np.asarray(torch.ones(2, requires_grad=True))


def test_sizes_and_strides_are_counted_in_elements() -> None:
    x = torch.zeros(2, 3, 4)
    part = x[1, :, 1:]
    assert (part.size(), part.size(-1), part.stride()) == (torch.Size([3, 3]), 3, (4, 1))
    assert part.storage_offset() == 13
    assert part.data_ptr() == x.data_ptr() + 13 * x.element_size()
    assert (part.is_contiguous(), x.is_contiguous()) == (False, True)
    assert part.untyped_storage().data_ptr() == x.data_ptr()


def test_legacy_types_make_and_recognise_tensors() -> None:
    assert torch.Tensor(2, 3).shape == (2, 3)
    assert torch.LongTensor([1, 2]).dtype == torch.int64
    assert isinstance(torch.ones(1), torch.FloatTensor)
    assert not isinstance(torch.ones(1), torch.LongTensor)


def test_another_device_is_refused() -> None:
    for call in (lambda: torch.ones(1).cuda(), lambda: torch.zeros(1, device="cuda")):
        with pytest.raises(RuntimeError):
            call()
        with pytest.raises(AssertionError):
            call()


def test_ranges_agree_with_numpy() -> None:
    assert np.array_equal(
        torch.arange(1, 2, 0.3, dtype=torch.float64).numpy(), np.arange(4) * 0.3 + 1
    )
    assert torch.arange(5, 0, -2).tolist() == [5, 3, 1]
    assert np.allclose(torch.linspace(-1, 2, 7).numpy(), np.linspace(-1, 2, 7), rtol=1e-6)
    assert np.allclose(torch.logspace(0, 2, 5).numpy(), np.logspace(0, 2, 5), rtol=1e-6)
    with pytest.raises(RuntimeError, match="step must be nonzero"):
        torch.arange(0, 1, 0)


def test_limits_are_numpys() -> None:
    assert torch.finfo(torch.float64).eps == np.finfo(np.float64).eps
    assert torch.iinfo(torch.int16).max == 32767


def test_python_number_types_as_dtypes_mean_double_precision() -> None:
    x = torch.ones(2)
    for made in (
        torch.ones(2, dtype=float), torch.tensor([1.0], dtype=float), x.to(float),
        x.sum(dtype=float), torch.arange(2, dtype=float), torch.nn.Linear(1, 1).to(float).weight,
    ):  # fmt: skip
        assert made.dtype is torch.float64
    assert torch.zeros(1, dtype=complex).dtype is torch.complex128


def test_integers_between_two_ends_start_from_ends_rounded_towards_zero() -> None:
    found = torch.linspace(-5.5, 3.7, 8, dtype=torch.int32)
    assert found.tolist() == [-5, -3, -2, -1, 0, 0, 1, 3]
    assert torch.logspace(0, 2.9, 3, dtype=torch.int64).tolist() == [1, 10, 100]


def test_logspace_takes_complex_ends() -> None:
    found = torch.logspace(0, 2 + 1j, 3, dtype=torch.complex128)
    np.testing.assert_allclose(found.numpy(), 10 ** np.array([0, 1 + 0.5j, 2 + 1j]))
    assert torch.logspace(0, 1j, 3).dtype is torch.complex64


def test_small_integers_are_counted_between_the_ends_as_they_are_given() -> None:
    assert torch.arange(-1.5, 3.2, dtype=torch.int32).tolist() == [-1, 0, 1, 2, 3]
    assert torch.arange(-1.5, 3.2, dtype=torch.int64).tolist() == [-1, 0, 1, 2]


# ---- pickles and copies ---------------------------------------------------------------------


def test_a_tensor_that_was_computed_comes_back_from_a_pickle_as_a_leaf() -> None:
    x = torch.ones(2, requires_grad=True)
    for found in (pickle.loads(pickle.dumps(x * 2)), copy.copy(x * 2)):
        assert found.tolist() == [2, 2]
        assert found.is_leaf
        assert found.requires_grad
    shared = (x * 2).share_memory_()
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor"):
        ForkingPickler.dumps(shared)


def test_a_pruned_module_can_be_pickled() -> None:
    module = prune.l1_unstructured(torch.nn.Linear(2, 2), "weight", 1)
    module(torch.ones(1, 2))
    found = pickle.loads(pickle.dumps(module))
    assert torch.equal(found.weight, module.weight)


def test_the_order_of_dimensions_is_that_of_memory() -> None:
    x = torch.ones(2, 3, 4, 5)
    assert x.dim_order() == (0, 1, 2, 3)
    assert x.permute(0, 3, 1, 2).dim_order() == (0, 2, 3, 1)
    with pytest.raises(RuntimeError, match="does not have unique dim order"):
        torch.ones(1, 1).dim_order(ambiguity_check=True)
    with pytest.raises(RuntimeError, match="does not have unique dim order"):
        x.permute(3, 2, 1, 0).dim_order(ambiguity_check=[torch.contiguous_format])


def test_a_reversed_tensor_is_one_and_has_a_gradient() -> None:
    x = torch.arange(3.0).requires_grad_()
    (reversed(x) * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert x.grad.tolist() == [100, 10, 1]


def test_what_shares_memory_shares_it_in_a_deep_copy() -> None:
    a, b = torch.arange(6.0).reshape(2, 3), torch.zeros(2)
    transposed, part = a.t(), a[1, 1:]
    untyped = a.untyped_storage()
    typed = torch.TypedStorage(wrap_storage=untyped, dtype=torch.float32)
    made = copy.deepcopy([a, transposed, part, typed, untyped, b, a])
    first, turned, piece, elements, memory, other, again = made
    assert again is first
    assert (turned.stride(), piece.storage_offset()) == ((1, 3), 4)
    first.add_(10)
    assert turned.tolist() == (a + 10).t().tolist()
    assert piece.tolist() == [14.0, 15.0]
    assert elements.tolist() == [10.0, 11.0, 12.0, 13.0, 14.0, 15.0]
    assert memory.data_ptr() == first.data_ptr() == elements.data_ptr()
    assert a.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert other.data_ptr() != b.data_ptr()


def test_a_copied_part_has_the_whole_memory_around_it() -> None:
    x = torch.arange(10.0)[3:5]
    made = copy.deepcopy(x)
    assert (made.tolist(), made.storage_offset()) == ([3.0, 4.0], 3)
    assert made.untyped_storage().nbytes() == 40
    assert copy.deepcopy(torch.zeros(0, 3)).shape == (0, 3)
    assert copy.deepcopy(torch.zeros(2, 3, device="meta")[1]).shape == (3,)
    assert copy.deepcopy(torch.ones(1).expand(3)).stride() == (0,)

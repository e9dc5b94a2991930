"""The memory behind tensors by PyTorch's names, and the names that ask whether there is more."""

from __future__ import annotations

import weakref

import pytest

import pellucid as torch


def _typed(x):
    with pytest.warns(UserWarning, match="TypedStorage is deprecated"):
        return x.storage()


def test_a_storage_is_the_memory_of_its_tensor():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    storage = _typed(x[1:])
    assert isinstance(storage, torch.TypedStorage)
    assert isinstance(storage, torch.FloatStorage)
    assert not isinstance(storage, torch.DoubleStorage)
    assert torch.is_storage(storage)
    assert (len(storage), storage.nbytes(), storage.element_size()) == (4, 16, 4)
    assert storage.tolist() == list(storage) == [1.0, 2.0, 3.0, 4.0]
    assert storage.data_ptr() == x.data_ptr()
    storage[0] = 7.0
    assert x[0, 0] == 7
    storage.fill_(2.0)
    assert x.tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert storage.clone().data_ptr() != x.data_ptr()


def test_indices_of_storages_are_checked():
    storage = torch.FloatStorage([1.0, 2.0])
    assert storage[-1] == 2.0
    with pytest.raises(IndexError, match="index 2 out of range for storage of size 2"):
        storage[2]
    with pytest.raises(RuntimeError, match="slices are only supported in UntypedStorage"):
        storage[:1]


def test_bytes_are_seen_and_written():
    x = torch.zeros(2, dtype=torch.int16)
    data = x.untyped_storage()
    assert isinstance(data, torch.storage.UntypedStorage)
    data[1] = 1
    assert x.tolist() == [256, 0]
    assert data.tolist() == list(data) == [0, 1, 0, 0]
    assert data[1:].tolist() == [1, 0, 0]
    assert data.clone().fill_(3).tolist() == [3, 3, 3, 3]
    data.copy_(torch.UntypedStorage([1, 0, 2, 0]))
    assert x.tolist() == [1, 2]


def test_storages_are_made_by_size_and_by_values_and_tensors_of_them():
    assert torch.UntypedStorage(8).nbytes() == 8
    assert len(torch.HalfStorage(3)) == 3
    assert torch.TypedStorage([1, 2], dtype=torch.int32).tolist() == [1, 2]
    x = torch.empty(0).set_(torch.FloatStorage([1.0, 2.0, 3.0]), 1, (2,))
    assert x.tolist() == [2.0, 3.0]
    assert x.storage_type() is torch.FloatStorage


def test_a_tensor_tells_what_takes_its_place_when_it_is_loaded():
    x, y = torch.zeros(2, requires_grad=True), torch.ones(2, requires_grad=True)
    with torch.no_grad():
        loaded = x.module_load(y)
    assert loaded.data_ptr() == x.data_ptr()
    assert x.tolist() == [1.0, 1.0]
    assigned = x.module_load(y, assign=True)
    assert assigned.data_ptr() == y.data_ptr()
    assert not assigned.requires_grad


# ---- names that ask ---------------------------------------------------------------------------


class Dispatching:
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return function.__name__, types, args


def test_nothing_takes_over_functions_but_what_is_called_for():
    overrides = torch.overrides
    other = Dispatching()
    assert [overrides.is_tensor_like(each) for each in (torch.ones(1), other, 1)] == [
        True, True, False,
    ]  # fmt: skip
    assert not overrides.has_torch_function((torch.ones(1), 1))
    assert not overrides.has_torch_function_unary(torch.ones(1))
    assert not overrides.has_torch_function_variadic(torch.ones(1), 1)
    called = overrides.handle_torch_function(torch.add, (1, other), other, 2)
    assert called == ("add", (Dispatching,), (other, 2))
    with pytest.raises(TypeError, match=r"no implementation found for 'torch\.add'"):
        overrides.handle_torch_function(torch.add, (1,), 1, 2)
    assert overrides.resolve_name(torch.Tensor.item) == "torch.Tensor.item"
    for functions in overrides.get_overridable_functions().values():
        for each in functions:  # a name leads to what it names
            assert eval(overrides.resolve_name(each)) == each
    assert overrides.is_tensor_method_or_property(torch.Tensor.item)
    assert not overrides.is_tensor_method_or_property(len)


def test_types_of_cuda_tensors_make_nothing_and_recognise_nothing():
    x = torch.ones(2)
    assert not isinstance(x, torch.cuda.FloatTensor)
    assert isinstance(x, (torch.cuda.FloatTensor, torch.FloatTensor))
    with pytest.raises(TypeError, match=r"type torch\.cuda\.LongTensor not available"):
        torch.cuda.LongTensor(2)
    assert repr(torch.cuda.HalfTensor) == "<class 'torch.cuda.HalfTensor'>"


def test_storages_on_meta_have_a_size_and_no_memory():
    s = torch.TypedStorage([1, 2, 3], dtype=torch.int16, device="meta")
    assert (s.device.type, s.nbytes(), len(s), s.data_ptr()) == ("meta", 6, 3, 0)
    assert len(torch.UntypedStorage(5, device="meta")) == 5
    with pytest.raises(NotImplementedError, match="Not available"):
        s[0]
    with pytest.raises(NotImplementedError, match="Cannot copy out"):
        s.cpu()
    with pytest.raises(NotImplementedError, match="Cannot copy out"):
        torch.TypedStorage([1, 2, 3], dtype=torch.int16).copy_(s)
    with pytest.raises(RuntimeError, match="only available on CPU"):
        s.share_memory_()
    assert len(s.resize_(10)) == 10


def test_storages_are_converted_and_resized():
    s = torch.IntStorage([1, 2, 3])
    assert s.type() == "torch.IntStorage"
    assert s.double().type() == "torch.DoubleStorage"
    assert s.double().tolist() == [1.0, 2.0, 3.0]
    assert s.resize_(2).tolist() == [1, 2]
    with pytest.raises(NotImplementedError, match="resize"):
        torch.ones(2).untyped_storage().resize_(16)


def test_storages_take_attributes_and_weak_references():
    s = torch.UntypedStorage(2)
    s.note = "kept"
    assert weakref.ref(s)().note == "kept"


def test_the_bytes_of_each_element_can_be_reversed():
    t = torch.tensor([1, 2], dtype=torch.int16)
    t.untyped_storage().byteswap(torch.int16)
    assert t.tolist() == [256, 512]


def test_a_tensor_takes_over_storages_of_its_own_dtype_only():
    with pytest.raises(RuntimeError, match="Expected a Storage of type"):
        torch.ones(2).set_(torch.IntStorage([1, 2]))

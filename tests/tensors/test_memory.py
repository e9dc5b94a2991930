"""Memory that tensors share with others when they are resized, written to or read as bytes."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from tests.samples.grouped import together

RANGES = {
    "linspace": lambda out: torch.linspace(0, 3, 4, out=out),
    "logspace": lambda out: torch.logspace(0, 3, 4, out=out),
    "arange": lambda out: torch.arange(4, out=out),
    "range": lambda out: torch.range(0, 3, out=out),
}


@pytest.mark.parametrize("name", RANGES)
@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
def test_evenly_spaced_numbers_fill_an_out_of_any_shape_of_as_many_elements(name: str) -> None:
    whole = torch.zeros(2, 3)
    made = RANGES[name](whole[:, 1:])
    expected = [[1.0, 10.0], [100.0, 1000.0]] if name == "logspace" else [[0.0, 1.0], [2.0, 3.0]]
    assert made.tolist() == expected
    assert whole[:, 1:].tolist() == expected
    assert whole[:, 0].tolist() == [0.0, 0.0]


@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
@pytest.mark.parametrize(
    ("part", "count", "expected"),
    [
        (slice(0, 4), 2, [2.0, 2.0, 0.0, 0.0, 0.0, 0.0]),
        (slice(0, 2), 4, [2.0, 2.0, 2.0, 2.0, 0.0, 0.0]),
        (slice(1, None, 2), 4, [0.0, 2.0, 2.0, 2.0, 2.0, 0.0]),
    ],
)
def test_an_out_that_is_resized_stays_in_its_memory(
    part: slice, count: int, expected: list[float]
) -> None:
    whole = torch.zeros(6)
    torch.add(torch.ones(count), 1, out=whole[part])
    assert whole.tolist() == expected


def test_what_is_made_from_no_tensor_resizes_its_out_without_a_warning() -> None:
    whole = torch.zeros(6)
    torch.zeros(3, out=whole[:2])
    torch.full((3,), 7.0, out=whole[:2])
    assert whole.tolist() == [7.0, 7.0, 7.0, 0.0, 0.0, 0.0]


def test_resize_looks_at_the_memory_behind_a_view() -> None:
    whole = torch.arange(6.0)
    part = whole[1:2].resize_(4)
    assert part.tolist() == [1.0, 2.0, 3.0, 4.0]
    part.fill_(0)
    assert whole.tolist() == [0.0, 0.0, 0.0, 0.0, 0.0, 5.0]


def test_resize_to_nothing_and_back_keeps_the_values() -> None:
    x = torch.arange(4.0)
    assert x.resize_(0).resize_(4).tolist() == [0.0, 1.0, 2.0, 3.0]


def test_resize_to_the_shape_that_is_there_is_no_change() -> None:
    x = torch.arange(6.0).view(2, 3).t()
    x.resize_(3, 2)
    x.resize_as_(torch.ones(3, 2))
    assert x.stride() == (1, 3)
    assert x._version == 0


@pytest.mark.parametrize(
    "share",
    [
        torch.from_numpy,
        torch.as_tensor,
        torch.asarray,
        torch.from_dlpack,
        lambda values: torch.frombuffer(values, dtype=torch.float64),
    ],
)
def test_memory_of_another_object_cannot_be_made_larger(share: object) -> None:
    values = np.arange(4.0)
    x = share(values)  # type: ignore[operator]
    assert not x.untyped_storage().resizable()
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        x.resize_(3, 3)
    assert x.resize_(2).tolist() == [0.0, 1.0]
    assert torch.tensor(values).resize_(9).shape == (9,)


def test_asarray_shares_memory_with_what_has_the_buffer_protocol() -> None:
    held = bytearray(8)
    x = torch.asarray(held, dtype=torch.int32)
    x[0] = 1
    assert held[0] == 1
    numbers = array.array("d", [1.0, 2.0])
    torch.asarray(memoryview(numbers), dtype=torch.float64)[0] = 5
    assert numbers[0] == 5
    halves = np.ones(3, np.float16)
    torch.asarray(memoryview(halves), dtype=torch.float16)[0] = 5
    assert halves[0] == 5
    complexes = np.ones(3, np.complex64)
    torch.asarray(memoryview(complexes), dtype=torch.complex64)[0] = 5j
    assert complexes[0] == 5j
    with pytest.raises(ValueError, match="must be a multiple of element size"):
        torch.asarray(bytearray(3), dtype=torch.int16)


def test_a_storage_is_read_as_elements_not_as_a_list_of_bytes() -> None:
    storage = torch.tensor([1.5, 2.5]).untyped_storage()
    assert torch.tensor(storage, dtype=torch.float32).tolist() == [1.5, 2.5]
    assert torch.tensor(storage).dtype == torch.int64
    shared = torch.asarray(storage, dtype=torch.float32)
    shared[0] = 0
    torch.FloatTensor(storage)[1] = 0
    assert storage.tolist() == [0] * 8


def test_a_storage_of_one_dtype_is_not_read_as_another() -> None:
    storage = torch.FloatStorage([1.5, 2.5])
    with pytest.raises(RuntimeError, match=r"Expected a Storage of type Double .*, but got Float"):
        torch.tensor(storage, dtype=torch.float64)
    assert torch.tensor(storage).tolist() == [1.5, 2.5]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x: x.as_strided((2, 2), (3, 1)), r"self.stride\(0\) must be divisible by 2"),
        (lambda x: x[1:9], r"self.storage_offset\(\) must be divisible by 2"),
        (lambda x: x[:9], r"self.size\(-1\) must be divisible by 2 .*, but got 9"),
        (lambda x: x.view(6, 2).t(), r"self.stride\(-1\) must be 1 .*, but got 2"),
    ],
)
def test_elements_that_would_straddle_others_are_not_viewed(make: object, message: str) -> None:
    x = torch.arange(12, dtype=torch.int16)
    with pytest.raises(RuntimeError, match=message):
        make(x).view(torch.int32)  # type: ignore[operator]


def test_conversions_take_the_order_in_memory() -> None:
    x = torch.ones(1, 2, 3, 3).to(memory_format=torch.channels_last)
    assert x.double(memory_format=torch.contiguous_format).stride() == (18, 9, 3, 1)
    assert x.float(memory_format=torch.contiguous_format).stride() == (18, 9, 3, 1)
    assert x.double().stride() == (18, 1, 6, 2)
    assert x.contiguous().int(memory_format=torch.channels_last).stride() == (18, 1, 6, 2)


def test_new_tensors_without_elements_have_the_strides_of_those_with_some() -> None:
    assert torch.empty(0, 3).stride() == (3, 1)
    assert torch.empty(2, 0, 3).stride() == (3, 3, 1)
    x = torch.empty(0, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(torch.exp, x)


def test_one_value_is_written_over_elements_that_share_memory():
    x = torch.ones(1)
    x.expand(3).fill_(2.0)
    assert x.tolist() == [2.0]
    assert torch.empty_strided((2, 3), (0, 1)).zero_().tolist() == [[0.0] * 3] * 2
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        x.expand(3).add_(1)


@together()
@pytest.mark.parametrize(
    ("function", "error", "sentence"),
    [
        (lambda b: torch.frombuffer(b, dtype=torch.int32, offset=-4), ValueError,
         r"offset \(-4 bytes\) must be non-negative and no greater than buffer length \(8 bytes\)"),
        (lambda b: torch.frombuffer(b, dtype=torch.int32, offset=8), ValueError, "minus 1"),
        (lambda b: torch.frombuffer(b, dtype=torch.int32, offset=3), ValueError,
         r"buffer length \(5 bytes\) after offset \(3 bytes\) must be a multiple"),
        (lambda b: torch.frombuffer(b, dtype=torch.int32, count=3), ValueError,
         r"requested buffer length \(3 \* 4 bytes\)"),
        (lambda b: torch.asarray([1.0], copy=False), ValueError, "can't alias arbitrary sequence"),
        (lambda b: torch.asarray(np.float64(1), copy=False), RuntimeError, "NumPy scalars"),
        (lambda b: torch.asarray(torch.ones(2), dtype=torch.float64, copy=False), ValueError,
         "with dtype 'Float' into dtype 'Double'"),
        (lambda b: torch.FloatTensor(2, device="meta"), RuntimeError, "expects device type: cpu"),
    ],
)  # fmt: skip
def test_memory_that_cannot_be_shared_as_asked_is_refused(
    function: Any, error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        function(bytearray(8))


def test_a_capsule_is_read_by_asarray() -> None:
    array = torch.arange(3)
    read = torch.asarray(torch.utils.dlpack.to_dlpack(array))
    read[0] = 7
    assert array.tolist() == [7, 1, 2]


def test_lists_that_hold_themselves_are_refused() -> None:
    own: list[Any] = [0]
    own.append(own)
    with pytest.raises(TypeError, match="self-referential lists are incompatible"):
        torch.tensor(own)

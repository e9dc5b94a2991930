"""Memory that nobody has set, while deterministic algorithms are asked for."""

from collections.abc import Iterator

import pytest

import pellucid as torch
import pellucid.nn.functional as F


@pytest.fixture(autouse=True)
def deterministic() -> Iterator[None]:
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        (torch.int8, 127), (torch.int64, 2**63 - 1), (torch.uint8, 255), (torch.bool, True),
    ],
)  # fmt: skip
def test_integers_are_filled_with_the_largest(dtype, value):
    assert torch.empty(3, dtype=dtype).tolist() == [value] * 3


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64]
)
def test_all_ways_of_making_unset_memory_fill_it_with_nan(dtype):
    like = torch.zeros(2, 3, dtype=dtype)
    for made in (
        torch.empty(2, 3, dtype=dtype), torch.empty_like(like), like.new_empty(2, 3),
        torch.empty_strided((2, 3), (1, 2), dtype=dtype), like.new_empty_strided((2, 3), (1, 2)),
        torch.empty_permuted((2, 3), (1, 0), dtype=dtype),
    ):  # fmt: skip
        assert made.isnan().all()


def test_what_a_tensor_grows_by_is_filled():
    x = torch.ones(2)
    x.resize_(4)
    assert x[:2].tolist() == [1.0, 1.0]
    assert x[2:].isnan().all()
    whole = torch.ones(2, dtype=torch.int16)
    assert whole.resize_(3).tolist() == [1, 1, 2**15 - 1]


def test_filling_can_be_switched_off():
    torch.utils.deterministic.fill_uninitialized_memory = False
    try:
        x = torch.ones(4)
        x.resize_(2).resize_(4)
        assert x.tolist() == [1.0] * 4
    finally:
        torch.utils.deterministic.fill_uninitialized_memory = True
    with pytest.raises(TypeError, match="must be bool, not int"):
        torch.utils.deterministic.fill_uninitialized_memory = 1


def test_a_permuted_layout_has_the_order_asked_for():
    x = torch.empty_permuted((2, 3, 5), (1, 0, 2))
    assert x.shape == (2, 3, 5)
    assert x.stride() == (5, 10, 1)
    with pytest.raises(RuntimeError, match="Number of dimensions in size"):
        torch.empty_permuted((2, 3), (0,))
    with pytest.raises(RuntimeError, match="Duplicate dim"):
        torch.empty_permuted((2, 3), (0, 0))


_PLACES = torch.tensor([[[0, 2]]])


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("max_unpooling2d_forward_out", lambda: F.max_unpool1d(torch.ones(1, 1, 2), _PLACES, 2)),
        (
            "max_unpooling2d_forward_out",
            lambda: F.max_unpool2d(torch.ones(1, 1, 1, 2), _PLACES[None], 2),
        ),
        (
            "max_unpooling3d_forward_out",
            lambda: F.max_unpool3d(torch.ones(1, 1, 1, 1, 2), _PLACES[None, None], 2),
        ),
        ("put_", lambda: torch.put(torch.zeros(3), _PLACES, torch.ones(1, 1, 2))),
        ("put_", lambda: torch.zeros(3).put_(_PLACES, torch.ones(1, 1, 2))),
    ],
)
def test_what_pytorch_has_no_deterministic_form_of_is_refused_or_warned_of(name, call):
    with pytest.raises(RuntimeError, match=f"^{name} does not have a deterministic"):
        call()
    torch.use_deterministic_algorithms(True, warn_only=True)
    with pytest.warns(UserWarning, match=f"^{name} does not have a deterministic"):
        found = call()
    torch.use_deterministic_algorithms(False)
    assert torch.equal(found, call())


def test_adding_up_what_is_put_is_deterministic():
    assert torch.zeros(3).put_(_PLACES, torch.ones(1, 1, 2), accumulate=True).tolist() == [1, 0, 1]

"""The flow of gradients in a recording, against norms and shares computed by NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.inspect import Recording, record
from pellucid.inspect.recording.measures import measure
from tests.samples.grouped import together

RNG = np.random.default_rng(0)


def line_of(recording: Recording, text: str) -> Any:
    (found,) = [
        each for each in recording.gradients().lines if recording.lines[each.line].text == text
    ]
    return found


def test_the_gradient_that_arrives_at_a_line_is_measured() -> None:
    x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
    weights = torch.tensor([3.0, 0.0, 4.0])
    with record() as recording:
        y = x.exp()
        (y * weights).sum().backward()
    found = line_of(recording, "y = x.exp()")
    assert (found.norm, found.count, found.nans, found.infs) == (5.0, 3, 0, 0)
    assert found.zeros == pytest.approx(1 / 3)


def test_the_gradient_of_a_parameter_is_compared_with_its_update() -> None:
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    with record() as recording:
        (w * torch.tensor([6.0, 8.0])).sum().backward()
        optimizer.step()
    (found,) = recording.gradients().parameters
    assert (found.norm, found.weight, found.update, found.ratio) == (10.0, 5.0, 5.0, 1.0)


def test_parameters_go_by_their_names_in_the_model() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(), torch.nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with record() as recording:
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
    names = [each.name for each in recording.gradients().parameters]
    assert names == [name for name, _ in model.named_parameters()]


def test_two_models_do_not_share_names() -> None:
    first, second = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
    with record() as recording:
        second(first(torch.ones(1, 1))).sum().backward()
        optimizer.step()
    names = [each.name for each in recording.gradients().parameters]
    assert names == ["weight", "bias", "Linear.weight", "Linear.bias"]


def test_the_first_nan_or_infinity_is_found_with_its_line() -> None:
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    with record() as recording:
        y = x * 1
        z = y.sqrt()
        z.sum().backward()
    flow = recording.gradients()
    first = flow.first_unusual
    assert first is not None
    assert recording.lines[first.line].text == "y = x * 1"
    assert (first.infs, first.nans, first.norm) == (1, 0, 0.5)
    assert "the first NaN or infinity arrived at test_gradients.py:" in str(flow)


def test_each_step_has_its_own_flow() -> None:
    w = torch.tensor([1.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.25)
    with record() as recording:
        for _ in range(2):
            optimizer.zero_grad()
            (w * w).sum().backward()
            optimizer.step()
    norms = [recording.gradients(step).parameters[0].norm for step in (0, 1)]
    assert norms == [2.0, 1.0]
    with pytest.raises(IndexError):
        recording.gradients(2)


def test_gradients_are_left_alone_on_request() -> None:
    w = torch.tensor([1.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.25)
    with record(gradients=False) as recording:
        (w * w).sum().backward()
        optimizer.step()
    assert recording.line_gradients == recording.parameter_gradients == ()
    assert str(recording.gradients()) == "gradients of step 0"


def test_the_text_has_a_row_for_each_parameter_and_line() -> None:
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    with record() as recording:
        y = w * w
        y.sum().backward()
        optimizer.step()
    lines = recording.gradients().text(width=100).splitlines()
    assert lines[2].split() == [
        "parameter", "gradient", "zeros", "NaN", "inf", "weight", "update", "ratio",
    ]  # fmt: skip
    assert lines[3].split() == ["w", "10", "0.0", "%", "5", "5", "1"]
    assert any(line.startswith("test_gradients.py:") and "y = w * w" in line for line in lines)


# ---- measuring -----------------------------------------------------------------------------------


@together()
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex64])
@pytest.mark.parametrize("shape", [(), (7,), (3, 4), (0, 2)])
def test_norms_and_zeros_are_those_of_numpy(dtype: Any, shape: tuple[int, ...]) -> None:
    array = np.asarray(RNG.integers(-3, 4, shape)).astype(dtype)
    found = measure(array)
    assert found.norm == pytest.approx(np.linalg.norm(array.astype(np.complex128).ravel()))
    assert (found.zeros, found.count) == ((array == 0).sum(), array.size)
    assert measure(array.T) == found


@pytest.mark.parametrize("size", [1e-30, 1e30])
def test_norms_beyond_the_squares_of_single_precision_are_right(size: float) -> None:
    assert measure(np.full(4, size, np.float32)).norm == pytest.approx(2 * size)


def test_what_is_no_finite_number_is_counted_and_left_out_of_the_norm() -> None:
    found = measure(np.array([3.0, np.nan, np.inf, -np.inf, 4.0, 0.0], np.float32))
    assert (found.norm, found.nans, found.infs, found.zeros, found.count) == (5.0, 1, 2, 1, 6)

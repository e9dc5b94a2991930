from __future__ import annotations

import threading

import pytest

import pellucid as torch
from pellucid.core.backward import gradients


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32, requires_grad=True)


def test_reading_the_gradient_of_a_tensor_that_is_no_leaf_warns():
    y = leaf(1) * 2
    with pytest.warns(UserWarning, match="that is not a leaf Tensor is being accessed"):
        assert y.grad is None


def test_a_retained_gradient_adds_up_over_passes():
    y = leaf(1) * 2
    y.retain_grad()
    y.retain_grad()
    (y * 3).backward(retain_graph=True)
    (y * 3).backward()
    assert y.grad.tolist() == [6]


def test_a_leaf_retains_its_gradient_anyway():
    x = leaf(1)
    x.retain_grad()
    assert not x.retains_grad
    with pytest.raises(
        RuntimeError, match="can't retain_grad on Tensor that has requires_grad=False"
    ):
        torch.ones(1).retain_grad()


def test_a_dropped_tensor_does_not_live_on_for_its_gradient():
    x = leaf(1)
    y = x * 2
    y.retain_grad()
    z = y * 3
    del y
    z.backward()
    assert x.grad.tolist() == [6]


def test_a_gradient_has_the_shape_and_dtype_of_its_tensor():
    x = leaf(1, 2)
    with pytest.raises(RuntimeError):
        x.grad = torch.ones(3)
    with pytest.raises(RuntimeError):
        x.grad = torch.ones(2, dtype=torch.float64)
    with pytest.raises(TypeError):
        x.grad = 1.0
    x.grad = torch.ones(2)
    del x.grad
    assert x.grad is None


def test_only_leaves_stop_requiring_grad():
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf"):
        (leaf(1) * 2).requires_grad_(False)
    assert (leaf(1) * 2).requires_grad_().requires_grad


def test_integers_do_not_require_grad():
    with pytest.raises(RuntimeError, match="only Tensors of floating point"):
        torch.ones(1, dtype=torch.int64).requires_grad_()


def test_modes_belong_to_their_thread():
    seen = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_a_generator_runs_under_its_mode_and_its_caller_does_not():
    @torch.no_grad()
    def numbers():
        yield torch.is_grad_enabled()
        yield torch.is_grad_enabled()

    outside = []
    inside = []
    for each in numbers():
        inside.append(each)
        outside.append(torch.is_grad_enabled())
    assert inside == [False, False]
    assert outside == [True, True]


def test_a_leaf_made_without_recording_may_require_grad():
    with torch.no_grad():
        x = leaf(1)
    assert x.requires_grad
    (x * 2).backward()
    assert x.grad.tolist() == [2]


def test_the_numbers_of_nodes_grow_with_their_making():
    x = leaf(1)
    y = x * 2
    z = y * 3
    assert z.grad_fn._sequence_nr() > y.grad_fn._sequence_nr()
    assert y.grad_fn.next_functions[0][0].name() == "torch::autograd::AccumulateGrad"
    assert (x * torch.ones(1)).grad_fn.next_functions[1] == (None, 0)


def test_a_leaf_has_one_node_as_long_as_it_lives():
    x = leaf(1)
    first = (x * 2).grad_fn.next_functions[0][0]
    x.requires_grad_(False)
    x.requires_grad_(True)
    assert (x * 3).grad_fn.next_functions[0][0] is first
    assert first.variable is x


def test_a_gradient_in_another_layout_is_warned_of_once(monkeypatch):
    monkeypatch.setattr(gradients, "_warned_of_layout", False)
    x = torch.ones(2, 3, requires_grad=True)
    x.grad = torch.zeros(3, 2).t()
    with pytest.warns(UserWarning, match="do not obey the gradient layout contract") as told:
        x.sum().backward()
    x.sum().backward()  # another warning would be an error
    assert len(told) == 1
    assert "strides() = [1, 2]" in str(told[0].message)
    assert x.grad.stride() == (1, 2)
    assert x.grad.tolist() == [[2] * 3] * 2


def test_a_gradient_of_the_same_layout_is_not_warned_of(monkeypatch):
    monkeypatch.setattr(gradients, "_warned_of_layout", False)
    x = torch.ones(3, 2).t().requires_grad_()
    x.grad = torch.zeros(3, 2).t()
    row = torch.ones(2, 1, 3, requires_grad=True)
    row.grad = torch.zeros(2, 3, 1).transpose(1, 2)
    (x.sum() + row.sum()).backward()
    assert row.grad.tolist() == [[[1] * 3]] * 2

"""Functions whose calls of ops are remembered by the compiled module."""

from __future__ import annotations

import pytest

import pellucid as torch
from pellucid.core.call.checked import explaining
from pellucid.core.call.compiled import replayable
from pellucid.observe import slow_path
from tests.native.kernel_samples import needs_kernels


@pytest.fixture
def scaled(monkeypatch):
    """Return a function of two ops, and the list of calls that ran in Python."""
    monkeypatch.setattr(slow_path, "general", 0)  # a tensor without values ends it for good
    runs: list[tuple[int, ...]] = []

    @replayable
    def scaled(input, other, factor: float = 2.0, inplace: bool = False):
        runs.append(tuple(input.shape))
        return input.mul_(factor) if inplace else (input * factor).sum(0) - other

    return explaining(scaled, "tests", "scaled"), runs


def called(function, *args, **kwargs):
    """Call a function three times; it runs in Python to learn the classes, and to learn the ops."""
    return [function(*args, **kwargs) for _ in range(3)][-1]


@needs_kernels
def test_arguments_alike_run_in_python_until_the_ops_are_known(scaled):
    function, runs = scaled
    x, y = torch.ones(3, 2), torch.ones(2)
    called(function, x, y)
    assert len(runs) == 2
    assert function(torch.zeros(3, 2), y).tolist() == [-1, -1]
    assert len(runs) == 2


def test_other_sizes_strides_dtypes_parameters_and_aliases_go_their_own_way(scaled):
    function, _ = scaled
    x, y = torch.arange(4.0).reshape(2, 2), torch.ones(2)
    leaf = x.clone().requires_grad_()
    for args, expected in (
        ((x, y), [3, 7]), ((x.t(), y), [1, 9]), ((x[:1], y), [-1, 1]), ((x.double(), y), [3, 7]),
        ((x, y, 3.0), [5, 11]), ((x, y, 0.0), [-1, -1]), ((leaf, y), [3, 7]),
        ((y, y), [3, 3]), ((y, torch.zeros(2)), [4, 4]),
    ):  # fmt: skip
        found = called(function, *args)
        assert found.tolist() == expected
        assert found.dtype == args[0].dtype
        assert found.requires_grad == args[0].requires_grad
    assert called(function, x, y, factor=3.0).tolist() == [5, 11]
    with torch.no_grad():
        assert not function(leaf, y).requires_grad
    called(function, leaf, y).sum().backward()
    assert leaf.grad.tolist() == [[2, 2], [2, 2]]


def test_changes_in_place_are_not_remembered_and_errors_say_what_was_given(scaled):
    function, _ = scaled
    x = torch.ones(2)
    called(function, x, x, inplace=True)
    assert x.tolist() == [8, 8]
    matrix = torch.ones(2, 3)
    called(torch.mv, matrix, torch.ones(3))
    with pytest.raises(
        RuntimeError, match=r"size mismatch, got input \(2\), mat \(2x3\), vec \(2\)"
    ):
        torch.mv(matrix, x)


def test_what_is_recorded_is_what_python_records():
    pooled, norm = torch.nn.functional.max_pool2d, torch.nn.functional.group_norm
    x = torch.arange(16.0).reshape(1, 1, 4, 4).requires_grad_()
    names = [[type(each.grad_fn).__name__ for each in (pooled(x, 2), norm(x, 1))] for _ in range(3)]
    assert names[0] == names[1] == names[2]
    called(pooled, x, 2).sum().backward()
    assert x.grad.sum() == 4
    image = torch.rand(1, 2, 4, 4).to(memory_format=torch.channels_last)
    assert called(norm, image, 2).is_contiguous(memory_format=torch.channels_last)


def test_steps_on_the_way_are_shown_as_python_shows_them():
    x = torch.ones(2, 3, 4, requires_grad=True)
    attended = [torch.nn.functional.scaled_dot_product_attention(x, x, x) for _ in range(4)]
    names = [[node.name() for node in nodes_of(each)] for each in attended]
    assert names == [names[0]] * 4
    assert names[0].count("MulBackward1") == 2


def nodes_of(tensor):
    """Return the nodes behind a tensor; one that is reached along two ways comes twice."""
    nodes = [tensor.grad_fn]
    for node in nodes:
        nodes += [each for each, _ in node.next_functions if each is not None]
    return nodes


def test_values_and_warnings_are_looked_at_each_time():
    losses = torch.nn.functional
    scores = torch.randn(3, 4, requires_grad=True)
    plain, ignored = torch.tensor([1, 3, 0]), torch.tensor([1, -100, 0])
    called(losses.cross_entropy, scores, plain)
    for target in (ignored, plain, torch.tensor([1, 9, 0]), plain, ignored):
        if int(target.max()) > 3:
            with pytest.raises(IndexError, match="Target 9 is out of bounds"):
                losses.cross_entropy(scores, target)
            continue
        found = losses.cross_entropy(scores, target)
        assert found.allclose(losses.nll_loss(scores.log_softmax(1), target))
        assert type(found.grad_fn).__name__ == "NllLossBackward0"
    half = torch.full((2,), 0.5)
    for _ in range(4):
        with pytest.warns(UserWarning, match="will be deprecated"):
            losses.binary_cross_entropy(half, half, size_average=False)
    called(losses.binary_cross_entropy, half, half)
    with pytest.raises(RuntimeError, match="between 0 and 1"):
        losses.binary_cross_entropy(half * 3, half)

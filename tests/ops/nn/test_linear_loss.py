"""The cross entropy of a linear layer's scores, all at once and some rows at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pellucid as torch
import pellucid.ops.nn.linear_loss as module
from pellucid.autograd import gradcheck, gradgradcheck
from tests.samples.grouped import together

F = torch.nn.functional
Options = torch.nn.LinearCrossEntropyOptions


def inputs() -> tuple[Any, Any, Any]:
    random = np.random.default_rng(0)
    shapes = ((7, 3), (5, 3), (5,))
    made = [torch.tensor(random.standard_normal(s), requires_grad=True) for s in shapes]
    return made[0], made[1], made[2]


TARGET = torch.tensor([0, 4, 2, -100, 1, 2, 2])


@together()
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize(
    "options", [Options(batch_chunk_size=1), Options(batch_chunk_size=3), Options()]
)
@pytest.mark.parametrize("weighted", [True, False])
def test_parts_give_the_same_loss_and_gradients_as_the_whole(
    options: Options, reduction: str, weighted: bool
) -> None:
    weight = torch.tensor([1.0, 2.0, 0.5, 3.0, 0.1]).double() if weighted else None
    results = []
    for how in (None, options):
        x, w, b = inputs()
        loss = F.linear_cross_entropy(
            x, w, TARGET, linear_bias=b, weight=weight, reduction=reduction, options=how
        )
        results.append([loss, *torch.autograd.grad((loss * loss).sum(), (x, w, b))])
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), atol=1e-12)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_parts_can_be_differentiated_twice(reduction: str) -> None:
    def loss(x: Any, w: Any, b: Any) -> Any:
        return F.linear_cross_entropy(
            x, w, TARGET, linear_bias=b, weight=weight, reduction=reduction, options=options
        )

    weight, options = torch.tensor([1.0, 2.0, 0.5, 3.0, 0.1]).double(), Options(batch_chunk_size=2)
    assert gradcheck(loss, inputs())
    assert gradgradcheck(loss, inputs(), fast_mode=True)


def test_scores_of_all_rows_are_never_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    heights: list[int] = []
    whole = module.linear

    def watched(input: Any, *rest: Any) -> Any:
        heights.append(len(input))
        return whole(input, *rest)

    monkeypatch.setattr(module, "linear", watched)
    x, w, b = inputs()
    loss = F.linear_cross_entropy(x, w, TARGET, linear_bias=b, options=Options(batch_chunk_size=3))
    assert heights == []
    loss.backward()
    assert set(heights) == {3, 1}


def test_as_many_rows_are_taken_as_make_scores_as_large_as_the_input() -> None:
    ratio = Options(chunking_method="aspect_ratio")
    assert ratio.rows_at_once(1024, 64, 640, torch.float32) == 128
    assert (
        Options(chunking_method="aspect_ratio:4").rows_at_once(1024, 64, 640, torch.float32) == 32
    )
    assert Options(batch_chunk_size=5).rows_at_once(3, 4, 5, torch.float32) == 3


def test_two_numbers_of_rows_that_differ_are_refused() -> None:
    both = Options(batch_chunk_size=5, chunking_method="aspect_ratio")
    with pytest.raises(ValueError, match="give different chunk sizes"):
        F.linear_cross_entropy(*inputs()[:2], TARGET, options=both)


def test_a_class_that_is_not_there_is_refused() -> None:
    x, w, _ = inputs()
    with pytest.raises(IndexError, match="out of bounds"):
        F.linear_cross_entropy(x, w, TARGET + 3, options=Options(batch_chunk_size=2))


def test_options_that_do_not_apply_warn_and_change_nothing() -> None:
    x, w, _ = inputs()
    plain = F.linear_cross_entropy(x, w, TARGET, label_smoothing=0.1)
    with pytest.warns(UserWarning, match="``options`` ignored"):
        other = F.linear_cross_entropy(x, w, TARGET, label_smoothing=0.1, options=Options())
    assert torch.equal(plain, other)

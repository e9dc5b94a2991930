"""Averages of weights over training."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch
from pellucid.optim import swa_utils


def visits():
    return np.random.default_rng(0).standard_normal((5, 1, 2)).astype(np.float32)


def averaged_over(values, **options):
    """Return the averaged weight of a model whose weight takes the given values."""
    model = torch.nn.Linear(2, 1)
    averaged = swa_utils.AveragedModel(model, **options)
    for value in values:
        model.weight.data = torch.tensor(value)
        averaged.update_parameters(model)
    return averaged.module.weight.detach().numpy()


@pytest.mark.parametrize(
    "options", [{}, {"avg_fn": swa_utils.get_swa_avg_fn()},
                {"multi_avg_fn": swa_utils.get_swa_multi_avg_fn()}]
)  # fmt: skip
def test_the_average_is_that_of_all_visits(options) -> None:
    np.testing.assert_allclose(averaged_over(visits(), **options), visits().mean(0), rtol=1e-5)


@pytest.mark.parametrize(
    "options", [{"avg_fn": swa_utils.get_ema_avg_fn(0.6)},
                {"multi_avg_fn": swa_utils.get_ema_multi_avg_fn(0.6)}]
)  # fmt: skip
def test_an_exponential_average_forgets(options) -> None:
    expected = visits()[0]
    for value in visits()[1:]:
        expected = 0.6 * expected + 0.4 * value
    np.testing.assert_allclose(averaged_over(visits(), **options), expected, rtol=1e-5)


def test_the_averaged_model_is_a_copy_that_computes() -> None:
    model = torch.nn.Linear(2, 1)
    averaged = swa_utils.AveragedModel(model)
    averaged.update_parameters(model)
    x = torch.ones(3, 2)
    assert torch.equal(averaged(x), model(x))
    assert averaged.module.weight.data_ptr() != model.weight.data_ptr()
    assert averaged.n_averaged.item() == 1
    assert averaged.module.weight.requires_grad


def test_buffers_are_copied_unless_they_are_to_be_averaged() -> None:
    for use_buffers, expected in ((False, 3.0), (True, 2.0)):
        model = torch.nn.BatchNorm1d(1)
        averaged = swa_utils.AveragedModel(model, use_buffers=use_buffers)
        for value in (1.0, 3.0):
            model.running_mean.fill_(value)
            averaged.update_parameters(model)
        assert averaged.module.running_mean.item() == expected


def test_one_function_says_how_to_average() -> None:
    one, many = swa_utils.get_swa_avg_fn(), swa_utils.get_swa_multi_avg_fn()
    with pytest.raises(AssertionError, match="Only one of avg_fn and multi_avg_fn"):
        swa_utils.AveragedModel(torch.nn.Linear(1, 1), avg_fn=one, multi_avg_fn=many)


def test_running_statistics_are_those_of_one_pass() -> None:
    model = torch.nn.Sequential(torch.nn.BatchNorm1d(2, momentum=0.3)).eval()
    batches = [torch.tensor(value) for value in np.random.default_rng(1).random((3, 4, 2))]
    model(torch.rand(4, 2))
    swa_utils.update_bn([[batch.float(), "label"] for batch in batches], model)
    expected = np.mean([batch.numpy().mean(0) for batch in batches], axis=0)
    np.testing.assert_allclose(model[0].running_mean.numpy(), expected, rtol=1e-5)
    assert model[0].momentum == 0.3
    assert not model[0].training


def test_a_model_without_batch_normalization_is_not_run() -> None:
    model = torch.nn.Linear(2, 1)
    model.register_forward_hook(lambda *_: pytest.fail("the model ran"))
    swa_utils.update_bn([torch.ones(1, 2)], model)


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [("linear", [1.0, 0.75, 0.5, 0.25, 0.0, 0.0]),
     ("cos", [1.0, *(0.5 + 0.5 * np.cos(np.pi * np.arange(1, 5) / 4)), 0.0])],
)  # fmt: skip
def test_the_rate_goes_to_that_of_the_average(strategy: str, expected) -> None:
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    schedule = swa_utils.SWALR(optimizer, 0.0, anneal_epochs=4, anneal_strategy=strategy)
    found = schedule.get_last_lr()
    for _ in range(5):
        optimizer.step()
        schedule.step()
        found += schedule.get_last_lr()
    np.testing.assert_allclose(found, expected, atol=1e-12)

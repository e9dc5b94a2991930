"""Usual programs reach the compiled kernels: nothing falls back to NumPy's unnoticed."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch
from pellucid.kernels.active import cpu
from pellucid.kernels.numpy.backend import NumpyBackend
from pellucid.observe import listening
from tests.native.kernel_samples import kernels, needs_kernels

pytestmark = needs_kernels
functional = torch.nn.functional


def images():
    return torch.randn(4, 6, 12, 12, requires_grad=True)


def rows():
    return torch.randn(5, 7, requires_grad=True)


def convolution():
    weight, bias = torch.randn(8, 6, 3, 3, requires_grad=True), torch.randn(8, requires_grad=True)
    return functional.conv2d(images(), weight, bias, stride=2, padding=1)


def transposed_convolution():
    weight = torch.randn(6, 4, 3, 3, requires_grad=True)
    return functional.conv_transpose2d(images(), weight, torch.randn(4), stride=2)


def batch_norm():
    return functional.batch_norm(images(), None, None, torch.ones(6), torch.ones(6), True)


def layer_norm():
    weight = torch.ones(7, requires_grad=True)
    return functional.layer_norm(rows(), (7,), weight, torch.zeros(7))


def cross_entropy():
    return functional.cross_entropy(rows(), torch.randint(0, 7, (5,)))


def lstm():
    return torch.nn.LSTM(3, 4)(torch.randn(2, 5, 3))[0]


def gru():
    return torch.nn.GRU(3, 4)(torch.randn(2, 5, 3))[0]


PROGRAMS = {
    "convolve convolve_to_weight": convolution,
    "convolve_to_input convolve_to_weight": transposed_convolution,
    "batch_norm batch_norm_gradients": batch_norm,
    "layer_norm normalisation_to_input normalisation_to_weight": layer_norm,
    "softmax": lambda: torch.softmax(rows(), 1),
    "log_softmax": lambda: torch.log_softmax(rows(), -1),
    "cross_entropy_rows cross_entropy_loss_backward": cross_entropy,
    "max_pool max_pool_to_input": lambda: functional.max_pool2d(images(), 3, 2, 1),
    "avg_pool avg_pool_to_input": lambda: functional.avg_pool2d(images(), 2),
    "lstm lstm_to_input": lstm,
    "gru gru_to_input": gru,
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("names", "program"), PROGRAMS.items())
def test_usual_calls_are_not_declined(names, program, dtype, monkeypatch):
    reached = set()

    def watched(name, native_kernel):
        def kernel(*operands):
            found = native_kernel(*operands)
            assert found is not NotImplemented, name
            reached.add(name)
            return found

        return kernel

    for name in names.split():
        monkeypatch.setattr(cpu, name, watched(name, getattr(kernels, name)))
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        with listening(lambda event, subject: None):  # bodies run: no compiled call takes kernels
            program().sum().backward()
    finally:
        torch.set_default_dtype(before)
    assert reached == set(names.split())


@pytest.mark.parametrize(
    "make",
    [
        lambda params: torch.optim.SGD(params, 0.1, momentum=0.9, weight_decay=0.1),
        lambda params: torch.optim.SGD(params, 0.1, 0.9, nesterov=True, maximize=True),
        lambda params: torch.optim.SGD(params, 0.1, weight_decay=0.1),
        lambda params: torch.optim.Adam(params, 0.1, weight_decay=0.1, maximize=True),
        lambda params: torch.optim.Adam(params, 0.1, amsgrad=True),
        lambda params: torch.optim.AdamW(params, 0.1, weight_decay=0.1),
    ],
)
def test_compiled_steps_of_optimizers_are_those_of_the_formulas(make, monkeypatch):
    def trained():
        param = torch.arange(10.0, dtype=torch.float64, requires_grad=True)
        optimizer = make([param])
        for step in range(4):
            optimizer.zero_grad()
            (param * 0.1 * (step + 1)).sin().sum().backward()
            optimizer.step()
        return param.detach().numpy()

    compiled = trained()
    monkeypatch.setattr(cpu, "adam_step", NumpyBackend.adam_step)
    monkeypatch.setattr(cpu, "sgd_step", NumpyBackend.sgd_step)
    np.testing.assert_allclose(compiled, trained(), rtol=1e-13)


def test_the_number_of_threads_reaches_the_kernels():
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        assert kernels.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("shape", [(200_000,), (3, 100_000)])
def test_large_arithmetic_has_the_same_bits_on_two_threads(shape):
    x, y = torch.randn(*shape), torch.randn(*shape)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        alone = [x + y, x * 2.5, x / y, x.exp()]
        torch.set_num_threads(2)
        for found, expected in zip([x + y, x * 2.5, x / y, x.exp()], alone, strict=True):
            assert torch.equal(found, expected)
    finally:
        torch.set_num_threads(before)

"""Fourier transforms and what is made of them, against NumPy, SciPy and plain definitions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

import pellucid as torch
from pellucid.testing.gradcheck import gradcheck, gradgradcheck
from tests.samples.grouped import together

random = np.random.default_rng(4)


def real(*shape: int) -> torch.Tensor:
    return torch.from_numpy(np.asarray(random.standard_normal(shape)))


def complex_(*shape: int) -> torch.Tensor:
    return torch.complex(real(*shape), real(*shape))


@together()
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("name", ["fft", "ifft", "hfft", "irfft", "rfft", "ihfft"])
def test_transforms_are_those_of_numpy(name: str, norm: str | None) -> None:
    x = real(3, 6) if name in ("rfft", "ihfft") else complex_(3, 6)
    found = getattr(torch.fft, name)(x, n=5, dim=0, norm=norm)
    expected = getattr(np.fft, name)(x.numpy(), 5, 0, norm)
    np.testing.assert_allclose(found.numpy(), expected, atol=1e-12)


def test_a_transform_is_a_sum_of_waves() -> None:
    x = complex_(5)
    waves = np.exp(-2j * np.pi * np.outer(np.arange(5), np.arange(5)) / 5)
    np.testing.assert_allclose(torch.fft.fft(x).numpy(), waves @ x.numpy())


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn", "fft2"])
def test_derivatives_are_those_of_finite_differences(name: str) -> None:
    x = (real if name in ("rfftn", "ihfftn") else complex_)(3, 4).requires_grad_()

    def function(a: torch.Tensor) -> torch.Tensor:
        return getattr(torch.fft, name)(a, s=(2, 5), dim=(1, 0), norm="ortho")

    assert gradcheck(function, (x,), check_forward_ad=True)
    assert gradgradcheck(function, (x,), fast_mode=True)


def test_single_precision_stays_single_precision() -> None:
    x = torch.ones(4)
    assert torch.fft.fft(x).dtype == torch.complex64
    assert torch.fft.irfft(torch.fft.rfft(x)).dtype == torch.float32
    assert torch.fft.fft(torch.ones(4, dtype=torch.int64)).dtype == torch.complex64


def test_integers_are_transformed_in_the_default_dtype_of_the_moment() -> None:
    whole = torch.arange(4)
    assert [torch.fft.fft(whole).dtype for _ in range(3)] == [torch.complex64] * 3
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.fft.fft(whole).dtype == torch.complex128
    finally:
        torch.set_default_dtype(torch.float32)


def test_real_numbers_are_transformed_by_one_op() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    for found in (torch.fft.fft(x), torch.fft.ifftn(x), torch.fft.rfft(x)):
        assert found.grad_fn.next_functions == (
            (torch.autograd.graph.get_gradient_edge(x).node, 0),
        )


def test_shifts_undo_each_other() -> None:
    x = real(5, 4)
    np.testing.assert_array_equal(torch.fft.fftshift(x).numpy(), np.fft.fftshift(x.numpy()))
    assert torch.equal(torch.fft.ifftshift(torch.fft.fftshift(x)), x)


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda x: torch.fft.fft(x, n=0), RuntimeError, "Invalid number of data points"),
        (lambda x: torch.fft.fft(x, norm="x"), RuntimeError, "Invalid normalization mode"),
        (lambda x: torch.fft.fft(x, dim=3), IndexError, "Dimension out of range"),
        (lambda x: torch.fft.rfft(x + 0j), RuntimeError, "rfft expects a real input tensor"),
        (lambda x: torch.fft.fftn(x, dim=(0, 0)), RuntimeError, "FFT dims must be unique"),
        (lambda x: torch.stft(x, 0, return_complex=True), RuntimeError, "expected 0 < n_fft"),
    ],
)
def test_bad_arguments_are_refused(call, error: type, sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        call(torch.ones(4))


def test_a_spectrogram_is_that_of_scipy() -> None:
    x, window = real(32), torch.from_numpy(scipy.signal.get_window("hann", 8))
    found = torch.stft(x, 8, 4, window=window, center=False, return_complex=True)
    frames = np.lib.stride_tricks.sliding_window_view(x.numpy(), 8)[::4] * window.numpy()
    np.testing.assert_allclose(found.numpy(), np.fft.rfft(frames).T, atol=1e-12)


def test_a_signal_comes_back_from_its_spectrogram() -> None:
    x, window = real(2, 32).requires_grad_(), torch.hann_window(8, dtype=torch.float64)

    def there_and_back(a: torch.Tensor) -> torch.Tensor:
        spectra = torch.stft(a, 8, 2, window=window, return_complex=True)
        return torch.istft(spectra, 8, 2, window=window, length=32)

    assert torch.allclose(there_and_back(x), x)


def test_a_spectrogram_has_derivatives() -> None:
    x = real(10).requires_grad_()
    assert gradcheck(lambda a: torch.stft(a, 4, return_complex=True), (x,))
    spectra = complex_(3, 5).requires_grad_()
    assert gradcheck(lambda a: torch.istft(a, 4), (spectra,))

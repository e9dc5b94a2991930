"""Fourier transforms give what PyTorch gives: values, gradients of both orders, errors."""

# ruff: noqa: E501 - tables of programs
from __future__ import annotations

import numpy as np
import pytest

import pellucid
from tests.parity.side_by_side import Outcome, differences, evaluate, used

torch = pytest.importorskip("torch")


def signals() -> dict[str, np.ndarray]:
    random = np.random.default_rng(17)

    def normal(*shape: int) -> np.ndarray:
        return np.asarray(random.standard_normal(shape))

    def complex_normal(*shape: int) -> np.ndarray:
        return normal(*shape) + 1j * normal(*shape)

    return {
        "a": normal(5), "m": normal(3, 4), "t": normal(2, 3, 4), "z": complex_normal(5),
        "zm": complex_normal(3, 4), "zt": complex_normal(2, 3, 4), "s": normal(), "e": normal(0),
        "none": normal(0, 4), "f": normal(4).astype(np.float32), "h": normal(4).astype(np.float16),
        "zf": complex_normal(4).astype(np.complex64), "i": np.arange(6).reshape(2, 3),
        "yes": np.array([True, False, True]), "one": normal(1), "wave": normal(2, 16),
        "zwave": complex_normal(16), "window": random.uniform(0.2, 1, 6),
        "spec": complex_normal(4, 5), "spec2": complex_normal(2, 4, 5), "xs": np.array([0.0, 1, 3, 4.5]),
    }  # fmt: skip


EXPRESSIONS = [
    *(
        f"torch.fft.{name}({operand}{options})"
        for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
        for operand in ("a", "z", "t")
        for options in ("", ", n=3", ", n=8", ", dim=0", ", norm='ortho'", ", norm='forward'", ", 4, -1, 'backward'")
    ),
    *(
        f"torch.fft.{name}({operand}{options})"
        for name in ("fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn")
        for operand in ("m", "zt", "t")
        for options in (
            "", ", s=(2, 5)", ", dim=0", ", dim=(0, 1)", ", s=(4, -1), dim=(1, 0)", ", norm='ortho'", ", norm='forward'",
        )
    ),
    *(
        f"torch.fft.{name}({operand}{options})"
        for name in ("fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2")
        for operand in ("m", "zm", "t")
        for options in ("", ", s=(3, 3)", ", dim=(0, 1), norm='ortho'")
    ),
    *(
        f"torch.fft.{name}({operand})"
        for name in ("fft", "ifft", "rfft", "irfft", "hfft", "fftn", "rfftn", "irfftn", "fft2", "fftshift", "ifftshift")
        for operand in ("s", "e", "f", "h", "zf", "i", "yes", "one", "m, 0", "m, norm='x'", "m, dim=5")
        if not (name.endswith("shift") and "norm" in operand)
    ),
    "torch.fft.fftn(m, s=(1, 1, 1))", "torch.fft.fftn(m, s=(2,), dim=(0, 1))", "torch.fft.fftn(m, dim=(0, 0))",
    "torch.fft.irfftn(m, s=(0, 2))", "torch.fft.fftn(m, s=(0, 2))", "torch.fft.fftshift(t, dim=(0, 2))",
    "torch.fft.ifftshift(t, dim=1)", "torch.fft.fftfreq(5)", "torch.fft.fftfreq(4, 0.5, dtype=torch.float64)",
    "torch.stft(wave, 6, return_complex=True)", "torch.stft(wave, 6, 2, 4, window[:4], return_complex=True)",
    "torch.stft(wave, 6, 2, 6, window, False, return_complex=True)", "torch.stft(zwave, 6)",
    "torch.stft(wave[0], 6, normalized=True, onesided=False, return_complex=True)", "torch.stft(wave, 6)",
    "torch.stft(wave, 6, return_complex=False)", "torch.stft(wave, 0, return_complex=True)",
    "torch.stft(wave, 40, return_complex=True)", "torch.stft(t, 2, center=False, return_complex=True)",
    "torch.stft(wave, 6, 0, return_complex=True)", "torch.stft(wave, 6, win_length=8, return_complex=True)",
    "torch.stft(wave, 6, window=window[:4], return_complex=True)", "wave.stft(6, return_complex=True)",
    "torch.stft(wave, 6, pad_mode='constant', return_complex=True)", "torch.stft(i, 2, return_complex=True)",
    "torch.istft(spec, 6)", "torch.istft(spec2, 6, 2, 6, window)", "torch.istft(spec, 6, length=9)",
    "torch.istft(spec, 6, length=3)", "torch.istft(spec, 6, 2, center=False)", "torch.istft(spec, 6, normalized=True)",
    "torch.istft(spec, 4, onesided=False)", "torch.istft(spec, 4, onesided=False, return_complex=True)",
    "torch.istft(spec, 8)", "torch.istft(spec.real, 6)", "torch.istft(spec, 6, 7)", "torch.istft(spec, 6, window=window * 0)",
    "torch.istft(spec, 6, length=20)", "spec.istft(6)", "torch.istft(spec, 6, win_length=4, window=window[:4])",
    "torch.trapezoid(m)", "torch.trapezoid(m, xs)", "torch.trapezoid(m, dx=0.5, dim=0)", "torch.trapezoid(zm, xs)",
    "torch.trapezoid(t, m)", "torch.trapezoid(m, a)", "torch.trapezoid(s)", "torch.trapezoid(i)",
    "torch.trapezoid(yes)", "torch.trapz(m, xs)", "torch.trapezoid(m, xs, dx=2)", "torch.trapezoid(one)",
    "torch.cumulative_trapezoid(m)", "torch.cumulative_trapezoid(m, xs)", "torch.cumulative_trapezoid(t, dx=2, dim=1)",
    "torch.cumulative_trapezoid(m, dim=4)", "torch.cumulative_trapezoid(s)",
    "torch.gradient(m)", "torch.gradient(a)[0]", "torch.gradient(m, spacing=0.5, edge_order=2)", "torch.gradient(zm, dim=1)",
    "torch.gradient(m, spacing=(0.5, 2.0), dim=(0, 1))", "torch.gradient(m, spacing=(xs[:3], xs))",
    "torch.gradient(m, spacing=(xs,), dim=1, edge_order=2)", "torch.gradient(a, edge_order=3)", "torch.gradient(one)",
    "torch.gradient(m, spacing=(1.0,))", "torch.gradient(a[:2], edge_order=2)", "torch.gradient(m, dim=(0, 0))",
    "torch.gradient(a[:2])", "torch.gradient(f)", "torch.gradient(t, dim=-1)",
    "torch.cov(m)", "torch.cov(a)", "torch.cov(zm)", "torch.cov(m, correction=0)", "torch.cov(s)", "torch.cov(t)",
    "torch.cov(m, fweights=i[1, 0] + torch.arange(4))", "torch.cov(m, aweights=m[0].abs())",
    "torch.cov(m, fweights=torch.arange(4), aweights=xs)", "torch.cov(yes)", "torch.cov(m, fweights=xs)",
    "torch.cov(m, fweights=i[0])", "torch.cov(m, aweights=torch.arange(4))", "torch.cov(m, aweights=xs - 1)",
    "torch.cov(m, correction=5)", "torch.cov(i)", "torch.cov(f)", "torch.corrcoef(m)", "torch.corrcoef(zm)",
    "torch.corrcoef(a)", "torch.corrcoef(t)", "m.cov()", "m.corrcoef()",
    "torch.kaiser_window(6)", "torch.kaiser_window(6, False, 3.0)", "torch.kaiser_window(0)", "torch.kaiser_window(1)",
    "torch.kaiser_window(-1)", "torch.kaiser_window(5, dtype=torch.float64)", "torch.kaiser_window(5, dtype=torch.long)",
    "torch.fft.rfftfreq(5)", "torch.fft.rfftfreq(4, d=2.0)", "torch.fft.fftfreq(0)",
]  # fmt: skip


def both(expression: str) -> tuple[Outcome, Outcome]:
    arrays = used(expression, signals())
    return evaluate(pellucid, expression, arrays), evaluate(torch, expression, arrays)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expression_gives_what_pytorch_gives(expression: str) -> None:
    assert differences(*both(expression)) == []

"""NumPy's functions on tensors, PyTorch's on NumPy's memory, and functions that are pickled."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from tests.samples.grouped import together

A = np.array([[0.6, -1.7, 2.0], [1.0, 0.25, 3.0]])


@pytest.mark.parametrize("ufunc", [np.sin, np.exp, np.abs, np.fabs, np.square, np.rint, np.arctan])
def test_a_ufunc_gives_a_tensor_that_can_be_differentiated(ufunc: Any) -> None:
    x = torch.tensor(A, requires_grad=True)
    y = ufunc(x)
    assert isinstance(y, torch.Tensor)
    assert np.allclose(y.detach().numpy(), ufunc(A), rtol=1e-15)
    y.sum().backward()
    step = 1e-6
    slope = (ufunc(A + step) - ufunc(A - step)) / (2 * step)
    assert np.allclose(x.grad.numpy(), slope, atol=1e-8)


@pytest.mark.parametrize(
    "ufunc", [np.add, np.multiply, np.power, np.maximum, np.arctan2, np.equal, np.matmul, np.gcd]
)
def test_a_ufunc_of_an_array_and_a_tensor_gives_a_tensor(ufunc: Any) -> None:
    a, b = (np.array([[6, 4], [9, 2]]), np.array([[3, 2], [5, 7]]))
    if ufunc is not np.gcd:
        a, b = a / 2, b / 3
    got = ufunc(a, torch.tensor(b))
    assert isinstance(got, torch.Tensor)
    assert np.allclose(got.numpy(), ufunc(a, b))


def test_a_ufunc_that_is_not_here_goes_through_arrays() -> None:
    assert np.allclose(np.cbrt(torch.tensor([8.0, 27.0])).numpy(), [2, 3])
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\)"):
        np.cbrt(torch.tensor([8.0], requires_grad=True))


def test_numbers_of_numpy_do_not_widen_a_tensor() -> None:
    assert (np.float64(2) * torch.ones(2)).dtype == torch.float32


def test_a_ufunc_writes_into_the_array_it_is_given() -> None:
    out = np.zeros(2)
    assert np.add(np.ones(2), torch.tensor([1.0, 2.0]), out=out) is out
    assert out.tolist() == [2, 3]


def test_adding_a_tensor_with_history_to_an_array_gives_a_tensor_with_history() -> None:
    total: Any = np.zeros(2)
    total += torch.ones(2, requires_grad=True)
    assert total.requires_grad


@together()
@pytest.mark.parametrize("name", ["sum", "mean", "std", "var", "max", "min", "prod", "any", "all"])
@pytest.mark.parametrize("options", [{}, {"axis": 0}, {"axis": 1, "keepdims": True}])
def test_a_reduction_gives_what_numpy_gives(name: str, options: dict[str, Any]) -> None:
    function = getattr(np, name)
    got = function(torch.tensor(A), **options)
    assert isinstance(got, torch.Tensor)
    assert np.allclose(got.numpy(), function(A, **options))
    assert got.shape == np.shape(function(A, **options))


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "concatenate": lambda a: np.concatenate([a, a], axis=1),
    "stack": lambda a: np.stack([a, a], axis=1),
    "sort": np.sort,
    "transpose": np.transpose,
    "cumsum": lambda a: np.cumsum(a, axis=1),
    "flip": np.flip,
    "roll": lambda a: np.roll(a, shift=1, axis=1),
    "where": lambda a: np.where(a > 1, a, 0 * a),
    "clip": lambda a: np.clip(a, a_min=0, a_max=1),
    "dot": lambda a: np.dot(a, a.T),
    "einsum": lambda a: np.einsum("ij,kj->ik", a, a),
    "tensordot": lambda a: np.tensordot(a, a.T, axes=1),
    "outer": lambda a: np.outer(a, a),
    "expand_dims": lambda a: np.expand_dims(a, axis=1),
    "trace": np.trace,
    "diagonal": np.diagonal,
    "tile": lambda a: np.tile(a, (2, 1)),
    "broadcast_to": lambda a: np.broadcast_to(a, (2, 2, 3)),
    "average": lambda a: np.average(a, axis=1, weights=np.arange(1.0, 4)),
    "cumprod of all": np.cumprod,
    "median": lambda a: np.median(a, axis=1),
    "percentile": lambda a: np.percentile(a, [25, 50]),
    "quantile": lambda a: np.quantile(a, 0.3, axis=0, keepdims=True),
    "ptp": np.ptp,
    "nansum": np.nansum,
    "round": lambda a: np.round(a, 1),
    "rot90": np.rot90,
    "diff": lambda a: np.diff(a, axis=0),
    "gradient": lambda a: np.gradient(a[0]),
    "hstack": lambda a: np.hstack([a, A]),
    "vstack": lambda a: np.vstack((a, a)),
    "repeat": lambda a: np.repeat(a, 2, axis=1),
    "trapezoid": lambda a: np.trapezoid(a, dx=0.5),
    "tril": lambda a: np.tril(a, -1),
    "diag": lambda a: np.diag(a, 1),
    "cov": np.cov,
    "kron": lambda a: np.kron(a, a),
    "cross": lambda a: np.cross(a, a[::1] + 1),
    "moveaxis": lambda a: np.moveaxis(a, 0, 1),
    "copy": np.copy,
    "degrees": np.degrees,
    "linalg.norm": lambda a: np.linalg.norm(a, axis=1, keepdims=True),
    "linalg.inv": lambda a: np.linalg.inv(a @ a.T),
    "linalg.det": lambda a: np.linalg.det(a @ a.T),
    "linalg.svd": lambda a: np.linalg.svd(a, compute_uv=False),
    "linalg.eigvalsh": lambda a: np.linalg.eigvalsh(a @ a.T),
    "linalg.solve": lambda a: np.linalg.solve(a @ a.T, a),
    "linalg.pinv": np.linalg.pinv,
    "fft.rfft": lambda a: np.fft.rfft(a, axis=0),
    "fft.fft2": lambda a: np.fft.fft2(a, axes=(0, 1)),
    "fft.fftshift": lambda a: np.fft.fftshift(a, axes=1),
}


@together()
@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_function_of_a_tensor_that_requires_grad_keeps_its_history(
    function: Callable[[Any], Any],
) -> None:
    x = torch.tensor(A, requires_grad=True)
    y = function(x)
    assert y.requires_grad
    assert np.allclose(y.detach().numpy(), function(A))


@pytest.mark.parametrize(
    "function",
    [np.argmax, np.argsort, np.count_nonzero, np.zeros_like, np.unique, np.linalg.matrix_rank],
    ids=lambda function: function.__name__,
)
def test_a_function_without_a_derivative_computes_with_the_values(
    function: Callable[[Any], Any],
) -> None:
    assert np.array_equal(function(torch.tensor(A, requires_grad=True)), function(A))


def test_a_function_that_is_not_here_says_that_the_history_would_be_lost() -> None:
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
        np.interp(1.0, torch.tensor([0.0, 2.0], requires_grad=True), [1, 2])


def test_a_function_of_tensors_without_history_gives_an_array_as_with_pytorch() -> None:
    joined = np.concatenate([torch.ones(2), torch.zeros(1)])
    assert type(joined) is np.ndarray


def test_every_public_function_and_method_can_be_pickled() -> None:
    methods = [getattr(torch.Tensor, name) for name in dir(torch.Tensor) if name[0] != "_"]
    functions = [*methods, *(getattr(torch, name) for name in torch.__all__)]
    others = {each for each in functions if callable(each)}
    wrong = [each for each in others if pickle.loads(pickle.dumps(each)) is not each]
    assert len(others) > 500
    assert wrong == []


@pytest.mark.parametrize("place", ["nn.functional", "linalg", "fft", "special"])
def test_every_function_of_a_module_can_be_pickled(place: str) -> None:
    module: Any = torch
    for part in place.split("."):
        module = getattr(module, part)
    functions = [getattr(module, name) for name in module.__all__]
    assert all(pickle.loads(pickle.dumps(each)) is each for each in functions if callable(each))


def test_a_vector_over_a_file_reads_and_writes_it(tmp_path: Path) -> None:
    path = str(tmp_path / "numbers")
    shared = torch.from_file(path, shared=True, size=3, dtype=torch.int16)
    shared[:] = torch.tensor([1, 2, 3])
    assert np.fromfile(path, np.int16).tolist() == [1, 2, 3]
    private = torch.from_file(path, size=2, dtype=torch.int16)
    private[0] = 9
    assert np.fromfile(path, np.int16).tolist() == [1, 2, 3]
    with pytest.raises(RuntimeError, match="unable to mmap"):
        torch.from_file(path, size=9)


def test_a_capsule_shares_memory() -> None:
    x = torch.zeros(2)
    y = torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x))
    y[0] = 1
    assert x.tolist() == [1, 0]

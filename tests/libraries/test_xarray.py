"""xarray takes tensors as they are: an array of the standard, without an imaginary part."""

from __future__ import annotations

import pytest

import pellucid as torch

xarray = pytest.importorskip("xarray")


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod", "std"])
def test_reductions_of_a_tensor_are_those_of_its_array(name: str) -> None:
    tensor = torch.arange(6.0).reshape(2, 3)
    ours = xarray.DataArray(tensor, dims=("a", "b"))
    theirs = xarray.DataArray(tensor.numpy(), dims=("a", "b"))
    assert getattr(ours, name)().item() == pytest.approx(getattr(theirs, name)().item())
    assert getattr(ours, name)("a").values == pytest.approx(getattr(theirs, name)("a").values)


def test_a_tensor_stays_a_tensor_in_an_array_of_xarray() -> None:
    array = xarray.DataArray(torch.arange(6.0).reshape(2, 3), dims=("a", "b"))
    assert isinstance(array.data, torch.Tensor)
    assert isinstance((array + 1).data, torch.Tensor)
    assert array.isel(a=1).values.tolist() == [3.0, 4.0, 5.0]
    assert array.T.shape == (3, 2)

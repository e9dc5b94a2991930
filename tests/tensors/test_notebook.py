"""A tensor in a notebook: its values if it is small, what is known of them if it is large."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import pellucid as torch

SVG = "{http://www.w3.org/2000/svg}"


def page(tensor: Any) -> ElementTree.Element:
    """Return the HTML of a tensor, which is XML as well."""
    return ElementTree.fromstring(f"<div>{tensor._repr_html_()}</div>")


def cells(tensor: Any) -> list[list[str]]:
    return [[cell.text or "" for cell in row] for row in page(tensor).iter("tr")]


def test_a_small_tensor_shows_its_values_as_print_does() -> None:
    tensor = torch.tensor([[1.0, 2.5], [-3.0, float("nan")]])
    assert cells(tensor) == [["1.0000", "2.5000"], ["-3.0000", "nan"]]
    assert cells(torch.tensor([1, 20])) == [["1", "20"]]
    assert cells(torch.tensor(True)) == [["True"]]
    assert cells(torch.tensor([1 + 2j])) == [["1.+2.j"]]


def test_shape_dtype_bytes_and_node_are_told() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    assert "float32[2, 3], 24 B, requires grad" in x._repr_html_()
    assert "float32[2, 3], 24 B, grad_fn MulBackward0" in (x * 2)._repr_html_()


def test_a_large_tensor_shows_its_statistics_and_a_histogram() -> None:
    values = np.random.default_rng(0).normal(size=5000)
    tensor = torch.tensor(values)
    heading, numbers = cells(tensor)
    assert heading == ["min", "max", "mean", "std"]
    shown = [values.min(), values.max(), values.mean(), values.std()]
    assert [float(each) for each in numbers] == pytest.approx(shown, rel=1e-3)
    bars = [int((bar[0].text or "").replace(",", "")) for bar in page(tensor).iter(f"{SVG}rect")]
    counts = np.histogram(values, 40)[0]
    assert bars == [count for count in counts if count]


def test_what_is_not_finite_is_counted() -> None:
    values = torch.zeros(300)
    values[:7], values[7:10] = float("nan"), -float("inf")
    heading, numbers = cells(values)
    found = dict(zip(heading, numbers, strict=True))
    assert (found["NaN"], found["infinite"], found["zeros"]) == ("7", "3", "290")
    assert cells(torch.full((300,), float("nan"))) == [["NaN"], ["300"]]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.int64, torch.uint8])
def test_every_dtype_has_a_histogram(dtype: Any) -> None:
    assert cells(torch.arange(200).to(dtype))[1][:2] == ["0", "199"]


def test_numbers_near_the_largest_double_do_not_overflow() -> None:
    tensor = torch.tensor([1e308, -1e308] * 200, dtype=torch.float64)
    assert cells(tensor)[1][:2] == ["-1e+308", "1e+308"]


def test_nearly_equal_numbers_have_a_histogram() -> None:
    tensor = torch.tensor([1.0, 1.0 + 2**-52] * 200, dtype=torch.float64)
    bars = [bar[0].text for bar in page(tensor).iter(f"{SVG}rect")]
    assert bars == ["200", "200"]


def test_of_many_flags_both_are_counted() -> None:
    assert cells(torch.arange(300) < 100) == [["true", "false"], ["100", "200"]]


@pytest.mark.parametrize("shape", [(0,), (2, 0), (2, 2, 2), (2, 30)])
def test_what_is_no_table_is_shown_as_text(shape: tuple[int, ...]) -> None:
    (shown,) = page(torch.zeros(shape)).iter("pre")
    values = str(torch.zeros(shape))[len("tensor(") : -1].split(", size=")[0]
    assert "".join(shown.itertext()).split() == values.split()


def test_a_subclass_with_a_text_of_its_own_keeps_it() -> None:
    class Named(torch.Tensor):
        def __repr__(self) -> str:
            return "mine"

    assert torch.ones(2).as_subclass(Named)._repr_html_() is None
    assert torch.eye(2).to_sparse()._repr_html_() is None
    assert torch.nn.Parameter(torch.ones(2))._repr_html_() is not None


def test_showing_a_tensor_changes_nothing() -> None:
    x = torch.ones(500, requires_grad=True)
    y = x.exp()
    version = y._version
    y._repr_html_()
    y.sum().backward()
    assert y._version == version

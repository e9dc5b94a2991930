"""A module in a notebook: a table of its layers and parameters."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from pellucid import nn


def rows(module: Any) -> list[list[str]]:
    page = ElementTree.fromstring(f"<div>{module._repr_html_()}</div>")
    return [[cell.text or "" for cell in row] for row in page.iter("tr")][1:]


def test_each_layer_is_a_row_with_its_parameters() -> None:
    model = nn.Sequential(nn.Linear(3, 2), nn.Sequential(nn.ReLU(), nn.Linear(2, 1, bias=False)))
    settings = "in_features=3, out_features=2, bias=True"
    assert rows(model) == [
        ["0", "Linear", settings, "weight [2, 3], bias [2]", "8"],
        ["1.0", "ReLU", "", "", ""],
        ["1.1", "Linear", "in_features=2, out_features=1, bias=False", "weight [1, 2]", "2"],
    ]
    assert "10 parameters, 40 B" in model._repr_html_()


def test_a_parameter_of_two_layers_is_counted_once() -> None:
    first, second = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
    second.weight = first.weight
    shown = rows(nn.Sequential(first, second))
    assert [row[3:] for row in shown] == [["weight [2, 2]", "4"], ["weight [2, 2] (shared)", ""]]


def test_what_is_not_trained_is_told() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    model[0].requires_grad_(False)
    assert "9 parameters, 36 B; 3 of them are trained" in model._repr_html_()
    assert rows(model)[0][3] == "weight [2, 2] (frozen), bias [2] (frozen)"


def test_a_lazy_layer_has_no_shapes_yet() -> None:
    assert rows(nn.LazyLinear(2))[0][3] == "weight not made yet, bias not made yet"


def test_a_large_model_is_cut() -> None:
    shown = nn.Sequential(*[nn.ReLU() for _ in range(100)])
    assert len(rows(shown)) == 60
    assert "and 40 more layers" in shown._repr_html_()


def test_names_are_escaped() -> None:
    model = nn.Module()
    model.add_module("<b>", nn.ReLU())
    assert rows(model)[0][0] == "<b>"

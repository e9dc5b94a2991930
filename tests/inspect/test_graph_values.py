"""Graphs with their numbers: results, gradients along the edges, derivatives, names."""

from __future__ import annotations

from typing import Any

import numpy as np

import pellucid as torch
from pellucid import nn
from pellucid.inspect import graph
from pellucid.nn import functional as F


def product() -> tuple[Any, Any, Any]:
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([3.0, 4.0], requires_grad=True)
    return a, b, (a * b).exp().sum()


def test_results_and_gradients_are_those_of_a_pass() -> None:
    a, b, loss = product()
    values = graph(loss, values=True).values
    assert values is not None
    assert values.results[1].text == f"{loss.item():.4g}"
    assert values.gradients[3].text == values.results[2].text  # exp's derivative is its result
    loss.backward()
    for number, leaf in enumerate((a, b), 1):
        assert leaf.grad is not None
        shown = np.array(eval(values.gradients[-number].text), np.float32)
        np.testing.assert_allclose(shown, leaf.grad.numpy(), rtol=1e-3)


def test_nothing_is_written_or_freed() -> None:
    a, _, loss = product()
    graph(loss, values=True)
    assert a.grad is None
    loss.backward()
    assert a.grad is not None


def test_edges_have_their_gradients_and_the_derivative_of_the_declaration() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    values = graph((x * x).sum(), values=True).values
    assert values is not None
    assert [values.edges[2, position].text for position in (0, 1)] == ["[1, 2]", "[1, 2]"]
    assert [values.derivatives[2, position] for position in (0, 1)] == ["g * other", "g * input"]
    assert values.gradients[-1].text == "[2, 4]"


def test_a_gradient_of_what_was_broadcast_is_summed() -> None:
    x, bias = torch.ones(3, 2), torch.zeros(2, requires_grad=True)
    values = graph((x + bias).sum(), values=True).values
    assert values is not None
    assert values.edges[2, 1].text == values.gradients[-1].text == "[3, 3]"


def test_text_has_variables_of_the_program() -> None:
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    half = a / 2
    loss = half.square().sum()
    text = str(graph(loss, values=True))
    assert "half = [0.5, 1]" in text
    assert "loss = 1.25" in text
    assert "a = [1, 2]  gradient [0.5, 1]" in text


def test_a_large_value_is_a_summary_with_a_picture() -> None:
    x = torch.arange(100.0).reshape(10, 10).requires_grad_()
    values = graph((x * 2).sum(), values=True).values
    assert values is not None
    found = values.results[-1]
    assert found.text.startswith("float32[10, 10]  49.5 ± 28.9")
    assert len(found.summary.picture) == 10
    assert found.short.startswith("49.5 ± 28.9 ▁") or "█" in found.short


def test_a_freed_graph_has_values_and_says_why_no_gradients() -> None:
    _, _, loss = product()
    loss.backward()
    values = graph(loss, values=True).values
    assert values is not None
    assert not values.gradients
    assert "test_graph_values.py" in values.missing
    assert "no gradients, since a pass at" in str(graph(loss, values=True))


def test_a_value_that_was_changed_is_not_shown() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 1
    z = (y * y).sum()
    y.detach().mul_(5)
    del y
    values = graph(z, values=True).values
    assert values is not None
    assert "modified by an inplace operation" in values.missing
    assert 3 not in values.results


def test_the_drawing_and_the_page_have_the_numbers(tmp_path: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = (x * x).sum()
    picture = graph(loss, values=True)
    picture.svg(tmp_path / "graph.svg")
    drawing = (tmp_path / "graph.svg").read_text("utf-8")
    assert "gradient [2, 4]" in drawing
    assert "loss = 5" in drawing
    assert "loss = 5" in picture._repr_html_()
    picture.html(tmp_path / "graph.html")
    page = (tmp_path / "graph.html").read_text("utf-8")
    assert "g * other" in page


def test_a_graph_of_several_outputs_and_several_roots() -> None:
    x = torch.arange(6.0).requires_grad_()
    one, two = x.chunk(2)
    values = graph(one.sum(), two.square().sum(), values=True).values
    assert values is not None
    assert values.gradients[-1].text == "[1, 1, 1, 6, 8, 10]"


def test_modules_that_are_variables_tell_their_parameters_apart() -> None:
    trunk, head_1, head_2 = nn.Linear(2, 3), nn.Linear(3, 1), nn.Linear(3, 1)
    hidden = trunk(torch.ones(1, 2))
    picture = graph(F.mse_loss(head_1(hidden), head_2(hidden)))
    assert {leaf.name for leaf in picture.leaves} == {
        f"{name}.{part}" for name in ("trunk", "head_1", "head_2") for part in ("weight", "bias")
    }

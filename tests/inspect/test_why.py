"""One question for an error, a loss, a gradient and a tensor."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

import pellucid as torch
from pellucid import nn
from pellucid.inspect import why


def test_a_parameter_without_gradient_is_explained_by_the_loss_that_is_there() -> None:
    w, v = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    shown = (w * 2).detach()
    h = (w * 3).detach()
    loss = (h * v).sum()
    loss.backward()
    text = why(w)
    assert text.startswith("w has no path to loss: it was cut off.")
    assert "h = (w * 3).detach()" in text
    assert "shown" not in text
    assert why(w, loss) == text.replace("why(w)", "why(w, loss)")
    del shown


def test_a_loss_that_is_nan_is_explained_by_the_first_operation_that_gave_one() -> None:
    x = torch.tensor([1.0, -1.0], requires_grad=True)
    root = x.sqrt()
    loss = (root * 2).exp().sum()
    text = why(loss)
    assert text.startswith(
        "loss is nan. The first operation that gave something not finite is sqrt"
    )
    assert "root = x.sqrt()" in text


def test_a_tensor_is_explained_by_what_keeps_it_alive() -> None:
    t = torch.ones(3)
    kept = [t]
    assert "variable kept of" in why(t)
    del kept


def failing(x: Any) -> Any:
    weights = torch.ones(4, 5)
    return x @ weights


def test_an_error_is_explained_by_its_line_and_the_tensors_there() -> None:
    with pytest.raises(RuntimeError) as caught:
        failing(torch.ones(2, 3))
    text = why(caught.value)
    assert "return x @ weights" in text
    assert "x          float32[2, 3]" in text
    assert "weights    float32[4, 5]" in text


def test_an_error_within_a_package_names_the_line_of_the_program_too() -> None:
    with pytest.raises(TypeError) as caught:
        json.dumps({"x": torch.ones(2)})
    text = why(caught.value)
    assert "raised at  encoder.py" in text
    assert "your line  test_why.py" in text
    assert "json.dumps" in text


def test_the_last_error_is_explained(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "last_value", ValueError("too late"), raising=False)
    torch.inspect.explain()
    assert capsys.readouterr().out.startswith("ValueError: too late")


def test_only_tensors_and_errors_are_asked_about() -> None:
    with pytest.raises(TypeError, match=r"why\(\) takes a tensor or an exception, not int"):
        why(3)


# ---- shapes by line, and tensors on one line ----


def test_each_line_is_printed_with_its_shapes() -> None:
    out = io.StringIO()
    layer = torch.nn.Linear(3, 4)

    @torch.inspect.shapes(file=out)
    def forward(x: Any) -> Any:
        h = layer(x)
        return h.relu().sum(0)

    forward(torch.ones(2, 3))
    first, second = out.getvalue().splitlines()
    assert "h = layer(x)" in first
    assert first.endswith("float32[2, 3], float32[4, 3], float32[4] → float32[2, 4]")
    assert second.endswith("float32[2, 4] → float32[4]")
    forward(torch.ones(2, 3))
    assert len(out.getvalue().splitlines()) == 4


def test_nothing_is_printed_after_the_block() -> None:
    out = io.StringIO()
    with torch.inspect.shapes(file=out):
        torch.ones(2) + 1
    torch.ones(2) + 1
    assert len(out.getvalue().splitlines()) == 1


def test_a_tensor_is_one_line_in_the_profile_summary() -> None:
    x = torch.tensor([[0.0, 2.0], [float("nan"), 4.0]], requires_grad=True)
    before = repr(x)
    torch.set_printoptions(profile="summary")
    try:
        assert repr(x) == (
            "tensor(float32[2, 2]  2 ± 1.63  from 0 to 4  1 zero  1 NaN!, requires_grad=True)"
        )
        assert repr(torch.tensor([True, False])) == "tensor(bool[2]  1 of 2 true)"
        assert repr(torch.zeros(0, 3)) == "tensor(float32[0, 3])"
    finally:
        torch.set_printoptions(profile="default")
    assert repr(x) == before


def test_a_name_with_items_is_told_as_it_is_written() -> None:
    net = nn.Sequential(nn.Linear(2, 2))
    head = nn.Linear(2, 1)
    loss = head(net(torch.ones(1, 2)).detach()).sum()
    loss.backward()
    assert why(net[0].weight, loss).startswith("net[0].weight has no path to loss")


def test_values_without_a_history_are_told_with_what_keeps_them() -> None:
    computed = (torch.zeros(2) - 1).log()
    first, *rest = why(computed).splitlines()
    assert first.startswith("computed has values that are not finite, and no history")
    assert "first_unusual" in first
    assert any("variable computed of" in line for line in rest)
    with torch.inspect.record(values=True) as recording:
        (torch.zeros(2) - 1).log()
    unusual = recording.values().first_unusual
    assert unusual is not None
    assert unusual.name == "log"

"""Where a number is from: elements that took part, against what is known of the operation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid import nn
from pellucid.inspect import Provenance, where_from
from pellucid.nn import functional as F


def told(found: Provenance) -> list[str]:
    return [f"{each.name}{each.index}" for each in found]


def table(*shape: int) -> Any:
    torch.manual_seed(0)
    return torch.randn(*shape, requires_grad=True)


def test_the_row_of_the_data_that_has_a_nan_is_found_through_a_network() -> None:
    torch.manual_seed(0)
    x = torch.randn(32, 4)
    x[17, 2] = float("nan")
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3))
    loss = F.cross_entropy(net(x), torch.arange(32) % 3)
    found = where_from(loss)
    assert told(found)[-2:] == ["linear[17, :]", "data[17, 2]"]
    assert np.isnan(found[-1].values).all()
    assert found[0].text.startswith("loss = F.cross_entropy(net(x)")
    assert not any("weight" in each.name for each in found)


def test_the_operation_that_made_the_first_nan_is_the_last_one_told() -> None:
    x = table(4, 5).detach().abs().requires_grad_()
    with torch.no_grad():
        x[2, 3] = -1.0
    y = x.sqrt().mean(1)
    found = where_from(y)
    assert told(found) == ["mean[2]", "sqrt[2, 3]", "x[2, 3]"]
    assert found[2].values.tolist() == [-1.0]


def test_values_that_nobody_keeps_are_computed_again() -> None:
    z = torch.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)

    def made() -> Any:
        a = z.sum(1)
        b = torch.cat([a, a * 2])
        c = b[1:3].relu()
        return torch.stack([c, c]).max(0)[0] * 10 + 1

    r = made()
    found = where_from(r, 0)
    assert told(found) == [
        "add[0]", "mul[0]", "data", "max[0]", "stack[0, 0]", "relu[0]", "slice[0]", "cat[1]",
        "sum[1]", "z[1, :]",
    ]  # fmt: skip
    values = {each.name: each.values.tolist() for each in found}
    assert values["add"] == [151.0]
    assert values["mul"] == [150.0]
    assert values["slice"] == values["cat"] == values["sum"] == [15.0]
    assert values["z"] == [4.0, 5.0, 6.0]


@pytest.mark.parametrize(
    ("make", "index", "expected"),
    [
        (lambda x: x.t(), (3, 1), "x[1, 3]"),
        (lambda x: x[1:, ::2], (0, 1), "x[1, 2]"),
        (lambda x: x.reshape(-1), 7, "x[1, 3]"),
        (lambda x: x @ torch.ones(4, 2), (2, 0), "x[2, :]"),
        (lambda x: x.sum(0), 2, "x[:, 2]"),
        (lambda x: x.roll(1, 0), (0, 0), "x[2, 0]"),
        (lambda x: x.cumsum(1), (1, 0), "x[1, 0]"),
        (lambda x: torch.where(x > 1e9, x, x * 2), (1, 1), "x[1, 1]"),
        (lambda x: (x - 1e9).relu(), (1, 1), "x[1, 1]"),
        (lambda x: x.round(), (0, 2), "x[0, 2]"),
        (lambda x: x[torch.tensor([2, 0])], (0, 1), "x[2, 1]"),
        (lambda x: x.softmax(1), (1, 1), "x[1, :]"),
        (lambda x: x.expand(2, 3, 4), (1, 2, 3), "x[2, 3]"),
        (lambda x: x + torch.arange(3.0).unsqueeze(1), (2, 1), "x[2, 1]"),
        (lambda x: x.max(1).values, 0, None),
        (lambda x: F.dropout(x, 1e-6), (1, 2), "x[1, 2]"),
    ],
)
def test_the_elements_that_take_part_are_named(make: Any, index: Any, expected: str | None) -> None:
    x = table(3, 4)
    result = make(x)
    found = where_from(result, index)
    place = expected or f"x[0, {int(x[0].argmax())}]"
    assert place in told(found)
    assert found[0].values.tolist() == [result.detach()[index].item()]


def test_a_custom_function_may_use_all_that_it_is_given() -> None:
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    x = table(3, 4)
    assert told(where_from(Twice.apply(x), (1, 1)))[-1] == "x[:, :]"


def test_nothing_is_changed_by_the_question() -> None:
    x = table(3, 4)
    loss = F.dropout(x, 0.5).exp().sum()
    state = torch.get_rng_state()
    before = torch.inspect.memory(loss).to_dict()
    where_from(loss)
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.inspect.memory(loss).to_dict() == before
    assert x.grad is None
    loss.backward()


def test_a_long_way_is_followed_as_far_as_it_is_of_use() -> None:
    x = table(3)
    y = x
    for _ in range(1000):
        y = y * 1.0
    found = where_from(y, 1)
    assert len(found) > 100
    assert str(found).splitlines()[-1].startswith("and ")


def test_the_text_names_the_number_and_shows_values() -> None:
    x = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
    y = x * x
    lines = str(where_from(y, 1)).splitlines()
    assert lines[0] == "y[1] is from"
    assert lines[1].split()[:2] == ["mul[1]", "4"]
    assert lines[2].split() == ["x[1]", "2"]


def test_what_cannot_be_asked() -> None:
    x = table(3)
    loss = x.exp().sum()
    with pytest.raises(IndexError):
        where_from(x.exp(), 3)
    loss.backward()
    with pytest.raises(RuntimeError, match="has freed the graph: ask before it"):
        where_from(loss)
    with pytest.raises(RuntimeError, match="has no graph to look at"):
        where_from(torch.ones(2))
    with pytest.raises(TypeError, match=r"where_from\(\) takes a tensor, not list"):
        where_from([1])


def test_what_is_left_out_is_counted() -> None:
    h = torch.ones(2, requires_grad=True)
    for _ in range(40):
        h = h.exp().log()
    assert str(where_from(h, 0)).splitlines()[-1] == "and 51 more"

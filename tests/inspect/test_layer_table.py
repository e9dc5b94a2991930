"""`pellucid.summary`: a table of layers, outputs, parameters and multiply-adds."""

from __future__ import annotations

import pytest

import pellucid as torch

nn = torch.nn


class TwoHeads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8))
        self.first, self.second = nn.Linear(8, 2), nn.Linear(8, 3)
        self.second.requires_grad_(False)

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        h = self.trunk(x)
        return {"first": self.first(h), "second": self.second(h)}


def test_a_row_for_each_layer_with_its_outputs_and_counts() -> None:
    table = torch.summary(TwoHeads(), torch.ones(5, 4))
    assert [(row.name, row.kind, row.outputs) for row in table.rows] == [
        ("", "TwoHeads", [(5, 2), (5, 3)]), ("trunk", "Sequential", [(5, 8)]),
        ("trunk.0", "Linear", [(5, 8)]), ("trunk.1", "BatchNorm1d", [(5, 8)]),
        ("first", "Linear", [(5, 2)]), ("second", "Linear", [(5, 3)]),
    ]  # fmt: skip
    assert [row.parameters for row in table.rows] == [0, 0, 40, 16, 18, 27]
    assert (table.parameters, table.trained, table.size) == (101, 74, 404)
    assert [row.multiply_adds for row in table.rows] == [0, 0, 160, 0, 80, 120]


def test_the_text_names_what_is_frozen_and_totals() -> None:
    lines = str(torch.summary(TwoHeads(), torch.ones(5, 4))).splitlines()
    assert lines[0].split() == ["layer", "kind", "output", "parameters", "multiply-adds"]
    assert "27 (frozen)" in lines[6]
    assert lines[-1] == "101 parameters, 404 B, 27 of them frozen; 360 multiply-adds"
    assert max(map(len, lines)) <= 80


def test_the_model_stays_as_it_is() -> None:
    model = TwoHeads()
    before = {name: each.clone() for name, each in model.state_dict().items()}
    x, state = torch.randn(5, 4), torch.get_rng_state()
    torch.summary(nn.Sequential(model.trunk, nn.Dropout()), x)
    assert torch.equal(torch.get_rng_state(), state)
    torch.summary(model, x)
    assert model.training
    assert torch.is_grad_enabled()
    assert not model._forward_hooks
    assert not model.first._forward_pre_hooks
    assert all(torch.equal(each, before[name]) for name, each in model.state_dict().items())


@pytest.mark.parametrize(
    ("layer", "shape", "count"),
    [
        (nn.Conv2d(3, 4, 3, padding=1), (2, 3, 8, 8), 2 * 4 * 64 * 27),
        (nn.Conv2d(4, 4, 3, groups=4), (1, 4, 5, 5), 4 * 9 * 9),
        (nn.ConvTranspose2d(3, 4, 2, stride=2), (1, 3, 5, 5), 25 * 3 * 4 * 4),
        (nn.LSTM(6, 5), (7, 2, 6), 7 * 2 * 20 * (6 + 5)),
    ],
)
def test_products_are_counted(layer: nn.Module, shape: tuple[int, ...], count: int) -> None:
    assert torch.summary(layer, torch.ones(shape)).multiply_adds == count


def test_shared_parameters_count_once_and_repeated_calls_add_up() -> None:
    layer = nn.Linear(3, 3)
    table = torch.summary(nn.Sequential(layer, layer), torch.ones(1, 3))
    assert (table.parameters, table.multiply_adds) == (12, 18)


def test_hooks_are_removed_after_a_failure() -> None:
    model = nn.Sequential(nn.Linear(3, 3))
    with pytest.raises(RuntimeError):
        torch.summary(model, torch.ones(1, 4))
    assert not model[0]._forward_hooks


def test_a_notebook_shows_a_table() -> None:
    html = torch.summary(nn.Linear(2, 1), torch.ones(1, 2))._repr_html_()
    assert "<td>Linear</td>" in html
    assert "3 parameters, 12 B; 2 multiply-adds" in html

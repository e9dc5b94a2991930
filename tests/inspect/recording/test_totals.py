"""Tables by line, module and op: forward and backward side by side, in times that add up."""

from __future__ import annotations

from typing import Any

import pytest

import pellucid as torch
from pellucid.inspect import Recording, record
from pellucid.inspect.tables import Column, table_lines, time_text


def recorded_step() -> Recording:
    model = torch.nn.Sequential(
        torch.nn.Linear(4, 8), torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(8, 1))
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, target = torch.ones(3, 4), torch.zeros(3, 1)
    with record() as recording:
        output = model(x)
        loss = torch.nn.functional.mse_loss(output, target)
        loss.backward()
        optimizer.step()
    return recording


@pytest.fixture(scope="module")
def step() -> Recording:
    return recorded_step()


def of_source(recording: Recording, text: str) -> Any:
    (found,) = [row for row in recording.by_line() if row.text == text]
    return found


@pytest.mark.parametrize("by", ["by_line", "by_module", "by_op"])
def test_the_times_of_all_rows_add_up_to_those_of_all_events(step: Recording, by: str) -> None:
    rows = getattr(step, by)()
    counted = [each for each in step.events if by != "by_op" or each.kind != "module"]
    assert sum(row.own for row in rows) == sum(event.self_time for event in counted)
    assert sum(row.calls for row in rows) == sum(event.kind != "node" for event in counted)


def test_backward_time_counts_for_the_line_that_made_the_node(step: Recording) -> None:
    row = of_source(step, "output = model(x)")
    mine = [e for e in step.events if e.kind == "node" and e.module]
    assert len(mine) == 3
    assert row.backward == sum(event.self_time for event in mine)


def test_the_total_of_a_line_counts_each_stretch_of_time_once(step: Recording) -> None:
    row = of_source(step, "loss = torch.nn.functional.mse_loss(output, target)")
    whole = [e for e in step.events if e.name == "mse_loss"]
    node = [e for e in step.events if e.name == "MseLossBackward0"]
    assert row.calls == 2  # mse_loss and the op that it calls
    assert row.total == sum(event.duration for event in [*whole, *node])


def test_a_step_and_a_pass_have_the_lines_that_called_them(step: Recording) -> None:
    (update,) = [e for e in step.events if e.kind == "step"]
    assert of_source(step, "optimizer.step()").update == update.self_time
    assert of_source(step, "loss.backward()").backward > 0


def test_the_total_of_a_module_has_those_inside_of_it(step: Recording) -> None:
    rows = step.by_module()
    assert rows["1"].total == rows["1.0"].own + rows["1.1"].own
    inside = ["Sequential", "0", "1", "1.0", "1.1"]
    assert rows["Sequential"].total == sum(r.own for r in rows if r.name in inside)


def test_a_node_counts_for_the_op_that_made_it(step: Recording) -> None:
    rows = step.by_op()
    nodes = [e for e in step.events if e.name == "AddmmBackward0"]
    assert rows["linear"].calls == 2
    assert rows["linear"].backward == sum(event.self_time for event in nodes)
    assert "AddmmBackward0" not in {row.name for row in rows}


def test_rows_are_sorted_by_the_time_they_took(step: Recording) -> None:
    times = [row.own for row in step.by_op()]
    assert times == sorted(times, reverse=True)


def test_a_row_that_there_is_not_raises_key_error(step: Recording) -> None:
    with pytest.raises(KeyError):
        step.by_op()["conv2d"]


def test_what_is_no_module_is_counted_outside_of_modules(step: Recording) -> None:
    assert step.by_module()["(no module)"].update > 0


def test_the_text_has_a_heading_and_a_line_per_row(step: Recording) -> None:
    heading, *rows = step.by_line().text(width=200).splitlines()
    assert heading.split()[:4] == ["line", "source", "forward", "backward"]
    assert len(rows) == len(step.by_line()) + 1
    assert rows[-1].startswith("(the recorder)")
    assert any("output = model(x)" in row for row in rows)


def test_a_limit_tells_what_it_leaves_out(step: Recording) -> None:
    lines = step.by_op().text(limit=1, width=200).splitlines()
    assert len(lines) == 3
    assert lines[-1].startswith(f"and {len(step.by_op()) - 1} ops more, ")


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140])
def test_no_line_is_wider_than_it_may_be(step: Recording, width: int) -> None:
    for text in (step.by_line(), step.by_module(), step.by_op(), step.memory(), step.gradients()):
        for line in text.text(width=width).splitlines():
            assert len(line) <= max(width, 60), line


# ---- tables as text ------------------------------------------------------------------------------

COLUMNS = [Column("name", is_text=True), Column("a"), Column("b")]


def test_texts_stand_on_the_left_and_numbers_on_the_right() -> None:
    rows = [["long name", "1", "22"], ["x", "333", "4"]]
    assert table_lines(COLUMNS, rows, 80) == [
        "name         a   b", "long name    1  22", "x          333   4",
    ]  # fmt: skip


def test_texts_are_cut_before_columns_are_left_out() -> None:
    rows = [["a name that is much too long", "1", "2"]]
    assert table_lines(COLUMNS, rows, 20) == [
        "name            a  b", "a name that i…  1  2",
    ]  # fmt: skip


def test_columns_that_find_no_room_are_named() -> None:
    rows = [["a name that is much too long", "1", "2"]]
    assert table_lines(COLUMNS, rows, 16) == [
        "name           a", "a name that…   1", "(left out for",
        "want of width:", "b)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [(0, ""), (999, "1.00 µs"), (1500, "1.50 µs"), (25_300, "25.3 µs"), (1_250_000, "1.25 ms"),
     (730_000_000, "730 ms"), (2_000_000_000, "2.00 s")],
)  # fmt: skip
def test_times_are_written_in_the_unit_of_their_size(nanoseconds: int, text: str) -> None:
    assert time_text(nanoseconds) == text

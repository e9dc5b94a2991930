"""Weak references to tensors, swapping two, and timing."""

from __future__ import annotations

import gc

import pytest

import pellucid as torch
from pellucid.utils.benchmark import Compare, Measurement, TaskSpec, Timer
from pellucid.utils.weak import TensorWeakRef, WeakIdKeyDictionary


class TestWeakTables:
    def test_keys_are_told_apart_by_identity_and_kept_alive_by_nobody(self) -> None:
        a, b = torch.ones(2), torch.ones(2)
        table = WeakIdKeyDictionary({a: "a"})
        table[b] = "b"
        assert (table[a], table[b], len(table)) == ("a", "b", 2)
        assert torch.ones(2) not in table
        del a
        gc.collect()
        assert list(table.values()) == ["b"]
        with pytest.raises(KeyError):
            del table[torch.ones(2)]
        del table[b]
        assert len(table) == 0

    def test_a_reference_gives_the_tensor_while_it_is_there(self) -> None:
        a = torch.ones(2)
        reference = TensorWeakRef(a)
        assert reference() is a
        del a
        assert reference() is None


class TestSwapping:
    def test_everyone_who_has_one_tensor_has_the_other(self) -> None:
        a, b = torch.ones(2, requires_grad=True), torch.zeros(3)
        a.label = "a"  # type: ignore[attr-defined]
        also_a = a
        (a * 2).sum().backward()
        torch.utils.swap_tensors(a, b)
        assert also_a.tolist() == [0, 0, 0]
        assert also_a.grad is None
        assert not also_a.requires_grad
        assert not hasattr(also_a, "label")
        assert b.label == "a"  # type: ignore[attr-defined]
        assert b.grad is not None
        assert b.grad.tolist() == [2, 2]
        (b * 3).sum().backward()
        assert b.grad.tolist() == [5, 5]

    def test_what_names_the_data_of_a_tensor_goes_with_it(self) -> None:
        a, b = torch.ones(2), torch.zeros(3)
        names = a._cdata, b._cdata
        assert names == (a._cdata, b._cdata)
        torch.utils.swap_tensors(a, b)
        assert (b._cdata, a._cdata) == names
        assert torch.ones(1)._cdata not in names

    def test_the_parameter_of_a_module_changes_under_it(self) -> None:
        layer = torch.nn.Linear(2, 2, bias=False)
        other = torch.nn.Parameter(torch.eye(2))
        torch.utils.swap_tensors(layer.weight, other)
        assert layer(torch.tensor([1.0, 2.0])).tolist() == [1, 2]


class TestTiming:
    def test_times_are_those_of_one_run(self) -> None:
        ticks = iter(range(100))
        timer = Timer("x += 1", "x = 0", timer=lambda: next(ticks), label="adding")
        measured = timer.repeat(repeat=3, number=2)
        assert measured.times == [0.5, 0.5, 0.5]
        assert (measured.median, measured.mean, measured.iqr) == (0.5, 0.5, 0)
        assert "adding" in repr(measured)
        assert timer.timeit(4).times == [0.25]

    def test_blocks_are_measured_until_the_time_is_over(self) -> None:
        measured = Timer("sum(range(100))").blocked_autorange(min_run_time=0.002)
        assert sum(measured.raw_times) >= 0.002
        assert measured.median > 0

    def test_a_table_has_a_row_for_each_statement(self) -> None:
        results = [
            Measurement(1, [time], TaskSpec(stmt, "pass", description=column))
            for stmt, column, time in (("a", "one", 1e-3), ("a", "two", 2e-3), ("b", "one", 3.0))
        ]
        lines = [
            [cell.strip() for cell in line.split("|")]
            for line in str(Compare(results)).splitlines()
        ]
        assert lines == [["", "one", "two"], ["a", "1.00 ms", "2.00 ms"], ["b", "3.00 s", ""]]

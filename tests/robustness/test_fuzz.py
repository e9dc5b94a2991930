"""A few of the random calls that ``make fuzz`` makes without end."""

from __future__ import annotations

from itertools import islice

from tests.robustness import fuzz

CALLS = 300


def test_random_calls_fail_only_with_errors_that_are_ours() -> None:
    with fuzz.limited():
        found = [
            f"{call}: {told}"
            for call in islice(fuzz.calls(1), CALLS)
            if (told := fuzz.complaint(call)) is not None
        ]
    assert found == []


def test_a_call_that_fails_with_an_error_of_pythons_own_is_complained_of() -> None:
    assert fuzz.complaint(fuzz.Call("int", int, ["x"], {})) is not None
    assert fuzz.complaint(fuzz.Call("int", int, ["1"], {})) is None

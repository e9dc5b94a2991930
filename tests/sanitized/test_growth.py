"""Calls of ops and programs, in success and in error, hold no more after hundreds of them.

``python -m tests.sanitized.growth`` makes as many calls as wished, of everything.
"""

from __future__ import annotations

import gc

import pytest

import pellucid as torch
from tests.sanitized.growth import growth
from tests.sanitized.programs import Program, calls_of_ops, programs

CALLS = 200


@pytest.fixture(autouse=True)
def _nothing_else_is_counted() -> None:
    gc.collect()
    gc.freeze()


class Keeping(Program):
    """A program that keeps something at each call."""

    def __init__(self, kept: object) -> None:
        super().__init__("a * b")
        self._kept = kept
        self._all: list[object] = []

    def called(self):
        self._all.append(self._kept if self._kept is None else [0.5])
        return super().called()


@pytest.mark.parametrize(("kept", "what"), [(None, "references of None"), (0.5, "objects")])
def test_what_keeps_something_at_each_call_is_found(kept: object, what: str):
    _, grown = growth(Keeping(kept), CALLS)
    assert what in grown


def test_a_program_that_keeps_nothing_is_not_found():
    assert growth(Program("(a * b).sum().exp()"), CALLS)[1] == ""


@pytest.mark.parametrize("place", [0, 9, 18, 27])
def test_calls_of_ops_hold_nothing(place: int):
    assert not grown_among(calls_of_ops()[place::32])


def test_programs_hold_nothing():
    assert not grown_among([Program(text) for text in programs()[::200]])


def grown_among(chosen: list[Program]) -> list[str]:
    grown = [(each.text, growth(each, CALLS)[1]) for each in chosen]
    return [f"{text}: {what}" for text, what in grown if what]


def test_deep_graphs_are_given_back():
    def step() -> None:
        y = torch.ones(2, requires_grad=True)
        for _ in range(300):
            y = y * 2
        y.sum().backward()

    program = Program("a")
    program.called = step  # type: ignore[method-assign]
    assert not growth(program, 40)[1]

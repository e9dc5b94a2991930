"""Pages and docstrings are free of phrases that a native speaker would not write."""

from __future__ import annotations

import pytest

from build_support import phrases
from tests.samples.duration import takes_long


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("`x` is no tensor.", 1),
        ("It is not a tensor; there is no tensor.", 0),
        ("there is no view of it", 0),
        ("These are no integers.", 1),
        ("## Mind\n\nNobody minds.", 1),
        ("What the graph holds, PyTorch does not tell.", 1),
        ("Cycles are told too. They are reported too.", 1),
        ("One multiplication more", 0),
        ("with one multiplication more it fails", 1),
        ("The loss is multiplied with the scale, exactly if it is finite.", 2),
        ("There is no error.", 0),
    ],
)
def test_a_phrase_is_found_where_it_stands(text: str, count: int) -> None:
    assert len(list(phrases.found(text))) == count


def test_a_phrase_is_named_with_its_line_and_what_to_write() -> None:
    assert list(phrases.found("One\ntwo is no leaf")) == [(2, "is no leaf", "is not a ...")]


@takes_long  # and `make lint` looks for them
def test_there_are_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert phrases.main() == 0, capsys.readouterr().out

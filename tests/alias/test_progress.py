"""The progress that is shown where tqdm is not installed."""

from __future__ import annotations

import sys

import pytest

from pellucid import hub


@pytest.fixture(autouse=True)
def _without_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)


def test_steps_are_counted_and_the_line_is_ended(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(hub.tqdm("ab")) == ["a", "b"]
    with hub.tqdm(total=3) as bar:
        bar.set_description("training")
        bar.update(2)
    assert capsys.readouterr().err == "\r1 of 2\r2 of 2\n\r2 of 3\n"


def test_nothing_is_shown_if_not_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(hub.tqdm(iter("ab"), disable=True)) == ["a", "b"]
    assert capsys.readouterr().err == ""

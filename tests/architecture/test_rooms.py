"""Each main folder says what it promises and may import, where to start, and what to leave."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "pellucid"
ROOMS = (
    "core", "autograd", "ops", "kernels", "tensors", "interpreters", "func", "nn", "optim",
    "inspect", "interop", "utils", "_native",
)  # fmt: skip
OUTBUILDINGS = (
    "alias", "array_api", "commands", "compat/fx", "distributions", "inspect/pytorch", "onnx",
    "processes", "profiler", "sparse", "utils/tensorboard", "vision",
)  # fmt: skip
PARTS = ["**It promises**", "**It may import**", "**Start with**", "**Do not touch**"]
MOST_LINES = 20
FILE = re.compile(r"`((?:[a-z_]+/)*[a-z_]+(?:\.py|/))`")


@pytest.mark.parametrize("room", ROOMS + OUTBUILDINGS)
def test_a_folder_says_what_a_newcomer_asks(room: str) -> None:
    text = (PACKAGE / room / "README.md").read_text("utf-8")
    assert text.startswith(f"# {room.rpartition('/')[2]}\n")
    parts = PARTS if room in ROOMS else [*PARTS, "**Its tests**"]
    assert re.findall(r"^\*\*[^*]+\*\*", text, re.MULTILINE) == parts
    assert len(text.splitlines()) <= MOST_LINES


@pytest.mark.parametrize("room", ROOMS + OUTBUILDINGS)
def test_the_files_that_it_names_are_there(room: str) -> None:
    text = (PACKAGE / room / "README.md").read_text("utf-8")
    places = (PACKAGE / room, PACKAGE, PACKAGE.parents[1])
    named = FILE.findall(text)
    assert named
    assert [each for each in named if not any((place / each).exists() for place in places)] == []

"""The map of the code names folders and modules that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.samples.grouped import together

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "pellucid"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ROOM = re.compile(r"^\*\*`(\w+(?:/\w+)*)/`\*\*: (.*?)\n\n", re.MULTILINE | re.DOTALL)
IN_PARENTHESES = re.compile(r"\([^)]*\)")

NAMED = [
    (room, name)
    for room, text in ROOM.findall(PAGE)
    for name in re.findall(r"`(\w+)`", IN_PARENTHESES.sub("", text))
    if name.islower() and room != "interpreters"
]


@together()
@pytest.mark.parametrize(("room", "name"), NAMED)
def test_a_module_that_the_map_names_is_there(room: str, name: str) -> None:
    folder = PACKAGE / room
    assert (folder / f"{name}.py").exists() or (folder / name).is_dir()


def test_the_map_names_the_rooms_of_the_core() -> None:
    rooms_of_core = {f"core/{folder.parent.name}" for folder in PACKAGE.glob("core/*/__init__.py")}
    named = {room for room, _ in NAMED}
    assert named == {"autograd", "core", "ops", "kernels", "inspect"} | rooms_of_core


@together()
@pytest.mark.parametrize("path", sorted(set(re.findall(r"`(\w+/[\w/]*(?:\.py)?)`", PAGE))))
def test_a_path_that_the_map_names_is_there(path: str) -> None:
    assert (PACKAGE / path).exists() or (ROOT / path).exists()

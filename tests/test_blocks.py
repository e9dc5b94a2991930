"""Blocks that set attributes, and take them back at their end."""

from __future__ import annotations

import types

from pellucid.blocks import having


def test_a_temporary_block_decorates_a_function_and_holds_in_each_call():
    paper = types.SimpleNamespace(colour="white")

    @having(paper, colour="red")
    def paint(times):
        return [paper.colour] * times

    assert paper.colour == "white"
    assert paint(2) == ["red", "red"]
    assert paint(times=1) == ["red"]
    assert paper.colour == "white"
    assert paint.__name__ == "paint"

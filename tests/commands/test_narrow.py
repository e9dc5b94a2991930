"""What programs print, for screens: no row of a table is wider, and no cell is lost."""

from __future__ import annotations

import re

import pytest

from pellucid.commands.lessons import Lesson, all_lessons
from pellucid.commands.narrow import DESKTOP, PHONE, for_screens, stacked

GRAPH = """\
graph: 2 nodes (1 live, 1 freed), 1 leaf

         node          output     from   line          source       saved
│ ●  #1  MulBackward0  float32[]  #2, –  program.py:6  c = b * 3.0  other float32[] 4 B
├─●  #2  ExpBackward0  float32[]  a      program.py:5  b = a.exp()  freed by backward #1

  leaf
  a     float32[]  4 B  1 use
"""
#: headings of the first columns, whose cells go without
FIRST = {"node", "leaf", "block", "freed"}


def printed(lesson: Lesson) -> list[str]:
    return re.findall(
        r"^```text\n(.*?)^```", lesson.file.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )


def test_each_row_becomes_lines_with_the_headings_beside_the_cells() -> None:
    assert (
        stacked(GRAPH, PHONE)
        == """\
graph: 2 nodes (1 live, 1 freed), 1 leaf

│ ●  #1  MulBackward0  output: float32[]
         from: #2, –  line: program.py:6
         source: c = b * 3.0
         saved: other float32[] 4 B
├─●  #2  ExpBackward0  output: float32[]
         from: a  line: program.py:5
         source: b = a.exp()
         saved: freed by backward #1

  leaf
  a     float32[]  4 B  1 use
"""
    )


def test_a_table_that_is_narrow_enough_stays() -> None:
    assert stacked(GRAPH, 200) == GRAPH


def test_lines_of_text_stay() -> None:
    story = "Trying to backward through the graph a second time.\n  The graph of b was freed.\n" * 2
    assert stacked(story, PHONE) == story


@pytest.mark.parametrize("lesson", all_lessons(), ids=lambda lesson: lesson.name)
def test_tables_of_lessons_fit_screens_and_lose_no_word(lesson: Lesson) -> None:
    for text in printed(lesson):
        for width, form in zip((DESKTOP, PHONE), for_screens(text), strict=True):
            words = [set(re.findall(r"[^\s:]+", each)) for each in (text, form)]
            assert words[0] - words[1] <= FIRST
            new = set(form.splitlines()) - set(text.splitlines())
            assert max(map(len, new), default=0) <= width

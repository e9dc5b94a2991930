"""`pellucid learn`: the lessons are run, and each page has its pass to play through."""

from __future__ import annotations

import re
import sys
from html import unescape
from pathlib import Path

import pytest

from pellucid.__main__ import main
from pellucid.commands.lessons import Lesson, all_lessons, lesson_page
from pellucid.commands.markdown import as_html
from pellucid.commands.program_page import PLAYED

LESSONS = all_lessons()
#: asks for a prediction of each of its ten programs in words of its own
ASKS_OTHERWISE = {"why-does-it-not-learn"}


def html_of(text: str) -> str:
    return as_html(text, lambda file: f"<svg>{file}</svg>", lambda target: f"to {target}")


def test_all_lessons_are_found_in_the_order_of_the_index() -> None:
    assert [each.name for each in LESSONS[:3]] == [
        "what-a-graph-is", "when-the-graph-is-made", "what-backward-frees",
    ]  # fmt: skip
    written = {file.stem for file in LESSONS[0].file.parent.glob("*.md")} - {"index"}
    assert {each.name for each in LESSONS} == written


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_asks_first_plays_its_pass_and_ends_with_a_program_to_try(lesson: Lesson) -> None:
    text = lesson.file.read_text("utf-8")
    assert PLAYED in text
    assert "\n## Your turn\n" in text
    if lesson.name not in ASKS_OTHERWISE:
        asked = text.index("**Predict first.**")
        assert text.index("<summary>Answer</summary>") > asked
        assert text.index("## Your turn") > asked
    assert text.count("<details>") == text.count("</details>")


@pytest.mark.parametrize("chosen", ["3", "what-backward-frees", "backward-fr"])
def test_a_lesson_is_asked_for_by_its_number_or_name(
    chosen: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learn", chosen, "--folder", str(tmp_path)]) == 0
    (page,) = tmp_path.glob("*.html")
    assert page.name == "what-backward-frees.html"
    assert str(page) in capsys.readouterr().out


def test_an_unknown_lesson_is_an_error_that_lists_those_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learn", "cooking", "--folder", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "No lesson is called 'cooking'" in said
    assert all(each.name in said for each in LESSONS)
    assert not list(tmp_path.iterdir())


def test_the_page_of_a_lesson_holds_text_output_picture_and_recording() -> None:
    (lesson,) = (each for each in LESSONS if each.name == "what-backward-frees")
    page = lesson_page(lesson)
    assert "<h1>What backward frees</h1>" in page
    assert "freed by backward #" in page
    assert page.count("<figure><svg") == 2
    played = unescape(re.findall(r'<iframe [^>]*srcdoc="([^"]*)"', page)[0])
    assert "class Timeline" in played
    assert "b = a * torch.tensor(2.0)" in played


def test_all_lessons_get_an_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["pellucid.commands.lessons"]
    monkeypatch.setattr(module, "lesson_page", lambda lesson: lesson.question)
    assert main(["learn", "--folder", str(tmp_path)]) == 0
    index = (tmp_path / "index.html").read_text("utf-8")
    linked = re.findall(r'href="([\w-]+\.html)"', index)
    assert linked == [f"{each.name}.html" for each in LESSONS]
    assert all((tmp_path / each).exists() for each in linked)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# A `b` *c* **d**", "<h1>A <code>b</code> <i>c</i> <b>d</b></h1>"),
        ("one & two\n<!-- left out -->", "<p>one &amp; two</p>"),
        ("> Why?\n> So.", "<blockquote>Why?\nSo.</blockquote>"),
        ("- a\n- `<b>`", "<ul><li>a\n</li><li><code>&lt;b&gt;</code></li></ul>"),
        ("1. a\n2. b", "<ol><li>a\n</li><li>b</li></ol>"),
        ("[a `b`](c.md#d)", '<p><a href="to c.md#d">a <code>b</code></a></p>'),
        ("![what](x.svg)", "<p><svg>x.svg</svg></p>"),
        ("```python\na < b\n\n# c\n```",
         '<pre class="program"><code>a &lt; b\n\n# c\n</code></pre>'),
        ("```text\n1\n```", '<pre class="printed"><code>1\n</code></pre>'),
        ("```{toctree}\nx\n```", ""),
        ("<details>\n<summary>Answer</summary>\n\nNo.\n\n</details>",
         "<details>\n<summary>Answer</summary>\n<p>No.</p>\n</details>"),
        ("| a | `b` |\n|---|--:|\n| 1 | \\| |",
         "<table><thead><tr><th>a</th><th><code>b</code></th></tr></thead>"
         "<tbody><tr><td>1</td><td>|</td></tr></tbody></table>"),
    ],
)  # fmt: skip
def test_markdown_becomes_html(text: str, html: str) -> None:
    assert html_of(text) == html

"""The lessons: pages that are run here, each with its pass to play through."""

from __future__ import annotations

import os
import re
import sys
import webbrowser
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from pellucid.commands.markdown import as_html
from pellucid.commands.program_page import PLAYED, ProgramPage, player
from pellucid.dtypes import get_default_dtype, set_default_dtype

#: stands for the recording while the text becomes HTML
_PLACE = '<p id="played"></p>'


class Lesson(NamedTuple):
    """A lesson: the question that it answers, and its file."""

    question: str
    file: Path

    @property
    def name(self) -> str:
        """Return the name by which it is asked for."""
        return self.file.stem


def learn(chosen: str | None, folder: Path) -> int:
    """Write the lessons as pages, or one of them, and open the first in a browser.

    Args:
        chosen: The lesson's number, or a part of its name; all lessons if None.
        folder: The folder that they are written to.

    Returns:
        The status of the process.
    """
    lessons = all_lessons()
    wanted = lessons if chosen is None else _matching(lessons, chosen)
    if not wanted:
        sys.stderr.write(f"No lesson is called {chosen!r}. There are:\n{_listed(lessons)}")
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    for done, lesson in enumerate(wanted):
        _tell(f"running the lessons: {done} of {len(wanted)}, {lesson.name}")
        page = folder / f"{lesson.name}.html"
        page.write_text(lesson_page(lesson), "utf-8")
    _tell("")
    if chosen is None:
        page = folder / "index.html"
        page.write_text(_index(lessons), "utf-8")
        sys.stdout.write(_listed(lessons))
    elif len(wanted) > 1:
        sys.stdout.write(_listed(wanted))
    sys.stdout.write(f"{page}: open it in a browser\n")
    show_on_desktop(page)
    return 0


def show_on_desktop(page: Path) -> bool:
    """Open a page in the browser of a desktop, where a person is sitting at one."""
    desktop = sys.platform in ("darwin", "win32") or "DISPLAY" in os.environ
    return desktop and sys.stdout.isatty() and webbrowser.open(page.resolve().as_uri())


def all_lessons() -> list[Lesson]:
    """Return the lessons in their order."""
    installed = Path(str(files("pellucid"))) / "learn"
    checkout = Path(__file__).parents[3] / "docs" / "learn"
    folder = installed if installed.exists() else checkout
    index = (folder / "index.md").read_text("utf-8")
    rows = re.findall(r"^\| (.*\S) \| \[.*\]\((.*\.md)\) \|$", index, re.MULTILINE)
    return [Lesson(question, folder / name) for question, name in rows]


def _matching(lessons: Sequence[Lesson], chosen: str) -> list[Lesson]:
    if chosen.isdecimal():
        return list(lessons[int(chosen) - 1 : int(chosen)]) if int(chosen) else []
    exact = [each for each in lessons if each.name == chosen]
    return exact or [each for each in lessons if chosen.lower() in each.name]


def _listed(lessons: Sequence[Lesson]) -> str:
    width = max(len(each.name) for each in lessons)
    numbers = {each: number for number, each in enumerate(all_lessons(), 1)}
    rows = (f"  {numbers[each]:2}  {each.name:{width}}  {each.question}\n" for each in lessons)
    return f"{''.join(rows)}`pellucid learn NAME` or `pellucid learn NUMBER` shows one.\n"


def _tell(text: str) -> None:
    """Show how far it is, in a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


def lesson_page(lesson: Lesson) -> str:
    """Run a lesson, and return its page: the text, its pictures, and its pass to play through."""
    from pellucid.inspect import record
    from pellucid.inspect.page.recorded import recording_page

    dtype = get_default_dtype()
    try:
        with record(values="whole") as recording:
            ran = ProgramPage(lesson.file)
    finally:
        set_default_dtype(dtype)  # which a lesson may change

    def picture(file: str) -> str:
        return f"<figure>{ran.pictures[(lesson.file.parent / file).resolve()]}</figure>"

    played = player(f'srcdoc="{escape(recording_page(recording))}"')
    body = as_html(ran.text.replace(PLAYED, _PLACE), picture, _link).replace(_PLACE, played)
    return _page(lesson.question, body)


def _link(target: str) -> str:
    """Return where a link of a lesson leads: to another lesson, or to the project's pages."""
    file, _, part = target.partition("#")
    if file.endswith(".md") and "/" not in file:
        return f"{file.removesuffix('.md')}.html{'#' if part else ''}{part}"
    return target


def _index(lessons: Sequence[Lesson]) -> str:
    rows = "".join(
        f'<li><a href="{each.name}.html">{escape(each.question)}</a></li>' for each in lessons
    )
    return _page("Lessons", f"<h1>Lessons</h1>\n<ol>{rows}</ol>")


def _page(title: str, body: str) -> str:
    return _PAGE.format(title=escape(title), body=body)


_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ max-width: 62rem; margin: 0 auto; padding: 1rem; font: 16px/1.55 system-ui, sans-serif; }}
pre {{
  padding: 0.7rem; overflow-x: auto; border: 1px solid #8886; border-radius: 6px; font-size: 14px;
}}
pre.printed {{
  border-style: dashed; font-size: 12px; white-space: pre-wrap; overflow-wrap: anywhere;
}}
pre.narrow {{ display: none; }}
@media (max-width: 48rem) {{
  pre {{ font-size: 12px; }}
  pre.narrow {{ display: block; }}
  pre.wide {{ display: none; }}
}}
blockquote {{ margin: 0; padding-left: 1rem; border-left: 4px solid #8886; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; }}
td, th {{ border: 1px solid #8886; padding: 0.25rem 0.6rem; text-align: left; }}
figure {{ margin: 1rem 0; overflow-x: auto; }}
details {{ margin: 1rem 0; padding: 0.4rem 0.8rem; border: 1px solid #8886; border-radius: 6px; }}
iframe {{ width: 100%; height: 40rem; border: 1px solid #8886; border-radius: 6px; }}
</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""

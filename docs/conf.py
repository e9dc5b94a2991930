"""The site, made by ``make docs``: the pages beside this file and a reference of all names."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from docutils import nodes

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS), str(DOCS.parent / "src")]

# The checkout's own, found through the paths above.
import landmarks  # noqa: E402
import reference  # noqa: E402
import run_pages  # noqa: E402

import pellucid  # noqa: E402
from pellucid.commands.narrow import for_screens  # noqa: E402

project = html_title = "pellucid"
author = copyright = "The pellucid maintainers"
version = release = pellucid.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = ["decisions/0000-template.md"]
nitpicky = False
html_theme = "furo"
html_favicon = "icon.svg"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_extra_path = ["_notebooks"]
html_search_scorer = str(DOCS / "search_scorer.js")
pygments_style, pygments_dark_style = "a11y-high-contrast-light", "monokai"
myst_heading_anchors = 3
autodoc_typehints = "none"
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_custom_sections = [("Shape", "params_style")]
copybutton_prompt_text = ">>> "

reference.write(DOCS / "reference")
_NOTEBOOKS = DOCS / "_notebooks" / "notebooks"
_NOTEBOOKS.mkdir(parents=True, exist_ok=True)
_LESSONS = sorted((DOCS / "learn").glob("[!i]*.md"))
for _page in _LESSONS:
    (_NOTEBOOKS / f"{_page.stem}.ipynb").write_text(run_pages.notebook(_page), "utf-8")
subprocess.run(
    [sys.executable, DOCS / "run_pages.py", "--recordings", DOCS / "_notebooks/playing", *_LESSONS],
    check=True, env={**os.environ, "PYTHONPATH": str(DOCS.parent / "src")},
)  # fmt: skip


def _escape(*given: Any) -> None:
    reference.escape_docstring(given[-1])


def _offer_notebook(app: Any, docname: str, source: list[str]) -> None:
    """Put a link to the page's notebook below the title of a learning page."""
    folder, _, name = docname.partition("/")
    if folder == "learn" and name != "index":
        title, _, rest = source[0].partition("\n")
        link = (
            f'<a href="../../notebooks/{name}.ipynb" download>Download this page as a notebook</a>'
        )
        played = run_pages.player(f'src="../../playing/{name}.html"')
        source[0] = f"{title}\n\n{link}\n{rest}".replace(run_pages.PLAYED, played)


def _for_each_screen(app: Any, doctree: nodes.document) -> None:
    """Give what programs print two forms, for desktops and phones: rows of tables in lines."""
    for block in [*doctree.findall(nodes.literal_block)]:
        if block.get("language") != "text":
            continue
        block["classes"].append("printed")
        wide, narrow = for_screens(block.astext())
        if narrow != wide:
            forms = [nodes.literal_block(each, each, language="text") for each in (wide, narrow)]
            for form, name in zip(forms, ("wide", "narrow"), strict=True):
                form["classes"] = ["printed", name]
            block.replace_self(forms)


def _mend(app: Any, error: Exception | None) -> None:
    if error is None:
        landmarks.mend(Path(app.outdir))


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", _escape, priority=1)
    app.connect("source-read", _offer_notebook)
    app.connect("doctree-read", _for_each_screen)
    app.connect("build-finished", _mend)

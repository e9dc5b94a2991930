"""The site, made by ``make docs``: these pages and a reference of every public name."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS), str(DOCS.parent / "src")]

# the checkout's, found through the path above
import pellucid  # noqa: E402
import run_pages  # noqa: E402

project = "pellucid"
author = "The pellucid maintainers"
version = release = pellucid.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
exclude_patterns = ["decisions/0000-template.md", "reference/modules.md"]
html_theme = "furo"
html_title = "pellucid"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_extra_path = ["_notebooks"]
pygments_style, pygments_dark_style = "friendly", "monokai"
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
autodoc_typehints = "none"
autosummary_generate = True
autosummary_ignore_module_all = False
napoleon_numpy_docstring = False
copybutton_prompt_text = ">>> "

#: the modules of the reference, as a program names them
MODULES = (
    "", "nn", "nn.functional", "nn.init", "nn.utils", "autograd", "autograd.graph",
    "autograd.functional", "inspect", "func", "optim", "optim.lr_scheduler", "linalg", "fft",
    "special", "random", "distributions", "utils.data", "utils.checkpoint", "amp", "sparse",
    "testing", "define", "distributed", "serialization", "errors",
)  # fmt: skip


def _public_names(module: Any) -> list[str]:
    names = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]
    return sorted(name for name in names if callable(getattr(module, name, None)))


def _write_reference() -> None:
    folder = DOCS / "reference"
    folder.mkdir(exist_ok=True)
    rows = []
    for place in MODULES:
        full = ".".join(filter(None, ["pellucid", place]))
        module = importlib.import_module(full)
        summary = (module.__doc__ or "").strip().partition("\n")[0]
        names = "\n".join(_public_names(module))
        title = ".".join(filter(None, ["torch", place]))
        page = (
            f"{title}\n{'=' * len(title)}\n\n{summary}\n\n.. currentmodule:: {full}\n\n"
            ".. autosummary::\n   :toctree: generated\n   :nosignatures:\n\n"
            + "".join(f"   {name}\n" for name in names.splitlines())
        )
        name = full.replace(".", "_")
        (folder / f"{name}.rst").write_text(page, "utf-8")
        rows.append((name, title, summary))
    table = "".join(f"| [{title}]({name}.rst) | {summary} |\n" for name, title, summary in rows)
    tree = "\n".join(name for name, _, _ in rows)
    (folder / "index.md").write_text(
        "# Reference\n\nEvery public name, by module. A program that says `import pellucid as torch` "
        "finds them under `torch`.\n\n| module | |\n|---|---|\n"
        f"{table}\n```{{toctree}}\n:hidden:\n\n{tree}\n```\n",
        "utf-8",
    )


def _write_notebooks() -> None:
    folder = DOCS / "_notebooks" / "learn"
    folder.mkdir(parents=True, exist_ok=True)
    for page in (DOCS / "learn").glob("*-*.md"):
        (folder / f"{page.stem}.ipynb").write_text(run_pages.notebook(page), "utf-8")


_write_reference()
_write_notebooks()

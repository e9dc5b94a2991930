"""Run the programs of pages, and write what they print and the pictures they draw.

The Python blocks of a page run one after the other in one namespace, as the cells of a notebook
do. A ``text`` block below one holds what it prints, with the error that ends it, if one does. A
comment ``<!-- picture of EXPRESSION -->`` above an image says what the image shows: the graph, or
the recording, of that expression at this point of the page.

    python docs/run_pages.py docs/learn/*.md            write outputs and pictures
    python docs/run_pages.py --notebooks DIR docs/learn/*.md
    python docs/run_pages.py --recordings DIR docs/learn/*.md    pages to play the programs through
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
from pathlib import Path

import pellucid.inspect.page.svg  # noqa: F401 - here, so that the processes of the pages do not load it each
from pellucid.commands.program_page import FILE, PART, PLAYED, ProgramPage, player, run_program

__all__ = ["FILE", "PART", "PLAYED", "Page", "notebook", "player", "run_program", "write"]


class Page(ProgramPage):
    """A page that has been run, and can be written with its pictures."""

    def write(self) -> None:
        """Write the page and its pictures."""
        self.path.write_text(self.text, "utf-8")
        for file, drawing in self.pictures.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(drawing, "utf-8")


def write(page: Path) -> None:
    """Run a page, and write it and its pictures."""
    Page(page).write()


def write_recording(page: Path, folder: Path) -> None:
    """Run a page, and write the recording of its programs as a page to play."""
    from pellucid.inspect import record

    with record(values="whole") as recording:
        Page(page)
    recording.html(folder / f"{page.stem}.html")


#: what stands below the title of a notebook
_NEEDS = (
    "The cells need pellucid where the notebook runs: `pip install .` in a checkout of it, or in a "
    "cell `%pip install path/to/the/checkout`."
)


def notebook(page: Path) -> str:
    """Return a page as a Jupyter notebook, its outputs left to be computed."""
    import nbformat.v4 as nb

    text = page.read_text("utf-8")
    found, position = [], 0
    for part in PART.finditer(text):
        found.append(nb.new_markdown_cell(text[position : part.start()].strip()))
        if part["expression"] is not None:
            found.append(nb.new_code_cell(part["expression"]))
        else:
            raises = bool(re.match(r"\w+Error: ", part["output"] or ""))
            tags = {"tags": ["raises-exception"]} if raises else {}
            found.append(nb.new_code_cell(part["program"].rstrip(), metadata=tags))
        position = part.end()
    found.append(nb.new_markdown_cell(text[position:].strip()))
    for cell in found:
        if cell["cell_type"] == "markdown":
            cell["source"] = _for_notebook(cell["source"])
    found = [cell for cell in found if cell["source"]]
    found.insert(1, nb.new_markdown_cell(_NEEDS))
    for number, cell in enumerate(found):
        cell["id"] = f"{page.stem}-{number}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nb.writes(nb.new_notebook(cells=found, metadata={"kernelspec": kernel}))


def _for_notebook(text: str) -> str:
    """Return text without what only the site has: pages that links lead to, and the recording.

    What is folded in behind a program's output is open there, as the output is.
    """
    text = text.replace(PLAYED, "")
    if "<details>" not in text:
        text = text.replace("</details>", "")
    return re.sub(r"(?<!!)\[([^\]]+)\]\((?!http)[^)]*\)", r"\1", text).strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notebooks", type=Path, metavar="DIR")
    parser.add_argument("--recordings", type=Path, metavar="DIR")
    parser.add_argument("pages", type=Path, nargs="+")
    arguments = parser.parse_args()
    if arguments.notebooks is not None:
        arguments.notebooks.mkdir(parents=True, exist_ok=True)
        for page in arguments.pages:
            (arguments.notebooks / f"{page.stem}.ipynb").write_text(notebook(page), "utf-8")
        return
    task, more = write, ()
    if arguments.recordings is not None:
        arguments.recordings.mkdir(parents=True, exist_ok=True)
        task, more = write_recording, (arguments.recordings,)
    for page in arguments.pages:  # each in a process of its own, where counts start again
        process = multiprocessing.Process(target=task, args=(page, *more))
        process.start()
        process.join()
        if process.exitcode:
            parser.exit(1, f"{page} cannot be run\n")


if __name__ == "__main__":
    main()

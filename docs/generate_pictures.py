"""Make the pictures of ``docs/pictures.md`` with the programs that stand above them.

``python docs/generate_pictures.py`` writes the drawings to ``docs/pictures/``. ``--screenshots``
photographs the pages that the programs write as well, for which Chromium has to be installed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import run_pages

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "pictures.md"
PICTURES = DOCS / "pictures"
WINDOW = "1280,760"
EVENT = 15
BROWSER = (
    "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--hide-scrollbars", f"--window-size={WINDOW}", "--virtual-time-budget=3000",
)  # fmt: skip


#: what the photographs were taken of, to know when they have to be taken again
TAKEN_OF = PICTURES / "taken-of.txt"
ASSETS = DOCS.parent / "src" / "pellucid" / "inspect" / "page" / "assets"


def programs() -> list[str]:
    """Return the programs of the page."""
    return [part["program"] for part in run_pages.PART.finditer(PAGE.read_text("utf-8"))]


def photographed() -> str:
    """Return a fingerprint of what a photograph shows: the programs, and the page's own files."""
    files = sorted(file for file in ASSETS.iterdir() if file.suffix in (".js", ".css"))
    shown = [*programs(), *(file.read_text("utf-8") for file in files)]
    return hashlib.sha256("\0".join(shown).encode()).hexdigest() + "\n"


def write_files(folder: Path) -> None:
    """Run the programs of the page one after the other in a folder, where they write files."""
    os.chdir(folder)
    for number, program in enumerate(programs(), 1):
        file = Path(str(number), "train.py").absolute()
        file.parent.mkdir()
        file.write_text(program, encoding="utf-8")
        run_pages.run_program(program, str(file), {"__name__": "__main__"}, shown=())


def photograph(page: Path, target: Path) -> None:
    """Open a page in a browser without a window, and write what is seen as PNG.

    That of a recording is opened at an event in the middle of its backward pass.
    """
    with tempfile.TemporaryDirectory() as profile:
        options = [f"--user-data-dir={profile}", f"--screenshot={target}"]
        address = f"{page.as_uri()}#event-{EVENT}"
        subprocess.run([*BROWSER, *options, address], check=True, capture_output=True)


def main() -> None:
    """Write the drawings, and pictures of the pages if asked for."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--screenshots", action="store_true", help="photograph the pages too")
    parser.add_argument("--into", type=Path, default=PICTURES, help="where the pictures go")
    options = parser.parse_args()
    into = options.into.absolute()
    into.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder))
        for file in Path(folder).glob("*.svg"):
            shutil.copy(file, into)
        for file in Path(folder).glob("*.html"):
            if options.screenshots:
                photograph(file, into / f"{file.stem}.png")
    if options.screenshots:
        TAKEN_OF.write_text(photographed(), encoding="utf-8")


if __name__ == "__main__":
    main()

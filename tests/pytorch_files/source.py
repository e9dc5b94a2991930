"""PyTorch's test files, from Debian's source package of PyTorch."""

from __future__ import annotations

import subprocess
from pathlib import Path

#: where the package comes from, as a line of apt's, and the directory in it
LINE = "deb-src http://deb.debian.org/debian trixie main"
KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
ADVICE = (
    "PyTorch's test files come with Debian's source package of PyTorch 2.6, and apt-get cannot "
    "download it here. Where another machine has it (apt-get source pytorch, with deb-src of "
    "trixie), put its directory `test` at {place} and run this again."
)


class NoSourceError(RuntimeError):
    """The source package cannot be had."""


def directory_of_tests(build: Path) -> Path:
    """Return the directory of PyTorch's test files below ``build``, downloading it if need be."""
    place = build / "test"
    if not place.is_dir():
        try:
            _download(build)
        except (OSError, subprocess.CalledProcessError, StopIteration) as error:
            detail = getattr(error, "stderr", "") or str(error)
            raise NoSourceError(f"{ADVICE.format(place=place)}\n{detail}") from error
    return place


def _download(build: Path) -> None:
    """Let apt fetch the package with lists of its own, and unpack its tests."""
    apt = build.resolve() / "apt"
    (apt / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    signed = f" [signed-by={KEYS}]" if KEYS.exists() else ""
    (apt / "sources.list").write_text(LINE.replace("deb-src", "deb-src" + signed) + "\n")
    options = [
        "-oDir::Etc::SourceParts=/dev/null",
        f"-oDir::Etc::SourceList={apt}/sources.list",
        f"-oDir::State::Lists={apt}/lists",
    ]
    _run(["apt-get", *options, "update"], apt)
    _run(["apt-get", *options, "source", "--download-only", "pytorch"], apt)
    archive = next(apt.glob("pytorch_*.orig.tar.*"))
    pattern = ["--wildcards", "*/test/*", "--strip-components=1"]
    unpacked = apt / "unpacked"
    unpacked.mkdir(exist_ok=True)
    _run(["tar", "-xf", str(archive), "-C", str(unpacked), *pattern], apt)
    (unpacked / "test").rename(build / "test")


def _run(command: list[str], directory: Path) -> None:
    subprocess.run(command, cwd=directory, check=True, capture_output=True, text=True)

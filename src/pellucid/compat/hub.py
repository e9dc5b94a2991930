"""Weights from elsewhere: downloaded once, and kept in a directory."""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from urllib.request import Request, urlopen

from pellucid.errors import UnimplementedError
from pellucid.serialization import load as load_file

__all__ = ["download_url_to_file", "get_dir", "load", "load_state_dict_from_url", "set_dir"]

_directory: str | None = None
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")


def get_dir() -> str:
    """Return the directory of downloaded files, that of PyTorch: ``$TORCH_HOME/hub``, for one.

    >>> import os.path
    >>> os.path.basename(torch.hub.get_dir())
    'hub'
    """
    if _directory is not None:
        return _directory
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    home = os.environ.get("TORCH_HOME", os.path.join(cache, "torch"))
    return os.path.join(os.path.expanduser(home), "hub")


def set_dir(d: str | os.PathLike[str]) -> None:
    """Choose the directory of downloaded files.

    Args:
        d: Path of the directory.
    """
    global _directory
    _directory = os.path.expanduser(d)


def download_url_to_file(
    url: str, dst: str, hash_prefix: str | None = None, progress: bool = True
) -> None:
    """Write what is found at a URL to a file, whole or not at all.

    Raises RuntimeError if the SHA-256 does not begin with ``hash_prefix``. ``progress`` is accepted
    and shows nothing.

    Args:
        url: Where the file is.
        dst: Path to write.
        hash_prefix: How its SHA-256 begins; not checked if None.
        progress: Accepted, and without effect.
    """
    digest = hashlib.sha256()
    target = Path(dst).expanduser()
    with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as file:
        try:
            with urlopen(Request(url, headers={"User-Agent": "pellucid.hub"})) as source:
                while block := source.read(1 << 20):
                    digest.update(block)
                    file.write(block)
            found = digest.hexdigest()
            if hash_prefix is not None and not found.startswith(hash_prefix):
                raise RuntimeError(
                    f'invalid hash value (expected "{hash_prefix}", got "{found}"): {url}'
                )
            file.close()
            shutil.move(file.name, target)
        finally:
            Path(file.name).unlink(missing_ok=True)


def load_state_dict_from_url(
    url: str, model_dir: str | None = None, map_location: Any = None, progress: bool = True,
    check_hash: bool = False, file_name: str | None = None, weights_only: bool = True,
) -> Any:  # fmt: skip
    """Load a file by its URL, from the directory of downloaded files if it is there already.

    Args:
        url: Where the file is.
        model_dir: Directory of downloaded files; ``checkpoints`` in that of the hub if None.
        map_location: As for `load`.
        progress: Accepted, and without effect.
        check_hash: Whether the SHA-256 is compared with the one in the file's name.
        file_name: Name to write it under; that of the URL if None.
        weights_only: As for `load`.
    """
    directory = Path(model_dir or os.path.join(get_dir(), "checkpoints"))
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / (file_name or os.path.basename(urlparse(url).path))
    if not path.exists():
        found = HASH_REGEX.search(path.name) if check_hash else None
        download_url_to_file(url, str(path), found and found.group(1), progress)
    return load_file(path, map_location=map_location, weights_only=weights_only)


load_url = load_state_dict_from_url  # as `torch.utils.model_zoo` has it


def load(repo_or_dir: str, model: str, *args: Any, **options: Any) -> Any:
    """Raise NotImplementedError: code from elsewhere is not fetched and run.

    Args:
        repo_or_dir: Where the code is.
        model: Name of the model.
        args: Its arguments.
        options: Its keyword arguments.
    """
    raise UnimplementedError(
        f"torch.hub.load fetches and runs the code of {repo_or_dir!r}, which pellucid does not do: "
        "define the model in the program, and load its weights by load_state_dict_from_url"
    )


class PlainProgress:
    """A counter of steps on the error stream, where tqdm is not installed.

    >>> with PlainProgress(total=2, disable=True) as progress:
    ...     progress.update(1)
    >>> list(PlainProgress([1, 2], disable=True))
    [1, 2]
    """

    def __init__(
        self, iterable: Any = None, total: int | None = None, disable: bool = False, **options: Any
    ) -> None:
        self.iterable = iterable
        self.total = len(iterable) if total is None and hasattr(iterable, "__len__") else total
        self.disable = disable
        self.n = 0

    def __iter__(self) -> Iterator[Any]:
        with self:
            for item in self.iterable:
                yield item
                self.update(1)

    def __enter__(self) -> PlainProgress:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def update(self, n: int = 1) -> None:
        """Go on by ``n`` steps."""
        self.n += n
        if not self.disable:
            of = "" if self.total is None else f" of {self.total}"
            sys.stderr.write(f"\r{self.n}{of}")
            sys.stderr.flush()

    def set_description(self, *args: Any, **options: Any) -> None:
        """Do without a description."""

    set_postfix = set_description

    def close(self) -> None:
        """End the line."""
        if not self.disable:
            sys.stderr.write("\n")


def __getattr__(name: str) -> Any:
    if name == "tqdm":  # needed only by those who ask
        try:
            return importlib.import_module("tqdm").tqdm
        except ImportError:
            return PlainProgress
    raise AttributeError(f"module 'pellucid.hub' has no attribute '{name}'")

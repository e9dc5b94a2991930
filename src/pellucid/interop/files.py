"""Writing a file so that there is always either the old one or the new one, whole."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pellucid.interop.errors import FileError


@contextlib.contextmanager
def written_whole(path: Any) -> Iterator[Any]:
    """Give a file to write to, which takes the path's place when the block ends well.

    Whatever interrupts the block, the path is left as it was. Permissions stay those of the old
    file, and a link goes on pointing where it did. Raises RuntimeError if there is no such
    directory.
    """
    target = Path(os.path.realpath(os.fsdecode(os.fspath(path))))
    if not target.parent.is_dir():
        raise FileError(f"Parent directory {target.parent} does not exist.")
    mode = target.stat().st_mode if target.exists() else None
    if mode is not None and not stat.S_ISREG(mode):
        # A device or a pipe cannot be replaced.
        with target.open("wb") as file:
            yield file
        return
    beside = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}")
    try:
        with beside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            beside.chmod(stat.S_IMODE(mode))
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise

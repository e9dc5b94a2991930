"""Writing a file so that there is always either the old one or the new one, whole.

Note [How a file is replaced]
The new content goes to a file without a name, if the system has such files (Linux), which vanishes
with the process however that ends. When all is written it gets a hidden name beside the target and
then the target's name, in one step. Elsewhere it has the hidden name from the beginning. That name
follows from the target's, and whoever writes holds a lock on the file: a file without a lock was
left behind by a process that is gone, and the next save of the same target takes its place.

Three kinds of targets are written where they are, as open() does, because a new file would not be
the same: one with several names (hard links), one of another owner, and one in a directory where
no file can be made.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import IO, Any

from pellucid.interop.errors import FileError

try:
    import fcntl
except ImportError:  # Windows, where files have no such locks
    fcntl = None

_PERMISSIONS = 0o666
#: what systems and file systems without nameless files answer
_NO_NAMELESS_FILES = (
    errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL, errno.ENOSYS, errno.EPERM,
    errno.EXDEV,
)  # fmt: skip


@contextlib.contextmanager
def written_whole(path: Any) -> Iterator[IO[bytes]]:
    """Give a file to write to, which takes the path's place when the block ends well.

    Whatever interrupts the block, the path is left as it was. Permissions stay those of the old
    file, and a link goes on pointing where it did. Raises RuntimeError if there is no such
    directory or the path is one, and PermissionError for a file that may not be written.
    """
    target = Path(os.path.realpath(os.fsdecode(os.fspath(path))))
    if not target.parent.is_dir():
        raise FileError(f"Parent directory {target.parent} does not exist.")
    if target.is_dir():
        raise FileError(f"open file failed with strerror: Is a directory: {target}")
    old = target.stat() if target.exists() else None
    if old is not None and not _can_be_replaced(target, old):
        with target.open("wb") as file:
            yield file
        return
    with _replacement(target) as file:
        if old is not None:
            _copy_permissions(old, file)
        yield file


def _can_be_replaced(target: Path, old: os.stat_result) -> bool:
    if not _may(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    is_ours = not hasattr(os, "geteuid") or old.st_uid == os.geteuid()
    return (
        stat.S_ISREG(old.st_mode)
        and old.st_nlink == 1
        and is_ours
        and _may(target.parent, os.W_OK | os.X_OK)
    )


def _may(path: Path, mode: int) -> bool:
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)


def _copy_permissions(old: os.stat_result, file: IO[bytes]) -> None:
    if hasattr(os, "fchmod"):
        os.fchmod(file.fileno(), stat.S_IMODE(old.st_mode))


@contextlib.contextmanager
def _replacement(target: Path) -> Iterator[IO[bytes]]:
    beside = _HiddenName(target)
    try:
        with _nameless(target.parent) or beside.create() as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            with beside.named(file) as whole:
                if os.name == "nt":  # Windows does not rename open files.
                    whole.close()
                beside.path.replace(target)
    except BaseException:
        beside.remove()
        raise


def _nameless(directory: Path) -> IO[bytes] | None:
    """Return a file that vanishes when it is closed, or ``None`` where there are none."""
    flags = getattr(os, "O_TMPFILE", None)
    if flags is None or not os.path.isdir("/proc/self/fd"):
        return None
    try:
        return os.fdopen(os.open(directory, flags | os.O_RDWR, _PERMISSIONS), "w+b")
    except OSError as error:
        if error.errno in _NO_NAMELESS_FILES:
            return None
        raise


class _HiddenName:
    """A name beside a target, for a file that is not finished, or not yet in the target's place."""

    def __init__(self, target: Path) -> None:
        # Short, because the target's own name may be as long as names can be.
        self._stem = hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]
        self._target = target
        self._is_taken = False
        self.path = target

    def create(self) -> IO[bytes]:
        """Make a file of this name, locked."""
        while True:
            self.path = self._free_path()
            try:
                file = self.path.open("xb")
            except FileExistsError:
                continue
            self._is_taken = True
            _lock(file.fileno(), wait=True)
            if _has_name(file.fileno(), self.path):
                return file
            # Somebody took it for left behind, before it was locked.
            file.close()

    def named(self, file: IO[bytes]) -> IO[bytes]:
        """Return a file of this name with the content of one that may have none."""
        if self._is_taken:
            return file
        _lock(file.fileno())
        try:
            self._link(file.fileno())
        except OSError:
            named = self.create()
            file.seek(0)
            shutil.copyfileobj(file, named)
            named.flush()
            os.fsync(named.fileno())
            return named
        return file

    def remove(self) -> None:
        """Remove the file of this name, if it was made."""
        if self._is_taken:
            self.path.unlink(missing_ok=True)

    def _link(self, descriptor: int) -> None:
        while not self._is_taken:
            self.path = self._free_path()
            with contextlib.suppress(FileExistsError):
                _link(descriptor, self.path)
                self._is_taken = True

    def _free_path(self) -> Path:
        """Return a path that nobody writes to, removing files that were left behind."""
        paths = (self._target.with_name(f".{self._stem}.{n}.saving") for n in count())
        return next(path for path in paths if _remove_left_behind(path))


def _link(descriptor: int, path: Path) -> None:
    # Only with a descriptor of a directory does Python follow the link that /proc has to the file.
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=directory, follow_symlinks=True)
    finally:
        os.close(directory)


def _lock(descriptor: int, wait: bool = False) -> bool:
    """Lock a file for as long as it is open; return whether that succeeded."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def _remove_left_behind(path: Path) -> bool:
    """Remove a file whose writer is gone; return whether the name is free."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        # Once locked, nobody else removes the file or gives its name away.
        if not _lock(descriptor) or not _has_name(descriptor, path):
            return False
        path.unlink(missing_ok=True)
    finally:
        os.close(descriptor)
    return True


def _has_name(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False

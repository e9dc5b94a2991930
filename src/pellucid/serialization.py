"""Saving objects to files and loading them: PyTorch's format, in both directions."""

from __future__ import annotations

import contextlib
import hashlib
import io
import mmap as memory_maps
import os
import pickle
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from pellucid.blocks import Block
from pellucid.core.definition.public import public
from pellucid.device import device
from pellucid.errors import ArgumentError, ArgumentTypeError, GraphError, UnimplementedError
from pellucid.interop.archive import ALIGNMENT, ArchiveReader, ArchiveWriter
from pellucid.interop.errors import EmptyFileError, FileError, UnpicklingError
from pellucid.interop.files import written_whole
from pellucid.interop.legacy import BEGINNING, is_legacy, load_legacy, write_legacy
from pellucid.interop.locations import default_restore_location, location_tag, register_package
from pellucid.interop.names import name_in_files
from pellucid.interop.options import (
    LoadEndianness,
    default_byte_order,
    get_crc32_options,
    get_default_load_endianness,
    get_default_mmap_options,
    maps_shared,
    set_crc32_options,
    set_default_load_endianness,
    set_default_mmap_options,
)
from pellucid.interop.reading import Machine, StorageSource, names_in, run_trusted
from pellucid.interop.rebuilding import KNOWN, LoadedStorage, StorageType, check_count
from pellucid.interop.safetensors_files import load_file
from pellucid.interop.writing import pickled

__all__ = [
    "LoadEndianness", "add_safe_globals", "clear_safe_globals", "default_restore_location",
    "get_crc32_options", "get_default_load_endianness", "get_default_mmap_options",
    "get_safe_globals", "get_unsafe_globals_in_checkpoint", "load", "location_tag",
    "register_package", "safe_globals", "save", "set_crc32_options",
    "set_default_load_endianness", "set_default_mmap_options", "skip_data",
]  # fmt: skip

DEFAULT_PROTOCOL = 2

_FORCE_SAFE = "TORCH_FORCE_WEIGHTS_ONLY_LOAD"
_FORCE_TRUST = "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"
_TRUE = ("1", "y", "yes", "true")

_ZIP_MAGIC = b"PK\3\4"

_DEFAULT_CHANGED = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` "
    "from `False` to `True`. Re-running `torch.load` with `weights_only` set to `False` will "
    "likely succeed, but it can result in arbitrary code execution. Do it only if you got the file "
    "from a trusted source."
)


class _Skipping(threading.local):
    data = False


_skipping = _Skipping()


class skip_data(Block):  # noqa: N801 - PyTorch's name
    """A block in which `save` leaves room for the elements of storages, and writes zeros there.

    Args:
        materialize_fake_tensors: Accepted, and changes nothing: there are no fake tensors.

    >>> import io
    >>> file = io.BytesIO()
    >>> with torch.serialization.skip_data():
    ...     torch.save(torch.ones(2), file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    tensor([0., 0.])
    """

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self.materialize_fake_tensors = materialize_fake_tensors

    def _begin(self) -> None:
        self._set(_skipping, "data", True)


# ---- saving ---------------------------------------------------------------------------------


@public("save", checked=False)
def save(
    obj: Any, f: Any, pickle_module: Any = pickle, pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True, _disable_byteorder_record: bool = False,
) -> None:  # fmt: skip
    """Write an object to a file, in the format of PyTorch.

    Tensors that share memory share it after loading too; history is not kept. A path is written
    whole or not at all: an interruption leaves the old file.

    Args:
        obj: Any object that can be pickled; tensors, modules and optimizers are part of it.
        f: A path, or a file open for writing in binary mode.
        pickle_module: The module that pickles.
        pickle_protocol: The protocol of the pickle.
        _use_new_zipfile_serialization: With False, the format that PyTorch had before version 1.6.

    Raises:
        AttributeError: If ``f`` cannot be written to.
        RuntimeError: If its directory does not exist.

    >>> import io
    >>> file = io.BytesIO()
    >>> torch.save({"weight": torch.ones(2)}, file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    {'weight': tensor([1., 1.])}
    """
    if not _is_path(f) and not hasattr(f, "write"):
        raise AttributeError(
            "expected 'f' to be string, path, or a file-like object with a 'write' attribute, not "
            f"{type(f).__name__}"
        )
    if pickle_module.__name__ not in ("pickle", "_pickle"):
        raise UnimplementedError(f"pellucid saves with pickle, not with {pickle_module.__name__}")
    # All that can fail for the object's sake has happened before the file is opened.
    legacy = not _use_new_zipfile_serialization
    program, memories = pickled(obj, pickle_protocol, legacy)
    with written_whole(f) if _is_path(f) else contextlib.nullcontext(f) as file:
        if legacy:
            write_legacy(file.write, program, memories)
        else:
            archive = ArchiveWriter(file.write, _folder(f), get_crc32_options())
            _write_archive(archive, program, memories, not _disable_byteorder_record)
        if hasattr(file, "flush"):
            file.flush()  # whoever opens the file by its name finds what was saved


def _folder(f: Any) -> str:
    """Return the folder inside an archive, which PyTorch calls as the file without its ending."""
    stem = os.path.splitext(os.path.basename(os.fsdecode(f)))[0] if _is_path(f) else ""
    return stem if stem.isascii() and stem else "archive"


def _write_archive(
    archive: ArchiveWriter, program: bytes, memories: list[Any], tell_byte_order: bool
) -> None:
    archive.add("data.pkl", program)
    archive.add(".format_version", b"1")
    archive.add(".storage_alignment", str(ALIGNMENT).encode())
    if tell_byte_order:
        archive.add("byteorder", sys.byteorder.encode())
    for number, memory in enumerate(memories):
        given = memory.view(np.uint8)
        archive.add(f"data/{number}", np.zeros_like(given) if _skipping.data else given)
    archive.add("version", b"3\n")
    archive.add(".data/serialization_id", _identity(archive.checksums()))
    archive.finish()


def _identity(checksums: list[tuple[bytes, int]]) -> bytes:
    """Return 40 digits that tell files with different contents apart."""
    digest = hashlib.blake2b(repr(checksums).encode(), digest_size=16).digest()
    halves = (int.from_bytes(half, "little") for half in (digest[:8], digest[8:]))
    return b"".join(b"%020d" % half for half in halves)


# ---- loading --------------------------------------------------------------------------------


@public("load", checked=False)
def load(
    f: Any, map_location: Any = None, pickle_module: Any = None, *,
    weights_only: bool | None = None, mmap: bool | None = None, **pickle_load_args: Any,
) -> Any:  # fmt: skip
    """Read an object that `save`, here or in PyTorch, wrote.

    Args:
        f: A path, or a file open for reading in binary mode.
        map_location: Where tensors of other devices go: ``"cpu"``, the only device there is; or a
            function or dict, as in PyTorch.
        pickle_module: The module that unpickles; only with ``weights_only=False``.
        weights_only: Whether only tensors, plain values, containers and what `safe_globals` allows
            is made, which is the default: such a file cannot run code. With False, whatever the
            file names is called: only for files from trusted sources.
        mmap: Whether tensors are mapped to the file, which is read when they are used; what is
            written to them stays in memory.
        pickle_load_args: Keyword arguments of the unpickler.

    Raises:
        UnpicklingError: If the file names something that is not allowed.
        RuntimeError: If the file is damaged or not of this format.
        NotImplementedError: If a tensor cannot be represented here.

    >>> import io
    >>> file = io.BytesIO()
    >>> torch.save(torch.nn.Linear(2, 1).state_dict(), file)
    >>> _ = file.seek(0)
    >>> list(torch.load(file, map_location="cpu"))
    ['weight', 'bias']
    """
    trusted = not _weights_only(weights_only, pickle_module)
    if pickle_load_args and not trusted:
        warnings.warn("pickle_load_args only works if `weights_only=False`.", stacklevel=2)
    if _is_path(f) and os.fsdecode(os.fspath(f)).endswith(".safetensors"):
        _check_location_of_safetensors(map_location)
        return load_file(f)
    options = {"encoding": "utf-8"} | pickle_load_args
    with _opened(f) as file:
        if _begins(file, BEGINNING, is_legacy):
            if mmap:
                raise FileError(
                    "mmap can only be used with files saved with `torch.save(..., "
                    "_use_new_zipfile_serialization=True)`: load the file without mmap, and save "
                    "it again."
                )
            return _load_legacy(file, map_location, pickle_module or pickle, trusted, options)
        archive = _archive(file, f, bool(mmap))
        if archive.has("constants.pkl"):
            raise FileError(
                "Cannot load TorchScript archives: the file was written by torch.jit.save, and "
                "holds a program. Save model.state_dict() with torch.save instead."
            )
        program = archive.read("data.pkl")
        source = _storages(archive, map_location)
        if trusted:
            return _run_trusted(program, source, pickle_module or pickle, options)
        return _run_safely(program, 0, source, options)[0]


def _run_trusted(
    program: bytes, source: StorageSource, pickle_module: Any, options: dict[str, Any]
) -> Any:
    if not program:
        raise EmptyFileError("Ran out of input: the description of the objects is empty.")
    return run_trusted(io.BytesIO(program), source, pickle_module, options)


def _run_safely(
    program: bytes, start: int, source: StorageSource, options: dict[str, Any]
) -> tuple[Any, int]:
    machine = Machine(program, source, _allowed_by_name(), options["encoding"], start)
    try:
        return machine.run(), machine.position
    except UnpicklingError as error:
        raise UnpicklingError(_weights_only_failed(str(error))) from None


def _load_legacy(
    file: Any, map_location: Any, pickle_module: Any, trusted: bool, options: dict[str, Any]
) -> Any:
    def run(content: bytes, start: int, source: StorageSource) -> tuple[Any, int]:
        if not trusted:
            return _run_safely(content, start, source, options)
        rest = io.BytesIO(content)
        rest.seek(start)
        return run_trusted(rest, source, pickle_module, options), rest.tell()

    start = file.tell()
    made, length = load_legacy(file.read(), run, lambda each, at: _placed(each, at, map_location))
    file.seek(start + length)
    return made


def _begins(file: Any, count: int, kind: Callable[[bytes], bool]) -> bool:
    """Return whether what comes next in a file is of a kind; go back to where it began."""
    start = file.tell()
    beginning = file.read(count)
    file.seek(start)
    return kind(beginning)


def _weights_only(asked: bool | None, pickle_module: Any) -> bool:
    safe, trusting = _FORCE_SAFE in _forced(), _FORCE_TRUST in _forced()
    if safe and trusting:
        raise GraphError(
            f"Only one of `{_FORCE_SAFE}` or `{_FORCE_TRUST}` should be set, but both were set."
        )
    weights_only = safe or (pickle_module is None if asked is None else bool(asked))
    if trusting and asked is None:
        warnings.warn(
            f"Environment variable {_FORCE_TRUST} detected, since the `weights_only` argument was "
            "not explicitly passed to `torch.load`, forcing weights_only=False.",
            UserWarning,
            stacklevel=3,
        )
        weights_only = False
    if weights_only and pickle_module is not None:
        raise GraphError(
            "Can not safely load weights when explicit pickle_module is specified: leave "
            "pickle_module out, or pass weights_only=False for a file from a trusted source."
        )
    return weights_only


def _forced() -> set[str]:
    """Return which of the two variables of the environment are set."""
    names = (_FORCE_SAFE, _FORCE_TRUST)
    return {name for name in names if os.environ.get(name, "0").lower() in _TRUE}


def _weights_only_failed(message: str) -> str:
    if "was not an allowed global by default" in message:
        return (
            "Weights only load failed. This file can still be loaded, to do so you have two "
            "options, do those steps only if you trust the source of the checkpoint. "
            f"\n\t(1) {_DEFAULT_CHANGED}\n\t(2) Alternatively, to load with `weights_only=True` "
            "please check the recommended steps in the following error message.\n\t"
            f"WeightsUnpickler error: {message}"
        )
    return f"Weights only load failed. {_DEFAULT_CHANGED}\n\nWeightsUnpickler error: {message}"


def _is_path(f: Any) -> bool:
    return isinstance(f, str | os.PathLike)


@contextlib.contextmanager
def _opened(f: Any) -> Iterator[Any]:
    if _is_path(f):
        with open(f, "rb") as file:
            yield file
        return
    if not all(hasattr(f, name) for name in ("read", "seek", "tell")):
        raise AttributeError(
            f"'{type(f).__name__}' object has no attribute 'seek'. You can only torch.load from a "
            "file that is seekable. Please pre-load the data into a buffer like io.BytesIO and try "
            "to load from it instead."
        )
    yield f


def _archive(file: Any, f: Any, mapped: bool) -> ArchiveReader:
    start = file.tell()
    magic = file.read(len(_ZIP_MAGIC))
    file.seek(start)
    if not magic:
        raise EmptyFileError("Ran out of input: the file is empty, or was read to its end.")
    if magic != _ZIP_MAGIC:
        raise FileError(
            "Invalid magic number; corrupt file? The file is not a zip archive as torch.save "
            "writes it, nor in the format of PyTorch before 1.6."
        )
    if not mapped:
        return ArchiveReader(file)
    if not _is_path(f):
        raise ArgumentError("f must be a file path in order to use the mmap argument")
    return ArchiveReader(file, _mapping(f))


def _mapping(path: Any) -> memory_maps.mmap:
    """Return a file in memory, where changes stay, or go into the file if that is set."""
    shared = maps_shared()
    access = memory_maps.ACCESS_WRITE if shared else memory_maps.ACCESS_COPY
    with open(path, "r+b" if shared else "rb") as file:
        return memory_maps.mmap(file.fileno(), 0, access=access)


# ---- where tensors go -----------------------------------------------------------------------


def _storages(archive: ArchiveReader, map_location: Any) -> StorageSource:
    """Return what finds storages by key, reading each once."""
    swapped = _byte_order(archive) != sys.byteorder
    arrays: dict[str, Any] = {}
    made: dict[tuple[str, StorageType], LoadedStorage] = {}

    def storage(kind: StorageType, key: str, location: str, count: int) -> LoadedStorage:
        if key not in arrays:
            array = archive.read_array(f"data/{key}")
            arrays[key] = array = _swapped(array, kind) if swapped else array
            arrays[key] = _placed(LoadedStorage(array, kind.dtype), location, map_location).array
        if (key, kind) not in made:
            made[key, kind] = LoadedStorage(arrays[key], kind.dtype)
        check_count(made[key, kind], key, count)
        return made[key, kind]

    return storage


def _byte_order(archive: ArchiveReader) -> str:
    if not archive.has("byteorder"):
        return default_byte_order()
    order = archive.read("byteorder").decode("ascii", "replace")
    if order not in ("little", "big"):
        raise ArgumentError(f"Unknown endianness type: {order[:20]}. The file is damaged.")
    return order


def _swapped(array: Any, kind: StorageType) -> Any:
    """Return the bytes of numbers in the other order."""
    number = kind.dtype.to_real() if kind.dtype.is_complex else kind.dtype
    whole = array.nbytes // number.itemsize * number.itemsize
    swapped = array.copy()
    swapped[:whole] = array[:whole].view(number.numpy).byteswap().view(np.uint8)
    return swapped


def _placed(storage: LoadedStorage, location: str, map_location: Any) -> LoadedStorage:
    if isinstance(map_location, dict):
        location = map_location.get(location, location)
    elif isinstance(map_location, str | bytes | device):
        location = (
            os.fsdecode(map_location) if isinstance(map_location, bytes) else str(map_location)
        )
    elif callable(map_location):
        moved = map_location(storage, location)
        if isinstance(moved, LoadedStorage):
            return moved
        if moved is not None:
            raise ArgumentTypeError(
                "map_location has to return the storage that it was given, or None, not "
                f"{type(moved).__name__}"
            )
    elif map_location is not None:
        raise ArgumentTypeError(
            "map_location has to be a device, its name, a dictionary of names or a function, not "
            f"{type(map_location).__name__}"
        )
    restored = default_restore_location(storage, str(location)[:_LONGEST_LOCATION])
    return restored if isinstance(restored, LoadedStorage) else storage


_LONGEST_LOCATION = 100


def _check_location_of_safetensors(map_location: Any) -> None:
    if isinstance(map_location, str | device):
        default_restore_location(None, str(map_location))
    elif map_location is not None:
        kind = "dict" if isinstance(map_location, dict) else "callable"
        raise FileError(
            f"Loading safetensors file with {kind} map_location is not supported. Use a device "
            "string or torch.device instead."
        )


# ---- what may be loaded ---------------------------------------------------------------------

_allowed: list[Any] = []


def add_safe_globals(safe_globals: Sequence[Any]) -> None:
    """Allow classes and functions in files that are loaded with ``weights_only=True``.

    Args:
        safe_globals: Classes and functions that do no harm whatever they are called with, or pairs
            of one and the name that files have for it.

    >>> torch.serialization.add_safe_globals([torch.nn.Linear])
    >>> torch.serialization.get_safe_globals()
    [<class 'pellucid.nn.modules.linear.Linear'>]
    >>> torch.serialization.clear_safe_globals()
    """
    _allowed.extend(each for each in safe_globals if each not in _allowed)


def get_safe_globals() -> list[Any]:
    """Return what was allowed in addition to tensors and containers.

    >>> torch.serialization.get_safe_globals()
    []
    """
    return list(_allowed)


def clear_safe_globals() -> None:
    """Take back all that `add_safe_globals` allowed.

    >>> torch.serialization.clear_safe_globals()
    """
    _allowed.clear()


class safe_globals(Block):  # noqa: N801 - PyTorch's name
    """A context manager in which files may name these classes and functions.

    Args:
        safe_globals: The classes and functions.

    >>> import io
    >>> file = io.BytesIO()
    >>> torch.save(torch.nn.ReLU(), file)
    >>> _ = file.seek(0)
    >>> with torch.serialization.safe_globals([torch.nn.ReLU]):
    ...     torch.load(file)
    ReLU()
    """

    def __init__(self, safe_globals: Sequence[Any]) -> None:
        self.safe_globals = list(safe_globals)

    def _begin(self) -> None:
        self._at_end(self._disallow)
        add_safe_globals(self.safe_globals)

    def _disallow(self) -> None:
        _allowed[:] = [each for each in _allowed if each not in self.safe_globals]


def _allowed_by_name() -> dict[str, Any]:
    named: dict[str, Any] = {}
    for each in _allowed:
        value: Any
        value, name = each if isinstance(each, tuple) and len(each) == 2 else (each, None)
        if isinstance(each, tuple) and len(each) != 2:
            raise ArgumentError(
                "Expected tuple of length 2 (global, str of callable full path), but got tuple of "
                f"length: {len(each)}"
            )
        if name is not None and not isinstance(name, str):
            raise ArgumentTypeError(
                "Expected second item in tuple to be str of callable full path, but got: "
                f"{type(name)}"
            )
        home = name_in_files(value) or (value.__module__, value.__qualname__)
        named[name or ".".join(home)] = value
    return named


def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """Return the names in a file that would have to be allowed before it can be loaded.

    Nothing is made or imported.

    Args:
        f: A path or a file.

    Raises:
        ValueError: If the file has another format.

    >>> import io
    >>> file = io.BytesIO()
    >>> torch.save(torch.nn.Identity(), file)
    >>> _ = file.seek(0)
    >>> torch.serialization.get_unsafe_globals_in_checkpoint(file)
    ['torch.nn.modules.linear.Identity']
    """
    with _opened(f) as file:
        if not _begins(file, len(_ZIP_MAGIC), _ZIP_MAGIC.__eq__):
            raise ArgumentError(
                "Expected input to be a checkpoint returned by torch.save, in the zip format that "
                "PyTorch has since 1.6"
            )
        names = names_in(_archive(file, f, False).read("data.pkl"))
    return sorted(names - KNOWN.keys() - _allowed_by_name().keys())

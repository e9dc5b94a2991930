"""Where the storages of a file belong: what `torch.serialization` lets libraries register."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pellucid.device import KNOWN_TYPES
from pellucid.interop.errors import FileError

#: tells the location of a storage; None where it is not this package's
Tagger = Callable[[Any], str | None]
#: puts a storage at a location; None where that is not this package's
Deserializer = Callable[[Any, str], Any]

CPU = "cpu"

#: by priority, the least first
_package_registry: list[tuple[int, Tagger, Deserializer]] = []


def register_package(priority: int, tagger: Tagger, deserializer: Deserializer) -> None:
    """Register functions that tell, and restore, the locations of storages in files.

    Args:
        priority: Those of lower numbers are asked first.
        tagger: Called with a storage that is saved; returns its location, or None.
        deserializer: Called with a storage and its location; returns the storage there, or None.

    >>> torch.serialization.register_package(30, lambda storage: None, lambda storage, place: None)
    """
    _package_registry.append((priority, tagger, deserializer))
    _package_registry.sort(key=lambda each: each[0])


def has_packages() -> bool:
    """Return whether any package has registered functions."""
    return bool(_package_registry)


def location_tag(storage: Any) -> str:
    """Return the location that a file names for a storage.

    Args:
        storage: An untyped storage.

    >>> torch.serialization.location_tag(torch.ones(1).untyped_storage())
    'cpu'
    """
    for _, tagger, _ in _package_registry:
        location = tagger(storage)
        if location:
            return location
    return CPU


def default_restore_location(storage: Any, location: str) -> Any:
    """Return a storage where a file says that it belongs.

    Args:
        storage: The storage, in the memory of this process.
        location: The location that the file names.

    Raises:
        RuntimeError: For a location that neither a registered package nor this machine knows.

    >>> storage = torch.ones(1).untyped_storage()
    >>> torch.serialization.default_restore_location(storage, "cpu") is storage
    True
    """
    for _, _, deserializer in _package_registry:
        restored = deserializer(storage, location)
        if restored is not None:
            return restored
    name = location.partition(":")[0]
    if name not in KNOWN_TYPES:
        raise FileError(
            "don't know how to restore data location of torch.storage.UntypedStorage (tagged with "
            f"{location}): there is no such kind of device"
        )
    if name == "meta":
        return storage.without_values()
    if name != CPU:
        raise FileError(
            f"Attempting to deserialize object on a {name.upper()} device but "
            f"torch.{name}.is_available() is False. If you are running on a CPU-only machine, "
            "please use torch.load with map_location=torch.device('cpu') to map your storages to "
            "the CPU."
        )
    return storage

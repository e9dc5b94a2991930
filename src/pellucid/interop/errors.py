"""What is raised for files that cannot be read or written."""

from __future__ import annotations

import pickle

from pellucid.errors import PellucidError


class FileError(PellucidError, RuntimeError):
    """The file is damaged, forged, or of a kind that is not read here."""


class EmptyFileError(FileError, EOFError):
    """The file, or the part of it that describes the objects, has nothing in it."""


class UnpicklingError(PellucidError, pickle.UnpicklingError):
    """The description of the objects is damaged, or asks for something that is not allowed.

    Wrong: ``torch.load("model.pt")`` for a file that holds a whole module.
    Right: save ``model.state_dict()``; or, for a file from a trusted source, allow what it names
    with ``torch.serialization.safe_globals([...])``.
    """

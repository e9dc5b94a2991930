"""ONNX: it can be imported; exporting raises."""

from __future__ import annotations

from typing import Any, NoReturn

from pellucid.errors import UnimplementedError

__all__ = ["dynamo_export", "export", "is_in_onnx_export"]


def export(*args: Any, **options: Any) -> NoReturn:
    """Raise NotImplementedError: models cannot be exported.

    >>> import pellucid as torch
    >>> torch.onnx.export(None)
    Traceback (most recent call last):
    ...
    pellucid.errors.UnimplementedError: exporting to ONNX is not supported: ...
    """
    raise UnimplementedError(
        "exporting to ONNX is not supported: save the state_dict by torch.save, load it into the "
        "same model in PyTorch, and export that"
    )


dynamo_export = export


def is_in_onnx_export() -> bool:
    """Return False: nothing is being exported."""
    return False

"""Models as files of ONNX, for other runtimes.

A model is run once, and what it computes of its inputs is written down. The package ``onnx`` makes
the file (``pip install pellucid[onnx]``).
"""

from __future__ import annotations

from enum import Enum
from typing import Any, NoReturn

from pellucid.errors import UnimplementedError
from pellucid.onnx.exporting import export

__all__ = ["OperatorExportTypes", "TrainingMode", "dynamo_export", "export", "is_in_onnx_export"]


class TrainingMode(Enum):
    """The modes that a model may be exported in; it is exported as it is here."""

    EVAL = 0
    PRESERVE = 1
    TRAINING = 2


class OperatorExportTypes(Enum):
    """The operators that a file may name; only those of ONNX are written here."""

    ONNX = 0
    ONNX_ATEN = 1
    ONNX_ATEN_FALLBACK = 2
    ONNX_FALLTHROUGH = 3


def dynamo_export(model: Any, /, *model_args: Any, **options: Any) -> NoReturn:
    """Raise NotImplementedError: `export` is the function to call.

    Args:
        model: The model.
        model_args: Its inputs.
        options: Options of PyTorch's.
    """
    raise UnimplementedError("torch.onnx.dynamo_export is not here: call torch.onnx.export")


def is_in_onnx_export() -> bool:
    """Return False: models are run for an export as they are run for anything else."""
    return False

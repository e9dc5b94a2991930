"""Models as files of ONNX, for other runtimes.

A model is run once, and what it computes of its inputs is written down. The package ``onnx`` makes
the file (``pip install pellucid[onnx]``).
"""

from __future__ import annotations

from typing import Any, NoReturn

from pellucid.errors import UnimplementedError
from pellucid.onnx.exporting import export

__all__ = ["dynamo_export", "export", "is_in_onnx_export"]


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

"""Options of ``linear_cross_entropy``, which processes some rows at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pellucid.dtypes import bfloat16, float16, float32, float64
from pellucid.errors import ArgumentError

_POLICIES = ("auto", "accurate", "balanced", "compact")
_HALVES = (float16, bfloat16)


@dataclass(slots=True, frozen=True)
class LinearCrossEntropyOptions:
    """Options of ``linear_cross_entropy``: the number of rows whose scores are in memory at once.

    Args:
        batch_chunk_size: Number of rows, or None.
        chunking_method: How to choose the number: ``"aspect_ratio"`` so that the scores take about
            as much memory as the input, ``"aspect_ratio:n"`` an n-th of that, ``"auto"`` by dtype.
        acc_policy: Checked but not used: sums are always at least in single precision.
        acc_dtype: Checked but not used, like ``acc_policy``.
        allow_retain_graph: Accepted; graphs can always be retained, since scores are recomputed in
            the backward pass.

    Raises:
        ValueError: If a value is not one that PyTorch accepts.

    >>> torch.nn.LinearCrossEntropyOptions(batch_chunk_size=4).batch_chunk_size
    4
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: Any = None

    def __post_init__(self) -> None:
        if self.acc_policy not in _POLICIES:
            raise ArgumentError(f"invalid acc_policy: {self.acc_policy!r}")
        if self.chunking_method not in (None, "auto") and not _divisor(self.chunking_method):
            raise ArgumentError(f"invalid chunking_method: {self.chunking_method!r}")
        size = self.batch_chunk_size
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ArgumentError(f"batch_chunk_size must be positive int or None, got {size!r}")
        if self.acc_dtype not in (None, *_HALVES, float32, float64):
            raise ArgumentError(
                "acc_dtype must be one of {None, torch.float16, torch.bfloat16, torch.float32, "
                f"torch.float64}}, got {self.acc_dtype!r}. Pass acc_dtype=None to let the op pick "
                "automatically."
            )

    def rows_at_once(self, rows: int, features: int, classes: int, dtype: Any) -> int:
        """Return the number of rows whose scores are in memory at once.

        Args:
            rows: Number of rows.
            features: Number of features.
            classes: Number of classes.
            dtype: Dtype of the input.

        Raises:
            ValueError: If both options are set and give different numbers.
        """
        asked = self.batch_chunk_size
        method = self.chunking_method
        if method == "auto":
            method = (
                ("aspect_ratio" if dtype in _HALVES else "aspect_ratio:2") if not asked else None
            )
        if method is None:
            return max(1, min(asked or rows, rows))
        found = max(1, min(_matching(rows, features, classes) // _divisor(method), rows))
        if asked is not None and asked != found:
            raise ArgumentError(
                f"batch_chunk_size (={asked}) and chunking_method ('{method}') give different "
                f"chunk sizes ({asked} vs {found}); pass only one."
            )
        return found


def _divisor(method: Any) -> int:
    """Return the n of ``"aspect_ratio:n"`` (1 without it), or 0 for an unknown method."""
    name, colon, factor = str(method).partition(":")
    if name != "aspect_ratio" or (colon and not factor.isdigit()):
        return 0
    return int(factor) if colon else 1


def _matching(rows: int, features: int, classes: int) -> int:
    """Return the power of two at which scores take about as much memory as the input."""
    times_wider = -(-classes // features)
    target = -(-rows // times_wider)
    return 1 << (target - 1).bit_length()

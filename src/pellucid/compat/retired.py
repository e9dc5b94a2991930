"""Functions that PyTorch has retired: each says what to call instead."""

from __future__ import annotations

from typing import Any, NoReturn

from pellucid.core.definition.public import public
from pellucid.errors import GraphError

__all__ = ["eig", "lstsq", "matrix_rank", "solve", "symeig"]

_REMOVED = "This function was deprecated since version 1.9 and is now removed."


def _retired(name: str, sentence: str, *lines: str) -> Any:
    text = "\n  ".join([f"{_REMOVED} {sentence}", *lines])

    def refuse(*args: Any, **options: Any) -> NoReturn:
        raise GraphError(text)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"""Raise RuntimeError, which says what took the place of a retired function.

    Args:
        args: What it was called with.
        options: Like ``args``.

    >>> torch.{name}()
    Traceback (most recent call last):
    pellucid.errors.GraphError: {_REMOVED} ...
    """
    return public(name, checked=False)(refuse)


solve = _retired(
    "solve",
    "`torch.solve` is deprecated in favor of `torch.linalg.solve`.",
    "X = torch.solve(B, A).solution is X = torch.linalg.solve(A, B) now.",
)
lstsq = _retired(
    "lstsq",
    "`torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.",
    "X = torch.lstsq(B, A).solution[:A.size(1)] is X = torch.linalg.lstsq(A, B).solution now.",
)
eig = _retired(
    "eig",
    "`torch.linalg.eig` returns complex tensors.",
    "L, V = torch.eig(A, eigenvectors=True) is L, V = torch.linalg.eig(A) now, and",
    "L, _ = torch.eig(A) is L = torch.linalg.eigvals(A).",
)
symeig = _retired(
    "symeig",
    "The default behavior has changed from using the upper triangular portion of the matrix by "
    "default to using the lower triangular portion.",
    "L, V = torch.symeig(A, eigenvectors=True) is L, V = torch.linalg.eigh(A, UPLO='U') now, and",
    "L, _ = torch.symeig(A) is L = torch.linalg.eigvalsh(A, UPLO='U').",
)
matrix_rank = _retired(
    "matrix_rank",
    "Please use the `torch.linalg.matrix_rank` function instead.",
    "Its argument `symmetric` is called `hermitian` there.",
)

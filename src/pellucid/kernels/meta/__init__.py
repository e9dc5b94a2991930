"""Arrays without values, and what NumPy's functions and the kernels give for them: shapes alone."""

from pellucid.kernels.meta.arrays import (
    MetaArray,
    NoValues,
    any_meta,
    as_meta,
    empty,
    in_memory,
    is_meta,
    strided,
    truth_of,
)

__all__ = [
    "MetaArray", "NoValues", "any_meta", "as_meta", "empty", "in_memory", "is_meta", "strided",
    "truth_of",
]  # fmt: skip

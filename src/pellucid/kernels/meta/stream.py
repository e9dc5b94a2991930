"""A stream of random numbers for arrays without values: it draws nothing."""

from __future__ import annotations

from typing import Any

from pellucid.kernels.meta.arrays import MetaArray, empty


class MetaStream:
    """Answers as a stream does, with arrays that have no values."""

    def uniform(self, shape: Any, dtype: Any, *args: Any, **options: Any) -> MetaArray:
        return empty(shape, dtype)

    normal = random = exponential = geometric = cauchy = log_normal = uniform

    def integers(self, low: int, high: int, shape: Any, dtype: Any) -> MetaArray:
        return empty(shape, dtype)

    def bernoulli(self, p: Any, shape: Any, dtype: Any) -> MetaArray:
        return empty(shape, dtype)

    def dropout_mask(self, shape: Any, p: float, dtype: Any) -> MetaArray:
        return empty(shape, dtype)

    def permutation(self, n: int, dtype: Any = "int64") -> MetaArray:
        return empty((n,), dtype)

    def multinomial(self, weights: Any, count: int, replacement: bool) -> MetaArray:
        return empty((*weights.shape[:-1], count), "int64")


meta_stream = MetaStream()

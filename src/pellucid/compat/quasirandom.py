"""Points that fill a cube evenly: ``torch.quasirandom``, on `scipy.stats.qmc`."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid import dtypes
from pellucid.core.construct import numpy_dtype_of
from pellucid.errors import ArgumentError
from pellucid.ops.random.sampling import Generator
from pellucid.random import default_generator, randint
from pellucid.tensors import Tensor, creation

__all__ = ["SobolEngine"]

_BITS = 30


class SobolEngine:
    """A sequence of points of Sobol in the unit cube.

    They are PyTorch's, also when scrambled with the same seed. Directions: S. Joe and F. Kuo,
    Constructing Sobol sequences with better two-dimensional projections, 2008.

    Args:
        dimension: The number of coordinates, at most 21201.
        scramble: Whether the points are scrambled by a random matrix of bits and shifted.
        seed: The seed of the scrambling; by default the state of the default generator decides.

    Raises:
        ValueError: If there are too many coordinates.

    >>> torch.quasirandom.SobolEngine(2).draw(3)
    tensor([[0.0000, 0.0000],
            [0.5000, 0.5000],
            [0.7500, 0.2500]])
    """

    MAXBIT = _BITS
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if not 1 <= dimension <= self.MAXDIM:
            raise ArgumentError(
                "Supported range of dimensionality for SobolEngine is "
                f"[1, {self.MAXDIM}], but got {dimension}"
            )
        self.seed = seed
        self.scramble = scramble
        self.dimension = dimension
        self.num_generated = 0
        self._matrices: Any = None
        self._shift: Any = np.zeros(dimension, np.int64)
        if scramble:
            self._scramble()
        self.reset()

    def _scramble(self) -> None:
        generator = default_generator
        if self.seed is not None:
            generator = Generator()
            generator.manual_seed(self.seed)
        shape = (self.dimension, _BITS)
        shift = randint(2, shape, generator=generator).numpy()
        self._shift = shift @ (1 << np.arange(_BITS))
        lower = randint(2, (*shape, _BITS), generator=generator).numpy()
        self._matrices = np.tril(lower, -1) + np.eye(_BITS, dtype=np.int64)

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: Any = None) -> Tensor:
        """Return the next points.

        Args:
            n: How many.
            out: A tensor to write them into.
            dtype: The dtype of the result; the default one unless given.

        Returns:
            A tensor of shape ``[n, dimension]``.
        """
        numbers = self._next(n)
        if self._matrices is not None:
            # the bits of a coordinate, from the first one behind the point on
            bits = numbers[..., None] >> np.arange(_BITS - 1, -1, -1) & 1
            mixed = np.einsum("dij,ndj->ndi", self._matrices, bits) & 1
            numbers = mixed @ (1 << np.arange(_BITS - 1, -1, -1))
        numbers = numbers ^ self._shift
        made = numpy_dtype_of(dtype, dtypes.default())
        values = numbers.astype(made) * made.type(2.0**-_BITS)
        found = creation.from_numpy(values)
        self.num_generated += n
        return found if out is None else out.resize_(found.shape).copy_(found)

    def draw_base2(self, m: int, out: Tensor | None = None, dtype: Any = None) -> Tensor:
        """Return the next ``2 ** m`` points, with which the number of all is a power of two.

        Raises:
            ValueError: If it would be none.
        """
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ArgumentError(
                "The balance properties of Sobol' points require n to be a power of 2. "
                f"{self.num_generated} points have been previously generated, then: "
                f"n={self.num_generated}+2**{m}={total}. If you still want to do this, please use "
                "'SobolEngine.draw()' instead."
            )
        return self.draw(n, out, dtype)

    def reset(self) -> SobolEngine:
        """Begin with the first point again."""
        from scipy.stats import qmc

        self._points = qmc.Sobol(self.dimension, scramble=False, bits=_BITS)
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Leave out the next ``n`` points."""
        self._points.fast_forward(n)
        self.num_generated += n
        return self

    def _next(self, n: int) -> Any:
        """Return the next points as integers of 30 bits."""
        # SciPy warns of a first draw of this many points that they are not balanced
        first = min(n, 1) if self.num_generated == 0 else n
        drawn = [self._points.random(count) for count in (first, n - first) if count]
        found = np.concatenate(drawn) if drawn else np.empty((0, self.dimension))
        return (found * 2.0**_BITS).astype(np.int64)

    def __repr__(self) -> str:
        parts = [f"dimension={self.dimension}"]
        if self.scramble:
            parts.append("scramble=True")
        if self.seed is not None:
            parts.append(f"seed={self.seed}")
        return f"{type(self).__name__}({', '.join(parts)})"

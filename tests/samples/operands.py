"""The arrays that samples name, and tensors of them.

Letters stand for kinds and digits for sizes: ``a`` and ``b`` are floats of any sign, ``v`` is a
vector, ``s`` a scalar, ``q`` square, ``t`` has three dimensions, ``e`` is empty, ``o`` not
contiguous; ``z`` is complex, ``f`` single and ``h`` half precision, ``i`` integers, ``m`` truth
values.
"""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]


class _Draw:
    """Random arrays, the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def normal(self, *shape: int) -> np.ndarray:
        return np.asarray(self.random.standard_normal(shape))

    def complex_normal(self, *shape: int) -> np.ndarray:
        return self.normal(*shape) + 1j * self.normal(*shape)


@functools.cache
def operands() -> Arrays:
    """Return the arrays by their names; they are shared, and not to be changed."""
    return _common() | _matrices() | _signals()


def _common() -> Arrays:
    draw = _Draw(7)
    random, normal, complex_normal = draw.random, draw.normal, draw.complex_normal
    return {
        "a": normal(2, 3), "b": normal(2, 3), "v": normal(3), "v4": normal(4), "s": normal(),
        "e": normal(0, 3), "q": normal(3, 3), "w": normal(4, 3), "r": normal(3, 4),
        "o": normal(3, 2).T, "t": normal(2, 3, 4), "t2": normal(2, 4, 5), "one": normal(1),
        "col": normal(2, 1), "bias4": normal(4),
        # within the domains of functions that need it
        "p": random.uniform(0.2, 3, (2, 3)), "u": random.uniform(-0.9, 0.9, (2, 3)),
        "prob": random.uniform(0.05, 0.95, (2, 3)), "above1": random.uniform(1.1, 3, (2, 3)),
        "psd": (lambda m: m @ m.T + 3 * np.eye(3))(normal(3, 3)),
        # images, sequences and what convolves them
        "img": normal(2, 4, 6, 6), "seq": normal(2, 4, 9), "vol": normal(1, 2, 4, 4, 4),
        "k2": normal(6, 4, 3, 3), "k1": normal(6, 4, 3), "k3": normal(3, 2, 2, 2, 2),
        "kg": normal(6, 2, 3, 3), "kt": normal(4, 3, 3, 3), "kt1": normal(4, 3, 3),
        "b6": normal(6), "b3": normal(3), "mean4": normal(4), "var4": random.uniform(0.5, 2, 4),
        "ones4": normal(4), "emb": normal(10, 3),
        # other dtypes
        "f": normal(2, 3).astype(np.float32), "f1": normal(3).astype(np.float32),
        "h": normal(2, 3).astype(np.float16), "z": complex_normal(2, 3), "y": complex_normal(2, 3),
        "zq": complex_normal(3, 3), "zs": complex_normal(),
        "i": np.array([[0, 2, 1], [1, 0, 2]]), "j": np.array([[3, 1, 4], [1, 5, 9]]),
        "l": np.array([2, 0]), "i1": np.array([1, 0, 1]), "k": np.array(2),
        "n32": np.array([[1, -2, 3], [4, 5, -6]], dtype=np.int32),
        "u8": np.array([[1, 2, 3], [250, 5, 6]], dtype=np.uint8),
        "u3": np.array([1, 2, 250], dtype=np.uint8),
        "m": np.array([[True, False, True], [False, True, True]]),
        "m1": np.array([True, False, True]), "yes": np.array(True),
        "ties": np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]]),
        "special": np.array([[np.nan, np.inf, -np.inf], [0.0, -0.0, 1.0]]),
        "whole": np.array([[-2.0, 0.0, 3.0], [1.0, 2.5, -0.5]]), "leaf": normal(2, 3),
    }  # fmt: skip


def _matrices() -> Arrays:
    draw = _Draw(11)
    random, normal, complex_normal = draw.random, draw.normal, draw.complex_normal
    square, zsquare = normal(3, 3), complex_normal(3, 3)
    return {
        "qs": normal(2, 3, 3), "ws": normal(2, 4, 3), "t6": normal(2, 3, 6), "c32": normal(3, 2),
        "zqs": complex_normal(2, 3, 3), "zw": complex_normal(4, 3), "z32": complex_normal(3, 2),
        "z3": complex_normal(3), "zpsd": zsquare @ zsquare.conj().T + 2 * np.eye(3),
        "lower": np.tril(square) + 2 * np.eye(3), "zlower": np.tril(zsquare) + 2 * np.eye(3),
        "zeros33": np.zeros((3, 3)), "rank1": np.outer(np.arange(1.0, 4), np.arange(2.0, 5)),
        "nans": np.full((2, 2), np.nan), "e33": np.zeros((0, 3, 3)), "e00": np.zeros((0, 0)),
        "f33": square.astype(np.float32), "h33": square.astype(np.float16),
        "i33": np.arange(9).reshape(3, 3), "pivots": np.array([2, 3, 3], np.int32),
        "tau": random.uniform(0.5, 1.5, 3), "tau2": random.uniform(0.5, 1.5, 2),
        "ztau": complex_normal(3),
    }  # fmt: skip


def _signals() -> Arrays:
    draw = _Draw(17)
    random, normal, complex_normal = draw.random, draw.normal, draw.complex_normal
    return {
        "v5": normal(5), "z5": complex_normal(5), "zr": complex_normal(3, 4), "e0": normal(0),
        "zt": complex_normal(2, 3, 4), "f4": normal(4).astype(np.float32),
        "h4": normal(4).astype(np.float16), "zf4": complex_normal(4).astype(np.complex64),
        "wave": normal(2, 16), "zwave": complex_normal(16), "window": random.uniform(0.2, 1, 6),
        "spec": complex_normal(4, 5), "spec2": complex_normal(2, 4, 5),
        "xs": np.array([0.0, 1, 3, 4.5]),
        # arguments of special functions
        "fp": random.uniform(0.3, 3, 4).astype(np.float32), "degrees": np.array([0, 3, 7]),
        "edge": np.array([0.0, 1.0, 10.0, np.inf, np.nan]), "big": np.array([25.0, 60.0]),
        "signed": np.array([-2.0, -0.5, 0.5, 30.0]),
    }  # fmt: skip


def tensors_of(library: ModuleType, arrays: Arrays, requires_grad: bool = False) -> dict[str, Any]:
    """Return a library's tensors, in memory of their own, of the layout that the arrays have."""
    made = {}
    for name, array in arrays.items():
        made[name] = library.from_numpy(np.array(array, order="K"))
        if requires_grad and array.dtype.kind in "fc":
            made[name].requires_grad_()
    return made

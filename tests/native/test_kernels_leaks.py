"""Compiled kernels give back every reference, of what they take as of what they decline."""

from __future__ import annotations

import gc
import sys

import numpy as np
import pytest

from tests.native.kernel_samples import kernels, needs_kernels, strided

pytestmark = needs_kernels

X = np.random.default_rng(0).normal(size=(2, 3, 8, 9)).astype(np.float32)
W = np.ones((4, 3, 3, 3), np.float32)
G = np.ones((2, 4, 6, 7), np.float32)
VECTOR = np.ones(3, np.float32)
ROWS = np.ones((5, 8), np.float32)
ONES = np.ones((5, 2), np.float32)
OPTIONS = ((1, 1), (0, 0), (1, 1), 1)
CLASSES = np.zeros(5, np.int64)
WIDE = np.ones((1, 16, 14, 14), np.float32)
FILTERS = np.ones((16, 16, 3, 3), np.float32)
GRID = np.zeros((2, 4, 5, 2), np.float32)
HOW = ("bilinear", "border", True, (0, 1))

CALLS = {
    "convolve": lambda: kernels.convolve(strided(X), W, *OPTIONS, None),
    "convolve_to_input": lambda: kernels.convolve_to_input(G, W, X.shape, *OPTIONS),
    "convolve_to_weight": lambda: kernels.convolve_to_weight(G, strided(X), W.shape, *OPTIONS),
    "winograd": lambda: kernels.convolve(strided(WIDE), FILTERS, *OPTIONS, None),
    "grid_sample": lambda: kernels.grid_sample(strided(X), GRID, *HOW),
    "grid_sample_to_input": lambda: kernels.grid_sample_to_input(
        G[:, :, :4, :5], strided(GRID), (8, 9), *HOW
    ),
    "batch_norm": lambda: kernels.batch_norm(X, VECTOR, VECTOR, 1e-5),
    "batch_norm_gradients": lambda: kernels.batch_norm_gradients(
        X, X, VECTOR, VECTOR, VECTOR, 1e-5
    ),
    "layer_norm": lambda: kernels.layer_norm(ROWS, 1, None, None, 1e-5),
    "softmax": lambda: kernels.softmax(ROWS, 1),
    "cross_entropy_rows": lambda: kernels.cross_entropy_rows(ROWS, CLASSES),
    "cross_entropy_loss_backward": lambda: kernels.cross_entropy_loss_backward(ROWS, CLASSES),
    "max_pool": lambda: kernels.max_pool(X, (2, 2), (2, 2), (0, 0), (1, 1), False),
    "avg_pool": lambda: kernels.avg_pool(X, (2, 2), (2, 2), (0, 0), False, True, None),
    "matmul": lambda: kernels.matmul(strided(X), W[:, :, :1].repeat(9, 3)[:2, :, :, :].mT),
    "attention": lambda: kernels.attention(X, X, strided(X), 1.0, True),
    "attention_to_inputs": lambda: kernels.attention_to_inputs(X, X, X, strided(X), 1.0, False),
    "lstm": lambda: kernels.lstm(ROWS[None], ONES, ONES, np.ones((8, 2), np.float32), False),
    "lstm_cell": lambda: kernels.lstm_cell(ROWS, ONES),
    "sgd_step": lambda: kernels.sgd_step(ROWS, ROWS, None, 0.0, 0.0, 0.0, 0.0, 1.0, False),
    "exp": lambda: kernels.exp(strided(X)),
    "relu_backward": lambda: kernels.relu_backward(X, X),
    "arctan2": lambda: kernels.arctan2(strided(X), X[:1]),
    "elu": lambda: kernels.elu(X, 1.0, 1.0, 1.0),
    "where": lambda: kernels.where(ROWS > 0, strided(ROWS), 0.0),
    "product": lambda: kernels.product(strided(ROWS), (1,), None, True),
    "cummax": lambda: kernels.cummax(strided(ROWS), 0),
    "tril": lambda: kernels.tril(strided(ROWS), 1),
    "searchsorted": lambda: kernels.searchsorted(ROWS[0], strided(ROWS), "left"),
    "sorted_places": lambda: kernels.sorted_places(ROWS[0], strided(ROWS), True),
    "argsort": lambda: kernels.argsort(strided(ROWS), 0, True),
    "logcumsumexp": lambda: kernels.logcumsumexp(strided(ROWS), 0),
    "bincount": lambda: kernels.bincount(CLASSES, None, 3),
    "argwhere": lambda: kernels.argwhere(strided(ROWS)),
    "scatter": lambda: kernels.scatter(ROWS[:, 0], 0, CLASSES, ROWS[:, 1]),
    "logsumexp": lambda: kernels.logsumexp(strided(ROWS), (1,), False),
    "total_of_squares": lambda: kernels.total_of_squares(ROWS, None, False),
    "squares_and_zeros": lambda: kernels.squares_and_zeros(X),
    "squares_and_zeros_at": lambda: kernels.squares_and_zeros_at(X.ctypes.data, X.size, X.itemsize),
    "squared_distance": lambda: kernels.squared_distance(X, X + 1),
    "declined search": lambda: kernels.searchsorted(ROWS[0], CLASSES, "left"),
    "declined choice": lambda: kernels.where(ROWS > 0, ROWS, CLASSES),
    "declined dtype": lambda: kernels.softmax(CLASSES, 0),
    "declined shape": lambda: kernels.convolve(X, ROWS, *OPTIONS, None),
    "declined count": lambda: kernels.convolve(X),
    "declined class": lambda: kernels.cross_entropy_rows(ROWS, CLASSES - 1),
}


@pytest.mark.parametrize("name", CALLS)
def test_no_reference_is_kept(name):
    call = CALLS[name]
    shared = [X, W, G, VECTOR, ROWS, ONES, CLASSES, OPTIONS, *OPTIONS[:3]]
    for _ in range(100):
        call()
    gc.collect()
    references, blocks = [sys.getrefcount(each) for each in shared], sys.getallocatedblocks()
    for _ in range(1_000):
        call()
    gc.collect()
    assert [sys.getrefcount(each) for each in shared] == references
    assert sys.getallocatedblocks() - blocks < 500


def test_what_is_no_integer_or_none_of_64_bits_is_declined():
    enormous = 1 << 80
    assert kernels.softmax(ROWS, enormous) is NotImplemented
    assert kernels.softmax(ROWS, "1") is NotImplemented

"""Gradients exchanged as products of two thin matrices.

Vogels, Karimireddy and Jaggi, "PowerSGD", 2019. A gradient M of n rows and m columns becomes
P Qᵀ of rank r: P = M Q, summed over the ranks and made orthonormal, then Q = Mᵀ P, averaged. What
is lost is added to the next gradient.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pellucid.core.call.call import new_tensor
from pellucid.distributed.algorithms.ddp_comm_hooks.default_hooks import averaged
from pellucid.futures import Future
from pellucid.nn.parallel.reducer import GradBucket
from pellucid.processes.collectives import all_reduce
from pellucid.processes.groups import get_world_size
from pellucid.random import Generator, randn

Array = np.ndarray[Any, Any]


class PowerSGDState:
    """The options of `powerSGD_hook`, and what it remembers from one step to the next.

    The first ``start_powerSGD_iter`` steps exchange gradients in full. A gradient is compressed
    where that shrinks it at least ``min_compression_rate`` times. Raises ValueError if errors are
    fed back or matrices are kept, and compression starts before the third step.
    """

    def __init__(
        self, process_group: Any, matrix_approximation_rank: int = 1,
        start_powerSGD_iter: int = 1_000, min_compression_rate: float = 2,
        use_error_feedback: bool = True, warm_start: bool = True,
        orthogonalization_epsilon: float = 0, random_seed: int = 0,
        compression_stats_logging_frequency: int = 10_000,
        batch_tensors_with_same_shape: bool = False,
    ) -> None:  # fmt: skip
        if (use_error_feedback or warm_start) and start_powerSGD_iter <= 1:
            raise ValueError(
                "Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is "
                "enabled, because PowerSGD can only be applied after the first two iterations in "
                "DDP."
            )
        self.process_group = process_group
        self.matrix_approximation_rank = matrix_approximation_rank
        self.start_powerSGD_iter = start_powerSGD_iter
        self.min_compression_rate = min_compression_rate
        self.use_error_feedback = use_error_feedback
        self.warm_start = warm_start
        self.orthogonalization_epsilon = orthogonalization_epsilon
        self.rng = np.random.RandomState(random_seed)
        self.iter = 0
        self.error_dict: dict[int, Array] = {}
        self.p_memory_dict: dict[int, Array] = {}
        self.q_memory_dict: dict[int, Array] = {}
        self.total_numel_before_compression = 0
        self.total_numel_after_compression = 0

    def maybe_increase_iter(self, bucket: GradBucket) -> None:
        """Count a step when its last bucket comes."""
        if bucket.is_last():
            self.iter += 1

    def compression_stats(self) -> tuple[float, int, int]:
        """Return the rate of compression, and the elements before and after it."""
        after = self.total_numel_after_compression
        before = self.total_numel_before_compression
        return (before / after if after else 0, before, after)


def powerSGD_hook(state: PowerSGDState, bucket: GradBucket) -> Future[Any]:
    """Average the gradients of a bucket, compressed by `PowerSGDState`'s rules."""
    if state.iter < state.start_powerSGD_iter:
        state.maybe_increase_iter(bucket)
        return averaged(state.process_group, bucket.buffer())
    return _WhenWaitedFor(_Exchange(state, bucket))


def batched_powerSGD_hook(state: PowerSGDState, bucket: GradBucket) -> Future[Any]:
    """Average the gradients of a bucket as one square matrix, whatever their shapes.

    It is quicker than `powerSGD_hook` where there are many small gradients, and coarser.
    """
    if state.iter < state.start_powerSGD_iter:
        state.maybe_increase_iter(bucket)
        return averaged(state.process_group, bucket.buffer())
    return _WhenWaitedFor(_SquareExchange(state, bucket))


class _WhenWaitedFor(Future[Any]):
    """The result of an exchange that goes on when it is waited for.

    Buckets are waited for in the same order on all ranks, as they must enter its reductions.
    """

    def __init__(self, exchange: _Exchange) -> None:
        super().__init__()
        self._exchange = exchange

    def wait(self) -> Any:
        """Complete the exchange, and return the bucket's tensor."""
        if not self.done():
            self.set_result(self._exchange.finish())
        return super().wait()


class _Exchange:
    """The compressed exchange of one bucket."""

    def __init__(self, state: PowerSGDState, bucket: GradBucket) -> None:
        self._state = state
        self._bucket = bucket
        number = bucket.index()
        self._memory = self._laid_out()
        if state.use_error_feedback:
            if number in state.error_dict:
                self._memory += state.error_dict[number]
            self._before = self._memory.copy()
        matrices = self._cut_into_matrices()
        compressed = [self._is_worth_it(*each.shape) for each in matrices]
        self._matrices = [m for m, worth in zip(matrices, compressed, strict=True) if worth]
        self._plain = [m for m, worth in zip(matrices, compressed, strict=True) if not worth]
        flat = [each.reshape(-1) for each in self._plain]
        self._rest: Any = new_tensor(
            np.concatenate(flat) if flat else np.empty(0, bucket.memory.dtype)
        )
        self._started = all_reduce(self._rest, group=state.process_group, async_op=True)
        self._prepare(number)

    def _laid_out(self) -> Array:
        """Return the memory of what is exchanged."""
        return self._bucket.memory

    def _cut_into_matrices(self) -> list[Array]:
        return [part.reshape(part.shape[0], -1) if part.ndim else part.reshape(1, 1)
                for part in self._bucket.parts]  # fmt: skip

    def _rank(self, rows: int, columns: int) -> int:
        return min(rows, columns, self._state.matrix_approximation_rank)

    def _is_worth_it(self, rows: int, columns: int) -> bool:
        state, before = self._state, rows * columns
        after = (rows + columns) * self._rank(rows, columns)
        worth = after * state.min_compression_rate < before
        state.total_numel_before_compression += before
        state.total_numel_after_compression += after if worth else before
        return worth

    def _prepare(self, number: int) -> None:
        """Lay out P and Q, Q orthonormal: that of the last step, or a random one."""
        state, dtype = self._state, self._bucket.memory.dtype
        fresh = not state.warm_start or number not in state.p_memory_dict
        if fresh:
            rows = sum(m.shape[0] * self._rank(*m.shape) for m in self._matrices)
            columns = sum(m.shape[1] * self._rank(*m.shape) for m in self._matrices)
            state.p_memory_dict[number] = np.zeros(rows, dtype)
            state.q_memory_dict[number] = np.zeros(columns, dtype)
        self._ps = self._cut(state.p_memory_dict[number], 0)
        self._qs = self._cut(state.q_memory_dict[number], 1)
        if fresh:
            generator = Generator().manual_seed(int(state.rng.randint(1_000_000_000)))
            for q in self._qs:
                q[...] = randn(1, *q.shape, generator=generator)._array[0]
        for q in self._qs:
            _orthonormalize(q, state.orthogonalization_epsilon)

    def _cut(self, memory: Array, side: int) -> list[Array]:
        shapes = [(m.shape[side], self._rank(*m.shape)) for m in self._matrices]
        cuts = np.cumsum([rows * columns for rows, columns in shapes])[:-1]
        parts = np.split(memory, cuts) if shapes else []
        return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]

    def finish(self) -> Any:
        """Exchange P and Q, and put their products into the bucket."""
        state, number = self._state, self._bucket.index()
        size = get_world_size(state.process_group)
        assert self._started is not None
        self._started.wait()
        plain = self._rest._array / size
        cuts = np.cumsum([each.size for each in self._plain])[:-1]
        for matrix, part in zip(self._plain, np.split(plain, cuts), strict=False):
            matrix[...] = part.reshape(matrix.shape)
        for matrix, p, q in zip(self._matrices, self._ps, self._qs, strict=True):
            np.matmul(matrix, q, out=p)
        all_reduce(new_tensor(state.p_memory_dict[number]), group=state.process_group)
        for matrix, p, q in zip(self._matrices, self._ps, self._qs, strict=True):
            _orthonormalize(p, state.orthogonalization_epsilon)
            np.matmul(matrix.T, p, out=q)
        all_reduce(new_tensor(state.q_memory_dict[number]), group=state.process_group)
        state.q_memory_dict[number] /= size
        for matrix, p, q in zip(self._matrices, self._ps, self._qs, strict=True):
            np.matmul(p, q.T, out=matrix)
        if state.use_error_feedback:
            state.error_dict[number] = self._before - self._memory
        if not state.warm_start:
            state.p_memory_dict.clear()
            state.q_memory_dict.clear()
        state.maybe_increase_iter(self._bucket)
        return self._bucket.buffer()


class _SquareExchange(_Exchange):
    """The exchange of a bucket as one square matrix, with zeros at the end."""

    def _laid_out(self) -> Array:
        flat = self._bucket.memory
        side = math.isqrt(flat.size - 1) + 1
        padded = np.zeros(side * side, flat.dtype)
        padded[: flat.size] = flat
        return padded

    def _cut_into_matrices(self) -> list[Array]:
        side = math.isqrt(self._memory.size)
        return [self._memory.reshape(side, side)]

    def _is_worth_it(self, rows: int, columns: int) -> bool:
        self._state.total_numel_before_compression += self._bucket.memory.size
        self._state.total_numel_after_compression += (rows + columns) * self._rank(rows, columns)
        return True

    def finish(self) -> Any:
        """Exchange P and Q, and put their product into the bucket."""
        super().finish()
        self._bucket.memory[...] = self._memory[: self._bucket.memory.size]
        return self._bucket.buffer()


def _orthonormalize(matrix: Array, epsilon: float) -> None:
    """Make the columns orthonormal, in place: by Gram and Schmidt, or for more than two by QR."""
    if matrix.shape[1] > 2:
        matrix[...] = np.linalg.qr(matrix)[0]
        return
    for number in range(matrix.shape[1]):
        column = matrix[:, number]
        column /= np.linalg.norm(column) + epsilon
        rest = matrix[:, number + 1 :]
        rest -= np.outer(column, column @ rest)

"""Which blocks of an attention's scores are computed: `BlockMask`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.dtypes import int32
from pellucid.errors import ArgumentError, GraphError
from pellucid.tensors import Tensor
from pellucid.tensors.creation import from_numpy

#: of batch, head, position in the query and in the keys, whether this key is looked at
MaskMod = Callable[[Any, Any, Any, Any], Any]

_BLOCKS = (
    "kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices", "q_num_blocks",
    "q_indices", "full_q_num_blocks", "full_q_indices",
)  # fmt: skip


def noop_mask(batch: Any, head: Any, token_q: Any, token_kv: Any) -> Any:
    """Return True: every key is looked at.

    Args:
        batch: Position in the batch.
        head: Head.
        token_q: Position in the query.
        token_kv: Position in the keys.
    """
    return batch.new_ones((), dtype=bool)


def _of_slice(*positions: Any) -> Any:
    raise GraphError(
        "Cannot use mask_mod from a sliced BlockMask: positions of the batch and of the heads mean "
        "others there. Make a mask for this part by create_block_mask, or set mask_mod."
    )


class BlockMask:
    """A sparse pattern of attention: the blocks of scores to compute, by rows and by columns.

    Of the blocks of each row, those that are looked at in part come with ``mask_mod``, those that
    are looked at whole without. `create_block_mask` makes one of a function.

    Args:
        seq_lengths: Lengths of the query and of the keys.
        kv_num_blocks: The number of blocks of each row ``[B, H, rows]`` (int32).
        kv_indices: Their columns, first those that count ``[B, H, rows, columns]``.
        full_kv_num_blocks: The number of blocks that are looked at whole, or ``None``.
        full_kv_indices: Their columns.
        q_num_blocks: The number of blocks of each column.
        q_indices: Their rows.
        full_q_num_blocks: The number of whole blocks of each column.
        full_q_indices: Their rows.
        BLOCK_SIZE: Rows and columns of a block.
        mask_mod: The function that says which keys are looked at.
    """

    def __init__(
        self, seq_lengths: tuple[int, int], kv_num_blocks: Tensor, kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None, full_kv_indices: Tensor | None,
        q_num_blocks: Tensor | None, q_indices: Tensor | None, full_q_num_blocks: Tensor | None,
        full_q_indices: Tensor | None, BLOCK_SIZE: tuple[int, int] = (128, 128),
        mask_mod: MaskMod = noop_mask,
    ) -> None:  # fmt: skip
        if kv_indices.dim() < 2:
            raise GraphError("BlockMask must have at least 2 dimensions")
        self.seq_lengths = seq_lengths
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices
        self.BLOCK_SIZE = BLOCK_SIZE
        self.mask_mod = mask_mod

    @classmethod
    def from_kv_blocks(
        cls, kv_num_blocks: Tensor, kv_indices: Tensor, full_kv_num_blocks: Tensor | None = None,
        full_kv_indices: Tensor | None = None, BLOCK_SIZE: int | tuple[int, int] = 128,
        mask_mod: MaskMod | None = None, seq_lengths: tuple[int, int] | None = None,
        compute_q_blocks: bool = True,
    ) -> BlockMask:  # fmt: skip
        """Return the mask of the blocks of each row; those of columns follow.

        Args:
            kv_num_blocks: As for `BlockMask`.
            kv_indices: As for `BlockMask`.
            full_kv_num_blocks: As for `BlockMask`.
            full_kv_indices: As for `BlockMask`.
            BLOCK_SIZE: Rows and columns of a block, or both in one number.
            mask_mod: As for `BlockMask`; every key if None.
            seq_lengths: Lengths of the query and of the keys; whole blocks if None.
            compute_q_blocks: Whether the blocks of columns are computed.
        """
        if (full_kv_num_blocks is None) != (full_kv_indices is None):
            raise ArgumentError(
                "full_kv_num_blocks and full_kv_indices must be both provided or omitted"
            )
        sizes = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
        rows, columns = kv_indices.shape[-2:]
        lengths = seq_lengths or (rows * sizes[0], columns * sizes[1])
        by_row = [(kv_num_blocks, kv_indices), (full_kv_num_blocks, full_kv_indices)]
        by_column = [
            (None, None)
            if count is None or not compute_q_blocks
            else ordered(np.swapaxes(_dense(count, indices), -1, -2))
            for count, indices in by_row
        ]
        found: list[Any] = [each for pair in (*by_row, *by_column) for each in pair]
        blocks = dict(zip(_BLOCKS, found, strict=True))
        return cls(lengths, **blocks, BLOCK_SIZE=sizes, mask_mod=mask_mod or noop_mask)

    @property
    def shape(self) -> tuple[int, ...]:
        """Batch, heads, and the lengths of the query and of the keys."""
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def numel(self) -> int:
        """Return the number of scores, computed or not."""
        return int(np.prod(self.shape))

    def sparsity(self) -> float:
        """Return how many percent of the scores are not computed."""
        computed = float(self._present().sum() * self.BLOCK_SIZE[0] * self.BLOCK_SIZE[1])
        return 100.0 * (1 - computed / self.numel())

    def to_dense(self) -> Tensor:
        """Return 1 for each block that is computed ``[B, H, rows, columns]`` (int32)."""
        return from_numpy(self._present().astype(np.int32))

    def as_tuple(self, flatten: bool = True) -> tuple[Any, ...]:
        """Return lengths, blocks, block sizes and function; lengths and sizes one by one.

        Args:
            flatten: Whether the two lengths, and the two sizes of a block, stand one by one.
        """
        blocks = (getattr(self, name) for name in _BLOCKS)
        lengths = self.seq_lengths if flatten else (self.seq_lengths,)
        sizes = self.BLOCK_SIZE if flatten else (self.BLOCK_SIZE,)
        return (*lengths, *blocks, *sizes, self.mask_mod)

    def to(self, device: Any) -> BlockMask:
        """Return the mask with its tensors on a device.

        Args:
            device: A device.
        """
        return self._with(lambda each: each.to(device), self.mask_mod)

    def __getitem__(self, index: Any) -> BlockMask:
        """Return the mask of a part of the batch or of the heads; its function is not known."""
        parts = index if isinstance(index, tuple) else (index,)
        kept = tuple(
            slice(each, each + 1 or None) if isinstance(each, int) else each for each in parts
        )
        return self._with(lambda each: each[kept], _of_slice)

    def _with(self, change: Callable[[Tensor], Tensor], mask_mod: MaskMod) -> BlockMask:
        found: dict[str, Any] = {name: getattr(self, name) for name in _BLOCKS}
        blocks: dict[str, Any] = {
            name: None if each is None else change(each) for name, each in found.items()
        }
        return BlockMask(
            self.seq_lengths, **blocks, BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=mask_mod
        )  # fmt: skip

    def _present(self) -> np.ndarray[Any, Any]:
        """Return which blocks are computed."""
        return _dense(self.kv_num_blocks, self.kv_indices) | self._whole()

    def _whole(self) -> np.ndarray[Any, Any]:
        """Return which blocks are computed without asking ``mask_mod``."""
        if self.full_kv_num_blocks is None:
            return np.zeros(tuple(self.kv_indices.shape), bool)
        return _dense(self.full_kv_num_blocks, self.full_kv_indices)

    def present_and_whole(self) -> tuple[Tensor, Tensor]:
        """Return for each score whether its block is computed, and whether it is whole."""
        q_length, kv_length = self.seq_lengths
        spread = [
            from_numpy(_spread(each, self.BLOCK_SIZE)[..., :q_length, :kv_length])
            for each in (self._present(), self._whole())
        ]
        return spread[0], spread[1]

    def to_string(self, grid_size: int | tuple[int, int] = (20, 20), limit: int = 4) -> str:
        """Return a drawing: a full block is computed, a shaded one in part, a blank one not.

        Args:
            grid_size: The largest number of rows and columns of the drawing; -1 for all.
            limit: How many parts of the batch and heads are drawn.
        """
        dense = self._present()
        most = (grid_size, grid_size) if isinstance(grid_size, int) else grid_size
        places = list(np.ndindex(*dense.shape[:-2]))
        drawn = [f"{place}\n{_drawing(dense[place], most)}" for place in places[:limit]]
        if len(places) > limit:
            drawn.append("...\nTo print out more, set BlockMask.to_string(limit=N)")
        return "\n".join(drawn)

    def __str__(self) -> str:
        return (
            f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, \n"
            f"{self.to_string()}\n)"
        )

    def __repr__(self) -> str:
        lines = [f"{name}={getattr(getattr(self, name), 'shape', None)}" for name in _BLOCKS]
        lines += [
            f"BLOCK_SIZE={self.BLOCK_SIZE}", f"shape={self.shape}",
            f"sparsity={self.sparsity():.2f}%",
            f"mask_mod={getattr(self.mask_mod, '__name__', self.mask_mod)}",
        ]  # fmt: skip
        return "BlockMask(\n    " + ",\n    ".join(lines) + "\n)"


def ordered(dense: np.ndarray[Any, Any]) -> tuple[Tensor, Tensor]:
    """Return the number of blocks in each row of a dense pattern, and their columns first."""
    indices = np.argsort(~dense, axis=-1, kind="stable")
    return from_numpy(dense.sum(-1)).to(int32), from_numpy(indices).to(int32)


def _dense(counts: Any, indices: Any) -> np.ndarray[Any, Any]:
    """Return which columns are among the indices, of which the first ``counts`` count."""
    columns = indices.shape[-1]
    counted = np.arange(columns) < counts.numpy()[..., None]
    dense = np.zeros(tuple(indices.shape), bool)
    np.put_along_axis(dense, indices.numpy().astype(np.int64), counted, -1)
    return dense


def _spread(blocks: np.ndarray[Any, Any], sizes: tuple[int, int]) -> np.ndarray[Any, Any]:
    return blocks.repeat(sizes[0], -2).repeat(sizes[1], -1)


def _drawing(blocks: np.ndarray[Any, Any], most: tuple[int, int]) -> str:
    steps = [
        1 if limit == -1 else max(1, -(-size // limit))
        for size, limit in zip(blocks.shape, most, strict=True)
    ]
    lines = []
    for row in range(0, blocks.shape[0], steps[0]):
        shares = [
            blocks[row : row + steps[0], column : column + steps[1]].mean()
            for column in range(0, blocks.shape[1], steps[1])
        ]
        lines.append("".join("██" if each == 1 else "░░" if each else "  " for each in shares))
    return "\n".join(lines)

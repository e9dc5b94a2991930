"""Attention whose scores a function changes, and whose mask a function is.

Dong, Feng, Guessous, Liang, He, "Flex Attention: A Programming Model for Generating Optimized
Attention Kernels", 2024. All scores are computed: a block mask decides what is seen, not what is
computed.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pellucid.compat.flex.block_mask import BlockMask, MaskMod, noop_mask, ordered
from pellucid.dtypes import float32, float64, int32
from pellucid.errors import ArgumentError, ShapeError, UnimplementedError
from pellucid.func import vmap
from pellucid.ops.elementwise.conditional import where
from pellucid.tensors import Tensor
from pellucid.tensors.creation import tensor
from pellucid.tensors.ranges import arange

__all__ = [
    "AuxOutput", "AuxRequest", "BlockMask", "and_masks", "create_block_mask", "create_mask",
    "flex_attention", "noop_mask", "or_masks",
]  # fmt: skip

#: a score with its batch, head, position in the query and in the keys, and the one to take instead
ScoreMod = Callable[[Any, Any, Any, Any, Any], Any]

_DEFAULT_SPARSE_BLOCK_SIZE = 128


class AuxRequest(NamedTuple):
    """What `flex_attention` is to return beside its result."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """What `flex_attention` returns beside its result: what was asked for, else None."""

    lse: Tensor | None = None
    max_scores: Tensor | None = None


def _over_positions(function: Callable[..., Any], has_score: bool) -> Callable[..., Any]:
    """Return a function of all positions from one of a single one."""
    score = (0,) if has_score else ()
    for place in (3, 2, 1, 0):
        positions = tuple(0 if number == place else None for number in range(4))
        function = vmap(function, in_dims=(*score, *positions))
    return function


def _positions(batch: int, heads: int, q_length: int, kv_length: int) -> list[Tensor]:
    return [arange(size, dtype=int32) for size in (batch, heads, q_length, kv_length)]


def and_masks(*mask_mods: MaskMod) -> MaskMod:
    """Return the function of a mask that is true where all are.

    Args:
        mask_mods: Functions of masks.
    """
    return _joined("and_mask", mask_mods, operator.and_, True)


def or_masks(*mask_mods: MaskMod) -> MaskMod:
    """Return the function of a mask that is true where any is.

    Args:
        mask_mods: Functions of masks.
    """
    return _joined("or_mask", mask_mods, operator.or_, False)


def _joined(
    name: str, mask_mods: tuple[MaskMod, ...], join: Callable[[Any, Any], Any], of_none: bool
) -> MaskMod:
    if not all(map(callable, mask_mods)):
        raise UnimplementedError(f"All inputs should be callable mask_mods: {mask_mods}")

    def mask(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
        found = (each(b, h, q_idx, kv_idx) for each in mask_mods)
        return functools.reduce(join, found, tensor(of_none))

    mask.__name__ = name
    return mask


def create_mask(
    mod_fn: Any, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None,
) -> Tensor:  # fmt: skip
    """Return the mask that a function is ``[B, H, Q_LEN, KV_LEN]`` (bool).

    Args:
        mod_fn: A function of batch, head and two positions; or of a score and these, which masks
            where it gives minus infinity.
        B: Size of the batch; 1 if None.
        H: Number of heads; 1 if None.
        Q_LEN: Length of the query.
        KV_LEN: Length of the keys.
        device: The CPU.

    >>> from pellucid.nn.attention.flex_attention import create_mask
    >>> create_mask(lambda b, h, q, kv: q >= kv, None, None, 2, 2)
    tensor([[[[ True, False],
              [ True,  True]]]])
    """
    sizes = (B or 1, H or 1, Q_LEN, KV_LEN)
    changes_scores = mod_fn.__code__.co_argcount == 5 if hasattr(mod_fn, "__code__") else False
    if changes_scores:
        scores = _over_positions(mod_fn, True)(tensor(0.0).expand(sizes), *_positions(*sizes))
        return scores != -math.inf
    return _mask(mod_fn, *sizes)


def _mask(mask_mod: MaskMod, *sizes: int) -> Tensor:
    return _over_positions(mask_mod, False)(*_positions(*sizes))


def create_block_mask(
    mask_mod: MaskMod, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None,
    BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE, _compile: bool = False,
    separate_full_blocks: bool = True,
) -> BlockMask:  # fmt: skip
    """Return the blocks of scores in which a function looks at any key.

    Args:
        mask_mod: A function of batch, head, position in the query and in the keys, whether this
            key is looked at.
        B: Size of the batch; 1, for all alike, if None.
        H: Number of heads; 1, for all alike, if None.
        Q_LEN: Length of the query.
        KV_LEN: Length of the keys.
        device: The CPU.
        BLOCK_SIZE: Rows and columns of a block, or both in one number.
        _compile: Accepted, and without effect.
        separate_full_blocks: Whether blocks that are looked at whole are kept apart.

    >>> from pellucid.nn.attention.flex_attention import create_block_mask
    >>> print(create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 4, 4, BLOCK_SIZE=2))
    BlockMask(shape=(1, 1, 4, 4), sparsity=25.00%,...
    (0, 0)
    ██...
    ████
    )
    """
    sizes = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
    mask = _mask(mask_mod, B or 1, H or 1, Q_LEN, KV_LEN).numpy()
    rows, columns = (-(-n // size) for n, size in zip((Q_LEN, KV_LEN), sizes, strict=True))
    margins = [(0, 0), (0, 0), (0, rows * sizes[0] - Q_LEN), (0, columns * sizes[1] - KV_LEN)]
    blocks = np.pad(mask, margins).reshape(*mask.shape[:2], rows, sizes[0], columns, sizes[1])
    some, whole = (np.asarray(each) for each in (blocks.any((3, 5)), blocks.all((3, 5))))
    if not separate_full_blocks:
        return BlockMask.from_kv_blocks(
            *ordered(some), None, None, sizes, mask_mod, (Q_LEN, KV_LEN)
        )
    parts = (*ordered(some & ~whole), *ordered(whole))
    return BlockMask.from_kv_blocks(*parts, sizes, mask_mod, (Q_LEN, KV_LEN))


def flex_attention(
    query: Tensor, key: Tensor, value: Tensor, score_mod: ScoreMod | None = None,
    block_mask: BlockMask | None = None, scale: float | None = None, enable_gqa: bool = False,
    return_lse: bool = False, kernel_options: Any = None, *, return_aux: AuxRequest | None = None,
) -> Any:  # fmt: skip
    """Return attention's sums of values, with scores and mask that functions give.

    Scores are computed in float32, in float64 for operands of that dtype. A row that looks at no
    key gives zeros.

    Args:
        query: Queries ``[B, Hq, L, E]``.
        key: Keys ``[B, Hkv, S, E]``.
        value: Values ``[B, Hkv, S, Ev]``.
        score_mod: A function of a score, batch, head, position in the query and in the keys, that
            gives the score to take instead.
        block_mask: Which keys are looked at; all if None.
        scale: Factor of the scores; ``1 / sqrt(E)`` if None.
        enable_gqa: Whether several heads of the query may share one of the keys.
        return_lse: Whether the logarithm of the sum of each row's exponentials
            ``[B, Hq, L]`` is returned too.
        kernel_options: Accepted, and without effect.
        return_aux: What is returned in an `AuxOutput` beside the result.

    Raises:
        ValueError: For shapes that do not fit.
        NotImplementedError: For operands with other than four dimensions.

    >>> from pellucid.nn.attention.flex_attention import flex_attention
    >>> q = torch.ones(1, 1, 2, 4)
    >>> flex_attention(q, q, q, score_mod=lambda s, b, h, i, j: s - (i - j).abs()).shape
    torch.Size([1, 1, 2, 4])
    """
    key, value = _checked(query, key, value, block_mask, enable_gqa)
    dtype = float64 if query.dtype == float64 else float32
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = (query.to(dtype) @ key.to(dtype).transpose(-2, -1)) * factor
    sizes = tuple(scores.shape)
    if score_mod is not None:
        scores = _over_positions(score_mod, True)(scores, *_positions(*sizes)).to(dtype)
    if block_mask is not None:
        scores = where(_seen(block_mask, sizes), scores, -math.inf)
    lse = scores.logsumexp(-1)
    sees_nothing = (lse == -math.inf)[..., None]
    weights = scores.masked_fill(sees_nothing, 0.0).softmax(-1).masked_fill(sees_nothing, 0.0)
    out = (weights.to(value.dtype) @ value).to(query.dtype)
    if return_aux is not None:
        most = scores.amax(-1) if return_aux.max_scores else None
        return out, AuxOutput(lse if return_aux.lse else None, most)
    return (out, lse) if return_lse else out


def _seen(block_mask: BlockMask, sizes: tuple[int, ...]) -> Tensor:
    """Return which keys are looked at, by the blocks and by their function."""
    batch, heads = block_mask.shape[:2]
    present, whole = block_mask.present_and_whole()
    if bool(whole.logical_or(~present).all()):
        return present
    asked = sizes if (batch, heads) != (1, 1) else (1, 1, *sizes[2:])
    return present & (whole | _mask(block_mask.mask_mod, *asked))


def _checked(
    query: Tensor, key: Tensor, value: Tensor, block_mask: BlockMask | None, enable_gqa: bool
) -> tuple[Tensor, Tensor]:
    """Return keys and values with as many heads as the query; raise where shapes do not fit."""
    if any(each.dim() != 4 for each in (query, key, value)):
        raise UnimplementedError("NYI: query, key, and value must be 4D tensors")
    (batch, heads, length, size), (key_batch, key_heads, key_length, key_size) = (
        query.shape, key.shape,
    )  # fmt: skip
    if size != key_size:
        raise ArgumentError(
            f"Expect query and key/value to have the same embedding dimension but got E={size} and "
            f"E={key_size}."
        )
    if tuple(value.shape[:3]) != tuple(key.shape[:3]):
        raise ShapeError(
            f"Expect key and value to have the same batch, heads and length but got "
            f"{tuple(key.shape[:3])} and {tuple(value.shape[:3])}."
        )
    if batch != key_batch and (block_mask is None or key_batch != 1):
        raise ArgumentError(
            "Expect query and key/value to have the same batch size, or non-none block_mask, but "
            f"got {block_mask=}, Bq={batch}, and Bkv={key_batch}."
        )
    if heads != key_heads and not enable_gqa:
        raise ArgumentError(
            "Expect query and key/value to have the same number of heads but got "
            f"Hq={heads} and Hkv={key_heads}. Try setting enable_gqa=True for GQA."
        )
    if heads % key_heads:
        raise ArgumentError(
            "Expect number of query heads to be a multiple of kv heads for GQA but got "
            f"Hq={heads} and Hkv={key_heads}."
        )
    if block_mask is not None and block_mask.seq_lengths != (length, key_length):
        raise ArgumentError(
            f"block_mask was created for block_mask.shape={block_mask.shape} but got "
            f"q_len={length} and kv_len={key_length}. Make one for these lengths by "
            "create_block_mask."
        )
    if heads == key_heads:
        return key, value
    times = heads // key_heads
    return key.repeat_interleave(times, 1), value.repeat_interleave(times, 1)

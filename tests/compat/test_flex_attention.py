"""Attention with functions for scores and masks, against plain definitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.compat.flex.attention import (
    AuxRequest,
    BlockMask,
    and_masks,
    create_block_mask,
    create_mask,
    flex_attention,
    or_masks,
)
from pellucid.testing.gradcheck import gradcheck

BIAS = torch.linspace(-1, 1, 6)


def causal(b: Any, h: Any, q: Any, kv: Any) -> Any:
    return q >= kv


def near(b: Any, h: Any, q: Any, kv: Any) -> Any:
    return (q - kv).abs() <= 1


def distance(score: Any, b: Any, h: Any, q: Any, kv: Any) -> Any:
    return score - (h + 1) * (q - kv).abs() + BIAS[kv]


def operands(*, heads: int = 2, **options: Any) -> list[Any]:
    torch.manual_seed(0)
    return [torch.randn(2, n, 6, 4, **options) for n in (2, heads, heads)]


def defined(q: Any, k: Any, v: Any, score_mod: Any, mask_mod: Any) -> np.ndarray[Any, Any]:
    """Return attention position by position, in Python's own numbers."""
    out = np.zeros(v.shape)
    for b, h, i in np.ndindex(*q.shape[:3]):
        scores = []
        for j in range(k.shape[2]):
            at = tuple(torch.tensor(each) for each in (b, h, i, j))
            score = (q[b, h, i] * k[b, h, j]).sum() / math.sqrt(q.shape[-1])
            score = score if score_mod is None else score_mod(score, *at)
            seen = mask_mod is None or bool(mask_mod(*at))
            scores.append(float(score) if seen else -math.inf)
        weights = np.exp(np.array(scores) - max(scores))
        out[b, h, i] = (weights / weights.sum()) @ v[b, h].numpy()
    return out


@pytest.mark.parametrize("score_mod", [None, distance])
@pytest.mark.parametrize("mask_mod", [None, causal, near])
def test_attention_is_what_its_definition_says(score_mod: Any, mask_mod: Any) -> None:
    q, k, v = operands()
    mask = None if mask_mod is None else create_block_mask(mask_mod, 2, 2, 6, 6, BLOCK_SIZE=4)
    out = flex_attention(q, k, v, score_mod, mask)
    np.testing.assert_allclose(out.numpy(), defined(q, k, v, score_mod, mask_mod), atol=1e-5)


def test_gradients_are_those_of_finite_differences() -> None:
    qkv = [each[:1].double().requires_grad_() for each in operands()]
    mask = create_block_mask(near, None, None, 6, 6, BLOCK_SIZE=4)
    assert gradcheck(lambda *each: flex_attention(*each, score_mod=distance, block_mask=mask), qkv)


def test_a_row_that_looks_at_no_key_gives_zeros_and_no_gradient() -> None:
    q, k, v = operands(requires_grad=True)
    mask = create_block_mask(lambda b, h, i, j: i > j, None, None, 6, 6)
    out, lse = flex_attention(q, k, v, block_mask=mask, return_lse=True)
    out.sum().backward()
    assert out[:, :, 0].abs().sum() == 0
    assert lse[0, 0, 0] == -math.inf
    assert q.grad[:, :, 0].abs().sum() == 0
    assert all(each.grad.isfinite().all() for each in (q, k, v))


def test_heads_of_the_query_share_those_of_the_keys() -> None:
    q, k, v = operands(heads=1)
    shared = flex_attention(q, k, v, enable_gqa=True)
    alone = flex_attention(q, k.expand(2, 2, 6, 4), v.expand(2, 2, 6, 4))
    assert torch.equal(shared, alone)
    with pytest.raises(ValueError, match=r"Hq=2 and Hkv=1\. Try setting enable_gqa=True"):
        flex_attention(q, k, v)


def test_what_is_returned_beside_the_result() -> None:
    q, k, v = operands()
    _, aux = flex_attention(q, k, v, return_aux=AuxRequest(lse=True, max_scores=True))
    scores = (q @ k.transpose(-1, -2)) / 2
    torch.testing.assert_close(aux.lse, scores.logsumexp(-1))
    torch.testing.assert_close(aux.max_scores, scores.amax(-1))


# ---- masks -------------------------------------------------------------------------------------


def test_the_blocks_of_a_mask_are_those_with_a_key_that_is_looked_at() -> None:
    mask = create_block_mask(causal, None, None, 300, 300)
    assert mask.to_dense().tolist() == [[[[1, 0, 0], [1, 1, 0], [1, 1, 1]]]]
    assert mask.kv_num_blocks.tolist() == [[[1, 1, 3]]]  # those cut by the diagonal or the end
    assert mask.full_kv_num_blocks.tolist() == [[[0, 1, 0]]]
    assert mask.kv_indices.tolist() == [[[[0, 1, 2], [1, 0, 2], [0, 1, 2]]]]
    assert mask.q_indices.tolist() == [[[[0, 2, 1], [1, 2, 0], [2, 0, 1]]]]
    assert mask.shape == (1, 1, 300, 300)
    assert mask.sparsity() == pytest.approx(100 * (1 - 6 * 128**2 / 300**2))


def test_blocks_that_are_given_are_looked_at_and_no_others() -> None:
    q, k, v = operands()
    count, columns = torch.tensor([[[1, 1]]]).int(), torch.tensor([[[[0, 1], [1, 0]]]]).int()
    mask = BlockMask.from_kv_blocks(count, columns, BLOCK_SIZE=3)
    out = flex_attention(q, k, v, block_mask=mask)
    for part in (slice(0, 3), slice(3, 6)):
        alone = flex_attention(q[:, :, part], k[:, :, part], v[:, :, part])
        torch.testing.assert_close(out[:, :, part], alone)


def test_masks_are_joined() -> None:
    both = create_mask(and_masks(causal, near), None, None, 4, 4)
    either = create_mask(or_masks(causal, near), None, None, 4, 4)
    i, j = np.indices((4, 4))
    assert both[0, 0].tolist() == ((i >= j) & (abs(i - j) <= 1)).tolist()
    assert either[0, 0].tolist() == ((i >= j) | (abs(i - j) <= 1)).tolist()
    with pytest.raises(NotImplementedError, match="should be callable"):
        and_masks(causal, 3)  # pyright: ignore[reportArgumentType]


def test_a_mask_by_batch_and_head_has_parts() -> None:
    mask = create_block_mask(lambda b, h, q, kv: q * b >= kv * h, 3, 2, 8, 8, BLOCK_SIZE=4)
    assert torch.equal(mask[1].to_dense(), mask.to_dense()[1:2])
    assert torch.equal(mask[:, -1].to_dense(), mask.to_dense()[:, 1:])
    q = torch.randn(1, 2, 8, 4)
    with pytest.raises(RuntimeError, match="from a sliced BlockMask"):
        flex_attention(q, q, q, block_mask=mask[1])


def test_a_mask_is_drawn() -> None:
    text = str(create_block_mask(causal, None, None, 8, 8, BLOCK_SIZE=4))
    assert text.splitlines()[1:4] == ["(0, 0)", "██  ", "████"]
    assert "kv_indices=torch.Size([1, 1, 2, 2])" in repr(
        create_block_mask(causal, None, None, 8, 8, BLOCK_SIZE=4)
    )


@pytest.mark.parametrize(
    ("shapes", "sentence"),
    [
        (((2, 6, 4), (2, 2, 6, 4), (2, 2, 6, 4)), "must be 4D tensors"),
        (((2, 2, 6, 4), (2, 2, 6, 3), (2, 2, 6, 4)), "got E=4 and E=3"),
        (((2, 2, 6, 4), (1, 2, 6, 4), (1, 2, 6, 4)), "Bq=2, and Bkv=1"),
        (((2, 3, 6, 4), (2, 2, 6, 4), (2, 2, 6, 4)), "multiple of kv heads"),
        (((2, 2, 6, 4), (2, 2, 6, 4), (2, 2, 5, 4)), "same batch, heads and length"),
    ],
)
def test_shapes_that_do_not_fit_are_told(shapes: Any, sentence: str) -> None:
    with pytest.raises((ValueError, RuntimeError), match=sentence):
        flex_attention(*map(torch.zeros, shapes), enable_gqa=True)


def test_a_mask_for_other_lengths_is_told() -> None:
    q, k, v = operands()
    with pytest.raises(ValueError, match="but got q_len=6 and kv_len=6"):
        flex_attention(q, k, v, block_mask=create_block_mask(causal, None, None, 8, 8))

"""`flex_attention` and its masks give what PyTorch's give; PyTorch has no gradients on the CPU."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import pellucid

torch = pytest.importorskip("torch")

MASKS = {
    "causal": lambda b, h, q, kv: q >= kv,
    "window": lambda b, h, q, kv: (q - kv).abs() <= 3,
    "by head": lambda b, h, q, kv: q >= kv + h,
    "documents": lambda b, h, q, kv: q // 5 == kv // 5,
}
SCORES = {
    "plain": None,
    "distance": lambda score, b, h, q, kv: score - (q - kv).abs(),
    "capped": lambda score, b, h, q, kv: 2 * (score / 2).tanh(),
    "by head": lambda score, b, h, q, kv: score * (h + 1) + b,
}


def flex(library: ModuleType) -> Any:
    return importlib.import_module(f"{library.__name__}.nn.attention.flex_attention")


def masked(library: ModuleType, mask: str) -> Any:
    heads = 2 if mask == "by head" else None
    return flex(library).create_block_mask(
        MASKS[mask], None, heads, 20, 20, device="cpu", BLOCK_SIZE=8
    )


def attended(library: ModuleType, score: str, mask: str) -> list[Any]:
    rng = np.random.default_rng(0)
    q, k, v = (library.from_numpy(rng.normal(size=(2, 2, 20, 4))) for _ in range(3))
    out, lse = flex(library).flex_attention(
        q, k, v, SCORES[score], masked(library, mask), return_lse=True
    )
    return [out.numpy(), lse.numpy()]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("mask", MASKS)
def test_results_agree(score: str, mask: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flex(torch), "_FLEX_ATTENTION_DISABLE_COMPILE_DEBUG", True)
    for ours, theirs in zip(
        attended(pellucid, score, mask), attended(torch, score, mask), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("mask", MASKS)
def test_masks_have_the_same_blocks_and_print_alike(mask: str) -> None:
    ours, theirs = masked(pellucid, mask), masked(torch, mask)
    for name in ("kv", "q", "full_kv", "full_q"):
        counts = getattr(ours, f"{name}_num_blocks"), getattr(theirs, f"{name}_num_blocks")
        assert counts[0].tolist() == counts[1].tolist()
        indices = getattr(ours, f"{name}_indices"), getattr(theirs, f"{name}_indices")
        assert indices[0].tolist() == indices[1].tolist()
    assert ours.sparsity() == pytest.approx(theirs.sparsity())
    assert ours.shape == theirs.shape
    assert str(ours).split() == str(theirs).split()
    assert repr(ours) == repr(theirs)

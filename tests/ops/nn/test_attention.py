"""Attention in blocks is attention; it saves no weights."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as torch
from pellucid.kernels.active import cpu
from pellucid.kernels.numpy import attention
from tests.samples.grouped import together

attend = torch.nn.functional.scaled_dot_product_attention


@pytest.fixture(params=[None, 1, 7, 1 << 22])
def block(request, monkeypatch):
    """Take the kernel in use, or NumPy's with blocks of so many scores."""
    if request.param is not None:
        monkeypatch.setattr(attention, "_BLOCK", request.param)
        monkeypatch.setattr(cpu, "attention", attention.attention)
        monkeypatch.setattr(cpu, "attention_to_inputs", attention.attention_to_inputs)


def operands(queries=5, keys=6):
    torch.manual_seed(0)
    shapes = [(2, 3, queries, 4), (2, 3, keys, 4), (2, 3, keys, 2)]
    return [torch.randn(*shape, dtype=torch.float64, requires_grad=True) for shape in shapes]


def defined(query, key, value, scale, is_causal):
    """Attention by its definition, with NumPy."""
    q, k, v = (each.detach().numpy() for each in (query, key, value))
    scores = q @ k.swapaxes(-1, -2) * scale
    if is_causal:
        scores = np.where(np.tri(q.shape[-2], k.shape[-2], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


@together()
@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize(("queries", "keys"), [(5, 6), (6, 5), (1, 1)])
def test_blocks_give_what_the_definition_gives(queries, keys, is_causal):
    q, k, v = operands(queries, keys)
    out = attend(q, k, v, is_causal=is_causal, scale=0.7)
    np.testing.assert_allclose(out.detach().numpy(), defined(q, k, v, 0.7, is_causal), rtol=1e-12)


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("is_causal", [False, True])
def test_gradients_of_blocks_are_those_of_differences(is_causal):
    def run(*given):
        return attend(*given, is_causal=is_causal)

    assert torch.autograd.gradcheck(run, operands(), fast_mode=True)
    assert torch.autograd.gradgradcheck(run, operands(2, 3), fast_mode=True)


@pytest.mark.usefixtures("block")
def test_only_the_operands_are_saved():
    q, k, v = operands()
    saved = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: saved.append(t.shape) or t, lambda t: t
    ):
        attend(q, k, v)
    assert set(saved) == {q.shape, k.shape, v.shape}


def test_masks_go_all_at_once():
    q, k, v = operands()
    seen = torch.ones(5, 6, dtype=torch.bool)
    assert attend(q, k, v, seen).grad_fn.op.name == "matmul"
    assert attend(q, k, v).grad_fn.op.name == "flash_attention"

"""Autocast computes each operation in PyTorch's dtype; GradScaler does what PyTorch's does."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import pellucid
from tests.samples.running import builtin_class

torch = pytest.importorskip("torch")

EXPRESSIONS = """
a @ a
torch.mm(a, a)
torch.mv(a, v)
torch.dot(v, v)
torch.addmm(a, a, a)
torch.addmv(v, a, v)
torch.addr(a, v, v)
torch.bmm(t, t2)
torch.baddbmm(torch.zeros(1), t, t2)
torch.addbmm(torch.zeros(3, 5), t, t2)
torch.outer(v, v)
torch.inner(a, a)
torch.vdot(v, v)
torch.chain_matmul(a, a)
torch.linalg.multi_dot([a, a, a])
torch.linalg.vecdot(v, v)
torch.einsum('ij,jk->ik', a, a)
torch.tensordot(a, a, 1)
torch.kron(a, a)
F.linear(a, a, v)
F.conv1d(seq, torch.ones(3, 4, 3))
F.conv2d(img, torch.ones(3, 4, 3, 3), torch.ones(3))
F.conv2d(img, torch.ones(3, 4, 3, 3), padding='same')
F.conv3d(vol, torch.ones(2, 2, 2, 2, 2))
F.conv_transpose1d(seq, torch.ones(4, 2, 3))
F.conv_transpose2d(img, torch.ones(4, 2, 3, 3))
F.conv_transpose3d(vol, torch.ones(2, 2, 2, 2, 2))
F.prelu(a, torch.tensor([.1]))
F.scaled_dot_product_attention(t, t, t)
torch.matrix_power(a, 3)
F.avg_pool2d(img, 2)
F.avg_pool3d(vol, 2)
F.max_pool2d(img, 2)
F.max_pool3d(vol, 2)
F.adaptive_avg_pool2d(img, 2)
F.adaptive_avg_pool3d(vol, 2)
F.adaptive_max_pool3d(vol, 2)
F.lp_pool2d(img, 2., 2)
F.binary_cross_entropy(p, p)
F.binary_cross_entropy_with_logits(a, p)
F.cross_entropy(a, idx)
F.nll_loss(a, idx)
F.mse_loss(a, a)
F.l1_loss(a, a)
F.smooth_l1_loss(a, a)
F.huber_loss(a, a)
F.kl_div(a, a, reduction='sum')
F.soft_margin_loss(a, a)
F.hinge_embedding_loss(a, a)
F.poisson_nll_loss(a, a)
F.gaussian_nll_loss(a, a, p)
F.margin_ranking_loss(v, v, v)
F.cosine_embedding_loss(a, a, v)
F.triplet_margin_loss(a, a, a)
F.multi_margin_loss(a, idx)
F.multilabel_soft_margin_loss(a, p)
torch.prod(a)
torch.prod(a, 1)
torch.cdist(a, a)
torch.trace(a)
torch.linalg.cholesky(psd)
torch.linalg.inv(psd)
torch.linalg.solve(psd, v)
torch.linalg.svd(a)
torch.linalg.qr(a)
torch.linalg.eigh(psd)
torch.linalg.eigvalsh(psd)
torch.linalg.norm(a)
torch.pinverse(a)
torch.linalg.matrix_rank(a)
torch.linalg.cond(a)
torch.fft.fft(v)
torch.fft.rfft(v)
torch.polar(v, v)
torch.view_as_complex(a[:, :2].contiguous())
F.grid_sample(img, torch.zeros(2, 3, 3, 2), align_corners=False)
F.pad(img, (1, 1, 1, 1), 'reflect')
F.pad(img, (1, 1, 1, 1), 'replicate')
F.pad(img, (1, 1, 1, 1))
F.interpolate(img, scale_factor=2)
F.softmax(a, 1)
F.log_softmax(a, 1)
a.exp()
a.sum()
a.mean()
a.cumsum(0)
F.layer_norm(a, (3,))
F.batch_norm(a, None, None, training=True)
F.group_norm(img, 2)
F.gelu(a)
a + a
a / a
a ** 2
torch.stack([a, a.float()])
torch.cat([a, a.float()])
torch.index_copy(a, 0, idx, a.float())
torch.where(a > 0, a, a)
torch.norm(a)
torch.cosine_similarity(a, a)
F.embedding(idx, a)
F.normalize(a)
F.unfold(img, 2)
F.fold(torch.ones(1, 4, 4), (3, 3), 2)
torch.cov(a)
F.rms_norm(a, (3,))
F.local_response_norm(img, 2)
torch.logsumexp(a, 1)
torch.var(a)
torch.nn.RNN(3, 3)(a)[0]
torch.nn.GRU(3, 3)(a)[0]
torch.nn.LSTMCell(3, 3)(a)[0]
torch.nn.MultiheadAttention(4, 2)(t, t, t)[0]
torch.nn.TransformerEncoderLayer(4, 2, 8)(t)
torch.mm(a.float(), a.float(), out=torch.zeros(3, 3))
torch.zeros(3, 3, dtype=a.dtype).addmm_(a, a)
a.double() @ a.double()
"""


def operands(library: Any, dtype: str) -> dict[str, Any]:
    random = np.random.default_rng(0)

    def tensor(values: np.ndarray) -> Any:
        return library.from_numpy(values.astype(np.float32)).to(getattr(library, dtype))

    a = random.standard_normal((3, 3))
    shapes = {
        "v": (3,), "img": (2, 4, 6, 6), "seq": (2, 4, 9), "vol": (1, 2, 6, 6, 6), "t": (2, 3, 4),
        "t2": (2, 4, 5),
    }  # fmt: skip
    return {
        "torch": library, "F": library.nn.functional, "idx": library.tensor([0, 1, 2]),
        "a": tensor(a), "psd": tensor(a @ a.T + 3 * np.eye(3)),
        "p": tensor(random.uniform(0.1, 0.9, (3, 3))),
        **{name: tensor(random.standard_normal(shape)) for name, shape in shapes.items()},
    }  # fmt: skip


def dtypes_of(library: Any, expression: str, dtype: str) -> list[str] | type:
    with warnings.catch_warnings(), library.autocast("cpu"):
        warnings.simplefilter("ignore")
        try:
            result = eval(expression, operands(library, dtype))
        except Exception as error:  # noqa: BLE001 - which one it is gets compared
            return builtin_class(error)
    return [str(each.dtype) for each in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
def test_operation_computes_in_the_same_dtype(expression: str, dtype: str) -> None:
    theirs = dtypes_of(torch, expression, dtype)
    assert dtypes_of(pellucid, expression, dtype) == theirs


def told(action: Any) -> tuple[str, list[tuple[str, str]]]:
    """Return what a call gives or raises, and what it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = repr(action())
        except Exception as error:  # noqa: BLE001 - which one it is gets compared
            found = f"{builtin_class(error).__name__}: {str(error).splitlines()[0]}"
    messages = [str(each.message).split(" (Triggered")[0] for each in caught]
    return found, [(w.category.__name__, text) for w, text in zip(caught, messages, strict=True)]


def modes(library: Any) -> list[Any]:
    log = [
        told(lambda: library.autocast("cpu", dtype=library.float32)._enabled),
        told(lambda: library.autocast("cuda")._enabled),
        told(lambda: library.autocast(3)),
        told(lambda: library.autocast("mps").fast_dtype),
        told(library.is_autocast_enabled),
        told(library.is_autocast_cpu_enabled),
        told(library.get_autocast_cpu_dtype),
        told(library.get_autocast_gpu_dtype),
        told(library.is_autocast_cache_enabled),
        told(lambda: library.cuda.amp.autocast(enabled=True)._enabled),
    ]
    with library.autocast("cpu", dtype=library.float16, cache_enabled=False):
        log.append((library.is_autocast_enabled("cpu"), str(library.get_autocast_dtype("cpu"))))
        with library.autocast("cpu", enabled=False):
            log.append((library.is_autocast_enabled("cpu"), library.is_autocast_cache_enabled()))
        log.append((library.is_autocast_enabled("cpu"), library.is_autocast_cache_enabled()))
    log.append(str(library.get_autocast_dtype("cpu")))
    log += [told(lambda name=name: library.amp.is_autocast_available(name)) for name in DEVICES]
    return log


DEVICES = ("cpu", "cuda", "meta", "vulkan", "mps")


def test_modes_are_told_and_warned_of_alike() -> None:
    assert modes(pellucid) == modes(torch)


def scaling(library: Any) -> list[Any]:
    """Scale, unscale, step and update, in order and out of it; note what comes out."""
    scaler = library.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
    weight = library.ones(2, requires_grad=True)
    optimizer = library.optim.SGD([weight], lr=0.5)
    log = [told(lambda: scaler.step(optimizer)), told(scaler.update), told(scaler.state_dict)]
    for number in range(5):
        optimizer.zero_grad()
        loss = scaler.scale((weight * weight).sum() * (math.inf if number == 3 else 1.0))
        loss.backward()
        if number % 2:
            log += [told(lambda: scaler.unscale_(optimizer)) for _ in range(2)]
            log.append(told(weight.grad.tolist))
        log += [told(lambda: scaler.step(optimizer)) for _ in range(2)]
        log.append(told(lambda: scaler.unscale_(optimizer)))
        log += [told(scaler.update), told(weight.tolist), told(scaler.state_dict)]
    log += [
        told(scaler.update),
        told(lambda: scaler.update(3.0)),
        told(lambda: scaler.update(library.ones(2))),
        told(lambda: scaler.step(optimizer, closure=lambda: 0)),
        told(lambda: scaler.scale(3)),
        told(lambda: scaler.load_state_dict({})),
        told(lambda: scaler.load_state_dict({**scaler.state_dict(), "scale": 2.0})),
        told(scaler.state_dict),
        told(lambda: library.amp.GradScaler().is_enabled()),
        told(lambda: library.cuda.amp.GradScaler(enabled=True).scale(3)),
        told(lambda: library.amp.GradScaler("cpu", growth_factor=1.0)),
        told(lambda: library.amp.GradScaler("cpu", backoff_factor=1.0)),
    ]
    return log


def test_scaler_does_and_says_the_same() -> None:
    assert scaling(pellucid) == scaling(torch)


def trained(library: Any) -> list[float]:
    random = np.random.default_rng(3)
    first, second, data = (
        library.from_numpy(random.standard_normal(shape).astype(np.float32))
        for shape in ((6, 3), (2, 6), (8, 3))
    )
    weights = [first.requires_grad_(), second.requires_grad_()]
    optimizer = library.optim.AdamW(weights, lr=0.01)
    scaler = library.amp.GradScaler("cpu")
    functional, losses = library.nn.functional, []
    for _ in range(8):
        optimizer.zero_grad()
        with library.autocast("cpu"):
            hidden = functional.gelu(functional.linear(data, weights[0]))
            logits = functional.linear(hidden, weights[1])
            loss = functional.cross_entropy(logits, library.arange(8) % 2)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    return losses


def test_training_in_mixed_precision_goes_the_same_way() -> None:
    assert trained(pellucid) == pytest.approx(trained(torch), rel=1e-2)

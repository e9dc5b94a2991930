"""Single operations on 100, 10,000 and 1,000,000 elements of float32, forward and backward."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

from benchmarks.harness import Program, Row, duration, time_in_turns

SIZES = (100, 10_000, 1_000_000)
#: short rounds, since there are many operations
ROUNDS = 11
SECONDS_PER_ROUND = 0.01

#: What is measured, in terms of the names that `operands` makes; where it says "..., no slope"
#: only the forward pass.
EXPRESSIONS = """
a + b
a - b
a * b
a / b
a + 1
a * 2
a + row
a ** 2
a ** 2.5
a ** b
a // b, no slope
a % b
-a
abs(x)
a.square()
a.sqrt()
a.rsqrt()
a.reciprocal()
x.sign()
a.exp()
a.exp2()
a.expm1()
a.log()
a.log2()
a.log10()
a.log1p()
a.sin()
a.cos()
a.tan()
x.asin()
x.acos()
a.atan()
a.sinh()
a.cosh()
a.tanh()
a.asinh()
(a + 1).acosh()
x.atanh()
torch.atan2(a, b)
torch.hypot(a, b)
a.erf()
a.erfc()
x.erfinv()
a.lgamma()
a.digamma()
torch.sinc(a)
torch.i0(a)
torch.special.i1(a)
torch.special.bessel_j0(a), no slope
torch.special.ndtri(a * 0.5), no slope
torch.xlogy(a, b)
torch.logaddexp(a, b)
torch.maximum(a, b)
torch.fmin(a, b)
torch.lerp(a, b, 0.3)
torch.addcmul(a, b, b)
torch.addcdiv(a, b, b)
torch.where(mask, a, b)
a.masked_fill(mask, 0.0)
x.clamp(-0.3, 0.3)
x.clamp_min(0.0)
a.floor()
a.round()
a.trunc()
a.frac()
torch.nan_to_num(a)
a > b, no slope
a == b, no slope
torch.isnan(a), no slope
torch.isclose(a, b), no slope
torch.logical_and(mask, mask), no slope
whole & whole, no slope
whole + whole, no slope
whole // 3, no slope
a.double()
a.long(), no slope
a.clone()
a.t().contiguous()
a.sum()
a.sum(0)
a.sum(1)
a.mean()
a.mean(1)
a.var()
a.var(1)
a.std(0)
a.norm()
a.norm(dim=1)
a.prod(1)
a.max()
a.max(1).values
a.max(0).values
a.amax(1)
a.argmax(1), no slope
a.argmin(0), no slope
a.median(1).values
a.kthvalue(2, 1).values
a.topk(3, 1).values
a.sort(1).values
a.argsort(1), no slope
a.cumsum(1)
a.cumsum(0)
a.cumprod(1)
a.cummax(1).values
a.logsumexp(1)
a.logcumsumexp(1)
mask.any(1), no slope
mask.all(), no slope
a.count_nonzero(), no slope
torch.unique(whole), no slope
torch.bincount(whole.reshape(-1)), no slope
torch.histc(a), no slope
torch.searchsorted(ordered, a), no slope
a.softmax(1)
a.softmax(0)
a.log_softmax(1)
F.relu(x)
F.leaky_relu(x)
F.elu(x)
F.gelu(x)
F.gelu(x, approximate='tanh')
F.silu(x)
F.mish(x)
F.softplus(x)
F.hardswish(x)
F.hardtanh(x)
F.logsigmoid(x)
F.glu(a)
x.sigmoid()
F.dropout(a, 0.5)
F.layer_norm(a, a.shape[1:])
F.rms_norm(a, a.shape[1:])
F.batch_norm(a, None, None, training=True)
F.group_norm(image, 2)
F.normalize(a)
F.mse_loss(a, b)
F.l1_loss(a, b)
F.smooth_l1_loss(a, b)
F.cross_entropy(a, labels)
F.nll_loss(a, labels)
F.binary_cross_entropy(a * 0.5, b * 0.5)
F.binary_cross_entropy_with_logits(a, b)
F.kl_div(a, b, reduction='batchmean')
F.cosine_similarity(a, b)
a @ small
a.mv(row)
torch.dot(flat, flat)
torch.outer(row, row)
torch.bmm(batch, batch)
torch.addmm(small, a, small)
torch.einsum('ij,kj->ik', a, strip)
F.linear(a, strip, strip[:, 0])
torch.cdist(strip, strip)
a.t()
a.view(-1)
a[:, 1:]
a[1]
a.unsqueeze(0)
a.expand(2, *a.shape)
torch.cat([a, b])
torch.cat([a, b], 1)
torch.stack([a, b])
a.chunk(2)[0]
a.split(2)[0]
a.unbind()[0]
a.flip(0)
a.roll(1, 1)
a.repeat(2, 2)
a.repeat_interleave(2, 0)
a.tril()
a.diag()
torch.diag_embed(row)
a.unfold(1, 3, 1)
F.pad(a, (1, 1))
F.pad(image, (1, 1, 1, 1), mode='reflect')
a[places]
a[mask]
a.gather(1, columns)
a.scatter(1, columns, b)
a.scatter_add(1, columns, b)
a.index_select(0, places)
a.index_add(0, places, b)
a.index_put((places,), b, accumulate=True)
a.masked_select(mask)
a.nonzero(), no slope
F.embedding(places, a)
F.one_hot(labels), no slope
F.conv1d(signal, kernel1)
F.conv2d(image, kernel2, padding=1)
F.conv2d(image, kernel1.unsqueeze(-1))
F.conv_transpose2d(image, kernel2.transpose(0, 1))
F.max_pool2d(image, 2)
F.avg_pool2d(image, 2)
F.adaptive_avg_pool2d(image, 2)
F.interpolate(image, scale_factor=2)
F.interpolate(image, scale_factor=2, mode='bilinear')
F.pixel_shuffle(image, 2)
F.unfold(image, 3)
F.scaled_dot_product_attention(heads, heads, heads)
torch.fft.fft(a)
torch.fft.rfft(a)
torch.linalg.inv(batch + eye)
torch.linalg.cholesky(batch @ batch.mT + eye)
torch.linalg.solve(batch + eye, batch)
torch.linalg.det(batch + eye)
torch.linalg.svd(batch).S
torch.rand(a.shape), no slope
torch.randn(a.shape), no slope
torch.randint(9, a.shape), no slope
torch.randperm(flat.shape[0]), no slope
torch.zeros(a.shape), no slope
torch.arange(flat.shape[0]), no slope
torch.eye(row.shape[0]), no slope
"""


#: why an operation takes more than one and a half times PyTorch's time on a million elements: parts
#: of its expression, and the reason
REASONS: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("erf", "softplus", "logaddexp", "lgamma", "a ** b", "gelu", "prod(1)"),
        "in double precision, so as to be exact to the last place",
    ),
    (("randn",), "PyTorch's numbers bit for bit take fused multiply-adds in double precision"),
    (("rand",), "draws are turned into numbers in passes of their own"),
    (
        ("index_add", "index_put", "nonzero"),
        "positions are checked before they are used",
    ),
    (("interpolate", "adaptive"), "one dimension after the other, with an array between"),
    (("fft.",), "pocketfft, where PyTorch has MKL"),
    (("linalg.",), "LAPACK is called matrix by matrix, and the formulas are batched products"),
    (
        ("a.t()", "a.view", "unsqueeze", "expand", "cat(", "stack("),
        "the gradient given is copied, where PyTorch makes .grad a view of it",
    ),
    (
        ("unbind", "chunk", "split", "a.diag()", "unfold(1", "nll_loss", "a[1]", "a[:"),
        "next to nothing is computed: the time is that of the call",
    ),
    (("attention",), "all scores are written out, where PyTorch works in tiles"),
)  # fmt: skip
#: the reason for whatever is not named above
PASSES = "several passes over memory where PyTorch has one loop"


def reason_for(expression: str) -> str:
    """Return why an operation takes longer."""
    for parts, reason in REASONS:
        if any(part in expression for part in parts):
            return reason
    return PASSES


class OfSizes:
    """One operation at all sizes, forward and with backward: a table's line."""

    def __init__(self, expression: str, differentiated: bool) -> None:
        self.name = expression
        self.differentiated = differentiated
        self.sizes: Sequence[int] = SIZES

    def rows(self, ours: ModuleType, theirs: ModuleType | None) -> Iterator[Row]:
        """Time in turns and yield one line for all sizes."""
        for backward in (False, True) if self.differentiated else (False,):
            name = f"{self.name}{', with backward' if backward else ''}"
            best: list[str] = []
            ratios: list[float] = []
            for size in self.sizes:
                prepare = functools.partial(prepared, self.name, size, backward)
                programs = [prepare(module) for module in (ours, theirs) if module is not None]
                times = time_in_turns(programs, rounds=ROUNDS, seconds_per_round=SECONDS_PER_ROUND)
                best.append(duration(min(times[0])))
                shortest = [min(each) for each in times]
                ratios += [shortest[0] / shortest[1]] if theirs is not None else []
            yield Row(
                name=name,
                ours=" / ".join(best),
                reference=" / ".join(f"{ratio:.2f}" for ratio in ratios),
                ratio=ratios[-1] if ratios else None,
                target=f"≤ {MOST:g}" if ratios else "",
                reached=ratios[-1] <= MOST if ratios else None,
                reason=reason_for(self.name),
            )


#: the largest ratio that is hoped for at the largest size
MOST = 1.5


def cases() -> list[OfSizes]:
    """Return what is measured here."""
    lines = EXPRESSIONS.strip().splitlines()
    return [OfSizes(line.removesuffix(", no slope"), "no slope" not in line) for line in lines]


#: by name: what makes a tensor of about so many elements (s is the side of a square of them)
OPERANDS: dict[str, Callable[[ModuleType, int, int], Any]] = {
    "a": lambda torch, size, s: torch.rand(s, s) + 0.5,
    "b": lambda torch, size, s: torch.rand(s, s) + 0.5,
    "x": lambda torch, size, s: torch.rand(s, s) - 0.5,
    "row": lambda torch, size, s: torch.rand(s) + 0.5,
    "flat": lambda torch, size, s: torch.rand(size) + 0.5,
    "strip": lambda torch, size, s: torch.rand(10, s) + 0.5,
    "small": lambda torch, size, s: torch.rand(s, 10),
    "mask": lambda torch, size, s: torch.rand(s, s) > 0.5,
    "whole": lambda torch, size, s: torch.randint(1, 50, (s, s)),
    "ordered": lambda torch, size, s: torch.linspace(0.5, 1.5, s),
    "places": lambda torch, size, s: torch.randint(s, (s,)),
    "columns": lambda torch, size, s: torch.randint(s, (s, s)),
    "labels": lambda torch, size, s: torch.randint(s, (s,)),
    "image": lambda torch, size, s: torch.rand(1, 8, cells(size), cells(size)),
    "signal": lambda torch, size, s: torch.rand(1, 8, max(4, size // 8)),
    "kernel1": lambda torch, size, s: torch.rand(8, 8, 3),
    "kernel2": lambda torch, size, s: torch.rand(8, 8, 3, 3),
    "heads": lambda torch, size, s: torch.rand(1, 4, min(512, max(2, size // 64)), 16),
    "batch": lambda torch, size, s: torch.rand(max(1, size // 64), 8, 8),
    "eye": lambda torch, size, s: torch.eye(8) * 8,
}


def cells(size: int) -> int:
    """Return the even side of a square image with eight channels."""
    return max(4, math.isqrt(size // 8) & ~1)


def prepared(expression: str, size: int, backward: bool, torch: ModuleType) -> Program:
    """Return what evaluates the expression, and runs backward if asked for."""
    code = compile(expression, "<operation>", "eval")
    torch.manual_seed(0)
    values: dict[str, Any] = {
        name: make(torch, size, math.isqrt(size))
        for name, make in OPERANDS.items()
        if name in code.co_names
    }
    leaves = [each for name, each in values.items() if each.is_floating_point() and name != "eye"]
    values |= {"torch": torch, "F": torch.nn.functional}
    if not backward:

        def program() -> None:
            eval(code, values)

        return program
    for leaf in leaves:
        leaf.requires_grad_()
    above = torch.ones_like(eval(code, values))

    def program_with_backward() -> None:
        eval(code, values).backward(above)
        for leaf in leaves:
            leaf.grad = None

    return program_with_backward

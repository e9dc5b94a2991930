"""What statements are made of: expressions with places for operands, and the shapes they give."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

Shape = tuple[int, ...]


class Expression(NamedTuple):
    """A text with ``X`` (and ``Y``, ``Z``) for operands, and the shape that it gives for X's.

    The function returns ``None`` for shapes that the expression does not fit.
    """

    text: str
    shape: Callable[[Shape], Shape | None] = lambda shape: shape


def _at_least(ndim: int) -> Callable[[Shape], Shape | None]:
    return lambda shape: shape if len(shape) >= ndim else None


def _without(dim: int, keep: bool = False) -> Callable[[Shape], Shape | None]:
    def shape_of(shape: Shape) -> Shape | None:
        if len(shape) <= dim:
            return None
        return shape[:dim] + ((1,) if keep else ()) + shape[dim + 1 :]

    return shape_of


def _scalar(_: Shape) -> Shape:
    return ()


def _product(shape: Shape) -> int:
    found = 1
    for each in shape:
        found *= each
    return found


#: element by element, on numbers of any sign
UNARY = [
    Expression(text) for text in (
        "torch.abs(X)", "-X", "X.square()", "torch.exp(X.clamp(-3, 3))", "torch.sin(X)", "X.cos()",
        "torch.tanh(X)", "torch.relu(X)", "F.leaky_relu(X, 0.1)", "F.elu(X)", "F.hardtanh(X)",
        "torch.sigmoid(X)", "F.softplus(X)", "F.logsigmoid(X)", "F.silu(X)", "F.gelu(X)",
        "F.selu(X)", "F.hardswish(X)", "F.relu6(X)", "F.softsign(X)", "F.tanhshrink(X)",
        "torch.sqrt(X.abs() + 0.5)", "torch.log(X.abs() + 0.5)", "torch.rsqrt(X * X + 1)",
        "torch.reciprocal(X.abs() + 0.5)", "X.clamp(-1, 1)", "X.clamp(min=0.25)", "X.atan()",
        "torch.erf(X)", "torch.expm1(X.clamp(max=2))", "torch.log1p(X.abs())", "torch.floor(X)",
        "X.round()", "torch.sign(X)", "X.trunc()", "X.frac()", "torch.nan_to_num(X)", "X ** 2",
        "X ** 3", "X.abs() ** 0.5", "2 - X", "X * 0.5", "3 / (X.abs() + 1)", "X / 3", "X + 1",
        "X.clone()", "X.detach()", "X.contiguous()", "X.double()", "X.float()", "X.half()",
        "X.bfloat16()", "X.to(torch.complex64)", "torch.sinh(X.clamp(-2, 2))", "X.tan()",
        "torch.positive(X)", "torch.zeros_like(X) + X", "F.mish(X)", "F.threshold(X, 0.1, 0.5)",
        "torch.asinh(X)", "torch.where(X > 0, X, -X)", "torch.deg2rad(X)",
        "torch.exp2(X.clamp(-3, 3))",
        "X.logit(1e-2)", "torch.lerp(X, X * 2, 0.5)", "X.masked_fill(X > 0.5, 0.25)", "X.real",
        "F.hardsigmoid(X)", "F.celu(X)", "F.softshrink(X)", "X.isnan().float()", "X.conj()",
        "F.dropout(X, 0.5)", "F.dropout(X, 0.0)", "X.cumsum(0) if X.ndim else X",
    )
] + [
    Expression(text, _at_least(1)) for text in (
        "X.cumsum(-1)", "X.cumprod(0)", "F.softmax(X, -1)", "F.log_softmax(X, 0)", "X.flip(0)",
        "X.roll(1, 0)", "F.normalize(X, dim=-1)", "F.layer_norm(X, X.shape[-1:])",
        "torch.sort(X, -1).values", "torch.cummax(X, 0).values", "X.logcumsumexp(0)",
        "F.softmin(X, 0)", "F.rms_norm(X, X.shape[-1:])", "torch.argsort(X, 0).to(X.dtype)",
        "X - X.mean(-1, keepdim=True)", "X / X.norm()",
        "torch.renorm(X, 2, 0, 1.0) if X.ndim > 1 else X",
    )
] + [
    Expression(text, _at_least(2)) for text in ("X.tril()", "X.triu()", "torch.rot90(X, 2)")
]  # fmt: skip

#: of two operands that broadcast, the first of the shape of the result
BINARY = [
    "X + Y", "X - Y", "X * Y", "X / (Y.abs() + 0.5)", "torch.maximum(X, Y)", "torch.minimum(X, Y)",
    "torch.add(X, Y, alpha=2)", "torch.sub(X, Y, alpha=0.5)", "torch.where(X > Y, X, Y)",
    "torch.atan2(X, Y)", "torch.hypot(X, Y)", "torch.logaddexp(X, Y)", "torch.fmod(X, Y.abs() + 1)",
    "torch.remainder(X, Y.abs() + 1)", "torch.pow(X.abs() + 0.5, Y.clamp(-2, 2))",
    "torch.lerp(X, Y, 0.25)",
    "torch.addcmul(X, X, Y, value=0.5)", "torch.addcdiv(X, X, Y.abs() + 1)", "X * Y + X",
    "torch.xlogy(X, Y.abs() + 0.5)", "(X > Y).float()", "(X - Y).abs()", "torch.copysign(X, Y)",
    "torch.ldexp(X, Y.round().clamp(-2, 2))", "torch.heaviside(X, Y)", "X * Y * X", "X + Y + 1",
    "torch.dist(X, Y) + X", "F.mse_loss(X, Y.expand(X.shape)) * X", "torch.fmax(X, Y)",
    "torch.clamp(X, max=Y)", "(X == Y) | (X > 0)",
    "torch.float_power(X.abs() + 0.5, Y.clamp(-2, 2))",
    "torch.broadcast_tensors(X, Y)[1] * X",
    "F.smooth_l1_loss(X, Y.expand(X.shape), reduction='none')",
]  # fmt: skip

REDUCTIONS = [
    Expression(text, _scalar) for text in (
        "X.sum()", "X.mean()", "torch.sum(X)", "torch.mean(X)", "X.prod()", "X.var()", "X.std()",
        "X.norm()", "X.amax()", "X.max()", "X.min()", "torch.linalg.vector_norm(X, 1)",
        "X.logsumexp(tuple(range(X.ndim)))", "X.abs().max()", "X.square().sum()",
        "X.square().mean()",
        "torch.nansum(X)", "torch.nanmean(X)", "X.median()", "X.count_nonzero()", "X.any()",
        "X.flatten()[0]", "X.mean() + X.sum()", "torch.var_mean(X)[1]",
    )
] + [
    Expression(text, _without(0)) for text in (
        "X.sum(0)", "X.mean(0)", "X.amax(0)", "X.max(0).values", "X.std(0)", "X.var(0)",
        "X.prod(0)", "X.logsumexp(0)", "X.norm(dim=0)", "torch.amin(X, 0)", "X[0]", "X[-1]",
        "X.select(0, 0)", "X.unbind(0)[0]", "X.median(0).values", "X.argmax(0)",
        "X.cummax(0)[0][0]",
        "X.view(X.shape).mean(0)", "X.mean((0,))", "X.kthvalue(1, 0).values", "X.nanmean(0)",
    )
] + [
    Expression(text, _without(1)) for text in (
        "X.sum(1)", "X.mean(1)", "X.amin(1)", "X.max(1)[0]", "X[:, 0]", "X.select(1, 1)",
        "X.norm(dim=1)", "X.logsumexp(1)", "X.argmin(1)", "X.std(1)",
    )
] + [
    Expression(text, _without(1, keep=True)) for text in (
        "X.sum(1, keepdim=True)", "X.mean(1, keepdim=True)", "X.amax(1, keepdim=True)", "X[:, :1]",
        "X.norm(dim=1, keepdim=True)", "X.narrow(1, 0, 1)",
    )
]  # fmt: skip


def _swapped(shape: Shape) -> Shape | None:
    return (*shape[:-2], shape[-1], shape[-2]) if len(shape) >= 2 else None


VIEWS = [
    Expression("X.mT", _swapped), Expression("X.transpose(-1, -2)", _swapped),
    Expression("X.T", lambda s: s[::-1] if len(s) == 2 else None),
    Expression("X.reshape(-1)", lambda s: (_product(s),)),
    Expression("X.flatten()", lambda s: (_product(s),)),
    Expression("X.unsqueeze(0)", lambda s: (1, *s) if len(s) < 4 else None),
    Expression("X.unsqueeze(-1)", lambda s: (*s, 1) if len(s) < 4 else None),
    Expression("X[None]", lambda s: (1, *s) if len(s) < 4 else None),
    Expression("X.squeeze()", lambda s: tuple(n for n in s if n != 1)),
    Expression("X[:1]", lambda s: (min(s[0], 1), *s[1:]) if s else None),
    Expression("X[..., ::2]", lambda s: (*s[:-1], (s[-1] + 1) // 2) if s else None),
    Expression("X[1:]", lambda s: (max(s[0] - 1, 0), *s[1:]) if s else None),
    Expression("X.expand(2, *X.shape)", lambda s: (2, *s) if len(s) < 4 else None),
    Expression("X.view(X.shape)"), Expression("X.view_as(X)"), Expression("X[...]"),
    Expression("X.view(-1)", lambda s: (_product(s),)),
    Expression("X.diagonal()", lambda s: (min(s),) if len(s) == 2 else None),
    Expression("X.movedim(0, -1)", lambda s: (*s[1:], s[0]) if s else None),
    Expression("torch.cat(X.chunk(2)[::-1])", lambda s: s if s and s[0] else None),
    Expression("X.split(1)[0]", lambda s: (1, *s[1:]) if s and s[0] else None),
    Expression("torch.stack(X.unbind()[::-1])", lambda s: s if s and s[0] else None),
    Expression("X.as_strided(X.shape, X.stride())"), Expression("X.swapaxes(0, -1)",
        lambda s: (s[-1], *s[1:-1], s[0]) if len(s) > 1 else None),
    Expression("X.unfold(0, 1, 1)", lambda s: (*s, 1) if s and len(s) < 4 else None),
    Expression("X.tile(2, 1)", lambda s: (2 * s[0], s[1]) if len(s) == 2 and s[0] < 6 else None),
    Expression("X.repeat_interleave(2, 0)",
               lambda s: (2 * s[0], *s[1:]) if s and s[0] < 6 else None),
    Expression("F.pad(X, (1, 0))", lambda s: (*s[:-1], s[-1] + 1) if s and s[-1] < 8 else None),
    Expression("X.index_select(0, torch.tensor([0, 0]))", lambda s: (2, *s[1:]) if s else None),
    Expression("X.take(torch.tensor([0, 1]))", lambda s: (2,)),
    Expression("X.gather(0, torch.zeros_like(X, dtype=torch.int64))", _at_least(1)),
    Expression("X[torch.tensor([0, 0, -1])]", lambda s: (3, *s[1:]) if s else None),
    Expression("torch.cat([X, X])", lambda s: (2 * s[0], *s[1:]) if s and s[0] < 6 else None),
    Expression("torch.stack([X, X * 2])", lambda s: (2, *s) if len(s) < 4 else None),
    Expression("torch.cat([X, X.detach()], -1)",
               lambda s: (*s[:-1], 2 * s[-1]) if s and s[-1] < 6 else None),
    Expression("X.scatter(0, torch.zeros_like(X, dtype=torch.int64), X)", _at_least(1)),
    Expression("X.index_add(0, torch.tensor([0]), X[:1])", _at_least(1)),
]  # fmt: skip

#: products with leaves of the right sizes
PRODUCTS = [
    Expression("X @ leaf((X.shape[-1], 3), X.dtype, 5)",
               lambda s: (*s[:-1], 3) if s else None),
    Expression("X.matmul(X.mT)", lambda s: (*s[:-1], s[-2]) if len(s) >= 2 else None),
    Expression("torch.mm(X, X.t())", lambda s: (s[0], s[0]) if len(s) == 2 else None),
    Expression("F.linear(X, leaf((4, X.shape[-1]), X.dtype, 6), leaf((4,), X.dtype, 7))",
               lambda s: (*s[:-1], 4) if s else None),
    Expression("torch.outer(X, X)", lambda s: (s[0], s[0]) if len(s) == 1 and s[0] < 7 else None),
    Expression("torch.einsum('...i,...i->...', X, X)", lambda s: s[:-1] if s else None),
    Expression("X.dot(X)", lambda s: () if len(s) == 1 else None),
    Expression("torch.addmm(X, X, X.t() @ X)", lambda s: s if len(s) == 2 else None),
    Expression("torch.bmm(X, X.mT)", lambda s: (s[0], s[1], s[1]) if len(s) == 3 else None),
    Expression("X @ X[0]", lambda s: s[:1] if len(s) == 2 else None),
    Expression("torch.linalg.multi_dot([X, X.t(), X])", lambda s: s if len(s) == 2 else None),
    Expression("torch.cdist(X, X)", lambda s: (*s[:-1], s[-2]) if len(s) >= 2 else None),
    Expression("torch.linalg.inv(X @ X.mT + 3 * torch.eye(X.shape[-2], dtype=X.dtype))",
               lambda s: (*s[:-1], s[-2]) if len(s) >= 2 else None),
    Expression("torch.linalg.det(X @ X.mT)", lambda s: s[:-2] if len(s) >= 2 else None),
    Expression("torch.trace(X)", lambda s: () if len(s) == 2 else None),
    Expression("F.cosine_similarity(X, X + 1, -1)", lambda s: s[:-1] if s else None),
    Expression("F.cross_entropy(X, torch.zeros(X.shape[0], dtype=torch.int64))",
               lambda s: () if len(s) == 2 else None),
    Expression("F.scaled_dot_product_attention(X, X, X)", lambda s: s if len(s) == 3 else None),
    Expression("F.max_pool1d(X, 2)", lambda s: (*s[:-1], s[-1] // 2) if len(s) == 3 else None),
    Expression("F.avg_pool1d(X, 2)", lambda s: (*s[:-1], s[-1] // 2) if len(s) == 3 else None),
    Expression("F.conv1d(X, leaf((2, X.shape[1], 2), X.dtype, 8))",
               lambda s: (s[0], 2, s[2] - 1) if len(s) == 3 and s[2] > 1 else None),
    Expression("F.batch_norm(X, None, None, training=True)",
               lambda s: s if len(s) in (2, 3) and s[0] > 1 else None),
    Expression("F.embedding(torch.tensor([0, 1, 0]), X)",
               lambda s: (3, s[1]) if len(s) == 2 and s[0] > 1 else None),
    Expression("F.kl_div(F.log_softmax(X, -1), F.softmax(X, -1), reduction='sum')",
               lambda s: () if s else None),
    Expression("F.binary_cross_entropy_with_logits(X, torch.ones_like(X))", _scalar),
    Expression("F.nll_loss(X, torch.zeros(X.shape[0], dtype=torch.int64))",
               lambda s: () if len(s) == 2 else None),
    Expression("F.huber_loss(X, X.detach() * 0.5)", _scalar),
    Expression("F.l1_loss(X, torch.zeros_like(X))", _scalar),
]  # fmt: skip

#: changes in place; most leave the shape
CHANGES = (
    "X.mul_(2)", "X.add_(1)", "X += Y", "X *= 0.5", "X -= 1", "X.add_(Y, alpha=0.5)", "X.zero_()",
    "X.fill_(0.5)", "X.relu_()", "X.clamp_(-1, 1)", "X.copy_(Y)", "X.sub_(Y)", "X.div_(2)",
    "X[0] = 0.25", "X[0] = X[-1]", "X[X > 0] = 0.125", "X[..., 0] += 1",
    "X.masked_fill_(X < 0, 0.5)",
    "X[:1].mul_(3)", "X.T.add_(1)", "X.view(-1)[0] = 2", "X.addcmul_(X, X, value=0.25)", "X.neg_()",
    "X.abs_()", "X.sigmoid_()", "X.tanh_()", "X.exp_()", "X.sqrt_()", "X.pow_(2)", "X.round_()",
    "X.index_fill_(0, torch.tensor([0]), 0.5)", "X.index_add_(0, torch.tensor([0]), X[:1])",
    "X.scatter_(0, torch.zeros_like(X, dtype=torch.int64), 0.5)", "X.lerp_(X * 2, 0.5)", "X.t_()",
    "X.transpose_(0, -1)", "X.unsqueeze_(0)", "X.squeeze_()", "X.detach_()", "X.requires_grad_()",
    "X.data.mul_(0.5)", "X.data = X.data.clone()", "X.data[0] = 0.75", "X.normal_()",
    "X.uniform_()",
    "X.diagonal(0, -1, -2).zero_()", "X.cumsum_(-1)", "X.tril_()", "torch.add(X, 1, out=X)",
    "torch._foreach_mul_([X], 0.5)", "torch._foreach_add_([X], [X.detach()])", "F.relu_(X)",
    "X.set_(X.detach().clone())", "X.swap(X) if False else X.add_(0)", "X.mul_(X)",
    "X.bernoulli_(0.5)",
    "X.expand(2, *X.shape).add_(1)", "X.clamp_min_(0.1)", "X.reciprocal_()", "X.floor_()", "X @= X",
    "X[torch.tensor([0, 0])] = 0.5", "X.put_(torch.tensor([0]), X.detach().flatten()[:1])",
)  # fmt: skip

LAYERS = [
    Expression("nn.Linear(3, 3)", lambda s: s if s and s[-1] == 3 else None),
    Expression("nn.Linear(3, 2, bias=False)", lambda s: (*s[:-1], 2) if s and s[-1] == 3 else None),
    Expression("nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3))",
               lambda s: s if s and s[-1] == 3 else None),
    Expression("nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))",
               lambda s: (*s[:-1], 1) if s and s[-1] == 3 else None),
    Expression("nn.LayerNorm(3)", lambda s: s if s and s[-1] == 3 else None),
    Expression("nn.BatchNorm1d(3)", lambda s: s if len(s) == 2 and s[-1] == 3 else None),
    Expression("nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))",
               lambda s: s if s and s[-1] == 3 else None),
    Expression("nn.Bilinear(3, 3, 2)", lambda s: None),
    Expression("nn.Embedding(5, 3)", lambda s: None),
    Expression("nn.Conv1d(3, 2, 2)",
               lambda s: (s[0], 2, s[2] - 1) if len(s) == 3 and s[1] == 3 else None),
    Expression("nn.GRU(3, 2, batch_first=True)", lambda s: None),
    Expression("nn.RMSNorm(3)", lambda s: s if s and s[-1] == 3 else None),
    Expression("nn.PReLU()"), Expression("nn.Softplus()"), Expression("nn.Identity()"),
    # in double precision: in single precision, norms may differ before they are made wide
    Expression("nn.utils.parametrizations.weight_norm(nn.Linear(3, 3).double())",
               lambda s: s if s and s[-1] == 3 else None),
]  # fmt: skip

OPTIMIZERS = (
    "SGD(P, lr=0.5)", "SGD(P, lr=0.25, momentum=0.5)",
    "SGD(P, lr=0.5, momentum=0.5, nesterov=True)",
    "SGD(P, lr=0.5, weight_decay=0.25, maximize=True)", "SGD(P, lr=0.1, momentum=0.9)",
    "Adam(P, lr=0.1)", "AdamW(P, lr=0.01, amsgrad=True)", "Adagrad(P, lr=0.5)",
    "RMSprop(P, lr=0.1)",
    "RMSprop(P, lr=0.1, centered=True, momentum=0.5)", "Adadelta(P)", "Adamax(P, lr=0.1)",
    "ASGD(P)",
    "NAdam(P)", "RAdam(P)", "Rprop(P)", "Adafactor(P)", "LBFGS(P, lr=0.5, max_iter=2)",
    "SGD(P, lr=0.5, foreach=False)", "Adam(P, foreach=True)", "Adam(P, fused=True)",
    "SGD(P, lr=torch.tensor(0.5))", "SGD(P, lr=0.5, differentiable=True)",
    "Adam(P, capturable=True)",
    "SGD(P, lr=0.25, dampening=0.5, momentum=0.5)", "Adagrad(P, lr_decay=0.5)", "Muon(P)",
)  # fmt: skip

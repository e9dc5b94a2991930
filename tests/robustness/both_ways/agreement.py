"""Which results have the same bits with and without the compiled module: the table.

What the table does not name has the same bits. The page "Seeds and determinism" quotes it, and a
test holds the page to it.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Row(NamedTuple):
    """Functions whose results may differ, by how many units in the last place, and why.

    The units are those of the largest number among operands and results. A name in the table
    stands for the layer, the method and the change in place, too.
    """

    what: str
    units: int
    why: str
    names: str


TABLE = (
    Row(
        "functions of one number", 8, "other polynomials",
        "exp exp2 expm1 log log2 log10 log1p sin cos sinh cosh tanh asinh acosh atanh erf erfc"
        " erfinv sigmoid logsigmoid log_sigmoid softplus silu gelu mish elu selu celu tanhshrink"
        " atan2 arctan2 pow ** float_power logaddexp logaddexp2 xlogy expit glu"
        " arcsinh arccosh arctanh sinc polar lgamma digamma multigammaln mvlgamma i0 igamma"
        " igammac angle gumbel_softmax",
    ),
    Row(
        "sums, and gradients of a 0-d tensor that was spread", 16, "another order",
        "sum mean nansum nanmean var std var_mean std_mean norm vector_norm matrix_norm prod dist"
        " trace mse_loss l1_loss huber_loss smooth_l1_loss renorm einsum tensordot dot vdot inner"
        " nll_loss cumulative_trapezoid trapezoid trapz corrcoef cov clip_grad_norm_"
        " poisson_nll_loss gaussian_nll_loss hinge_embedding_loss margin_ranking_loss"
        " triplet_margin_loss soft_margin_loss multi_margin_loss multilabel_margin_loss"
        " multilabel_soft_margin_loss cosine_embedding_loss embedding_bag logcumsumexp"
        " avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d"
        " adaptive_avg_pool3d triplet_margin_with_distance_loss",
    ),
    Row(
        "products of matrices and convolutions", 16, "another order",
        "@ matmul mm bmm mv addmm addmv addbmm baddbmm addr linear bilinear conv1d conv2d conv3d"
        " conv_transpose1d conv_transpose2d conv_transpose3d multi_dot chain_matmul matrix_power"
        " gru lstm rnn rnn_tanh_cell rnn_relu_cell gru_cell lstm_cell ger kron",
    ),
    Row(
        "softmax, norms, and losses made of them", 32, "other polynomials, another order",
        "softmax log_softmax softmin logsumexp normalize layer_norm batch_norm group_norm"
        " instance_norm rms_norm cross_entropy kl_div binary_cross_entropy"
        " binary_cross_entropy_with_logits cosine_similarity scaled_dot_product_attention"
        " pairwise_distance cdist pdist weight_norm local_response_norm lp_pool1d lp_pool2d"
        " multi_head_attention_forward ctc_loss softmax2d adaptive_log_softmax_with_loss",
    ),
    Row(
        "solutions of linear systems", 4096, "LAPACK or not, for small matrices",
        "inv inverse det slogdet logdet solve lu lu_factor lu_solve solve_triangular cholesky qr"
        " cholesky_solve cholesky_inverse svd eigh eig eigvals eigvalsh pinv lstsq matrix_exp"
        " tensorinv tensorsolve solve_ex inv_ex svdvals matrix_rank cond ldl_factor ldl_solve"
        " householder_product lu_unpack orgqr ormqr geqrf svd_lowrank pca_lowrank lobpcg",
    ),
    Row(
        "largest and smallest elements", 1, "of zeros of both signs, another",
        "amax amin aminmax",
    ),
    Row(
        "multiples that are added", 4, "fused multiply-adds",
        "lerp addcmul addcdiv index_add",
    ),
    Row(
        "steps of optimizers", 4, "fused multiply-adds",
        "adam adamw rmsprop adadelta muon lbfgs nadam radam adamax asgd adafactor adagrad sgd"
        " rprop",
    ),
)  # fmt: skip

#: how much more a result may differ that was computed from those that differ
FURTHER = 1000
#: not those of a step whose products are exact, nor sums of what is multiplied by nothing
_EXACT = re.compile(
    r"^@(?:linear|elementwise)|SGD\((?!.*(?:0\.1|0\.9))|Rprop\(|index_add_?\((?!.*alpha)",
    re.MULTILINE,
)
_NUMBER = re.compile(r"\bleaf\(\(\), .*grad=True")
_BACKWARD = re.compile(r"\.(?:backward|grad|vjp|jacrev|hessian)\(")
#: where a value jumps, two that differ in the last place come apart
_JUMPS = re.compile(
    r"\b(?:sign|sgn|signbit|heaviside|round|floor|ceil|trunc|fix|frac|remainder|fmod|floor_divide"
    r"|hardshrink|threshold|argmax|argmin|argsort|sort|topk|unique|mode|median|nanmedian|kthvalue"
    r"|bernoulli|multinomial|histc|bucketize|searchsorted)_?\(|[<>%]|//|[=!]=|\bnonzero\b"
)
#: steps that divide a gradient by its own size: of a rounded zero they make a whole step
_LEAPING = re.compile(
    r"^(\w+) = torch\.optim\.(?:Rprop|Adam|AdamW|NAdam|RAdam|Adamax|RMSprop|Adadelta|Adagrad"
    r"|Adafactor|Muon)\(",
    re.MULTILINE,
)


def _variants(name: str) -> list[str]:
    """Return a name as programs have it: as function, change in place and layer."""
    if name == "@":
        return [r"(?<=\s)@"]
    if name == "**":  # squares are products
        return [r"\s\*\*(?!\s*2(?![.\d]))"]
    layer = name.replace("_", "") + r"(?:[123]d|Cell|Loss)?"
    return [rf"\b{name}_?\b", rf"\b(?=[A-Z])(?i:{layer})\b"]


_UNITS = [
    (
        re.compile("|".join(each for name in row.names.split() for each in _variants(name))),
        row.units,
    )
    for row in TABLE
]


def units_of(text: str, program: str = "") -> int:
    """Return by how many units the results of a text may differ; 0 if they have the same bits.

    A gradient of a 0-d tensor of the program is a sum over all that the tensor met.
    """
    text = _EXACT.sub("", text)
    if _NUMBER.search(program) and _BACKWARD.search(text):
        text += ".sum()"
    return max((units for pattern, units in _UNITS if pattern.search(text)), default=0)


def jumps(text: str, program: str) -> bool:
    """Return whether a text of a program makes much of a difference in the last place."""
    return bool(_JUMPS.search(text)) or any(
        f"{name}.step(" in text for name in _LEAPING.findall(program)
    )

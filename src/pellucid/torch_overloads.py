"""What torch has under a name that torch.nn.functional has too, with other arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.core.call.call import new_tensor
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.public import public
from pellucid.core.memory.writing import check_result_shape
from pellucid.errors import ArgumentTypeError, DomainError
from pellucid.kernels.meta import is_meta
from pellucid.ops.aliasing.inplace import inplace
from pellucid.ops.nn import cross_entropy, ctc, likelihood_loss, loss, margin_loss, norm
from pellucid.ops.nn import dropout as dropping
from pellucid.ops.nn import embedding as table
from pellucid.ops.nn.activation import leaky_relu, rrelu_with_noise
from pellucid.ops.nn.pad import pad_constant
from pellucid.ops.random.sampling import stream_of
from pellucid.ops.shape.copying import clone, contiguous
from pellucid.shapes import broadcast_shapes
from pellucid.tensors.inplace_methods import fill_

_scale_in_place, _leak_in_place = inplace(rrelu_with_noise), inplace(leaky_relu)
_REDUCTIONS = {1: "mean", 2: "sum"}


@public("binary_cross_entropy_with_logits")
@autocasts(Autocast.FLOAT32)
def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: int = 0
) -> Any:
    """Return the cross entropy between scores (logits) and binary targets.

    Args:
        input, target, weight, pos_weight: As for `cross_entropy.binary_cross_entropy_with_logits`.
        reduction: 0 for none, as PyTorch has it where nothing is said, 1 for the mean, 2 for the
            sum.

    >>> torch.binary_cross_entropy_with_logits(torch.tensor([0.0]), torch.tensor([1.0]))
    tensor([0.6931])
    """
    name = _reduction("binary_cross_entropy_with_logits", reduction)
    shape = tuple(broadcast_shapes(target._array.shape, input._array.shape))
    for each in (target, input):
        check_result_shape(shape, tuple(each._array.shape))
    losses = cross_entropy.binary_losses(input, target, weight, pos_weight)
    return loss.reduced(losses, name)


@public("dropout")
def dropout(input: Any, p: float, train: bool) -> Any:
    """Zero elements with probability ``p`` while training, and scale the others by ``1 / (1 - p)``.

    Args:
        input: Tensor of any shape.
        p: Probability with which an element becomes 0.
        train: Whether to draw; in evaluation the input is returned.

    >>> torch.dropout(torch.ones(2), 0.9, False)
    tensor([1., 1.])
    """
    return dropping.dropout(input, p, train)


@public("alpha_dropout")
def alpha_dropout(input: Any, p: float, train: bool) -> Any:
    """Drop elements to the floor of selu with probability ``p``, keeping mean and variance.

    Args:
        input: Tensor of any shape.
        p: Probability with which an element is dropped.
        train: Whether to draw; in evaluation the input is returned.

    >>> torch.alpha_dropout(torch.ones(2), 0.5, False)
    tensor([1., 1.])
    """
    return dropping.alpha_dropout(input, p, train)


@public("feature_alpha_dropout")
def feature_alpha_dropout(input: Any, p: float, train: bool) -> Any:
    """Apply `alpha_dropout` to whole channels.

    Args: As for `alpha_dropout`.

    >>> torch.feature_alpha_dropout(torch.ones(1, 2, 3), 0.5, False).sum()
    tensor(6.)
    """
    return dropping.feature_alpha_dropout(input, p, train)


@public("instance_norm")
def instance_norm(
    input: Any, weight: Any | None, bias: Any | None, running_mean: Any | None,
    running_var: Any | None, use_input_stats: bool, momentum: float, eps: float,
    cudnn_enabled: bool,
) -> Any:  # fmt: skip
    """Normalise each channel of each image of ``[N, C, *S]``, then scale and shift channels.

    Args:
        input, weight, bias, running_mean, running_var: As for `norm.instance_norm`.
        use_input_stats, momentum, eps: As for `norm.instance_norm`.
        cudnn_enabled: Has no effect: it is about GPUs.

    >>> x = torch.tensor([[[1.0, 3.0]]])
    >>> torch.instance_norm(x, None, None, None, None, True, 0.1, 0.0, False)
    tensor([[[-1.,  1.]]])
    """
    return norm.instance_norm(
        input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps
    )


def _reduction(function: str, reduction: Any) -> str:
    """Return the name of a reduction that is given by number."""
    if not hasattr(reduction, "__index__"):
        raise ArgumentTypeError(
            f"{function}(): argument 'reduction' must be int, not {type(reduction).__name__}"
        )
    return _REDUCTIONS.get(int(reduction), "none")


@public("kl_div")
@autocasts(Autocast.FLOAT32)
def kl_div(input: Any, target: Any, reduction: int = 0, *, log_target: bool = False) -> Any:
    """Return ``target * (log(target) - input)``, the Kullback-Leibler divergence of each element.

    Args:
        input: Logarithms of probabilities.
        target, reduction: As for `binary_cross_entropy_with_logits`.
        log_target: Whether ``target`` holds logarithms of probabilities.

    >>> torch.kl_div(torch.tensor([0.0]), torch.tensor([1.0]), 2)
    tensor(0.)
    """
    name = _reduction("kl_div", reduction)
    return likelihood_loss.kl_div(input, target, reduction=name, log_target=log_target)


@public("cosine_embedding_loss")
@autocasts(Autocast.FLOAT32)
def cosine_embedding_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: int = 0
) -> Any:
    """Return how far the angles between rows are from what the targets 1 and -1 ask for.

    Args:
        input1, input2, target, margin: As for `margin_loss.cosine_embedding_loss`.
        reduction: As for `binary_cross_entropy_with_logits`.

    >>> x = torch.tensor([[1.0, 0.0]])
    >>> torch.cosine_embedding_loss(x, x, torch.tensor([-1.0]))
    tensor([1.])
    """
    name = _reduction("cosine_embedding_loss", reduction)
    return margin_loss.cosine_embedding_loss(input1, input2, target, margin, reduction=name)


@public("hinge_embedding_loss")
@autocasts(Autocast.FLOAT32)
def hinge_embedding_loss(input: Any, target: Any, margin: float = 1.0, reduction: int = 0) -> Any:
    """Return the distance where the target is 1, and what it lacks to the margin where it is -1.

    Args:
        input: Tensor of any shape.
        target: 1 or -1 for each element.
        margin, reduction: As for `cosine_embedding_loss`.

    >>> torch.hinge_embedding_loss(torch.tensor([0.25, 0.25]), torch.tensor([1.0, -1.0]))
    tensor([0.2500, 0.7500])
    """
    name = _reduction("hinge_embedding_loss", reduction)
    return margin_loss.hinge_embedding_loss(input, target, margin, reduction=name)


@public("margin_ranking_loss")
@autocasts(Autocast.FLOAT32)
def margin_ranking_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: int = 0
) -> Any:
    """Return by how much the order of two scores, which broadcast, misses what targets ask for.

    Args: As for `cosine_embedding_loss`.

    >>> torch.margin_ranking_loss(torch.zeros(1), torch.ones(1), torch.ones(1))
    tensor([1.])
    """
    name = _reduction("margin_ranking_loss", reduction)
    return margin_loss.ranking_loss(input1, input2, target, margin, name)


@public("poisson_nll_loss")
@autocasts(Autocast.FLOAT32)
def poisson_nll_loss(
    input: Any, target: Any, log_input: bool, full: bool, eps: float, reduction: int
) -> Any:
    """Return the negative log-likelihood of counts under Poisson distributions.

    Args:
        input, target, log_input, full, eps: As for `likelihood_loss.poisson_nll_loss`.
        reduction: As for `binary_cross_entropy_with_logits`.

    >>> torch.poisson_nll_loss(torch.zeros(1), torch.ones(1), True, False, 1e-8, 1)
    tensor(1.)
    """
    name = _reduction("poisson_nll_loss", reduction)
    return likelihood_loss.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=name)


@public("triplet_margin_loss")
@autocasts(Autocast.FLOAT32)
def triplet_margin_loss(
    anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2.0,
    eps: float = 1e-6, swap: bool = False, reduction: int = 0,
) -> Any:  # fmt: skip
    """Return what the negative lacks to be farther from the anchor than the positive by the margin.

    Args:
        anchor, positive, negative, margin, p, eps, swap: As for `margin_loss.triplet_margin_loss`.
        reduction: As for `binary_cross_entropy_with_logits`.

    >>> x = torch.zeros(1, 2)
    >>> torch.triplet_margin_loss(x, x, x)
    tensor([1.])
    """
    name = _reduction("triplet_margin_loss", reduction)
    return margin_loss.triplet_margin_loss(
        anchor, positive, negative, margin, p, eps, swap, reduction=name
    )


@public("ctc_loss")
@autocasts(Autocast.FLOAT32)
def ctc_loss(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0,
    reduction: int = 0, zero_infinity: bool = False,
) -> Any:  # fmt: skip
    """Return the negative log-likelihood of label sequences, over all ways to align them.

    Args:
        log_probs, targets, input_lengths, target_lengths, blank: As for `ctc.ctc_loss`.
        reduction: As for `binary_cross_entropy_with_logits`.
        zero_infinity: As for `ctc.ctc_loss`.

    >>> scores = torch.zeros(1, 1, 2).log_softmax(2)
    >>> torch.ctc_loss(scores, torch.tensor([[1]]), (1,), (1,))
    tensor([0.6931])
    """
    name = _reduction("ctc_loss", reduction)
    return ctc.ctc_loss(
        log_probs, targets, input_lengths, target_lengths, blank, name, zero_infinity
    )


@public("embedding")
def embedding(
    weight: Any, indices: Any, padding_idx: int = -1, scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Any:  # fmt: skip
    """Return rows of a table by index: ``[V, E]`` and ``[*]`` to ``[*, E]``.

    Args:
        weight: Table ``[V, E]``.
        indices: Indices (int64).
        padding_idx: Index whose row gets no gradient; negative, none.
        scale_grad_by_freq, sparse: As for `table.embedding`.

    >>> torch.embedding(torch.tensor([[1.0], [2.0]]), torch.tensor([1, 0, 1]))
    tensor([[2.],
            [1.],
            [2.]])
    """
    padding = padding_idx if padding_idx >= 0 else None
    return table.embedding(
        indices, weight, padding, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse
    )


@public("fill")
def fill(input: Any, value: Any) -> Any:
    """Return a tensor like the input with one value, a number or a 0-d tensor, everywhere.

    Args:
        input: Tensor of any shape.
        value: Number, or 0-d tensor.

    >>> torch.fill(torch.zeros(2), 3)
    tensor([3., 3.])
    """
    return fill_(clone(input), value)


@public("constant_pad_nd")
def constant_pad_nd(input: Any, pad: Any, value: Any = 0) -> Any:
    """Put a number around a tensor: pairs of widths, from the last dimension on.

    Args:
        input: Tensor of any shape.
        pad: Number of elements to add at each end, last dimension first.
        value: Number to use.

    >>> torch.constant_pad_nd(torch.ones(1), (1, 2), 5)
    tensor([5., 1., 5., 5.])
    """
    return pad_constant(input, tuple(pad), value)


@public("rrelu")
def rrelu(
    input: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False,
    generator: Any = None,
) -> Any:  # fmt: skip
    """Multiply negative elements by slopes drawn at random while training, else by their mean.

    Raises RuntimeError where ``lower`` is greater than ``upper``.

    Args:
        input: Tensor of any shape.
        lower: Smallest slope.
        upper: Largest slope.
        training: Whether to draw; in evaluation the input is returned.
        generator: Generator to draw from; by default the global one.

    >>> torch.rrelu(torch.tensor([-1.0, 2.0]), 0.25, 0.75)
    tensor([-0.5000,  2.0000])
    """
    _check_bounds(lower, upper)
    if not training:
        return leaky_relu(contiguous(input), (lower + upper) / 2)
    return rrelu_with_noise(contiguous(input), _slopes(input, lower, upper, generator))


@public("rrelu_ nn.functional.rrelu_")
def rrelu_(
    input: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False,
    generator: Any = None,
) -> Any:  # fmt: skip
    """Apply `rrelu` in place.

    Args:
        input: Tensor to change, of any shape.
        lower, upper, training, generator: As for `rrelu`.
    """
    _check_bounds(lower, upper)
    if not training:
        return _leak_in_place(input, (lower + upper) / 2)
    return _scale_in_place(input, _slopes(input, lower, upper, generator))


def _check_bounds(lower: float, upper: float) -> None:
    if lower > upper:
        raise DomainError("Lower bound should be less than or equal to the upper bound")


def _slopes(input: Any, lower: float, upper: float, generator: Any) -> Any:
    """Return 1 for positive elements and a slope drawn between the bounds for the others."""
    array = input._array
    if is_meta(array):
        return new_tensor(np.empty_like(array))
    slopes = np.ones(array.shape, array.dtype)
    negative = array <= 0
    count = int(np.count_nonzero(negative))
    slopes[negative] = stream_of(generator).uniform(count, np.float64, lower, upper)
    return new_tensor(slopes)


@public("batch_norm")
def batch_norm(
    input: Any, weight: Any | None, bias: Any | None, running_mean: Any | None,
    running_var: Any | None, training: bool, momentum: float, eps: float, cudnn_enabled: bool,
) -> Any:  # fmt: skip
    """Normalise every channel over all else, as `torch.nn.functional.batch_norm` does.

    Args:
        input, weight, bias, running_mean, running_var: As for `norm.batch_norm`.
        training, momentum, eps: As for `norm.batch_norm`.
        cudnn_enabled: As for `instance_norm`.

    >>> x = torch.tensor([[1.0], [3.0]])
    >>> torch.batch_norm(x, None, None, None, None, True, 0.1, 1e-5, False)
    tensor([[-1.0000],
            [ 1.0000]])
    """
    return norm.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


@public("layer_norm")
def layer_norm(
    input: Any, normalized_shape: Any, weight: Any | None = None, bias: Any | None = None,
    eps: float = 1e-5, cudnn_enable: bool = True,
) -> Any:  # fmt: skip
    """Normalise over the last dimensions, as `torch.nn.functional.layer_norm` does.

    Args:
        input, normalized_shape, weight, bias, eps: As for `norm.layer_norm`.
        cudnn_enable: Has no effect: it is about GPUs.

    >>> torch.layer_norm(torch.tensor([[1.0, 3.0]]), (2,))
    tensor([[-1.0000,  1.0000]])
    """
    return norm.layer_norm(input, normalized_shape, weight, bias, eps)


@public("group_norm")
def group_norm(
    input: Any, num_groups: int, weight: Any | None = None, bias: Any | None = None,
    eps: float = 1e-5, cudnn_enabled: bool = True,
) -> Any:  # fmt: skip
    """Normalise groups of channels, as `torch.nn.functional.group_norm` does.

    Args:
        input, weight, bias, eps, cudnn_enabled: As for `batch_norm`.
        num_groups: Number of groups of channels.

    >>> torch.group_norm(torch.tensor([[1.0, 3.0]]), 1)
    tensor([[-1.0000,  1.0000]])
    """
    return norm.group_norm(input, num_groups, weight, bias, eps)


@public("embedding_bag")
def embedding_bag(
    weight: Any, indices: Any, offsets: Any, scale_grad_by_freq: bool = False, mode: int = 0,
    sparse: bool = False, per_sample_weights: Any = None, include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Any:  # fmt: skip
    """Look up bags of rows that start at offsets, as `torch.nn.functional.embedding_bag` does.

    Args:
        weight: Table ``[V, E]``.
        indices: Indices ``[N]``.
        offsets: Where each bag starts in ``indices``, ``[B]``.
        scale_grad_by_freq: As for `embedding`.
        mode: 0 for the sum of each bag, 1 for the mean, 2 for the maximum.
        sparse: Whether the gradient is sparse.
        per_sample_weights: Weight of each row, for sums.
        include_last_offset: Whether ``offsets`` ends with the number of indices.
        padding_idx: Index whose row is left out.

    Returns:
        The bags ``[B, E]``; the bag of each index ``[N]``; and twice the sizes of the bags ``[B]``.

    >>> rows = torch.tensor([[1.0], [2.0], [4.0]])
    >>> torch.embedding_bag(rows, torch.tensor([0, 1, 2]), torch.tensor([0, 2]))[0]
    tensor([[3.],
            [4.]])
    """
    bags = table.embedding_bag(
        indices, weight, offsets, None, 2, scale_grad_by_freq, ("sum", "mean", "max")[mode],
        sparse, per_sample_weights, include_last_offset, padding_idx,
    )  # fmt: skip
    starts = offsets._array[: bags._array.shape[0]]
    sizes = np.diff(starts, append=indices._array.size)
    members = np.repeat(np.arange(len(sizes)), sizes)
    return bags, new_tensor(members), new_tensor(sizes), new_tensor(sizes.copy())

"""Loss functions as modules."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from pellucid.errors import ArgumentError, ArgumentTypeError, ShapeError
from pellucid.nn import functional
from pellucid.nn.modules.distance import PairwiseDistance
from pellucid.nn.modules.linear import Linear
from pellucid.nn.modules.linear_cross_entropy_options import LinearCrossEntropyOptions
from pellucid.nn.modules.module import Module
from pellucid.tensors import Tensor


class _Loss(Module):
    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__()
        self.reduction = _reduction(size_average, reduce, reduction)


def _reduction(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """Return the reduction, computed from the two deprecated arguments if they are given."""
    if size_average is None and reduce is None:
        return reduction
    wants_mean = True if size_average is None else bool(size_average)
    reduces = True if reduce is None else bool(reduce)
    return ("mean" if wants_mean else "sum") if reduces else "none"


class _WeightedLoss(_Loss):
    def __init__(
        self, weight: Any = None, size_average: bool | None = None, reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class MSELoss(_Loss):
    """The mean squared error: the squared differences of input and target.

    Args:
        size_average: Deprecated; use ``reduction``.
        reduce: Deprecated; use ``reduction``.
        reduction: ``"mean"``, ``"sum"``, or ``"none"`` for one loss per element.

    Shape:
        Input and target: (*), of shapes that broadcast. Output: a scalar, or (*) without reduction.

    >>> torch.nn.MSELoss()(torch.tensor([1.0, 3.0]), torch.zeros(2))
    tensor(5.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.mse_loss(input, target, reduction=self.reduction)


class L1Loss(_Loss):
    """The mean absolute error: the absolute differences of input and target.

    Args: As for `MSELoss`.

    Shape:
        Input and target: (*), of shapes that broadcast. Output: a scalar, or (*) without reduction.

    >>> torch.nn.L1Loss()(torch.tensor([1.0, 2.0]), torch.tensor([0.0, 4.0]))
    tensor(1.5000)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.l1_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """The smooth L1 loss: quadratic for differences below ``beta``, linear for larger ones.

    With the difference d: d² / (2 beta) if |d| < beta, otherwise |d| - beta / 2.

    Args:
        size_average, reduce, reduction: As for `MSELoss`.
        beta: Difference at which the loss becomes linear.

    Shape:
        Input and target: (*), of shapes that broadcast. Output: a scalar, or (*) without reduction.

    >>> torch.nn.SmoothL1Loss()(torch.tensor([1.0, 2.0]), torch.tensor([0.0, 4.0]))
    tensor(1.)
    """

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
        beta: float = 1.0,
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """The Huber loss: quadratic for differences below ``delta``, linear for larger ones.

    With the difference d: d² / 2 if |d| < delta, otherwise delta (|d| - delta / 2). Source: Huber,
    "Robust estimation of a location parameter", 1964.

    Args:
        reduction: ``"mean"``, ``"sum"``, or ``"none"`` for one loss per element.
        delta: Difference at which the loss becomes linear.

    Shape:
        Input and target: (*), of shapes that broadcast. Output: a scalar, or (*) without reduction.

    Raises:
        TypeError: If ``delta`` is not a number.

    >>> torch.nn.HuberLoss(delta=2.0)(torch.tensor([1.0, 2.0]), torch.tensor([0.0, 4.0]))
    tensor(1.2500)
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        if not isinstance(delta, float | int):
            raise ArgumentTypeError(f"delta must be a float or int, got: {type(delta)}")
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class CrossEntropyLoss(_WeightedLoss):
    """The cross entropy between unnormalized scores of C classes and targets.

    Args:
        weight: Weights of the classes, of shape ``[C]``.
        size_average: Deprecated; use ``reduction``.
        ignore_index: Target class that does not contribute.
        reduce, reduction: As for `MSELoss`.
        label_smoothing: Fraction, in [0, 1], of the target probability that is spread over all
            classes.

    Shape:
        Input: ``[C]``, ``[N, C]`` or ``[N, C, d1, ...]``.
        Target: class indices ``[]``, ``[N]`` or ``[N, d1, ...]`` of integer dtype, or class
            probabilities in the shape of the input.
        Output: a scalar, or the shape of class indices without reduction.

    >>> torch.nn.CrossEntropyLoss()(torch.zeros(1, 4), torch.tensor([2]))
    tensor(1.3863)
    """

    def __init__(
        self, weight: Any = None, size_average: bool | None = None, ignore_index: int = -100,
        reduce: bool | None = None, reduction: str = "mean", label_smoothing: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.cross_entropy(
            input, target, weight=self.weight, ignore_index=self.ignore_index,
            reduction=self.reduction, label_smoothing=self.label_smoothing,
        )  # fmt: skip


class NLLLoss(_WeightedLoss):
    """The negative log-likelihood of classes, for inputs that are log-probabilities.

    Args:
        weight, size_average, ignore_index, reduce, reduction: As for `CrossEntropyLoss`.

    Shape:
        Input: ``[C]``, ``[N, C]`` or ``[N, C, d1, ...]``.
        Target: class indices ``[]``, ``[N]`` or ``[N, d1, ...]`` of integer dtype.
        Output: a scalar, or the shape of the target without reduction.

    >>> torch.nn.NLLLoss()(torch.tensor([[-0.5, -1.0]]), torch.tensor([1]))
    tensor(1.)
    """

    def __init__(
        self, weight: Any = None, size_average: bool | None = None, ignore_index: int = -100,
        reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.nll_loss(
            input, target, weight=self.weight, ignore_index=self.ignore_index,
            reduction=self.reduction,
        )  # fmt: skip


class BCELoss(_WeightedLoss):
    """The binary cross entropy, for inputs that are probabilities.

    Args:
        weight: Weights that broadcast with the input.
        size_average, reduce, reduction: As for `MSELoss`.

    Shape:
        Input: (*), probabilities. Target: (*), in [0, 1]. Output: a scalar, or (*) without
            reduction.

    >>> torch.nn.BCELoss()(torch.tensor([0.5, 0.5]), torch.tensor([0.0, 1.0]))
    tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.binary_cross_entropy(
            input, target, weight=self.weight, reduction=self.reduction
        )


class BCEWithLogitsLoss(_Loss):
    """The binary cross entropy, for inputs that are log-odds.

    Args:
        weight, size_average, reduce, reduction: As for `BCELoss`.
        pos_weight: Weights of positive targets, of a shape that broadcasts with the input.

    Shape:
        Input: (*), any real numbers. Target: (*), in [0, 1]. Output: a scalar, or (*) without
            reduction.

    >>> torch.nn.BCEWithLogitsLoss()(torch.zeros(2), torch.ones(2))
    tensor(0.6931)
    """

    def __init__(
        self, weight: Any = None, size_average: bool | None = None, reduce: bool | None = None,
        reduction: str = "mean", pos_weight: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class KLDivLoss(_Loss):
    """The Kullback-Leibler divergence of targets from inputs that are log-probabilities.

    Args:
        size_average, reduce: As for `MSELoss`.
        reduction: ``"batchmean"`` (the sum over the batch size), ``"mean"``, ``"sum"`` or
            ``"none"``.
        log_target: Whether targets are log-probabilities too.

    Shape:
        Input and target: (*). Output: a scalar, or (*) without reduction.

    >>> log_probs = torch.tensor([[0.5, 0.5]]).log()
    >>> torch.nn.KLDivLoss(reduction="batchmean")(log_probs, torch.tensor([[0.0, 1.0]]))
    tensor(0.6931)
    """

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
        log_target: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.kl_div(
            input, target, reduction=self.reduction, log_target=self.log_target
        )


class PoissonNLLLoss(_Loss):
    """The negative log-likelihood of counts under Poisson distributions.

    Args:
        log_input: Whether inputs are logarithms of the rates.
        full: Whether to add Stirling's approximation of the constant term.
        size_average: Deprecated; use ``reduction``.
        eps: Number added to rates before taking logarithms, if not ``log_input``.
        reduce, reduction: As for `MSELoss`.

    Shape:
        Input and target: (*). Output: a scalar, or (*) without reduction.

    >>> torch.nn.PoissonNLLLoss()(torch.tensor([0.0, 0.0]), torch.tensor([1.0, 2.0]))
    tensor(1.)
    """

    def __init__(
        self, log_input: bool = True, full: bool = False, size_average: bool | None = None,
        eps: float = 1e-8, reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        return functional.poisson_nll_loss(
            log_input, target, log_input=self.log_input, full=self.full, eps=self.eps,
            reduction=self.reduction,
        )  # fmt: skip


class GaussianNLLLoss(_Loss):
    """The negative log-likelihood of targets under normal distributions.

    Args:
        full: Whether to add the constant term.
        eps: Lower bound of the variances.
        reduction: ``"mean"``, ``"sum"``, or ``"none"`` for one loss per element.

    Shape:
        Input: (*), the means. Target: (*). Variance: (*), or with a last dim that is missing or of
            size 1. Output: a scalar, or (*) without reduction.

    >>> loss = torch.nn.GaussianNLLLoss()
    >>> loss(torch.tensor([0.0]), torch.tensor([2.0]), torch.tensor([1.0]))
    tensor(2.)
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor) -> Tensor:
        return functional.gaussian_nll_loss(
            input, target, var, full=self.full, eps=self.eps, reduction=self.reduction
        )


class HingeEmbeddingLoss(_Loss):
    """The hinge embedding loss: x for targets 1, max(0, margin - x) for targets -1.

    Args:
        margin: The margin.
        size_average, reduce, reduction: As for `MSELoss`.

    Shape:
        Input and target: (*). Output: a scalar, or (*) without reduction.

    >>> torch.nn.HingeEmbeddingLoss()(torch.tensor([0.5, 0.25]), torch.tensor([1, -1]))
    tensor(0.6250)
    """

    def __init__(
        self, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.hinge_embedding_loss(
            input, target, margin=self.margin, reduction=self.reduction
        )


class CosineEmbeddingLoss(_Loss):
    """The cosine embedding loss: 1 - cos for targets 1, max(0, cos - margin) for targets -1.

    Args:
        margin: The margin, between -1 and 1.
        size_average, reduce, reduction: As for `MSELoss`.

    Shape:
        Inputs: ``[N, D]`` or ``[D]``. Target: ``[N]`` or ``[]``. Output: a scalar, or ``[N]``
            without reduction.

    >>> loss = torch.nn.CosineEmbeddingLoss()
    >>> loss(torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0]), torch.tensor(1))
    tensor(1.)
    """

    def __init__(
        self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return functional.cosine_embedding_loss(
            input1, input2, target, margin=self.margin, reduction=self.reduction
        )


class MarginRankingLoss(_Loss):
    """The margin ranking loss: max(0, -target (input1 - input2) + margin).

    Args:
        margin: By how much the first input should be larger for targets 1, or smaller for -1.
        size_average, reduce, reduction: As for `MSELoss`.

    Shape:
        Inputs and target: ``[N]`` or ``[]``. Output: a scalar, or the shape of the inputs without
            reduction.

    >>> loss = torch.nn.MarginRankingLoss(margin=1.0)
    >>> loss(torch.tensor([1.5]), torch.tensor([1.0]), torch.tensor([1]))
    tensor(0.5000)
    """

    def __init__(
        self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return functional.margin_ranking_loss(
            input1, input2, target, margin=self.margin, reduction=self.reduction
        )


class SoftMarginLoss(_Loss):
    """The logistic loss log(1 + exp(-target * input)), for targets 1 and -1.

    Args: As for `MSELoss`.

    Shape:
        Input and target: (*). Output: a scalar, or (*) without reduction.

    >>> torch.nn.SoftMarginLoss()(torch.tensor([0.0, 2.0]), torch.tensor([1, -1]))
    tensor(1.4100)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.soft_margin_loss(input, target, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """The multi-class hinge loss between scores of C classes and class indices.

    With the score x[y] of the target class: the sum of max(0, margin - x[y] + x[i])ᵖ over the other
    classes i, divided by C.

    Args:
        p: Exponent, 1 or 2.
        margin: By how much the score of the target class should exceed the others.
        weight, size_average, reduce, reduction: As for `CrossEntropyLoss`.

    Shape:
        Input: ``[N, C]`` or ``[C]``. Target: ``[N]`` or ``[]``. Output: a scalar, or ``[N]``
            without reduction.

    Raises:
        ValueError: If ``p`` is neither 1 nor 2, or ``weight`` is not a vector.

    >>> torch.nn.MultiMarginLoss()(torch.tensor([[0.5, 1.0]]), torch.tensor([1]))
    tensor(0.2500)
    """

    def __init__(
        self, p: int = 1, margin: float = 1.0, weight: Any = None,
        size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ArgumentError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ArgumentError(
                f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D "
                "instead"
            )
        self.p = p
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.multi_margin_loss(
            input, target, p=self.p, margin=self.margin, weight=self.weight,
            reduction=self.reduction,
        )  # fmt: skip


class MultiLabelMarginLoss(_Loss):
    """The multi-class multi-label hinge loss.

    It is the sum of max(0, 1 - x[y] + x[i]) over target classes y and other classes i, divided by
    C.

    Args: As for `MSELoss`.

    Shape:
        Input: ``[N, C]`` or ``[C]``. Target: the same shape, of dtype int64; each row lists class
            indices up to the first -1. Output: a scalar, or ``[N]`` without reduction.

    >>> scores, target = torch.tensor([[0.1, 0.2, 0.4, 0.8]]), torch.tensor([[3, 0, -1, 1]])
    >>> torch.nn.MultiLabelMarginLoss()(scores, target)
    tensor(0.8500)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """The mean over C classes of binary cross entropies, for inputs that are log-odds.

    Args:
        weight, size_average, reduce, reduction: As for `CrossEntropyLoss`.

    Shape:
        Input and target: ``[N, C]`` or ``[C]``. Output: a scalar, or ``[N]`` without reduction.

    >>> torch.nn.MultiLabelSoftMarginLoss()(torch.zeros(1, 2), torch.tensor([[0.0, 1.0]]))
    tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.multilabel_soft_margin_loss(
            input, target, self.weight, reduction=self.reduction
        )


class TripletMarginLoss(_Loss):
    """The triplet loss: max(0, d(anchor, positive) - d(anchor, negative) + margin).

    Source: Balntas et al., "Learning shallow convolutional feature descriptors with triplet
    losses", 2016.

    Args:
        margin: By how much negatives should be farther away than positives.
        p: Exponent of the norm that is the distance.
        eps: Number added to differences.
        swap: Whether the distance from positive to negative counts too, if it is the smaller one.
        size_average, reduce, reduction: As for `MSELoss`.

    Shape:
        Inputs: anchor, positive and negative ``[N, D]`` or ``[D]``. Output: a scalar, or ``[N]``
            without reduction.

    Raises:
        ValueError: If ``margin`` is not positive.

    >>> anchor, near, far = torch.zeros(1, 2), torch.ones(1, 2), torch.ones(1, 2) * 9
    >>> torch.nn.TripletMarginLoss()(anchor, near, far)
    tensor(0.)
    """

    def __init__(
        self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False,
        size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ArgumentError(
                f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead"
            )
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return functional.triplet_margin_loss(
            anchor, positive, negative, margin=self.margin, p=self.p, eps=self.eps, swap=self.swap,
            reduction=self.reduction,
        )  # fmt: skip


class TripletMarginWithDistanceLoss(_Loss):
    """The triplet loss with a distance function of choice.

    Args:
        distance_function: Function of two tensors; the Euclidean distance if None.
        margin, swap, reduction: As for `TripletMarginLoss`.

    Shape:
        Inputs: anchor, positive and negative ``[N, *]``. Output: a scalar, or that of the distance
            without reduction.

    Raises:
        ValueError: If ``margin`` is not positive.

    >>> loss = torch.nn.TripletMarginWithDistanceLoss(distance_function=lambda x, y: (x - y).abs())
    >>> loss(torch.tensor([0.0]), torch.tensor([2.0]), torch.tensor([1.0]))
    tensor(2.)
    """

    def __init__(
        self, *, distance_function: Callable[[Any, Any], Any] | None = None, margin: float = 1.0,
        swap: bool = False, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(reduction=reduction)
        if margin <= 0:
            raise ArgumentError(
                "TripletMarginWithDistanceLoss: expected margin to be greater than 0, got "
                f"{margin} instead"
            )
        chosen = PairwiseDistance() if distance_function is None else distance_function
        self.distance_function: Callable[[Any, Any], Any] = chosen
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return functional.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function,
            margin=self.margin, swap=self.swap, reduction=self.reduction,
        )  # fmt: skip


class NLLLoss2d(NLLLoss):
    """Deprecated name of ``NLLLoss``.

    Args: As for `NLLLoss`.

    >>> torch.nn.NLLLoss2d()(torch.tensor([[-0.5, -1.0]]), torch.tensor([1]))
    tensor(1.)
    """


class CTCLoss(_Loss):
    """The connectionist temporal classification loss of symbol sequences over all alignments.

    Source: Graves et al., "Connectionist temporal classification", 2006.

    Args:
        blank: Index of the blank symbol.
        reduction: ``"mean"``, ``"sum"``, or ``"none"`` for one loss per element.
        zero_infinity: Whether infinite losses, of targets too long for their input, become zero.

    Shape:
        Log-probabilities: ``[T, N, C]`` or ``[T, C]``. Targets: ``[N, S]``, or all concatenated, of
            integer dtype. Lengths of inputs and targets: ``[N]`` each.
        Output: a scalar, or ``[N]`` without reduction.

    >>> log_probs = torch.randn(6, 2, 4).log_softmax(2)
    >>> targets = torch.tensor([[1, 2], [3, 0]])
    >>> torch.nn.CTCLoss()(log_probs, targets, torch.tensor([6, 5]), torch.tensor([2, 1])).shape
    torch.Size([])
    """

    def __init__(
        self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False
    ) -> None:
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(
        self, log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor
    ) -> Tensor:
        return functional.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction,
            self.zero_infinity,
        )  # fmt: skip


class LinearCrossEntropyLoss(_WeightedLoss):
    """The cross entropy between the scores of a linear layer, which the loss contains, and targets.

    Args:
        in_features: Number of features of the input.
        num_classes: Number of classes C.
        out_features: Further dims of the scores.
        bias: Whether the linear layer has a bias.
        device: Device of the parameters; the CPU is the only one.
        dtype: Floating-point dtype of the parameters; the default dtype if None.
        reduction, weight, ignore_index, label_smoothing: As for `CrossEntropyLoss`.
        options: How many rows are processed at a time.

    Shape:
        Input: ``[N, in_features]``. Target: as for ``CrossEntropyLoss`` of the scores. Output: a
            scalar, or one loss for each target without reduction.

    Raises:
        RuntimeError: If ``weight`` has another shape or ``label_smoothing`` is outside [0, 1].

    >>> loss = torch.nn.LinearCrossEntropyLoss(3, 5)
    >>> loss(torch.ones(2, 3), torch.tensor([0, 4])).shape
    torch.Size([])
    """

    def __init__(
        self, in_features: int, num_classes: int, *, out_features: tuple[int, ...] = (),
        bias: bool = False, device: Any = None, dtype: Any = None, reduction: str = "mean",
        weight: Any = None, ignore_index: int | None = None, label_smoothing: float = 0.0,
        options: LinearCrossEntropyOptions | None = None,
    ) -> None:  # fmt: skip
        if weight is not None and tuple(weight.shape) != (num_classes,):
            raise ShapeError(
                f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}"
            )
        if not 0 <= label_smoothing <= 1:
            raise ShapeError(
                f"expected label_smoothing to be in range [0, 1], got {label_smoothing}"
            )
        super().__init__(weight, reduction=reduction)
        self.num_classes = num_classes
        self.out_features = out_features
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        scores = num_classes * prod(out_features)
        self.linear = Linear(in_features, scores, bias=bias, device=device, dtype=dtype)
        self.options = options

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        shape = (self.num_classes, *self.out_features)
        linear = self.linear
        return functional.linear_cross_entropy(
            input, linear.weight.reshape(*shape, linear.in_features), target,
            linear_bias=None if linear.bias is None else linear.bias.reshape(shape),
            weight=self.weight, reduction=self.reduction, ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing, options=self.options,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes}, "
            f"out_features={self.out_features}, bias={self.linear.bias is not None}, "
            f"reduction={self.reduction}, ignore_index={self.ignore_index}, "
            f"label_smoothing={self.label_smoothing}, options={self.options}"
        )

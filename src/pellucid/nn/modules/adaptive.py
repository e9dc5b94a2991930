"""Adaptive softmax for many classes of different frequency."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from pellucid.errors import ArgumentError, ShapeError
from pellucid.nn import functional
from pellucid.nn.modules.container import ModuleList, Sequential
from pellucid.nn.modules.linear import Linear
from pellucid.nn.modules.module import Module
from pellucid.ops.shape.join import cat
from pellucid.tensors import Tensor


class _ASMoutput(NamedTuple):
    """Log-probabilities of the targets, and minus their mean."""

    output: Any
    loss: Any


class AdaptiveLogSoftmaxWithLoss(Module):
    """Adaptive softmax, which approximates the softmax over many classes efficiently.

    Classes are numbered from the most frequent one and divided into clusters; each cluster uses
    ``div_value`` times fewer features than the one before. Source: Grave et al., "Efficient softmax
    approximation for GPUs", 2017.

    Args:
        in_features: Number of features of the input.
        n_classes: Number of classes.
        cutoffs: Increasing class indices at which clusters begin.
        div_value: Factor between the sizes of consecutive clusters.
        head_bias: Whether the first cluster has a bias.
        device: Device of the parameters; the CPU is the only one.
        dtype: Floating-point dtype of the parameters; the default dtype if None.

    Shape:
        Input: ``[N, in_features]`` or ``[in_features]``; target ``[N]`` or ``[]``, of integer
            dtype.
        Output: the log-probabilities of the targets, ``[N]`` or ``[]``, and their negative mean.

    Raises:
        ValueError: If the cutoffs do not increase from above 0 to below ``n_classes``.

    >>> net = torch.nn.AdaptiveLogSoftmaxWithLoss(16, 20, cutoffs=[5, 10])
    >>> net(torch.randn(3, 16), torch.tensor([0, 7, 19])).output.shape
    torch.Size([3])
    """

    def __init__(
        self, in_features: int, n_classes: int, cutoffs: Sequence[int], div_value: float = 4.0,
        head_bias: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        borders = list(cutoffs)
        if not borders:
            raise ArgumentError("cutoffs should be a sequence of length larger than 0")
        rising = all(low < high for low, high in pairwise(borders))
        whole = all(int(each) == each for each in borders)
        if not rising or not whole or borders[0] <= 0 or borders[-1] > n_classes - 1:
            raise ArgumentError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing "
                "order, where each value is between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*borders, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        factory: Any = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **factory)
        self.tail = ModuleList()
        for number in range(self.n_clusters):
            inner = int(in_features // (div_value ** (number + 1)))
            size = self.cutoffs[number + 1] - self.cutoffs[number]
            self.tail.append(
                Sequential(
                    Linear(in_features, inner, bias=False, **factory),
                    Linear(inner, size, bias=False, **factory),
                )
            )

    def reset_parameters(self) -> None:
        """Initialize all weights randomly."""
        self.head.reset_parameters()
        for cluster in self.tail:
            for layer in cluster:
                layer.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        alone = target_.dim() == 0
        if target_.dim() > 1:
            raise ShapeError("0D or 1D target tensor expected, multi-target not supported")
        if input_.dim() != target_.dim() + 1:
            wanted = "1D" if alone else "2D"
            raise ShapeError(f"{target_.dim()}D target tensor expects {wanted} input tensors")
        if not alone and input_.shape[0] != target_.shape[0]:
            raise ShapeError("Input and target should have the same size in the batch dimension.")
        rows = input_.unsqueeze(0) if alone else input_
        target = target_.unsqueeze(0) if alone else target_
        if (target < 0).any() or (target >= self.n_classes).any():
            raise ShapeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found. "
            )
        output = self._of_targets(rows, target)
        loss = -output.mean()
        return _ASMoutput(output.squeeze(0) if alone else output, loss)

    def _of_targets(self, rows: Any, target: Any) -> Any:
        """Return the log-probability of each row's target; a cluster processes its own rows."""
        in_head = target.clone()
        values, rows_of = [], []
        for number, cluster in enumerate(self.tail):
            low, high = self.cutoffs[number], self.cutoffs[number + 1]
            inside = ((target >= low) & (target < high)).nonzero().squeeze(1)
            in_head[inside] = self.shortlist_size + number
            if inside.numel():
                scores = functional.log_softmax(cluster(rows.index_select(0, inside)), 1)
                wanted = target.index_select(0, inside) - low
                values.append(scores.gather(1, wanted.unsqueeze(1)).squeeze(1))
                rows_of.append(inside)
        head = functional.log_softmax(self.head(rows), 1)
        output = head.gather(1, in_head.unsqueeze(1)).squeeze(1)
        return output.index_add(0, cat(rows_of), cat(values)) if values else output

    def log_prob(self, input: Any) -> Any:
        """Return the log-probabilities of all classes.

        Args:
            input: Tensor of shape ``[N, in_features]``.

        Returns:
            A tensor of shape ``[N, n_classes]``.

        >>> net = torch.nn.AdaptiveLogSoftmaxWithLoss(16, 20, cutoffs=[5, 10])
        >>> net.log_prob(torch.randn(3, 16)).exp().sum(1).allclose(torch.ones(3))
        True
        """
        head = functional.log_softmax(self.head(input), 1)
        parts = [head[:, : self.shortlist_size]]
        for number, cluster in enumerate(self.tail):
            within = functional.log_softmax(cluster(input), 1)
            column = self.shortlist_size + number
            parts.append(within + head[:, column : column + 1])
        return cat(parts, 1)

    def predict(self, input: Any) -> Any:
        """Return the most probable class of each row.

        Args:
            input: Tensor of shape ``[N, in_features]`` or ``[in_features]``.

        Returns:
            An int64 tensor of shape ``[N]`` or ``[]``.

        >>> softmax = torch.nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2])
        >>> softmax.predict(torch.zeros(3, 4)).shape
        torch.Size([3])
        """
        return self.log_prob(input).argmax(1)

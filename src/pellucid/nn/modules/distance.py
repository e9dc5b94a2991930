"""Distances and similarities of vectors as modules."""

from __future__ import annotations

from pellucid.nn import functional
from pellucid.nn.modules.module import Module
from pellucid.tensors import Tensor


class PairwiseDistance(Module):
    """The p-norm of the difference of vectors along the last dim.

    Args:
        p: Exponent of the norm.
        eps: Number added to each difference.
        keepdim: Whether the last dim is kept with size 1.

    Shape:
        Input: two tensors that broadcast to ``[*, D]``. Output: ``[*]``.

    >>> torch.nn.PairwiseDistance(p=1)(torch.zeros(1, 2), torch.ones(1, 2))
    tensor([2.0000])
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return functional.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along a dim.

    Args:
        dim: The dim of the vectors.
        eps: Lower bound of the norms.

    Shape:
        Input: two tensors that broadcast together. Output: the common shape without ``dim``.

    >>> torch.nn.CosineSimilarity(dim=0)(torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0]))
    tensor(0.)
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return functional.cosine_similarity(x1, x2, self.dim, self.eps)

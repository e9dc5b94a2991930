"""The loss of detectors that see far more background than objects (Lin et al. 2017)."""

from __future__ import annotations

from pellucid.errors import ArgumentError
from pellucid.nn.functional import binary_cross_entropy_with_logits
from pellucid.tensors import Tensor

__all__ = ["sigmoid_focal_loss"]


def sigmoid_focal_loss(
    inputs: Tensor, targets: Tensor, alpha: float = 0.25, gamma: float = 2, reduction: str = "none",
) -> Tensor:  # fmt: skip
    """Return the binary cross entropy, weighted by how wrong each prediction is.

    Source: Lin et al., "Focal Loss for Dense Object Detection", 2017.

    Args:
        inputs: Logits of any shape.
        targets: Zeros and ones of the same shape.
        alpha: Weight of the ones, between 0 and 1; no weights if negative.
        gamma: The power of the error that weights; 0 gives plain cross entropy.
        reduction: ``"none"``, ``"mean"`` or ``"sum"``.

    Raises:
        ValueError: If there is no such reduction.

    >>> sigmoid_focal_loss(torch.zeros(1), torch.ones(1), alpha=1.0, gamma=1)
    tensor([0.3466])
    """
    if reduction not in ("none", "mean", "sum"):
        raise ArgumentError(
            f"Invalid Value for arg 'reduction': '{reduction}'; it is 'none', 'mean' or 'sum'"
        )
    p = inputs.sigmoid()
    wrong = p * (1 - targets) + (1 - p) * targets
    loss = binary_cross_entropy_with_logits(inputs, targets, reduction="none") * wrong**gamma
    if alpha >= 0:
        loss = loss * (alpha * targets + (1 - alpha) * (1 - targets))
    return loss if reduction == "none" else getattr(loss, reduction)()

"""The AdamW optimizer: Adam with decoupled weight decay."""

from __future__ import annotations

from typing import Any

from pellucid.optim.adam import Adam
from pellucid.optim.optimizer import take_steps
from pellucid.tensors import Tensor


class AdamW(Adam):
    """The AdamW optimizer: Adam with decoupled weight decay.

    The parameters are shrunk by ``lr * weight_decay`` before each step. Source: Loshchilov and
    Hutter, "Decoupled weight decay regularization", 2019.

    Args:
        params, lr, eps, amsgrad: As for `Adam`.
        maximize, foreach, capturable, differentiable, fused: As for `Adam`.
        betas: Decay rates, in [0, 1), of the running means of the gradient and of its square.
        weight_decay: Coefficient of the weight decay.

    Raises: As for `Adam`.

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = torch.optim.AdamW([w], lr=0.1, weight_decay=0.5)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.8500], requires_grad=True)
    """

    def __init__(
        self, params: Any, lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False,
        foreach: bool | None = None, capturable: bool = False, differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
            capturable=capturable, differentiable=differentiable, fused=fused,
            decoupled_weight_decay=True,
        )  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True


take_steps(AdamW, "adam")

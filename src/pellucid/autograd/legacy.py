"""``torch.autograd.Variable``, from the time when a tensor had to be wrapped to require grad."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

from pellucid.autograd.passes import queue_callback
from pellucid.autograd.variable import TensorBase


class _ExecutionEngine:
    queue_callback = staticmethod(queue_callback)


class _VariableType(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, TensorBase)

    def __call__(cls, data: Any, requires_grad: bool = False, volatile: bool | None = None) -> Any:
        if volatile:
            warnings.warn(
                "volatile was removed (Variable.volatile is always False); to switch off recording "
                "use torch.no_grad()",
                UserWarning,
                stacklevel=2,
            )
        return data.detach().requires_grad_(requires_grad)


class Variable(metaclass=_VariableType):
    """The former name of Tensor: calling it detaches a tensor, and every tensor is an instance.

    Args:
        data: A tensor.
        requires_grad: Whether the result requires grad.
        volatile: Has no effect, but for a warning.

    >>> torch.autograd.Variable(torch.ones(2), requires_grad=True)
    tensor([1., 1.], requires_grad=True)
    """

    _execution_engine: ClassVar[_ExecutionEngine] = _ExecutionEngine()

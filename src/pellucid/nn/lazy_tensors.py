"""Parameters and buffers whose shape is not known yet."""

from __future__ import annotations

from typing import Any

from pellucid.nn.parameter import Buffer, Parameter
from pellucid.tensors import Tensor
from pellucid.tensors.creation import empty


class _Uninitialized(Tensor):
    """Stand for a tensor until its shape is known."""

    __slots__ = ()
    #: what it is once it has a shape
    _final: type[Tensor]

    @property
    def shape(self) -> Any:
        """Raise RuntimeError: there is no shape yet."""
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually "
            "happens in `load_state_dict` when trying to load an uninitialized parameter into an "
            "initialized one. Call `forward` to initialize the parameters before accessing their "
            "attributes."
        )

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Take a shape, and be an ordinary tensor from now on; the values are not set."""
        tensor: Any = self
        tensor.__class__ = self._final
        tensor.data = empty(tuple(shape), device=device, dtype=dtype or self.dtype)

    def detach(self) -> Any:
        """Return the tensor itself: there is nothing to share yet."""
        return self

    def numel(self) -> int:
        """Raise ValueError: there is no shape yet."""
        raise ValueError(
            "Attempted to use an uninitialized parameter in numel. This error happens when you are "
            "using a `LazyModule` or explicitly manipulating "
            "`torch.nn.parameter.UninitializedParameter` objects. When using LazyModules Call "
            "`forward` with a dummy batch to initialize the parameters before calling torch "
            "functions"
        )

    nelement = numel

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class UninitializedParameter(_Uninitialized, Parameter):
    """Stand for a parameter until ``materialize`` gives it a shape.

    >>> import pellucid as torch
    >>> weight = torch.nn.UninitializedParameter()
    >>> weight
    <UninitializedParameter>
    >>> weight.materialize((2, 3))
    >>> weight.shape
    torch.Size([2, 3])
    """

    __slots__ = ()
    _final = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        return Parameter.__new__(cls, empty(0, device=device, dtype=dtype), requires_grad)

    def __init__(self, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> None:
        pass

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, dtype=self.dtype)
        return memo[id(self)]


class UninitializedBuffer(_Uninitialized):
    """Stand for a buffer until ``materialize`` gives it a shape."""

    __slots__ = ()
    _final = Tensor

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None,
        persistent: bool = True,
    ) -> Any:  # fmt: skip
        kind: Any = cls
        made = Buffer.__new__(kind, empty(0, device=device, dtype=dtype), persistent=persistent)
        return made.requires_grad_(requires_grad)

    def __init__(
        self, requires_grad: bool = False, device: Any = None, dtype: Any = None,
        persistent: bool = True,
    ) -> None:  # fmt: skip
        pass

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, dtype=self.dtype)
        return memo[id(self)]


def is_lazy(value: Any) -> bool:
    """Tell whether a parameter or buffer has no shape yet.

    >>> import pellucid as torch
    >>> is_lazy(torch.nn.LazyLinear(3).weight), is_lazy(torch.ones(2))
    (True, False)
    """
    return isinstance(value, _Uninitialized)

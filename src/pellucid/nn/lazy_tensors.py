"""Parameters and buffers whose shape is not known yet."""

from __future__ import annotations

from typing import Any

from pellucid.core.call.overriding import disabled_torch_function_impl
from pellucid.errors import ArgumentError
from pellucid.nn.parameter import Parameter
from pellucid.tensors import Tensor
from pellucid.tensors.creation import empty


class UninitializedTensorMixin(Tensor):
    """Base class of placeholders for tensors whose shape is not known yet."""

    __slots__ = ()
    __torch_function__ = disabled_torch_function_impl
    #: the class of the tensor once it has a shape
    _final: type[Tensor]

    @property
    def shape(self) -> Any:
        """The shape, which raises RuntimeError because it is not known yet."""
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually "
            "happens in `load_state_dict` when trying to load an uninitialized parameter into an "
            "initialized one. Call `forward` to initialize the parameters before accessing their "
            "attributes."
        )

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Become an ordinary tensor of the given shape, with uninitialized values.

        Args:
            shape: The shape.
            device: Device of the tensor; the CPU is the only one.
            dtype: Dtype of the tensor; the one given at creation if None.

        >>> weight = torch.nn.UninitializedParameter()
        >>> weight.materialize((2, 3))
        >>> weight.shape
        torch.Size([2, 3])
        """
        tensor: Any = self
        tensor.__class__ = self._final
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        tensor.data = empty(sizes, device=device, dtype=dtype or self.dtype)

    def detach(self) -> Any:
        """Return the tensor itself, which has no memory to share yet."""
        return self

    def share_memory_(self) -> Any:
        """Raise RuntimeError because there is no memory yet."""
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to "
            "initialize the parameters before calling `module.share_memory()`."
        )

    def numel(self) -> int:
        """Raise ValueError because the shape is not known yet."""
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


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """Placeholder for a parameter until ``materialize`` gives it a shape.

    Args:
        requires_grad: Whether the parameter requires gradients.
        device: Device of the parameters; the CPU is the only one.
        dtype: Floating-point dtype of the parameters; the default dtype if None.

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


class UninitializedBuffer(UninitializedTensorMixin):
    """Placeholder for a buffer until ``materialize`` gives it a shape.

    Args:
        requires_grad: Whether the buffer requires gradients.
        device: Device of the buffer; the CPU is the only one.
        dtype: Dtype of the buffer; the default dtype if None.
        persistent: Whether the buffer is part of the module's ``state_dict``.

    >>> buffer = torch.nn.UninitializedBuffer()
    >>> buffer.materialize((3,))
    >>> buffer.shape
    torch.Size([3])
    """

    __slots__ = ()
    _final = Tensor

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None,
        persistent: bool = True,
    ) -> Any:  # fmt: skip
        made = empty(0, device=device, dtype=dtype).as_subclass(cls)
        made.persistent, made._is_buffer = persistent, True
        return made._switch_recording(requires_grad)

    def __init__(
        self, requires_grad: bool = False, device: Any = None, dtype: Any = None,
        persistent: bool = True,
    ) -> None:  # fmt: skip
        pass

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, dtype=self.dtype)
        return memo[id(self)]


def refuse_lazy(value: Any, norm: str, kind: str) -> None:
    """Raise ValueError for a parameter that is to be normalized and has no shape yet."""
    if is_lazy(value):
        raise ArgumentError(
            f"The module passed to `{norm}` can't have uninitialized parameters. Make sure to run "
            f"the dummy forward before applying {kind} normalization"
        )


def is_lazy(value: Any) -> bool:
    """Return whether a parameter or buffer has no shape yet.

    Args:
        value: Any object.

    >>> is_lazy(torch.nn.LazyLinear(3).weight), is_lazy(torch.ones(2))
    (True, False)
    """
    return isinstance(value, UninitializedTensorMixin)

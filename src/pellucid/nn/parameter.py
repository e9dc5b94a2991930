"""Parameters and buffers, the tensors that a module registers when they are assigned to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, TypeVar

from pellucid.autograd.graph import leaf_edge
from pellucid.autograd.variable import TensorBase, storage_of
from pellucid.core.call.overriding import disabled_torch_function_impl
from pellucid.errors import GraphError
from pellucid.tensors import Tensor
from pellucid.tensors.creation import empty

T = TypeVar("T", bound=Tensor)


def _sharing(cls: type[T], data: Any) -> T:
    """Return a tensor of the class that shares memory with ``data``, without its history."""
    source = data if isinstance(data, TensorBase) else data.detach()
    made = object.__new__(cls)
    made._array = source._array
    made._storage = storage_of(source)
    made._edge = made._view = made._grad = made._extra = None
    return made


class _ParameterType(type):
    """The metaclass that takes tensors of a user's class, once made parameters, for parameters."""

    def __instancecheck__(cls, instance: object) -> bool:
        if super().__instancecheck__(instance):
            return True
        return cls is Parameter and getattr(instance, "_is_param", False) is True


class Parameter(Tensor, metaclass=_ParameterType):
    """Tensor that a module registers as a learnable parameter when it is assigned to an attribute.

    Args:
        data: Tensor whose memory is shared; an empty one if None. One of a class of your own gives
            a parameter of that class.
        requires_grad: Whether the parameter requires gradients.

    Raises:
        RuntimeError: If gradients are required and the dtype is neither floating point nor complex,
            or if ``detach()`` of a class of your own returns another one.

    >>> torch.nn.Parameter(torch.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    __slots__ = ()
    __torch_function__ = disabled_torch_function_impl

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Self:
        if isinstance(data, Tensor) and type(data) not in (Tensor, Parameter):
            return _of_own_class(cls, data, requires_grad)
        made = _sharing(cls, empty(0) if data is None else data)
        if requires_grad:
            made._switch_recording(True)
        return made

    if not TYPE_CHECKING:

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            # `__new__` does everything; a subclass may give its own other arguments.
            pass

    def __repr__(self) -> str:
        text = super().__repr__()
        return "Parameter containing:\n" + (
            text if type(self) is Parameter else f"Parameter({text})"
        )

    def _repr_html_(self) -> str | None:
        """Return the values, or a histogram, for notebooks; None where a subclass has its text."""
        return self._html() if type(self).__repr__ is Parameter.__repr__ else None

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.detach().clone(), self.requires_grad)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _rebuild_parameter, (type(self), self._array, self.requires_grad, self.__dict__)


def _of_own_class(cls: type[Any], data: Any, requires_grad: bool) -> Any:
    """Return a parameter that shares memory with a tensor of a class of the user's."""
    if isinstance(data, Parameter) and not hasattr(data, "_is_param"):
        made = _sharing(type(data), data)  # of a subclass of `Parameter`
    elif cls is not Parameter:
        made = _sharing(cls, data)
    else:
        made: Any = data.detach()
        if type(made) is not type(data):
            raise GraphError(
                "Creating a Parameter from an instance of type "
                f"{type(data).__name__} requires that detach() returns an instance of the same "
                f"type, but return type {type(made).__name__} was found instead. To use the type "
                "as a Parameter, please correct the detach() semantics defined by its "
                "__torch_function__() implementation."
            )
        made._is_param = True
    if requires_grad:
        made._switch_recording(True)
    return made


def _rebuild_parameter(
    cls: type[Parameter], array: Any, requires_grad: bool, attributes: dict[str, Any]
) -> Parameter:
    made: Any = object.__new__(cls)
    made._array = array
    made._edge = made._storage = made._view = made._grad = made._extra = None
    if requires_grad:
        made._edge = leaf_edge(made)
    made.__dict__.update(attributes)
    return made


class _BufferType(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return is_buffer(instance)


class Buffer(metaclass=_BufferType):
    """Tensor that a module registers as state that is not learned, such as a running mean.

    Calling it returns an ordinary tensor, which is an instance of it by an attribute.

    Args:
        data: Tensor whose memory is shared; an empty one if None.
        persistent: Whether the buffer is part of the module's ``state_dict``.

    >>> module = torch.nn.Module()
    >>> module.count = torch.nn.Buffer(torch.zeros(1))
    >>> list(module.state_dict())
    ['count']
    """

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        made: Any = empty(0) if data is None else data.detach()
        made.requires_grad_(data is not None and data.requires_grad)
        made.persistent, made._is_buffer = persistent, True
        return made


def is_buffer(value: object) -> bool:
    """Return whether a module registers the value as a buffer when it is assigned.

    Args:
        value: Any object.

    >>> is_buffer(torch.nn.Buffer(torch.ones(1))), is_buffer(torch.ones(1))
    (True, False)
    """
    return isinstance(value, Tensor) and "_is_buffer" in value.__dict__


def is_parameter(value: Any) -> bool:
    """Return whether a module registers the value as a parameter when it is assigned.

    Args:
        value: Any object.

    >>> torch.nn.parameter.is_parameter(torch.nn.Parameter(torch.zeros(1)))
    True
    """
    return isinstance(value, Parameter)


def __getattr__(name: str) -> Any:
    # PyTorch has these names here too; their module builds on `Parameter`.
    if name in (
        "UninitializedBuffer", "UninitializedParameter", "UninitializedTensorMixin", "is_lazy",
    ):  # fmt: skip
        from pellucid.nn import lazy_tensors

        return getattr(lazy_tensors, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

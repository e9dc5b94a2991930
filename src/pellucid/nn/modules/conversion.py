"""Conversion of a module's parameters and buffers to other dtypes or other memory."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Self

from pellucid.autograd.modes import no_grad
from pellucid.device import check_device, meta_device
from pellucid.dtypes import dtype as Dtype
from pellucid.dtypes import from_numpy_dtype, is_differentiable, to_numpy_dtype
from pellucid.errors import ArgumentTypeError, UnimplementedError
from pellucid.nn.parameter import Parameter
from pellucid.ops.shape.copying import NO_DATA
from pellucid.tensors import Tensor
from pellucid.tensors.creation import empty_like
from pellucid.tensors.swapping import swap_tensors

if TYPE_CHECKING:
    from pellucid.nn.modules.module import Module


class _Settings:
    """What ``torch.__future__`` sets for all modules."""

    makes_new_parameters = False
    #: whether a parameter exchanges its contents with what takes its place
    swaps = False


conversion = _Settings()


def _refused(kind: str) -> Callable[..., Any]:
    """Return the method that would move a module to a kind of device, of which there is none."""

    def move(self: Any, device: Any = None) -> Any:
        check_device(kind if device is None else device)
        return self

    move.__name__ = move.__qualname__ = kind
    move.__doc__ = f"""Raise RuntimeError: there is no {kind.upper()} device.

        Args:
            device: Index or name of the device.
        """
    return move


class Conversion:
    """Base class of ``Module`` with the methods that replace all parameters and buffers."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]

    if TYPE_CHECKING:  # defined by Module

        def children(self) -> Iterator[Module]: ...

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Self:
        """Replace each parameter, its gradient and each buffer by the result of ``fn``."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for name, parameter in self._parameters.items():
            if parameter is None:
                continue
            gradient = parameter.grad
            with no_grad():
                converted = fn(parameter)
            if conversion.swaps:
                parameter.grad = None
                swap_tensors(parameter, Parameter(converted, parameter.requires_grad))
            elif conversion.makes_new_parameters or converted.is_meta is not parameter.is_meta:
                parameter = Parameter(converted, parameter.requires_grad)
                self._parameters[name] = parameter
            else:
                parameter.data = converted
            if gradient is None:
                continue
            with no_grad():
                moved = fn(gradient)
            if moved is gradient:
                pass
            elif conversion.swaps:
                swap_tensors(gradient, moved.requires_grad_(gradient.requires_grad))
            elif conversion.makes_new_parameters or moved.is_meta is not gradient.is_meta:
                gradient = moved.requires_grad_(gradient.requires_grad)
            else:  # who holds the gradient sees the change
                gradient.data = moved
            parameter.grad = gradient
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Convert floating-point parameters and buffers to a dtype, or to a device, in place.

        Args:
            args: A dtype, a device, a device and a dtype, or a tensor whose dtype is used.
            kwargs: ``dtype``, ``device``, ``tensor``, ``non_blocking`` and ``memory_format`` by
                name.

        Returns:
            The module.

        Raises:
            TypeError: If the dtype is neither floating point nor complex.
            RuntimeError: If the device is not here.
            NotImplementedError: If the module is on the device ``meta``, and goes to another.

        >>> torch.nn.Linear(2, 2).to(torch.float64).weight.dtype
        torch.float64
        """
        wanted, where = _destination(args, kwargs)
        order = kwargs.get("memory_format")
        if wanted is not None and not (wanted.is_floating_point or wanted.is_complex):
            raise ArgumentTypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                f"dtype={wanted}"
            )
        return self._apply(functools.partial(_converted, dtype=wanted, where=where, order=order))

    def type(self, dst_type: Any) -> Self:
        """Convert all parameters and buffers, integer ones too, to a dtype; return the module.

        Args:
            dst_type: The dtype.

        >>> torch.nn.Linear(1, 1).type(torch.float64).weight.dtype
        torch.float64
        """
        return self._apply(lambda tensor: tensor.type(dst_type))

    def float(self) -> Self:
        """Convert floating-point parameters and buffers to float32; return the module.

        >>> torch.nn.Linear(1, 1, dtype=torch.float64).float().weight.dtype
        torch.float32
        """
        return self._apply(lambda tensor: tensor.float() if _is_floating(tensor) else tensor)

    def double(self) -> Self:
        """Convert floating-point parameters and buffers to float64; return the module.

        >>> torch.nn.Linear(1, 1).double().weight.dtype
        torch.float64
        """
        return self._apply(lambda tensor: tensor.double() if _is_floating(tensor) else tensor)

    def bfloat16(self) -> Self:
        """Convert floating-point parameters and buffers to bfloat16; return the module.

        >>> torch.nn.Linear(1, 1).bfloat16().weight.dtype
        torch.bfloat16
        """
        return self._apply(lambda tensor: tensor.bfloat16() if _is_floating(tensor) else tensor)

    def half(self) -> Self:
        """Convert floating-point parameters and buffers to float16; return the module.

        >>> torch.nn.Linear(1, 1).half().weight.dtype
        torch.float16
        """
        return self._apply(lambda tensor: tensor.half() if _is_floating(tensor) else tensor)

    def cpu(self) -> Self:
        """Return the module, which is on the CPU; raise NotImplementedError for one on ``meta``.

        >>> torch.nn.Tanh().cpu()
        Tanh()
        """
        return self._apply(lambda tensor: tensor.cpu())

    cuda, xpu, ipu, mtia = map(_refused, ("cuda", "xpu", "ipu", "mtia"))

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Replace all parameters and buffers by uninitialized ones; return the module.

        Args:
            device: The CPU or ``meta``; None for where each tensor is.
            recurse: Whether to include the submodules.

        Raises:
            RuntimeError: If the device is not here.

        >>> torch.nn.Linear(2, 3).to_empty(device="cpu").weight.shape
        torch.Size([3, 2])
        """
        return self._apply(functools.partial(empty_like, device=device), recurse=recurse)

    def share_memory(self) -> Self:
        """Move all parameters and buffers to shared memory; return the module."""
        return self._apply(lambda tensor: tensor.share_memory_())


def _is_floating(tensor: Tensor) -> bool:
    return tensor.is_floating_point()


def _converted(tensor: Any, dtype: Dtype | None, where: Any, order: Any) -> Any:
    if tensor.is_meta and where not in (None, meta_device):
        raise UnimplementedError(
            f"{NO_DATA} Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when "
            "moving module from meta to a different device."
        )
    wanted = dtype if is_differentiable(tensor.dtype.numpy) else None
    # an order in memory is that of images or volumes, and concerns nothing else
    return tensor.to(where, wanted, memory_format=order if tensor.ndim in (4, 5) else None)


def _destination(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Dtype | None, Any]:
    """Return the dtype and the device that the arguments of ``Module.to`` name."""
    known = {"device", "dtype", "non_blocking", "memory_format", "tensor"}
    unknown = next((name for name in kwargs if name not in known), None)
    if unknown is not None:
        raise ArgumentTypeError(f"to() received an invalid keyword argument '{unknown}'")
    wanted, where = kwargs.get("dtype"), None
    values = itertools.chain(args, [kwargs.get("device"), kwargs.get("tensor")])
    for value in values:
        if isinstance(value, Dtype) or value in (float, complex):
            wanted = value
        elif isinstance(value, Tensor):
            wanted, where = value.dtype, value.device
        elif value is not None and not isinstance(value, bool):
            where = check_device(value)
    return None if wanted is None else from_numpy_dtype(to_numpy_dtype(wanted)), where

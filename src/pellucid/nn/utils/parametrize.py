"""Parametrizations: parameters computed from other tensors whenever they are accessed."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any
from weakref import WeakSet

from pellucid.autograd.modes import no_grad
from pellucid.blocks import Block, temporary
from pellucid.errors import ArgumentError
from pellucid.nn.modules.container import ModuleDict, ModuleList
from pellucid.nn.modules.module import Module
from pellucid.nn.parameter import Parameter
from pellucid.tensors import Tensor

__all__ = [
    "ParametrizationList", "cached", "is_parametrized", "register_parametrization",
    "remove_parametrizations", "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]  # fmt: skip


class _Cache:
    """Computed tensors, kept while a ``cached()`` block is active."""

    def __init__(self) -> None:
        #: those that are open, in all threads
        self.blocks: list[Block] = []
        self.tensors: dict[tuple[int, str], Any] = {}

    def forget(self) -> None:
        """Drop the tensors at the end of the last block."""
        if not self.blocks:
            self.tensors.clear()


_cache = _Cache()


@temporary
def cached(block: Block) -> None:
    """Return a context manager in which each parametrized tensor is computed at most once.

    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 2))
    >>> with torch.nn.utils.parametrize.cached():
    ...     layer.weight is layer.weight
    True
    """
    block._at_end(_cache.forget)
    block._append(_cache.blocks, block)


class ParametrizationList(ModuleList):
    """List of the parametrizations of one tensor, with its original tensors.

    Args:
        modules: The parametrizations, applied in order.
        original: The tensor to parametrize.
        unsafe: Whether the parametrizations may change shape and dtype.

    Attributes:
        original: The original tensor, or ``original0``, ``original1`` and so on if there are
            several.
    """

    def __init__(self, modules: Sequence[Module], original: Any, unsafe: bool = False) -> None:
        super().__init__(modules)
        self.unsafe = unsafe
        with no_grad():
            start = original
            for module in reversed(list(self)):
                start = _start(module, start)
        _check_sequence(start, "a Tensor or a Sequence of tensors (list, tuple...)")
        if isinstance(start, Tensor):
            self.ntensors = 1
            self.is_tensor = True
            if start.dtype != original.dtype:
                raise ArgumentError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {original.dtype}\nright_inverse(original).dtype: "
                    f"{start.dtype}"
                )
            with no_grad():
                original.set_(start.detach())
            self._register("original", original)
            return
        self.ntensors = len(start)
        self.is_tensor = False
        for number, each in enumerate(start):
            learned = isinstance(original, Parameter)
            held = Parameter(each.detach(), original.requires_grad) if learned else each
            self._register(f"original{number}", held)

    def _register(self, name: str, tensor: Any) -> None:
        if isinstance(tensor, Parameter):
            self.register_parameter(name, tensor)
        else:
            self.register_buffer(name, tensor)

    def _originals(self) -> list[Any]:
        if self.is_tensor:
            return [self.original]
        return [getattr(self, f"original{number}") for number in range(self.ntensors)]

    def right_inverse(self, value: Any) -> None:
        """Set the originals so that the parametrizations give the value, as far as possible.

        Args:
            value: The value of the parametrized tensor.

        Raises:
            RuntimeError: If a parametrization has no ``right_inverse``.
            ValueError: If one returns other tensors than the originals are.
        """
        with no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement right_inverse."
                    )
                value = module.right_inverse(value)
        originals = self._originals()
        found = self._checked_inverse(value)
        for original, new in zip(originals, found, strict=True):
            if new.dtype != original.dtype:
                raise ArgumentError(
                    f"The tensor returned by `right_inverse` has dtype {new.dtype} while "
                    f"`original` has dtype {original.dtype}"
                )
        with no_grad():
            for original, new in zip(originals, found, strict=True):
                original.set_(new.detach())

    def _checked_inverse(self, value: Any) -> Sequence[Any]:
        """Return what the last ``right_inverse`` gave as a sequence, one for each original."""
        if self.is_tensor:
            if not isinstance(value, Tensor):
                raise ArgumentError(
                    f"`right_inverse` should return a tensor. Got {type(value).__name__}"
                )
            return [value]
        if isinstance(value, Tensor):
            raise ArgumentError("'right_inverse' must return a sequence of tensors. Got Tensor.")
        _check_sequence(value, "a sequence of tensors")
        if len(value) != self.ntensors:
            raise ArgumentError(
                "'right_inverse' must return a sequence of tensors of length "
                f"{self.ntensors}. Got a sequence of length {len(value)}."
            )
        return value

    def forward(self) -> Any:
        first, *rest = list(self)
        value = first(*self._originals())
        for module in rest:
            value = module(value)
        return value


def _start(module: Any, value: Any) -> Any:
    """Return what the parametrization gives the value for; the value itself if it cannot say."""
    if not hasattr(module, "right_inverse"):
        return value
    try:
        return module.right_inverse(value)
    except NotImplementedError:
        return value


def _check_sequence(value: Any, wanted: str) -> None:
    """Raise unless what a ``right_inverse`` gave is a tensor or a sequence of them."""
    if isinstance(value, Tensor):
        return
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise ArgumentError(f"'right_inverse' must return {wanted}. Got {type(value).__name__}.")
    for place, each in enumerate(value):
        if not isinstance(each, Tensor):
            raise ArgumentError(
                f"'right_inverse' must return {wanted}. Got element {place} of the sequence with "
                f"type {type(each).__name__}."
            )


#: the classes created for parametrized modules
_made_classes: WeakSet[type] = WeakSet()


def _parametrized_class(cls: type[Module]) -> type[Module]:
    """Return a subclass for one module, to which properties can be added."""

    def deepcopy(self: Any, memo: dict[int, Any]) -> Any:
        # A copy needs its own class, so that changes of its properties do not affect the original.
        made: Any = object.__new__(_parametrized_class(cls))
        memo[id(self)] = made
        made.__dict__.update(copy.deepcopy(self.__dict__, memo))
        for name in made.parametrizations:
            _add_property(made, name)
        return made

    def getstate(self: Any) -> Any:
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(). See: "
            "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
            "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
        )

    members = {"__deepcopy__": deepcopy, "__getstate__": getstate, "__module__": __name__}
    made = type(f"Parametrized{cls.__name__}", (cls,), members)
    _made_classes.add(made)
    return made


def _add_property(module: Module, name: str) -> None:
    def get(self: Any) -> Any:
        if not _cache.blocks:
            return self.parametrizations[name]()
        key = (id(self), name)
        if key not in _cache.tensors:
            _cache.tensors[key] = self.parametrizations[name]()
        return _cache.tensors[key]

    def put(self: Any, value: Any) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get, put))


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Replace a parameter or buffer of a module by ``parametrization(original)``.

    If the parametrization has a method ``right_inverse``, it computes the original, or several,
    from the present value; otherwise the original is that value.

    Args:
        module: The module, which is changed in place and returned.
        tensor_name: Name of the parameter or buffer.
        parametrization: Module that computes the value.
        unsafe: Whether shape and dtype may change.

    Raises:
        ValueError: If shape or dtype change without ``unsafe``, or there is no such tensor.

    >>> class Positive(torch.nn.Module):
    ...     def forward(self, x):
    ...         return x.exp()
    >>> layer = torch.nn.Linear(1, 1)
    >>> layer = torch.nn.utils.parametrize.register_parametrization(layer, "weight", Positive())
    >>> bool(layer.weight > 0)
    True
    >>> list(layer.state_dict())
    ['bias', 'parametrizations.weight.original']
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        holder: Any = module.parametrizations[tensor_name]
        if not unsafe:
            _check_next(getattr(module, tensor_name), parametrization)
        holder.append(parametrization)
        holder.unsafe |= unsafe
        return module
    if tensor_name not in module._parameters and tensor_name not in module._buffers:
        raise ArgumentError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element "
            f"with name '{tensor_name}'"
        )
    original = getattr(module, tensor_name)
    if not unsafe:
        _check_first(original, parametrization)
    holder = ParametrizationList([parametrization], original, unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        module.__class__ = _parametrized_class(type(module))
        module.parametrizations = ModuleDict()
    module.parametrizations[tensor_name] = holder
    _add_property(module, tensor_name)
    return module


def _check_first(original: Any, parametrization: Any) -> None:
    """Check the parametrization before anything is changed."""
    with no_grad():
        start = _start(parametrization, original)
        _check_sequence(start, "a Tensor or a Sequence of tensors (list, tuple...)")
        result = parametrization(*([start] if isinstance(start, Tensor) else start))
    _check_kept(original, result)


def _check_next(value: Any, parametrization: Any) -> None:
    """Check a parametrization of what is parametrized already before anything is changed."""
    with no_grad():
        result = parametrization(value)
        _check_kept(value, result)
        start = _start(parametrization, result)
    if not isinstance(start, Tensor):
        raise ArgumentError(
            f"parametrization.right_inverse must return a tensor. Got: {type(start).__name__}"
        )
    for what, old, new in (
        ("dtype", value.dtype, start.dtype),
        ("shape", value.shape, start.shape),
    ):
        if old != new:
            raise ArgumentError(
                f"The tensor returned by parametrization.right_inverse must have the same {what} "
                f"as the parametrized tensor, unless the `unsafe` flag is enabled: {old} is "
                f"expected, {new} was returned"
            )


def _check_kept(before: Any, after: Any) -> None:
    if not isinstance(after, Tensor):
        raise ArgumentError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    for what, old, new in (
        ("dtype", before.dtype, after.dtype),
        ("shape", before.shape, after.shape),
    ):
        if old != new:
            raise ArgumentError(
                f"Registering a parametrization may not change the {what} of the tensor, unless "
                f"`unsafe` flag is enabled.\nunparametrized {what}: {old}\nparametrized {what}: "
                f"{new}"
            )


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Return whether a tensor of the module, or any of them, is parametrized.

    Args:
        module: The module.
        tensor_name: Name of the tensor; any one if None.

    >>> torch.nn.utils.parametrize.is_parametrized(torch.nn.Linear(1, 1))
    False
    """
    holders = module._modules.get("parametrizations")
    if not isinstance(holders, ModuleDict):
        return False
    return len(holders) > 0 if tensor_name is None else tensor_name in holders


def remove_parametrizations(
    module: Module, tensor_name: str, leave_parametrized: bool = True
) -> Module:
    """Replace a parametrized tensor by an ordinary parameter or buffer.

    Args:
        module: The module, which is changed in place and returned.
        tensor_name: Name of the tensor.
        leave_parametrized: Whether to keep the computed value instead of the original one.

    Raises:
        ValueError: If the tensor is not parametrized, or has several originals and
            ``leave_parametrized`` is false.

    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 3))
    >>> _ = torch.nn.utils.parametrize.remove_parametrizations(layer, "weight")
    >>> [name for name, _ in layer.named_parameters()]
    ['bias', 'weight']
    """
    if not is_parametrized(module, tensor_name):
        raise ArgumentError(f"Module {module} does not have a parametrization on {tensor_name}")
    holder: Any = module.parametrizations[tensor_name]
    originals = holder._originals()
    if leave_parametrized:
        with no_grad():
            value = getattr(module, tensor_name).detach()
        tensor = originals[0]
        if not holder.is_tensor:
            learned = isinstance(tensor, Parameter)
            tensor = Parameter(value.clone(), tensor.requires_grad) if learned else value.clone()
        elif value is not tensor:
            tensor.data = value
    elif holder.is_tensor:
        tensor = originals[0]
    else:
        raise ArgumentError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is "
            "parametrized in terms of a sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if isinstance(tensor, Parameter):
        module.register_parameter(tensor_name, tensor)
    else:
        module.register_buffer(tensor_name, tensor)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type_before_parametrizations(module)
    return module


def type_before_parametrizations(module: Module) -> type[Module]:
    """Return the class of a module without its parametrizations.

    Args:
        module: The module.

    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 3))
    >>> torch.nn.utils.parametrize.type_before_parametrizations(layer).__name__
    'Linear'
    """
    cls = type(module)
    return cls.__bases__[0] if cls in _made_classes else cls


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Give a module the parametrizations of another, with the tensors that they start from.

    Args:
        from_module: The module that has the parametrizations; it keeps them.
        to_module: The module that gets them, and is returned.
        tensor_name: Name of the one tensor to transfer; all of them if None.

    >>> given = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 3))
    >>> made = torch.nn.utils.parametrize.transfer_parametrizations_and_params(
    ...     given, torch.nn.Linear(2, 3)
    ... )
    >>> bool((made.weight == given.weight).all())
    True
    """
    if is_parametrized(from_module):
        holders: Any = from_module.parametrizations
        for name in list(holders) if tensor_name is None else [tensor_name]:
            _transfer(holders[name], to_module, name)
    return to_module


def _transfer(holder: Any, to_module: Module, name: str) -> None:
    if name not in to_module._parameters and not is_parametrized(to_module, name):
        first = holder._originals()[0]
        learned = isinstance(first, Parameter)
        made = Parameter(first.detach().clone()) if learned else first.clone()
        setattr(to_module, name, made)
    for parametrization in holder:
        register_parametrization(to_module, name, parametrization, unsafe=holder.unsafe)
    theirs: Any = to_module.parametrizations[name]
    if holder.is_tensor:
        theirs.original = holder.original
    else:
        for number in range(holder.ntensors):
            setattr(theirs, f"original{number}", getattr(holder, f"original{number}"))

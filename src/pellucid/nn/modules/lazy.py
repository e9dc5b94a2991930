"""Base class of lazy modules, whose parameters get their shapes from the first input."""

from __future__ import annotations

from typing import Any

from pellucid.nn.lazy_tensors import is_lazy
from pellucid.nn.modules.module import Module


class LazyModuleMixin:
    """Mixin of modules whose parameters get their shapes from the first input.

    A subclass lists this class first among its bases, creates ``UninitializedParameter`` objects in
    its constructor, and materializes them in ``initialize_parameters``, which runs before the first
    ``forward``. Then the module becomes an instance of ``cls_to_become``.

    Args:
        args: Arguments of the next base class.
        kwargs: Keyword arguments of the next base class.

    >>> class LazyScale(torch.nn.modules.lazy.LazyModuleMixin, torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.weight = torch.nn.UninitializedParameter()
    ...
    ...     def initialize_parameters(self, x):
    ...         self.weight.materialize(x.shape[-1:])
    ...         torch.nn.init.ones_(self.weight)
    ...
    ...     def forward(self, x):
    ...         return x * self.weight
    >>> LazyScale()(torch.tensor([1.0, 2.0])).detach()
    tensor([1., 2.])
    """

    cls_to_become: type[Module] | None = None
    _initialize_hook: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        module: Any = self
        self._load_hook = module.register_load_state_dict_pre_hook(_shape_as_loaded)
        self._initialize_hook = module.register_forward_pre_hook(_infer, with_kwargs=True)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Materialize the parameters for the first input; defined by subclasses.

        Args:
            args: Positional arguments of the first call.
            kwargs: Keyword arguments of the first call.
        """
        raise NotImplementedError(
            f"initialize_parameters is not implemented for {type(self).__name__}"
        )

    def has_uninitialized_params(self) -> bool:
        """Return whether there are parameters or buffers without a shape.

        >>> torch.nn.LazyLinear(2).has_uninitialized_params()
        True
        """
        module: Any = self
        return any(map(is_lazy, (*module._parameters.values(), *module._buffers.values())))


def _infer(module: Any, args: Any, kwargs: Any) -> None:
    """Initialize the parameters of a lazy module and change its class."""
    module.initialize_parameters(*args, **kwargs)
    if module.has_uninitialized_params():
        raise RuntimeError(
            f"module {module._get_name()} has not been fully initialized: its "
            "initialize_parameters has to materialize all parameters and buffers"
        )
    module._initialize_hook.remove()
    module._load_hook.remove()
    del module._initialize_hook, module._load_hook
    if module.cls_to_become is not None:
        module.__class__ = module.cls_to_become


def _shape_as_loaded(module: Any, state: Any, prefix: str, *_: Any) -> None:
    """Give uninitialized parameters the shapes of the values that are loaded."""
    for members in (module._parameters, module._buffers):
        for name, member in members.items():
            value = state.get(prefix + name)
            if is_lazy(member) and value is not None and not is_lazy(value):
                member.materialize(value.shape)

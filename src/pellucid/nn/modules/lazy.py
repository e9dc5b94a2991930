"""Lazy modules: their parameters get shapes from the first input."""

from __future__ import annotations

from typing import Any

from pellucid.nn.lazy_tensors import is_lazy
from pellucid.nn.modules.module import Module


class LazyModuleMixin:
    """Let a module's parameters get their shapes from the first input.

    A subclass puts this class first among its bases, makes `UninitializedParameter` objects in its
    constructor, and materialises them in ``initialize_parameters(*args)``, which runs before the
    first ``forward``. After it the module is of the class ``cls_to_become``.
    """

    cls_to_become: type[Module] | None = None
    _initialize_hook: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        module: Any = self
        self._load_hook = module.register_load_state_dict_pre_hook(_shape_as_loaded)
        self._initialize_hook = module.register_forward_pre_hook(_infer, with_kwargs=True)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Give parameters the shapes that the first input asks for; a subclass says how."""
        raise NotImplementedError(
            f"initialize_parameters is not implemented for {type(self).__name__}"
        )

    def has_uninitialized_params(self) -> bool:
        """Tell whether there are parameters or buffers without shape."""
        module: Any = self
        return any(map(is_lazy, (*module._parameters.values(), *module._buffers.values())))


def _infer(module: Any, args: Any, kwargs: Any) -> None:
    """Initialise the module, and let it be lazy no more."""
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
    """Give parameters without shape the shapes of the values that are about to be loaded."""
    for members in (module._parameters, module._buffers):
        for name, member in members.items():
            value = state.get(prefix + name)
            if is_lazy(member) and value is not None and not is_lazy(value):
                member.materialize(value.shape)

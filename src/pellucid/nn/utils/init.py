"""Creation of modules without parameter initialization."""

from __future__ import annotations

import inspect
from typing import Any

from pellucid.nn.modules.module import Module
from pellucid.random import get_rng_state, set_rng_state


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """Return a module whose parameters are not initialized; no random numbers are consumed.

    Args:
        module_cls: Class of the module; its constructor has to accept ``device``.
        args: Positional arguments of the constructor.
        kwargs: Keyword arguments of the constructor.

    Raises:
        RuntimeError: If ``module_cls`` is not such a class.

    >>> torch.nn.utils.skip_init(torch.nn.Linear, 5, 1).weight.shape
    torch.Size([1, 5])
    """
    if not (isinstance(module_cls, type) and issubclass(module_cls, Module)):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    state = get_rng_state()
    try:
        return module_cls(*args, **kwargs).to_empty(device=device)
    finally:
        set_rng_state(state)

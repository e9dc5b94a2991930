"""``functorch``: what `torch.func` was before, with the names that it gave up.

Each function warns, as PyTorch's does, of what takes its place.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from pellucid import func
from pellucid.autograd.sites import user_stacklevel
from pellucid.compat.functorch import modules

__all__ = [
    "FunctionalModule", "FunctionalModuleWithBuffers", "combine_state_for_ensemble",
    "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp",
    "make_functional", "make_functional_with_buffers", "vjp", "vmap",
]  # fmt: skip

FunctionalModule = modules.FunctionalModule
FunctionalModuleWithBuffers = modules.FunctionalModuleWithBuffers


def _given_up(function: Callable[..., Any], now: str) -> Callable[..., Any]:
    """Return a function that warns of what takes its place."""
    name = function.__name__

    @functools.wraps(function)
    def warned(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(
            "We've integrated functorch into PyTorch. As the final step of the integration, "
            f"`functorch.{name}` is deprecated as of PyTorch 2.0 and will be deleted in a future "
            f"version of PyTorch >= 2.3. Please use `{now}` instead; see the PyTorch 2.0 release "
            "notes and/or the `torch.func` migration guide for more details "
            "https://pytorch.org/docs/main/func.migrating.html",
            FutureWarning,
            stacklevel=user_stacklevel(),
        )
        return function(*args, **kwargs)

    return warned


vmap = _given_up(func.vmap, "torch.vmap")
grad = _given_up(func.grad, "torch.func.grad")
grad_and_value = _given_up(func.grad_and_value, "torch.func.grad_and_value")
vjp = _given_up(func.vjp, "torch.func.vjp")
jvp = _given_up(func.jvp, "torch.func.jvp")
jacrev = _given_up(func.jacrev, "torch.func.jacrev")
jacfwd = _given_up(func.jacfwd, "torch.func.jacfwd")
hessian = _given_up(func.hessian, "torch.func.hessian")
functionalize = _given_up(func.functionalize, "torch.func.functionalize")
make_functional = _given_up(modules.make_functional, "torch.func.functional_call")
make_functional_with_buffers = _given_up(
    modules.make_functional_with_buffers, "torch.func.functional_call"
)
combine_state_for_ensemble = _given_up(
    modules.combine_state_for_ensemble, "torch.func.stack_module_state"
)

"""``torch.func``: functions of functions, for derivatives and for whole batches."""

from __future__ import annotations

from pellucid.func import functions, rules, rules_of_images, rules_of_losses, rules_of_places
from pellucid.func.batched import debug_unwrap
from pellucid.func.derivatives import (
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
)
from pellucid.func.mapping import vmap
from pellucid.func.modules import functional_call, stack_module_state

__all__ = [
    "debug_unwrap", "functional_call", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev",
    "jvp", "linearize", "stack_module_state", "vjp", "vmap",
]  # fmt: skip

#: the modules whose rules are found once they are imported
RULES = (functions, rules, rules_of_images, rules_of_losses, rules_of_places)

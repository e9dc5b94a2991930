"""``torch.func``: functions of functions, for derivatives and for whole batches."""

from __future__ import annotations

from pellucid.func import control_flow, custom_functions
from pellucid.func.forward import hessian, jacfwd, jvp, linearize
from pellucid.func.mapping import vmap
from pellucid.func.modules import (
    functional_call,
    functionalize,
    replace_all_batch_norm_modules_,
    stack_module_state,
)
from pellucid.func.rearrangement import rearrange
from pellucid.func.reverse import grad, grad_and_value, jacrev, vjp
from pellucid.interpreters.vmap import rules, rules_index, rules_losses, rules_nn
from pellucid.interpreters.vmap.batched import debug_unwrap

__all__ = [
    "debug_unwrap", "functional_call", "functionalize", "grad", "grad_and_value", "hessian",
    "jacfwd", "jacrev", "jvp", "linearize", "rearrange", "replace_all_batch_norm_modules_",
    "stack_module_state", "vjp", "vmap",
]  # fmt: skip

#: the modules whose rules are found once they are imported
RULES = (custom_functions, rules, rules_index, rules_losses, rules_nn)
#: what declares functions of `pellucid` itself
DECLARED = (control_flow,)

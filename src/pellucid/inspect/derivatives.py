"""The local derivative of a node, taken from what it has saved, while no pass runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.autograd.explanations.saved_values import op_of
from pellucid.autograd.node import BackwardRun, Node
from pellucid.autograd.saved import PackedValue
from pellucid.inspect.known_values import is_changed

#: below this, a local derivative lets nothing through that single precision would notice
_NOTHING = 1e-7


def local_derivatives(node: Node, g: Any = None) -> tuple[Any, ...] | None:
    """Return the gradients of a node's operands for one of its result.

    None where that cannot be known without changing anything: the node has several outputs, or what
    it saved is freed, packed, or changed since, or it has no derivative.

    Args:
        node: The node.
        g: The gradient of its result; ones if None.
    """
    saved = node.saved
    if node.metas is not None or node.dtype.kind not in "fc" or isinstance(saved, BackwardRun):
        return None
    if any(isinstance(entry, PackedValue) or is_changed(entry) for entry in saved or ()):
        return None
    try:
        with np.errstate(all="ignore"):
            return node.backward(node, np.ones(node.shape or (), node.dtype) if g is None else g)
    except Exception:  # noqa: BLE001 - one without a derivative; the pass tells that better
        return None


def lets_nothing_through(node: Node, least: float = _NOTHING) -> bool:
    """Return whether an op's derivative is zero everywhere, by its formula on saved values.

    Only formulas of the library run, on arrays; values that a hook has packed are not looked at.

    Args:
        node: Any node.
        least: Up to which size a derivative counts as zero.
    """
    if op_of(node) is None or node.is_custom:
        return False
    grads = local_derivatives(node) or ()
    given = [grad for grad in grads if isinstance(grad, np.ndarray | np.generic)]
    return bool(given) and all(bool(np.all(np.abs(grad) <= least)) for grad in given)

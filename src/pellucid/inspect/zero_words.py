"""What is said of operations that make zeros of gradients, and what to do about them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

STEPS = "a derivative that is zero everywhere"
CLAMPED = "all values clamped"
DEAD = "dead units"
SATURATED = "saturation"


class Words(NamedTuple):
    """What is said of an operation that lets no gradient pass."""

    kind: str
    why: str
    remedy: str

    def remedy_of(self, op: str) -> str:
        """Return what to do about an operation of this name."""
        return self.remedy.format(op=op)


_STEPS = Words(
    STEPS, "its derivative is zero wherever it has one, so nothing below it learns.",
    "Leave {op} out of what is trained on, or let the gradient pass as if it were not there: "
    "x + ({op}(x) - x).detach().",
)  # fmt: skip
_ROUNDED = _STEPS._replace(
    remedy="Divide without rounding what is trained on, or let the gradient pass as if it were not "
    "there: q + (q.floor() - q).detach() for q = a / b.",
)
_CLAMPED = Words(
    CLAMPED, "all values lie beyond the bounds, where the result does not depend on them.",
    "Widen the bounds, scale the operand, or apply the bounds to a copy that is not trained on.",
)  # fmt: skip
_DEAD = Words(
    DEAD, "all its outputs are zero.",
    "Start again with a lower learning rate, or use leaky_relu or gelu.",
)  # fmt: skip
_SATURATED = Words(
    SATURATED, "all its operands are where it is flat.",
    "Start again with a lower learning rate, or scale the operands down.",
)  # fmt: skip
ALWAYS_ZERO = frozenset({
    "round", "floor", "ceil", "trunc", "sign", "sgn", "heaviside", "rounded div",
})  # fmt: skip
WORDS = {
    **dict.fromkeys(ALWAYS_ZERO, _STEPS), "rounded div": _ROUNDED, "clamp": _CLAMPED,
    "relu": _DEAD, "threshold": _DEAD,
    **dict.fromkeys(
        ("sigmoid", "tanh", "hardtanh", "hardsigmoid", "hardswish", "softmax", "log_softmax",
         "softplus", "elu", "logsigmoid", "erf", "softsign", "hardshrink", "softshrink", "selu"),
        _SATURATED,
    ),
}  # fmt: skip


def remedies_of(ops: Iterable[str]) -> str:
    """Return what to do about operations that let no gradient pass, each remedy once."""
    told = [WORDS[op].remedy_of(op) for op in ops if op in WORDS]
    return " ".join(dict.fromkeys(told)) or "Look at what they are given there."

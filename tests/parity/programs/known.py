"""Differences that rows of docs/differences.md explain."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.parity.programs.comparing import Difference


class Known(NamedTuple):
    """A row of docs/differences.md, by the beginning of its first cell, and what it explains.

    Each pattern has to be found in what it is named after; one that is not given fits all.
    """

    row: str
    aspect: str = ""
    theirs: str = ""
    ours: str = ""
    statement: str = ""
    raised: str = ""
    program: str = ""
    #: whether theirs and ours, as they are, differ as the row says
    fits: Callable[[Any, Any], bool] = lambda theirs, ours: True

    def explains(self, difference: Difference) -> bool:
        """Return whether a difference is one of those that the row tells of."""
        return all(
            re.search(getattr(self, name), str(getattr(difference, name)))
            for name in ("aspect", "theirs", "ours", "statement", "raised", "program")
        ) and self.fits(difference.theirs, difference.ours)


def _differ_along_single_elements(theirs: Any, ours: Any) -> bool:
    """Return whether pairs of sizes and steps differ in steps that lead to no other element."""
    return len(theirs) == len(ours) and all(
        one == other or one[0] == other[0] == 1 for one, other in zip(theirs, ours, strict=True)
    )


#: a change of a tensor's shape in place while nothing was recorded
_VIEWED_UNRECORDED = (
    r"(no_grad\(|inference_mode\(|set_grad_enabled\(False)\):\n(    .*\n)*    .*?"
    r"\b(?P<viewed>\w+)\.(t|squeeze|unsqueeze|transpose|swapaxes)_\("
)

KNOWN = (
    Known(
        "PyTorch's own failures", "raised",
        theirs="nested_tensorlist|INTERNAL ASSERT|ZeroTensors are immutable|non-empty TensorList",
    ),
    Known(
        "PyTorch's own failures", "raised", theirs="^None$", ours="tri[ul]:", statement="vmap"
    ),
    Known(
        "a saved value whose tensor was `detach_()`", "^raised", ours="^None$",
        theirs="Trying to use a saved tensor that has been detached in-place",
    ),
    Known(
        "numbers for tensors in", "^raised", ours="^None$",
        theirs=r"clamp\(\) received an invalid combination of arguments - got \((int|float)",
    ),
    Known("nodes of `einsum`", "graph of|saved by|^_base of", statement=r"\beinsum\("),
    Known(
        "PyTorch's own failures", "raised", theirs="Dimension out of range", ours="^None$",
        statement=r"(vmap|jac(fwd|rev)|hessian)\(.*flip\(0\)",
    ),
    Known(
        "PyTorch's own failures", "^value", theirs="nan", statement=r"functional\..*logcumsumexp"
    ),
    Known(
        "PyTorch's own failures", "^(dtype of|value)", theirs="float64", ours="float32",
        statement=r"func\.jacfwd\(.*( [-+*/] \d*\.\d|\d*\.\d+ [-+*/] )"
    ),
    Known("PyTorch's own failures", "^warned", theirs="Attempted to insert a get_attr Node"),
    Known(
        "a change of an inference tensor that is refused", "^(values|shape|stride|grad) of",
        raised="Inplace update to inference tensor",
    ),
    Known("weak references to nodes", "raised", theirs=r"cannot create weak reference to '\w+'"),
    Known("a leaf, or a saved tensor, that the", "^alive", theirs="True", ours="False"),
    Known(
        "`view(dtype)` to the same dtype", "requires|leaf|graph|_base",
        statement=r"view\(\w+\.dty",
    ),
    Known("a gradient that is one number", "raised", theirs="unsupported operation", ours="None"),
    Known("a gradient that is one number", "stride of", theirs=r", 0\)"),
    Known("a gradient that is one number", "^value", raised="unsupported operation: more than"),
    Known("strides of results", "stride of", fits=_differ_along_single_elements),
    Known(
        "a derivative that PyTorch lacks", "graph of", theirs="NotImplemented",
        ours="HardsigmoidBackwardBackward0",
    ),
    Known("a derivative that PyTorch lacks", "raised", theirs="forward AD with aten::hardsigmoid"),
    Known("`t_()`, `squeeze_()` and", "graph of", statement=_VIEWED_UNRECORDED),
    Known(
        "`t_()`, `squeeze_()` and", "saved by", statement=_VIEWED_UNRECORDED,
        fits=lambda theirs, ours: "missing" in (str(theirs), str(ours)),
    ),
    Known(
        "`t_()`, `squeeze_()` and", "^raised", theirs="invalid gradient at index",
        ours="^None$", program=_VIEWED_UNRECORDED,
    ),
    Known(
        "`t_()`, `squeeze_()` and", "^shown", statement=r"\.grad_fn\(",
        program=_VIEWED_UNRECORDED + r"(.*\n)*.*\b(?P=viewed)\.grad_fn\(",
    ),
    Known("a gradient that is one number", "^_base of", theirs=r"^\(\(\), ", ours="None"),
    Known("errors", "shown", theirs="Error$", ours="Error$", statement=r"type\(e\).__name__"),
    Known(
        "a derivative that PyTorch lacks", "raised",
        theirs="only for real scalar outputs but got torch.complex", ours="None",
    ),
    Known(
        "a pass that must fail", "^grad |^layer|^logged",
        raised="Trying to backward through the graph a second|modified by an inplace operation",
    ),
    Known(
        "a pass that must fail", "^raised", theirs="Error",
        ours="Trying to backward through the graph a second",
    ),
    Known(
        "which freed nodes count", "^raised", theirs="^None$",
        ours="Trying to backward through the graph a second",
    ),
    Known(
        "a singular matrix", "^values", statement=r"linalg\.det\((\w+) @ \1\.mT\)"
    ),
    Known("`ctx` of a custom function", "logged", theirs="Own\\d+Backward", ours="FunctionCtx"),
    Known(
        "a derivative that PyTorch lacks", "raised", ours="None",
        theirs=r"derivative for aten::\w+ is not implemented|the `-` operator, (with|on) a bool",
    ),
    Known(
        "dtypes without a kernel on the CPU", "raised", theirs="not implemented for '", ours="None"
    ),
    Known(
        "strides of results", "raised", ours="None",
        theirs="view size is not compatible with input tensor's size and stride",
    ),
    Known(
        "what is not a tensor, given to functions", "raised", ours="TypeError",
        theirs="'(int|float|list)' object has no attribute",
    ),
)  # fmt: skip


def row_of(difference: Difference) -> str | None:
    """Return the row that explains a difference, if one does."""
    return next((each.row for each in KNOWN if each.explains(difference)), None)

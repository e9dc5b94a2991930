"""Every public name gives what PyTorch gives on calls of its own, with operands of every kind.

Values, shapes, dtypes, gradients, second gradients and the class of the error, if there is one.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

import numpy as np
import pytest

import pellucid
from tests.parity.side_by_side import Outcome, differences, evaluate
from tests.samples.grouped import for_each
from tests.samples.names import Call, calls, damaged, wanted
from tests.samples.operands import Arrays, operands
from tests.samples.running import used

torch = pytest.importorskip("torch")


def as_they_are(array: np.ndarray) -> np.ndarray:
    return array


def complex_numbers(array: np.ndarray) -> np.ndarray:
    """Return floats with an imaginary part."""
    if array.dtype.kind != "f":
        return array
    parts = array + 1j * np.roll(np.nan_to_num(array, posinf=2, neginf=-2), 1)
    return np.asarray(parts).astype(np.result_type(array, np.complex64))


def whole_numbers(array: np.ndarray) -> np.ndarray:
    """Return floats as integers."""
    if array.dtype.kind != "f":
        return array
    return np.asarray(np.clip(np.nan_to_num(array), -3, 3) * 3).astype(int)


def single_precision(array: np.ndarray) -> np.ndarray:
    """Return the doubles in half as many bits."""
    return array.astype(np.float32) if array.dtype == np.float64 else array


KINDS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "floats": as_they_are,
    "complex": complex_numbers,
    "integers": whole_numbers,
    "single": single_precision,
}


@functools.cache
def arrays(kind: str) -> Arrays:
    return {name: KINDS[kind](array) for name, array in operands().items()}


#: what PyTorch says where it has no kernel or no derivative for complex numbers
LACKING = re.compile(
    "not implemented for 'Complex|automatic differentiation for outputs with complex|"
    "omplex inputs not supported|only supports floating-point dtypes, X1 got: Complex|"
    "common dtype is Complex|following scalar types: Half, BFloat16, Float, Double; but got CPUComp"
)

#: names of which values alone are compared, and why
VALUES_ONLY = {
    "PyTorch lets the gradient through, though the result does not change with its operand": """
        logical_and_ logical_or_ logical_xor_ logical_not_
    """,
    "PyTorch's gradient is that of other elements": "as_strided_scatter",
    "PyTorch's backward fails": "cond",
    "PyTorch's gradient is less exact in single precision": "sinc sinc_ pinverse pinv",
}
FORWARD = " ".join(VALUES_ONLY.values()).split()

#: names of which some call gives something else, by the kind of the operands, and why
DIFFERENT: dict[str, dict[str, str]] = {
    "every": {
        "addbmm_": "PyTorch lets a number grow into the result, which no other variant does",
    },
    "integers": {
        **dict.fromkeys(["softmax", "log_softmax"], "PyTorch looks at the dtype of elements only"),
        **dict.fromkeys(["max_pool1d", "round"], "of integers PyTorch has it under another name"),
        **dict.fromkeys(
            ["gaussian_nll_loss", "hinge_embedding_loss", "soft_margin_loss"],
            "PyTorch refuses on the way what has a value in the default dtype",
        ),
    },
    "complex": {
        "lobpcg": "not there for complex numbers",
        "normal": "PyTorch refuses a complex standard deviation",
    },
    "single": {"soft_margin_loss": "PyTorch gives a loss of two dtypes the dtype of the first"},
}
#: names that leave open which of equal integers they find: they may agree, and need not
UNDEFINED = ("kthvalue", "topk")
#: the same for the names of one place only
ONE_PLACE = {"round": "torch.special"}


def differs(name: str, kind: str) -> bool:
    """Return whether it is known that a name gives something else."""
    place, _, last = name.rpartition(".")
    known = last in DIFFERENT.get(kind, {}) or last in DIFFERENT["every"]
    return known and ONE_PLACE.get(last, place) == place


def outcomes(text: str, kind: str, orders: int = 2) -> list[Outcome]:
    """Return what a text gives here and in PyTorch."""
    made = [evaluate(library, text, arrays(kind), orders) for library in (pellucid, torch)]
    for outcome in made:
        if outcome.error is NotImplementedError:
            outcome.error = RuntimeError  # which catches both
        if orders == 0:
            outcome.facts = [fact.removesuffix(" requires grad") for fact in outcome.facts]
    return made


def faults(call: Call, kind: str) -> list[str]:
    """Return in what the outcomes of a call differ."""
    # second gradients in single precision show more of the rounding than of the function
    orders = 0 if call.name in FORWARD else 1 if kind == "single" else 2
    ours, theirs = outcomes(call.text, kind, orders)
    if LACKING.search(theirs.message):
        return []
    if "torch.special." in call.text and not theirs.gradients:
        # where PyTorch has no derivative, ours may have one
        ours, theirs = outcomes(call.text, kind, 0)
    needed = used(call.text, arrays(kind)).values()
    narrow = any(each.dtype.itemsize < 8 for each in needed if each.dtype.kind in "fc")
    return differences(ours, theirs, rtol=1e-4 if narrow else 1e-6)


def faults_of_name(name: str, kind: str) -> dict[str, list[str]]:
    place, _, last = name.rpartition(".")
    return {call.text: wrong for call in calls()[place, last] if (wrong := faults(call, kind))}


def same_refusal(text: str) -> bool:
    """Return whether both libraries raise the same builtin class, or neither raises."""
    ours, theirs = outcomes(text, "floats", 0)
    # PyTorch's Python functions fail at the first method that a text does not have
    better = ours.error is TypeError and theirs.error is AttributeError
    return better or ours.error is theirs.error


NAMES = [".".join(key) for key in wanted()]
every_name = for_each(
    ({"name": name} for name in NAMES), lambda member: member["name"].rpartition(".")[2][0]
)


@pytest.mark.parametrize("kind", KINDS)
@every_name
def test_name_gives_what_pytorch_gives(name: str, kind: str) -> None:
    found = faults_of_name(name, kind)
    if differs(name, kind) or (kind == "integers" and name.endswith(UNDEFINED)):
        pytest.skip("known to differ")
    assert found == {}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_said_to_differ_does(kind: str) -> None:
    assert [n for n in NAMES if differs(n, kind) and not faults_of_name(n, kind)] == []


@every_name
def test_bad_input_gives_the_same_class_of_error(name: str) -> None:
    place, _, last = name.rpartition(".")
    texts = [text for call in calls()[place, last][:1] for text in damaged(call)]
    assert [text for text in texts if text != "torch.block_diag()" and not same_refusal(text)] == []

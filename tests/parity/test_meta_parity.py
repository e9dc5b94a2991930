"""Every sample has on the device ``meta`` the shapes, dtypes and strides that it has with values.

PyTorch's meta tensors are looked at where ours differ: what it gives, or refuses, will do as well.
"""

from __future__ import annotations

import warnings
from types import ModuleType
from typing import Any

import pytest

import pellucid
from tests.parity.test_strides_parity import strides_of
from tests.samples.operands import operands, tensors_of
from tests.samples.reader import grouped, texts
from tests.samples.running import builtin_class, flattened, run, used

torch = pytest.importorskip("torch")

#: what needs values here, and not in PyTorch; ``docs/differences.md`` says the same
NOT_INFERRED = ("torch.tensor([torch.tensor",)  # fmt: skip
SAMPLES = texts("calls") + texts("expressions")


def facts(value: Any) -> Any:
    """Return what is known of a result without its values."""
    if not hasattr(value, "requires_grad"):
        return type(value).__name__
    if value.is_sparse:
        return "sparse"
    return str(value.dtype), tuple(value.shape), strides_of(value), value.requires_grad


def outcome(library: ModuleType, text: str, device: str) -> Any:
    """Return the facts of what a text gives on a device and of its gradients; or its error."""
    made = tensors_of(library, used(text, operands()))
    tensors = {name: each.to(device) for name, each in made.items()}
    leaves = [each for each in tensors.values() if each.is_floating_point() or each.is_complex()]
    for leaf in leaves:
        leaf.requires_grad_()
    with warnings.catch_warnings(), library.device(device):
        warnings.simplefilter("ignore")
        try:
            parts = flattened(run(library, text, tensors))
            found = [facts(part) for part in parts]
            roots = [part for part in parts if getattr(part, "requires_grad", False)]
            roots = [root for root in roots if not root.is_sparse]
            if roots and leaves:
                library.autograd.backward(roots, [library.ones_like(root) for root in roots])
                found.append([facts(leaf.grad) for leaf in leaves])
        except Exception as error:  # noqa: BLE001 - what raises is compared
            return builtin_class(error)
    return found


def faults(text: str) -> list[str]:
    """Return in what a sample on meta differs from the same with values, and from PyTorch's."""
    expected = outcome(pellucid, text, "cpu")
    if isinstance(expected, type):
        return []
    ours = outcome(pellucid, text, "meta")
    theirs = None if ours == expected else outcome(torch, text, "meta")
    agree = ours in (expected, theirs) or isinstance(theirs, type)
    return [] if agree else [f"{text}: ours {ours}, with values {expected}, theirs {theirs}"]


@pytest.mark.parametrize("group", grouped(SAMPLES, 100), ids=lambda group: group[0])
def test_shapes_on_meta_are_those_of_values(group: list[str]) -> None:
    texts = [text for text in group if not any(part in text for part in NOT_INFERRED)]
    assert [fault for text in texts for fault in faults(text)] == []


@pytest.mark.parametrize("part", NOT_INFERRED)
def test_what_is_not_inferred_is_refused(part: str) -> None:
    assert any(faults(text) for text in SAMPLES + texts("details") if part in text)

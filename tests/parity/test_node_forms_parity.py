"""What the node of a call shows is what PyTorch's node shows: names, edges, saved values.

``node_forms.txt`` has a call in each line. Those that differ begin with ``!``: a test fails where
one of them agrees, so that its mark is taken away.
"""

from __future__ import annotations

import contextlib
import re
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import pellucid
from tests.parity.programs.comparing import equal
from tests.parity.programs.observing import Observer, described_error

torch = pytest.importorskip("torch")

FORMS = (Path(__file__).parent / "node_forms.txt").read_text("utf-8").splitlines()
SHAPES = {
    "x": (2, 3), "y": (2, 3), "v": (3,), "w": (4, 3), "b": (4,), "z": (2, 3, 4), "m": (3, 3),
    "filters": (2, 3, 2), "images": (1, 2, 4, 4), "kernels": (2, 2, 2, 2),
}  # fmt: skip


def operands(torch: ModuleType) -> dict[str, Any]:
    """Return leaves of known values, by the names that the forms use."""
    made: dict[str, Any] = {"torch": torch, "F": torch.nn.functional, "i": torch.tensor([0, 1])}
    for seed, (name, shape) in enumerate(SHAPES.items()):
        values = np.random.default_rng(seed).random(shape)
        made[name] = torch.tensor(values, requires_grad=True)
    made["c"] = torch.tensor([[1.0, 2, 3], [4, 5, 6]], dtype=torch.float64)
    made["places"] = torch.zeros(2, 3, dtype=torch.int64)
    return made


def seen(torch: ModuleType, form: str) -> Any:
    """Return what can be seen of the node of a form's result."""
    observer = Observer(torch)
    with warnings.catch_warnings(action="ignore"):
        try:
            result = eval(form, operands(torch))
        except Exception as error:  # noqa: BLE001 - which one it is gets compared
            return described_error(error)
        base = result._base
        facts = {
            "graph": observer.graph(result), "saved": observer.saved(result),
            "base": None if base is None else tuple(base.shape), "stride": result.stride(),
            "version": result._version,
        }  # fmt: skip
        return {name: observer.plain(value, 6) for name, value in facts.items()}


@pytest.mark.parametrize("form", [form for form in FORMS if not form.startswith("!")])
def test_a_node_shows_what_that_of_pytorch_shows(form: str) -> None:
    theirs, ours = seen(torch, form), seen(pellucid, form)
    assert equal(theirs, ours), f"\nPyTorch {theirs}\nhere    {ours}"


@pytest.mark.parametrize("form", [form[1:] for form in FORMS if form.startswith("!")])
def test_what_is_marked_as_different_is(form: str) -> None:
    assert not equal(seen(torch, form), seen(pellucid, form)), "take the mark of this form away"


#: forms of which a second pass runs here or there alone, and why
RUNS_TWICE_ELSEWHERE = {
    "torch.vander(v)": "PyTorch has no gradient",
}


def second_pass(torch: ModuleType, form: str) -> str:
    """Return what becomes of a pass through a form's result that comes after another."""
    with warnings.catch_warnings(action="ignore"):
        try:
            result = eval(form, operands(torch))
            if not result.requires_grad:
                return "no graph"
            result.backward(torch.ones_like(result))
        except Exception:  # noqa: BLE001 - which one it is, other tests compare
            return "an error before"
        try:
            result.backward(torch.ones_like(result))
        except RuntimeError as error:
            return str(error)[:45]
    return "runs"


def test_a_second_pass_is_refused_where_pytorch_refuses_it() -> None:
    forms = [form.removeprefix("!") for form in FORMS]
    theirs = {form: second_pass(torch, form) for form in forms}
    assert {"runs", "Trying to backward through the graph a second"} <= set(theirs.values())
    differ = {form for form in forms if second_pass(pellucid, form) != theirs[form]}
    assert differ == set(RUNS_TWICE_ELSEWHERE)


_ROWS_COPIED = "here: z", "PyTorch saves a copy, whose rows follow each other"
#: forms of which a change is refused here or there alone: where, of what, and why
CHANGES_REFUSED_ELSEWHERE = {
    "F.linear(z.transpose(1,2),w,b)": _ROWS_COPIED,
    "F.linear(z.transpose(1,2),w)": _ROWS_COPIED,
    "x@z.detach().permute(2,1,0)": _ROWS_COPIED,
    "v@z.detach().permute(2,1,0)": _ROWS_COPIED,
    "F.cross_entropy(x,i)": (
        "here: x", "PyTorch saves logarithms of probabilities, here they are made again",
    ),
    "F.soft_margin_loss(x,c)": ("PyTorch: x", "here a result on the way is saved"),
    "F.margin_ranking_loss(x,y,c)": ("here: c", "PyTorch saves the negative target"),
    "1/x": ("here: result", "PyTorch multiplies the reciprocal, which it saves, by one"),
    "x.put(i,v[:2])": ("PyTorch: v", "PyTorch saves the values"),
    "x.put(i,v[:2],True)": ("PyTorch: v", "PyTorch saves the values"),
    "F.elu_(x.clone())": ("PyTorch: result", "here the former values are saved"),
    "F.leaky_relu_(x.clone())": ("PyTorch: result", "here the former values are saved"),
    "F.selu_(x.clone())": ("PyTorch: result", "here the former values are saved"),
    "F.batch_norm(x,c[0]*0,c[0],training=True)": ("PyTorch: c", "PyTorch saves running statistics"),
    "F.batch_norm(x,c[0]*0,c[0],v,v,True)": ("PyTorch: c", "PyTorch saves running statistics"),
    "torch.kron(x,y)": ("here: x y", "PyTorch saves copies"),
    "torch.cross(x,y,dim=1)": ("PyTorch: x y", "here rotated operands are saved"),
    "torch.linalg.cross(x,y)": ("PyTorch: x y", "here rotated operands are saved"),
    "torch.combinations(v)": (
        "PyTorch: v", "PyTorch selects by masks, and saves what it selects from",
    ),
    "torch.masked_select(x,x>0)": ("PyTorch: x", "PyTorch saves the input"),
    "x.erfinv()": ("PyTorch: x, here: result", "PyTorch saves the input, here the result"),
    "torch.take_along_dim(x,places,0)": ("here: places", "PyTorch saves a copy of the indices"),
    "torch.vander(v)": ("PyTorch: result", "PyTorch's own backward fails, whatever is changed"),
}  # fmt: skip


def backward_changed(torch: ModuleType, form: str, name: str) -> dict[str, Any] | None:
    """Return gradients of the operands after a change of one, or of the result, behind autograd.

    None where the backward pass refuses the change.
    """
    leaves = operands(torch)
    given = {**leaves, **{each: leaves[each] * 1 for each in SHAPES}}
    result = eval(form, given)
    if name:
        with torch.no_grad():
            (result if name == "result" else given[name]).detach().add_(1)
    try:
        result.backward(torch.ones_like(result))
    except RuntimeError as error:
        if "modified" in str(error):
            return None
    return {each: leaves[each].grad for each in SHAPES}


def changes_refused(torch: ModuleType, form: str) -> set[str]:
    """Return the operands, and the result, whose change a backward pass refuses."""
    refused: set[str] = set()
    for name in {*re.findall(r"[a-z]+", form)} & {*SHAPES, "c", "places"} | {"result"}:
        with contextlib.suppress(Exception):  # no such change
            refused |= {name} if backward_changed(torch, form, name) is None else set()
    return refused


def test_a_change_of_what_is_saved_is_refused_where_pytorch_refuses_it() -> None:
    differ: dict[str, str] = {}
    for form in (form.removeprefix("!") for form in FORMS):
        with warnings.catch_warnings(action="ignore"):
            theirs, ours = changes_refused(torch, form), changes_refused(pellucid, form)
        alone = {"PyTorch": sorted(theirs - ours), "here": sorted(ours - theirs)}
        if theirs != ours:
            differ[form] = ", ".join(
                f"{k}: {' '.join(names)}" for k, names in alone.items() if names
            )
    assert differ == {form: where for form, (where, _) in CHANGES_REFUSED_ELSEWHERE.items()}


@pytest.mark.parametrize("form", CHANGES_REFUSED_ELSEWHERE)
def test_what_pytorch_alone_refuses_to_change_has_no_part_in_gradients_here(form: str) -> None:
    unchanged = backward_changed(pellucid, form, "")
    assert unchanged is not None
    where = dict(each.split(": ") for each in CHANGES_REFUSED_ELSEWHERE[form][0].split(", "))
    for name in where.get("PyTorch", "").split():
        changed = backward_changed(pellucid, form, name)
        assert changed is not None
        for each, expected in unchanged.items():
            found = changed[each]
            assert (found is None) == (expected is None)
            assert found is None or found.tolist() == expected.tolist()

"""How often a gradient in ``.grad`` was changed is what PyTorch's ``_version`` says."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import pellucid

torch = pytest.importorskip("torch")

PASSES: dict[str, Callable[..., Any]] = {
    "a sum": lambda torch, a, b: a.sum().backward(),
    "a mean": lambda torch, a, b: a.mean().backward(),
    "one number for two leaves": lambda torch, a, b: (a + b).sum().backward(),
    "one gradient for two leaves": lambda torch, a, b: ((a + b) * 2).sum().backward(),
    "two gradients for two leaves": lambda torch, a, b: (a * b).sum().backward(),
    "one gradient twice": lambda torch, a, b: ((a + a) * 2).sum().backward(),
    "two uses": lambda torch, a, b: ((a * 2).sum() + (a * 3).sum()).backward(),
    "one number for one leaf, twice": lambda torch, a, b: torch.autograd.backward(
        [a.sum(), a.sum()]
    ),
    "a given gradient for what is used twice": lambda torch, a, b: (a * b + a).backward(
        torch.ones(2, 3)
    ),
    "sums over what was stretched": lambda torch, a, b: [
        (torch.minimum(a, b[0, 0]) * 3).sum().backward(),
    ],
    "the larger of one leaf": lambda torch, a, b: (torch.maximum(a, a) * 2).sum().backward(),
    "what a derivative changes, handed on": lambda torch, a, b: [
        torch.cummax(a + b, 0).values.sum().backward(),
    ],
    "one dimension less": lambda torch, a, b: [
        c := a[None], (c + c * a).sum().backward(),
    ],
    "a forward mode": lambda torch, a, b: [
        level := torch.autograd.forward_ad.dual_level(), level.__enter__(), a.sum().backward(),
        level.__exit__(None, None, None),
    ],
    "a view": lambda torch, a, b: (a.view(6) * 2).sum().backward(),
    "a transposed view": lambda torch, a, b: (a.t() * 2).sum().backward(),
    "two uses of what was repeated": lambda torch, a, b: [
        c := a.repeat_interleave(2, 0), (c * c).sum().backward(),
    ],
    "all of it, by an index": lambda torch, a, b: (a[...].sum() + b[:, :].sum()).backward(),
    "one full slice": lambda torch, a, b: (a[:].sum() + b[()].sum()).backward(),
    "a clone": lambda torch, a, b: a.clone().sum().backward(),
    "a given gradient": lambda torch, a, b: a.backward(torch.ones(2, 3)),
    "an affine map": lambda torch, a, b: torch.nn.functional.linear(a, b).sum().backward(),
    "create_graph": lambda torch, a, b: (a * a).sum().backward(create_graph=True),
    "a set gradient": lambda torch, a, b: [
        setattr(a, "grad", torch.ones(2, 3)), (a * 2).sum().backward(),
    ],
    "a hook that replaces": lambda torch, a, b: [
        a.register_hook(lambda g: g * 2), (a * 2).sum().backward(),
    ],
    "a hook that changes": lambda torch, a, b: [
        a.register_hook(lambda g: g.mul_(2)), (a * a).sum().backward(),
    ],
    "a hook that keeps": lambda torch, a, b: [
        a.register_hook(KEPT.append), (a * 2).sum().backward(),
    ],
    "a hook after it": lambda torch, a, b: [
        a.register_post_accumulate_grad_hook(lambda _: None), (a * 2).sum().backward(),
    ],
    "a retained gradient": lambda torch, a, b: [
        (c := a * 2).retain_grad(), c.sum().backward(),
    ],
    "clipping": lambda torch, a, b: [
        (a * 2).sum().backward(), torch.nn.utils.clip_grad_norm_([a], 0.1),
    ],
    "clipping of elements": lambda torch, a, b: [
        (a * 2).sum().backward(), torch.nn.utils.clip_grad_value_([a], 0.1),
    ],
    "one number for one leaf that is asked for": lambda torch, a, b: a.sum().backward(inputs=[a]),
    "one gradient for a leaf that is asked for": lambda torch, a, b: (
        ((a + b) * 2).sum().backward(inputs=[a])
    ),
    "zeros": lambda torch, a, b: [(a * 2).sum().backward(), a.grad.zero_()],
}  # fmt: skip
KEPT: list[Any] = []


def versions(library: ModuleType, run: Callable[..., Any]) -> list[list[int]]:
    leaves = [library.ones(2, 3, requires_grad=True), library.ones(2, 3, requires_grad=True)]
    seen = []
    for _ in range(3):
        run(library, *leaves)
        seen.append([each.grad._version for each in leaves if each.grad is not None])
    return seen


#: what a derivative does in the precision, or with the conjugates, of the dtype alone
ROUNDED: dict[str, Callable[..., Any]] = {
    "squeeze": lambda torch, a: a.squeeze(),
    "prelu": lambda torch, a: torch.nn.functional.prelu(a, torch.ones(1, dtype=a.dtype)),
    "where": lambda torch, a: torch.where(a == 1, a, torch.zeros_like(a)),
    "sum": lambda torch, a: a.sum(),
    "mean": lambda torch, a: a.mean(),
    "a sum with itself": lambda torch, a: a + a,
    "product": lambda torch, a: a * a,
    "clone": lambda torch, a: a.clone(),
    "max": lambda torch, a: a.max(),
    "cummax": lambda torch, a: a.cummax(0).values,
    "index": lambda torch, a: a[torch.tensor([0, 1])],
    "conversion": lambda torch, a: a.float(),
}  # fmt: skip


def rounded_versions(library: ModuleType, dtype: str, run: Callable[..., Any]) -> list[int]:
    leaf = library.ones(2, 1, dtype=getattr(library, dtype), requires_grad=True)
    seen = []
    for _ in range(2):
        total = run(library, leaf).sum()
        (total.real if total.is_complex() else total).backward()
        seen.append(leaf.grad._version)
    return seen


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "complex64"])
def test_versions_of_gradients_that_are_rounded_or_conjugated(dtype: str) -> None:
    for what, run in ROUNDED.items():
        if dtype == "complex64" and what in ("prelu", "max", "cummax", "conversion"):
            continue
        theirs = rounded_versions(torch, dtype, run)
        assert (what, rounded_versions(pellucid, dtype, run)) == (what, theirs)
        with pellucid.inspect.in_python():
            assert (what, rounded_versions(pellucid, dtype, run)) == (what, theirs)


@pytest.mark.parametrize("what", PASSES)
@pytest.mark.filterwarnings("ignore:Using backward")
def test_versions_of_gradients(what: str) -> None:
    assert versions(pellucid, PASSES[what]) == versions(torch, PASSES[what])


@pytest.mark.parametrize("what", PASSES)
@pytest.mark.filterwarnings("ignore:Using backward")
def test_versions_of_gradients_are_the_same_without_compiled_code(what: str) -> None:
    with pellucid.inspect.in_python():
        ours = versions(pellucid, PASSES[what])
    assert ours == versions(pellucid, PASSES[what])

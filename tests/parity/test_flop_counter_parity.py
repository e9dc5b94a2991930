"""Floating-point operations are counted as PyTorch counts them, forward and backward, by module."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import pytest

import pellucid

torch = pytest.importorskip("torch")


def counted(library: ModuleType, program: Any) -> tuple[dict[str, dict[str, int]], int]:
    """Return the counts by module and kernel, and the total."""
    made = importlib.import_module(f"{library.__name__}.utils.flop_counter").FlopCounterMode
    with made(display=False) as counter:
        program()
    counts = counter.get_flop_counts().items()
    by_name = {module: {str(k): n for k, n in found.items()} for module, found in counts}
    return by_name, counter.get_total_flops()


PRODUCTS = [
    "F.linear(r(2, 3, 4), r(5, 4), r(5))", "F.linear(r(3, 4), r(5, 4))", "r(2, 3, 4) @ r(2, 4, 5)",
    "r(2, 3, 4) @ r(4, 5)", "r(3, 4) @ r(4)", "torch.mm(r(3, 4), r(4, 2))",
    "torch.bmm(r(2, 3, 4), r(2, 4, 5))", "F.conv1d(r(2, 4, 8), r(6, 4, 3), r(6))",
    "F.conv2d(r(2, 3, 8, 8), r(6, 3, 3, 3), stride=2, padding=1)",
    "F.conv_transpose2d(r(2, 3, 4, 4), r(3, 5, 3, 3))", "r(3, 4).relu() * 2",
]  # fmt: skip


@pytest.mark.parametrize("text", PRODUCTS)
def test_products_and_their_gradients_are_counted(text: str) -> None:
    def program(library: ModuleType) -> Any:
        def r(*size: int) -> Any:
            return library.ones(*size, requires_grad=True)

        names = {"F": library.nn.functional, "torch": library, "r": r}
        return lambda: eval(text, names).sum().backward()

    ours, theirs = (counted(library, program(library)) for library in (pellucid, torch))
    assert ours == theirs


@pytest.mark.parametrize("text", ["torch.addmm(a, a, a)", "torch.einsum('ij,jk->ik', a, a)"])
def test_composites_are_counted_whole(text: str) -> None:
    def program(library: ModuleType) -> Any:
        a = library.ones(3, 3, requires_grad=True)
        return lambda: eval(text, {"torch": library, "a": a}).sum().backward()

    ours, theirs = (counted(library, program(library))[1] for library in (pellucid, torch))
    assert ours == theirs


def test_modules_are_told_apart_by_their_names() -> None:
    def program(library: ModuleType) -> Any:
        nn = library.nn
        inner = nn.Sequential(nn.Flatten(), nn.Linear(16, 2, bias=False))
        model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), inner)
        return lambda: model(library.ones(2, 3, 4, 4)).sum().backward()

    ours, theirs = (counted(library, program(library)) for library in (pellucid, torch))
    assert ours == theirs

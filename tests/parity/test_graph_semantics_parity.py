"""What a graph records, keeps and refuses, statement by statement, next to PyTorch.

A program calls ``say`` for whatever can be seen. Compared are what was said and, where the program
ends in an error, its builtin class and first sentence.
"""

from __future__ import annotations

import re
import warnings
from typing import Any

import pytest

import pellucid

torch = pytest.importorskip("torch")


def said(library: Any, program: str) -> list[str]:
    """Run a program and return what it said, the error that ended it, and the warnings."""
    lines: list[str] = []
    space: dict[str, Any] = {
        "torch": library, "nn": library.nn, "F": library.nn.functional,
        "fw": library.autograd.forward_ad, "func": library.func,
        "say": lambda *facts: lines.append(" ".join(map(_text, facts))),
    }  # fmt: skip
    library.manual_seed(0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(program, space)
        except Exception as error:  # noqa: BLE001 - which it is, is what is compared
            kind = next(each for each in type(error).__mro__ if each.__module__ == "builtins")
            lines.append(f"{kind.__name__}: {_first_sentence(str(error))}")
    return lines + [f"{each.category.__name__}: {str(each.message)[:40]}" for each in caught]


def _text(fact: Any) -> str:
    text = repr(fact)
    return re.sub(r" at 0x\w+", "", text)


def _first_sentence(text: str) -> str:
    return re.split(r"\.(?:\s|$)|\n", text, maxsplit=1)[0]


DIRTY = """
class Dirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.add_(1)
    @staticmethod
    def backward(ctx, g):
        return g
"""
LEAF = "a = torch.zeros(6).view(2, 3).requires_grad_(); "
MADE = "b = torch.zeros(6, 2, requires_grad=True) * 1\n"

LEAVES_AND_VIEWS = [
    *(
        f"{make}{change}; say(a.is_leaf, a)"
        for make in (
            LEAF,
            "a = torch.arange(6.0).reshape(2, 3).requires_grad_(); ",
            "c = torch.ones(3, 2); a = c.T; a.requires_grad_(); ",
            "c = torch.ones(3, 2); a = c.T; a.requires_grad_(); c.requires_grad_(); ",
            "c = torch.ones(3, 2); a = c.T; c.requires_grad_(); a.requires_grad_(); ",
            "a = torch.ones(3, 2, requires_grad=True).detach().T.requires_grad_(); ",
            "a = nn.Parameter(torch.ones(6).view(2, 3)); ",
            "a = torch.zeros(2, 3, requires_grad=True); ",
        )
        for change in (
            "a[0] = 0.0", "a[0] = torch.ones(3)", "a[torch.tensor([0])] = 1.0", "a[a > 0] = 1.0",
            "a[...] = 1.0", "a.mul_(2)", "a[0].mul_(2)", "a.T.copy_(torch.ones(3, 2))",
            "a.fill_diagonal_(1.0)", "torch._foreach_add_([a], 1.0)", "a.uniform_()", "a.t_()",
            "a[0].mul_(torch.ones(3, requires_grad=True))", "a.data[0] = 1", "a.zero_()",
            "F.relu(a, inplace=True)", "torch.add(torch.ones(3), 1, out=a[0])", "a += 1",
        )
    ),
    LEAF + "a.requires_grad_(False); a.mul_(2); say(a.is_leaf, a.requires_grad)",
    LEAF + "b = a[0]; a.requires_grad_(False); b.mul_(2)",
    "c = torch.ones(3, 2); a = c.T; c.requires_grad_(); a.mul_(2)",
    "c = torch.ones(3, 2); a = c.T; c.requires_grad_(); a[0] = torch.ones(2, requires_grad=True)",
    "c = torch.ones(2, 3); b = c.T; b.requires_grad_(); c.mul_(2)\n"
    "say(b.is_leaf, b.requires_grad, c.requires_grad)",
    "c = torch.ones(2, 3); b = c.T; b.requires_grad_(); c.T.mul_(b); say(b.is_leaf, c.is_leaf)",
    "v = torch.view_as_complex(torch.zeros(6, 2)).requires_grad_(); v[0] = 1",
    "v = torch.view_as_real(torch.zeros(6, dtype=torch.complex64)).requires_grad_(); v.mul_(2)",
    "a = torch.zeros(6).split(3)[0].requires_grad_(); a.mul_(2)",
    *(
        DIRTY + f"a = {make}; Dirty.apply({given}); say(a.is_leaf)"
        for make in (
            "torch.zeros(2, 3, requires_grad=True)", "torch.zeros(6).view(2, 3).requires_grad_()",
        )
        for given in ("a", "a[0]")
    ),
    DIRTY + MADE + "Dirty.apply(b.split(3)[0])",
]  # fmt: skip

VIEWS_THAT_CANNOT_FOLLOW = [
    MADE + look + then
    for look in (
        "with torch.no_grad(): a = b[0]\n", "with torch.no_grad(): a = b.split(3)[1]\n",
        "with torch.inference_mode(): a = b[0]\n", "a = b.split(3)[1]\n",
        "with torch.no_grad(): a = b[0]\na = a[0:1]\n", "a = b.split(3)[1][0]\n",
        "with torch.inference_mode(): a = b[0]\na = a[0:1]\n",
    )
    for then in ("a.mul_(2)", "a[0].mul_(2)", "b.mul_(2); a * 2", "c = a[0]; b.mul_(2); c * 2")
]  # fmt: skip


@pytest.mark.parametrize("program", LEAVES_AND_VIEWS)
def test_leaves_that_are_views_are_protected_as_in_pytorch(program):
    assert said(pellucid, program) == said(torch, program)


@pytest.mark.parametrize("program", VIEWS_THAT_CANNOT_FOLLOW)
def test_views_that_cannot_follow_a_change_say_so_in_the_same_words(program):
    assert said(pellucid, program) == said(torch, program)

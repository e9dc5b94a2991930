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
from tests.samples.grouped import together

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

ANOMALIES = [
    f"with torch.autograd.detect_anomaly(check_nan={check}): say({derivative})"
    for check in (True, False)
    for derivative in (
        "func.jacrev(lambda a: a * 2)(torch.ones(3))",
        "func.hessian(lambda a: (a * a).sum())(torch.ones(2))",
        "func.vmap(func.grad(lambda a: (a * a).sum()))(torch.ones(3, 2))",
        "func.vmap(func.vmap(func.grad(lambda a: a * a)))(torch.ones(3, 2))",
        "func.vmap(func.grad(lambda a: a.sqrt() * 0))(torch.tensor([1.0, 2.0]))",
        "func.vmap(func.grad(lambda a: a.sqrt() * 0))(torch.tensor([1.0, 0.0]))",
        "func.jacrev(lambda a: a.sqrt() * 0)(torch.tensor([1.0, 0.0]))",
        "func.grad(lambda a: a.sqrt() * 0)(torch.tensor(0.0))",
        "func.jacfwd(func.grad(lambda a: (a**3).sum()))(torch.ones(2))",
    )
]

DUAL = """
t = torch.ones(2, requires_grad=True)
with fw.dual_level():
    d = fw.make_dual(t, torch.ones(2))
"""
CHANGED_VALUES = [
    *(
        f"{DUAL}    o = {made}\n    with torch.no_grad(): {changed}.mul_(2)\n    {used}"
        for made, changed, saved in (
            ("t * d", "t", "self"), ("d * t", "t", "other"), ("d.exp()", "o", "result"),
            ("d.sin()", "t", "self"),
        )
        for used in (f"say(o.grad_fn._saved_{saved})", "o.sum().backward()")
    ),
    *(
        "a = torch.ones(2, requires_grad=True); b = torch.ones(2, requires_grad=True); y = a * b\n"
        "y.grad_fn._raw_saved_self.register_hooks(lambda x: x, lambda x: x)\n"
        f"with torch.no_grad(): {changed}.mul_(2)\n{used}"
        for changed in "ab"
        for used in (
            "say(y.grad_fn._saved_other)", "say(y.grad_fn._saved_self)", "y.sum().backward()",
        )
    ),
]  # fmt: skip


def without_names_of_nodes(lines: list[str]) -> list[str]:
    """Leave out the names of nodes, and all warnings: those have tests of their own."""
    lines = [line for line in lines if "Warning: " not in line]
    return [re.sub("which is output 0 of [^,]*,", "which is an output,", line) for line in lines]


NORMS = [
    f"norm = lambda v: {norm}\nat = torch.tensor({at})\n"
    "say(func.grad(norm)(at), func.jacfwd(norm)(at))\n"
    "say(*(round(each, 4) + 0.0 for each in func.hessian(norm)(at).flatten().tolist()))"
    for at in ("[0.0, 0.0]", "[0.0, 2.0]", "[3.0, -4.0]")
    for norm in (
        "v.norm()", "v.norm(1)", "v.norm(3)", "v.norm(float('inf'))", "v.norm(-1)", "v.norm(-2)",
        "torch.linalg.vector_norm(v.view(1, -1), 2, 1, True).sum()", "v.std() * 0 + v.norm()",
        "torch.linalg.matrix_norm(v.view(1, -1))", "torch.dist(v, torch.zeros(2))",
        "torch.linalg.vector_norm(torch.stack([v, v + 1]), dim=1).sum()", "v.std()",
        "F.normalize(v, dim=0).sum()", "F.cosine_similarity(v, torch.ones(2), 0)",
        "F.pairwise_distance(v, torch.zeros(2), eps=0.0)", "torch.complex(v, v).norm()",
    )
]  # fmt: skip

INNER = (
    "func.vjp(torch.sin, a)[0]", "func.vjp(torch.sin, a)[0] * 2",
    "func.vjp(torch.sin, a)[1](torch.ones(2))[0]", "func.grad(lambda b: b.sin().sum())(a)",
    "func.vjp(lambda b: (b.sin(), b), a, has_aux=True)[2]",
    "func.grad_and_value(lambda b: b.sin().sum())(a)",
    "func.grad(lambda b: (b.sin().sum(), b * b), has_aux=True)(a)", "func.jacrev(torch.sin)(a)",
    "func.jvp(torch.sin, (a,), (torch.ones(2),))", "func.jacfwd(torch.sin)(a)",
    "func.jvp(lambda b: b.exp() * w, (a,), (torch.ones(2),))",
    "func.vjp(lambda b: b * b * w, a)[0]",
)  # fmt: skip
HISTORIES = [
    f"t = torch.tensor([1.0, 2.0], requires_grad={requires_grad})\n"
    f"w = torch.ones(2, requires_grad={recorded})\nsay({outer.format(inner)})"
    for requires_grad, recorded in ((False, False), (True, False), (False, True))
    for outer in (
        "func.jvp(lambda a: {}, (t,), (torch.ones(2),))", "func.vjp(lambda a: {}, t)[0]",
        "func.jacfwd(lambda a: {})(t)", "func.jacrev(lambda a: {})(t)",
        "func.vmap(lambda a: {})(torch.stack([t, t]))",
    )
    for inner in INNER
]  # fmt: skip


@together()
@pytest.mark.parametrize("program", HISTORIES)
def test_results_of_transforms_inside_each_other_have_a_history_where_pytorchs_have(program):
    ours, theirs = (
        [
            re.sub(r"grad_fn=<\w+>|requires_grad=True", "history", line)
            for line in said(lib, program)
        ]
        for lib in (pellucid, torch)
    )
    keep = lambda lines: [line for line in lines if not line.startswith("DeprecationWarning")]  # noqa: E731
    assert without_signs_of_zeros(keep(ours)) == without_signs_of_zeros(keep(theirs))


def without_signs_of_zeros(lines: list[str]) -> list[str]:
    return [re.sub(r"-(0\.(?![0-9]*[1-9]))", r"\1", line).replace(" ", "") for line in lines]


@pytest.mark.parametrize("program", NORMS)
def test_norms_have_the_derivatives_of_pytorch_at_points_without(program):
    ours, theirs = (
        [line for line in said(lib, program) if "Warning: " not in line]
        for lib in (pellucid, torch)
    )
    assert without_signs_of_zeros(ours) == without_signs_of_zeros(theirs)


@pytest.mark.parametrize("program", ANOMALIES + CHANGED_VALUES)
def test_what_backward_finds_wrong_is_told_as_in_pytorch(program):
    ours, theirs = (without_names_of_nodes(said(lib, program)) for lib in (pellucid, torch))
    assert ours == theirs


IMAGE = "x = torch.linspace(-3, 3, 32).reshape(1, 2, 4, 4).requires_grad_()\n"
SLOPES = """
g, = torch.autograd.grad(y.sum(), x, create_graph=True)
say(g.requires_grad, g.grad_fn, g.grad_fn.next_functions)
h, = torch.autograd.grad(g.sum(), x, create_graph=True)
say(h, h.requires_grad)
"""
FLAT_DERIVATIVES = [
    *(
        f"{IMAGE}y = {call}{SLOPES}"
        for call in (
            "torch.relu(x)", "F.leaky_relu(x)", "F.hardtanh(x)", "F.relu6(x)", "F.hardshrink(x)",
            "F.threshold(x, 0.1, 2.0)", "F.softshrink(x)", "F.rrelu(x, training=True)",
            "F.max_pool2d(x, 2)", "F.avg_pool2d(x, 2)", "F.adaptive_max_pool2d(x, 3)",
            "F.adaptive_avg_pool2d(x, 3)", "F.pad(x, (1, 1, 1, 1), mode='reflect')",
            "F.pad(x, (1, 1, 1, 1), mode='replicate')", "F.relu(x * 1, inplace=True)",
        )
    ),
    *(
        f"{IMAGE}v = torch.{v}_like(x).requires_grad_()\n"
        f"g, = torch.autograd.grad({call}, x, v, create_graph=True)\n"
        "say(torch.autograd.grad(g.sum(), (x, v)))"
        for v in ("ones", "zeros")
        for call in ("torch.relu(x)", "F.leaky_relu(x)", "F.hardtanh(x)", "F.hardshrink(x)")
    ),
    "m = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))\n"
    "x = torch.ones(2, 3, requires_grad=True)\n"
    "g, = torch.autograd.grad(m(x).sum(), x, create_graph=True)\n"
    "say(torch.autograd.grad(g.sum(), x))",
    "say(torch.autograd.functional.hessian(lambda x: F.leaky_relu(x).sum(), torch.ones(2), "
    "strict=True))",
    *(
        f"f = func.{outer}(func.{inner}(lambda x: (F.relu(x) ** 2).sum()))\n"
        "say(f(torch.tensor([1.0, -2.0])))"
        for outer in ("jacfwd", "jacrev")
        for inner in ("jacfwd", "jacrev")
    ),
]  # fmt: skip


@pytest.mark.parametrize("program", FLAT_DERIVATIVES)
def test_what_is_piecewise_linear_has_the_second_derivative_of_pytorch(program):
    ours, theirs = (
        [line for line in said(lib, program) if not line.startswith("DeprecationWarning")]
        for lib in (pellucid, torch)
    )
    assert ours == theirs


@pytest.mark.parametrize("program", LEAVES_AND_VIEWS)
def test_leaves_that_are_views_are_protected_as_in_pytorch(program):
    assert said(pellucid, program) == said(torch, program)


@pytest.mark.parametrize("program", VIEWS_THAT_CANNOT_FOLLOW)
def test_views_that_cannot_follow_a_change_say_so_in_the_same_words(program):
    assert said(pellucid, program) == said(torch, program)

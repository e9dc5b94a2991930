"""``grad_dtype`` of leaves, step by step next to PyTorch."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import pytest

import pellucid
from tests.parity.side_by_side import builtin_class

torch = pytest.importorskip("torch")

#: statements about a leaf x, another leaf without gradient p, and what is computed from x
PROGRAMS = """
x.grad_dtype; p.grad_dtype; (x * 2).grad_dtype; x.detach().grad_dtype
x.grad_dtype = torch.float64; (x * 2).sum().backward(); x.grad; x.grad_dtype
x.grad_dtype = None; x.grad_dtype; x.grad = p.double(); (x * 2).sum().backward(); x.grad
x.grad = p.double(); x.grad_dtype = torch.float64; x.grad = p; x.grad = p.double(); x.grad
x.grad = p; x.grad_dtype = torch.float64; x.grad_dtype = torch.float32; x.grad_dtype = None; x.grad
(x * 1).grad_dtype = torch.float64; p.grad_dtype = torch.float64; p.grad_dtype; p.grad_dtype = 3
x.grad_dtype = torch.complex64; (x * 2.5).sum().backward(); x.grad
x.grad_dtype = torch.float64; torch.autograd.grad((x * x).sum(), x)
y = x * 1; x.grad_dtype = torch.float64; y.sum().backward(); x.grad
x.grad_dtype = torch.float64; (x * 2).sum().backward(create_graph=True); x.grad
x.grad_dtype = torch.float64; (x * 2).sum().backward(inputs=[x]); x.grad
x.grad_dtype = torch.float64; copy.deepcopy(x).grad_dtype; torch.nn.Parameter(x).grad_dtype
x.grad_dtype = torch.float64; x.requires_grad_(False).requires_grad_().sum().backward(); x.grad
x.grad_dtype = torch.float64; x.data = p.half(); x.grad_dtype; x.sum().backward(); x.grad
m.weight.grad_dtype = torch.float64; m.half(); m.weight.grad_dtype; m.bias.grad_dtype
i.grad_dtype; i.grad_dtype = torch.float32; i.grad = p; i.grad
"""


def outcomes(lib: Any, program: str) -> list[str]:
    """Run statements one by one; return what each gives or raises."""
    names = {
        "torch": lib, "copy": copy, "x": lib.ones(2, requires_grad=True), "p": lib.ones(2),
        "i": lib.ones(2, dtype=lib.int64), "m": lib.nn.Linear(2, 2),
    }  # fmt: skip
    found = []
    for statement in program.split("; "):
        try:
            try:
                code = compile(statement, "<statement>", "eval")
            except SyntaxError:
                exec(statement, names)
            else:
                found.append(str(eval(code, names)).replace("pellucid", "torch"))
        except Exception as error:  # noqa: BLE001 - which one it is gets compared
            found.append(f"{builtin_class(error)}: {error}")
    return found


@pytest.mark.parametrize("program", PROGRAMS.strip().splitlines())
def test_each_statement_is_that_of_pytorch(program: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert outcomes(pellucid, program) == outcomes(torch, program)

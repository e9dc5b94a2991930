"""Generated functions can be read: their source, their frames and their signatures."""

from __future__ import annotations

import inspect
import linecache
import subprocess
import sys
import traceback

import pytest

import pellucid as torch
from pellucid.core.definition.op import Op, registry
from pellucid.core.definition.source import definition
from tests.samples.grouped import folder_of, for_each


def test_the_source_of_an_op_that_was_never_called_can_be_read() -> None:
    program = "import inspect, pellucid; print(inspect.getsource(pellucid.atan2))"
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert shown.startswith("def atan2(input, other")
    assert "node = _Node()" in shown


def test_the_source_of_an_op_defines_a_function_of_its_name() -> None:
    sources = {name: inspect.getsource(op.function) for name, op in registry.items()}
    assert [name for name, text in sources.items() if not text.startswith(f"def {name}(")] == []


def test_the_definition_and_the_derivatives_stand_below_the_source_of_an_op() -> None:
    source = inspect.getsource(torch.exp)
    for line in ("# def exp(be, input, /):", '# @exp.partial("input")', "#     return out"):
        assert f"    {line}" in source.splitlines()
    assert source.index("def exp(input") < source.index("# Defined in pellucid.ops.elementwise")


@for_each([{"op": op} for op in registry.values()], lambda member: folder_of(member["op"]))
def test_the_definition_of_an_op_can_be_read_with_all_its_derivatives(op: Op) -> None:
    text = definition(op)
    for function in [op.body, *(formula.function for formula in op.formulas.values())]:
        names = {function.__name__, function.__code__.co_name}
        assert "<lambda>" in names or any(f"def {each}(" in text for each in names)
    assert '"""' not in text


def test_a_backward_function_can_be_read_and_its_file_name_says_what_it_is() -> None:
    a = torch.ones(2, requires_grad=True)
    backward = (a * 2).grad_fn.backward
    assert backward.__code__.co_filename == "<pellucid backward of mul by input>"
    assert inspect.getsource(backward).startswith("def backward(node, g):")


def test_an_in_place_op_can_be_read() -> None:
    assert inspect.getsource(torch.Tensor.mul_).startswith("def mul_(input, other):")


def test_a_full_traceback_shows_the_generated_line() -> None:
    call = inspect.unwrap(torch.matmul)
    torch.set_traceback("full")
    try:
        call(torch.ones(2, 3), torch.ones(2, 3))
    except RuntimeError as error:
        frames = traceback.extract_tb(error.__traceback__)
    finally:
        torch.set_traceback("short")
    lines = [frame.line for frame in frames if frame.filename == "<pellucid matmul(out=)>"]
    assert any(str(line).startswith("return _failed(error") for line in lines)
    assert frames[-1].filename.endswith("matmul.py")


def test_linecache_keeps_generated_source_when_it_checks_its_files() -> None:
    file = inspect.unwrap(torch.mul).__code__.co_filename
    linecache.checkcache()
    assert linecache.getline(file, 1).startswith("def mul(")


@pytest.mark.parametrize(
    ("function", "signature"),
    [
        (torch.sum, "(input, dim=None, keepdim=False, *, dtype=None, out=None)"),
        (torch.mul, "(input, other, *, out=None)"),
        (torch.relu, "(input)"),
        (torch.Tensor.mul_, "(input, other)"),
    ],
)
def test_the_signature_of_an_op_is_what_users_write(function: object, signature: str) -> None:
    assert callable(function)
    assert str(inspect.signature(function)) == signature


def test_a_bound_method_has_a_signature_without_the_tensor() -> None:
    method = torch.ones(1).sum
    assert str(inspect.signature(method)) == "(dim=None, keepdim=False, *, dtype=None)"


def test_a_signature_binds_arguments_and_can_be_changed() -> None:
    signature = inspect.signature(torch.sum)
    assert signature.bind(1, keepdim=True).arguments == {"input": 1, "keepdim": True}
    assert str(signature.replace(parameters=[])) == "()"
    assert signature == inspect.signature(torch.sum)

"""PyTorch's errors name operands, line, layer and remedy, and keep their class and sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pellucid
from pellucid.inspect import pytorch

torch: Any = pytest.importorskip("torch")


class Shortened(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g[:1]


class Doubled(Shortened):
    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g, g


class Failing(Shortened):
    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g @ torch.ones(5, 5)


def layers(library: Any) -> None:
    nn = library.nn
    nn.Sequential(nn.Linear(4, 3), nn.Sequential(nn.Linear(2, 1)))(library.ones(2, 4))


def one_layer(library: Any) -> None:
    library.nn.Embedding(3, 2)(library.tensor([5]))


def matrices(library: Any) -> None:
    library.ones(2, 3) @ library.ones(2, 3)


def sizes(library: Any) -> None:
    library.ones(2, 3) + library.ones(2, 4)


def parts(library: Any) -> None:
    library.cat([library.ones(2, 3), library.ones(2, 4)])


def no_number(library: Any) -> None:
    y = library.ones(3, requires_grad=True) * 2
    y.backward()


def shape_of_the_gradient(library: Any) -> None:
    y = library.ones(3, requires_grad=True) * 2
    y.backward(library.ones(2))


@pytest.mark.parametrize(
    "program", [layers, one_layer, matrices, sizes, parts, no_number, shape_of_the_gradient]
)
def test_an_error_has_the_lines_that_pellucids_has(program: Callable[[Any], None]) -> None:
    told = []
    for library in (pellucid, torch):
        with pytorch.lines(), pytest.raises((RuntimeError, IndexError)) as raised:
            program(library)
        told.append(str(raised.value).splitlines()[1:])
    ours, theirs = told
    assert ours
    assert [each for each in ours if each not in theirs and "embedding(" not in each] == []


@pytest.mark.parametrize(
    ("program", "kind", "remedy"),
    [
        (
            lambda: torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.tensor([0.0, 1.0])),
            RuntimeError, "give target.long()",
        ),
        (
            lambda: torch.nn.Linear(2, 2)(torch.ones(1, 2, dtype=torch.float64)),
            RuntimeError, "torch.from_numpy(a).float()",
        ),
        (lambda: torch.ones(3, requires_grad=True).numpy(), RuntimeError, ".detach().numpy()"),
        (
            lambda: torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.tensor([0, 5])),
            IndexError, "Classes are counted from 0",
        ),
        (lambda: torch.ones(2, 3)[5], IndexError, "in index(float32[2, 3], 5)"),
    ],
)  # fmt: skip
def test_an_error_of_a_call_says_what_to_do(
    program: Callable[[], Any], kind: type[Exception], remedy: str
) -> None:
    with pytest.raises(kind) as alone:
        program()
    with pytorch.lines(), pytest.raises(kind) as watched:
        program()
    assert type(watched.value) is type(alone.value)
    assert str(watched.value).startswith(str(alone.value))
    assert remedy in str(watched.value)
    assert "  at test_errors_of_pytorch.py:" in str(watched.value)


@pytest.mark.parametrize("function", [Shortened, Doubled, Failing])
def test_the_line_of_a_custom_function_whose_backward_fails_is_named(function: Any) -> None:
    x = torch.ones(3, 3, requires_grad=True)
    with pytorch.lines():
        y = function.apply(x)
        with pytest.raises(RuntimeError) as raised:
            (y * 2).sum().backward()
    told = str(raised.value)
    assert f"in the backward of {function.__name__}Backward" in told
    assert "y = function.apply(x)" in told
    assert ("return g @ torch.ones(5, 5)" in told) is (function is Failing)


def test_an_error_in_a_hook_names_its_line() -> None:
    def hook(g: Any) -> Any:
        raise ValueError("too large")

    x = torch.ones(3, requires_grad=True)
    with pytorch.lines():
        y = x * 2
        y.register_hook(hook)
        with pytest.raises(ValueError, match="too large") as raised:
            y.sum().backward()
    assert 'raise ValueError("too large")' in str(raised.value)


def test_an_error_that_the_program_catches_is_the_same_object() -> None:
    class Own(RuntimeError):
        pass

    class Raising(Shortened):
        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            raise Own("mine", 3)

    x = torch.ones(3, requires_grad=True)
    with pytorch.lines(), pytest.raises(Own) as raised:
        Raising.apply(x).sum().backward()
    assert raised.value.args == ("mine", 3)


def test_a_backward_that_is_once_differentiable_is_named() -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, g: Any) -> Any:
            return 2 * ctx.saved_tensors[0] * g

    w = torch.ones(3, requires_grad=True)
    with pytorch.lines():
        y = Square.apply(w).sum()
        (g,) = torch.autograd.grad(y, w, create_graph=True)
        with pytest.raises(RuntimeError, match="does not require grad") as raised:
            g.square().sum().backward()
    told = str(raised.value)
    assert "Square.backward" in told
    assert "without that decorator" in told

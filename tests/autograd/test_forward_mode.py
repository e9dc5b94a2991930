from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

import pellucid as torch
import pellucid.autograd.forward_ad as fwAD
from pellucid.autograd import Function, grad, gradcheck, gradgradcheck
from tests.samples.grouped import together


def doubles(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def tangent(tensor: torch.Tensor) -> list[float] | None:
    found = fwAD.unpack_dual(tensor).tangent
    return None if found is None else found.tolist()


def test_a_tangent_goes_along():
    with fwAD.dual_level():
        x = fwAD.make_dual(torch.tensor([2.0, 3.0]), torch.tensor([1.0, 10.0]))
        assert tangent(x * x + x) == [5, 70]


def test_a_tensor_without_tangent_has_none():
    with fwAD.dual_level():
        x = torch.ones(2)
        primal, none = fwAD.unpack_dual(x * 2)
        assert none is None
        assert primal.tolist() == [2, 2]


def test_tangents_end_with_their_level():
    with fwAD.dual_level():
        x = fwAD.make_dual(torch.ones(1), torch.ones(1))
        y = x * 2
    assert fwAD.unpack_dual(y).tangent is None
    with fwAD.dual_level():
        assert fwAD.unpack_dual(y).tangent is None
        assert fwAD.unpack_dual(x * 2).tangent is None


def test_levels_open_and_close_in_order():
    with pytest.raises(RuntimeError, match="no level exists, make sure to enter_dual_level"):
        fwAD.make_dual(torch.ones(1), torch.ones(1))
    with pytest.raises(RuntimeError, match="Trying to exit a forward AD level"):
        fwAD.exit_dual_level()
    fwAD.enter_dual_level()
    try:
        with pytest.raises(RuntimeError, match="Nested forward mode AD is not supported"):
            fwAD.enter_dual_level()
    finally:
        fwAD.exit_dual_level()


@pytest.mark.parametrize("transform", ["jacfwd", "hessian", "linearize"])
def test_transforms_of_functions_are_refused_inside_a_level(transform: str) -> None:
    x = torch.ones(3)
    given = (torch.square, x) if transform == "linearize" else (lambda v: torch.square(v).sum(),)

    def run() -> object:
        made = getattr(torch.func, transform)(*given)
        return made if transform == "linearize" else made(x)

    with fwAD.dual_level(), pytest.raises(RuntimeError, match="Nested forward mode AD"):
        run()
    run()


def test_a_tangent_has_the_shape_and_kind_of_its_tensor():
    with fwAD.dual_level():
        with pytest.raises(RuntimeError, match="a different size than that of the original Tensor"):
            fwAD.make_dual(torch.ones(2), torch.ones(3))
        with pytest.raises(ValueError, match="Expected primal to be floating point or complex"):
            fwAD.make_dual(torch.ones(2, dtype=torch.int64), torch.ones(2))
        wide = fwAD.make_dual(torch.ones(2), torch.ones(2, dtype=torch.float64))
        assert fwAD.unpack_dual(wide).tangent.dtype is torch.float64


PROGRAMS = {
    "elementwise": lambda x, w: (x.exp() * w + x.sin() / w).tanh(),
    "broadcast": lambda x, w: x.reshape(3, 1) * w + x,
    "reductions": lambda x, w: (x * w).sum(0, keepdim=True) * x.mean(),
    "views": lambda x, w: x[1:] * w[:2].reshape(2, 1).expand(2, 2),
    "matmul": lambda x, w: x.reshape(3, 1) @ w.reshape(1, 3) @ x,
    "joined": lambda x, w: torch.cat([x, w * x, torch.ones(1, dtype=torch.float64)]),
    "stacked": lambda x, w: torch.stack([x, w]).t(),
    "several outputs": lambda x, w: (x * w).unbind()[1:],
    "chosen": lambda x, w: torch.where(x > 1, x * w, w),
    "index": lambda x, w: x[torch.tensor([0, 0, 2])] * w,
    "abs and clamp": lambda x, w: (-x).abs().clamp(0.3, 2.0) * w,
    "power": lambda x, w: x**w,
}


@together()
@pytest.mark.parametrize("name", PROGRAMS)
def test_forward_mode_agrees_with_finite_differences(name):
    inputs = (doubles(0.5, 1.5, 2.5), doubles(2.0, 0.7, 1.1))
    assert gradcheck(PROGRAMS[name], inputs, check_forward_ad=True)


@together()
@pytest.mark.parametrize("name", PROGRAMS)
def test_forward_over_reverse_agrees_with_finite_differences(name):
    inputs = (doubles(0.5, 1.5, 2.5), doubles(2.0, 0.7, 1.1))
    assert gradgradcheck(
        PROGRAMS[name], inputs, check_fwd_over_rev=True, check_rev_over_rev=False, fast_mode=True
    )


def test_forward_mode_agrees_for_complex_numbers():
    z = torch.tensor([1 + 2j, -0.5 + 1j], dtype=torch.complex128, requires_grad=True)
    assert gradcheck(lambda z: z * z.conj() * z + z.exp(), (z,), check_forward_ad=True)
    assert gradcheck(lambda z: z.abs() * z.real, (z,), check_forward_ad=True)


def test_tangents_follow_changes_in_place():
    def program(x, w):
        y = x * 1
        y[0].mul_(w[1])
        view = y[1:]
        y.add_(w)
        view.copy_(w[1:] * x[0])
        return y * y + view.sum()

    assert gradcheck(
        program, (doubles(0.5, 1.5, 2.5), doubles(2.0, 0.7, 1.1)), check_forward_ad=True
    )


def test_a_plain_tensor_written_with_a_dual_becomes_dual():
    with fwAD.dual_level():
        x = fwAD.make_dual(torch.ones(1), torch.ones(1) * 5)
        buffer = torch.zeros(2, 1)
        buffer[0].copy_(x)
        assert tangent(buffer) == [[5], [0]]


def test_overwriting_a_dual_with_a_plain_tensor_makes_its_tangent_zero():
    with fwAD.dual_level():
        x = fwAD.make_dual(torch.ones(1), torch.ones(1) * 5) * 1
        x.copy_(torch.zeros(1))
        assert tangent(x) == [0]


def test_reverse_over_forward_differentiates_the_tangent():
    x = doubles(2.0, 3.0)
    with fwAD.dual_level():
        dual = fwAD.make_dual(x, torch.ones(2, dtype=torch.float64))
        found = fwAD.unpack_dual(dual * dual * dual).tangent
    assert found.tolist() == [12, 27]
    (second,) = grad(found.sum(), x)
    assert second.tolist() == [12, 18]


def test_a_gradient_computed_inside_a_level_has_a_tangent():
    x = doubles(2.0, 3.0)
    v = torch.tensor([1.0, 10.0], dtype=torch.float64)
    with fwAD.dual_level():
        dual = fwAD.make_dual(x, v)
        (g,) = grad((dual * dual * dual).sum(), dual)
        primal, hvp = fwAD.unpack_dual(g)
    assert primal.tolist() == [12, 27]
    assert hvp.tolist() == [12, 180]


class Cube(Function):
    @staticmethod
    def forward(x):
        return x * x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x * x * g

    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return 3 * x * x * t


def test_a_custom_function_gives_its_own_jvp():
    x = doubles(1.0, 2.0)
    assert gradcheck(Cube.apply, (x,), check_forward_ad=True)
    assert gradgradcheck(Cube.apply, (x,), check_fwd_over_rev=True, fast_mode=True)


def test_a_custom_function_without_jvp_has_no_forward_mode():
    class Half(Cube):
        jvp = Function.jvp

    with fwAD.dual_level(), pytest.raises(NotImplementedError, match="implement the jvp function"):
        Half.apply(fwAD.make_dual(torch.ones(1), torch.ones(1)))


def test_functional_products_agree_with_whole_jacobians():
    functional = torch.autograd.functional
    x, v = doubles(0.5, 1.5), torch.tensor([2.0, -1.0], dtype=torch.float64)

    def f(x):
        return torch.stack([x[0] * x[1], x[0].exp(), x[1] * x[1] * x[0]])

    jacobian = functional.jacobian(f, x)
    assert torch.allclose(functional.jvp(f, x, v)[1], jacobian @ v)
    w = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    assert torch.allclose(functional.vjp(f, x, w)[1], w @ jacobian)
    hessian = functional.hessian(lambda x: f(x).sum(), x)
    assert torch.allclose(hessian, hessian.t())
    assert torch.allclose(functional.hvp(lambda x: f(x).sum(), x, v)[1], hessian @ v)
    assert torch.allclose(functional.vhp(lambda x: f(x).sum(), x, v)[1], v @ hessian)


def test_functional_takes_and_returns_tuples():
    a, b = doubles(1.0, 2.0), doubles(3.0, 4.0)
    blocks = torch.autograd.functional.jacobian(lambda a, b: (a * b, a.sum()), (a, b))
    assert blocks[0][1].tolist() == [[1, 0], [0, 2]]
    assert blocks[1][1].tolist() == [0, 0]
    with pytest.raises(RuntimeError, match=r"Output 0 .* is independent of input 1"):
        torch.autograd.functional.jacobian(lambda a, b: a, (a, b), strict=True)
    with pytest.raises(TypeError, match="must be either a Tensor or a tuple of Tensors"):
        torch.autograd.functional.jacobian(lambda a: a, 3)


@pytest.mark.parametrize(
    ("turn", "look"),
    [
        (lambda x: x.t_(), lambda x: x.t()),
        (lambda x: x.transpose_(0, 1), lambda x: x.transpose(0, 1)),
        (lambda x: x.unsqueeze_(1), lambda x: x.unsqueeze(1)),
        (lambda x: x.as_strided_((2,), (2,), 1), lambda x: x.as_strided((2,), (2,), 1)),
    ],
)
def test_a_tensor_that_becomes_a_view_of_itself_takes_its_tangent_along(turn, look) -> None:
    tangent = torch.arange(6.0).reshape(2, 3)
    with fwAD.dual_level():
        turned = turn(fwAD.make_dual(torch.ones(2, 3), tangent) * 1)
        assert fwAD.unpack_dual(turned).tangent.tolist() == look(tangent).tolist()


def test_the_primal_of_a_dual_has_no_tangent_and_gives_none():
    with fwAD.dual_level():
        x = fwAD.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0]))
        for dual in (x, x * 2, (x * 2).view(2, 1)):
            primal = fwAD.unpack_dual(dual).primal
            assert primal.tolist() == dual.tolist()
            for derived in (primal, primal * 3, primal[0], primal.view(2)[:1] * 2, primal.clone()):
                assert tangent(derived) is None
            assert tangent(dual) is not None
            assert tangent(primal + dual) == tangent(dual)


def test_writing_to_a_primal_leaves_the_tangent_of_its_dual():
    with fwAD.dual_level():
        y = fwAD.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0])) * 2
        primal = fwAD.unpack_dual(y).primal
        primal.mul_(fwAD.make_dual(torch.tensor([3.0, 3.0]), torch.ones(2)))
        assert tangent(primal) == [2, 4]
        assert tangent(primal[:1]) == [2]
        assert tangent(y) == [2, 6]
    with fwAD.dual_level():
        assert tangent(primal * 2) is None


@pytest.mark.parametrize("given", ["apart", "beside others", "expanded", "of a part"])
def test_the_callers_tangent_is_not_written_where_it_lies_otherwise(given: str):
    primal = torch.arange(5.0)[2:] if given == "of a part" else torch.ones(3)
    direction = {
        "apart": torch.arange(6.0)[::2], "beside others": torch.arange(5.0)[:3],
        "expanded": torch.ones(1).expand(3), "of a part": torch.ones(3),
    }[given]  # fmt: skip
    before = direction.tolist()
    with fwAD.dual_level():
        dual = fwAD.make_dual(primal, direction)
        dual.mul_(2)
        assert tangent(dual) == [2 * each for each in before]
    assert direction.tolist() == before


def test_a_tangent_that_lies_as_its_tensor_is_not_copied():
    direction = torch.tensor([1.0, 2.0])
    with fwAD.dual_level():
        fwAD.make_dual(torch.ones(2), direction).mul_(2)
    assert direction.tolist() == [2.0, 4.0]


def _written_through_a_view(base: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    base = base.clone()
    before, column = base[1], base[:, 0]
    column.copy_(x)
    column.mul_(x)
    return base * 2 + before.sum()


@pytest.mark.parametrize("lies", ["in rows", "in columns", "with a step"])
def test_a_view_of_a_tensor_that_lies_otherwise_gives_its_base_the_tangent(lies: str) -> None:
    base = {
        "in rows": torch.zeros(4, 3, dtype=torch.float64),
        "in columns": torch.zeros(3, 4, dtype=torch.float64).T,
        "with a step": torch.zeros(3, 2, 4, dtype=torch.float64)[:, 0].T,
    }[lies]
    x = doubles(1.0, 2.0, 3.0, 4.0).detach()
    expected = torch.func.jacrev(_written_through_a_view, 1)(base, x)
    assert torch.equal(torch.func.jacfwd(_written_through_a_view, 1)(base, x), expected)
    bases, samples = torch.stack([base, base], 2), torch.stack([x, x + 1], 1)
    directions = torch.eye(4, 2, dtype=torch.float64)

    def push(base: torch.Tensor, x: torch.Tensor, direction: torch.Tensor) -> torch.Tensor:
        return torch.func.jvp(lambda x: _written_through_a_view(base, x), (x,), (direction,))[1]

    pushed = torch.vmap(push, in_dims=(2, 1, 1))(bases, samples, directions)
    for found, sample, direction in zip(pushed, samples.T, directions.T, strict=True):
        jacobian = torch.func.jacrev(_written_through_a_view, 1)(base, sample)
        assert torch.equal(found, jacobian @ direction)


def test_a_tangent_written_whole_lies_as_its_tensor_so_that_views_share_it() -> None:
    with fwAD.dual_level():
        base = torch.zeros(3, 4).T.clone()
        column, row = base[:, 0], base[1]
        values = torch.arange(12.0).reshape(4, 3)
        base.copy_(fwAD.make_dual(values, values + 1))
        column.mul_(3)
        assert tangent(row) == [12.0, 5.0, 6.0]
        row.zero_()
        assert tangent(column) == [3.0, 0.0, 21.0, 30.0]
        assert tangent(base) == [[3.0, 2, 3], [0.0, 0, 0], [21.0, 8, 9], [30.0, 11, 12]]


def _run(function: Callable[[], Any]) -> Any:
    """Return what a function returns, or its error, in a thread of its own."""
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(function())
        except RuntimeError as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


def test_a_thread_that_starts_inside_a_level_is_in_it() -> None:
    def doubled() -> list[float]:
        other = fwAD.make_dual(torch.ones(2), torch.full((2,), 3.0))
        return fwAD.unpack_dual(dual * other).tangent.tolist()

    with fwAD.dual_level():
        dual = fwAD.make_dual(torch.ones(2), torch.ones(2))
        assert _run(doubled) == [4.0, 4.0]
        assert "Nested forward mode" in str(_run(fwAD.enter_dual_level))
    assert "no level exists" in str(_run(doubled))


def test_a_thread_that_goes_on_after_a_level_has_closed_is_outside_of_it() -> None:
    started, closed = threading.Event(), threading.Event()
    seen: list[Any] = []

    def work() -> None:
        fwAD.make_dual(torch.ones(2), torch.ones(2))
        started.set()
        closed.wait(5)
        with fwAD.dual_level():
            seen.append(fwAD.unpack_dual(fwAD.make_dual(torch.ones(1), torch.ones(1))).tangent)

    with fwAD.dual_level():
        thread = threading.Thread(target=work)
        thread.start()
        assert started.wait(5)
    closed.set()
    thread.join()
    assert seen[0].tolist() == [1.0]


def test_a_transform_keeps_its_level_to_its_thread() -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        assert "no level exists" in str(_run(lambda: fwAD.make_dual(torch.ones(2), torch.ones(2))))
        return x * x

    assert torch.func.jvp(function, (torch.ones(2),), (torch.ones(2),))[1].tolist() == [2.0, 2.0]

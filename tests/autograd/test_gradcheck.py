from __future__ import annotations

import pytest

import pellucid as torch
from pellucid.autograd import Function, gradcheck, gradgradcheck
from pellucid.testing.gradcheck import GradcheckError


def doubles(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def with_backward(function):
    """Make the square with a derivative of one's own."""

    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return function(ctx.saved_tensors[0], g)

    return Square.apply


def test_right_derivatives_pass():
    x, y = doubles(1, 2), doubles(3, 4)
    assert gradcheck(lambda x, y: (x * y, x.exp()), (x, y), check_batched_grad=True)
    assert gradgradcheck(lambda x, y: (x * y, x.exp()), (x, y))
    assert gradcheck(lambda x: x * x, x, fast_mode=True)


def test_fast_mode_calls_the_function_as_often_for_many_elements_as_for_one():
    def calls(*values: float) -> int:
        counted = []
        assert gradcheck(lambda x: counted.append(x) or x * x, doubles(*values), fast_mode=True)
        return len(counted)

    assert calls(1, 2, 3, 4, 5) == calls(1)


def test_fast_mode_goes_along_real_and_imaginary_parts():
    z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True, dtype=torch.complex128)
    right = {"fast_mode": True, "check_forward_ad": True}
    assert gradcheck(lambda z: (z * z, z.abs(), z.conj() * z.real), z, **right)
    assert gradgradcheck(lambda z: z * z, z, fast_mode=True)
    wrong = with_backward(lambda x, g: g * 2 * x)  # of a complex function it is g * conj(2 x)
    assert not gradcheck(wrong, z, fast_mode=True, raise_exception=False)


def test_a_wrong_derivative_is_shown_with_both_jacobians():
    wrong = with_backward(lambda x, g: x * g)
    with pytest.raises(
        GradcheckError, match="Jacobian mismatch for output 0 with respect to"
    ) as caught:
        gradcheck(wrong, (doubles(1, 2),))
    assert "numerical:tensor([[2.0000, 0.0000]," in str(caught.value)
    assert "analytical:tensor([[1., 0.]," in str(caught.value)
    assert not gradcheck(wrong, (doubles(1, 2),), raise_exception=False)
    with pytest.raises(GradcheckError):
        gradcheck(wrong, (doubles(1, 2),), fast_mode=True)


def test_a_wrong_second_derivative_is_found():
    wrong = with_backward(lambda x, g: 2 * x.detach() * g)
    assert gradcheck(wrong, (doubles(1, 2),))
    with pytest.raises(GradcheckError):
        gradgradcheck(wrong, (doubles(1, 2),))


def test_a_backward_that_ignores_its_gradient_is_found():
    wrong = with_backward(lambda x, g: 2 * x)
    with pytest.raises(GradcheckError, match="backward not multiplied by grad_output"):
        gradcheck(wrong, (doubles(1),))


def test_a_backward_that_changes_from_call_to_call_is_found():
    calls = []

    def unsteady(x, g):
        calls.append(1)
        return 2 * x * g + 1e-7 * len(calls)

    with pytest.raises(GradcheckError, match="Backward is not reentrant"):
        gradcheck(with_backward(unsteady), (doubles(1, 2),))
    calls.clear()
    assert not gradcheck(with_backward(unsteady), (doubles(1, 2),), raise_exception=False)


def test_inputs_are_checked():
    with pytest.raises(ValueError, match="at least one input tensor to require gradient"):
        gradcheck(lambda x: x, (torch.ones(1),))
    with pytest.raises(RuntimeError, match="has a dimension with stride 0"):
        gradcheck(lambda x: x * x, (doubles(1).expand(3),))
    with pytest.warns(UserWarning, match="is not a double precision floating point or complex"):
        gradcheck(lambda x: x * x, (torch.ones(1, requires_grad=True),), atol=1, rtol=1)


def test_complex_functions_are_checked_as_pairs_of_real_ones():
    z = torch.tensor([1 + 2j, 3 - 1j], dtype=torch.complex128, requires_grad=True)
    assert gradcheck(lambda z: z * z.conj() + z * z, (z,))
    assert gradgradcheck(lambda z: z * z * z.conj(), (z,))
    assert gradcheck(lambda z: z.abs(), (z,))


def test_inputs_are_left_as_they_were():
    x = doubles(1, 2)
    gradcheck(lambda x: x * x, (x,))
    assert x.tolist() == [1, 2]
    assert x.grad is None


def _hooked(hook):
    def function(x):
        y = x.clone()
        y.register_hook(hook)
        return y

    return function


def _fails_on_none(gradient):
    if gradient is None:
        raise RuntimeError("x is undefined")


@pytest.mark.parametrize("fast_mode", [True, False])
def test_a_backward_that_cannot_do_without_its_gradient_is_found(fast_mode):
    x = torch.ones(1, dtype=torch.float64, requires_grad=True)
    with (
        pytest.warns(UserWarning, match="undefined gradient support"),
        pytest.raises(RuntimeError, match="handle undefined output grads"),
    ):
        gradcheck(_hooked(_fails_on_none), (x,), fast_mode=fast_mode)


def test_outputs_whose_shape_or_dtype_depends_on_values_are_refused():
    x = torch.ones(1, dtype=torch.float64, requires_grad=True)

    def longer(x):
        return torch.cat([x, x]) if bool((x >= 1).all()) else x.clone()

    def narrower(x):
        return x.to(torch.float32) if bool((x >= 1).all()) else x.clone()

    for function, what in ((longer, "shape"), (narrower, "dtype")):
        with pytest.raises(AssertionError, match=f"the same {what} when inputs are perturbed"):
            gradcheck(function, (x,), atol=1.0)


def test_the_part_of_a_complex_output_that_differs_is_named():
    x = torch.ones(2, dtype=torch.complex128, requires_grad=True)
    with pytest.raises(RuntimeError, match="imaginary part of complex outputs only, Jacobian"):
        gradcheck(_hooked(lambda g: g + 1e-2), (x,))


def test_a_gradient_in_another_layout_is_found():
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    with pytest.raises(RuntimeError, match="grad is incorrect layout"):
        gradcheck(_hooked(lambda g: g.to_sparse()), (x,), atol=1.0)

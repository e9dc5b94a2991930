"""Trigonometric and hyperbolic functions."""

from __future__ import annotations

from math import pi
from typing import Any

from pellucid.autograd.variable import TensorBase
from pellucid.core.definition.dtype_rules import FLOAT_MATH
from pellucid.core.definition.public import CASTING, public
from pellucid.core.families import elementwise
from pellucid.dtypes import is_complex_dtype
from pellucid.errors import DtypeError
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.elementwise.powers import rsqrt, square


@public("sin sin_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(torch_kernel_name="sin_vml_cpu", dtypes=FLOAT_MATH, kernel="sin")
def sin(be, input, /):
    """Return the sine of angles in radians.

    >>> torch.sin(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8415])
    """


@sin.partial("input")
def sin_partial(input):
    return cos(input)


@public("cos cos_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(torch_kernel_name="cos_vml_cpu", dtypes=FLOAT_MATH, kernel="cos")
def cos(be, input, /):
    """Return the cosine of angles in radians.

    >>> torch.cos(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 0.5403])
    """


@cos.partial("input")
def cos_partial(input):
    return -sin(input)


@public("tan tan_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(torch_kernel_name="tan_vml_cpu", dtypes=FLOAT_MATH, kernel="tan", domain=(-1.2, 1.2))
def tan(be, input, /):
    """Return the tangent of angles in radians.

    >>> torch.tan(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 1.5574])
    """


@tan.partial("input")
def tan_partial(out):
    return square(out) + 1


@public("asin arcsin asin_ arcsin_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(
    torch_kernel_name="asin_vml_cpu", dtypes=FLOAT_MATH, kernel="arcsin", domain=(-0.9, 0.9),
    singular=True,
)  # fmt: skip
def asin(be, input, /):
    """Return the angle in [-pi/2, pi/2] that has this sine; NaN beyond -1 and 1.

    >>> torch.asin(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 1.5708])
    """


@asin.partial("input")
def asin_partial(input):
    return rsqrt(1 - input * input)


@public("acos arccos acos_ arccos_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(
    torch_kernel_name="acos_vml_cpu", dtypes=FLOAT_MATH, kernel="arccos", domain=(-0.9, 0.9),
    singular=True,
)  # fmt: skip
def acos(be, input, /):
    """Return the angle in [0, pi] that has this cosine; NaN beyond -1 and 1.

    >>> torch.acos(torch.tensor([0.0, 1.0]))
    tensor([1.5708, 0.0000])
    """


@acos.partial("input")
def acos_partial(input):
    return -rsqrt(1 - input * input)


@public("atan arctan atan_ arctan_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(torch_kernel_name="atan_vml_cpu", dtypes=FLOAT_MATH, kernel="arctan")
def atan(be, input, /):
    """Return the angle between -pi/2 and pi/2 that has this tangent.

    >>> torch.atan(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7854])
    """


@atan.vjp("input")
def atan_input(g, input):
    return g / (input * input + 1)


@public("sinh sinh_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(dtypes=FLOAT_MATH, kernel="sinh")
def sinh(be, input, /):
    """Return the hyperbolic sine.

    >>> torch.sinh(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 1.1752])
    """


@sinh.partial("input")
def sinh_partial(input):
    return cosh(input)


@public("cosh cosh_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(dtypes=FLOAT_MATH, kernel="cosh")
def cosh(be, input, /):
    """Return the hyperbolic cosine.

    >>> torch.cosh(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 1.5431])
    """


@cosh.partial("input")
def cosh_partial(input):
    return sinh(input)


@public("nn.functional.tanh")
@public("tanh tanh_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(torch_kernel_name="tanh_vml_cpu", dtypes=FLOAT_MATH, kernel="tanh")
def tanh(be, input, /):
    """Return the hyperbolic tangent.

    >>> torch.tanh(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])
    """


@tanh.vjp("input")
def tanh_input(g, out):
    # no number among the operands: NumPy is slow to take them in
    return tanh_backward(g, out) if isinstance(g, TensorBase) else g - g * out * out


@elementwise
def tanh_backward(be, grad_output, output, /):
    """Return ``grad_output`` times the slope of `tanh` where it gives ``output``."""
    return grad_output - grad_output * output * output


@tanh_backward.vjp("grad_output")
def tanh_backward_grad_output(g, output):
    return tanh_backward(g, output)


@tanh_backward.vjp("output")
def tanh_backward_output(g, grad_output, output):
    return g * (output * -2 * grad_output)


@tanh.out_variant
def tanh_into(be, out, input):
    be.tanh(input, out=out)


@public("asinh arcsinh asinh_ arcsinh_", method=True, inplace=True, out=CASTING)
@elementwise(dtypes=FLOAT_MATH, kernel="arcsinh")
def asinh(be, input, /):
    """Return the inverse of the hyperbolic sine.

    >>> torch.asinh(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8814])
    """


@asinh.partial("input")
def asinh_partial(input):
    return rsqrt(square(input) + 1)


@public("acosh arccosh acosh_ arccosh_", method=True, inplace=True, out=CASTING)
@elementwise(dtypes=FLOAT_MATH, kernel="arccosh", domain=(1.1, 5.0), singular=True)
def acosh(be, input, /):
    """Return the positive inverse of the hyperbolic cosine; NaN below 1.

    >>> torch.acosh(torch.tensor([1.0, 2.0]))
    tensor([0.0000, 1.3170])
    """


@acosh.partial("input")
def acosh_partial(input):
    # two roots, for one of input * input - 1 is on the wrong side of the complex plane's cut
    return rsqrt(input - 1) * rsqrt(input + 1)


@public("atanh arctanh atanh_ arctanh_", method=True, inplace=True, out=CASTING)
@elementwise(dtypes=FLOAT_MATH, kernel="arctanh", domain=(-0.9, 0.9), singular=True)
def atanh(be, input, /):
    """Return the inverse of the hyperbolic tangent; NaN beyond -1 and 1.

    >>> torch.atanh(torch.tensor([0.0, 0.5]))
    tensor([0.0000, 0.5493])
    """


@atanh.vjp("input")
def atanh_input(g, input):
    return g / (1 - input * input)


@public("sinc special.sinc sinc_", method=True, inplace=True, out=CASTING)
@elementwise(dtypes=FLOAT_MATH, kernel="sinc")
def sinc(be, input, /):
    """Return ``sin(pi * input) / (pi * input)``, and 1 at 0.

    >>> torch.sinc(torch.tensor([0.0, 0.5]))
    tensor([1.0000, 0.6366])
    """


@sinc.partial("input")
def sinc_partial(input):
    at_zero = input == 0
    divisor = where(at_zero, 1, input)
    # near 0 the slope is that of the parabola, which makes the second derivative right there too
    near_zero = input * (-pi * pi / 3)
    return where(at_zero, near_zero, (cos(input * pi) - sinc(input)) / divisor)


@public("deg2rad deg2rad_", method=True, inplace=True, out=CASTING)
@elementwise(
    torch_kernel_name="mul_cpu_reduced_float", dtypes=FLOAT_MATH, unsupported="c",
    node_name="deg2_rad",
)  # fmt: skip
def deg2rad(be, input, /):
    """Convert degrees to radians.

    >>> torch.deg2rad(torch.tensor([180.0, 90.0]))
    tensor([3.1416, 1.5708])
    """
    return be.multiply(input, pi / 180)


@deg2rad.vjp("input")
def deg2rad_input(g):
    return g * (pi / 180)


@deg2rad.check
def check_deg2rad(input):
    _refuse_complex("deg2rad", input)


@public("rad2deg rad2deg_", method=True, inplace=True, out=CASTING)
@elementwise(torch_kernel_name="mul_cpu_reduced_float", dtypes=FLOAT_MATH, unsupported="c")
def rad2deg(be, input, /):
    """Convert radians to degrees.

    >>> torch.rad2deg(torch.tensor([0.0, 1.0]))
    tensor([ 0.0000, 57.2958])
    """
    return be.multiply(input, 180 / pi)


@rad2deg.vjp("input")
def rad2deg_input(g):
    return g * (180 / pi)


@rad2deg.check
def check_rad2deg(input):
    _refuse_complex("rad2deg", input)


def _refuse_complex(name: str, input: Any) -> None:
    if is_complex_dtype(input.dtype):
        raise DtypeError(f"{name} is not supported for complex tensors.")

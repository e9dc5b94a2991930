"""Activation functions of neural networks, element by element."""

from __future__ import annotations

from math import isfinite, pi, sqrt
from typing import Any

from pellucid.autograd.variable import TensorBase
from pellucid.core.call.compiled import replayable
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.dtype_rules import COMMON, FLOAT_MATH
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import CASTING, public
from pellucid.core.errors.arguments import require
from pellucid.core.families import elementwise, op
from pellucid.core.memory.layouts import contiguous
from pellucid.dtypes import fitted_number
from pellucid.errors import (
    ArgumentError,
    DomainError,
    DtypeError,
    ShapeError,
)
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.elementwise.exponential import exp
from pellucid.ops.elementwise.flat import zeros_of
from pellucid.ops.elementwise.signs import abs
from pellucid.ops.elementwise.trigonometric import tanh
from pellucid.ops.linalg.addmm import addmm
from pellucid.ops.shape.join import cat
from pellucid.ops.shape.views import along, basic_index
from pellucid.shapes import dim_from_end

# Klambauer et al., "Self-Normalizing Neural Networks" (2017), give these two with more digits.
SELU_ALPHA = 1.6732632423543772848170429916717
SELU_SCALE = 1.0507009873554804934193349852946


@public("relu relu_ nn.functional.relu_", method=True, inplace=True)
@elementwise(
    torch_kernel_name="clamp_min_scalar_cpu", unsupported="bc", kernel="relu", compiled_body=True
)
def relu(be, input, /):
    """Replace negative elements by 0.

    Raises RuntimeError for booleans and for complex numbers.

    >>> torch.relu(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """


@relu.vjp("input")
def relu_input(g, out):
    return relu_backward(g, out)


@elementwise(
    node_name="threshold_backward", compiled_body=True,
    faces=Face("self=value", threshold=lambda node: 0),
)  # fmt: skip
def relu_backward(be, grad, value, /):
    """Return ``grad`` where relu gives a ``value`` other than 0, and 0 elsewhere."""
    return be.relu_backward(grad, value)


@relu_backward.vjp("grad")
def relu_backward_grad(g, value):
    return relu_backward(g, value)


@relu_backward.vjp("value")
def relu_backward_value(g, value):
    return zeros_of(value)


@relu_backward.jvp
def relu_backward_jvp(t_grad, t_value, value):
    return zeros_of(t_value) + relu_backward(t_grad, value)


@relu.out_variant
def relu_into(be, out, input):
    be.maximum(0, input, out=out)  # of two zeros the second


@relu.check
def check_relu(input):
    if input.dtype.kind == "b":
        raise DtypeError("Boolean inputs not supported for relu")


@public("nn.functional.sigmoid")
@public("sigmoid special.expit sigmoid_", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(torch_kernel_name="sigmoid_cpu_reduced_float", dtypes=FLOAT_MATH, kernel="sigmoid")
def sigmoid(be, input, /):
    """Return ``1 / (1 + exp(-input))``.

    >>> torch.sigmoid(torch.tensor([0.0, 2.0]))
    tensor([0.5000, 0.8808])
    """


@sigmoid.vjp("input")
def sigmoid_input(g, out):
    return sigmoid_backward(g, out)


@elementwise(kernel="sigmoid_backward")
def sigmoid_backward(be, grad_output, output, /):
    """Return ``grad_output`` times the slope of `sigmoid` where it gives ``output``."""


@sigmoid_backward.vjp("grad_output")
def sigmoid_backward_grad_output(g, output):
    return sigmoid_backward(g, output)


@sigmoid_backward.vjp("output")
def sigmoid_backward_output(g, grad_output, output):
    return g * grad_output * (output * -2 + 1)


def _exponential_kept(node: Any) -> Any:
    """Return the exponential that PyTorch has computed already and keeps."""
    return exp(-abs(node.saved_by_name("input").detach()))


@public("nn.functional.logsigmoid")
@elementwise(
    unsupported="biuc", kernel="log_sigmoid", node_name="log_sigmoid", layout=contiguous,
    faces=Face("self", buffer=_exponential_kept),
)  # fmt: skip
def logsigmoid(be, input, /):
    """Return the logarithm of the sigmoid, exact in both tails.

    >>> torch.nn.functional.logsigmoid(torch.tensor([0.0, -100.0]))
    tensor([  -0.6931, -100.0000])
    """


@logsigmoid.vjp("input")
def logsigmoid_input(g, input):
    tensors = isinstance(g, TensorBase)
    return log_sigmoid_backward(g, input) if tensors else g * sigmoid(-input)


@elementwise(unsupported="biuc", faces=Face("grad_output self", buffer=_exponential_kept))
def log_sigmoid_backward(be, grad_output, input, /):
    """Return ``grad_output`` times the slope of `logsigmoid`."""
    return grad_output * be.sigmoid(-input)


@log_sigmoid_backward.vjp("grad_output")
def log_sigmoid_backward_grad_output(g, input):
    return log_sigmoid_backward(g, input)


@log_sigmoid_backward.vjp("input")
def log_sigmoid_backward_input(g, grad_output, input):
    return sigmoid_backward(g * grad_output * -1, sigmoid(input))


def constant_slope_input(g, input):
    """Return the derivative of a piecewise constant slope: zeros."""
    return zeros_of(input)


@public("nn.functional.leaky_relu_", inplace=True)
@elementwise(
    unsupported="biuc", overloads=1,
    faces={
        "LeakyReluBackward0": Face("negative_slope self"),
        "LeakyReluBackward1": Face("negative_slope result@"),
    },
)  # fmt: skip
def leaky_relu(be, input, /, negative_slope=0.01):
    """Multiply negative elements by a small slope.

    Args:
        negative_slope: Slope for negative inputs.

    >>> torch.nn.functional.leaky_relu(torch.tensor([-1.0, 2.0]), 0.1)
    tensor([-0.1000,  2.0000])
    """
    return be.leaky_relu(input, negative_slope)


@leaky_relu.vjp("input")
def leaky_relu_input(g, input, negative_slope):
    return leaky_relu_backward(g, input, negative_slope)


@elementwise(unsupported="biuc")
def leaky_relu_backward(be, grad, input, /, negative_slope):
    """Return ``grad`` times the slope of `leaky_relu`."""
    return be.leaky_relu_backward(grad, input, negative_slope)


@leaky_relu_backward.vjp("grad")
def leaky_relu_backward_grad(g, input, negative_slope):
    return leaky_relu_backward(g, input, negative_slope)


leaky_relu_backward.vjp("input")(constant_slope_input)


def _elu_name(node: Any) -> str:
    _, scale, input_scale = node.params
    is_celu = isinstance(input_scale, float) and scale == 1
    return "CeluBackward0" if is_celu else "EluBackward0"


@public("nn.functional.elu_", inplace=True)
@elementwise(
    unsupported="biuc", overloads=1, named=_elu_name,
    faces={
        "EluBackward0": Face("alpha input_scale scale self"), "CeluBackward0": Face("alpha self"),
        "EluBackward1": Face("alpha input_scale result@ scale"),
        "CeluBackward1": Face("alpha result@"),
    },
)  # fmt: skip
def elu(be, input, /, alpha=1, scale=1, input_scale=1):
    """Return the input where positive, ``alpha * (exp(input) - 1)`` elsewhere.

    ``scale`` multiplies both branches, ``input_scale`` what is exponentiated. Clevert et al.,
    "Fast and Accurate Deep Network Learning by Exponential Linear Units" (2015).

    Args:
        alpha: Scale of the exponential for negative inputs.
        scale: Factor of the whole result.
        input_scale: Factor of the input inside the exponential.

    >>> torch.nn.functional.elu(torch.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    return be.elu(input, alpha * scale, scale, input_scale)


@elu.vjp("input")
def elu_input(g, input, alpha, scale, input_scale):
    return elu_backward(g, input, alpha, scale, input_scale)


@elementwise(
    unsupported="biuc",
    faces=Face(
        "alpha grad_output input_scale scale self_or_result=input", is_result=lambda node: False
    ),
)  # fmt: skip
def elu_backward(be, grad_output, input, /, alpha, scale, input_scale):
    """Return ``grad_output`` times the slope of `elu`: at 0 that from below."""
    return be.elu_backward(grad_output, input, alpha * scale * input_scale, scale, input_scale)


@elu_backward.vjp("grad_output")
def elu_backward_grad_output(g, input, alpha, scale, input_scale):
    return elu_backward(g, input, alpha, scale, input_scale)


@elu_backward.vjp("input")
def elu_backward_input(g, grad_output, input, alpha, scale, input_scale):
    below = where(input < 0, input, 0)
    bent = exp(below * input_scale) * (alpha * scale * input_scale * input_scale)
    return where(input < 0, g * (grad_output * bent), 0)


@public("selu")
def selu(input: Any) -> Any:
    """Return the `elu` that keeps mean 0 and variance 1 through layers.

    Klambauer et al., "Self-Normalizing Neural Networks" (2017).

    Args:
        input: Floating point tensor of any shape.

    >>> torch.selu(torch.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])
    """
    return elu(input, SELU_ALPHA, SELU_SCALE)


@public("celu")
def celu(input: Any, alpha: float = 1.0) -> Any:
    """Return the input where positive, ``alpha * (exp(input / alpha) - 1)`` elsewhere.

    Raises RuntimeError for ``alpha`` = 0. Barron, "Continuously Differentiable Exponential Linear
    Units" (2017).

    Args:
        input: Floating point tensor of any shape.
        alpha: Scale of the exponential for negative inputs.

    >>> torch.celu(torch.tensor([-1.0, 2.0]), 2.0)
    tensor([-0.7869,  2.0000])
    """
    if alpha == 0:
        raise DomainError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return elu(input, alpha, 1, 1 / alpha)


@public("nn.functional.gelu")
@elementwise(unsupported="biuc", torch_kernel_name="GeluKernelImpl")
def gelu(be, input, /, *, approximate="none"):
    """Multiply by the normal distribution function, exact or approximated ("tanh").

    Raises RuntimeError for any other ``approximate``. Hendrycks and Gimpel, "Gaussian Error Linear
    Units" (2016).

    Args:
        input: Floating point tensor of any shape.
        approximate: ``"none"`` for the exact function, ``"tanh"`` for the approximation.

    >>> torch.nn.functional.gelu(torch.tensor([-1.0, 2.0]))
    tensor([-0.1587,  1.9545])
    """
    if approximate not in ("none", "tanh"):
        raise DomainError("approximate argument must be either none or tanh.")
    return be.gelu(input, approximate)


@gelu.vjp("input")
def gelu_input(g, input, approximate):
    return gelu_backward(g, input, approximate)


@elementwise(unsupported="biuc")
def gelu_backward(be, grad_output, input, /, approximate):
    """Return ``grad_output`` times the slope of `gelu`."""
    backward = be.gelu_tanh_backward if approximate == "tanh" else be.gelu_backward
    return backward(grad_output, input)


@gelu_backward.vjp("grad_output")
def gelu_backward_grad_output(g, input, approximate):
    return gelu_backward(g, input, approximate)


@gelu_backward.vjp("input")
def gelu_backward_input(g, grad_output, input, approximate):
    square = input * input
    if approximate == "none":
        density = exp(square * -0.5) * (1 / sqrt(2 * pi))
        return g * grad_output * (density * (2 - square))
    inside_slope = (square * (3 * 0.044715) + 1) * sqrt(2 / pi)
    gate = tanh(input * (square * 0.044715 + 1) * sqrt(2 / pi))
    gate_slope = 1 - gate * gate
    bend = input * (3 * 0.044715 * sqrt(2 / pi)) - gate * inside_slope * inside_slope
    return g * (grad_output * (gate_slope * (inside_slope + input * bend)))


@elementwise(unsupported="biu")
def silu(be, input, /):
    """Multiply by the sigmoid.

    Source: Elfwing, Uchibe and Doya, "Sigmoid-weighted linear units", 2018.

    >>> torch.nn.functional.silu(torch.tensor([-1.0, 2.0]))
    tensor([-0.2689,  1.7616])
    """
    return be.silu(input)


@silu.vjp("input")
def silu_input(g, input):
    if isinstance(g, TensorBase):
        gate = sigmoid(input)
        return g * gate * (input * (1 - gate) + 1)
    return silu_backward(g, input)


@elementwise(unsupported="biu", kernel="silu_backward")
def silu_backward(be, grad_output, input, /):
    """Return ``grad_output`` times the slope of `silu`."""


@silu_backward.vjp("grad_output")
def silu_backward_grad_output(g, input):
    return silu_backward(g, input)


@silu_backward.vjp("input")
def silu_backward_input(g, grad_output, input):
    gate = sigmoid(input)
    return g * (grad_output * (gate * (1 - gate) * (input * (1 - gate * 2) + 2)))


@elementwise(unsupported="biuc", kernel="mish")
def mish(be, input, /):
    """Multiply by ``tanh(softplus(input))``. Misra, "Mish" (2019).

    >>> torch.nn.functional.mish(torch.tensor([-1.0, 2.0]))
    tensor([-0.3034,  1.9440])
    """


@mish.partial("input")
def mish_partial(input):
    gate = tanh(softplus(input))
    return gate + input * (1 - gate * gate) * sigmoid(input)


@public("nn.functional.softplus")
@elementwise(unsupported="biuc")
def softplus(be, input, /, beta=1, threshold=20):
    """Return ``log(1 + exp(beta * input)) / beta``, the input itself beyond the threshold.

    Args:
        beta: Steepness of the curve.
        threshold: Inputs whose product with ``beta`` is above this pass unchanged.

    >>> torch.nn.functional.softplus(torch.tensor([0.0, 30.0]))
    tensor([ 0.6931, 30.0000])
    """
    if beta.__class__ not in (int, float) or threshold.__class__ not in (int, float):
        require("softplus", "number", beta=beta, threshold=threshold)
    return be.softplus(input, beta, threshold)


@softplus.vjp("input")
def softplus_input(g, input, beta, threshold):
    return softplus_backward(g, input, beta, threshold)


@elementwise(unsupported="biuc")
def softplus_backward(be, grad_output, input, /, beta, threshold):
    """Return ``grad_output`` times the slope of `softplus`."""
    return be.softplus_backward(grad_output, input, beta, threshold)


@softplus_backward.vjp("grad_output")
def softplus_backward_grad_output(g, input, beta, threshold):
    return softplus_backward(g, input, beta, threshold)


@softplus_backward.vjp("input")
def softplus_backward_input(g, grad_output, input, beta, threshold):
    # at the threshold the slope is that from below, and the slope's own that from above
    scaled = input * beta
    gate = sigmoid(scaled)
    return where(scaled < threshold, g * (grad_output * (gate * (1 - gate) * beta)), 0)


@elementwise(
    unsupported="biuc", flat=("input",), kernel="multiply",
    torch_kernel_name="rrelu_with_noise_out_cpu",
)  # fmt: skip
def rrelu_with_noise(be, input, noise, /):
    """Multiply by slopes that were drawn for the negative elements, and are 1 for the others."""


@rrelu_with_noise.vjp("input")
def rrelu_with_noise_input(g, noise):
    return g * noise


@public("nn.functional.hardtanh_", inplace=True)
@elementwise(
    torch_kernel_name="clamp_scalar_cpu",
    unsupported="bc", compiled_kernel=("clipped", 2),
    faces=Face(
        "self", min_val=lambda node: node.params[0], max_val=lambda node: node.params[1]
    ),
)  # fmt: skip
def hardtanh(be, input, /, min_val=-1, max_val=1):
    """Clamp between ``min_val`` and ``max_val``; the gradient at these is 0.

    Raises ValueError if ``min_val`` is above ``max_val``, RuntimeError for booleans.

    Args:
        min_val: Lower bound.
        max_val: Upper bound.

    >>> torch.nn.functional.hardtanh(torch.tensor([-2.0, 0.5]))
    tensor([-1.0000,  0.5000])
    """
    if min_val > max_val:
        raise ArgumentError("min_val cannot be greater than max_val")
    if input.dtype.kind in "iu":
        min_val, max_val = int(min_val), int(max_val)
    return be.clip(input, min_val, max_val)


@hardtanh.check
def check_hardtanh(input, min_val, max_val):
    if input.dtype.kind == "b":
        raise DtypeError("Bool inputs not supported for hardtanh")
    if input.dtype.kind in "iu":
        require("hardtanh", "float", min_val=min_val, max_val=max_val)
        if not (isfinite(min_val) and isfinite(max_val)):
            raise DomainError("value cannot be converted to type int64_t without overflow")
    if input.dtype.kind == "u" and min(int(min_val), int(max_val)) < 0:
        raise DtypeError("cannot do hardtanh on an unsigned type with negative limits")


@hardtanh.vjp("input")
def hardtanh_input(g, input, min_val, max_val):
    return hardtanh_backward(g, input, min_val, max_val)


@elementwise(unsupported="bc")
def hardtanh_backward(be, grad, input, /, min_val, max_val):
    """Return ``grad`` times the slope of `hardtanh`."""
    return be.hardtanh_backward(grad, input, min_val, max_val)


@hardtanh_backward.vjp("grad")
def hardtanh_backward_grad(g, input, min_val, max_val):
    return hardtanh_backward(g, input, min_val, max_val)


hardtanh_backward.vjp("input")(constant_slope_input)


def relu6(input: Any) -> Any:
    """Clamp between 0 and 6; the gradient at these is 0.

    Args:
        input: Floating point tensor of any shape.

    >>> torch.nn.functional.relu6(torch.tensor([-1.0, 8.0]))
    tensor([0., 6.])
    """
    return hardtanh(input, 0, 6)


@elementwise(unsupported="biuc", flat=("input",))
def hardsigmoid(be, input, /):
    """Return ``input / 6 + 0.5`` clamped between 0 and 1.

    >>> torch.nn.functional.hardsigmoid(torch.tensor([-4.0, 0.0]))
    tensor([0.0000, 0.5000])
    """
    return be.clip(input + 3, 0, 6) / 6


@hardsigmoid.vjp("input")
def hardsigmoid_input(g, input):
    return where((input > -3) & (input < 3), g / 6, 0)


@elementwise(unsupported="biuc", kernel="hardswish")
def hardswish(be, input, /):
    """Multiply by the `hardsigmoid`.

    ``x * min(max(x + 3, 0), 6) / 6``. Source: Howard et al., "Searching for MobileNetV3", 2019.

    >>> torch.nn.functional.hardswish(torch.tensor([-4.0, 1.0]))
    tensor([-0.0000, 0.6667])
    """


@hardswish.vjp("input")
def hardswish_input(g, input):
    return hardswish_backward(g, input)


@elementwise(unsupported="biuc", kernel="hardswish_backward")
def hardswish_backward(be, grad_output, input, /):
    """Return ``grad_output`` times the slope of `hardswish`."""


@hardswish_backward.vjp("grad_output")
def hardswish_backward_grad_output(g, input):
    return hardswish_backward(g, input)


@hardswish_backward.vjp("input")
def hardswish_backward_input(g, grad_output, input):
    return where((input > -3) & (input < 3), g * grad_output / 3, 0)


@hardswish_backward.jvp
def hardswish_backward_jvp(t_grad_output, t_input, grad_output, input):
    bend = hardswish_backward_input(t_input, grad_output, input)
    return hardswish_backward(t_grad_output, input) + bend


@public("threshold threshold_ nn.functional.threshold_", inplace=True)
@elementwise(unsupported="bc", overloads=1)
def threshold(be, input, /, threshold, value):
    """Replace what is not above the threshold by a value.

    Args:
        threshold: Inputs above this pass unchanged.
        value: What replaces inputs that are not above ``threshold``.

    >>> torch.threshold(torch.tensor([0.5, 2.0]), 1.0, -1.0)
    tensor([-1.,  2.])
    """
    value = be.asarray(fitted_number(value, input.dtype)).astype(input.dtype)
    return be.where(input <= fitted_number(threshold, input.dtype), value, input)


@threshold.vjp("input")
def threshold_input(g, input, threshold):
    return threshold_backward(g, input, threshold)


@elementwise(unsupported="bc")
def threshold_backward(be, grad_output, input, /, threshold):
    """Return ``grad_output`` above the threshold, and 0 elsewhere."""
    return be.where(input <= threshold, 0, grad_output)


@threshold_backward.vjp("grad_output")
def threshold_backward_grad_output(g, input, threshold):
    return threshold_backward(g, input, threshold)


threshold_backward.vjp("input")(constant_slope_input)


@threshold_backward.jvp
def threshold_backward_jvp(t_grad_output, t_input, input, threshold):
    return zeros_of(t_input) + threshold_backward(t_grad_output, input, threshold)


@public("nn.functional.softsign", reads_late=True)
def softsign(input: Any) -> Any:
    """Return ``input / (1 + abs(input))``.

    Args:
        input: Floating point tensor of any shape.

    >>> torch.nn.functional.softsign(torch.tensor([-1.0, 3.0]))
    tensor([-0.5000,  0.7500])
    """
    return input / (abs(input) + 1)


@public("nn.functional.tanhshrink", reads_late=True)
def tanhshrink(input: Any) -> Any:
    """Return ``input - tanh(input)``.

    Args:
        input: Floating point tensor of any shape.

    >>> torch.nn.functional.tanhshrink(torch.tensor([0.0, 2.0]))
    tensor([0.0000, 1.0360])
    """
    return input - tanh(input)


@public("hardshrink nn.functional.hardshrink", method=True)
@elementwise(unsupported="biuc")
def hardshrink(be, input, /, lambd=0.5):
    """Replace what lies between ``-lambd`` and ``lambd`` by 0.

    Args:
        lambd: Half the width of the interval that becomes 0.

    >>> torch.nn.functional.hardshrink(torch.tensor([0.2, -2.0]))
    tensor([ 0., -2.])
    """
    return be.where((input >= -lambd) & (input <= lambd), 0, input)


@hardshrink.vjp("input")
def hardshrink_input(g, input, lambd):
    if isinstance(g, TensorBase):
        return hardshrink_backward(g, input, lambd)
    return where((input >= -lambd) & (input <= lambd), 0, g)


@elementwise(unsupported="biuc")
def hardshrink_backward(be, grad_output, input, /, lambd):
    """Return 0 where the input is between ``-lambd`` and ``lambd``, ``grad_output`` elsewhere."""
    return be.where((input >= -lambd) & (input <= lambd), 0, grad_output)


@hardshrink_backward.vjp("grad_output")
def hardshrink_backward_grad_output(g, input, lambd):
    return hardshrink_backward(g, input, lambd)


hardshrink_backward.vjp("input")(constant_slope_input)


@public("nn.functional.softshrink")
@elementwise(torch_kernel_name="softshrink_check", unsupported="biuc")
def softshrink(be, input, /, lambd=0.5):
    """Move towards 0 by ``lambd``, and not beyond; raise RuntimeError if that is negative.

    Args:
        lambd: Half the width of the interval that becomes 0.

    >>> torch.nn.functional.softshrink(torch.tensor([0.2, -2.0]))
    tensor([ 0.0000, -1.5000])
    """
    if lambd < 0:
        raise DomainError(f"lambda must be greater or equal to 0, but found to be {lambd}.")
    return be.where(
        input > lambd, input - lambd, be.where(input < -lambd, input + lambd, input * 0)
    )


@softshrink.vjp("input")
def softshrink_input(g, input, lambd):
    if isinstance(g, TensorBase):
        return softshrink_backward(g, input, lambd)
    return hardshrink_input(g, input, lambd)


@elementwise(unsupported="biuc")
def softshrink_backward(be, grad_output, input, /, lambd):
    """Return 0 where the input is between ``-lambd`` and ``lambd``, ``grad_output`` elsewhere."""
    return hardshrink_backward.op.body(be, grad_output, input, lambd)


@softshrink_backward.vjp("grad_output")
def softshrink_backward_grad_output(g, input, lambd):
    return softshrink_backward(g, input, lambd)


softshrink_backward.vjp("input")(constant_slope_input)


@elementwise(
    torch_kernel_name="prelu_cpu", unsupported="biuc", flat=("input", "weight"),
    faces=Face("self@ weight@"),
)  # fmt: skip
def prelu_kernel(be, input, weight, /):
    """Multiply negative elements by a slope for each, with broadcasting."""
    return be.where(input > 0, input, weight * input)


@prelu_kernel.vjp("input")
def prelu_kernel_input(g, input, weight):
    return where(input > 0, g, g * weight)


@prelu_kernel.vjp("weight")
def prelu_kernel_weight(g, input):
    return where(input > 0, 0, g * input)


@public("prelu nn.functional.prelu", method=True)
@autocasts(Autocast.LOWER)
def prelu(input: Any, weight: Any) -> Any:
    """Multiply negative elements by a slope, one for all or one for each channel (dimension 1).

    Source: He et al., "Delving Deep into Rectifiers", 2015.

    Raises RuntimeError if the number of slopes is another.

    Args:
        input: Floating point tensor of any shape.
        weight: Slope for negative inputs: one, or one per channel.

    >>> torch.prelu(torch.tensor([[-1.0, -1.0]]), torch.tensor([0.1, 0.2]))
    tensor([[-0.1000, -0.2000]])
    """
    count, ndim = weight.numel(), input.ndim
    if input.dtype != weight.dtype:
        raise DtypeError(
            f"prelu: Type promoting not supported. Got {input.dtype} and {weight.dtype}"
        )
    if count != 1:
        if not ndim:
            raise ShapeError("Not allow zero-dim input tensor.")
        channels = input.shape[1] if ndim > 1 else 1
        if channels != count:
            raise ShapeError(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{count} and channel size = {channels}."
            )
    if weight.ndim > 1:
        raise ShapeError(
            f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}"
        )
    if ndim > 1 and weight.ndim:
        weight = weight.reshape((1, count, *[1] * (ndim - 2)))
    elif not ndim:
        weight = weight.reshape(())
    return prelu_kernel(input, weight)


@public("nn.functional.glu", reads_late=True)
@replayable
def glu(input: Any, dim: int = -1) -> Any:
    """Split in two along ``dim`` and multiply the first half by the sigmoid of the second.

    Raises RuntimeError for a 0-d tensor and for an odd size. Dauphin et al., "Language Modeling
    with Gated Convolutional Networks" (2016).

    Args:
        input: Floating point tensor of any shape.
        dim: Dimension to work along; a negative one counts from the end.

    >>> torch.nn.functional.glu(torch.tensor([2.0, 0.0]))
    tensor([1.])
    """
    if not input.ndim:
        raise ShapeError("glu does not support scalars because halving size must be even")
    given, dim = dim, dim_from_end(dim, input.ndim)
    size = input.shape[dim]
    if size % 2:
        raise ShapeError(f"Halving dimension must be even, but dimension {dim} is size {size}")
    return glu_kernel(input, given)


@op(
    dtypes=COMMON, unsupported="biuc", torch_kernel_name="glu_cpu", batch=Batch.ALONG_DIMS,
    node_name="glu", compiled_kernel=("glu", 1),
)  # fmt: skip
def glu_kernel(be, input, /, dim):
    """Multiply the first half of a dimension by the sigmoid of the second."""
    values, gates = (input[half] for half in _halves(input.shape, dim_from_end(dim, input.ndim)))
    return be.gated(values, gates)


def _halves(shape: Any, axis: int) -> tuple[Any, Any]:
    """Return the indices of the two halves of a dimension."""
    half = shape[axis] // 2
    return along(axis, slice(half)), along(axis, slice(half, 2 * half))


@glu_kernel.vjp("input")
def glu_kernel_input(g, input, dim):
    axis = dim_from_end(dim, len(input.shape))
    values, gates = (basic_index(input, half) for half in _halves(input.shape, axis))
    gate = sigmoid(gates)
    return cat([g * gate, sigmoid_backward(g * values, gate)], axis)


@public("_addmm_activation", method=True)
@autocasts(Autocast.LOWER)
def _addmm_activation(
    input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1, use_gelu: bool = False
) -> Any:
    """Return ``relu`` or ``gelu`` of ``beta * input + alpha * (mat1 @ mat2)``.

    Args:
        input, mat1, mat2, beta, alpha: As for `addmm`.
        use_gelu: Whether the function is ``gelu``.

    >>> torch._addmm_activation(torch.zeros(1), torch.eye(2), torch.tensor([[1.0, -2], [-3, 4]]))
    tensor([[1., 0.],
            [0., 4.]])
    """
    summed = addmm(input, mat1, mat2, beta=beta, alpha=alpha)
    return gelu(summed) if use_gelu else relu(summed)

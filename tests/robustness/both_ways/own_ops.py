"""Ops of a program's own, whose bodies and formulas read what changes between steps."""

from __future__ import annotations

from typing import NamedTuple


class OwnOp(NamedTuple):
    """The text of a definition, ``OP`` for its name, and what a program may change of it."""

    text: str
    changing: tuple[str, ...] = ()


def _linear(reading: str, before: str, *changing: str) -> OwnOp:
    return OwnOp(
        f"""{before}
@linear
def OP(be, input, /):
    return input * {reading}
@OP.vjp("input")
def OP_input(g):
    return g * {reading}""",
        changing,
    )


OWN_OPS = (
    _linear("OP_scale", "OP_scale = 1.0", "OP_scale"),
    _linear("OP_list[0]", "OP_list = [1.0, 2.0]", "OP_list[0]"),
    _linear("OP_dict['a']", "OP_dict = {'a': 1.5}", "OP_dict['a']"),
    _linear("OP_names.scale", "OP_names = types.SimpleNamespace(scale=2.0)", "OP_names.scale"),
    _linear("OP_scale()", "OP_cell = [1.0]\nOP_scale = lambda: OP_cell[0]", "OP_cell[0]"),
    _linear("float(OP_array[0])", "OP_array = np.array([1.0, 2.0])", "OP_array[0]"),
    _linear("(2.0 if OP_flag > 1 else 0.5)", "OP_flag = 1", "OP_flag"),
    OwnOp(
        """def OP_made(scale):
    def change(value):
        nonlocal scale
        scale = value
    @linear
    def OP(be, input, /):
        return input * scale
    @OP.vjp("input")
    def OP_input(g):
        return g * scale
    return OP, change
OP, OP_change = OP_made(1.0)""",
        ("OP_change(2.0)", "OP_change(0.5)", "OP_change(step + 1.0)"),
    ),
    OwnOp(
        """OP_slope_of = 1.0
@elementwise
def OP(be, input, /, beta=1.0):
    return input / (1 + abs(beta * input))
@OP.partial("input")
def OP_slope(input, beta):
    return OP_slope_of / ((1 + torch.abs(beta * input)) * (1 + torch.abs(beta * input)))""",
        ("OP_slope_of",),
    ),
    OwnOp(
        """OP_limits = [0.5]
@elementwise
def OP(be, input, /):
    return be.maximum(be.minimum(input, OP_limits[0]), -OP_limits[0])
@OP.partial("input")
def OP_slope(input):
    return torch.where(torch.abs(input) < OP_limits[0], 1.0, 0.0)""",
        ("OP_limits[0]",),
    ),
    OwnOp(
        """OP_calls = [0]
@linear
def OP(be, input, /):
    return input * 2
@OP.vjp("input")
def OP_input(g):
    OP_calls[0] += 1
    print("formula", OP_calls[0], type(g).__name__)
    return g * 2""",
        ("OP_calls[0]",),
    ),
    OwnOp(
        """OP_fails = 0
@linear
def OP(be, input, /):
    return input * 1.0
@OP.vjp("input")
def OP_input(g):
    if OP_fails > 2:
        raise Boom("in a formula")
    return torch.clamp(g, -0.5, 0.5)""",
        ("OP_fails",),
    ),
    OwnOp(
        """OP_scale = 1.0
class OP_class(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.scale = OP_scale
        return x * x * OP_scale
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        show("own backward", g, ctx.scale, ctx.needs_input_grad)
        return g * 2 * x * OP_scale
OP = OP_class.apply""",
        ("OP_scale",),
    ),
    OwnOp(
        """OP_scale = 1.0
class OP_class(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(OP_scale)
    @staticmethod
    def backward(ctx, g):
        return g * OP_scale
OP = lambda x: OP_class.apply(x.clone())""",
        ("OP_scale",),
    ),
    OwnOp(
        """OP_scale = 2.0
@linear
def OP(be, input, /):
    return input * OP_scale
@OP.vjp("input")
def OP_input(g, input: Like):
    return torch.broadcast_to(g * OP_scale, input.shape)""",
        ("OP_scale",),
    ),
)

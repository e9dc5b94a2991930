"""How each operation is written in ONNX: a function of the call, by the operation's name."""

from __future__ import annotations

import string
from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.onnx.exporting import Call

Converter = Callable[[Call], Any]
CONVERTERS: dict[str, Converter] = {}


def _converts(*names: str) -> Callable[[Converter], Converter]:
    def register(converter: Converter) -> Converter:
        CONVERTERS.update(dict.fromkeys(names, converter))
        return converter

    return register


# ---- operations that ONNX has as they are -------------------------------------------------------

_SAME = {
    "abs": "Abs", "acos": "Acos", "acosh": "Acosh", "asin": "Asin", "asinh": "Asinh",
    "atan": "Atan", "atanh": "Atanh", "ceil": "Ceil", "clamp_max": "Min", "clamp_min": "Max",
    "clone": "Identity", "cos": "Cos",
    "cosh": "Cosh", "eq": "Equal", "erf": "Erf", "exp": "Exp", "floor": "Floor",
    "ge": "GreaterOrEqual", "gt": "Greater", "hardswish": "HardSwish", "isnan": "IsNaN",
    "le": "LessOrEqual",
    "log": "Log", "logical_and": "And", "logical_not": "Not", "logical_or": "Or",
    "logical_xor": "Xor", "lt": "Less", "matmul": "MatMul", "maximum": "Max", "minimum": "Min",
    "mish": "Mish", "mul": "Mul", "neg": "Neg", "pow": "Pow", "prelu_kernel": "PRelu",
    "reciprocal": "Reciprocal", "relu": "Relu", "round": "Round", "sigmoid": "Sigmoid",
    "sign": "Sign", "sin": "Sin", "sinh": "Sinh", "softsign": "Softsign", "sqrt": "Sqrt",
    "tan": "Tan", "tanh": "Tanh", "where": "Where",
}  # fmt: skip


@_converts(*_SAME)
def _same(call: Call) -> str:
    return call.node(_SAME[call.op.name], *call.inputs())


# ---- arithmetic ---------------------------------------------------------------------------------


@_converts("add", "sub")
def _sum_of_two(call: Call) -> str:
    first, second = call.inputs()
    if call.params["alpha"] != 1:
        second = call.node("Mul", second, call.number(call.params["alpha"]))
    return call.node({"add": "Add", "sub": "Sub"}[call.op.name], first, second)


@_converts("shifted")
def _shifted(call: Call) -> str:
    return call.node("Add", call.input(), call.number(call.params["number"]))


@_converts("div")
def _quotient(call: Call) -> str:
    if call.params["rounding_mode"] == "trunc":
        call.refuse("a quotient rounded towards zero")
    quotient = call.node("Div", *call.inputs())
    return call.node("Floor", quotient) if call.params["rounding_mode"] else quotient


@_converts("ne")
def _differs(call: Call) -> str:
    return call.node("Not", call.node("Equal", *call.inputs()))


@_converts("bitwise_and", "bitwise_or", "bitwise_xor")
def _bits(call: Call) -> str:
    kind = {"bitwise_and": "And", "bitwise_or": "Or", "bitwise_xor": "Xor"}[call.op.name]
    return call.node(kind if call.dtype == bool else f"Bitwise{kind}", *call.inputs())


@_converts("bitwise_not")
def _inverted(call: Call) -> str:
    return call.node("Not" if call.dtype == bool else "BitwiseNot", call.input())


@_converts("rsqrt")
def _reciprocal_root(call: Call) -> str:
    return call.node("Reciprocal", call.node("Sqrt", call.input()))


@_converts("square")
def _square(call: Call) -> str:
    return call.node("Mul", call.input(), call.input())


@_converts("lerp")
def _between(call: Call) -> str:
    start, end, weight = call.inputs()
    return call.node("Add", start, call.node("Mul", weight, call.node("Sub", end, start)))


@_converts("clamp")
def _limited(call: Call) -> str:
    limits = [call.input(each) if call.has(each) else "" for each in (1, 2)]
    return call.node("Clip", call.input(), *limits)


@_converts("masked_fill")
def _filled(call: Call) -> str:
    filled, mask, value = call.inputs()
    return call.node("Where", mask, value, filled)


@_converts("cast")
def _cast(call: Call) -> str:
    return call.node("Cast", call.input(), to=call.graph.number_type(call.dtype))


# ---- activations --------------------------------------------------------------------------------


@_converts("silu")
def _silu(call: Call) -> str:
    return call.node("Mul", call.input(), call.node("Sigmoid", call.input()))


@_converts("gelu")
def _gelu(call: Call) -> str:
    return call.node("Gelu", call.input(), approximate=call.params["approximate"])


@_converts("leaky_relu")
def _leaky_relu(call: Call) -> str:
    return call.node("LeakyRelu", call.input(), alpha=float(call.params["negative_slope"]))


@_converts("elu")
def _elu(call: Call) -> str:
    alpha, scale, input_scale = (call.params[each] for each in ("alpha", "scale", "input_scale"))
    if input_scale != 1:
        call.refuse("an ELU whose input is scaled")
    result = call.node("Elu", call.input(), alpha=float(alpha))
    return result if scale == 1 else call.node("Mul", result, call.number(scale))


@_converts("softplus")
def _softplus(call: Call) -> str:
    beta = call.params["beta"]
    if beta == 1:
        return call.node("Softplus", call.input())
    scaled = call.node("Mul", call.input(), call.number(beta))
    return call.node("Div", call.node("Softplus", scaled), call.number(beta))


@_converts("logsigmoid")
def _logsigmoid(call: Call) -> str:
    return call.node("Neg", call.node("Softplus", call.node("Neg", call.input())))


@_converts("hardtanh")
def _hardtanh(call: Call) -> str:
    limits = call.number(call.params["min_val"]), call.number(call.params["max_val"])
    return call.node("Clip", call.input(), *limits)


@_converts("hardsigmoid")
def _hardsigmoid(call: Call) -> str:
    return call.node("HardSigmoid", call.input(), alpha=1 / 6, beta=0.5)


@_converts("glu_kernel")
def _gated(call: Call) -> str:
    value, gate = call.node("Split", call.input(), count=2, axis=call.dim(), num_outputs=2)
    return call.node("Mul", value, call.node("Sigmoid", gate))


@_converts("softmax", "log_softmax")
def _softmax(call: Call) -> str:
    kind = {"softmax": "Softmax", "log_softmax": "LogSoftmax"}[call.op.name]
    return call.node(kind, call.input(), axis=call.dim())


# ---- layers -------------------------------------------------------------------------------------


@_converts("linear")
def _linear(call: Call) -> str:
    if len(call.shape) == 2 and len(call.operands[1]._array.shape) == 2:
        return call.node("Gemm", *_given(call, 3), transB=1)
    product = call.node("MatMul", call.input(), call.node("Transpose", call.input(1), perm=(1, 0)))
    return call.node("Add", product, call.input(2)) if call.has(2) else product


def _given(call: Call, count: int) -> list[str]:
    """Return the names of the first operands, without those that are not given."""
    return [call.input(each) for each in range(count) if call.has(each)]


@_converts("convolution")
def _convolution(call: Call) -> str:
    stride, padding, dilation = (call.params[each] for each in ("stride", "padding", "dilation"))
    return call.node(
        "Conv", *_given(call, 3), strides=stride, pads=(*padding, *padding), dilations=dilation,
        group=call.params["groups"],
    )  # fmt: skip


@_converts("transposed_convolution")
def _transposed_convolution(call: Call) -> str:
    stride, padding, dilation = (call.params[each] for each in ("stride", "padding", "dilation"))
    kernel = call.operands[1]._array.shape[2:]
    least = [
        (size - 1) * step - 2 * pad + apart * (width - 1) + 1
        for size, step, pad, apart, width in zip(
            call.shape[2:], stride, padding, dilation, kernel, strict=True
        )
    ]
    return call.node(
        "ConvTranspose", *_given(call, 3), strides=stride, pads=(*padding, *padding),
        dilations=dilation, group=call.params["groups"],
        output_padding=[size - own for size, own in zip(call.params["size"], least, strict=True)],
    )  # fmt: skip


def _filled_with(call: Call, position: int, value: float, shape: tuple[int, ...]) -> str:
    """Return an operand, or if it is not given, an array of one value."""
    if call.has(position):
        return call.input(position)
    return call.graph.store(np.full(shape, value, call.dtype))


@_converts("batch_norm_inference")
def _batch_norm(call: Call) -> str:
    channels = (call.shape[1],)
    weight, bias = (_filled_with(call, 3, 1, channels), _filled_with(call, 4, 0, channels))
    return call.node(
        "BatchNormalization", call.input(), weight, bias, call.input(1), call.input(2),
        epsilon=call.params["eps"],
    )  # fmt: skip


@_converts("batch_norm_training")
def _norm_of_one_sample(call: Call) -> str:
    if call.shape[0] != 1:
        call.refuse("batch normalization in training mode; call model.eval() before")
    channels = (call.shape[1],)
    weight, bias = (_filled_with(call, 1, 1, channels), _filled_with(call, 2, 0, channels))
    epsilon = call.params["eps"]
    return call.node("InstanceNormalization", call.input(), weight, bias, epsilon=epsilon)


@_converts("native_layer_norm")
def _layer_norm(call: Call) -> str:
    ndim = call.params["ndim"]
    given = [call.input(), _filled_with(call, 1, 1, call.shape[-ndim:])]
    given += [call.input(2)] if call.has(2) else []
    return call.node("LayerNormalization", *given, axis=-ndim, epsilon=call.params["eps"])


@_converts("embedding_lookup")
def _embedding(call: Call) -> str:
    return call.node("Gather", call.input(), call.input(1), axis=0)


@_converts("max_pool")
def _max_pool(call: Call) -> str:
    padding = call.params["padding"]
    return call.node(
        "MaxPool", call.input(), kernel_shape=call.params["kernel_size"],
        strides=call.params["stride"], pads=(*padding, *padding),
        dilations=call.params["dilation"], ceil_mode=int(call.params["ceil_mode"]),
    )  # fmt: skip


@_converts("avg_pool")
def _avg_pool(call: Call) -> str:
    if call.params["divisor_override"] is not None:
        call.refuse("avg_pool with divisor_override")
    padding = call.params["padding"]
    return call.node(
        "AveragePool", call.input(), kernel_shape=call.params["kernel_size"],
        strides=call.params["stride"], pads=(*padding, *padding),
        ceil_mode=int(call.params["ceil_mode"]),
        count_include_pad=int(call.params["count_include_pad"]),
    )  # fmt: skip


@_converts("adaptive_avg_pool", "adaptive_max_pool")
def _adaptive_pool(call: Call) -> str:
    kind = {"adaptive_avg_pool": "Average", "adaptive_max_pool": "Max"}[call.op.name]
    sizes = call.params["output_size"]
    before = call.shape[-len(sizes) :]
    if any(own % size for own, size in zip(before, sizes, strict=True)):
        call.refuse("windows of different sizes")
    kernel = [own // size for own, size in zip(before, sizes, strict=True)]
    return call.node(f"{kind}Pool", call.input(), kernel_shape=kernel, strides=kernel)


@_converts("interpolated")
def _resized(call: Call) -> str:
    plan = call.params["plan"]
    kinds, _, _, _, aligned, smooth = (set(each) for each in zip(*plan, strict=True))
    modes = {"nearest": "nearest", "linear": "linear", "bilinear": "linear", "trilinear": "linear"}
    if len(kinds) != 1 or not kinds <= modes.keys() or any(smooth):
        call.refuse(f"interpolation of the kind {', '.join(sorted(kinds))}")
    mode = modes[kinds.pop()]
    corners = "align_corners" if any(aligned) else "half_pixel"
    return call.node(
        "Resize", call.input(), "", "", call.integers(*call.output_shape), mode=mode,
        coordinate_transformation_mode="asymmetric" if mode == "nearest" else corners,
        nearest_mode="floor",
    )  # fmt: skip


@_converts("lstm")
def _lstm(call: Call) -> list[str]:
    gates, h_first, c_first, weight = call.inputs()
    size = call.operands[3]._array.shape[1]
    # What inputs contribute is computed before; ONNX's gates are in another order: i, o, f, c.
    order = np.arange(4 * size).reshape(4, size)[[0, 3, 1, 2]].reshape(-1)
    passed = call.graph.store(np.eye(4 * size, dtype=call.dtype)[order][None])
    recurrent = call.node("Gather", weight, call.integers(*order), axis=0)
    first = call.integers(0)
    outputs, _, last_cell = call.node(
        "LSTM", gates, passed, call.node("Unsqueeze", recurrent, first), "", "",
        call.node("Unsqueeze", h_first, first), call.node("Unsqueeze", c_first, first), "",
        hidden_size=size, direction="reverse" if call.params["reverse"] else "forward", count=3,
    )  # fmt: skip
    # ONNX keeps the last cell alone, which is the one that a layer returns.
    return [call.node("Squeeze", outputs, call.integers(1)), last_cell]


@_converts("gru")
def _gru(call: Call) -> str:
    gates, h_first, weight, bias = call.inputs()
    size = call.operands[2]._array.shape[1]
    # ONNX's gates are in another order: update, reset, candidate; its biases are of both kinds.
    order = np.arange(3 * size).reshape(3, size)[[1, 0, 2]].reshape(-1)
    passed = call.graph.store(np.eye(3 * size, dtype=call.dtype)[order][None])
    places, first = call.integers(*order), call.integers(0)
    none = call.graph.store(np.zeros(3 * size, call.dtype))
    biases = call.node("Concat", none, call.node("Gather", bias, places, axis=0), axis=0)
    outputs, _ = call.node(
        "GRU", gates, passed,
        call.node("Unsqueeze", call.node("Gather", weight, places, axis=0), first),
        call.node("Unsqueeze", biases, first), "", call.node("Unsqueeze", h_first, first),
        hidden_size=size, direction="reverse" if call.params["reverse"] else "forward",
        linear_before_reset=1, count=2,
    )  # fmt: skip
    return call.node("Squeeze", outputs, call.integers(1))


@_converts("fused_gru_cell")
def _fused_gru_cell(call: Call) -> str:
    size = call.operands[2]._array.shape[-1]
    sizes = call.integers(size, size, size)
    by_input = call.node("Split", call.input(0), sizes, axis=-1, count=3)
    recurrent = call.node("Split", call.input(1), sizes, axis=-1, count=3)
    reset, update = (
        call.node("Sigmoid", call.node("Add", by_input[each], recurrent[each])) for each in (0, 1)
    )
    scaled = call.node("Mul", reset, recurrent[2])
    candidate = call.node("Tanh", call.node("Add", by_input[2], scaled))
    kept = call.node("Mul", update, call.node("Sub", call.input(2), candidate))
    return call.node("Add", candidate, kept)


@_converts("flash_attention")
def _attention(call: Call) -> str:
    query, key, value = call.inputs()
    ndim, rows, columns = len(call.shape), call.shape[-2], call.operands[1]._array.shape[-2]
    order = (*range(ndim - 2), ndim - 1, ndim - 2)
    scores = call.node("MatMul", query, call.node("Transpose", key, perm=order))
    scores = call.node("Mul", scores, call.number(call.params["scale"]))
    if call.params["is_causal"]:
        later = np.triu(np.full((rows, columns), -np.inf, call.dtype), 1)
        scores = call.node("Add", scores, call.graph.store(later))
    return call.node("MatMul", call.node("Softmax", scores, axis=-1), value)


# ---- products -----------------------------------------------------------------------------------


@_converts("contract")
def _contraction(call: Call) -> str:
    names = [call.params[each] for each in ("left", "right", "kept")]
    letters = dict(zip(dict.fromkeys((*names[0], *names[1])), string.ascii_letters, strict=False))
    left, right, kept = ("".join(letters[name] for name in each) for each in names)
    return call.node("Einsum", *call.inputs(), equation=f"{left},{right}->{kept}")


# ---- reductions ---------------------------------------------------------------------------------


def _dims(call: Call) -> tuple[int, ...]:
    dim = call.params["dim"]
    if dim is None or dim == ():
        return tuple(range(len(call.shape)))
    return (dim,) if isinstance(dim, int) else tuple(dim)


_REDUCTIONS = {
    "amax": "ReduceMax", "amin": "ReduceMin", "logsumexp": "ReduceLogSumExp", "mean": "ReduceMean",
    "prod": "ReduceProd", "sum": "ReduceSum",
}  # fmt: skip


@_converts(*_REDUCTIONS)
def _reduction(call: Call) -> str:
    keep = int(call.params["keepdim"])
    given = call.input()
    if call.operands[0]._array.dtype != call.dtype:
        given = call.node("Cast", given, to=call.graph.number_type(call.dtype))
    return call.node(_REDUCTIONS[call.op.name], given, call.integers(*_dims(call)), keepdims=keep)


@_converts("vector_norm")
def _norm(call: Call) -> str:
    kinds = {1: "ReduceL1", 2: "ReduceL2"}
    if call.params["ord"] not in kinds:
        call.refuse(f"a norm of the order {call.params['ord']}")
    kind, keep = kinds[call.params["ord"]], int(call.params["keepdim"])
    return call.node(kind, call.input(), call.integers(*_dims(call)), keepdims=keep)


@_converts("var_correction", "std_correction")
def _variance(call: Call) -> str:
    dims = call.integers(*_dims(call))
    centred = call.node("Sub", call.input(), call.node("ReduceMean", call.input(), dims))
    squares = call.node("ReduceSumSquare", centred, dims, keepdims=int(call.params["keepdim"]))
    count = np.prod([call.shape[each] for each in _dims(call)]) - call.params["correction"]
    variance = call.node("Div", squares, call.number(count))
    return call.node("Sqrt", variance) if call.op.name == "std_correction" else variance


@_converts("argmax", "argmin")
def _index_of_extreme(call: Call) -> str:
    kind = {"argmax": "ArgMax", "argmin": "ArgMin"}[call.op.name]
    keep = int(call.params["keepdim"])
    if call.params["dim"] is None:
        row = call.reshaped(call.input(), (-1,))
        return call.reshaped(call.node(kind, row, axis=0, keepdims=0), call.output_shape)
    return call.node(kind, call.input(), axis=call.dim(), keepdims=keep)


@_converts("max_dim", "min_dim")
def _extreme_with_index(call: Call) -> list[str]:
    name = {"max_dim": "Max", "min_dim": "Min"}[call.op.name]
    keep, dim = int(call.params["keepdim"]), call.dim()
    values = call.node(f"Reduce{name}", call.input(), call.integers(dim), keepdims=keep)
    return [values, call.node(f"Arg{name}", call.input(), axis=dim, keepdims=keep)]


@_converts("cumsum")
def _cumulative_sum(call: Call) -> str:
    return call.node("CumSum", call.input(), call.integers(call.dim()))


@_converts("topk")
def _largest(call: Call) -> list[str]:
    return call.node(
        "TopK", call.input(), call.integers(call.params["k"]), axis=call.dim(),
        largest=int(call.params["largest"]), count=2,
    )  # fmt: skip


# ---- shapes -------------------------------------------------------------------------------------


@_converts("view", "unsafe_view", "squeeze", "unsqueeze", "flatten")
def _reshaped(call: Call) -> str:
    return call.reshaped(call.input(), call.output_shape)


@_converts("expand")
def _expanded(call: Call) -> str:
    return call.node("Expand", call.input(), call.integers(*call.output_shape))


@_converts("permute")
def _permuted(call: Call) -> str:
    order = [dim % len(call.shape) for dim in call.params["dims"]]
    return call.node("Transpose", call.input(), perm=order)


@_converts("transpose")
def _transposed(call: Call) -> str:
    order = list(range(len(call.shape)))
    first, second = call.dim("dim0"), call.dim("dim1")
    order[first], order[second] = second, first
    return call.node("Transpose", call.input(), perm=order)


@_converts("t")
def _flipped(call: Call) -> str:
    return call.node("Transpose", call.input(), perm=tuple(range(len(call.shape)))[::-1])


@_converts("cat")
def _joined(call: Call) -> str:
    return call.node("Concat", *call.inputs(), axis=call.dim())


@_converts("stack")
def _stacked(call: Call) -> str:
    dim = call.params["dim"] % len(call.output_shape)
    given = [call.node("Unsqueeze", each, call.integers(dim)) for each in call.inputs()]
    return call.node("Concat", *given, axis=dim)


@_converts("split_at")
def _split(call: Call) -> list[str]:
    sizes = np.diff(call.params["borders"]).tolist()
    dim = call.dim()
    parts = call.node("Split", call.input(), call.integers(*sizes), axis=dim, count=len(sizes))
    return parts if isinstance(parts, list) else [parts]


@_converts("unbind")
def _unbound(call: Call) -> list[str]:
    dim = call.dim()
    return [
        call.node("Gather", call.input(), call.graph.store(np.array(each)), axis=dim)
        for each in range(call.shape[dim])
    ]


@_converts("select")
def _selected(call: Call) -> str:
    index = call.graph.store(np.array(call.params["index"], np.int64))
    return call.node("Gather", call.input(), index, axis=call.dim())


@_converts("index_select")
def _rows(call: Call) -> str:
    return call.node("Gather", call.input(), call.input(1), axis=call.dim())


@_converts("gather")
def _gathered(call: Call) -> str:
    return call.node("GatherElements", call.input(), call.input(1), axis=call.dim())


def _positions(call: Call) -> list[Any]:
    """Return the index of each dimension: an integer, a slice or an array; leave out ``None``."""
    given = call.params["index"]
    index = [each for each in (given if isinstance(given, tuple) else (given,)) if each is not None]
    missing = len(call.shape) - sum(each is not Ellipsis for each in index)
    place = next((at for at, each in enumerate(index) if each is Ellipsis), len(index))
    return [*index[:place], *[slice(None)] * missing, *index[place + 1 :]]


@_converts("basic_index", "indexed_position")
def _sliced(call: Call) -> str:
    starts, ends, steps = [], [], []
    for index, size in zip(_positions(call), call.shape, strict=True):
        if not isinstance(index, slice):
            index = slice(index % size, index % size + 1)
        start, end, step = index.indices(size)
        starts.append(start)
        ends.append(end)
        steps.append(step)
    dims = call.integers(*range(len(call.shape)))
    bounds = (call.integers(*each) for each in (starts, ends))
    part = call.node("Slice", call.input(), *bounds, dims, call.integers(*steps))
    return call.reshaped(part, call.output_shape)


@_converts("gather_index")
def _indexed(call: Call) -> str:
    arrays = [
        (dim, index) for dim, index in enumerate(_positions(call)) if isinstance(index, np.ndarray)
    ]
    others = [each for each in _positions(call) if not isinstance(each, np.ndarray)]
    if len(arrays) != 1 or any(each != slice(None) for each in others):
        call.refuse("several indices at once")
    ((dim, index),) = arrays
    if index.dtype.kind not in "iu":
        call.refuse("a mask as index, whose result has no fixed shape")
    return call.node("Gather", call.input(), call.graph.store(index.astype(np.int64)), axis=dim)


@_converts("pad_constant")
def _padded(call: Call) -> str:
    amounts = _amounts(call, call.params["pad"])
    return call.node("Pad", call.input(), amounts, call.number(call.params["value"]))


def _amounts(call: Call, pads: tuple[int, ...]) -> str:
    before, after = list(pads[::2])[::-1], list(pads[1::2])[::-1]
    untouched = [0] * (len(call.shape) - len(before))
    return call.integers(*untouched, *before, *untouched, *after)


@_converts("pad_with_own")
def _padded_with_own(call: Call) -> str:
    pads = call.params["pad"]
    if min(pads) < 0:
        call.refuse("padding that takes elements away, by others of the tensor")
    mode = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}[call.params["mode"]]
    return call.node("Pad", call.input(), _amounts(call, pads), mode=mode)


@_converts("pixel_shuffle")
def _pixels_from_channels(call: Call) -> str:
    if len(call.shape) != 4:
        call.refuse("an image without a batch")
    size = call.params["upscale_factor"]
    return call.node("DepthToSpace", call.input(), blocksize=size, mode="CRD")


@_converts("pixel_unshuffle")
def _channels_from_pixels(call: Call) -> str:
    *lead, height, width = call.shape
    size, place = call.params["downscale_factor"], len(lead)
    parts = call.reshaped(call.input(), (*lead, height // size, size, width // size, size))
    order = (*range(place), place + 1, place + 3, place, place + 2)
    return call.reshaped(call.node("Transpose", parts, perm=order), call.output_shape)


@_converts("repeat_tiles")
def _tiled(call: Call) -> str:
    repeats = call.params["repeats"]
    added = (1,) * (len(repeats) - len(call.shape))
    given = call.reshaped(call.input(), (*added, *call.shape)) if added else call.input()
    return call.node("Tile", given, call.integers(*repeats))


@_converts("flip_dims")
def _reversed(call: Call) -> str:
    dims = [dim % len(call.shape) for dim in call.params["dims"]]
    count = len(dims)
    bounds = [call.integers(*[-1] * count), call.integers(*[-(2**62)] * count)]
    steps = call.integers(*[-1] * count)
    return call.node("Slice", call.input(), *bounds, call.integers(*dims), steps)


@_converts("tril", "triu")
def _triangle(call: Call) -> str:
    diagonal = call.graph.store(np.array(call.params["diagonal"], np.int64))
    return call.node("Trilu", call.input(), diagonal, upper=int(call.op.name == "triu"))

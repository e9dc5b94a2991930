"""What convolution, pooling and normalisation do with samples: they become images or channels."""

from __future__ import annotations

from typing import Any

from pellucid.interpreters.vmap.dispatch import Call, aligned, rule
from pellucid.interpreters.vmap.rules import from_end
from pellucid.ops.nn import conv, fractional_pool, grid, norm, pool, recurrent, resize, softmax
from pellucid.ops.nn.conv import convolution, transposed_convolution


def _as_images(value: Any) -> Any:
    """Return ``[B, N, ...]`` as ``[B * N, ...]``."""
    return value.reshape(value.shape[0] * value.shape[1], *value.shape[2:])


def _from_images(value: Any, size: int) -> Any:
    return value.reshape(size, value.shape[0] // size, *value.shape[1:])


def _as_channels(value: Any) -> Any:
    """Return ``[B, N, C, ...]`` as ``[N, B * C, ...]``."""
    turned = value.transpose(0, 1)
    return turned.reshape(turned.shape[0], -1, *turned.shape[3:])


def _from_channels(value: Any, size: int) -> Any:
    split = value.reshape(value.shape[0], size, value.shape[1] // size, *value.shape[2:])
    return split.transpose(0, 1)


def _per_channel(bias: Any, spatial: int) -> Any:
    """Return a bias, with samples or without, so that it broadcasts over ``[B, N, C, *S]``."""
    if bias.ndim == 1:
        return bias.reshape(-1, *(1,) * spatial)
    return bias.reshape(bias.shape[0], 1, -1, *(1,) * spatial)


@rule(softmax.softmax_backward_data, softmax.log_softmax_backward_data)
def _softmax_backward(call: Call) -> Any:
    values = [call.expanded(position) for position in range(2)]
    if call.ndim(1):
        dim = from_end(call.params["dim"], call.ndim(1))
        return call.run(*values, dim=values[1].ndim + dim)
    return call.run(*(value.unsqueeze(-1) for value in values), dim=1).squeeze(-1)


@rule(convolution, transposed_convolution)
def _convolution(call: Call) -> Any:
    function = convolution if call.op.name == "convolution" else transposed_convolution
    input, weight, bias = (*call.values, None)[:3]
    spatial = call.ndim(0) - 2
    if not any(call.batched[:2]):
        out = function(input, weight, None, **call.params)
        return out + _per_channel(bias, spatial)
    if not call.batched[1]:
        own = None if bias is None or call.batched[2] else bias
        out = _from_images(function(_as_images(input), weight, own, **call.params), call.size)
        return out if own is bias else out + _per_channel(bias, spatial)
    groups = call.params["groups"]
    shared = not call.batched[0] and groups == 1 and function is convolution
    images = input if shared else _as_channels(call.expanded(0))
    count = groups if shared else groups * call.size
    out = function(images, _as_images(weight), None, **{**call.params, "groups": count})
    out = _from_channels(out, call.size)
    return out if bias is None else out + _per_channel(bias, spatial)


@rule(conv.filter_correlation)
def _filter_correlation(call: Call) -> Any:
    out_channels, *rest = call.params["shape"]
    shape = (out_channels * call.size, *rest)
    groups = call.params["groups"]
    if not call.batched[1] and groups == 1:
        out = call.run(_as_channels(call.values[0]), call.values[1], shape=shape)
    else:
        grad, input = (_as_channels(call.expanded(position)) for position in (0, 1))
        out = call.run(grad, input, shape=shape, groups=groups * call.size)
    return _from_images(out, call.size)


@rule(
    pool.max_pool,
    pool.avg_pool,
    pool.adaptive_avg_pool,
    pool.adaptive_max_pool,
    pool.avg_pool_backward,
    pool.adaptive_avg_pool_backward,
    pool.scatter_spatial,
    pool.write_spatial,
    pool.gather_spatial,
    resize.interpolated,
    resize.upsample_backward,
    recurrent.fused_lstm_cell,
    recurrent.lstm_cell_backward,
    recurrent.lstm_cell_backward_cell,
    recurrent.fused_gru_cell,
    recurrent.gru_cell_backward,
    grid.grid_sampler,
    grid.grid_sampler_backward,
    fractional_pool.fractional_max_pool,
)
def _as_more_images(call: Call) -> Any:
    """Do what is done to every image, or row, of a batch anyway."""
    values = [_as_images(call.expanded(position)) for position in range(len(call.values))]
    changed = {}
    if "shape" in call.params:
        images, *rest = call.params["shape"]
        changed["shape"] = (images * call.size, *rest)
    found = call.run(*values, **changed)
    if isinstance(found, tuple | list):
        return [_from_images(out, call.size) for out in found]
    return _from_images(found, call.size)


@rule(grid.affine_grid_generator, grid.affine_grid_generator_backward)
def _affine_places(call: Call) -> Any:
    images, *rest = call.params["size"]
    size = (images * call.size, *rest)
    return _from_images(call.run(_as_images(call.values[0]), size=size), call.size)


# ---- normalisation --------------------------------------------------------------------------


def _flat_channels(call: Call, position: int) -> Any:
    """Return what each channel of each sample has, one after the other."""
    value = call.expanded(position)
    return None if value is None else value.reshape(-1)


@rule(norm.batch_norm_training)
def _batch_norm_training(call: Call) -> Any:
    operands = [_flat_channels(call, position) for position in range(1, len(call.values))]
    out, mean, var = call.run(_as_channels(call.expanded(0)), *operands)
    return [_from_channels(out, call.size), mean.reshape(call.size, -1), var.reshape(call.size, -1)]


@rule(norm.batch_norm_inference)
def _batch_norm_inference(call: Call) -> Any:
    if not any(call.batched[1:]):
        return _from_images(call.run(_as_images(call.values[0]), *call.values[1:]), call.size)
    operands = [_flat_channels(call, position) for position in range(1, len(call.values))]
    return _from_channels(call.run(_as_channels(call.expanded(0)), *operands), call.size)


@rule(norm.native_layer_norm)
def _native_layer_norm(call: Call) -> Any:
    _, weight, bias = (*call.values, None, None)[:3]
    flags = (*call.batched, False, False)
    if not any(flags[1:3]):
        return call.run(*call.values)
    ndim = call.ndim(0)
    out, mean, rstd = call.run(call.expanded(0))
    for value, flag, join in ((weight, flags[1], "mul"), (bias, flags[2], "add")):
        if value is None:
            continue
        if flag:
            value = value.reshape(call.size, *(1,) * (ndim + 1 - value.ndim), *value.shape[1:])
        out = getattr(out, join)(value)
    return [out, mean, rstd]


@rule(norm.normalization_backward, norm.normalization_weight_backward)
def _normalised_gradient(call: Call) -> Any:
    for position in (0, 1):
        call.values[position], call.batched[position] = call.expanded(position), True
    return call.run(
        *aligned(call, call.values), dims=from_end(tuple(call.params["dims"]), call.ndim(0))
    )

"""The steps of `bench_best` written for JAX: one compiled function of weights, state and batch.

Each function is called as its namesake for PyTorch, and returns the program to time.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from benchmarks.bench_training import (
    BATCH,
    CHARACTERS,
    CONTEXT,
    DIGITS,
    HEADS,
    LAYERS,
    PIXELS,
    WIDTH,
)
from benchmarks.harness import Program

_random = np.random.default_rng(0)

Weights = Any


def _step_of(
    weights: Weights, optimizer: Any, compute_loss: Callable[[Weights, Any], Any]
) -> Program:
    """Return one step of training; the loss gets the weights, and a key for random numbers."""

    @jax.jit
    def update(weights: Weights, state: Any, key: Any) -> tuple[Any, ...]:
        key, own = jax.random.split(key)
        gradients = jax.grad(compute_loss)(weights, own)
        changes, state = optimizer.update(gradients, state, weights)
        return optax.apply_updates(weights, changes), state, key

    current = [weights, optimizer.init(weights), jax.random.PRNGKey(0)]

    def program() -> None:
        current[:] = update(*current)
        jax.block_until_ready(current)

    return program


def _normal(*sizes: int) -> Any:
    return jnp.asarray(_random.normal(size=sizes), jnp.float32)


def _labels(*sizes: int, count: int = DIGITS) -> Any:
    return jnp.asarray(_random.integers(0, count, sizes))


def _linear(inside: int, outside: int) -> list[Any]:
    return [_normal(inside, outside) / math.sqrt(inside), jnp.zeros(outside)]


def _layers(*widths: int) -> list[Any]:
    return [_linear(*pair) for pair in itertools.pairwise(widths)]


def _apply(layers: Sequence[Any], x: Any, activation: Callable[[Any], Any]) -> Any:
    for weight, bias in layers[:-1]:
        x = activation(x @ weight + bias)
    return x @ layers[-1][0] + layers[-1][1]


def _cross_entropy(scores: Any, labels: Any) -> Any:
    return optax.softmax_cross_entropy_with_integer_labels(scores, labels).mean()


def training_step() -> Program:
    points = jnp.asarray(_random.uniform(-1, 1, (100, 2)), jnp.float32)
    labels = (points[:, :1] * points[:, 1:] > 0).astype(jnp.float32)
    return _step_of(
        _layers(2, 16, 16, 1),
        optax.sgd(0.01),
        lambda weights, key: ((_apply(weights, points, jax.nn.relu) - labels) ** 2).mean(),
    )


def equation() -> Program:
    points = jnp.asarray(_random.uniform(-1, 1, 64), jnp.float32)
    force = jnp.sin(3.14159 * points)

    def compute_loss(weights: Weights, key: Any) -> Any:
        def value(x: Any) -> Any:
            return _apply(weights, x[None], jnp.tanh)[0]

        return ((jax.vmap(jax.grad(jax.grad(value)))(points) + force) ** 2).mean()

    return _step_of(_layers(1, 20, 20, 1), optax.adam(1e-3), compute_loss)


def perceptron() -> Program:
    images, labels = _normal(BATCH, PIXELS), _labels(BATCH)
    return _step_of(
        _layers(PIXELS, 512, 512, DIGITS),
        optax.adam(1e-3),
        lambda weights, key: _cross_entropy(_apply(weights, images, jax.nn.relu), labels),
    )


def autoencoder() -> Program:
    images = jnp.asarray(_random.uniform(size=(BATCH, PIXELS)), jnp.float32)
    inside, mean, spread = _linear(PIXELS, 400), _linear(400, 20), _linear(400, 20)
    weights = [inside, mean, spread, *_layers(20, 400, PIXELS)]

    def compute_loss(weights: Weights, key: Any) -> Any:
        hidden = jax.nn.relu(_apply(weights[:1], images, jax.nn.relu))
        mean, log_variance = (_apply([each], hidden, jax.nn.relu) for each in weights[1:3])
        code = mean + jax.random.normal(key, mean.shape) * jnp.exp(0.5 * log_variance)
        decoded = jax.nn.sigmoid(_apply(weights[3:], code, jax.nn.relu))
        mismatch = images * jnp.log(decoded) + (1 - images) * jnp.log(1 - decoded)
        divergence = -0.5 * (1 + log_variance - mean**2 - jnp.exp(log_variance)).sum()
        return divergence - mismatch.sum()

    return _step_of(weights, optax.adam(1e-3), compute_loss)


def recurrent() -> Program:
    images, labels = _normal(64, 28, 28), _labels(64)
    weights = [_linear(28, 512), _linear(128, 512), _linear(128, DIGITS)]

    def compute_loss(weights: Weights, key: Any) -> Any:
        (inside, bias), (across, bias_across), last = weights

        def advance(state: Any, x: Any) -> Any:
            hidden, cell = state
            i, f, g, o = jnp.split(x + hidden @ across + bias_across, 4, axis=1)
            cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
            return (jax.nn.sigmoid(o) * jnp.tanh(cell), cell), None

        start = jnp.zeros((64, 128))
        rows = images.swapaxes(0, 1) @ inside + bias
        (hidden, _), _ = jax.lax.scan(advance, (start, start), rows)
        return _cross_entropy(_apply([last], hidden, jax.nn.relu), labels)

    return _step_of(weights, optax.adam(1e-3), compute_loss)


def _layer_norm(weights: Weights, x: Any) -> Any:
    weight, bias = weights
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + 1e-5) * weight + bias


def transformer() -> Program:
    text = _labels(12, CONTEXT + 1, count=CHARACTERS)
    norm = [jnp.ones(WIDTH), jnp.zeros(WIDTH)]
    block = {
        "norms": [norm, norm], "inside": _linear(WIDTH, 3 * WIDTH),
        "outside": _linear(WIDTH, WIDTH), "mapping": _layers(WIDTH, 4 * WIDTH, WIDTH),
    }  # fmt: skip
    weights = {
        "characters": _normal(CHARACTERS, WIDTH), "places": _normal(CONTEXT, WIDTH),
        "blocks": [block] * LAYERS, "norm": norm, "head": _linear(WIDTH, CHARACTERS)[0],
    }  # fmt: skip
    # every block has weights of its own
    weights = jax.tree.map(lambda each: jnp.array(each, copy=True), weights)

    def attention(weights: Weights, x: Any) -> Any:
        heads = [
            part.reshape(12, CONTEXT, HEADS, WIDTH // HEADS)
            for part in jnp.split(_apply([weights["inside"]], x, jax.nn.relu), 3, axis=2)
        ]
        mixed = jax.nn.dot_product_attention(*heads, is_causal=True)
        return _apply([weights["outside"]], mixed.reshape(x.shape), jax.nn.relu)

    def compute_loss(weights: Weights, key: Any) -> Any:
        x = weights["characters"][text[:, :-1]] + weights["places"]
        for each in weights["blocks"]:
            x = x + attention(each, _layer_norm(each["norms"][0], x))
            gelu = lambda y: jax.nn.gelu(y, approximate=False)  # noqa: E731
            x = x + _apply(each["mapping"], _layer_norm(each["norms"][1], x), gelu)
        return _cross_entropy(_layer_norm(weights["norm"], x) @ weights["head"], text[:, 1:])

    return _step_of(weights, optax.adamw(1e-3, weight_decay=0.1), compute_loss)


def _filters(inside: int, outside: int, size: int) -> Any:
    return _normal(size, size, inside, outside) / math.sqrt(size * size * inside)


def _convolve(x: Any, filters: Any, stride: int = 1, padding: str = "VALID") -> Any:
    layout = ("NHWC", "HWIO", "NHWC")  # the order that JAX is quickest with on a CPU
    return jax.lax.conv_general_dilated(
        x, filters, (stride, stride), padding, dimension_numbers=layout
    )


def _dropout(key: Any, x: Any, part: float) -> Any:
    return x * jax.random.bernoulli(key, 1 - part, x.shape) / (1 - part)


def digit_network() -> Program:
    images, labels = _normal(64, 28, 28, 1), _labels(64)
    filters = [[_filters(1, 32, 3), jnp.zeros(32)], [_filters(32, 64, 3), jnp.zeros(64)]]
    weights = [filters, _layers(9216, 128, DIGITS)]

    def compute_loss(weights: Weights, key: Any) -> Any:
        filters, (middle, last) = weights
        first_key, second_key = jax.random.split(key)
        x = images
        for each, bias in filters:
            x = jax.nn.relu(_convolve(x, each) + bias)
        x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        x = _dropout(first_key, x, 0.25).reshape(64, -1)
        x = _dropout(second_key, jax.nn.relu(_apply([middle], x, jax.nn.relu)), 0.5)
        return _cross_entropy(_apply([last], x, jax.nn.relu), labels)

    return _step_of(weights, optax.adadelta(1.0), compute_loss)


def residual_network() -> Program:
    """Classify by 20 layers; batch norm without its running averages, to JAX's advantage."""
    images, labels = _normal(32, 32, 32, 3), _labels(32)
    strides = []
    blocks = []
    for inside, outside, stride in [(16, 16, 1), (16, 32, 2), (32, 64, 2)]:
        for before, step in ((inside, stride), (outside, 1), (outside, 1)):
            pair = [_filters(before, outside, 3), _filters(outside, outside, 3)]
            shortcut = [_filters(before, outside, 1)] if step != 1 else []
            filters = [[each, jnp.ones(outside), jnp.zeros(outside)] for each in pair + shortcut]
            blocks.append(filters)
            strides.append(step)
    first = [_filters(3, 16, 3), jnp.ones(16), jnp.zeros(16)]

    def normalised(x: Any, weights: Weights, stride: int = 1) -> Any:
        filters, weight, bias = weights
        x = _convolve(x, filters, stride, "SAME")
        mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
        return (x - mean) * (weight / jnp.sqrt(variance + 1e-5)) + bias

    def compute_loss(weights: Weights, key: Any) -> Any:
        first, blocks, last = weights
        x = jax.nn.relu(normalised(images, first))
        for block, stride in zip(blocks, strides, strict=True):
            y = normalised(jax.nn.relu(normalised(x, block[0], stride)), block[1])
            x = jax.nn.relu(y + (normalised(x, block[2], stride) if len(block) > 2 else x))
        return _cross_entropy(_apply([last], x.mean((1, 2)), jax.nn.relu), labels)

    optimizer = optax.chain(optax.add_decayed_weights(1e-4), optax.sgd(0.1, momentum=0.9))
    return _step_of([first, blocks, _linear(64, 10)], optimizer, compute_loss)

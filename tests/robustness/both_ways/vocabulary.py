"""What a program may name besides `torch`: leaves of all layouts, a log, own ops, threads."""

from __future__ import annotations

import contextlib
import functools
import gc
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

import pellucid as torch
from pellucid.define import FLOAT_MATH, Like, elementwise, linear
from tests.samples.operands import operands

#: values at which functions change their ways
SPECIAL = (
    0.0, -0.0, 1.0, -1.0, 0.5, -87.02, -88.5, -100.0, 90.0, 1e-38, 1e30, float("inf"),
    float("-inf"), float("nan"),
)  # fmt: skip


class Boom(Exception):
    """What only programs raise."""


def _filled(shape: tuple[int, ...], kind: str, seed: int) -> np.ndarray[Any, Any]:
    random = np.random.default_rng(seed)
    match kind:
        case "normal":
            return random.standard_normal(shape)
        case "eighths":  # with these, products and sums are exact
            return random.integers(-16, 17, shape) / 8
        case "special":
            return random.choice(np.array(SPECIAL), shape)
        case "whole":
            return random.integers(0, 3, shape)
        case "odd":
            return random.uniform(0, 5, shape)
        case "mask":
            return random.random(shape) < 0.5
        case _:
            raise ValueError(kind)


def _laid_out(array: np.ndarray[Any, Any], layout: str) -> np.ndarray[Any, Any]:
    """Return an array of the same values in another order of memory."""
    if not array.ndim:
        return array
    match layout:
        case "rows":
            return array
        case "turned":
            return np.array(array, order="F")
        case "gaps":
            wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
            wide[..., ::2] = array
            return wide[..., ::2]
        case "shifted":
            longer = np.zeros((array.shape[0] + 1, *array.shape[1:]), array.dtype)
            longer[1:] = array
            return longer[1:]
        case "spread":
            return np.broadcast_to(array[:1], array.shape)
        case _:
            raise ValueError(layout)


def leaf(
    shape: tuple[int, ...], dtype: Any = torch.float32, seed: int = 0, layout: str = "rows",
    kind: str = "normal", grad: bool = False,
) -> Any:  # fmt: skip
    """Return a tensor of random values in a layout."""
    values = torch.from_numpy(_filled(shape, kind, seed)).to(dtype)
    if layout == "spread":
        values = values[:1].expand(shape) if shape else values
    else:
        values = torch.from_numpy(_laid_out(values.numpy(), layout)) if _plain(dtype) else values
    return values.requires_grad_(grad)


def _plain(dtype: Any) -> bool:
    return dtype is not torch.bfloat16


def sample(name: str, grad: bool = False) -> Any:
    """Return one of the operands of the samples of calls."""
    made = torch.from_numpy(np.array(operands()[name], order="K"))
    return made.requires_grad_(grad and (made.is_floating_point() or made.is_complex()))


def in_threads(function: Callable[[int], Any], count: int = 3) -> list[Any]:
    """Return what a function gives for each number, each in a thread of its own."""
    found: list[Any] = [None] * count

    def run(number: int) -> None:
        try:
            found[number] = function(number)
        except Exception as error:  # noqa: BLE001 - what it is gets compared
            found[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return found


def total(input: Any) -> Any:
    """Return the sum, as something to go backward from: its gradient has nothing to add up."""
    return input.sum()


def average(input: Any) -> Any:
    """Return the mean, as something to go backward from."""
    return input.mean()


def twice(into: tuple[Any, ...], _: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return twice the gradients that a hook of a node is given."""
    return tuple(None if g is None else g * 2 for g in into)


def halved(out: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return half of the gradients that a hook before a node is given."""
    return tuple(None if g is None else g * 0.5 for g in out)


def raising(*_: Any, **__: Any) -> Any:
    """Raise what a program's own function may raise."""
    raise Boom("from a program")


def vocabulary(log: Callable[..., None], graph: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the names of a program that begins."""
    return {
        "torch": torch, "nn": torch.nn, "F": torch.nn.functional, "np": np, "leaf": leaf,
        "sample": sample, "in_threads": in_threads, "raising": raising, "total": total,
        "average": average, "twice": twice, "halved": halved, "Boom": Boom, "show": log,
        "graph": graph, "elementwise": elementwise, "linear": linear, "Like": Like,
        "FLOAT_MATH": FLOAT_MATH, "weakref": weakref, "gc": gc, "functools": functools,
        "contextlib": contextlib, "types": types, "threading": threading, "print": log,
        "checkpoint": torch.utils.checkpoint.checkpoint, "__name__": "program",
    }  # fmt: skip

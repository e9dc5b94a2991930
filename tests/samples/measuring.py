"""Run calls of public names; compare them with NumPy, their derivatives with finite differences."""

from __future__ import annotations

import functools
import math
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import scipy.fft
import scipy.linalg
import scipy.spatial.distance
import scipy.special

import pellucid as torch
from pellucid.autograd import forward_ad
from pellucid.testing.compare import mismatch, moved, real_inner, resolution
from tests.samples import running
from tests.samples.names import Call, calls, owner
from tests.samples.operands import Arrays, operands, tensors_of
from tests.samples.running import flattened, used

STEP = 1e-6

#: what a call names whose result depends on the order of the elements in memory
LAYOUT_MATTERS = [
    "stride", "contiguous", "dim_order", "view(", "rand", "dropout", "bernoulli_", "cauchy_",
    "exponential_", "geometric_", "normal_", "uniform_",
]  # fmt: skip

#: what the library says of functions that have no derivative
NO_DERIVATIVE = "is not implemented|not differentiable"

#: operands at which functions have no derivative
CORNERS = {"special", "ties", "whole"}

#: names whose gradient is by definition not that of their values, and why
NOT_SMOOTH = {
    "__deepcopy__": "a copy is a leaf of its own",
    # test_logic.py has the derivative that they have: PyTorch's
    **dict.fromkeys(
        ["logical_and_", "logical_or_", "logical_xor_", "logical_not_"],
        "the history stays what it was before the change",
    ),
}


def windows(array: np.ndarray, sizes: tuple[int, ...]) -> np.ndarray:
    """Return all windows over the last dimensions."""
    axes = tuple(range(array.ndim - len(sizes), array.ndim))
    return np.lib.stride_tricks.sliding_window_view(array, sizes, axes)


def cosine(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the cosine of the angle between rows."""
    norms = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    return np.sum(first * second, 1) / norms


def reflected(columns: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Return the product of the reflections whose vectors lie below the diagonal."""
    product = np.eye(len(columns))
    for place, factor in enumerate(factors):
        vector = np.concatenate([np.eye(place + 1)[-1], columns[place + 1 :, place]])
        product = product @ (np.eye(len(columns)) - factor * np.outer(vector, vector))
    return product


NUMPY = {
    "np": np, "math": math, "windows": windows, "reflected": reflected, "cosine": cosine,
    "sl": scipy.linalg, "sd": scipy.spatial.distance, "sf": scipy.fft,
    "sp": SimpleNamespace(**vars(scipy.special)),
}  # fmt: skip


def run(call: Call, tensors: dict[str, Any]) -> list[Any]:
    """Return what a call gives, as a flat list; the random numbers start again each time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = running.run(torch, call.text, tensors)
    return flattened(tuple(result) if isinstance(result, torch.Size) else result)


def value(part: Any) -> np.ndarray:
    if not isinstance(part, torch.Tensor):
        return np.asarray(part)
    # which NumPy does not know
    part = part.float() if part.dtype is torch.bfloat16 else part
    part = part.cfloat() if part.dtype is torch.complex32 else part
    return part.detach().numpy()


# ---- values -----------------------------------------------------------------------------------


def definition_faults(call: Call) -> str:
    """Return in what a call differs from what NumPy makes of the same arrays."""
    needed = used(call.definition, operands())
    needed = {name: np.array(array, order="K") for name, array in needed.items()}
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = flattened(eval(call.definition, {**NUMPY, **needed}))
    arrays = used(call.text, operands())
    if call.target and not _has_room(call, arrays, expected):
        return _refusal_faults(call, arrays)
    found = run(call, tensors_of(torch, arrays, requires_grad=True))
    if len(found) != len(expected):
        return f"{len(found)} results for {len(expected)}"
    return "; ".join(filter(None, map(_difference, found, expected)))


def _has_room(call: Call, arrays: Arrays, expected: list[Any]) -> bool:
    """Return whether what is changed in place can hold the result."""
    first = eval(call.target, {"torch": torch, **tensors_of(torch, arrays)})
    result = np.asarray(expected[0])
    if call.name in ("abs_", "absolute_") and first.is_complex():
        return False
    kinds = "biufc"
    held = kinds.index(first.numpy().dtype.kind.replace("u", "i"))
    return result.shape == tuple(first.shape) and kinds.index(
        result.dtype.kind.replace("u", "i")
    ) <= max(held, 1)


def _refusal_faults(call: Call, arrays: Arrays) -> str:
    try:
        run(call, tensors_of(torch, arrays))
    except RuntimeError:
        return ""
    return "the result has no place in the operand, but nothing is raised"


def _difference(found: Any, expected: Any) -> str:
    if not isinstance(found, torch.Tensor):
        same = np.all(np.asarray(found) == np.asarray(expected)) or (
            isinstance(found, float) and math.isclose(found, expected, rel_tol=1e-6)
        )
        return "" if same else f"{found!r}, not {expected!r}"
    array = value(found)
    # NumPy computes integers in double precision where the library has single
    rtol = max(resolution(array.dtype), 1e-7)
    return mismatch(array, np.asarray(expected).astype(array.dtype), rtol, rtol)


def layout_faults(call: Call) -> str:
    """Return in what the results differ if all operands lie column by column."""
    if any(word in call.text for word in LAYOUT_MATTERS):
        return ""
    arrays = used(call.text, operands())
    turned = {name: np.array(array, order="F") for name, array in arrays.items()}
    try:
        expected = run(call, tensors_of(torch, arrays))
    except Exception as error:  # noqa: BLE001 - the same has to come of the other layout
        try:
            run(call, tensors_of(torch, turned))
        except type(error):
            return ""
        return "raises in one layout only"
    found = run(call, tensors_of(torch, turned))
    return "; ".join(
        filter(
            None,
            (
                mismatch(value(a), value(b), resolution(value(a).dtype), 1e-9)
                for a, b in zip(found, expected, strict=True)
                if isinstance(a, torch.Tensor)
            ),
        )
    )


#: calls that look like mistakes and are none
ALLOWED = {
    "torch.Size()", "torch.finfo()", "torch.atleast_1d()", "torch.atleast_2d()",
    "torch.atleast_3d()", "torch.broadcast_tensors()", "torch.broadcast_shapes()",
    "torch.cartesian_prod()", "torch.is_tensor('x')", "torch.is_storage('x')",
}  # fmt: skip


def damage_faults(call: Call, text: str) -> str:
    """Return what is wrong if a call with a mistake raises nothing, or has changed an operand."""
    arrays = used(text, operands())
    tensors = tensors_of(torch, arrays)
    try:
        run(replace(call, text=text), tensors)
    except (TypeError, ValueError, RuntimeError):
        changed = [name for name, each in tensors.items() if each._version]
        return f"{', '.join(changed)} changed" if changed else ""
    return "" if text in ALLOWED else "nothing is raised"


# ---- derivatives ------------------------------------------------------------------------------


class Smooth:
    """A call as a function of its operands in double precision, where they are floats."""

    def __init__(self, call: Call, change: Callable[[np.ndarray], np.ndarray] | None = None):
        self.call = call
        self.arrays = {
            name: change(array) if change else array
            for name, array in used(call.text, operands()).items()
        }
        self.leaves = [
            name for name, array in self.arrays.items()
            if array.dtype in (np.float64, np.complex128) and f"{name}.detach()" not in call.text
        ]  # fmt: skip
        self.point = [self.arrays[name] for name in self.leaves]

    def recorded(self, point: Sequence[np.ndarray]) -> tuple[list[Any], list[Any]]:
        """Return the outputs at a point that have a gradient, and the leaves."""
        tensors = tensors_of(torch, {**self.arrays, **dict(zip(self.leaves, point, strict=True))})
        leaves = [tensors[name].requires_grad_() for name in self.leaves]
        found = run(self.call, tensors)
        return [each for each in found if _has_gradient(each)], leaves

    def gradients(
        self,
        recorded: tuple[list[Any], list[Any]],
        weights: Sequence[np.ndarray],
        create_graph: bool = False,
    ) -> list[Any]:
        """Return the gradients of the weighted outputs by the leaves."""
        outputs, leaves = recorded
        found = torch.autograd.grad(
            outputs, leaves, list(map(torch.from_numpy, weights)), allow_unused=True,
            create_graph=create_graph,
        )  # fmt: skip
        return [
            torch.zeros_like(leaf) if each is None else each
            for each, leaf in zip(found, leaves, strict=True)
        ]


def _has_gradient(part: Any) -> bool:
    return isinstance(part, torch.Tensor) and part.requires_grad and part.numel() > 0


def random_like(arrays: Sequence[np.ndarray], seed: int) -> list[np.ndarray]:
    """Return random arrays of the same shapes and dtypes."""
    random = np.random.default_rng(seed)
    made = []
    for array in arrays:
        numbers = random.uniform(-1, 1, array.shape)
        if array.dtype.kind == "c":
            numbers = numbers + 1j * random.uniform(-1, 1, array.shape)
        made.append(np.asarray(numbers, dtype=array.dtype))
    return made


def direction_for(function: Smooth, seed: int) -> list[np.ndarray]:
    """Return how to change the leaves; a symmetric matrix stays one."""
    made = random_like(function.point, seed)
    return [
        way + way.T if name == "psd" else way
        for name, way in zip(function.leaves, made, strict=True)
    ]


class Derivatives(NamedTuple):
    """What is wrong with the derivatives of a call; empty texts for those that are right."""

    gradient: str
    second_gradient: str
    forward_mode: str


@functools.cache
def derivatives(call: Call) -> Derivatives | None:
    """Compare the derivatives of a call with finite differences; None if it has none."""
    function = Smooth(call)
    if not function.leaves or CORNERS & function.arrays.keys():
        return None
    if call.name in NOT_SMOOTH or "padding_idx" in call.text:
        return None
    try:
        recorded = function.recorded(function.point)
    except Exception:  # noqa: BLE001 - whether it has to raise, other tests ask
        return None
    outputs = [value(each) for each in recorded[0]]
    if not outputs or any(each.dtype not in (np.float64, np.complex128) for each in outputs):
        return None
    weights, direction = random_like(outputs, 2), direction_for(function, 1)
    try:
        gradients = function.gradients(recorded, weights, create_graph=True)
    except RuntimeError as error:
        if re.search(NO_DERIVATIVE, str(error)):
            return None
        raise
    moves = [function.recorded(moved(function.point, direction, step)) for step in (STEP, -STEP)]
    ahead, behind = (list(map(value, outputs)) for outputs, _ in moves)
    slopes = [(x - y) / (2 * STEP) for x, y in zip(ahead, behind, strict=True)]
    found = real_inner([value(each) for each in gradients], direction)
    inner = direction_for(function, 4)
    change = [
        real_inner([value(each) for each in function.gradients(each, weights)], inner)
        for each in moves
    ]
    return Derivatives(
        _unlike(found, real_inner(weights, slopes)),
        _unlike(
            _second_gradient(gradients, recorded[1], inner, direction),
            (change[0] - change[1]) / (2 * STEP),
        ),
        _tangent_faults(function, direction, slopes),
    )


def _second_gradient(
    gradients: list[Any], leaves: list[Any], inner: list[np.ndarray], direction: list[np.ndarray]
) -> float:
    """Return how the weighted gradients change along a direction, by their graph."""
    roots = [
        (each, torch.from_numpy(weight))
        for each, weight in zip(gradients, inner, strict=True)
        if each.requires_grad
    ]
    if not roots:
        return 0.0
    second = torch.autograd.grad(
        [root for root, _ in roots], leaves, [weight for _, weight in roots], allow_unused=True
    )
    pairs = [(g, d) for g, d in zip(second, direction, strict=True) if g is not None]
    return real_inner([value(g) for g, _ in pairs], [d for _, d in pairs])


def _tangent_faults(function: Smooth, direction: list[np.ndarray], slopes: list[np.ndarray]) -> str:
    """Return in what the tangents of the outputs differ from how their values change."""
    with forward_ad.dual_level():
        tensors = tensors_of(torch, function.arrays)
        for name, way in zip(function.leaves, direction, strict=True):
            tensors[name] = forward_ad.make_dual(
                tensors[name].requires_grad_(), torch.from_numpy(way)
            )
        outputs = [each for each in run(function.call, tensors) if _has_gradient(each)]
        tangents = [forward_ad.unpack_dual(each).tangent for each in outputs]
        found = [
            np.zeros(x.shape, x.dtype) if t is None else value(t)
            for t, x in zip(tangents, slopes, strict=True)
        ]
    differences = (
        mismatch(a, np.asarray(b), 1e-4, 1e-5) for a, b in zip(found, slopes, strict=True)
    )
    return "; ".join(filter(None, differences))


# ---- what the page of operations says -----------------------------------------------------------


def abilities(place: str, name: str) -> tuple[str, ...]:
    """Return whether there is a gradient, a second one, forward mode, and are complex numbers."""
    varied = [call for call in calls()[place, name] if Smooth(call).leaves]
    if not varied or isinstance(getattr(owner(place), name, None), type):
        return ("–",) * 4
    derived = [found for call in varied if (found := derivatives(call)) is not None]
    faults = [any(each) for each in zip(*derived, strict=True)] if derived else [True] * 3
    complexes = any(map(takes_complex, varied[:4]))
    return tuple("yes" if each else "no" for each in (*(not each for each in faults), complexes))


def takes_complex(call: Call) -> bool:
    """Return whether a call works when its operands in double precision are complex."""
    made = Smooth(call, lambda array: np.asarray(array + 0.5j) if array.dtype == float else array)
    try:
        run(call, tensors_of(torch, made.arrays))
    except (RuntimeError, TypeError, ValueError):
        return False
    return True


def _unlike(found: float, expected: float) -> str:
    close = math.isclose(found, expected, rel_tol=1e-4, abs_tol=2e-5)
    return "" if close else f"{found}, but finite differences give {expected}"

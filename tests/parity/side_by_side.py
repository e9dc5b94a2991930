"""Evaluate one expression with pellucid and with PyTorch, and say in what the outcomes differ."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]


def inputs() -> Arrays:
    """Return the arrays that expressions name; the letters stand for kinds, digits for shapes."""
    random = np.random.default_rng(7)

    def normal(*shape: int) -> np.ndarray:
        return np.asarray(random.standard_normal(shape))

    def complex_normal(*shape: int) -> np.ndarray:
        return normal(*shape) + 1j * normal(*shape)

    return {
        # floats: any sign; v is a vector, s a scalar, e empty, q square, o noncontiguous
        "a": normal(2, 3), "b": normal(2, 3), "v": normal(3), "v4": normal(4), "s": normal(),
        "e": normal(0, 3), "q": normal(3, 3), "w": normal(4, 3), "r": normal(3, 4),
        "o": normal(3, 2).T, "t": normal(2, 3, 4), "t2": normal(2, 4, 5), "one": normal(1),
        "col": normal(2, 1), "bias4": normal(4),
        # within the domains of functions that need it
        "p": random.uniform(0.2, 3, (2, 3)), "u": random.uniform(-0.9, 0.9, (2, 3)),
        "prob": random.uniform(0.05, 0.95, (2, 3)), "above1": random.uniform(1.1, 3, (2, 3)),
        "psd": (lambda m: m @ m.T + 3 * np.eye(3))(normal(3, 3)),
        # images, sequences and what convolves them
        "img": normal(2, 4, 6, 6), "seq": normal(2, 4, 9), "vol": normal(1, 2, 4, 4, 4),
        "k2": normal(6, 4, 3, 3), "k1": normal(6, 4, 3), "k3": normal(3, 2, 2, 2, 2),
        "kg": normal(6, 2, 3, 3), "kt": normal(4, 3, 3, 3), "kt1": normal(4, 3, 3),
        "b6": normal(6), "b3": normal(3), "mean4": normal(4), "var4": random.uniform(0.5, 2, 4),
        "ones4": normal(4), "emb": normal(10, 3),
        # other dtypes
        "f": normal(2, 3).astype(np.float32), "f1": normal(3).astype(np.float32),
        "h": normal(2, 3).astype(np.float16), "z": complex_normal(2, 3), "y": complex_normal(2, 3),
        "zq": complex_normal(3, 3), "zs": complex_normal(),
        "i": np.array([[0, 2, 1], [1, 0, 2]]), "j": np.array([[3, 1, 4], [1, 5, 9]]),
        "l": np.array([2, 0]), "i1": np.array([1, 0, 1]), "k": np.array(2),
        "n32": np.array([[1, -2, 3], [4, 5, -6]], dtype=np.int32),
        "u8": np.array([[1, 2, 3], [250, 5, 6]], dtype=np.uint8),
        "m": np.array([[True, False, True], [False, True, True]]),
        "m1": np.array([True, False, True]), "yes": np.array(True),
        "ties": np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]]),
        "special": np.array([[np.nan, np.inf, -np.inf], [0.0, -0.0, 1.0]]),
        "whole": np.array([[-2.0, 0.0, 3.0], [1.0, 2.5, -0.5]]),
    }  # fmt: skip


@dataclass
class Outcome:
    """What an expression gave: values and gradients, or an error."""

    error: type | None = None
    message: str = ""
    facts: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    gradients: list[Any] = field(default_factory=list)
    second: list[Any] = field(default_factory=list)


def builtin_class(error: BaseException) -> type:
    """Return the builtin class an error is caught by."""
    return next(each for each in type(error).__mro__ if each.__module__ == "builtins")


def namespace(library: ModuleType, arrays: Arrays, requires_grad: bool) -> dict[str, Any]:
    """Return the names an expression may use, its tensors made by the library."""
    names: dict[str, Any] = {"torch": library, "math": math, "np": np}
    if hasattr(library, "nn"):
        names["nn"] = library.nn
        names["F"] = library.nn.functional
    for name, array in arrays.items():
        # order="K" keeps the strides of what is not contiguous
        tensor = library.from_numpy(np.array(array, order="K"))
        names[name] = tensor
        if requires_grad and array.dtype.kind in "fc":
            tensor.requires_grad_()
    return names


def flattened(value: Any) -> list[Any]:
    """Return the leaves of nested lists and tuples."""
    if isinstance(value, list | tuple) and not hasattr(value, "numel"):
        return [leaf for each in value for leaf in flattened(each)]
    return [value]


def cotangent(library: ModuleType, like: Any, seed: int) -> Any:
    """Return a tensor of the shape and dtype, the same for both libraries."""
    random = np.random.default_rng(seed)
    shape = tuple(like.shape)
    values = random.standard_normal(shape)
    if like.is_complex():
        values = values + 1j * random.standard_normal(shape)
    return library.from_numpy(np.asarray(values)).to(like.dtype)


def to_array(tensor: Any) -> np.ndarray | None:
    """Return a tensor's values."""
    if tensor is None:
        return None
    tensor = tensor.detach()
    if hasattr(tensor, "resolve_conj"):
        tensor = tensor.resolve_conj().resolve_neg()
    if str(tensor.dtype) == "torch.bfloat16":  # which NumPy does not know
        tensor = tensor.float()
    # a copy: the tensor may be changed in place, and PyTorch's may be zeros without memory
    return np.array(tensor.numpy(force=True))


def differentiate(
    library: ModuleType, outputs: list[Any], leaves: list[Any], seed: int, create_graph: bool
) -> list[Any]:
    """Return the gradients of the outputs, weighted at random by their places, by the leaves."""
    chosen = [
        (output, cotangent(library, output, seed + place))
        for place, output in enumerate(outputs)
        if output is not None and output.requires_grad
    ]
    roots, weights = [output for output, _ in chosen], [weight for _, weight in chosen]
    return list(
        library.autograd.grad(roots, leaves, weights, create_graph=create_graph, allow_unused=True)
    )


def evaluate(
    library: ModuleType, expression: str, arrays: Arrays, *, requires_grad: bool = True,
    orders: int = 2, seed: int = 0,
) -> Outcome:  # fmt: skip
    """Run an expression, or statements that set ``out``; note all that can be compared."""
    outcome = Outcome()
    names = namespace(library, arrays, requires_grad)
    leaves = [names[name] for name in arrays if names[name].requires_grad]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library.manual_seed(seed)
        try:
            if "out =" in expression:
                exec(expression, names)
                result = names["out"]
            else:
                result = eval(expression, names)
        except Exception as error:  # noqa: BLE001 - which one it is gets compared
            outcome.error = builtin_class(error)
            outcome.message = str(error)
            return outcome
        parts = flattened(result)
        tensors = [part for part in parts if hasattr(part, "requires_grad")]
        for part in parts:
            outcome.facts.append(describe(part))
        outcome.values = [
            to_array(part) if hasattr(part, "requires_grad") else part for part in parts
        ]
        outputs = [each for each in tensors if each.requires_grad]
        if not outputs or not leaves or orders == 0:
            return outcome
        try:
            first = differentiate(library, outputs, leaves, 100, orders > 1)
            outcome.gradients = [to_array(each) for each in first]
            if orders > 1 and any(each is not None and each.requires_grad for each in first):
                second = differentiate(library, first, leaves, 200, False)
                outcome.second = [to_array(each) for each in second]
        except Exception as error:  # noqa: BLE001 - which one it is gets compared
            outcome.error = builtin_class(error)
            outcome.message = f"in backward: {error}"
    return outcome


def describe(value: Any) -> str:
    """Return what is seen of a result beside its values."""
    if not hasattr(value, "requires_grad"):
        return type(value).__name__
    text = f"{value.dtype} {list(value.shape)}"
    return text + " requires grad" if value.requires_grad else text


def differences(
    ours: Outcome, theirs: Outcome, rtol: float = 1e-6, atol: float = 1e-9
) -> list[str]:
    """Say in what two outcomes differ; nothing if they agree."""
    if ours.error is not theirs.error and not _lacks_derivative(ours, theirs):
        return [
            f"ours {_name(ours.error)}: {ours.message[:150]!r}, "
            f"theirs {_name(theirs.error)}: {theirs.message[:150]!r}"
        ]
    found = []
    if ours.facts != theirs.facts:
        found.append(f"results: ours {ours.facts}, theirs {theirs.facts}")
    orders = ["values", "gradients", "second"]
    if theirs.error:
        orders = ["values"] + ["gradients"] * bool(theirs.gradients)
    for what in orders:
        for number, (mine, yours) in enumerate(_pairs(getattr(ours, what), getattr(theirs, what))):
            text = _difference(mine, yours, rtol, atol)
            if text:
                found.append(f"{what} {number}: {text}")
    return found


def _lacks_derivative(ours: Outcome, theirs: Outcome) -> bool:
    """Tell whether PyTorch has no derivative, of first or second order, where we have one."""
    lacking = theirs.message.startswith("in backward") and "is not implemented" in theirs.message
    return lacking and ours.error is None


def _name(error: type | None) -> str:
    return "no error" if error is None else error.__name__


def _pairs(mine: list[Any], yours: list[Any]) -> list[tuple[Any, Any]]:
    """Pair what there is; an order of derivative that one side has not is all ``None`` or zero."""
    length = max(len(mine), len(yours))
    return list(
        zip(mine or [None] * length, yours or [None] * length, strict=len(mine) == len(yours))
    )


def _difference(mine: Any, yours: Any, rtol: float, atol: float) -> str:
    if mine is None and yours is None:
        return ""
    if isinstance(mine, np.ndarray) or isinstance(yours, np.ndarray):
        # a gradient that nobody computes and one of zeros say the same
        mine = np.zeros_like(yours) if mine is None else mine
        yours = np.zeros_like(mine) if yours is None else yours
        if mine.shape != yours.shape:
            return f"shapes {mine.shape} and {yours.shape}"
        if mine.dtype != yours.dtype:
            return f"dtypes {mine.dtype} and {yours.dtype}"
        if mine.dtype.kind in "fc":
            tight = mine.dtype.itemsize >= (16 if mine.dtype.kind == "c" else 8)
            if not tight:
                rtol, atol = (2e-2, 1e-2) if mine.itemsize == 2 else (2e-5, 2e-6)
            same = np.allclose(mine, yours, rtol, atol, equal_nan=True)
        else:
            same = np.array_equal(mine, yours)
        return "" if same else f"ours {mine.tolist()}, theirs {yours.tolist()}"[:600]
    if isinstance(mine, float) and isinstance(yours, float):
        same = math.isclose(mine, yours, rel_tol=1e-6) or (math.isnan(mine) and math.isnan(yours))
        return "" if same else f"ours {mine!r}, theirs {yours!r}"
    if not isinstance(mine, bool | int | str | complex | tuple | type(None)):
        return ""
    return "" if mine == yours else f"ours {mine!r}, theirs {yours!r}"


def used(expression: str, arrays: Arrays) -> Arrays:
    """Return the inputs that an expression names."""
    code = compile(expression, "<expression>", "exec")
    names = set(code.co_names)
    for constant in code.co_consts:
        names |= set(getattr(constant, "co_names", ()))
    return {name: array for name, array in arrays.items() if name in names}

"""The samples of PyTorch's own operator tests, run with pellucid and with PyTorch.

PyTorch's wheel holds the table that its tests of operators go by: for each of some 600 operators,
functions that make sample inputs and inputs that have to be refused. `compare_operator` runs them
with both libraries and says what differs. As a program, it counts::

    python -m tests.parity.operator_database [words of names] [--dtype float64]
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import types
import unittest
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from typing import Any

import numpy as np
import torch

import pellucid
from tests.samples.running import builtin_class

DTYPES = (torch.float32, torch.float64, torch.int64, torch.complex128, torch.bool, torch.bfloat16)


@cache
def database() -> list[Any]:
    """Return the entries of all operators."""
    if "expecttest" not in sys.modules:  # of which only the test cases are asked for
        stub = types.ModuleType("expecttest")
        stub.TestCase = unittest.TestCase  # type: ignore[attr-defined]
        sys.modules["expecttest"] = stub
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal import common_utils
        from torch.testing._internal.common_methods_invocations import op_db
    # The table looks for a running test of its own in the stack at each request for samples.
    common_utils.extract_test_fn = lambda: None
    return list(op_db)


def full_name(entry: Any) -> str:
    """Return an operator's name with that of its variant."""
    return f"{entry.name}.{entry.variant_test_name}" if entry.variant_test_name else entry.name


# ---- from one library to the other ----------------------------------------------------------


def _dtype(dtype: torch.dtype) -> Any:
    return getattr(pellucid, str(dtype).removeprefix("torch."))


def _tensor(tensor: torch.Tensor) -> Any:
    """Return a tensor of the same values, dtype, strides, offset and requirement of a gradient."""
    if tensor.layout is not torch.strided:
        raise NotImplementedError(f"samples of layout {tensor.layout}")
    plain = tensor.detach().resolve_conj().resolve_neg()
    flat = plain.as_strided((plain.untyped_storage().nbytes() // plain.element_size(),), (1,), 0)
    if plain.dtype == torch.bfloat16:
        ours = pellucid.from_numpy(flat.view(torch.int16).numpy().copy()).view(pellucid.bfloat16)
    else:
        ours = pellucid.from_numpy(flat.numpy().copy())
    ours = ours.as_strided(tuple(plain.shape), plain.stride(), plain.storage_offset())
    if isinstance(tensor, torch.nn.Parameter):
        return pellucid.nn.Parameter(ours, requires_grad=tensor.requires_grad)
    return ours.requires_grad_() if tensor.requires_grad else ours


def converted(value: Any) -> Any:
    """Return an argument for pellucid as it is given to PyTorch."""
    if isinstance(value, torch.Tensor):
        return _tensor(value)
    if isinstance(value, torch.dtype):
        return _dtype(value)
    if isinstance(value, torch.device):
        return pellucid.device(str(value))
    if isinstance(value, torch.memory_format | torch.layout):
        return getattr(pellucid, str(value).removeprefix("torch."))
    if isinstance(value, torch.Size):
        return pellucid.Size(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(converted, value))
    if isinstance(value, list | tuple):
        return type(value)(map(converted, value))
    if isinstance(value, dict):
        return {converted(key): converted(each) for key, each in value.items()}
    if isinstance(value, torch.Generator):
        return pellucid.Generator().manual_seed(value.initial_seed())
    if callable(value) and not hasattr(value, "sample_inputs_func"):
        return counterpart(value)
    return value


def _named(path: str) -> Any:
    found: Any = pellucid
    for part in path.split("."):
        found = getattr(found, part)
    return found


#: what the table's own functions find under these names
_NAMES = {
    "torch": pellucid,
    "F": pellucid.nn.functional,
    "freeze_rng_state": pellucid.random.fork_rng,
}


def counterpart(function: Any) -> Any:
    """Return pellucid's function for one of PyTorch's, or for one of the table that uses them."""
    if isinstance(function, partial):
        return partial(
            counterpart(function.func), *converted(function.args), **converted(function.keywords)
        )
    module = getattr(function, "__module__", "") or ""
    if isinstance(function, types.FunctionType) and "testing" in module:
        return _rebound(function, {})
    if isinstance(function, torch.nn.Module):
        return counterpart(type(function))()
    if isinstance(function, type):
        return _named(f"{module}.{function.__qualname__}".removeprefix("torch."))
    name = getattr(function, "__qualname__", None) or function.__name__
    owner = getattr(function, "__objclass__", None) or getattr(function, "__self__", None)
    if (owner is not None and "TensorBase" in repr(owner)) or name.startswith("Tensor."):
        return getattr(pellucid.Tensor, function.__name__)
    short = function.__name__.removeprefix("_" if name == "_threshold" else " ")
    places = [module.removeprefix("torch").strip(".").replace("windows.windows", "windows"), ""]
    places += ["linalg"] * short.startswith("linalg_") + ["special"] * short.startswith("special_")
    places += ["fft"] * short.startswith("fft_")
    places += ["nn.functional"]
    for place in places:
        bare = short.removeprefix(f"{place}_") if place else short
        with contextlib.suppress(AttributeError):
            return _named(f"{place}.{bare}" if place else bare)
    raise AttributeError(f"pellucid has no {module}.{name}")


def _is_of_the_table(value: Any) -> bool:
    return isinstance(value, types.FunctionType) and "testing" in (value.__module__ or "")


def _rebound(function: types.FunctionType, done: dict[Any, Any]) -> Any:
    """Return a function of the table, with pellucid where it says torch."""
    if function in done:
        return done[function]
    names = {**function.__globals__, **_NAMES}
    cells = tuple(types.CellType(None) for _ in function.__closure__ or ())
    rebound = types.FunctionType(
        function.__code__, names, function.__name__, converted(function.__defaults__), cells
    )
    rebound.__kwdefaults__ = converted(function.__kwdefaults__)  # type: ignore[assignment]
    done[function] = rebound
    for name in set(function.__code__.co_names) - set(_NAMES):
        value = function.__globals__.get(name)
        if _is_of_the_table(value):
            names[name] = _rebound(value, done)
    for mine, theirs in zip(cells, function.__closure__ or (), strict=True):
        value = theirs.cell_contents
        mine.cell_contents = _rebound(value, done) if _is_of_the_table(value) else converted(value)
    return rebound


def our_function(entry: Any) -> Any:
    """Return pellucid's function for an entry."""
    op = entry.op
    if isinstance(op, types.BuiltinFunctionType) or not isinstance(op, types.FunctionType):
        with contextlib.suppress(AttributeError):
            found = _named(entry.name)
            if callable(found):  # not a dtype of the name, such as cfloat
                return found
    return counterpart(op)


# ---- what is compared -----------------------------------------------------------------------


@dataclass
class Outcome:
    """The tensors and other values that a call gave, and its gradients; or an error."""

    parts: list[Any]
    gradients: list[Any]
    error: Exception | None = None


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for each in value:
            yield from _leaves(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from _leaves(each)
    else:
        yield value


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor | pellucid.Tensor)


def _array(tensor: Any) -> np.ndarray:
    """Return a copy of the values."""
    tensor = tensor.detach().resolve_conj().resolve_neg()
    if str(tensor.dtype) in ("torch.bfloat16", "torch.float16"):
        tensor = tensor.float()
    return np.array(tensor.numpy(force=True))  # PyTorch may have zeros without memory


def _weight(library: Any, like: Any, number: int) -> Any:
    values = np.random.default_rng(number).standard_normal(tuple(like.shape))
    if like.is_complex():
        values = values + 1j * values[::-1] if values.ndim else values + 0.5j
    return library.from_numpy(np.array(values)).to(like.dtype)


def _run(
    library: Any, function: Callable[..., Any], sample: Any, keep: Any, gradients: bool
) -> Outcome:
    given = [sample.input, *sample.args], sample.kwargs
    leaves = [
        each for each in _leaves(given) if _is_tensor(each) and each.is_leaf and each.requires_grad
    ]
    library.manual_seed(7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = function(sample.input, *sample.args, **sample.kwargs)
            parts = list(_leaves(result))
            kept = [
                each for each in _leaves(keep(result)) if _is_tensor(each) and each.requires_grad
            ]
            found: list[Any] = []
            if gradients and kept and leaves:
                weights = [_weight(library, each, number) for number, each in enumerate(kept)]
                found = list(library.autograd.grad(kept, leaves, weights, allow_unused=True))
        except Exception as error:  # noqa: BLE001 - which one it is gets compared
            return Outcome([], [], error)
    return Outcome(parts, found)


def first_sentence(error: Exception) -> str:
    """Return what an error opens with."""
    return str(error).split("\n")[0].split(". ")[0].rstrip(".")


def differences(ours: Outcome, theirs: Outcome) -> list[str]:
    """Return in what two outcomes differ; each text begins with the kind of difference."""
    if ours.error is not None or theirs.error is not None:
        if builtin_class(ours.error) is builtin_class(theirs.error):
            same = first_sentence(ours.error) == first_sentence(theirs.error)  # type: ignore[arg-type]
            return [] if same else [f"sentence: {ours.error!s:.150} / {theirs.error!s:.150}"]
        return [f"error: {ours.error!r:.200} / {theirs.error!r:.200}"]
    if len(ours.parts) != len(theirs.parts):
        return [f"results: {len(ours.parts)} / {len(theirs.parts)}"]
    found = [
        text
        for mine, yours in zip(ours.parts, theirs.parts, strict=True)
        if (text := _difference(mine, yours, True))
    ]
    for mine, yours in zip(ours.gradients, theirs.gradients, strict=False):
        if mine is None and yours is None:
            continue
        like = yours if mine is None else mine
        if mine is None or yours is None:
            if np.any(_array(like) != 0):
                found.append("gradient: None on one side")
        elif text := _difference(mine, yours, False):
            found.append(f"gradient {text}")
    return found


def _difference(mine: Any, yours: Any, strides: bool) -> str:
    if not _is_tensor(yours):
        if isinstance(yours, torch.dtype | torch.device | torch.layout):
            return "" if str(mine) == str(yours) else f"value: {mine} / {yours}"
        if isinstance(yours, float | complex) and not isinstance(mine, str):
            close = np.allclose(mine, yours, equal_nan=True)
            return "" if close else f"value: {mine} / {yours}"
        return "" if mine == yours else f"value: {mine!r:.80} / {yours!r:.80}"
    if not _is_tensor(mine):
        return f"type: {type(mine).__name__} / Tensor"
    if str(mine.dtype) != str(yours.dtype):
        return f"dtype: {mine.dtype} / {yours.dtype}"
    if tuple(mine.shape) != tuple(yours.shape):
        return f"shape: {tuple(mine.shape)} / {tuple(yours.shape)}"
    if strides and mine.requires_grad != yours.requires_grad:
        return f"requires_grad: {mine.requires_grad} / {yours.requires_grad}"
    if yours.layout is not torch.strided:
        return ""
    # the stride of a dimension of size one says nothing
    moves = [
        (m, y) for m, y, n in zip(mine.stride(), yours.stride(), yours.shape, strict=True) if n > 1
    ]
    if strides and yours.numel() > 1 and any(m != y for m, y in moves):
        return f"strides: {mine.stride()} / {yours.stride()} of {tuple(yours.shape)}"
    a, b = _array(mine), _array(yours)
    if a.dtype.kind not in "fc":
        return "" if np.array_equal(a, b) else f"value: {a.ravel()[:5]} / {b.ravel()[:5]}"
    half = str(yours.dtype) in ("torch.bfloat16", "torch.float16")
    tight = b.dtype.itemsize >= (16 if b.dtype.kind == "c" else 8)
    rtol, atol = (2e-2, 1e-2) if half else (1e-7, 1e-9) if tight else (1e-4, 1e-5)
    with np.errstate(all="ignore"):
        if np.allclose(a, b, rtol, atol, equal_nan=True):
            return ""
        off = ~np.isclose(a, b, rtol, atol, equal_nan=True)
    return f"value: {a[off].ravel()[:3]} / {b[off].ravel()[:3]} at {off.sum()} of {off.size}"


@dataclass
class Finding:
    """One sample in which the libraries differ."""

    operator: str
    dtype: str
    number: int
    sample: str
    difference: str

    @property
    def kind(self) -> str:
        """What is different, in a word or two."""
        return self.difference.split(":")[0]

    def __str__(self) -> str:
        place = f"{self.operator} | {self.dtype} | {self.number}"
        return f"{place} | {self.difference} | {self.sample}"


def _our_sample(sample: Any) -> Any:
    return types.SimpleNamespace(
        input=converted(sample.input), args=converted(sample.args), kwargs=converted(sample.kwargs)
    )


def compare_operator(
    entry: Any, dtype: torch.dtype, most: int | None = None
) -> tuple[int, list[Finding]]:
    """Run the samples of one dtype; return how many there are, and what differs."""
    name = full_name(entry)
    function = our_function(entry)
    torch.manual_seed(0)
    gradients = entry.supports_autograd and dtype in (torch.float64, torch.complex128)
    count, found = 0, []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        samples = entry.sample_inputs("cpu", dtype, requires_grad=gradients)
        for number, sample in enumerate(islice(samples, most)):
            try:
                given = _our_sample(sample)
            except NotImplementedError:
                continue
            count += 1
            text = str(sample)[:300]
            keep = sample.output_process_fn_grad
            state = torch.get_rng_state()
            theirs = _run(torch, entry.op, sample, keep, gradients)
            ours = _run(pellucid, function, given, _rebound_keep(keep), gradients)
            torch.set_rng_state(state)
            found += [
                Finding(name, str(dtype), number, text, each) for each in differences(ours, theirs)
            ]
    return count, found


def _rebound_keep(keep: Any) -> Any:
    return _rebound(keep, {}) if isinstance(keep, types.FunctionType) else keep


def compare_refusals(entry: Any) -> tuple[int, list[Finding]]:
    """Run the inputs that have to be refused; return how many there are, and what differs."""
    if entry.error_inputs_func is None:
        return 0, []
    name = full_name(entry)
    function = our_function(entry)
    count, found = 0, []
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, refused in enumerate(entry.error_inputs("cpu")):
            sample = refused.sample_input
            try:
                given = _our_sample(sample)
            except NotImplementedError:
                continue
            count += 1
            text = str(sample)[:300]
            theirs = _run(torch, entry.op, sample, lambda out: out, False)
            if theirs.error is None:
                continue
            ours = _run(pellucid, function, given, lambda out: out, False)
            found += [
                Finding(name, "refused", number, text, each) for each in differences(ours, theirs)
            ]
    return count, found


def in_scope(entry: Any) -> bool:
    """Return whether an operator is public and dense: what its name begins with says so."""
    return not entry.name.startswith(OUT_OF_SCOPE)


#: PyTorch's insides, what compiles for a GPU, and masked and sparse tensors
OUT_OF_SCOPE = (
    "_", "jiterator", "native_", "torch.ops", "masked.", "sparse.", "to_sparse", "hash_tensor",
    "slice", "grid_sampler_", "max_pool2d_with_indices_backward", "linalg.lu_factor_ex", "chalf",
)  # fmt: skip


def main() -> None:
    """Compare the operators that are named, or all, and count."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--dtype", nargs="*", default=[str(each)[6:] for each in DTYPES])
    parser.add_argument("--most", type=int)
    options = parser.parse_args()
    dtypes = [each for each in DTYPES if str(each)[6:] in options.dtype]
    total: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for entry in filter(in_scope, database()):
        if options.names and entry.name not in options.names:
            continue
        jobs = {str(each): partial(compare_operator, entry, each, options.most) for each in dtypes}
        jobs = {name: job for name, job in jobs.items() if getattr(torch, name[6:]) in entry.dtypes}
        for what, job in {**jobs, "refused": partial(compare_refusals, entry)}.items():
            try:
                count, found = job()
            except Exception as error:  # noqa: BLE001 - one entry must not end the count
                print(f"? {full_name(entry)} {what}: {error!r:.200}", flush=True)
                continue
            total[what] += count
            wrong[what] += len({each.number for each in found})
            for each in found:
                print(str(each).replace("\n", " "), flush=True)
    for what, count in total.items():
        print(f"# {what}: {count - wrong[what]} of {count} as in PyTorch")


if __name__ == "__main__":
    main()

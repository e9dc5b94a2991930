"""The tables that PyTorch's own tests go by, and what stands in pellucid for what they hold.

PyTorch's wheel has tables of its operators, layers and optimizers: functions that make their
arguments, and arguments that have to be refused.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import types
import unittest
import warnings
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

import torch

import pellucid


def table(module: str, name: str) -> list[Any]:
    """Return a table of one of PyTorch's modules for tests."""
    if "expecttest" not in sys.modules:  # of which only the test cases are asked for
        stub = types.ModuleType("expecttest")
        stub.TestCase = unittest.TestCase  # type: ignore[attr-defined]
        sys.modules["expecttest"] = stub
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal import common_utils

        found = importlib.import_module(f"torch.testing._internal.{module}")
    # The table looks for a running test of its own in the stack at each request for samples.
    common_utils.extract_test_fn = lambda: None
    return list(getattr(found, name))


def _dtype(dtype: torch.dtype) -> Any:
    return getattr(pellucid, str(dtype).removeprefix("torch."))


def _tensor(tensor: torch.Tensor) -> Any:
    """Return a tensor of the same values, dtype, strides, offset and requirement of a gradient."""
    if tensor.layout is torch.sparse_coo:
        parts = tensor.detach().coalesce()
        ours = pellucid.sparse_coo_tensor(
            _tensor(parts.indices()), _tensor(parts.values()), tuple(tensor.shape)
        )
        return ours.requires_grad_() if tensor.requires_grad else ours
    if tensor.layout is not torch.strided:
        raise NotImplementedError(f"samples of layout {tensor.layout}")
    plain = tensor.detach().resolve_conj().resolve_neg()
    flat = plain.as_strided((plain.untyped_storage().nbytes() // plain.element_size(),), (1,), 0)
    bits = {torch.bfloat16: torch.int16}.get(plain.dtype)
    if plain.dtype.is_floating_point and plain.element_size() == 1:
        bits = torch.uint8
    if bits is not None:  # NumPy does not know the dtype
        ours = pellucid.from_numpy(flat.view(bits).numpy().copy()).view(_dtype(plain.dtype))
    else:
        ours = pellucid.from_numpy(flat.numpy().copy())
    ours = ours.as_strided(tuple(plain.shape), plain.stride(), plain.storage_offset())
    if isinstance(tensor, torch.nn.Parameter):
        return pellucid.nn.Parameter(ours, requires_grad=tensor.requires_grad)
    return ours.requires_grad_() if tensor.requires_grad else ours


def converted(value: Any) -> Any:
    """Return an argument for pellucid as it is given to PyTorch; a tensor given twice is one."""
    return _converted(value, {})


def _converted(value: Any, known: dict[int, Any]) -> Any:
    if isinstance(value, torch.Tensor):
        if id(value) not in known:
            known[id(value)] = _tensor(value)
        return known[id(value)]
    if isinstance(value, torch.dtype):
        return _dtype(value)
    if isinstance(value, torch.device):
        return pellucid.device(str(value))
    if isinstance(value, torch.memory_format | torch.layout):
        return getattr(pellucid, str(value).removeprefix("torch."))
    if isinstance(value, torch.Size):
        return pellucid.Size(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_converted(each, known) for each in value))
    if isinstance(value, list | tuple):
        return type(value)(_converted(each, known) for each in value)
    if isinstance(value, dict):
        return {_converted(key, known): _converted(value[key], known) for key in value}
    if is_dataclass(value) and not isinstance(value, type):
        parts = {each.name: getattr(value, each.name) for each in fields(value)}
        return counterpart(type(value))(**_converted(parts, known))
    if isinstance(value, torch.Generator):
        return pellucid.Generator().manual_seed(value.initial_seed())
    if callable(value) and not hasattr(value, "sample_inputs_func"):
        return counterpart(value)
    return value


def named(path: str) -> Any:
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
        return rebound(function, {})
    if isinstance(function, torch.nn.Module):
        return counterpart(type(function))()
    if isinstance(function, type):
        return named(f"{module}.{function.__qualname__}".removeprefix("torch."))
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
            return named(f"{place}.{bare}" if place else bare)
    raise AttributeError(f"pellucid has no {module}.{name}")


def _is_of_the_table(value: Any) -> bool:
    return isinstance(value, types.FunctionType) and "testing" in (value.__module__ or "")


def rebound(function: types.FunctionType, done: dict[Any, Any]) -> Any:
    """Return a function of the table, with pellucid where it says torch."""
    if function in done:
        return done[function]
    names = {**function.__globals__, **_NAMES}
    cells = tuple(types.CellType(None) for _ in function.__closure__ or ())
    made = types.FunctionType(
        function.__code__, names, function.__name__, converted(function.__defaults__), cells
    )
    made.__kwdefaults__ = converted(function.__kwdefaults__)  # type: ignore[assignment]
    done[function] = made
    for name in set(function.__code__.co_names) - set(_NAMES):
        value = function.__globals__.get(name)
        if _is_of_the_table(value):
            names[name] = rebound(value, done)
    for mine, theirs in zip(cells, function.__closure__ or (), strict=True):
        value = theirs.cell_contents
        mine.cell_contents = rebound(value, done) if _is_of_the_table(value) else converted(value)
    return made

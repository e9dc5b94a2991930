"""Which name a class or function has in PyTorch's files, and what such a name stands for here."""

from __future__ import annotations

import importlib
from typing import Any

from pellucid.interop.errors import UnpicklingError
from pellucid.interop.rebuilding import KNOWN, refuse_what_is_not_here
from pellucid.ops.random.sampling import Generator

#: where modules of PyTorch that functions are said to come from have their counterpart
_COUNTERPARTS = {
    "torch._C": "pellucid",
    "torch._C._nn": "pellucid.nn.functional",
    "torch._tensor": "pellucid.tensors.tensor",
    "torch.nn.functional": "pellucid.nn.functional",
}

_NAME_OF_KNOWN = {id(known.value): name for name, known in KNOWN.items() if name[:5] == "torch"}


def name_in_files(value: Any, name: str | None = None) -> tuple[str, str] | None:
    """Return module and name that stand for a value of pellucid in a file; ``None`` for others."""
    known = _NAME_OF_KNOWN.get(id(value))
    if known is not None:
        module, _, short = known.rpartition(".")
        return module, short
    home = getattr(value, "__module__", None) or ""
    name = name or getattr(value, "__qualname__", None)
    if name is None or home.partition(".")[0] != "pellucid":
        return None
    if value is Generator:
        return "torch._C", name
    if home.startswith("pellucid.ops."):
        return _public_home(value, name), name
    if home == "pellucid.nn.lazy_tensors":
        return "torch.nn.parameter", name
    if home == "pellucid.nn.inplace_activations":
        return "torch.nn.functional", name
    if home.startswith("pellucid.optim.schedules."):
        return "torch.optim.lr_scheduler", name
    return f"torch{home.removeprefix('pellucid').removeprefix('.compat')}", name


def _public_home(function: Any, name: str) -> str:
    """Return where PyTorch has a function that pellucid keeps under ``ops``."""
    functional = importlib.import_module("pellucid.nn.functional")
    if getattr(functional, name, None) is function:
        return "torch.nn.functional"
    return "torch"


def found_here(module: str, name: str) -> Any:
    """Return what a name of PyTorch's stands for; raise UnpicklingError if it is not provided."""
    full_name = f"{module}.{name}"
    refuse_what_is_not_here(full_name)
    if full_name in KNOWN:
        return KNOWN[full_name].value
    if full_name == "torch._C._VariableFunctionsClass":
        # Functions implemented in C++ are described as attributes of this class.
        return importlib.import_module("pellucid")
    for home in _candidates(module):
        found = _attribute(home, name)
        if found is not None:
            return found
    raise UnpicklingError(
        f"Can't get attribute '{name}' on module '{module}': pellucid does not provide {full_name}."
    )


def _candidates(module: str) -> list[str]:
    homes = [_COUNTERPARTS[module]] if module in _COUNTERPARTS else []
    homes.append(f"pellucid{module.removeprefix('torch')}")
    if module.startswith("torch.nn."):
        homes.append("pellucid.nn")
    return homes


def _attribute(home: str, name: str) -> Any:
    try:
        found: Any = importlib.import_module(home)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        return None
    return found

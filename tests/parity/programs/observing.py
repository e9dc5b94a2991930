"""What a program can see of its tensors, graphs and modes, as plain values of either library."""

from __future__ import annotations

import contextlib
import re
import weakref
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from tests.samples.running import builtin_class

#: how far down a graph is looked at
_NODES = 12
_ADDRESS = re.compile(r"0x[0-9a-f]+|\b\d{9,}\b")
#: letters of the library's own name in texts
_OWN_NAME = re.compile(r"\bpellucid\b")


class Error(NamedTuple):
    """The class by which an error is caught, and its first sentence."""

    kind: str
    sentence: str


def described_error(error: BaseException) -> Error:
    """Return what is compared of an error."""
    return Error(builtin_class(error).__name__, first_sentence(str(error)))


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, without addresses."""
    text = _OWN_NAME.sub("torch", _ADDRESS.sub("0x", text))
    return re.split(r"(?<=[.:!?])\s|\n", text.strip(), maxsplit=1)[0]


class Observer:
    """Looks at values of one library."""

    def __init__(self, library: ModuleType) -> None:
        self.torch = library
        self.first_versions: dict[int, tuple[weakref.ref[Any], int]] = {}

    def is_tensor(self, value: Any) -> bool:
        return isinstance(value, self.torch.Tensor)

    def values(self, tensor: Any) -> np.ndarray[Any, Any] | str:
        """Return the elements of a tensor, or why they cannot be read."""
        try:
            with self.torch.no_grad():
                plain = tensor.detach()
                if plain.layout is not self.torch.strided:
                    plain = plain.to_dense()
                if plain.is_complex():
                    plain = plain.resolve_conj().resolve_neg()
                if plain.dtype is self.torch.bfloat16:
                    plain = plain.float()
                # PyTorch's may be zeros without memory
                return np.array(plain.numpy(force=True))
        except Exception as error:  # noqa: BLE001 - which one it is gets compared
            return f"{type(error).__name__}"

    def tensor(self, tensor: Any) -> dict[str, Any]:
        """Return what is compared of a tensor, but for its graph."""
        seen: dict[str, Any] = {
            "shape": tuple(tensor.shape), "dtype": str(tensor.dtype), "values": self.values(tensor),
            "requires_grad": tensor.requires_grad, "is_leaf": _asked(tensor, "is_leaf"),
            "stride": tuple(zip(tensor.shape, tensor.stride(), strict=True)),
            "offset": tensor.storage_offset(),
            "class": type(tensor).__name__, "inference": tensor.is_inference(),
        }  # fmt: skip
        grad = _asked(tensor, "grad")
        seen["grad"] = self.values(grad) if self.is_tensor(grad) else grad
        if self.is_tensor(grad):
            seen["grad.requires_grad"] = grad.requires_grad
            seen["grad._version"] = _asked(grad, "_version")
        version = _asked(tensor, "_version")
        seen["_version"] = version
        if isinstance(version, int):
            seen["changes"] = version - self._first_version(tensor, version)
        for name in ("output_nr", "retains_grad"):
            seen[name] = _asked(tensor, name)
        base = tensor._base
        seen["_base"] = None if base is None else (tuple(base.shape), base.requires_grad)
        return seen

    def _first_version(self, tensor: Any, version: int) -> int:
        first = self.first_versions.get(id(tensor))
        if first is None or first[0]() is not tensor:
            first = self.first_versions[id(tensor)] = (weakref.ref(tensor), version)
        return first[1]

    def graph(self, tensor: Any) -> Any:
        """Return names and edges of the nodes behind a tensor, and what the first one saves."""
        node = _asked(tensor, "grad_fn")
        if node is None or isinstance(node, Error):
            return node
        numbers: dict[Any, int] = {node: 0}
        queue, found = [node], []
        while queue and len(found) < _NODES:
            each = queue.pop(0)
            edges = []
            for target, place in each.next_functions:
                if target is None:
                    edges.append(None)
                    continue
                if target not in numbers:
                    numbers[target] = len(numbers)
                    queue.append(target)
                edges.append((numbers[target], place))
            found.append((each.name(), type(each).__name__, tuple(edges)))
        return found

    def saved(self, tensor: Any) -> dict[str, Any] | None:
        """Return what the node of a tensor says that it saves."""
        node = _asked(tensor, "grad_fn")
        if node is None or isinstance(node, Error):
            return None
        names = [name for name in dir(type(node)) if name.startswith("_saved_")]
        names += [name for name in dir(node) if name.startswith("_saved_") and name not in names]
        return {name: self.plain(_asked(node, name)) for name in sorted(names)}

    def plain(self, value: Any, depth: int = 4) -> Any:
        """Return a value as something that can be compared."""
        if self.is_tensor(value):
            seen = self.tensor(value)
            return ("tensor", seen["shape"], seen["dtype"], seen["values"], seen["requires_grad"])
        if isinstance(value, list | tuple) and depth:
            kind = "list" if isinstance(value, list) else "tuple"
            return (kind, [self.plain(each, depth - 1) for each in value])
        if isinstance(value, dict) and depth:
            return {str(key): self.plain(each, depth - 1) for key, each in value.items()}
        if value is None or isinstance(value, bool | int | str | Error):
            return value
        if isinstance(value, float | complex):
            return np.asarray(value)
        if isinstance(value, np.ndarray):
            return np.array(value)
        if isinstance(value, type):
            return ("class", value.__name__)
        if hasattr(value, "next_functions"):
            node: Any = value
            return ("node", node.name())
        if isinstance(value, weakref.ref):
            return ("alive", value() is not None)
        return type(value).__name__

    def modes(self) -> tuple[bool, ...]:
        """Return the modes that are on."""
        library = self.torch
        return (
            library.is_grad_enabled(), library.is_inference_mode_enabled(),
            library.is_anomaly_enabled(), library.is_autocast_enabled(),
        )  # fmt: skip

    def shared(self, tensors: dict[str, Any]) -> tuple[list[list[str]], list[list[str]]]:
        """Return which names are one tensor, and which have memory in common."""
        objects: dict[int, list[str]] = {}
        memory: dict[Any, list[str]] = {}
        for name, tensor in tensors.items():
            objects.setdefault(id(tensor), []).append(name)
            with contextlib.suppress(Exception):
                if tensor.numel():
                    memory.setdefault(tensor.untyped_storage().data_ptr(), []).append(name)
        return (
            [each for each in objects.values() if len(each) > 1],
            [each for each in memory.values() if len(each) > 1],
        )


def _asked(value: Any, name: str) -> Any:
    try:
        return getattr(value, name)
    except Exception as error:  # noqa: BLE001 - which one it is gets compared
        return described_error(error)

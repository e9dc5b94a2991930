"""What tensors, graphs, errors and modes look like, as plain values that two processes compare."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

import pellucid as torch
from pellucid.autograd.modes import modes
from pellucid.observe import slow_path

_MOST_NODES = 200
_ADDRESS = re.compile(r"0x[0-9a-f]+|\b\d{12,}\b")
_PATH = re.compile(r"(?:/[\w.+-]+)+/(?=[\w.+-]+)")


#: the subject of a record of a call that ended as none may
COMPLAINT = "complaint"


class Record(NamedTuple):
    """What was seen at a line of a program: what it is about, and what it looked like, pickled."""

    step: int
    line: int
    subject: str
    seen: bytes


class Values(NamedTuple):
    """The elements of a tensor, apart from what else is known of it."""

    dtype: str
    shape: tuple[int, ...]
    bits: bytes


def plain(text: str) -> str:
    """Return a text without addresses and folders."""
    return _PATH.sub("", _ADDRESS.sub("0x", text))


def described_error(error: BaseException) -> Any:
    """Return the class and the whole text of an error, of its notes and of its cause."""
    if isinstance(error, MemoryError):
        return ("error", "MemoryError")
    cause = error.__cause__
    return (
        "error", type(error).__name__, [each.__name__ for each in type(error).__mro__[1:3]],
        plain(str(error)), [plain(each) for each in getattr(error, "__notes__", ())],
        None if cause is None else described_error(cause),
    )  # fmt: skip


def described(value: Any, depth: int = 4) -> Any:
    """Return all that can be asked of a value, in tuples, texts and numbers."""
    if isinstance(value, torch.Tensor):
        return _described_tensor(value, depth)
    if value is None or isinstance(value, bool | int | str | bytes):
        return value
    if isinstance(value, float | complex):
        return repr(value)
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        return ("array", Values(str(array.dtype), array.shape, array.tobytes()))
    if isinstance(value, BaseException):
        return described_error(value)
    if isinstance(value, dict) and depth:
        return (
            "dict",
            *((plain(str(key)), described(each, depth - 1)) for key, each in value.items()),
        )
    if isinstance(value, list | tuple) and depth:
        return (type(value).__name__, *(described(each, depth - 1) for each in value))
    return ("object", type(value).__name__)


def _described_tensor(tensor: Any, depth: int) -> Any:
    """Return values, layout, version, and place in the graph of a tensor."""
    if tensor.layout is not torch.strided:
        return ("sparse", str(tensor.layout), described(tensor.detach().to_dense()))
    node = tensor.grad_fn
    grad = tensor.grad if tensor.is_leaf and tensor.requires_grad else None
    return (
        "tensor", type(tensor).__name__, _values(tensor), ("strides", _strides(tensor)),
        ("offset", tensor.storage_offset()), ("version", _version(tensor)),
        ("requires_grad", tensor.requires_grad, tensor.is_leaf, tensor.is_inference()),
        ("node", None if node is None else (node.name(), tensor.output_nr)),
        ("view", tensor._is_view()),
        ("grad", described(grad, depth - 1) if depth else None),
    )  # fmt: skip


def _values(tensor: Any) -> Values:
    held = tensor.detach()
    if held.dtype is torch.bfloat16:
        held = held.view(torch.int16)
    if held.is_conj() or held.is_neg():
        held = held.resolve_conj().resolve_neg()
    array = held.numpy()
    return Values(str(tensor.dtype), tuple(tensor.shape), array.tobytes())


def _strides(tensor: Any) -> tuple[int, ...]:
    """Return the strides that matter: of what is there, along dimensions of more than one."""
    if not tensor.numel():
        return ()
    return tuple(s for s, n in zip(tensor.stride(), tensor.shape, strict=True) if n > 1)


def _version(tensor: Any) -> Any:
    return None if tensor.is_inference() else tensor._version


def described_graph(root: Any, public: bool = False) -> Any:
    """Return the nodes behind a tensor: their names, where they lead, and what they saved.

    What is public of it is looked up as a user does, which takes long.
    """
    first = getattr(root, "grad_fn", root)
    if first is None:
        return None
    numbers, nodes, rows = {id(first): 0}, [first], []
    for node in nodes:
        edges = []
        for following, number in node.next_functions:
            if following is None:
                edges.append(None)
                continue
            if id(following) not in numbers and len(nodes) < _MOST_NODES:
                numbers[id(following)] = len(nodes)
                nodes.append(following)
            edges.append((numbers.get(id(following)), number))
        rows.append((node.name(), tuple(edges), _saved_by_name(node) if public else _saved(node)))
    return ("graph", *rows)


def _saved(node: Any) -> Any:
    """Return the values that a node holds, and which versions they had."""
    saved = getattr(node, "saved", None)
    if not isinstance(saved, tuple):
        return type(saved).__name__
    params = described(getattr(node, "params", None))
    return (params, *(_entry(each) if isinstance(each, tuple) else "packed" for each in saved))


def _entry(entry: tuple[Any, ...]) -> Any:
    value, storage, version = entry
    return described(value), type(storage).__name__, version


def _saved_by_name(node: Any) -> Any:
    found = []
    for name in sorted(name for name in dir(node) if name.startswith("_saved_")):
        try:
            value = getattr(node, name)
        except Exception as error:  # noqa: BLE001 - which one it is gets compared
            value = error
        found.append((name, described(value, 1)))
    return tuple(found)


def described_modes() -> Any:
    """Return the modes and counters of the thread."""
    return (
        "modes", torch.is_grad_enabled(), torch.is_inference_mode_enabled(),
        torch.is_autocast_enabled(), torch.is_anomaly_enabled(), slow_path.active,
        len(slow_path.scopes), len(modes.saved_tensor_hooks), modes.saved_tensor_hooks_disabled,
        len(modes.interpreters), len(modes.forward_levels), len(modes.batch_levels),
        modes.transforms, modes.batching, modes.task is None, modes.depth, modes.scope,
        modes.before_change is None, modes.evaluating is None,
    )  # fmt: skip


def shared_memory(tensors: dict[str, Any]) -> Any:
    """Return, for each name, the first name of those whose tensors share its memory."""
    first: dict[int, str] = {}
    return tuple(
        (name, first.setdefault(_storage(each), name))
        for name, each in tensors.items()
        if each.numel() and each.layout is torch.strided
    )


def _storage(tensor: Any) -> int:
    return tensor.untyped_storage().data_ptr()

"""How one object refers to another, in words."""

from __future__ import annotations

import threading
import types
from collections import deque
from typing import Any

from pellucid.autograd import reading
from pellucid.autograd.explanations.frames import locals_of
from pellucid.autograd.explanations.saved_values import saved_name
from pellucid.autograd.function_node import FunctionCtx
from pellucid.autograd.node import Node
from pellucid.autograd.node_extra import NodeExtra
from pellucid.autograd.saved import PackedValue
from pellucid.autograd.sites import Site
from pellucid.autograd.variable import TensorBase, View

_SLOTS_OF_TENSORS = {
    "_edge": "grad_fn", "_grad": ".grad", "_view": "view of", "_extra": "", "_array": "memory",
    "_storage": "",
}  # fmt: skip
_HOOKS = {
    "tensor_hooks": "hooks of the tensor", "pre_hooks": "pre-hooks", "post_hooks": "post-hooks",
    "post_accumulate_hooks": "post-accumulate hooks", "retained": "", "metadata": "metadata",
}  # fmt: skip
_LONGEST_KEY = 30


def hop(owner: Any, owned: Any, before: Any = None, earlier: Any = None) -> str:
    """Return how an object refers to another; empty where that goes without saying.

    Args:
        owner: The object that refers.
        owned: What it refers to.
        before: What refers to the owner, where that is known.
        earlier: What refers to that.
    """
    reader = reading.reader_of(owner)
    told = None if reader is None else reader.hop(owner, owned)
    if told is not None:
        return told
    match owner:
        case dict():
            return _key(owner, owned, before, earlier)
        case list() | tuple() | deque():
            return _index(owner, owned, before)
        case TensorBase():
            return _slot(owner, owned, _SLOTS_OF_TENSORS)
        case View():
            return "base tensor"
        case Node():
            return _part_of_node(owner, owned)
        case NodeExtra():
            return _slot(owner, owned, _HOOKS)
        case PackedValue():
            return "packed value"
        case types.FunctionType():
            return _part_of_function(owner, owned)
        case types.CellType():
            return ""
        case types.MethodType():
            return "self" if owned is owner.__self__ else "function"
        case set() | frozenset():
            return "element of a set"
        case types.FrameType():
            name = _named(locals_of(owner), owned)
            return f"variable {name} of {_frame_text(owner)}" if name else ""
        case types.GeneratorType() | types.CoroutineType() | types.AsyncGeneratorType():
            return _part_of_generator(owner, owned)
        case types.TracebackType():
            return ""
        case BaseException() if isinstance(owned, types.TracebackType):
            return "__traceback__"
    return _attribute(owner, owned)


def _key(owner: dict[Any, Any], owned: Any, before: Any, earlier: Any) -> str:
    name = _named(owner, owned)
    if name is None:
        return "a key"
    if isinstance(before, NodeExtra) or isinstance(earlier, NodeExtra) or _has_hooks(before, owner):
        return f"hook {_function_text(owned)}" if callable(owned) else ""
    if isinstance(before, threading.local):
        return ""
    if isinstance(earlier, threading.local):
        return f".{name} of a thread"
    if isinstance(before, type) or (
        before is not None and getattr(before, "__dict__", None) is owner
    ):
        return f".{name}"
    text = repr(name)
    return f"[{text if len(text) <= _LONGEST_KEY else text[:_LONGEST_KEY] + '...'}]"


def _has_hooks(tensor: Any, hooks: dict[Any, Any]) -> bool:
    return reading.is_tensor(tensor) and getattr(tensor, "_backward_hooks", None) is hooks


def _named(variables: dict[Any, Any], owned: Any) -> Any:
    """Return the key under which a dictionary has an object."""
    return next((key for key, value in list(variables.items()) if value is owned), None)


def _frame_text(frame: types.FrameType) -> str:
    return f"{frame.f_code.co_qualname}() at {Site(frame.f_code, frame.f_lasti)}"


def _part_of_generator(owner: Any, owned: Any) -> str:
    frame = (
        getattr(owner, "gi_frame", None)
        or getattr(owner, "cr_frame", None)
        or getattr(owner, "ag_frame", None)
    )
    name = None if frame is None else _named(locals_of(frame), owned)
    return f"variable {name} of the generator {owner.__qualname__}()" if name else ""


def _index(owner: Any, owned: Any, before: Any) -> str:
    place = next((i for i, value in enumerate(owner) if value is owned), 0)
    if isinstance(before, types.FunctionType) and before.__closure__ is owner:
        return f"closure variable {before.__code__.co_freevars[place]}"
    if isinstance(before, Node):
        return "" if before.edges is owner else f"saved {saved_name(before, place) or place}"
    if isinstance(before, tuple | TensorBase) and isinstance(owner, tuple):
        return ""
    return f"[{place}]"


def _slot(owner: Any, owned: Any, words: dict[str, str]) -> str:
    for name, word in words.items():
        if getattr(owner, name, None) is owned:
            return word
    return _attribute(owner, owned)


def _part_of_node(node: Node, owned: Any) -> str:
    if owned is node.edges or owned is node.saved or owned is node.extra:
        return ""
    if owned is node.params:
        return "parameters"
    return "context" if isinstance(owned, FunctionCtx) else ""


def _part_of_function(function: types.FunctionType, owned: Any) -> str:
    if owned is function.__closure__:
        return ""
    if owned is function.__defaults__ or owned is function.__kwdefaults__:
        return "default"
    return "attribute" if owned is function.__dict__ else ""


def _function_text(function: Any) -> str:
    code = getattr(function, "__code__", None)
    name = getattr(function, "__name__", type(function).__name__)
    if code is None:
        return name
    file = code.co_filename.replace("\\", "/").rpartition("/")[2]
    return f"{name} ({file}:{code.co_firstlineno})"


def _attribute(owner: Any, owned: Any) -> str:
    attributes = getattr(owner, "__dict__", None)
    if attributes is owned:
        return ""
    for name, value in list(attributes.items()) if isinstance(attributes, dict) else ():
        if value is owned:
            return f".{name}"
    for kind in type(owner).__mro__:
        for name, slot in vars(kind).items():
            if isinstance(slot, types.MemberDescriptorType) and (
                getattr(owner, name, None) is owned
            ):
                return f".{name}"
    if isinstance(owner, type | threading.local):
        return ""
    return f"a {type(owner).__name__}"

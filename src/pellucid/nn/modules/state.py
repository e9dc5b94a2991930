"""Saving a module's parameters and buffers to a dict, and loading them."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from pellucid.autograd.modes import no_grad
from pellucid.autograd.sites import user_stacklevel
from pellucid.errors import ArgumentTypeError, ShapeError
from pellucid.nn.lazy_tensors import is_lazy
from pellucid.nn.modules.conversion import conversion
from pellucid.nn.parameter import Parameter
from pellucid.tensors import Tensor
from pellucid.tensors.swapping import swap_tensors

if TYPE_CHECKING:
    from pellucid.nn.modules.module import Module

_EXTRA_STATE_KEY_SUFFIX = "_extra_state"


class StateDict(OrderedDict[str, Any]):
    """Dict of tensors by dotted name, with the version of each module that wrote them."""

    _metadata: dict[str, dict[str, Any]]


class IncompatibleKeys(NamedTuple):
    """Names that were missing from a ``state_dict``, and names that were unexpected."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return (
            f"_IncompatibleKeys(missing_keys={self.missing_keys}, "
            f"unexpected_keys={self.unexpected_keys})"
        )

    __str__ = __repr__


class MayReplace:
    """Wrapper of a hook whose result, unless it is None, replaces the ``state_dict``."""

    def __init__(self, hook: Callable[..., Any]) -> None:
        self.hook = hook

    def __call__(self, *args: Any) -> Any:
        return self.hook(*args)


def state_dict(module: Module, destination: Any, prefix: str, keep_vars: bool) -> Any:
    """Return the state of a module and all its submodules."""
    if destination is None:
        destination = StateDict()
        destination._metadata = OrderedDict()
    metadata = {"version": module._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = metadata
    for hook in list(module._state_dict_pre_hooks.values()):
        hook(module, prefix, keep_vars)
    module._save_to_state_dict(destination, prefix, keep_vars)
    for name, child in module._modules.items():
        if child is not None:
            child.state_dict(
                destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars
            )
    for hook in list(module._state_dict_hooks.values()):
        replaced = hook(module, destination, prefix, metadata)
        if isinstance(hook, MayReplace):
            destination = destination if replaced is None else replaced
        elif replaced is not None:
            raise RuntimeError("state_dict post-hook must return None")
    return destination


def persistent_members(module: Module) -> dict[str, Tensor]:
    """Return the parameters and persistent buffers of the module itself."""
    skipped = module._non_persistent_buffers_set
    members = {**module._parameters}
    members |= {name: each for name, each in module._buffers.items() if name not in skipped}
    return {name: each for name, each in members.items() if each is not None}


def save_members(module: Module, destination: Any, prefix: str, keep_vars: bool) -> None:
    """Write the parameters, buffers and extra state of the module itself."""
    for name, member in persistent_members(module).items():
        destination[prefix + name] = member if keep_vars else member.detach()
    if _keeps_extra_state(module, "get_extra_state"):
        destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = module.get_extra_state()


def _keeps_extra_state(module: Module, method: str) -> bool:
    written_in = getattr(type(module), method).__module__
    return written_in != "pellucid.nn.modules.module"


def load_state_dict(
    module: Module, state: Mapping[str, Any], strict: bool, assign: bool
) -> IncompatibleKeys:
    """Check the values against the module and its submodules, then write them."""
    if not isinstance(state, Mapping):
        raise ArgumentTypeError(f"Expected state_dict to be dict-like, got {type(state)}.")
    loading = _Loading(state, assign)
    loading.visit(module, loading.state, "")
    hooked = any(visited._load_state_dict_post_hooks for visited in loading.visited)
    # where no hook has a say in the missing keys, all is checked before anything is written
    loading.check(type(module).__name__, strict and not hooked)
    with no_grad():
        for write in loading.writes:
            write()
    for visited in loading.visited:
        for hook in list(visited._load_state_dict_post_hooks.values()):
            if hook(visited, loading.keys()) is not None:
                raise RuntimeError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected "
                    "to return new values, if incompatible_keys need to be modified, it should be "
                    "done inplace."
                )
    loading.check(type(module).__name__, strict)
    return loading.keys()


def _quoted(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


class _Loading:
    """State of one call of ``load_state_dict``: what to write and what does not match."""

    def __init__(self, state: Mapping[str, Any], assign: bool) -> None:
        self.metadata = getattr(state, "_metadata", None)
        self.state = OrderedDict(state)
        self.assign = assign
        self.missing: list[str] = []
        self.unexpected: list[str] = []
        self.errors: list[str] = []
        self.writes: list[Callable[[], Any]] = []
        #: children come before their parents
        self.visited: list[Module] = []

    def check(self, name: str, strict: bool) -> None:
        """Raise RuntimeError for values that do not fit; if strict, also for keys that differ."""
        errors = list(self.errors)
        if strict and self.unexpected:
            errors.insert(0, f"Unexpected key(s) in state_dict: {_quoted(self.unexpected)}. ")
        if strict and self.missing:
            errors.insert(0, f"Missing key(s) in state_dict: {_quoted(self.missing)}. ")
        if errors:
            listed = "\n\t".join(errors)
            raise ShapeError(f"Error(s) in loading state_dict for {name}:\n\t{listed}")

    def keys(self) -> IncompatibleKeys:
        return IncompatibleKeys(self.missing, self.unexpected)

    def visit(self, module: Module, state: OrderedDict[str, Any], prefix: str) -> None:
        metadata = dict(self.metadata.get(prefix[:-1], {})) if self.metadata is not None else {}
        metadata["writes"] = self.writes
        if self.assign:
            metadata["assign_to_params_buffers"] = True
        # All mismatches are collected, as with strict=True; the caller decides which are errors.
        arguments = (state, prefix, metadata, True, self.missing, self.unexpected, self.errors)
        for hook in list(module._load_state_dict_pre_hooks.values()):
            hook(*arguments)
        module._load_from_state_dict(*arguments)
        for name, child in module._modules.items():
            if child is not None:
                path = f"{prefix}{name}."
                below = {key: value for key, value in state.items() if key.startswith(path)}
                self.visit(child, OrderedDict(below), path)
        self.visited.append(module)


def load_members(
    module: Module,
    state: Mapping[str, Any],
    prefix: str,
    metadata: dict[str, Any],
    strict: bool,
    missing: list[str],
    unexpected: list[str],
    errors: list[str],
) -> None:
    """Match the module's own parameters and buffers with the values under its prefix."""
    writes: list[Callable[[], Any]] = []
    members = persistent_members(module)
    for name, member in members.items():
        key = prefix + name
        if key not in state:
            if strict:
                missing.append(key)
            continue
        if is_lazy(member) and is_lazy(state[key]):
            continue
        problem = _mismatch(key, member, state[key])
        if problem is not None:
            errors.append(problem)
        else:
            writes.append(_write(module, name, member, state[key], metadata))
    _load_extra_state(module, state, prefix, strict, missing, unexpected, writes)
    unknown = _unknown_below(module, state, prefix, members) if strict else []
    may_add = bool(unknown) and _sets_extra_state(module, state, prefix)
    if "writes" in metadata and not may_add:
        metadata["writes"] += writes
    else:  # called by user code, or what is set now may add the members that are not known yet
        with no_grad():
            for write in writes:
                write()
    if may_add:
        unknown = _unknown_below(module, state, prefix, persistent_members(module))
    unexpected += unknown


def _mismatch(key: str, member: Tensor, value: Any) -> str | None:
    if not isinstance(value, Tensor):
        return (
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like '
            f"object from checkpoint but received {type(value)}"
        )
    scalar_as_vector = member.ndim == 0 and value.shape == (1,)
    if value.shape != member.shape and not scalar_as_vector:
        return (
            f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, "
            f"the shape in current model is {member.shape}."
        )
    return None


def _write(
    module: Module, name: str, member: Any, value: Any, metadata: dict[str, Any]
) -> Callable[[], Any]:
    def assign() -> None:
        if not isinstance(member, Parameter):
            setattr(module, name, value)
        elif isinstance(value, Parameter):
            setattr(module, name, value.requires_grad_(member.requires_grad))
        else:
            setattr(module, name, Parameter(value, member.requires_grad))

    def swap() -> None:
        given = value[0] if value.shape != member.shape else value
        loaded = member.module_load(given, assign=assigns)
        if loaded is given or loaded is member:
            raise RuntimeError(
                "module_load returned one of self or other, please .detach() the result if "
                "returning one of the inputs in module_load"
            )
        if isinstance(member, Parameter):
            if not isinstance(loaded, Parameter):
                loaded = Parameter(loaded, member.requires_grad)
            loaded.requires_grad_(member.requires_grad)
        swap_tensors(member, loaded)

    assigns = bool(metadata.get("assign_to_params_buffers"))
    if assigns:
        return swap if conversion.swaps else assign
    if member.is_meta and not value.is_meta:
        warnings.warn(
            f"for {name}: copying from a non-meta parameter in the checkpoint to a meta parameter "
            "in the current model, which is a no-op. (Did you mean to pass `assign=True` to assign "
            "items in the state dictionary to their corresponding key in the module instead of "
            "copying them in place?)",
            UserWarning,
            stacklevel=user_stacklevel(),
        )
    if conversion.swaps:
        return swap
    return lambda: member.copy_(
        value if value.shape == member.shape else value.reshape(member.shape)
    )


def _sets_extra_state(module: Module, state: Any, prefix: str) -> bool:
    key = prefix + _EXTRA_STATE_KEY_SUFFIX
    return key in state and _keeps_extra_state(module, "set_extra_state")


def _load_extra_state(
    module: Module,
    state: Any,
    prefix: str,
    strict: bool,
    missing: Any,
    unexpected: Any,
    writes: Any,
) -> None:
    key = prefix + _EXTRA_STATE_KEY_SUFFIX
    if _sets_extra_state(module, state, prefix):
        writes.append(lambda: module.set_extra_state(state[key]))
    elif _keeps_extra_state(module, "set_extra_state"):
        if strict:
            missing.append(key)
    elif strict and key in state:
        unexpected.append(key)


def _unknown_below(
    module: Module, state: Mapping[str, Any], prefix: str, members: Mapping[str, Any]
) -> list[str]:
    """Return the names under the module's prefix that do not belong to a member."""
    unknown: list[str] = []
    for key in state:
        if key.startswith(prefix) and key != prefix + _EXTRA_STATE_KEY_SUFFIX:
            name, *deeper = key[len(prefix) :].split(".", 1)
            if name not in (module._modules if deeper else members):
                unknown.append(key)
    return unknown

"""State dicts of models and optimizers by the names of parameters, whole or as they are dealt out.

Names, unlike positions, stay when the number of ranks or the order of parameters changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pellucid.core.call.call import new_tensor
from pellucid.distributed.tensor.dtensor import DTensor
from pellucid.errors import ArgumentError
from pellucid.nn.modules.module import Module
from pellucid.optim.optimizer import Optimizer
from pellucid.processes.groups import get_rank, is_initialized, resolved
from pellucid.processes.objects import shared
from pellucid.tensors import Tensor


@dataclass
class StateDictOptions:
    """How state dicts are made and taken up.

    Args:
        full_state_dict: Whether tensors are whole, rather than this rank's rows.
        cpu_offload: Whether whole tensors are for the first rank only; the others get none.
        ignore_frozen_params: Whether parameters that are not trained are left out.
        strict: Whether names must be the same.
        broadcast_from_rank0: Whether what is loaded is that of the first rank, with whole tensors;
            what the others give is not looked at.
        flatten_optimizer_state_dict: Whether the state of optimizers is one dictionary, with keys
            like ``state.NAME.exp_avg`` and ``param_groups.NAME.lr``.

    Raises ValueError for ``broadcast_from_rank0`` without ``full_state_dict``.
    """

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False

    def __post_init__(self) -> None:
        if self.broadcast_from_rank0 and not self.full_state_dict:
            raise ArgumentError("full_state_dict must be True when broadcast_from_rank0 is True.")

    def given(self, state_dict: dict[str, Any]) -> dict[str, Any]:
        """Return what is for this rank of a state dict that all ranks have made."""
        is_for_first = self.full_state_dict and self.cpu_offload and is_initialized()
        return {} if is_for_first and get_rank() else state_dict

    def taken(self, state_dict: dict[str, Any]) -> dict[str, Any]:
        """Return what this rank loads, where it was given a state dict."""
        if not self.broadcast_from_rank0 or not is_initialized():
            return state_dict
        return shared(resolved(None), state_dict, 0, "broadcast of a state dict")


def _names(model: Module) -> dict[int, str]:
    return {id(param): name.removeprefix("module.") for name, param in model.named_parameters()}


def get_model_state_dict(
    model: Module, *, submodules: Any = None, options: StateDictOptions | None = None
) -> dict[str, Any]:
    """Return a model's state dict; all ranks call it if it is to be whole.

    Args:
        model: The model, possibly sharded or wrapped.
        submodules: Accepted for compatibility.
        options: See `StateDictOptions`.

    Returns:
        Tensors by name.
    """
    chosen = options or StateDictOptions()
    inner = _unwrapped(model)
    frozen = {name for name, param in inner.named_parameters() if not param.requires_grad}
    return chosen.given(
        {
            name: _whole(value) if chosen.full_state_dict else value
            for name, value in inner.state_dict().items()
            if not (chosen.ignore_frozen_params and name in frozen)
        }
    )


def _unwrapped(model: Any) -> Any:
    from pellucid.nn.parallel.distributed import DistributedDataParallel

    return model.module if isinstance(model, DistributedDataParallel) else model


def _whole(value: Any) -> Any:
    return value.detach().full_tensor() if isinstance(value, DTensor) else value


def get_optimizer_state_dict(
    model: Module, optimizers: Optimizer | Iterable[Optimizer], *, submodules: Any = None,
    options: StateDictOptions | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return the state of optimizers by the names of a model's parameters.

    State that has not been made yet is made by a step without gradients' effect, so that it can be
    loaded into.

    Args:
        model: The model whose parameters the optimizers step.
        optimizers: One or several.
        submodules: Accepted for compatibility.
        options: See `StateDictOptions`.

    Returns:
        A dictionary with ``state`` and ``param_groups``, with names in place of positions.
    """
    chosen = options or StateDictOptions()
    names = _names(_unwrapped(model))
    state: dict[str, Any] = {}
    groups: list[Any] = []
    for optimizer in _listed(optimizers):
        _make_state(optimizer)
        for param, values in optimizer.state.items():
            state[names[id(param)]] = {
                key: _whole(each) if chosen.full_state_dict else each
                for key, each in values.items()
            }
        groups += [
            {**group, "params": [names[id(param)] for param in group["params"]]}
            for group in optimizer.param_groups
        ]
    made = {"state": state, "param_groups": groups}
    return chosen.given(_flat(made) if chosen.flatten_optimizer_state_dict else made)


def _flat(state_dict: dict[str, Any]) -> dict[str, Any]:
    """Return the state of optimizers as one dictionary."""
    result = {
        f"state.{name}.{key}": value
        for name, values in state_dict["state"].items() for key, value in values.items()
    }  # fmt: skip
    for group in state_dict["param_groups"]:
        for name in group["params"]:
            options = {key: value for key, value in group.items() if key != "params"}
            result |= {f"param_groups.{name}.{key}": value for key, value in options.items()}
    return result


def _deep(flat: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return the state of optimizers by name of parameter, of one dictionary."""
    state: dict[str, dict[str, Any]] = {}
    groups: list[dict[str, Any]] = []
    for name in names:
        values = _under(f"state.{name}.", flat)
        if values:
            state[name] = values
        groups.append({"params": [name], **_under(f"param_groups.{name}.", flat)})
    return {"state": state, "param_groups": groups}


def _under(prefix: str, flat: dict[str, Any]) -> dict[str, Any]:
    found = {
        key.removeprefix(prefix): value for key, value in flat.items() if key.startswith(prefix)
    }
    return {key: value for key, value in found.items() if "." not in key}


def _listed(optimizers: Optimizer | Iterable[Optimizer]) -> list[Optimizer]:
    return [optimizers] if isinstance(optimizers, Optimizer) else list(optimizers)


def _make_state(optimizer: Optimizer) -> None:
    """Create the state of an optimizer that has not stepped, with nothing changed."""
    params = [param for group in optimizer.param_groups for param in group["params"]]
    if optimizer.state or any(param._grad is not None for param in params):
        return
    rates = [group["lr"] for group in optimizer.param_groups]
    for param in params:
        if param.requires_grad:
            param.held._grad = new_tensor(param.held._array * 0)
    for group in optimizer.param_groups:
        group["lr"] = 0.0
    optimizer.step()
    for group, rate in zip(optimizer.param_groups, rates, strict=True):
        group["lr"] = rate
    for param in params:
        param._grad = None


def get_state_dict(
    model: Module, optimizers: Optimizer | Iterable[Optimizer], *, submodules: Any = None,
    options: StateDictOptions | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:  # fmt: skip
    """Return the state dicts of a model and its optimizers.

    Args:
        model: The model.
        optimizers: One or several.
        submodules: Accepted for compatibility.
        options: See `StateDictOptions`.

    Returns:
        What `get_model_state_dict` and `get_optimizer_state_dict` return.
    """
    return (
        get_model_state_dict(model, options=options),
        get_optimizer_state_dict(model, optimizers, options=options),
    )


def set_model_state_dict(
    model: Module, model_state_dict: dict[str, Any], *, options: StateDictOptions | None = None
) -> Any:
    """Load a model's state dict, of whole tensors or of shards.

    Args:
        model: The model.
        model_state_dict: Tensors by name.
        options: See `StateDictOptions`.

    Returns:
        The names that were missing, and those that were not expected.

    Raises:
        RuntimeError: If names differ and ``options.strict``.
    """
    chosen = options or StateDictOptions()
    return _unwrapped(model).load_state_dict(chosen.taken(model_state_dict), strict=chosen.strict)


def set_optimizer_state_dict(
    model: Module, optimizers: Optimizer | Iterable[Optimizer],
    optim_state_dict: dict[str, Any], *, options: StateDictOptions | None = None,
) -> None:  # fmt: skip
    """Load the state of optimizers, of whole tensors or of shards, by names of parameters.

    Args:
        model: The model whose parameters the optimizers step.
        optimizers: One or several.
        optim_state_dict: What `get_optimizer_state_dict` has returned.
        options: See `StateDictOptions`.
    """
    names, chosen = _names(_unwrapped(model)), options or StateDictOptions()
    given = chosen.taken(optim_state_dict)
    if chosen.flatten_optimizer_state_dict:
        given = _deep(given, names.values())
    saved = given["state"]
    options_of = {name: group for group in given["param_groups"] for name in group["params"]}
    for optimizer in _listed(optimizers):
        for group in optimizer.param_groups:
            for param in group["params"]:
                name = names[id(param)]
                if name in saved:
                    optimizer.state[param] = {
                        key: _part(each, param) for key, each in saved[name].items()
                    }
            named = options_of.get(names[id(group["params"][0])], {})
            group.update({key: each for key, each in named.items() if key != "params"})


def _part(value: Any, param: Any) -> Any:
    """Return a copy of a piece of state, cut like its parameter where it is whole."""
    if not isinstance(value, Tensor):
        return value
    if isinstance(param, DTensor) and not isinstance(value, DTensor) and value.shape == param.shape:
        return param.spread_like(value)
    return value.detach().clone()


def set_state_dict(
    model: Module, optimizers: Optimizer | Iterable[Optimizer], *,
    model_state_dict: dict[str, Any], optim_state_dict: dict[str, Any],
    options: StateDictOptions | None = None,
) -> Any:  # fmt: skip
    """Load the state dicts of a model and its optimizers.

    Args:
        model: The model.
        optimizers: One or several.
        model_state_dict: Tensors by name.
        optim_state_dict: What `get_optimizer_state_dict` has returned.
        options: See `StateDictOptions`.

    Returns:
        The names that were missing in the model's, and those that were not expected.
    """
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return set_model_state_dict(model, model_state_dict, options=options)

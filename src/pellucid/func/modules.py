"""Modules as functions of their parameters, and many modules as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pellucid.errors import GraphError
from pellucid.nn.modules.batchnorm import _BatchNorm
from pellucid.nn.utils.stateless import functional_call
from pellucid.ops.shape.join import stack

__all__ = ["functional_call", "stack_module_state"]


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """Return a function that computes the same; changes in place stay what they are here.

    Args:
        func: A function of tensors.
        remove: What PyTorch replaces: ``"mutations"`` or ``"mutations_and_views"``.

    Raises:
        RuntimeError: For any other ``remove``.

    >>> torch.func.functionalize(lambda x: x.clone().add_(1))(torch.zeros(1))
    tensor([1.])
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise GraphError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. "
            "Valid options are: remove='mutations' remove='mutations_and_views'"
        )
    return func


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Make a module's batch norms use the statistics of each batch and keep none, in place.

    `vmap` cannot write the statistics of many samples into one buffer.

    Args:
        root: The module; its submodules are changed too.

    Returns:
        The module.

    >>> torch.func.replace_all_batch_norm_modules_(torch.nn.BatchNorm1d(2)).running_mean is None
    True
    """
    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parameters and the buffers of models of one class, stacked, by name.

    They are new leaves: `vmap` over them with `functional_call` computes all models at once.

    Args:
        models: Modules of one class, all in training or all in evaluation.

    Raises:
        RuntimeError: If there are no models, or their classes or modes differ.

    >>> models = [torch.nn.Linear(2, 3) for _ in range(4)]
    >>> parameters, buffers = torch.func.stack_module_state(models)
    >>> parameters["weight"].shape
    torch.Size([4, 3, 2])
    """
    if len(models) == 0:
        raise GraphError("stack_module_state: Expected at least one model, got 0.")
    if len({bool(model.training) for model in models}) > 1:
        raise GraphError(
            "stack_module_state: Expected all models to have the same training/eval mode."
        )
    if any(type(model) is not type(models[0]) for model in models):
        raise GraphError("stack_module_state: Expected all models to be of the same class.")
    return (
        _stacked([dict(model.named_parameters()) for model in models]),
        _stacked([dict(model.named_buffers()) for model in models]),
    )


def _stacked(members: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: _leaf([each[name] for each in members], name) for name in members[0]}


def _leaf(tensors: list[Any], name: str) -> Any:
    requires_grad = tensors[0].requires_grad
    if any(each.requires_grad != requires_grad for each in tensors):
        raise GraphError(f"Expected {name} from each model to have the same .requires_grad")
    return stack([each.detach() for each in tensors])._switch_recording(requires_grad)

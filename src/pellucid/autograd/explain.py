"""The errors of the graph, each telling its whole story with the user's lines."""

from __future__ import annotations

import math
from typing import Any

from pellucid.autograd.graph import BackwardRun, Node
from pellucid.autograd.storage import Storage
from pellucid.errors import (
    AnomalyError,
    FreedGraphError,
    InvalidGradientError,
    NoGraphError,
    NonScalarError,
    SavedModifiedError,
    UnusedInputError,
)

BACKWARD_TWICE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after "
    "they have already been freed). Saved intermediate values of the graph are freed when you call "
    ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved tensors after calling backward."
)


def freed(node: Node, nodes: list[Node], run: BackwardRun) -> FreedGraphError:
    """Return the error for a backward pass that reaches a node which another one has freed."""
    return FreedGraphError(BACKWARD_TWICE)


def freed_meanwhile(node: Node) -> FreedGraphError:
    """Return the error for saved values that are read after they have been freed."""
    return FreedGraphError(BACKWARD_TWICE)


def modified(
    node: Node, position: int, value: Any, storage: Storage, version: int
) -> SavedModifiedError:
    """Return the error for a saved value that was changed in place after it was saved."""
    return SavedModifiedError(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: is at version {storage.version}; expected version {version} instead."
    )


def nan(node: Node, position: int) -> AnomalyError:
    """Return the error of anomaly detection."""
    return AnomalyError(f"Function '{node.name()}' returned nan values in its {position}th output.")


def add_story(error: Exception, node: Node | None) -> None:
    """Tell in the error's own text which line made the node whose backward raised it."""


def unused(wanted: Any, position: int) -> UnusedInputError:
    """Return the error for an input that the outputs do not depend on."""
    return UnusedInputError(
        "One of the differentiated Tensors appears to not have been used in the graph. Set "
        "allow_unused=True if this is the desired behavior."
    )


def no_graph(root: Any, position: int) -> NoGraphError:
    """Return the error for a backward pass from a tensor without history."""
    return NoGraphError(
        f"element {position} of tensors does not require grad and does not have a grad_fn"
    )


def refuse_implicit_gradient(root: Any, edge: Any, like: Any) -> None:
    """Raise unless the root is a real scalar, whose gradient can be taken to be one."""
    if math.prod(like.shape) != 1:
        raise NonScalarError("grad can be implicitly created only for scalar outputs")
    if like.dtype.kind == "c":
        raise NonScalarError(
            "grad can be implicitly created only for real scalar outputs but got "
            f"torch.{like.dtype}"
        )


def refuse_wrong_gradient(root: Any, value: Any, like: Any, position: int) -> None:
    """Raise unless a given gradient has the root's shape, and is complex exactly if the root is."""
    if tuple(value.shape) != tuple(like.shape):
        raise InvalidGradientError(
            f"Mismatch in shape: grad_output[{position}] has a shape of {value.shape} and "
            f"output[{position}] has a shape of torch.Size({list(like.shape)})."
        )
    if value.is_complex() != (like.dtype.kind == "c"):
        raise InvalidGradientError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. "
            f"Mismatch in dtype: grad_output[{position}] has a dtype of {value.dtype} and "
            f"output[{position}] has a dtype of torch.{like.dtype}."
        )

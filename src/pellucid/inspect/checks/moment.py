"""The checks at one moment of a training loop: between the loss and the step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pellucid.autograd import reading
from pellucid.autograd.engine import plan_all
from pellucid.autograd.node import Node
from pellucid.autograd.sites import user_site
from pellucid.errors import ArgumentTypeError
from pellucid.inspect.checks import nonfinite, zero_gradients
from pellucid.inspect.checks.cut_off import latest_cut, why_and_remedy
from pellucid.inspect.checks.finding import Finding, Findings, line_of, listed
from pellucid.inspect.checks.run import array_of, is_finite
from pellucid.inspect.checks.unoptimized import Unoptimized, by_holder, place_finding, places_of

#: what is looked for
_KINDS = (
    *nonfinite.Nonfinite.kinds[:1], *Unoptimized.kinds, "the loss reaches no parameter",
    "a parameter replaced after the optimizer was made", "a parameter without a gradient",
    *zero_gradients.ZeroGradients.kinds, "values that are not finite",
)  # fmt: skip


def check(model: Any, loss: Any, optimizer: Any) -> Findings:
    """Look for what keeps a model from being trained; nothing is run or changed.

    Best called between the computation of the loss and its backward pass. What shows only over
    several steps is found by `checking`.

    Args:
        model: The module to be trained.
        loss: The loss, a tensor that was computed by the model.
        optimizer: The optimizer, or a sequence of several.

    Returns:
        The findings; none if all is well.

    Raises:
        TypeError: If one of the arguments is something else.

    >>> net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    >>> optimizer = torch.optim.SGD(net[1].parameters(), lr=0.1)
    >>> findings = torch.inspect.check(net, net(torch.ones(4, 2)).sum(), optimizer)
    >>> [finding.what for finding in findings]
    ['Sequential.0.weight and Sequential.0.bias get gradients, and no optimizer has them']
    """
    optimizers = list(optimizer) if isinstance(optimizer, list | tuple) else [optimizer]
    _refuse_others(model, loss, optimizers)
    edge = reading.edge_of(loss)
    graph = plan_all([] if edge is None else [edge[0]])
    nodes, leaves = graph.nodes, {id(getattr(leaf, "leaf", None)) for leaf, _ in graph.leaves}
    return Findings(
        [
            *_loss(loss, nodes),
            *_unoptimized(model, leaves, optimizers),
            *_unreached(model, leaves, optimizers),
            *_closed(nodes),
            *_not_finite(model),
        ],
        _KINDS,
    )


def _refuse_others(model: Any, loss: Any, optimizers: list[Any]) -> None:
    wanted = [(model, "named_parameters", "a module"), (loss, "requires_grad", "a tensor")]
    wanted += [(each, "param_groups", "an optimizer") for each in optimizers]
    for value, attribute, kind in wanted:
        if not hasattr(value, attribute):
            raise ArgumentTypeError(f"check() takes {kind} here, not {type(value).__name__}")


def _loss(loss: Any, nodes: list[Node]) -> Iterator[Finding]:
    if not is_finite(loss):
        yield nonfinite.finding_of(loss, [loss], nodes, user_site(), 0)


def _unoptimized(model: Any, leaves: set[int], optimizers: list[Any]) -> Iterator[Finding]:
    optimized = {id(tensor) for tensor, _ in _parameters(optimizers)}
    wanted = leaves - optimized
    lacking = (place for place in places_of(model) if id(place.tensor) in wanted)
    for holder, places in by_holder(lacking):
        yield place_finding(holder, [place.name for place in places], user_site(), 0)


def _unreached(model: Any, leaves: set[int], optimizers: list[Any]) -> Iterator[Finding]:
    """Yield what is to be said of the parameters of the optimizers that the loss does not reach."""
    given = list(_parameters(optimizers))
    lacking = [(tensor, label) for tensor, label in given if id(tensor) not in leaves]
    names = {id(place.tensor): place.name for place in places_of(model)}
    if given and len(lacking) == len(given):
        yield Finding(
            "the loss reaches no parameter",
            "the graph of the loss leads to no parameter of the optimizer",
            *line_of(user_site()),
            "Its step will change nothing.",
            "Look for what cuts the loss off: detach, no_grad, .data, item(), NumPy, argmax, or a "
            "model made again after its optimizer.",
        )
        return
    gone = [label for tensor, label in lacking if id(tensor) not in names]
    if gone:
        yield Finding(
            "a parameter replaced after the optimizer was made",
            f"{listed(gone)} of the optimizer {'are' if len(gone) > 1 else 'is'} not in the model",
            *line_of(user_site()),
            "The loss does not depend on what the optimizer has.",
            "Make the optimizer after the model is complete.",
        )
    unused = [(tensor, names[id(tensor)]) for tensor, _ in lacking if id(tensor) in names]
    if unused:
        yield _unused(unused)


def _unused(parameters: list[tuple[Any, str]]) -> Finding:
    cut = latest_cut(parameters)
    why = "Not used in forward, or cut off by detach, no_grad, .data or NumPy."
    remedy = "inspect.graph(loss) shows what it depends on."
    if cut is not None:
        why, remedy = why_and_remedy(cut, len(parameters))
    return Finding(
        "a parameter without a gradient",
        f"the loss does not depend on {listed([name for _, name in parameters])}",
        *line_of(user_site() if cut is None else cut.site), why, remedy,
    )  # fmt: skip


def _parameters(optimizers: list[Any]) -> Iterator[tuple[Any, str]]:
    for optimizer in optimizers:
        for number, group in enumerate(optimizer.param_groups):
            for position, tensor in enumerate(group["params"]):
                if tensor.requires_grad:
                    yield tensor, f"parameter {position} of group {number}"


def _closed(nodes: list[Node]) -> Iterator[Finding]:
    for node in zero_gradients.closed(nodes):
        yield zero_gradients.finding_of(node, "no gradient passes a whole layer", 0)
        return


def _not_finite(model: Any) -> Iterator[Finding]:
    for place in places_of(model):
        for tensor, what in ((place.tensor, place.name), (place.tensor.grad, "the gradient of")):
            if tensor is not None and not np.isfinite(array_of(tensor)).all():
                yield Finding(
                    "values that are not finite",
                    what if tensor is place.tensor else f"{what} {place.name}",
                    *line_of(user_site()),
                    "It has nan or infinity.",
                    "Start again; python -m pellucid watch names the line where it comes up.",
                )
                return

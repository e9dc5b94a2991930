"""The optimizers of PyTorch's own tests, with all their options, in pellucid and in PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import numpy as np
import torch

import pellucid
from tests.parity.accepted import Finding, Job
from tests.parity.from_pytorch import converted, table
from tests.parity.side_by_side import (
    Outcome,
    differences,
    differences_of_sentences,
    outcome_of,
)

DTYPES = (torch.float32, torch.float64)
STEPS = 4


@cache
def database() -> list[Any]:
    """Return the entries of all optimizers."""
    return table("common_optimizers", "optim_db")


def _given(value: Any, library: Any) -> Any:
    return converted(value) if library is pellucid else value


def _stepped(library: Any, entry: Any, options: dict[str, Any], dtype: torch.dtype) -> list[Any]:
    """Return parameters and the optimizer's state after a few steps with given gradients."""
    random = np.random.default_rng(3)
    kind = getattr(library, str(dtype).removeprefix("torch."))
    shapes = [(3, 2), (2, 4)] if entry.name == "Muon" else [(3, 2), (4,), (1, 1)]
    params = [
        library.nn.Parameter(library.from_numpy(random.standard_normal(shape)).to(kind))
        for shape in shapes
    ]
    optimizer = getattr(library.optim, entry.name)(params, **_given(options, library))

    def closure() -> Any:
        optimizer.zero_grad()
        loss = sum(((each - 1) ** 2).sum() for each in params)
        loss.backward()
        return loss

    losses = []
    for _ in range(STEPS):
        if entry.step_requires_closure:
            losses.append(optimizer.step(closure))
            continue
        for each in params:
            grad = library.from_numpy(random.standard_normal(tuple(each.shape))).to(kind)
            each.grad = grad.to_sparse() if entry.only_supports_sparse_grads else grad
        optimizer.step()
    if losses:  # what LBFGS remembers of its search is laid out otherwise
        return [params, losses]
    state = optimizer.state_dict()
    return [params, _leaves(state["state"]), _leaves(_settings(state["param_groups"]))]


def _settings(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the settings of groups but for the choice of an implementation."""
    choices = {"foreach", "fused", "capturable", "differentiable"}
    return [{name: each[name] for name in each if name not in choices} for each in groups]


def _leaves(value: Any) -> list[Any]:
    """Return what nested dictionaries and lists hold, by the order of their keys."""
    if isinstance(value, dict):
        return [leaf for key in sorted(value, key=str) for leaf in [str(key), *_leaves(value[key])]]
    if isinstance(value, list | tuple):
        return [leaf for each in value for leaf in _leaves(each)]
    return [value]


def compare_optimizer(entry: Any, dtype: torch.dtype) -> tuple[int, list[Finding]]:
    """Make steps with each set of options; return how many there are, and what differs."""
    tolerances = (1e-4, 1e-5) if dtype is torch.float32 else (1e-7, 1e-9)
    inputs = entry.optim_inputs_func("cpu")
    found = []
    for number, each in enumerate(inputs):
        outcomes = [
            outcome_of(library, partial(_stepped, library, entry, each.kwargs, dtype), [], 0)
            for library in (pellucid, torch)
        ]
        found += [
            Finding(f"optim.{entry.name}", str(dtype), number, f"{each.desc}: {each.kwargs}", text)
            for text in differences(*outcomes, *tolerances)
        ]
    return len(inputs), found


def compare_refusals(entry: Any) -> tuple[int, list[Finding]]:
    """Make what has to be refused; return how many there are, and what differs."""
    refused = entry.optim_error_inputs_func("cpu", torch.float64)
    found = []
    for number, each in enumerate(refused):
        sample = each.optimizer_error_input
        outcomes = [_refusal(library, entry, sample) for library in (pellucid, torch)]
        found += [
            Finding(f"optim.{entry.name}", "refused", number, sample.desc, text)
            for text in (*differences(*outcomes), *differences_of_sentences(*outcomes))
        ]
    return len(refused), found


def _refusal(library: Any, entry: Any, sample: Any) -> Outcome:
    """Return how a constructor refuses; a warning counts as an error."""

    def run() -> None:
        params = sample.params
        if params is None:
            params = [torch.nn.Parameter(torch.ones(1, 1, dtype=torch.float64))]
        kind = getattr(library.optim, entry.name)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            kind(_given(params, library), **_given(sample.kwargs, library))

    return outcome_of(library, run, [], 0)


def jobs() -> Iterator[Job]:
    """Yield the comparisons of all optimizers."""
    for entry in database():
        name = f"optim.{entry.name}"
        for dtype in DTYPES:
            what = f"optimizers in {str(dtype).removeprefix('torch.')}"
            yield Job(name, what, partial(compare_optimizer, entry, dtype))
        yield Job(name, "refused optimizers", partial(compare_refusals, entry))

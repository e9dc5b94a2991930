"""The layers of PyTorch's own tests, made and run with pellucid and with PyTorch."""

from __future__ import annotations

import types
import warnings
from collections.abc import Iterator
from functools import cache, partial
from itertools import islice
from typing import Any

import torch

import pellucid
from tests.parity.accepted import Finding, Job
from tests.parity.from_pytorch import converted, table
from tests.parity.side_by_side import (
    Outcome,
    differences,
    differences_of_sentences,
    differences_of_strides,
    outcome_of,
)
from tests.samples.running import flattened

DTYPES = (torch.float32, torch.float64)


@cache
def database() -> list[Any]:
    """Return the entries of all layers, but of those that are given a layer to copy."""
    entries = table("common_modules", "module_db")
    return [each for each in entries if each.module_cls is not torch.nn.TransformerEncoder]


def _given(arguments: Any, library: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return arguments of a sample for a library."""
    given = list(arguments.args), arguments.kwargs
    return converted(given) if library is pellucid else given


def _made(library: Any, entry: Any, sample: Any, dtype: Any, training: bool) -> Any:
    """Return the layer of a sample; of a lazy one, after a first call."""
    args, kwargs = _given(sample.constructor_input, library)
    library.manual_seed(3)
    layer = getattr(library.nn, entry.module_cls.__name__)(*args, **kwargs)
    layer = layer.to(getattr(library, str(dtype).removeprefix("torch.")))
    if entry.is_lazy:
        inputs, named = _given(sample.forward_input, library)
        layer(*inputs, **named)
    return layer.train(training)


def _outcome(library: Any, layer: Any, sample: Any) -> Outcome:
    """Return what the layer gives, its buffers afterwards, and gradients of all leaves."""
    args, kwargs = _given(sample.forward_input, library)
    leaves = [
        each
        for each in [*flattened([*args, *kwargs.values()]), *layer.parameters()]
        if getattr(each, "requires_grad", False)
    ]
    library.manual_seed(5)
    return outcome_of(library, lambda: [layer(*args, **kwargs), list(layer.buffers())], leaves)


def _facts(layer: Any) -> Outcome:
    """Return what a layer says about itself."""
    state = [
        f"{name}: {list(each.shape)} {each.dtype}" for name, each in layer.state_dict().items()
    ]
    flags = [f"{name} trains: {each.training}" for name, each in layer.named_modules()]
    return Outcome(facts=[str(layer), *state, *flags])


def compare_module(
    entry: Any, dtype: torch.dtype, training: bool, most: int | None = None
) -> tuple[int, list[Finding]]:
    """Make and call the layers of an entry; return how many there are, and what differs."""
    torch.manual_seed(0)
    count, found = 0, []
    tolerances = (1e-3, 1e-4) if dtype is torch.float32 else (1e-7, 1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        samples = entry.module_inputs_func(
            entry, device="cpu", dtype=dtype, requires_grad=True, training=training
        )
        for number, sample in enumerate(islice(samples, most)):
            if sample.forward_input is None:
                continue
            count += 1
            theirs = _made(torch, entry, sample, dtype, training)
            ours = _made(pellucid, entry, sample, dtype, training)
            found_here = differences(_facts(ours), _facts(theirs))
            ours.load_state_dict(converted(dict(theirs.state_dict())))
            outcomes = _outcome(pellucid, ours, sample), _outcome(torch, theirs, sample)
            found_here += differences(*outcomes, *tolerances) + differences_of_strides(*outcomes)
            found += [
                Finding(entry.name, f"{dtype} training={training}", number, sample.desc, each)
                for each in found_here
            ]
    return count, found


def compare_refusals(entry: Any) -> tuple[int, list[Finding]]:
    """Run what layers have to refuse; return how many there are, and what differs."""
    if entry.module_error_inputs_func is None:
        return 0, []
    torch.manual_seed(0)
    refused = entry.module_error_inputs_func(
        entry, device="cpu", dtype=torch.float64, requires_grad=False, training=True
    )
    found = []
    for number, each in enumerate(refused):
        sample = each.module_error_input

        def run(library: types.ModuleType, sample: Any = sample) -> Any:
            layer = _made(library, entry, sample, torch.float64, True)
            if sample.forward_input is None:
                return layer
            args, kwargs = _given(sample.forward_input, library)
            return layer(*args, **kwargs)

        ours, theirs = (outcome_of(each, partial(run, each), [], 0) for each in (pellucid, torch))
        found += [
            Finding(entry.name, "refused", number, str(sample.constructor_input), text)
            for text in (*differences(ours, theirs), *differences_of_sentences(ours, theirs))
        ]
    return len(refused), found


def jobs() -> Iterator[Job]:
    """Yield the comparisons of all layers."""
    for entry in database():
        for dtype in DTYPES:
            for training in (True, False):
                job = partial(compare_module, entry, dtype, training)
                yield Job(entry.name, f"layers in {str(dtype).removeprefix('torch.')}", job)
        yield Job(entry.name, "refused layers", partial(compare_refusals, entry))

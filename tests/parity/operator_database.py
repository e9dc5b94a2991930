"""The samples of PyTorch's own operator tests, run with pellucid and with PyTorch.

`compare_operator` runs an operator's samples with both libraries and says what differs,
`compare_refusals` those that have to be refused. As a program, it counts those of all operators,
layers and optimizers::

    python -m tests.parity.operator_database [names]
"""

from __future__ import annotations

import argparse
import contextlib
import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import chain, islice
from typing import Any

import torch

import pellucid
from tests.parity.accepted import Finding, Job
from tests.parity.from_pytorch import converted, counterpart, named, rebound, table
from tests.parity.side_by_side import (
    Outcome,
    differences,
    differences_of_sentences,
    differences_of_strides,
    outcome_of,
)
from tests.samples.running import flattened

DTYPES = (torch.float32, torch.float64, torch.int64, torch.complex128, torch.bool, torch.bfloat16)


@cache
def database() -> list[Any]:
    """Return the entries of all operators."""
    return table("common_methods_invocations", "op_db")


def full_name(entry: Any) -> str:
    """Return an operator's name with that of its variant."""
    return f"{entry.name}.{entry.variant_test_name}" if entry.variant_test_name else entry.name


def our_function(entry: Any) -> Any:
    """Return pellucid's function for an entry."""
    op = entry.op
    if isinstance(op, types.BuiltinFunctionType) or not isinstance(op, types.FunctionType):
        with contextlib.suppress(AttributeError):
            found = named(entry.name)
            if callable(found):  # not a dtype of the name, such as cfloat
                return found
    return counterpart(op)


def _tolerances(dtype: torch.dtype) -> tuple[float, float]:
    return {torch.bfloat16: (2e-2, 1e-2), torch.float32: (1e-4, 1e-5)}.get(dtype, (1e-7, 1e-9))


def _run(
    library: Any, function: Callable[..., Any], sample: Any, keep: Any, gradients: bool
) -> Outcome:
    given = [sample.input, *sample.args, *sample.kwargs.values()]
    leaves = [
        each
        for each in flattened(given)
        if getattr(each, "requires_grad", False) is True and each.is_leaf
    ]
    library.manual_seed(7)
    return outcome_of(
        library,
        lambda: function(sample.input, *sample.args, **sample.kwargs),
        leaves,
        int(gradients),
        keep,
    )


def _our_sample(sample: Any) -> Any:
    return types.SimpleNamespace(
        input=converted(sample.input), args=converted(sample.args), kwargs=converted(sample.kwargs)
    )


def compare_operator(
    entry: Any, dtype: torch.dtype, most: int | None = None
) -> tuple[int, list[Finding]]:
    """Run the samples of one dtype; return how many there are, and what differs."""
    function = our_function(entry)
    torch.manual_seed(0)
    gradients = entry.supports_autograd and dtype in (torch.float64, torch.complex128)
    count, found = 0, []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        samples = entry.sample_inputs("cpu", dtype, requires_grad=gradients)
        for number, sample in enumerate(islice(samples, most)):
            try:
                given = _our_sample(sample)
            except NotImplementedError:
                continue
            count += 1
            text = str(sample)[:300]
            keep = sample.output_process_fn_grad
            state = torch.get_rng_state()
            theirs = _run(torch, entry.op, sample, keep, gradients)
            ours = _run(pellucid, function, given, _rebound_keep(keep), gradients)
            torch.set_rng_state(state)
            found += [
                Finding(entry.name, f"{dtype} {entry.variant_test_name}", number, text, each)
                for each in (
                    *differences(ours, theirs, *_tolerances(dtype)),
                    *differences_of_strides(ours, theirs),
                )
            ]
    return count, found


def _rebound_keep(keep: Any) -> Any:
    return rebound(keep, {}) if isinstance(keep, types.FunctionType) else keep


def compare_refusals(entry: Any) -> tuple[int, list[Finding]]:
    """Run the inputs that have to be refused; return how many there are, and what differs."""
    if entry.error_inputs_func is None:
        return 0, []
    function = our_function(entry)
    count, found = 0, []
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, refused in enumerate(entry.error_inputs("cpu")):
            sample = refused.sample_input
            try:
                given = _our_sample(sample)
            except NotImplementedError:
                continue
            count += 1
            theirs = _run(torch, entry.op, sample, lambda out: out, False)
            if theirs.error is None:
                continue
            ours = _run(pellucid, function, given, lambda out: out, False)
            found += [
                Finding(
                    entry.name,
                    f"refused {entry.variant_test_name}",
                    number,
                    str(sample)[:300],
                    each,
                )
                for each in (*differences(ours, theirs), *differences_of_sentences(ours, theirs))
            ]
    return count, found


def in_scope(entry: Any) -> bool:
    """Return whether an operator is public and dense: what its name begins with says so."""
    return not entry.name.startswith(OUT_OF_SCOPE)


#: PyTorch's insides, what compiles for a GPU, and masked and sparse tensors
OUT_OF_SCOPE = (
    "_", "jiterator", "native_", "torch.ops", "masked.", "sparse.", "to_sparse",
    "slice", "grid_sampler_", "max_pool2d_with_indices_backward", "linalg.lu_factor_ex", "chalf",
)  # fmt: skip


def jobs() -> Iterator[Job]:
    """Yield the comparisons of all operators."""
    for entry in filter(in_scope, database()):
        for dtype in DTYPES:
            if dtype in entry.dtypes:
                yield Job(entry.name, str(dtype), partial(compare_operator, entry, dtype))
        yield Job(entry.name, "refused operators", partial(compare_refusals, entry))


def main() -> None:
    """Compare the operators, layers and optimizers that are named, or all, and count."""
    from tests.parity import module_database, optimizer_database

    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    total: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    explained: Counter[str] = Counter()
    for job in chain(jobs(), module_database.jobs(), optimizer_database.jobs()):
        if options.names and job.name not in options.names:
            continue
        try:
            count, found = job.compare()
        except Exception as error:  # noqa: BLE001 - one entry must not end the count
            print(f"? {job.name} {job.what}: {error!r:.200}", flush=True)
            continue
        open_ones = [each for each in found if not each.accepted]
        total[job.what] += count
        wrong[job.what] += len({each.number for each in open_ones})
        explained[job.what] += len({each.number for each in found if each.accepted})
        for each in open_ones:
            print(str(each).replace("\n", " "), flush=True)
    for what, count in total.items():
        print(
            f"# {what}: {count - wrong[what]} of {count} as in PyTorch or as accepted "
            f"({explained[what]} differ as accepted)"
        )


if __name__ == "__main__":
    main()

"""Bad input gets the error that PyTorch raises, which tells of it, and nothing has changed."""

from __future__ import annotations

import itertools
import re
import warnings
from typing import Any

import numpy as np
import pytest

import pellucid as torch
import pellucid.nn.functional as F
from pellucid import dtypes
from pellucid.autograd.modes import modes
from pellucid.core.definition.op import registry
from pellucid.errors import PellucidError
from pellucid.observe import slow_path
from tests.robustness.programs import builtin_classes, raised, tensors_for
from tests.samples.reader import Line, grouped, read, texts

assert torch.nn.functional
assert torch.optim
assert torch.utils.data


def state(tensors: dict[str, Any]) -> dict[str, Any]:
    """Return all of the tensors that a failing call could have changed."""
    return {
        name: (
            tensor._array.copy(), tensor._array.strides, tensor._version, tensor._grad,
            None if tensor._grad is None else tensor._grad._array.copy(),
            tensor.requires_grad, tensor.grad_fn, tensor.retains_grad,
        )
        for name, tensor in tensors.items()
    }  # fmt: skip


def global_state() -> tuple[Any, ...]:
    """Return modes and counters that a failing call could have left behind."""
    return (
        modes.grad_enabled, modes.inference, modes.scope, modes.saved_tensor_hooks,
        modes.forward_levels, modes.evaluating, modes.task, modes.depth, modes.before_change,
        len(slow_path.active), len(slow_path.scopes), dtypes.get_default_dtype(),
        tuple(np.geterr().items()),
    )  # fmt: skip


def unequal(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return [
        name
        for name in before
        if not all(
            np.array_equal(old, new, equal_nan=old.dtype.kind in "fc")
            if isinstance(old, np.ndarray)
            else old is new or (not isinstance(old, torch.Tensor) and old == new)
            for old, new in zip(before[name], after[name], strict=True)
        )
    ]


def calls_an_op(line: Line) -> bool:
    """Return whether a program is one call of a function that is an op, and not of Python's."""
    found = re.match(r"\w+\.(\w+?)_?\(", line.text)
    # these read sizes before they come to the op; a traceback of Python's tells the line
    apart = ("view", "expand", "permute")
    if found is None or found[1] in apart or ".backward(" in line.text:
        return False
    return found[1] in registry


def faults(line: Line) -> list[str]:
    """Return what is wrong with how a program fails."""
    tensors = tensors_for(torch, line.text)
    before, settings = state(tensors), global_state()
    error = raised(torch, line.text, tensors)
    if error is None:
        return ["nothing is raised"]
    found = []
    if line.error not in builtin_classes(error):
        found.append(f"raises {error!r}")
    if not str(error).startswith(line.opening):
        found.append(f"says {str(error)!r}, not {line.opening!r}")
    told = "\n  in " in str(error) or (isinstance(error, PellucidError) and calls_an_op(line))
    if told and "program.py:" not in str(error):
        found.append("does not name the user's line")
    if "\n" in line.text:  # what runs before the line that fails may change things
        return found
    if changed := unequal(before, state(tensors)):
        found.append(f"changes {changed}")
    if settings != global_state():
        found.append("leaves a mode or counter behind")
    return found


@pytest.mark.parametrize(
    "group", grouped(read("refused"), 100), ids=lambda group: group[0].text[:40]
)
def test_bad_input_is_refused_as_pytorch_does_and_leaves_everything_as_it_was(
    group: list[Line],
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert {each.text: wrong for each in group if (wrong := faults(each))} == {}


def test_what_runs_though_pytorch_refuses_it_is_listed_and_runs() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        failing = {
            each: raised(torch, each, tensors_for(torch, each)) for each in texts("accepted")
        }
    assert {each: error for each, error in failing.items() if error is not None} == {}


class Endless(tuple):
    """A tuple whose iterator never ends; PyTorch reads what it holds."""

    def __iter__(self):
        return itertools.repeat(1)


@pytest.mark.parametrize(
    "call",
    [
        lambda x, odd: torch.exp(odd), lambda x, odd: torch.mul(x, odd),
        lambda x, odd: torch.where(odd, x, x), lambda x, odd: torch.relu(odd),
        lambda x, odd: torch.permute(x, odd), lambda x, odd: torch.softmax(x, odd),
    ],
)  # fmt: skip
def test_an_endless_tuple_is_told_as_any_other(call):
    with pytest.raises((TypeError, RuntimeError)) as endless:
        call(torch.ones(2, 3), Endless((1,)))
    with pytest.raises(type(endless.value)):
        call(torch.ones(2, 3), (1,))


def test_an_endless_tuple_of_sizes_or_dims_has_the_items_that_it_holds():
    x = torch.arange(6.0).reshape(2, 3)
    assert x.sum(Endless((1,))).tolist() == [3, 12]
    assert x.reshape(Endless((3, 2))).shape == (3, 2)
    assert x[Endless((1, 2))].item() == 5
    assert torch.zeros(Endless((3, 2))).shape == torch.empty(Endless((3, 2))).shape == (3, 2)
    assert torch.full(Endless((3, 2)), 1.0).shape == x.new_zeros(Endless((3, 2))).shape == (3, 2)
    assert torch.cat(Endless((x, x))).shape == torch.stack(Endless((x, x))).flatten(0, 1).shape
    assert [each.shape for each in x.split(Endless((1, 2)), 1)] == [(2, 1), (2, 2)]


class EndlessList(list):
    """A list whose iterator never ends; PyTorch's functions in C++ read what it holds."""

    def __iter__(self):
        return itertools.repeat(1)


_SIZES_AND_DIMS = {
    "adaptive_avg_pool2d": lambda x, of: F.adaptive_avg_pool2d(x[None], of([1, 2])),
    "as_strided": lambda x, of: torch.as_strided(x, of([2, 2]), of([1, 1])),
    "avg_pool1d": lambda x, of: F.avg_pool1d(x, of([2])),
    "broadcast_to": lambda x, of: torch.broadcast_to(x, of([2, 2, 3])),
    "conv1d": lambda x, of: F.conv1d(x, torch.ones(1, 2, 1), stride=of([1])),
    "column_stack": lambda x, of: torch.column_stack(of([x, x])),
    "dstack": lambda x, of: torch.dstack(of([x, x])),
    "empty_strided": lambda x, of: torch.empty_strided(of([2, 3]), of([1, 2])).fill_(0),
    "expand": lambda x, of: x.expand(of([2, 2, 3])),
    "fftn": lambda x, of: torch.fft.fftn(x, of([2, 2]), of([0, 1])),
    "flip": lambda x, of: torch.flip(x, of([0])),
    "histogramdd": lambda x, of: torch.histogramdd(x, of([2, 3, 2])).hist,
    "hstack": lambda x, of: torch.hstack(of([x, x])),
    "index_put": lambda x, of: x.index_put(of([torch.tensor([1])]), torch.ones(3)),
    "layer_norm": lambda x, of: F.layer_norm(x, of([3])),
    "linalg.norm": lambda x, of: torch.linalg.norm(x, dim=of([0, 1])),
    "max_pool1d": lambda x, of: F.max_pool1d(x, of([2])),
    "movedim": lambda x, of: torch.movedim(x, of([0]), of([1])),
    "multi_dot": lambda x, of: torch.linalg.multi_dot(of([x, x.t()])),
    "normal": lambda x, of: torch.normal(0.0, 0.0, of([2, 3])),
    "pad": lambda x, of: F.pad(x, of([1, 1])),
    "permute": lambda x, of: torch.permute(x, of([1, 0])),
    "randint": lambda x, of: torch.randint(1, of([2, 3])),
    "reshape": lambda x, of: torch.reshape(x, of([3, 2])),
    "resize_": lambda x, of: x.clone().resize_(of([3])),
    "rms_norm": lambda x, of: F.rms_norm(x, of([3])),
    "roll": lambda x, of: torch.roll(x, of([0, 1]), of([0, 1])),
    "rot90": lambda x, of: torch.rot90(x, 1, of([0, 1])),
    "tensor_split": lambda x, of: torch.tensor_split(x, of([1, 2]), 1)[2],
    "tensordot": lambda x, of: torch.tensordot(x, x.t(), dims=(of([1]), of([0]))),
    "unflatten": lambda x, of: x.unflatten(1, of([3, 1])),
    "vstack": lambda x, of: torch.vstack(of([x, x])),
    "_foreach_add": lambda x, of: torch._foreach_add(of([x]), of([x]))[0],
}


@pytest.mark.parametrize("call", _SIZES_AND_DIMS.values(), ids=_SIZES_AND_DIMS)
def test_an_endless_list_is_read_by_what_it_holds(call):
    x = torch.arange(6.0).reshape(2, 3)
    found, expected = call(x, EndlessList), call(x, list)
    assert found.shape == expected.shape
    assert torch.equal(found, expected)


class WithoutEnd:
    """No list or tuple, and Python would find items in it for ever."""

    def __getitem__(self, place):
        return 1

    def __len__(self):
        return 2


@pytest.mark.parametrize(
    "call",
    [
        lambda x, odd: torch.cat(odd), lambda x, odd: torch.stack(odd),
        lambda x, odd: F.pad(x, odd), lambda x, odd: torch.randint(3, odd),
        lambda x, odd: torch.broadcast_to(x, odd), lambda x, odd: F.layer_norm(x, odd),
        lambda x, odd: torch.reshape(x, odd), lambda x, odd: torch.flip(x, odd),
        lambda x, odd: torch.normal(0.0, 1.0, odd), lambda x, odd: F.avg_pool1d(x, odd),
        lambda x, odd: x.resize_(odd), lambda x, odd: torch.as_strided(x, odd, odd),
    ],
)  # fmt: skip
def test_what_is_no_list_and_has_no_end_is_refused(call):
    with pytest.raises(TypeError, match="WithoutEnd"):
        call(torch.ones(2, 3), WithoutEnd())

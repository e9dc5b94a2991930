"""The faulty and the sound programs of pellucid's tests, run with PyTorch: the same is told."""

from __future__ import annotations

import importlib
import inspect
import itertools
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pellucid.inspect.pytorch import lines

pytest.importorskip("torch")

CHECKS = Path(__file__).parents[1] / "checks"
#: what stands in a test for pellucid, and what for PyTorch, on one line each
PYTORCHS = {
    "import pellucid as torch": "import torch",
    "from pellucid import nn": "from torch import nn",
    "from pellucid.nn import functional as F": "from torch.nn import functional as F",
    "from pellucid.utils.checkpoint import checkpoint": (
        "from torch.utils.checkpoint import checkpoint"
    ),
    "from pellucid.inspect import Finding, checking": (
        "from pellucid.inspect import Finding; from pellucid.inspect.pytorch import checking"
    ),
    "from pellucid.inspect import check": (
        "from pellucid.inspect import check; from pellucid.inspect.pytorch import checking"
    ),
    "from pellucid.inspect import checking": "from pellucid.inspect.pytorch import checking",
}
#: tests that PyTorch cannot pass, and why
EXCEPTIONS = {
    "test_clipping_before_backward-1": "clip_grad_value_ of no gradients raises there",
    "test_why_a_gradient_was_zero_is_known_after_the_pass": "PyTorch has no torch.inspect",
    "test_nan_in_the_data_is_told_from_nan_that_was_computed": "its linear is addmm, unlike ours",
    "test_calls_that_a_line_repeats_in_a_step_are_looked_at_64_times": "it listens to ours",
}


def of_pytorch(name: str) -> dict[str, Any]:
    """Return what a file of tests defines, with PyTorch in the place of pellucid."""
    path = CHECKS / f"{name}.py"
    text = path.read_text("utf-8").replace("torch.inspect.checking", "checking")
    program = [PYTORCHS.get(line, line) for line in text.splitlines()]
    module = ModuleType(f"tests.inspect.checks.{name}_of_pytorch")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # among these the variables of a program are looked for
    exec(compile("\n".join(program), str(path), "exec"), vars(module))
    return vars(module)


def cases_of(name: str) -> Iterator[Any]:
    """Yield the tests of a file, each with the arguments of one of its cases."""
    for title, function in of_pytorch(name).items():
        if not title.startswith("test_"):
            continue
        marks = [each for each in getattr(function, "pytestmark", ()) if each.name == "parametrize"]
        cases = [
            [dict(zip(_names(mark), _values(mark, each), strict=True)) for each in mark.args[1]]
            for mark in marks
        ]
        for number, given in enumerate(itertools.product(*cases)):
            label = f"{title}-{number}" if marks else title
            arguments = {key: value for each in given for key, value in each.items()}
            why = EXCEPTIONS.get(label)
            skipped = [] if why is None else [pytest.mark.skip(reason=why)]
            yield pytest.param(function, arguments, id=label, marks=skipped)


def _names(mark: Any) -> list[str]:
    names = mark.args[0]
    return [each.strip() for each in names.split(",")] if isinstance(names, str) else list(names)


def _values(mark: Any, given: Any) -> tuple[Any, ...]:
    return tuple(given) if len(_names(mark)) > 1 else (given,)


FILES = ("test_meaning", "test_faults", "test_growth", "test_usual_mistakes", "test_sampling")
#: `inspect.check` looks at what is there: lines are noted by whoever asks for them
WITH_LINES = ("test_moment",)
CASES = [
    pytest.param(block, *each.values, id=each.id, marks=each.marks)
    for names, block in ((FILES, nullcontext), (WITH_LINES, lines))
    for name in names
    for each in cases_of(name)
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("block", "test", "arguments"), CASES)
def test_a_fault_is_told_as_on_pellucid(
    block: Callable[[], Any], test: Callable[..., None], arguments: dict[str, Any],
    request: pytest.FixtureRequest,
) -> None:  # fmt: skip
    wanted = [each for each in inspect.signature(test).parameters if each not in arguments]
    given = {each: request.getfixturevalue(each) for each in wanted}
    with block():
        test(**arguments, **given)


SOUND = of_pytorch("healthy")["PROGRAMS"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SOUND)
def test_a_sound_program_has_no_findings(name: str) -> None:
    checking = importlib.import_module("pellucid.inspect.pytorch").checking
    with checking() as findings:
        SOUND[name]()
    assert len(findings) == 0, str(findings)


@pytest.mark.filterwarnings("ignore")
def test_no_check_fails_where_tensors_have_no_values() -> None:
    torch: Any = importlib.import_module("torch")
    nn = torch.nn
    layers = nn.Embedding(9, 8), nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 4)
    net = nn.Sequential(*layers).to("meta")
    optimizer = torch.optim.Adam(net.parameters())
    words = torch.arange(8, device="meta")
    with importlib.import_module("pellucid.inspect.pytorch").checking() as findings:
        for _ in range(20):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(words), words % 4).backward()
            optimizer.step()
    assert len(findings) == 0, str(findings)


def test_the_operation_that_gives_the_loss_is_named_where_no_other_is_known() -> None:
    torch: Any = importlib.import_module("torch")
    checking = importlib.import_module("pellucid.inspect.pytorch").checking
    out = torch.nn.Linear(4, 3)(torch.zeros(0, 4))
    with checking() as findings:
        loss = (out**2).mean()
        loss.backward()
    (finding,) = findings
    assert finding.text == "loss = (out**2).mean()"
    assert finding.why.startswith("mean, or an operation before it whose result is not known, ")


@pytest.mark.filterwarnings("ignore")
def test_nan_in_the_data_is_not_said_to_be_made_by_what_is_given_it() -> None:
    torch: Any = importlib.import_module("torch")
    x = torch.ones(3, 4)
    x[0, 0] = float("nan")
    with importlib.import_module("pellucid.inspect.pytorch").checking() as findings:
        torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU())(x).sum().backward()
    (finding,) = findings
    assert finding.what == "the loss is nan"
    assert "or an operation before it whose result is not known, made the first nan" in finding.why

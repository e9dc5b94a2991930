"""PyTorch raises what the samples of bad input say: the class, and how its text opens."""

from __future__ import annotations

import warnings

import pytest

from tests.robustness.programs import builtin_classes, raised, tensors_for
from tests.samples.reader import Line, grouped, read, texts

torch = pytest.importorskip("torch")


def faults(line: Line) -> list[str]:
    """Return in what PyTorch differs from the line; its class may be a base of ours."""
    error = raised(torch, line.text, tensors_for(torch, line.text))
    if error is None:
        return ["nothing is raised"]
    found = []
    if line.error not in builtin_classes(error):
        found.append(f"raises {error!r}")
    if not str(error).startswith(line.opening):
        found.append(f"says {str(error)!r}, not {line.opening!r}")
    return found


@pytest.mark.parametrize("group", grouped(read("refused")), ids=lambda group: group[0].text[:40])
def test_pytorch_refuses_bad_input_as_the_samples_say(group: list[Line]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert {each.text: wrong for each in group if (wrong := faults(each))} == {}


def test_pytorch_refuses_what_the_list_says_that_runs_here() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [
            each
            for each in texts("accepted")
            if raised(torch, each, tensors_for(torch, each)) is None
        ] == []

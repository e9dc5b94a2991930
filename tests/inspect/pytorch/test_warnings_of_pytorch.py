"""PyTorch's warnings point at the user's line, once, and say what to do."""

from __future__ import annotations

import importlib
import sys
import warnings
from typing import Any

import pytest

from pellucid.inspect import pytorch

torch: Any = pytest.importorskip("torch")
functional = torch.nn.functional


def broadcasting() -> Any:
    return torch.nn.MSELoss()(torch.ones(3, 1), torch.ones(3))


def line_of(function: Any) -> int:
    return function.__code__.co_firstlineno + 1


def test_a_warning_is_given_at_the_users_line_with_the_remedy() -> None:
    with warnings.catch_warnings(record=True) as caught, pytorch.lines():
        warnings.simplefilter("default")
        broadcasting()
    (warning,) = caught
    assert (warning.filename, warning.lineno) == (__file__, line_of(broadcasting))
    told = str(warning.message)
    assert told.startswith("Using a target size (torch.Size([3])) that is different to the input")
    assert "at test_warnings_of_pytorch.py:" in told
    assert "loss(output.squeeze(-1), target)" in told


def test_it_is_given_once_for_each_line_where_that_is_asked_for() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        with pytorch.lines():
            for _ in range(3):
                functional.softmax(torch.ones(2))
            functional.softmax(torch.ones(2))
    assert len(caught) == 2
    assert len({each.lineno for each in caught}) == 2


def test_a_filter_of_the_program_that_makes_errors_of_warnings_does_so() -> None:
    with warnings.catch_warnings(), pytorch.lines():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="Using a target size"):
            broadcasting()


@pytest.mark.parametrize("module", ["", r"torch\.nn\.modules\.loss", __name__.replace(".", r"\.")])
def test_a_filter_of_the_program_that_ignores_a_warning_does_so(module: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", module=module)
        with pytorch.lines():
            broadcasting()
    assert caught == []


def test_warnings_inside_the_programs_own_block_are_at_its_line() -> None:
    with pytorch.lines(), pytest.warns(UserWarning, match="Implicit dimension") as caught:
        functional.softmax(torch.ones(2))
    assert [each.filename for each in caught] == [__file__]


def test_all_is_put_back() -> None:
    before = list(warnings.filters), vars(warnings)["_showwarnmsg"]
    with pytorch.lines():
        broadcasting_is_told = vars(warnings)["_showwarnmsg"] is not before[1]
    assert broadcasting_is_told
    assert (list(warnings.filters), vars(warnings)["_showwarnmsg"]) == before
    assert importlib.import_module("pellucid.inspect.pytorch.warned") in sys.modules.values()

"""NaN, infinity and zero give what they give in PyTorch, in values and gradients."""

from __future__ import annotations

import pytest

import pellucid
from tests.parity.known_differences import ON_PURPOSE
from tests.parity.side_by_side import differences, evaluate
from tests.robustness.test_special_values import FILLINGS, filled
from tests.samples.operands import operands
from tests.samples.reader import grouped, texts

torch = pytest.importorskip("torch")

#: functions with other special numbers than PyTorch's at poles and where infinities meet
APART = (
    "logit(", "prod(", "digamma(", "lgamma(", "acosh(", "amax'", "amin'", "'prod'", "norm(",
    "logsumexp(", "sinc(", "h ** 1.5",
    # twice the largest number of half precision is infinite there, and not in single
    "h ** 2", "square(h)",
)  # fmt: skip
PROGRAMS = [
    each
    for each in texts("expressions/combinations")
    if each not in ON_PURPOSE
    and not any(part in each for part in APART)
    and not each.startswith("z")
    and not any(part in each for part in ("(z", "1j", ", y)"))
]
GROUPS = grouped(PROGRAMS, 100)


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group[0])
@pytest.mark.parametrize("filling", FILLINGS)
def test_special_values_give_what_pytorch_gives(filling: str, group: list[str]) -> None:
    arrays = filled(operands(), FILLINGS[filling])
    found = {}
    for program in group:
        ours, theirs = (evaluate(lib, program, arrays, orders=1) for lib in (pellucid, torch))
        wrong = differences(ours, theirs, rtol=1e-4)
        if wrong:
            found[program] = wrong
    assert found == {}

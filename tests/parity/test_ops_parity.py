"""Every sample gives what PyTorch gives: values, shapes, dtypes, gradients twice, errors."""

from __future__ import annotations

import pytest

import pellucid
from tests.parity.known_differences import ON_PURPOSE
from tests.parity.side_by_side import differences, evaluate
from tests.samples.operands import operands
from tests.samples.reader import FOLDER, texts
from tests.samples.running import used

torch = pytest.importorskip("torch")

#: absolute tolerances of families in which small numbers are differences of large ones
ATOL = {"linalg": 1e-7, "special": 1e-8}
#: families whose results agree in single precision as they do in double
EXACT = ("fft", "linalg", "special")
DETAILS = [
    pytest.param(text, path.stem, id=text)
    for path in sorted((FOLDER / "details").glob("*.txt"))
    for text in texts(f"details/{path.stem}")
]


def difference(expression: str, family: str = "") -> list[str]:
    """Return in what an expression gives something else than in PyTorch."""
    narrow = family not in EXACT and any(
        array.dtype in ("float32", "float16") for array in used(expression, operands()).values()
    )
    ours, theirs = evaluate(pellucid, expression), evaluate(torch, expression)
    return differences(ours, theirs, rtol=1e-4 if narrow else 1e-6, atol=ATOL.get(family, 1e-9))


@pytest.mark.parametrize("expression", texts("expressions"))
def test_expression_gives_what_pytorch_gives(expression: str) -> None:
    if expression in ON_PURPOSE:
        pytest.skip(ON_PURPOSE[expression])
    assert difference(expression) == []


@pytest.mark.parametrize("expression", ON_PURPOSE)
def test_what_differs_on_purpose_does_differ(expression: str) -> None:
    assert difference(expression) != []


@pytest.mark.filterwarnings("ignore:index_reduce")
@pytest.mark.parametrize(("expression", "family"), DETAILS)
def test_detail_is_what_pytorch_gives(expression: str, family: str) -> None:
    assert difference(expression, family) == []

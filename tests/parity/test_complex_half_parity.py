"""Tensors of complex32 print, convert, compute and derive what PyTorch's do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
import pellucid  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:ComplexHalf support", "ignore:Casting complex")

CALLS = Path(__file__).with_name("complex_half_calls.txt").read_text().splitlines()


def operands(t: Any) -> dict[str, Any]:
    """Return what the calls name: complex numbers and real ones, both of half precision."""
    t.manual_seed(0)
    x = t.tensor([1.25 + 4j, -7.0 + 6.0j, 0.1 - 0.3j], dtype=t.chalf)
    return {"t": t, "x": x, "h": t.tensor([1.0, 2, 3], dtype=t.half)}


@pytest.mark.parametrize("call", CALLS)
def test_a_call_prints_what_pytorchs_prints(call: str) -> None:
    mine, theirs = (repr(eval(call, operands(library))) for library in (pellucid, torch))
    assert mine.replace("pellucid.", "torch.") == theirs

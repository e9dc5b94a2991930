"""``torch.func``: what its functions give and refuse, next to PyTorch, program by program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid
from tests.samples.running import builtin_class

torch = pytest.importorskip("torch")

_BLOCKS = Path(__file__).with_name("func_programs.txt").read_text().strip().split("\n\n")
PROGRAMS = [block for block in _BLOCKS if not block.startswith("#")]

pytestmark = pytest.mark.filterwarnings("ignore")


def outcome(library: Any, program: str) -> Any:
    """Return what a program's last line gives, or the class and first sentence of its error."""
    *before, last = program.split("\n")
    body = [*before, last if last.startswith("return") else f"return {last}"]
    names: dict[str, Any] = {"t": library, "F": library.func, "vmap": library.vmap}
    exec("def program():\n" + "\n".join(f"    {line}" for line in body), names)
    library.manual_seed(0)
    try:
        return described(names["program"]())
    except Exception as error:  # noqa: BLE001 - which one it is gets compared
        sentence = str(error).split("\n")[0].split(". ")[0].strip().rstrip(".")
        return builtin_class(error).__name__, sentence


def described(value: Any) -> Any:
    """Return a result in terms that both libraries share, values rounded."""
    if isinstance(value, dict):
        return {key: described(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [described(each) for each in value]
    if not hasattr(value, "detach"):
        return value if isinstance(value, bool | int | float | str | None) else type(value).__name__
    array = np.asarray(value.detach().resolve_conj().numpy())
    rounded = np.round(array, 4) + 0 if array.dtype.kind in "fc" else array
    return str(value.dtype), tuple(value.shape), str(rounded.tolist()), value.requires_grad


@pytest.mark.parametrize("program", PROGRAMS)
def test_program_gives_and_refuses_what_it_does_in_pytorch(program):
    assert outcome(pellucid, program) == outcome(torch, program)

"""Generators have nothing to write: what is made from declarations is up to date.

When an op, a name or a derivative is added or changed, these say in two seconds what to run.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import pellucid.ops.nn.all_operations
import pellucid.sparse  # noqa: F401 - declares the names
from pellucid.core.definition.public import LISTS, METHODS, public_names
from tests.samples.names import calls, documented
from tests.samples.references import REFERENCES

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"

#: ops without such a sample, and what compares them with a definition
COMPARED_ELSEWHERE = {"linalg_ldl_solve": "tests/ops/linalg"}


def generator(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def refuse_a_difference(page: str, made: str, command: str) -> None:
    """Fail with the command, and with the first line that differs."""
    written = (DOCS / page).read_text("utf-8").splitlines()
    for number, (old, new) in enumerate(zip([*written, ""], made.splitlines(), strict=False), 1):
        if old != new:
            pytest.fail(f"run: {command}\ndocs/{page}:{number}\n- {old}\n+ {new}", pytrace=False)
    assert len(written) == len(made.splitlines()), f"run: {command}"


def test_the_page_of_operations_is_written() -> None:
    """What the page says of a name that it has was measured; see `tests/ops/test_every_name.py`."""
    made = generator("generate_operations").page(
        lambda place, name: documented().get((place, name), ("new",))
    )
    refuse_a_difference("operations.md", made, "make generate")


def test_the_page_of_derivatives_is_written() -> None:
    made = generator("generate_derivatives").page()
    refuse_a_difference("derivatives.md", made, "make generate")


def test_the_stubs_are_written() -> None:
    run = subprocess.run(
        [sys.executable, "docs/generate_stubs.py", "--check"],
        cwd=REPOSITORY, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(REPOSITORY / "src"), "OMP_NUM_THREADS": "1", "PATH": ""},
    )  # fmt: skip
    assert run.returncode == 0, f"run: make generate\n{run.stdout}{run.stderr}"


def test_every_public_op_has_a_sample_with_a_definition() -> None:
    """A line of `tests/samples/calls`, or where PyTorch has no such name a row of `REFERENCES`."""
    names: dict[str, list[tuple[str, str]]] = {}
    for place, entries in public_names.items():
        where = "torch.Tensor" if place == METHODS else f"torch.{place}".rstrip(".")
        for name, entry in entries.items():
            op = getattr(entry.declaration.function, "op", None)
            if op is not None and place != LISTS and op.body.__module__.startswith("pellucid.ops"):
                names.setdefault(op.name, []).append((where, name))
    without = [
        name
        for name, known in names.items()
        if name not in {*REFERENCES, *COMPARED_ELSEWHERE} and not calls().keys() & set(known)
    ]
    assert without == [], (
        f"{', '.join(without)}: add a line such as `torch.exp(X) ~ np.exp(X) for X in a e` to "
        "tests/samples/calls, or what it computes to tests/samples/references.py"
    )

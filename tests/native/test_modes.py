"""A mode that the compiled module does not know as harmless sends a backward pass to Python."""

from __future__ import annotations

import subprocess
import sys

import pytest

import pellucid as torch
from pellucid import _native
from pellucid.autograd.modes import HARMLESS_MODES, Modes, modes

pytestmark = pytest.mark.skipif(_native.compiled is None, reason="there is no compiled module")

OTHERS = sorted(set(Modes.__annotations__) - set(HARMLESS_MODES))


def runs_compiled(loss: torch.Tensor | None = None) -> bool:
    """Return whether the compiled module takes a whole pass."""
    assert _native.compiled is not None
    return _native.compiled.backward(a_loss() if loss is None else loss, None, None)


def a_loss() -> torch.Tensor:
    return (torch.ones(2, requires_grad=True) * 2).sum()


def test_harmless_modes_are_modes():
    assert set(HARMLESS_MODES) < set(Modes.__annotations__)


def test_usual_modes_run_compiled():
    with torch.no_grad(), torch.enable_grad():
        assert runs_compiled()


@pytest.mark.parametrize("name", OTHERS)
def test_a_mode_with_another_value_is_left_to_python(name: str, monkeypatch: pytest.MonkeyPatch):
    loss = a_loss()  # ops may ask for the mode: what is tested is the pass
    with monkeypatch.context() as patch:
        patch.setattr(modes, name, object())
        assert not runs_compiled(loss)
    setattr(modes, name, getattr(Modes, name))
    assert runs_compiled()


def test_a_mode_that_nobody_knows_is_left_to_python(monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as patch:
        patch.setattr(modes, "of_tomorrow", None, raising=False)
        assert not runs_compiled()
    assert runs_compiled()


@pytest.mark.parametrize(
    ("given", "told"), [("{}", "set_up() lacks column_blocks"), ("{**all, 'new': 1}", "new")]
)
def test_what_python_passes_is_what_the_module_takes(given: str, told: str):
    program = f"""
import types
from pellucid.core.call import compiled
set_up, caught = compiled.compiled.set_up, []
compiled.compiled = types.SimpleNamespace(set_up=caught.append)
compiled.set_up()
all = caught[0]
set_up({given})
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1
    assert "KeyError" in done.stderr
    assert told in done.stderr.splitlines()[-1]


#: by the error, a program that declares something which the other side does not know
UNLISTED = {
    "Node.colour is a slot that objects/from_python.hpp lacks": """
import pellucid
from pellucid.core.call import compiled
class Coloured(pellucid.autograd.node.Node):
    __slots__ = ("colour",)
Coloured.__name__ = "Node"
compiled.Node = Coloured
""",
    "HARMLESS_MODES lacks scope": """
import pellucid
from pellucid.core.call import compiled
compiled.HARMLESS_MODES = ("grad_enabled", "module_names", "overriding")
""",
    "set_up() does not take another": """
import pellucid
from pellucid.core.call import compiled
given = compiled.compiled
class Module:
    def set_up(self, objects):
        given.set_up(objects | {"another": None})
compiled.compiled = Module()
""",
    "set_up() lacks meta_class": """
import pellucid
from pellucid.core.call import compiled
given = compiled.compiled
class Module:
    def set_up(self, objects):
        given.set_up({name: each for name, each in objects.items() if name != "meta_class"})
compiled.compiled = Module()
""",
}


@pytest.mark.parametrize("error", UNLISTED)
def test_what_the_module_and_python_do_not_both_know_is_an_error_when_it_is_loaded(error: str):
    ran = subprocess.run(
        [sys.executable, "-c", f"{UNLISTED[error]}\ncompiled.set_up()"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 1
    assert error in ran.stderr.splitlines()[-1]

"""Sites in notebooks: the cell that made a node, though it has been run again since."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType
from typing import Any

import pytest

import pellucid as torch
from pellucid.autograd import sites
from pellucid.autograd.cells import Cells
from pellucid.autograd.node import sequence
from pellucid.autograd.sites import Site

MARIMO = "/tmp/marimo_2713/__marimo__cell_Hbol_.py"


@pytest.fixture
def cells(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cells]:
    """Return cells in place of those that the library has noted."""
    fresh = Cells()
    for module in (sites, __import__("pellucid.autograd.node", fromlist=["cells"])):
        monkeypatch.setattr(module, "cells", fresh)
    return fresh


class Notebook:
    """A notebook that names the code of a cell after its text, as Jupyter does."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self.names: dict[str, Any] = {"torch": torch}
        self.count = 0

    def run(self, text: str) -> None:
        self.count += 1
        file = f"/tmp/ipykernel_1/{hash(text)}.py"
        self.cells.begin(file, self.count, next(sequence))
        exec(compile(text, file, "exec"), self.names)

    def site(self, name: str) -> str:
        return str(self.names[name].grad_fn.site)


def test_a_site_names_the_cell_and_the_line(cells: Cells) -> None:
    notebook = Notebook(cells)
    notebook.run("x = torch.ones(2, requires_grad=True)")
    notebook.run("# twice\ny = x * 2")
    assert notebook.site("y") == "Cell In[2], line 2"


def test_a_cell_that_is_run_again_is_told_apart_from_its_first_run(cells: Cells) -> None:
    notebook = Notebook(cells)
    notebook.run("x = torch.ones(2, requires_grad=True)")
    notebook.run("y = x * 2")
    notebook.run("before = y")
    notebook.run("y = x * 2")
    assert notebook.site("before") == "Cell In[2], line 1"
    assert notebook.site("y") == "Cell In[4], line 1"


def test_a_function_is_named_by_the_cell_that_defines_it(cells: Cells) -> None:
    notebook = Notebook(cells)
    notebook.run("def double(x):\n    return x * 2")
    notebook.run("y = double(torch.ones(2, requires_grad=True))")
    assert notebook.site("y") == "Cell In[1], line 2"


def test_a_site_that_is_not_a_nodes_belongs_to_the_run_in_which_it_was_made(cells: Cells) -> None:
    code = compile("x = 1", "/tmp/ipykernel_1/77.py", "exec")
    cells.begin(code.co_filename, 1, 0)
    first = Site(code, 0)
    cells.begin(code.co_filename, 2, 0)
    assert (str(first), str(Site(code, 0))) == ("Cell In[1], line 1", "Cell In[2], line 1")


def test_errors_name_cells(cells: Cells) -> None:
    notebook = Notebook(cells)
    notebook.run("x = torch.ones(2, requires_grad=True)")
    notebook.run("loss = x.exp().sum()")
    notebook.run("loss.backward()")
    with pytest.raises(RuntimeError) as raised:
        notebook.run("loss.backward()")
    for place in ("Cell In[2], line 1", "Cell In[3], line 1", "Cell In[4], line 1"):
        assert place in str(raised.value)


def test_a_cell_that_ran_before_the_library_came_is_named_by_the_shell(cells: Cells) -> None:
    class Compiler:
        def format_code_name(self, name: str) -> tuple[str, str] | None:
            return ("Cell", "In[1]") if name == "<cell>" else None

    class Shell:
        compile = Compiler()

    cells.shell = Shell()
    assert str(Site(code_of("<cell>"), 0)) == "Cell In[1], line 1"
    assert str(Site(code_of("lib.py"), 0)) == "lib.py:1"


def test_cells_of_marimo_are_named_by_their_names(cells: Cells) -> None:
    assert str(Site(code_of(MARIMO), 0)) == "marimo cell Hbol, line 1"


def test_outside_of_notebooks_nothing_is_noted(cells: Cells) -> None:
    y = torch.ones(2, requires_grad=True) * 2
    assert str(y.grad_fn.site).startswith("test_cells.py:")
    assert (cells.count, cells.run_of(10**9)) == (0, 0)


def code_of(filename: str) -> CodeType:
    return compile("x = 1", filename, "exec")

"""A real notebook, run by Jupyter's kernel: sites, completion, help, pictures and progress bars."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import run_pages

CELLS = {
    "start": "import pellucid as torch\nx = torch.ones(2, requires_grad=True)",
    "first": "y = x.exp()\nloss = y.sum()",
    "keep": "before = loss",
    "second": "y = x.exp()\nloss = y.sum()",
    "sites": "print(before.grad_fn.site, '|', loss.grad_fn.site)",
    "error": "loss.backward()\nloss.backward()",
    "why the error": "%why",
    "why as a function": "torch.explain()",
    "why a gradient": "w = torch.ones(2, requires_grad=True)\ncopy = w.detach() * x\n"
    "cost = copy.sum()\n%why w, cost",
    "why nan": "odd = (x - 2).log().sum()\n%why odd",
    "why nothing": "%why 3",
    "shape": "torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(4, 1))(torch.ones(1, 2))",
    "modules": "late = {'nn', 'optim', 'func', 'inspect', 'linalg', 'utils', 'cuda', 'amp'}\n"
    "print(late - set(dir(torch)))",
    "completion": "from IPython.core.completer import provisionalcompleter\n"
    "with provisionalcompleter():\n"
    "    print([each.text for each in get_ipython().Completer.completions('torch.ins', 9)])",
    "help": "print(get_ipython().object_inspect_mime('torch.exp')['text/plain'])",
    "source": "print(get_ipython().object_inspect_mime('torch.exp', detail_level=1)['text/plain'])",
    "graph": "torch.inspect.graph(before)",
    "page": "import tempfile, pathlib\nfile = pathlib.Path(tempfile.mkdtemp(), 'graph.html')\n"
    "torch.inspect.graph(loss).html(file)\nprint('Cell In[' in file.read_text(), 'y = x.exp()'"
    " in file.read_text())",
    "tensor": "torch.arange(6.0).reshape(2, 3)",
    "module": "torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU())",
    "progress": "from tqdm.auto import tqdm\n"
    "for step in tqdm(range(3), ascii=True):\n    (x * x).sum().backward()",
}


#: a page of the site that can be downloaded as a notebook
PAGE = Path(__file__).resolve().parents[2] / "docs" / "learn" / "what-backward-frees.md"


@pytest.fixture(scope="module")
def outputs() -> dict[str, list[Any]]:
    """Return what each cell has put out, after one run of all, and then the cells of a page."""
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    from nbformat import reads, v4

    page = [each for each in reads(run_pages.notebook(PAGE), 4).cells if each.cell_type == "code"]
    notebook = v4.new_notebook(cells=[v4.new_code_cell(text) for text in CELLS.values()] + page)
    client = nbclient.NotebookClient(notebook, kernel_name="python3", timeout=60, allow_errors=True)
    client.execute()
    found = {name: cell.outputs for name, cell in zip(CELLS, notebook.cells, strict=False)}
    return {**found, "page to learn from": [each for cell in page for each in cell.outputs]}


def text(outputs: list[Any]) -> str:
    """Return all text of the outputs of a cell."""
    parts = []
    for output in outputs:
        data = output.get("data", {})
        parts += [output.get("text", ""), data.get("text/plain", "")]
        parts += output.get("traceback", [])
    return "".join(parts)  # a stream may come in pieces


def html(outputs: list[Any]) -> str:
    return outputs[-1]["data"]["text/html"]


def test_a_site_names_the_cell_though_it_was_run_again(outputs: dict[str, list[Any]]) -> None:
    assert text(outputs["sites"]).strip() == "Cell In[2], line 2 | Cell In[4], line 2"


def test_an_error_names_the_cells_that_it_is_about(outputs: dict[str, list[Any]]) -> None:
    said = text(outputs["error"])
    assert "Trying to backward through the graph a second time" in said
    assert "Cell In[6], line 1" in said
    assert "Cell In[4], line" in said


@pytest.mark.parametrize("asked", ["why the error", "why as a function"])
def test_the_error_that_was_shown_last_is_explained(
    outputs: dict[str, list[Any]], asked: str
) -> None:
    said = text(outputs[asked])
    assert said.startswith("FreedGraphError: Trying to backward through the graph a second time")
    assert re.search(r"raised at +Cell In\[6\], line 2 +loss\.backward\(\)", said)


def test_a_magic_answers_why_of_tensors(outputs: dict[str, list[Any]]) -> None:
    cut = text(outputs["why a gradient"])
    assert "w has no path to cost" in cut
    assert re.search(r"cut +Cell In\[9\], line 2 +copy = w\.detach\(\) \* x", cut)
    odd = text(outputs["why nan"])
    assert odd.startswith("odd is nan. The first operation that gave something not finite is log:")
    assert "Cell In[10], line 1" in odd
    assert "why() takes a tensor or an exception, not int" in text(outputs["why nothing"])


def test_an_error_of_a_layer_has_ten_lines_at_most(outputs: dict[str, list[Any]]) -> None:
    said = text(outputs["shape"])
    assert "in layer 1 (Linear(in_features=4" in said
    assert len(said.splitlines()) <= 10


def test_all_that_is_loaded_late_is_offered(outputs: dict[str, list[Any]]) -> None:
    assert text(outputs["modules"]).strip() == "set()"
    assert "inspect" in text(outputs["completion"])


@pytest.mark.parametrize("asked", ["help", "source"])
def test_help_shows_the_definition_and_its_derivatives(
    outputs: dict[str, list[Any]], asked: str
) -> None:
    shown = re.sub(r"\x1b\[[0-9;]*m", "", text(outputs[asked]))
    for line in ("def exp(be, input, /):", '@exp.partial("input")', "return out"):
        assert line in shown


def test_a_page_that_is_written_from_a_notebook_has_the_source_of_its_cells(
    outputs: dict[str, list[Any]],
) -> None:
    assert text(outputs["page"]).strip() == "True True"


def test_a_page_to_learn_from_runs_as_a_notebook(outputs: dict[str, list[Any]]) -> None:
    found = outputs["page to learn from"]
    assert [each for each in found if each.output_type == "error"] == []
    assert "freed by backward" in text(found)
    drawings = [each for each in found if "text/html" in each.get("data", {})]
    assert len(drawings) == 2


def test_a_progress_bar_moves(outputs: dict[str, list[Any]]) -> None:
    assert "3/3" in text(outputs["progress"])


def test_a_graph_is_shown_as_a_drawing(outputs: dict[str, list[Any]]) -> None:
    assert html(outputs["graph"]).startswith("<svg ")
    assert "Cell In[2], line 2" in html(outputs["graph"])


def test_a_tensor_is_shown_with_its_values(outputs: dict[str, list[Any]]) -> None:
    assert "<td>5.</td>" in html(outputs["tensor"])


def test_a_module_is_shown_as_a_table_of_its_layers(outputs: dict[str, list[Any]]) -> None:
    assert "Linear" in html(outputs["module"])
    assert "8 parameters" in html(outputs["module"])


@pytest.mark.parametrize("page", sorted(PAGE.parent.glob("[!i]*.md")), ids=lambda page: page.stem)
def test_a_notebook_has_no_empty_cell_and_no_link_that_is_dead_outside_of_the_site(
    page: Path,
) -> None:
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    cells = nbformat.reads(run_pages.notebook(page), 4).cells
    texts = [each.source for each in cells if each.cell_type == "markdown"]
    assert all(each.source.strip() for each in cells)
    assert texts[0].startswith("# ")
    assert "pip install ." in texts[1]
    assert [
        found for each in texts for found in re.findall(r"(?<!!)\]\((?!http)[^)]*\)", each)
    ] == []
    assert all(each.count("<details>") == each.count("</details>") for each in texts)
    assert not any("to play -->" in each for each in texts)

"""Editors show help where people type: hover, completion and the way to the definition."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.samples.duration import takes_long

#: a language server reads the library's files first
pytestmark = takes_long

SOURCE = Path(__file__).resolve().parents[2] / "src"
NAMED = {
    "torch.": """
        abs acos add allclose amax arange argmax argsort baddbmm bmm cat cdist chunk clamp cross
        cumsum diag diff einsum exp expm1 eye flip full gather index_select kthvalue linspace log
        log1p logsumexp masked_select matmul max maximum mean meshgrid mul norm ones outer permute
        pow prod rand randn roll softmax sort split sqrt stack std sum tanh tensordot tile topk
        tril unique var where zeros
    """,
    "x.": """
        abs backward cumsum detach exp gather log masked_fill mean retain_grad sort sum topk
        unsqueeze
    """,
    "torch.linalg.": """
        inv norm solve svd
    """,
    "torch.nn.functional.": """
        conv2d cross_entropy relu softmax
    """,
    "torch.fft.": """
        fft
    """,
    "torch.special.": """
        xlogy
    """,
    "torch.nn.": """
        BatchNorm2d Conv2d CrossEntropyLoss Dropout Embedding GELU LSTM LayerNorm Linear MSELoss
        MultiheadAttention ReLU
    """,
    "torch.optim.": """
        ASGD Adagrad Adam AdamW Muon NAdam RAdam RMSprop Rprop SGD lr_scheduler.StepLR
        lr_scheduler.CosineAnnealingLR lr_scheduler.ExponentialLR
    """,
}
NAMES = [f"{place}{name}" for place, names in NAMED.items() for name in names.split()]
PROGRAM = "\n".join(["import pellucid as torch", "x = torch.ones(2, 3)", *NAMES, "torch.cros", ""])


def at_end_of(name: str) -> tuple[int, int]:
    """Return line and column, from 0 on, of the last letter of a name in the program."""
    line = PROGRAM.splitlines().index(name)
    return line, len(name) - 1


def lacking(name: str, text: str) -> list[str]:
    """Return which parts of the help for a name are not in a text."""
    said = text.replace("\u00a0", " ").replace("&nbsp;", " ")
    parts = {"summary": len(said.split()) > 8, "example": ">>>" in said}
    takes = name not in ("x.detach", "x.retain_grad", "torch.nn.ReLU", "torch.nn.GELU")
    if takes:
        parts["arguments"] = "Args:" in said
    return [f"{name}: {part}" for part, there in parts.items() if not there]


class LanguageServer:
    """pyright's language server, asked about one program."""

    def __init__(self, folder: Path) -> None:
        program = "import sys; from pyright.langserver import main; sys.exit(main('--stdio'))"
        self.server = subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.count = 0
        self.file = folder / "program.py"
        self.file.write_text(PROGRAM)
        settings = {"extraPaths": [str(SOURCE)], "pythonVersion": "3.11"}
        (folder / "pyrightconfig.json").write_text(json.dumps(settings))
        uri = folder.as_uri()
        folders = [{"uri": uri, "name": "it"}]
        self.ask(
            "initialize", processId=None, rootUri=uri, capabilities={}, workspaceFolders=folders
        )
        self.tell("initialized")
        document = {
            "uri": self.file.as_uri(), "languageId": "python", "version": 1, "text": PROGRAM,
        }  # fmt: skip
        self.tell("textDocument/didOpen", textDocument=document)

    def send(self, **message: Any) -> None:
        text = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.server.stdin is not None
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(text), text))
        self.server.stdin.flush()

    def tell(self, method: str, **params: Any) -> None:
        self.send(method=method, params=params)

    def ask(self, method: str, **params: Any) -> Any:
        """Return the answer to a request; requests of the server are answered with nothing."""
        self.count += 1
        asked = self.count
        self.send(id=asked, method=method, params=params)
        while True:
            message = self.read()
            if "method" in message and "id" in message:
                items = message["params"].get("items") if message.get("params") else None
                self.send(id=message["id"], result=[None] * len(items) if items else None)
            elif message.get("id") == asked:
                return message["result"]

    def read(self) -> dict[str, Any]:
        assert self.server.stdout is not None
        size = 0
        while (line := self.server.stdout.readline().strip()) != b"":
            if line.lower().startswith(b"content-length:"):
                size = int(line.partition(b":")[2])
        return json.loads(self.server.stdout.read(size))

    def about(self, what: str, name: str, after: int = 0) -> Any:
        """Ask about a name of the program: ``hover``, ``definition`` or ``completion``."""
        line, column = at_end_of(name)
        return self.ask(
            f"textDocument/{what}",
            textDocument={"uri": self.file.as_uri()},
            position={"line": line, "character": column + after},
        )

    def hover(self, name: str) -> str:
        contents = (self.about("hover", name) or {"contents": ""})["contents"]
        return contents if isinstance(contents, str) else contents["value"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LanguageServer]:
    pytest.importorskip("pyright", reason="pyright comes with the dev extra")
    started = LanguageServer(tmp_path_factory.mktemp("editor"))
    yield started
    started.server.kill()
    started.server.communicate()


@pytest.fixture(scope="module")
def script() -> Any:
    jedi = pytest.importorskip("jedi", reason="jedi comes with IPython")
    return jedi.Script(PROGRAM, project=jedi.Project(SOURCE, added_sys_path=[str(SOURCE)]))


def test_there_are_a_hundred_names() -> None:
    assert len(NAMES) >= 100


def test_hovering_shows_summary_arguments_and_example(server: LanguageServer) -> None:
    assert [part for name in NAMES for part in lacking(name, server.hover(name))] == []


def test_hovering_shows_no_private_name(server: LanguageServer) -> None:
    shown = {name: server.hover(name).partition("\n---\n")[0] for name in NAMES}
    assert [name for name, text in shown.items() if "_Ints" in text or "_Number" in text] == []


def test_hovering_says_in_which_file_an_op_is_defined(server: LanguageServer) -> None:
    assert "pellucid/ops/shape/join.py" in server.hover("torch.cat")
    assert "pellucid/ops/elementwise" in server.hover("x.exp")


def test_completion_offers_names_of_the_library(server: LanguageServer) -> None:
    answer = server.about("completion", "torch.cros", after=1)
    items = answer["items"] if isinstance(answer, dict) else answer
    assert "cross" in {each["label"] for each in items}


#: how each name of a function is defined, and in which file
DEFINED = {
    "torch.exp": ("ops/elementwise/exponential.py", "def exp(be, input, /):"),
    "torch.cat": ("ops/shape/join.py", "def cat(be, tensors: Tensors, /, dim=0):"),
    "torch.matmul": ("ops/linalg/matmul.py", "def matmul("),
    "torch.linalg.inv": ("ops/linalg/solving.py", "def linalg_inv("),
    "torch.nn.functional.cross_entropy": ("ops/nn/cross_entropy.py", "def cross_entropy("),
    "torch.fft.fft": ("ops/signal/fourier.py", "def fft_fft("),
    "torch.special.xlogy": ("ops/elementwise/exponential.py", "def xlogy("),
    "torch.nn.Linear": ("nn/modules/linear.py", "class Linear("),
    "torch.optim.Adam": ("optim/adam.py", "class Adam("),
}


def line_at(uri: str, line: int) -> str:
    return Path(uri.removeprefix("file://")).read_text("utf-8").splitlines()[line]


@pytest.mark.parametrize("name", DEFINED)
def test_the_way_to_the_definition_leads_to_the_declaration_of_the_op(
    server: LanguageServer, name: str
) -> None:
    file, text = DEFINED[name]
    found = {
        each["uri"]: each["range"]["start"]["line"] for each in server.about("definition", name)
    }
    (uri,) = (each for each in found if each.endswith(f"pellucid/{file}"))
    assert line_at(uri, found[uri]).startswith(text)


def test_it_does_for_all_functions(server: LanguageServer) -> None:
    names = [each for each in NAMES if re.fullmatch(r"torch\.([a-z]+\.)*[a-z]\w+", each)]
    assert len(names) > 60
    files = {name: [each["uri"] for each in server.about("definition", name)] for name in names}
    stubs = [name for name, found in files.items() if all(each.endswith(".pyi") for each in found)]
    assert stubs == []


def test_the_way_to_the_definition_of_a_method_leads_to_a_line_that_imports_its_op(
    server: LanguageServer,
) -> None:
    of_the_class = {"x.backward", "x.detach", "x.retain_grad"}  # defined in tensor.py, as such
    names = [each for each in NAMES if each.startswith("x.") and each not in of_the_class]
    imported = {}
    for name in names:
        found = {
            each["uri"]: each["range"]["start"]["line"] for each in server.about("definition", name)
        }
        (uri,) = (each for each in found if each.endswith("_definitions/methods.py"))
        assert found.keys() - {uri} != set()  # the stub with its docstring is offered as well
        assert line_at(uri, found[uri]).strip() == f"def {name[2:]}(self, *given):"
        imported[name] = line_at(uri, found[uri] + 1).strip()
    assert imported["x.exp"] == "from pellucid.ops.elementwise.exponential import exp"
    assert all(each.startswith("from pellucid.") for each in imported.values())


@pytest.mark.parametrize("name", DEFINED)
def test_jedi_leads_to_where_the_file_of_the_declaration_is_named(script: Any, name: str) -> None:
    line, column = at_end_of(name)
    (found,) = script.goto(line + 1, column, follow_imports=True)
    file, _ = DEFINED[name]
    assert f"pellucid/{file}" in f"{found.module_path}\n{found.docstring()}"


def test_jedi_shows_summary_arguments_and_example(script: Any) -> None:
    missing: list[str] = []
    for name in NAMES:
        line, column = at_end_of(name)
        text = "\n".join(each.docstring() for each in script.help(line + 1, column))
        missing += lacking(name, text)
    assert missing == []


def test_jedi_completes_names_of_the_library(script: Any) -> None:
    line, column = at_end_of("torch.cros")
    assert "cross" in {each.name for each in script.complete(line + 1, column + 1)}

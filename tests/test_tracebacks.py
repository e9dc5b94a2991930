"""What is printed for an error that nobody catches ends at the user's line."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

import pellucid as torch

#: common mistakes, and what their error has to say
MISTAKES = {
    "a = torch.ones(3)\nb = torch.ones(4)\na + b": "size of tensor a (3) must match",
    "torch.ones(3, 4) @ torch.ones(3, 4)": "mat1 and mat2 shapes cannot be multiplied",
    "nn.Linear(4, 16)(torch.ones(2, 3))": "in layer Linear(in_features=4, out_features=16",
    "model = nn.Sequential(nn.Linear(4, 16), nn.Sequential(nn.ReLU(), nn.Linear(8, 2)))\n"
    "model(torch.ones(2, 4))": "in layer 1.1 (Linear(in_features=8, out_features=2, bias=True))",
    "torch.ones(3)[5]": "index 5 is out of bounds for dimension 0 with size 3",
    "nn.Embedding(3, 4)(torch.tensor([5]))": "Index 5 is out of range for a table of 3 rows",
    "torch.ones(3, dtyp=torch.float32)": "Did you mean 'dtype'?",
    "torch.optim.SGD([torch.ones(1)], momentm=0.1)": "Did you mean 'momentum'?",
    "torch.ones(3).sum(dmi=0)": "Did you mean 'dim'?",
    "torch.ones(3).rehsape(1)": "Did you mean: 'reshape'?",
    "nn.Linear(1, 1).wieght": "Did you mean: 'weight'?",
    "torch.matmull": "Did you mean: 'matmul'?",
    "torch.ones(3, 4).view(5)": "shape '[5]' is invalid for input of size 12",
    "torch.cat([torch.ones(2, 3), torch.ones(3, 2)])": "Sizes of tensors must match",
    "nn.Conv2d(3, 4, 3)(torch.ones(1, 1, 8, 8))": "in conv2d(input: float32[1, 1, 8, 8]",
    "nn.CrossEntropyLoss()(torch.ones(2, 3), torch.tensor([0, 7]))": "There are 3 classes",
    "nn.LSTM(4, 5)(torch.ones(2, 3, 6))": "in layer LSTM(4, 5)",
    "torch.ones(3).sum().backward()": "element 0 of tensors does not require grad",
    "torch.tensor([[1, 2], [3]])": "expected sequence of length 2 at dim 1 (got 1)",
    "torch.optim.SGD(nn.Linear(1, 1), lr=0.1)": "'Linear' object is not iterable",
    "torch.manual_seed('a')": "invalid literal for int()",
    "nn.utils.clip_grad_norm_([nn.Parameter(torch.ones(1))], 'a')": "could not convert string",
    "torch.load('missing.pt')": "No such file or directory: 'missing.pt'",
    "nn.functional.softmax(torch.ones(2), dims=0)": "'dims'. Did you mean 'dim'?",
    "torch.ones(3) + 'a'": "unsupported operand type(s) for +: 'Tensor' and 'str'",
}


@pytest.fixture
def program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Program:
    return Program(tmp_path / "program.py", capsys)


class Program:
    """A program that ends with an error, and what is printed for it."""

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.path = path
        self.capsys = capsys

    def error(self, source: str) -> Exception:
        self.path.write_text(source)
        names = {"torch": torch, "nn": torch.nn, "__name__": "program"}
        with pytest.raises(Exception) as raised:  # noqa: PT011 - the texts are compared below
            exec(compile(source, self.path, "exec"), names)
        return raised.value

    def printed(self, error: Exception) -> str:
        own = error.__traceback__
        while own is not None and own.tb_frame.f_code.co_filename != str(self.path):
            own = own.tb_next
        error = error.with_traceback(own)
        sys.excepthook(type(error), error, error.__traceback__)
        assert error.__traceback__ is own
        return self.capsys.readouterr().err


@pytest.fixture
def full() -> Iterator[None]:
    torch.set_traceback("full")
    yield
    torch.set_traceback("short")


def frames(printed: str) -> list[str]:
    return re.findall(r'File "(.*)", line', printed)


@pytest.mark.parametrize(("source", "text"), MISTAKES.items())
def test_a_traceback_has_eight_lines_and_no_frame_of_the_library(
    program: Program, source: str, text: str
) -> None:
    printed = program.printed(program.error(source))
    assert text in printed
    assert set(frames(printed)) == {str(program.path)}
    assert "another exception" not in printed
    assert "direct cause" not in printed
    assert len(printed.rstrip().splitlines()) <= 8


def test_frames_of_the_users_own_modules_are_shown(program: Program) -> None:
    source = textwrap.dedent("""\
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 3)
            def forward(self, x):
                return self.layer(x)
        Net()(torch.ones(4))
    """)
    printed = program.printed(program.error(source))
    assert frames(printed) == [str(program.path)] * 2
    assert "in layer layer (Linear(in_features=2" in printed


def test_an_error_of_the_users_code_below_a_module_loses_only_the_librarys_frames(
    program: Program,
) -> None:
    source = "class Net(nn.Module):\n    def forward(self):\n        return 1 / 0\nNet()()"
    printed = program.printed(program.error(source))
    assert frames(printed) == [str(program.path)] * 2


def test_an_unforeseen_error_inside_the_library_is_shown_in_full(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.nn.functional, "linear", None)
    error = program.error("nn.Linear(2, 3)(torch.ones(2))")
    assert frames(program.printed(error))[-1].endswith("linear.py")


@pytest.mark.usefixtures("full")
def test_all_frames_are_shown_when_asked_for(program: Program) -> None:
    error = program.error("torch.ones(3) + torch.ones(4)")
    assert len(frames(program.printed(error))) > 1


def test_another_style_than_short_and_full_is_refused() -> None:
    with pytest.raises(ValueError, match="must be 'short' or 'full', not 'long'"):
        torch.set_traceback("long")


def test_a_debugger_gets_to_the_body_of_the_op_that_failed(program: Program) -> None:
    error = program.error("torch.ones(3, 4).view(5)")
    program.printed(error)
    innermost = traceback.extract_tb(error.__traceback__)[-1]
    assert innermost.filename.endswith("shapes.py")
    assert any(
        each.filename.endswith("views.py") for each in traceback.extract_tb(error.__traceback__)
    )


def test_a_thread_ends_with_the_short_traceback(tmp_path: Path) -> None:
    printed = printed_by(
        tmp_path / "script.py",
        "import threading\nimport pellucid as torch\n"
        "def work():\n    torch.ones(3) + torch.ones(4)\n"
        "threading.Thread(target=work).start()\n",
    )
    assert "size of tensor a (3) must match" in printed
    assert not any("pellucid" in each for each in frames(printed))


def test_a_script_ends_with_the_short_traceback(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    source = "import pellucid as torch\n\ntorch.ones(3, dtyp=torch.float32)\n"
    assert printed_by(script, source).splitlines() == [
        "Traceback (most recent call last):",
        f'  File "{script}", line 3, in <module>',
        "    torch.ones(3, dtyp=torch.float32)",
        "TypeError: ones() got an unexpected keyword argument 'dtyp'. Did you mean 'dtype'?",
    ]


def printed_by(script: Path, source: str) -> str:
    script.write_text(source)
    return subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=False
    ).stderr

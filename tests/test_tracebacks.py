"""What is printed for an error that nobody catches ends at the user's line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterator
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

    def from_its_line_on(self, error: Exception) -> Exception:
        own = error.__traceback__
        while own is not None and own.tb_frame.f_code.co_filename != str(self.path):
            own = own.tb_next
        return error.with_traceback(own)

    def printed(self, error: Exception) -> str:
        error = self.from_its_line_on(error)
        sys.excepthook(type(error), error, error.__traceback__)
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


@pytest.mark.usefixtures("full")
def test_a_debugger_gets_to_the_body_of_the_op_that_failed_when_asked_for(program: Program) -> None:
    error = program.error("torch.ones(3, 4).view(5)")
    shown = [each.filename for each in traceback.extract_tb(error.__traceback__)]
    assert shown[-1].endswith("shapes.py")
    assert any(each.endswith("views.py") for each in shown)


#: each of these leaves the library by another of its ends
LEAVING = {
    "an operator": "a = torch.ones(3)\na @ torch.ones(4)",
    "a method": "torch.ones(3, 4).view(5)",
    "a method in place": "torch.ones(3).mul_(torch.ones(4))",
    "a function": "nn.functional.cross_entropy(torch.ones(2, 3), torch.tensor([0, 7]))",
    "a layer": "nn.Sequential(nn.Linear(2, 3), nn.Linear(4, 1))(torch.ones(1, 2))",
    "a layer with a hook": "layer = nn.Linear(2, 3)\n"
    "_ = layer.register_forward_hook(print)\nlayer(torch.ones(1, 4))",
    "a pass": "loss = torch.ones(3, requires_grad=True).exp().sum()\nloss.backward()\n"
    "loss.backward()",
    "backward": "torch.autograd.backward(torch.ones(1))",
    "grad": "torch.autograd.grad(torch.ones(1), torch.ones(1))",
    "a comparison": "torch.testing.assert_close(torch.ones(2), torch.zeros(2))",
    "a state": "nn.Linear(2, 3).load_state_dict({'weight': torch.ones(2)})",
}


@pytest.mark.parametrize("source", LEAVING.values(), ids=LEAVING)
def test_an_error_has_lost_the_librarys_frames_when_it_is_caught(
    program: Program, source: str
) -> None:
    error = program.from_its_line_on(program.error(source))
    shown = "".join(traceback.format_exception(error))
    assert set(frames(shown)) == {str(program.path)}
    assert len(traceback.extract_tb(error.__traceback__)) == 1


def test_a_warning_made_an_error_has_the_users_frame_alone(program: Program) -> None:
    # warnings are errors in tests
    error = program.error("nn.functional.mse_loss(torch.ones(3), torch.ones(3, 1))")
    assert isinstance(error, UserWarning)
    shown = traceback.extract_tb(program.from_its_line_on(error).__traceback__)
    assert [each.filename for each in shown] == [str(program.path)]


def test_an_error_in_a_hook_keeps_the_hook_and_the_line_of_the_pass(program: Program) -> None:
    source = textwrap.dedent("""\
        a = torch.ones(2, requires_grad=True)
        def hook(grad):
            return 1 / 0
        _ = a.register_hook(hook)
        a.sum().backward()
    """)
    error = program.from_its_line_on(program.error(source))
    shown = traceback.extract_tb(error.__traceback__)
    assert [(each.filename, each.lineno) for each in shown] == [
        (str(program.path), 5), (str(program.path), 3),
    ]  # fmt: skip


def test_an_error_that_leads_to_another_has_lost_the_librarys_frames_too(program: Program) -> None:
    source = textwrap.dedent("""\
        try:
            torch.ones(3) @ torch.ones(4)
        except RuntimeError as error:
            raise ValueError("the batch has another size") from error
    """)
    shown = "".join(traceback.format_exception(program.from_its_line_on(program.error(source))))
    assert "direct cause" in shown
    assert frames(shown) == [str(program.path)] * 2


#: a layer whose sizes do not fit, in one line of a program
SHAPE = "nn.Sequential(nn.Linear(2, 3), nn.Linear(4, 1))(torch.ones(1, 2))"
BEGIN = "import pellucid as torch\nfrom pellucid import nn\n"
CAUGHT = f"try:\n    {SHAPE}\nexcept Exception as error:\n    "


def as_script(source: str, typed: str = "") -> Callable[[Path], str]:
    """Return what runs a program and returns all that it prints."""

    def run(script: Path) -> str:
        script.write_text(BEGIN + source)
        return of_module(str(script), folder=script.parent, module=False, typed=typed)

    return run


def as_test(script: Path) -> str:
    script.write_text(f"{BEGIN}def test_it():\n    {SHAPE}\n")
    shown = of_module("pytest", "-q", "-p", "no:cacheprovider", str(script), folder=script.parent)
    return shown.partition("_ test_it _")[2].partition("\n")[2].partition("\n====")[0].strip("\n")


def as_case(script: Path) -> str:
    script.write_text(
        f"{BEGIN}import unittest\n"
        f"class T(unittest.TestCase):\n    def test_it(self):\n        {SHAPE}\n"
    )
    shown = of_module("unittest", script.stem, folder=script.parent)
    return shown[shown.index("Traceback") : shown.index("\n\n---")]


def as_cell(script: Path) -> str:
    pytest.importorskip("IPython")
    cell = f"{BEGIN.replace(chr(10), '; ', 1)}{SHAPE}"  # its lines are shown, too
    return of_module("IPython", "--colors=NoColor", "-c", cell, folder=script.parent)


#: where an error is seen: what is printed of it there, given the file of a program
SEEN = {
    "uncaught": as_script(SHAPE),
    "traceback.format_exc()": as_script(
        f"import sys, traceback\n{CAUGHT}sys.stderr.write(traceback.format_exc())"
    ),
    "logging": as_script(f"import logging\n{CAUGHT}logging.exception('step')"),
    "a thread": as_script(
        f"import threading\ndef work():\n    {SHAPE}\n"
        "thread = threading.Thread(target=work)\nthread.start()\nthread.join()"
    ),
    "pdb": as_script(
        f"import pdb\n{CAUGHT}print(error)\n    pdb.post_mortem(error.__traceback__)",
        typed="where\nquit\n",
    ),
    "pytest": as_test,
    "unittest": as_case,
    "a notebook": as_cell,
}  # fmt: skip


@pytest.mark.parametrize("shown", SEEN.values(), ids=SEEN)
def test_an_error_of_a_layer_has_ten_lines_at_most(
    tmp_path: Path, shown: Callable[[Path], str]
) -> None:
    script = tmp_path / "test_shapes.py"
    lines = shown(script).rstrip().splitlines()
    assert any("in layer 1 (Linear(in_features=4" in line for line in lines)
    assert not any(f"{os.sep}pellucid{os.sep}" in line for line in lines)
    assert len(lines) <= 10


@pytest.mark.parametrize("way", ["uncaught", "logging"])
def test_it_has_as_few_without_the_compiled_module(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PELLUCID_NATIVE", "0")
    test_an_error_of_a_layer_has_ten_lines_at_most(tmp_path, SEEN[way])


def test_pytest_shows_a_comparison_that_fails_without_the_librarys_source(tmp_path: Path) -> None:
    script = tmp_path / "test_values.py"
    script.write_text(
        f"{BEGIN}def test_it():\n    torch.testing.assert_close(torch.ones(2), torch.zeros(2))\n"
    )
    shown = of_module("pytest", "-q", "-p", "no:cacheprovider", str(script), folder=tmp_path)
    assert "Tensor-likes are not close!" in shown
    assert "close.py" not in shown


def test_a_debugger_opens_at_the_users_line_after_an_error(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        f"{BEGIN}import pdb\ntry:\n    {SHAPE}\nexcept Exception as error:\n"
        "    pdb.post_mortem(error.__traceback__)\n"
    )
    shown = of_module(str(script), folder=tmp_path, module=False, typed="quit\n")
    assert shown.splitlines()[0] == f"> {script}(5)<module>()"
    assert shown.splitlines()[1] == f"-> {SHAPE}"


def test_a_debugger_that_is_called_after_the_end_opens_at_the_users_line(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(f"{BEGIN}torch.optim.SGD([torch.ones(1)], lr=-1)\n")
    typed = "import pdb\npdb.pm()\nquit\nquit()\n"
    shown = of_module("-i", str(script), folder=tmp_path, module=False, typed=typed)
    assert f"> {script}(3)<module>()" in shown


def test_rich_shows_the_users_frame_alone(tmp_path: Path) -> None:
    pytest.importorskip("rich")
    script = tmp_path / "script.py"
    source = (
        f"{BEGIN}from rich.console import Console\ntry:\n    {SHAPE}\nexcept Exception:\n"
        "    Console(stderr=True, width=200).print_exception()"
    )
    printed = printed_by(script, source)
    assert "in layer 1 (Linear(in_features=4" in printed
    assert "calling.py" not in printed
    assert "module.py" not in printed


def test_the_full_traceback_is_kept_by_a_switch_of_the_environment(tmp_path: Path) -> None:
    printed = printed_by(
        tmp_path / "script.py",
        f"{BEGIN}import sys, traceback\n"
        f"try:\n    {SHAPE}\nexcept Exception:\n    sys.stderr.write(traceback.format_exc())",
        PELLUCID_TRACEBACK="full",
    )
    assert any(each.endswith("matmul.py") for each in frames(printed))


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


def printed_by(script: Path, source: str, native: str = "1", **environment: str) -> str:
    """Return what a program prints as errors."""
    script.write_text(source)
    return subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=False,
        env={**os.environ, "PELLUCID_NATIVE": native, **environment},
    ).stderr  # fmt: skip


def of_module(*arguments: str, folder: Path, module: bool = True, typed: str = "") -> str:
    """Return all that a module prints that Python runs, or a script."""
    return subprocess.run(
        [sys.executable, *["-m"] * module, *arguments],
        cwd=folder, input=typed, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False,
    ).stdout  # fmt: skip


def test_the_error_that_was_shown_last_is_explained(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "last_value", ValueError("too late"), raising=False)
    torch.explain()
    assert capsys.readouterr().out.startswith("ValueError: too late")

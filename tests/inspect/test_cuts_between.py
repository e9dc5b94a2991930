"""Every way to leave history behind is named by its line, wherever it is, and no innocent line is.

Each way stands in five places: in the function that asks, in a function that it calls, in a
module's forward, in a module inside of a Sequential, and in another thread. Around it stand lines
that leave history behind, too, as for a log, and that the loss has nothing to do with. The line at
fault is marked in the program, and the answer has to name exactly that line.
"""

from __future__ import annotations

import itertools
import linecache
import textwrap
from typing import Any

import pytest

import pellucid as torch

# what makes `c` of `h` without its history
WAYS = {
    "detach": "c = h.detach()  # cut",
    "detach in place": "h.detach_()  # cut\nc = h",
    "data": "c = h.data  # cut",
    "no_grad block": "with torch.no_grad():\n    c = h * 3  # cut",
    "enclosing no_grad": "with torch.no_grad():\n    t = h * 3  # cut\n    c = t",
    "no_grad function": "c = unrecorded(h)",
    "inference mode function": "c = inferred(h).clone()",
    "set_grad_enabled": "with torch.set_grad_enabled(False):\n    c = h.exp()  # cut",
    "numpy": "c = torch.from_numpy(np.sin(h.detach().numpy()))  # cut",
    "numpy in steps": "a = h.detach().numpy()  # cut\nc = torch.from_numpy(a)  # cut",
    "item": "c = torch.full((3,), h.sum().item())  # cut",
    "tolist": "c = torch.tensor(h.tolist())  # cut",
    "float": "c = float(h.sum())  # cut",
    "int": "c = int(h.sum())  # cut",
    "bool": "c = torch.ones(3) * bool(h.sum() > 0)  # cut",
    "argmax": "c = h.argmax()  # cut",
    "argsort": "c = h.argsort()  # cut",
    "topk().indices": "c = h.topk(3).indices  # cut",
    "topk, unpacked": "_, c = h.topk(3)  # cut",
    "sort()[1]": "c = h.sort()[1]  # cut",
    "max over a dimension": "_, best = h.max(0)  # cut\nc = best * 1.0",
    "comparison": "c = h > 0  # cut",
    "comparison and float": "c = (h > 0).float()  # cut",
    "comparison as method": "c = h.gt(0)  # cut",
    "where": "c = torch.where(h > 0, torch.ones(3), -torch.ones(3))  # cut",
    "one_hot": "c = torch.nn.functional.one_hot(h.argmax(), 3)  # cut",
    "long": "c = h.long()  # cut",
    "to integers": "c = h.to(torch.int64)  # cut",
    "type of integers": "c = h.type(torch.int32)  # cut",
    "bool method": "c = h.bool()  # cut",
    "torch.tensor": "c = torch.tensor(h)  # cut",
    "Parameter": "c = torch.nn.Parameter(h.clone())  # cut",
    "items under no_grad": "c = torch.zeros(3)\nwith torch.no_grad():\n    c[:] = h  # cut",
    "copy_ under no_grad": "c = torch.zeros(3)\nwith torch.no_grad():\n    c.copy_(h)  # cut",
    "data.copy_": "c = torch.zeros(3)\nc.data.copy_(h)  # cut",
    "in a branch": "if h.sum() > -1e9:\n    c = h.detach()  # cut\nelse:\n    c = h * 2",
    "in a loop": (
        "c = torch.zeros(3)\nfor part in [h, h]:\n    c = c + part.detach()  # cut"
    ),
    "in a comprehension": "c = sum([each.item() for each in h])  # cut",
    "through a list": "parts = []\nparts.append(h.detach())  # cut\nc = torch.stack(parts).sum(0)",
    "through a dictionary": 'state = {"h": h.detach()}  # cut\nc = state["h"]',
    "through a tuple": "pair = (h.detach(), 1)  # cut\nc, _ = pair",
    "added up": "c = torch.zeros(3)\nc += h.detach()  # cut",
    "inference mode block": (
        "with torch.inference_mode():\n    t = h * 3  # cut\nc = t.clone()"
    ),
    "no_grad and a view": "with torch.no_grad():\n    c = h.view(3)  # cut",
    "argmin": "c = h.argmin()  # cut",
    "min over a dimension": "c = h.min(0).indices  # cut",
    "nonzero": "c = h.nonzero()  # cut",
    "eq": "c = torch.eq(h, 2.0)  # cut",
    "isfinite": "c = torch.isfinite(h)  # cut",
    "logical_not": "c = torch.logical_not(h)  # cut",
    "searchsorted": "c = torch.searchsorted(torch.ones(3), h)  # cut",
    "type of bools": "c = h.to(torch.bool)  # cut",
    "int method": "c = h.int()  # cut",
    "as_tensor of a list": "c = torch.as_tensor(h.tolist())  # cut",
    "new_tensor": "c = torch.ones(3).new_tensor(h.tolist())  # cut",
    "asarray": "c = torch.from_numpy(np.asarray(h.detach()))  # cut",
    "a number in a text": "c = torch.ones(3) * float(str(h.sum().item()))  # cut",
    "data.add_": "c = torch.zeros(3)\nc.data.add_(h)  # cut",
    "add_ under no_grad": "c = torch.zeros(3)\nwith torch.no_grad():\n    c.add_(h)  # cut",
    "index of a maximum": "c = torch.ones(3)[h.argmax()]  # cut",
    "a conditional expression": "c = h.detach() if h.sum() > -1e9 else h  # cut",
    "deepcopy": "c = copy.deepcopy(h.detach())  # cut",
    "a lambda": "stop = lambda t: t.detach()  # cut\nc = stop(h)",
}  # fmt: skip

# what a place computes `h` by, and where `c` goes
HELPERS = """
import copy
import threading
import numpy as np
import pellucid as torch
from pellucid import nn
from pellucid.inspect import why_no_grad

log = []

@torch.no_grad()
def unrecorded(t):
    return t * 3  # cut if no_grad function

@torch.inference_mode()
def inferred(t):
    return t * 3  # cut if inference mode function
"""
INNOCENT_BEFORE = """
log.append(h.detach())
shown = h.detach()
average = float(h.detach().mean())
log.append(h.mean().item())
"""
INNOCENT_AFTER = """
with torch.no_grad():
    rate = (h.detach() > 0).float().mean()
log.append(rate.item())
"""
PLACES = {
    "asking": """
def ask():
    w, v = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    h = w * 2
    {before}
    {way}
    {after}
    loss = (c * v).sum()
    log.append(loss.detach())
    return why_no_grad(w, loss)
""",
    "function": """
def work(h, scale=1.0):
    {before}
    {way}
    {after}
    return c * scale

def ask():
    w, v = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    out = work(w * 2, scale=2.0)
    loss = (out * v).sum()
    log.append(loss.detach())
    return why_no_grad(w, loss)
""",
    "forward": """
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        h = self.lin(x)
        {before}
        {way}
        {after}
        return c

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x):
        code = self.encoder(x)
        return (code * self.scale).sum()

def ask():
    model = Model()
    other = Encoder()
    log.append(other(torch.ones(3)))
    loss = model(torch.ones(3))
    log.append(loss.detach())
    return why_no_grad(model.encoder.lin.weight, loss)
""",
    "sequential": """
class Stop(nn.Module):
    def forward(self, h):
        {before}
        {way}
        {after}
        return c * torch.ones(3)

def ask():
    encoder = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), Stop())
    head = nn.Linear(3, 1)
    loss = head(encoder(torch.ones(3))).sum()
    log.append(loss.detach())
    return why_no_grad(encoder[0].weight, loss)
""",
    "thread": """
def work(h):
    {before}
    {way}
    {after}
    return c

def ask():
    w, v = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    results = []

    def run():
        results.append(work(w * 2))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    loss = (results[0] * v).sum()
    log.append(loss.detach())
    return why_no_grad(w, loss)
""",
}
_numbers = itertools.count()


def filled(template: str, **parts: str) -> str:
    """Put parts of several lines into a program, each as far in as its place."""
    lines: list[str] = []
    for line in template.splitlines():
        name = line.strip().strip("{}") if line.strip().startswith("{") else None
        if name in parts:
            indent = line[: len(line) - len(line.lstrip())]
            lines += textwrap.indent(parts[name].strip(), indent).splitlines()
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def asked(text: str) -> tuple[Any, str]:
    """Run a program that asks; its source can be read, as that of a file."""
    name = f"<program {next(_numbers)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(text, name, "exec"), names)
    return names["ask"](), name


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.filterwarnings("ignore:To copy construct", "ignore:Converting a tensor")
def test_the_line_is_named_and_no_other(way: str, place: str) -> None:
    program = HELPERS + filled(
        PLACES[place], before=INNOCENT_BEFORE, way=WAYS[way], after=INNOCENT_AFTER
    )
    reason, _ = asked(program)
    marked = {
        number
        for number, line in enumerate(program.splitlines(), 1)
        if line.endswith(("# cut", f"# cut if {way}"))
    }
    named = {int(line.where.rpartition(":")[2]) for line in reason.lines if line.label == "cut"}
    assert (reason.kind, named) == ("cut", marked), str(reason)


# ---- what is not cut off is not said to be ----

NOT_CUT = {
    "not used": """
def ask():
    w, v = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    h = w * 2
    {before}
    {after}
    loss = (v * torch.tensor([1.0, 2.0, 3.0])).sum()
    log.append(loss.item())
    return why_no_grad(w, loss)
""",
    "not used by the model": """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.unused = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        h = self.unused(x)
        {before}
        {after}
        return self.used(x).sum()

def ask():
    model = Model()
    loss = model(torch.ones(3))
    return why_no_grad(model.unused.weight, loss)
""",
    "assigned again": """
def ask():
    w, v = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    h = w * 2
    {before}
    c = h.detach()
    c = v * 3
    loss = (c * v).sum()
    return why_no_grad(w, loss)
""",
}


@pytest.mark.parametrize("program", NOT_CUT)
def test_a_tensor_that_is_not_used_is_not_said_to_be_cut_off(program: str) -> None:
    text = HELPERS + filled(NOT_CUT[program], before=INNOCENT_BEFORE, after=INNOCENT_AFTER)
    reason, _ = asked(text)
    assert reason.kind == "not used", str(reason)


def test_a_detach_for_a_log_is_not_blamed_for_a_cut_by_numbers() -> None:
    w = torch.randn(3, requires_grad=True)
    h = w * 2
    shown = h.detach()
    feats = torch.tensor(h.tolist())
    score = (feats * torch.ones(3, requires_grad=True)).sum()
    reason = torch.inspect.why_no_grad(w, score)
    assert [line.text for line in reason.lines] == ["feats = torch.tensor(h.tolist())"]
    del shown


def test_a_copied_module_is_told() -> None:
    import copy

    encoder, head = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
    target = copy.deepcopy(encoder)
    loss = head(target(torch.ones(1, 2))).sum()
    reason = torch.inspect.why_no_grad(encoder.weight, loss)
    assert [line.text for line in reason.lines] == ["target = copy.deepcopy(encoder)"]
    assert "leaves" in reason.remedy


def test_what_the_source_does_not_tell_is_told_as_possible_only() -> None:
    w, v = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    kept: Any = type("Kept", (), {"__getattr__": lambda self, name: state[name]})()
    state = {"c": (w * 2).detach()}
    loss = (eval("kept.c", {"kept": kept}) * v).sum()
    reason = torch.inspect.why_no_grad(w, loss)
    assert reason.kind in ("perhaps cut", "not used"), str(reason)


def test_a_cut_in_an_earlier_cell_of_a_notebook_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from pellucid.autograd import sites
    from pellucid.autograd.cells import Cells
    from pellucid.autograd.explanations import scopes

    fresh = Cells()
    monkeypatch.setattr(scopes, "cells", fresh)
    monkeypatch.setattr(sites, "cells", fresh)
    names: dict[str, Any] = {"torch": torch}
    program = (
        "w, v = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)",
        "h = w * 2\nshown = h.detach()",
        "c = h.detach() + 1",
        "loss = (c * v).sum()",
        "answer = torch.inspect.why_no_grad(w, loss)",
    )
    for number, text in enumerate(program, 1):
        file = f"/tmp/ipykernel_1/{number}{abs(hash(text))}.py"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        fresh.begin(file, number, 10**12)
        exec(compile(text, file, "exec"), names)
    (line,) = names["answer"].lines
    assert line.where.startswith("Cell In[3]")


def test_a_cut_on_the_line_that_asks_is_named() -> None:
    reason, _ = asked(
        "import pellucid as torch\n"
        "w, v = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)\n"
        "def ask():\n"
        "    loss = ((w * 2).detach() * v).sum(); return torch.inspect.why_no_grad(w, loss)\n"
    )
    assert reason.kind == "cut"
    assert [line.where.rpartition(":")[2] for line in reason.lines] == ["4"]


class Encoder(torch.nn.Module):
    """As in packages: of two results the caller takes one, and another layer makes a mask."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.pooler = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)

    def forward(self, x: Any) -> Any:
        states = self.body(x)
        states = states * (states > 0)
        return states, self.pooler(states)


def test_what_other_layers_of_a_module_compute_is_not_taken_for_a_cut() -> None:
    encoder, head = Encoder(), torch.nn.Linear(2, 1)
    states = encoder(torch.ones(3, 2))[0]
    loss = head(states).sum()
    reason = torch.inspect.why_no_grad(encoder.pooler.weight, loss)
    assert reason.kind == "not used", str(reason)

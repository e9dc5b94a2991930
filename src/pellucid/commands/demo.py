"""Two losses on one trunk: a program that is shown, run, and drawn."""

from __future__ import annotations

import linecache
import sys
from pathlib import Path

from pellucid.commands.lessons import show_on_desktop

#: the program, in parts: what is said of each, and its lines
_PARTS = (
    (
        "Two losses share a trunk. Running the program makes this graph:",
        """\
import pellucid as torch

x = torch.tensor([1.0, 2.0, 3.0])
w = torch.tensor([0.5, -0.25, 0.125], requires_grad=True)

trunk = (w * x).tanh()  # shared by both losses
size = (trunk * trunk).sum()
drift = 2 * trunk.sum()
print(torch.inspect.graph(size, drift))
""",
    ),
    (
        "The first backward frees what it has used, but not what the second loss still needs:",
        """\
size.backward(retain_graph=drift)
print(torch.inspect.graph(size, drift))
""",
    ),
    (
        "The second frees the rest, and adds to the gradient:",
        """\
drift.backward()
print(w.grad)
""",
    ),
    (
        "Once more is once too often, and the error says what led to it:",
        """\
size.backward()
""",
    ),
)
#: the file in which the program believes to stand
_FILE = "demo.py"


def demo(page: Path) -> int:
    """Run the program part by part, write a page of its graph, and say where it is."""
    from pellucid.inspect import record

    out, names, source = sys.stdout, {"__name__": "__main__"}, ""
    with record() as recording:
        for said, part in _PARTS:
            first = source.count("\n")
            source += part
            linecache.cache[_FILE] = (len(source), None, source.splitlines(keepends=True), _FILE)
            out.write(f"\n{said}\n\n{_numbered(part, first)}\n")
            try:
                exec(compile("\n" * first + part, _FILE, "exec"), names)
            except RuntimeError as error:
                out.write(f"{type(error).__name__}: {error}\n")
    recording.html(page)
    out.write(f"\n{page} has all of this to play through: open it in a browser.\n")
    show_on_desktop(page)
    return 0


def _numbered(part: str, first: int) -> str:
    lines = part.splitlines()
    return "".join(f"  {first + i:2} | {line}".rstrip() + "\n" for i, line in enumerate(lines, 1))

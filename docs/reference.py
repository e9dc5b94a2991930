"""Write the pages of the reference: every public name, by module and by kind of operation."""

from __future__ import annotations

import importlib
import inspect
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pellucid.core.definition.public import public_names

#: the modules that have a page, as a program names them
MODULES = (
    "nn", "nn.functional", "nn.init", "nn.utils", "nn.utils.rnn", "nn.utils.parametrize",
    "autograd", "autograd.graph", "autograd.functional", "autograd.forward_ad", "inspect", "func",
    "optim", "optim.lr_scheduler", "optim.swa_utils", "linalg", "fft", "special", "random",
    "distributions", "utils.data", "utils.checkpoint", "utils.tensorboard", "utils.flop_counter",
    "amp", "sparse", "testing", "profiler", "distributed", "multiprocessing", "serialization",
    "hub", "onnx", "fx", "library", "array_api", "array_api.linalg", "array_api.fft",
    "define", "errors",
)  # fmt: skip
#: what the operations of a folder of ``ops`` are about
FAMILIES = {
    "elementwise": "Element by element",
    "reduce": "Reductions, sorting and statistics",
    "shape": "Shapes, views and joining",
    "index": "Indexing, gathering and scattering",
    "linalg": "Matrices",
    "nn": "Layers as functions",
    "signal": "Signals",
    "random": "Random numbers",
    "": "Tensors, modes and settings",
}


def write(folder: Path) -> None:
    """Write all pages into a folder, and an index."""
    folder.mkdir(exist_ok=True)
    torch = importlib.import_module("pellucid")
    rows = [_write_tensor(folder)]
    families: dict[str, list[str]] = defaultdict(list)
    for name in sorted(torch.__all__):
        if callable(getattr(torch, name)) and name != "Tensor":
            families[_family(name)].append(name)
    for family, title in FAMILIES.items():
        file = f"torch_{family or 'general'}"
        rows.append(_write(folder, file, f"torch: {title.lower()}", title, torch, families[family]))
    for place in MODULES:
        module = importlib.import_module(f"pellucid.{place}")
        summary = inspect.cleandoc(module.__doc__ or "").partition("\n\n")[0]
        file = place.replace(".", "_")
        rows.append(_write(folder, file, f"torch.{place}", summary, module, _public(module)))
    listed = "".join(f"- :doc:`{title} <{file}>`\n" for file, title in rows)
    tree = "".join(f"   {file}\n" for file, _ in rows)
    (folder / "index.rst").write_text(
        f"{_heading('Reference')}Every public name. A program that says ``import pellucid as "
        f"torch`` finds them under ``torch``.\n\n{listed}\n.. toctree::\n   :hidden:\n\n{tree}",
        "utf-8",
    )


def _family(name: str) -> str:
    """Return the folder of ``ops`` that a function of the package comes from."""
    entry = public_names[""].get(name)
    parts = getattr(entry.declaration.function, "__module__", "").split(".") if entry else []
    return parts[2] if parts[1:2] == ["ops"] and len(parts) > 2 and parts[2] in FAMILIES else ""


def _public(module: Any) -> list[str]:
    names = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and f"{getattr(value, '__module__', None)}.".startswith(f"{module.__name__}.")
    ]
    return sorted(name for name in names if callable(getattr(module, name, None)))


def _heading(title: str) -> str:
    return f"{title}\n{'=' * len(title)}\n\n"


def _write(
    folder: Path, file: str, title: str, summary: str, module: Any, names: Iterable[str]
) -> tuple[str, str]:
    entries = [_entry(module.__name__, name, getattr(module, name)) for name in names]
    page = f"{_heading(title)}{escaped(summary)}\n\n" + "\n".join(entries)
    (folder / f"{file}.rst").write_text(page, "utf-8")
    return file, title


def _entry(module: str, name: str, value: Any) -> str:
    if inspect.isclass(value):
        return f".. autoclass:: {module}.{name}\n   :members:\n   :noindex:\n"
    return f".. autofunction:: {module}.{name}\n   :noindex:\n"


def _write_tensor(folder: Path) -> tuple[str, str]:
    page = f"{_heading('torch.Tensor')}.. autoclass:: pellucid.Tensor\n   :members:\n   :noindex:\n"
    (folder / "tensor.rst").write_text(page, "utf-8")
    return "tensor", "torch.Tensor"


_LITERAL = re.compile(r"(``.+?``|`[^`]+`_?|:\w+:`[^`]+`)")
_SPECIAL = re.compile(r"([*|])")


def escaped(line: str) -> str:
    """Return a line of a docstring, in which names stand in backticks, as reStructuredText."""
    parts = _LITERAL.split(line)
    for number, part in enumerate(parts):
        if number % 2 == 0:
            parts[number] = _SPECIAL.sub(r"\\\1", part)
        elif part[:2] != "``" and part[0] == "`":
            parts[number] = f"`{part}`"
    return "".join(parts)


def escape_docstring(lines: list[str]) -> None:
    """Escape a docstring where it is prose; examples stay as they are."""
    in_example = False
    for number, line in enumerate(lines):
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        if not in_example:
            lines[number] = escaped(line)

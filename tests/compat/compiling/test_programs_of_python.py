"""A compiled function gives what the function gives, whatever changes between the calls."""

from __future__ import annotations

import contextlib
import io
import linecache
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import pellucid as torch
from pellucid import nn
from pellucid.nn import functional as F
from tests.compat.compiling import programs_of_python, programs_of_statements

PROGRAMS = {**programs_of_python.PROGRAMS, **programs_of_statements.PROGRAMS}

KINDS: dict[str, Callable[[Any], Any]] = {
    "compiled": torch.compile,
    "by a backend": lambda f: torch.compile(f, backend=lambda gm, inputs: gm.forward),
    "with sizes that vary": lambda f: torch.compile(f, backend="eager", dynamic=True),
}


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    torch.set_default_dtype(torch.float32)


def canonical(value: Any) -> Any:
    """Return what is compared of a value."""
    if isinstance(value, torch.Tensor):
        node = type(value.grad_fn).__name__
        return (value.tolist(), value.dtype, value.shape, value.requires_grad, node)
    if isinstance(value, dict):
        return {key: canonical(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [type(value).__name__, *map(canonical, value)]
    return value if isinstance(value, int | float | str | bool | None) else repr(type(value))


def said(error: Exception, whole: bool) -> str:
    """Return the text of an error; where a backend runs graphs, without the line."""
    text = str(error)
    return text if whole else text.partition("\n")[0]


def plain(function: Any) -> Any:
    return function


def run(
    name: str, wrap: Callable[[Any], Any], repeat: int, whole: bool = True
) -> tuple[list[Any], Any]:
    """Run a program; return what each of its calls gave, and its function."""
    file = f"<program {name}>"
    text = PROGRAMS[name]
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    world: dict[str, Any] = {"torch": torch, "nn": nn, "F": F, "__name__": "world"}
    torch.manual_seed(0)
    exec(compile(text, file, "exec", dont_inherit=True), world)
    function = wrap(world["f"])
    seen: list[Any] = []
    out = io.StringIO()
    for given in world["calls"]():
        args, kwargs = given if len(given) == 2 and isinstance(given[1], dict) else (given, {})
        args = args if isinstance(args, tuple) else (args,)
        for _ in range(repeat):
            with contextlib.redirect_stdout(out):
                try:
                    seen.append(canonical(function(*args, **kwargs)))
                except Exception as error:  # noqa: BLE001 - compared
                    seen.append((type(error), said(error, whole)))
            if "state" in world:
                seen.append(canonical(world["state"]()))
    return [*seen, out.getvalue()], function


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_gives_what_the_function_gives(name: str, kind: str) -> None:
    whole = kind == "compiled"
    expected, _ = run(name, plain, 2, whole)
    given, _ = run(name, KINDS[kind], 2, whole)
    assert given == expected

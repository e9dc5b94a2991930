"""A site: file, line and text of the user's statement, and the name that holds its value."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import pellucid as torch
from pellucid.autograd.sites import Site


def site_of(line: str, tmp_path: Path) -> Site:
    """Return the site of the node of ``result`` after a line has run on line 2 of a file."""
    file = tmp_path / "cell.py"
    text = f"x = torch.ones(2, requires_grad=True)\n{line}\n"
    file.write_text(text, encoding="utf-8")

    class Holder:
        value: Any = None

    names: dict[str, Any] = {"torch": torch, "self": Holder(), "out": []}
    exec(compile(text, str(file), "exec"), names)
    result = names.get("y", names["self"].value)
    if result is None:
        result = names["out"][0]
    site = result.grad_fn.site
    assert site is not None
    return site


@pytest.mark.parametrize(
    ("line", "target", "text"),
    [
        ("y = x * 2", "y", "y = x * 2"),
        ("y = x * 2  # twice", "y", "y = x * 2"),
        ("y: object = x * 2", "y", "y: object = x * 2"),
        ("self.value = x * 2", "self.value", "self.value = x * 2"),
        ("z = 1; y = x * 2; w = 3", "y", "y = x * 2"),
        ("y = (\n    x\n    * 2\n)", "y", "y = ( x * 2 )"),
        ("y = (x * 2, 1)[0]", None, "y = (x * 2, 1)[0]"),
        ("out.append(x * 2)", None, "out.append(x * 2)"),
        ("if True: y = x * 2", "y", "y = x * 2"),
    ],
)
def test_text_and_target_of_a_line(
    line: str, target: str | None, text: str, tmp_path: Path
) -> None:
    site = site_of(line, tmp_path)
    assert (site.target, site.text) == (target, text)


def test_a_site_prints_as_file_and_line(tmp_path: Path) -> None:
    site = site_of("y = x * 2", tmp_path)
    assert str(site) == "cell.py:2"
    assert site.function == "<module>"


def test_a_long_statement_is_cut(tmp_path: Path) -> None:
    site = site_of(f"y = x * ({' + '.join(['1'] * 60)})", tmp_path)
    assert len(site.text) <= 80
    assert site.text.endswith("...")


def test_a_site_without_source_has_no_text() -> None:
    names: dict[str, Any] = {"torch": torch}
    exec(compile("y = torch.ones(2, requires_grad=True) * 2", "<unknown cell>", "exec"), names)
    site = names["y"].grad_fn.site
    assert (site.text, site.target, str(site)) == ("", None, "<unknown cell>:1")


def test_a_layer_of_the_library_is_told_by_the_line_that_called_it() -> None:
    layer = torch.nn.Linear(2, 2)
    result = layer(torch.ones(1, 2))
    site = result.grad_fn.site
    assert site is not None
    assert site.text == "result = layer(torch.ones(1, 2))"


def test_a_site_keeps_no_frame_and_so_no_local_variable_alive(without_gc: None) -> None:
    import weakref

    class Big:
        pass

    def inside() -> tuple[Any, Any]:
        big = Big()
        return torch.ones(2, requires_grad=True) * 2, weakref.ref(big)

    result, big = inside()
    assert result.grad_fn.site.function == "inside"
    assert big() is None
    assert not any(
        isinstance(getattr(result.grad_fn, name, None), type(sys._getframe()))
        for name in ("code", "site", "_lasti")
    )

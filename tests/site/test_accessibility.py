"""axe-core finds no violation on the site, in light and dark, on a phone and a desktop."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser import screen

#: pages of each kind that the site has
PAGES = (
    "", "learn/", "learn/what-backward-frees/", "learn/why-does-it-not-learn/", "use/installing/",
    "see-through/", "watch/", "operations/", "errors/", "gallery/",
    "decisions/0002-a-leaf-holds-its-accumulategrad/", "search/?q=leaf",
    "playing/what-backward-frees.html",
)  # fmt: skip
RUN = """
const [done] = arguments;
axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => done(
  violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 120)}`))));
"""


@pytest.fixture(scope="module")
def axe() -> str:
    """Return the source of axe-core, which `make site-check` has fetched."""
    given = os.environ.get("PELLUCID_AXE", "")
    if not given or not Path(given).is_file():
        pytest.skip("axe-core could not be fetched")
    return Path(given).read_text("utf-8")


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("width", [390, 1280])
def test_a_page_has_no_violation(at: Callable[[str], Any], axe: str, page: str, width: int) -> None:
    browser = at(page)
    browser.set_script_timeout(120)  # seconds, for tables of hundreds of rows
    for scheme in ("light", "dark"):
        with screen(browser, width, scheme):
            browser.refresh()
            browser.execute_script(axe)
            assert browser.execute_async_script(RUN) == [], scheme

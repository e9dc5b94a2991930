"""A browser without a window, which the tests of the page share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import browser as browser


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[[str], Any]]:
    """Open the text of a page; fail if it has reported an error by the end of the test."""

    def open_page(text: str) -> Any:
        file = tmp_path / "page.html"
        file.write_text(text, encoding="utf-8")
        browser.get(file.as_uri())
        return browser

    yield open_page
    assert browser.get_log("browser") == []

"""The built site in a browser: `make site-check` builds it, and says where it lies."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.browser import browser as browser


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that prints nothing."""

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""

    def copyfile(self, source: Any, outputfile: Any) -> None:
        """Send a file; a browser that has gone on to another page may not want it any more."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            super().copyfile(source, outputfile)


@pytest.fixture(scope="session")
def folder() -> Path:
    """Return the folder of the site."""
    return Path(os.environ["PELLUCID_SITE"]).resolve()


@pytest.fixture(scope="session")
def address(folder: Path) -> Iterator[str]:
    """Serve the site on this machine; return its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def at(browser: Any, address: str) -> Iterator[Callable[[str], Any]]:
    """Open a page of the site; fail if it has reported an error by the end of the test."""

    def open_page(page: str) -> Any:
        browser.get(f"{address}/{page}")
        return browser

    yield open_page
    assert browser.get_log("browser") == []

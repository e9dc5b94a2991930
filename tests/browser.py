"""A browser without a window, and screens of other sizes and colours, for tests of pages."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--window-size=1400,900", "--force-device-scale-factor=1",
)  # fmt: skip


@contextlib.contextmanager
def chromium(profile: Path) -> Iterator[Any]:
    """Start headless Chromium with a driver; skip where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("chromium and chromedriver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for option in (*OPTIONS, f"--user-data-dir={profile}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        yield opened
    finally:
        opened.quit()


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return a driver of headless Chromium; skip where there is none."""
    with chromium(tmp_path_factory.mktemp("chromium")) as opened:
        yield opened


@contextlib.contextmanager
def screen(browser: Any, width: int, scheme: str = "light") -> Iterator[None]:
    """Show pages as a screen of this width does, a phone's if it is narrow, light or dark."""
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 700},
    )
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})  # they fade in time
    try:
        yield
    finally:
        browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": False})
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

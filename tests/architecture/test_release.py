"""What a registry shows of a release: links that work there, and where the project is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
METADATA = """
import json, setuptools
from distutils.core import run_setup
found = run_setup("setup.py", stop_after="init")
found.parse_config_files()
print(json.dumps([found.metadata.project_urls, found.metadata.long_description]))
"""


def metadata(address: str) -> Any:
    """Return the URLs and the long description of a release built with this address."""
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", METADATA], cwd=REPOSITORY, check=True,
        capture_output=True, text=True, env={**os.environ, "PELLUCID_ADDRESS": address},
    )  # fmt: skip
    return json.loads(ran.stdout)


def test_links_of_a_release_are_absolute_and_its_urls_are_named() -> None:
    pytest.importorskip("setuptools", reason="setuptools comes with the dev extra")
    urls, readme = metadata("https://example.org/pellucid")
    assert urls["Source"] == "https://example.org/pellucid"
    assert {"Issues", "Documentation", "Changelog"} < urls.keys()
    links = re.findall(r"\]\(([^)]+)\)", readme)
    assert len(links) > 20
    assert [each for each in links if not each.startswith("https://")] == []
    assert "https://example.org/pellucid/raw/main/docs/pictures/index.svg" in links


def test_without_an_address_the_readme_is_as_it_is() -> None:
    pytest.importorskip("setuptools", reason="setuptools comes with the dev extra")
    assert metadata("") == [{}, (REPOSITORY / "README.md").read_text("utf-8")]

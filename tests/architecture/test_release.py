"""What a registry shows of a release: links that work there, and where the project is."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from build_support import release_metadata

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def metadata(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that gives the URLs and the README of a release built with an address."""

    def given(address: str) -> tuple[dict[str, str], str]:
        monkeypatch.setenv("PELLUCID_ADDRESS", address)
        found = release_metadata.dynamic_metadata({}, {})
        assert found["readme"]["content-type"] == "text/markdown"
        return found["urls"], found["readme"]["text"]

    return given


def test_links_of_a_release_are_absolute_and_its_urls_are_named(metadata: Any) -> None:
    urls, readme = metadata("https://example.org/pellucid")
    assert urls["Source"] == "https://example.org/pellucid"
    assert {"Issues", "Documentation", "Changelog"} < urls.keys()
    links = re.findall(r"\]\(([^)]+)\)", readme)
    assert len(links) > 20
    assert [each for each in links if not each.startswith("https://")] == []
    assert "https://example.org/pellucid/raw/main/docs/pictures/index.svg" in links


def test_without_an_address_the_readme_is_as_it_is(metadata: Any) -> None:
    assert metadata("") == ({}, (REPOSITORY / "README.md").read_text("utf-8"))


def test_a_wheel_says_the_same(
    metadata: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = pytest.importorskip("scikit_build_core.build", reason="it comes with the dev extra")
    urls, readme = metadata("https://example.org/pellucid")
    monkeypatch.setenv("PELLUCID_NATIVE", "0")
    monkeypatch.chdir(REPOSITORY)
    wheel = zipfile.ZipFile(tmp_path / build.build_wheel(str(tmp_path)))
    version = release_metadata.dynamic_metadata({}, {})["version"]
    fields = wheel.read(f"pellucid-{version}.dist-info/METADATA").decode()
    assert all(f"Project-URL: {name}, {url}\n" in fields for name, url in urls.items())
    assert f"\nVersion: {version}\n" in fields
    assert fields.endswith(readme)
    files = wheel.namelist()
    assert "pellucid/py.typed" in files
    assert [each for each in files if each.endswith((".cpp", ".hpp", ".so"))] == []

"""What the build fills in: the version, and the README and URLs that a registry shows."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_PROJECT = Path(__file__).parents[1]
_RELATIVE_LINK = re.compile(r"(!?)(\[[^]]*\])\((?!https?:|#)([^)]+)\)")
_VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)


def dynamic_metadata(_settings: Mapping[str, Any], _project: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that pyproject.toml calls dynamic.

    The environment variable PELLUCID_ADDRESS says where the project is, for example
    https://github.com/NAME/pellucid; it is given when a release is built.
    """
    address = os.environ.get("PELLUCID_ADDRESS", "").rstrip("/")
    return {
        "version": _version(),
        "readme": {"content-type": "text/markdown", "text": _readme(address)},
        "urls": _urls(address),
    }


def _version() -> str:
    found = _VERSION.search((_PROJECT / "src/pellucid/__init__.py").read_text("utf-8"))
    if found is None:
        raise RuntimeError('src/pellucid/__init__.py has no line __version__ = "..."')
    return found[1]


def _readme(address: str) -> str:
    """Return the README; on a registry's page, links within the project have to be absolute."""
    text = (_PROJECT / "README.md").read_text("utf-8")
    if not address:
        return text
    return _RELATIVE_LINK.sub(
        lambda link: f"{link[1]}{link[2]}({address}/{'raw' if link[1] else 'blob'}/main/{link[3]})",
        text,
    )


def _urls(address: str) -> dict[str, str]:
    if not address:
        return {}
    return {
        "Source": address,
        "Issues": f"{address}/issues",
        "Documentation": f"{address}/blob/main/docs/index.md",
        "Changelog": f"{address}/blob/main/CHANGELOG.md",
    }

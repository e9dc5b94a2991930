"""The compiled module, where there is a C++ compiler, and what a registry shows of the project."""

from __future__ import annotations

import os
import re
import shlex
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

_SOURCES = Path("src/pellucid/_native")
_UNIX_OPTIONS = [
    "-std=c++17", "-O3", "-g0", "-pthread", "-fvisibility=hidden", "-fno-math-errno",
    "-fno-trapping-math", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Wno-psabi",
]  # fmt: skip
_MSVC_OPTIONS = ["/std:c++17", "/O2"]


class BuildInParallel(build_ext):
    """The usual build, with the source files compiled side by side."""

    def build_extension(self, ext: Extension) -> None:
        unix = self.compiler.compiler_type != "msvc"
        # What the environment asks for comes last, so that it counts: setuptools puts it first, and
        # which of CFLAGS and CXXFLAGS it takes for C++ depends on its version.
        own = shlex.split(os.environ.get("CXXFLAGS", "")) if unix else []
        ext.extra_compile_args = [*_UNIX_OPTIONS, *own] if unix else _MSVC_OPTIONS
        ext.extra_link_args = ["-pthread", "-ldl"] if unix else []
        compile_several = self.compiler.compile

        def compile_side_by_side(sources: list[str], **options: Any) -> list[str]:
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                objects = pool.map(lambda source: compile_several([source], **options), sources)
                return [each for group in objects for each in group]

        self.compiler.compile = compile_side_by_side
        super().build_extension(ext)


def _extensions() -> list[Extension]:
    if os.environ.get("PELLUCID_NATIVE") == "0":
        return []
    return [
        Extension(
            "pellucid._native.compiled",
            sources=sorted(map(str, _SOURCES.rglob("*.cpp"))),
            depends=sorted(map(str, _SOURCES.rglob("*.hpp"))),
            include_dirs=[str(_SOURCES), np.get_include()],
            define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
            language="c++",
            optional=True,
        )
    ]


#: where the project is, for example https://github.com/NAME/pellucid: given when a release is built
_ADDRESS = os.environ.get("PELLUCID_ADDRESS", "").rstrip("/")
_RELATIVE_LINK = re.compile(r"(!?)(\[[^]]*\])\((?!https?:|#)([^)]+)\)")


def _readme() -> str:
    """Return the README; on a registry's page, links within the project have to be absolute."""
    text = Path("README.md").read_text("utf-8")
    if not _ADDRESS:
        return text
    return _RELATIVE_LINK.sub(
        lambda link: (
            f"{link[1]}{link[2]}({_ADDRESS}/{'raw' if link[1] else 'blob'}/main/{link[3]})"
        ),
        text,
    )


def _urls() -> dict[str, str]:
    if not _ADDRESS:
        return {}
    return {
        "Source": _ADDRESS,
        "Issues": f"{_ADDRESS}/issues",
        "Documentation": f"{_ADDRESS}/blob/main/docs/index.md",
        "Changelog": f"{_ADDRESS}/blob/main/CHANGELOG.md",
    }


setup(
    ext_modules=_extensions(),
    cmdclass={"build_ext": BuildInParallel},
    long_description=_readme(),
    long_description_content_type="text/markdown",
    project_urls=_urls(),
)

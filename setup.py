"""The compiled module: built where there is a C++ compiler, left out where there is none."""

from __future__ import annotations

import os
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
        ext.extra_compile_args = _UNIX_OPTIONS if unix else _MSVC_OPTIONS
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


setup(ext_modules=_extensions(), cmdclass={"build_ext": BuildInParallel})

"""Write the type stubs of what is made from declarations: ``python docs/generate_stubs.py``."""

from __future__ import annotations

from pathlib import Path

import pellucid
from pellucid.core.public import METHODS, faces

SOURCE = Path(pellucid.__file__).parent


def methods() -> str:
    """Return the stub of the methods of `Tensor`."""
    lines = [
        '"""The methods of `Tensor`; written by docs/generate_stubs.py."""',
        "",
        "from typing import Any",
        "",
        "from pellucid.tensors.conversions import Conversions",
        "",
        "class Operations(Conversions):",
        "    @property",
        "    def _cdata(self) -> int: ...",
        "    @staticmethod",
        "    def array_from_arguments(args: tuple[Any, ...], dtype: Any) -> Any: ...",
    ]
    for name, face in sorted(faces[METHODS].items()):
        if isinstance(face.declaration.function, property):
            lines.append(f"    {name}: Any")
        else:
            lines.append(f"    def {name}(self, *args: Any, **kwargs: Any) -> Any: ...")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (SOURCE / "tensors" / "methods.pyi").write_text(methods(), encoding="utf-8")

"""Operations: each is defined once, in the file of its family, with its public names above it.

What a definition is says `pellucid.core.definition.op`, and what its names are
`pellucid.core.definition.public`.
"""

import os
import warnings
from types import ModuleType

# What log(0) or 1/0 gives is the answer, as in PyTorch, and NumPy's warning about it would name a
# line of the library. The filter holds for these lines alone. It costs nothing per call, which an
# `errstate` would; where a program makes warnings errors, `call.failed` computes again under one.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"pellucid\.")


def submodules(package: ModuleType) -> list[str]:
    """Return the full names of the files and folders of a package; `pkgutil` takes longer."""
    names = sorted(file.removesuffix(".py") for file in os.listdir(package.__path__[0]))
    return [
        f"{package.__name__}.{name}" for name in names if name.isidentifier() and name[0] != "_"
    ]

"""What the house asks of its outbuildings: packages that nothing in it imports.

`pellucid` itself says how each of them is loaded, when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Outbuildings:
    """Packages, each as a function that loads and returns it."""

    __slots__ = ("array_api", "compiling", "parallel", "pytorch", "sparse")

    #: the functions of the array API standard
    array_api: Callable[[], Any]
    #: `torch.compile`
    compiling: Callable[[], Any]
    #: the face of `nn.parallel`, which loads what several processes need later
    parallel: Callable[[], Any]
    #: the graphs of an installed PyTorch
    pytorch: Callable[[], Any]
    #: tensors of which few elements are not zero
    sparse: Callable[[], Any]


outbuildings = Outbuildings()

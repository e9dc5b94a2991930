"""Packages of layers above, which are loaded when something here first asks for them.

`pellucid`, which is above all layers, says how, so that nothing below knows where they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class FromAbove:
    """The packages, each of them as a function that loads and returns it."""

    __slots__ = ("array_api", "sparse")

    #: tensors of which few elements are not zero
    sparse: Callable[[], Any]
    #: the functions of the array API standard
    array_api: Callable[[], Any]


from_above = FromAbove()

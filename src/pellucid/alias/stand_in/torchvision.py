"""Give a process that a program under the alias spawned its torchvision."""

from __future__ import annotations

import sys

from pellucid.alias import install_as_torch

if __name__ == "torchvision":  # and not when a tool imports whatever file there is
    del sys.modules[__name__]
    install_as_torch()
    __import__(__name__)

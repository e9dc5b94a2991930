"""Give a process that a program under the alias spawned its torch."""

from __future__ import annotations

import sys

from pellucid.alias import install_as_torch

del sys.modules[__name__]
install_as_torch()
__import__(__name__)

"""Make a process that was started afresh by a program under the alias see pellucid as torch."""

from __future__ import annotations

import sys

from pellucid.alias import install_as_torch

del sys.modules[__name__]
install_as_torch()
__import__(__name__)

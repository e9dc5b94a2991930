"""Threads by OpenMP: none are started here."""

from __future__ import annotations

from pellucid.compat.absent import constant_function

is_available = constant_function(False, "Return False: nothing is computed in such threads.")

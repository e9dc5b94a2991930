"""Threads by OpenMP: none are started here."""

from __future__ import annotations

from pellucid.compat.absent import answering

is_available = answering(False, "Return False: nothing is computed in such threads.")

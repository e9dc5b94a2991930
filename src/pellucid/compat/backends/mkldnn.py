"""Intel's library for deep networks: it is not used."""

from __future__ import annotations

from pellucid.compat.absent import answering

is_available = answering(False, "Return False: only NumPy is called.")
enabled = False

"""The library NNPACK: it is not used."""

from __future__ import annotations

from pellucid.compat.absent import constant_function

is_available = constant_function(False, "Return False: only NumPy is called.")

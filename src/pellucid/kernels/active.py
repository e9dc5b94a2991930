"""The kernels in use, chosen when the library is imported."""

from __future__ import annotations

from pellucid.kernels.native import chosen

cpu = chosen()

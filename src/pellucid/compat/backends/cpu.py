"""What the processor can do: that is left to NumPy."""

from __future__ import annotations

from pellucid.compat.absent import answering

get_cpu_capability = answering("DEFAULT", "Return DEFAULT: NumPy chooses among its kernels.")

"""What the processor can do: that is left to NumPy."""

from __future__ import annotations

from pellucid.compat.absent import constant_function

get_cpu_capability = constant_function(
    "DEFAULT", "Return DEFAULT: NumPy chooses among its kernels."
)

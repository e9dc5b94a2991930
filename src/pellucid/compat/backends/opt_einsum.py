"""The package opt_einsum: the order of contractions is found without it."""

from __future__ import annotations

from pellucid.compat.absent import NullContext, constant_function

is_available = constant_function(False, "Return False: the package is not used.")
enabled = False
strategy: str | None = None


class flags(NullContext):  # noqa: N801 - PyTorch's name
    """A context manager without effect: there is no package to switch off."""

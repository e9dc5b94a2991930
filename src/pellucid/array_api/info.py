"""What the namespace says about itself."""

from __future__ import annotations

from typing import Any

import pellucid as torch
from pellucid.array_api.data_types import KINDS
from pellucid.device import cpu_device, device
from pellucid.dtypes import dtype

VERSION = "2025.12"
#: the versions whose functions are all here, with the meaning that they have there
VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", VERSION)


class NamespaceInfo:
    """The devices and dtypes that there are, and what can be done."""

    def capabilities(self) -> dict[str, Any]:
        """Return that masks and shapes that depend on values are supported."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> device:
        """Return the device of new arrays."""
        return cpu_device

    def devices(self) -> tuple[device, ...]:
        """Return all devices."""
        return (cpu_device,)

    def default_dtypes(self, *, device: Any = None) -> dict[str, dtype]:
        """Return the dtypes of new arrays for which none is given."""
        real = torch.get_default_dtype()
        return {
            "real floating": real,
            "complex floating": torch.promote_types(real, torch.complex64),
            "integral": torch.int64,
            "indexing": torch.int64,
        }

    def dtypes(
        self, *, device: Any = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, dtype]:
        """Return the dtypes of a kind, or of several, by name."""
        kinds = ("bool", "numeric") if kind is None else (kind,) if isinstance(kind, str) else kind
        return {each.name: each for name in kinds for each in KINDS[name]}

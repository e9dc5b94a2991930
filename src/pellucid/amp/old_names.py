"""The warning of names that say the device, from before there was ``torch.amp``."""

from __future__ import annotations

import warnings

from pellucid.autograd.sites import user_stacklevel


def warn_of_old_name(old: str, now: str) -> None:
    """Warn of a call by an old name; say how it is called now."""
    warnings.warn(
        f"`torch.{old}(args...)` is deprecated. Please use `torch.amp.{now}` instead.",
        FutureWarning,
        stacklevel=user_stacklevel(),
    )

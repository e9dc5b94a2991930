"""Operations that deterministic programs may not use."""

from __future__ import annotations

import warnings

from pellucid.autograd.sites import user_stacklevel
from pellucid.core.memory.unset import unset
from pellucid.errors import GraphError

_HELP = (
    "file an issue at https://github.com/pytorch/pytorch/issues to help us prioritize "
    "adding deterministic support for this operation."
)


def alert_not_deterministic(name: str) -> None:
    """Refuse an operation of which PyTorch has no deterministic form, where those are required.

    Its results are the same each time here: what PyTorch refuses is refused so that programs behave
    alike.

    Raises:
        RuntimeError: Unless nothing is required, or a warning is enough.
    """
    if not unset.deterministic:
        return
    if unset.warn_only:
        warned = (
            f"{name} does not have a deterministic implementation, but you set "
            f"'torch.use_deterministic_algorithms(True, warn_only=True)'. You can {_HELP}"
        )
        warnings.warn(warned, UserWarning, stacklevel=user_stacklevel())
        return
    raise GraphError(
        f"{name} does not have a deterministic implementation, but you set "
        "'torch.use_deterministic_algorithms(True)'. You can turn off determinism just for this "
        f"operation, or you can use the 'warn_only=True' option, if that's acceptable for your "
        f"application. You can also {_HELP}\n  Results are the same each time here; PyTorch's are "
        "not where several values are written to one place."
    )

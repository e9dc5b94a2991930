"""The settings of compilation, and what has been compiled."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

#: what programs set; only `recompile_limit` and `disable` have an effect here
config: Any = SimpleNamespace(
    accumulated_recompile_limit=256, allow_unspec_int_on_nn_module=False,
    assume_static_by_default=True, automatic_dynamic_shapes=True, cache_size_limit=8,
    capture_dynamic_output_shape_ops=False, capture_scalar_outputs=False, disable=False,
    force_parameter_static_shapes=True, inline_inbuilt_nn_modules=True, recompile_limit=8,
    suppress_errors=False, verbose=False,
)  # fmt: skip


class Options(NamedTuple):
    """The arguments of `torch.compile`."""

    fullgraph: bool = False
    dynamic: bool | None = None
    #: called with a graph and example inputs; None where the replay itself is what runs
    backend: Any = None


class Stance:
    """What compiled functions are to do, for all of the program."""

    def __init__(self) -> None:
        self.name = "default"

    @property
    def fails(self) -> bool:
        """Whether a call that no recording holds for is an error."""
        return self.name == "fail_on_recompile"


stance = Stance()


def runs_plain() -> bool:
    """Return whether compiled functions are to run as they are."""
    return stance.name == "force_eager" or config.disable


#: all that keeps recordings
everything: weakref.WeakSet[Any] = weakref.WeakSet()
#: backends of the program's own, by name
backends: dict[str, Callable[..., Any]] = {}


def forget_everything() -> None:
    """Forget all recordings of all functions."""
    for each in tuple(everything):
        each.forget()

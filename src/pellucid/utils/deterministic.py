"""Whether memory that nobody has set is filled while deterministic algorithms are asked for.

>>> import pellucid as torch
>>> torch.use_deterministic_algorithms(True)
>>> torch.empty(2)
tensor([nan, nan])
>>> torch.utils.deterministic.fill_uninitialized_memory = False
>>> torch.utils.deterministic.fill_uninitialized_memory = True
>>> torch.use_deterministic_algorithms(False)
"""

import sys
import types

from pellucid.core.memory.unset import unset
from pellucid.errors import ArgumentTypeError


class _Module(types.ModuleType):
    """The type of this module, whose one variable may be set."""

    @property
    def fill_uninitialized_memory(self) -> bool:
        """Whether `torch.empty` and `Tensor.resize_` fill what they do not set."""
        return unset.fill

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise ArgumentTypeError(
                "_set_deterministic_fill_uninitialized_memory(): argument 'mode' (position 1) "
                f"must be bool, not {type(mode).__name__}"
            )
        unset.fill = mode


sys.modules[__name__].__class__ = _Module

"""The accelerator of this machine, whichever kind it is: there is none.

>>> torch.accelerator.is_available(), torch.accelerator.current_accelerator()
(False, None)
"""

from __future__ import annotations

from pellucid.compat.absent import NullContext, constant_function, unavailable

_refused = unavailable("Cannot access accelerator device when none is available.")

is_available = constant_function(False, "Return False: there is no accelerator.")
device_count = constant_function(0, "Return 0: there is no accelerator.")
current_accelerator = constant_function(None, "Return None: there is no accelerator.")
current_device_index = current_device_idx = set_device_index = set_device_idx = _refused
synchronize = current_stream = set_stream = empty_cache = _refused
memory_allocated = max_memory_allocated = memory_reserved = max_memory_reserved = _refused
memory_stats = get_memory_info = reset_peak_memory_stats = _refused
reset_accumulated_memory_stats = _refused


class device_index(NullContext):  # noqa: N801 - PyTorch's name
    """A context manager that raises RuntimeError for any device but ``None``."""

    def __init__(self, device: int | None) -> None:
        self._wanted = device

    def __enter__(self) -> None:
        if self._wanted is not None:
            _refused()

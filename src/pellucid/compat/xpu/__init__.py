"""Intel's graphics processors: there are none here."""

from __future__ import annotations

from pellucid.compat.absent import constant_function, unavailable

_refused = unavailable("Torch not compiled with XPU enabled: pellucid computes on the CPU.")
_ZERO = "Return 0: there is no such device."
_NONE = "Do nothing: there is no such device."

is_available = is_initialized = is_bf16_supported = constant_function(
    False, "Return False: there is no such device."
)
device_count = memory_allocated = max_memory_allocated = constant_function(0, _ZERO)
memory_reserved = max_memory_reserved = constant_function(0, _ZERO)
empty_cache = manual_seed = manual_seed_all = seed = seed_all = constant_function(None, _NONE)
synchronize = current_device = init = initial_seed = get_device_name = _refused
get_device_properties = get_device_capability = current_stream = _refused
get_rng_state = set_rng_state = _refused

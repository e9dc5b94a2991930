"""Apple's graphics processors: there are none here."""

from __future__ import annotations

from pellucid.compat.absent import constant_function, unavailable

_refused = unavailable("Cannot execute this without MPS backend: pellucid computes on the CPU.")

is_available = constant_function(False, "Return False: there is no such device.")
device_count = constant_function(0, "Return 0: there is no such device.")
manual_seed = constant_function(None, "Do nothing: there is no such device.")
seed = synchronize = empty_cache = get_rng_state = set_rng_state = _refused
current_allocated_memory = driver_allocated_memory = recommended_max_memory = _refused
set_per_process_memory_fraction = _refused

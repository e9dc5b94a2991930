"""Apple's graphics processors: there are none here."""

from __future__ import annotations

from pellucid.compat.absent import answering, refusing

_refused = refusing("Cannot execute this without MPS backend: pellucid computes on the CPU.")

is_available = answering(False, "Return False: there is no such device.")
device_count = answering(0, "Return 0: there is no such device.")
manual_seed = answering(None, "Do nothing: there is no such device.")
seed = synchronize = empty_cache = get_rng_state = set_rng_state = _refused
current_allocated_memory = driver_allocated_memory = recommended_max_memory = _refused
set_per_process_memory_fraction = _refused

"""Apple's graphics processors: there is no code for them."""

from __future__ import annotations

from pellucid.compat.absent import constant_function

is_available = is_built = constant_function(
    False, "Return False: there is no code for such devices."
)
is_macos_or_newer = is_macos13_or_newer = constant_function(
    False, "Return False: nobody needs to know."
)

"""Apple's graphics processors: there is no code for them."""

from __future__ import annotations

from pellucid.compat.absent import answering

is_available = is_built = answering(False, "Return False: there is no code for such devices.")
is_macos_or_newer = is_macos13_or_newer = answering(False, "Return False: nobody needs to know.")

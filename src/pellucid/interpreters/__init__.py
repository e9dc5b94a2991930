"""Other meanings of an op call: forward mode, autocast, vmap."""

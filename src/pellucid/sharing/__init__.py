"""Memory that several processes share, and how its descriptors travel between them."""

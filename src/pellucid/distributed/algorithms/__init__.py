"""Ways to exchange less, or otherwise, than plain data-parallel training does."""

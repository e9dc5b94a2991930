"""In-place changes, and the regions of memory that tensors share."""

"""Sets of array kernels, one per kind of device; they know nothing of derivatives."""

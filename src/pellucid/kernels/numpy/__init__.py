"""The reference kernels, in NumPy and SciPy."""

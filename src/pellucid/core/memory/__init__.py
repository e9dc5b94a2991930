"""The memory of tensors: who owns it, in which order it lies, and whether it may be written to."""

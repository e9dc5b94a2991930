"""Array kernels: they know nothing of tensors or derivatives."""

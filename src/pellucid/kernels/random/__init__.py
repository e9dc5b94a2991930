"""PyTorch's streams of random numbers."""

"""PyTorch's own test files, run against pellucid: ``make pytorch-tests``."""

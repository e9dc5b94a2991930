"""Hooks that say how the gradients of `DistributedDataParallel` are exchanged."""

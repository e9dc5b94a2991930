"""What scripts that torchrun starts take from ``torch.distributed.elastic``."""

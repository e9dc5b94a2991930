"""What scripts that torchrun starts use to report their errors."""

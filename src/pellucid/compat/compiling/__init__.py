"""`torch.compile`: functions recorded at their first call, and run again from the recording."""

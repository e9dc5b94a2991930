"""Timings of pellucid, side by side with PyTorch where it is installed. Never a test."""

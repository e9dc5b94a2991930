"""Reductions, running reductions, and order statistics."""

"""Ranks that train by themselves, and average their parameters from time to time."""

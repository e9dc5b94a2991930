"""Modules that compute their activations again in backward."""

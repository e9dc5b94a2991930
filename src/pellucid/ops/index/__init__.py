"""Indexing, gathering and scattering."""

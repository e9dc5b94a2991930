"""Checking derivatives, and comparing results, for tests of one's own."""

"""The call of an op: in full, written out as source for the usual case, and compiled."""

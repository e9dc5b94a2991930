"""Arguments that do not fit, and errors that tell an op's failure in full."""

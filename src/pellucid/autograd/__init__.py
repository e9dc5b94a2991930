"""The graph and its engine; knows no arrays and no operations."""

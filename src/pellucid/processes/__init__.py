"""Processes that work together: groups of them, what they exchange, and what happens if one fails.

`pellucid.distributed` shows this to users; modules and optimizers below it start here. Processes
are run and connected by MPI, through mpi4py, which is imported when the first group of more than
one process is made.
"""

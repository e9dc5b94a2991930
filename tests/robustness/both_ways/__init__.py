"""Random programs, each run with the compiled module and without it, and all of it compared.

`generator` writes programs, `vocabulary` has what they name, `worker` runs one and describes what
it did, `pair` runs one both ways, `comparing` says whether two descriptions agree (`agreement` is
the table of what has the same bits), `shrinking` makes a program small. ``python -m
tests.robustness.both_ways --help`` says what can be asked for.
"""

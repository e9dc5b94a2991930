"""Random programs run by PyTorch and here, and all that they can observe compared.

`generator` writes programs from the forms in `forms`; `running` runs one under a library and, after
each of its statements, has `observing` write down what it can see; `comparing` finds the first
difference of each level, `known` says which row of docs/differences.md explains it, `shrinking`
makes a program small. ``python -m tests.parity.programs --help`` says what can be asked for.
"""

"""The errors of the graph, which tell what happened with the user's lines.

PyTorch's sentence comes first. Then one row for each line of the user's that has a part in it, and
last what to do. The exceptions hold text only: no node, tensor or frame.
"""

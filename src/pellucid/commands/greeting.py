"""What the command says when it is given nothing to do."""

from __future__ import annotations

_GREETING = """\
pellucid {version}: PyTorch's dynamic graph in readable Python, which people can see through.

  pellucid demo                     two losses on one trunk, step by step, and a page to look at
  pellucid learn                    the lessons: questions about graphs, each with a pass to play
  pellucid graph FILE               the graph of a program's first backward; --html PAGE draws it
  pellucid run FILE                 a program written for PyTorch, with pellucid in its place
  pellucid watch FILE               the same, watched: its steps, what trains badly, time by line
  pellucid info                     versions, the compiled module, BLAS and threads

`pellucid COMMAND --help` says more, and `python -m pellucid` is the same command. In a program:

  import pellucid as torch

  x = torch.tensor([1.0, 2.0], requires_grad=True)
  loss = (x * x).sum()
  print(torch.inspect.graph(loss))
  loss.backward()
"""


def greeting(version: str) -> str:
    """Return what can be done, as text."""
    return _GREETING.format(version=version)

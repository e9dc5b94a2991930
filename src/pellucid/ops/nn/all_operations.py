"""All operations of neural networks: importing this declares them.

Few programs without layers need one, so `pellucid.nn.functional` imports it, and so does `pellucid`
when it is asked for a name that it does not know.
"""

from __future__ import annotations

from importlib import import_module

from pellucid.ops import nn, submodules

for _file in submodules(nn):
    import_module(_file)

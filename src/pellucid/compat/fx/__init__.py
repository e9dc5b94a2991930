"""Symbolic tracing: a module's forward written down as a graph, and graphs as modules.

pellucid records a graph of derivatives while it runs, which `pellucid.inspect` shows; this is the
other kind, of the program itself, for those who transform programs.
"""

from __future__ import annotations

from pellucid.compat.fx import graph, graph_module, immutable_collections, node, proxy
from pellucid.compat.fx._symbolic_trace import Tracer, symbolic_trace, wrap
from pellucid.compat.fx.graph import CodeGen, Graph
from pellucid.compat.fx.graph_module import GraphModule
from pellucid.compat.fx.interpreter import Interpreter, Transformer
from pellucid.compat.fx.node import Node, has_side_effect
from pellucid.compat.fx.proxy import Proxy, ProxyableClassMeta
from pellucid.compat.fx.subgraph_rewriter import replace_pattern

__all__ = [
    "CodeGen", "Graph", "GraphModule", "Interpreter", "Node", "Proxy", "ProxyableClassMeta",
    "Tracer", "Transformer", "graph", "graph_module", "has_side_effect", "immutable_collections",
    "node", "proxy", "replace_pattern", "symbolic_trace", "wrap",
]  # fmt: skip

"""A graph for other programs: JSON and networkx have every node, leaf and edge."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import networkx

import pellucid as torch
from pellucid.inspect import Graph, graph


def picture() -> Graph:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (w * torch.ones(2)).exp()
    return graph((y * y).sum())


def test_json_has_what_the_picture_has(tmp_path: Path) -> None:
    shown = picture()
    shown.json(tmp_path / "graph.json")
    content = json.loads((tmp_path / "graph.json").read_text("utf-8"))
    assert content == shown.to_dict()
    assert [each["name"] for each in content["nodes"]] == [node.name for node in shown.nodes]
    assert [each["operands"] for each in content["nodes"]] == [[2], [3, 3], [4], [-1, None]]
    assert content["leaves"][0]["name"] == "w"
    assert content["nodes"][1]["saved"][0]["shape"] == [2]
    assert content["held_bytes"] == shown.held_bytes


def test_nodes_are_counted_in_a_terminal_while_they_are_written(
    tmp_path: Path, terminal: io.StringIO
) -> None:
    shown = picture()
    shown.json(tmp_path / "graph.json")
    assert re.findall(r"writing: (\d) of 4 nodes", terminal.getvalue()) == ["1", "2", "3", "4"]
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_a_freed_node_tells_what_freed_it() -> None:
    w = torch.ones(2, requires_grad=True)
    loss = (w * w).sum()
    loss.backward()
    product = graph(loss).to_dict()["nodes"][1]
    assert product["state"] == "freed"
    assert product["freed_by"]["call"] == "backward"


def test_networkx_finds_the_ways_that_gradients_go() -> None:
    shown = picture()
    found = shown.to_networkx()
    assert set(found) == {1, 2, 3, 4, -1}
    assert [data["operand"] for *_, data in found.out_edges(2, data=True)] == [0, 1]
    assert networkx.is_directed_acyclic_graph(found)
    assert networkx.shortest_path(found, 1, -1) == [1, 2, 3, 4, -1]
    assert found.nodes[-1]["kind"] == "leaf"
    assert found.nodes[3]["op"] == "exp"
    assert found.graph["roots"] == [1]

"""The outline of a graph: groups by module and by loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import pellucid as torch
from pellucid.inspect import Graph, graph
from pellucid.inspect.page.outline import MOST_PARTS, Group, Outline
from tests.inspect.page import graphs


def nodes_of(group: Group) -> Iterator[int]:
    for part in group.parts:
        if isinstance(part, Group):
            yield from nodes_of(part)
        else:
            yield part


@pytest.mark.parametrize(
    "make",
    [
        graphs.heads,
        lambda: graphs.loop(100),
        lambda: graphs.encoder(3),
        lambda: graphs.tangle(200, seed=1),
        lambda: graphs.tangle(2000, seed=2),
    ],
)
def test_every_node_is_there_once_in_the_order_of_the_program(make: Callable[[], Graph]) -> None:
    picture = make()
    outline = Outline(picture)
    assert list(nodes_of(outline.root)) == list(range(len(picture.nodes), 0, -1))
    for group in outline.groups:
        assert group.nodes == len(list(nodes_of(group)))
        assert 1 < len(group.parts) <= MOST_PARTS or group is outline.root


def test_rounds_of_a_loop_are_a_repeat() -> None:
    outline = Outline(graphs.loop(20))
    (repeat,) = (group for group in outline.groups if group.sort == "repeat")
    rounds = [part for part in repeat.parts if isinstance(part, Group)]
    assert repeat.times == len(rounds) == 19  # the first round has one operand less
    assert {group.nodes for group in rounds} == {5}
    assert [group.title for group in rounds[:2]] == ["round 1", "round 2"]


def test_a_long_loop_is_cut_into_ranges_of_rounds() -> None:
    outline = Outline(graphs.loop(200))
    (repeat,) = (group for group in outline.groups if group.sort == "repeat")
    ranges = [part for part in repeat.parts if isinstance(part, Group)]
    assert {group.sort for group in ranges} == {"range"}
    assert ranges[0].title == f"round 1 … {MOST_PARTS}"


def test_modules_are_groups_in_groups() -> None:
    outline = Outline(graphs.encoder(2))
    titles = {group.title: group for group in outline.groups if group.sort == "module"}
    attention = titles["self_attn"]
    assert attention.parent is not None
    assert attention.parent.title in ("0", "1")
    assert attention.parent.parent is titles["layers"]


def test_equal_layers_are_a_repeat_though_their_numbers_differ() -> None:
    layers = [torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh()) for _ in range(8)]
    outline = Outline(graph(torch.nn.Sequential(*layers)(torch.ones(1, 3)).sum()))
    (repeat,) = (group for group in outline.groups if group.sort == "repeat")
    assert (repeat.times, repeat.title) == (7, "1 … 7")  # the first has an input without grad


def test_a_module_of_one_node_is_no_group_but_the_node_names_it() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
    outline = Outline(graph(model(torch.ones(1, 2)).sum()))
    assert outline.groups == [outline.root]
    named = [outline.shows_module(node.number) for node in outline.picture.nodes]
    assert named == [False, True, True]


def test_a_parameter_of_one_layer_is_written_into_the_box_of_its_node() -> None:
    layer, scale = torch.nn.Linear(2, 2), torch.ones(2, requires_grad=True)
    outline = Outline(graph((layer(torch.ones(1, 2)) * scale).sum()))
    names = {leaf.number: leaf.name for leaf in outline.picture.leaves}
    assert {names[number] for number in outline.inlined} == {"Linear.weight", "Linear.bias"}
    node = outline.picture.find("linear")[0]
    assert outline.leaves_inside(node) == ("Linear.weight", "Linear.bias")
    assert [names[number] for number in outline.root.leaves] == ["scale"]


def test_a_leaf_belongs_to_the_smallest_group_with_all_its_uses() -> None:
    class Scaled(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = torch.nn.Parameter(torch.ones(2))

        def forward(self, x):
            return torch.tanh(x * self.scale) * self.scale

    model = torch.nn.Sequential(Scaled(), torch.nn.Tanh())
    outline = Outline(graph(model(torch.ones(1, 2)).sum()))
    (scaled,) = (group for group in outline.groups if group.title == "0")
    assert (scaled.leaves, outline.root.leaves) == ([1], [])


def test_a_leaf_alone_is_an_outline_without_nodes() -> None:
    outline = Outline(graph(torch.ones(3, requires_grad=True)))
    assert (outline.root.parts, outline.root.leaves) == ([], [1])

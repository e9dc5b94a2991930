"""The picture of a graph: what it tells, and that taking it changes nothing."""

from __future__ import annotations

import dataclasses
import gc
import weakref
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.errors import NoGraphError
from pellucid.inspect import graph


def story() -> tuple[Any, Any, Any]:
    w = torch.ones(2, 3, requires_grad=True)
    y = w * 2.0
    loss = (y * w).sum()
    return w, y, loss


# ---- what it tells ----


def test_nodes_come_in_the_order_in_which_backward_runs_them() -> None:
    _, _, loss = story()
    ran: list[str] = []
    picture = graph(loss)
    for node in (loss.grad_fn, loss.grad_fn.next_functions[0][0]):
        node.register_prehook(lambda g, node=node: ran.append(node.name()))
    loss.backward()
    assert [node.name for node in picture.nodes][:2] == ran
    assert [node.number for node in picture.nodes] == [1, 2, 3]


def test_tensors_of_a_sequence_have_the_names_that_are_written_in_it() -> None:
    width = torch.ones(2, requires_grad=True)
    height = torch.ones(2, requires_grad=True)
    names = {leaf.name for leaf in graph(torch.cat([width, height], dim=0)).leaves}
    assert names == {"width", "height"}


def test_tensors_of_a_sequence_made_elsewhere_have_no_name() -> None:
    parts = [torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)]
    for picture in (graph(torch.cat(parts)), graph(torch.cat([*parts]))):
        assert len(picture.leaves) == 2
        assert not {"parts", "parts (2)"} & {leaf.name for leaf in picture.leaves}


def test_a_node_tells_op_line_text_output_and_operands() -> None:
    _, _, loss = story()
    product = graph(loss).nodes[1]
    assert (product.name, product.op) == ("MulBackward0", "mul")
    assert product.where.startswith("test_graph.py:")
    assert product.text == "loss = (y * w).sum()"
    assert product.outputs == ("float32[2, 3]",)
    assert product.operands == (3, -1)


def test_a_saved_value_tells_name_shape_dtype_and_bytes() -> None:
    x = torch.ones(2, 3, dtype=torch.float64, requires_grad=True)
    (value,) = graph(x.exp()).nodes[0].saved
    assert (value.name, value.shape, value.dtype, value.bytes) == ("out", (2, 3), "float64", 48)


def test_a_saved_leaf_is_told_by_its_name_and_counted_with_the_leaves() -> None:
    _, _, loss = story()
    picture = graph(loss)
    assert [value.leaf for value in picture.nodes[1].saved if value.leaf] == [1]
    assert picture.leaves[0].name == "w"
    assert picture.leaf_bytes == 24


def test_states_are_live_freed_and_nothing_saved() -> None:
    _, y, loss = story()
    loss.backward(retain_graph=y)
    assert [node.state for node in graph(loss).nodes] == ["saves nothing", "freed", "live"]


def test_a_freed_node_tells_which_backward_freed_it_and_where() -> None:
    _, _, loss = story()
    loss.backward()
    freed = graph(loss).nodes[1].freed_by
    assert freed is not None
    assert freed.call == "backward"
    assert freed.where.startswith("test_graph.py:")
    assert f"freed by backward #{freed.number}, {freed.where}" in str(graph(loss))


def test_memory_that_several_nodes_save_is_counted_once() -> None:
    x = torch.ones(10, requires_grad=True)
    y = x.exp()
    z = y * y
    picture = graph(z * y)
    assert sum(len(node.saved) for node in picture.nodes) >= 4
    assert picture.held_bytes == 2 * 40  # y and z
    assert picture.total_bytes == 3 * 40


def test_each_node_tells_which_memory_it_keeps() -> None:
    x = torch.ones(4, requires_grad=True)
    y = x.exp()
    z = _Doubled.apply(y)
    picture = graph((z * z).sum() + x.sum())
    blocks = picture.kept.by_node(len(picture.nodes))
    product, doubled, exp = (
        blocks[picture.find(op)[0].number - 1] for op in ("mul", "_DoubledBackward", "exp")
    )
    assert set(doubled) == {*product, *exp}
    assert [picture.kept.sizes[block] for block in (*set(product), *exp)] == [16, 16]
    assert picture.held_bytes == 32


class _Doubled(torch.autograd.Function):
    """A custom function that keeps its input and its result."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        result = x * 2
        ctx.save_for_backward(x, result)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 2


def test_a_saved_view_counts_the_whole_memory_that_it_keeps_alive() -> None:
    big = torch.ones(100)
    w = torch.ones(1, requires_grad=True)
    assert graph(w * big[:1]).held_bytes == 400


def test_two_roots_share_one_picture() -> None:
    w = torch.ones(3, requires_grad=True)
    trunk = w.exp()
    first, second = (trunk * 2.0).sum(), trunk.sum()
    picture = graph(first, second)
    assert len(picture.nodes) == 4
    assert sorted(picture.nodes[root - 1].name for root in picture.roots) == ["SumBackward0"] * 2
    assert len(picture.find(op="exp")) == 1


def test_nodes_are_found_by_op_by_name_and_by_line() -> None:
    _, _, loss = story()
    picture = graph(loss)
    assert picture.find(op="mul") == picture.find(op="MulBackward0") == picture.nodes[1:]
    assert picture.find(where=picture.nodes[0].where) == picture.nodes[:2]


def test_the_module_of_a_node_is_told() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Linear(2, 1))
    picture = graph(net(torch.ones(4, 3)).sum())
    assert {node.module for node in picture.nodes} >= {"0", "1"}
    assert {leaf.name for leaf in picture.leaves} == {"0.weight", "0.bias", "1.weight", "1.bias"}
    assert "module" in str(picture)


def test_a_name_that_the_line_gives_away_is_not_the_leafs() -> None:
    x = torch.ones(3, requires_grad=True)
    x = x * 2.0
    assert [leaf.name for leaf in graph(x).leaves] == ["leaf 1"]


def test_several_leaves_of_one_name_are_told_apart() -> None:
    h: Any = torch.ones(3)
    for w in [torch.ones(3, requires_grad=True) for _ in range(3)]:
        h = h * w
    assert sorted(leaf.name for leaf in graph(h).leaves) == ["w", "w (2)", "w (3)"]


def test_a_leaf_alone_is_a_graph_without_nodes() -> None:
    picture = graph(torch.ones(3, requires_grad=True))
    assert (picture.nodes, len(picture.leaves), picture.roots) == ((), 1, (-1,))
    assert str(picture).startswith("graph: 0 nodes, 1 leaf")


def test_a_tensor_without_history_has_no_graph() -> None:
    with pytest.raises(NoGraphError, match="element 1 of tensors does not require grad"):
        graph(torch.ones(1, requires_grad=True), torch.ones(1))


def test_only_tensors_have_graphs() -> None:
    with pytest.raises(TypeError, match="graph\\(\\) takes tensors, not str"):
        graph("loss")


# ---- it changes nothing ----


def test_values_that_hooks_have_packed_are_not_unpacked() -> None:
    def refuse(packed: Any) -> Any:
        raise AssertionError("unpacked")

    w = torch.ones(3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, refuse):
        y = w * w
    picture = graph(y)
    assert [value.packed for value in picture.nodes[0].saved] == [True, True]
    assert "input packed" in str(picture)
    assert picture.held_bytes == 0


def test_no_hook_runs_and_no_version_changes() -> None:
    w, y, loss = story()
    ran: list[Any] = []
    y.register_hook(ran.append)
    loss.grad_fn.register_hook(lambda *g: ran.append(g))
    versions = [each._version for each in (w, y, loss)]
    str(graph(loss))
    assert ran == []
    assert [each._version for each in (w, y, loss)] == versions


def test_a_picture_keeps_nothing_alive(without_gc: None) -> None:
    w, y, loss = story()
    picture = graph(loss)
    str(picture)
    alive = [weakref.ref(each) for each in (w, y, loss, loss.grad_fn, y._array)]
    del w, y, loss
    assert [reference() for reference in alive] == [None] * 5
    assert "MulBackward0" in str(picture)


def test_a_picture_stays_as_it_was_when_the_graph_is_freed() -> None:
    _, _, loss = story()
    picture = graph(loss)
    before = str(picture)
    loss.backward()
    assert str(picture) == before
    assert str(graph(loss)) != before


def test_a_picture_is_frozen() -> None:
    picture = graph(story()[2])
    for part in (picture, picture.leaves[0], picture.nodes[2].saved[0]):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(part, dataclasses.fields(part)[0].name, None)
    with pytest.raises(AttributeError):
        picture.nodes[0].number = 7


def test_backward_runs_as_before_after_a_picture_was_taken() -> None:
    w, _, loss = story()
    graph(loss)
    loss.backward()
    assert torch.equal(w.grad, torch.full((2, 3), 4.0))


# ---- kinds of nodes ----


def test_a_view_that_was_changed_in_place_shows_what_the_change_saved() -> None:
    w = torch.ones(4, requires_grad=True)
    factor = torch.full((2,), 3.0, requires_grad=True)
    v = w.clone()
    v[:2].mul_(factor)
    (node,) = graph(v).find(op="CopySlices")
    assert {value.name for value in node.saved} == {"input", "other"}
    v.sum().backward()
    assert graph(v).find(op="CopySlices")[0].state == "freed"


def test_custom_functions_show_what_they_saved() -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.op = ctx.plan = "anything"
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 2 * ctx.saved_tensors[0] * g

    x = torch.ones(3, requires_grad=True) * 1.0
    node = graph(Square.apply(x)).nodes[0]
    assert node.name == "SquareBackward"
    assert [value.like for value in node.saved] == ["float32[3]"]


def test_several_outputs_are_shown() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    values = x.max(dim=1).values
    assert graph(values).nodes[0].outputs == ("float32[2]", "int64[2]")


# ---- as text ----


def test_the_text_of_a_small_graph() -> None:
    w = torch.ones(2, requires_grad=True)
    y = w.exp()
    z = (y * w).sum()
    last = int(graph(z).nodes[0].where.partition(":")[2])
    at, before = f"test_graph.py:{last}", f"test_graph.py:{last - 1}"
    assert str(graph(z)).splitlines() == [
        "graph: 3 nodes (2 live, 1 saving nothing), 1 leaf; holds 8 B beside the leaves' 8 B",
        "",
        "       node          output      from   line               source             saved",
        f"●  #1  SumBackward0  float32[]   #2     {at}  z = (y * w).sum()  nothing",
        f"●  #2  MulBackward0  float32[2]  #3, w  {at}  z = (y * w).sum()  "
        "other = w, input float32[2] 8 B",
        f"●  #3  ExpBackward0  float32[2]  w      {before}  y = w.exp()        out float32[2] 8 B",
        "",
        "  leaf",
        "  w     float32[2]  8 B  2 uses",
    ]


def rails(picture: Any) -> list[str]:
    lines = str(picture).splitlines()[3:]
    return [line.partition("#")[0].rstrip() for line in lines[: len(picture.nodes)]]


def test_rails_part_where_a_node_has_two_operands_and_meet_where_they_share_one() -> None:
    w = torch.ones(2, requires_grad=True)
    shared = w.exp()
    left, right = shared.sin(), shared.cos()
    assert rails(graph(left * right)) == ["●─╮", "● │", "├─●", "●"]


def test_rails_of_two_roots_meet_in_the_trunk() -> None:
    w = torch.ones(2, requires_grad=True)
    trunk = w.exp()
    assert rails(graph(trunk.sin().sum(), trunk.cos().sum())) == ["●", "●", "│ ●", "├─●", "●"]


def test_a_loop_is_folded() -> None:
    h: Any = torch.ones(2)
    w = torch.ones(2, requires_grad=True)
    for _ in range(10):
        h = (h * w).tanh()
    text = str(graph(h))
    assert "the 2 rows above 8 more times, #3 to #18" in text
    assert (
        text.count("MulBackward0") == 2
    )  # the last time, and the first, where h needs no gradient


def test_a_loop_in_a_loop_is_folded() -> None:
    h: Any = torch.ones(2, requires_grad=True).exp()
    for _ in range(7):
        for _ in range(9):
            h = h.sin()
        h = h.cos()
    text = str(graph(h))
    assert "the row above 8 more times" in text
    assert "the 3 rows above 6 more times, #11 to #70" in text


def test_layers_that_differ_in_their_number_only_are_folded() -> None:
    net = torch.nn.Sequential(*[torch.nn.Linear(2, 2) for _ in range(12)])
    assert "more times" in str(graph(net(torch.ones(1, 2)).sum()))


def test_nodes_of_another_state_are_not_folded_with_these() -> None:
    h: Any = torch.ones(2, requires_grad=True).exp()
    for step in range(20):
        h = h.sin()
        if step == 9:
            middle = h
    h.sum().backward(retain_graph=middle)
    text = str(graph(h))
    assert text.count("the row above 9 more times") == 2
    assert text.count("freed by backward") == 1


def test_rows_beyond_the_limit_are_counted() -> None:
    h: Any = torch.ones(2, requires_grad=True)
    random = np.random.default_rng(0)
    for _ in range(60):
        h = (h.sin, h.cos, h.exp)[random.integers(3)]()
    picture = graph(h)
    rows = len(picture.text(limit=None).splitlines())
    assert len(picture.text(limit=10).splitlines()) < 20 < rows
    assert "more rows; text(limit=None) has them all" in picture.text(limit=10)


def test_dot_has_every_node_and_edge() -> None:
    _, _, loss = story()
    dot = graph(loss).to_dot()
    assert dot.startswith("digraph {")
    assert "n1 -> n2;" in dot
    assert "n2 -> l1;" in dot
    assert 'label="w\\nfloat32[2, 3] 24 B"' in dot


def test_a_deep_graph_is_pictured_without_recursion(without_gc: None) -> None:
    y: Any = torch.ones(4, requires_grad=True)
    for _ in range(100_000):
        y = y * 1.5
    text = str(graph(y))
    assert "the row above 99,999 more times, #2 to #100,000" in text
    assert len(text.splitlines()) < 12
    assert gc.isenabled() is False

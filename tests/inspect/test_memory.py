"""The account of memory: every block once, told by node, by line, by module and by block."""

from __future__ import annotations

import json
import weakref
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.errors import NoGraphError
from pellucid.inspect import memory


def test_memory_that_several_nodes_save_counts_once() -> None:
    x = torch.ones(10, requires_grad=True)
    y = x.exp()
    z = y * y
    account = memory(z * y)
    assert account.held_bytes == 2 * 40  # y and z
    assert sorted(block.bytes for block in account.by_storage) == [40, 40]
    assert sum(node.bytes for node in account.by_node) > 80
    assert (account.leaf_bytes, account.total) == (40, 120)


def test_a_block_names_every_node_that_holds_it() -> None:
    x = torch.ones(10, requires_grad=True)
    y = x.exp()
    (block,) = memory((y * y).sum()).by_storage
    assert [(node, name) for _, node, name in block.holders] == [
        ("MulBackward0", "other"), ("MulBackward0", "input"), ("ExpBackward0", "out"),
    ]  # fmt: skip


def test_a_view_counts_the_whole_memory_that_it_keeps_alive() -> None:
    big = torch.ones(100)
    w = torch.ones(1, requires_grad=True)
    (block,) = memory(w * big[:1]).by_storage
    assert (block.bytes, block.like) == (400, "float32[1] of float32[100]")


def test_memory_of_leaves_is_apart_and_saved_leaves_are_counted_there() -> None:
    w = torch.ones(10, requires_grad=True)
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    account = memory(loss)
    (leaf,) = account.leaves
    assert account.held_bytes == 0
    assert (leaf.name, leaf.bytes, leaf.grad_bytes, leaf.saved_by) == ("w", 40, 40, 2)
    assert (account.leaf_bytes, account.grad_bytes) == (40, 40)


def test_leaves_of_one_memory_count_once() -> None:
    w = torch.ones(10, requires_grad=True)
    tied = torch.nn.Parameter(w.detach())
    account = memory(w.exp().sum() + tied.sin().sum())
    assert account.leaf_bytes == 40
    assert {leaf.shared_with for leaf in account.leaves} == {None, "w"}


def test_a_line_tells_what_only_its_nodes_hold() -> None:
    x = torch.ones(10, requires_grad=True)
    first = x.exp()
    second = first * first.sin()
    by_text = {share.text: share for share in memory(second).by_line}
    assert by_text["first = x.exp()"].bytes == 40
    assert by_text["first = x.exp()"].alone == 0
    assert by_text["second = first * first.sin()"].alone == 40  # the sine
    assert by_text["second = first * first.sin()"].shared == 40


def test_modules_are_told_apart() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Tanh())
    shares = {share.name: share for share in memory(net(torch.ones(4, 3)).sum()).by_module}
    assert shares["1"].bytes == 4 * 5 * 4  # what tanh gave
    assert shares["0"].bytes == 4 * 3 * 4  # the input of the layer
    assert shares[""].bytes == 0


def test_freed_nodes_tell_the_pass_that_freed_them() -> None:
    w = torch.ones(4, requires_grad=True)
    y = w.exp()
    loss = (y * w).sum()
    loss.backward(retain_graph=y)
    account = memory(loss)
    ((passed, count),) = account.freed
    assert (passed.call, count) == ("backward", 1)
    assert passed.where.startswith("test_memory.py:")
    assert [node.freed_by for node in account.by_node] == [None, passed, None]
    assert f"1 by backward #{passed.number}, {passed.where}" in str(account)


def test_a_block_in_use_beside_the_graph_is_told() -> None:
    x = torch.ones(4, requires_grad=True)
    kept = x.exp()
    loss = (kept.sin() * 2.0).sum()
    in_use = {block.holders[-1][1]: block.in_use for block in memory(loss).by_storage}
    assert in_use["ExpBackward0"] is True
    del kept
    assert [block.in_use for block in memory(loss).by_storage if block.bytes == 16] == [False]


def test_a_view_in_use_keeps_its_whole_memory_in_use() -> None:
    base = torch.ones(8)
    w = torch.ones(2, requires_grad=True)
    y = w * base[:2]
    assert [block.in_use for block in memory(y).by_storage] == [True]
    del base
    assert [block.in_use for block in memory(y).by_storage] == [False]


def test_indices_among_the_parameters_of_an_op_are_counted() -> None:
    x = torch.ones(100, requires_grad=True)
    index = torch.arange(50)
    assert memory(x[index]).held_bytes == 50 * 8


def test_what_a_custom_function_keeps_on_its_context_is_counted() -> None:
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.factor = torch.ones(100)
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    y = Scale.apply(torch.ones(3, requires_grad=True))
    (block,) = memory(y).by_storage
    assert (block.bytes, block.holders[0][2]) == (400, "ctx.factor")


def test_packed_values_are_counted_without_unpacking() -> None:
    def refuse(packed: Any) -> Any:
        raise AssertionError("unpacked")

    w = torch.ones(3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor.double(), refuse):
        y = w.exp()
    assert memory(y).held_bytes == 24
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: "on disk", refuse):
        y = w.exp()
    assert memory(y).held_bytes == 0


def test_an_account_keeps_nothing_alive(without_gc: None) -> None:
    x = torch.ones(4, requires_grad=True)
    y = x.exp()
    account = memory(y)
    str(account)
    gone = [weakref.ref(each) for each in (y.grad_fn, y._array)]
    del x, y
    assert [reference() for reference in gone] == [None, None]
    assert account.held_bytes == 16


def test_the_account_as_json() -> None:
    x = torch.ones(4, requires_grad=True)
    loss = x.exp().sum()
    loss.backward()
    told = json.loads(memory(loss).to_json())
    assert told["held_bytes"] == 0
    assert told["by_node"][1]["freed_by"]["call"] == "backward"
    assert told["leaves"][0]["grad_bytes"] == 16


def test_only_tensors_with_history_have_an_account() -> None:
    with pytest.raises(NoGraphError, match="element 0 of tensors does not require grad"):
        memory(torch.ones(1))
    with pytest.raises(TypeError, match="memory\\(\\) takes tensors, not str"):
        memory("loss")


def test_many_lines_blocks_and_leaves_are_cut_in_the_text() -> None:
    weights = [torch.ones(index + 1, requires_grad=True) for index in range(40)]
    total = sum((w.exp().sum() for w in weights), torch.zeros(()))
    text = str(memory(total))
    assert "and 32 blocks more" in text
    assert "and 28 leaves more" in text


def test_a_deep_graph_is_accounted_without_recursion(without_gc: None) -> None:
    y: Any = torch.ones(4, requires_grad=True)
    for _ in range(20_000):
        y = y.sin()
    account = memory(y)
    assert account.held_bytes == 19_999 * 16
    assert len(account.by_line) == 1
    assert "blocks more" in str(account)


def test_sums_agree_with_a_plain_count() -> None:
    random = np.random.default_rng(0)
    tensors = [torch.ones(4, requires_grad=True)]
    for _ in range(60):
        first, second = (tensors[index] for index in random.integers(len(tensors), size=2))
        tensors.append((first * second).tanh())
    account = memory(*tensors)
    addresses: dict[int, int] = {}
    for tensor in tensors[1:]:
        for node in (tensor.grad_fn, tensor.grad_fn.next_functions[0][0]):
            for value, _, _ in node.saved:
                addresses[id(value)] = value.nbytes
    addresses.pop(id(tensors[0]._array), None)
    assert account.held_bytes == sum(addresses.values())
    assert sum(share.alone for share in account.by_line) <= account.held_bytes

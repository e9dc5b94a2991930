from __future__ import annotations

import pytest

import pellucid as torch
from pellucid.core.definition.faces import Face, as_list, unsigned


def leaf(*shape: int) -> torch.Tensor:
    return torch.ones(shape, requires_grad=True)


def test_words_of_a_face_name_what_is_shown_where_it_comes_from_and_in_which_form() -> None:
    face = Face("self other=weight dim() correction()? exponent# index~ source@")
    assert face.saved == {
        "self": ("input", ""), "other": ("weight", ""), "dim": ("dim", "()"),
        "correction": ("correction", "()?"), "exponent": ("exponent", "#"),
        "index": ("index", "~"), "source": ("source", "@"),
    }  # fmt: skip


def test_sizes_of_an_operand_have_its_name_here() -> None:
    assert Face("self_sym_sizes").saved == {"self_sym_sizes": ("input", "")}


def test_negative_whole_numbers_count_from_the_end_of_64_bits() -> None:
    assert unsigned(-1) == 2**64 - 1
    assert unsigned((0, -2)) == (0, 2**64 - 2)
    assert unsigned(-1.0) == -1.0
    assert unsigned(True) is True


def test_a_number_is_shown_as_a_list_of_one_where_pytorch_takes_it_for_one() -> None:
    assert as_list(3) == (3,)
    assert as_list([1, 2]) == (1, 2)
    assert leaf(2, 3).logsumexp(0).grad_fn._saved_dim == (0,)


def test_an_operand_that_no_derivative_reads_is_saved_where_pytorch_saves_it() -> None:
    x = leaf(2)
    index = torch.tensor([0])
    assert x.gather(0, index).grad_fn._saved_self is x
    held = x * 2
    node = held.gather(0, index).grad_fn
    assert node._saved_self is held
    del held
    assert node._saved_self.tolist() == (x * 2).tolist()
    y = x.copysign(torch.ones(2))
    assert y.grad_fn._saved_result.tolist() == y.tolist()
    assert torch.ones(2).copysign(x).grad_fn._saved_self is None


def test_a_change_in_place_has_the_node_of_its_own_overload() -> None:
    for change, name in {
        "transpose_": "TransposeBackward1", "unsqueeze_": "UnsqueezeBackward1",
        "zero_": "ZeroBackward0", "fill_": "FillBackward2",
    }.items():  # fmt: skip
        y = leaf(2, 3) * 2
        getattr(y, change)(*{"transpose_": (0, 1), "zero_": ()}.get(change, (0,)))
        assert y.grad_fn.name() == name


def test_no_node_of_a_transform_is_seen_below_it() -> None:
    x = leaf(2)
    (y,) = torch.func.vjp(lambda v: v * 2, x)[1](torch.ones(2))
    assert torch.func.vjp(lambda v: v * 2, x)[0].grad_fn.next_functions[0][0].name().endswith(
        "AccumulateGrad"
    )  # fmt: skip
    assert y.tolist() == [2, 2]


def test_hooks_on_the_transposition_below_a_linear_map_see_both_sides_of_it() -> None:
    x, w = leaf(2, 3), leaf(4, 3)
    y = torch.nn.functional.linear(x, w)
    turned = y.grad_fn.next_functions[1][0]
    assert turned.name() == "TBackward0"
    assert turned is y.grad_fn.next_functions[1][0]
    assert turned.next_functions[0][0].variable is w
    shapes = []
    turned.register_prehook(lambda gs: shapes.append(tuple(gs[0].shape)))
    turned.register_hook(lambda into, out: shapes.append((into[0].shape, out[0].shape)))
    turned.register_prehook(lambda gs: (gs[0] * 2,))
    y.sum().backward()
    assert shapes == [(3, 4), ((4, 3), (3, 4))]
    assert w.grad.tolist() == [[4.0] * 3] * 4


def test_what_has_no_derivative_has_edges_to_what_requires_grad_alone() -> None:
    node = torch.heaviside(leaf(2), torch.ones(2)).grad_fn
    assert node.name() == "torch::autograd::NotImplemented"
    assert len(node.next_functions) == 1
    with pytest.raises(RuntimeError, match="derivative for aten::heaviside is not implemented"):
        torch.heaviside(leaf(2), torch.ones(2)).sum().backward()


def test_what_nodes_are_called_is_known_without_a_search_through_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*objects: object) -> None:
        raise AssertionError("memory is searched")

    frozen = torch.nn.Linear(2, 2).requires_grad_(False)
    hidden = leaf(3, 2, 2) * 1
    monkeypatch.setattr("gc.get_referrers", refuse)
    for y in (frozen(hidden), frozen(hidden[0]), hidden @ torch.ones(2, 2), hidden @ torch.ones(2)):
        assert y.grad_fn.name() in ("ViewBackward0", "AddmmBackward0", "UnsafeViewBackward0")
        assert y.grad_fn.next_functions

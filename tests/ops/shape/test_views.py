from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.testing.gradcheck import gradgradcheck
from tests.samples.grouped import together


def counted(*shape: int) -> torch.Tensor:
    return torch.arange(int(np.prod(shape)), dtype=torch.float64).view(*shape)


VIEWS = {
    "view": lambda x: x.view(4, 6),
    "view with -1": lambda x: x.view(-1, 3),
    "transpose": lambda x: x.transpose(0, 2),
    "permute": lambda x: x.permute(2, 0, 1),
    "squeeze": lambda x: x.unsqueeze(1).squeeze(1),
    "narrow": lambda x: x.narrow(2, 1, 2),
    "select": lambda x: x.select(1, -1),
    "slice": lambda x: x[:, 1:, ::2],
    "int and None": lambda x: x[1, None, ..., 2],
    "diagonal": lambda x: x.diagonal(1, 1, 2),
    "as_strided": lambda x: x.as_strided((3, 2), (4, 1), 2),
    "flatten": lambda x: x.flatten(1),
    "unflatten": lambda x: x.unflatten(2, (2, 2)),
    "movedim": lambda x: x.movedim(0, -1),
    "expand of one place": lambda x: x[:1].expand(1, 3, 4),
    "windows that do not overlap": lambda x: x.unfold(2, 2, 2),
}


@together()
@pytest.mark.parametrize("name", VIEWS)
def test_a_view_shares_memory(name: str) -> None:
    x = counted(2, 3, 4)
    part = VIEWS[name](x)
    assert part._is_view()
    assert np.shares_memory(part.numpy(), x.numpy())


@together()
@pytest.mark.parametrize("name", VIEWS)
def test_a_change_of_a_view_reaches_the_base_and_its_gradient(name: str) -> None:
    leaf = counted(2, 3, 4).requires_grad_()
    x = leaf * 1
    part = VIEWS[name](x)
    part.mul_(3)
    inside = np.zeros((2, 3, 4), bool)
    VIEWS[name](torch.from_numpy(inside)).fill_(True)
    factors = np.where(inside, 3.0, 1.0)
    assert np.array_equal(x.detach().numpy(), factors * leaf.detach().numpy())
    x.sum().backward()
    assert np.array_equal(leaf.grad.numpy(), factors)


@together()
@pytest.mark.parametrize("name", VIEWS)
def test_the_gradient_of_a_view_goes_to_the_places_it_looks_at(name: str) -> None:
    leaf = counted(2, 3, 4).requires_grad_()
    part = VIEWS[name](leaf)
    weights = counted(*part.shape) + 1
    (part * weights).sum().backward()
    expected = np.zeros((2, 3, 4))
    VIEWS[name](torch.from_numpy(expected)).copy_(weights)
    assert np.array_equal(leaf.grad.numpy(), expected)


def test_overlapping_windows_add_up_their_gradients() -> None:
    x = counted(5).requires_grad_()
    x.unfold(0, 3, 1).sum().backward()
    assert x.grad.tolist() == [1, 2, 3, 2, 1]


def test_view_refuses_strides_that_do_not_fit_and_reshape_copies() -> None:
    x = counted(2, 3).t()
    with pytest.raises(RuntimeError, match="view size is not compatible with input tensor's size"):
        x.view(6)
    assert x.reshape(6).tolist() == [0, 3, 1, 4, 2, 5]
    assert not np.shares_memory(x.reshape(6).numpy(), x.numpy())


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: x.view(5), RuntimeError, r"shape '\[5\]' is invalid for input of size 6"),
        (lambda x: x.view(-1, -1), RuntimeError, "only one dimension can be inferred"),
        (lambda x: x.transpose(0, 2), IndexError, "Dimension out of range"),
        (lambda x: x.permute(0, 0), RuntimeError, "duplicate dims are not allowed"),
        (lambda x: x.expand(4, 3), RuntimeError, "expanded size of the tensor"),
        (lambda x: x.split([1, 2]), RuntimeError, "split_sizes to sum exactly to 2"),
        (lambda x: x.narrow(0, 1, 2), RuntimeError, "exceeds dimension size"),
        (lambda x: x.as_strided((9,), (1,)), RuntimeError, "out of bounds for storage"),
        (lambda x: x.select(0, 2), IndexError, r"select\(\): index 2 out of range"),
    ],
)
def test_a_view_that_cannot_be_says_why(call, error, text) -> None:
    with pytest.raises(error, match=text):
        call(counted(2, 3))


def test_parts_of_a_tensor_put_together_give_it_back() -> None:
    x = counted(5, 2)
    for parts in (x.split(2), x.chunk(3), x.tensor_split(4), x.split([1, 4]), x.tensor_split((2,))):
        assert torch.cat(parts).tolist() == x.tolist()
    assert torch.stack(x.unbind(1), 1).tolist() == x.tolist()


def test_only_the_parts_that_are_used_get_gradient() -> None:
    x = counted(3, 2).requires_grad_()
    _, second, _ = x.unbind()
    (second * 2).sum().backward()
    assert x.grad.tolist() == [[0, 0], [2, 2], [0, 0]]


def test_one_of_several_views_may_not_be_changed_in_place() -> None:
    x = counted(2, 2).requires_grad_() * 1
    first, _ = x.unbind()
    with pytest.raises(RuntimeError, match="returns multiple views"):
        first.mul_(2)


def test_second_order_gradients_pass_through_views() -> None:
    x = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64, requires_grad=True)
    y = (x.view(2, 2).t()[0].unsqueeze(0).expand(3, 2) * x[1]).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    (g * g).sum().backward()
    # y = 3 x1 (x0 + x2): g = (3 x1, 3 (x0 + x2), 3 x1, 0)
    assert x.grad.tolist() == [18 * 4.0, 2 * 9 * 2 * 2.0, 18 * 4.0, 0]


def test_meshgrid_and_broadcast_tensors_agree_with_numpy() -> None:
    a, b = torch.arange(2), torch.arange(3)
    for indexing in ("ij", "xy"):
        ours = torch.meshgrid(a, b, indexing=indexing)
        theirs = np.meshgrid(a.numpy(), b.numpy(), indexing=indexing)
        assert [x.tolist() for x in ours] == [x.tolist() for x in theirs]


@pytest.mark.parametrize(
    "copied",
    [
        lambda x: x.clone(),
        lambda x: x.to(torch.float32),
        lambda x: torch.empty_like(x),
        lambda x: torch.rand_like(x),
        lambda x: x.index_put((torch.tensor([0]),), torch.ones((), dtype=torch.float64)),
    ],
    ids=["clone", "to", "empty_like", "rand_like", "index_put"],
)
def test_copies_of_expanded_tensors_keep_the_order_of_their_dimensions(copied) -> None:
    assert copied(counted(3).expand(2, 3)).stride() == (3, 1)
    assert copied(counted(2, 1, 4).expand(2, 3, 4)).is_contiguous()
    assert copied(counted(2, 1, 4).expand(2, 3, 4).permute(2, 1, 0)).stride() == (1, 4, 12)


def test_copies_of_expanded_tensors_have_their_values() -> None:
    x = counted(2, 1, 4).expand(2, 3, 4).permute(2, 1, 0)
    assert x.clone().tolist() == x.tolist()
    assert x.to(torch.float32).tolist() == x.tolist()


@pytest.mark.parametrize("from_numpy", [False, True])
def test_as_strided_reaches_the_memory_before_and_after_a_part(from_numpy: bool) -> None:
    numbers = np.arange(9.0)
    whole = torch.from_numpy(numbers) if from_numpy else torch.arange(9.0, dtype=torch.float64)
    part = whole[3:6]
    np.testing.assert_array_equal(part.as_strided((2, 2), (1, 1), 1).numpy(), [[1, 2], [2, 3]])
    np.testing.assert_array_equal(part.as_strided((9,), (1,), 0).numpy(), np.arange(9))
    part.as_strided((2,), (2,), 2).fill_(50)
    assert whole.tolist() == [0, 1, 50, 3, 50, 5, 6, 7, 8]


@pytest.mark.parametrize(("start", "stop"), [(3, 9), (0, 3)])
def test_elements_outside_of_a_leaf_have_no_derivative(start: int, stop: int) -> None:
    x = torch.arange(9.0, dtype=torch.float64)[start:stop].requires_grad_()
    seen = x.as_strided((4,), (1,), 1)
    (gradient,) = torch.autograd.grad((seen**2).sum(), x, create_graph=True)
    inside = [1 <= each < 5 for each in range(start, stop)]
    wanted = [2.0 * each * known for each, known in zip(range(start, stop), inside, strict=True)]
    assert gradient.tolist() == wanted
    (second,) = torch.autograd.grad((gradient**2).sum(), x)
    assert second.tolist() == [4 * each for each in wanted]


def test_a_tangent_is_not_read_outside_of_its_elements() -> None:
    forward = torch.autograd.forward_ad
    with forward.dual_level():
        dual = forward.make_dual(torch.arange(9.0)[3:], torch.arange(20.0)[10:16])
        primal, tangent = forward.unpack_dual(dual.as_strided((4,), (1,), 2))
    assert primal.tolist() == [2, 3, 4, 5]
    assert tangent.tolist() == [0, 10, 11, 12]


@pytest.mark.parametrize("look", [
    lambda x: x.expand(3, 2).as_strided((2, 2), (0, 1)),
    lambda x: x.expand(3, 2).as_strided((3, 3, 2), (0, 0, 1)),
    lambda x: x.unfold(0, 2, 1).as_strided((2, 2), (1, 0)),
])  # fmt: skip
def test_as_strided_counts_each_element_of_an_expanded_tensor_once(look: Any) -> None:
    x = torch.tensor([2.0, 3.0], dtype=torch.float64, requires_grad=True)
    look(x).sum().backward()
    memory = look(torch.arange(2)).reshape(-1).numpy()
    assert x.grad.tolist() == np.bincount(memory, minlength=2).tolist()
    assert gradgradcheck(lambda x: look(x).sin(), (x,), fast_mode=True)

"""Pruning, fusing, and calling with other parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.nn.attention import SDPBackend, sdpa_kernel
from pellucid.nn.attention.bias import causal_lower_right, causal_upper_left
from pellucid.nn.modules.utils import consume_prefix_in_state_dict_if_present
from pellucid.nn.utils import prune, stateless

nn = torch.nn


def layer_of(*rows: list[float]) -> Any:
    layer = nn.Linear(len(rows[0]), len(rows))
    layer.weight.data = torch.tensor(rows)
    return layer


# ---- pruning ----------------------------------------------------------------------------------


def test_pruned_elements_stay_zero_and_get_no_gradient() -> None:
    layer = prune.l1_unstructured(layer_of([3.0, -1.0], [0.5, 2.0]), "weight", 0.5)
    assert layer.weight.tolist() == [[3.0, 0.0], [0.0, 2.0]]
    assert [name for name, _ in layer.named_parameters()] == ["bias", "weight_orig"]
    layer(torch.ones(2)).sum().backward()
    assert layer.weight_orig.grad.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    layer.weight_orig.data += 1
    layer(torch.ones(2))
    assert layer.weight.tolist() == [[4.0, 0.0], [0.0, 3.0]]


def test_pruning_again_looks_only_at_what_is_left() -> None:
    layer = layer_of([3.0, -1.0], [0.5, 2.0])
    prune.l1_unstructured(layer, "weight", 1)
    prune.l1_unstructured(layer, "weight", 1)
    assert layer.weight_mask.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert len(layer._forward_pre_hooks) == 1


def test_a_refused_pruning_leaves_the_layer_as_it_was() -> None:
    layer = layer_of([3.0, -1.0])
    with pytest.raises(ValueError, match="should be smaller than the number of parameters"):
        prune.l1_unstructured(layer, "weight", 3)
    assert list(layer.state_dict()) == ["weight", "bias"]
    assert not prune.is_pruned(layer)


def test_removing_pruning_keeps_the_zeros_and_the_parameter() -> None:
    layer = layer_of([3.0, -1.0])
    weight = layer.weight
    prune.remove(prune.l1_unstructured(layer, "weight", 1), "weight")
    assert layer.weight is weight
    assert layer.weight.tolist() == [[3.0, 0.0]]
    assert list(layer.state_dict()) == ["bias", "weight"]
    assert not prune.is_pruned(layer)


def test_global_pruning_compares_elements_of_all_layers() -> None:
    first, second = layer_of([1.0, 2.0]), layer_of([3.0, 4.0])
    prune.global_unstructured(
        [(first, "weight"), (second, "weight")], prune.L1Unstructured, amount=3
    )
    assert first.weight_mask.tolist() == [[0.0, 0.0]]
    assert second.weight_mask.tolist() == [[0.0, 1.0]]
    assert prune.is_pruned(nn.Sequential(first, second))


def test_a_method_of_ones_own_says_what_stays() -> None:
    class EveryOther(prune.BasePruningMethod):
        PRUNING_TYPE = "unstructured"

        def compute_mask(self, t: Any, default_mask: Any) -> Any:
            mask = default_mask.clone()
            mask.reshape(-1)[::2] = 0
            return mask

    layer = layer_of([1.0, 2.0], [3.0, 4.0])
    EveryOther.apply(layer, "weight")
    assert layer.weight.tolist() == [[0.0, 2.0], [0.0, 4.0]]


# ---- parameters -------------------------------------------------------------------------------


def test_a_module_called_with_other_parameters_gets_its_own_back() -> None:
    layer = layer_of([1.0, 1.0])
    own = layer.weight
    other = torch.tensor([[2.0, 3.0]], requires_grad=True)
    out = stateless.functional_call(layer, {"weight": other, "bias": torch.zeros(1)}, torch.ones(2))
    assert out.tolist() == [5.0]
    assert layer.weight is own
    out.sum().backward()
    assert other.grad.tolist() == [[1.0, 1.0]]
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        stateless.functional_call(layer, {"weight": torch.ones(1, 5)}, torch.ones(2))
    assert layer.weight is own


def test_tied_parameters_change_together() -> None:
    layer = nn.Linear(1, 1, bias=False)
    net = nn.Sequential(layer, layer)
    twice = stateless.functional_call(net, {"0.weight": torch.tensor([[3.0]])}, torch.ones(1))
    assert twice.item() == 9.0


def test_buffers_changed_by_the_call_stay_in_what_was_given() -> None:
    norm = nn.BatchNorm1d(1)
    given = {"running_mean": torch.full((1,), 5.0)}
    stateless.functional_call(norm, given, torch.zeros(4, 1))
    assert norm.running_mean.item() == 0.0
    assert given["running_mean"].item() == pytest.approx(4.5)


def test_skipping_first_values_uses_no_random_numbers() -> None:
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    layer = nn.utils.skip_init(nn.Linear, 5, 4)
    assert layer.weight.shape == (4, 5)
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize("map_name", ["matrix_exp", "cayley", "householder"])
@pytest.mark.parametrize("size", [(4, 4), (5, 3), (3, 5)])
def test_orthogonal_weights_stay_orthogonal_while_they_learn(
    map_name: str, size: tuple[int, int]
) -> None:
    layer = nn.utils.parametrizations.orthogonal(nn.Linear(*size), orthogonal_map=map_name)
    optimizer = torch.optim.SGD(layer.parameters(), 0.5)
    before = layer.weight.detach().clone()
    for _ in range(3):
        optimizer.zero_grad()
        (layer(torch.ones(size[0])) ** 2).sum().backward()
        optimizer.step()
    weight = layer.weight.detach().numpy()
    gram = weight @ weight.T if size[1] <= size[0] else weight.T @ weight
    np.testing.assert_allclose(gram, np.eye(min(size)), atol=1e-5)
    assert not torch.allclose(layer.weight, before)


def test_an_orthogonal_weight_takes_an_orthogonal_value() -> None:
    layer = nn.utils.parametrizations.orthogonal(nn.Linear(3, 3))
    turned = torch.eye(3)[[1, 2, 0]]
    layer.weight = turned
    np.testing.assert_allclose(layer.weight.detach().numpy(), turned.numpy(), atol=1e-6)


def test_gradients_are_clipped_by_a_norm_that_is_known() -> None:
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    (w * w).sum().backward()
    nn.utils.clip_grads_with_norm_([w], 5.0, nn.utils.get_total_norm([w.grad]))
    assert w.grad.tolist() == pytest.approx([3.0, 4.0])


@pytest.mark.parametrize(
    "name", ["uniform", "normal", "xavier_uniform", "kaiming_normal", "orthogonal"]
)
def test_older_names_of_first_values_warn_and_do_the_same(name: str) -> None:
    torch.manual_seed(0)
    expected = getattr(nn.init, f"{name}_")(torch.empty(3, 3))
    torch.manual_seed(0)
    with pytest.warns(FutureWarning, match=f"nn.init.{name}` is now deprecated"):
        found = getattr(nn.init, name)(torch.empty(3, 3))
    assert torch.equal(found, expected)


def test_weights_are_laid_out_anew_with_the_same_values() -> None:
    net = nn.Sequential(nn.Conv2d(2, 3, 2), nn.Conv3d(2, 3, 2))
    before = net[0].weight.detach().clone()
    nn.utils.convert_conv2d_weight_memory_format(net, torch.channels_last)
    assert net[0].weight.is_contiguous(memory_format=torch.channels_last)
    assert net[1].weight.is_contiguous()
    assert torch.equal(net[0].weight, before)


def test_a_prefix_is_dropped_from_saved_names() -> None:
    state = nn.DataParallel(nn.Linear(1, 1)).state_dict()
    consume_prefix_in_state_dict_if_present(state, "module.")
    assert list(state) == ["weight", "bias"]
    nn.Linear(1, 1).load_state_dict(state)


# ---- attention --------------------------------------------------------------------------------


def test_choosing_a_kernel_changes_nothing() -> None:
    q = torch.rand(1, 2, 3, 4)
    expected = nn.functional.scaled_dot_product_attention(q, q, q)
    with sdpa_kernel([SDPBackend.MATH, SDPBackend.FLASH_ATTENTION]):
        found = nn.functional.scaled_dot_product_attention(q, q, q)
    assert torch.equal(found, expected)
    with pytest.raises(TypeError, match="must be a SDPBackend"), sdpa_kernel("math"):
        pass


def test_causal_masks_start_at_the_first_or_end_at_the_last_key() -> None:
    assert causal_upper_left(2, 3).tolist() == [[True, False, False], [True, True, False]]
    assert causal_lower_right(2, 3).tolist() == [[True, True, False], [True, True, True]]


# ---- gradients by hand ------------------------------------------------------------------------


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_convolution_gradients_are_those_of_backward(ndim: int) -> None:
    x = torch.rand(1, 2, *[5] * ndim, requires_grad=True)
    weight = torch.rand(3, 2, *[2] * ndim, requires_grad=True)
    out = getattr(nn.functional, f"conv{ndim}d")(x, weight, None, 2, 1)
    given = torch.rand(out.shape)
    out.backward(given)
    with torch.no_grad():
        by_input = getattr(nn.grad, f"conv{ndim}d_input")(x.shape, weight, given, 2, 1)
        by_weight = getattr(nn.grad, f"conv{ndim}d_weight")(x, weight.shape, given, 2, 1)
    assert torch.allclose(by_input, x.grad)
    assert torch.allclose(by_weight, weight.grad)


# ---- members that other tensors replace, and that modules assign to -----------------------------


class _Counting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.plain = torch.ones(2)
        self.register_parameter("missing", None)
        self.register_buffer("count", torch.zeros(1))
        self.weight = nn.Parameter(torch.ones(1))
        self.number = 3

    def forward(self) -> Any:
        self.count = self.count + 1
        return self.plain, self.missing, getattr(self, "new", None)


def test_tensors_replace_plain_attributes_and_members_that_are_none_or_not_there() -> None:
    module = _Counting()
    given = {name: torch.full((2,), 7.0) for name in ("plain", "missing", "new")}
    for found in torch.func.functional_call(module, given, ()):
        assert found.tolist() == [7.0, 7.0]
    assert module.plain.tolist() == [1.0, 1.0]
    assert module.missing is None
    assert not hasattr(module, "new")
    assert list(module._parameters) == ["missing", "weight"]


def test_what_a_module_assigns_to_a_given_buffer_comes_back_in_the_dict() -> None:
    module = _Counting()
    given = {"count": torch.full((1,), 5.0)}
    torch.func.functional_call(module, given, ())
    assert given["count"].item() == 6.0
    assert module.count.item() == 0.0


class _Member(nn.Module):
    """A layer that can be a member of itself, and lists its parameters when it is called."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(1, 1)
        self.register_buffer("offset", torch.zeros(1))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, list[str]]:
        return self.inner(x) + self.offset, list(self.inner._parameters)


def test_a_module_that_contains_itself_is_called_with_other_parameters() -> None:
    module = _Member()
    module.inner.outer = module
    before = module.inner.weight
    given = {
        "inner.outer.inner.weight": torch.tensor([[2.0]]),
        "inner.bias": torch.tensor([1.0]),
        "inner.outer.offset": torch.tensor([10.0]),
    }
    out, _ = torch.func.functional_call(module, given, torch.tensor([3.0]), tie_weights=False)
    assert out.item() == 2 * 3 + 1 + 10
    assert module.inner.weight is before
    assert module.offset.item() == 0.0


def test_a_given_parameter_that_the_module_lacks_is_a_parameter_during_the_call() -> None:
    module = _Member()
    given = {"inner.more": nn.Parameter(torch.ones(1)), "inner.other": torch.ones(1)}
    _, names = torch.func.functional_call(module, given, torch.ones(1))
    assert names == ["weight", "bias", "more"]
    assert list(module.inner._parameters) == ["weight", "bias"]
    assert not hasattr(module.inner, "more")
    assert not hasattr(module.inner, "other")


def test_only_tensors_are_replaced_by_tensors() -> None:
    module = _Counting()
    with pytest.raises(
        TypeError, match=r"attribute `number`: 3 is not an instance of torch.Tensor"
    ):
        torch.func.functional_call(module, {"weight": torch.zeros(1), "number": torch.ones(1)}, ())
    with pytest.raises(TypeError, match=r"3 is not an instance of torch.Tensor"):
        torch.func.functional_call(module, {"weight": 3}, ())
    with pytest.raises(AttributeError, match="has no attribute `nowhere`"):
        torch.func.functional_call(module, {"nowhere.weight": torch.ones(1)}, ())
    assert module.weight.item() == 1.0
    assert module.number == 3


def test_a_module_takes_on_an_order_in_memory() -> None:
    module = nn.Sequential(nn.Conv2d(2, 3, 2), nn.Linear(3, 3))
    module.to(memory_format=torch.channels_last)
    assert module[0].weight.stride() == (8, 1, 4, 2)
    assert module[1].weight.stride() == (3, 1)
    module.to(torch.float64, memory_format=torch.contiguous_format)
    assert module[0].weight.stride() == (8, 4, 2, 1)


def test_samples_are_cloned_in_the_order_in_memory_that_is_asked_for() -> None:
    x = torch.arange(24.0).view(2, 3, 4)
    for copy in (lambda t: t.clone(memory_format=torch.contiguous_format), torch.Tensor.contiguous):
        assert torch.vmap(copy, 1, 1)(x).stride() == (4, 8, 1)
    with pytest.raises(NotImplementedError, match="inside vmap is only supported"):
        torch.vmap(lambda t: t.clone(memory_format=torch.channels_last))(torch.ones(1, 1, 2, 3, 4))


def test_clipping_the_gradients_of_no_parameters_warns_where_they_come_one_by_one() -> None:
    with pytest.warns(UserWarning, match="is an empty generator"):
        assert nn.utils.clip_grad_norm_(nn.ReLU().parameters(), 1.0) == 0
    assert nn.utils.clip_grad_norm_([], 1.0) == 0

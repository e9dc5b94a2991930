"""Modules: what is registered, found, saved, converted, called and printed."""

from __future__ import annotations

import copy
import gc
import pickle
import typing
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

import pellucid as torch
from pellucid import nn
from pellucid.autograd.modes import modes
from pellucid.observe import slow_path


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.rest = nn.Sequential(nn.Tanh(), nn.Linear(4, 2))
        self.scale = nn.Parameter(torch.ones(2))
        self.register_buffer("count", torch.zeros(1))
        self.register_buffer("scratch", torch.zeros(1), persistent=False)

    def forward(self, x):
        return self.rest(self.first(x)) * self.scale


NAMES = ["scale", "first.weight", "first.bias", "rest.1.weight", "rest.1.bias"]


# ---- registration ------------------------------------------------------------------------------


def test_parameters_are_found_by_assignment() -> None:
    assert [name for name, _ in Net().named_parameters()] == NAMES


def test_own_parameters_alone_are_found_without_recursion() -> None:
    assert [name for name, _ in Net().named_parameters(recurse=False)] == ["scale"]


def test_modules_are_named_from_the_outside_in() -> None:
    names = [name for name, _ in Net().named_modules()]
    assert names == ["", "first", "rest", "rest.0", "rest.1"]


def test_a_shared_module_is_named_once() -> None:
    layer = nn.Linear(2, 2)
    net = nn.Sequential(layer, nn.ReLU(), layer)
    assert [name for name, _ in net.named_modules()] == ["", "0", "1"]
    assert len(list(net.parameters())) == 2


def test_a_tied_parameter_is_one_parameter_with_two_names_in_the_state() -> None:
    net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    net[1].weight = net[0].weight
    assert len(list(net.parameters())) == 3
    assert list(net.state_dict()) == ["0.weight", "0.bias", "1.weight", "1.bias"]


def test_assigning_before_the_constructor_has_run_is_an_error() -> None:
    class Early(nn.Module):
        def __init__(self, value) -> None:
            self.value = value

    for value, kind in [(nn.Parameter(torch.ones(1)), "parameters"), (nn.ReLU(), "module")]:
        with pytest.raises(AttributeError, match=f"cannot assign {kind} before Module.__init__"):
            Early(value)


def test_a_tensor_cannot_take_the_place_of_a_parameter() -> None:
    net = nn.Linear(2, 2)
    with pytest.raises(TypeError, match=r"cannot assign 'torch.FloatTensor' as parameter 'weight'"):
        net.weight = torch.ones(2, 2)
    assert isinstance(net.weight, nn.Parameter)


def test_a_number_cannot_take_the_place_of_a_module() -> None:
    net = Net()
    with pytest.raises(TypeError, match=r"cannot assign 'int' as child module 'first'"):
        net.first = 3


def test_none_can_take_the_place_of_anything_registered() -> None:
    net = Net()
    net.scale = net.first = net.count = None
    assert list(net.state_dict()) == ["rest.1.weight", "rest.1.bias"]
    assert net.scale is None


def test_a_module_assigned_over_a_plain_attribute_is_registered() -> None:
    net = nn.Module()
    net.part = 1
    net.part = nn.ReLU()
    assert [name for name, _ in net.named_children()] == ["part"]


def test_a_parameter_assigned_over_a_module_takes_its_name() -> None:
    net = Net()
    net.first = nn.Parameter(torch.ones(1))
    assert "first" in dict(net.named_parameters())
    assert "first" not in dict(net.named_children())


def test_deleted_members_are_gone() -> None:
    net = Net()
    del net.scale, net.rest, net.count
    assert list(net.state_dict()) == ["first.weight", "first.bias"]
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'scale'"):
        net.scale


@pytest.mark.parametrize(
    ("name", "error", "text"),
    [
        ("a.b", KeyError, "t contain"),
        ("", KeyError, "t be empty string"),
        ("forward", KeyError, "already exists"),
        (3, TypeError, "should be a string"),
    ],
)
def test_bad_names_are_refused(name, error, text: str) -> None:
    net = Net()
    for register in (net.add_module, net.register_parameter, net.register_buffer):
        with pytest.raises(error, match=text):
            register(name, None)


def test_a_parameter_must_be_a_leaf() -> None:
    module = nn.Module()
    computed = nn.Parameter(torch.ones(2))
    computed._edge = (computed * 2)._edge
    with pytest.raises(ValueError, match="Cannot assign non-leaf Tensor to parameter 'w'"):
        module.register_parameter("w", computed)


def test_members_are_found_by_dotted_name() -> None:
    net = Net()
    assert net.get_submodule("rest.1") is net.rest[1]
    assert net.get_parameter("rest.1.bias") is net.rest[1].bias
    assert net.get_buffer("count") is net.count
    for target in ("rest.7", "none", "scale"):
        with pytest.raises(AttributeError):
            net.get_submodule(target)
    with pytest.raises(AttributeError, match=r"is not an nn\.Parameter"):
        net.get_parameter("count")


def test_attributes_listed_by_dir_include_members() -> None:
    assert {"first", "scale", "count", "forward"} <= set(dir(Net()))


# ---- parameters --------------------------------------------------------------------------------


def test_a_parameter_shares_memory_and_requires_grad() -> None:
    data = torch.zeros(2)
    parameter = nn.Parameter(data)
    data.add_(1)
    assert parameter.tolist() == [1, 1]
    assert parameter.requires_grad
    assert parameter.is_leaf
    assert not data.requires_grad


def test_a_change_through_the_data_is_noticed_when_the_parameter_was_saved() -> None:
    data = torch.ones(2)
    parameter = nn.Parameter(data)
    loss = (parameter * parameter).sum()
    data.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_results_of_parameters_are_plain_tensors() -> None:
    assert type(nn.Parameter(torch.ones(1)) * 2) is torch.Tensor


def test_a_parameter_of_integers_cannot_require_grad() -> None:
    with pytest.raises(RuntimeError, match=r"floating point (and complex )?dtype can require"):
        nn.Parameter(torch.tensor([1]))
    assert nn.Parameter(torch.tensor([1]), requires_grad=False).tolist() == [1]


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))])
def test_a_duplicate_is_equal_and_independent(duplicate) -> None:
    net = Net()
    net.rest[1].weight.requires_grad_(False)
    copied = duplicate(net)
    x = torch.randn(2, 3)
    assert copied(x).tolist() == net(x).tolist()
    assert not copied.rest[1].weight.requires_grad
    assert isinstance(copied.scale, nn.Parameter)
    with torch.no_grad():
        copied.scale.mul_(2)
    assert net.scale.tolist() == [1, 1]


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))])
def test_tied_parameters_stay_tied_in_a_duplicate(duplicate) -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    net[1].weight = net[0].weight
    copied = duplicate(net)
    assert copied[1].weight is copied[0].weight


def test_a_buffer_object_says_whether_it_is_saved() -> None:
    module = nn.Module()
    module.kept = nn.Buffer(torch.zeros(1))
    module.passing = nn.Buffer(torch.zeros(1), persistent=False)
    assert list(module.state_dict()) == ["kept"]
    assert [name for name, _ in module.named_buffers()] == ["kept", "passing"]


# ---- state -------------------------------------------------------------------------------------


def test_the_state_holds_parameters_and_persistent_buffers_without_history() -> None:
    net = Net()
    state = net.state_dict()
    assert list(state) == ["scale", "count", *NAMES[1:]]
    assert not any(value.requires_grad for value in state.values())
    with torch.no_grad():
        net.scale.add_(1)
    assert state["scale"].tolist() == [2, 2]


def test_a_loaded_state_gives_the_same_results() -> None:
    net, other = Net(), Net()
    assert str(other.load_state_dict(net.state_dict())) == "<All keys matched successfully>"
    x = torch.randn(2, 3)
    assert other(x).tolist() == net(x).tolist()


def test_nothing_is_written_when_a_state_does_not_fit() -> None:
    net = Net()
    state = {name: torch.full_like(value, 7.0) for name, value in net.state_dict().items()}
    state["rest.1.weight"] = torch.ones(5)
    before = net.scale.tolist()
    with pytest.raises(RuntimeError, match=r"size mismatch for rest.1.weight: copying a param"):
        net.load_state_dict(state)
    assert net.scale.tolist() == before


def test_what_does_not_match_is_reported_unless_strict() -> None:
    net = Net()
    state = net.state_dict()
    del state["scale"]
    state["unknown"] = torch.ones(1)
    report = net.load_state_dict(state, strict=False)
    assert report.missing_keys == ["scale"]
    assert report.unexpected_keys == ["unknown"]
    with pytest.raises(RuntimeError) as raised:
        net.load_state_dict(state)
    assert str(raised.value).splitlines()[1:] == [
        '\tMissing key(s) in state_dict: "scale". ',
        '\tUnexpected key(s) in state_dict: "unknown". ',
    ]


def test_assigned_state_is_taken_itself() -> None:
    net = nn.Linear(2, 1)
    weight = torch.ones(1, 2, dtype=torch.float64)
    net.load_state_dict({"weight": weight, "bias": torch.zeros(1)}, assign=True)
    assert net.weight.dtype == torch.float64
    assert isinstance(net.weight, nn.Parameter)
    weight.add_(1)
    assert net.weight.tolist() == [[2, 2]]


def test_extra_state_is_saved_and_loaded() -> None:
    class Counting(nn.Module):
        seen = 0

        def get_extra_state(self):
            return {"seen": self.seen}

        def set_extra_state(self, state) -> None:
            self.seen = state["seen"]

    module, other = nn.Sequential(Counting()), nn.Sequential(Counting())
    module[0].seen = 5
    other.load_state_dict(module.state_dict())
    assert other[0].seen == 5


def test_a_state_that_is_no_mapping_is_refused() -> None:
    with pytest.raises(TypeError, match="Expected state_dict to be dict-like"):
        Net().load_state_dict([1])


# ---- modes, conversions ------------------------------------------------------------------------


def test_eval_and_train_reach_every_module() -> None:
    net = Net().eval()
    assert not any(module.training for module in net.modules())
    assert all(module.training for module in net.train().modules())
    with pytest.raises(ValueError, match="training mode is expected to be boolean"):
        net.train("yes")


def test_conversion_keeps_the_parameters_and_converts_gradients() -> None:
    net = Net()
    net(torch.ones(1, 3)).sum().backward()
    weight = net.first.weight
    net.double()
    assert net.first.weight is weight
    assert weight.dtype == weight.grad.dtype == net.count.dtype == torch.float64
    net(torch.ones(1, 3, dtype=torch.float64)).sum().backward()
    assert net.to(torch.float32).first.weight.dtype == torch.float32


def test_integers_are_not_converted() -> None:
    module = nn.Module()
    module.register_buffer("steps", torch.tensor([1]))
    assert module.double().steps.dtype == torch.int64
    with pytest.raises(TypeError, match="only accepts floating point or complex dtypes"):
        module.to(torch.int32)


def test_other_devices_are_refused() -> None:
    with pytest.raises(RuntimeError):
        Net().to("cuda")
    assert isinstance(Net().to("cpu"), Net)


def test_zero_grad_drops_or_clears() -> None:
    net = Net()
    net(torch.ones(1, 3)).sum().backward()
    net.zero_grad(set_to_none=False)
    assert net.scale.grad.tolist() == [0, 0]
    net.zero_grad()
    assert net.scale.grad is None


def test_apply_goes_from_the_inside_out() -> None:
    visited: list[str] = []
    Net().apply(lambda module: visited.append(type(module).__name__))
    assert visited == ["Linear", "Tanh", "Linear", "Sequential", "Net"]


def test_a_frozen_network_records_nothing() -> None:
    net = Net().requires_grad_(False)
    assert not net(torch.ones(1, 3)).requires_grad


# ---- hooks -------------------------------------------------------------------------------------


def test_a_pre_hook_may_replace_the_arguments_and_a_hook_the_output() -> None:
    net = nn.Identity()
    net.register_forward_pre_hook(lambda module, args: args[0] + 1)
    net.register_forward_hook(lambda module, args, output: output * 10)
    assert net(torch.zeros(1)).tolist() == [10]


def test_hooks_with_keywords_see_and_replace_them() -> None:
    class Scaled(nn.Module):
        def forward(self, x, factor=1):
            return x * factor

    net = Scaled()
    net.register_forward_pre_hook(
        lambda module, args, kwargs: (args, {"factor": kwargs["factor"] + 1}), with_kwargs=True
    )
    seen: list[object] = []
    net.register_forward_hook(
        lambda module, args, kwargs, output: seen.append(kwargs["factor"]), with_kwargs=True
    )
    assert net(torch.ones(1), factor=2).tolist() == [3]
    assert seen == [3]


def test_a_removed_hook_is_not_called() -> None:
    net = nn.Identity()
    with net.register_forward_hook(lambda module, args, output: output + 1):
        assert net(torch.zeros(1)).tolist() == [1]
    assert net(torch.zeros(1)).tolist() == [0]


def test_a_prepended_hook_comes_first() -> None:
    net, order = nn.Identity(), []
    net.register_forward_hook(lambda *_: order.append("second"))
    net.register_forward_hook(lambda *_: order.append("first"), prepend=True)
    net(1)
    assert order == ["first", "second"]


def test_a_hook_that_is_always_called_is_called_after_an_error() -> None:
    net, called = nn.Linear(2, 2), []
    net.register_forward_hook(lambda *_: called.append("always"), always_call=True)
    net.register_forward_hook(lambda *_: called.append("good"))
    with pytest.raises(RuntimeError):
        net(torch.ones(3))
    assert called == ["always"]


def test_backward_hooks_see_and_replace_gradients() -> None:
    net = nn.Tanh()
    seen: list[list[float]] = []

    def double(module, grad_input, grad_output):
        seen.append(grad_output[0].tolist())
        return (grad_input[0] * 2,)

    net.register_full_backward_pre_hook(lambda module, grad_output: (grad_output[0] * 3,))
    net.register_full_backward_hook(double)
    x = torch.zeros(2, requires_grad=True)
    net(x).sum().backward()
    assert seen == [[3, 3]]
    assert x.grad.tolist() == [6, 6]


def test_a_backward_hook_runs_though_no_input_requires_grad() -> None:
    net, seen = nn.Linear(2, 1), []
    net.register_full_backward_hook(lambda module, gi, go: seen.append((gi, go[0].tolist())))
    with pytest.warns(UserWarning, match="since no inputs require gradients") as given:
        net(torch.ones(1, 2)).sum().backward()
    assert seen == [((None,), [[1.0]])]
    assert {each.filename for each in given} == {__file__}


# ---- scopes ------------------------------------------------------------------------------------


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(2, 2), nn.Tanh())

    def forward(self, x):
        return self.inner(x) * 2


def scopes_of(tensor) -> list[str]:
    found, nodes = [], [tensor.grad_fn]
    while nodes:
        node = nodes.pop()
        if node is not None and type(node).__name__ != "AccumulateGrad":
            found.append(node.scope)
            nodes += [each for each, _ in node.next_functions]
    return found


def test_nodes_know_the_module_that_made_them() -> None:
    block = Block()
    linear = ["inner.0", "inner.0"]  # the product, and the transposed weight
    assert scopes_of(block(torch.ones(1, 2)) + 1) == [None, "Block", "inner.1", *linear]
    outer = nn.ModuleDict({"part": block})
    outer.forward = lambda x: outer["part"](x)
    assert scopes_of(outer(torch.ones(1, 2))) == ["part", "part.inner.1", *2 * ["part.inner.0"]]


def test_a_module_that_is_put_elsewhere_gets_its_new_name() -> None:
    block = Block()
    block(torch.ones(1, 2))
    block.inner.insert(0, nn.Identity())
    assert scopes_of(block(torch.ones(1, 2))) == ["Block", "inner.2", *2 * ["inner.1"]]


def test_an_error_in_a_module_leaves_no_scope_behind() -> None:
    with pytest.raises(RuntimeError):
        Block()(torch.ones(1, 3))
    assert modes.scope is None
    assert not slow_path.scopes


def test_calling_a_module_does_not_keep_it_alive() -> None:
    block = Block()
    block(torch.ones(1, 2))
    gone = weakref.ref(block)
    gc.disable()
    try:
        del block
        assert gone() is None
    finally:
        gc.enable()


def test_a_module_without_forward_says_so() -> None:
    with pytest.raises(NotImplementedError, match='is missing the required "forward" function'):
        nn.Module()(1)


def test_the_annotations_of_modules_can_be_evaluated() -> None:
    class Net(nn.Linear):
        extra: int

    assert typing.get_type_hints(Net)["extra"] is int


def test_conversion_keeps_the_gradient_that_somebody_holds() -> None:
    layer = torch.nn.Linear(2, 2)
    layer(torch.ones(1, 2)).sum().backward()
    held = layer.weight.grad
    layer.double()
    assert layer.weight.grad is held
    assert held is not None
    assert held.dtype is torch.float64


def test_conversion_by_swapping_gives_parameters_other_data(swapping: None) -> None:
    layer = torch.nn.Linear(2, 2)
    layer.weight.grad = held = torch.ones(2, 2)
    before = layer.weight, layer.weight._cdata, held._cdata
    for dtype, grad_is_same in ((torch.float32, True), (torch.float64, False)):
        layer.to(dtype)
        assert layer.weight is before[0]
        assert layer.weight._cdata != before[1]
        assert layer.weight.grad is held
        assert held.dtype is dtype
        assert (held._cdata == before[2]) is grad_is_same


@pytest.fixture
def swapping() -> Iterator[None]:
    torch.__future__.set_swap_module_params_on_conversion(True)
    yield
    torch.__future__.set_swap_module_params_on_conversion(False)


class _Doubled(torch.Tensor):
    """A tensor that says what is to be loaded into it: twice what is given."""

    def module_load(self, other: torch.Tensor, assign: bool = False) -> torch.Tensor:
        return (other if assign else other * 2).detach()


@pytest.mark.usefixtures("swapping")
@pytest.mark.parametrize("assign", [False, True])
def test_parameters_that_exchange_their_contents_stay_the_objects_that_they_are(assign) -> None:
    source = nn.BatchNorm1d(2)
    with torch.no_grad():
        source.weight.fill_(3.0)
        source.running_mean.fill_(4.0)
    net = nn.BatchNorm1d(2, device="meta" if assign else None)
    net.bias.requires_grad_(False)
    before = net.state_dict(keep_vars=True)
    given = source.state_dict()
    net.load_state_dict(given, assign=assign)
    for name, member in net.state_dict(keep_vars=True).items():
        assert member is before[name]
        assert torch.equal(member, given[name])
    assert isinstance(net.weight, nn.Parameter)
    assert (net.weight.requires_grad, net.bias.requires_grad) == (True, False)
    (net(torch.tensor([[1.0, 2.0], [3.0, 4.0]])) ** 2).sum().backward()
    assert net.weight.grad.shape == (2,)


@pytest.mark.usefixtures("swapping")
def test_a_tensor_decides_what_is_loaded_into_it() -> None:
    net = nn.Linear(2, 1)
    net.weight = nn.Parameter(net.weight.detach().as_subclass(_Doubled))
    state = {"weight": torch.tensor([[1.0, 2.0]]), "bias": torch.tensor([5.0])}
    net.load_state_dict(state)
    assert net.weight.tolist() == [[2.0, 4.0]]
    net.load_state_dict(state, assign=True)
    assert net.weight.tolist() == [[1.0, 2.0]]


@pytest.mark.usefixtures("swapping")
def test_what_returns_one_of_its_operands_cannot_be_loaded(monkeypatch) -> None:
    net = nn.Linear(1, 1)
    monkeypatch.setattr(torch.Tensor, "module_load", lambda self, other, assign=False: other)
    with pytest.raises(RuntimeError, match="module_load returned one of self or other"):
        net.load_state_dict(nn.Linear(1, 1).state_dict())


@pytest.mark.usefixtures("swapping")
def test_converted_parameters_and_gradients_stay_the_objects_that_they_are() -> None:
    net = nn.Linear(2, 1)
    net(torch.ones(2)).sum().backward()
    weight, gradient = net.weight, net.weight.grad
    net.to(torch.float64)
    assert net.weight is weight
    assert net.weight.grad is gradient
    assert (weight.dtype, gradient.dtype) == (torch.float64, torch.float64)
    assert gradient.tolist() == [[1.0, 1.0]]
    net.to("meta")
    assert net.weight is weight
    assert weight.is_meta


def test_a_buffer_takes_no_name_of_another_attribute_and_older_ways_to_register_are_called() -> (
    None
):
    module: Any = nn.Module()
    module.taken = 5
    with pytest.raises(KeyError, match="already exists"):
        module.taken = nn.Buffer(torch.zeros(1))

    class Older(nn.Module):
        def register_buffer(self, name: str, tensor: Any) -> None:
            super().register_buffer(name, tensor, True)

    older: Any = Older()
    older.kept = nn.Buffer(torch.zeros(1))
    assert list(older.state_dict()) == ["kept"]
    with pytest.raises(RuntimeError, match="Registering a non-persistent buffer"):
        older.passing = nn.Buffer(torch.zeros(1), persistent=False)

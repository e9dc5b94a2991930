"""Optimizers: groups, steps, hooks, saved state, and what a step tells autograd."""

from __future__ import annotations

import copy
import gc
import pickle

import numpy as np
import pytest

import pellucid as torch
from pellucid import optim
from pellucid.optim.operands import operands
from pellucid.optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
    required,
)
from tests.samples.grouped import together

ALL = [
    lambda params: optim.SGD(params, lr=0.1, momentum=0.5),
    lambda params: optim.Adam(params, lr=0.1),
    lambda params: optim.AdamW(params, lr=0.1),
    lambda params: optim.RMSprop(params, lr=0.1),
    lambda params: optim.Adagrad(params, lr=0.5),
    lambda params: optim.Adadelta(params, lr=10.0),
    lambda params: optim.Adamax(params, lr=0.1),
    lambda params: optim.NAdam(params, lr=0.1),
    lambda params: optim.RAdam(params, lr=0.1),
    lambda params: optim.Rprop(params, lr=0.1),
    lambda params: optim.ASGD(params, lr=0.1),
    lambda params: optim.Adafactor(params, lr=0.1),
    lambda params: optim.LBFGS(params, lr=0.5, max_iter=2),
]
WITH_COMPLEX = [make for make in ALL if not isinstance(make([torch.zeros(1)]), optim.Adafactor)]


def leaf(*values: float):
    return torch.tensor(values, requires_grad=True)


def closure_for(optimizer, w):
    def closure():
        optimizer.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        return loss

    return closure


@together()
@pytest.mark.parametrize("make", ALL)
def test_steps_go_downhill(make) -> None:
    w = leaf(1.0, -2.0)
    optimizer = make([w])
    closure = closure_for(optimizer, w)
    first = optimizer.step(closure).item()
    for _ in range(30):
        last = optimizer.step(closure).item()
    assert last < 0.5 * first


@together()
@pytest.mark.parametrize("make", ALL)
def test_a_step_is_not_recorded_and_keeps_the_tensor(make) -> None:
    w = leaf(1.0)
    memory = w.data_ptr()
    optimizer = make([w])
    optimizer.step(closure_for(optimizer, w))
    assert w.is_leaf
    assert w.requires_grad
    assert w.data_ptr() == memory


@together()
@pytest.mark.parametrize("make", WITH_COMPLEX)
def test_complex_parameters_go_downhill_too(make) -> None:
    w = torch.tensor([1 + 1j, -2j], requires_grad=True)
    optimizer = make([w])

    def closure():
        optimizer.zero_grad()
        loss = (w * w.conj()).real.sum()
        loss.backward()
        return loss

    losses = [optimizer.step(closure).item() for _ in range(10)]
    assert losses[-1] < losses[0]


def test_plain_descent_is_a_subtraction() -> None:
    w = leaf(1.0, 2.0)
    (w * w).sum().backward()
    optim.SGD([w], lr=0.25).step()
    assert w.tolist() == [0.5, 1.0]


def test_parameters_without_gradient_stay_as_they_are() -> None:
    used, unused = leaf(1.0), leaf(1.0)
    optimizer = optim.Adam([used, unused])
    optimizer.step(closure_for(optimizer, used))
    assert unused.tolist() == [1.0]
    assert unused not in optimizer.state


def test_gradients_are_left_as_they_are() -> None:
    w = leaf(1.0)
    (w * w).sum().backward()
    optim.SGD([w], lr=0.1, weight_decay=0.5, momentum=0.9, nesterov=True).step()
    assert w.grad.tolist() == [2.0]


def test_the_momentum_does_not_share_memory_with_the_gradient() -> None:
    w = leaf(1.0)
    optimizer = optim.SGD([w], lr=0.1, momentum=0.9)
    for _ in range(2):
        (w * 1).sum().backward()
        optimizer.step()
    assert optimizer.state[w]["momentum_buffer"].tolist() == pytest.approx([2.9])


# ---- groups ------------------------------------------------------------------------------------


def test_groups_have_options_of_their_own() -> None:
    a, b = leaf(1.0), leaf(1.0)
    optimizer = optim.SGD([{"params": [a]}, {"params": b, "lr": 0.5}], lr=0.1)
    (a + b).sum().backward()
    optimizer.step()
    assert a.tolist() == pytest.approx([0.9])
    assert b.tolist() == [0.5]


def test_named_parameters_keep_their_names() -> None:
    net = torch.nn.Linear(2, 1)
    optimizer = optim.SGD(net.named_parameters())
    assert optimizer.param_groups[0]["param_names"] == ["weight", "bias"]


@pytest.mark.parametrize(
    ("params", "error", "text"),
    [
        ([], ValueError, "optimizer got an empty parameter list"),
        (leaf(1.0), TypeError, "should be an iterable of Tensors or dicts"),
        ([3], TypeError, "can only optimize Tensors, but one of the params is int"),
        ([leaf(1.0) * 2], ValueError, "can't optimize a non-leaf Tensor"),
        ([{"params": {leaf(1.0)}}], TypeError, "organized in ordered collections"),
    ],
)
def test_things_that_cannot_be_optimized_are_refused(params, error, text: str) -> None:
    with pytest.raises(error, match=text):
        optim.SGD(params)


def test_a_parameter_belongs_to_one_group() -> None:
    w = leaf(1.0)
    optimizer = optim.SGD([w])
    with pytest.raises(ValueError, match="appear in more than one parameter group"):
        optimizer.add_param_group({"params": [w]})
    assert len(optimizer.param_groups) == 1
    with pytest.warns(UserWarning, match="duplicate parameters"):
        optim.SGD([w, w])


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda w: optim.SGD(w, lr=-1), "Invalid learning rate: -1"),
        (lambda w: optim.SGD(w, momentum=-0.5), "Invalid momentum value: -0.5"),
        (lambda w: optim.SGD(w, nesterov=True), "Nesterov momentum requires a momentum"),
        (lambda w: optim.Adam(w, betas=(1.0, 0.9)), "Invalid beta parameter at index 0: 1.0"),
        (lambda w: optim.Adam(w, eps=-1), "Invalid epsilon value: -1"),
        (lambda w: optim.RMSprop(w, alpha=-1), "Invalid alpha value: -1"),
        (lambda w: optim.Adagrad(w, lr_decay=-1), "Invalid lr_decay value: -1"),
        (lambda w: optim.Adadelta(w, rho=2), "Invalid rho value: 2"),
        (lambda w: optim.LBFGS([{"params": w}, {"params": [leaf(1.0)]}]), "per-parameter options"),
    ],
)
def test_options_out_of_range_are_refused(make, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        make([leaf(1.0)])


@pytest.mark.parametrize(
    "call",
    [
        lambda w: optim.SGD([w], fused=True, foreach=True),
        lambda w: optim.Adam([w], fused=True, differentiable=True),
    ],
)
def test_ways_of_computing_that_exclude_each_other_are_refused(call) -> None:
    with pytest.raises(RuntimeError, match="`fused`"):
        call(leaf(1.0))


def test_a_group_without_a_required_option_is_refused() -> None:
    with pytest.raises(ValueError, match="a value of required optimization parameter lr"):
        Optimizer([leaf(1.0)], {"lr": required})


def test_names_are_given_to_all_groups_or_to_none() -> None:
    optimizer = optim.SGD([("w", leaf(1.0))])
    with pytest.raises(ValueError, match="cannot add param group without names"):
        optimizer.add_param_group({"params": [leaf(1.0)]})


def test_the_dictionary_of_a_group_is_the_group() -> None:
    group = {"params": [leaf(1.0)]}
    optimizer = optim.SGD([group], lr=0.5)
    assert optimizer.param_groups[0] is group
    assert group["lr"] == 0.5


# ---- what a step tells autograd ----------------------------------------------------------------


def test_a_backward_after_the_step_that_needs_the_old_values_is_an_error() -> None:
    w = leaf(1.0, 2.0)
    optimizer = optim.SGD([w], lr=0.1)
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    optimizer.step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()
    change = w._storage.changes[-1]
    assert change.op == "SGD.step"
    assert change.detail() == "parameter 0 of group 0, float32[2]"
    assert change.site.text == "optimizer.step()"


def test_the_line_of_a_step_with_hooks_and_closure_is_the_users() -> None:
    w = leaf(1.0)
    optimizer = optim.LBFGS([w], max_iter=2)
    optimizer.register_step_post_hook(lambda *_: None)
    closure = closure_for(optimizer, w)
    optimizer.step(closure)
    assert {change.site.text for change in w._storage.changes} == {"optimizer.step(closure)"}


def test_training_leaves_nothing_for_the_garbage_collector() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    optimizer = optim.Adam(net.parameters())
    x = torch.ones(3, 2)
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            optimizer.zero_grad()
            net(x).sum().backward()
            optimizer.step()
        assert gc.collect() == 0
    finally:
        gc.enable()


# ---- hooks, closures, gradients ----------------------------------------------------------------


def test_step_hooks_run_before_and_after() -> None:
    w, log = leaf(1.0), []
    (w * 1).sum().backward()
    optimizer = optim.SGD([w], lr=0.5)
    optimizer.register_step_pre_hook(lambda o, args, kwargs: log.append(("before", w.item())))
    handle = optimizer.register_step_post_hook(lambda *_: log.append(("after", w.item())))
    optimizer.step()
    handle.remove()
    optimizer.step()
    assert log == [("before", 1.0), ("after", 0.5), ("before", 0.5)]


def test_global_hooks_run_around_those_of_the_optimizer() -> None:
    log = []
    optimizer = optim.SGD([leaf(1.0)])
    handles = [
        register_optimizer_step_pre_hook(lambda *_: log.append("outer before")),
        register_optimizer_step_post_hook(lambda *_: log.append("outer after")),
    ]
    optimizer.register_step_pre_hook(lambda *_: log.append("before"))
    optimizer.register_step_post_hook(lambda *_: log.append("after"))
    optimizer.step()
    for handle in handles:
        handle.remove()
    optimizer.step()
    expected = ["outer before", "before", "after", "outer after", "before", "after"]
    assert log == expected


def test_hooks_may_change_what_is_saved_and_loaded() -> None:
    w = leaf(1.0)
    optimizer = optim.SGD([w], lr=0.5)
    optimizer.register_state_dict_pre_hook(lambda each: each.param_groups[0].update(note="saved"))
    optimizer.register_state_dict_post_hook(lambda _, state: {"inner": state})
    saved = optimizer.state_dict()
    assert saved["inner"]["param_groups"][0]["note"] == "saved"
    loaded = []
    optimizer.register_load_state_dict_pre_hook(lambda _, state: state["inner"])
    optimizer.register_load_state_dict_post_hook(lambda each: loaded.append(each))
    optimizer.param_groups[0]["lr"] = 0.1
    optimizer.load_state_dict(saved)
    assert optimizer.param_groups[0]["lr"] == 0.5
    assert loaded == [optimizer]


def test_a_hook_put_first_runs_first() -> None:
    log = []
    optimizer = optim.SGD([leaf(1.0)])
    optimizer.register_state_dict_pre_hook(lambda _: log.append(1))
    optimizer.register_state_dict_pre_hook(lambda _: log.append(0), prepend=True)
    optimizer.state_dict()
    assert log == [0, 1]


def test_a_closure_is_recorded_though_the_step_runs_under_no_grad() -> None:
    w = leaf(1.0)
    optimizer = optim.SGD([w], lr=0.5)
    with torch.no_grad():
        assert optimizer.step(closure_for(optimizer, w)).requires_grad
    assert w.tolist() == [0.0]


def test_zero_grad_drops_or_clears() -> None:
    w = leaf(1.0)
    optimizer = optim.SGD([w])
    (w * w).sum().backward()
    gradient = w.grad
    optimizer.zero_grad(set_to_none=False)
    assert w.grad is gradient
    assert gradient.tolist() == [0.0]
    optimizer.zero_grad()
    assert w.grad is None


def test_a_rule_of_ones_own_may_override_step() -> None:
    class Signs(Optimizer):
        def __init__(self, params) -> None:
            super().__init__(params, {"lr": 0.5})

        @torch.no_grad()
        def step(self):
            for group in self.param_groups:
                for param in group["params"]:
                    param.sub_(param.grad.sign() * group["lr"])

    w = leaf(3.0)
    optimizer = Signs([w])
    called = []
    optimizer.register_step_post_hook(lambda *_: called.append(1))
    (w * w).sum().backward()
    optimizer.step()
    assert w.tolist() == [2.5]
    assert called == [1]


def test_a_rule_of_ones_own_needs_no_options_but_those_that_it_reads() -> None:
    class Descent(Optimizer):
        def update(self, group, updated) -> None:
            on = operands(group)
            for param, gradient in updated:
                value = on.value(param)
                value -= on.gradient(param, gradient, group) * group["lr"]

    w = leaf(3.0)
    (w * w).sum().backward()
    Descent([w], {"lr": 0.5}).step()
    assert w.tolist() == [0.0]
    assert w.requires_grad


def test_an_optimizer_around_another_need_not_be_initialized() -> None:
    class Every(Optimizer):
        def __init__(self, inner, count) -> None:
            self.inner, self.count, self.calls = inner, count, 0
            self.param_groups = inner.param_groups

        def step(self, closure=None):
            self.calls += 1
            if self.calls % self.count == 0:
                self.inner.step(closure)

    w = leaf(1.0)
    optimizer = Every(optim.SGD([w], lr=0.25), 2)
    schedule = optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    for _ in range(4):
        optimizer.zero_grad()
        (w * 1).sum().backward()
        optimizer.step()
        schedule.step()
    assert w.tolist() == [1.0 - 0.125 - 0.03125]


# ---- state -------------------------------------------------------------------------------------


@together()
@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))]
)
def test_a_saved_state_is_gone_on_with(make, duplicate) -> None:
    w = leaf(1.0, -2.0)
    optimizer = make([w])
    for _ in range(3):
        optimizer.step(closure_for(optimizer, w))
    v = w.detach().clone().requires_grad_()
    other = make([v])
    other.load_state_dict(duplicate(optimizer.state_dict()))
    for _ in range(3):
        optimizer.step(closure_for(optimizer, w))
        other.step(closure_for(other, v))
    np.testing.assert_array_equal(w.detach().numpy(), v.detach().numpy())


def test_a_state_that_does_not_fit_is_refused_and_changes_nothing() -> None:
    one, two = optim.SGD([leaf(1.0)], lr=0.5), optim.SGD([leaf(1.0), leaf(2.0)], lr=0.1)
    with pytest.raises(ValueError, match="doesn't match the size of optimizer's group"):
        one.load_state_dict(two.state_dict())
    two.add_param_group({"params": [leaf(3.0)]})
    with pytest.raises(ValueError, match="different number of parameter groups"):
        one.load_state_dict(two.state_dict())
    assert one.param_groups[0]["lr"] == 0.5


def test_loaded_state_takes_the_dtype_of_the_parameter() -> None:
    w = leaf(1.0)
    optimizer = optim.Adam([w])
    optimizer.step(closure_for(optimizer, w))
    v = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
    other = optim.Adam([v])
    other.load_state_dict(optimizer.state_dict())
    assert other.state[v]["exp_avg"].dtype == torch.float64
    assert other.state[v]["step"].dtype == torch.float32


# ---- L-BFGS ------------------------------------------------------------------------------------


def test_lbfgs_with_line_search_finds_the_minimum_of_rosenbrocks_function() -> None:
    w = torch.tensor([-1.2, 1.0], dtype=torch.float64, requires_grad=True)
    optimizer = optim.LBFGS([w], max_iter=100, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        x, y = w[0], w[1]
        loss = (1 - x) * (1 - x) + 100 * (y - x * x) * (y - x * x)
        loss.backward()
        return loss

    optimizer.step(closure)
    np.testing.assert_allclose(w.detach().numpy(), [1, 1], atol=1e-4)


def test_lbfgs_knows_one_line_search() -> None:
    w = leaf(1.0)
    optimizer = optim.LBFGS([w], line_search_fn="bisection")
    with pytest.raises(RuntimeError, match="only 'strong_wolfe' is supported"):
        optimizer.step(closure_for(optimizer, w))


class Plain(optim.Optimizer):
    """A rule with a rate, and none of the options that all of the library's optimizers have."""

    def __init__(self, params, lr: float) -> None:
        super().__init__(params, {"lr": lr})

    def update(self, group, updated) -> None:
        on = operands(group)
        for param, found, _, _ in self.counted(updated, group):
            value = on.value(param)
            value -= on.gradient(param, found, group) * group["lr"]


def test_an_optimizer_needs_none_of_the_usual_options() -> None:
    w = leaf(1.0, -2.0)
    optimizer = Plain([w], lr=0.25)
    optimizer.step(closure_for(optimizer, w))
    assert w.tolist() == [0.5, -1.0]
    again = Plain([w], lr=0.1)
    again.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    again.zero_grad()
    again.step(closure_for(again, w))
    assert w.tolist() == [0.25, -0.5]


def test_every_optimizer_is_among_those_that_are_tested() -> None:
    tested = {type(make([torch.zeros(1, requires_grad=True)])).__name__ for make in ALL}
    others = {"Muon", "SparseAdam"}  # for matrices, and for sparse gradients
    made = {name for name in optim.__all__ if isinstance(getattr(optim, name), type)}
    assert made - tested == others | {"Optimizer"}


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "Adadelta", "RAdam", "ASGD"])
def test_a_parameter_that_has_got_another_shape_is_refused(name: str) -> None:
    options = {"momentum": 0.9} if name in ("SGD", "RMSprop") else {}
    w = torch.ones(2, 1, requires_grad=True)
    optimizer = getattr(torch.optim, name)([w], lr=0.1, **options)
    w.sum().backward()
    with torch.no_grad():
        w.t_()
    with pytest.raises(RuntimeError, match="another shape since its gradient was computed"):
        optimizer.step()
    assert w.tolist() == [[1.0, 1.0]]

    w.grad = torch.ones(1, 2)
    optimizer.step()
    with torch.no_grad():
        w.t_()
    w.grad = torch.ones(2, 1)
    with pytest.raises(RuntimeError, match=r"has the shape \[1, 2\], and its parameter \[2, 1\]"):
        optimizer.step()

"""An exception in a user's function comes out as it is, and leaves nothing half done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.autograd import forward_ad, graph
from tests.robustness.test_bad_input import global_state

nn, optim, data = torch.nn, torch.optim, torch.utils.data


class Boom(Exception):
    """What only the tests raise."""


def boom(*args: Any, **kwargs: Any) -> Any:
    raise Boom("from the user")


def once(value: Any = None) -> Callable[..., Any]:
    """Return a function that raises the first time, and then returns a value."""
    calls: list[None] = []

    def function(*args: Any, **kwargs: Any) -> Any:
        calls.append(None)
        if len(calls) == 1:
            raise Boom("from the user")
        return value

    return function


def leaf() -> Any:
    return torch.tensor([1.0, 2.0], requires_grad=True)


def raises_boom(action: Callable[[], Any]) -> None:
    """Check that the user's exception comes out, and modes and counters are as before."""
    before = global_state()
    with pytest.raises(Boom, match="from the user"):
        action()
    assert global_state() == before


# ---- hooks of the graph ---------------------------------------------------------------------


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize(
    "register",
    [
        lambda x, y: y.register_hook(once()),
        lambda x, y: x.register_hook(once()),
        lambda x, y: y.grad_fn.register_hook(once()),
        lambda x, y: y.grad_fn.register_prehook(once()),
        lambda x, y: graph.register_multi_grad_hook([y], once()),
        lambda x, y: graph.register_multi_grad_hook([x, y], once(), mode="any"),
    ],
    ids=["tensor", "leaf", "node", "node's prehook", "several", "any"],
)
def test_a_hook_that_raises_leaves_the_gradient_and_the_kept_graph(
    register: Callable[..., Any], create_graph: bool
) -> None:
    x = leaf()
    y = x * x
    register(x, y)
    loss = y.sum()

    def backward() -> Any:
        return torch.autograd.grad(loss, x, retain_graph=True, create_graph=create_graph)

    raises_boom(backward)
    assert x.grad is None
    np.testing.assert_array_equal(backward()[0].detach().numpy(), [2.0, 4.0])


def test_a_hook_after_accumulation_that_raises_comes_after_it() -> None:
    x = leaf()
    x.register_post_accumulate_grad_hook(once())
    loss = (x * x).sum()
    raises_boom(lambda: loss.backward(retain_graph=True))
    np.testing.assert_array_equal(x.grad.numpy(), [2.0, 4.0])
    loss.backward()
    np.testing.assert_array_equal(x.grad.numpy(), [4.0, 8.0])


def test_a_hook_that_raises_inside_a_backward_inside_a_backward() -> None:
    x, inner = leaf(), leaf()
    inner.register_hook(boom)
    y = x * 2

    @torch.enable_grad()
    def backward_of_its_own(g: Any) -> None:
        (inner * 3).sum().backward()

    y.register_hook(backward_of_its_own)
    raises_boom(lambda: y.sum().backward())
    (x * x).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [2.0, 4.0])


# ---- saved tensors, custom functions, modes -------------------------------------------------


def test_a_pack_hook_that_raises_leaves_no_hooks_behind() -> None:
    x = leaf()

    def forward() -> None:
        with graph.saved_tensors_hooks(boom, lambda packed: packed):
            x.exp()

    raises_boom(forward)
    x.exp().sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), x.exp().detach().numpy())


def test_an_unpack_hook_that_raises_lets_the_kept_graph_run_again() -> None:
    x = leaf()
    failed: list[None] = []

    def unpack(packed: Any) -> Any:
        if not failed:
            failed.append(None)
            raise Boom("from the user")
        return packed

    with graph.saved_tensors_hooks(lambda saved: saved, unpack):
        loss = x.exp().sum()
    raises_boom(lambda: loss.backward(retain_graph=True))
    assert x.grad is None
    loss.backward()
    np.testing.assert_array_equal(x.grad.numpy(), x.exp().detach().numpy())


@pytest.mark.parametrize("place", ["forward", "backward", "setup_context"])
def test_a_custom_function_that_raises_leaves_its_input_usable(place: str) -> None:
    raising = once()

    class Doubling(torch.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            if place == "forward":
                raising()
            return x * 2

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            if place == "setup_context":
                raising()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            if place == "backward":
                raising()
            return g * 2

    x = leaf()
    raises_boom(lambda: Doubling.apply(x).sum().backward())
    assert x.grad is None
    Doubling.apply(x).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [2.0, 2.0])


@pytest.mark.parametrize(
    "mode",
    [
        torch.no_grad, torch.enable_grad, torch.inference_mode, forward_ad.dual_level,
        torch.autograd.detect_anomaly, lambda: torch.autograd.set_grad_enabled(False),
        graph.allow_mutation_on_saved_tensors, graph.save_on_cpu,
        lambda: graph.disable_saved_tensors_hooks("not here"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_a_mode_ends_with_the_exception_in_its_block(mode: Callable[[], Any]) -> None:
    def block() -> None:
        with mode():
            boom()

    raises_boom(block)


@pytest.mark.parametrize("name", ["jacobian", "hessian", "vjp", "hvp", "vhp", "jvp"])
def test_a_function_to_be_differentiated_that_raises(name: str) -> None:
    vectors = [] if name in ("jacobian", "hessian") else [torch.ones(2)]
    raises_boom(lambda: getattr(torch.autograd.functional, name)(boom, torch.ones(2), *vectors))


# ---- modules, optimizers, data --------------------------------------------------------------


class Failing(nn.Module):
    def forward(self, x: Any) -> Any:
        return boom()


@pytest.mark.parametrize(
    "register",
    [
        lambda model: model.register_forward_pre_hook(boom),
        lambda model: model.register_forward_hook(boom),
        lambda model: model.append(Failing()),
    ],
    ids=["pre-hook", "hook", "forward"],
)
def test_a_module_that_raises_leaves_no_scope_behind(register: Callable[..., Any]) -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    register(model)
    raises_boom(lambda: model(torch.ones(3, 2)))


@pytest.mark.parametrize(
    "register", ["register_full_backward_hook", "register_full_backward_pre_hook"]
)
def test_a_backward_hook_of_a_module_that_raises(register: str) -> None:
    layer = nn.Linear(2, 2)
    getattr(layer, register)(once())
    loss = layer(leaf()).sum()
    raises_boom(lambda: loss.backward(retain_graph=True))
    loss.backward()
    assert layer.weight.grad is not None


OPTIMIZERS = [optim.SGD, optim.Adam, optim.AdamW, optim.RMSprop, optim.Adagrad, optim.Adadelta]


@pytest.mark.parametrize("kind", [*OPTIMIZERS, optim.LBFGS])
def test_a_closure_that_raises_changes_no_parameter(kind: Any) -> None:
    x = leaf()
    optimizer = kind([x], lr=0.1)
    before = x.detach().clone()
    raises_boom(lambda: optimizer.step(boom))
    assert torch.equal(x, before)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (x * x).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert not torch.equal(x, before)


@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_a_step_hook_that_raises_comes_before_any_change(kind: Any) -> None:
    x = leaf()
    (x * x).sum().backward()
    optimizer = kind([x], lr=0.1)
    optimizer.register_step_pre_hook(boom)
    raises_boom(optimizer.step)
    np.testing.assert_array_equal(x.detach().numpy(), [1.0, 2.0])
    assert x._version == 0


class FailingDataset(data.Dataset):
    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> Any:
        return boom() if index == 1 else torch.ones(2)


def test_a_dataset_that_raises() -> None:
    raises_boom(lambda: list(data.DataLoader(FailingDataset())))


def test_a_collate_function_that_raises() -> None:
    raises_boom(lambda: list(data.DataLoader([1, 2], collate_fn=boom)))


def test_a_subset_of_a_dataset_that_raises() -> None:
    raises_boom(lambda: data.Subset(FailingDataset(), [1])[0])

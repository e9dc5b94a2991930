"""Optimizers, schedules and loaders do what those of the installed PyTorch do."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid
import pellucid.optim
import pellucid.utils.data

torch = pytest.importorskip("torch")

OPTIMIZERS = [
    "SGD(params, lr=0.01)",
    "SGD(params, lr=0.01, momentum=0.9, dampening=0.1, weight_decay=0.1)",
    "SGD(params, lr=0.01, momentum=0.9, nesterov=True)",
    "SGD(params, lr=0.001, maximize=True)",
    "Adam(params, lr=0.01)",
    "Adam(params, lr=0.01, weight_decay=0.1, amsgrad=True)",
    "AdamW(params, lr=0.01)",
    "RMSprop(params, lr=0.01)",
    "RMSprop(params, lr=0.01, momentum=0.9, centered=True)",
    "Adagrad(params, lr=0.1, lr_decay=0.1, initial_accumulator_value=0.1)",
    "Adadelta(params, lr=1.0, weight_decay=0.1)",
    "LBFGS(params, lr=0.5, max_iter=4)",
    "LBFGS(params, history_size=3, max_iter=8, line_search_fn='strong_wolfe')",
]

SCHEDULES = [
    "LambdaLR(optimizer, lambda epoch: 0.9 ** epoch)",
    "StepLR(optimizer, 3, 0.5)",
    "MultiStepLR(optimizer, [2, 5, 5], 0.5)",
    "ExponentialLR(optimizer, 0.9)",
    "CosineAnnealingLR(optimizer, 4, eta_min=0.001)",
    "OneCycleLR(optimizer, max_lr=1.0, total_steps=12)",
    "OneCycleLR(optimizer, max_lr=1.0, epochs=3, steps_per_epoch=4, three_phase=True)",
]

MATRIX = np.random.default_rng(0).standard_normal((6, 4)).astype(np.float32)


def problem(module, dtype: str):
    """Return two parameters and the closure of a loss that is not quadratic."""
    dtype = getattr(module, dtype)
    matrix = module.tensor(MATRIX, dtype=dtype)
    w = module.full((4, 2), 0.5, dtype=dtype).requires_grad_()
    b = module.tensor([0.1, -0.2], dtype=dtype).requires_grad_()

    def loss():
        out = matrix @ w + b
        return (out * out + out.exp()).sum()

    return [w, b], loss


def trace(module, call: str, dtype: str, steps: int = 5):
    params, loss = problem(module, dtype)
    optimizer = eval(call, {**vars(module.optim), "params": params})

    def closure():
        optimizer.zero_grad()
        value = loss()
        value.backward()
        return value

    for _ in range(steps):
        optimizer.step(closure)
    return params, optimizer, closure


@pytest.mark.parametrize("call", OPTIMIZERS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_optimizer_goes_the_same_way(call: str, dtype: str) -> None:
    tolerance = 2e-4 if dtype == "float32" else 1e-9
    ours, theirs = (trace(module, call, dtype)[0] for module in (pellucid, torch))
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(
            mine.detach().numpy(), other.detach().numpy(), rtol=tolerance, atol=tolerance
        )


@pytest.mark.parametrize("call", OPTIMIZERS)
def test_optimizer_prints_and_saves_alike(call: str) -> None:
    (_, ours, _), (_, theirs, _) = (
        trace(module, call, "float64", 2) for module in (pellucid, torch)
    )
    assert repr(ours) == repr(theirs)
    saved, expected = ours.state_dict(), theirs.state_dict()
    assert saved["param_groups"] == expected["param_groups"]
    assert set(saved["state"]) == set(expected["state"])
    if "LBFGS" not in call:  # its state holds what only its next step needs
        for position, state in expected["state"].items():
            assert set(saved["state"][position]) == set(state)
            for name, value in state.items():
                mine = saved["state"][position][name]
                assert str(mine.dtype) == str(value.dtype)
                np.testing.assert_allclose(mine.numpy(), value.numpy(), rtol=1e-7)


@pytest.mark.parametrize("call", [each for each in OPTIMIZERS if "LBFGS" not in each])
def test_a_state_of_pytorch_can_be_loaded_and_gone_on_with(call: str) -> None:
    params, optimizer, _ = trace(torch, call, "float64", 3)
    mine, ours, our_closure = trace(pellucid, call, "float64", 0)
    state = optimizer.state_dict()
    for each in state["state"].values():
        each.update({name: pellucid.tensor(value.numpy()) for name, value in each.items()})
    ours.load_state_dict(state)
    for param, value in zip(mine, params, strict=True):
        param.data = pellucid.tensor(value.detach().numpy())
    theirs = torch.optim.__dict__[type(ours).__name__]
    again = theirs(params, **{k: v for k, v in ours.defaults.items() if _known(theirs, k)})
    again.load_state_dict(trace(torch, call, "float64", 3)[1].state_dict())

    def their_closure():
        again.zero_grad()
        out = torch.tensor(MATRIX, dtype=torch.float64) @ params[0] + params[1]
        value = (out * out + out.exp()).sum()
        value.backward()
        return value

    ours.step(our_closure)
    again.step(their_closure)
    for param, value in zip(mine, params, strict=True):
        np.testing.assert_allclose(param.detach().numpy(), value.detach().numpy(), rtol=1e-9)


def _known(cls, name: str) -> bool:
    return name in cls.__init__.__code__.co_varnames


@pytest.mark.parametrize("call", SCHEDULES)
def test_schedule_gives_the_same_rates(call: str) -> None:
    rates = []
    for module in (pellucid, torch):
        optimizer = module.optim.SGD([module.zeros(1).requires_grad_()], lr=0.1, momentum=0.9)
        schedule = eval(call, {**vars(module.optim.lr_scheduler), "optimizer": optimizer})
        rates.append([(*schedule.get_last_lr(), optimizer.param_groups[0]["momentum"])])
        for _ in range(11):
            optimizer.step()
            schedule.step()
            rates[-1].append((*schedule.get_last_lr(), optimizer.param_groups[0]["momentum"]))
    np.testing.assert_allclose(rates[0], rates[1], rtol=1e-12)


def test_a_plateau_is_seen_at_the_same_epoch() -> None:
    losses = [5.0, 4.0, 4.0, 4.0, 4.0, 3.0, 3.0, 2.99999, 3.0, 3.0, 1.0]
    rates = []
    for module in (pellucid, torch):
        optimizer = module.optim.SGD([module.zeros(1).requires_grad_()], lr=1.0)
        schedule = module.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1, cooldown=1)
        rates.append([])
        for loss in losses:
            schedule.step(loss)
            rates[-1] += schedule.get_last_lr()
    assert rates[0] == rates[1]


@pytest.mark.parametrize(
    "call",
    [
        "DataLoader(data, batch_size=3, shuffle=True)",
        "DataLoader(data, batch_size=3, shuffle=True, drop_last=True)",
        "DataLoader(data, batch_size=4, sampler=RandomSampler(data, True, 50))",
        "DataLoader(data, batch_size=4, sampler=RandomSampler(data, num_samples=25))",
        "DataLoader(data, batch_size=None, sampler=SubsetRandomSampler([3, 1, 4, 5, 9]))",
        "DataLoader(data, sampler=WeightedRandomSampler([0.1] * 9 + [0.9], 8))",
        "DataLoader(random_split(data, [0.5, 0.3, 0.2])[1], batch_size=2, shuffle=True)",
    ],
)
def test_loader_visits_the_same_samples_for_a_seed(call: str) -> None:
    visited = []
    for module in (pellucid, torch):
        tools = module.utils.data
        module.manual_seed(5)
        loader = eval(call, {**vars(tools), "data": tools.TensorDataset(module.arange(10))})
        twice = [batch[0].tolist() for _ in range(2) for batch in loader]
        visited.append((twice, module.rand(1).item()))
    assert visited[0] == visited[1]


@pytest.mark.parametrize(
    "call",
    [
        "DataLoader(data, batch_size=0)",
        "DataLoader(data, batch_size=2.5)",
        "DataLoader(data, shuffle=True, sampler=SequentialSampler(data))",
        "DataLoader(data, batch_sampler=BatchSampler(range(3), 2, False), drop_last=True)",
        "DataLoader(data, batch_size=None, drop_last=True)",
        "DataLoader(data, num_workers=-1)",
        "RandomSampler(data, num_samples=-1)",
        "RandomSampler(data, replacement=2)",
        "random_split(data, [1, 2])",
        "default_collate([object()])",
        "default_collate([[1], [1, 2]])",
        "TensorDataset(ones(2), ones(3))",
    ],
)
def test_wrong_arguments_raise_the_same_class(call: str) -> None:
    raised = []
    for module in (pellucid, torch):
        tools = {**vars(module.utils.data), "data": range(10), "ones": module.ones}
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is what is compared
            eval(call, tools)
        raised.append(caught.value)
    assert isinstance(raised[0], type(raised[1]))

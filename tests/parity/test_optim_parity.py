"""Optimizers and loaders do what those of the installed PyTorch do."""

from __future__ import annotations

import importlib
import inspect
import io
from typing import Any

import numpy as np
import pytest

import pellucid
import pellucid.optim
import pellucid.utils.data

torch = pytest.importorskip("torch")

LIBRARIES = (pellucid, torch)

OPTIMIZERS = [
    "SGD(params, lr=0.01)",
    "SGD(params, lr=0.01, momentum=0.9, dampening=0.1, weight_decay=0.1)",
    "SGD(params, lr=0.01, momentum=0.9, nesterov=True)",
    "SGD(params, lr=0.001, maximize=True, momentum=0.5, weight_decay=0.1)",
    "SGD(params, lr=torch.tensor(0.01), fused=True)",
    "Adam(params, lr=0.01)",
    "Adam(params, lr=0.01, weight_decay=0.1, amsgrad=True)",
    "Adam(params, lr=0.001, betas=(0.5, 0.7), eps=1e-3, maximize=True, foreach=True)",
    "Adam(params, lr=0.01, weight_decay=0.3, decoupled_weight_decay=True)",
    "Adam(params, lr=torch.tensor([0.01]))",
    "AdamW(params, lr=0.01)",
    "AdamW(params, lr=0.01, amsgrad=True, maximize=True, weight_decay=0.2)",
    "Adamax(params)",
    "Adamax(params, lr=0.1, betas=(0.8, 0.9), eps=1e-2, weight_decay=0.1, maximize=True)",
    "NAdam(params, lr=0.01)",
    "NAdam(params, lr=0.01, betas=(0.8, 0.9), weight_decay=0.1, momentum_decay=0.1)",
    "NAdam(params, weight_decay=0.1, decoupled_weight_decay=True, maximize=True)",
    "RAdam(params, lr=0.01)",
    "RAdam(params, lr=0.01, betas=(0.8, 0.9), eps=1e-3, weight_decay=0.1)",
    "RAdam(params, betas=(0.8, 0.9), weight_decay=0.1, decoupled_weight_decay=True, maximize=True)",
    "RMSprop(params, lr=0.01)",
    "RMSprop(params, lr=0.01, momentum=0.9, centered=True)",
    "RMSprop(params, lr=0.01, alpha=0.5, eps=0.1, weight_decay=0.1, maximize=True)",
    "Rprop(params)",
    "Rprop(params, lr=0.3, etas=(0.4, 1.5), step_sizes=(0.05, 0.35))",
    "Rprop(params, lr=0.001, maximize=True)",
    "ASGD(params)",
    "ASGD(params, lr=0.02, lambd=0.1, alpha=0.9, t0=2, weight_decay=0.1)",
    "ASGD(params, lr=0.001, maximize=True)",
    "Adagrad(params, lr=0.1, lr_decay=0.1, initial_accumulator_value=0.1)",
    "Adagrad(params, lr=0.1, weight_decay=0.1, eps=0.1, maximize=True)",
    "Adadelta(params, lr=1.0, weight_decay=0.1)",
    "Adadelta(params, rho=0.5, eps=1e-3, maximize=True)",
    "Adafactor(params, lr=0.1)",
    "Adafactor(params, beta2_decay=-0.5, eps=(1e-3, 0.1), d=1.5, weight_decay=0.1)",
    "Adafactor(params, maximize=True)",
    "LBFGS(params, lr=0.5, max_iter=4)",
    "LBFGS(params, history_size=3, max_iter=8, line_search_fn='strong_wolfe')",
]
STEPWISE = [each for each in OPTIMIZERS if "LBFGS" not in each]
WITH_COMPLEX = [each for each in STEPWISE if "Adafactor" not in each and "fused" not in each]

#: PyTorch iterates in bfloat16, with 8 bits for each number
MUON = [
    "Muon([w], lr=0.02)",
    "Muon([w], lr=0.02, weight_decay=0.5, momentum=0.5, nesterov=False)",
    "Muon([w], lr=0.02, adjust_lr_fn='match_rms_adamw', ns_steps=3)",
]

MATRIX = np.random.default_rng(0).standard_normal((6, 4)).astype(np.float32)


def problem(library: Any, dtype: str) -> tuple[list[Any], Any]:
    """Return two parameters and the closure of a loss that is not quadratic."""
    dtype = getattr(library, dtype)
    matrix = library.tensor(MATRIX).to(dtype)
    w = library.full((4, 2), 0.5, dtype=dtype).requires_grad_()
    b = library.tensor([0.1, -0.2], dtype=dtype).requires_grad_()

    def loss() -> Any:
        out = matrix @ w + b
        values = (out * out.conj()).real if out.is_complex() else out * out
        return (values + (values * 0.1).exp()).sum()

    return [w, b], loss


def made(library: Any, call: str, **names: Any) -> Any:
    return eval(call, {**vars(library.optim), "torch": library, **names})


def base_of(library: Any) -> Any:
    return importlib.import_module(f"{library.__name__}.optim.optimizer")


def trace(library: Any, call: str, dtype: str, steps: int = 5) -> tuple[list[Any], Any, Any]:
    params, loss = problem(library, dtype)
    optimizer = made(library, call, params=params, w=params[0])

    def closure() -> Any:
        for param in params:
            param.grad = None
        value = loss()
        value.backward()
        return value

    for _ in range(steps):
        optimizer.step(closure)
    return params, optimizer, closure


def assert_close(mine: Any, other: Any, tolerance: float) -> None:
    assert str(mine.dtype) == str(other.dtype)
    np.testing.assert_allclose(
        mine.detach().numpy(), other.detach().numpy(), rtol=tolerance, atol=tolerance
    )


@pytest.mark.parametrize("call", OPTIMIZERS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_optimizer_goes_the_same_way(call: str, dtype: str) -> None:
    tolerance = 2e-4 if dtype == "float32" else 1e-9
    ours, theirs = (trace(library, call, dtype)[0] for library in LIBRARIES)
    for mine, other in zip(ours, theirs, strict=True):
        assert_close(mine, other, tolerance)


@pytest.mark.parametrize("call", MUON)
@pytest.mark.parametrize("shape", [(4, 2), (3, 7), (5, 5)])
def test_muon_goes_the_same_way_within_the_precision_of_its_iteration(
    call: str, shape: tuple[int, int]
) -> None:
    values = np.random.default_rng(1).standard_normal((2, *shape)).astype(np.float32)
    steps, texts = [], []
    for library in LIBRARIES:
        w = library.tensor(values[0]).requires_grad_()
        optimizer = made(library, call, w=w)
        for _ in range(3):
            w.grad = library.tensor(values[1])
            optimizer.step()
        steps.append((w.detach().numpy() - values[0], optimizer.state[w]["momentum_buffer"]))
        texts.append((repr(optimizer), str(optimizer.state_dict()["param_groups"])))
    assert texts[0] == texts[1]
    scale = np.abs(steps[1][0]).max()
    np.testing.assert_allclose(steps[0][0], steps[1][0], atol=0.03 * scale)
    assert_close(steps[0][1], steps[1][1], 1e-6)


@pytest.mark.parametrize("call", WITH_COMPLEX)
def test_complex_parameters_go_the_same_way(call: str) -> None:
    (ours, mine, _), (theirs, other, _) = (trace(lib, call, "complex128", 3) for lib in LIBRARIES)
    for param, expected in zip(ours, theirs, strict=True):
        assert_close(param, expected, 1e-9)
        for name, value in other.state[expected].items():
            assert_close(mine.state[param][name], value, 1e-9)


@pytest.mark.parametrize("call", OPTIMIZERS)
def test_optimizer_prints_and_saves_alike(call: str) -> None:
    (_, ours, _), (_, theirs, _) = (trace(library, call, "float64", 2) for library in LIBRARIES)
    assert repr(ours) == repr(theirs)
    saved, expected = ours.state_dict(), theirs.state_dict()
    assert str(saved["param_groups"]) == str(expected["param_groups"])
    assert set(saved["state"]) == set(expected["state"])
    if "LBFGS" not in call:  # its state holds what only its next step needs
        for position, state in expected["state"].items():
            assert list(saved["state"][position]) == list(state)
            for name, value in state.items():
                assert_close(saved["state"][position][name], value, 1e-7)


@pytest.mark.parametrize("name", [each for each in pellucid.optim.__all__ if each[0].isupper()])
def test_signature_is_the_same(name: str) -> None:
    ours, theirs = getattr(pellucid.optim, name), getattr(torch.optim, name)
    mine, other = (inspect.signature(each).parameters for each in (ours, theirs))
    assert [(p.name, p.default, p.kind) for p in mine.values()] == [
        (p.name, p.default, p.kind) for p in other.values()
    ]


def carried(source: Any, target: Any, value: Any) -> Any:
    """Return what one library loads of what the other has saved."""
    file = io.BytesIO()
    source.save(value, file)
    file.seek(0)
    return target.load(file)


@pytest.mark.parametrize("call", OPTIMIZERS)
@pytest.mark.parametrize(
    ("source", "target"), [LIBRARIES, LIBRARIES[::-1]], ids=["to_torch", "from_torch"]
)
def test_training_goes_on_in_the_other_library(call: str, source: Any, target: Any) -> None:
    before, saver, _ = trace(source, call, "float64", 3)
    params, loader, closure = trace(target, call, "float64", 0)
    values, state = carried(
        source, target, [[each.detach() for each in before], saver.state_dict()]
    )
    loader.load_state_dict(state)
    for param, value in zip(params, values, strict=True):
        param.data = value
    loader.step(closure)
    expected = trace(target, call, "float64", 4)[0]
    for param, other in zip(params, expected, strict=True):
        assert_close(param, other, 1e-9)


@pytest.mark.parametrize("library", LIBRARIES)
def test_checkpoints_of_old_versions_are_taken_up(library: Any) -> None:
    _, optimizer, closure = trace(library, "NAdam(params)", "float64", 2)
    state = optimizer.state_dict()
    for each in state["state"].values():
        each.update({name: each[name].item() for name in ("step", "mu_product")})
    del state["param_groups"][0]["maximize"]
    optimizer.load_state_dict(state)
    optimizer.step(closure)
    first = optimizer.state[optimizer.param_groups[0]["params"][0]]
    assert first["step"].item() == 3
    assert optimizer.param_groups[0]["maximize"] is False


@pytest.mark.parametrize("call", STEPWISE)
def test_groups_with_options_of_their_own_go_the_same_way(call: str) -> None:
    results = []
    for library in LIBRARIES:
        params, loss = problem(library, "float64")
        groups = [{"params": params[:1], "lr": 0.003}, {"params": params[1]}]
        optimizer = made(library, call, params=groups)
        third = library.ones(2, dtype=library.float64).requires_grad_()
        optimizer.add_param_group({"params": [third], "lr": 0.02})
        for _ in range(3):
            optimizer.zero_grad()
            (loss() + (third**4).sum()).backward()
            optimizer.step()
        results.append([*params, third])
    for mine, other in zip(*results, strict=True):
        assert_close(mine, other, 1e-9)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW"])
def test_derivatives_through_steps_are_the_same(name: str) -> None:
    results = []
    for library in LIBRARIES:
        options = {"dtype": library.float64, "requires_grad": True}
        start, lr = library.tensor([1.0, -2.0], **options), library.tensor(0.1, **options)
        param = start.clone()
        optimizer = getattr(library.optim, name)(
            [param], lr=lr, differentiable=True, weight_decay=0
        )
        for _ in range(3):
            value = param.clone()
            (param.grad,) = library.autograd.grad((value**3).sum(), value, create_graph=True)
            optimizer.step()
        (param**2).sum().backward()
        results.append((param, start.grad, lr.grad))
    for mine, other in zip(*results, strict=True):  # PyTorch corrects Adam's bias in float32 here
        assert_close(mine, other, 1e-9 if name == "SGD" else 1e-5)


@pytest.mark.parametrize(
    "call",
    [
        "SGD([w], lr=-1)",
        "SGD([w], lr=torch.tensor([1.0, 2.0]))",
        "SGD([w], nesterov=True)",
        "SGD([w], fused=True, foreach=True)",
        "SGD([w], fused=True, differentiable=True)",
        "SGD(w)",
        "SGD([])",
        "SGD([w, 3])",
        "SGD([{'params': {w}}])",
        "SGD([w * 2])",
        "SGD([{'params': [w]}, {'params': [w]}])",
        "SGD([('w', w), v])",
        "SGD([{'params': [('w', w)]}, {'params': [v]}])",
        "Adam([w], betas=(1.0, 0.9))",
        "Adam([w], betas=(0, 0.9))",
        "Adam([w], betas=(0.9, torch.tensor(0.9)))",
        "Adam([w], lr=torch.tensor(0.1), foreach=True)",
        "Adam([w], eps=-1.0)",
        "Adamax([w], betas=(0.9, 1.0))",
        "NAdam([w], momentum_decay=-1)",
        "RAdam([w], weight_decay=-1)",
        "RMSprop([w], alpha=-1)",
        "Rprop([w], etas=(1.1, 1.2))",
        "ASGD([w], weight_decay=-1)",
        "Adagrad([w], initial_accumulator_value=-1)",
        "Adadelta([w], rho=2)",
        "Adafactor([w], lr=-1)",
        "Adafactor([w], beta2_decay=1)",
        "Adafactor([w], eps=(-1, 1))",
        "Adafactor([w], d=0.5)",
        "Muon([w])",
        "Muon([m], adjust_lr_fn='none')",
        "Muon([m], momentum=-1)",
        "LBFGS([{'params': [w]}, {'params': [v]}])",
        "SGD([w]).load_state_dict(SGD([w, v]).state_dict())",
        "SGD([w]).add_param_group([v])",
        "Optimizer([w], {'lr': optimizer.required})",
        "stepped(Adafactor([z]), z)",
        "stepped(Adam([c], differentiable=True, foreach=True), c)",
    ],
)
def test_what_is_refused_is_refused_in_the_same_words(call: str) -> None:
    def stepped(optimizer: Any, param: Any) -> None:
        param.grad = param.detach().clone()
        optimizer.step()

    raised = []
    for library in LIBRARIES:
        names = {
            "w": library.ones(2).requires_grad_(), "v": library.ones(2).requires_grad_(),
            "m": library.ones(2, 2).requires_grad_(), "stepped": stepped,
            "z": library.ones(2, dtype=library.complex64).requires_grad_(),
            "c": library.ones(2), "optimizer": base_of(library),
        }  # fmt: skip
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is what is compared
            made(library, call, **names)
        raised.append(caught.value)
    assert isinstance(raised[0], type(raised[1]))
    assert str(raised[0]).startswith(str(raised[1]).rstrip("."))


def test_hooks_are_called_in_the_same_order() -> None:
    logs = []
    for library in LIBRARIES:
        log: list[str] = []
        w = library.ones(2).requires_grad_()
        w.grad = library.ones(2)
        optimizer = library.optim.SGD([w], lr=0.1)
        everywhere = base_of(library)
        handles = [
            everywhere.register_optimizer_step_pre_hook(lambda *_, log=log: log.append("all+")),
            everywhere.register_optimizer_step_post_hook(lambda *_, log=log: log.append("all-")),
        ]
        optimizer.register_step_pre_hook(lambda *_, log=log: log.append("one+"))
        optimizer.register_step_post_hook(lambda *_, log=log: log.append("one-"))
        optimizer.register_state_dict_pre_hook(lambda *_, log=log: log.append("save 1"))
        optimizer.register_state_dict_pre_hook(lambda *_, log=log: log.append("save 0"), True)
        optimizer.register_state_dict_post_hook(
            lambda _, state, log=log: log.append(f"saved {sorted(state)}") or {**state, "extra": 1}
        )
        optimizer.register_load_state_dict_pre_hook(
            lambda _, state, log=log: log.append(f"load {sorted(state)}")
        )
        optimizer.register_load_state_dict_post_hook(lambda *_, log=log: log.append("loaded"))
        optimizer.step()
        optimizer.load_state_dict(optimizer.state_dict())
        for handle in handles:
            handle.remove()
        optimizer.step()
        logs.append(log)
    assert logs[0] == logs[1]


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

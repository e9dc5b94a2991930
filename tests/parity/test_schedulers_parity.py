"""Schedules of the learning rate do what those of the installed PyTorch do."""

from __future__ import annotations

import inspect
import io
import math
import warnings
from typing import Any

import numpy as np
import pytest

import pellucid
import pellucid.optim

torch = pytest.importorskip("torch")

LIBRARIES = (pellucid, torch)
BOTH_WAYS = pytest.mark.parametrize(
    ("source", "target"), [LIBRARIES, LIBRARIES[::-1]], ids=["to_torch", "from_torch"]
)

SCHEDULES = [
    "LambdaLR(optimizer, lambda epoch: 0.9 ** epoch)",
    "LambdaLR(optimizer, [lambda epoch: 0.9 ** epoch, lambda epoch: 1 / (1 + epoch)])",
    "LambdaLR(optimizer, Power(0.9))",
    "MultiplicativeLR(optimizer, lambda epoch: 1 - 1 / (2 + epoch))",
    "MultiplicativeLR(optimizer, [Power(0.9), Power(0.99)])",
    "StepLR(optimizer, 3, 0.5)",
    "MultiStepLR(optimizer, [2, 5, 5], 0.5)",
    "ConstantLR(optimizer)",
    "ConstantLR(optimizer, factor=0.25, total_iters=3)",
    "LinearLR(optimizer)",
    "LinearLR(optimizer, start_factor=0.9, end_factor=0.1, total_iters=7)",
    "ExponentialLR(optimizer, 0.9)",
    "PolynomialLR(optimizer)",
    "PolynomialLR(optimizer, total_iters=9, power=0.5)",
    "CosineAnnealingLR(optimizer, 4, eta_min=0.001)",
    "CosineAnnealingLR(optimizer, 30)",
    "CosineAnnealingWarmRestarts(optimizer, 3)",
    "CosineAnnealingWarmRestarts(optimizer, 2, T_mult=2, eta_min=0.01)",
    "CyclicLR(optimizer, 0.1, 1.0, step_size_up=3)",
    "CyclicLR(optimizer, [0.1, 0.2], [1.0, 0.9], step_size_up=3, step_size_down=2,"
    " mode='triangular2', base_momentum=[0.5, 0.6])",
    "CyclicLR(optimizer, 0.1, 1.0, 4, 1, mode='exp_range', gamma=0.9, cycle_momentum=False)",
    "CyclicLR(optimizer, 0.1, 1.0, 4, scale_fn=lambda x: 1 / x, scale_mode='cycle')",
    "CyclicLR(optimizer, 0.1, 1.0, 4, scale_fn=Power(0.5), scale_mode='iterations')",
    "OneCycleLR(optimizer, max_lr=1.0, total_steps=16)",
    "OneCycleLR(optimizer, max_lr=[1.0, 2.0], total_steps=20, anneal_strategy='linear')",
    "OneCycleLR(optimizer, max_lr=1.0, epochs=4, steps_per_epoch=4, three_phase=True)",
    "OneCycleLR(optimizer, 1.0, total_steps=16, pct_start=0.5, cycle_momentum=False)",
    "SequentialLR(optimizer, [ConstantLR(optimizer, 0.1), ExponentialLR(optimizer, 0.9)], [4])",
    "SequentialLR(optimizer, [LinearLR(optimizer, 0.1, total_iters=3),"
    " CosineAnnealingLR(optimizer, 6), StepLR(optimizer, 2)], [3, 9])",
    "SequentialLR(optimizer, [ChainedScheduler([ConstantLR(optimizer, 0.1),"
    " ExponentialLR(optimizer, 0.9)]), CosineAnnealingWarmRestarts(optimizer, 3)], [5])",
    "ChainedScheduler([ConstantLR(optimizer, 0.1, 3), ExponentialLR(optimizer, 0.9)])",
    "ChainedScheduler([StepLR(optimizer, 2), LinearLR(optimizer)], optimizer=optimizer)",
    "SWALR(optimizer, 0.5)",
    "SWALR(optimizer, [0.5, 0.01], anneal_epochs=4, anneal_strategy='linear')",
    "SWALR(optimizer, 0.5, anneal_epochs=0)",
]

#: those that have a closed form, by which they can jump to an epoch
JUMPING = [
    each for each in SCHEDULES
    if each.startswith(("Step", "Multi", "Const", "Linear", "Exp", "Poly", "Cosine", "Lambda"))
]  # fmt: skip

OPTIMIZERS = ["SGD(groups, lr=0.1, momentum=0.9)", "Adam(groups, lr=0.1)"]

PLATEAUS = [
    "ReduceLROnPlateau(optimizer, patience=1, cooldown=1)",
    "ReduceLROnPlateau(optimizer, 'max', 0.5, 0, threshold=0.5, threshold_mode='abs')",
    "ReduceLROnPlateau(optimizer, 'max', patience=0, threshold=0.2)",
    "ReduceLROnPlateau(optimizer, patience=0, min_lr=[0.02, 0.0], eps=1e-3)",
    "ReduceLROnPlateau(optimizer, threshold_mode='abs', threshold=0.1, patience=2, min_lr=0.05)",
]
LOSSES = [5.0, 4.0, 4.0, 4.0, 4.0, 3.0, 3.0, 2.99999, 3.0, 3.0, 1.0, 1.5, 1.0, 0.2, 0.2]


class Power:
    """A function of the epoch that can be saved, as plain ones cannot."""

    def __init__(self, base: float) -> None:
        self.base = base

    def __call__(self, epoch: float) -> float:
        return self.base**epoch


def optimizer_of(library: Any, call: str = OPTIMIZERS[0], lr: Any = None) -> Any:
    first, second = (library.zeros(1).requires_grad_() for _ in range(2))
    groups = [{"params": [first]}, {"params": [second], "lr": 0.3}]
    optimizer = eval(call, {**vars(library.optim), "groups": groups})
    if lr is not None:
        for group in optimizer.param_groups:
            group["lr"] = library.tensor(lr, dtype=library.float64)
    return optimizer


def made(library: Any, call: str, optimizer: Any, **names: Any) -> Any:
    names = {"Power": Power, "SWALR": library.optim.swa_utils.SWALR, **names}
    return eval(call, {**vars(library.optim.lr_scheduler), "optimizer": optimizer, **names})


def scheduled(library: Any, call: str, optimizer: Any) -> Any:
    """Make one of the schedules; a chain among those in sequence is made to step at once."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Detected call of", UserWarning)
        return made(library, call, optimizer)


def present(optimizer: Any) -> list[list[float]]:
    """Return all that schedules change."""
    return [
        [float(group["lr"]), float(group.get("momentum", 0)), float(group.get("betas", [0])[0])]
        for group in optimizer.param_groups
    ]


def course(optimizer: Any, schedule: Any, steps: int) -> list[Any]:
    found = [present(optimizer)]
    for _ in range(steps):
        optimizer.step()
        schedule.step()
        found.append(present(optimizer))
        assert [float(rate) for rate in schedule.get_last_lr()] == [row[0] for row in found[-1]]
    return found


@pytest.mark.parametrize("call", SCHEDULES)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_schedule_gives_the_same_rates(call: str, optimizer: str) -> None:
    courses = []
    for library in LIBRARIES:
        stepped = optimizer_of(library, optimizer)
        courses.append(course(stepped, scheduled(library, call, stepped), 15))
    np.testing.assert_allclose(courses[0], courses[1], rtol=1e-12)


@pytest.mark.parametrize("call", SCHEDULES)
def test_rates_that_are_tensors_are_changed_in_place(call: str) -> None:
    courses = []
    for library in LIBRARIES:
        optimizer = optimizer_of(library, lr=0.1)
        rates = [group["lr"] for group in optimizer.param_groups]
        courses.append(course(optimizer, scheduled(library, call, optimizer), 10))
        assert all(
            group["lr"] is rate for group, rate in zip(optimizer.param_groups, rates, strict=True)
        )
    np.testing.assert_allclose(courses[0], courses[1], rtol=1e-9)


def comparable(state: Any) -> Any:
    """Return a state of which each part can be compared."""
    if isinstance(state, dict):
        return {name: comparable(value) for name, value in state.items()}
    if isinstance(state, list | tuple):
        return [comparable(each) for each in state]
    return pytest.approx(state) if isinstance(state, float) else state


@pytest.mark.parametrize("call", [*SCHEDULES, *PLATEAUS])
def test_states_have_the_same_entries(call: str) -> None:
    states = []
    for library in LIBRARIES:
        optimizer = optimizer_of(library)
        schedule = scheduled(library, call, optimizer)
        for loss in LOSSES[:4]:
            optimizer.step()
            schedule.step(*([loss] if call in PLATEAUS else []))
        states.append(schedule.state_dict())
    assert states[0] == comparable(states[1])


@BOTH_WAYS
@pytest.mark.parametrize("call", SCHEDULES)
def test_the_other_library_goes_on_with_a_saved_schedule(
    call: str, source: Any, target: Any
) -> None:
    optimizer = optimizer_of(source)
    schedule = scheduled(source, call, optimizer)
    course(optimizer, schedule, 4)
    file = io.BytesIO()
    source.save([optimizer.state_dict(), schedule.state_dict()], file)
    file.seek(0)
    states = target.load(file, weights_only=False)
    other_optimizer = optimizer_of(target)
    other = scheduled(target, call, other_optimizer)
    other_optimizer.load_state_dict(states[0])
    other.load_state_dict(states[1])
    np.testing.assert_allclose(
        course(other_optimizer, other, 8), course(optimizer, schedule, 8), rtol=1e-12
    )


@pytest.mark.parametrize("call", JUMPING)
def test_jumps_to_an_epoch_are_the_same(call: str) -> None:
    found = []
    for library in LIBRARIES:
        optimizer = optimizer_of(library)
        schedule = scheduled(library, call, optimizer)
        optimizer.step()
        found.append([])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            for epoch in (7, 2, 13):
                schedule.step(epoch)
                found[-1] += present(optimizer)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12)


@pytest.mark.parametrize("mult", [1, 2, 3])
def test_warm_restarts_take_fractions_of_epochs(mult: int) -> None:
    found = []
    for library in LIBRARIES:
        optimizer = optimizer_of(library)
        schedule = library.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 2, mult, 0.01)
        optimizer.step()
        found.append([])
        for epoch in (0.25, 1.5, 2.0, 7.75, None, None, 1.0, None, 26.5):
            schedule.step(epoch)
            found[-1] += [*present(optimizer), [schedule.T_cur, schedule.T_i, schedule.last_epoch]]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12)


@pytest.mark.parametrize("call", [each for each in SCHEDULES if "ChainedScheduler" not in each])
def test_schedules_resume_from_an_epoch(call: str) -> None:
    courses = []
    for library in LIBRARIES:
        optimizer = optimizer_of(library)
        course(optimizer, scheduled(library, call, optimizer), 4)
        if call.startswith("Sequential"):
            resumed = made(library, call, optimizer)
        else:
            resumed = made(library, f"{call[:-1]}, last_epoch=3)", optimizer)
        courses.append(course(optimizer, resumed, 6))
    np.testing.assert_allclose(courses[0], courses[1], rtol=1e-12)


@pytest.mark.parametrize("call", PLATEAUS)
def test_a_plateau_is_seen_at_the_same_epoch(call: str) -> None:
    courses = []
    for library in LIBRARIES:
        optimizer = optimizer_of(library)
        schedule = scheduled(library, call, optimizer)
        courses.append([])
        for loss in LOSSES:
            schedule.step(library.tensor(loss))
            courses[-1] += [
                *present(optimizer),
                [schedule.best, schedule.num_bad_epochs, schedule.cooldown_counter],
            ]
    np.testing.assert_allclose(courses[0], courses[1], rtol=1e-12)


@pytest.mark.parametrize(
    "action",
    [
        "StepLR(optimizer, 3).step()",
        "stepped(StepLR(optimizer, 3)).get_lr()",
        "stepped(StepLR(optimizer, 3)).step(4)",
        "overridden(StepLR(optimizer, 3)).step()",
        "ReduceLROnPlateau(optimizer).step(1.0, 4)",
        "stepped(SWALR(optimizer, 0.1)).get_lr()",
        "SequentialLR(optimizer, [StepLR(optimizer, 3), StepLR(optimizer, 2)], [2]).step()",
    ],
)
def test_the_same_is_warned_about(action: str) -> None:
    def stepped(schedule: Any) -> Any:
        schedule.optimizer.step()
        return schedule

    def overridden(schedule: Any) -> Any:
        schedule.optimizer.step = lambda: None
        return schedule

    texts = []
    for library in LIBRARIES:
        with pytest.warns(UserWarning) as caught:  # noqa: PT030 - texts are compared below
            made(library, action, optimizer_of(library), stepped=stepped, overridden=overridden)
        texts.append([str(each.message)[:60] for each in caught])
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    "call",
    [
        "StepLR(3, 3)",
        "StepLR(optimizer, 3, last_epoch=2)",
        "LambdaLR(optimizer, [lambda epoch: 1])",
        "MultiplicativeLR(optimizer, 3)",
        "ConstantLR(optimizer, 1.5)",
        "LinearLR(optimizer, start_factor=0)",
        "LinearLR(optimizer, end_factor=2)",
        "CosineAnnealingWarmRestarts(optimizer, 0)",
        "CosineAnnealingWarmRestarts(optimizer, 1, 0)",
        "CosineAnnealingWarmRestarts(optimizer, 1, 1, 'low')",
        "CosineAnnealingWarmRestarts(optimizer, 1).step(-1)",
        "CyclicLR(optimizer, 0.1, 1, mode='square')",
        "CyclicLR(optimizer, [0.1], 1)",
        "CyclicLR(plain, 0.1, 1)",
        "CyclicLR(3, 0.1, 1)",
        "OneCycleLR(optimizer, 1.0)",
        "OneCycleLR(optimizer, 1.0, total_steps=-3)",
        "OneCycleLR(optimizer, 1.0, total_steps=3.5)",
        "OneCycleLR(optimizer, 1.0, epochs=3, steps_per_epoch=0)",
        "OneCycleLR(optimizer, 1.0, total_steps=3, pct_start=2)",
        "OneCycleLR(optimizer, 1.0, total_steps=3, anneal_strategy='none')",
        "OneCycleLR(plain, 1.0, total_steps=3)",
        "[s.step() for s in [OneCycleLR(optimizer, 1.0, total_steps=3)] * 4]",
        "ReduceLROnPlateau(optimizer, factor=1)",
        "ReduceLROnPlateau(optimizer, 'least')",
        "ReduceLROnPlateau(optimizer, threshold_mode='none')",
        "ReduceLROnPlateau(optimizer, min_lr=[1])",
        "ReduceLROnPlateau(3)",
        "SequentialLR(optimizer, [], [])",
        "SequentialLR(optimizer, [StepLR(optimizer, 2)], [3])",
        "SequentialLR(optimizer, [ReduceLROnPlateau(optimizer)], [])",
        "SequentialLR(optimizer, [StepLR(plain, 2)], [])",
        "SequentialLR(optimizer, [3], [])",
        "ChainedScheduler([])",
        "ChainedScheduler([StepLR(optimizer, 2), StepLR(plain, 2)])",
        "ChainedScheduler([ReduceLROnPlateau(optimizer)])",
        "SWALR(optimizer, [0.1])",
        "SWALR(optimizer, 0.1, anneal_strategy='none')",
        "SWALR(optimizer, 0.1, anneal_epochs=-1)",
        "LRScheduler(optimizer)",
    ],
)
@pytest.mark.filterwarnings("ignore:Detected call of")
def test_what_is_refused_is_refused_in_the_same_words(call: str) -> None:
    raised = []
    for library in LIBRARIES:
        plain = library.optim.Rprop([library.zeros(1).requires_grad_()])
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is what is compared
            made(library, call, optimizer_of(library), plain=plain)
        raised.append(caught.value)
    assert isinstance(raised[0], type(raised[1]))
    assert str(raised[0])[:60] == str(raised[1])[:60]


@pytest.mark.parametrize("name", pellucid.optim.lr_scheduler.__all__)
def test_signature_is_the_same(name: str) -> None:
    mine, other = (
        inspect.signature(getattr(library.optim.lr_scheduler, name)).parameters
        for library in LIBRARIES
    )
    assert [(p.name, p.default, p.kind) for p in mine.values()] == [
        (p.name, p.default, p.kind) for p in other.values()
    ]


def test_all_schedules_are_there() -> None:
    assert set(pellucid.optim.lr_scheduler.__all__) == set(torch.optim.lr_scheduler.__all__)
    assert set(pellucid.optim.swa_utils.__all__) == set(torch.optim.swa_utils.__all__)


# ---- averaged models ---------------------------------------------------------------------------

AVERAGES = [
    "AveragedModel(model)",
    "AveragedModel(model, use_buffers=True)",
    "AveragedModel(model, avg_fn=get_ema_avg_fn(0.9))",
    "AveragedModel(model, avg_fn=get_swa_avg_fn())",
    "AveragedModel(model, avg_fn=lambda mean, value, count: mean * 0.5 + value / (count + 2))",
    "AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9), use_buffers=True)",
    "AveragedModel(model, multi_avg_fn=get_swa_multi_avg_fn())",
]


def model_and_data(library: Any) -> tuple[Any, Any]:
    random = np.random.default_rng(3)
    model = library.nn.Sequential(library.nn.Linear(3, 4), library.nn.BatchNorm1d(4))
    for param in model.parameters():
        param.data = library.tensor(random.standard_normal(tuple(param.shape)).astype("float32"))
    return model, library.tensor(random.standard_normal((4, 8, 3)).astype("float32"))


@pytest.mark.parametrize("call", AVERAGES)
def test_averaged_models_hold_the_same_weights(call: str) -> None:
    states = []
    for library in LIBRARIES:
        model, data = model_and_data(library)
        averaged = eval(call, {**vars(library.optim.swa_utils), "model": model})
        optimizer = library.optim.SGD(model.parameters(), lr=0.1)
        for batch in data:
            optimizer.zero_grad()
            (model(batch) ** 3).mean().backward()
            optimizer.step()
            averaged.update_parameters(model)
        library.optim.swa_utils.update_bn([[batch, 0] for batch in data], averaged)
        averaged.eval()
        states.append({**averaged.state_dict(), "out": averaged(data[0])})
    assert list(states[0]) == list(states[1])
    for name, value in states[1].items():
        np.testing.assert_allclose(
            states[0][name].detach().numpy(), value.detach().numpy(), rtol=2e-4, atol=1e-5
        )


@pytest.mark.parametrize("call", ["get_ema_avg_fn(1.5)", "get_ema_multi_avg_fn(-math.pi)"])
def test_decays_out_of_range_are_refused_in_the_same_words(call: str) -> None:
    texts = []
    for library in LIBRARIES:
        with pytest.raises(ValueError, match="Invalid decay value") as caught:
            eval(call, {**vars(library.optim.swa_utils), "math": math})
        texts.append(str(caught.value))
    assert texts[0] == texts[1]

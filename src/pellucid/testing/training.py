"""A test of whether a model can learn at all, in one call."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.autograd.modes import enable_grad, no_grad
from pellucid.autograd.short_tracebacks import shortening
from pellucid.errors import ArgumentTypeError
from pellucid.inspect.paths import why_no_grad
from pellucid.nn import Module, functional
from pellucid.optim import Adam
from pellucid.tensors import Tensor

#: what a gradient of another row may be, in comparison with that of the row itself
_NOTHING = 1e-6
#: rows whose independence is looked at
_ROWS = 4


@shortening
def assert_trains(
    model: Any, batch: Any, loss: Callable[..., Any] | None = None, *, steps: int = 10,
    lr: float = 1e-3, rows: bool = True,
) -> None:  # fmt: skip
    """Assert that a model can be trained: one batch is run, and the model is left unchanged.

    Each parameter has to get a gradient that is finite and not zero everywhere, the loss has to
    fall on this batch, evaluation has to give the same twice, and no row of the result may depend
    on other rows of the input.

    Args:
        model: The module.
        batch: A pair of input and target, or the input alone; the first dimension counts rows.
        loss: A function of output and target, or of the output alone; by default cross entropy for
            targets of integers, the squared error for others, the mean square without a target.
        steps: How many steps the loss has to fall.
        lr: The learning rate of these steps, which Adam takes.
        rows: Whether the rows have to be independent of each other.

    Raises:
        TypeError: If the model is not a module.
        AssertionError: With all that does not hold, and the lines at which gradients get lost.

    >>> model = torch.nn.Linear(3, 2)
    >>> torch.testing.assert_trains(model, (torch.randn(8, 3), torch.randint(0, 2, (8,))))
    """
    if not isinstance(model, Module):
        raise ArgumentTypeError(f"assert_trains() takes a module, not {type(model).__name__}")
    given, target = batch if isinstance(batch, tuple | list) else (batch, None)
    trial = copy.deepcopy(model)
    measure = loss or _usual_loss(target)
    faults: list[str] = []
    with enable_grad():
        trial.train()
        first = _loss_of(trial, given, target, measure)
        if first.requires_grad:
            faults += _gradient_faults(trial, first)
            faults += _learning_faults(trial, given, target, measure, steps, lr)
        else:
            faults.append("the loss does not require grad: nothing is trained")
        trial.eval()
        faults += _evaluation_faults(trial, given)
        faults += _row_faults(trial, given) if rows else []
    if faults:
        raise AssertionError("the model does not train:\n" + "\n".join(f"  {f}" for f in faults))


def _usual_loss(target: Any) -> Callable[..., Any]:
    if target is None:
        return lambda output: output.pow(2).mean()
    integers = not (target.is_floating_point() or target.is_complex())
    return functional.cross_entropy if integers else functional.mse_loss


def _loss_of(model: Any, given: Any, target: Any, measure: Callable[..., Any]) -> Any:
    output = model(given)
    return measure(output) if target is None else measure(output, target)


def _gradient_faults(model: Any, loss: Any) -> list[str]:
    faults: list[str] = []
    loss.backward(retain_graph=True)
    if not np.isfinite(loss._array).all():
        faults.append(f"the loss is {loss.item()}")
    for name, parameter in model.named_parameters():
        if not parameter.requires_grad:
            continue
        gradient = parameter.grad
        if gradient is None:
            reason = str(why_no_grad(parameter, loss)).replace("\n", "\n    ")
            faults.append(f"{name} gets no gradient: {reason}")
        elif not np.isfinite(gradient._array).all():
            faults.append(f"the gradient of {name} is not finite")
        elif not gradient._array.any():
            faults.append(f"the gradient of {name} is zero everywhere")
    return faults


def _learning_faults(
    model: Any, given: Any, target: Any, measure: Callable[..., Any], steps: int, lr: float
) -> list[str]:
    parameters = [each for each in model.parameters() if each.requires_grad]
    if not parameters:
        return ["no parameter requires grad"]
    optimizer = Adam(parameters, lr=lr)
    losses: list[float] = []
    for _ in range(steps + 1):
        optimizer.zero_grad()
        loss = _loss_of(model, given, target, measure)
        losses.append(loss.item())
        loss.backward()
        optimizer.step()
    if min(losses[1:]) < losses[0]:
        return []
    return [
        f"the loss does not fall: {losses[0]:.4g} at first, {losses[-1]:.4g} after {steps} steps"
    ]


def _evaluation_faults(model: Any, given: Any) -> list[str]:
    with no_grad():
        outputs = [model(given) for _ in range(2)]
    if not all(isinstance(each, Tensor) for each in outputs):
        return []
    same = np.array_equal(outputs[0]._array, outputs[1]._array, equal_nan=True)
    return [] if same else ["in eval mode the model gives something else each time"]


def _row_faults(model: Any, given: Any) -> list[str]:
    """Return which row of the output depends on another row of the input."""
    if not (isinstance(given, Tensor) and given.is_floating_point() and given.dim() > 1):
        return []
    probe = given.detach().clone().requires_grad_()
    output = model(probe)
    if not isinstance(output, Tensor) or not output.requires_grad or output.dim() == 0:
        return []
    if output.shape[0] != probe.shape[0]:
        return []
    for row in range(min(len(output), _ROWS)):
        probe.grad = None
        output[row].sum().backward(retain_graph=True)
        if probe.grad is None:
            continue
        sizes = np.abs(probe.grad._array).reshape(len(probe), -1).max(axis=1)
        sizes[row] *= _NOTHING
        other = int(sizes.argmax())
        if other != row and sizes[other] > sizes[row]:
            return [f"row {row} of the output depends on row {other} of the input"]
    return []

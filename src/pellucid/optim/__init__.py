"""Optimizers: rules that turn gradients into steps of the parameters."""

from __future__ import annotations

from pellucid.optim import lr_scheduler
from pellucid.optim.adadelta import Adadelta
from pellucid.optim.adagrad import Adagrad
from pellucid.optim.adam import Adam
from pellucid.optim.adamw import AdamW
from pellucid.optim.lbfgs import LBFGS
from pellucid.optim.optimizer import Optimizer
from pellucid.optim.rmsprop import RMSprop
from pellucid.optim.sgd import SGD

__all__ = [
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "LBFGS",
    "Optimizer",
    "RMSprop",
    "SGD",
    "lr_scheduler",
]

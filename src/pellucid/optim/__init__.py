"""Optimizers, which update parameters from their gradients, and learning rate schedulers."""

from __future__ import annotations

from pellucid.optim import lr_scheduler, swa_utils
from pellucid.optim.adadelta import Adadelta
from pellucid.optim.adafactor import Adafactor
from pellucid.optim.adagrad import Adagrad
from pellucid.optim.adam import Adam
from pellucid.optim.adamax import Adamax
from pellucid.optim.adamw import AdamW
from pellucid.optim.asgd import ASGD
from pellucid.optim.lbfgs import LBFGS
from pellucid.optim.muon import Muon
from pellucid.optim.nadam import NAdam
from pellucid.optim.optimizer import Optimizer
from pellucid.optim.radam import RAdam
from pellucid.optim.rmsprop import RMSprop
from pellucid.optim.rprop import Rprop
from pellucid.optim.sgd import SGD
from pellucid.optim.sparse_adam import SparseAdam

__all__ = [
    "ASGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "LBFGS", "Muon",
    "NAdam", "Optimizer", "RAdam", "RMSprop", "Rprop", "SGD", "SparseAdam",
    "lr_scheduler", "swa_utils",
]  # fmt: skip

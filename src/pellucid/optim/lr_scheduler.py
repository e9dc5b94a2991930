"""Learning rate schedulers, which change the learning rate during training."""

from __future__ import annotations

from pellucid.optim.schedules.annealing import CosineAnnealingLR, CosineAnnealingWarmRestarts
from pellucid.optim.schedules.base import EPOCH_DEPRECATION_WARNING, LRScheduler  # noqa: F401
from pellucid.optim.schedules.combined import ChainedScheduler, SequentialLR
from pellucid.optim.schedules.cycles import CyclicLR, OneCycleLR
from pellucid.optim.schedules.factors import (
    ConstantLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from pellucid.optim.schedules.plateau import ReduceLROnPlateau

__all__ = [
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts",
    "CyclicLR", "ExponentialLR", "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR",
    "MultiplicativeLR", "OneCycleLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR",
    "StepLR",
]  # fmt: skip

#: the name of the base class in programs written for older versions
_LRScheduler = LRScheduler

"""A callback of transformers' Trainer that watches the training."""

from __future__ import annotations

import importlib
from typing import Any

from pellucid.inspect.pytorch import start, stop

_callbacks: Any = importlib.import_module("transformers.trainer_callback")


class Watch(_callbacks.TrainerCallback):
    """Tells what trains badly while `Trainer.train` runs: ``Trainer(..., callbacks=[Watch()])``.

    Attributes:
        findings: What the latest training has shown; None before one.
    """

    findings: Any = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Begin to watch."""
        self.findings = start()

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Write the summary."""
        stop()

"""A callback of Lightning's that watches a fit."""

from __future__ import annotations

import importlib
import os
from typing import Any

from pellucid.autograd.sites import library_files
from pellucid.inspect.pytorch import start, stop

try:
    _lightning: Any = importlib.import_module("lightning.pytorch")
except ImportError:
    _lightning = importlib.import_module("pytorch_lightning")
_package = importlib.import_module(_lightning.__name__.partition(".")[0])
library_files.add_folder(os.path.dirname(_package.__file__ or ""))


class Watch(_lightning.Callback):
    """Tells what trains badly while `Trainer.fit` runs: ``Trainer(callbacks=[Watch()])``.

    Attributes:
        findings: What the latest fit has shown; None before one.
    """

    findings: Any = None

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        """Begin to watch."""
        self.findings = start(model=pl_module)

    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        """Write the summary."""
        stop()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Write the summary of what there was."""
        stop()

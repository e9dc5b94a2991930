"""A tracker of Accelerate's that watches the training."""

from __future__ import annotations

import importlib
import os
from typing import Any

from pellucid.autograd.sites import library_files
from pellucid.inspect.pytorch import start, stop

_tracking: Any = importlib.import_module("accelerate.tracking")
library_files.add_folder(os.path.dirname(_tracking.__file__ or ""))


class Watch(_tracking.GeneralTracker):
    """Tells what trains badly between ``init_trackers`` and ``end_training``, in each process.

    It is given as ``Accelerator(log_with=Watch())``.

    Attributes:
        findings: What the latest training has shown; None before one.
    """

    name = "pellucid"
    requires_logging_directory = False
    main_process_only = False
    findings: Any = None

    @property
    def tracker(self) -> Any:
        """The findings."""
        return self.findings

    def start(self) -> None:
        """Begin to watch."""
        self.findings = start()

    def finish(self) -> None:
        """Write the summary."""
        stop()

"""What `SummaryWriter` writes without TensorBoard: lines of JSON.

Each call writes one line to ``events.<time>.<process>.jsonl`` in the log directory: ``kind``,
``tag``, ``step``, ``wall_time`` and what belongs to the kind. Read it with
``[json.loads(line) for line in open(path)]``. Images, meshes of numbers and the like are NumPy
files next to it, which the line names.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np


class JsonLog:
    """A file of lines; each is complete when the call returns, but may wait in memory.

    Args:
        directory: Where the file is made.
        max_queue: How many lines wait in memory at most.
        flush_secs: For how many seconds they wait at most.
        suffix: What the file's name ends with.
    """

    def __init__(self, directory: Path, max_queue: int, flush_secs: float, suffix: str) -> None:
        self._directory = directory
        self._max_queue = max_queue
        self._flush_secs = flush_secs
        self._path = directory / f"events.{time.time_ns()}.{os.getpid()}{suffix}.jsonl"
        self._file = self._path.open("w", encoding="utf-8")
        self._flushed = time.monotonic()
        self._waiting = 0
        self._numbers = itertools.count()

    def scalar(self, tag: str, value: Any, step: int | None, walltime: float | None) -> None:
        """Write a number."""
        self._write("scalar", tag, step, walltime, value=_finite(value))

    def scalars(
        self, tag: str, values: Mapping[str, Any], step: int | None, walltime: float | None
    ) -> None:
        """Write several numbers that belong together."""
        finite = {name: _finite(value) for name, value in values.items()}
        self._write("scalars", tag, step, walltime, values=finite)

    def tensor(self, tag: str, array: Any, step: int | None, walltime: float | None) -> None:
        """Save an array."""
        self._write("tensor", tag, step, walltime, file=self._save(tag, array))

    def histogram(
        self, tag: str, values: Any, counts: Any, edges: Any, step: int | None,
        walltime: float | None,
    ) -> None:  # fmt: skip
        """Write a histogram, with the moments of the values."""
        self._write(
            "histogram", tag, step, walltime, counts=counts.tolist(), edges=edges.tolist(),
            min=_finite(values.min().item()), max=_finite(values.max().item()), count=values.size,
            sum=_finite(values.sum().item()), sum_squares=_finite(np.square(values).sum().item()),
        )  # fmt: skip

    def image(
        self, tag: str, array: Any, dataformats: str, step: int | None, walltime: float | None
    ) -> None:
        """Save an image as the array that it is."""
        file = self._save(tag, array)
        self._write("image", tag, step, walltime, file=file, dataformats=dataformats)

    def figure(self, tag: str, figure: Any, step: int | None, walltime: float | None) -> None:
        """Save a figure of Matplotlib as PNG."""
        name = f"{self._path.stem}.{next(self._numbers)}.png"
        figure.savefig(self._directory / name)
        self._write("figure", tag, step, walltime, file=name)

    def text(self, tag: str, text: str, step: int | None, walltime: float | None) -> None:
        """Write a text."""
        self._write("text", tag, step, walltime, text=text)

    def graph(self, name: str, text: str) -> None:
        """Write the layers of a model."""
        self._write("graph", name, None, None, text=text)

    def hparams(
        self, name: str, settings: Mapping[str, Any], metrics: Mapping[str, Any], step: int | None
    ) -> None:
        """Write settings and results of a run."""
        finite = {
            "settings": {key: _finite(value) for key, value in settings.items()},
            "metrics": {key: _finite(value) for key, value in metrics.items()},
        }
        self._write("hparams", name, step, None, **finite)

    def flush(self) -> None:
        """Put everything that was written on the disk."""
        self._file.flush()
        self._waiting = 0
        self._flushed = time.monotonic()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(
        self, kind: str, tag: str, step: int | None, walltime: float | None, **content: Any
    ) -> None:
        wall_time = time.time() if walltime is None else walltime
        line = {"kind": kind, "tag": tag, "step": step, "wall_time": wall_time, **content}
        self._file.write(json.dumps(line) + "\n")
        self._waiting += 1
        waited = time.monotonic() - self._flushed
        if self._waiting > self._max_queue or waited > self._flush_secs:
            self.flush()

    def _save(self, tag: str, array: np.ndarray[Any, Any]) -> str:
        """Save an array next to the lines; return the name of its file."""
        readable = re.sub(r"\W+", "_", tag)
        name = f"{self._path.stem}.{next(self._numbers)}.{readable}.npy"
        np.save(self._directory / name, array, allow_pickle=False)
        return name


def _finite(value: Any) -> Any:
    """Return a value; infinities and NaN, which JSON lacks, as words."""
    return value if not isinstance(value, float) or math.isfinite(value) else str(value)

"""Logs of training: `SummaryWriter` with TensorBoard's methods, writing lines of JSON.

TensorBoard's own files need its protobuf definitions, which no light library writes. So each call
writes one line of JSON to ``events.<time>.<process>.jsonl`` in the log directory: ``kind``,
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
import socket
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from pellucid.errors import ArgumentError
from pellucid.tensors import Tensor

__all__ = ["SummaryWriter"]


class SummaryWriter:
    """A writer of a program's progress; a context manager that closes the file.

    Values are numbers, arrays or tensors. Each line is complete when the call returns, but stays in
    memory until ``flush``.

    Args:
        log_dir: The directory; ``runs/<date>_<host>`` and ``comment`` by default.
        comment: What the default directory's name ends with.
        purge_step: Step from which on an earlier run's entries count as overwritten, kept as an
            attribute.
        max_queue: How many lines wait in memory at most.
        flush_secs: For how many seconds they wait at most.
        filename_suffix: What the file's name ends with.

    >>> import json, pathlib, tempfile
    >>> from pellucid.utils.tensorboard import SummaryWriter
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     with SummaryWriter(directory) as writer:
    ...         writer.add_scalar("loss", 0.5, 1)
    ...     (path,) = pathlib.Path(directory).glob("*.jsonl")
    ...     line = json.loads(path.read_text())
    >>> line["tag"], line["step"], line["value"]
    ('loss', 1, 0.5)
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str = "",
    ) -> None:
        if log_dir is None:
            now = datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{now}_{socket.gethostname()}{comment}")
        self.log_dir = str(log_dir)
        self.purge_step = purge_step
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        Path(self.log_dir).mkdir(parents=True, exist_ok=True)
        name = f"events.{time.time_ns()}.{os.getpid()}{filename_suffix}.jsonl"
        self._path = Path(self.log_dir) / name
        self._file = self._path.open("w", encoding="utf-8")
        self._flushed = time.monotonic()
        self._waiting = 0
        self._numbers = itertools.count()

    def get_logdir(self) -> str:
        """Return the log directory."""
        return self.log_dir

    def _write(
        self, kind: str, tag: str, step: Any, walltime: float | None, **content: Any
    ) -> None:
        line = {
            "kind": kind,
            "tag": tag,
            "step": None if step is None else int(step),
            "wall_time": time.time() if walltime is None else walltime,
            **content,
        }
        self._file.write(json.dumps(line) + "\n")
        self._waiting += 1
        if self._waiting > self.max_queue or time.monotonic() - self._flushed > self.flush_secs:
            self.flush()

    def _save(self, tag: str, array: np.ndarray[Any, Any]) -> str:
        """Save an array next to the lines; return the name of its file."""
        readable = re.sub(r"\W+", "_", tag)
        name = f"{self._path.stem}.{next(self._numbers)}.{readable}.npy"
        np.save(Path(self.log_dir) / name, array, allow_pickle=False)
        return name

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """Write a number."""
        self._write("scalar", tag, global_step, walltime, value=_number(scalar_value))

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: Mapping[str, Any],
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Write several numbers that belong together."""
        values = {tag: _number(value) for tag, value in tag_scalar_dict.items()}
        self._write("scalars", main_tag, global_step, walltime, values=values)

    def add_tensor(
        self, tag: str, tensor: Any, global_step: int | None = None, walltime: float | None = None
    ) -> None:
        """Save a tensor."""
        self._write("tensor", tag, global_step, walltime, file=self._save(tag, _array(tensor)))

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: int | None = None,
        bins: Any = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """Write a histogram of values: counts, the edges between them, and moments.

        ``bins`` is what ``numpy.histogram`` takes, or "tensorflow" for 30 equal ones. Raises
        ValueError if there are no values.
        """
        array = _array(values).ravel().astype(np.float64)
        if not array.size:
            raise ArgumentError("The input has no element.")
        bins = 30 if isinstance(bins, str) and bins == "tensorflow" else bins
        counts, edges = np.histogram(array, bins=bins)
        self._write(
            "histogram", tag, global_step, walltime, counts=counts.tolist(), edges=edges.tolist(),
            min=_number(array.min()), max=_number(array.max()), count=array.size,
            sum=_number(array.sum()), sum_squares=_number(np.square(array).sum()),
        )  # fmt: skip

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """Save an image, with its dimensions in the order that ``dataformats`` names."""
        file = self._save(tag, _array(img_tensor))
        self._write("image", tag, global_step, walltime, file=file, dataformats=dataformats)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Save several images of one size."""
        self.add_image(tag, img_tensor, global_step, walltime, dataformats)

    def add_figure(
        self,
        tag: str,
        figure: Any,
        global_step: int | None = None,
        close: bool = True,
        walltime: float | None = None,
    ) -> None:
        """Save a figure of Matplotlib as PNG."""
        name = f"{self._path.stem}.{next(self._numbers)}.png"
        figure.savefig(Path(self.log_dir) / name)
        if close:
            figure.clear()
        self._write("figure", tag, global_step, walltime, file=name)

    def add_text(
        self,
        tag: str,
        text_string: str,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Write a text."""
        self._write("text", tag, global_step, walltime, text=text_string)

    def add_graph(
        self,
        model: Any,
        input_to_model: Any = None,
        verbose: bool = False,
        use_strict_trace: bool = True,
    ) -> None:
        """Write the layers of a model, as ``print`` shows them."""
        self._write("graph", type(model).__name__, None, None, text=repr(model))

    def add_hparams(
        self,
        hparam_dict: Mapping[str, Any],
        metric_dict: Mapping[str, Any],
        hparam_domain_discrete: Any = None,
        run_name: str | None = None,
        global_step: int | None = None,
    ) -> None:
        """Write the settings of a run and how well it did."""
        settings = {
            name: value if isinstance(value, str) or value is None else _number(value)
            for name, value in hparam_dict.items()
        }
        metrics = {name: _number(value) for name, value in metric_dict.items()}
        name = "hparams" if run_name is None else run_name
        self._write("hparams", name, global_step, None, settings=settings, metrics=metrics)

    def flush(self) -> None:
        """Put everything that was written on the disk."""
        self._file.flush()
        self._waiting = 0
        self._flushed = time.monotonic()

    def close(self) -> None:
        """Close the file; what is added after that raises ValueError."""
        self._file.close()

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()


def _array(value: Any) -> np.ndarray[Any, Any]:
    return value.detach().numpy() if isinstance(value, Tensor) else np.asarray(value)


def _number(value: Any) -> bool | int | float | str:
    """Return the one number in a value; infinities and NaN, which JSON lacks, as words."""
    number = _array(value).item()
    return number if not isinstance(number, float) or math.isfinite(number) else str(number)

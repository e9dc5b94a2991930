"""Logs of training: `SummaryWriter` writes files that TensorBoard shows.

The files are written by the package ``tensorboard`` (``pip install pellucid[tensorboard]``). Where
it is not installed, a warning says so once, and what would have been shown is written as lines of
JSON (`pellucid.utils.tensorboard.json_log`).
"""

from __future__ import annotations

import functools
import os
import socket
import warnings
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from pellucid.errors import ArgumentError
from pellucid.tensors import Tensor
from pellucid.utils.tensorboard.embedding import write_embedding
from pellucid.utils.tensorboard.json_log import JsonLog

__all__ = ["SummaryWriter"]


class SummaryWriter:
    """A writer of a program's progress; a context manager that closes the file.

    Values are numbers, arrays or tensors.

    Args:
        log_dir: The directory; ``runs/<date>_<host>`` and ``comment`` by default.
        comment: What the default directory's name ends with.
        purge_step: Step from which on an earlier run's entries count as overwritten, kept as an
            attribute.
        max_queue: How many entries wait in memory at most.
        flush_secs: For how many seconds they wait at most.
        filename_suffix: What the file's name ends with.

    >>> import pathlib, tempfile
    >>> from pellucid.utils.tensorboard import SummaryWriter
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     with SummaryWriter(directory) as writer:
    ...         writer.add_scalar("loss", 0.5, 1)
    ...     [path.name.startswith("events") for path in pathlib.Path(directory).iterdir()]
    [True]
    """

    def __init__(
        self, log_dir: str | os.PathLike[str] | None = None, comment: str = "",
        purge_step: int | None = None, max_queue: int = 10, flush_secs: float = 120,
        filename_suffix: str = "",
    ) -> None:  # fmt: skip
        if log_dir is None:
            now = datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{now}_{socket.gethostname()}{comment}")
        self.log_dir = str(log_dir)
        self.purge_step = purge_step
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        Path(self.log_dir).mkdir(parents=True, exist_ok=True)
        self._log = _log_class()(Path(self.log_dir), max_queue, flush_secs, filename_suffix)

    def get_logdir(self) -> str:
        """Return the log directory."""
        return self.log_dir

    def add_scalar(
        self, tag: str, scalar_value: Any, global_step: int | None = None,
        walltime: float | None = None, new_style: bool = False, double_precision: bool = False,
    ) -> None:  # fmt: skip
        """Write a number."""
        self._log.scalar(tag, _number(scalar_value), _step(global_step), walltime)

    def add_scalars(
        self, main_tag: str, tag_scalar_dict: Mapping[str, Any], global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:  # fmt: skip
        """Write several numbers that belong together."""
        values = {tag: _number(value) for tag, value in tag_scalar_dict.items()}
        self._log.scalars(main_tag, values, _step(global_step), walltime)

    def add_tensor(
        self, tag: str, tensor: Any, global_step: int | None = None, walltime: float | None = None
    ) -> None:
        """Write a tensor."""
        self._log.tensor(tag, _array(tensor), _step(global_step), walltime)

    def add_histogram(
        self, tag: str, values: Any, global_step: int | None = None, bins: Any = "tensorflow",
        walltime: float | None = None, max_bins: int | None = None,
    ) -> None:  # fmt: skip
        """Write a histogram of values: counts, the edges between them, and moments.

        ``bins`` is what ``numpy.histogram`` takes, or "tensorflow" for 30 equal ones. Raises
        ValueError if there are no values.
        """
        array = _array(values).ravel().astype(np.float64)
        if not array.size:
            raise ArgumentError("The input has no element.")
        bins = 30 if isinstance(bins, str) and bins == "tensorflow" else bins
        counts, edges = np.histogram(array, bins=bins)
        self._log.histogram(tag, array, counts, edges, _step(global_step), walltime)

    def add_image(
        self, tag: str, img_tensor: Any, global_step: int | None = None,
        walltime: float | None = None, dataformats: str = "CHW",
    ) -> None:  # fmt: skip
        """Write an image, with its dimensions in the order that ``dataformats`` names.

        Numbers are bytes, or else between 0 and 1.
        """
        self._log.image(tag, _array(img_tensor), dataformats, _step(global_step), walltime)

    def add_images(
        self, tag: str, img_tensor: Any, global_step: int | None = None,
        walltime: float | None = None, dataformats: str = "NCHW",
    ) -> None:  # fmt: skip
        """Write several images of one size."""
        self.add_image(tag, img_tensor, global_step, walltime, dataformats)

    def add_figure(
        self, tag: str, figure: Any, global_step: int | None = None, close: bool = True,
        walltime: float | None = None,
    ) -> None:  # fmt: skip
        """Write a figure of Matplotlib as an image."""
        self._log.figure(tag, figure, _step(global_step), walltime)
        if close:
            figure.clear()

    def add_text(
        self, tag: str, text_string: str, global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:  # fmt: skip
        """Write a text."""
        self._log.text(tag, text_string, _step(global_step), walltime)

    def add_embedding(
        self, mat: Any, metadata: Sequence[Any] | None = None, label_img: Any = None,
        global_step: int | None = None, tag: str = "default",
        metadata_header: Sequence[str] | None = None,
    ) -> None:  # fmt: skip
        """Write points for TensorBoard's projector, which shows them in two or three dimensions.

        Args:
            mat: The points, ``[N, D]``.
            metadata: The label of each point, or with ``metadata_header`` a sequence of them.
            label_img: The picture of each point, ``[N, C, H, W]``; needs the package Pillow.
            global_step: The step.
            tag: The name of the points.
            metadata_header: The names of the labels, if there are several for each point.

        Raises:
            ArgumentError: If the points are not a matrix, or there are not as many labels or
                pictures as points (a ``ValueError``).
        """
        pictures = None if label_img is None else _array(label_img)
        write_embedding(
            Path(self.log_dir), tag, _step(global_step) or 0, _array(mat), metadata,
            metadata_header, pictures,
        )  # fmt: skip

    def add_graph(
        self, model: Any, input_to_model: Any = None, verbose: bool = False,
        use_strict_trace: bool = True,
    ) -> None:  # fmt: skip
        """Write the layers of a model, as ``print`` shows them."""
        self._log.graph(type(model).__name__, repr(model))

    def add_hparams(
        self, hparam_dict: Mapping[str, Any], metric_dict: Mapping[str, Any],
        hparam_domain_discrete: Any = None, run_name: str | None = None,
        global_step: int | None = None,
    ) -> None:  # fmt: skip
        """Write the settings of a run and how well it did."""
        settings = {
            name: value if isinstance(value, str) or value is None else _number(value)
            for name, value in hparam_dict.items()
        }
        metrics = {name: _number(value) for name, value in metric_dict.items()}
        self._log.hparams(run_name or "hparams", settings, metrics, _step(global_step))

    def flush(self) -> None:
        """Put everything that was written on the disk."""
        self._log.flush()

    def close(self) -> None:
        """Close the file; what is added after that raises ValueError."""
        self._log.close()

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()


def _log_class() -> Any:
    if find_spec("tensorboard") is not None:
        from pellucid.utils.tensorboard.event_log import EventLog

        return EventLog
    _warn()
    return JsonLog


@functools.cache
def _warn() -> None:
    """Warn, the first time only."""
    warnings.warn(
        "tensorboard is not installed, so that SummaryWriter writes lines of JSON, which "
        "TensorBoard does not show: pip install pellucid[tensorboard]",
        stacklevel=4,
    )


def _array(value: Any) -> np.ndarray[Any, Any]:
    return value.detach().numpy() if isinstance(value, Tensor) else np.asarray(value)


def _number(value: Any) -> bool | int | float:
    return _array(value).item()


def _step(value: Any) -> int | None:
    return None if value is None else int(value)

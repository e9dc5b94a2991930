"""What `SummaryWriter` writes with the package ``tensorboard``: files of its events."""

from __future__ import annotations

import io
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image  # which tensorboard needs itself
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboard.plugins.hparams.summary_v2 import HParam, Metric, hparams_config_pb, hparams_pb
from tensorboard.plugins.text.summary_v2 import text_pb
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from tensorboard.util.tensor_util import make_tensor_proto

from pellucid.docstrings import sections_of
from pellucid.errors import ArgumentError
from pellucid.utils.tensorboard.json_log import JsonLog


@sections_of(JsonLog)
class EventLog:
    """A file of events, written by TensorBoard's own writer.

    Args: As for `JsonLog`.
    """

    def __init__(self, directory: Path, max_queue: int, flush_secs: float, suffix: str) -> None:
        self._directory = directory
        self._options = (max_queue, flush_secs, suffix)
        self._writers: dict[str, EventFileWriter] = {}
        self._is_open = True
        self._writer("")

    def scalar(self, tag: str, value: Any, step: int | None, walltime: float | None) -> None:
        """Write a number."""
        self._write(_number(tag, value), step, walltime)

    def scalars(
        self, tag: str, values: Mapping[str, Any], step: int | None, walltime: float | None
    ) -> None:
        """Write several numbers that are drawn together: each is a run of its own."""
        for name, value in values.items():
            run = f"{tag.replace('/', '_')}_{name}"
            self._write(_number(tag, value), step, walltime, run)

    def tensor(self, tag: str, array: Any, step: int | None, walltime: float | None) -> None:
        """Write an array."""
        plugin = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="tensor"))
        value = Summary.Value(tag=tag, metadata=plugin, tensor=make_tensor_proto(array))
        self._write(Summary(value=[value]), step, walltime)

    def histogram(
        self, tag: str, values: Any, counts: Any, edges: Any, step: int | None,
        walltime: float | None,
    ) -> None:  # fmt: skip
        """Write a histogram, with the moments of the values."""
        histogram = HistogramProto(
            min=values.min(), max=values.max(), num=values.size, sum=values.sum(),
            sum_squares=np.square(values).sum(), bucket_limit=edges[1:], bucket=counts,
        )  # fmt: skip
        self._write(Summary(value=[Summary.Value(tag=tag, histo=histogram)]), step, walltime)

    def image(
        self, tag: str, array: Any, dataformats: str, step: int | None, walltime: float | None
    ) -> None:
        """Write an image, or several side by side."""
        picture = Image.fromarray(_pixels(array, dataformats.upper()))
        self._write_picture(tag, picture, step, walltime)

    def figure(self, tag: str, figure: Any, step: int | None, walltime: float | None) -> None:
        """Write a figure of Matplotlib."""
        drawn = io.BytesIO()
        figure.savefig(drawn, format="png")
        self._write_picture(tag, Image.open(drawn), step, walltime)

    def text(self, tag: str, text: str, step: int | None, walltime: float | None) -> None:
        """Write a text."""
        self._write(text_pb(tag, text), step, walltime)

    def graph(self, name: str, text: str) -> None:
        """Write the layers of a model, as a text."""
        indented = "\n".join(f"    {line}" for line in text.splitlines())
        self.text(f"graph/{name}", indented, None, None)

    def hparams(
        self, name: str, settings: Mapping[str, Any], metrics: Mapping[str, Any], step: int | None
    ) -> None:
        """Write settings and results as a run of their own."""
        known = {key: value for key, value in settings.items() if value is not None}
        config = hparams_config_pb(list(map(HParam, known)), list(map(Metric, metrics)))
        self._write(config, step, None, name)
        self._write(hparams_pb(known, trial_id=name), step, None, name)
        for key, value in metrics.items():
            self._write(_number(key, value), step, None, name)

    def flush(self) -> None:
        """Put everything that was written on the disk."""
        for writer in self._writers.values():
            writer.flush()

    def close(self) -> None:
        """Close the files."""
        self._is_open = False
        for writer in self._writers.values():
            writer.close()

    def _writer(self, run: str) -> EventFileWriter:
        """Return the writer of a run below the directory; the main one has no name."""
        if run not in self._writers:
            directory = str(self._directory / run) if run else str(self._directory)
            max_queue, flush_secs, suffix = self._options
            self._writers[run] = EventFileWriter(
                directory, max_queue_size=max_queue, flush_secs=flush_secs, filename_suffix=suffix
            )
        return self._writers[run]

    def _write(self, summary: Any, step: int | None, walltime: float | None, run: str = "") -> None:
        if not self._is_open:
            raise ArgumentError("I/O operation on closed file: the SummaryWriter has been closed")
        wall_time = time.time() if walltime is None else walltime
        event = Event(wall_time=wall_time, step=step or 0)
        event.summary.ParseFromString(summary.SerializeToString())
        self._writer(run).add_event(event)

    def _write_picture(
        self, tag: str, picture: Image.Image, step: int | None, walltime: float | None
    ) -> None:
        encoded = io.BytesIO()
        picture.save(encoded, format="PNG")
        image = Summary.Image(
            height=picture.height, width=picture.width, colorspace=len(picture.getbands()),
            encoded_image_string=encoded.getvalue(),
        )  # fmt: skip
        self._write(Summary(value=[Summary.Value(tag=tag, image=image)]), step, walltime)


def _number(tag: str, value: Any) -> Summary:
    return Summary(value=[Summary.Value(tag=tag, simple_value=float(value))])


def _pixels(array: np.ndarray[Any, Any], dataformats: str) -> np.ndarray[Any, Any]:
    """Return bytes in the order height, width, channel; several images stand side by side."""
    if len(dataformats) != array.ndim or set(dataformats) - set("NCHW"):
        raise ArgumentError(
            f"an image of shape {list(array.shape)} cannot have its dimensions in the order "
            f"{dataformats!r}: give a letter of N, C, H and W for each"
        )
    for name in "NC":
        if name not in dataformats:
            array, dataformats = array[None], name + dataformats
    array = array.transpose([dataformats.index(name) for name in "HNWC"])
    height, number, width, channels = array.shape
    pixels = array.reshape(height, number * width, channels)
    if pixels.dtype != np.uint8:
        pixels = (np.clip(pixels, 0, 1) * 255).round().astype(np.uint8)
    return pixels[:, :, 0] if channels == 1 else pixels

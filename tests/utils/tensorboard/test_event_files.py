"""What `SummaryWriter` writes is read back by TensorBoard."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.utils.tensorboard import SummaryWriter

accumulators = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")


def read(directory: Path) -> Any:
    """Return all that TensorBoard finds in a directory."""
    return accumulators.EventAccumulator(str(directory)).Reload()


def test_numbers_come_back_with_step_and_time(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        for step in range(3):
            writer.add_scalar("loss", torch.tensor(0.5, requires_grad=True) * step, step, 12.0)
        writer.add_scalars("both", {"a": 1, "b": np.float32(2)}, 4)
    events = read(tmp_path).Scalars("loss")
    assert [(each.step, each.wall_time, each.value) for each in events] == [
        (0, 12.0, 0.0), (1, 12.0, 0.5), (2, 12.0, 1.0),
    ]  # fmt: skip
    assert [read(tmp_path / f"both_{name}").Scalars("both")[0].value for name in "ab"] == [1, 2]


def test_a_histogram_comes_back(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_histogram("weights", torch.arange(100.0), 1, bins=10)
    (event,) = read(tmp_path).Histograms("weights")
    found = event.histogram_value
    assert (found.num, found.min, found.max, found.sum) == (100, 0, 99, 4950)
    assert list(found.bucket) == [10] * 10
    assert found.bucket_limit == pytest.approx(np.linspace(0, 99, 11)[1:])


def test_images_come_back_as_png(tmp_path: Path) -> None:
    pictures = pytest.importorskip("PIL.Image")
    image = torch.rand(3, 4, 5)
    with SummaryWriter(tmp_path) as writer:
        writer.add_image("one", image)
        writer.add_image("grey", torch.tensor([[0, 255]], dtype=torch.uint8), dataformats="HW")
        writer.add_images("several", torch.stack([image, image]))
        with pytest.raises(ValueError, match="cannot have its dimensions in the order 'CHW'"):
            writer.add_image("wrong", torch.ones(2, 2))
    found = read(tmp_path)
    sizes = {tag: (each.height, each.width) for tag in ("one", "grey", "several")
             for each in found.Images(tag)}  # fmt: skip
    assert sizes == {"one": (4, 5), "grey": (1, 2), "several": (4, 10)}
    (one,) = found.Images("one")
    pixels = np.asarray(pictures.open(io.BytesIO(one.encoded_image_string)))
    assert np.allclose(pixels / 255, image.permute(1, 2, 0).numpy(), atol=0.003)


def test_texts_models_and_settings_come_back(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_text("note", "ä", 5)
        writer.add_graph(torch.nn.Linear(2, 1))
        writer.add_tensor("matrix", torch.eye(2))
        writer.add_hparams({"lr": 0.1, "name": "x"}, {"accuracy": torch.tensor(1)})
    found = read(tmp_path)
    (note,) = found.Tensors("note")
    assert (note.step, note.tensor_proto.string_val[0].decode()) == (5, "ä")
    assert b"Linear(in_features=2" in found.Tensors("graph/Linear")[0].tensor_proto.string_val[0]
    assert found.Tensors("matrix")[0].tensor_proto.tensor_shape.dim[1].size == 2
    run = read(tmp_path / "hparams")
    assert run.Scalars("accuracy")[0].value == 1
    content = run.PluginTagToContent("hparams")
    assert b"lr" in content["_hparams_/session_start_info"]


def test_a_closed_writer_refuses(tmp_path: Path) -> None:
    writer = SummaryWriter(tmp_path)
    writer.add_scalar("loss", 1)
    writer.flush()
    assert len(read(tmp_path).Scalars("loss")) == 1
    writer.close()
    with pytest.raises(ValueError, match="closed file"):
        writer.add_scalar("loss", 2)


def test_a_history_is_written_while_it_is_made(tmp_path: Path) -> None:
    torch.manual_seed(0)
    net, x = torch.nn.Linear(4, 3), torch.randn(8, 4)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    losses: list[float] = []
    with SummaryWriter(tmp_path) as writer, torch.inspect.history(writer=writer) as seen:
        for _ in range(3):
            optimizer.zero_grad()
            loss = net(x).square().mean()
            loss.backward()
            losses.append(loss.item())
            optimizer.step()
    events = accumulators.EventAccumulator(str(tmp_path), {"histograms": 0}).Reload()
    found = [(each.step, each.value) for each in events.Scalars("loss")]
    assert found == [(step, pytest.approx(loss)) for step, loss in enumerate(losses, 1)]
    for name in ("Linear.weight", "Linear.bias"):
        for curve, attribute in CURVES.items():
            assert [each.value for each in events.Scalars(f"{curve}/{name}")] == [
                pytest.approx(getattr(row, attribute)) for row in seen.of(name)
            ]
        counts = [each.histogram_value.num for each in events.Histograms(f"gradients of {name}")]
        assert counts == [12 if name == "Linear.weight" else 3] * 3


#: what TensorBoard shows of each parameter, and what it is in a history
CURVES = {"gradients": "gradient", "weights": "weight", "updates": "ratio"}


def test_the_projector_reads_what_is_listed_of_points(tmp_path: Path) -> None:
    projector = pytest.importorskip("tensorboard.plugins.projector")
    text_format = pytest.importorskip("google.protobuf.text_format")
    points = torch.tensor([[1.0, 2.0], [3.0, 4.5], [0.0, -1.0]])
    with SummaryWriter(tmp_path) as writer:
        writer.add_embedding(points, ["a", "b", "c"], torch.ones(3, 1, 4, 5), 7, "words")
    listed = (tmp_path / "projector_config.pbtxt").read_text()
    (embedding,) = text_format.Parse(listed, projector.ProjectorConfig()).embeddings
    assert embedding.tensor_name == "words:00007"
    assert list(embedding.sprite.single_image_dim) == [5, 4]
    assert np.loadtxt(tmp_path / embedding.tensor_path, delimiter="\t").tolist() == points.tolist()
    assert (tmp_path / embedding.metadata_path).read_text().split() == ["a", "b", "c"]
    assert (tmp_path / embedding.sprite.image_path).exists()

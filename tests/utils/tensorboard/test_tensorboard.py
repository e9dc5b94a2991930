"""Logs without TensorBoard: a call is a line of JSON, and an array a file that the line names."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.utils import tensorboard
from pellucid.utils.tensorboard import SummaryWriter


@pytest.fixture(autouse=True)
def _without_tensorboard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensorboard, "find_spec", lambda name: None)


def test_the_first_writer_warns_that_tensorboard_is_not_there(tmp_path: Path) -> None:
    tensorboard._warn.cache_clear()
    with pytest.warns(UserWarning, match=r"pip install pellucid\[tensorboard\]") as caught:
        SummaryWriter(tmp_path).close()
    assert [each.filename for each in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SummaryWriter(tmp_path).close()


def lines_of(directory: Path) -> list[dict[str, Any]]:
    (path,) = directory.glob("*.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_numbers_texts_and_models_are_lines(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("loss", torch.tensor(0.5, requires_grad=True), 3, walltime=12.0)
        writer.add_scalar("bad", float("nan"))
        writer.add_scalars("both", {"a": np.float32(1), "b": 2}, global_step=torch.tensor(4))
        writer.add_text("note", "ä\n", 5)
        writer.add_graph(torch.nn.Linear(2, 1), torch.ones(1, 2))
        writer.add_hparams({"lr": 0.1, "name": "x"}, {"accuracy": torch.tensor(1)})
    scalar, bad, both, note, graph, settings = lines_of(tmp_path)
    assert scalar == {"kind": "scalar", "tag": "loss", "step": 3, "wall_time": 12.0, "value": 0.5}
    assert bad["value"] == "nan"
    assert (both["values"], both["step"]) == ({"a": 1, "b": 2}, 4)
    assert note["text"] == "ä\n"
    assert graph["text"].startswith("Linear(in_features=2")
    assert (settings["settings"], settings["metrics"]) == (
        {"lr": 0.1, "name": "x"},
        {"accuracy": 1},
    )


def test_a_histogram_counts_every_value(tmp_path: Path) -> None:
    values = torch.arange(100.0)
    with SummaryWriter(tmp_path) as writer:
        writer.add_histogram("weights", values, 1, bins=10)
        with pytest.raises(ValueError, match="The input has no element"):
            writer.add_histogram("none", [])
    (line,) = lines_of(tmp_path)
    assert (line["counts"], line["count"]) == ([10] * 10, 100)
    assert line["edges"] == pytest.approx(np.linspace(0, 99, 11))
    assert line["sum_squares"] == sum(i * i for i in range(100))


def test_images_are_files_beside_the_lines(tmp_path: Path) -> None:
    image = torch.rand(3, 4, 5)
    with SummaryWriter(tmp_path) as writer:
        writer.add_image("sample/one", image)
        writer.add_images("several", image.unsqueeze(0))
    one, several = lines_of(tmp_path)
    assert np.array_equal(np.load(tmp_path / one["file"]), image.numpy())
    assert (one["dataformats"], several["dataformats"]) == ("CHW", "NCHW")


def test_flushed_lines_can_be_read_while_the_writer_is_open(tmp_path: Path) -> None:
    writer = SummaryWriter(tmp_path)
    writer.add_scalar("loss", 1)
    writer.flush()
    assert len(lines_of(tmp_path)) == 1
    writer.close()
    with pytest.raises(ValueError, match="closed file"):
        writer.add_scalar("loss", 2)


def test_without_a_directory_a_new_one_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with SummaryWriter(comment="_x") as writer:
        assert writer.get_logdir().startswith("runs")
        assert writer.get_logdir().endswith("_x")
    assert len(list((tmp_path / "runs").iterdir())) == 1


def test_points_are_written_for_the_projector(tmp_path: Path) -> None:
    points = torch.tensor([[1.0, 2.0], [3.0, 4.5], [0.0, -1.0]], requires_grad=True)
    with SummaryWriter(tmp_path) as writer:
        writer.add_embedding(points, ["a", "b", "c"], global_step=7, tag="words")
        writer.add_embedding(points, [["x", 1], ["y", 2], ["z", 3]], metadata_header=["to", "n"])
    folder = tmp_path / "00007" / "words"
    assert np.loadtxt(folder / "tensors.tsv", delimiter="\t") == pytest.approx(
        points.detach().numpy()
    )
    assert (folder / "metadata.tsv").read_text() == "a\nb\nc\n"
    assert (tmp_path / "00000/default/metadata.tsv").read_text() == "to\tn\nx\t1\ny\t2\nz\t3\n"
    listed = (tmp_path / "projector_config.pbtxt").read_text()
    assert listed.count("embeddings {") == 2
    assert 'tensor_name: "words:00007"' in listed
    assert 'tensor_path: "00007/words/tensors.tsv"' in listed
    assert 'metadata_path: "00000/default/metadata.tsv"' in listed


def test_pictures_of_points_stand_in_a_square(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    pictures = torch.arange(3.0).reshape(3, 1, 1, 1).expand(3, 3, 4, 5) / 2
    with SummaryWriter(tmp_path) as writer:
        writer.add_embedding(torch.ones(3, 2), label_img=pictures)
    sheet = np.asarray(image.open(tmp_path / "00000/default/sprite.png"))
    assert sheet.shape == (2 * 4, 2 * 5, 3)
    assert [sheet[0, 0, 0], sheet[0, 5, 0], sheet[4, 0, 0], sheet[4, 5, 0]] == [0, 127, 255, 0]
    listed = (tmp_path / "projector_config.pbtxt").read_text()
    assert "single_image_dim: 5\n    single_image_dim: 4" in listed


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"mat": torch.ones(3)}, "mat should be 2D"),
        ({"mat": torch.ones(3, 2), "metadata": ["a"]}, "#labels should equal with #data points"),
        ({"mat": torch.ones(3, 2), "label_img": torch.ones(2, 1, 1, 1)}, "#images should equal"),
    ],
)
def test_points_and_what_belongs_to_them_have_to_agree(
    tmp_path: Path, arguments: dict[str, Any], text: str
) -> None:
    with SummaryWriter(tmp_path) as writer, pytest.raises(ValueError, match=text):
        writer.add_embedding(**arguments)

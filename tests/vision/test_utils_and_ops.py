"""Grids of pictures, files of pictures, boxes."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import pellucid as torch
from pellucid.vision import ops, utils


@pytest.mark.parametrize(("count", "nrow", "padding"), [(7, 3, 2), (2, 8, 1), (4, 2, 0)])
def test_a_grid_has_every_picture_at_its_place(count: int, nrow: int, padding: int) -> None:
    pictures = np.random.default_rng(0).random((count, 3, 4, 5)).astype(np.float32)
    grid = utils.make_grid(torch.from_numpy(pictures), nrow, padding, pad_value=9.0).numpy()
    columns = min(nrow, count)
    rows = -(-count // columns)
    expected = np.full((3, rows * (4 + padding) + padding, columns * (5 + padding) + padding), 9.0)
    for number, picture in enumerate(pictures):
        row, column = divmod(number, columns)
        top, left = row * (4 + padding) + padding, column * (5 + padding) + padding
        expected[:, top : top + 4, left : left + 5] = picture
    np.testing.assert_allclose(grid, expected)


def test_numbers_are_brought_into_the_unit_interval_together_or_each() -> None:
    pictures = torch.tensor([[[[0.0, 2.0]]], [[[4.0, 8.0]]]])
    together = utils.make_grid(pictures, padding=0, normalize=True)
    assert together[0].tolist() == [[0.0, 0.25, 0.5, 1.0]]
    each = utils.make_grid(pictures, padding=0, normalize=True, scale_each=True)
    assert each[0].tolist() == [[0.0, 1.0, 0.0, 1.0]]
    given = utils.make_grid(pictures, padding=0, normalize=True, value_range=(0, 4))
    assert given[0].tolist() == [[0.0, 0.5, 1.0, 1.0]]
    assert pictures.max() == 8


def test_one_channel_becomes_three_and_one_picture_has_no_frame() -> None:
    assert utils.make_grid([torch.ones(1, 4, 5)]).shape == (3, 4, 5)
    with pytest.raises(TypeError, match="tensor or list of tensors expected"):
        utils.make_grid("pictures")


def test_an_image_file_holds_the_numbers_as_bytes(tmp_path: Path) -> None:
    Image = pytest.importorskip("PIL.Image")
    picture = torch.rand(3, 6, 7, requires_grad=True)
    utils.save_image(picture, tmp_path / "picture.png")
    with Image.open(tmp_path / "picture.png") as image:
        pixels = np.asarray(image)
    expected = np.round(picture.detach().numpy().transpose(1, 2, 0) * 255)
    np.testing.assert_allclose(pixels, expected, atol=1)


def test_without_pillow_an_image_file_is_refused_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(ImportError, match=r"pip install 'pellucid\[vision\]'"):
        utils.save_image(torch.rand(3, 2, 2), tmp_path / "picture.png")


def test_boxes_that_touch_share_nothing_and_equal_ones_everything() -> None:
    boxes = torch.tensor([[0.0, 0.0, 2.0, 2.0], [2.0, 0.0, 4.0, 2.0], [1.0, 1.0, 3.0, 3.0]])
    expected = [[1, 0, 1 / 7], [0, 1, 1 / 7], [1 / 7, 1 / 7, 1]]
    np.testing.assert_allclose(ops.box_iou(boxes, boxes), expected, rtol=1e-6)
    assert ops.box_area(boxes).tolist() == [4, 4, 4]


@pytest.mark.parametrize("form", ["xyxy", "xywh", "cxcywh"])
def test_boxes_come_back_from_every_way_to_write_them(form: str) -> None:
    boxes = torch.tensor([[0.0, 1.0, 2.0, 5.0], [2.0, 0.0, 4.5, 2.0]])
    there = ops.box_convert(boxes, "xyxy", form)
    np.testing.assert_allclose(ops.box_convert(there, form, "xyxy"), boxes)
    with pytest.raises(ValueError, match="none of"):
        ops.box_convert(boxes, "xyxy", "polar")

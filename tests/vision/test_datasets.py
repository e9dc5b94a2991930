"""Datasets in the formats their authors publish, written by the tests."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import struct
import tarfile
from pathlib import Path

import numpy as np
import pytest

import pellucid as torch
from pellucid.vision import datasets, transforms
from pellucid.vision.datasets.cifar import read_batch
from pellucid.vision.datasets.mnist import read_idx

RNG = np.random.default_rng(1)
DIGITS = RNG.integers(0, 256, (5, 28, 28), dtype=np.uint8)
LABELS = np.array([3, 1, 4, 1, 5], np.uint8)


def idx(array: np.ndarray) -> bytes:
    head = b"\0\0" + bytes([8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape)
    return head + array.tobytes()


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("kind", [datasets.MNIST, datasets.FashionMNIST, datasets.KMNIST])
def test_digits_are_read_from_idx_files(tmp_path: Path, kind, compressed: bool) -> None:
    folder = tmp_path / kind.__name__ / "raw"
    folder.mkdir(parents=True)
    for name, array in (("images-idx3", DIGITS), ("labels-idx1", LABELS)):
        path = folder / f"t10k-{name}-ubyte{'.gz' if compressed else ''}"
        path.write_bytes(gzip.compress(idx(array)) if compressed else idx(array))
    digits = kind(str(tmp_path), train=False, download=True, transform=transforms.ToTensor())
    assert len(digits) == 5
    picture, target = digits[2]
    assert target == 4
    np.testing.assert_allclose(picture.numpy(), DIGITS[2][None] / np.float32(255))
    assert digits.targets.tolist() == LABELS.tolist()
    assert digits.data.dtype == torch.uint8
    assert len(digits.class_to_idx) == 10
    assert "Split: Test" in repr(digits)
    with pytest.warns(UserWarning, match="test_labels has been renamed targets"):
        assert digits.test_labels is digits.targets
    with pytest.warns(UserWarning, match="test_data has been renamed data"):
        assert digits.test_data is digits.data


def test_missing_files_are_named_with_the_place_they_belong_in(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"never downloads.*train-images-idx3-ubyte"):
        datasets.MNIST(tmp_path, download=True)
    with pytest.raises(RuntimeError, match=r"cifar-10-batches-py.*data_batch_1"):
        datasets.CIFAR10(tmp_path)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "idx format"),
        (b"\x89PNG....", "idx format"),
        (idx(DIGITS)[:9], "cut off within its head"),
        (idx(DIGITS)[:-1], "another length"),
    ],
)
def test_a_damaged_idx_file_is_refused(tmp_path: Path, content: bytes, text: str) -> None:
    path = tmp_path / "damaged"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=text):
        read_idx(path)


def test_a_cut_off_gzip_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(idx(DIGITS))[:-20])
    with pytest.raises(ValueError, match="cut off"):
        read_idx(path)


def cifar_files(label_key: str, names: list[str], meta: dict[str, object]) -> dict[str, bytes]:
    files = {}
    for number, name in enumerate(names):
        pixels = np.arange(2 * 3072, dtype=np.uint8).reshape(2, 3072) + np.uint8(number)
        files[name] = pickle.dumps({"data": pixels, label_key: [number, 1]}, 2)
    return files | {"meta" if "fine_label_names" in meta else "batches.meta": pickle.dumps(meta, 2)}


def test_cifar_is_read_from_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "cifar-10-batches-py"
    folder.mkdir()
    names = [f"data_batch_{number}" for number in range(1, 6)]
    for name, content in cifar_files("labels", names, {"label_names": ["cat", "dog"]}).items():
        (folder / name).write_bytes(content)
    data = datasets.CIFAR10(tmp_path, transform=transforms.ToTensor(), download=True)
    assert len(data) == 10
    assert data.targets[:4] == [0, 1, 1, 1]
    assert data.class_to_idx == {"cat": 0, "dog": 1}
    picture, _ = data[2]
    first = (np.arange(3072, dtype=np.uint8) + np.uint8(1)).reshape(3, 32, 32)
    np.testing.assert_allclose(picture.numpy(), first / np.float32(255))


def test_cifar_is_read_from_its_archive_without_unpacking(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "cifar-100-python.tar.gz", "w:gz") as archive:
        files = cifar_files("fine_labels", ["train"], {"fine_label_names": ["apple"]})
        for name, content in files.items():
            member = tarfile.TarInfo(f"cifar-100-python/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    assert len(datasets.CIFAR100(tmp_path)) == 2
    assert os.listdir(tmp_path) == ["cifar-100-python.tar.gz"]


class Hostile:
    def __reduce__(self):
        return os.mkdir, ("made by a pickle",)


def test_a_hostile_file_runs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(pickle.UnpicklingError, match=r"mkdir"):
        read_batch(pickle.dumps({"data": Hostile()}))
    assert os.listdir() == []
    with pytest.raises(pickle.UnpicklingError, match="dictionary"):
        read_batch(pickle.dumps([1]))


class TestFakeData:
    def test_a_picture_is_the_noise_of_its_number(self) -> None:
        data = datasets.FakeData(5, (3, 4, 6), 10, transforms.ToTensor(), random_offset=7)
        torch.manual_seed(2 + 7)
        noise, target = torch.randn(3, 4, 6), int(torch.randint(0, 10, (1,)))
        picture, label = data[2]
        # Bytes wrap around: the picture and the noise differ by whole turns.
        turns = picture.double() - (noise * 255).trunc().double() / 255
        np.testing.assert_allclose((turns * 255 / 256).round() * 256 / 255, turns, atol=1e-6)
        assert label == target

    def test_the_stream_of_numbers_goes_on_as_if_nothing_were_drawn(self) -> None:
        torch.manual_seed(0)
        expected = torch.rand(2)
        torch.manual_seed(0)
        first = torch.rand(1)
        datasets.FakeData(image_size=(1, 2, 2))[0]
        np.testing.assert_array_equal(torch.cat([first, torch.rand(1)]), expected)

    def test_a_loader_comes_to_the_end(self) -> None:
        data = datasets.FakeData(5, (3, 8, 8), transform=transforms.ToTensor())
        sizes = [len(x) for x, _ in torch.utils.data.DataLoader(data, batch_size=2)]
        assert sizes == [2, 2, 1]
        with pytest.raises(IndexError):
            data[5]


def test_a_folder_is_a_class(tmp_path: Path) -> None:
    for name in ("cat/1.txt", "cat/deep/2.txt", "ant/3.txt", "ant/notes.md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    data = datasets.DatasetFolder(
        tmp_path, lambda path: Path(path).read_text(), (".txt",), str.upper, lambda k: k * 10
    )
    assert data.classes == ["ant", "cat"]
    assert [data[k] for k in range(3)] == [
        ("ANT/3.TXT", 0), ("CAT/1.TXT", 10), ("CAT/DEEP/2.TXT", 10),
    ]  # fmt: skip
    with pytest.raises(FileNotFoundError, match="no valid file for the classes ant, cat"):
        datasets.DatasetFolder(tmp_path, len, (".png",))
    with pytest.raises(FileNotFoundError, match="Couldn't find any class"):
        datasets.DatasetFolder(tmp_path / "ant", len, (".png",))


def test_images_are_read_in_colour(tmp_path: Path) -> None:
    Image = pytest.importorskip("PIL.Image")
    (tmp_path / "grey").mkdir()
    Image.fromarray(DIGITS[0]).save(tmp_path / "grey" / "a.png")
    picture, target = datasets.ImageFolder(tmp_path, transforms.PILToTensor())[0]
    assert target == 0
    np.testing.assert_array_equal(picture.numpy(), np.stack([DIGITS[0]] * 3))


def test_transforms_for_both_exclude_those_for_one() -> None:
    with pytest.raises(ValueError, match="Only transforms or"):
        datasets.VisionDataset(None, lambda x, y: (x, y), len)

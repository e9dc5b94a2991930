from __future__ import annotations

import collections
import io
import mmap
import os
import pickle
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid as torch

options = torch.serialization


def saved(obj: Any, **choices: Any) -> io.BytesIO:
    file = io.BytesIO()
    torch.save(obj, file, **choices)
    file.seek(0)
    return file


@pytest.fixture(autouse=True)
def _options_are_reset() -> Iterator[None]:
    yield
    options.set_default_load_endianness(None)
    options.set_crc32_options(True)
    options.set_default_mmap_options(mmap.MAP_PRIVATE)


# ---- byte order -----------------------------------------------------------------------------


def test_a_file_that_does_not_say_its_byte_order_has_the_one_that_is_set() -> None:
    content = saved(torch.tensor([1, 256]), _disable_byteorder_record=True).getvalue()
    swapped = np.array([1, 256]).byteswap().tolist()
    assert torch.load(io.BytesIO(content)).tolist() == [1, 256]
    options.set_default_load_endianness(options.LoadEndianness.LITTLE)
    assert torch.load(io.BytesIO(content)).tolist() == [1, 256]
    options.set_default_load_endianness(options.LoadEndianness.BIG)
    assert torch.load(io.BytesIO(content)).tolist() == swapped
    assert torch.load(saved(torch.tensor([1, 256]))).tolist() == [1, 256]
    with pytest.raises(TypeError, match="Invalid argument type in function set_default_load"):
        options.set_default_load_endianness("big")  # pyright: ignore


# ---- checksums ------------------------------------------------------------------------------


def test_a_file_without_checksums_is_loaded_and_damage_to_it_is_not_noticed() -> None:
    options.set_crc32_options(False)
    assert not options.get_crc32_options()
    content = saved(torch.full((4,), 1.5)).getvalue()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert {info.CRC for info in archive.infolist()} == {0}
    assert torch.load(io.BytesIO(content)).tolist() == [1.5] * 4
    at = content.find(np.float32(1.5).tobytes() * 2)
    changed = content[: at + 3] + b"\x00" + content[at + 4 :]
    assert torch.load(io.BytesIO(changed)).tolist() != [1.5] * 4


# ---- mapped files ---------------------------------------------------------------------------


def test_what_is_written_to_a_mapped_tensor_goes_into_the_file_if_that_is_set(
    tmp_path: Path,
) -> None:
    path = tmp_path / "x.pt"
    torch.save(torch.zeros(100), path)
    with options.set_default_mmap_options(mmap.MAP_SHARED):
        torch.load(path, mmap=True)[0] = 1
    assert options.get_default_mmap_options() == mmap.MAP_PRIVATE
    torch.load(path, mmap=True)[1] = 1
    assert torch.load(path, mmap=True)[:3].tolist() == [1, 0, 0]
    with pytest.raises(ValueError, match=r"expected mmap\.MAP_PRIVATE or mmap\.MAP_SHARED"):
        options.set_default_mmap_options(17)


# ---- trust ----------------------------------------------------------------------------------


def test_variables_of_the_environment_force_trust_or_distrust(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = saved(collections.deque([1])).getvalue()
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "yes")
    with pytest.warns(UserWarning, match="forcing weights_only=False"):
        assert torch.load(io.BytesIO(content)) == collections.deque([1])
    with pytest.raises(pickle.UnpicklingError):
        torch.load(io.BytesIO(content), weights_only=True)
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "1")
    with pytest.raises(RuntimeError, match=r"Only one of .* should be set, but both were set"):
        torch.load(io.BytesIO(content))


def test_names_are_listed_only_for_archives() -> None:
    with pytest.raises(ValueError, match=r"Expected input to be a checkpoint returned by torch\.s"):
        options.get_unsafe_globals_in_checkpoint(
            saved(collections.deque([1]), _use_new_zipfile_serialization=False)
        )


# ---- file-like objects ----------------------------------------------------------------------


class Minimal:
    """A file with no more methods than loading needs."""

    def __init__(self, file: io.BytesIO) -> None:
        self.read = file.read
        self.tell = file.tell
        self._seek = file.seek

    def seek(self, *place: int) -> None:
        self._seek(*place)


@pytest.mark.parametrize("new", [True, False])
def test_a_file_needs_only_read_seek_and_tell(new: bool) -> None:
    file = Minimal(saved([torch.ones(2), "text"], _use_new_zipfile_serialization=new))
    assert torch.load(file)[0].tolist() == [1, 1]


# ---- the old format -------------------------------------------------------------------------


@pytest.mark.parametrize("weights_only", [True, False])
def test_the_old_format_is_written_and_read(weights_only: bool) -> None:
    x = torch.arange(12.0).reshape(3, 4)
    many = [torch.full((2,), n) for n in range(12)]
    obj = {"x": x, "t": x.t(), "none": torch.zeros(0), "half": x.half(), "p": torch.nn.Linear(2, 2)}
    obj = {**obj, "p": obj["p"].state_dict(), "many": many}
    file = saved(obj, _use_new_zipfile_serialization=False)
    found = torch.load(file, weights_only=weights_only)
    for name in ("x", "t", "none", "half"):
        assert torch.equal(found[name], obj[name])
    assert [each.tolist() for each in found["many"]] == [[n, n] for n in range(12)]
    found["x"][0, 1] = 9
    assert found["t"][1, 0] == 9


def test_objects_in_the_old_format_follow_each_other_in_a_file(tmp_path: Path) -> None:
    with open(tmp_path / "x", "wb") as file:
        file.write(b"before")
        for number in range(3):
            torch.save(torch.full((2,), number), file, _use_new_zipfile_serialization=False)
        pickle.dump("behind", file)
    with open(tmp_path / "x", "rb") as file:
        file.seek(len("before"))
        assert [torch.load(file).tolist() for _ in range(3)] == [[0, 0], [1, 1], [2, 2]]
        assert pickle.load(file) == "behind"


def test_a_part_of_a_storage_in_the_old_format_is_a_view_of_it() -> None:
    content = saved(torch.arange(6.0), _use_new_zipfile_serialization=False).getvalue()
    # The description ends its storage with None in place of ("1", 2, 3): a part of three elements.
    storage_end = content.index(b"K\x06N")
    part = b"(X\x01\0\0\x001K\x02K\x03t"
    content = content[: storage_end + 2] + part + content[storage_end + 3 :]
    content = content.replace(b"K\x00K\x06\x85", b"K\x00K\x03\x85", 1)
    assert torch.load(io.BytesIO(content)).tolist() == [2, 3, 4]
    outside = content.replace(part, b"(X\x01\0\0\x001K\x02K\x05t")
    with pytest.raises(RuntimeError, match="elements 2 to 7 are out of bounds"):
        torch.load(io.BytesIO(outside))


# ---- storages -------------------------------------------------------------------------------


@pytest.mark.parametrize("new", [True, False])
def test_storages_are_saved_and_shared_with_tensors(new: bool) -> None:
    x = torch.arange(4.0)
    with pytest.warns(UserWarning, match="TypedStorage is deprecated"):
        storage = x.storage()
    found, tensor = torch.load(saved([storage, x], _use_new_zipfile_serialization=new))
    assert isinstance(found, torch.FloatStorage)
    assert found.tolist() == [0, 1, 2, 3]
    found[0] = 5.0
    assert tensor[0] == 5
    assert len(torch.load(saved(x.untyped_storage()))) == 16


def test_one_memory_is_not_saved_as_two_dtypes() -> None:
    x = torch.arange(4.0)
    for pair in ([x, x.view(torch.int32)], [x.untyped_storage(), x]):
        for new in (True, False):
            with pytest.raises(RuntimeError, match="view the same data as different types"):
                saved(pair, _use_new_zipfile_serialization=new)


def test_a_directory_cannot_be_saved_to(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="Is a directory"):
        torch.save(1, tmp_path)
    assert os.listdir(tmp_path) == []

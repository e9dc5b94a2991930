from __future__ import annotations

import io
import os
import pickle
import stat
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.interop import archive as archives
from pellucid.interop import files


def reloaded(obj: Any, **options: Any) -> Any:
    """Return what is loaded after saving."""
    file = io.BytesIO()
    torch.save(obj, file)
    file.seek(0)
    return torch.load(file, **options)


def records(path: Any) -> dict[str, bytes]:
    """Return the records of an archive, read by Python's own reader, which checks them all."""
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


# ---- what is written ------------------------------------------------------------------------


def test_the_archive_holds_what_pytorch_looks_for(tmp_path: Path) -> None:
    torch.save(torch.arange(3.0), tmp_path / "x.pt")
    found = records(tmp_path / "x.pt")
    assert list(found) == [
        "x/data.pkl", "x/.format_version", "x/.storage_alignment",
        "x/byteorder", "x/data/0", "x/version", "x/.data/serialization_id",
    ]  # fmt: skip
    assert found["x/data/0"] == np.arange(3, dtype=np.float32).tobytes()
    assert found["x/version"] == b"3\n"
    assert len(found["x/.data/serialization_id"]) == 40


def test_every_record_starts_at_a_multiple_of_64(tmp_path: Path) -> None:
    path = tmp_path / "x.pt"
    torch.save([torch.ones(n) for n in range(5)], path)
    content = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            name_length, extra_length = np.frombuffer(content, "<u2", 2, info.header_offset + 26)
            assert (info.header_offset + 30 + int(name_length) + int(extra_length)) % 64 == 0


def test_the_same_objects_give_the_same_bytes() -> None:
    first, second, other = io.BytesIO(), io.BytesIO(), io.BytesIO()
    torch.save({"a": torch.ones(2)}, first)
    torch.save({"a": torch.ones(2)}, second)
    torch.save({"a": torch.zeros(2)}, other)
    assert first.getvalue() == second.getvalue()
    identities = [records(file)["archive/.data/serialization_id"] for file in (first, other)]
    assert identities[0] != identities[1]


def test_memory_that_tensors_share_is_written_once() -> None:
    x = torch.zeros(1000)
    file = io.BytesIO()
    torch.save([x, x[:10], x.view(10, 100).t(), x.detach()], file)
    assert [name for name in records(file) if "data/" in name and "serial" not in name] == [
        "archive/data/0"
    ]


def test_one_memory_of_two_dtypes_is_refused() -> None:
    z = torch.zeros(2, dtype=torch.complex64)
    with pytest.raises(RuntimeError, match="view the same data as different types"):
        torch.save([z, torch.view_as_real(z)], io.BytesIO())
    assert reloaded(torch.view_as_real(z)).shape == (2, 2)


def test_arrays_that_run_backwards_are_written_as_copies() -> None:
    x = torch.tensor([0.0])
    x._array = np.arange(6, dtype=np.float32)[::-2]
    assert reloaded(x).tolist() == [5, 3, 1]


def test_arrays_over_foreign_memory_are_written() -> None:
    buffer = bytearray(np.arange(6, dtype=np.int32).tobytes())
    x = torch.frombuffer(buffer, dtype=torch.int32)
    assert reloaded([x, x[2:]])[1].tolist() == [2, 3, 4, 5]


def test_wide_fields_are_used_where_sizes_or_offsets_ask_for_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    state = {str(n): torch.arange(float(n)) for n in (3, 400, 0, 5)}
    for limit in (0, 300, 1000, 1700):
        monkeypatch.setattr(archives, "ZIP32_LIMIT", limit)
        torch.save(state, tmp_path / "x.pt")
        records(tmp_path / "x.pt")
        found = torch.load(tmp_path / "x.pt")
        assert all(torch.equal(found[name], state[name]) for name in state)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_every_protocol_of_pickle_is_written(protocol: int) -> None:
    file = io.BytesIO()
    torch.save({"a": [torch.ones(2), "text"]}, file, pickle_protocol=protocol)
    file.seek(0)
    assert torch.load(file, weights_only=False)["a"][0].tolist() == [1, 1]


# ---- where it is written --------------------------------------------------------------------


class Pipe:
    """A sink that cannot seek and takes a few bytes at a time."""

    def __init__(self) -> None:
        self.content = bytearray()

    def write(self, data: Any) -> int:
        part = bytes(data[:100])
        self.content += part
        return len(part)


def test_a_sink_needs_nothing_but_write() -> None:
    pipe = Pipe()
    torch.save(torch.arange(500), pipe)
    assert torch.equal(torch.load(io.BytesIO(pipe.content)), torch.arange(500))


@pytest.mark.parametrize("kind", [str, Path])
def test_paths_of_both_kinds_are_taken(kind: Any, tmp_path: Path) -> None:
    path = kind(tmp_path / "modèle.pt")
    torch.save(torch.ones(2), path)
    assert torch.load(path).tolist() == [1, 1]


class Unwritable:
    def __reduce__(self) -> Any:
        raise KeyboardInterrupt


@pytest.mark.parametrize("moment", ["while objects are described", "while the file is written"])
def test_an_interrupted_save_leaves_the_old_file(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.pt"
    torch.save(torch.tensor(1), path)
    obj: Any = [torch.zeros(100)]
    if moment == "while objects are described":
        obj.append(Unwritable())
    else:
        add = archives.ArchiveWriter.add

        def interrupted(self: Any, name: str, data: Any) -> None:
            if name == "version":
                raise KeyboardInterrupt
            add(self, name, data)

        monkeypatch.setattr(archives.ArchiveWriter, "add", interrupted)
    with pytest.raises(KeyboardInterrupt):
        torch.save(obj, path)
    assert torch.load(path) == 1
    assert os.listdir(tmp_path) == ["model.pt"]


def test_an_old_file_keeps_its_permissions_and_a_link_its_target(tmp_path: Path) -> None:
    target, link = tmp_path / "real.pt", tmp_path / "latest.pt"
    torch.save(1, target)
    target.chmod(0o640)
    link.symlink_to(target)
    torch.save(2, link)
    assert link.is_symlink()
    assert torch.load(target) == 2
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a matter of Unix")
def test_a_named_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    torch.save(torch.ones(3), pipe)
    reader.join()
    assert torch.load(io.BytesIO(received[0])).tolist() == [1, 1, 1]


def test_a_directory_that_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"Parent directory .*nowhere does not exist\."):
        torch.save(1, tmp_path / "nowhere" / "x.pt")


def test_what_is_neither_path_nor_file_is_refused() -> None:
    with pytest.raises(AttributeError, match="expected 'f' to be string, path, or a file-like"):
        torch.save(1, 3)
    with pytest.raises(
        AttributeError, match=r"You can only torch\.load from a file that is seekable"
    ):
        torch.load(3)


def test_what_cannot_be_described_is_refused_before_the_file_is_touched(tmp_path: Path) -> None:
    with pytest.raises((pickle.PicklingError, AttributeError), match="Can't pickle"):
        torch.save(lambda: 1, tmp_path / "x.pt")
    assert os.listdir(tmp_path) == []


# ---- what comes back ------------------------------------------------------------------------


def test_history_is_not_kept_but_the_wish_for_gradients_is() -> None:
    x = torch.ones(2, requires_grad=True)
    found = reloaded(x * 2)
    assert found.is_leaf
    assert found.requires_grad


def test_buffers_and_layouts_come_back() -> None:
    buffer, fleeting = (
        torch.nn.Buffer(torch.ones(2)),
        torch.nn.Buffer(torch.ones(2), persistent=False),
    )
    found = reloaded([buffer, fleeting, torch.strided, torch.channels_last])
    assert all(isinstance(each, torch.nn.Buffer) for each in found[:2])
    assert [each.persistent for each in found[:2]] == [True, False]
    assert found[2:] == [torch.strided, torch.channels_last]


def test_generators_come_back_in_the_same_state() -> None:
    generator = torch.Generator().manual_seed(3)
    torch.rand(5, generator=generator)
    found = reloaded(generator, weights_only=False)
    assert torch.equal(torch.rand(3, generator=found), torch.rand(3, generator=generator))


def test_whole_optimizers_come_back() -> None:
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    loaded_model, loaded = reloaded([model, optimizer], weights_only=False)
    assert loaded.param_groups[0]["params"][0] is loaded_model.weight
    assert torch.equal(
        loaded.state[loaded_model.weight]["exp_avg"], optimizer.state[model.weight]["exp_avg"]
    )


def test_a_file_in_the_other_byte_order_is_turned_around(tmp_path: Path) -> None:
    values = {"f": torch.tensor([1.5, -2]), "c": torch.tensor([1 + 2j]), "i": torch.tensor([7, 8])}
    torch.save(values, tmp_path / "little.pt")
    swapped = {"data/0": ">f4", "data/1": ">c8", "data/2": ">i8"}
    with zipfile.ZipFile(tmp_path / "big.pt", "w") as archive:
        for name, content in records(tmp_path / "little.pt").items():
            short = name.removeprefix("archive/")
            if short in swapped:
                content = np.frombuffer(content, swapped[short].replace(">", "<"))
                content = content.astype(swapped[short]).tobytes()
            archive.writestr(name, b"big" if short == "byteorder" else content)
    found = torch.load(tmp_path / "big.pt")
    assert all(torch.equal(found[name], values[name]) for name in values)


def test_an_archive_that_was_packed_again_is_read(tmp_path: Path) -> None:
    torch.save({"x": torch.arange(1000)}, tmp_path / "x.pt")
    with zipfile.ZipFile(tmp_path / "packed.pt", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in records(tmp_path / "x.pt").items():
            archive.writestr(name, content)
    for mmap in (False, True):
        found = torch.load(tmp_path / "packed.pt", mmap=mmap)
        assert torch.equal(found["x"], torch.arange(1000))


def test_a_mapped_file_is_read_where_it_lies_and_never_changed(tmp_path: Path) -> None:
    path = tmp_path / "x.pt"
    torch.save(torch.arange(5000.0), path)
    before = path.read_bytes()
    found = torch.load(path, mmap=True)
    found.add_(1)
    assert torch.equal(found, torch.arange(5000.0) + 1)
    assert path.read_bytes() == before
    with pytest.raises(ValueError, match="f must be a file path"):
        torch.load(io.BytesIO(before), mmap=True)


# ---- where tensors go -----------------------------------------------------------------------


def from_gpu() -> io.BytesIO:
    """Return a file whose one tensor was on a GPU."""
    file, moved = io.BytesIO(), io.BytesIO()
    torch.save(torch.arange(3), file)
    with zipfile.ZipFile(moved, "w") as archive:
        for name, content in records(file).items():
            if name.endswith("data.pkl"):
                content = content.replace(b"\x03\0\0\0cpu", b"\x06\0\0\0cuda:0")
            archive.writestr(name, content)
    moved.seek(0)
    return moved


@pytest.mark.parametrize(
    "map_location",
    ["cpu", torch.device("cpu"), {"cuda:0": "cpu"}, lambda storage, location: storage, b"cpu",
     lambda storage, location: storage.cpu() if location == "cuda:0" else None],
)  # fmt: skip
def test_tensors_of_a_gpu_are_loaded_where_they_are_told_to_go(map_location: Any) -> None:
    assert torch.load(from_gpu(), map_location).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "map_location", [None, "cuda:1", {"cpu": "cuda"}, lambda storage, location: None]
)
def test_tensors_of_a_gpu_that_is_missing_are_refused(map_location: Any) -> None:
    with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device but"):
        torch.load(from_gpu(), map_location=map_location)


def test_a_map_location_of_no_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="map_location has to be a device"):
        torch.load(from_gpu(), map_location=3)
    with pytest.raises(TypeError, match="has to return the storage"):
        torch.load(from_gpu(), map_location=lambda storage, location: "cpu")


def test_a_map_location_that_is_no_device_is_told() -> None:
    with pytest.raises(RuntimeError, match=r"don't know how to restore data location of.*banana"):
        reloaded(torch.ones(2), map_location="banana")


# ---- files of all kinds ---------------------------------------------------------------------

KILLED = """
import os, signal, sys
import pellucid as torch
from pellucid.interop import files
if sys.argv[2] == "with a name":
    files._nameless = lambda directory: None
with files.written_whole(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def without_nameless_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_nameless", lambda _: None)


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files without a name are Linux's")
def test_a_killed_save_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    torch.save(1, tmp_path / "x.pt")
    subprocess.run([sys.executable, "-c", KILLED, tmp_path / "x.pt", "without a name"])
    assert os.listdir(tmp_path) == ["x.pt"]
    assert torch.load(tmp_path / "x.pt") == 1


@pytest.mark.skipif(os.name == "nt", reason="the lock is a matter of Unix")
def test_what_a_killed_save_left_behind_is_removed_by_the_next(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, tmp_path / "x.pt", "with a name"])
    (left,) = os.listdir(tmp_path)
    assert left.startswith(".")
    torch.save(1, tmp_path / "x.pt")
    assert os.listdir(tmp_path) == ["x.pt"]


@pytest.mark.parametrize("kind", ["without a name", "with a name", "that cannot get one"])
def test_two_saves_at_once_do_not_disturb_each_other(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "with a name":
        without_nameless_files(monkeypatch)
    if kind == "that cannot get one":
        monkeypatch.setattr(files, "_link", lambda *_: os.link("nowhere", "nowhere"))
    with files.written_whole(tmp_path / "x") as outer, files.written_whole(tmp_path / "x") as inner:
        outer.write(b"outer")
        inner.write(b"inner")
    assert (tmp_path / "x").read_bytes() == b"outer"
    assert os.listdir(tmp_path) == ["x"]


def test_many_threads_may_save_to_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_nameless_files(monkeypatch)
    path = tmp_path / "x.pt"

    def save() -> None:
        for number in range(10):
            torch.save(torch.full((1000,), number), path)

    with ThreadPoolExecutor(4) as pool:
        for each in [pool.submit(save) for _ in range(4)]:
            each.result()
    assert torch.load(path).unique().tolist() == [9]
    assert os.listdir(tmp_path) == ["x.pt"]


@pytest.mark.parametrize("name", ["x" * 255, "ü" * 127, "日" * 84 + ".pt"])
@pytest.mark.parametrize("nameless", [True, False])
def test_a_name_may_be_as_long_as_the_system_allows(
    name: str, nameless: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not nameless:
        without_nameless_files(monkeypatch)
    torch.save(1, tmp_path / name)
    torch.save(2, tmp_path / name)
    assert torch.load(tmp_path / name) == 2


def test_all_names_of_a_file_see_what_is_saved(tmp_path: Path) -> None:
    torch.save(1, tmp_path / "first.pt")
    os.link(tmp_path / "first.pt", tmp_path / "second.pt")
    torch.save(2, tmp_path / "first.pt")
    assert torch.load(tmp_path / "second.pt") == 2


def test_a_link_to_a_file_that_is_not_there_yet_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link.pt").symlink_to("real.pt")
    torch.save(1, tmp_path / "link.pt")
    assert (tmp_path / "link.pt").is_symlink()
    assert torch.load(tmp_path / "real.pt") == 1


@pytest.fixture
def ordinary_user() -> Iterator[Path]:
    """Give a directory of a user without privileges, whose rights the test has."""
    with tempfile.TemporaryDirectory() as directory:
        path, user = Path(directory), os.geteuid()
        nobody = 65534 if user == 0 else user
        os.chown(path, nobody, -1)
        os.seteuid(nobody)
        try:
            yield path
        finally:
            path.chmod(0o755)
            os.seteuid(user)


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="users are a matter of Unix")
def test_a_file_in_a_directory_that_cannot_be_written_is_overwritten(ordinary_user: Path) -> None:
    torch.save(1, ordinary_user / "x.pt")
    ordinary_user.chmod(0o555)
    torch.save(2, ordinary_user / "x.pt")
    assert torch.load(ordinary_user / "x.pt") == 2
    with pytest.raises(PermissionError):
        torch.save(2, ordinary_user / "new.pt")


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="users are a matter of Unix")
def test_a_file_that_may_not_be_written_is_kept(ordinary_user: Path) -> None:
    torch.save(1, ordinary_user / "x.pt")
    (ordinary_user / "x.pt").chmod(0o444)
    with pytest.raises(PermissionError):
        torch.save(2, ordinary_user / "x.pt")
    assert torch.load(ordinary_user / "x.pt") == 1


@pytest.mark.parametrize("zipped", [True, False])
def test_what_is_saved_into_an_open_file_can_be_loaded_by_its_name(
    tmp_path: Path, zipped: bool
) -> None:
    with (tmp_path / "x.pt").open("wb") as file:
        torch.save({"a": torch.ones(2)}, file, _use_new_zipfile_serialization=zipped)
        assert torch.load(tmp_path / "x.pt")["a"].tolist() == [1, 1]


def test_a_file_needs_no_more_than_write() -> None:
    class Collected:
        def __init__(self) -> None:
            self.parts: list[bytes] = []

        def write(self, data: Any) -> int:
            self.parts.append(bytes(data))
            return len(data)

    file = Collected()
    torch.save(torch.ones(2), file)
    assert torch.load(io.BytesIO(b"".join(file.parts))).tolist() == [1, 1]

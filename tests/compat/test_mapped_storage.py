"""Storages of bytes that lie in a file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import pellucid as torch


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "bytes"
    file.write_bytes(bytes(range(8)))
    return file


def test_a_file_is_read_as_bytes(path: Path) -> None:
    storage = torch.UntypedStorage.from_file(str(path), shared=False, nbytes=4)
    assert storage.tolist() == [0, 1, 2, 3]
    assert torch.UntypedStorage.from_file(path).nbytes() == 8


def test_what_is_not_shared_leaves_the_file_alone(path: Path) -> None:
    torch.UntypedStorage.from_file(path, nbytes=8)[0] = 9
    assert path.read_bytes()[0] == 0


def test_what_is_shared_goes_into_the_file_which_grows(path: Path) -> None:
    torch.UntypedStorage.from_file(path, shared=True, nbytes=10)[9] = 7
    assert path.read_bytes() == bytes([*range(8), 0, 7])


def test_a_file_that_is_too_short_is_refused(path: Path) -> None:
    with pytest.raises(RuntimeError, match="unable to mmap 9 bytes"):
        torch.UntypedStorage.from_file(path, nbytes=9)


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_the_size_of_a_storage_counts_its_bytes() -> None:
    small, large = torch.ones(1), torch.ones(1001)
    for kind in ("untyped_storage", "storage"):
        sizes = [sys.getsizeof(getattr(tensor, kind)()) for tensor in (small, large)]
        assert sizes[1] - sizes[0] == 4000


def test_safetensors_reads_and_writes_under_the_alias(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    if "torch" in sys.modules:
        pytest.skip("PyTorch itself is imported in this process")
    with torch.install_as_torch():
        from safetensors import safe_open
        from safetensors.torch import load_file, save_file

        tensors = {"a": torch.randn(3, 4), "b": torch.arange(5)}
        file = tmp_path / "x.safetensors"
        save_file(tensors, file)
        found = load_file(file)
        assert all(torch.equal(found[name], tensors[name]) for name in tensors)
        with safe_open(file, framework="pt") as opened:
            assert opened.get_slice("a")[:, 1:3].tolist() == tensors["a"][:, 1:3].tolist()
    sys.modules.pop("safetensors.torch")

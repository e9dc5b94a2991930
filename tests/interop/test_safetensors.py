from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import pellucid as torch
from pellucid.interop.safetensors_files import _DTYPES, load_file, save_file


def test_without_its_library_the_format_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "safetensors.numpy", None)
    with pytest.raises(RuntimeError, match="safetensors is not installed"):
        torch.load(tmp_path / "model.safetensors")
    with pytest.raises(RuntimeError, match="save a safetensors file but safetensors is not"):
        save_file({"x": torch.ones(1)}, tmp_path / "model.safetensors")


@pytest.mark.parametrize("map_location", [{"cuda": "cpu"}, lambda storage, location: storage])
def test_its_tensors_go_to_a_device_or_nowhere(map_location: object) -> None:
    with pytest.raises(RuntimeError, match="map_location is not supported"):
        torch.load("model.safetensors", map_location=map_location)
    with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device"):
        torch.load("model.safetensors", map_location="cuda")


class TestWithTheLibrary:
    @pytest.fixture(autouse=True)
    def _library(self) -> None:
        pytest.importorskip("safetensors")

    @pytest.mark.parametrize("dtype", _DTYPES.values(), ids=str)
    def test_tensors_come_back(self, dtype: torch.dtype, tmp_path: Path) -> None:
        path = tmp_path / "model.safetensors"
        x = torch.tensor([[0, 1, 2], [3, 4, 5]]).to(dtype)
        save_file({"x": x, "view": x.t()}, path, metadata={"format": "pt"})
        for found in (load_file(path), torch.load(path), torch.load(path, "cpu")):
            assert set(found) == {"view", "x"}
            assert torch.equal(found["x"], x)
            assert torch.equal(found["view"], x.t())
            found["x"].zero_()

    def test_a_dtype_that_the_format_has_not_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(RuntimeError, match=r"safetensors cannot write.*complex128"):
            save_file({"x": torch.ones(1, dtype=torch.complex128)}, tmp_path / "x")
        assert os.listdir(tmp_path) == []

    def test_an_interrupted_save_leaves_the_old_file(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "model.safetensors"
        save_file({"x": torch.ones(2)}, path)

        def interrupted(file: int) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(os, "fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            save_file({"x": torch.zeros(200)}, path)
        assert torch.load(path)["x"].tolist() == [1, 1]
        assert os.listdir(tmp_path) == ["model.safetensors"]

    def test_what_is_no_tensor_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(TypeError, match="Key `epoch` is invalid"):
            save_file({"epoch": 3}, tmp_path / "x.safetensors")
        assert os.listdir(tmp_path) == []

    def test_a_damaged_file_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "x.safetensors"
        path.write_bytes(b"nonsense")
        with pytest.raises(RuntimeError, match="safetensors cannot read"):
            torch.load(path)

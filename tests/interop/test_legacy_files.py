"""Files in the format before PyTorch 1.6, made here from their description."""

from __future__ import annotations

import io
import pickle
import struct
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.errors import PellucidError
from pellucid.interop.writing import pickled

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
MACHINE = {"protocol_version": 1001, "little_endian": True, "type_sizes": {"int": 4}}

ran: list[str] = []


def run_something() -> None:
    """Leave a trace of having been called."""
    ran.append("called")


class Attack:
    def __reduce__(self) -> Any:
        return run_something, ()


def checkpoint() -> dict[str, Any]:
    x = torch.arange(6.0).reshape(2, 3)
    return {"x": x, "view": x.t(), "half": torch.ones(2).half(), "none": torch.zeros(0), "n": 3}


def legacy_file(
    obj: Any, version: int = 1001, keys: list[str] | None = None, extra: int = 0
) -> bytes:
    """Return a file with an object; its list of keys and its sizes can be made wrong."""
    program, memories = pickled(obj, 2)
    names = [str(number) for number in range(len(memories))]
    parts = [pickle.dumps(each, 2) for each in (MAGIC_NUMBER, version, MACHINE)]
    parts += [program, pickle.dumps(names if keys is None else keys, 2)]
    for memory in memories:
        parts += [struct.pack("<q", memory.size + extra), memory.tobytes()]
    return b"".join(parts)


def load(content: bytes, **options: Any) -> Any:
    return torch.load(io.BytesIO(content), **options)


@pytest.mark.parametrize("weights_only", [True, False])
def test_an_old_file_is_read(weights_only: bool) -> None:
    found, expected = load(legacy_file(checkpoint()), weights_only=weights_only), checkpoint()
    assert found["n"] == 3
    for name in ("x", "view", "half", "none"):
        assert torch.equal(found[name], expected[name])
        assert found[name].dtype == expected[name].dtype
    found["x"][0, 2] = 9
    assert found["view"][2, 0] == 9


def test_an_old_file_is_read_from_where_the_file_stands() -> None:
    file = io.BytesIO(b"before" + legacy_file(checkpoint()))
    file.seek(6)
    assert torch.load(file)["x"].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_storages_of_old_files_go_where_they_are_told() -> None:
    asked: list[str] = []

    def place(storage: Any, location: str) -> Any:
        asked.append(location)
        return storage

    assert load(legacy_file(checkpoint()), map_location=place)["half"].tolist() == [1, 1]
    assert asked == ["cpu"] * 3
    with pytest.raises(RuntimeError, match="on a CUDA device"):
        load(legacy_file(checkpoint()), map_location="cuda")


def test_old_files_cannot_be_mapped(tmp_path: Any) -> None:
    path = tmp_path / "old.pt"
    path.write_bytes(legacy_file(checkpoint()))
    assert torch.load(path)["n"] == 3
    with pytest.raises(RuntimeError, match="mmap can only be used with files saved with"):
        torch.load(path, mmap=True)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (legacy_file(checkpoint(), version=7), "Invalid protocol version: 7"),
        (legacy_file(checkpoint(), keys=["0"]), "other storages than its tensors look into"),
        (legacy_file(checkpoint(), keys=["0", "1", "../x"]), "other storages than its tensors"),
        (legacy_file(checkpoint(), extra=1), r"storage '0' has 7 elements, not the 6"),
        (legacy_file(checkpoint())[:-15], "storage '1' ends too early"),
        (
            legacy_file(torch.zeros(7_000)).replace(b"M\x58\x1b", b"J\xff\xff\xff\x7f", 1),
            "more than the file can hold",
        ),
    ],
)  # fmt: skip
def test_an_old_file_is_refused_that_is_damaged(content: bytes, text: str) -> None:
    for weights_only in (True, False):
        with pytest.raises((RuntimeError, pickle.UnpicklingError), match=text):
            load(content, weights_only=weights_only)


def test_a_class_of_an_old_network_is_its_name_without_its_source() -> None:
    program = pickle.dumps(torch.nn.Identity, 2)[2:-1] + b"X\x01\x00\x00\x00fX\x01\x00\x00\x00s"
    named = b"(X\x06\x00\x00\x00module" + program + b"tQ"
    parts = [pickle.dumps(each, 2) for each in (MAGIC_NUMBER, 1001, MACHINE)]
    content = b"".join([*parts, b"\x80\x02" + named + b".", pickle.dumps([], 2)])
    assert load(content, weights_only=False) is torch.nn.Identity
    with pytest.raises(pickle.UnpicklingError, match="was not an allowed global"):
        load(content)


def test_a_thousand_mutated_old_files_load_or_are_refused_and_run_nothing() -> None:
    ran.clear()
    original = legacy_file(checkpoint())
    hostile = pickle.dumps(Attack(), protocol=2)[2:-1]
    rng = np.random.default_rng(5)
    messages: list[str] = []
    for number in range(1000):
        content = bytearray(original)
        at = int(rng.integers(15, len(content)))
        match number % 4:
            case 0:
                del content[at:]
            case 1:
                content[at] ^= 1 << int(rng.integers(8))
            case 2:
                content[at:at] = hostile
            case _:
                for each in rng.integers(15, len(content), size=4):
                    content[each] = rng.integers(256)
        try:
            load(bytes(content))
        except PellucidError as error:
            messages.append(str(error))
    assert ran == []
    assert len(messages) > 600
    assert min(map(len, messages)) > 20

from __future__ import annotations

import collections
import io
import os
import pickle
import struct
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.errors import PellucidError
from tests.samples.grouped import together

ran: list[str] = []


def run_something(*args: Any) -> str:
    """Leave a trace of having been called."""
    ran.append("called")
    return "called"


class Attack:
    """Ask, on being loaded, for a function to be called."""

    def __init__(self, function: Any, *args: Any) -> None:
        self.call = (function, args)

    def __reduce__(self) -> Any:
        return self.call


class Config:
    """An ordinary class of a user's program."""

    def __init__(self, width: int) -> None:
        self.width = width


def archive_of(program: bytes, **records: bytes) -> io.BytesIO:
    """Return an archive with a description of one's own."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", program)
        for name, content in ({"byteorder": b"little", "version": b"3\n"} | records).items():
            archive.writestr(f"archive/{name.replace('_', '/')}", content)
    file.seek(0)
    return file


def saved(obj: Any) -> io.BytesIO:
    file = io.BytesIO()
    torch.save(obj, file)
    file.seek(0)
    return file


@pytest.fixture(autouse=True)
def _nothing_runs_and_nothing_stays_allowed() -> Any:
    ran.clear()
    yield
    torch.serialization.clear_safe_globals()
    assert ran == []


# ---- what is refused ------------------------------------------------------------------------


@together()
@pytest.mark.parametrize(
    ("function", "args"),
    [
        (run_something, ()), (eval, ("1/0",)), (exec, ("raise SystemExit",)),
        (getattr, (1, "real")), (__import__, ("antigravity",)), (open, (os.devnull,)),
        (io.open_code, (os.devnull,)),
        (collections.defaultdict, (list,)), (frozenset, ()), (object, ()),
        (np._core.multiarray._reconstruct, (np.ndarray, (0,), b"b")),
    ],
    ids=lambda each: getattr(each, "__name__", None),
)  # fmt: skip
def test_functions_are_refused_with_the_text_of_pytorch(function: Any, args: Any) -> None:
    program = pickle.dumps({"x": Attack(function, *args)}, protocol=2)
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed") as caught:
        torch.load(archive_of(program))
    text = str(caught.value)
    assert "Unsupported global: GLOBAL " in text
    assert "was not an allowed global by default" in text
    assert "torch.serialization.add_safe_globals" in text


@pytest.mark.parametrize("module", ["os", "posix", "sys", "nt", "os.path"])
def test_modules_of_the_system_are_blocked_even_if_allowed(module: str) -> None:
    torch.serialization.add_safe_globals([(run_something, f"{module}.system")])
    program = f"\x80\x02c{module}\nsystem\n(X\x02\0\0\0ls\x85R.".encode("latin1")
    with pytest.raises(pickle.UnpicklingError, match=f"whose module {module} is blocked"):
        torch.load(archive_of(program))


HOSTILE = {
    "calls a string": b"X\x01\0\0\0a)R.",
    "calls with a list": b"ccollections\nOrderedDict\n]R.",
    "makes an object of a function": b"ctorch._utils\n_rebuild_tensor_v2\n)\x81.",
    "makes a tensor by its class": b"ctorch\nTensor\n)\x81.",
    "calls a dtype": b"ctorch\nfloat32\n)R.",
    "builds on a class": b"ctorch\nTensor\n}X\x08\0\0\0__repr__K\x01sb.",
    "builds on a list": b"]}b.",
    "hides a method": b"ccollections\nOrderedDict\n)R}X\x05\0\0\0itemsK\x01sb.",
    "gives attributes that are no text": b"ccollections\nOrderedDict\n)R}K\x01K\x01sb.",
    "appends to a tuple": b")K\x01a.",
    "sets an item of a list": b"]K\x01K\x01s.",
    "sets an item of a class": b"ctorch\nTensor\nK\x01K\x01s.",
    "has a list as key": b"}]K\x01s.",
    "has a deeply nested key": b"}" + b")" + b"\x85" * 100_000 + b"K\x01s.",
    "has a key without value": b"}(K\x01u.",
    "pops from nothing": b"R.",
    "pops a mark": b"(a.",
    "has no mark": b"t.",
    "ends with nothing": b".",
    "does not end": b"]",
    "recalls what was not kept": b"h\x07.",
    "names without end": b"ccollections\nOrdered",
    "names what is no text": b"c\xff\xfe\nx\n.",
    "has text that is none": b"X\x02\0\0\0\xff\xff.",
    "has text longer than the file": b"X\xff\xff\xff\x7fab.",
    "asks for much memory as bytearray": b"c__builtin__\nbytearray\nJ\xff\xff\xff\x7f\x85R.",
    "asks for a codec": b"c_codecs\nencode\nX\x01\0\0\0aX\x05\0\0\0rot13\x86R.",
    "makes a size of words": b"ctorch\nSize\nX\x02\0\0\0ab\x85R.",
    "makes a device of nonsense": b"ctorch\ndevice\nX\x02\0\0\0ab\x85R.",
    "makes a complex number of words": b"c__builtin__\ncomplex\nX\x02\0\0\0ab\x85R.",
    "makes a set of lists": b"c__builtin__\nset\n](]]e\x85R.",
    "makes a Counter of a number": b"ccollections\nCounter\nK\x05\x85R.",
    "makes a parameter of a number": b"ctorch._utils\n_rebuild_parameter\nK\x01K\x01K\x01\x87R.",
    "makes a tensor of a number": (
        b"ctorch._utils\n_rebuild_tensor_v2\n(K\x01K\x01K\x01K\x01K\x01K\x01tR."
    ),
    "gives too few arguments": b"ctorch._utils\n_rebuild_tensor_v2\n)R.",
    "rebuilds by a function of its own": (
        b"ctorch._tensor\n_rebuild_from_type_v2\n(ccollections\nCounter\nctorch\nTensor\n)}tR."
    ),
    "has a storage that is not a tuple": b"K\x01Q.",
    "has an unknown kind of storage": (
        b"(X\x04\0\0\0filectorch\nFloatStorage\nX\x01\0\0\x000X\x03\0\0\0cpuK\x01tQ."
    ),
    "has a storage at a path": (
        b"(X\x07\0\0\0storagectorch\nFloatStorage\nX\x05\0\0\0../..X\x03\0\0\0cpuK\x01tQ."
    ),
    "has a storage of negative length": (
        b"(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x000X\x03\0\0\0cpuJ\xff\xff\xff\xfftQ."
    ),
    "has a storage of no type": b"(X\x07\0\0\0storageK\x01X\x01\0\0\x000X\x03\0\0\0cpuK\x01tQ.",
    "uses an instruction of other protocols": b"\x8c\x01a.",
    "imports by an old instruction": b"ios\nsystem\n.",
    "calls by an old instruction": b"(cos\nsystem\no.",
    "uses an extension": b"\x82\x01.",
}  # fmt: skip


@pytest.mark.parametrize("program", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_description_is_refused_that(program: bytes) -> None:
    with pytest.raises(PellucidError) as caught:
        torch.load(archive_of(b"\x80\x02" + program, data_0=b"\0" * 4))
    assert isinstance(caught.value, pickle.UnpicklingError | RuntimeError)
    assert str(caught.value)


def tensor_program(
    offset: int, size: tuple[int, ...], stride: tuple[int, ...], count: int
) -> bytes:
    """Return a description of one tensor of float32 over storage 0."""
    numbers = [offset, *size, *stride, count]
    assert all(0 <= number < 2**255 for number in numbers)

    def number(value: int) -> bytes:
        encoded = pickle.encode_long(value)
        return b"\x8a" + struct.pack("<B", len(encoded)) + encoded

    def tuple_of(values: tuple[int, ...]) -> bytes:
        return b"(" + b"".join(map(number, values)) + b"t"

    return (
        b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nFloatStorage\n"
        b"X\x01\0\0\x000X\x03\0\0\0cpu" + number(count) + b"tQ" + number(offset)
        + tuple_of(size) + tuple_of(stride) + b"\x89ccollections\nOrderedDict\n)RtR."
    )  # fmt: skip


def test_a_described_tensor_is_read() -> None:
    found = torch.load(
        archive_of(
            tensor_program(1, (2,), (2,), 4), data_0=np.arange(4.0, dtype=np.float32).tobytes()
        )
    )
    assert found.tolist() == [1, 3]


@together()
@pytest.mark.parametrize(
    ("offset", "size", "stride", "count"),
    [
        (0, (5,), (1,), 4), (1, (4,), (1,), 4), (0, (2, 2), (3, 1), 4), (0, (1,), (1,), 5),
        (4, (), (), 4), (0, (2**62, 2), (1, 1), 4), (0, (2,), (2**70,), 4), (2**80, (1,), (1,), 4),
        (0, (1,) * 65, (1,) * 65, 4), (0, (2,), (1, 1), 4), (0, (0, 2**200), (1, 1), 4),
    ],
)  # fmt: skip
def test_tensors_that_leave_their_memory_are_refused(
    offset: int, size: Any, stride: Any, count: int
) -> None:
    with pytest.raises(PellucidError):
        torch.load(archive_of(tensor_program(offset, size, stride, count), data_0=b"\0" * 16))


def test_records_that_claim_more_than_the_file_has_are_refused_before_memory_is_taken() -> None:
    content = bytearray(saved(torch.ones(4)).getvalue())
    entry = content.rfind(b"PK\1\2", 0, content.rfind(b"archive/data/0"))
    content[entry + 20 : entry + 28] = struct.pack("<II", 0xFFFFFFF0, 0xFFFFFFF0)
    with pytest.raises(RuntimeError, match="claims 4294967280 bytes, more than the file can hold"):
        torch.load(io.BytesIO(content))


# ---- what is damaged ------------------------------------------------------------------------


def checkpoint() -> dict[str, Any]:
    """Return what a mutated file is made from: some of everything."""
    x = torch.arange(12.0).reshape(3, 4)
    return {
        "views": [x, x.t(), x[1]], "parameter": torch.nn.Parameter(torch.ones(2, 2)),
        "ints": torch.tensor([1, 2, 3]), "unsigned": torch.ones(2, dtype=torch.uint16),
        "words": "text", "numbers": (1, 2.5, 300, -7, 2**40, None, True),
        "state": torch.nn.Linear(2, 2).state_dict(), "size": torch.Size([2]),
    }  # fmt: skip


def plain(value: Any) -> Any:
    """Return tensors as bytes and containers as lists, to compare them."""
    if isinstance(value, torch.Tensor):
        return (str(value.dtype), value.requires_grad, value.detach().numpy().tolist())
    if isinstance(value, dict):
        return [(plain(key), plain(each)) for key, each in value.items()]
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value


def test_a_thousand_mutated_files_load_right_or_with_a_clear_error() -> None:
    torch.manual_seed(0)
    obj = checkpoint()
    original, expected = saved(obj).getvalue(), plain(obj)
    rng = np.random.default_rng(7)
    messages: list[str] = []
    loaded = 0
    for number in range(1000):
        content = bytearray(original)
        match number % 4:
            case 0:
                del content[int(rng.integers(len(content))) :]
            case 1:
                content[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
            case 2:
                for at in rng.integers(len(content), size=8):
                    content[at] = rng.integers(256)
            case _:
                start = int(rng.integers(len(content)))
                del content[start : start + int(rng.integers(1, 50))]
        try:
            found = torch.load(io.BytesIO(content))
        except PellucidError as error:
            messages.append(str(error))
        else:
            assert plain(found) == expected
            loaded += 1
    assert len(messages) > 600
    assert min(map(len, messages)) > 20
    assert loaded > 50


def test_a_thousand_mutated_descriptions_run_nothing() -> None:
    with zipfile.ZipFile(saved(checkpoint())) as archive:
        records = {name: archive.read(name) for name in archive.namelist()}
    program = records.pop("archive/data.pkl")
    storages = {
        f"data_{n}": records[f"archive/data/{n}"]
        for n in range(6)
        if f"archive/data/{n}" in records
    }
    hostile = pickle.dumps(Attack(run_something), protocol=2)[2:-1]
    rng = np.random.default_rng(11)
    messages: list[str] = []
    for number in range(1000):
        mutated = bytearray(program)
        if number % 3 == 0:
            at = int(rng.integers(2, len(mutated)))
            mutated[at:at] = hostile
        for at in rng.integers(2, len(mutated), size=int(rng.integers(1, 4))):
            mutated[at] = rng.integers(256)
        try:
            torch.load(archive_of(bytes(mutated), **storages))
        except PellucidError as error:
            messages.append(str(error))
    assert len(messages) > 600
    assert min(map(len, messages)) > 20


@pytest.mark.parametrize(
    ("content", "error", "text"),
    [
        (b"", EOFError, "Ran out of input"),
        (b"hello", RuntimeError, "Invalid magic number; corrupt file"),
        (b"PK\3\4" + b"x" * 100, RuntimeError, "failed finding central directory"),
        (pickle.dumps({"a": 1}), RuntimeError, "Invalid magic number"),
        (archive_of(b"").getvalue(), EOFError, "the description of the objects is empty"),
    ],
)  # fmt: skip
def test_files_of_other_kinds_are_refused(content: bytes, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        torch.load(io.BytesIO(content))


def test_a_changed_value_is_noticed() -> None:
    content = saved(torch.full((10,), 1.5)).getvalue()
    at = content.find(struct.pack("<f", 1.5) * 2)
    changed = content[:at] + b"\x01" + content[at + 1 :]
    with pytest.raises(RuntimeError, match="failed reading record 'data/0': Bad CRC-32"):
        torch.load(io.BytesIO(changed))


@pytest.mark.parametrize(("place", "told"), [(0, "name"), (6, "encrypted"), (31, "name")])
@pytest.mark.parametrize("mapped", [False, True])
def test_a_record_that_its_header_does_not_describe_is_refused(
    place: int, told: str, mapped: bool, tmp_path: Path
) -> None:
    content = bytearray(saved(torch.ones(4)).getvalue())
    content[content.find(b"archive/data/0") - 30 + place] ^= 1
    path = tmp_path / "weights.pt"
    path.write_bytes(content)
    with pytest.raises(RuntimeError, match=f"failed reading record 'data/0': .*{told}"):
        torch.load(path, mmap=mapped)


def test_an_archive_without_a_description_is_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("holiday/beach.jpg", b"")
    file.seek(0)
    with pytest.raises(RuntimeError, match=r"failed locating file data\.pkl: file not found"):
        torch.load(file)


def test_scripts_are_refused() -> None:
    with pytest.raises(RuntimeError, match="Cannot load TorchScript archives"):
        torch.load(archive_of(b"N.", **{"constants.pkl": b"N."}))


def test_an_unknown_byte_order_is_refused() -> None:
    with pytest.raises(ValueError, match="Unknown endianness type: middle"):
        torch.load(archive_of(b"\x80\x02].", byteorder=b"middle"))


# ---- what is allowed ------------------------------------------------------------------------


def test_a_class_can_be_allowed_for_a_block() -> None:
    with torch.serialization.safe_globals([Config]):
        assert torch.serialization.get_safe_globals() == [Config]
        assert torch.load(saved(Config(3))).width == 3
    assert torch.serialization.get_safe_globals() == []
    with pytest.raises(pickle.UnpicklingError, match="Config was not an allowed global"):
        torch.load(saved(Config(3)))


def test_a_class_can_be_allowed_for_good_and_under_another_name() -> None:
    program = b"\x80\x02colden.days\nSettings\n)\x81}X\x05\0\0\0widthK\x05sb."
    torch.serialization.add_safe_globals([(Config, "olden.days.Settings")])
    assert torch.load(archive_of(program)).width == 5
    torch.serialization.clear_safe_globals()
    with pytest.raises(pickle.UnpicklingError, match=r"olden\.days\.Settings was not an allowed"):
        torch.load(archive_of(program))


def test_arrays_of_numpy_can_be_allowed() -> None:
    allowed = [
        np._core.multiarray._reconstruct, np.ndarray, np.dtype, type(np.dtype(np.float64)),
    ]  # fmt: skip
    with torch.serialization.safe_globals(allowed):
        assert torch.load(saved(np.arange(3.0))).tolist() == [0, 1, 2]


@pytest.mark.parametrize("pair", [(Config,), (Config, 3)])
def test_pairs_of_the_wrong_kind_are_refused(pair: Any) -> None:
    torch.serialization.add_safe_globals([pair])
    with pytest.raises((ValueError, TypeError), match="Expected"):
        torch.load(saved(1))


def test_trusted_files_may_name_anything() -> None:
    found = torch.load(saved([Config(2), np.ones(2), {1, 2}]), weights_only=False)
    assert found[0].width == 2
    assert found[1].tolist() == [1, 1]


def test_another_unpickler_is_for_trusted_files_only() -> None:
    assert torch.load(saved(Config(4)), pickle_module=pickle).width == 4
    with pytest.raises(
        RuntimeError, match="Can not safely load weights when explicit pickle_module"
    ):
        torch.load(saved(1), pickle_module=pickle, weights_only=True)


def test_safe_loading_can_be_forced_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "1")
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        torch.load(saved(Config(4)), weights_only=False)


def test_a_name_that_is_not_provided_is_told() -> None:
    program = b"\x80\x02ctorch.nn.modules.imaginary\nLayer\n)\x81."
    with pytest.raises(pickle.UnpicklingError, match=r"does not provide torch\.nn\.modules\.imag"):
        torch.load(archive_of(program), weights_only=False)


def test_names_are_listed_without_importing_anything() -> None:
    program = b"\x80\x02cantigravity\nfly\n)Rccollections\nOrderedDict\n)R\x86."
    found = torch.serialization.get_unsafe_globals_in_checkpoint(archive_of(program))
    assert found == ["antigravity.fly"]
    assert "antigravity" not in sys.modules

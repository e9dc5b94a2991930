"""Small files that ask for much time or memory, and a program that loads them under limits.

``python -m tests.interop.hostile SIZE`` makes them with about SIZE bytes each, loads each in a
process of its own, and prints what came of it: time, memory, and the error.
"""

from __future__ import annotations

import io
import os
import pickle
import resource
import signal
import sys
import time
import zipfile
from collections.abc import Callable

import pellucid as torch
from pellucid.errors import PellucidError

SECONDS = 10
MEMORY = 1 << 30
_LONGEST_MESSAGE = 5000

_LEGACY_MAGIC = 0x1950A86A20F9469CFC6C
_ORDERED_DICT = b"ccollections\nOrderedDict\n"
_SET = b"c__builtin__\nset\n"
_COUNTER = b"ccollections\nCounter\n"
_LAYOUT = b"ctorch.serialization\n_get_layout\n"
_REBUILD = b"ctorch._utils\n_rebuild_tensor_v2\n"
_STORAGE = b"(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x000X\x03\0\0\0cpuK\x04tQ"


def archive(program: bytes, compressed: bool = False, **records: bytes) -> bytes:
    """Return an archive with a description, a storage of 16 bytes, and more records."""
    file = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w", method) as target:
        target.writestr("archive/data.pkl", b"\x80\x02" + program)
        for name, content in ({"data_0": bytes(16)} | records).items():
            target.writestr(f"archive/{name.replace('_', '/')}", content)
    return file.getvalue()


def legacy(*programs: bytes) -> bytes:
    """Return a file in the format before the archive, with what follows its magic number."""
    return pickle.dumps(_LEGACY_MAGIC, 2) + b"".join(b"\x80\x02" + each + b"." for each in programs)


def many(kind: bytes, width: int = 200, depth: int = 8) -> bytes:
    """Return instructions that make a tuple or list of width**depth elements."""
    made = b"K\x01"
    for level in range(depth):
        recalled = (b"h" + bytes([level])) * width
        made += b"q" + bytes([level])
        made += b"(" + recalled + b"t" if kind == b"t" else b"](" + recalled + b"e"
    return made


def expanded(metadata: bytes) -> bytes:
    """Return instructions that make a tensor of 2**30 elements over a storage of four."""
    return (
        _REBUILD + b"(" + _STORAGE + b"K\x00" + b"(J\0\0\0\x40K\x01t" + b"(K\x00K\x01t" + b"\x89}"
        + metadata + b"tR"
    )  # fmt: skip


def marked(name: bytes) -> bytes:
    return b"}X" + len(name).to_bytes(4, "little") + name + b"\x88s"


def long_number(value: int) -> bytes:
    encoded = pickle.encode_long(value)
    return b"\x8a" + bytes([len(encoded)]) + encoded


def repeated(call: bytes, size: int) -> bytes:
    """Return instructions that call function 0 of the memo with value 1, over and over."""
    return call + b"h\x00h\x01\x85R" * (size // 6) + b"."


def colliding_numbers(size: int) -> bytes:
    keys = (long_number(k * sys.hash_info.modulus) + b"K\x01" for k in range(1, size // 14))
    return b"}(" + b"".join(keys) + b"u."


def colliding_complex(size: int) -> bytes:
    numbers = (
        b"h\x00J" + (-1_000_003 * k).to_bytes(4, "little", signed=True) + b"M"
        + k.to_bytes(2, "little") + b"\x86RK\x01"
        for k in range(min(2000, size // 14))
    )  # fmt: skip
    return b"c__builtin__\ncomplex\nq\x00}(" + b"".join(numbers) + b"u."


def copied_list(function: bytes, size: int) -> bytes:
    pair = b"K\x01K\x01\x86q\x02"
    return repeated(
        function + b"q\x00" + pair + b"](" + b"h\x02" * (size // 4) + b"eq\x01", size // 2
    )


def copied_text(function: bytes, size: int) -> bytes:
    text = b"X" + (size // 2).to_bytes(4, "little") + b"a" * (size // 2)
    return repeated(function + b"q\x00" + text + b"q\x01", size // 2)


def copied_dict(size: int) -> bytes:
    items = b"".join(b"J" + k.to_bytes(4, "little") + b"K\x01" for k in range(size // 14))
    return repeated(_COUNTER + b"q\x00}(" + items + b"uq\x01", size // 2)


def copied_attributes(size: int) -> bytes:
    names = b"".join(b"X\x06\0\0\0" + f"a{k:05}".encode() + b"N" for k in range(size // 24))
    build = _ORDERED_DICT + b"q\x00}(" + names + b"uq\x01"
    return build + b"h\x00)Rh\x01b" * (size // 12) + b"."


def copied_attributes_of_tensors(size: int) -> bytes:
    names = b"".join(b"X\x06\0\0\0" + f"a{k:05}".encode() + b"N" for k in range(size // 24))
    args = b"(" + _STORAGE + b"K\x00K\x04\x85K\x01\x85\x89}tq\x02"
    rebuild = b"ctorch._tensor\n_rebuild_from_type_v2\nq\x00"
    state = b"}(" + names + b"uN\x86q\x03"
    call = _REBUILD + b"q\x04ctorch\nTensor\nq\x05" + args + rebuild + state
    return call + b"h\x00(h\x04h\x05h\x02h\x03tR" * (size // 24) + b"."


def overlapping_records(size: int) -> bytes:
    """Return an archive whose records all begin at the same place, each as large as the file."""
    count = size // 200
    zeros = bytes(size // 2)
    tensors = b"".join(
        _STORAGE.replace(b"X\x01\0\0\x000", b"X\x04\0\0\0" + f"{k:04}".encode())
        for k in range(min(count, 9999))
    )
    file = io.BytesIO(archive(tensors + b".", **{f"data_{k:04}": b"" for k in range(count)}))
    with zipfile.ZipFile(file, "a") as target:
        target.writestr("archive/data/whole", zeros)
        whole = target.getinfo("archive/data/whole")
        for info in target.infolist():
            if info.filename.startswith("archive/data/0"):
                info.header_offset = whole.header_offset
                info.orig_filename = info.filename
                info.CRC, info.file_size, info.compress_size = whole.CRC, len(zeros), len(zeros)
    return file.getvalue().replace(b"archive/data/whole", b"archive/data/0000\0", 1)


#: what makes each file, given about how many bytes it may have
ATTACKS: dict[str, Callable[[int], bytes]] = {
    "text of a list as layout": lambda _: archive(many(b"e") + b"q\x08" + _LAYOUT + b"h\x08\x85R."),
    "text of a list as class": lambda _: archive(
        many(b"e") + b"q\x08ctorch._tensor\n_rebuild_from_type_v2\n(" + _REBUILD + b"h\x08)NtR."
    ),
    "text of a list as key of an old file": lambda _: legacy(
        b"M\xe9\x03", b"}", b"N", many(b"e") + b"q\x08](h\x08e"
    ),
    "text of a list as version of an old file": lambda _: legacy(many(b"e")),
    "a long name": lambda n: archive(b"c" + b"a" * n + b"\nb\n."),
    "a wide key": lambda _: archive(many(b"t", depth=7) + b"q\x08}h\x08K\x01s."),
    "a wide key in a set": lambda _: archive(
        many(b"t", depth=7) + b"q\x08" + _SET + b"](h\x08e\x85R."
    ),
    "a wide key in an OrderedDict": lambda _: archive(
        many(b"t", depth=7) + b"q\x08" + _ORDERED_DICT + b"](h\x08K\x01\x86e\x85R."
    ),
    "numbers of one hash": lambda n: archive(colliding_numbers(n)),
    "complex numbers of one hash": lambda n: archive(colliding_complex(n)),
    "copies of a set": lambda n: archive(copied_list(_SET, n)),
    "copies of an OrderedDict": lambda n: archive(copied_list(_ORDERED_DICT, n)),
    "copies of a Counter": lambda n: archive(copied_dict(n)),
    "copies of bytes": lambda n: archive(copied_text(b"c__builtin__\nbytearray\n", n)),
    "copies of text": lambda n: archive(copied_text(b"c_codecs\nencode\n", n)),
    "copies of attributes": lambda n: archive(copied_attributes(n)),
    "copies of a tensor's attributes": lambda n: archive(copied_attributes_of_tensors(n)),
    "rows of an expanded tensor": lambda _: archive(
        expanded(b"}") + b"q\x08" + _ORDERED_DICT + b"h\x08\x85R."
    ),
    "a set of an expanded tensor": lambda _: archive(
        expanded(b"}") + b"q\x08" + _SET + b"h\x08\x85R."
    ),
    "an expanded tensor as flag": lambda _: archive(
        expanded(b"}") + b"q\x08" + _REBUILD + b"(" + _STORAGE + b"K\x00))h\x08}tR."
    ),
    "records inside each other": overlapping_records,
    "a compressed description": lambda n: archive(b"]" * (50 * n) + b".", compressed=True),
    "a compressed storage": lambda n: archive(
        _STORAGE + b".", compressed=True, data_0=bytes(1000 * n)
    ),
}

#: files that are loaded, as they ask for nothing out of proportion
LARGE: dict[str, Callable[[int], bytes]] = {
    "an expanded tensor, negated": lambda _: archive(expanded(marked(b"neg")) + b"."),
    "an expanded tensor, conjugated": lambda _: archive(expanded(marked(b"conj")) + b"."),
    "many sets": lambda n: archive(b"\x8f" * n + b"."),
    "many tensors": lambda n: archive(
        _REBUILD + b"q\x00(" + _STORAGE + b"K\x00K\x04\x85K\x01\x85\x88}tq\x01"
        + b"h\x00h\x01R" * (n // 5) + b"."
    ),
    "many parameters": lambda n: archive(
        _REBUILD + b"(" + _STORAGE + b"K\x00K\x04\x85K\x01\x85\x88}tR\x88}\x87q\x01"
        b"ctorch._utils\n_rebuild_parameter\nq\x00" + b"h\x00h\x01R" * (n // 5) + b"."
    ),
    "deeply nested tuples": lambda n: archive(b")" + b"\x85" * n + b"."),
    "deeply nested lists": lambda n: archive(b"]" * n + b"a" * (n - 1) + b"."),
}  # fmt: skip


def outcome(content: bytes) -> str:
    """Return how loading ends: "loaded", the class of an error of ours, or the text of another."""
    try:
        loaded = torch.load(io.BytesIO(content))
    except PellucidError as error:
        return type(error).__name__ if len(str(error)) < _LONGEST_MESSAGE else "a long message"
    except Exception as error:  # noqa: BLE001 - it is what is looked for
        return f"raw {type(error).__name__}: {error}"[:200]
    del loaded
    return "loaded"


def limited(content: bytes, seconds: int = SECONDS, memory: int = MEMORY) -> str:
    """Return the outcome in a process that is stopped beyond the limits."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(seconds)
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()  # noqa: SIM115
        resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory))
        os.write(writing, outcome(content).encode())
        os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8") as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    return told or f"stopped by signal {os.WTERMSIG(status)}"


def main(size: int) -> None:
    for name, make in (ATTACKS | LARGE).items():
        content = make(size)
        started = time.monotonic()
        told = limited(content)
        print(f"{name} | {len(content)} bytes | {time.monotonic() - started:.2f} s | {told}")


if __name__ == "__main__":
    main(int(sys.argv[1]))

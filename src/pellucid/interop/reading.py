"""Making objects from a file's description: by a machine that trusts nothing, or by pickle.

Note [A description is a program]
A pickle is a program for a small stack machine, and that of Python's ``pickle`` calls whatever the
program names. `Machine` knows only the instructions that PyTorch's own files use, looks names up
in a table instead of importing them, calls only what the table allows, through functions that
check their arguments, and changes only dictionaries and lists. So the worst that a forged file
gets is an error.
"""

from __future__ import annotations

import _compat_pickle
import io
import pickle
import struct
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

from pellucid.errors import PellucidError
from pellucid.interop.errors import EmptyFileError, UnpicklingError
from pellucid.interop.limits import Budget
from pellucid.interop.names import found_here
from pellucid.interop.rebuilding import (
    KNOWN,
    LoadedStorage,
    StorageType,
    check_attributes,
    refuse_what_is_not_here,
)

#: modules whose functions may not be allowed, even by the user
_BLOCKED = ("sys", "os", "posix", "nt")

_LONGEST_NAME = 1000

#: how numbers are written
_UINT16, _UINT32 = map(struct.Struct, ("<H", "<I"))
_INT32, _FLOAT64 = map(struct.Struct, ("<i", ">d"))

_MARK = object()

_ENDS_TOO_EARLY = "the description ends too early: the file is damaged"

#: calls a storage into being: its kind, key, location and length in elements
StorageSource = Callable[[StorageType, str, str, int], LoadedStorage]


def present_name(module: str, name: str) -> tuple[str, str]:
    """Return what Python 3 calls something that a file names as Python 2 did."""
    if (module, name) in _compat_pickle.NAME_MAPPING:
        return _compat_pickle.NAME_MAPPING[module, name]
    return _compat_pickle.IMPORT_MAPPING.get(module, module), name


def storage_described(described: Any, source: StorageSource) -> LoadedStorage:
    """Return the storage of a description such as ``("storage", FloatStorage, "0", "cpu", 6)``.

    Files from before the archive have a sixth value: which part of the storage it is, a tuple such
    as ``("1", 2, 4)`` of a key, the first element and their number; or ``None``.
    """
    part = None
    if isinstance(described, tuple) and len(described) == 6:
        part, described = described[5], described[:5]
    if not isinstance(described, tuple) or len(described) != 5:
        raise UnpicklingError("persistent_load id must be a tuple of five")
    typename, kind, key, location, count = (
        each.decode("ascii", "replace") if isinstance(each, bytes) else each for each in described
    )
    if typename != "storage":
        raise UnpicklingError("Only persistent_load of storage is allowed")
    if not isinstance(kind, StorageType) or not isinstance(location, str):
        raise UnpicklingError("a storage has to be described by its type, key, place and length")
    if not isinstance(key, str) or not key.isascii() or not key.isdigit():
        raise UnpicklingError("the key of a storage has to be a number")
    if type(count) is not int or count < 0:
        raise UnpicklingError("the length of a storage has to be an integer, not negative")
    whole = source(kind, key, location, count)
    return whole if part is None else _part_of(whole, part)


def _part_of(storage: LoadedStorage, described: Any) -> LoadedStorage:
    if not isinstance(described, tuple) or len(described) != 3:
        raise UnpicklingError("the part of a storage has to be described by three values")
    _, start, count = described
    if type(start) is not int or type(count) is not int or start < 0 or count < 0:
        raise UnpicklingError("the part of a storage has to be described by integers")
    return storage.part(start, count)


class Machine:
    """An interpreter of pickle programs that knows only allowed names.

    Raises UnpicklingError for all that is not allowed or makes no sense.
    """

    def __init__(
        self,
        program: bytes,
        source: StorageSource,
        allowed: dict[str, Any],
        encoding: str,
        start: int = 0,
    ) -> None:
        self._program = program
        self._at = start
        self._source = source
        self._allowed = allowed
        self._encoding = encoding
        self._calls = {id(known.value): known.call for known in KNOWN.values() if known.call}
        self._calls |= {id(OrderedDict): self._ordered_dict, id(set): self._set}
        self._budget = Budget(len(program))
        self._stack: list[Any] = []
        self._push = self._stack.append
        self._memo: dict[int, Any] = {}

    def run(self) -> Any:
        """Return the object that is described."""
        if not self._program:
            raise EmptyFileError("Ran out of input: the description of the objects is empty.")
        program, known = self._program, _INSTRUCTIONS.get
        while (code := program[self._at : self._at + 1]) != pickle.STOP:
            instruction = known(code)
            if instruction is None:
                self._take(1)
                raise UnpicklingError(f"Unsupported operand {code[0]}")
            self._at += 1
            instruction(self)
        self._at += 1
        return self._pop()

    @property
    def position(self) -> int:
        """Where the next instruction is; after `run`, where the description ends."""
        return self._at

    # ---- reading the program ----------------------------------------------------------------

    def _take(self, count: int) -> bytes:
        taken = self._program[self._at : self._at + count]
        if len(taken) != count:
            raise UnpicklingError(_ENDS_TOO_EARLY)
        self._at += count
        return taken

    def _number(self, code: struct.Struct) -> Any:
        return code.unpack(self._take(code.size))[0]

    def _byte(self) -> int:
        try:
            byte = self._program[self._at]
        except IndexError:
            raise UnpicklingError(_ENDS_TOO_EARLY) from None
        self._at += 1
        return byte

    def _line(self) -> str:
        end = self._program.find(b"\n", self._at)
        if end < 0:
            raise UnpicklingError("a name does not end: the file is damaged")
        if end - self._at > _LONGEST_NAME:
            raise UnpicklingError(f"a name of {end - self._at} characters makes no sense")
        line = self._take(end + 1 - self._at)[:-1]
        return _decoded(line, "utf-8")

    # ---- the stack --------------------------------------------------------------------------

    def _pop(self) -> Any:
        if not self._stack or self._stack[-1] is _MARK:
            raise UnpicklingError("a value is missing: the file is damaged")
        return self._stack.pop()

    def _top(self) -> Any:
        if not self._stack or self._stack[-1] is _MARK:
            raise UnpicklingError("a value is missing: the file is damaged")
        return self._stack[-1]

    def _pop_to_mark(self) -> list[Any]:
        for at in range(len(self._stack) - 1, -1, -1):
            if self._stack[at] is _MARK:
                items = self._stack[at + 1 :]
                del self._stack[at:]
                return items
        raise UnpicklingError("a mark is missing: the file is damaged")

    # ---- instructions that could do harm ----------------------------------------------------

    def _global(self) -> None:
        module, name = present_name(self._line(), self._line())
        full_name = f"{module}.{name}"
        if module.partition(".")[0] in _BLOCKED:
            raise UnpicklingError(
                f"Trying to load unsupported GLOBAL {full_name} whose module {module} is blocked."
            )
        if full_name in KNOWN:
            self._push(KNOWN[full_name].value)
        elif full_name in self._allowed:
            self._push(self._allowed[full_name])
        else:
            refuse_what_is_not_here(full_name)
            short = full_name.removeprefix("builtins.")
            raise UnpicklingError(
                f"Unsupported global: GLOBAL {short} was not an allowed global by default. Please "
                f"use `torch.serialization.add_safe_globals([{short}])` or the "
                f"`torch.serialization.safe_globals([{short}])` context manager to allowlist this "
                "global if you trust this class/function."
            )

    def _is_allowed(self, value: Any) -> bool:
        return any(value is each for each in self._allowed.values())

    def _reduce(self) -> None:
        args, function = self._pop(), self._pop()
        if not isinstance(args, tuple):
            raise UnpicklingError("the arguments of a call have to be a tuple")
        call = self._calls.get(id(function))
        if call is not None:
            self._push(self._called(call, args))
        elif self._is_allowed(function):
            self._push(function(*args))
        else:
            raise UnpicklingError(
                f"Trying to call reduce for unrecognized function of type {type(function).__name__}"
            )

    def _new_object(self) -> None:
        args, cls = self._pop(), self._pop()
        if not isinstance(args, tuple):
            raise UnpicklingError("the arguments of a call have to be a tuple")
        call = self._calls.get(id(cls))
        if isinstance(cls, type) and call is not None:
            self._push(self._called(call, args))
        elif isinstance(cls, type) and self._is_allowed(cls):
            self._push(cls.__new__(cls, *args))
        else:
            raise UnpicklingError(
                "Can only create new object for nn.Parameter or classes allowlisted via "
                f"`add_safe_globals` but got {type(cls).__name__}"
            )

    def _called(self, call: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Call a known function; arguments that make no sense are the file's fault."""
        self._budget.spend_on_call(args)
        try:
            return call(*args)
        except PellucidError:
            raise
        except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError) as error:
            # Its text may hold text of the arguments.
            raise UnpicklingError(
                f"the arguments of a call make no sense ({type(error).__name__})"
            ) from None

    def _build(self) -> None:
        state, target = self._pop(), self._top()
        if type(target) is OrderedDict:
            if not isinstance(state, dict):
                raise UnpicklingError("the attributes of a dictionary have to be a dictionary")
            self._budget.spend(len(state))
            check_attributes(OrderedDict, state)
            target.__dict__.update(state)
        elif not self._is_allowed(type(target)):
            raise UnpicklingError(
                "Can only build Tensor, Parameter, OrderedDict or types allowlisted via "
                f"`add_safe_globals`, but got {type(target)}"
            )
        elif hasattr(target, "__setstate__"):
            target.__setstate__(state)
        elif isinstance(state, dict):
            target.__dict__.update(state)
        else:
            raise UnpicklingError(f"{type(target).__name__} cannot be built from such a state")

    def _persistent(self) -> None:
        self._push(storage_described(self._pop(), self._source))

    # ---- containers -------------------------------------------------------------------------

    def _append(self) -> None:
        item = self._pop()
        self._list_at_top().append(item)

    def _extend(self) -> None:
        items = self._pop_to_mark()
        self._list_at_top().extend(items)

    def _list_at_top(self) -> list[Any]:
        target = self._top()
        if type(target) is not list:
            raise UnpicklingError(f"Can only append to lists, but got {type(target)}")
        return target

    def _set_item(self) -> None:
        value, key = self._pop(), self._pop()
        self._set_all([key, value])

    def _set_items(self) -> None:
        self._set_all(self._pop_to_mark())

    def _set_all(self, items: list[Any]) -> None:
        target = self._top()
        if type(target) not in (dict, OrderedDict, Counter):
            raise UnpicklingError(
                "Can only SETITEMS for dict, collections.OrderedDict, collections.Counter, but got "
                f"{type(target)}"
            )
        if len(items) % 2:
            raise UnpicklingError("a key has no value: the file is damaged")
        for key, value in zip(items[::2], items[1::2], strict=True):
            self._budget.spend_on_key(key)
            target[key] = value

    def _ordered_dict(self, pairs: Any = ()) -> OrderedDict[Any, Any]:
        made: OrderedDict[Any, Any] = OrderedDict()
        for pair in _sequence(pairs):
            key, value = _sequence(pair)
            self._budget.spend_on_key(key)
            made[key] = value
        return made

    def _set(self, values: Any = ()) -> set[Any]:
        for each in _sequence(values):
            self._budget.spend_on_key(each)
        return set(values)

    def _tuple_of(self, count: int) -> None:
        items = [self._pop() for _ in range(count)]
        self._push(tuple(reversed(items)))

    # ---- the memo ---------------------------------------------------------------------------

    def _recall(self, number: int) -> None:
        if number not in self._memo:
            raise UnpicklingError(f"value {number} was never kept: the file is damaged")
        self._push(self._memo[number])

    def _keep(self, number: int) -> None:
        self._memo[number] = self._top()

    # ---- plain values -----------------------------------------------------------------------

    def _text(self) -> None:
        self._push(_decoded(self._take(self._number(_UINT32)), "utf-8", "surrogatepass"))

    def _old_text(self) -> None:
        text = self._take(self._byte())
        self._push(text if self._encoding == "bytes" else _decoded(text, self._encoding))

    def _long(self) -> None:
        self._push(pickle.decode_long(self._take(self._byte())))


def _decoded(text: bytes, encoding: str, errors: str = "strict") -> str:
    try:
        return text.decode(encoding, errors)
    except UnicodeDecodeError as error:
        raise UnpicklingError(f"text is damaged: {error}") from None


def _sequence(values: Any) -> list[Any] | tuple[Any, ...]:
    # Going through a tensor would make as many tensors as it has rows.
    if not isinstance(values, list | tuple):
        raise UnpicklingError(
            f"a container is made of a list or tuple, not {type(values).__name__}"
        )
    return values


_INSTRUCTIONS: dict[bytes, Callable[[Any], None]] = {
    pickle.PROTO: lambda m: m._take(1),
    pickle.GLOBAL: Machine._global,
    pickle.REDUCE: Machine._reduce,
    pickle.NEWOBJ: Machine._new_object,
    pickle.BUILD: Machine._build,
    pickle.BINPERSID: Machine._persistent,
    pickle.APPEND: Machine._append,
    pickle.APPENDS: Machine._extend,
    pickle.SETITEM: Machine._set_item,
    pickle.SETITEMS: Machine._set_items,
    pickle.MARK: lambda m: m._push(_MARK),
    pickle.TUPLE: lambda m: m._push(tuple(m._pop_to_mark())),
    pickle.TUPLE1: lambda m: m._tuple_of(1),
    pickle.TUPLE2: lambda m: m._tuple_of(2),
    pickle.TUPLE3: lambda m: m._tuple_of(3),
    pickle.EMPTY_TUPLE: lambda m: m._push(()),
    pickle.EMPTY_LIST: lambda m: m._push([]),
    pickle.EMPTY_DICT: lambda m: m._push({}),
    pickle.EMPTY_SET: lambda m: m._push(set()),
    pickle.NONE: lambda m: m._push(None),
    pickle.NEWTRUE: lambda m: m._push(True),
    pickle.NEWFALSE: lambda m: m._push(False),
    pickle.BININT: lambda m: m._push(m._number(_INT32)),
    pickle.BININT1: lambda m: m._push(m._byte()),
    pickle.BININT2: lambda m: m._push(m._number(_UINT16)),
    pickle.BINFLOAT: lambda m: m._push(m._number(_FLOAT64)),
    pickle.LONG1: Machine._long,
    pickle.BINUNICODE: Machine._text,
    pickle.SHORT_BINSTRING: Machine._old_text,
    pickle.BINGET: lambda m: m._recall(m._byte()),
    pickle.LONG_BINGET: lambda m: m._recall(m._number(_UINT32)),
    pickle.BINPUT: lambda m: m._keep(m._byte()),
    pickle.LONG_BINPUT: lambda m: m._keep(m._number(_UINT32)),
}

#: bytes of argument that follow an instruction, where their number is fixed
_ARGUMENT_BYTES = {
    pickle.PROTO: 1, pickle.BININT: 4, pickle.BININT1: 1, pickle.BININT2: 2, pickle.BINFLOAT: 8,
    pickle.BINGET: 1, pickle.LONG_BINGET: 4, pickle.BINPUT: 1, pickle.LONG_BINPUT: 4,
}  # fmt: skip


class _Scanner(Machine):
    """A scan of a pickle program for the names it uses; it makes nothing."""

    def names(self) -> Iterator[str]:
        """Yield the names of all classes and functions."""
        while (code := self._take(1)) != pickle.STOP:
            if code not in _INSTRUCTIONS:
                raise UnpicklingError(f"Unsupported operand {code[0]}")
            if code == pickle.GLOBAL:
                yield ".".join(present_name(self._line(), self._line()))
            elif code == pickle.BINUNICODE:
                self._take(self._number(_UINT32))
            elif code in (pickle.SHORT_BINSTRING, pickle.LONG1):
                self._take(self._byte())
            else:
                self._take(_ARGUMENT_BYTES.get(code, 0))


def names_in(program: bytes) -> set[str]:
    """Return the names of all classes and functions that a description needs."""
    return set(_Scanner(program, no_storage, {}, "utf-8").names())


def no_storage(*described: Any) -> LoadedStorage:
    raise UnpicklingError("no storage is read here")


def run_trusted(
    file: io.BytesIO, source: StorageSource, pickle_module: Any, options: dict[str, Any]
) -> Any:
    """Run the description that comes next in a file with all the powers of pickle."""

    class Trusting(pickle_module.Unpickler):
        def find_class(self, module: str, name: str) -> Any:
            if module == "torch" or module.startswith("torch."):
                return found_here(module, name)
            return super().find_class(module, name)

        def persistent_load(self, pid: Any) -> Any:
            if isinstance(pid, tuple) and pid[0] in ("module", b"module"):
                return pid[1]  # a class, which PyTorch saved with its source before 1.6
            return storage_described(pid, source)

    return Trusting(file, **options).load()

"""Methods and attributes of tensors, such as ``shape``, that subclasses and modes take over.

A subclass gets methods and properties that ask it first; see Note [Subclasses of Tensor] in
`core.call.overriding`. A mode is asked by `Tensor` itself, while there is a mode in any thread.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextlib import suppress
from types import FunctionType, MethodType
from typing import Any, ClassVar, Final

from pellucid.autograd.modes import modes
from pellucid.autograd.variable import TensorBase
from pellucid.blocks import Block
from pellucid.core.call.overriding import disabled_torch_function_impl, relevant, take_over
from pellucid.observe import slow_path

_SLOT: Final[Any] = TensorBase.__dict__["_array"]
_OVER_SLOT: Final = property(_SLOT.__get__, _SLOT.__set__)
_WRAPPED_SPECIAL: Final = (
    "__array__", "__bool__", "__complex__", "__contains__", "__deepcopy__", "__dlpack__",
    "__dlpack_device__", "__eq__", "__float__", "__format__", "__getitem__", "__index__", "__int__",
    "__invert__", "__len__", "__long__", "__nonzero__", "__pos__", "__repr__",
    "__rfloordiv__", "__rlshift__", "__rmod__", "__rpow__", "__rrshift__", "__rsub__",
    "__rtruediv__", "__setitem__", "_backward_hooks", "_base", "_version",
)  # fmt: skip
#: what is asked of every class, what changes the class, and what the package alone asks for
_NOT_WRAPPED: Final = (
    "array_from_arguments", "as_subclass", "counted_once", "edge", "held", "in_own_form",
    "of_values",
)  # fmt: skip


def prepare_subclass(cls: type[Any], base: type[Any]) -> None:
    """Make a new subclass of `Tensor`, the base, one whose objects take functions over.

    Nothing is done for one that says it does not.
    """
    cls._takes_over = cls.__torch_function__ is not disabled_torch_function_impl
    if not cls._takes_over:
        return
    slow_path.note_overriding()
    if getattr(cls, "_array", None) is _SLOT:
        cls._array = _OVER_SLOT
    for name in dir(base):
        own = plain_attribute(base, name)
        if _is_wrapped(name, own) and plain_attribute(cls, name) is own:
            setattr(cls, name, _asking(own))


def plain_attribute(cls: type[Any], name: str) -> Any:
    """Return what a class has, as it is without a mode and without being bound."""
    found = inspect.getattr_static(cls, name)
    return found.own if isinstance(found, _Method | _Property) else found


def _is_wrapped(name: str, own: Any) -> bool:
    """Return whether what a class has is a method or property that asks nobody by itself."""
    if name in _WRAPPED_SPECIAL:
        return True
    if name in _NOT_WRAPPED or name.startswith("_"):
        return False
    if not isinstance(own, property | FunctionType):
        own = getattr(own, "__wrapped__", None)  # behind a compiled callable, which asks nobody
    asks = any(hasattr(own, mark) for mark in ("op", "public", "__wrapped__"))
    return isinstance(own, property | FunctionType) and not asks


# ---- what stands in their place ----------------------------------------------------------------


class _Method:
    """A method that modes and the class of its tensor may take over; of a class, it is itself."""

    def __init__(self, own: Any) -> None:
        self.own = own

        @functools.wraps(own)
        def asking(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            return _take_over_or_call(own, (tensor, *args), kwargs)

        self._asking = asking

    def __get__(self, tensor: Any, cls: Any = None) -> Any:
        return self.own if tensor is None else MethodType(self._asking, tensor)


class _Property:
    """A property that modes and the class of its tensor may take over; of a class, it is itself."""

    def __init__(self, own: property) -> None:
        self.own = own

    def __get__(self, tensor: Any, cls: Any = None) -> Any:
        return self.own if tensor is None else _take_over_or_call(self.own.__get__, (tensor,), {})

    def __set__(self, tensor: Any, value: Any) -> None:
        _take_over_or_call(self.own.__set__, (tensor, value), {})

    def __delete__(self, tensor: Any) -> None:
        _take_over_or_call(self.own.__delete__, (tensor,), {})


def _asking(own: Any) -> _Method | _Property:
    return _Property(own) if isinstance(own, property) else _Method(own)


def _take_over_or_call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Pass a call to those who take it over, if there are any, else make it; return the result."""
    taking = relevant(args)
    if taking or modes.function_modes:
        return take_over(function, taking, args, kwargs)
    return function(*args, **kwargs)


# ---- modes -------------------------------------------------------------------------------------


class Attributes:
    """The attributes of `Tensor`, which ask the modes while there are some in any thread.

    Nothing is locked, for an interrupt could leave the lock taken: what is there is put right,
    name by name, until it is what the modes need.
    """

    def __init__(self) -> None:
        #: the modes of all threads that are passed attributes too
        self.modes: list[Any] = []
        #: `Tensor`
        self.cls: Any = None

    @functools.cached_property
    def _asking(self) -> dict[str, _Method | _Property]:
        """What asks modes, by name; it has what the class has by itself as its ``own``."""
        members = {name: plain_attribute(self.cls, name) for name in dir(self.cls)}
        return {name: _asking(own) for name, own in members.items() if _is_wrapped(name, own)}

    @functools.cached_property
    def _inherited(self) -> set[str]:
        """The names that the class has from its bases; read before any is put in its place."""
        return self._asking.keys() - self.cls.__dict__.keys()

    def ask_in(self, mode: Block) -> None:
        """Make attributes ask modes for the time of a block."""
        mode._at_end(self._settle)
        mode._append(self.modes, mode)
        self._settle()

    def _settle(self) -> None:
        """Make attributes ask if there is a mode, and stop asking if there is none."""
        inherited = self._inherited
        settled = False
        while not settled:  # modes of other threads may begin and end meanwhile
            seen = {self._put(name, each, inherited) for name, each in self._asking.items()}
            settled = seen == {bool(self.modes)}

    def _put(self, name: str, asking: _Method | _Property, inherited: set[str]) -> bool:
        """Put one attribute in place, one that asks or its own; return whether it asks."""
        asks = bool(self.modes)
        if asks is (self.cls.__dict__.get(name) is asking):
            return asks
        if asks:
            setattr(self.cls, name, asking)
        elif name in inherited:
            with suppress(AttributeError):  # another thread has done it
                delattr(self.cls, name)
        else:
            setattr(self.cls, name, asking.own)
        return asks


attributes: Final = Attributes()


class TorchFunctionMode(Block):
    """A block in which every function of the package is passed to ``__torch_function__``.

    Subclasses define ``__torch_function__(self, func, types, args=(), kwargs=None)``, in which
    this mode, and those that were entered after it, are off.

    >>> class Names(torch.overrides.TorchFunctionMode):
    ...     def __torch_function__(self, func, types, args=(), kwargs=None):
    ...         print(func.__name__)
    ...         return func(*args, **(kwargs or {}))
    >>> with Names():
    ...     y = torch.ones(2) + 1
    ones
    add
    """

    #: whether methods and attributes such as ``shape`` are passed too
    _takes_attributes: ClassVar[bool] = True

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Call the function; what subclasses replace."""
        raise NotImplementedError

    def _begin(self) -> Any:
        slow_path.need_in(self)
        if self._takes_attributes:
            attributes.ask_in(self)
        self._push(modes, "function_modes", self)
        return self

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Any:
        """Return a mode, as calling the class does."""
        return cls(*args, **kwargs)

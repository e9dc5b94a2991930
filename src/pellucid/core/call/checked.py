"""Functions that are not ops, made to tell on failure what they were given, as ops do."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from pellucid.autograd.modes import modes
from pellucid.autograd.short_tracebacks import shorten
from pellucid.autograd.variable import TensorBase
from pellucid.core.call.compiled import compiled_check
from pellucid.core.call.overriding import relevant, take_over
from pellucid.core.definition.public import public_names
from pellucid.core.errors import op_errors
from pellucid.core.errors.aliases import ELSEWHERE, PARAMETERS, by_own_names, in_new_order
from pellucid.core.errors.arguments import (
    BY_NAME,
    SIZES,
    TENSORS,
    Argument,
    are_ints,
    arguments_of,
    fits_at_once,
    misfit,
    require_fit,
)
from pellucid.errors import ArgumentTypeError, GraphError, NotATensorError, PellucidError
from pellucid.observe import observed, observers, slow_path

#: positions of arguments, what is known of them, and the classes of which all values fit
_Read = list[tuple[int, Argument, set[type]]]

#: calls a function and writes what it returns into tensors: ``write(function, name, args, kwargs,
#: out)``
Write = Callable[[Callable[..., Any], str, tuple[Any, ...], dict[str, Any], Any], Any]


def explaining(
    function: Callable[..., Any], module: str, name: str, reads_late: bool = False,
    write: Write | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """Return the function, known by this name, whose failures tell what it was given.

    ``reads_late`` says that PyTorch has written it in Python: it looks at an argument when it
    comes to it, and raises what happens there, where the others read the types of all arguments
    first. With ``write`` it takes an argument more, ``out``, where the result goes.
    """
    explained = _explaining(function, name, reads_late, write)
    last = name.rpartition(".")[2]
    if function.__name__ != f"{module.rpartition('.')[2]}_{last}":  # as `linalg_inv`
        explained.__name__ = last
    explained.__module__, explained.__qualname__ = module, name
    return explained


class _Checks:
    """What is asked of the arguments of a function, read off it at the first call.

    A function that reads them late is called first: what it comes to by itself fails in its way.
    """

    __slots__ = ("after", "arguments", "before", "fine", "function", "late", "name", "sized")

    def __init__(self, function: Callable[..., Any], name: str, late: bool) -> None:
        self.function = function
        self.name = name.rpartition(".")[2]
        self.late = late
        self.before: _Read | None = None
        self.after: _Read = []
        #: classes of arguments, with their names, that fit whatever the values are
        self.fine: set[tuple[Any, ...]] = set()
        #: those that fit if all tuples are of integers, as `stride=(1, 1)`
        self.sized: set[tuple[Any, ...]] = set()

    def knows(
        self, classes: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> bool:
        """Return whether arguments of these classes are known to fit."""
        if classes in self.fine:
            return True
        return classes in self.sized and all(
            are_ints(value) for value in (*args, *kwargs.values()) if value.__class__ is tuple
        )

    def learn(self, classes: tuple[Any, ...]) -> None:
        """Remember classes of arguments that fitted, and of which that is all there is to say."""
        counts = tuple in classes and any(each.kind in SIZES for each in self.arguments)
        (self.sized if counts else self.fine).add(classes)

    def first(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Raise TypeError for an argument of the wrong type, before the call.

        Tell whether the classes, and that tuples are of integers, say that all are right.
        """
        if self.before is None:
            self._read_signature()
        return self._compare(self.before or (), args, kwargs)

    def again(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Raise TypeError for an argument of the wrong type that made nothing fail."""
        return self._compare(self.after, args, kwargs)

    def _compare(self, read: Iterable[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        count, sure = len(args), True
        for position, argument, at_once in read:
            if position < count:
                value = args[position]
            elif argument.name in kwargs:
                value = kwargs[argument.name]
            else:
                continue
            if value.__class__ not in at_once:
                if value.__class__ is tuple and argument.kind in SIZES and are_ints(value):
                    continue
                sure = False
                is_tensor = isinstance(value, TensorBase)
                asked = self.late and argument.kind == "bool"
                if asked and is_tensor:
                    bool(value)  # which is what happens first, and fails for several elements
                require_fit(self.name, argument, position, value)
                if is_tensor and argument.kind in TENSORS:
                    at_once.add(value.__class__)  # a subclass: next time it is known
        return sure

    def _read_signature(self) -> None:
        self.arguments = arguments_of(self.function)
        parameters = inspect.signature(self.function).parameters
        self.before = []
        for position, argument in enumerate(self.arguments):
            by_name = parameters[argument.name].kind is inspect.Parameter.KEYWORD_ONLY
            if argument.kind:
                at_once = argument.kind in ("bool", "flag") or not self.late
                read = self.before if at_once else self.after
                read.append((BY_NAME if by_name else position, argument, fits_at_once(argument)))


def _explaining(
    function: Callable[..., Any], name: str, late: bool, write: Write | None
) -> Callable[..., Any]:
    check = _Checks(function, name, late)

    @functools.wraps(function)
    def explained(*args: Any, **kwargs: Any) -> Any:
        out = None
        if kwargs:
            if write is not None and "out" in kwargs:
                out = kwargs.pop("out")
            classes = (*map(type, args), *kwargs, *map(type, kwargs.values()))
        else:
            classes = (*map(type, args),)
        known = check.knows(classes, args, kwargs)
        if not known or slow_path.general:
            taking = relevant((*args, *kwargs.values(), out))
            if taking or modes.function_modes:
                given = kwargs if out is None else {**kwargs, "out": out}
                return take_over(public, taking, args, given)
        try:
            sure = known or check.first(args, kwargs)
            if out is not None and write is not None:
                return write(function, name, args, kwargs, out)
            if not slow_path.active:
                result = function(*args, **kwargs)
            elif observers:
                result = observed("function", check.name, args, _call, function, args, kwargs)
            else:
                result = _call(function, args, kwargs)
            if not known and check.again(args, kwargs) and sure:
                check.learn(classes)
            return result
        except Exception as error:  # noqa: BLE001 - `failed` raises it, or another
            try:
                return failed(error, args, kwargs, out)
            except Exception as told:
                shorten(told)
                raise

    def failed(
        error: Exception, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any = None
    ) -> Any:
        """Call with the function's own names, or raise the error with what it was given."""
        given = {} if out is None else {"out": out}
        reordered = in_new_order(inspect.signature(function).parameters, name, args, kwargs)
        if reordered is not None:
            return explained(*reordered[0], **reordered[1], **given)
        renamed = _renamed(function, args, kwargs)
        if renamed is not None:
            return explained(*args, **renamed, **given)
        explanation = _explanation(error, function, check, args, kwargs)
        try:
            if explanation is None:
                raise error
            raise explanation.with_traceback(error.__traceback__) from None
        except Exception as told:
            shorten(told)
            raise
        finally:
            del explanation, error  # they hold this frame, and the operands, in their traceback

    public = compiled_check(explained, function, (check.fine, check.sized), failed)
    return public


def _call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function, and let autocast cast the operands of those that it knows."""
    if modes.autocast is not None:
        return modes.autocast.call_composite(function, args, kwargs)
    return function(*args, **kwargs)


def _renamed(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any] | None:
    """Return the keywords by the function's own names; None where that was not what failed."""
    if kwargs.keys().isdisjoint(PARAMETERS) and kwargs.keys().isdisjoint(ELSEWHERE):
        return None
    signature = inspect.signature(function)
    renamed = by_own_names(signature.parameters, kwargs)
    try:
        signature.bind(*args, **renamed)
    except TypeError:
        return None
    return renamed if renamed.keys() != kwargs.keys() else None


def _explanation(
    error: Exception, function: Callable[..., Any], check: _Checks, args: Any, kwargs: Any
) -> Exception | None:
    """Return the error to raise instead; ``None`` where the error says all there is to say."""
    name = check.name
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*args, **kwargs).arguments
    except TypeError as unbound:
        return _unbound(error, unbound, function, name, args, kwargs)
    wrong = misfit(name, check.arguments, bound)
    if wrong is not None and check.late:
        if str(wrong).endswith("not Tensor") and not isinstance(error, TypeError):
            wrong = None  # what came of reading the tensor as something else says enough
        elif "must be Tensor" in str(wrong):
            wrong = NotATensorError(str(wrong))
    wrong = wrong or _not_a_tensor(name, error, bound, check.late) or op_errors.translated(error)
    if wrong is None and not _lacks_context(error):
        return None
    defaults = {name: parameter.default for name, parameter in signature.parameters.items()}
    given = [(name, value) for name, value in bound.items() if value is not defaults[name]]
    sentence = str(wrong or error).partition(op_errors.CONTEXT)[0]
    what_to_do = op_errors.remedy_of(sentence)
    return type(wrong or error)(f"{sentence}{op_errors.context(name, given, 3)}{what_to_do}")


def _unbound(
    error: Exception, unbound: TypeError, function: Callable[..., Any], name: str,
    args: tuple[Any, ...], kwargs: dict[str, Any],
) -> Exception | None:  # fmt: skip
    """Return the error for arguments that are too many, too few or unknown."""
    own = function.__name__
    if not isinstance(error, TypeError):
        message = f"{name}() {unbound}"
    elif isinstance(error, PellucidError):
        message = str(error)
    elif own != name and str(error).startswith(f"{own}()"):
        message = name + str(error).removeprefix(own)
    else:
        return None
    if op_errors.CONTEXT in message:
        return None
    given = [*zip(inspect.signature(function).parameters, args, strict=False), *kwargs.items()]
    return ArgumentTypeError(message + op_errors.context(name, given, 4))


def _not_a_tensor(
    name: str, error: Exception, arguments: dict[str, Any], late: bool
) -> ArgumentTypeError | None:
    """Return the error for an argument that was asked for what only tensors have."""
    if not isinstance(error, AttributeError) or isinstance(error.obj, TensorBase):
        return None
    for argument, value in arguments.items():
        parts = value if isinstance(value, list | tuple) else (value,)
        if any(each is error.obj for each in (value, *parts)):
            found = type(error.obj).__name__
            kind = NotATensorError if late else ArgumentTypeError
            return kind(f"{name}(): argument '{argument}' must be Tensor, not {found}")
    return None


def _lacks_context(error: Exception) -> bool:
    """Return whether an error is ours and does not say what public function was given what."""
    if not isinstance(error, PellucidError) or isinstance(error, GraphError):
        return False
    called = str(error).partition(op_errors.CONTEXT)[2].partition("(")[0]
    return not any(called in names for names in public_names.values())

"""Calls: what is called as it is, and what is followed into.

Functions of the user's and forwards of their modules are followed: their steps become part of the
recording. The library's functions, methods and layers are one step each. All else is called as it
is, and told as a break.
"""

from __future__ import annotations

import functools
from types import FunctionType, MethodType, ModuleType
from typing import Any, cast

from pellucid.autograd.backward import grad
from pellucid.autograd.modes import is_grad_enabled
from pellucid.compat import compiler
from pellucid.compat.compiling import kinds
from pellucid.compat.compiling.events import Events, event, named, token_of, values_of
from pellucid.compat.compiling.instrument import Instrumented, instrumented
from pellucid.compat.compiling.recorder import Value, plain
from pellucid.compat.compiling.running import graph_break, is_compiling, run_forward
from pellucid.compat.compiling.sources import Unsupported
from pellucid.compat.compiling.trace import Called, Exit, Inlined, TraceFrame
from pellucid.dtypes import get_default_dtype
from pellucid.nn import Module
from pellucid.nn.modules.calling import global_hooks

#: how deep calls are followed
_DEEPEST = 60

_OUTSIDE = "move it out of the compiled function, or mark it by torch.compiler.disable"
_PRINTS = (print, input, open)


class Caller(Events):
    """A running call that calls others."""

    @event
    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self._call(function, args, kwargs)

    @event
    def receiver(self, owner: Any, name: str) -> Any:
        """Return what a method is called of, which has such a one."""
        value = plain(owner)
        if type(owner) is not Value or isinstance(value, ModuleType):
            return owner
        if kinds.is_tensor(value) or value is None:
            getattr(value, name)
        self._same_class(owner)
        return owner

    @event
    def method(self, owner: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        value = plain(owner)
        if not self.recorder.recording:
            return self._call_plainly(getattr(value, name), args, kwargs)
        if isinstance(value, ModuleType):
            return self._call(self._attribute(owner, name), args, kwargs)
        if kinds.is_tensor(value):
            return self._tensor_method(owner, name, args, kwargs)
        if kinds.is_builtin_container(value):
            return self._container_method(owner, name, args, kwargs)
        held = kinds.class_attribute(type(value), name)
        followed = isinstance(held, FunctionType) and not kinds.is_library_code(held)
        own = getattr(value, "__dict__", {})
        if followed and name not in own and kinds.reads_simply(value, name):
            self._same_class(owner)
            function = self._read(
                ("function of", name), f'getattr({{0}}.{name}, "__func__", None)', owner
            )
            self._is(function)
            return self._follow(function, (owner, *args), kwargs)
        if type(value) is super:
            return self._call(self._step(f"{{0}}.{name}", owner, pure=True), args, kwargs)
        return self._call(self._attribute(owner, name), args, kwargs)

    def same_modes(self) -> None:
        """Have replays go on only in the same modes: what is computed is like it was by them."""
        for asked in (is_grad_enabled, get_default_dtype):
            self._decide(
                "{0}() is {1}", asked, asked(), what=asked.__name__, was=asked(), now="{0}()"
            )

    # ---- the kinds of calls -------------------------------------------------------------------

    def _call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        target = plain(function)
        if target is is_compiling or target is compiler.is_compiling:
            self._is(function)
            self.recorder.trace.depends_on_compiling = True
            return True
        if not self.recorder.recording:
            return self._call_plainly(target, args, kwargs)
        if isinstance(target, Module):
            return self._call_module(function, target, args, kwargs)
        if type(target) is MethodType:
            bound = self._read("bound", 'getattr({0}, "__self__", None)', function)
            inner = self._read("function of", 'getattr({0}, "__func__", None)', function)
            if isinstance(target.__self__, Module) and kinds.is_library_code(target):
                return self._as_it_is(function, args, kwargs)
            self._is(inner)
            if target.__name__ == "zero_grad" and kinds.is_library_code(target):
                return self._zero_grad(function, target, args, kwargs)
            if isinstance(target.__func__, FunctionType) and not kinds.is_library_code(target):
                return self._follow(inner, (bound, *args), kwargs)
            return self._as_it_is(function, args, kwargs)
        if type(target) is functools.partial:
            return self._call_partial(function, target, args, kwargs)
        if kinds.is_object(target):
            return self._call_object(function, target, args, kwargs)
        if _is_made_by_library(function, target):
            return self._as_it_is(function, args, kwargs)
        self._is(function)
        if hasattr(target, "_compiled"):
            return self._call(target.__wrapped__, args, kwargs)
        if getattr(target, "_torchdynamo_disable", False):
            return self._as_it_is(
                target, args, kwargs, f"{target.__qualname__}() is disabled", "none is needed"
            )
        if isinstance(target, FunctionType) and not kinds.is_library_code(target):
            return self._follow(function, args, kwargs)
        if kinds.is_pure_builtin(target):
            return self._call_builtin(target, args, kwargs)
        if target is graph_break:
            self._break("graph_break() was called")
        if target is is_grad_enabled:
            return self._invoke("{0}", [target], (), {}, pure=not self.recorder.changed_modes)
        if kinds.is_library_code(target):
            return self._call_library(target, args, kwargs)
        return self._as_it_is(target, args, kwargs)

    def _call_plainly(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Value:
        """Call something in the user's line, and record nothing."""
        given = {name: plain(each) for name, each in kwargs.items()}
        operands = (target, [*map(plain, args)], given)
        return Value(self.recorder.run_at(self.trace, self._place(), "{0}(*{1}, **{2})", operands))

    def _call_object(
        self, function: Any, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Call an object whose class says what that does."""
        held = kinds.class_attribute(type(target), "__call__")
        if not isinstance(held, FunctionType) or kinds.is_library_code(held):
            return self._as_it_is(function, args, kwargs)
        kind = type(target)
        self._same_class(function)
        self._decide(
            "{2}({0}, {3}) is {1}", kind, held, kinds.class_attribute, "__call__",
            what=f"{kind.__name__}.__call__", was="as it is",
        )  # fmt: skip
        return self._follow(held, (function, *args), kwargs, called=function)

    def _is(self, function: Any) -> None:
        """Have replays go on only if what is called is the same."""
        if type(function) is Value:
            target = function.plain
            if self.recorder.has_made(target):
                self._decide(
                    'getattr({0}, "__code__", None) is {1}', function, target.__code__,
                    what=f"the code of {named(function)}", was=target.__qualname__,
                )  # fmt: skip
                return
            self._decide(
                "{0} is {1}", function, target, what=f"what {named(function)} is",
                was=getattr(target, "__qualname__", type(target).__name__), now="{0}",
            )  # fmt: skip

    def _invoke(
        self, head: str, operands: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any],
        pure: bool = False, called: Called | None = None,
    ) -> Value:  # fmt: skip
        """Return what a step gives that calls ``head`` with arguments."""
        first = len(operands)
        parts = [f"{{{first + i}}}" for i in range(len(args))]
        first += len(args)
        if all(name.isidentifier() for name in kwargs):
            parts += [f"{name}={{{first + i}}}" for i, name in enumerate(kwargs)]
        else:
            pairs = [f"{name!r}: {{{first + i}}}" for i, name in enumerate(kwargs)]
            parts.append("**{{" + ", ".join(pairs) + "}}")
        template = f"{head}({', '.join(parts)})"
        return self._step(template, *operands, *args, *kwargs.values(), pure=pure, called=called)

    def _as_it_is(
        self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], why: str = "",
        remedy: str = _OUTSIDE,
    ) -> Any:  # fmt: skip
        """Call something that is not followed."""
        target = plain(function)
        name = getattr(target, "__qualname__", type(target).__name__)
        library = kinds.is_library_code(target)
        if any(target is each for each in _PRINTS):
            why = f"{name}() acts outside of the program"
        elif not why and not library and not _is_container_class(target):
            why = f"{name}() is not followed: it has no source in Python"
            if isinstance(target, type):
                why = f"an object of {name} is made"
        if why:
            self._break(why, remedy)
        called = _told_of(target)
        if target is grad:
            called = Called("other", target, *_tokens(args, kwargs))
        found = self._invoke("{0}", [function], args, kwargs, called=called)
        self._acted()
        self.recorder.wrote = True
        if library:
            self.recorder.changed_modes = True
        return found

    def _zero_grad(
        self, function: Any, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Take the gradients away: no code of the user's runs."""
        self._plain_operands((*args, *kwargs.values()))
        return self._invoke("{0}", [function], args, kwargs, called=_told_of(target))

    def _call_library(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given = (*args, *kwargs.values())
        if kinds.computes(target) or isinstance(target, type):
            name = getattr(target, "__name__", "")
            self._plain_operands(given)
            if kinds.changes_tensors(name, kwargs):
                self.recorder.wrote = True
            called = Called("function", target, *_tokens(args, kwargs))
            self.recorder.shapes_vary |= kinds.depends_on_values(name, map(plain, given))
            if isinstance(target, type) and issubclass(target, Module):
                self._acted()
            return self._invoke("{0}", [target], args, kwargs, called=called)
        if getattr(target, "__wrapped__", None) is not None and not kinds.is_library_code(
            target.__wrapped__
        ):
            return self._as_it_is(
                target, args, kwargs,
                f"{target.__qualname__}() is wrapped by a decorator of the library",
                "use the decorator's block inside of the function",
            )  # fmt: skip
        return self._as_it_is(target, args, kwargs)

    def _tensor_method(
        self, owner: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        given = (owner, *args, *kwargs.values())
        called = Called("method", name, *_tokens((owner, *args), kwargs))
        if name in kinds.READING:
            self._break(
                kinds.READING[name], "keep it a tensor, or take the number outside of the function"
            )
            self._plain_operands(given)
            told = called._replace(kind="other")
            return self._invoke(f"{{0}}.{name}", [owner], args, kwargs, called=told)
        if name in kinds.FACT_METHODS and not kwargs:
            names = ", ".join(f"{{{i + 1}}}" for i in range(len(args)))
            return self._fact(f"{{0}}.{name}({names})", (owner, *args), called)
        held = getattr(kinds.Tensor, name, None)
        if name == "backward":
            return self._backward(owner, args, kwargs)
        if held is None or not (kinds.computes(held) or name in ("size", "stride")):
            return self._as_it_is(self._step(f"{{0}}.{name}", owner), args, kwargs)
        self._plain_operands(given)
        self.recorder.shapes_vary |= kinds.depends_on_values(name, map(plain, given))
        if kinds.changes_tensors(name, kwargs):
            self.recorder.wrote = True
        return self._invoke(f"{{0}}.{name}", [owner], args, kwargs, called=called)

    def _backward(self, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a backward pass, whose hooks may do anything."""
        called = Called("other", kinds.Tensor.backward, (), {})
        found = self._invoke("{0}.backward", [owner], args, kwargs, called=called)
        self._acted()
        self.recorder.wrote = self.recorder.changed_modes = True
        return found

    def _container_method(
        self, owner: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        value = plain(owner)
        given = (*args, *kwargs.values())
        sure = all(kinds.is_plain(plain(each)) for each in given)
        made = self.recorder.has_made(value)
        if kinds.mutates(value, name):
            if name in ("append", "insert", "add", "setdefault"):
                sure = True
            self._guard_tensors(given)
            found = self._invoke(f"{{0}}.{name}", [owner], args, kwargs)
            if not (made and sure):
                self._acted()
            return found
        numeric = name in ("get", "keys", "values", "items", "copy", "split", "join", "startswith",
                           "endswith", "strip", "lower", "upper", "format", "replace", "numel",
                           "bit_length", "is_integer")  # fmt: skip
        immutable = isinstance(value, str | int | float | tuple | bytes)
        pure = sure and numeric and (immutable or not made)
        if (
            type(owner) is not Value
            and immutable
            and sure
            and all(type(each) is not Value for each in given)
        ):
            return getattr(value, name)(*args, **kwargs)
        found = self._invoke(f"{{0}}.{name}", [owner], args, kwargs, pure=pure)
        if not (sure and numeric):
            self._acted()
        if name == "copy" or (made and name in ("keys", "values", "items")):
            self.recorder.keep(found.plain)
        return found

    def _call_builtin(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function of Python's own that computes, and does nothing else."""
        given = (*args, *kwargs.values())
        values = tuple(map(plain, given))
        sure = all(map(kinds.is_plain, values))
        tensors = any(map(kinds.is_tensor, values))
        if sure and target in kinds.FOLDED and all(type(each) is not Value for each in given):
            return target(*args, **kwargs)  # constants give a constant
        if target is getattr and len(args) >= 2 and _reads_simply(values[0], args[1]):
            return self._read_by_name(args)
        if target in (float, int, bool, complex) and tensors:
            self._break(f"{target.__name__}() hands a value to Python", "keep it a tensor")
        called = Called("builtin", target, *_tokens(args, kwargs))
        if target is len and tensors and args:
            return self._fact("{1}({0})", (args[0], len), called)
        asks = self._asks(target, values)
        sure = sure or (target is len and _has_length(values[0]))
        reads = any(
            type(each) in (list, dict, set) and self.recorder.has_made(each) for each in values
        )  # fmt: skip
        pure = asks or (sure and not tensors and not reads and not _holds_tensors(values))
        if sure and not pure:
            self._plain_operands(() if reads else given)
        found = self._invoke("{0}", [target], args, kwargs, pure=pure, called=called)
        if not (sure or asks or self._goes_through_own(target, values)):
            self._acted()
        if target in (list, dict, set, sorted):
            self.recorder.keep(found.plain)
        return found

    def _read_by_name(self, args: tuple[Any, ...]) -> Any:
        """Do what `getattr` does for an attribute that is there."""
        if len(args) == 3:
            has = self._invoke("{0}", [hasattr], (args[0], args[1]), {}, pure=True)
            self._decide("{0}", has, what=f"whether there is {args[1]}", was=True)
        return self._attribute(args[0], args[1])

    def _asks(self, target: Any, values: tuple[Any, ...]) -> bool:
        """Return whether a function looks at what a call does not change, and at nothing else."""
        if target in (isinstance, issubclass):
            classes = values[1] if isinstance(values[1], tuple) else (values[1],)
            simple = all(kinds.module_of(type(each)) in ("builtins", "types") for each in classes)
            return simple or all(
                kinds.is_library_code(type(each)) or type(each) is type for each in classes
            )
        if target is hasattr:
            name = values[1]
            return name not in self.recorder.assigned and kinds.reads_simply(values[0], str(name))
        if target is len and _has_length(values[0]):
            return not self.recorder.has_made(values[0])
        return target in (type, callable, id)

    def _goes_through_own(self, target: Any, values: tuple[Any, ...]) -> bool:
        """Return whether a function runs no code of the user's though it is given containers."""
        through = target in (list, tuple, dict, enumerate, zip, iter, reversed, set)
        return all(
            kinds.is_plain(each) or self.recorder.has_made(each)
            or (through and kinds.is_builtin_container(each))
            for each in values
        )  # fmt: skip

    def _call_partial(
        self, function: Any, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        inner = self._read("partial function", "{0}.func", function)
        names, count = tuple(target.keywords), len(cast("tuple[Any, ...]", target.args))
        self._decide(
            "type({0}) is {1} and len({0}.args) == {2} and tuple({0}.keywords) == {3}",
            function, type(target), count, names,
            what="the arguments of a partial", was=names,
        )  # fmt: skip
        first = tuple(
            self._read(("partial", i), f"{{0}}.args[{i}]", function) for i in range(count)
        )
        held = {
            name: self._read(("partial", name), f"{{0}}.keywords[{name!r}]", function)
            for name in names
        }
        return self._call(inner, (*first, *args), {**held, **kwargs})

    # ---- modules ------------------------------------------------------------------------------

    def _call_module(
        self, function: Any, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        kind = type(module)
        if kind.__call__ is not Module.__call__:
            if hasattr(module, "_orig_mod"):
                return self._call(self._attribute(function, "_orig_mod"), args, kwargs)
            return self._as_it_is(
                function, args, kwargs, f"{kind.__name__} has a __call__ of its own"
            )
        self._same_class(function)
        plain_call = self._decide(
            "{1}({0}, {2})", function, kinds.is_unhooked, global_hooks,
            what=f"whether {kind.__name__} has no hooks",
            was=kinds.is_unhooked(module, global_hooks),
        )  # fmt: skip
        if not plain_call:
            return self._as_it_is(
                function, args, kwargs, f"{kind.__name__} has hooks", "they run as in Python"
            )
        if kinds.is_layer(module):
            if self.recorder.keeps_examples:
                self._is(function)
            if self.recorder.specialized:
                self._decide(
                    "{2}({0}) == {1}", function, kinds.layer_facts(module), kinds.layer_facts,
                    what=f"what the parameters of {kind.__name__} are like", was="as they are",
                )  # fmt: skip
            self._plain_operands((*args, *kwargs.values()))
            shown = module if self.recorder.keeps_examples else kind
            called = Called("layer", shown, *_tokens((function, *args), kwargs))
            found = self._invoke("{0}", [function], args, kwargs, called=called)
            if module._modules:
                self._acted()
            return found
        forward = kinds.class_attribute(kind, "forward")
        if not isinstance(forward, FunctionType):
            return self._as_it_is(function, args, kwargs, f"{kind.__name__}.forward has no source")
        self._decide(
            "{0}.forward is {1}", kind, forward, what=f"{kind.__name__}.forward", was="as it is"
        )
        return self._follow(forward, (function, *args), kwargs, function)

    # ---- functions that are followed ----------------------------------------------------------

    def _follow(
        self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], module: Any = None,
        called: Any = None,
    ) -> Any:  # fmt: skip
        """Call a function of the user's, and record its steps.

        ``module`` is the module whose forward it is, and ``called`` the object that was called.
        """
        target = plain(function)
        called = called if module is None else module
        given = args if called is None else args[1:]
        called = function if called is None else called
        if getattr(target, "_torchdynamo_allow_in_graph", False):
            return self._invoke("{0}", [target], args, kwargs, called=_told_of(target))
        if getattr(target, "_torchdynamo_assume_constant", False):
            return self._call_plainly(target, args, kwargs).plain
        depth, frame = 0, self.trace
        while frame.parent is not None:
            depth, frame = depth + 1, frame.parent
        try:
            if depth >= _DEEPEST:
                raise Unsupported("calls are followed no deeper")
            made = instrumented(target.__code__)
        except Unsupported as why:
            return self._as_it_is(
                called, given, kwargs, f"{target.__qualname__}() is not followed: {why}"
            )
        return self._call_function(function, target, args, kwargs, module, made)

    def _call_function(
        self, function: Any, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
        module: Any = None, made: Instrumented | None = None,
    ) -> Any:  # fmt: skip
        recorder = self.recorder
        try:
            made = made or instrumented(target.__code__)
        except Unsupported:
            return self._as_it_is(target, args, kwargs)
        if not recorder.has_made(target):
            self._decide(
                "{0}.__code__ is {1}", function, target.__code__,
                what=f"the code of {target.__qualname__}", was="as it is",
            )  # fmt: skip
        child = TraceFrame(target, self.trace, self.event)
        self.trace.children[self.event] = child
        child.arguments = _tokens(args, kwargs)
        child.module = None if module is None else token_of(module)
        frame = type(self)(recorder, child, function, catches=self.catches or made.catches)
        run = frame.running(made, args, kwargs)
        place = self._place()
        before, recorder.current = recorder.current, child
        try:
            if module is None:
                result = run(*args, **kwargs)
            else:
                result = run_forward(plain(module), _of(run, args[0]), *args[1:], **kwargs)
        finally:
            recorder.current = before
        if not recorder.recording:
            return result
        child.result = result.register if type(result) is Value else recorder.constant(result)
        if type(result) is not Value or result.hoisted:
            self.trace.items.append(Inlined(child, None, place))
            return result
        out = recorder.register()
        if recorder.keeps_examples:
            recorder.examples[out] = result.plain
        self.trace.items.append(Inlined(child, out, place))
        return Value(result.plain, out, self._owner())

    def running(
        self, made: Instrumented, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> FunctionType:
        """Return the rewritten function of this frame, with the defaults that a call needs."""
        run: Any = made.factory(self)
        target = self.trace.function
        run.__qualname__ = target.__qualname__
        defaults = target.__defaults__
        if defaults:
            run.__defaults__ = self._defaults(defaults, len(args), kwargs)
        by_name = target.__kwdefaults__
        if by_name:
            run.__kwdefaults__ = {
                name: None if name in kwargs else self._read(
                    ("default", name), f"{{0}}.__kwdefaults__[{name!r}]", self.function
                )
                for name in by_name
            }  # fmt: skip
        return run

    def _defaults(
        self, defaults: tuple[Any, ...], count: int, kwargs: dict[str, Any]
    ) -> tuple[Any, ...]:
        code = self.code
        first = code.co_argcount - len(defaults)
        needed = [
            first + i >= count and code.co_varnames[first + i] not in kwargs
            for i in range(len(defaults))
        ]
        if not any(needed):
            return defaults
        if not self.recorder.has_made(self.trace.function):
            self._decide(
                "{0}.__defaults__ is {1}", self.function, defaults,
                what=f"the defaults of {code.co_qualname}", was="as they are",
            )  # fmt: skip
        return tuple(
            each if not need or (kinds.is_simple(each) and not self.recorder.has_made(
                self.trace.function))
            else self._read(("default", i), f"{{0}}.__defaults__[{i}]", self.function)
            for i, (each, need) in enumerate(zip(defaults, needed, strict=True))
        )  # fmt: skip

    def _again(self, child: TraceFrame, left: Exit) -> Any:
        args, kwargs = (values_of(each, left.known) for each in child.arguments)
        frame = type(self)(self.recorder, child, child.function, old=child, left=left)
        run = frame.running(instrumented(child.code), args, kwargs)
        if child.module is None:
            return run(*args, **kwargs)
        module = plain(values_of(child.module, left.known))
        return run_forward(module, _of(run, args[0]), *args[1:], **kwargs)


def _of(run: Any, value: Any) -> Any:
    """Return a forward that is given its module as a value.

    Errors find the layer by a variable ``self``.
    """

    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        return run(value, *args, **kwargs)

    return forward


def _is_made_by_library(function: Any, target: Any) -> bool:
    """Return whether a function of the library's was made in the call, as that of `vjp` is.

    Each call has another, and to compare it would keep what it closes over.
    """
    made = type(function) is Value and not function.hoisted and isinstance(target, FunctionType)
    return made and "<locals>" in target.__qualname__ and kinds.is_library_code(target)


def _reads_simply(owner: Any, name: Any) -> bool:
    return type(name) is str and hasattr(owner, name) and kinds.reads_simply(owner, name)


def _has_length(value: Any) -> bool:
    return kinds.is_builtin_container(value) or kinds.holds_items(value)


def _told_of(target: Any) -> Called:
    """Return what is told of a call: the name alone, for a method would keep its object alive.

    What optimizers do in a training step is told by the function itself.
    """
    function = getattr(target, "__func__", None)
    if function is kinds.ZERO_GRAD or function is kinds.STEP:
        return Called("other", function, (), {})
    return Called("other", getattr(target, "__name__", type(target).__name__), (), {})


def _tokens(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    return token_of(args), token_of(kwargs)


def _holds_tensors(values: tuple[Any, ...]) -> bool:
    return any(type(each) in (list, tuple) and any(map(kinds.is_tensor, each)) for each in values)


def _is_container_class(target: Any) -> bool:
    return isinstance(target, type) and (
        target in (list, dict, set, tuple, super) or hasattr(target, "_fields")
        or issubclass(target, BaseException)
    )  # fmt: skip

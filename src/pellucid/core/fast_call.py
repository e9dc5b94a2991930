"""The public function of an op: its call written out as source for the usual case."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from pellucid.autograd.modes import modes
from pellucid.autograd.node import sequence
from pellucid.autograd.sites import library_files, user_frame
from pellucid.autograd.storage import CONSTANT, InferenceStorage, Storage, watch
from pellucid.autograd.variable import TensorBase, View, storage_of
from pellucid.core import op_errors
from pellucid.core.aliases import ABSENT, SCALES, aliases_of, call_renamed, call_scaled
from pellucid.core.call import call, generated_failed, usual_arrays
from pellucid.core.compiled import compiled_call
from pellucid.core.generated import DeferredSignature, deferred
from pellucid.core.history import edge_of
from pellucid.core.layouts import arranged, follows_first_operand
from pellucid.core.node_backward import node_class
from pellucid.core.numbers import NUMBERS, as_array
from pellucid.core.op import Op, OpFunction, registry, tensor_class
from pellucid.core.plan import choose_backward, plan_for
from pellucid.kernels.numpy.backend import cpu
from pellucid.kernels.numpy.precision import quiet
from pellucid.observe import slow_path
from pellucid.shapes import Meta

# Note [Generated calls]
# Between `a * b` and NumPy's multiply there is little to do, but doing it by looping over operands
# and asking the op about itself would take longer than the multiplication. So for all ops but views
# with several outputs the steps are written out as source, in the way `dataclasses` writes
# `__init__`, and compiled at the first call (not at import, which stays quick).

ndarray = np.ndarray
_new = object.__new__


def public_function(op: Op) -> OpFunction:
    """Register the op and return its public function."""
    registry[op.name] = op
    op.node_class = node_class(op)
    op.function = compiled_call(op, _deferred_call(op), _plain_kernel)
    return op.function


def function_with_out(op: Op, write: Callable[..., Any]) -> OpFunction:
    """Return the op's public function with an argument more: ``out``, where the result goes.

    ``write(op, operands, params, out)`` does it if it is given.
    """
    return compiled_call(op, _deferred_call(op, write), _plain_kernel)


def _deferred_call(op: Op, write: Callable[..., Any] | None = None) -> FunctionType:
    """Return the op's function, with its derivatives' decorators; compiled when first called."""
    described = op.name if write is None else f"{op.name}(out=)"
    function: Any = deferred(
        op.name,
        described,
        op.body.__module__,
        lambda namespace: _call_source(op, function, namespace, write),
    )
    function.__doc__ = op.body.__doc__
    function.__module__ = op.body.__module__
    function.__signature__ = DeferredSignature(lambda: signature(op, takes_out=write is not None))
    function.op = op
    function.vjp = functools.partial(_derivative, op, False)
    function.partial = functools.partial(_derivative, op, True)
    function.jvp = functools.partial(_forward_derivative, op)
    function.into = functools.partial(_into, op)
    function.check = functools.partial(_check, op)
    return function


def _derivative(op: Op, is_partial: bool, operand: str) -> Callable[..., Any]:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        op.add_formula(operand, function, is_partial)
        return function

    return decorate


def _forward_derivative(op: Op, function: Callable[..., Any]) -> Callable[..., Any]:
    op.set_jvp(function)
    return function


def _into(op: Op, function: Callable[..., Any]) -> Callable[..., Any]:
    op.into = function
    return function


def _check(op: Op, function: Callable[..., Any]) -> Callable[..., Any]:
    op.check = function
    return function


def signature(op: Op, takes_out: bool = False) -> inspect.Signature:
    """Return the public signature: the body's without the backend."""
    parameters = [
        parameter.replace(kind=_public_kind(parameter.kind))
        for parameter in list(inspect.signature(op.body).parameters.values())[1:]
    ]
    if takes_out:
        parameters.append(inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None))
    return inspect.Signature(parameters)


def _public_kind(kind: Any) -> Any:
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return positional if kind is inspect.Parameter.POSITIONAL_ONLY else kind


def _call_source(
    op: Op, function: FunctionType, namespace: dict[str, Any], write: Callable[..., Any] | None
) -> str:
    """Return the source of the op's call, and fill the namespace with what it names."""
    namespace.update(
        _body=op.body, _be=cpu, _ndarray=ndarray, _asarray=np.asarray, _slow_path=slow_path,
        _general=call, _failed=generated_failed, _new=_new, _Tensor=tensor_class.cls, _modes=modes,
        _edge_of=edge_of, _Node=op.node_class, _Storage=Storage, _storage_of=storage_of,
        _watch=watch,
        _sequence=sequence, _getframe=sys._getframe, _library=library_files, _View=View,
        _F32=np.dtype(np.float32), _F64=np.dtype(np.float64), _choose=choose_backward,
        _with_number=with_number, _with_numbers=with_numbers, _op=op, _returns=op.returns,
        _usual=usual_arrays, _COMPLEX=np.dtype(np.complex128), _write=write, _self=function,
        _ABSENT=ABSENT, _call_renamed=call_renamed, _call_scaled=call_scaled, _layout=op.layout,
        _follows_first=follows_first_operand, _arranged=arranged,
        _require_flags=require_flags,
    )  # fmt: skip
    kernel = _plain_kernel(op)
    if kernel is not None:
        namespace["_kernel"] = kernel
    return _Writer(op, namespace, takes_out=write is not None).source()


def inplace_function(op: Op, change: Callable[..., Any]) -> Callable[..., Any]:
    """Return the in-place variant; ``change(op, operands, params)`` does it the general way."""
    name = f"{op.name}_"
    function: Any = deferred(
        name,
        name,
        op.body.__module__,
        lambda namespace: _inplace_source(op, change, function, namespace),
    )
    function.__doc__ = (
        f"In-place version of :func:`{op.name}`: write the result into the first operand."
    )
    function.__module__ = op.body.__module__
    function.__signature__ = DeferredSignature(lambda: signature(op))
    return function


def _inplace_source(
    op: Op, change: Callable[..., Any], function: FunctionType, namespace: dict[str, Any]
) -> str:
    """Return the source of the in-place variant, and fill the namespace with what it names."""
    namespace.update(
        _slow_path=slow_path, _be=cpu, _change=change, _InferenceStorage=InferenceStorage,
        _into=op.into,
        _library=library_files, _modes=modes, _note=note_inplace_change, _op=op, _quiet=quiet,
        _with_number=with_number, _with_numbers=with_numbers, _self=function, _ABSENT=ABSENT,
        _call_renamed=call_renamed, _call_scaled=call_scaled, _require_flags=require_flags,
    )  # fmt: skip
    return _Writer(op, namespace).twin_source()


def note_inplace_change(tensor: TensorBase, name: str) -> None:
    """Count a change of the tensor by an in-place op that the user's line called."""
    storage_of(tensor).note_change(name, *user_frame(3))


class _Recorder:
    """Stand in for a backend to see which one function a body calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def record_call(*args: Any, **kwargs: Any) -> Any:
            self.calls.append((name, args, kwargs))
            return self

        return record_call


def _plain_kernel(op: Op) -> Callable[..., Any] | None:
    """Return the backend function that is all the body calls, given the default parameters."""
    if op.variadic or not op.single or not all(param.has_default for param in op.params):
        return None
    recorder, operands = _Recorder(), tuple(object() for _ in op.operands)
    try:
        returned = op.body(recorder, *operands, **{p.name: p.default for p in op.params})
    except (TypeError, AttributeError, ValueError):
        return None
    if (
        returned is not recorder
        or len(recorder.calls) != 1
        or recorder.calls[0][1:] != (operands, {})
    ):
        return None
    return getattr(cpu, recorder.calls[0][0])


class _Writer:
    """Write the source of one op's call."""

    def __init__(self, op: Op, namespace: dict[str, Any], takes_out: bool = False) -> None:
        self.op = op
        #: the globals of the function that is written
        self.namespace = namespace
        self.takes_out = takes_out
        self.names = [operand.name for operand in op.operands]
        count = len(op.outputs)
        #: the variables of the arrays that the body returns: first the outputs, then the keeps
        self.outs = ["out"] if count == 1 else [f"out{i}" for i in range(count)]
        self.results = ["result"] if count == 1 else [f"result{i}" for i in range(count)]
        self.kept = [f"keep{i}" for i in range(len(op.keeps))]
        self.aliases = aliases_of(param.name for param in op.params)

    def source(self) -> str:
        op = self.op
        head = "\n".join(
            [
                f"def {op.name}({self._parameters()}):",
                *self._renamed(op.name),
                *self._flags(),
                *self._out(),
            ]
        )
        underivable = op.family.recorded and not op.formulas
        unusual = op.many or (op.family.view and (op.variadic or not op.single))
        if underivable or unusual or not self.names:
            return f"{head}\n    return {self._general()}"
        if len(self.names) > 3:
            return "\n".join([head, *self._of_arrays(), f"    return {self._general()}"])
        values = self._sequence_values() if op.variadic else self._values()
        lines = [head, *values, *self._compute(), *self._wrap()]
        if op.family.recorded:
            edges = self._sequence_edges() if op.variadic else self._edges()
            lines += [*edges, *self._record()]
        else:
            lines += [f"    {' = '.join(f'{each}._edge' for each in self.results)} = None"]
        return "\n".join([*lines, f"    return {self._returned()}"])

    def _flags(self) -> list[str]:
        """Write what is done where an argument is neither true nor false, but another object."""
        given = f"{self._tuple(self.names)}, {self._param_tuple()}"
        lines: list[str] = []
        for param in self.op.params:
            if param.default is True or param.default is False:
                lines += [
                    f"    if {param.name} is not True and {param.name} is not False:",
                    f"        _require_flags(_op, {given})",
                ]
        return lines

    def _renamed(self, function: str) -> list[str]:
        """Write what is done where an argument goes by NumPy's name, is missing, or is one more."""
        scale = SCALES.get(self.op.name)
        if scale is not None:
            given = ", ".join([*self.names, "_last"])
            return [
                "    if _last is not _ABSENT:",
                f"        return _call_scaled(_self, _self.__name__, {given}, {scale}={scale})",
            ]
        if not self.aliases:
            return []
        names = [*self.names, *(param.name for param in self.op.params), *self.aliases]
        names += ["out"] * self.takes_out
        tests = [f"{name} is not _ABSENT" for name in self.aliases]
        tests += [f"{name} is _ABSENT" for name in self._may_be_absent()]
        given = ", ".join(f"{name!r}: {name}" for name in names)
        return [
            f"    if {' or '.join(tests)}:",
            f"        return _call_renamed(_self, {function!r}, {{{given}}})",
        ]

    def _may_be_absent(self) -> list[str]:
        """Return the arguments without default, if one is the first that has two names or later."""
        if not self.aliases:
            return []
        params = [param.name for param in self.op.params]
        first = min(params.index(name) for name in self.aliases.values())
        if all(param.has_default for param in self.op.params[first:]):
            return []
        return [param.name for param in self.op.params if not param.has_default]

    def _out(self) -> list[str]:
        """Write what is done where the result has its place already."""
        if not self.takes_out:
            return []
        given = f"{self._tuple(self.names)}, {self._param_tuple()}"
        return ["    if out is not None:", f"        return _write(_op, {given}, out)"]

    def _returned(self) -> str:
        if len(self.results) == 1:
            return self.results[0]
        return f"_returns([{', '.join(self.results)}])"

    def twin_source(self) -> str:
        """Write the in-place twin: a change that nothing records goes straight to the memory."""
        op, name = self.op, f"{self.op.name}_"
        general = f"_change(_op, {self._tuple(self.names)}, {self._param_tuple()})"
        head = "\n".join(
            [f"def {name}({self._parameters()}):", *self._renamed(name), *self._flags()]
        )
        simple = op.into is not None and all(op.promoted) and not op.variadic
        if not simple or any(operand.optional for operand in op.operands):
            return f"{head}\n    return {general}"
        general = f"_change(_op, given, {self._param_tuple()})"
        taken, numbers = self._taken(self.names, [])
        first, *others = [f"x_{each}" for each in self.names]
        history = " or ".join(
            f"{each}._edge is not None or {each}._view is not None" for each in self.names
        )
        usual = "".join(char for char in "fdFD" if char not in op.indirect)
        unusual = [
            f"{first} is None",
            "_slow_path.active",
            *(f"{first}.dtype is not {other}.dtype" for other in others),
            f"{first}.dtype.char not in {usual!r}",
            f"not {first}.flags.forc",
            f"{self.names[0]}._storage.__class__ is _InferenceStorage",
            f"_modes.grad_enabled and ({history})",
            *(
                f"{each}._storage is {self.names[0]}._storage is not None"
                for each in self.names[1:]
            ),
        ]
        arguments = ", ".join([first, first, *others, *(param.name for param in op.params)])
        return "\n".join(
            [
                head,
                f"    given = {self._tuple(self.names)}",
                *taken,
                *numbers,
                f"    if {' or '.join(unusual)}:",
                f"        return {general}",
                "    try:",
                f"        _quiet.run(_into, _be, {arguments})",
                "    except Exception:",
                f"        return {general}",
                f"    _note({self.names[0]}, {name!r})",
                f"    return {self.names[0]}",
            ]
        )

    def _parameters(self) -> str:
        star, absent = False, self._may_be_absent()
        required = "=_ABSENT" if absent else ""  # so that all that is missing can be told
        texts = [o.name + ("=None" if o.optional else required) for o in self.op.operands]
        texts += ["_last=_ABSENT"] * (self.op.name in SCALES)
        for param in self.op.params:
            if param.keyword_only and not star:
                texts.append("*")
                star = True
            if param.name in absent:
                texts.append(f"{param.name}=_ABSENT")
            elif param.has_default:
                self.namespace[f"_default_{param.name}"] = param.default
                texts.append(f"{param.name}=_default_{param.name}")
            else:
                texts.append(param.name)
        more = [f"{name}=_ABSENT" for name in self.aliases] + ["out=None"] * self.takes_out
        if more and not star:
            texts.append("*")
        texts += more
        return ", ".join(texts)

    def _tuple(self, names: list[str]) -> str:
        return "(" + "".join(f"{name}, " for name in names) + ")"

    def _param_tuple(self) -> str:
        return self._tuple([param.name for param in self.op.params])

    def _general(self) -> str:
        return f"_general(_op, {self._tuple(self.names)}, {self._param_tuple()})"

    def _body(self, arrays: list[str]) -> str:
        full = f"_body({', '.join(['_be', *arrays, *map(_passed, self.op.params)])})"
        if "_kernel" not in self.namespace:
            return full
        usual = " and ".join(f"{p.name} is _default_{p.name}" for p in self.op.params)
        short = f"_kernel({', '.join(arrays)})"
        return f"{short} if {usual} else {full}" if usual else short

    def _values(self) -> list[str]:
        """Take the arrays; numbers, unlike dtypes and anything unusual go the general way."""
        required = [o.name for o in self.op.operands if not o.optional]
        optional = [o.name for o in self.op.operands if o.optional]
        taken, numbers = self._taken(required, optional)
        first = f"x_{required[0]}"
        lines = [*self._of_arrays(), *taken, *numbers]
        unusual = [f"{first} is None", "_slow_path.active", *self._unusual_dtypes(optional)]
        place = self.op.dtype_param
        if place is not None and self.op.params[place].has_default:
            unusual.append("dtype is not None")
        return [*lines, f"    if {' or '.join(unusual)}:", f"        return {self._general()}"]

    def _of_arrays(self) -> list[str]:
        """Give arrays for arrays: this is how a formula runs in an ordinary backward."""
        return [
            f"    if {self.names[0]}.__class__ is _ndarray:",
            f"        return {self._arranged_body()}{self._public_part()}",
        ]

    def _arranged_body(self) -> str:
        """Write the body's call on arrays, its outputs in PyTorch's order in memory."""
        given = self._tuple(self.names)
        body = self._body(self.names)
        return body if self.op.layout is None else f"_arranged(_op, {body}, {given}, {given})"

    def _public_part(self) -> str:
        """Write what leaves out of the body's list what is there for derivatives alone."""
        if not self.kept:
            return ""
        return "[0]" if len(self.outs) == 1 else f"[:{len(self.outs)}]"

    def _sequence_values(self) -> list[str]:
        """Take the arrays of a list of tensors of one usual dtype; else go the general way."""
        name = self.names[0]
        return [
            f"    x_{name} = _usual(_op, {name})",
            f"    if x_{name} is None or _slow_path.active:",
            f"        return {self._general()}",
        ]

    def _taken(self, required: list[str], optional: list[str]) -> tuple[list[str], list[str]]:
        """Write how the arrays are taken, and what is done where an operand is no tensor."""
        taken = [
            "    try:",
            *(f"        x_{name} = {name}._array" for name in required),
            *(f"        x_{name} = None if {name} is None else {name}._array" for name in optional),
            "    except AttributeError:",
        ]
        both = ", ".join([*self.names, *(f"x_{name}" for name in self.names)])
        if all(self.op.promoted) and len(required) == 2 and not optional:
            return taken, [f"        {both} = _with_number(_op, {', '.join(self.names)})"]
        if self.op.promotes and len(self.names) > 1:
            return taken, [f"        {both} = _with_numbers(_op, {self._tuple(self.names)})"]
        return taken, [f"        x_{required[0]} = None"]

    def _unusual_dtypes(self, optional: list[str]) -> list[str]:
        """Test for dtypes that differ, or in which the body does not compute."""
        promoted = [n for n, meets in zip(self.names, self.op.promoted, strict=True) if meets]
        if not promoted:
            derived = [n for n in self.names if n in self.op.formulas and n not in optional]
            return self._unusual_dtype((derived or self.names)[0])
        first, *others = promoted
        tests = [
            f"{f'{name} is not None and ' if name in optional else ''}"
            f"x_{first}.dtype is not x_{name}.dtype"
            for name in others
        ]
        return [*tests, *self._unusual_dtype(first)]

    def _unusual_dtype(self, operand: str) -> list[str]:
        chars = self.op.indirect_tensors
        return [
            f"x_{operand}.dtype is not _F32 and x_{operand}.dtype is not _F64 "
            f"and x_{operand}.dtype.char in {chars!r}"
        ] * bool(chars)

    def _compute(self) -> list[str]:
        arrays = [f"x_{name}" for name in self.names]
        given = f"{self._tuple(self.names)}, {self._tuple(arrays)}"
        return [
            "    try:",
            f"        {', '.join([*self.outs, *self.kept])} = {self._body(arrays)}",
            "    except Exception as error:",
            f"        return _failed(error, _op, {given}, {self._param_tuple()})",
        ]

    def _arrange(self) -> list[str]:
        """Put the outputs in PyTorch's order in memory where they may have another."""
        arrays = [f"x_{name}" for name in self.names]
        if self.op.layout is not None:
            given = self._tuple(arrays)
            return [
                line
                for out in self.outs
                for line in (
                    f"    if {out}.ndim > 3 or not {out}.flags.c_contiguous:",
                    f"        {out} = _layout({out}, {given})",
                )
            ]
        if not self.op.broadcasts:
            return []
        return [
            f"    if not {arrays[0]}.flags.c_contiguous and out.strides != {arrays[0]}.strides:",
            f"        out = _follows_first({', '.join(['out', *arrays])})",
        ]

    def _wrap(self) -> list[str]:
        lines: list[str] = []
        for each in [*self.outs, *self.kept]:
            lines += [
                f"    if {each}.__class__ is not _ndarray:",
                f"        {each} = _asarray({each})",
            ]
        lines += self._arrange()
        for out, result in zip(self.outs, self.results, strict=True):
            lines += [
                f"    {result} = _new(_Tensor)",
                f"    {result}._array = {out}",
                f"    {result}._grad = {result}._extra = None",
            ]
        if not self.op.family.view:
            return lines + [f"    {each}._storage = {each}._view = None" for each in self.results]
        base = self.names[0]
        return [
            *lines,
            f"    storage = result._storage = {base}._storage or _storage_of({base})",
            "    link = result._view = _new(_View)",
            f"    link.base = {base} if {base}._view is None else {base}._view.base",
            "    link.history = storage.history",
            "    link.origin = 0",
            "    if not _modes.grad_enabled:",
            "        link.origin = 1",
            "        if link.base._edge is not None:",
            "            _watch(storage)",
            "            link.history = ~storage.history",
            f"    if {base}._view is not None and {base}._view.origin:",
            f"        link.origin = {base}._view.origin",
        ]

    def _sequence_edges(self) -> list[str]:
        """Find the edges of a list of tensors."""
        return [
            f"    edges = tuple([_edge_of(each) for each in {self.names[0]}])",
            "    if not any(edges) or not _modes.grad_enabled:",
            *self._without_history(),
        ]

    def _edges(self) -> list[str]:
        lines: list[str] = []
        for position, operand in enumerate(self.op.operands):
            name, edge = operand.name, f"e{position}"
            if operand.name not in self.op.formulas:
                lines.append(f"    {edge} = None")
            elif operand.optional:
                lines.append(f"    {edge} = None if {name} is None else _edge_of({name})")
            else:
                lines += [
                    f"    {edge} = {name}._edge",
                    f"    if {name}._view is not None and "
                    f"{name}._view.history != {name}._storage.history and _modes.grad_enabled:",
                    f"        {edge} = _edge_of({name})",
                ]
        none = " and ".join(f"e{i} is None" for i in self._derived())
        edges = "".join(f"e{i}, " for i in range(len(self.names)))
        return [
            *lines,
            f"    if {none} or not _modes.grad_enabled:",
            *self._without_history(),
            f"    edges = ({edges})",
        ]

    def _derived(self) -> list[int]:
        return [i for i, name in enumerate(self.names) if name in self.op.formulas]

    def _without_history(self) -> list[str]:
        return [
            f"        {' = '.join(f'{each}._edge' for each in self.results)} = None",
            f"        return {self._returned()}",
        ]

    def _record(self) -> list[str]:
        """Make the node; one branch for each set of operands that need a gradient."""
        saved = self._sequence_saved() if self.op.variadic else self._saved_branches()
        params = self._param_tuple() if self.op.params else "None"
        node = [
            "    node = _new(_Node)",
            "    node.edges = edges",
            *saved,
            f"    node.params = {params}",
            "    node.extra = None",
            "    node.scope = _modes.scope if _slow_path.scopes else None",
            "    node.seq = next(_sequence)",
            "    frame = _getframe(1)",
            "    code = frame.f_code",
            "    while _library[code.co_filename]:",
            "        frame = frame.f_back",
            "        code = frame.f_code",
            "    node.code = code",
            "    node._lasti = frame.f_lasti",
        ]
        if len(self.outs) > 1:
            return self._record_several(node)
        return [
            "    out_dtype = out.dtype",
            "    if out_dtype is not _F32 and out_dtype is not _F64 "
            "and out_dtype.kind not in 'fcV':",
            *self._without_history(),
            *node,
            "    node.shape = out.shape",
            "    node.dtype = out_dtype",
            "    node.metas = None",
            "    if out_dtype is not _F32 and out_dtype is not _F64:",
            "        node.backward = _choose(_op, out_dtype, node.backward)",
            "    result._edge = (node, 0)",
        ]

    def _record_several(self, node: list[str]) -> list[str]:
        """Record several outputs, of which those with a dtype that has gradients get an edge."""
        self.namespace.setdefault("_Meta", Meta)
        kinds = " + ".join(f"{out}.dtype.kind" for out in self.outs)
        metas = ", ".join(f"_Meta({out}.shape, {out}.dtype)" for out in self.outs)
        return [
            f"    kinds = {kinds}",
            "    if 'f' not in kinds and 'c' not in kinds:",
            *self._without_history(),
            *node,
            "    node.shape = node.dtype = None",
            f"    node.metas = ({metas})",
            "    if 'c' in kinds:",
            "        node.backward = _choose(_op, _COMPLEX, node.backward)",
            *(
                f"    {result}._edge = (node, {slot}) if kinds[{slot}] in 'fc' else None"
                for slot, result in enumerate(self.results)
            ),
        ]

    def _sequence_saved(self) -> list[str]:
        lines: list[str] = []
        self._save(plan_for(self.op, (True,)), "", "    ", lines)
        return lines

    def _saved_branches(self) -> list[str]:
        lines: list[str] = []
        positions = self._derived()
        masks = _subsets(len(self.names), positions)
        for number, needed in enumerate(masks):
            if len(masks) > 1:
                tests = [f"e{i} is {'not ' if needed[i] else ''}None" for i in positions]
                word = "if" if number == 0 else "elif"
                last = number == len(masks) - 1
                lines.append("    else:" if last else f"    {word} {' and '.join(tests)}:")
            indent = "        " if len(masks) > 1 else "    "
            self._save(plan_for(self.op, needed), str(number), indent, lines)
        return lines

    def _save(self, plan: Any, number: str, indent: str, lines: list[str]) -> None:
        """Write how a node is given what the plan saves, and the backward that reads it."""
        self.namespace[f"_backward{number}"] = plan.backward
        entries = "".join(self._entry_lines(want, indent, lines) + ", " for want in plan.saves)
        lines += [
            f"{indent}node.saved = {f'({entries})' if entries else 'None'}",
            f"{indent}node.backward = _backward{number}",
        ]

    def _entry_lines(self, want: Any, indent: str, lines: list[str]) -> str:
        """Write what finds a saved value's storage; return the text of its entry."""
        if want.kind == "like":
            name = self.names[want.index]
            self.namespace.setdefault("_Meta", Meta)
            self.namespace.setdefault("_CONSTANT", CONSTANT)
            return f"(_Meta(x_{name}.shape, x_{name}.dtype), _CONSTANT, 0)"
        if want.kind == "output":
            if self.op.family.view:
                return "(out, storage, storage.version)"
            if want.index >= len(self.outs):
                self.namespace.setdefault("_CONSTANT", CONSTANT)
                return f"({self.kept[want.index - len(self.outs)]}, _CONSTANT, 0)"
            storage = f"kept{want.index}"
            lines += _new_storage_lines(indent, storage, self.results[want.index])
            return f"({self.outs[want.index]}, {storage}, 0)"
        operand = self.op.operands[want.index]
        storage = f"s{want.index}"
        self.namespace.setdefault("_CONSTANT", CONSTANT)
        if operand.optional:
            lines.append(
                f"{indent}{storage} = _CONSTANT if {operand.name} is None "
                f"else _storage_of({operand.name})"
            )
        else:
            lines += [
                f"{indent}{storage} = {operand.name}._storage",
                f"{indent}if {storage} is None:",
                *_new_storage_lines(indent + "    ", storage, operand.name),
            ]
        return f"(x_{operand.name}, {storage}, {storage}.version)"


def _new_storage_lines(indent: str, name: str, tensor: str) -> list[str]:
    return [
        f"{indent}{name} = {tensor}._storage = _new(_Storage)",
        f"{indent}{name}.version = {name}.history = 0",
        f"{indent}{name}.notes = ()",
    ]


def _passed(param: Any) -> str:
    return f"{param.name}={param.name}" if param.keyword_only else param.name


def _subsets(count: int, positions: list[int]) -> list[tuple[bool, ...]]:
    """Return all non-empty choices among the positions, the fullest last."""
    return [
        tuple(i in positions and bool(bits >> positions.index(i) & 1) for i in range(count))
        for bits in range(1, 1 << len(positions))
    ]


def require_flags(op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]) -> None:
    """Raise TypeError for an argument that must be a bool and is not."""
    wrong = op_errors.misused(op, operands, params)
    if wrong is not None:
        raise wrong


def with_number(op: Op, first: Any, second: Any) -> tuple[Any, Any, Any, Any]:
    """Return both operands and their arrays where one is a number that fits the other's dtype.

    The first array is ``None`` where this is not so.
    """
    unusual = first, second, None, None
    if slow_path.active or (op.check is not None and bool in (first.__class__, second.__class__)):
        return unusual
    if isinstance(second, NUMBERS) and isinstance(first, TensorBase) and op.takes_numbers[1]:
        array = getattr(first, "_array", None)  # a sparse tensor has none
        if array is None:
            return unusual
        constant = as_array(second, array.dtype)
        if (
            constant is not None
            and constant.dtype is array.dtype  # not so for one that came out of a pickle
            and array.dtype.char not in op.indirect
        ):
            return (first, _CONSTANT_TENSOR, array, constant)
    elif isinstance(first, NUMBERS) and isinstance(second, TensorBase) and op.takes_numbers[0]:
        array = getattr(second, "_array", None)  # a sparse tensor has none
        if array is None:
            return unusual
        constant = as_array(first, array.dtype)
        if (
            constant is not None
            and constant.dtype is array.dtype  # not so for one that came out of a pickle
            and array.dtype.char not in op.indirect
        ):
            return (_CONSTANT_TENSOR, second, constant, array)
    return unusual


def with_numbers(op: Op, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the operands and then their arrays, as `with_number` does, for any number of them."""
    unusual = (*operands, *(None for _ in operands))
    dtype = next(
        (
            each._array.dtype
            for each, meets in zip(operands, op.promoted, strict=True)
            if meets and isinstance(each, TensorBase)
        ),
        None,
    )
    if slow_path.active or dtype is None or dtype.char in op.indirect:
        return unusual
    tensors: list[Any] = []
    arrays: list[Any] = []
    for operand, described, meets, number in zip(
        operands, op.operands, op.promoted, op.takes_numbers, strict=True
    ):
        if operand is None and described.optional:
            tensor, array = None, None
        elif isinstance(operand, TensorBase) and (not meets or operand._array.dtype is dtype):
            tensor, array = operand, operand._array
        elif meets and number and isinstance(operand, NUMBERS):
            tensor, array = _CONSTANT_TENSOR, as_array(operand, dtype)
            if array is None or array.dtype is not dtype:
                return unusual
            if operand.__class__ is bool and op.check is not None:
                return unusual
        else:
            return unusual
        tensors.append(tensor)
        arrays.append(array)
    return (*tensors, *arrays)


def _constant_tensor() -> TensorBase:
    """Return what stands in for a number: it has no history and never changes."""
    tensor = _new(TensorBase)
    tensor._array = tensor._edge = tensor._view = tensor._grad = tensor._extra = None
    tensor._storage = CONSTANT
    return tensor


_CONSTANT_TENSOR = _constant_tensor()

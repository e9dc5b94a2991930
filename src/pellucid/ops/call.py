"""Calling an op: compute, wrap the result, and record a node if a gradient may be wanted.

`call` says it in full, for every kind of op and operand. Each op's public function says the same
for the usual case alone, in code that is generated for it at its first call, and turns to `call`
for the rest. See Note [Generated calls].
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, cast

import numpy as np

from pellucid import observe
from pellucid.autograd.graph import BackwardRun, sequence
from pellucid.autograd.modes import modes
from pellucid.autograd.sites import GENERATED, library_files, user_frame
from pellucid.autograd.storage import CONSTANT, Storage
from pellucid.autograd.variable import Edge, TensorBase, View, ViewOrigin, extra_of, storage_of
from pellucid.backends.numpy import cpu
from pellucid.dtypes import is_differentiable, result_dtype
from pellucid.errors import ArgumentTypeError, GraphError
from pellucid.observe import attention
from pellucid.ops import blame
from pellucid.ops.history import edge_of
from pellucid.ops.numbers import NUMBERS, as_array, is_number
from pellucid.ops.op import Op, OpFunction, OpNode, registry, tensor_class
from pellucid.ops.saving import plan_for
from pellucid.shapes import Meta

# Note [Generated calls]
# Between `a * b` and NumPy's multiply there is little to do, but doing it by looping over operands
# and asking the op about itself would take longer than the multiplication. So for ops with one to
# three tensors the steps are written out as source, in the way `dataclasses` writes `__init__`, and
# compiled at the first call (not at import, which stays quick). Until then the public function
# holds a stub, whose code is then replaced; so it can be bound anywhere, as a method too.

ndarray = np.ndarray
_new = object.__new__


def public_function(op: Op) -> OpFunction:
    """Register the op and return its public function."""
    registry[op.name] = op
    namespace: dict[str, Any] = {"__name__": op.body.__module__, "_op": op, "_compile": compile_call}
    exec(_STUB_CODE, namespace)  # noqa: S102
    function = namespace["stub"]
    function.__name__ = function.__qualname__ = op.name
    function.__doc__ = op.body.__doc__
    function.__module__ = op.body.__module__
    function.op = op
    function.vjp = functools.partial(_derivative, op, False)
    function.partial = functools.partial(_derivative, op, True)
    function.jvp = functools.partial(_forward_derivative, op)
    function.into = functools.partial(_into, op)
    op.function = function
    return cast("OpFunction", function)


_STUB_CODE = compile(
    "def stub(*args, **kwargs):\n    return _compile(_op)(*args, **kwargs)\n", GENERATED, "exec"
)


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


def signature(op: Op) -> inspect.Signature:
    """Return the public signature: the body's without the backend."""
    return inspect.Signature(
        [
            parameter.replace(kind=_public_kind(parameter.kind))
            for parameter in list(inspect.signature(op.body).parameters.values())[1:]
        ]
    )


def _public_kind(kind: Any) -> Any:
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return positional if kind is inspect.Parameter.POSITIONAL_ONLY else kind


def compile_call(op: Op) -> FunctionType:
    """Generate the op's call and put it in the place of the stub."""
    function = op.function
    namespace = function.__globals__
    namespace.update(
        _body=op.body, _be=cpu, _ndarray=ndarray, _asarray=np.asarray, _attention=attention,
        _general=call, _failed=failed, _new=_new, _Tensor=tensor_class.cls, _modes=modes,
        _edge_of=edge_of, _Node=op.node_class, _Storage=Storage, _storage_of=storage_of,
        _sequence=sequence, _getframe=sys._getframe, _library=library_files, _View=View,
        _F32=np.dtype(np.float32), _F64=np.dtype(np.float64), _choose=choose_backward,
        _with_number=with_number, _op=op,
    )  # fmt: skip
    kernel = _plain_kernel(op)
    if kernel is not None:
        namespace["_kernel"] = kernel
    code = _Writer(op).source(namespace)
    exec(compile(code, GENERATED, "exec"), namespace)  # noqa: S102
    made = namespace.pop(op.name)
    function.__code__ = made.__code__
    function.__defaults__ = made.__defaults__
    function.__kwdefaults__ = made.__kwdefaults__
    return function


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
    """Return the backend function that is all the body calls when its parameters are the defaults."""
    if op.variadic or not op.single or not all(param.has_default for param in op.params):
        return None
    recorder, operands = _Recorder(), tuple(object() for _ in op.operands)
    try:
        returned = op.body(recorder, *operands, **{p.name: p.default for p in op.params})
    except (TypeError, AttributeError, ValueError):
        return None
    if returned is not recorder or len(recorder.calls) != 1 or recorder.calls[0][1:] != (operands, {}):
        return None
    return getattr(cpu, recorder.calls[0][0])


class _Writer:
    """Write the source of one op's call."""

    def __init__(self, op: Op) -> None:
        self.op = op
        self.names = [operand.name for operand in op.operands]

    def source(self, namespace: dict[str, Any]) -> str:
        op = self.op
        head = f"def {op.name}({self._parameters(namespace)}):"
        if op.variadic or len(self.names) > 3 or not op.single or not self.names:
            return f"{head}\n    return {self._general()}"
        lines = [head, *self._values(), *self._compute(), *self._wrap()]
        if op.family.recorded and op.formulas:
            lines += self._record()
        else:
            lines += ["    result._edge = None"]
        return "\n".join([*lines, "    return result"])

    def _parameters(self, namespace: dict[str, Any]) -> str:
        texts = [f"{o.name}=None" if o.optional else o.name for o in self.op.operands]
        star = False
        for param in self.op.params:
            if param.keyword_only and not star:
                texts.append("*")
                star = True
            if param.has_default:
                namespace[f"_default_{param.name}"] = param.default
                texts.append(f"{param.name}=_default_{param.name}")
            else:
                texts.append(param.name)
        return ", ".join(texts)

    def _tuple(self, names: list[str]) -> str:
        return "(" + "".join(f"{name}, " for name in names) + ")"

    def _param_tuple(self) -> str:
        return self._tuple([param.name for param in self.op.params])

    def _general(self) -> str:
        return f"_general(_op, {self._tuple(self.names)}, {self._param_tuple()})"

    def _body(self, arrays: list[str]) -> str:
        full = f"_body({', '.join(['_be', *arrays, *map(_passed, self.op.params)])})"
        if "_kernel" not in self.op.function.__globals__:
            return full
        usual = " and ".join(f"{p.name} is _default_{p.name}" for p in self.op.params)
        short = f"_kernel({', '.join(arrays)})"
        return f"{short} if {usual} else {full}" if usual else short

    def _values(self) -> list[str]:
        """Take the arrays; numbers, unlike dtypes and anything unusual go the general way."""
        required = [o.name for o in self.op.operands if not o.optional]
        optional = [o.name for o in self.op.operands if o.optional]
        lines = [
            f"    if {required[0]}.__class__ is _ndarray:",
            f"        return {self._body(self.names)}",
            "    try:",
            *(f"        x_{name} = {name}._array" for name in required),
            *(
                f"        x_{name} = None if {name} is None else {name}._array"
                for name in optional
            ),
            "    except AttributeError:",
        ]
        first = f"x_{required[0]}"
        if self.op.promotes and len(required) == 2 and not optional:
            pair = f"{required[0]}, {required[1]}, {first}, x_{required[1]}"
            lines.append(f"        {pair} = _with_number({required[0]}, {required[1]})")
        else:
            lines.append(f"        {first} = None")
        unusual = [f"{first} is None", "_attention.needed"]
        if self.op.promotes:
            unusual += [
                f"x_{required[0]}.dtype is not x_{name}.dtype" for name in required[1:]
            ]
        return [*lines, f"    if {' or '.join(unusual)}:", f"        return {self._general()}"]

    def _compute(self) -> list[str]:
        arrays = [f"x_{name}" for name in self.names]
        return [
            "    try:",
            f"        out = {self._body(arrays)}",
            "    except Exception as error:",
            f"        return _failed(error, _op, {self._tuple(self.names)}, {self._param_tuple()})",
        ]

    def _wrap(self) -> list[str]:
        lines = [
            "    if out.__class__ is not _ndarray:",
            "        out = _asarray(out)",
            "    result = _new(_Tensor)",
            "    result._array = out",
            "    result._grad = result._extra = None",
        ]
        if not self.op.family.view:
            return [*lines, "    result._storage = result._view = None"]
        base = self.names[0]
        return [
            *lines,
            f"    storage = result._storage = {base}._storage or _storage_of({base})",
            "    link = result._view = _new(_View)",
            f"    link.base = {base} if {base}._view is None else {base}._view.base",
            "    link.history = storage.history",
            "    link.origin = 0 if _modes.grad_enabled else 1",
        ]

    def _record(self) -> list[str]:
        """Make the node; one branch for each set of operands that need a gradient."""
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
                    f"{name}._view.history != {name}._storage.history:",
                    f"        {edge} = _edge_of({name})",
                ]
        positions = [i for i, name in enumerate(self.names) if name in self.op.formulas]
        none = " and ".join(f"e{i} is None" for i in positions)
        edges = "".join(f"e{i}, " for i in range(len(self.names)))
        params = self._param_tuple() if self.op.params else "None"
        lines += [
            f"    if {none} or not _modes.grad_enabled:",
            "        result._edge = None",
            "        return result",
            "    dtype = out.dtype",
            "    if dtype is not _F32 and dtype is not _F64 and dtype.kind not in 'fc':",
            "        result._edge = None",
            "        return result",
            "    node = _new(_Node)",
            f"    node.edges = ({edges})",
            *self._saved_branches(positions),
            f"    node.params = {params}",
            "    node.shape = out.shape",
            "    node.dtype = dtype",
            "    if dtype is not _F32 and dtype is not _F64:",
            "        node.backward = _choose(_op, dtype, node.backward)",
            "    node.metas = node.extra = None",
            "    node.scope = _modes.scope if _attention.scopes else None",
            "    node.seq = next(_sequence)",
            "    frame = _getframe(1)",
            "    code = frame.f_code",
            "    while _library[code.co_filename]:",
            "        frame = frame.f_back",
            "        code = frame.f_code",
            "    node.code = code",
            "    node._lasti = frame.f_lasti",
            "    result._edge = (node, 0)",
        ]
        return lines

    def _saved_branches(self, positions: list[int]) -> list[str]:
        lines: list[str] = []
        namespace = self.op.function.__globals__
        masks = _subsets(len(self.names), positions)
        for number, needed in enumerate(masks):
            plan = plan_for(self.op, needed)
            namespace[f"_backward{number}"] = plan.backward
            if len(masks) > 1:
                tests = [f"e{i} is {'not ' if needed[i] else ''}None" for i in positions]
                word = "if" if number == 0 else "elif"
                last = number == len(masks) - 1
                lines.append("    else:" if last else f"    {word} {' and '.join(tests)}:")
            indent = "        " if len(masks) > 1 else "    "
            entries = "".join(
                self._entry_lines(want, indent, lines) + ", " for want in plan.saves
            )
            lines += [
                f"{indent}node.saved = {f'({entries})' if entries else 'None'}",
                f"{indent}node.backward = _backward{number}",
            ]
        return lines

    def _entry_lines(self, want: Any, indent: str, lines: list[str]) -> str:
        """Write what finds a saved value's storage; return the text of its entry."""
        if want.kind == "like":
            name = self.names[want.index]
            self.op.function.__globals__.setdefault("_Meta", Meta)
            self.op.function.__globals__.setdefault("_CONSTANT", CONSTANT)
            return f"(_Meta(x_{name}.shape, x_{name}.dtype), _CONSTANT, 0)"
        if want.kind == "output":
            if self.op.family.view:
                return "(out, storage, storage.version)"
            lines += _new_storage_lines(indent, "kept", "result")
            return "(out, kept, 0)"
        operand = self.op.operands[want.index]
        storage = f"s{want.index}"
        self.op.function.__globals__.setdefault("_CONSTANT", CONSTANT)
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
        f"{indent}{name}.changes = ()",
    ]


def _passed(param: Any) -> str:
    return f"{param.name}={param.name}" if param.keyword_only else param.name


def _subsets(count: int, positions: list[int]) -> list[tuple[bool, ...]]:
    """Return all non-empty choices among the positions, the fullest last."""
    return [
        tuple(i in positions and bool(bits >> positions.index(i) & 1) for i in range(count))
        for bits in range(1, 1 << len(positions))
    ]


def choose_backward(op: Op, dtype: np.dtype[Any], backward: Callable[..., Any]) -> Any:
    """Return the backward for a result of this dtype: a conjugating one for complex numbers."""
    if dtype.kind == "c" and op.holomorphic:
        return conjugating(backward)
    return backward


# Note [Conjugation]
# The gradient of a real loss by a complex z is dL/dx + i dL/dy, the conjugate of what a formula
# written for real numbers gives: for a holomorphic op, grad_in = conj(f') * grad_out, which is
# conj(f' * conj(grad_out)). So a formula is the plain transpose, and here both conjugations are
# applied around it, for every op at once; a formula that is no plain transpose says
# `holomorphic=False` and conjugates itself.


@functools.cache
def conjugating(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a backward so that its formulas see and return conjugates."""

    def conjugated(node: Any, g: Any) -> tuple[Any, ...]:
        turned = [None if each is None else each.conj() for each in g] if node.metas else g.conj()
        return tuple(
            None if grad is None else grad.conj() for grad in backward(node, turned)
        )

    return conjugated


def with_number(first: Any, second: Any) -> tuple[Any, Any, Any, Any]:
    """Return both operands and their arrays where one is a number that fits the other's dtype.

    The first array is ``None`` where this is not so.
    """
    if isinstance(second, NUMBERS) and isinstance(first, TensorBase):
        array = first._array
        constant = as_array(second, array.dtype)
        if constant is not None:
            return (first, _CONSTANT_TENSOR, array, constant)
    elif isinstance(first, NUMBERS) and isinstance(second, TensorBase):
        array = second._array
        constant = as_array(first, array.dtype)
        if constant is not None:
            return (_CONSTANT_TENSOR, second, constant, array)
    return first, second, None, None


def _constant_tensor() -> TensorBase:
    """Return what stands in for a number: it has no history and never changes."""
    tensor = _new(TensorBase)
    tensor._array = tensor._edge = tensor._view = tensor._grad = tensor._extra = None
    tensor._storage = CONSTANT
    return tensor


_CONSTANT_TENSOR = _constant_tensor()


def failed(
    error: Exception, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]
) -> Any:
    """Try again without floating-point warnings if one was made an error; else explain."""
    if isinstance(error, FloatingPointError | RuntimeWarning):
        with np.errstate(all="ignore"):
            return call(op, operands, params)
    raise blame.explained(error, op, operands, params) from error


def call(op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Any:
    """Call an op the general way: any operands, any modes, with observers.

    Arrays give arrays: this is how a formula runs in an ordinary backward.
    """
    flat = tuple(operands[0]) if op.variadic else operands
    if not any(isinstance(each, TensorBase) for each in flat) and any(
        isinstance(each, ndarray | np.generic) for each in flat
    ):
        return run_body(op, operands, params)
    arrays = operand_arrays(op, flat)
    try:
        returned = run_body(op, [arrays] if op.variadic else arrays, params)
    except Exception as error:
        return failed(error, op, operands, params)
    results = [wrapped(out) for out in _as_list(op, returned)]
    outputs = results if op.many else results[: len(op.outputs)]
    if op.family.view:
        for output in outputs:
            _link_view(output, flat[0], op.many)
    record(op, flat, arrays, params, results, outputs)
    if attention.needed:
        _attend(op, flat, arrays, params, outputs)
    return outputs[0] if len(op.outputs) == 1 and not op.many else op.returns(outputs)


def run_body(op: Op, arrays: Any, params: tuple[Any, ...]) -> Any:
    """Run the op's body on arrays."""
    positional = len(params) - op.keyword_only_count
    keywords = {
        param.name: value
        for param, value in zip(op.params[positional:], params[positional:], strict=True)
    }
    return op.body(cpu, *arrays, *params[:positional], **keywords)


def _as_list(op: Op, returned: Any) -> list[Any]:
    return [returned] if op.single else list(returned)


def wrapped(array: Any) -> TensorBase:
    """Return a new tensor without history around an array."""
    tensor = _new(tensor_class.cls)
    tensor._array = array if array.__class__ is ndarray else np.asarray(array)
    tensor._edge = tensor._storage = tensor._view = tensor._grad = tensor._extra = None
    return tensor


def operand_arrays(op: Op, operands: tuple[Any, ...]) -> list[Any]:
    """Return the operands' arrays, in a common dtype where the op promotes.

    Raises TypeError for an operand that is neither tensor nor number.
    """
    arrays: list[Any] = []
    for position, operand in enumerate(operands):
        if isinstance(operand, TensorBase):
            arrays.append(operand._array)
        elif operand is None and (op.variadic or op.operands[position].optional):
            arrays.append(None)
        elif is_number(operand):
            arrays.append(operand)
        elif isinstance(operand, ndarray) and op.promotes:
            arrays.append(operand)
        else:
            raise blame.not_a_tensor(op, position, operand)
    present = [array for array in arrays if array is not None]
    if all(isinstance(array, ndarray) for array in present) and not op.promotes:
        return arrays
    if not any(isinstance(array, ndarray) for array in present):
        raise blame.not_a_tensor(op, 0, operands[0] if operands else None)
    common = result_dtype(present)
    if not op.promotes:
        return [a if a is None or isinstance(a, ndarray) else as_array(a, common, force=True) for a in arrays]
    return [
        None if array is None
        else array.astype(common, copy=False) if isinstance(array, ndarray)
        else as_array(array, common, force=True)
        for array in arrays
    ]  # fmt: skip


def _link_view(output: TensorBase, base: TensorBase, one_of_many: bool) -> None:
    storage = output._storage = storage_of(base)
    origin = ViewOrigin.ORDINARY if modes.grad_enabled else ViewOrigin.NO_GRAD
    if one_of_many:
        origin = ViewOrigin.MULTIPLE_OUTPUTS
    root = base if base._view is None else base._view.base
    output._view = View(root, storage.history, origin)


def record(
    op: Op, operands: tuple[Any, ...], arrays: list[Any], params: tuple[Any, ...],
    results: list[TensorBase], outputs: list[TensorBase],
) -> OpNode | None:  # fmt: skip
    """Give the outputs a node, if recording is on and an operand requires grad."""
    if not op.family.recorded or not modes.grad_enabled:
        return None
    edges = tuple(edge_of(each) if isinstance(each, TensorBase) else None for each in operands)
    if all(edge is None for edge in edges):
        return None
    differentiable = [is_differentiable(output._array.dtype) for output in outputs]
    if not any(differentiable):
        return None
    if not op.formulas:
        raise GraphError(f"the derivative for '{op.name}' is not implemented")
    node = make_node(op, operands, arrays, params, results, edges)
    first = outputs[0]._array
    if len(outputs) == 1 and not op.many:
        node.shape, node.dtype, node.metas = first.shape, first.dtype, None
    else:
        node.shape, node.dtype = None, None
        node.metas = tuple(Meta(each._array.shape, each._array.dtype) for each in outputs)
    complex_output = next((o._array.dtype for o in outputs if o._array.dtype.kind == "c"), None)
    if complex_output is not None:
        node.backward = choose_backward(op, complex_output, node.backward)
    for slot, output in enumerate(outputs):
        output._edge = (node, slot) if differentiable[slot] else None
    return node


def make_node(
    op: Op, operands: tuple[Any, ...], arrays: list[Any], params: tuple[Any, ...],
    results: list[TensorBase] | None, edges: tuple[Edge | None, ...],
) -> OpNode:  # fmt: skip
    """Make an op's node with what it saves; shape and dtype of its outputs are told by the caller.

    An in-place op gives no results yet: `fill_outputs` adds them after the change.
    """
    needed = (any(e is not None for e in edges),) if op.variadic else tuple(
        edge is not None for edge in edges
    )  # fmt: skip
    plan = plan_for(op, needed)
    node = _new(op.node_class)
    node.edges = edges
    node.saved = (
        tuple(_saved_entry(op, want, operands, arrays, results) for want in plan.saves) or None
    )
    node.backward = plan.backward
    node.params = params or None
    node.extra = None
    node.scope = modes.scope
    node.seq = next(sequence)
    node.code, node._lasti = user_frame(2)
    return node


def fill_outputs(node: OpNode, op: Op, results: list[TensorBase]) -> None:
    """Save what the node wants of its results, once they are there."""
    if node.saved is None:
        return
    wants = node.plan.saves
    node.saved = tuple(
        _saved_entry(op, want, (), [], results) if want.kind == "output" else entry
        for want, entry in zip(wants, node.saved, strict=True)
    )


def _saved_entry(
    op: Op, want: Any, operands: tuple[Any, ...], arrays: list[Any],
    results: list[TensorBase] | None,
) -> Any:  # fmt: skip
    if want.kind == "output":
        if results is None:
            return None
        tensor, array = results[want.index], results[want.index]._array
    else:
        tensor, array = operands[want.index], arrays[want.index]
    if want.kind == "like":
        return (Meta(array.shape, array.dtype), CONSTANT, 0)
    if not isinstance(tensor, TensorBase):
        return (array, CONSTANT, 0)
    if tensor._extra is not None and tensor._extra.inference:
        raise GraphError(
            "Inference tensors cannot be saved for backward. Please do not use Tensors created in "
            "inference mode in computation tracked by autograd. To work around this, you can make "
            "a clone to get a normal tensor and use it in autograd."
        )
    if modes.saved_tensor_hooks:
        return _packed(tensor, array)
    if array is not tensor._array:  # promoted: a copy that nobody else can change
        return (array, CONSTANT, 0)
    storage = storage_of(tensor)
    return (array, storage, storage.version)


def _packed(tensor: TensorBase, array: Any) -> Any:
    from pellucid.autograd.saved import pack

    detached = wrapped(array)
    detached._storage = storage_of(tensor)
    return pack(detached, modes.saved_tensor_hooks[-1])


def _attend(
    op: Op, operands: tuple[Any, ...], arrays: list[Any], params: tuple[Any, ...],
    outputs: list[TensorBase],
) -> None:  # fmt: skip
    """Do what the modes and listeners ask for that are seldom there."""
    if modes.inference:
        for output in outputs:
            extra_of(output).inference = True
    if modes.forward_levels:
        from pellucid.ops.forward_mode import push_tangents

        push_tangents(op, operands, arrays, params, outputs)
    edge = outputs[0]._edge if outputs else None
    if edge is not None:
        observe.emit("node", edge[0])

"""The public function of an op: its call, written out as source for the usual case, and compiled.

`call_template` has the source; here is what it names.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from pellucid.autograd.modes import modes
from pellucid.autograd.node import sequence
from pellucid.autograd.sites import library_files, user_frame
from pellucid.autograd.storage import CONSTANT, InferenceStorage, Storage
from pellucid.autograd.variable import TensorBase, View, storage_of
from pellucid.core.backward.history import edge_of
from pellucid.core.backward.node_backward import node_class_for, node_class_of
from pellucid.core.backward.plan import choose_backward
from pellucid.core.call.call import call, generated_failed, saved_by_plan, usual_arrays
from pellucid.core.call.compiled import compiled_call, compiled_change
from pellucid.core.call.generated import DeferredSignature, deferred
from pellucid.core.call.number_operands import with_number, with_numbers
from pellucid.core.call.operator_calls import call_operator
from pellucid.core.call.overriding import is_general
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.op import Op, OpFunction, registry
from pellucid.core.definition.source import as_comment, help_text
from pellucid.core.errors import op_errors
from pellucid.core.errors.aliases import ABSENT, call_renamed, call_scaled
from pellucid.core.from_above import from_above
from pellucid.core.memory.layouts import arranged, follows_first_operand
from pellucid.docstrings import arguments_in, clean, completed, with_arguments
from pellucid.kernels.active import cpu
from pellucid.kernels.numpy.precision import quiet
from pellucid.observe import slow_path
from pellucid.shapes import Meta


def public_function(op: Op) -> OpFunction:
    """Register the op and return its public function.

    Raises TypeError if the op names a kernel that there is not.
    """
    if op.kernel is not None and not cpu.has_kernel(op.kernel):
        raise TypeError(f"the declaration of {op.name}: there is no kernel {op.kernel!r}")
    registry[op.name] = op
    op.function = _public_call(op, _deferred_call(op))
    return op.function


def operator_function(op: Op) -> OpFunction:
    """Return the op's function for Python's operators, which leaves foreign operands to Python."""
    return _public_call(op, _deferred_call(op, general=call_operator))


def _public_call(op: Op, function: Any) -> OpFunction:
    """Return the compiled call in front of a generated one, which knows it as ``public``."""
    function.public = compiled_call(op, function, plain_kernel)
    return function.public


def function_with_out(op: Op, write: Callable[..., Any]) -> OpFunction:
    """Return the op's public function with an argument more: ``out``, where the result goes.

    ``write(op, operands, params, out)`` does it if it is given.
    """
    return _public_call(op, _deferred_call(op, write))


def _deferred_call(
    op: Op, write: Callable[..., Any] | None = None, general: Callable[..., Any] = call
) -> FunctionType:
    """Return the op's function, with its derivatives' decorators; compiled when first called."""
    described = op.name if write is None else f"{op.name}(out=)"
    if general is not call:
        described = f"operator {op.name}"
    function: Any = deferred(
        op.name,
        described,
        op.body.__module__,
        lambda namespace: _call_source(op, function, namespace, write, general),
        lambda: as_comment(op),
    )
    function.__doc__ = _documentation(op)
    function.__module__ = op.body.__module__
    function.__signature__ = DeferredSignature(lambda: signature(op, takes_out=write is not None))
    function.getdoc = partial(help_text, op)  # what IPython shows for ``?``
    function.op = op
    function.vjp = op.add_vjp
    function.partial = op.add_partial
    function.jvp = op.add_jvp
    function.out_variant = op.add_out_variant
    function.check = op.add_check
    return function


def _documentation(op: Op) -> str | None:
    """Return the docstring of the body, with what follows from the declaration.

    That is what it says of dtypes, and the operands of which the docstring says nothing if the op
    is elementwise.
    """
    text = completed(op.body).__doc__
    if text is None or not op.dtypes.meeting:
        return text
    text, names = clean(text), tuple([operand.name for operand in op.operands])
    section, entries = op.dtypes.docstring_section(names, op.unsupported), ""
    if op.batch is Batch.ELEMENTWISE:
        missing = tuple([name for name in names if f"\n    {name}: " not in text])
        entries = op.dtypes.operand_entries(names, missing) if missing else ""
    return with_arguments(text, section, entries) if section or entries else text


def signature(op: Op, takes_out: bool = False) -> inspect.Signature:
    """Return the public signature: the body's without the backend."""
    parameters = [
        parameter.replace(kind=_public_kind(parameter.kind))
        for parameter in list(inspect.signature(op.body).parameters.values())[1:]
    ]
    order = op.order
    if order is not None:
        count = len(order)
        parameters[:count] = sorted(parameters[:count], key=lambda each: order.index(each.name))
    if takes_out:
        parameters.append(inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None))
    return inspect.Signature(parameters)


def _public_kind(kind: Any) -> Any:
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return positional if kind is inspect.Parameter.POSITIONAL_ONLY else kind


def _call_source(
    op: Op, function: FunctionType, namespace: dict[str, Any], write: Callable[..., Any] | None,
    general: Callable[..., Any],
) -> str:  # fmt: skip
    """Return the source of the op's call, and fill the namespace with what it names."""
    from pellucid.core.call.call_template import call_source

    namespace.update(
        _body=op.body, _be=cpu, _ndarray=np.ndarray, _asarray=np.asarray, _slow_path=slow_path,
        _is_general=is_general, _general=general, _failed=generated_failed, _new=object.__new__,
        _Tensor=from_above.tensor, _TensorBase=TensorBase, _InferenceStorage=InferenceStorage,
        _modes=modes, _edge_of=edge_of, _Node=node_class_of(op), _Storage=Storage,
        _node_class_for=node_class_for,
        _storage_of=storage_of, _sequence=sequence, _getframe=sys._getframe,
        _library=library_files, _View=View, _F32=np.dtype(np.float32), _F64=np.dtype(np.float64),
        _choose=choose_backward, _with_number=with_number, _with_numbers=with_numbers, _op=op,
        _returns=op.returns, _usual=usual_arrays, _COMPLEX=np.dtype(np.complex128), _write=write,
        _self=function, _ABSENT=ABSENT, _call_renamed=call_renamed, _call_scaled=call_scaled,
        _layout=op.layout, _follows_first=follows_first_operand, _arranged=arranged,
        _require_flags=require_flags, _saved_by_plan=saved_by_plan,
        _kernel=plain_kernel(op), _Meta=Meta, _CONSTANT=CONSTANT,
    )  # fmt: skip
    return call_source(op, namespace, takes_out=write is not None)


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
        f"In-place version of :func:`{op.name}`: write the result into the first operand.\n"
        f"{arguments_in(op.function.__doc__)}"
    )
    function.__module__ = op.body.__module__
    function.__signature__ = DeferredSignature(lambda: signature(op))
    function.public = compiled_change(op, function, name, plain_kernel)
    return function.public


def _inplace_source(
    op: Op, change: Callable[..., Any], function: FunctionType, namespace: dict[str, Any]
) -> str:
    """Return the source of the in-place variant, and fill the namespace with what it names."""
    from pellucid.core.call.call_template import inplace_source

    namespace.update(
        _slow_path=slow_path, _is_general=is_general, _be=cpu, _change=change,
        _InferenceStorage=InferenceStorage,
        _into=op.out_variant,
        _library=library_files, _modes=modes, _note=note_inplace_change, _op=op, _quiet=quiet,
        _with_number=with_number, _with_numbers=with_numbers, _self=function, _ABSENT=ABSENT,
        _call_renamed=call_renamed, _call_scaled=call_scaled, _require_flags=require_flags,
    )  # fmt: skip
    return inplace_source(op, namespace)


def is_plain_memory(tensor: TensorBase) -> bool:
    """Return whether a change in place has nothing to do but write and `note_inplace_change`."""
    return (
        tensor._edge is None
        and tensor._view is None
        and tensor._array.flags.forc
        and tensor._storage.__class__ is not InferenceStorage
        and not (slow_path.general and is_general(tensor))
    )


def note_inplace_change(tensor: TensorBase, name: str) -> None:
    """Count a change of the tensor by an in-place op that the user's line called."""
    storage_of(tensor).note_change(name, *user_frame(3))


def plain_kernel(op: Op) -> Callable[..., Any] | None:
    """Return the backend function that computes the op, given the default parameters."""
    return None if op.kernel is None else getattr(cpu, op.kernel)


def require_flags(op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]) -> None:
    """Raise TypeError for an argument that must be a bool and is not."""
    wrong = op_errors.misused(op, operands, params)
    if wrong is not None:
        raise wrong

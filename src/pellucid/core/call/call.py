"""Calling an op: compute, wrap the result, and record a node if a gradient may be wanted.

`call` says it in full, for every kind of op and operand, and for every mode. The functions that
`pellucid.core.call.fast_call` makes say the same for the usual case alone, and turn to it for the
rest.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np

from pellucid._native import compiled
from pellucid.autograd.modes import anomaly, modes
from pellucid.autograd.node import PARENT, sequence
from pellucid.autograd.saved import saved_entry
from pellucid.autograd.sites import user_frame
from pellucid.autograd.storage import CONSTANT
from pellucid.autograd.variable import (
    Edge,
    TensorBase,
    View,
    ViewOrigin,
    is_inference,
    make_inference,
    storage_of,
)
from pellucid.core.backward.history import edge_of
from pellucid.core.backward.node_backward import node_class_for
from pellucid.core.backward.plan import choose_backward, plan_for, plan_of
from pellucid.core.call import opmath
from pellucid.core.call.interpreter import Execution
from pellucid.core.call.number_operands import storage_of_number
from pellucid.core.call.overriding import public_arguments, relevant, take_over
from pellucid.core.definition.numbers import as_array, is_number
from pellucid.core.definition.op import FormulaInput, Op, OpNode
from pellucid.core.errors import op_errors
from pellucid.core.from_above import from_above
from pellucid.core.memory.layouts import arranged
from pellucid.core.memory.memory_formats import converted
from pellucid.dtypes import (
    default,
    is_complex_dtype,
    is_differentiable,
    is_float8,
    is_half,
    result_dtype,
    scalar_name,
    to_numpy_dtype,
    wide_counterpart,
)
from pellucid.errors import ArgumentTypeError, DtypeError, GraphError
from pellucid.kernels.active import cpu, kernels_for
from pellucid.kernels.meta import MetaArray, any_meta, as_meta
from pellucid.kernels.numpy.precision import silence
from pellucid.observe import emit, observed, observers, slow_path
from pellucid.shapes import Meta, items_of

ndarray = np.ndarray
_new = object.__new__
_F32 = np.dtype(np.float32)
_F64 = np.dtype(np.float64)


def usual_arrays(op: Op, tensors: Any) -> list[Any] | None:
    """Return the arrays of a list of tensors if they have one dtype in which the body computes."""
    if tensors.__class__ is not list and tensors.__class__ is not tuple:
        return None
    arrays = _of_one_dtype(tensors)
    return None if arrays is None or "f" in op.unsupported else arrays


def generated_failed(
    error: Exception, op: Op, operands: tuple[Any, ...], arrays: tuple[Any, ...],
    params: tuple[Any, ...],
) -> Any:  # fmt: skip
    """Explain a failure as `failed` does, with the numbers that constants replaced."""
    given = tuple(
        array.item() if isinstance(each, TensorBase) and each._array is None else each
        for each, array in zip(operands, arrays, strict=True)
    )
    return failed(error, op, given, params)


def failed(error: Exception, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Any:
    """Try again without floating-point warnings if one was made an error; else explain."""
    if isinstance(error, FloatingPointError | RuntimeWarning):
        with silence():
            return compute(op, tuple(operands[0]) if op.variadic else operands, params)
    if isinstance(error, Warning):
        raise error
    raise op_errors.explained(error, op, operands, params) from None


def call(op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], function: Any = None) -> Any:
    """Call an op the general way: any operands, any modes, with listeners.

    ``function`` is the public one that was called, if the operands may take it over.
    """
    if function is not None:
        taking = relevant((*operands, *params))
        if taking or modes.function_modes:
            return take_over(function.public, taking, *public_arguments(op, operands, params))
    if op.variadic and isinstance(operands[0], TensorBase):
        raise _no_tuple(op, "Tensor")
    if op.variadic and not isinstance(operands[0], Iterable):
        wrong = _no_tuple(op, type(operands[0]).__name__)
        raise type(wrong)(f"{wrong}{op_errors.op_context(op, operands, params)}")
    flat = tuple(items_of(operands[0])) if op.variadic else operands
    stack = (*modes.interpreters, *interpreter_of(flat))
    if observers:
        return observed("op", op.name, flat, _call_observed, stack, op, flat, params)
    return _interpret(stack, op, flat, params)


def _call_observed(
    stack: tuple[Any, ...], op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]
) -> Any:
    """Call an op as where nobody observes, unless something else asks for the general way."""
    if compiled is not None and len(slow_path.active) == len(observers) and not stack:
        result = compiled.call_usually(op.function, operands, params)
        if result is not NotImplemented:
            return result
    return _interpret(stack, op, operands, params)


def _no_tuple(op: Op, found: str) -> ArgumentTypeError:
    return ArgumentTypeError(
        f"{op.torch_name}(): argument '{op.operands[0].name}' (position 1) must be tuple of "
        f"Tensors, not {found}"
    )


def interpreter_of(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the interpreter that an operand brings along: a sparse one, or one without values."""
    for each in operands:
        if isinstance(each, TensorBase):
            if each._interpreter is not None:
                return (each._interpreter,)
            if each._array.__class__ is MetaArray:
                return (MetaArray.interpreter,)
    return ()


def _interpret(
    stack: tuple[Any, ...], op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]
) -> Any:
    """Call the topmost interpreter, which may go on to those below; below all, compute."""
    if stack:
        return stack[-1].call(op, operands, params, functools.partial(_interpret, stack[:-1]))
    if compiled is not None and _interpreters_alone():
        result = compiled.call_usually(op.function, operands, params)
        if result is not NotImplemented:
            return result
    return compute(op, operands, params)


def _interpreters_alone() -> bool:
    """Return whether only interpreters ask for the general way, and none notes what is computed."""
    interpreters = modes.interpreters
    if len(slow_path.active) != len(interpreters) or modes.inference:
        return False
    return not any(each.notes for each in interpreters)


def compute(op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Any:
    """Compute and record an op, whatever the interpreters are; then tell them.

    Arrays give arrays: this is how a formula runs in an ordinary backward.
    """
    given = (list(operands),) if op.variadic else operands
    if operands and _are_arrays(operands):
        return run_body(op, given, params)
    arrays: list[Any] = []
    try:
        arrays = operand_arrays(op, operands, params)
        with silence():
            returned = run_body(op, [arrays] if op.variadic else arrays, params)
    except Exception as error:  # noqa: BLE001 - explained, whatever it is
        return failed(error, op, given, params)
    results = [new_tensor(out) for out in ([returned] if op.single else returned)]
    if op.family.view:
        for output in results:
            _link_view(output, operands[0], op.many)
    record(op, operands, arrays, params, results)
    if slow_path.active:
        _notify(Execution(op, operands, params, arrays, results))
    return results[0] if len(op.outputs) == 1 and not op.many else op.returns(results)


def _are_arrays(operands: tuple[Any, ...]) -> bool:
    """Return whether there are arrays and no tensors among the operands."""
    if isinstance(operands[0], TensorBase):
        return False
    return any(isinstance(each, ndarray | np.generic) for each in operands) and not any(
        isinstance(each, TensorBase) for each in operands
    )


def run_body(op: Op, arrays: Any, params: tuple[Any, ...]) -> Any:
    """Run the op's body on arrays; on those of half precision as Note [Half precision] says."""
    widen, narrow = opmath.precision(op, arrays, params)
    if widen or narrow is not None:
        returned = opmath.run_wide(op, _run_body, arrays, params, narrow)
    else:
        returned = _run_body(op, arrays, params)
    returned = arranged(op, returned, arrays[0] if op.variadic else arrays, tuple(arrays))
    return _without_values(op, returned) if any_meta(arrays) else returned


def _without_values(op: Op, returned: Any) -> Any:
    """Return outputs without values."""
    return as_meta(returned) if op.single or op.many else [*map(as_meta, returned)]


def _run_body(op: Op, arrays: Any, params: tuple[Any, ...]) -> Any:
    positional = len(params) - op.keyword_only_count
    keywords = {
        param.name: value
        for param, value in zip(op.params[positional:], params[positional:], strict=True)
    }
    return op.body(kernels_for(arrays), *arrays, *params[:positional], **keywords)


def _new_tensor(array: Any) -> TensorBase:
    """Return a new tensor without history around an array."""
    if array.__class__ is not ndarray:
        if hasattr(array, "__batched_tensor__"):
            return array.__batched_tensor__()
        if array.__class__ is not MetaArray:
            array = np.asarray(array)
    tensor = _new(from_above.tensor)
    tensor._array = array
    tensor._edge = tensor._storage = tensor._view = tensor._grad = tensor._extra = None
    return tensor


new_tensor = _new_tensor if compiled is None else compiled.wrapping(_new_tensor)


def operand_arrays(op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]) -> list[Any]:
    """Return the operands' arrays, in a common dtype where the op promotes.

    Raises TypeError for an operand that is neither tensor nor number, and RuntimeError for a dtype
    that the op is not defined for.
    """
    usual = _of_one_dtype(operands)
    arrays = _plain_arrays(op, operands) if usual is None else usual
    if usual is None and not (op.variadic or op.dtypes.numbers_alone):
        _require_tensor(op, operands, arrays)
    if op.check is not None:
        op.check(*arrays, *params)
    asked = _asked(op, arrays, params)
    if usual is not None and "f" not in op.unsupported:
        return usual
    present = [array for array in arrays if array is not None]
    _refuse_half(op, arrays, params, asked)
    if all(isinstance(array, ndarray) for array in present) and not op.promotes:
        return arrays
    if op.dtypes.numbers_alone and all(map(is_number, present)):
        arrays = present = [as_array(each, result_dtype([each]), force=True) for each in present]
    _require_tensor(op, operands, present)
    if not op.promotes:
        common = result_dtype(present)
        return [a if a is None or isinstance(a, ndarray) else _number(a, common) for a in arrays]
    promoted = op.promoted * len(arrays) if op.variadic else op.promoted
    meeting = [
        array for array, meets in zip(arrays, promoted, strict=True) if meets and array is not None
    ]
    common = common_dtype(op, meeting, params)
    return [
        array if array is None or not meets
        else converted(array, common) if isinstance(array, ndarray)
        else _number(array, common)
        for array, meets in zip(arrays, promoted, strict=True)
    ]  # fmt: skip


def _require_tensor(op: Op, operands: tuple[Any, ...], arrays: list[Any]) -> None:
    if not any(isinstance(array, ndarray) for array in arrays):
        raise op_errors.not_a_tensor(op, 0, operands[0] if operands else None)


def _number(value: Any, common: np.dtype[Any]) -> Any:
    """Return a number in the dtype that is computed in; one of float8 is rounded to it before."""
    if is_float8(common):
        return cpu.cast(np.asarray(value, wide_counterpart(common)), common)
    return as_array(value, wide_counterpart(common), force=True)


def _asked(op: Op, arrays: list[Any], params: tuple[Any, ...]) -> Any:
    """Return the dtype asked for; raise where it is of float8 and there is no such operation."""
    asked = None if op.dtype_param is None else params[op.dtype_param]
    if asked is not None and is_float8(to_numpy_dtype(asked)):
        _check_half(op, to_numpy_dtype(asked), arrays, params)
    return asked


def _refuse_half(op: Op, arrays: list[Any], params: tuple[Any, ...], asked: Any) -> None:
    """Raise for half precision where there is no such operation, whatever the common dtype."""
    if op.promotes:
        return
    for array in arrays:
        given = array.dtype if isinstance(array, ndarray) else None
        if given is None or (asked is not None and is_float8(given)):
            continue  # float8 is converted to what is asked for before all else
        _check_half(op, given, arrays, params)


def _check_half(op: Op, dtype: np.dtype[Any], arrays: list[Any], params: tuple[Any, ...]) -> None:
    if is_half(dtype):
        kernel = op.refusing_kernel(dtype, arrays, params)
        if kernel is not None:
            raise op_errors.unsupported(kernel, dtype)


def _of_one_dtype(operands: tuple[Any, ...]) -> list[Any] | None:
    """Return the arrays of operands that are all tensors of one usual dtype; else ``None``."""
    arrays: list[Any] = []
    dtype = None
    for operand in operands:
        if not isinstance(operand, TensorBase) or operand._interpreter is not None:
            return None
        array = operand._array
        if dtype is None:
            dtype = array.dtype
        elif array.dtype is not dtype:
            return None
        arrays.append(array)
    return arrays if dtype is _F32 or dtype is _F64 else None


def common_dtype(op: Op, arrays: list[Any], params: tuple[Any, ...]) -> np.dtype[Any]:
    """Return the dtype in which an op computes; raise RuntimeError if it is not defined there."""
    common = arrays[0].dtype if op.dtypes.like_first else result_dtype(arrays)
    if common.kind in "biu" and op.dtypes.int_to_float(*params):
        common = default()
    if common.kind in op.unsupported:
        raise op_errors.refused(op, common)
    _check_half(op, common, arrays, params)
    return common


def _plain_arrays(op: Op, operands: tuple[Any, ...]) -> list[Any]:
    arrays: list[Any] = []
    for position, operand in enumerate(operands):
        if isinstance(operand, TensorBase):
            arrays.append(operand._array)
        elif operand is None and (op.variadic or op.operands[position].optional):
            arrays.append(None)
        elif (is_number(operand) and (op.variadic or op.takes_numbers[position])) or (
            isinstance(operand, ndarray) and op.promotes
        ):
            arrays.append(operand)
        else:
            raise op_errors.not_a_tensor(op, position, operand)
    return arrays


def _link_view(output: TensorBase, base: TensorBase, one_of_many: bool) -> None:
    storage = output._storage = storage_of(base)
    if is_inference(base):
        return  # nothing that happens to such a base has to reach its views
    origin = ViewOrigin.ORDINARY if modes.grad_enabled else ViewOrigin.NO_GRAD
    if modes.inference:
        origin = ViewOrigin.INFERENCE
    if base._view is not None and base._view.origin != ViewOrigin.ORDINARY:
        origin = base._view.origin
    if one_of_many and origin == ViewOrigin.ORDINARY:
        origin = ViewOrigin.MULTIPLE_OUTPUTS
    root = base if base._view is None else base._view.base
    unrecorded = not modes.grad_enabled and root._edge is not None
    output._view = View(root, storage.version, origin, recorded=not unrecorded)


def record(
    op: Op, operands: tuple[Any, ...], arrays: list[Any], params: tuple[Any, ...],
    results: list[TensorBase],
) -> OpNode | None:  # fmt: skip
    """Give the results a node, if recording is on and an operand requires grad."""
    if not op.family.recorded or not modes.grad_enabled:
        return None
    edges = tuple(edge_of(each) if isinstance(each, TensorBase) else None for each in operands)
    if all(edge is None for edge in edges) or (slow_path.active and _all_inference(operands)):
        return None
    differentiable = [is_differentiable(output._array.dtype) for output in results]
    if not any(differentiable):
        _refuse_dtype_asked_for(op, operands, params)
        return None
    if not op.formulas:
        raise GraphError(f"the derivative for '{op.torch_name}' is not implemented")
    node = make_node(op, operands, arrays, params, results, edges)
    first = results[0]._array
    if len(results) == 1 and not op.many:
        node.shape, node.dtype, node.metas = first.shape, first.dtype, None
    else:
        node.shape, node.dtype = None, None
        node.metas = tuple(Meta(each._array.shape, each._array.dtype) for each in results)
    dtypes = [output._array.dtype for output in results]
    unusual = next((each for each in dtypes if is_complex_dtype(each) or is_half(each)), None)
    if unusual is not None:
        node.backward = choose_backward(op, unusual, node.backward)
    for slot, output in enumerate(results):
        output._edge = (node, slot) if differentiable[slot] else None
    return node


def _all_inference(operands: tuple[Any, ...]) -> bool:
    """Return whether all operands were made in inference mode: autograd does not see them then."""
    return all(isinstance(each, TensorBase) and is_inference(each) for each in operands)


def _refuse_dtype_asked_for(op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]) -> None:
    """Raise where ``dtype=`` would silently end the gradient; a conversion may end it."""
    position = op.dtype_param
    if position is not None and op.params[position].has_default and params[position] is not None:
        asked = scalar_name(to_numpy_dtype(params[position]))
        raise DtypeError(
            f"Autograd not support dtype: {asked}: the input requires grad, and this dtype has no "
            "gradients; call detach() first" + op_errors.op_context(op, operands, params)
        )


def make_node(
    op: Op, operands: tuple[Any, ...], arrays: list[Any], params: tuple[Any, ...],
    results: list[TensorBase] | None, edges: tuple[Edge | None, ...],
) -> OpNode:  # fmt: skip
    """Make an op's node with what it saves; the caller knows shape and dtype of its outputs.

    An in-place op gives no results yet: `fill_outputs` adds them after the change.
    """
    node = _new(node_class_for(op, operands))
    node.edges = edges
    node.params = (params if op.noted is None else (*params, op.noted(arrays, *params))) or None
    node.extra = None
    node.scope = modes.scope
    node.seq = next(sequence)
    node.code, node._lasti = user_frame(2)
    node.saved, node.backward = saved_by_plan(op, edges, operands, arrays, results, node)
    return node


def saved_by_plan(
    op: Op, edges: tuple[Edge | None, ...], operands: tuple[Any, ...], arrays: Any,
    results: list[TensorBase] | None, node: OpNode | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Return what a node saves, and its backward, for the operands that need a gradient.

    ``node`` is given where hooks may see what it saves.
    """
    needed = (any(e is not None for e in edges),) if op.variadic else tuple(
        edge is not None for edge in edges
    )  # fmt: skip
    plan = plan_for(op, needed)
    saved = tuple(_saved_entry(op, asked, operands, arrays, results, node) for asked in plan.saves)
    return saved or plan.nothing_saved, plan.backward


def fill_outputs(node: OpNode, op: Op, results: list[TensorBase]) -> None:
    """Save what the node needs of its results, once they are there."""
    if not isinstance(node.saved, tuple):
        return
    node.saved = tuple(
        _saved_entry(op, asked, (), [], results, node) if asked.kind == "output" else entry
        for asked, entry in zip(plan_of(node).saves, node.saved, strict=True)
    )


def _saved_entry(
    op: Op, asked: FormulaInput, operands: tuple[Any, ...], arrays: list[Any],
    results: list[TensorBase] | None, node: OpNode | None,
) -> Any:  # fmt: skip
    if asked.kind == "output":
        if results is None:
            return None
        tensor, array = results[asked.index], results[asked.index]._array
        if node is not None and is_differentiable(array.dtype):
            return saved_entry(tensor, array, new_tensor, (node, asked.index))
    else:
        tensor, array = operands[asked.index], arrays[asked.index]
    if asked.kind == "like":
        return (Meta(array.shape, array.dtype), CONSTANT, 0)
    if not isinstance(tensor, TensorBase):
        return (array, storage_of_number(tensor), 0)
    return saved_entry(tensor, array, new_tensor)


def _notify(execution: Execution) -> None:
    """Pass what was computed to inference mode, the interpreters and the listeners."""
    outputs = execution.results
    if modes.inference and not execution.op.family.view:
        for output in outputs:
            make_inference(output)
    edge = outputs[0]._edge if outputs else None
    for interpreter in modes.interpreters:
        interpreter.executed(execution)
    if edge is None:
        return
    if anomaly.enabled and modes.evaluating is not None:
        edge[0].metadata[PARENT] = modes.evaluating
    emit("node", edge[0])

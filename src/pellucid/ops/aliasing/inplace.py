"""In-place variants: the rules, the change itself, and the history of the tensor afterwards."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.autograd import explanations
from pellucid.autograd.called_nodes import gradients_of
from pellucid.autograd.gradient_ops import gradient_ops
from pellucid.autograd.modes import modes
from pellucid.autograd.node import AccumulateGrad, Node, UndefinedGrad, function_of, sequence
from pellucid.autograd.node_extra import node_extra
from pellucid.autograd.sites import user_frame
from pellucid.autograd.storage import CONSTANT
from pellucid.autograd.variable import Edge, TensorBase, View, ViewOrigin, storage_of
from pellucid.core.backward.gradients import array_gradients, tensor_gradients
from pellucid.core.backward.history import edge_of
from pellucid.core.backward.node_backward import mark_in_place
from pellucid.core.backward.plan import choose_backward
from pellucid.core.call import opmath
from pellucid.core.call.call import (
    fill_outputs,
    interpreter_of,
    make_node,
    new_tensor,
    operand_arrays,
    run_body,
)
from pellucid.core.call.fast_call import inplace_function
from pellucid.core.call.operator_calls import are_operands
from pellucid.core.call.overriding import ask, public_arguments, relevant, take_over
from pellucid.core.definition.op import Op, OpFunction, OpNode
from pellucid.core.errors import op_errors
from pellucid.core.memory.writing import (
    check_mode,
    check_overlap,
    check_result_dtype,
    check_writable,
)
from pellucid.dtypes import from_numpy_dtype, is_complex_dtype, is_differentiable, to_numpy_dtype
from pellucid.errors import (
    DtypeError,
    LeafInplaceError,
    PellucidError,
    ShapeError,
    ViewInplaceError,
)
from pellucid.kernels.active import kernels_for
from pellucid.kernels.numpy.float8 import fitted
from pellucid.kernels.numpy.precision import quiet
from pellucid.observe import observed, observers, slow_path
from pellucid.ops.aliasing.region import Geometry, region, replace_region
from pellucid.ops.elementwise.arithmetic import zero_gradient
from pellucid.ops.elementwise.complexes import view_as_complex, view_as_real
from pellucid.shapes import Meta

_new = object.__new__


def inplace(function: OpFunction) -> Callable[..., Any]:
    """Return the in-place variant of an op: it writes the result into its first operand."""
    return inplace_function(function.op, call_inplace)


def inplace_operator(op: Op) -> Callable[..., Any]:
    """Return the in-place variant for Python's operators, which leaves foreign operands to it."""
    return inplace_function(op, _call_inplace_operator)


def _call_inplace_operator(
    op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], function: Any
) -> Any:
    if not are_operands(op, operands):
        return NotImplemented
    taking = relevant(operands)
    if taking or modes.function_modes:
        return ask(function.public, taking, *public_arguments(op, operands, params))
    return call_inplace(op, operands, params)


def call_inplace(
    op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], function: Any = None
) -> Any:
    """Write the op's result into its first operand; everything is checked before that.

    ``function`` is the public one that was called, if the operands may take it over.
    """
    if function is not None:
        taking = relevant((*operands, *params))
        if taking or modes.function_modes:
            return take_over(function.public, taking, *public_arguments(op, operands, params))
    tensor = operands[0]
    if not isinstance(tensor, TensorBase):
        raise _named_in_place(op_errors.not_a_tensor(op, 0, tensor), op)
    stack = (*modes.interpreters, *interpreter_of(operands))
    if observers:
        return observed("op", f"{op.name}_", operands, _interpret, stack, op, operands, params)
    return _interpret(stack, op, operands, params)


def _interpret(
    stack: tuple[Any, ...], op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]
) -> Any:
    """Pass the change to the topmost interpreter, which may pass it to those below."""
    if not stack:
        return _change(op, operands, params)
    return stack[-1].change(op, operands, params, functools.partial(_interpret, stack[:-1]))


def _change(op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Any:
    tensor = operands[0]
    seen = modes.grad_enabled and not op.unseen
    try:
        edges = tuple(
            edge_of(each) if seen and isinstance(each, TensorBase) else None for each in operands
        )
    except ViewInplaceError as error:
        raise _refused(_first_reason(tensor, error), op, operands, params) from None
    recording = any(edge is not None for edge in edges) and is_differentiable(tensor._array.dtype)
    name = f"{op.name}_"
    try:
        if recording or (seen and _belongs_to_history(tensor)):
            check_inplace(tensor, name)
        accumulates = params[-1:] == (True,)
        check_writable(tensor, "" if recording or accumulates else op.name)
        if not op.apart:
            check_overlap(tensor, operands[1:])
    except PellucidError as error:
        raise _refused(error, op, operands, params) from None
    try:
        _refuse_tensors_among(params, op, operands)
        arrays = operand_arrays(op, operands, params)
        check_castable(op, tensor, arrays)
    except PellucidError as error:
        raise _explained(error, op, operands, params) from None
    if op.apart:
        _check_apart(op, operands, arrays, params)
    params = _in_own_dtype(op, tensor, params)
    node = None
    if recording and op.family.recorded:
        node = _node_before(op, operands, arrays, params, edges)
    elif recording and edges[0] is not None:
        # what is written does not depend on the old value in any way that has a slope
        node = _node_before(zero_gradient.op, (tensor,), [tensor._array], (), edges[:1])
    if slow_path.active and modes.before_change is not None:
        modes.before_change(tensor)
    _write(op, tensor, operands, arrays, params)
    storage_of(tensor).note_change(name, *user_frame(1))
    if node is not None:
        fill_outputs(node, node.op, [tensor])
        rebase_history(tensor, node)
    return tensor


def _first_reason(tensor: TensorBase, error: ViewInplaceError) -> PellucidError:
    """Return why a tensor cannot be changed, if it cannot; else why an operand cannot be used."""
    view = tensor._view
    if view is not None and view.origin != ViewOrigin.ORDINARY:
        return view_error(tensor, view.origin, "is being modified inplace")
    return error


def _refuse_tensors_among(params: tuple[Any, ...], op: Op, operands: tuple[Any, ...]) -> None:
    """Raise TypeError for a tensor with dimensions as a parameter: a body may compute with it."""
    for each in params:
        if isinstance(each, TensorBase):
            wrong = op_errors.misfit_of_op(op, operands, params)
            if wrong is not None:
                raise wrong


def _in_own_dtype(op: Op, tensor: TensorBase, params: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the parameters with the tensor's dtype as ``dtype``, which else widens integers."""
    position, dtype = op.dtype_param, tensor._array.dtype
    if position is None:
        return params
    if params[position] is not None and to_numpy_dtype(params[position]) != dtype:
        raise DtypeError(
            f"Bad in-place call: input tensor dtype {from_numpy_dtype(dtype).name} and output "
            f"tensor dtype {params[position]} should match"
            f"{op_errors.op_context(op, (tensor,), params)}"
        )
    if dtype.kind not in "biu":
        return params
    return (*params[:position], from_numpy_dtype(dtype), *params[position + 1 :])


def _explained(
    error: Exception, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]
) -> Exception:
    return _named_in_place(op_errors.explained(error, op, operands, params), op)


def _named_in_place(error: Any, op: Op) -> Any:
    """Return the error of an op in the name of its in-place variant."""
    text = str(error)
    if not text.startswith(f"{op.torch_name}("):
        return error
    return type(error)(f"{op.torch_name}_{text.removeprefix(op.torch_name)}")


def _refused(
    error: PellucidError, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]
) -> PellucidError:
    """Return the error for a tensor that may not be changed, with what the call was given."""
    wrong = op_errors.misused(op, operands, params)
    if wrong is not None:
        return _named_in_place(wrong, op)
    if isinstance(error, LeafInplaceError):  # that tells the line itself
        return error
    return type(error)(f"{error}{op_errors.op_context(op, operands, params)}")


def _belongs_to_history(tensor: TensorBase) -> bool:
    """Return whether a tensor, itself without gradient, is a view of one that requires grad."""
    return tensor._view is not None and tensor._view.base._edge is not None


def _node_before(
    op: Op, operands: tuple[Any, ...], arrays: list[Any], params: tuple[Any, ...],
    edges: tuple[Edge | None, ...],
) -> OpNode:  # fmt: skip
    """Make the node while the old values are still there; keep a copy of those it will need."""
    formulas = [op.formulas.get(o.name) for o, e in zip(op.operands, edges, strict=True) if e]
    first, dtype = op.operands[0].name, operands[0]._array.dtype
    read = [each for formula in formulas if formula for each in formula.inputs]
    needs_first = any(each.name == first and each.saved for each in (*read, *op.kept))
    if needs_first:
        original = new_tensor(arrays[0].copy())
        operands, arrays = (original, *operands[1:]), [original._array, *arrays[1:]]
    node = make_node(op, operands, arrays, params, None, edges)
    node.shape, node.dtype, node.metas = arrays[0].shape, dtype, None
    node.backward = choose_backward(op, dtype, node.backward)
    mark_in_place(node)
    return node


def _check_apart(
    op: Op, operands: tuple[Any, ...], arrays: list[Any], params: tuple[Any, ...]
) -> None:
    """Raise where an operand lies in the memory that is written.

    What the op refuses by itself, such as an index of another dtype, comes first, as in PyTorch.
    """
    try:
        check_overlap(operands[0], operands[1:], apart=True)
    except PellucidError as overlapping:
        try:
            quiet.run(run_body, op, arrays, params)
        except Exception as error:  # noqa: BLE001 - explained, whatever it is
            raise _explained(error, op, operands, params) from None
        raise _refused(overlapping, op, operands, params) from None


def _write(
    op: Op, tensor: TensorBase, operands: tuple[Any, ...], arrays: list[Any],
    params: tuple[Any, ...],
) -> None:  # fmt: skip
    target = tensor._array
    try:
        if (
            op.out_variant is not None
            and arrays[0] is target
            and not opmath.is_wider(op, target, arrays)
        ):
            quiet.run(op.out_variant, kernels_for(arrays), target, *arrays, *params)
            return
        out = quiet.run(run_body, op, arrays, params)
    except Exception as error:  # noqa: BLE001 - explained, whatever it is
        if op.promotes:
            _check_shape(op, target, arrays, operands, params)
        raise _explained(error, op, operands, params) from None
    _check_shape(op, target, [out], operands, params)
    _check_result(op, target, out)
    np.copyto(target, fitted(out, target.dtype), casting="unsafe")


def _check_shape(
    op: Op, target: Any, arrays: list[Any], operands: tuple[Any, ...], params: tuple[Any, ...]
) -> None:
    """Raise if the arrays together, though they broadcast, do not have the target's shape."""
    try:
        shape = np.broadcast_shapes(*(np.shape(each) for each in arrays if each is not None))
    except ValueError:
        return
    if shape != target.shape:
        raise ShapeError(
            f"output with shape {list(target.shape)} doesn't match the broadcast shape "
            f"{list(shape)}{op_errors.op_context(op, operands, params)}"
        )


def _check_result(op: Op, target: Any, out: Any) -> None:
    """Raise where the result has no place in the tensor, though what it is made of has."""
    if not op.promoted[0]:
        return
    if op.family.recorded and is_complex_dtype(target.dtype) and not is_complex_dtype(out.dtype):
        raise DtypeError(f"In-place {op.torch_name} is not supported for complex tensors.")
    check_result_dtype(out.dtype, target.dtype)


def check_castable(op: Op, tensor: TensorBase, arrays: list[Any]) -> None:
    """Raise where the result's dtype has no place in the tensor's."""
    if not op.promoted[0] or not (op.family.recorded or op.name.startswith("bitwise")):
        return  # what such an op returns are truth values, whatever its operands are
    check_result_dtype(arrays[0].dtype, tensor._array.dtype)


def check_inplace(tensor: TensorBase, name: str) -> None:
    """Raise where autograd could not follow a change of this tensor."""
    check_mode(tensor)
    view = tensor._view
    if view is not None:
        check_view(tensor, view)
        # a leaf may itself be a view: then its base is a leaf too, and has no gradient of its own
        requires_grad = tensor._edge is not None or view.base._edge is not None
        if requires_grad and _is_leaf(view.base):
            raise LeafInplaceError(
                "a view of a leaf Variable that requires grad is being used in an in-place "
                "operation." + explanations.changed_value.leaf_inplace(name)
            )
    if tensor._edge is not None and _is_leaf(tensor):
        raise LeafInplaceError(
            "a leaf Variable that requires grad is being used in an in-place operation."
            + explanations.changed_value.leaf_inplace(name)
        )


def _is_leaf(tensor: TensorBase) -> bool:
    """Return whether no recorded operation made a tensor, whose edge is known to be right."""
    return tensor._edge is None or isinstance(tensor._edge[0], AccumulateGrad)


def check_view(tensor: TensorBase, view: View) -> None:
    """Raise for the kinds of view that must not be changed in place."""
    if view.origin == ViewOrigin.ORDINARY:
        return
    raise view_error(tensor, view.origin, "is being modified inplace")


def view_error(tensor: TensorBase, origin: int, happening: str) -> ViewInplaceError:
    """Return the error for a change in place that a view of this origin cannot follow."""
    mode, block, when = "no_grad mode", "no_grad", "with grad mode enabled"
    if origin == ViewOrigin.INFERENCE:
        mode, block, when = "inference mode", "inference_mode", "in normal mode"
    unrecorded = origin in (ViewOrigin.NO_GRAD, ViewOrigin.INFERENCE)
    edge = tensor._edge
    if edge is None or isinstance(edge[0], AccumulateGrad | UndefinedGrad):
        what = f"A view was created in {mode} and {happening} {when}. "
    else:
        what = f"Output {edge[1]} of {function_of(edge[0])} is a view"
        what += f" of a view which was created in {mode}" * unrecorded
        what += f" and {happening}{f' {when}' * unrecorded}. "
    if origin == ViewOrigin.MULTIPLE_OUTPUTS:
        return ViewInplaceError(
            what
            + "This view is the output of a function that returns multiple views. Such functions "
            "do not allow the output views to be modified inplace. You should replace the inplace "
            "operation by an out-of-place one."
        )
    if origin == ViewOrigin.CUSTOM_FUNCTION:
        return ViewInplaceError(
            what
            + "This view was created inside a custom Function (or because an input was returned "
            "as-is) and the autograd logic to handle view+inplace would override the custom "
            "backward "
            "associated with the custom Function, leading to incorrect gradients. This behavior is "
            "forbidden. You can fix this by cloning the output of the custom Function."
        )
    return ViewInplaceError(
        what + "Given that this use case is ambiguous and error-prone, it is forbidden. You can "
        "clarify your code by moving both the view and the inplace either both inside the "
        f"{block} block (if you don't want the inplace to be tracked) or both outside (if you want "
        "the inplace to be tracked)."
    )


def rebase_history(tensor: TensorBase, node: Node, slot: int = 0) -> None:
    """Give the changed tensor, and whatever shares its memory, the history that it has now.

    ``node`` is that of the change, and ``slot`` says which of its outputs the tensor is.
    """
    view = tensor._view
    if view is None:
        _move_retained_gradient(tensor, (node, slot))
        tensor._edge = (node, slot)
        return
    base = view.base
    changed: Edge = (CopySlices.around(node, base, tensor), 0)
    _move_retained_gradient(base, changed)
    base._edge = changed
    renewed = region_edge(tensor, base)
    _move_retained_gradient(tensor, renewed)
    tensor._edge = renewed
    view.version, view.recorded = storage_of(tensor).version, True


def _move_retained_gradient(tensor: TensorBase, edge: Edge) -> None:
    """Make a tensor that retains its gradient retain that of its new value."""
    before = tensor._edge
    if before is None or before[0].extra is None:
        return
    reference = before[0].extra.retained.get(before[1])
    if reference is not None and reference() is tensor:
        node_extra(edge[0]).retained[edge[1]] = before[0].extra.retained.pop(before[1])


def renew_view_edge(tensor: TensorBase) -> None:
    """Connect a view to its base's present history, as a region of the base's memory.

    Raises RuntimeError for a view of a kind that cannot follow its base's change, unless nothing is
    recorded: then nobody asks for its history.
    """
    view = tensor._view
    assert view is not None and tensor._storage is not None
    base = view.base
    changed = view.version != tensor._storage.version
    if not (view.recorded and changed) and (view.origin != ViewOrigin.ORDINARY or not changed):
        _look_up_unrecorded(tensor, view)
        return
    if base._edge is None:
        view.version = tensor._storage.version
        return
    if view.origin != ViewOrigin.ORDINARY:
        if not modes.grad_enabled:
            return
        raise view_error(
            tensor, view.origin, "its base or another view of its base has been modified inplace"
        )
    renewed = region_edge(tensor, base)
    _move_retained_gradient(tensor, renewed)
    tensor._edge = renewed
    view.version, view.recorded = tensor._storage.version, True


def _look_up_unrecorded(tensor: TensorBase, view: View) -> None:
    """Make a view that was not recorded require grad as its base does, without a gradient path.

    Nor was a view whose base began to require grad later.

    Raises RuntimeError after a change of the memory, unless nothing is recorded.
    """
    ends_here = tensor._edge is not None and isinstance(tensor._edge[0], UndefinedGrad)
    if view.base._edge is None:
        tensor._edge = None if ends_here else tensor._edge
    elif view.version != storage_of(tensor).version and modes.grad_enabled:
        raise view_error(
            tensor, view.origin, "its base or another view of its base has been modified inplace"
        )
    elif tensor._edge is None and is_differentiable(tensor._array.dtype):
        tensor._edge, view.recorded = (UndefinedGrad(tensor), 0), False


gradient_ops.check_inplace = check_inplace
gradient_ops.rebase_history = rebase_history
gradient_ops.renew_view_edge = renew_view_edge


def region_edge(tensor: TensorBase, base: TensorBase) -> Edge:
    """Return the edge of a view as a region of its base, whose history it shares."""
    geometry = Geometry.of(tensor._array, base._array)
    like, edge = Meta(tensor._array.shape, tensor._array.dtype), base._edge
    if geometry.base_pairs:
        edge = _edge_through(view_as_real.op, base, edge, (), Meta(geometry.base_shape, like.dtype))
    if not geometry.pairs:
        return _edge_through(region.op, base, edge, (geometry,), like)
    part = Meta(geometry.shape, base._array.dtype)
    edge = _edge_through(region.op, base, edge, (geometry,), part)
    return _edge_through(view_as_complex.op, base, edge, (), like)


def _edge_through(
    op: Op, base: TensorBase, edge: Edge | None, params: tuple[Any, ...], like: Meta
) -> Edge:
    """Return the edge to a new node of a view op, which saves nothing, in front of an edge."""
    node = make_node(op, (base,), [base._array], params, None, (edge,))
    node.shape, node.dtype, node.metas = like.shape, like.dtype, None
    return (node, 0)


class CopySlices(Node):
    """The node of a base one of whose views was changed in place.

    It lets the region's gradient go through the node of the change, and the rest pass.
    """

    __slots__ = ()

    namespace = "torch::autograd::"
    __call__ = gradients_of

    @classmethod
    def around(cls, fn: Node, base: TensorBase, view: TensorBase) -> CopySlices:
        """Make the node for a base, around the node ``fn`` of the change of one of its views."""
        node = _new(cls)
        node.edges = (base._edge, *fn.edges[1:])
        node.saved = ((fn, CONSTANT, 0),)
        node.params = (Geometry.of(view._array, base._array), fn.shown().shown_edges)
        node.backward = copy_slices_backward
        node.shape, node.dtype, node.metas = base._array.shape, base._array.dtype, None
        node.extra = None
        node.scope, node.code, node._lasti = fn.scope, fn.code, fn._lasti
        node.seq = next(sequence)
        return node

    @property
    def shown_edges(self) -> tuple[int, ...] | None:
        """The edges that PyTorch's node of the change has: the first is the base's."""
        assert self.params is not None
        shown: tuple[int, ...] | None = self.params[1]
        return shown

    def backward_on_tensors(
        self, g: Any, needed: tuple[bool, ...] | None = None
    ) -> tuple[Any, ...]:
        return self.backward(self, g)


def show_change_of_number(base: TensorBase) -> None:
    """Show one edge at the node of a base of which a view was filled with a number."""
    node = None if base._edge is None else base._edge[0]
    if isinstance(node, CopySlices) and node.params is not None:
        node.params = (node.params[0], (0,))


def copy_slices_backward(node: Any, g: Any) -> tuple[Any, ...]:
    """Run the inner node on the region's gradient and put its result back."""
    ((fn, _, _),) = node.saved
    geometry = node.params[0]
    recorded = isinstance(g, TensorBase)
    whole = view_as_real(g) if geometry.base_pairs else g
    part = region(whole, geometry)
    if geometry.pairs:
        part = view_as_complex(part)
    first, *others = fn.backward_on_tensors(part) if recorded else fn.backward(fn, part)
    if node.edges[0] is None:
        return (None, *others)
    gradients = tensor_gradients if recorded else array_gradients
    like = part._array if recorded else part
    inner = gradients.zeros(like) if first is None else gradients.sum_to_size(first, like)
    if geometry.pairs:
        inner = view_as_real(inner)
    result = replace_region(whole, inner, geometry)
    return (view_as_complex(result) if geometry.base_pairs else result, *others)

"""Forward mode: the tangent of each op's outputs, from those of its operands, family by family.

Everything here is computed with ops on tensors, and recorded if recording is on: so what forward
mode gives can be differentiated backward.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from pellucid.autograd.backward import grad
from pellucid.autograd.gradient_ops import gradient_ops
from pellucid.autograd.modes import modes
from pellucid.autograd.node import AccumulateGrad, leaf_edge, sequence
from pellucid.autograd.saved import DualValue
from pellucid.autograd.variable import TensorBase
from pellucid.blocks import Block, temporary
from pellucid.core.backward.history import edge_of
from pellucid.core.backward.node_backward import note_numbers
from pellucid.core.backward.plan import plan_for
from pellucid.core.call.call import new_tensor
from pellucid.core.call.interpreter import Below, Execution, Interpreter
from pellucid.core.definition.op import FormulaInput, Op
from pellucid.dtypes import from_numpy_dtype, is_complex_dtype, is_differentiable
from pellucid.errors import GraphError
from pellucid.ops.aliasing.inplace import inplace
from pellucid.ops.aliasing.region import Geometry, clear_region, region
from pellucid.ops.elementwise.arithmetic import mul
from pellucid.ops.elementwise.flat import add_zero, transposing
from pellucid.ops.shape.broadcasting import expand
from pellucid.ops.shape.copying import cast, clone, copy
from pellucid.ops.shape.join import stack
from pellucid.ops.shape.views import basic_index, view
from pellucid.shapes import Meta

_copy_into = inplace(copy)

#: what a tensor holds that has no tangent, although its base has one
_NO_TANGENT: Final = object()


@temporary
def _primal_only(block: Block) -> None:
    """Compute on the values alone: what is computed inside has no tangents."""
    block._set(modes, "forward_levels", ())


@temporary
def _recording(block: Block) -> None:
    block._set(modes, "grad_enabled", True)


class Application:
    """One call of an op in forward mode: its operands as tensors, and their tangents."""

    def __init__(self, execution: Execution, tangents: list[Any]) -> None:
        self.op = execution.op
        self.params = execution.params
        #: the outputs, and what the body returned beside them
        self.results: list[Any] = execution.results
        operands, arrays = execution.operands, execution.arrays
        self.operands = [
            _computed_with(operand, array) for operand, array in zip(operands, arrays, strict=True)
        ]
        #: in the dtype that is computed in; only where the op has a derivative
        self.tangents = [
            None if tangent is None else _in_dtype(tangent, array.dtype)
            for tangent, array in zip(tangents, arrays, strict=True)
        ]

    def output_tangents(self) -> list[Any]:
        """Return a tangent, or None, for each output."""
        op = self.op
        rule: Callable[[], Any] = {
            "partial": self._by_partials,
            "linear": self._by_linearity,
            "multilinear": self._by_multilinearity,
        }.get(op.family.jvp, self._by_transposing)
        if op.jvp is not None:
            rule = self._by_rule
        elif not self._follows_family():
            rule = self._by_transposing
        since = next(sequence)
        returned = rule()
        values = list(returned) if isinstance(returned, tuple | list) else [returned]
        if modes.grad_enabled and rule != self._by_linearity and not op.additive:
            note_numbers(values, since, op.keeps_numbers)
        count = len(self.results) if op.many else len(op.outputs)
        return [
            None if value is None else self._fitted(value, output)
            for value, output in zip(values[:count], self.results, strict=False)
        ]

    def _follows_family(self) -> bool:
        """Return whether the family's rule holds as it stands."""
        op = self.op
        if op.family.jvp == "partial":
            return op.holomorphic
        if op.variadic or not any(operand.optional for operand in op.operands):
            return True
        # what an optional operand adds alone, only its vjp knows how to stretch
        return any(not op.operands[position].optional for position, _ in self._moving())

    def _fitted(self, tangent: Any, output: Any) -> Any:
        """Give a tangent the shape and dtype of its output."""
        if tangent._array.shape != output._array.shape:
            tangent = expand(tangent, output._array.shape)
        return _in_dtype(tangent, output._array.dtype)

    def _by_rule(self) -> Any:
        formula = self.op.jvp
        assert formula is not None
        return formula.function(*map(self._value, formula.inputs))

    def _by_partials(self) -> Any:
        """Sum each tangent times its operand's local derivative."""
        total: Any = None
        for position, tangent in self._moving():  # a diagonal map is its own transpose
            term = self._gradients(tangent, position)[position]
            total = term if total is None else total + term
        if modes.grad_enabled and total is not None and self.op.flat:
            self._keep([position for position, _ in self._moving()], total)
        if modes.grad_enabled and self.op.name.endswith("_backward") and self.tangents[0] is None:
            self._keep_slope(total)
        return total

    def _keep_slope(self, tangent: Any) -> None:
        """Add zero times a slope that depends on where it is taken to its tangent."""
        edge = edge_of(self.operands[1])
        if edge is not None and tangent.requires_grad:
            add_zero(tangent, edge, self._node_name(), first=True)

    def _by_linearity(self) -> Any:
        return self.op.apply([self._filled()] if self.op.variadic else self.tangents, self.params)

    def _by_multilinearity(self) -> Any:
        if self.op.additive or self.op.variadic:
            return self._jointly()
        if self.op is mul.op:
            return self._of_product()
        addends = [
            tangent if operand.optional else None
            for operand, tangent in zip(self.op.operands, self.tangents, strict=True)
        ]
        total: Any = None
        for position, tangent in self._moving():
            if self.op.operands[position].optional:
                continue
            replaced = [
                tangent if i == position else addends[i] if operand.optional else self.operands[i]
                for i, operand in enumerate(self.op.operands)
            ]
            term = self.op.apply(replaced, self.params)
            total = term if total is None else total + term
            addends = [None] * len(addends)
        if modes.grad_enabled and total is not None:
            self._keep_values(total)
        return total

    def _of_product(self) -> Any:
        """Return the tangent of an elementwise product, its terms in PyTorch's order."""
        (value, other), (moved, moved_other) = self.operands, self.tangents
        first = None if moved_other is None else mul(moved_other, value)
        second = None if moved is None else mul(moved, other)
        if first is not None and second is not None:
            return first + second
        kept = modes.grad_enabled and edge_of(value if first is None else other)
        total = second if first is None else first
        if kept:
            add_zero(total, kept, "MulBackward0", first=first is None)
        return total

    def _keep_values(self, tangent: Any) -> None:
        """Make moving operands a part of the tangent's history, by their zero share in it.

        The tangent of a product is that of one operand times the other, and zero times the one
        where the other does not move.
        """
        moving = [position for position, _ in self._moving()]
        if len(moving) < sum(not each.optional for each in self.op.operands):
            self._keep(moving, tangent)

    def _keep(self, positions: list[int], tangent: Any) -> None:
        """Make the operands at these positions a part of the tangent's history."""
        for position in positions:
            edge = edge_of(self.operands[position])
            if edge is not None:
                gradient_ops.keep_operand(tangent, edge, self._node_name())

    def _node_name(self) -> str:
        return "".join(part.title() for part in self.op.node_name.split("_")) + "Backward0"

    def _jointly(self) -> Any:
        filled = self._filled()
        if self.op.variadic:
            return self.op.apply([filled], self.params)
        # an operand without derivative, such as a mask, is not part of what is linear
        operands = [
            tangent if operand.name in self.op.formulas else value
            for operand, value, tangent in zip(self.op.operands, self.operands, filled, strict=True)
        ]
        return self.op.apply(operands, self.params)

    def _by_transposing(self) -> Any:
        """Differentiate the vjp, which is linear in the gradient, by the gradient."""
        outputs = self.results if self.op.many else self.results[: len(self.op.outputs)]
        with _recording():
            dummies = [
                _leaf(np.zeros(result._array.shape, result._array.dtype))
                if is_differentiable(result._array.dtype) else None
                for result in outputs
            ]  # fmt: skip
            g: Any = dummies if self.op.many or len(dummies) > 1 else dummies[0]
            if self.op.variadic:
                given = zip(self._gradients(g, 0), self.tangents, strict=True)
                pairs = [each for each in given if each[0] is not None and each[1] is not None]
            else:
                pairs = [(self._gradients(g, i)[i], tangent) for i, tangent in self._moving()]
        return self._transposed(dummies, [back for back, _ in pairs], [t for _, t in pairs])

    def _transposed(self, dummies: list[Any], pulled: list[Any], pushed: list[Any]) -> list[Any]:
        conjugate = self.op.holomorphic and any(
            is_complex_dtype(each._array.dtype) for each in (*self.results, *pushed)
        )
        weights = [
            _reduce_like(back, tangent, conjugate)
            for back, tangent in zip(pulled, pushed, strict=True)
        ]
        present = [dummy for dummy in dummies if dummy is not None]
        starts = [
            (back, weight)
            for back, weight in zip(pulled, weights, strict=True)
            if back.requires_grad
        ]
        if not starts:
            return [None] * len(dummies)
        with transposing():
            found = iter(
                grad(
                    [back for back, _ in starts], present, [weight for _, weight in starts],
                    create_graph=modes.grad_enabled, allow_unused=True, retain_graph=True,
                )
            )  # fmt: skip
        result = [None if dummy is None else next(found) for dummy in dummies]
        return [each.conj() if conjugate and each is not None else each for each in result]

    def _moving(self) -> list[tuple[int, Any]]:
        """Return position and tangent of the operands that have a tangent and a derivative."""
        return [
            (position, tangent)
            for position, (operand, tangent) in enumerate(
                zip(self.op.operands, self.tangents, strict=True)
            )
            if tangent is not None and operand.name in self.op.formulas
        ]

    def _gradients(self, g: Any, position: int) -> tuple[Any, ...]:
        """Return what the op's formula gives for one operand; for a list, for all its tensors."""
        count = len(self.op.operands)
        plan = plan_for(self.op, (True,) * count)
        if self.op.variadic:
            likes = [
                None if tangent is None else _meta(operand)
                for operand, tangent in zip(self.operands, self.tangents, strict=True)
            ]
        else:
            likes = [None if operand is None else _meta(operand) for operand in self.operands]
        saved = [self._value(asked) for asked in plan.saves]
        return plan.gradients(g, saved, self.params, likes, [i == position for i in range(count)])

    def _filled(self) -> list[Any]:
        """Return the tangents, zeros for what does not move."""
        return [
            None if operand is None
            else new_tensor(np.zeros(operand._array.shape, operand._array.dtype)) if tangent is None
            else tangent
            for operand, tangent in zip(self.operands, self.tangents, strict=True)
        ]  # fmt: skip

    def _value(self, asked: FormulaInput) -> Any:
        """Return what a derivative asks for, other than the gradient."""
        if asked.kind == "param":
            return self.params[asked.index]
        if asked.kind == "output":
            return self.results[asked.index]
        if asked.kind == "tangent":
            return self._filled()[asked.index]
        if self.op.variadic:
            return list(map(_meta, self.operands)) if asked.kind == "like" else self.operands
        operand = self.operands[asked.index]
        return _meta(operand) if asked.kind == "like" else operand


def _meta(tensor: Any) -> Meta:
    return Meta(tensor._array.shape, tensor._array.dtype)


def _computed_with(operand: Any, array: Any) -> Any:
    """Return an operand as the tensor that the op has computed with, without a tangent."""
    if array is None:
        return None
    if not isinstance(operand, TensorBase):
        return new_tensor(array)
    if modes.grad_enabled and operand._edge is not None:
        operand = basic_index(operand, ...)  # the primal value is a view of the dual one
    return operand if operand._array.dtype == array.dtype else _in_dtype(operand, array.dtype)


def _in_dtype(tensor: Any, dtype: Any) -> Any:
    if tensor._array.dtype == dtype:
        return tensor
    if is_complex_dtype(tensor._array.dtype) and not is_complex_dtype(dtype):
        tensor = tensor.real
    return cast(tensor, from_numpy_dtype(dtype))


def _leaf(array: Any) -> Any:
    leaf = new_tensor(array)
    leaf._edge = leaf_edge(leaf)
    return leaf


def _reduce_like(back: Any, tangent: Any, conjugate: bool) -> Any:
    """Return a tangent as the gradient of what a vjp has given, stretched to its shape."""
    weight = tangent.conj() if conjugate else tangent
    if back._array.shape != weight._array.shape:
        weight = expand(weight, back._array.shape)
    return _in_dtype(weight, back._array.dtype)


def push(execution: Execution) -> None:
    """Give an op's outputs their tangents, if any operand has one."""
    op, results = execution.op, execution.results
    if not op.family.recorded or modes.inference:
        return
    tangents = [
        tangents_of_tensor(each) if isinstance(each, TensorBase) else None
        for each in execution.operands
    ]
    if all(tangent is None for tangent in tangents):
        if op.family.view and _held(execution.operands[0]) is _NO_TANGENT:
            for each in results:
                set_tangent(each, _NO_TANGENT)
        return
    if not op.formulas:
        raise GraphError(
            f"Trying to use forward AD with {op.torch_name} that does not support it because it "
            "has not been implemented yet."
        )
    with _primal_only():
        application = Application(execution, tangents)
        found = application.output_tangents()
    for slot, (output, tangent) in enumerate(zip(results, found, strict=False)):
        if tangent is not None and is_differentiable(output._array.dtype):
            set_tangent(output, tangent)
            _note_saved_output(output, slot, tangent)


def _note_saved_output(output: Any, slot: int, tangent: Any) -> None:
    """Save the tangent of an output that a node saved before the tangent was known."""
    edge = output._edge
    if edge is None or not isinstance(edge[0].saved, tuple) or isinstance(edge[0], AccumulateGrad):
        return
    node = edge[0]
    entries = list(node.saved)
    for position, asked in enumerate(node.plan.saves):
        entry = entries[position]
        if asked.kind == "output" and asked.index == slot and isinstance(entry, tuple):
            array, storage, version = entry
            entries[position] = DualValue(new_tensor(array), storage, version, tangent)
    node.saved = tuple(entries)


def tangents_of_tensor(tensor: Any) -> Any | None:
    """Return a tensor's tangent: its own, or the region of its base's that it looks at."""
    held = _held(tensor)
    if held is not None:
        return None if held is _NO_TANGENT else held
    view = tensor._view
    if view is None or view.base._extra is None or view.base._extra.tangent is None:
        return None
    if view.base._array.dtype != tensor._array.dtype:
        return None
    with _primal_only():
        return region(view.base._extra.tangent, Geometry.of(tensor._array, view.base._array))


def _held(tensor: Any) -> Any:
    """Return what a tensor holds as its own tangent: None where its base decides."""
    return None if tensor._extra is None else tensor._extra.tangent


def set_tangent(tensor: Any, tangent: Any) -> None:
    """Give a tensor its tangent in the open level."""
    modes.forward_levels[-1].enter(tensor, tangent)


def tangent_in_place(op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Any | None:
    """Return the tangent that an in-place op leaves its tensor, before it writes."""
    tangents = [tangents_of_tensor(o) if isinstance(o, TensorBase) else None for o in operands]
    if all(tangent is None for tangent in tangents):
        return None
    first = clone(operands[0])
    result = op.apply((first, *operands[1:]), params)
    tangent = tangents_of_tensor(result)
    return tangent_rules.zeros_like(operands[0]) if tangent is None else tangent


def replace_tangent(tensor: Any, tangent: Any) -> None:
    """Give a tensor that was changed in place its tangent, which its views and its base share."""
    held = _held(tensor)
    base = None if tensor._view is None else tensor._view.base
    if held is _NO_TANGENT:
        held = base = None
    if held is None and base is not None and base._array.dtype == tensor._array.dtype:
        if tangents_of_tensor(base) is None:
            with _primal_only():  # where the tangent has samples, the zeros have
                zeros = tangent.new_zeros(base._array.shape, dtype=base.dtype)
                zeros = _copy_laid_out_like(base, zeros)
            set_tangent(base, zeros)
        held = tangents_of_tensor(tensor)
    with _primal_only():
        tangent = _in_dtype(tangent, tensor._array.dtype)
        tangent = (
            _copy_laid_out_like(tensor, tangent) if held is None else _copy_into(held, tangent)
        )
    set_tangent(tensor, tangent)


def _copy_laid_out_like(tensor: Any, tangent: Any) -> Any:
    """Return a copy of a tangent; a region of the tensor is there a view of the copy."""
    if tangent.stride() == tensor.stride():
        return clone(tangent)
    steps = tuple(step // tensor._array.itemsize for step in tensor._array.strides)
    nothing = Geometry(tensor._array.shape, steps, (0,), (1,), 0)
    return clear_region(tangent, nothing)


def _lies_alike(tensor: Any, tangent: Any) -> bool:
    """Return whether a tangent's elements lie in its memory where the tensor's lie in theirs."""
    if not (isinstance(tensor._array, np.ndarray) and isinstance(tangent._array, np.ndarray)):
        return True
    return _place(tensor) == _place(tangent)


def _place(tensor: Any) -> tuple[Any, ...]:
    """Return the steps between a tensor's elements, where they begin, and how much memory is."""
    steps = [step for step, n in zip(tensor.stride(), tensor._array.shape, strict=True) if n != 1]
    memory = tensor.untyped_storage().nbytes() // tensor._array.itemsize
    return steps, tensor.storage_offset(), memory


class ForwardMode(Interpreter):
    """The interpreter that is on the stack while a forward-mode level is open."""

    def change(
        self, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], below: Below
    ) -> Any:
        tangent = tangent_in_place(op, operands, params) if modes.forward_levels else None
        tensor = below(op, operands, params)
        if tangent is not None:
            replace_tangent(tensor, tangent)
        return tensor

    def executed(self, execution: Execution) -> None:
        if modes.forward_levels:
            push(execution)

    def dual(self, tensor: Any, tangent: Any) -> Any:
        in_function = modes.forward_levels[0].of_function
        with _primal_only():
            whole = basic_index if in_function else view
            result = whole(tensor, ... if in_function else tensor._array.shape)
            if not _lies_alike(tensor, tangent):  # the memory of its own that in-place ops write to
                tangent = clone(tangent)
        if not modes.inference:
            set_tangent(result, tangent)
        return result

    def primal(self, tensor: Any) -> Any:
        with _primal_only():
            result = basic_index(tensor, ...)
        set_tangent(result, _NO_TANGENT)
        return result

    def tangent_of(self, tensor: Any) -> Any | None:
        return None if modes.inference else tangents_of_tensor(tensor)

    def set_tangent(self, tensor: Any, tangent: Any) -> None:
        set_tangent(tensor, tangent)

    def zeros_like(self, tensor: Any) -> Any:
        return new_tensor(np.zeros(tensor._array.shape, tensor._array.dtype))


tangent_rules = ForwardMode()
gradient_ops.stack, gradient_ops.tangents = stack, tangent_rules

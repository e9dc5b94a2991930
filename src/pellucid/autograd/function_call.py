"""One call of a `Function`: its forward, the history of its outputs, and what it saves."""

from __future__ import annotations

import warnings
import weakref
from typing import TYPE_CHECKING, Any

from pellucid.autograd import forward_ad
from pellucid.autograd.function_node import FunctionCtx, FunctionNode, run_on_arrays
from pellucid.autograd.gradient_ops import gradient_ops
from pellucid.autograd.modes import modes
from pellucid.autograd.node import AccumulateGrad, sequence
from pellucid.autograd.saved import saved_entry
from pellucid.autograd.sites import user_frame
from pellucid.autograd.storage import CONSTANT
from pellucid.autograd.variable import (
    Edge,
    TensorBase,
    View,
    ViewOrigin,
    in_class,
    is_inference,
    storage_of,
)
from pellucid.dtypes import is_differentiable
from pellucid.errors import (
    ArgumentTypeError,
    GraphError,
    InvalidGradientError,
    LeafInplaceError,
    ViewInplaceError,
)
from pellucid.shapes import Meta

if TYPE_CHECKING:
    from pellucid.autograd.function import Function


class Application:
    """One call of a `Function`."""

    def __init__(self, cls: type[Function], args: tuple[Any, ...]) -> None:
        self.cls = cls
        self.args = args
        self.tensors = [each for each in args if isinstance(each, TensorBase)]
        edges = tuple(each.edge for each in self.tensors)
        self.ctx = ctx = FunctionCtx()
        ctx._requires = tuple(
            isinstance(each, TensorBase) and each.edge is not None for each in args
        )
        if any(each._interpreter is not None for each in self.tensors):
            ctx._sparse = _sparse_arguments(args)
        self.node = None
        if modes.grad_enabled and any(edge is not None for edge in edges):
            self.node = self._make_node(edges)
            ctx._node = weakref.ref(self.node)

    def _make_node(self, edges: tuple[Edge | None, ...]) -> FunctionNode:
        node = object.__new__(self.cls._node_class)
        node.edges, node.params, node.extra, node.saved = edges, None, None, None
        node.scope = modes.scope
        node.ctx = self.ctx
        node.positions = tuple(
            i for i, each in enumerate(self.args) if isinstance(each, TensorBase)
        )
        node.backward = run_on_arrays
        node.code, node._lasti = user_frame(2)
        node.seq = next(sequence)
        return node

    def run(self) -> Any:
        """Call forward, give its outputs their history, save, and push tangents."""
        returned = self._forward()
        outputs = list(returned) if isinstance(returned, tuple) else [returned]
        self._check_dirty(outputs)
        tangents = self._tangents()
        results = [self._with_history(slot, each, outputs) for slot, each in enumerate(outputs)]
        if self.node is not None:
            self._describe_outputs(self.node, results)
            self._save(self.node, outputs)
        if tangents:
            self._push(tangents, outputs, results)
        self.ctx._for_forward = None
        return tuple(results) if isinstance(returned, tuple) else results[0]

    def _forward(self) -> Any:
        """Run forward without recording, and without tangents, which ``jvp`` sees to."""
        before = modes.grad_enabled, modes.forward_levels
        modes.grad_enabled, modes.forward_levels = False, ()
        try:
            if not self.cls._has_setup():
                return self.cls.forward(self.ctx, *self.args)
            output = self.cls.forward(*self.args)
            self.cls.setup_context(self.ctx, self.args, output)
            return output
        finally:
            modes.grad_enabled, modes.forward_levels = before

    def _is(self, tensor: Any, among: Any) -> bool:
        return any(tensor is each for each in among)

    def _check_dirty(self, outputs: list[Any]) -> None:
        for each in self.ctx._dirty:
            if not self._is(each, self.tensors):
                warnings.warn(
                    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors "
                    "that have been mutated should be passed to ctx.mark_dirty().",
                    UserWarning,
                    stacklevel=4,
                )
            if not self._is(each, outputs):
                raise GraphError(
                    "Some elements marked as dirty during the forward method were not returned as "
                    "output. The inputs that are modified inplace must all be outputs of the "
                    "Function."
                )
            storage_of(each).note_change(self.cls.__name__, *user_frame(3))

    def _with_history(self, slot: int, output: Any, outputs: list[Any]) -> Any:
        """Return what the user gets for one of forward's outputs."""
        if not isinstance(output, TensorBase):
            return output
        dirty = self._is(output, self.ctx._dirty)
        returned_input = self._is(output, self.tensors) and not dirty
        if self._has_no_gradient(output):
            return self._without_history(output, returned_input)
        node = self.node
        assert node is not None
        if dirty:
            self._rebase(output, node, slot, outputs)
            return output
        result = _alias(output) if returned_input else output
        if result._view is not None:
            several = sum(isinstance(each, TensorBase) for each in outputs) > 1
            result._view.origin = (
                ViewOrigin.MULTIPLE_OUTPUTS if several and not returned_input
                else ViewOrigin.CUSTOM_FUNCTION
            )  # fmt: skip
            result._view.version, result._view.recorded = storage_of(result).version, True
        result._edge = (node, slot)
        return result

    def _has_no_gradient(self, output: Any) -> bool:
        if self.node is None or not is_differentiable(output._array.dtype):
            return True
        return self._is(output, self.ctx._non_differentiable)

    def _without_history(self, output: Any, returned_input: bool) -> Any:
        if returned_input:
            return output.detach() if output.edge is not None else _alias(output)
        if output.edge is not None and output._view is None:
            output._edge = None
        return output

    def _rebase(self, tensor: Any, node: FunctionNode, slot: int, outputs: list[Any]) -> None:
        edge = tensor._edge
        if edge is not None and isinstance(edge[0], AccumulateGrad):
            raise LeafInplaceError(
                "a leaf Variable that requires grad has been used in an in-place operation."
            )
        gradient_ops.check_inplace(tensor, self.cls.__name__)
        if tensor._view is not None:
            if len(outputs) > 1:
                raise ViewInplaceError(
                    "If your Function modifies inplace an input that is a view of another Tensor, "
                    "your Function cannot return more than one Tensor. This is not supported by "
                    "the "
                    "current autograd engine. You should either make sure the input is not a view "
                    "(using .clone() for example) or make your Function only return one Tensor "
                    "(potentially splitting it into two Functions: one doing the inplace that "
                    "returns a single Tensor and a second one that does the other operations)."
                )
            node.shape, node.dtype, node.metas = tensor._array.shape, tensor._array.dtype, None
        gradient_ops.rebase_history(tensor, node, slot)

    def _describe_outputs(self, node: FunctionNode, results: list[Any]) -> None:
        """Note each output's shape and dtype; what is not a tensor has a place, but no gradient."""
        metas = tuple(
            Meta(each._array.shape, each._array.dtype) if isinstance(each, TensorBase)
            else Meta((), None)
            for each in results
        )  # fmt: skip
        if len(metas) == 1:
            node.shape, node.dtype, node.metas = metas[0].shape, metas[0].dtype, None
        else:
            node.shape, node.dtype, node.metas = None, None, metas

    def _save(self, node: FunctionNode, outputs: list[Any]) -> None:
        entries: list[Any] = []
        sources: list[Any] = []
        for position, each in enumerate(self.ctx._to_save):
            if each is None:
                entries.append((None, CONSTANT, 0))
                sources.append(None)
                continue
            if not isinstance(each, TensorBase):
                raise ArgumentTypeError(
                    f"save_for_backward can only save variables, but argument {position} is of "
                    f"type {type(each).__name__}: keep it as an attribute of ctx instead"
                )
            if each._interpreter is not None:
                entries.append((each, CONSTANT, 0))
                sources.append(None)
                continue
            slot = next((i for i, output in enumerate(outputs) if output is each), None)
            unchanged = self._is(each, self.tensors) and not self._is(each, self.ctx._dirty)
            made_by = None
            if slot is None or unchanged:
                sources.append(each.edge)
            elif self._has_no_gradient(each):
                sources.append(None)
            else:
                sources.append(slot)
                made_by = (node, slot)
            entries.append(saved_entry(each, each._array, gradient_ops.arrays.wrap, made_by))
        node.saved = tuple(entries) or None
        node.sources = tuple(sources)
        self.ctx._to_save = ()

    def _tangents(self) -> list[Any] | None:
        """Return a tangent per argument, or None if there is no forward mode to do."""
        if not modes.forward_levels:
            return None
        found = [
            forward_ad.tangent_of(each) if isinstance(each, TensorBase) else None
            for each in self.args
        ]
        if all(each is None for each in found):
            return None
        if not self.ctx._materialize:
            return found
        return [
            gradient_ops.tangents.zeros_like(arg)
            if known is None and isinstance(arg, TensorBase) and is_differentiable(arg._array.dtype)
            else known
            for arg, known in zip(self.args, found, strict=True)
        ]

    def _push(self, tangents: list[Any], outputs: list[Any], results: list[Any]) -> None:
        returned = self.cls.jvp(self.ctx, *tangents)
        values = returned if isinstance(returned, tuple) else (returned,)
        if len(values) != len(results):
            raise InvalidGradientError(
                f"Function {self.cls.__name__}'s jvp returned an incorrect number of tangents "
                f"(expected {len(results)}, got {len(values)})"
            )
        for output, result, value in zip(outputs, results, values, strict=True):
            if value is None or not isinstance(result, TensorBase):
                continue
            self._check_tangent(output, value, tangents)
            if value.shape != result._array.shape:
                raise InvalidGradientError(
                    f"{self.cls.__name__}'s jvp returned a tangent of shape {list(value.shape)} "
                    "for "
                    f"an output of shape {list(result._array.shape)}"
                )
            gradient_ops.tangents.set_tangent(result, value)

    def _check_tangent(self, output: Any, tangent: Any, tangents: list[Any]) -> None:
        """Raise where a tangent is not changed in place, or not a view, as its output is."""
        if self._is(output, self.ctx._non_differentiable):
            raise InvalidGradientError(
                "The jvp function returned a tangent for an output that was marked as "
                "non-differentiable. You should return None at that position instead."
            )
        if self._is(output, self.ctx._dirty):
            if not any(each is tangent for each in tangents):
                raise InvalidGradientError(
                    "An inplace custom Function is not modifying the forward mode gradients "
                    "inplace. If the forward is modifying an input inplace, then the jvp function "
                    "must modify the corresponding gradient inplace."
                )
            return
        viewed = self._viewed(output)
        if viewed is None:
            return
        forward = "A custom Function's forward is returning a view (or an input as-is) but the jvp"
        if tangent._view is None:
            raise InvalidGradientError(f"{forward} is not returning a view.")
        given = tangents[viewed]
        if given is None or storage_of(tangent) is not storage_of(given):
            base = self.args[viewed]._view is not None
            raise InvalidGradientError(
                f"{forward} is not returning a view of the {'same base' if base else 'given'} "
                "as the forward: the tangent that it was given for this input."
            )

    def _viewed(self, output: Any) -> int | None:
        """Return the position of the argument that an output is, or is a view of."""
        for position, each in enumerate(self.args):
            if not isinstance(each, TensorBase):
                continue
            if output is each:
                return position
            seen = output._view
            if seen is not None and (
                seen.base is each or (each._view is not None and seen.base is each._view.base)
            ):
                return position
        return None


def _alias(tensor: Any) -> Any:
    """Return a view of all of a tensor, as a `Function` returns an input of its own."""
    result = gradient_ops.arrays.wrap(tensor._array)
    storage = result._storage = storage_of(tensor)
    if is_inference(tensor):  # nothing follows its views
        return in_class(result, type(tensor)) if tensor._takes_over else result
    base = tensor if tensor._view is None else tensor._view.base
    result._view = View(base, storage.version, ViewOrigin.CUSTOM_FUNCTION)
    return in_class(result, type(tensor)) if tensor._takes_over else result


def _sparse_arguments(args: tuple[Any, ...]) -> dict[int, Any]:
    return {
        position: each.detach()
        for position, each in enumerate(args)
        if getattr(each, "_interpreter", None) is not None
    }

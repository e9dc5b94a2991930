"""Running an op's node backward on tensors, for part of its operands, or by hand."""

from __future__ import annotations

import gc
from functools import partial
from typing import Any

from pellucid.autograd import explanations
from pellucid.autograd.called_nodes import gradients_of
from pellucid.autograd.gradient_ops import gradient_ops
from pellucid.autograd.modes import modes
from pellucid.autograd.node import AccumulateGrad, BackwardRun
from pellucid.autograd.saved import PackedValue, SavedTensor
from pellucid.autograd.storage import CONSTANT
from pellucid.autograd.variable import TensorBase
from pellucid.core.backward.plan import SavePlan, plan_of, unpacked
from pellucid.core.call.opmath import wide
from pellucid.core.definition.op import FormulaInput, Op, OpNode
from pellucid.dtypes import is_differentiable

#: PyTorch's names for what is saved
_SHOWN = {"input": "self", "out": "result"}
#: nodes whose operand PyTorch calls as it is called here
_WITH_INPUT = (
    "batch_norm", "native_", "convolution", "conv", "linear", "grid_sampler", "fused_rms_norm",
    "linalg_householder_product",
)  # fmt: skip


def node_class_of(op: Op) -> type[OpNode]:
    """Return the class of an op's nodes, made when first needed; its name is the nodes'."""
    if op.node_class is None:
        title = "".join(part[:1].upper() + part[1:] for part in op.node_name.split("_"))
        name = f"{title}Backward{op.overload}"
        op.node_class = type(name, (RunnableNode,), {"__slots__": (), "op": op} | _saved_values(op))
    return op.node_class


def _saved_values(op: Op) -> dict[str, property]:
    """Return the attributes that give what an op's derivatives read, as PyTorch's nodes have them.

    A ``__getattr__`` would be shorter, but the engine reads nodes more slowly where there is one.
    """
    read = {each.name: each.kind for f in op.formulas.values() for each in f.inputs}
    values: dict[str, property] = {}
    for name, kind in read.items():
        shown = _shown(op, name)
        if kind in ("input", "output"):
            values[f"_saved_{shown}"] = property(partial(RunnableNode.saved_by_name, name=name))
            values[f"_raw_saved_{shown}"] = property(partial(RunnableNode.raw_saved, name=name))
        elif kind == "like":
            sizes = property(partial(RunnableNode.saved_sizes, name=name))
            values[f"_saved_{shown}_sym_sizes"] = sizes
        elif kind == "param":
            values[f"_saved_{name}"] = property(partial(RunnableNode.saved_by_name, name=name))
    return values


def _shown(op: Op, name: str) -> str:
    """Return the name by which a saved value is asked for, as in PyTorch."""
    if name == "input" and op.node_name.startswith(_WITH_INPUT):
        return name
    return _SHOWN.get(name, name)


class RunnableNode(OpNode):
    """A node of an op: knows its plan, and gives its saved values as tensors."""

    __slots__ = ()

    __call__ = gradients_of

    @property
    def plan(self) -> SavePlan:
        """What the node saves and how it runs."""
        return plan_of(self)

    @property
    def conjugates(self) -> bool:
        """Whether the formulas are to be conjugated; see Note [Conjugation]."""
        metas = self.metas if self.metas is not None else (self,)
        return self.op.holomorphic and any(
            meta.dtype is not None and meta.dtype.kind == "c" for meta in metas
        )

    def backward_on_tensors(
        self, g: Any, needed: tuple[bool, ...] | None = None
    ) -> tuple[Any, ...]:
        plan = self.plan
        saved = [self.saved_tensor(position) for position in range(len(plan.saves))]
        grads = self._gradients(g, saved, needed or plan.needed)
        if self.op.flat and modes.grad_enabled:
            self._keep_operands(grads)
        return grads

    def _keep_operands(self, grads: tuple[Any, ...]) -> None:
        """Make operands a part of the history of gradients; see Note [Flat derivatives]."""
        for operand, edge, grad in zip(self.op.operands, self.edges, grads, strict=True):
            if operand.name in self.op.flat and edge is not None and grad is not None:
                gradient_ops.keep_operand(grad, edge, f"{self.name()[:-1]}Backward0")

    def backward_towards(self, g: Any, needed: tuple[bool, ...]) -> tuple[Any, ...]:
        if self.op.variadic:
            return self.backward(self, g)
        return self._gradients(wide(g), list(map(wide, self.saved_arrays())), needed)

    def _gradients(self, g: Any, saved: list[Any], needed: tuple[bool, ...]) -> tuple[Any, ...]:
        """Call the formulas of the operands that are needed, with arrays or with tensors."""
        likes = [None if edge is None else edge[0].output_meta(edge[1]) for edge in self.edges]
        g = _conjugate(g) if self.conjugates else g
        grads = self.plan.gradients(g, saved, self.params, likes, needed)
        return tuple(map(_conjugate, grads)) if self.conjugates else grads

    def saved_arrays(self) -> list[Any]:
        """Return the saved values; raise if they are freed or have been changed since."""
        return [] if self.saved is None else unpacked(self)

    def saved_tensor(self, position: int) -> Any:
        """Return one saved value as a tensor with the history that it had when saved."""
        saved = self.saved
        if not isinstance(saved, tuple):
            unpacked(self)
        assert isinstance(saved, tuple)
        entry, asked = saved[position], self.plan.saves[position]
        packed = isinstance(entry, PackedValue)
        value, storage, version = entry.watched if packed else entry
        if storage.version != version:
            raise explanations.changed_value.modified(self, position, value, storage, version)
        if packed:
            tensor = self._with_history(asked, entry.unpack()._array, CONSTANT)
            entry.decorate(tensor)
            return tensor
        if asked.kind == "like" or not hasattr(value, "dtype"):
            return value
        return self._with_history(asked, value, storage)

    def _with_history(self, asked: FormulaInput, value: Any, storage: Any) -> Any:
        from pellucid.core.call.call import new_tensor

        edge = (self, asked.index) if asked.kind == "output" else self.edges[asked.index]
        if asked.kind == "output" and (
            asked.index >= len(self.op.outputs) or not is_differentiable(value.dtype)
        ):
            edge = None
        if edge is not None and isinstance(edge[0], AccumulateGrad):
            leaf = edge[0].leaf
            if leaf is not None and leaf._array is value:
                return leaf
        tensor: TensorBase = new_tensor(value)
        tensor._storage = None if storage is CONSTANT else storage
        tensor._edge = edge
        return tensor

    def raw_saved(self, name: str) -> SavedTensor:
        """Return one saved value for hooks on it."""
        names = self.plan.saved_names
        if name not in names and name not in {operand.name for operand in self.op.operands}:
            raise AttributeError(f"{type(self).__name__} saves no {name!r}")
        return SavedTensor(self, names.index(name) if name in names else len(names))

    def saved_by_name(self, name: str) -> Any:
        """Return a parameter, or a saved value as a tensor; None for an operand that is not."""
        names = [param.name for param in self.op.params]
        if name in names and self.params is not None:
            return self.params[names.index(name)]
        saved_names = self.plan.saved_names
        if name not in saved_names and name in {operand.name for operand in self.op.operands}:
            return None
        if name not in saved_names:
            raise AttributeError(
                f"{type(self).__name__} saves no {name!r}; it saves "
                f"{', '.join(saved_names) or 'nothing'}"
            )
        if isinstance(self.saved, BackwardRun):
            unpacked(self)
        position = saved_names.index(name)
        # looked for first: the tensor made below would be found as well
        operand = None if self.op.variadic else self._operand_saved_as(position)
        tensor = self.saved_tensor(position)
        return tensor if operand is None else operand

    def saved_sizes(self, name: str) -> tuple[int, ...] | None:
        """Return the shape of an operand, if its gradient is computed."""
        position = next(i for i, each in enumerate(self.op.operands) if each.name == name)
        edge = None if self.op.variadic else self.edges[position]
        return None if edge is None else tuple(edge[0].output_meta(edge[1]).shape)

    def _operand_saved_as(self, position: int) -> TensorBase | None:
        """Return the operand itself whose values were saved, if the user still has it.

        A node holds arrays and not the tensors around them. So the tensor is found by who refers
        to the array, which takes long and is for those who look at a graph only.
        """
        assert isinstance(self.saved, tuple)
        entry, asked = self.saved[position], self.plan.saves[position]
        if asked.kind != "input" or not isinstance(entry, tuple):
            return None
        edge = self.edges[asked.index]
        for holder in gc.get_referrers(entry[0]):
            if (
                isinstance(holder, TensorBase)
                and holder._array is entry[0]
                and holder._edge == edge
            ):
                return holder
        return None


def _conjugate(g: Any) -> Any:
    if g is None:
        return None
    return [_conjugate(each) for each in g] if isinstance(g, list) else g.conj()

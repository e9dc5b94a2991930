"""Running an op's node backward on tensors, for part of its operands, or by hand."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np

from pellucid.autograd import explanations
from pellucid.autograd.called_nodes import gradients_of
from pellucid.autograd.gradient_ops import gradient_ops
from pellucid.autograd.modes import modes
from pellucid.autograd.node import (
    LAST_SEQUENCE,
    AccumulateGrad,
    BackwardRun,
    Joined,
    Node,
    sequence,
)
from pellucid.autograd.node_extra import RemovableHandle
from pellucid.autograd.saved import PackedValue, SavedTensor
from pellucid.autograd.shown_edges import of_all_edges
from pellucid.autograd.storage import (
    CONSTANT,
    OTHER_NUMBER,
    WHOLE_NUMBER,
    ConstantStorage,
    ConvertedStorage,
)
from pellucid.autograd.variable import Edge, TensorBase, storage_of
from pellucid.core.backward.plan import SavePlan, handed_on, plan_of, unpacked
from pellucid.core.backward.steps import Part, Step, before, taken, with_taken
from pellucid.core.call.opmath import wide
from pellucid.core.definition.faces import Face, as_list, unsigned
from pellucid.core.definition.numbers import is_number
from pellucid.core.definition.op import FormulaInput, Op, OpFunction, OpNode
from pellucid.dtypes import from_numpy_dtype, is_complex_dtype, is_differentiable
from pellucid.kernels.active import kernels_for
from pellucid.shapes import contiguous_strides

#: PyTorch's names for what is saved
_SHOWN = {"input": "self", "out": "result"}
#: nodes whose operand PyTorch calls as it is called here
_WITH_INPUT = (
    "batch_norm", "native_", "convolution", "conv", "linear", "grid_sampler", "fused_rms_norm",
    "linalg_householder_product",
)  # fmt: skip


def node_class_of(op: Op) -> type[OpNode]:
    """Return the class that an op's nodes are made of; see also `RunnableNode.shown`."""
    if op.node_class is None:
        title = "".join(part[:1].upper() + part[1:] for part in op.node_name.split("_"))
        name = f"{title}Backward{op.overload}"
        op.node_class = _class_named(op, name)
    return op.node_class


def number_classes_of(op: Op) -> tuple[type[OpNode] | None, ...] | None:
    """Return for each operand the class of the nodes for a number in its place, if any has one.

    For an op that is `Facts.absent` these are the classes for None instead.
    """
    found = op.numbered or op.absent
    if not found:
        return None
    names = [found.get(operand.name) for operand in op.operands]
    settled = bool(op.numbered)
    return tuple(None if name is None else _class_named(op, name, 0, settled) for name in names)


def node_class_for(op: Op, operands: tuple[Any, ...]) -> type[OpNode]:
    """Return the class of the node for operands, numbers or what stands in for them among them."""
    for made, operand in zip(number_classes_of(op) or (), operands, strict=False):
        if made is None:
            continue
        if operand is None if op.absent else is_number(operand) or _stands_in(operand):
            return made
    return node_class_of(op)


def _stands_in(operand: Any) -> bool:
    storage = getattr(operand, "_storage", None)
    return storage is WHOLE_NUMBER or storage is OTHER_NUMBER


def mark_in_place(node: Any) -> None:
    """Give a node of a change in place the class of PyTorch's overload for that."""
    op = node.op
    if op.overloads:
        node.__class__ = _class_named(op, node.shown().__class__.__name__, op.overloads)


def show_as(node: Any, name: str) -> None:
    """Give a node one of the names that its op has faces for: it is known from how it was made."""
    node.__class__ = _class_named(node.op, name, settled=True)


def show_result_as(function: OpFunction, result: Any, name: str) -> None:
    """Give the node of an op's result one of the names that the op has faces for."""
    edge = result._edge
    if edge is None:
        return
    node, op = edge[0], function.op
    if getattr(node, "op", None) is op:
        known = op.shown_classes.get(name)
        if known is None:
            show_as(node, name)
        else:
            node.__class__ = known


def note_numbers(made: Any, since: int, kept: bool) -> None:
    """Give nodes that a derivative has made since PyTorch's classes where an operand is a number.

    Args:
        made: What it has returned: tensors, lists of tensors and ``None``.
        since: A number of the time before.
        kept: Whether an operand of it that was a number is one for PyTorch.
    """
    for each in made:
        if isinstance(each, tuple | list):
            note_numbers(each, since, kept)
        elif (tensor := of_all_samples(each)) is not None and tensor._edge is not None:
            _note_numbers(kept, tensor._edge[0], since)


def note_numbers_of(node: OpNode, made: Any, since: int) -> None:
    """Do the same for what the derivative of a node has made."""
    note_numbers(made, since, node.op.keeps_numbers or type(node).__name__ == node.op.of_number)


def of_all_samples(tensor: Any) -> Any:
    """Return a tensor, or the one that a batched one holds, which has the history."""
    while tensor is not None and hasattr(tensor._array, "__batched_tensor__"):
        tensor = tensor._array.value
    return tensor


def _note_numbers(kept: bool, node: Any, since: int) -> None:
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node.seq <= since or node.seq == LAST_SEQUENCE:
            continue
        waiting += [edge[0] for edge in node.edges if edge is not None]
        op = getattr(node, "op", None)
        if op is None:
            continue
        if op.of_number and _has_number(node, kept):
            show_as(node, op.of_number)
        elif type(node).__name__ in op.numbered.values():  # in C++ a number minus a tensor is `sub`
            node.__class__ = node_class_of(op)


def _has_number(node: Any, kept: bool) -> bool:
    """Return whether the second operand of a node in a derivative was a number.

    What was not saved counts as one, and where numbers are ``kept`` so does what has no dimensions.
    """
    if node.edges[1] is not None or node.edges[0] is None or isinstance(node, Part):
        return False
    saved = node.saved
    if not isinstance(saved, tuple):
        return True
    return all(
        isinstance(each, tuple)
        and (isinstance(each[1], ConstantStorage) or (kept and not getattr(each[0], "ndim", 0)))
        for each in saved
    )


def _class_named(op: Op, name: str, in_place: int = 0, settled: bool = False) -> type[OpNode]:
    """Return the class of the nodes that have a name, with what they show.

    For changes ``in_place`` overloads of other numbers show the same.
    """
    plain = name
    if in_place:
        name = f"{name[:-1]}{int(name[-1]) + in_place}"
    made = op.shown_classes.get(name)
    if made is None:
        faces = op.faces
        face = faces.get(name, faces.get(plain)) if isinstance(faces, dict) else faces
        shown = _saved_values(op) if face is None else _values_of(op, face)
        members: dict[str, Any] = {
            "__slots__": (), "op": op, "shown_edges": _shown_edges(op, face),
            "in_place": settled or in_place > 0, "hidden": face is not None and face.hidden,
            "gradient_changes": _by_node(op.gradient_changes), "is_unfreed": name in op.unfreed,
        }  # fmt: skip
        namespace, _, short = name.rpartition("::")
        if namespace:
            members["namespace"] = f"{namespace}::"
        made = op.shown_classes[name] = type(short, (RunnableNode,), members | shown)
    return made


def _by_node(fact: Any) -> Any:
    return property(fact) if callable(fact) else fact


def _shown_edges(op: Op, face: Face | None) -> tuple[int, ...] | None:
    """Return the positions of the operands that PyTorch's node has edges for."""
    if op.variadic:
        return None
    names = [operand.name for operand in op.operands]
    if face is not None and face.edges is not None:
        return tuple(map(names.index, face.edges))
    return tuple(place for place, name in enumerate(names) if name in op.formulas)


def _values_of(op: Op, face: Face) -> dict[str, property]:
    """Return the attributes that a face declares."""
    values: dict[str, property] = {}
    kept = {operand.name for operand in op.operands} | {*op.outputs}
    for shown, (source, form) in face.saved.items():
        value = partial(_shown_value, shown=shown, source=source, form=form)
        values[f"_saved_{shown}"] = property(value)
        if source in kept and form != "#" and "_sym_" not in shown:
            values[f"_raw_saved_{shown}"] = property(partial(RunnableNode.raw_saved, name=source))
    computed = {f"_saved_{shown}": property(value) for shown, value in face.computed.items()}
    return values | computed


def _shown_value(node: Any, shown: str, source: str, form: str) -> Any:
    """Return what a face's word stands for; see `Face`."""
    _, _, measure = shown.partition("_sym_")
    if measure:
        return node.measured(source, measure)
    if form == "#":
        return node.saved_number(source)
    if form == "@":
        return node.held(source)
    value = node.saved_by_name(source)
    if form == "~" and value is not None:
        return value.detach()
    if form in ("()", "()?"):
        return (None if form == "()?" else ()) if value is None else as_list(value)
    return value


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

    #: whether it is PyTorch's node of a change in place
    in_place: ClassVar[bool] = False

    def __call__(self, *grad_outputs: TensorBase | None) -> Any:
        step = self.step()
        found = gradients_of(self, *grad_outputs)
        if step is None or grad_outputs[0] is None:
            return found
        grads = found if isinstance(found, tuple) else (found,)
        shown = taken(step, of_all_edges(self, grads), grad_outputs[0])
        return shown[0] if len(shown) == 1 else shown

    def step(self) -> Step | None:
        """Return which of PyTorch's steps the node shows itself as; None if it is whole."""
        return None if self.op.steps is None else self.op.steps(self)

    def register_hook(self, fn: Callable[[Any, Any], Any]) -> RemovableHandle:
        step = self.step()
        if step is None or not any(isinstance(each, Step) for each in step.into):
            return super().register_hook(fn)

        def run(grad_inputs: Any, grad_outputs: Any) -> Any:
            grads = of_all_edges(self, grad_inputs)
            replaced = fn(taken(step, grads, grad_outputs[0]), grad_outputs)
            return None if replaced is None else with_taken(self, step, grads, replaced)

        return super().register_hook(run)

    def name(self) -> str:
        return Node.name(self.shown())

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """The nodes that made this node's operands, each with the number of its output."""
        step = self.step()
        if step is not None:
            return tuple([before(self, each, (step,)) for each in step.into])
        found = super().next_functions
        if self.op.family.name == "underived":  # PyTorch's has edges for what requires grad
            return tuple([edge for edge in found if edge[0] is not None])
        return found

    def shown(self) -> RunnableNode:
        """Return the node, which is given the class of its name: PyTorch has one per overload."""
        if self.op.named is not None and not self.in_place:
            shown: Any = _class_named(self.op, self.op.named(self))
            if type(self) is not shown:
                self.__class__ = shown
        return self

    @property
    def plan(self) -> SavePlan:
        """What the node saves and how it runs."""
        return plan_of(self)

    @property
    def conjugates(self) -> bool:
        """Whether the formulas are to be conjugated; see Note [Conjugation]."""
        metas = self.metas if self.metas is not None else (self,)
        return self.op.holomorphic and any(
            meta.dtype is not None and is_complex_dtype(meta.dtype) for meta in metas
        )

    def backward_on_tensors(
        self, g: Any, needed: tuple[bool, ...] | None = None
    ) -> tuple[Any, ...]:
        plan = self.plan
        saved = [self.saved_tensor(position) for position in range(len(plan.saves))]
        since = next(sequence)
        grads = self._gradients(g, saved, needed or plan.needed)
        note_numbers_of(self, grads, since)
        if modes.grad_enabled:
            if self.op.flat:
                self._keep_operands(grads)
            if self.op.joint:
                self._join(grads)
        return grads

    def _join(self, grads: tuple[Any, ...]) -> None:
        """Give gradients without a history that of the operands that PyTorch's derivative reads."""
        edges = tuple(
            edge
            for operand, edge in zip(self.op.operands, self.edges, strict=True)
            if edge is not None and operand.name in self.op.joint
        )
        for grad in grads if edges else ():
            grad = of_all_samples(grad)
            if grad is not None and grad._edge is None:
                node = Joined(f"{self.name()[:-1]}Backward0", edges, grad._array)
                grad._edge = (node, 0)

    def _keep_operands(self, grads: tuple[Any, ...]) -> None:
        """Make operands a part of the history of gradients; see Note [Flat derivatives]."""
        for operand, edge, grad in zip(self.op.operands, self.edges, grads, strict=True):
            if operand.name in self.op.flat and edge is not None and grad is not None:
                gradient_ops.keep_operand(grad, edge, f"{self.name()[:-1]}Backward0")

    def backward_towards(self, g: Any, needed: tuple[bool, ...]) -> tuple[Any, ...]:
        if self.op.variadic:
            return self.backward(self, g)
        widened = wide(g)
        grads = self._gradients(widened, list(map(wide, self.saved_arrays())), needed)
        return grads if widened is g else tuple([handed_on(each, widened, g) for each in grads])

    def _gradients(self, g: Any, saved: list[Any], needed: tuple[bool, ...]) -> tuple[Any, ...]:
        """Call the formulas of the operands that are needed, with arrays or with tensors."""
        likes = [None if edge is None else edge[0].output_meta(edge[1]) for edge in self.edges]
        if not self.conjugates:
            return self.plan.gradients(g, saved, self.params, likes, needed)
        turned = _conjugate(g)
        grads = self.plan.gradients(turned, saved, self.params, likes, needed)
        return tuple([g if each is turned else _conjugate(each) for each in grads])

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
        tensor._storage = None if isinstance(storage, ConstantStorage) else storage
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
            return unsigned(self.params[names.index(name)])
        saved_names = self.plan.saved_names
        if name not in saved_names and name in {operand.name for operand in self.op.operands}:
            return None
        if name not in saved_names:
            raise AttributeError(
                f"{type(self).__name__} saves no {name!r}; it saves "
                f"{', '.join(saved_names) or 'nothing'}"
            )
        self.check_kept()
        position = saved_names.index(name)
        if (number := self._number_at(position)) is not None:
            return number_tensor(number)
        if self._is_absent(position):
            return None
        # looked for first: the tensor made below would be found as well
        operand = None if self.op.variadic else self._operand_saved_as(position)
        tensor = self.saved_tensor(position)
        return self._as_given(position, tensor) if operand is None else operand

    def _as_given(self, position: int, tensor: Any) -> Any:
        """Return a saved value in the dtype that its operand had before promotion."""
        asked = self.plan.saves[position]
        edge = self.edges[asked.index] if asked.kind == "input" and not self.op.variadic else None
        dtype = None if edge is None else edge[0].output_meta(edge[1]).dtype
        if dtype is None and isinstance(self.saved, tuple):
            entry = self.saved[position]
            storage = entry[1] if isinstance(entry, tuple) else None
            dtype = storage.dtype if isinstance(storage, ConvertedStorage) else None
        if dtype is None or not hasattr(tensor, "_array") or tensor._array.dtype == dtype:
            return tensor
        return tensor.to(from_numpy_dtype(dtype))

    def _number_at(self, position: int) -> complex | None:
        """Return the number that a value was saved from, if it was one."""
        entry = self.saved[position] if isinstance(self.saved, tuple) else None
        if not isinstance(entry, tuple) or entry[1] not in (WHOLE_NUMBER, OTHER_NUMBER):
            return None
        number: complex = entry[0].item()
        return int(number.real) if entry[1] is WHOLE_NUMBER else number

    def _is_absent(self, position: int) -> bool:
        entry = self.saved[position] if isinstance(self.saved, tuple) else None
        return isinstance(entry, tuple) and entry[0] is None

    def was_number(self, name: str) -> bool:
        """Return whether a number was given for an operand, as far as is known.

        What leads to no history and has no dimensions counts as one: in a derivative a number has
        become a constant. So does what was freed.
        """
        if self.edges[self._position_of(name)] is not None:
            return False
        names = self.plan.saved_names
        if name not in names or not isinstance(self.saved, tuple):
            return True
        entry = self.saved[names.index(name)]
        return isinstance(entry, tuple) and not getattr(entry[0], "ndim", 0)

    def saved_number(self, name: str) -> complex | None:
        """Return the number given for an operand and saved; None if it was not a number."""
        if not self.was_number(name):
            return None
        value: TensorBase | None = self.saved_by_name(name)
        return None if value is None else value._array.item()

    def held(self, name: str) -> Any:
        """Return an operand or an output that PyTorch saves; None where nobody has it any more.

        Raises:
            RuntimeError: If what the node has saved was freed.
        """
        self.check_kept()
        if name in self.plan.saved_names:
            return self.saved_by_name(name)
        return self._tensor_of(name)

    def check_kept(self) -> None:
        """Raise RuntimeError if a backward pass has freed what the node had saved."""
        if isinstance(self.saved, BackwardRun):
            unpacked(self)

    def _tensor_of(self, name: str) -> Any:
        """Return the tensor that was an operand or is an output, if somebody has it."""
        if name in self.op.outputs:
            return _tensor_at((self, self.op.outputs.index(name)))
        edge = self.edges[self._position_of(name)]
        if edge is None or isinstance(edge[0], AccumulateGrad):
            return self._leaf_of(name)
        found = _tensor_at(edge)
        return _view_at(edge) if found is None else found

    def _leaf_of(self, name: str) -> TensorBase | None:
        """Return the leaf that an operand was; None for any other."""
        leaf, _ = self.edges[self._position_of(name)] or (None, 0)
        return leaf.variable if isinstance(leaf, AccumulateGrad) else None

    def array_of(self, name: str) -> Any:
        """Return the values of an operand if the node has saved them, or if it is a leaf."""
        names = self.plan.saved_names
        if name in names and isinstance(self.saved, tuple):
            entry = self.saved[names.index(name)]
            return (entry.watched if isinstance(entry, PackedValue) else entry)[0]
        leaf = self._leaf_of(name)
        return None if leaf is None else leaf._array

    def measured(self, name: str, measure: str) -> Any:
        """Return sizes, strides or the number of elements of an operand, as far as it is known."""
        if measure == "strides":
            return self._strides_of(name)
        sizes = self.saved_sizes(name)
        if sizes is None:
            array = self.array_of(name)
            value = self.saved_by_name(name) if array is None else array
            sizes = None if value is None else tuple(value.shape)
        if sizes is None or measure == "sizes":
            return sizes
        return math.prod(sizes) if measure == "numel" else sizes[int(measure.split("_")[-1])]

    def _strides_of(self, name: str) -> tuple[int, ...] | None:
        if self.edges[self._position_of(name)] is None:
            return ()
        value = self._tensor_of(name)
        if value is not None:
            return tuple(value.stride())
        array, sizes = self.array_of(name), self.saved_sizes(name)
        if array is None and sizes is not None:  # freed: what nobody has any more was contiguous
            return contiguous_strides(sizes)
        return None if array is None else tuple([step // array.itemsize for step in array.strides])

    def _position_of(self, name: str) -> int:
        return next(i for i, each in enumerate(self.op.operands) if each.name == name)

    def saved_sizes(self, name: str) -> tuple[int, ...] | None:
        """Return the shape of an operand, if its gradient is computed."""
        position = self._position_of(name)
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


def _tensor_at(edge: Edge) -> TensorBase | None:
    """Return the tensor whose gradient goes along an edge, found by who refers to the node."""
    for pair in gc.get_referrers(edge[0]):
        if isinstance(pair, tuple) and pair == edge:
            for holder in gc.get_referrers(pair):
                if isinstance(holder, TensorBase) and holder._edge is pair:
                    return holder
    return None


def base_of(tensor: Any) -> Any:
    """Return what a tensor is a view of: another one, or in PyTorch a part of its node."""
    if tensor._view is not None:
        base = tensor._view.base
        shown = base_of(base)
        return base if shown is None else shown
    node = None if tensor._edge is None else tensor._edge[0]
    step = node.step() if isinstance(node, RunnableNode) else None
    if step is None or not step.views:
        return None
    below = step.into[0]
    assert isinstance(below, Step)
    base: Any = number_tensor(0)
    base._array, base._storage = tensor._array.reshape(below.shape), storage_of(tensor)
    base._edge = before(node, below, (step,))
    return base


def _view_at(edge: Edge) -> TensorBase | None:
    """Return the tensor that leads along an edge, if it is a view of one that somebody has."""
    node = edge[0]
    if not isinstance(node, RunnableNode) or node.op.family.name != "view":
        return None
    viewed = node._tensor_of(node.op.operands[0].name)
    if viewed is None or viewed._storage is None:
        return None
    made: Any = number_tensor(0)
    made._array = node.op.body(kernels_for((viewed._array,)), viewed._array, *(node.params or ()))
    made._storage, made._edge = viewed._storage, edge
    return made if made._array.shape == node.shape else None


def number_tensor(number: complex) -> TensorBase:
    """Return a number as the tensor that PyTorch makes of it."""
    from pellucid.core.call.call import new_tensor

    return new_tensor(np.asarray(number))


def _conjugate(g: Any) -> Any:
    if g is None:
        return None
    return [_conjugate(each) for each in g] if isinstance(g, list) else g.conj()

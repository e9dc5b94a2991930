"""Run a model once and write what it computes as a file of ONNX."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid.autograd.modes import interpreting, no_grad
from pellucid.autograd.variable import TensorBase
from pellucid.core.call.interpreter import Below, Execution, Interpreter
from pellucid.core.definition.op import Op
from pellucid.core.errors import op_errors
from pellucid.errors import ArgumentError, UnimplementedError
from pellucid.tensors import Tensor

#: the version of ONNX's operators that is written, and that of the file that belongs to it
OPSET, FILE_FORMAT = 20, 9


def export(
    model: Any, args: Any = (), f: str | os.PathLike[str] | None = None, *,
    kwargs: dict[str, Any] | None = None, input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
) -> Any:  # fmt: skip
    """Write a module or function as a file of ONNX, and return the ``onnx.ModelProto``.

    The model runs once, in the mode that it is in: call ``model.eval()`` before. Shapes are those
    of the example, and what Python decided during the run stays decided.

    Args:
        model: Module or function of tensors.
        args: Tensor, or tuple of the positional arguments. What depends on none of them is stored
            as it is.
        f: Path of the file; None for no file.
        kwargs: Arguments by name; tensors among them are not inputs of the file.
        input_names: Names of the inputs, in order; ``input_0`` and so on by default.
        output_names: Names of the outputs, in order; ``output_0`` and so on by default.

    Raises:
        NotImplementedError: If ONNX has no counterpart for an operation, naming it and the line.
        ImportError: If the package ``onnx`` is not installed.

    >>> torch.onnx.export(torch.nn.Linear(2, 1), torch.ones(3, 2))  # doctest: +SKIP
    """
    onnx: Any = importlib.import_module("onnx")
    given = args if isinstance(args, tuple) else (args,)
    inputs = [each for each in given if isinstance(each, Tensor)]
    graph = GraphWriter(onnx, _names_of_state(model))
    for name, tensor in zip(_names(input_names, "input", inputs), inputs, strict=True):
        graph.add_input(name, tensor)
    with no_grad(), interpreting(graph):
        results = model(*given, **(kwargs or {}))
    outputs = _tensors_in(results)
    for name, tensor in zip(_names(output_names, "output", outputs), outputs, strict=True):
        graph.add_output(name, tensor)
    proto = graph.finished(type(model).__name__)
    onnx.checker.check_model(proto, full_check=True)
    if f is not None:
        onnx.save(proto, os.fspath(f))
    return proto


def _names_of_state(model: Any) -> dict[int, str]:
    """Return the dotted names of parameters and buffers by the tensors' identities."""
    if not hasattr(model, "named_parameters"):
        return {}
    state = [*model.named_parameters(), *model.named_buffers()]
    return {id(tensor): name for name, tensor in state}


def _names(given: Sequence[str] | None, kind: str, tensors: list[Tensor]) -> list[str]:
    names = [f"{kind}_{number}" for number in range(len(tensors))] if given is None else given
    if len(names) != len(tensors):
        raise ArgumentError(
            f"{kind}_names has {len(names)} names, but the model has {len(tensors)} {kind}s"
        )
    return list(names)


def _tensors_in(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    return [tensor for each in value or () for tensor in _tensors_in(each)]


class GraphWriter(Interpreter):
    """An interpreter that writes each operation on what depends on the inputs as nodes of ONNX.

    Args:
        onnx: The package.
        names_of_state: Names of the model's parameters and buffers by identity.
    """

    def __init__(self, onnx: Any, names_of_state: dict[int, str]) -> None:
        self.onnx = onnx
        self._names_of_state = names_of_state
        self._names: dict[int, str | None] = {}
        #: keeps what is known by identity alive
        self._known: list[TensorBase] = []
        self._stored: dict[str, Any] = {}
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self._nodes: list[Any] = []

    # ---- values ---------------------------------------------------------------------------------

    def add_input(self, name: str, tensor: Tensor) -> None:
        """Declare an input of the file."""
        self._inputs.append(self._declared(name, tensor))
        self._learn(tensor, name)

    def add_output(self, name: str, tensor: Tensor) -> None:
        """Declare an output of the file."""
        source = self._name_of(tensor)
        if source is None:
            raise UnimplementedError(
                f"the result '{name}' cannot be exported: ONNX does not give this part of what an "
                "operation returns"
            )
        self.node("Identity", source, outputs=[name])
        self._outputs.append(self._declared(name, tensor))

    def store(self, array: np.ndarray[Any, Any], name: str = "") -> str:
        """Store values in the file, and return their name."""
        name = name or f"constant_{len(self._stored)}"
        if name not in self._stored:
            contiguous = np.array(array, order="C")
            self._stored[name] = self.onnx.numpy_helper.from_array(contiguous, name)
        return name

    def node(
        self, kind: str, *inputs: str, outputs: Sequence[str] = (), count: int = 1, **facts: Any
    ) -> Any:
        """Write a node; return the name of its output, or of each of several."""
        number = len(self._nodes)
        names = list(outputs) or [f"{kind.lower()}_{number}_{each}" for each in range(count)]
        self._nodes.append(self.onnx.helper.make_node(kind, list(inputs), names, **facts))
        return names[0] if len(names) == 1 else names

    def finished(self, name: str) -> Any:
        """Return the model."""
        helper = self.onnx.helper
        graph = helper.make_graph(
            self._nodes, name, self._inputs, self._outputs, list(self._stored.values())
        )
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=FILE_FORMAT,
            producer_name="pellucid",
        )  # fmt: skip

    def number_type(self, dtype: Any) -> int:
        """Return ONNX's number of a dtype of NumPy."""
        return self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))

    def _declared(self, name: str, tensor: Tensor) -> Any:
        array = tensor._array
        return self.onnx.helper.make_tensor_value_info(
            name, self.number_type(array.dtype), list(array.shape)
        )

    def _learn(self, tensor: TensorBase, name: str | None) -> None:
        self._names[id(tensor)] = name
        self._known.append(tensor)

    def _depends_on_inputs(self, value: Any) -> bool:
        return isinstance(value, Tensor) and self._identity(value) is not None

    def _identity(self, tensor: TensorBase) -> int | None:
        """Return the identity under which a tensor is known; ``detach`` gives a second one."""
        if id(tensor) in self._names:
            return id(tensor)
        facts = _place_in_memory(tensor)
        for known in reversed(self._known):
            if _place_in_memory(known) == facts:
                return id(known)
        return None

    def _name_of(self, tensor: Tensor) -> str | None:
        identity = self._identity(tensor)
        if identity is None:
            return self.store(tensor._array, self._names_of_state.get(id(tensor), ""))
        return self._names[identity]

    # ---- operations -----------------------------------------------------------------------------

    def executed(self, execution: Execution) -> None:
        """Write an operation, unless it depends on no input."""
        if not any(map(self._depends_on_inputs, execution.operands)):
            return
        call = Call(self, execution)
        written = call.write()
        for output, name in zip(execution.results, written, strict=False):
            self._learn(output, name)
        for output in execution.results[len(written) :]:
            self._learn(output, None)

    def change(
        self, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], below: Below
    ) -> Any:
        """Write a change in place as a new value; refuse it where a view would have to follow."""
        target = operands[0]
        if not any(map(self._depends_on_inputs, operands)):
            return below(op, operands, params)
        before = Call(self, _execution(op, operands, params))
        if target._view is not None or _has_views(target, self._known):
            before.refuse("a change in place of memory that several tensors share")
        (name, *_) = before.write()
        result = below(op, operands, params)
        self._learn(target, name)
        return result


def _execution(op: Op, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Execution:
    """Return what a change in place is given; the result has the dtype of what is changed."""
    target = operands[0]
    arrays = [each._array if isinstance(each, Tensor) else each for each in operands]
    return Execution(op, operands, params, arrays, [target])


def _has_views(tensor: Tensor, others: list[TensorBase]) -> bool:
    own = tensor._array
    return any(each is not tensor and np.shares_memory(each._array, own) for each in others)


def _place_in_memory(tensor: TensorBase) -> tuple[Any, ...]:
    array = tensor._array
    return (array.__array_interface__["data"][0], array.shape, array.strides, array.dtype)


class Call:
    """One call of an operation, with what a converter needs to write it.

    Args:
        graph: Where nodes are written.
        execution: The call that has been computed.
    """

    def __init__(self, graph: GraphWriter, execution: Execution) -> None:
        self.graph = graph
        self.op = execution.op
        self.operands = execution.operands
        self.outputs: list[Any] = execution.results
        self._params = execution.params
        self._arrays = execution.arrays
        named = zip(self.op.params, execution.params, strict=False)
        self.params: dict[str, Any] = {each.name: value for each, value in named}

    def write(self) -> list[str]:
        """Write the nodes; return the names of the outputs that there are in ONNX."""
        from pellucid.onnx.converters import CONVERTERS

        if self.op.name not in CONVERTERS:
            self.refuse("this operation")
        names = CONVERTERS[self.op.name](self)
        return names if isinstance(names, list) else [names]

    def refuse(self, what: str) -> Any:
        """Raise NotImplementedError for what ONNX lacks."""
        context = op_errors.op_context(self.op, self.operands, self._params)
        raise UnimplementedError(f"exporting to ONNX is not supported for {what}{context}")

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the first operand."""
        return self.operands[0]._array.shape

    @property
    def output_shape(self) -> tuple[int, ...]:
        """The shape of the first output."""
        return self.outputs[0]._array.shape

    @property
    def dtype(self) -> Any:
        """The dtype of NumPy that the first output has."""
        return self.outputs[0]._array.dtype

    def dim(self, name: str = "dim") -> int:
        """Return a dimension of the first operand that is given as a parameter, from the front."""
        return self.params[name] % max(len(self.shape), 1)

    def input(self, position: int = 0) -> str:
        """Return the name of an operand, in the dtype in which the operation computes."""
        operand, array = self.operands[position], self._arrays[position]
        if not isinstance(operand, Tensor):
            dtype = getattr(array, "dtype", None)
            if dtype is None or dtype.kind == "O":
                dtype = self._common_dtype()
            return self.graph.store(np.asarray(operand, dtype))
        name = self.graph._name_of(operand)
        if name is None:
            return self.refuse("another part of what an operation returned")
        if hasattr(array, "dtype") and array.dtype != operand._array.dtype:
            name = self.node("Cast", name, to=self.graph.number_type(array.dtype))
        return name

    def has(self, position: int) -> bool:
        """Return whether an operand is given."""
        return len(self.operands) > position and self.operands[position] is not None

    def inputs(self) -> list[str]:
        """Return the names of all operands."""
        return [self.input(position) for position in range(len(self.operands))]

    def node(self, kind: str, *inputs: str, count: int = 1, **facts: Any) -> Any:
        """Write a node; return the name of its output, or of each of several."""
        return self.graph.node(kind, *inputs, count=count, **facts)

    def integers(self, *values: int) -> str:
        """Store a vector of integers, such as a shape or dimensions."""
        return self.graph.store(np.array(values, np.int64))

    def number(self, value: float) -> str:
        """Store a number in the dtype of the operation."""
        return self.graph.store(np.array(value, self._common_dtype()))

    def reshaped(self, name: str, shape: Sequence[int]) -> str:
        """Write a change of shape."""
        return self.node("Reshape", name, self.integers(*shape), allowzero=1)

    def _common_dtype(self) -> Any:
        arrays = [each for each in self._arrays if isinstance(each, np.ndarray) and each.ndim]
        tensors = [each._array for each in self.operands if isinstance(each, Tensor)]
        return (arrays or tensors)[0].dtype

"""``backward`` and ``grad``: what a user asks of the engine, checked and put into its terms."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

from pellucid._native import compiled
from pellucid.autograd import explanations
from pellucid.autograd.atomic import AtomicTask
from pellucid.autograd.careful_run import Captures
from pellucid.autograd.engine import Plan, Task, plan_all, plan_towards, refuse_freed
from pellucid.autograd.gradient_ops import Gradients, gradient_ops
from pellucid.autograd.modes import modes
from pellucid.autograd.node import BackwardRun, Node, UndefinedGrad, reachable
from pellucid.autograd.passes import run_pass
from pellucid.autograd.short_tracebacks import shorten, shortening
from pellucid.autograd.sites import user_stacklevel
from pellucid.autograd.typed import Tensor
from pellucid.autograd.variable import Edge, TensorBase
from pellucid.autograd.warned import warn_once
from pellucid.dtypes import is_complex_dtype
from pellucid.errors import (
    ArgumentError,
    ArgumentTypeError,
    GraphError,
    IndexingError,
    UnusedInputError,
)
from pellucid.observe import watchers


class GradientEdge(NamedTuple):
    """An output of a node, which ``backward`` and ``grad`` accept in place of a tensor.

    Attributes:
        node: The node.
        output_nr: The index of the output.
        ownership_token: None; with PyTorch's code generators what keeps the node alive.

    >>> x = torch.ones(2, requires_grad=True)
    >>> edge = torch.autograd.graph.get_gradient_edge(x * 2)
    >>> edge.node.name(), edge.output_nr
    ('MulBackward0', 0)
    """

    node: Node
    output_nr: int
    ownership_token: Node | None = None


Several: TypeAlias = Tensor | GradientEdge | Iterable[Tensor | GradientEdge]
Given: TypeAlias = Tensor | Sequence[Tensor | None] | None
RetainGraph: TypeAlias = bool | Tensor | Sequence[Tensor] | None


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Return the edge that a tensor's gradient arrives through.

    Args:
        tensor: A tensor that requires grad.

    Raises:
        RuntimeError: If the tensor does not require grad.
        AssertionError: If the tensor is a view made without recording of one that requires grad.

    >>> y = torch.ones(2, requires_grad=True) * 2
    >>> torch.autograd.graph.get_gradient_edge(y).node.name()
    'MulBackward0'
    """
    edge = tensor.edge
    if edge is None:
        raise GraphError(
            "It is not possible to get the gradient edge for a Tensor that does not require "
            "gradients"
        )
    if isinstance(edge[0], UndefinedGrad):
        raise AssertionError(
            "Expected gradient function to be set\n  the tensor is a view made without recording"
        )
    return GradientEdge(*edge)


def backward(
    tensors: Several, grad_tensors: Given = None, retain_graph: RetainGraph = None,
    create_graph: bool = False, grad_variables: Given = None, inputs: Several | None = None,
    atomic: bool = False,
) -> None:  # fmt: skip
    """Add the gradients of tensors to the ``.grad`` of the leaves that they depend on.

    Args:
        tensors: One tensor, or a sequence of tensors, that require grad.
        grad_tensors: Their gradients, of their shapes; may be None for tensors of one element,
            whose gradient is then one.
        retain_graph: Whether to keep what the nodes have saved, for another pass; the value of
            ``create_graph`` by default. A tensor or a sequence of tensors keeps only their graphs.
        create_graph: Whether the gradients are recorded, so that they can be differentiated.
        grad_variables: The former name of ``grad_tensors``; deprecated.
        inputs: The tensors whose ``.grad`` is written; all leaves by default.
        atomic: Whether gradients are written only once the whole pass has gone well: if a hook, a
            custom function or a node fails, every ``.grad`` is as before. The gradients of all
            leaves are then in memory together, and a copy of each ``.grad`` that is added to.

    Raises:
        RuntimeError: If a tensor has no history, a gradient has the wrong shape, or, before
            anything is written, the graph has been freed.

    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> torch.autograd.backward((x * x).sum())
    >>> x.grad
    tensor([2., 4.])
    """
    try:
        if compiled is not None and inputs is grad_variables is None:
            unusual = create_graph or watchers or atomic
            if not unusual and compiled.backward(tensors, grad_tensors, retain_graph):
                return
        _refuse_transforms()
        if grad_variables is not None:
            grad_tensors = _by_former_name(grad_tensors, grad_variables)
        wanted = None if inputs is None else as_sequence(inputs)
        if wanted is not None and not wanted:
            raise GraphError("`inputs` argument to `backward()` cannot be empty.")
        roots = as_sequence(tensors)
        gradients = _arithmetic(create_graph)
        starts = root_gradients(roots, grad_tensors, gradients)
        if create_graph:
            _warn_of_recorded_gradients()
        nodes = [edge[0] for edge, _ in starts]
        run = BackwardRun.here("backward", nodes)
        plan = plan_all(nodes) if wanted is None else _plan_to_write(wanted, nodes, run)
        kind = AtomicTask if atomic else Task
        task = kind(plan, run, gradients, kept_nodes(retain_graph, create_graph))
        run_pass(task, starts, create_graph, roots, wanted)
    except Exception as error:
        shorten(error)
        raise


def _plan_to_write(wanted: list[Any], nodes: list[Node], run: BackwardRun) -> Plan:
    """Plan to run what leads to these tensors, whose ``.grad`` is then written."""
    edges: list[Edge] = []
    for each in wanted:
        if isinstance(each, TensorBase):
            each.retain_grad()
        edges.append(input_edge(each))
    plan = plan_towards(nodes, {edge[0] for edge in edges}, run_wanted=True)
    refuse_freed(plan, run)
    return plan


def _refuse_transforms() -> None:
    if modes.transforms or modes.batch_levels:
        raise GraphError(
            "backward() called inside a functorch transform. This is not supported, please use "
            "functorch.grad or functorch.vjp instead or call backward() outside of functorch "
            "transforms."
        )


def _by_former_name(grad_tensors: Given, grad_variables: Given) -> Given:
    """Return the gradients that were given as ``grad_variables``, with a warning."""
    warnings.warn(
        "`grad_variables` is deprecated. Use `grad_tensors` instead.",
        FutureWarning,
        stacklevel=user_stacklevel(),
    )
    if grad_tensors is not None:
        raise GraphError(
            "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
            "`backward()`. Please only use `grad_tensors`."
        )
    return grad_variables


def _warn_of_recorded_gradients() -> None:
    warn_once(
        "Using backward() with create_graph=True will create a reference cycle between the "
        "parameter and its gradient which can cause a memory leak. We recommend using "
        "autograd.grad when creating the graph to avoid this. If you have to use this "
        "function, make sure to reset the .grad fields of your parameters to None after use "
        "to break the cycle and avoid the leak."
    )


@shortening
def grad(
    outputs: Several, inputs: Several, grad_outputs: Given = None, retain_graph: RetainGraph = None,
    create_graph: bool = False, only_inputs: bool = True, allow_unused: bool | None = None,
    is_grads_batched: bool = False, materialize_grads: bool = False,
) -> tuple[Tensor, ...]:  # fmt: skip
    """Return the gradients of outputs with respect to inputs, without writing to any ``.grad``.

    Only nodes that lead to an input run, and only these are freed.

    Args:
        outputs: One tensor, or a sequence of tensors, that require grad.
        inputs: One tensor, or a sequence of tensors, to differentiate with respect to.
        grad_outputs: Gradients of the outputs, of their shapes; ones for outputs of one element.
        retain_graph: Whether to keep what the nodes have saved, as in `backward`.
        create_graph: Whether the gradients are recorded, so that they can be differentiated.
        only_inputs: Must be True; False is no longer supported.
        allow_unused: Whether the gradient of an input that was not used is None rather than an
            error.
        is_grads_batched: Whether ``grad_outputs`` have a leading dim, over which the pass is
            `vmap`-ed.
        materialize_grads: Whether the gradient of an input that was not used is zeros.

    Returns:
        A tuple of one gradient per input, of its shape and dtype.

    Raises:
        RuntimeError: If an input was not used and neither ``allow_unused`` nor
            ``materialize_grads`` is true, or for the reasons given for `backward`.

    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> (first,) = torch.autograd.grad(x**3, x, create_graph=True)
    >>> torch.autograd.grad(first, x)
    (tensor(18.),)
    """
    if materialize_grads and allow_unused is False:
        raise ArgumentError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, "
            "but got: allow_unused=False."
        )
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To "
            "accumulate gradient for other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=user_stacklevel(),
        )
    wanted = as_sequence(inputs)
    if not wanted:
        raise GraphError("`inputs` argument to `grad()` cannot be empty.")
    if is_grads_batched:
        return _batched(
            outputs, wanted, grad_outputs, retain_graph, create_graph, allow_unused,
            materialize_grads,
        )  # fmt: skip
    gradients = _arithmetic(create_graph or _any_batched(grad_outputs))
    roots = as_sequence(outputs)
    starts = root_gradients(roots, grad_outputs, gradients)
    edges = [input_edge(each) for each in wanted]
    nodes = [edge[0] for edge, _ in starts]
    run = BackwardRun.here("grad", nodes)
    captures = Captures(edges)
    plan = plan_towards(nodes, {edge[0] for edge in edges}, run_wanted=False)
    task = Task(plan, run, gradients, kept_nodes(retain_graph, create_graph), captures)
    run_pass(task, starts, create_graph, roots, wanted)
    results: list[Any] = []
    for position, (each, edge) in enumerate(zip(wanted, edges, strict=True)):
        found, first = captures.found[position], edges.index(edge)
        if found is not None and first < position:  # of an input asked for twice there is one
            results.append(results[first])
            continue
        results.append(
            _result(each, found, position, gradients, allow_unused, materialize_grads, create_graph)
        )
    return tuple(results)


def _result(
    wanted: Any,
    found: Any,
    position: int,
    gradients: Gradients,
    allow_unused: bool,
    zeros: bool,
    create_graph: bool,
) -> Any:
    if found is not None:
        gradient = gradients.wrap(gradients.own(found))
        return wanted.in_own_form(gradient) if isinstance(wanted, TensorBase) else gradient
    if not allow_unused:
        raise explanations.start_of_pass.unused(wanted, position)
    if not zeros:
        return None
    if isinstance(wanted, GradientEdge):
        raise GraphError("materialize_grads cannot be used when the given input is a GradientEdge")
    made = gradients.wrap(gradients.zeros(wanted._array))
    return made._switch_recording(True) if create_graph else made


def _batched(
    outputs: Any, wanted: list[Any], grad_outputs: Any, retain_graph: RetainGraph,
    create_graph: bool, allow_unused: bool, materialize_grads: bool,
) -> tuple[Any, ...]:  # fmt: skip
    """Run once for each row of the gradients, and stack what comes out."""
    roots = as_sequence(outputs)
    rows = [None] * len(roots) if grad_outputs is None else as_sequence(grad_outputs)
    for root, row in zip(roots, rows, strict=True):
        if row is not None and row.shape[1:] != root.shape:
            raise GraphError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output "
                "as the batch dimension. The sizes of the remaining dimensions are expected to "
                "match the shape of corresponding output, but a mismatch was detected: grad_output "
                f"has a shape of {row.shape} and output has a shape of {root.shape}."
            )
    count = next((len(row) for row in rows if row is not None), None)
    if count is None:
        raise ArgumentError(
            "is_grads_batched=True takes grad_outputs with a first dimension to go through"
        )
    results = [
        grad(
            outputs, wanted, [None if row is None else row[i] for row in rows],
            retain_graph=True if i + 1 < count else retain_graph,
            create_graph=create_graph, allow_unused=allow_unused,
            materialize_grads=materialize_grads,
        )
        for i in range(count)
    ]  # fmt: skip
    return tuple(
        None if column[0] is None else gradient_ops.stack(list(column))
        for column in zip(*results, strict=True)
    )


def _arithmetic(create_graph: bool) -> Gradients:
    """Return the arithmetic of a pass: on tensors if it is recorded, or tangents go along."""
    return gradient_ops.tensors if create_graph or modes.forward_levels else gradient_ops.arrays


def _any_batched(gradients: Any) -> bool:
    """Return whether gradients stand for many samples, and so can only flow as tensors."""
    return bool(modes.batching) and any(
        getattr(each, "is_batched", False)
        for each in (() if gradients is None else as_sequence(gradients))
    )


def kept_nodes(retain_graph: RetainGraph, create_graph: bool) -> bool | set[Node]:
    """Return which nodes keep what they saved: all, none, or those in these tensors' graphs."""
    if retain_graph is None:
        return create_graph
    if isinstance(retain_graph, bool | int):
        return bool(retain_graph)
    tensors = as_sequence(retain_graph)
    for each in tensors:
        if not isinstance(each, TensorBase):
            raise ArgumentTypeError(
                "retain_graph must be a bool, or a tensor or sequence of tensors whose graphs are "
                f"to be kept, not {type(each).__name__}"
            )
    return reachable(edge[0] for each in tensors if (edge := each.edge) is not None)


def as_sequence(value: Any) -> list[Any]:
    """Return a list of what may be given alone, or as anything that can be gone through."""
    if isinstance(value, TensorBase) or isinstance(value, GradientEdge):  # noqa: SIM101 - quicker
        return [value]
    explanations.start_of_pass.refuse_another_librarys(value)
    if not isinstance(value, Iterable):
        raise ArgumentTypeError(
            f"'{type(value).__name__}' object is not iterable: a tensor, or a sequence of tensors, "
            "was expected"
        )
    return list(value)


def input_edge(tensor: Any) -> Edge:
    if isinstance(tensor, GradientEdge):
        return _checked_edge(tensor)
    if not isinstance(tensor, TensorBase):
        raise GraphError(
            "all inputs have to be Tensors or GradientEdges, but got " + type(tensor).__name__
        )
    edge = tensor.edge
    if edge is None:
        raise UnusedInputError("One of the differentiated Tensors does not require grad")
    if isinstance(edge[0], UndefinedGrad):
        return (UndefinedGrad(tensor), 0)  # another: no gradient arrives at the one that it has
    return edge


def _checked_edge(edge: GradientEdge) -> Edge:
    """Return a node and the number of one of its outputs, if that is what the edge names."""
    node, number = edge.node, edge.output_nr
    if not isinstance(node, Node):
        raise ArgumentTypeError(
            f"GradientEdge(): argument 'node' must be a node of a graph, not {type(node).__name__}"
        )
    if not isinstance(number, int):
        raise ArgumentTypeError(
            f"GradientEdge(): argument 'output_nr' must be int, not {type(number).__name__}"
        )
    if not 0 <= number < node.output_count:
        raise IndexingError(
            f"GradientEdge(): argument 'output_nr' is {number}, but {node.name()} has "
            f"{node.output_count} outputs, counted from 0"
        )
    return node, number


def root_gradients(roots: list[Any], given: Any, gradients: Gradients) -> list[tuple[Edge, Any]]:
    """Return each root's edge with its gradient, checked; ones for a scalar without a gradient."""
    values = [None] * len(roots) if given is None else as_sequence(given)
    if len(values) != len(roots):
        raise GraphError(f"got {len(roots)} tensors and {len(values)} gradients")
    starts: list[tuple[Edge, Any]] = []
    for position, root in enumerate(roots):
        explanations.start_of_pass.refuse_another_librarys(root)
        value = values[position]
        edge = _checked_edge(root) if isinstance(root, GradientEdge) else root.edge
        if edge is None or isinstance(edge[0], UndefinedGrad):
            raise explanations.start_of_pass.no_graph(root, position)
        starts.append((edge, _root_gradient(root, edge, value, position, gradients)))
    return starts


def _root_gradient(root: Any, edge: Edge, value: Any, position: int, gradients: Gradients) -> Any:
    like = edge[0].output_meta(edge[1])
    if value is None:
        if like.shape != () or like.dtype.kind not in "fV":
            explanations.start_of_pass.refuse_implicit_gradient(root, edge, like)
        plain = isinstance(root, TensorBase) and root._interpreter is None
        return gradients.ones(root._array if plain else like)
    if not isinstance(value, TensorBase):
        raise ArgumentTypeError(
            f"gradients can be either Tensors or None, but got {type(value).__name__}"
        )
    tensor: Any = root.of_values(value) if isinstance(root, TensorBase) else value
    if tensor.shape != like.shape or tensor.is_complex() != is_complex_dtype(like.dtype):
        raise explanations.start_of_pass.wrong_gradient(tensor, like, position)
    return gradients.unwrap(tensor)


def release(*tensors: TensorBase) -> None:
    """Free what the graphs of these tensors have saved, without running them.

    A later backward through any of it raises, naming this line.

    Args:
        tensors: The tensors; those without history are passed over.

    >>> x = torch.ones(2, requires_grad=True)
    >>> y = x * x
    >>> torch.autograd.graph.release(y)
    >>> y.grad_fn.freed_by.call
    'release'
    """
    run = BackwardRun.here("release")
    for node in reachable(edge[0] for each in tensors if (edge := each.edge) is not None):
        if node.freed_by is None:
            node.release(run)

"""Graphs of traced programs, and the source that they stand for."""

from __future__ import annotations

import builtins
import copy
import keyword
import math
import re
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from enum import Enum
from typing import Any, NamedTuple

from pellucid.autograd.sites import user_stacklevel
from pellucid.compat.fx.node import (
    Node,
    map_arg,
    package,
    public_name,
    qualified_name,
    type_name,
    walk,
)
from pellucid.errors import GraphError

#: how calls of Python's operators are written
OPERATORS = {
    "eq": "{} == {}", "ne": "{} != {}", "lt": "{} < {}", "gt": "{} > {}", "le": "{} <= {}",
    "ge": "{} >= {}", "pos": "+{}", "neg": "-{}", "invert": "~{}", "getitem": "{}[{}]",
    "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "floordiv": "{} // {}",
    "truediv": "{} / {}", "mod": "{} % {}", "pow": "{} ** {}", "lshift": "{} << {}",
    "rshift": "{} >> {}", "and_": "{} & {}", "or_": "{} | {}", "xor": "{} ^ {}",
    "matmul": "{} @ {}",
}  # fmt: skip
#: how calls of operators that change their first operand are written
CHANGING_OPERATORS = {
    "iadd": "{} += {}", "isub": "{} -= {}", "imul": "{} *= {}", "ifloordiv": "{} //= {}",
    "itruediv": "{} /= {}", "imod": "{} %= {}", "ipow": "{} **= {}", "ilshift": "{} <<= {}",
    "irshift": "{} >>= {}", "iand": "{} &= {}", "ior": "{} |= {}", "ixor": "{} ^= {}",
    "imatmul": "{} @= {}",
}  # fmt: skip
_TAKEN = {"torch", "device", "inf", "nan", "NoneType"}


class PythonCode(NamedTuple):
    """The source of a graph.

    Args:
        src: The text of a function ``forward``.
        globals: The objects that it names.
    """

    src: str
    globals: dict[str, Any]


class CodeGen:
    """How the source of a graph begins, and what goes in and comes out; subclasses say otherwise.

    >>> class OfList(torch.fx.graph.CodeGen):
    ...     def gen_fn_def(self, free_vars, maybe_return_annotation):
    ...         start = super().gen_fn_def(["each"], maybe_return_annotation)
    ...         return f"{start} {', '.join(free_vars)}, = each"
    """

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """Return the first lines of the function, which has these parameters besides ``self``."""
        return f"def forward({', '.join(['self', *free_vars])}){maybe_return_annotation}:"

    def additional_globals(self) -> list[tuple[str, Any]]:
        """Return more names that the source uses, with their values."""
        return []

    def process_inputs(self, *args: Any) -> Any:
        """Return the arguments of the function as those of the graph, in the order of its nodes."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """Return what the graph returns as what the function does."""
        return outputs


class _Names:
    """Names that are in use, and new ones that are like what they stand for."""

    def __init__(self) -> None:
        self.used: set[str] = set()
        self._counts: dict[str, int] = defaultdict(int)

    def new(self, wanted: str) -> str:
        """Return a name like the one that is wanted, with a number behind it if that is taken."""
        name = re.sub(r"\W+", "_", wanted) or "_unnamed"
        name = f"_{name}" if name[0].isdigit() else name
        base, number = name, 0
        if found := re.fullmatch(r"(.*)_(\d+)", name):
            base, number = found[1], int(found[2])
        number = number or self._counts[base]
        while (
            name in self.used
            or name in _TAKEN
            or keyword.iskeyword(name)
            or hasattr(builtins, name)
        ):
            number += 1
            name = f"{base}_{number}"
        self.used.add(name)
        self._counts[base] = number
        return name


def _means_something(name: str) -> bool:
    return name in _TAKEN or keyword.iskeyword(name) or hasattr(builtins, name)


class _NodeList:
    """The nodes of a graph, in their order."""

    def __init__(self, graph: Graph, forward: bool = True) -> None:
        self._graph = graph
        self._forward = forward

    def __len__(self) -> int:
        return self._graph._count

    def __iter__(self) -> Iterator[Node]:
        root = self._graph._root
        return walk(root._next if self._forward else root._prev, self._forward)

    def __reversed__(self) -> Iterator[Node]:
        return iter(_NodeList(self._graph, not self._forward))


class Graph:
    """A program as a list of nodes, which `GraphModule` runs.

    Args:
        owning_module: The module that runs it.
        tracer_cls: The class that traced it.
        tracer_extras: Kept for PyTorch's callers.

    >>> graph = torch.fx.Graph()
    >>> x = graph.placeholder("x")
    >>> _ = graph.output(graph.call_function(torch.sin, (x,)))
    >>> print(graph)
    graph():
        %x : [num_users=1] = placeholder[target=x]
        %sin : [num_users=1] = call_function[target=torch.sin](args = (%x,), kwargs = {})
        return sin
    """

    def __init__(
        self, owning_module: Any = None, tracer_cls: Any = None, tracer_extras: Any = None
    ) -> None:
        self.owning_module = owning_module
        self._tracer_cls = tracer_cls
        self._tracer_extras = tracer_extras
        self._names = _Names()
        self._root = Node(self, "", "root", "", (), {})
        self._count = 0
        self._insert: Callable[[Node], None] = self._root.prepend
        self._codegen = CodeGen()
        #: where the program is that was traced
        self._traced_from = ""

    def set_codegen(self, codegen: CodeGen) -> None:
        """Set how the source begins, and what goes in and comes out."""
        self._codegen = codegen

    def process_inputs(self, *args: Any) -> Any:
        """Return the arguments of the function as those of the nodes."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        """Return what the output node has as what the function returns."""
        return self._codegen.process_outputs(out)

    @property
    def nodes(self) -> _NodeList:
        """The nodes, in the order in which they run."""
        return _NodeList(self)

    def output_node(self) -> Node:
        """Return the node of the result."""
        return next(reversed(self.nodes))

    def find_nodes(self, *, op: str, target: Any = None, sort: bool = True) -> list[Node]:
        """Return the nodes of an ``op``, and of a target if one is given."""
        return [n for n in self.nodes if n.op == op and (target is None or n.target == target)]

    # ---- making nodes -----------------------------------------------------------------------

    def create_node(
        self, op: str, target: Any, args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None, name: str | None = None, type_expr: Any = None,
    ) -> Node:  # fmt: skip
        """Add a node at the place of insertion, which is the end unless it has been set."""
        node = Node(
            self, self._names.new(name or _name_of_target(target)), op, target, args or (),
            kwargs or {}, type_expr,
        )  # fmt: skip
        self._insert(node)
        self._count += 1
        return node

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = ...) -> Node:
        """Add an argument of the program."""
        args = () if default_value is ... else (default_value,)
        return self.create_node("placeholder", name, args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """Add the reading of an attribute of the module, by its dotted name."""
        self._warn_of_missing("get_attr", qualified_name)
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(
        self, module_name: str, args: Any = None, kwargs: Any = None, type_expr: Any = None
    ) -> Node:
        """Add the call of a submodule, by its dotted name."""
        self._warn_of_missing("call_module", module_name)
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def _warn_of_missing(self, op: str, target: str) -> None:
        """Warn of a name that the module which runs the graph does not have."""
        found = self.owning_module
        for part in target.split(".") if found is not None else ():
            found = getattr(found, part, None)
            if found is None:
                warnings.warn(
                    f"Attempted to insert a {op} Node with no underlying reference in the owning "
                    f"GraphModule! {target} is not there; give the module the attribute first.",
                    stacklevel=user_stacklevel(),
                )
                return

    def call_method(
        self, method_name: str, args: Any = None, kwargs: Any = None, type_expr: Any = None
    ) -> Node:
        """Add the call of a method of the first argument."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(
        self, the_function: Callable[..., Any], args: Any = None, kwargs: Any = None,
        type_expr: Any = None, name: str | None = None,
    ) -> Node:  # fmt: skip
        """Add the call of a function."""
        return self.create_node("call_function", the_function, args, kwargs, name, type_expr)

    def output(self, result: Any, type_expr: Any = None) -> Node:
        """Add the end of the program, with what it returns."""
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Any] = lambda x: x) -> Node:
        """Add a copy of a node of another graph, whose arguments a function translates."""
        args, kwargs = map_arg((node.args, node.kwargs), arg_transform)
        made = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        made.meta = dict(node.meta)
        return made

    def graph_copy(
        self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False
    ) -> Any:
        """Add copies of all nodes of a graph but its output; return what the output returns."""
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                found = map_arg(node.args[0], val_map.__getitem__)
                return (found, node) if return_output_node else found
            val_map[node] = self.node_copy(node, val_map.__getitem__)
        return None

    # ---- changing the list ------------------------------------------------------------------

    def inserting_before(self, n: Node | None = None) -> AbstractContextManager[None]:
        """Add nodes before one, in a block; before all without one."""
        return self._inserting((n or self._root._next).prepend)

    def inserting_after(self, n: Node | None = None) -> AbstractContextManager[None]:
        """Add nodes behind one, in a block; before all others without one."""
        return self._inserting((n or self._root).append, moving=True)

    @contextmanager
    def _inserting(self, insert: Callable[[Node], None], moving: bool = False) -> Iterator[None]:
        before, self._insert = self._insert, insert

        def insert_and_follow(node: Node) -> None:
            insert_here[0](node)
            insert_here[0] = node.append

        insert_here = [insert]
        if moving:
            self._insert = insert_and_follow
        try:
            yield
        finally:
            self._insert = before

    def erase_node(self, to_erase: Node) -> None:
        """Remove a node; raise RuntimeError while others use it."""
        if to_erase.users:
            raise GraphError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in "
                f"the graph: {to_erase.users}!"
            )
        if to_erase.graph is not self:
            raise GraphError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            return
        to_erase._take_out()
        to_erase._erased = True
        to_erase._set_arguments((), {})
        self._count -= 1

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Remove what nobody uses and has no effect; return whether anything was."""
        self.lint()
        impure = is_impure_node or Node.is_impure
        before = self._count
        for node in reversed(self.nodes):
            if not node.users and not impure(node):
                self.erase_node(node)
        return self._count < before

    def lint(self) -> None:
        """Raise RuntimeError where a node uses what comes later or belongs to another graph."""
        seen: set[Node] = set()
        names: set[str] = set()
        for node in self.nodes:
            for each in node.all_input_nodes:
                if each.graph is not self:
                    raise GraphError(
                        f"Argument '{each}' of Node '{node}' does not belong to this Graph"
                    )
                if each not in seen:
                    raise GraphError(
                        f"Argument '{each}' of Node '{node}' was used before it has been defined! "
                        f"Please check that Nodes in the graph are topologically ordered\n{self}"
                    )
            if node.name in names:
                raise GraphError(f"Node redefined name {node.name}!")
            names.add(node.name)
            seen.add(node)

    # ---- as text ----------------------------------------------------------------------------

    def python_code(self, root_module: str, **options: Any) -> PythonCode:
        """Return the source of the program, in which the module has a name, and what it names."""
        return _Writer(self, root_module).code()

    def print_tabular(self) -> None:
        """Print the nodes as a table."""
        rows: list[tuple[str, ...]] = [("opcode", "name", "target", "args", "kwargs")]
        rows += [(n.op, n.name, str(n.target), str(n.args), str(n.kwargs)) for n in self.nodes]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        rows.insert(1, tuple("-" * width for width in widths))
        for row in rows:
            cells = zip(row, widths, strict=True)
            print("  ".join(cell.ljust(width) for cell, width in cells).rstrip())  # noqa: T201

    def __str__(self) -> str:
        lines = [node.format_node() for node in self.nodes]
        return "\n    ".join(["graph():", *filter(None, lines)])

    # ---- copies and pickles -----------------------------------------------------------------

    def __deepcopy__(self, memo: dict[int, Any]) -> Graph:
        made = memo[id(self)] = Graph(tracer_cls=self._tracer_cls)
        made.set_codegen(copy.deepcopy(self._codegen, memo))
        made._traced_from = self._traced_from
        mapped: dict[Node, Node] = {}
        for node in self.nodes:
            mapped[node] = made.node_copy(node, mapped.__getitem__)
        return made

    def __reduce__(self) -> Any:
        places = {node: _Place(number) for number, node in enumerate(self.nodes)}
        facts = [
            (
                *(n.op, n.target, *map_arg((n.args, n.kwargs), places.__getitem__), n.name, n.type),
                n.meta.get("is_wrapped", False),
            )
            for n in self.nodes
        ]
        return _rebuilt, (facts, self._codegen)


class _Place(NamedTuple):
    """The node with a number, as a pickle has it."""

    number: int


def _rebuilt(facts: list[tuple[Any, ...]], codegen: CodeGen) -> Graph:
    graph = Graph()
    graph.set_codegen(codegen)
    made: list[Node] = []

    def found(value: Any) -> Any:
        if isinstance(value, _Place):
            return made[value.number]
        if isinstance(value, tuple | list):
            return type(value)(map(found, value))
        if isinstance(value, dict):
            return {key: found(each) for key, each in value.items()}
        if isinstance(value, slice):
            return slice(found(value.start), found(value.stop), found(value.step))
        return value

    for op, target, args, kwargs, name, kind, is_wrapped in facts:
        node = graph.create_node(op, target, found(args), found(kwargs), name, kind)
        node.meta |= {"is_wrapped": True} if is_wrapped else {}
        made.append(node)
    return graph


def _name_of_target(target: Any) -> str:
    """Return what a node is named after: the function, method, module or attribute."""
    name = target if isinstance(target, str) else target.__name__
    if not isinstance(target, str) and public_name(target) is not None:
        name = qualified_name(target).rpartition(".")[2]
    if name.startswith("__") and name.endswith("__"):
        name = name[2:-2]
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower()


class _Writer:
    """The source of one graph while it is written."""

    def __init__(self, graph: Graph, root: str) -> None:
        self.graph = graph
        self.root = root
        self.globals: dict[str, Any] = {}
        self.parameters: list[str] = []
        self.lines: list[str] = []
        self.returned = ""
        #: names of functions whose calls are to be written down again where this is traced
        self.wrapped: dict[str, None] = {}
        self._names = _Names()
        self._last_used = self._find_last_uses()

    def _find_last_uses(self) -> dict[Node, list[Node]]:
        """Return, for each node, those that nobody needs after it."""
        seen: set[Node] = set()
        found: dict[Node, list[Node]] = {}
        for node in reversed(self.graph.nodes):
            found[node] = [each for each in node.all_input_nodes if each not in seen]
            seen.update(node.all_input_nodes)
        return found

    def code(self) -> PythonCode:
        for node in self.graph.nodes:
            self._write(node)
        wraps = "\n".join(f'torch.fx._symbolic_trace.wrap("{name}")' for name in self.wrapped)
        body = "\n".join(f"    {line}" for line in [*(self.lines or ["pass"]), ""])
        codegen = self.graph._codegen
        self.globals.update(codegen.additional_globals())
        head = codegen.gen_fn_def(self.parameters, self.returned)
        return PythonCode(f"\n{wraps}\n\n{head}\n{body}", self.globals)

    def _write(self, node: Node) -> None:
        if node.op == "placeholder":
            self._write_parameter(node)
            return
        if node.op == "output":
            self.returned = "" if node.type is None else f" -> {self._type(node.type)}"
            self.lines.append(f"return {self._text(node.args[0])}")
            return
        gone = [*self._last_used[node], *[node] * (not node.users)]
        freed = f";  {' = '.join([*map(repr, gone), 'None'])}" if gone else ""
        kind = "" if node.type is None else f" : {self._type(node.type)}"
        operator = getattr(node.target, "__name__", "")
        if getattr(node.target, "__module__", "") == "_operator" and operator in CHANGING_OPERATORS:
            operands = [self._text(each) for each in node.args]
            statement = CHANGING_OPERATORS[operator].format(*operands)
            self.lines.append(f"{statement};  {node}{kind} = {operands[0]}{freed}")
            return
        self.lines.append(f"{node}{kind} = {self._expression(node)}{freed}")

    def _write_parameter(self, node: Node) -> None:
        kind = "" if node.type is None else f" : {self._type(node.type)}"
        default = f" = {self._text(node.args[0])}" if node.args else ""
        self.parameters.append(f"{node.target}{kind}{default}")
        plain = node.target.replace("*", "")
        if plain != node.name:
            freed = "" if node.users else f";  {node} = None"
            self.lines.append(f"{node} = {plain}{freed}")

    def _expression(self, node: Node) -> str:
        if node.op == "get_attr":
            return _path(self.root, node.target)
        if node.op == "call_module":
            return f"{_path(self.root, node.target)}({self._arguments(node.args, node.kwargs)})"
        if node.op == "call_method":
            owner, *rest = node.args
            return f"{_path(self._text(owner), node.target)}({self._arguments(rest, node.kwargs)})"
        target = node.target
        if getattr(target, "__module__", "") == "_operator" and target.__name__ in OPERATORS:
            return OPERATORS[target.__name__].format(*map(self._text, node.args))
        if target is getattr and str(node.args[1]).isidentifier() and len(node.args) == 2:
            return _path(self._text(node.args[0]), node.args[1])
        name = self._global(target)
        if node.meta.get("is_wrapped"):
            self._global_torch()
            self.wrapped[name] = None
        return f"{name}({self._arguments(node.args, node.kwargs)})"

    def _arguments(self, args: Any, kwargs: dict[str, Any]) -> str:
        named = [f"{name} = {self._text(value)}" for name, value in kwargs.items()]
        return ", ".join([*map(self._text, args), *named])

    def _text(self, value: Any) -> str:
        """Return the source of an argument."""
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return f"{self._global(type(value))}({', '.join(map(self._text, value))})"
        if isinstance(value, tuple):
            return f"({', '.join(map(self._text, value))}{',' * (len(value) == 1)})"
        if isinstance(value, list):
            return f"[{', '.join(map(self._text, value))}]"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{k!r}: {self._text(v)}" for k, v in value.items()) + "}"
        if isinstance(value, Enum):
            return f"{self._global(type(value))}.{value.name}"
        if isinstance(value, slice):
            return f"slice({', '.join(map(self._text, (value.start, value.stop, value.step)))})"
        if isinstance(value, float) and not math.isfinite(value):
            self.globals[repr(value).removeprefix("-")] = abs(value)
        if isinstance(value, type) or (callable(value) and hasattr(value, "__name__")):
            return self._global(value)
        text = repr(value)
        if text.startswith(("torch.", "device(")):
            self._global_torch()
            return text if text.startswith("torch.") else f"torch.{text}"
        return text

    def _global_torch(self) -> None:
        self.globals["torch"] = package()

    def _type(self, kind: Any) -> str:
        text = type_name(kind)
        if text.startswith("torch"):
            self._global_torch()
        elif isinstance(kind, type):
            return self._global(kind)
        return text

    def _global(self, value: Any) -> str:
        """Return the name by which the source calls an object, which is kept among the globals."""
        name = qualified_name(value)
        if name.startswith("torch.") and public_name(value) is not None:
            self._global_torch()
            return name
        if getattr(builtins, name, None) is value:
            return name
        name = re.sub(r"\W", "_", name)
        while self.globals.setdefault(name, value) is not value:
            name = f"{name}_1"
        return name


def _path(base: str, target: str) -> str:
    """Return the source that reads a dotted name, also where a part of it is not an identifier."""
    for part in target.split("."):
        base = f"{base}.{part}" if part.isidentifier() else f'getattr({base}, "{part}")'
    return base

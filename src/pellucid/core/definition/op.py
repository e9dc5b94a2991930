"""What an op is: one plain function forward, and its derivatives right below it.

Left of the slash are the tensors, right of it the parameters; the body gets arrays and a backend::

    @multilinear
    def mul(be, input, other, /):
        return be.multiply(input, other)


    @mul.vjp("input")
    def mul_input(g, other):
        return g * other


    @mul.vjp("other")
    def mul_other(g, input):
        return g * input

The parameters of a derivative are what is saved. It may ask for ``g`` (or ``g_<output>``), the
inputs, the parameters, ``out`` (or an output's name), what a recorded call notes beside its
parameters (``noted``), and, annotated as ``Like``, for the shape and dtype of any input alone.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any, Final, Protocol, cast

from pellucid.autograd.node import Node
from pellucid.core.definition import result_types
from pellucid.core.definition.autocasting import Autocast
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.dtype_rules import COMMON, OWN, DtypeRule, Operands
from pellucid.core.definition.faces import Face
from pellucid.core.definition.float8_rules import Float8Rule
from pellucid.core.memory.layouts import Layout
from pellucid.dtypes import FLOAT8_CHARS, HALF_CHARS, is_float8

#: every op by its public name
registry: Final[dict[str, Op]] = {}


class Tensors(tuple[Any, ...]):
    """The annotation of an operand that is a sequence of tensors."""


class OpFunction(Protocol):
    """An op's public function, with the decorators that give it derivatives."""

    op: Op
    __name__: str

    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

    def vjp(self, operand: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Give the gradient of an operand, or those of several, named ``"a b"``, as a tuple."""
        ...

    def partial(self, operand: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Give the local derivative by one operand of an elementwise op: both modes follow."""
        ...

    def jvp(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Give the forward-mode derivative; it asks for tangents as ``t_<operand>``."""
        ...

    def out_variant(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Give a body ``(be, out, *operands, *params)`` that writes into memory that is there."""
        ...

    def check(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Give a function ``(*operands, *params)`` that raises for what the op does not take."""
        ...


class Operand:
    """One tensor among an op's arguments."""

    __slots__ = ("name", "optional", "variadic")

    def __init__(self, name: str, optional: bool, variadic: bool) -> None:
        self.name = name
        self.optional = optional
        self.variadic = variadic


class Parameter:
    """One argument of an op that is not a tensor."""

    __slots__ = ("default", "has_default", "keyword_only", "name")

    def __init__(self, name: str, has_default: bool, default: Any, keyword_only: bool) -> None:
        self.name = name
        self.has_default = has_default
        self.default = default
        self.keyword_only = keyword_only


class FormulaInput:
    """One thing that a derivative asks for, by the name of its parameter."""

    __slots__ = ("index", "kind", "name")

    def __init__(self, name: str, kind: str, index: int) -> None:
        self.name = name
        #: "g", "input", "like", "param", "output", "tangent"
        self.kind = kind
        self.index = index

    @property
    def saved(self) -> bool:
        """Whether it is values that must be kept until backward."""
        return self.kind in ("input", "output")


class Formula:
    """A derivative with respect to one operand."""

    __slots__ = ("function", "inputs", "is_partial", "position")

    def __init__(
        self, function: Callable[..., Any], inputs: list[FormulaInput], is_partial: bool,
        position: int | None = None,
    ) -> None:  # fmt: skip
        self.function = function
        self.inputs = inputs
        self.is_partial = is_partial
        #: where it stands in the tuple that the function returns, if it returns several gradients
        self.position = position


class Family:
    """What the ops of a family have in common."""

    __slots__ = ("batch", "dtypes", "jvp", "name", "recorded", "view")

    def __init__(
        self, name: str, *, dtypes: DtypeRule = OWN, batch: Batch | None = None,
        view: bool = False, recorded: bool = True, jvp: str = "transpose",
    ) -> None:  # fmt: skip
        self.name = name
        #: the dtype rule and the batching rule of the members that say no other
        self.dtypes = dtypes
        self.batch = batch
        #: whether the result shares memory with the first operand
        self.view = view
        #: whether there is a derivative at all
        self.recorded = recorded
        #: how forward mode follows: "partial", "linear", "multilinear", "transpose"
        self.jvp = jvp


class Facts:
    """What a definition may say of an op beside its body: the arguments of the decorators."""

    # ---- what it computes
    #: names of the outputs; those of the named tuple that `returns` makes, if it makes one
    outputs: tuple[str, ...] = ("out",)
    #: gives for all arrays and the parameters what derivatives ask for by its name: it stands with
    #: the parameters of a node, which a backward pass does not free
    noted: Callable[..., Any] | None = None
    #: makes the public result of several outputs, such as a named tuple
    returns: Callable[..., Any] = tuple
    #: whether the body returns a list of any number of outputs
    many: bool = False
    #: how the dtypes of the operands become the one that is computed in; the family's if None
    dtypes: DtypeRule = OWN
    #: what the body makes of half precision: "upcast" (it is given float32), "native" (it may be
    #: given float16 and bfloat16), "bitwise" (it always is); see Note [Half precision]
    half: str = "upcast"
    #: whether there is such an operation for float8, as for views, or a rule that tells
    float8: bool | Float8Rule = False
    #: puts an output in the order in memory that it has in PyTorch
    layout: Layout | None = None
    #: the positional arguments of the public function, where a parameter precedes an operand
    order: tuple[str, ...] | None = None
    #: the parameter that a number between the operands is, as in ``add(input, alpha, other)``
    scale: str | None = None
    #: whether the op is linear in its tensors taken together, such as addition
    additive: bool = False
    #: whether the formulas are plain transposes, to be conjugated for complex numbers
    holomorphic: bool = True
    #: operands of constant derivative that are in its history all the same: Note [Flat derivatives]
    flat: tuple[str, ...] = ()
    #: how often PyTorch's derivative changes a gradient before it hands it on: may ask the node
    gradient_changes: int | Callable[[Any], int] = 0
    #: operands that PyTorch's one derivative reads: of the history of gradients that have none
    joint: tuple[str, ...] = ()
    #: whether PyTorch's node keeps a tensor that is none here or stands among the parameters, such
    #: as indices: a backward pass frees the node though it has saved nothing
    is_freed: bool = False
    #: names of its nodes that no backward pass frees: all that they save is a number
    unfreed: tuple[str, ...] = ()
    #: whether the derivative is infinite, or nan, at some finite operands
    singular: bool = False
    #: where tests may sample the inputs
    domain: Any = None

    # ---- what is refused
    #: kinds of the common dtype (``e``: float16, ``E``: bfloat16) for which there is no operation
    unsupported: str = ""
    #: the kinds that the body is not given before ``check`` has seen them
    checks: str = ""
    #: whether, in place, it refuses operands in the memory that it writes to, even all of it: what
    #: it reads there depends on the order in which it writes
    apart: bool = False
    #: whether autograd, as PyTorch's, takes no notice of the in-place variant: no history changes
    unseen: bool = False

    # ---- what interpreters do
    #: what `vmap` does with it, unless it has a rule of its own
    batch: Batch | None = None
    #: what autocast does with its operands
    autocast: Autocast | None = None

    # ---- what PyTorch calls it
    #: what its nodes are called after: like the named tuple of its results if there is one
    node_name: str = ""
    #: the number of PyTorch's overload, which the names of nodes end in
    overload: int = 0
    #: how many of PyTorch's overloads come before those in place, where these have others
    overloads: int = 0
    #: tells the name of a node where it depends on what the op was given
    named: Callable[[Any], str] | None = None
    #: the name of nodes in derivatives whose second operand is a number: PyTorch's derivatives are
    #: written in C++, where a number is not a tensor
    of_number: str = ""
    #: names of its nodes where the operand of a name is a number, for which PyTorch has an overload
    numbered: dict[str, str] = {}
    #: the same where it is None
    absent: dict[str, str] = {}
    #: what its nodes show, or those of each name; without it what the derivatives read
    faces: Face | dict[str, Face] | None = None
    #: which steps of PyTorch's graph its nodes are, where they are several
    steps: Callable[[Any], Any] | None = None
    #: what PyTorch calls it when it says that there is no such operation
    torch_kernel_name: str = ""

    # ---- what the compiled module may do
    #: the name of the kernel that computes it with the default parameters, if one does
    kernel: str | None = None
    #: the name of the kernel that the body, which looks at the kind of its array, is for floats
    float_kernel: str | None = None
    #: whether the compiled module has a body of its own for the op, under the op's name
    compiled_body: bool = False
    #: the compiled kernel that does what the body does for the arrays that it takes, and how many
    #: of the op's parameters it takes, as it takes them
    compiled_kernel: tuple[str, int] | None = None


class Op(Facts):
    """An operation: its body, its derivatives, and what is known of its arguments."""

    def __init__(self, body: Callable[..., Any], family: Family, **facts: Any) -> None:
        self.name = body.__name__
        for fact in facts:
            if fact not in Facts.__annotations__:
                raise TypeError(f"{self.name} has an unexpected keyword argument {fact!r}")
        self.__dict__.update(facts)
        self.operands, self.params = _arguments(body)
        self.body = body if self.kernel is None or self.params else _kernel_body(body, self.kernel)
        self.family = family
        if "dtypes" not in facts:
            self.dtypes = family.dtypes
        self.dtypes.check(self.name, [operand.name for operand in self.operands])
        if self.batch is None:
            self.batch = family.batch
        _check_instance("batch", self.batch, Batch)
        _check_instance("autocast", self.autocast, Autocast)
        if "f" in self.unsupported:
            self.unsupported += "eE"
        if "c" in self.unsupported:
            self.unsupported += "W"
        self.torch_kernel_name = self.torch_kernel_name or f"{self.name}_cpu"
        self.half = _one_of("half", "bitwise" if family.view else self.half, _HALF)
        self.float8 = self.float8 or family.view
        if isinstance(self.returns, result_types.named):
            self.outputs = self.returns.fields
            self.node_name = self.node_name or self.returns.name
        self.node_name = self.node_name or self.name
        _check_names(self)
        _check_order(self)
        #: the derivative by each operand that has one, and that in forward mode if it is given
        self.formulas: dict[str, Formula] = {}
        self.jvp: Formula | None = None
        self.out_variant: Callable[..., Any] | None = None
        self.check: Callable[..., Any] | None = None
        self.plans: dict[tuple[bool, ...], Any] = {}
        self.function: Any = None
        #: the class of its nodes, once there is one
        self.node_class: type[OpNode] | None = None
        #: the classes that nodes which were looked at are of, by their names
        self.shown_classes: dict[str, type[OpNode]] = {}

    # What follows from the declaration is worked out when it is first needed.

    @functools.cached_property
    def torch_name(self) -> str:
        """What users see the op called, in graphs and errors: PyTorch's name for it."""
        # the name of a node may divide it into more words: `Col2ImBackward0` for ``col2im``
        same = self.node_name.replace("_", "") == self.name.replace("_", "")
        return self.name if same else self.node_name

    @functools.cached_property
    def keeps_numbers(self) -> bool:
        """Whether numbers that it is given are not tensors in PyTorch's derivative."""
        faces = self.faces.values() if isinstance(self.faces, dict) else [self.faces]
        shown = [face.saved.values() for face in faces if face is not None]
        return not self.of_number and any(form == "#" for each in shown for _, form in each)

    @functools.cached_property
    def kept(self) -> list[FormulaInput]:
        """What all of its nodes keep though no derivative reads it: PyTorch's derivatives do."""
        faces = self.faces.values() if isinstance(self.faces, dict) else [self.faces]
        named = [
            {source for source, form in face.saved.values() if form == "@"} if face else set[str]()
            for face in faces
        ]
        names = sorted(set[str].intersection(*named))
        return [FormulaInput(name, *self._known_to_formulas[name]) for name in names]

    @functools.cached_property
    def variadic(self) -> bool:
        """Whether an operand is a sequence of tensors."""
        return any(operand.variadic for operand in self.operands)

    @functools.cached_property
    def promotes(self) -> bool:
        """Whether operands meet in a common dtype."""
        return bool(self.dtypes.meeting)

    @functools.cached_property
    def promoted(self) -> tuple[bool, ...]:
        """For each operand, whether it meets the others in a common dtype."""
        return tuple(_holds(self.dtypes.meeting, operand.name) for operand in self.operands)

    @functools.cached_property
    def takes_numbers(self) -> tuple[bool, ...]:
        """For each operand, whether a number may stand in its place."""
        return tuple(_holds(self.dtypes.numbers, operand.name) for operand in self.operands)

    @functools.cached_property
    def general_path(self) -> str:
        """The dtypes of which the usual call is not to be tried, by ``numpy.dtype.char``.

        The body is not given the operands as they are, or not before ``check`` has seen them, or
        not together with numbers.
        """
        floats = "biu" if self.dtypes.int_to_float is not COMMON.int_to_float else ""
        return _chars(self.unsupported + self.checks + floats) + HALF_CHARS

    @functools.cached_property
    def general_path_tensors(self) -> str:
        """The same for operands none of which is a number."""
        if self.half == "upcast":
            return self.general_path
        # NumPy's functions do not know complex32 and float8, whatever an op makes of float16
        unknown = "O" if self.half == "native" else ""
        if self.half == "native" or self.float8 is not True:
            unknown += FLOAT8_CHARS
        return self.general_path.removesuffix(HALF_CHARS) + unknown

    def refusing_kernel(self, dtype: Any, arrays: Any, params: tuple[Any, ...]) -> str | None:
        """Return what PyTorch calls the kernel that there is not for a dtype of half precision."""
        if not is_float8(dtype):
            return self.torch_kernel_name if dtype.char in self.unsupported else None
        if isinstance(self.float8, bool):
            return None if self.float8 else self.torch_kernel_name
        return self.float8(dtype, *arrays, *params)

    @functools.cached_property
    def dtype_param(self) -> int | None:
        """The position of the parameter that names the result's dtype."""
        return next((i for i, param in enumerate(self.params) if param.name == "dtype"), None)

    @functools.cached_property
    def keyword_only_count(self) -> int:
        """The number of parameters that are given by name alone."""
        return len([param for param in self.params if param.keyword_only])

    def apply(self, operands: Any, params: Any) -> Any:
        """Call the public function with operands, and with parameters by name or all in order.

        The operand of an op of a list is the list.
        """
        if not isinstance(params, dict):
            params = {param.name: value for param, value in zip(self.params, params, strict=True)}
        args, kwargs = self.arguments(operands, params)
        return self.function(*args, **kwargs)

    def arguments(self, operands: Any, params: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return the arguments, by position and by name, that give a function these operands."""
        if self.order is None:
            return operands, params
        names = (operand.name for operand in self.operands)
        return (), {**dict(zip(names, operands, strict=False)), **params}

    @functools.cached_property
    def broadcasts(self) -> bool:
        """Whether it is computed element by element from several operands."""
        several = len(self.operands) > 1 and not self.variadic
        if not several or not self.single or self.family.view is not False:
            return False
        return all(self.promoted) or self.batch is Batch.ELEMENTWISE

    @functools.cached_property
    def single(self) -> bool:
        """Whether the body returns just one array."""
        return len(self.outputs) == 1 and not self.many

    def add_vjp(self, operand: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Return the decorator for the gradient of operands; see `OpFunction`."""
        names = operand.split()
        if len(names) == 1:
            return functools.partial(self.add_formula, operand)

        def add_all(function: Callable[..., Any]) -> Callable[..., Any]:
            for position, name in enumerate(names):
                self.add_formula(name, function, position=position)
            return function

        return add_all

    def add_partial(self, operand: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Return the decorator for the local derivative by one operand; see `OpFunction`."""
        return functools.partial(self.add_formula, operand, is_partial=True)

    def add_formula(
        self, operand: str, function: Callable[..., Any], is_partial: bool = False,
        position: int | None = None,
    ) -> Callable[..., Any]:  # fmt: skip
        """Add the derivative with respect to one operand; check what it asks for."""
        if all(each.name != operand for each in self.operands):
            raise TypeError(
                f"{self.name} has no operand {operand!r}; it has "
                f"{', '.join(each.name for each in self.operands)}"
            )
        if self.plans:
            raise RuntimeError(
                f"The derivative of {self.name} by {operand!r} is in use already: calls of the op "
                "were recorded with what had been given then. Define the op anew, and its "
                "derivatives before its first call."
            )
        self.formulas[operand] = Formula(function, self._inputs_of(function), is_partial, position)
        return function

    def add_jvp(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Set a forward-mode derivative that does not follow from the others."""
        self.jvp = Formula(function, self._inputs_of(function), False)
        return function

    def add_out_variant(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Set the body that writes into memory that is there; see `OpFunction`."""
        self.out_variant = function
        return function

    def add_check(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Set the function that raises for what the op does not take."""
        self.check = function
        return function

    def _inputs_of(self, function: Callable[..., Any]) -> list[FormulaInput]:
        """Return what a derivative asks for, which is what its parameters are called."""
        code, annotations = function.__code__, function.__annotations__
        known = self._known_to_formulas
        inputs: list[FormulaInput] = []
        for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
            kind, index = known.get(name, ("", 0))
            if name in annotations and str(annotations[name]).endswith("Like"):
                kind, index = self._like(name, kind, index)
            if not kind:
                raise TypeError(
                    f"the derivative {function.__name__} of {self.name} asks for {name!r}; it may "
                    f"ask for {', '.join(sorted(known))}, or for an input annotated as Like"
                )
            inputs.append(FormulaInput(name, kind, index))
        return inputs

    def _like(self, name: str, kind: str, index: int) -> tuple[str, int]:
        """Return what ``name: Like`` asks for: the shape and dtype of an operand."""
        positions = [i for i, operand in enumerate(self.operands) if operand.name == name]
        return ("like", positions[0]) if positions else (kind, index)

    @functools.cached_property
    def _known_to_formulas(self) -> dict[str, tuple[str, int]]:
        """What a derivative may ask for, by name: its kind, and its position among these."""
        known: dict[str, tuple[str, int]] = {}
        for index, operand in enumerate(self.operands):
            known[operand.name] = ("input", index)
            known[f"t_{operand.name}"] = ("tangent", index)
        for index, name in enumerate(self.outputs):
            known[name] = ("output", index)
            known[f"g_{name}"] = ("g", index)
        known["g"] = ("g", -1 if self.many else 0)  # always the gradient
        for index, param in enumerate(self.params):
            known[param.name] = ("param", index)
        if self.noted is not None:
            known[self.noted.__name__] = ("param", len(self.params))
        return known

    def __repr__(self) -> str:
        return f"<op {self.name}>"


_HALF: Final = ("upcast", "native", "bitwise")


def _one_of(option: str, value: str, values: tuple[str, ...]) -> str:
    if value not in values:
        raise TypeError(f"{option}={value!r} is none of {', '.join(map(repr, values))}")
    return value


def _check_instance(option: str, value: Any, kind: type) -> None:
    if value is not None and not isinstance(value, kind):
        raise TypeError(f"{option}={value!r} is no {kind.__name__}")


def _check_names(op: Op) -> None:
    """Raise where an argument has the name of an output: formulas ask for both by name."""
    names = [each.name for each in (*op.operands, *op.params)]
    noted = () if op.noted is None else (op.noted.__name__,)
    for output in (*op.outputs, *noted):
        if output in names:
            raise TypeError(
                f"{op.name} has an argument {output!r}, which is the name of its output too; "
                "give one of them another name (outputs= names the outputs)"
            )


def _check_order(op: Op) -> None:
    """Raise where ``order`` does not name each positional argument, or ``scale`` no parameter."""
    params = [param.name for param in op.params]
    if op.scale is not None and op.scale not in params:
        raise TypeError(f"scale= of {op.name} names {op.scale!r}, which is not a parameter")
    positional = [each.name for each in op.operands]
    positional += [param.name for param in op.params if not param.keyword_only]
    if op.order is not None and sorted(op.order) != sorted(positional):
        raise TypeError(
            f"order= of {op.name} must name each of {', '.join(positional)} once, "
            f"but is {', '.join(op.order)}"
        )


def _holds(operands: Operands, name: str) -> bool:
    """Whether a dtype rule says something of an operand."""
    return name in operands if isinstance(operands, tuple) else operands


def _kernel_body(declared: Callable[..., Any], kernel: str) -> Callable[..., Any]:
    """Return the body of an op that is one kernel; ``declared`` has a docstring alone."""

    @functools.wraps(declared)
    def body(be: Any, *arrays: Any) -> Any:
        return getattr(be, kernel)(*arrays)

    return body


#: the members of each ``numpy.dtype.kind``
_CHARS: Final = {"b": "?", "i": "bhilq", "u": "BHILQ", "f": "fd", "c": "FD"}


def _chars(kinds: str) -> str:
    return "".join(_CHARS.get(kind, "") for kind in dict.fromkeys(kinds))


class OpNode(Node):
    """A node made by an op; its class carries the op, so that its name is the op's."""

    __slots__ = ()
    op: Op

    def name(self) -> str:
        return type(self).__name__ if self.op.named is None else self.op.named(self)

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"


def _arguments(body: Callable[..., Any]) -> tuple[tuple[Operand, ...], tuple[Parameter, ...]]:
    """Read operands and parameters off the body's code; this runs for every op at import."""
    code = cast("FunctionType", body).__code__
    positional = code.co_varnames[1 : code.co_argcount]
    keyword_only = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    defaults = body.__defaults__ or ()
    first_default = len(positional) - len(defaults)
    operands: list[Operand] = []
    params: list[Parameter] = []
    for position, name in enumerate(positional):
        has_default = position >= first_default
        default = defaults[position - first_default] if has_default else None
        if position + 1 < code.co_posonlyargcount:
            variadic = str(body.__annotations__.get(name, "")).endswith("Tensors")
            operands.append(Operand(name, has_default, variadic))
        else:
            params.append(Parameter(name, has_default, default, False))
    for name in keyword_only:
        has_default = name in (body.__kwdefaults__ or {})
        params.append(Parameter(name, has_default, (body.__kwdefaults__ or {}).get(name), True))
    return tuple(operands), tuple(params)

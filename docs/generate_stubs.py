"""Write the type stubs of what is made from declarations: ``python docs/generate_stubs.py``.

Parameters are read off the definitions. What a function returns is what it returned when the
examples of the documentation ran; `FLAGS` and `OVERLOADS` say it where that depends on arguments.
With ``--check`` nothing is written, and the exit code says whether the stubs are up to date.
"""

from __future__ import annotations

import ast
import doctest
import functools
import importlib
import inspect
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pellucid as torch
from pellucid import compat
from pellucid.core.definition.op import Op
from pellucid.core.definition.public import METHODS, PublicName, public_names
from pellucid.core.errors.arguments import ABSENT, kind_of
from pellucid.tensors.conversions import Conversions

SOURCE = Path(torch.__file__).parent

HEAD = '''\
"""{title}; written by ``docs/generate_stubs.py``."""

from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, overload

from pellucid.core.memory.memory_formats import layout as _layout
from pellucid.core.memory.memory_formats import memory_format as _memory_format
from pellucid.device import device as _device
from pellucid.dtypes import dtype as _dtype
'''
#: written out, so that editors show no private names: a number, and one integer or several
WRITTEN_OUT = {"_Number": "_int | _float | _complex", "_Ints": "_int | Sequence[_int]"}
LEGACY_TYPE = "from pellucid.tensors.creation import LegacyType as _LegacyType\n"
TENSOR = "from pellucid.tensors.tensor import Tensor\n"
#: autograd knows only the base class of tensors; its users see the tensors
TYPED = (
    '"""What autograd takes and returns; written by ``docs/generate_stubs.py``."""\n\n'
    + TENSOR.replace("import Tensor", "import Tensor as Tensor")
)
#: comparisons of tensors give tensors, which the base of all classes does not foresee
COMPARISONS = '# mypy: disable-error-code="misc, override"'
DEFINITIONS = (
    '"""Where functions of {place} are defined; by ``docs/generate_stubs.py``.\n\n'
    "Nobody imports it. pyright's server goes this way from a name to its definition; jedi, which\n"
    "would show the definition's docstring in place of the stub's, takes the condition as it is.\n"
    '"""\n\nfrom __future__ import annotations\n\nTYPE_CHECKING = False\nif TYPE_CHECKING:'
)
#: the modules of functions, beside the package itself
MODULES = ("linalg", "special", "fft", "functional", "nn.functional")
GENERATOR = "from pellucid.ops.random.sampling import Generator\n"
SIZE = "from pellucid.shapes import Size\n"

#: what the kinds of arguments of `pellucid.core.errors.arguments` are to a type checker
TYPES = {
    "bool": "_bool", "dims": "_Ints", "float": "_float | Tensor", "int": "_int",
    "number": "_Number | Tensor", "operand": "Tensor | _Number", "sizes": "_Ints",
    "str": "_str", "tensor": "Tensor",
}  # fmt: skip
#: arguments whose names alone say what they are
BY_NAME = {
    "device": "_device | _str | _int | None", "dtype": "_dtype | None",
    "fill_value": "_Number", "generator": "Generator | None", "operands": "Tensor",
    "out": "Tensor | tuple[Tensor, ...] | None", "p": "_Number", "sizes": "_Ints",
    "indices_or_sections": "_Ints | Tensor", "tensors": "Tensor | Sequence[Tensor]", "data": "Any",
    "value": "_Number | Tensor", "min": "_Number | Tensor", "max": "_Number | Tensor",
    **dict.fromkeys(("self", "v", "x", "y", "abs", "angle", "source", "the_template"), "Tensor"),
    **dict.fromkeys(("A", "B", "LD", "LU", "indices", "pivots"), "Tensor"),
    **dict.fromkeys(("L", "LU_data", "LU_pivots", "a", "b", "window", "tensor", "theta"), "Tensor"),
    **dict.fromkeys(("grid", "log_probs", "targets", "linear_weight", "sorter"), "Tensor"),
    **dict.fromkeys(("aweights", "fweights", "append", "prepend", "attn_mask"), "Tensor | None"),
    **dict.fromkeys(("running_mean", "running_var", "offsets", "pos_weight"), "Tensor | None"),
    **dict.fromkeys(("per_sample_weights", "linear_bias", "key_padding_mask"), "Tensor | None"),
    **dict.fromkeys(("in_proj_weight", "in_proj_bias", "bias_k", "bias_v"), "Tensor | None"),
    **dict.fromkeys(("q_proj_weight", "k_proj_weight", "v_proj_weight"), "Tensor | None"),
    **dict.fromkeys(("out_proj_weight", "out_proj_bias", "static_k", "static_v"), "Tensor | None"),
    **dict.fromkeys(("input_lengths", "target_lengths"), "Tensor | Sequence[_int]"),
    **dict.fromkeys(("element", "elements", "test_element", "n", "start"), "Tensor | _Number"),
    **dict.fromkeys(("mean", "std", "test_elements", "dx", "tol"), "Tensor | _Number"),
    **dict.fromkeys(("reduce", "size_average"), "_bool | None"),
    "layout": "_layout | None", "memory_format": "_memory_format | None",
    "ord": "_Number | _str | None", "padding": "_Ints | _str", "repeats": "_int | Tensor",
    "rounding_mode": 'Literal["trunc", "floor"] | None', "s": "_Ints | None",
    "scale_factor": "_float | Sequence[_float] | None", "split_size_or_sections": "_Ints",
    "split_sizes": "Sequence[_int]", "driver": "_str | None",
}  # fmt: skip
#: arguments whose names say something else in these functions
BY_FUNCTION = {
    ("__getitem__", "index"): "Any", ("__setitem__", "index"): "Any",
    ("__setitem__", "value"): "Any", ("select", "index"): "_int",
    ("select_scatter", "index"): "_int", ("cat", "dim"): "_int", ("topk", "dim"): "_int",
    ("movedim", "source"): "_Ints",
    ("movedim", "destination"): "_Ints", ("moveaxis", "source"): "_Ints",
    ("moveaxis", "destination"): "_Ints", ("set_", "source"): "Any", ("narrow", "start"): "_int",
    ("where", "self"): "Any", ("scalar_tensor", "s"): "_Number",
    **{(f"{name}_reduce{suffix}", "reduce"): "_str"
       for name in ("scatter", "index") for suffix in ("", "_")},
    ("segment_reduce", "reduce"): "_str", ("segment_reduce", "data"): "Tensor",
    ("segment_reduce", "lengths"): "Tensor | None",
    **{(name, "dim"): "_Ints | _bool | None" for name in ("std", "std_mean", "var", "var_mean")},
}  # fmt: skip
#: functions whose result is a tuple if one of these arguments is true
FLAGS = {
    "nonzero": ("as_tuple",), "unique": ("return_inverse", "return_counts"),
    "max_pool1d": ("return_indices",), "max_pool2d": ("return_indices",),
    "max_pool3d": ("return_indices",),
}  # fmt: skip
_REDUCED = (
    ("input: Tensor", "Tensor"),
    ("input: Tensor, dim: _int, keepdim: _bool = False", "{name}_result"),
)
_WITH_OTHER = (*_REDUCED, ("input: Tensor, other: Tensor", "Tensor"))
#: functions whose result depends on how many arguments there are
OVERLOADS = {
    "max": _WITH_OTHER, "min": _WITH_OTHER, "median": _REDUCED, "nanmedian": _REDUCED,
    "size": (("input: Tensor", "Size"), ("input: Tensor, dim: _int", "_int")),
    "stride": (("input: Tensor", "tuple[_int, ...]"), ("input: Tensor, dim: _int", "_int")),
    "type": (("input: Tensor", "_str"), ("input: Tensor, dtype: _dtype | _str", "Tensor")),
    "where": (
        ("condition: Tensor", "tuple[Tensor, ...]"),
        ("condition: Tensor, input: Tensor | _Number, other: Tensor | _Number", "Tensor"),
    ),
}  # fmt: skip
#: results that examples do not show
RETURNS = {
    "__iter__": "Iterator[Tensor]", "__reversed__": "Tensor", "__getitem__": "Tensor",
    "__setitem__": "None", "__contains__": "_bool", "tolist": "Any", "result_type": "_dtype",
    "storage": "Any", "storage_type": "Any", "untyped_storage": "Any", "as_subclass": "Any",
    "dim_order": "tuple[_int, ...]", "is_shared": "_bool", "__array__": "Any", "__dlpack__": "Any",
    "__dlpack_device__": "tuple[_int, _int]", "__reduce_ex__": "Any", "__format__": "_str",
    "initial_seed": "_int", "seed": "_int",
}  # fmt: skip
#: arguments of any number that are no sizes
VARIADIC = {
    "einsum": "_str | Tensor | Sequence[_int] | Sequence[Tensor]", "new": "Any", "to": "Any",
    "type": "Any", "view": "_Ints | _dtype",
}  # fmt: skip

Results = dict[int, set[str]]


# ---- what functions return -------------------------------------------------------------------


def results() -> tuple[Results, dict[str, tuple[str, ...]]]:
    """Return the types that functions returned, by identity, and the fields of named tuples."""
    found: Results = defaultdict(set)
    named: dict[str, tuple[str, ...]] = {}
    for place, names in public_names.items():
        owner = _owner(place)
        for name, entry in names.items():
            public = getattr(owner, name, None)
            if (
                public is not None
                and _is_function(entry)
                and name[:2] != "__"
                and not entry.inplace
            ):
                setattr(
                    owner, name, _recorded(public, found[id(entry.declaration.function)], named)
                )
    runner = doctest.DocTestRunner(verbose=False)
    for text in _examples():
        test = doctest.DocTestParser().get_doctest(text, {"torch": torch}, "example", None, 0)
        runner.run(test, out=lambda text: None)
    for name, forms in OVERLOADS.items():
        if any(kind == "{name}_result" for _, kind in forms):
            named[f"{name}_result"] = ("values", "indices")
    return found, named


def _owner(place: str) -> Any:
    if place == METHODS:
        return torch.Tensor
    if place == "foreach":
        return None
    return importlib.import_module(f"pellucid.{place}".rstrip("."))


def _recorded(function: Callable[..., Any], types: set[str], named: Any) -> Callable[..., Any]:
    @functools.wraps(function)
    def recorded(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        types.add(_type_of_value(result, named))
        return result

    return recorded


def _type_of_value(value: Any, named: dict[str, tuple[str, ...]]) -> str:
    if isinstance(value, torch.Tensor):
        return "Tensor"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        name = f"{type(value).__name__.lstrip('_')}_result"
        named[name] = type(value)._fields
        return name
    if type(value) in (tuple, list):
        kind = "Tensor" if any(isinstance(each, torch.Tensor) for each in value) else "_int"
        return f"tuple[{kind}, ...]" if type(value) is tuple else f"list[{kind}]"
    if isinstance(value, bool | int | float | str):
        return f"_{type(value).__name__}"
    return {"NoneType": "None", "Generator": "Generator"}.get(type(value).__name__, "Any")


def _examples() -> Iterator[str]:
    seen: set[int] = set()
    for names in public_names.values():
        for entry in names.values():
            function = entry.declaration.function
            text = getattr(function, "__doc__", None)
            if id(function) not in seen and text and ">>>" in text:
                seen.add(id(function))
                yield text


# ---- parameters ------------------------------------------------------------------------------


def parameters(entry: PublicName, name: str, method: bool) -> list[str]:
    """Return the parameters of a function, the first of a method being ``self``."""
    function = entry.declaration.function
    op = getattr(function, "op", None)
    given = list(_of_op(op) if isinstance(op, Op) else _of_function(function, name))
    if method:
        given[0] = "self"
    elif entry.declaration.out is not None and not entry.inplace:
        if not any(each.startswith("*") for each in given):
            given.append("*")
        given.append(f"out: {BY_NAME['out']} = None")
    return given


def _of_op(op: Op) -> Iterator[str]:
    operands = dict(zip((each.name for each in op.operands), op.takes_numbers, strict=True))
    params = {param.name: param for param in op.params}
    keyword_only = False
    for name, given in inspect.signature(op.function).parameters.items():
        if given.kind is given.KEYWORD_ONLY and not keyword_only and name in params:
            keyword_only = True
            yield "*"
        if name in operands:
            yield _operand(op, name, operands[name])
        elif name in params:
            param = params[name]
            default = param.default if param.has_default else inspect.Parameter.empty
            yield _written(name, "", default, BY_FUNCTION.get((op.name, name)))


def _operand(op: Op, name: str, takes_number: bool) -> str:
    operand = next(each for each in op.operands if each.name == name)
    number = takes_number and (op.promotes or name in ("src", "value", "values"))
    kind = "Sequence[Tensor]" if operand.variadic else "Tensor"
    kind += " | _Number" * (number and len(op.operands) > 1)
    return f"{name}: {kind}" + " | None = None" * operand.optional


def _of_function(function: Any, name: str) -> Iterator[str]:
    keyword_only = False
    for param in inspect.signature(function).parameters.values():
        annotation = param.annotation if isinstance(param.annotation, str) else ""
        if param.kind is param.VAR_POSITIONAL:
            keyword_only = True
            drawn = function.__module__.endswith("sampling")
            usual = "_Number | None" if drawn else BY_NAME.get(param.name, "_Ints")
            yield f"*{param.name}: {VARIADIC.get(name, usual)}"
        elif param.kind is param.VAR_KEYWORD:
            yield f"**{param.name}: Any"
        else:
            if param.kind is param.KEYWORD_ONLY and not keyword_only:
                keyword_only = True
                yield "*"
            known = BY_FUNCTION.get((name, param.name))
            yield _written(param.name, annotation, param.default, known)


def _written(name: str, annotation: str, default: Any, known: str | None = None) -> str:
    kind = known or _type_of_parameter(name, annotation, default)
    if isinstance(default, str) and "_str" not in kind and kind != "Any":
        kind += " | _str"
    if default is inspect.Parameter.empty or default is ABSENT:
        return f"{name}: {kind}"
    if default is None and "None" not in kind and kind != "Any":
        kind += " | None"
    plain = default is None or isinstance(default, bool | int | float | str)
    text = repr(default) if plain and default == default else "..."
    return f"{name}: {kind} = {'...' if text in ('inf', '-inf') else text}"


def _type_of_parameter(name: str, annotation: str, default: Any) -> str:
    if name in BY_NAME:
        return BY_NAME[name]
    if annotation not in ("", "Any", "Any | None"):
        text = re.sub(r"\b(bool|complex|float|int|str)\b", r"_\1", annotation)
        text = text.replace("TensorBase", "Tensor")
        known = set(re.findall(r"\b[A-Za-z]\w*", text)) <= {
            "Any", "Callable", "Generator", "Iterator", "None", "Sequence", "Tensor", "tuple",
            "list",
        }  # fmt: skip
        return text if known else "Any"
    return TYPES.get(kind_of(name, annotation, default), "Any")


# ---- stubs -----------------------------------------------------------------------------------


class Stubs:
    """The stubs of all modules, from the results that examples gave."""

    def __init__(self) -> None:
        self.results, self.named = results()

    def texts(self) -> dict[str, str]:
        """Return the text of each stub by its path in the package."""
        made = {"tensors/methods.pyi": self.methods(), "__init__.pyi": self.package()}
        made["autograd/typed.pyi"] = TYPED
        for place in MODULES:
            made[f"{place.replace('.', '/')}.pyi"] = self.module(place)
        return made

    def methods(self) -> str:
        """Return the stub of the methods of `Tensor` and of the named tuples they return."""
        lines = [
            COMPARISONS, HEAD.format(title="The methods of `Tensor`"), GENERATOR, SIZE,
            "from pellucid.autograd.variable import TensorBase\n", TENSOR,
            *(self._named_tuple(name, fields) for name, fields in sorted(self.named.items())),
            "class Operations(TensorBase):",
            "    @property", "    def _cdata(self) -> _int: ...",
            "    @staticmethod",
            "    def array_from_arguments(args: tuple[Any, ...], dtype: Any) -> Any: ...",
        ]  # fmt: skip
        for name in sorted(each for each in vars(Conversions) if each[0] != "_"):
            lines += [f"    {line}" for line in self._conversion(name)]
        for name, entry in sorted(public_names[METHODS].items()):
            if isinstance(entry.declaration.function, property):
                lines += [
                    "    @property", f"    def {name}(self) -> Tensor: ...",
                    f"    @{name}.setter", f"    def {name}(self, value: Any) -> None: ...",
                ]  # fmt: skip
            else:
                lines += [f"    {line}" for line in self.function(entry, name, torch.Tensor)]
        return "\n".join(lines)

    @staticmethod
    def _named_tuple(name: str, fields: tuple[str, ...]) -> str:
        return f"class {name}(NamedTuple):\n" + "".join(f"    {each}: Tensor\n" for each in fields)

    @staticmethod
    def _conversion(name: str) -> Iterator[str]:
        """Yield the lines that declare a method which is named after a type."""
        forms = [
            (_receiver(text.split(", "), method=True), kind)
            for text, kind in OVERLOADS.get(name, ())
        ]
        given = ["self", *list(_of_function(getattr(Conversions, name), name))[1:]]
        for arguments, kind in forms or [(given, "Tensor")]:
            if forms:
                yield "@overload"
            yield f"def {name}({', '.join(arguments)}) -> {kind}: ..."

    def function(self, entry: PublicName, name: str, owner: Any) -> Iterator[str]:
        """Yield the lines that declare a function of a module, or a method."""
        method = owner is torch.Tensor
        result = "Tensor" if entry.inplace else self.result(entry, name)
        given = parameters(entry, name, method)
        forms = [(given, result)]
        if name in OVERLOADS and not (name == "where" and method):
            forms = [
                (_receiver(text.split(", "), method), kind.format(name=name))
                for text, kind in OVERLOADS[name]
            ]
        elif name in FLAGS and any(FLAGS[name][0] in each for each in given):
            forms = list(_with_flags(given, FLAGS[name]))
        text = list(_docstring(entry, getattr(owner, name)))
        for arguments, kind in forms:
            if len(forms) > 1:
                yield "@overload"
            yield f"def {name}({', '.join(arguments)}) -> {kind}:"
            yield from text

    def result(self, entry: PublicName, name: str) -> str:
        """Return what a function returns, as a type."""
        if name in RETURNS:
            return RETURNS[name]
        function = entry.declaration.function
        annotation = getattr(function, "__annotations__", {}).get("return", "Any")
        if annotation in ("bool", "int", "float", "complex", "str"):
            return f"_{annotation}"
        if annotation in ("None", "NoReturn"):
            return "None"
        return " | ".join(sorted(self.results.get(id(function), ()))) or "Tensor"

    def module(self, place: str) -> str:
        """Return the stub of a module of functions."""
        title = f"The functions of ``torch.{place}``"
        imports = sorted(self._imports_of(SOURCE / f"{place.replace('.', '/')}.py"))
        lines = [HEAD.format(title=title), *imports, *self._needed(), TENSOR]
        return "\n".join([*lines, *self._functions(place)])

    def _needed(self) -> list[str]:
        named = [f"from pellucid.tensors.methods import {name}" for name in sorted(self.named)]
        return [GENERATOR, SIZE, *named]

    def _functions(self, place: str) -> Iterator[str]:
        for name, entry in sorted(public_names[place].items()):
            if _is_function(entry) and not _is_imported(entry):
                yield from self.function(entry, name, _owner(place))

    @staticmethod
    def _imports_of(path: Path) -> Iterator[str]:
        """Yield what a module imports for its users."""
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module != "__future__":
                for each in node.names:
                    if each.name == "*":
                        for name in importlib.import_module(str(node.module)).__all__:
                            yield f"from {node.module} import {name} as {name}"
                        continue
                    name = each.asname or each.name
                    if not name.startswith("_") and name != "PublicFunctions":
                        yield f"from {node.module} import {each.name} as {name}"

    def package(self) -> str:
        """Return the stub of the package itself."""
        path = SOURCE / "__init__.py"
        imports = set(self._imports_of(path))
        public = torch.__all__  # with it, all is declared
        for name in torch._MODULES - {"_native", *public}:
            imports.add(f"from pellucid import {name} as {name}")
        for name in compat.PUBLIC:
            imports.add(f"from pellucid.compat import {name} as {name}")
        for name, entry in public_names[""].items():
            if _is_imported(entry):
                imports.add(f"from {entry.declaration.function.__module__} import {name} as {name}")
        others = {
            name: type(getattr(torch, name)).__name__
            for name in public
            if (name not in public_names[""] or not _is_function(public_names[""][name]))
            and not any(each.endswith(f" as {name}") for each in imports)
        }
        lines = [HEAD.format(title="The functions and classes of ``torch``"), *sorted(imports)]
        lines += [line for line in self._needed() if line not in (GENERATOR, SIZE)]
        lines += [LEGACY_TYPE, "__version__: _str"]
        kinds = {
            "dtype": "_dtype", "NoneType": "None", "float": "_float",
            "LegacyType": "_LegacyType", "_TypedMeta": "type[TypedStorage]",
        }  # fmt: skip
        lines += [f"{name}: {kinds.get(kind, 'Any')}" for name, kind in sorted(others.items())]
        return "\n".join([*lines, *self._functions("")])


def definitions(place: str) -> str:
    """Return a module that imports functions from where they are defined, for editors alone."""
    imports = []
    for name, entry in public_names[place].items():
        if _is_function(entry) and not _is_imported(entry) and _is_in_file(entry):
            home = _home(entry).removesuffix(".py").replace("/", ".")
            imports.append(f"    from {home} import {_body(entry).__name__} as {name}")
    head = DEFINITIONS.format(place=f"``torch.{place}``".replace(".`", "`"))
    return "\n".join([head, *sorted(imports)])


def methods_defined() -> str:
    """Return a class whose methods each say where theirs is defined, for editors alone.

    pyright's server leads from a method of a stub to a method and to nothing else, not even to what
    is imported under its name: so it ends one line above the import of the op.
    """
    lines = [DEFINITIONS.format(place="`Tensor`"), "    class Operations:"]
    for name, entry in sorted(public_names[METHODS].items()):
        if _is_function(entry) and _is_in_file(entry):
            home = _home(entry).removesuffix(".py").replace("/", ".")
            lines += [
                f"        def {name}(self, *given):",
                f"            from {home} import {_body(entry).__name__}\n",
            ]
    return "\n".join(lines)


def _is_in_file(entry: PublicName) -> bool:
    """Whether the file of a definition has it under its name."""
    defined = _body(entry)
    source = Path(defined.__code__.co_filename).read_text("utf-8")
    return re.search(rf"^def {defined.__name__}\(", source, re.MULTILINE) is not None


def _docstring(entry: PublicName, public: Any) -> Iterator[str]:
    """Yield the lines of the docstring that editors show, with where the definition is."""
    text = inspect.cleandoc(public.__doc__ or "See `torch.Tensor`.")
    mark = "r" if "\\" in text else ""
    lines = [f'{mark}"""{text}', "", f"Defined in ``{_home(entry)}``.", '"""']
    yield from (f"    {line}" if line else "" for chunk in lines for line in chunk.split("\n"))


def _home(entry: PublicName) -> str:
    """Return the file in which a function is defined, from the package on."""
    path = Path(_body(entry).__code__.co_filename)
    return f"pellucid/{path.relative_to(SOURCE).as_posix()}"


def _body(entry: PublicName) -> Any:
    """Return the function that a definition is written as."""
    function = entry.declaration.function
    op = getattr(function, "op", None)
    return inspect.unwrap(op.body if isinstance(op, Op) else function)


def _is_function(entry: PublicName) -> bool:
    function = entry.declaration.function
    return hasattr(function, "op") or inspect.isfunction(inspect.unwrap(function))


def _is_imported(entry: PublicName) -> bool:
    """Whether a stub imports it: a class, or a function of a module that is loaded late."""
    function = entry.declaration.function
    home = getattr(function, "__module__", "")
    if isinstance(function, type):
        return hasattr(sys.modules.get(home), function.__name__)
    return home.startswith(tuple(f"pellucid.{late}" for late in torch._DECLARED_LATER))


def _receiver(arguments: list[str], method: bool) -> list[str]:
    return ["self", *arguments[1:]] if method else arguments


def _with_flags(given: list[str], flags: tuple[str, ...]) -> Iterator[tuple[list[str], str]]:
    """Yield the forms of a function that returns a tuple if a flag is set."""
    plain = [_as_literal(each, flags) for each in given]
    yield plain, "Tensor"
    for flag in flags:
        others = [each for each in given if each != "*" and not each.startswith(f"{flag}:")]
        yield [others[0], "*", *others[1:], f"{flag}: Literal[True]"], "tuple[Tensor, ...]"
    yield given, "Tensor | tuple[Tensor, ...]"


def _as_literal(argument: str, flags: tuple[str, ...]) -> str:
    name = argument.partition(":")[0]
    return f"{name}: Literal[False] = False" if name in flags else argument


def formatted(path: Path, text: str) -> str:
    """Return a stub with sorted imports, none of them unused, in the project's format."""
    for name, kinds in WRITTEN_OUT.items():
        text = re.sub(rf"\b{name}\b", kinds, text)
    for command in (
        ["check", "--select", "I,F401", "--fix", "--quiet", "--stdin-filename", path, "-"],
        ["format", "--quiet", "--stdin-filename", path, "-"],
    ):
        ran = subprocess.run(
            [sys.executable, "-m", "ruff", *command],
            input=text, capture_output=True, text=True, check=False,
        )  # fmt: skip
        text = ran.stdout or text
    return text


def main() -> int:
    """Write the stubs; with ``--check``, return 1 if one is not up to date."""
    outdated: list[str] = []
    texts = Stubs().texts()
    texts["_definitions/methods.py"] = methods_defined()
    for place in ("", *MODULES):
        texts[f"_definitions/{place.replace('.', '_') or 'torch'}.py"] = definitions(place)
    for name, text in texts.items():
        path = SOURCE / name
        text = formatted(path, text)
        if path.is_file() and path.read_text("utf-8") == text:
            continue
        outdated.append(name)
        if "--check" not in sys.argv:
            path.unlink(missing_ok=True)  # another checkout may hold the same file by a link
            path.write_text(text, encoding="utf-8")
    sys.stdout.writelines(f"{name}\n" for name in outdated)
    return int(bool(outdated) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())

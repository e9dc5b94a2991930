"""Public docstrings name parameters with shapes and dtypes, and errors, and have an example."""

from __future__ import annotations

import contextlib
import dis
import enum
import importlib
import inspect
import pydoc
import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np
from reference import MODULES as REFERENCE

import pellucid as torch
from pellucid.core.definition.op import Op, registry
from pellucid.docstrings import sections_of
from tests.samples.measuring import Smooth, run
from tests.samples.names import Call, calls, owner
from tests.samples.operands import tensors_of

SOURCE = Path(__file__).resolve().parents[2] / "src" / "pellucid"

MODULES = [
    "pellucid", "pellucid.nn.functional", "pellucid.nn.init", "pellucid.nn.utils",
    "pellucid.linalg", "pellucid.fft", "pellucid.special", "pellucid.functional", "pellucid.func",
    "pellucid.autograd", "pellucid.autograd.functional", "pellucid.inspect", "pellucid.random",
    "pellucid.optim", "pellucid.amp", "pellucid.sparse", "pellucid.utils.checkpoint",
    "pellucid.utils.data", "pellucid.autograd.graph", "pellucid.autograd.forward_ad",
    "pellucid.futures", "pellucid.serialization", "pellucid.utils.tensorboard",
    "pellucid.vision.ops", "pellucid.vision.transforms.functional", "pellucid.vision.utils",
    "pellucid.autograd.function", "pellucid.distributions.constraints",
]  # fmt: skip

#: modules whose classes document the parameters of their constructors
CLASS_MODULES = [
    *MODULES, "pellucid.nn", "pellucid.nn.modules", "pellucid.nn.parallel",
    "pellucid.optim.lr_scheduler", "pellucid.optim.swa_utils", "pellucid.distributions",
]  # fmt: skip

#: former names of functions, which only warn and call
FORMER = {"clip_grad_norm"}

#: words that open a function's docstring without saying what it does
UNCLEAR = re.compile(r"(Be|Let|Stand|Hold|Tell|Say|Do as|Take up)\b")
#: verbs that open the docstring of a function; a class is described by a noun phrase
IMPERATIVE = re.compile(
    r"(Add|Annotate|Answer|Apply|Be|Bring|Call|Carry|Cast|Change|Check|Choose|Collect|Compute|Convert|"
    r"Count|Describe|Do|Draw|Find|Give|Go|Hand|Hold|Keep|Know|Leave|Let|Look|Make|Name|Put|Raise|"
    r"Read|Refuse|Remember|Represent|Return|Run|Save|Say|Serve|Show|Stand|Take|Tell|Track|Treat|"
    r"Turn|Use|Wait|Walk|Watch|Wrap|Write)\b"
)


#: what is defined, its name, and how its docstring begins, laid out as the formatter does; to
#: parse the library for these would take seconds
DOCSTRING = re.compile(
    r"^ *(?:async )?(?P<kind>class|def) (?P<name>\w+).*\n"
    r'(?:(?! *(?:(?:async def|def|class)\b|@|""")).+\n)*?'  # further lines of the header
    r' *r?"""(?P<text>.*)',
    re.MULTILINE,
)


def opening_with(words: re.Pattern[str], kind: str) -> list[str]:
    """Return file and name of the classes, or functions, whose docstrings begin with the words."""
    return [
        f"{path.relative_to(SOURCE)}: {found['name']}"
        for path in sorted(SOURCE.rglob("*.py"))
        for found in DOCSTRING.finditer(path.read_text("utf-8"))
        if found["kind"] == kind and words.match(found["text"])
    ]


def public_members(modules: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield what is public in the modules, without what they import from the core, by name."""
    for place in modules:
        module = importlib.import_module(place)
        for name in getattr(module, "__all__", None) or dir(module):
            member = getattr(module, name, None)
            origin = getattr(member, "__module__", None) or ""
            if not name.startswith("_") and not origin.startswith("pellucid.core.call."):
                yield f"{place}.{name}", member


def public_functions() -> dict[str, Callable[..., Any]]:
    """Return the functions of the public modules that are written by hand, by name."""
    found: dict[Callable[..., Any], str] = {}
    for name, member in public_members(MODULES):
        written_by_hand = not (inspect.getdoc(member) or "").startswith("In-place version of")
        former = name.endswith("_") or name.rpartition(".")[2] in FORMER
        # a compiled op is a routine, but no function written in Python
        if inspect.isroutine(member) and written_by_hand and not former:
            found.setdefault(member, name)
    return {name: member for member, name in found.items()}


def constructor_parameters(kind: type) -> list[str]:
    """Return the names of a constructor's parameters, without ``*args`` and ``**kwargs``."""
    parameters = inspect.signature(kind).parameters.values()
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [each.name for each in parameters if each.name[0] != "_" and each.kind not in variadic]


def public_classes() -> dict[str, type]:
    """Return the classes of the public modules but for errors and enumerations, by name."""
    found: dict[type, str] = {}
    for name, member in public_members(CLASS_MODULES):
        own = inspect.isclass(member) and member.__module__.startswith("pellucid")
        if own and not issubclass(member, Exception | enum.Enum):
            found.setdefault(member, name)
    return {name: member for member, name in found.items()}


FUNCTIONS = public_functions()
CLASSES = public_classes()


def described_part(member: Any) -> str:
    """Return a docstring up to its example."""
    text = member.__doc__ if inspect.isclass(member) else inspect.getdoc(member)
    return (text or "").partition(">>>")[0]


def raises_in(code: CodeType) -> bool:
    """Return whether a function, or one inside it, raises an error other than one it has caught."""
    steps = zip(code.co_code[::2], code.co_code[1::2], strict=True)
    return any(step == dis.opmap["RAISE_VARARGS"] and count for step, count in steps) or any(
        raises_in(each) for each in code.co_consts if isinstance(each, CodeType)
    )


def raises_itself(member: Any) -> bool:
    """Return whether a function, its op's check, or the constructor of a class, raises an error."""
    op = getattr(member, "op", None)
    sources = [op.body, *filter(None, [op.check])] if isinstance(op, Op) else [member]
    if inspect.isclass(member):
        made = member.__dict__.get("__init__")
        sources = [made] if made is not None and made.__code__.co_filename[0] != "<" else []
    return any(raises_in(inspect.unwrap(each).__code__) for each in sources)


KINDS = {"bool": bool, "integer": np.int64, "floating": np.float32, "complex": np.complex64}
#: words by which a docstring says which dtypes are taken, and by which it names those of results
DTYPES = re.compile(r"bool|integer|float|complex|real|dtype", re.I)
RESULTS = {"bool": "bool", "int64": "int64|[Ii]ndices", "complex64": "complex"}


#: what docstrings call the kinds that are refused
NAMES = {"booleans": "bool", "integers": "integer", "numbers": "complex"}


def refusal(text: str) -> str:
    """Return the sentence of a docstring that says which kinds of dtypes are refused."""
    return next((line.strip() for line in text.splitlines() if line.endswith(" are refused.")), "")


def result_dtype(made: list[Call], kind: type) -> str | None:
    """Return the dtype that calls return for operands of a kind, if it is taken."""

    def cast(array: np.ndarray) -> np.ndarray:
        return array.astype(kind) if array.dtype == np.float64 else array

    for call in made:
        try:
            found = run(call, tensors_of(torch, Smooth(call, cast).arrays))
        except (RuntimeError, TypeError, ValueError):
            continue
        return next((each.dtype.name for each in found if isinstance(each, torch.Tensor)), "none")
    return None


def sampled_ops() -> dict[str, list[Call]]:
    """Return calls with operands in floating point, by the name of the op."""
    found: dict[str, list[Call]] = {}
    for (place, name), made in calls().items():
        op = getattr(getattr(owner(place), name, None), "op", None)
        if op is None or op.name in found:
            continue
        varied = list(islice((call for call in made if Smooth(call).leaves), 4))
        if varied:
            found[op.name] = varied
    return found


def unnamed(parameters: list[str], member: Any) -> list[str]:
    """Return the parameters that a docstring does not name before its example."""
    text = described_part(member)
    return [each for each in parameters if not re.search(rf"\b{each}\b", text)]


def test_functions_say_in_plain_words_what_they_do() -> None:
    assert opening_with(UNCLEAR, "def") == []


def test_classes_are_described_by_a_noun_phrase() -> None:
    assert opening_with(IMPERATIVE, "class") == []


def test_docstrings_are_found_below_headers_of_one_line_and_of_several() -> None:
    source = (
        'class A:\n    """One."""\n\n    def f(\n        self\n    ):  # ...\n        """Two."""\n'
    )
    assert DOCSTRING.findall(source) == [("class", "A", 'One."""'), ("def", "f", 'Two."""')]


def test_every_parameter_is_named() -> None:
    found = {}
    for name, function in FUNCTIONS.items():
        # every operation gets ``out`` from its declaration, with one meaning
        parameters = [
            each
            for each in inspect.signature(function).parameters
            if each[0] != "_" and each != "out"
        ]
        found[name] = unnamed(parameters, function)
    assert {name: missing for name, missing in found.items() if missing} == {}


#: the library's, before a test defines one of its own
METHODS = [(name, each) for name, each in vars(torch.Tensor).items() if name[0] != "_"]


def in_the_reference() -> Iterator[tuple[str, Any]]:
    """Yield what has arguments in the site's reference and in `Tensor`."""
    own = {*REFERENCE, "overrides"} - {"multiprocessing"}  # which is Python's
    places = [f"pellucid.{each}" for each in sorted(own)]
    for name, member in (*public_members(places), *METHODS):
        own = str(getattr(member, "__module__", "")).startswith(("pellucid", "torch"))
        values = inspect.isclass(member) and issubclass(member, (Exception, enum.Enum, tuple))
        if own and callable(member) and not values:
            yield name, member


def test_every_argument_is_named_of_all_in_the_reference_and_of_methods() -> None:
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    wanted: dict[str, tuple[list[str], Any]] = {}
    for name, member in in_the_reference():
        with contextlib.suppress(ValueError):  # some classes of Python's have no signature
            given = inspect.signature(member).parameters.values()
            names = [each.name for each in given if each.kind not in variadic]
            own = [each for each in names if each[0] != "_" and each not in ("self", "out")]
            wanted[name] = own, member
    missing = {name: unnamed(*each) for name, each in wanted.items()}
    # an object, which is called
    assert missing.pop("pellucid.distributions.identity_transform") == ["x"]
    assert len(missing) > 1000
    assert {name: names for name, names in missing.items() if names} == {}


def test_functions_with_parameters_describe_them_in_a_section() -> None:
    parameters = {name: inspect.signature(member).parameters for name, member in FUNCTIONS.items()}
    without = [
        name
        for name, given in parameters.items()
        if any(each[0] != "_" for each in given)
        and "Args:\n" not in described_part(FUNCTIONS[name])
    ]
    assert without == []


#: operands, and words by which a docstring says which shape one has
OPERANDS = re.compile(
    r"input|self|other|[ABxy]|tensors?|end|targets?|weight|mask|source|src|index|indices|query|key|"
    r"value|boxes|log_probs|mat[12]?|vec[12]?|batch[12]"
)
SHAPES = re.compile(
    r"\[|shape|dimension|[Vv]ector|[Mm]atri|[Nn]umber|size|broadcast|[Ll]ike|position|what", re.I
)


def test_an_op_says_which_shape_each_operand_has() -> None:
    vague: list[str] = []
    for name, member in FUNCTIONS.items():
        if member.__module__.startswith("pellucid.ops"):
            said = re.findall(r"^    (\w+): (.+(?:\n        .+)*)", described_part(member), re.M)
            vague += [
                f"{name}: {text}"
                for parameter, text in said
                if OPERANDS.fullmatch(parameter) and not SHAPES.search(text)
            ]
    assert vague == []


def test_every_function_has_an_example() -> None:
    assert [
        name for name, each in FUNCTIONS.items() if ">>>" not in (inspect.getdoc(each) or "")
    ] == []


def test_every_parameter_of_a_constructor_is_named() -> None:
    found = {name: unnamed(constructor_parameters(kind), kind) for name, kind in CLASSES.items()}
    assert {name: missing for name, missing in found.items() if missing} == {}


def test_every_class_has_an_example() -> None:
    assert [name for name, kind in CLASSES.items() if ">>>" not in (kind.__doc__ or "")] == []


def test_who_raises_an_error_says_so() -> None:
    silent = [
        name
        for name, member in {**FUNCTIONS, **CLASSES}.items()
        if raises_itself(member) and not re.search(r"\b[Rr]aises?\b", described_part(member))
    ]
    assert silent == []


def test_an_op_says_if_it_refuses_dtypes_and_what_comes_out() -> None:
    silent: list[str] = []
    for name, made in sampled_ops().items():
        text = described_part(registry[name].function)
        found = {kind: result_dtype(made, each) for kind, each in KINDS.items()}
        for kind in re.findall(r"(\w+)(?= and |, | are refused)", refusal(text)):
            assert found[NAMES[kind.lower()]] is None, f"{name} takes {kind}"
        named = RESULTS.get(found["floating"] or "", "")
        if (None in found.values() and not DTYPES.search(text)) or not re.search(named, text):
            silent.append(f"{name} {found}")
    assert silent == []


def test_help_shows_the_docstring_of_an_op() -> None:
    text = pydoc.render_doc(torch.hypot, renderer=pydoc.plaintext)
    assert "Booleans and integers are refused." in text
    assert "other: " in text


def test_docstrings_are_put_together_with_and_without_their_indentation() -> None:
    def double(x: int) -> int:
        """Return twice a number.

        Args:
            x: The number,
                whole.
        """
        return 2 * x

    text = "Return thrice a number.\n\n    Args: As for `double`.\n"
    for source in (double.__doc__, inspect.cleandoc(double.__doc__ or "")):
        double.__doc__ = source
        for given in (text, text.replace("    ", "")):
            thrice = FunctionType(double.__code__, {})
            thrice.__doc__ = given
            filled = sections_of(double)(thrice).__doc__
            assert filled == (
                "Return thrice a number.\n\nArgs:\n    x: The number,\n        whole.\n"
            )

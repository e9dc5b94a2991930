"""What is public: the names of a function, its methods, and how it is called by them.

A declaration stands directly above the definition, and nothing else lists the names again::

    @public("log1p log1p_ special.log1p", method=True, inplace=True, out=CASTING)
    @elementwise
    def log1p(be, input, /): ...

The modules `pellucid`, `pellucid.linalg`, `pellucid.nn.functional` and the others, the methods of
`Tensor` and the type stubs are made from the declarations.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from enum import Enum
from typing import Any, Final, NamedTuple, TypeVar

from pellucid.docstrings import completed

Function = TypeVar("Function")


class Out(Enum):
    """The tensors that ``out=`` may be; see Note [What out may be]."""

    CASTING = "casting"
    EXACT = "exact"
    JOINING = "joining"
    SEQUENCE = "sequence"
    TRUTH = "truth"


# Note [What out may be]
# What most functions return may be written into any dtype that does not lose its category: a
# float into a float of any size or into a complex number, never into an integer (CASTING). Others
# want the very dtype of their result (EXACT). To those that join tensors, a dtype that cannot hold
# the result is an argument of a wrong type (JOINING). Evenly spaced numbers go into any shape of
# as many elements (SEQUENCE), with the dtypes of CASTING. Whether all or any are true may be bool
# or uint8 (TRUTH). It is not a rule but PyTorch's history: the declarations are what PyTorch 2.13
# does, found by asking it for every name.
CASTING: Final = Out.CASTING
EXACT: Final = Out.EXACT
JOINING: Final = Out.JOINING
SEQUENCE: Final = Out.SEQUENCE
TRUTH: Final = Out.TRUTH

#: the place of methods among the places of public names
METHODS: Final = "Tensor"
#: the place of the functions of lists of tensors, such as ``torch._foreach_add``
LISTS: Final = "foreach"


class Declaration:
    """A function and how its public names call it."""

    __slots__ = ("checked", "function", "keeps_input", "made", "out", "reads_late")

    def __init__(
        self, function: Any, out: Out | None, checked: bool, reads_late: bool, keeps_input: bool
    ) -> None:
        self.function = function
        #: the rule for the dtype of ``out=``; ``None`` where there is no such argument
        self.out = out
        #: whether the types of the arguments are checked and errors say what was given
        self.checked = checked
        #: whether arguments are checked where the function comes to them, not before the call
        self.reads_late = reads_late
        #: whether the derivative of the in-place variant needs the values before the change
        self.keeps_input = keeps_input
        #: the variants that have been made: in-place, and with ``out``
        self.made: dict[str, Any] = {}


class PublicName(NamedTuple):
    """One public name: the declaration behind it, and whether it is the in-place variant."""

    declaration: Declaration
    inplace: bool


#: operators of one operand, which have no in-place form
_UNARY: Final = ("abs", "invert", "neg", "pos")

#: by place (``""`` is the package itself), the public names there
public_names: Final[dict[str, dict[str, PublicName]]] = defaultdict(dict)


def public(
    names: str = "", *, method: bool | str = False, operators: str = "",
    inplace: bool | str = False, out: Out | None = None, foreach: bool | str = False,
    checked: bool = True, reads_late: bool = False, keeps_input: bool = False,
) -> Callable[[Function], Function]:  # fmt: skip
    """Declare under which names an op or a function is public.

    Args:
        names: The names, separated by spaces, without the package: ``"log1p special.log1p"``.
        method: True for methods of the same names, else the methods.
        operators: Python's operators by name: ``"add radd"`` for ``__add__`` and ``__radd__``.
        inplace: True for an in-place variant of each method and operator, else the variants. A
            name that ends in an underscore is then that of the variant.
        out: The rule for the dtype of ``out=``; None where there is no such argument.
        foreach: True for a function of lists of tensors, else such functions.
        checked: Whether the types of the arguments are checked and errors say what was given;
            ops do so in any case.
        reads_late: Whether PyTorch has written the function in Python: then arguments are checked
            where the function comes to them, not before the call.
        keeps_input: Whether the derivative of the in-place variant of a function that is not an op
            needs the values before the change.

    Raises TypeError for a name that something else has, and for ``method``, ``inplace`` or
    ``foreach`` that are True where ``names`` gives them no name.

    >>> from pellucid.core.definition.public import public, public_names
    >>> "log1p_" in public_names["Tensor"]
    True
    """
    known = names.split()
    plain = [name for name in known if "." not in name and not (inplace and name.endswith("_"))]
    methods = method.split() if isinstance(method, str) else plain if method else []
    signs = operators.split()
    changing: list[str] = []
    if inplace:
        variants = inplace.split() if isinstance(inplace, str) else [f"{m}_" for m in methods]
        changing = [*variants, *_inplace_operators(signs)]
    if method is True and not methods:
        raise _nameless("method", names)
    if inplace is True and not (changing or any(name.endswith("_") for name in known)):
        raise _nameless("inplace", names)
    lists = foreach.split() if isinstance(foreach, str) else []
    if foreach is True:
        if not (plain or methods):
            raise _nameless("foreach", names)
        first = (plain or methods)[0]
        lists = [f"_foreach_{first}", f"_foreach_{first}_"] if inplace else [f"_foreach_{first}"]

    def declare(function: Function) -> Function:
        declaration = Declaration(function, out, checked, reads_late, keeps_input)
        usual = PublicName(declaration, False)
        variant = PublicName(declaration, True) if inplace else usual
        for name in known:
            place, _, last = name.rpartition(".")
            _add(place, last, variant if last.endswith("_") else usual)
        for name in methods:
            _add(METHODS, name, usual)
        for sign in signs:
            _add(METHODS, f"__{sign}__", usual)
        for name in changing:
            _add(METHODS, name, variant)
        for name in lists:
            _add(LISTS, name, variant if name.endswith("_") else usual)
        return function if hasattr(function, "op") else completed(function)

    return declare


def _nameless(option: str, names: str) -> TypeError:
    return TypeError(
        f"public({names!r}, {option}=True) would declare nothing: {option}=True takes names "
        f'without a dot. Write the name that is meant: {option}="..."'
    )


def _inplace_operators(signs: list[str]) -> list[str]:
    """Return ``__iadd__`` for ``add``; neither ``radd`` nor ``neg`` has such a form."""
    without = {*_UNARY, *(f"r{sign}" for sign in signs)}
    return [f"__i{sign}__" for sign in signs if sign not in without]


def _add(place: str, name: str, entry: PublicName) -> None:
    before = public_names[place].setdefault(name, entry)
    if before is not entry and _origin(before) != _origin(entry):
        raise TypeError(
            f"{place or 'pellucid'}.{name} is {_origin(before)} already; {_origin(entry)} "
            "needs another name"
        )
    public_names[place][name] = entry


def _origin(entry: PublicName) -> str:
    """Return what identifies a function when its file is run again."""
    function = entry.declaration.function
    module, name = getattr(function, "__module__", ""), getattr(function, "__qualname__", "")
    return f"{module}.{name}"

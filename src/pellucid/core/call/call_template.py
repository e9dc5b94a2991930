"""The source of an op's call and of its in-place variant: templates, and what fills their holes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from textwrap import indent
from typing import Any, NamedTuple

from pellucid.autograd.node import Node
from pellucid.core.backward.plan import SavePlan, plan_for
from pellucid.core.call.template import Template
from pellucid.core.definition.op import FormulaInput, Op, Parameter
from pellucid.core.errors.aliases import aliases_of

# Note [Generated calls]
# Between `a * b` and NumPy's multiply there is little to do, but doing it by looping over operands
# and asking the op about itself would take longer than the multiplication. So the steps are written
# out as source, in the way `dataclasses` writes `__init__`, and compiled at the first call (not at
# import, which stays quick). The templates below are that source, for all ops but views with
# several outputs; `inspect.getsource(pellucid.mul)` shows what becomes of them for one op. Each of
# the names that start with `_` is a global of the function; see `fast_call`.

# What is in braces, in the `mul` of docs/tour.md: {function} is `mul`, {parameters} and {names} are
# `input, other`, {operand_tuple} is `(input, other)`, {param_tuple} is `()`.

#: what the function does first: arguments by other names, flags, a place for the result; of `mul`
#: there is but the line of `def`, which has neither parameters nor ``out``
HEAD = Template("""
def {function}({parameters}):
% if scale
    if _last is not _ABSENT:
        return _call_scaled(_self, _self.__name__, {names}, _last, {scale}={scale})
% elif aliases
    if {renamed_or_missing}:
        return _call_renamed(_self, {function!r}, {by_name})
% end
% for flag in flags
    if {flag} is not True and {flag} is not False:
        _require_flags(_op, {operand_tuple}, {param_tuple})
% end
% if takes_out
    if out is not None:
        return _write(_op, {operand_tuple}, {param_tuple}, out, _self)
% end
""")

#: what is around the body of the function: see Note [Where an error leaves the library]
GUARD = Template("""
{head}
    try:
{body}
    except Exception as error:
        _shorten(error)
        raise
""")

#: taking the operands' arrays, numbers for tensors; whatever is unusual goes the general way. In
#: `mul` {o.array} is `x_input`, then `x_other`, {numbers} is `_with_number(_op, input, other)`
TAKE = Template("""
% if variadic
    {operands[0].array} = _usual(_op, {names})
% else
    try:
% for o in required
        {o.array} = {o.name}._array
% end
% for o in optional
        {o.array} = None if {o.name} is None else {o.name}._array
% end
    except AttributeError:
% if numbers
        {names}, {arrays} = {numbers}
% else
        {required[0].array} = None
% end
% end
""")

#: computing the result. In `mul` {body_on_arrays} is `_kernel(input, other)`, {body} is
#: `_kernel(x_input, x_other)`, {take} what TAKE has become, {unusual} three tests joined by `or`,
#: {returned_arrays} is `out`, {returned} is `result`
COMPUTE = Template("""
% if not variadic
    # arrays give arrays: this is how a formula runs in an ordinary backward
    if {operands[0].name}.__class__ is _ndarray:
        return {body_on_arrays}
% end
{take}
    # whatever is unusual goes the general way
    if {unusual}:
        return _general(_op, {operand_tuple}, {param_tuple}, _self)
    try:
        {returned_arrays} = {body}
    except Exception as error:
        return _failed(error, _op, {operand_tuple}, {array_tuple}, {param_tuple})
% for out in outs
    if {out}.__class__ is not _ndarray:
        {out} = _asarray({out})
% end
% for out in outs
% if layout
    if {out}.ndim > 3 or not {out}.flags.c_contiguous:
        {out} = _layout({out}, {array_tuple})
% elif broadcasts
    if not {operands[0].array}.flags.c_contiguous and out.strides != {operands[0].array}.strides:
        out = _follows_first(out, {arrays})
% end
% end
    # the result
% for out, result in pairs
    {result} = _new(_Tensor)
    {result}._array = {out}
    {result}._grad = {result}._extra = None
% end
% if view
    storage = result._storage = {base}._storage or _storage_of({base})
    link = result._view = _new(_View)
    link.base = {base} if {base}._view is None else {base}._view.base
    link.version = storage.version
    link.origin = 0
    link.recorded = True
    if not _modes.grad_enabled:
        link.origin = 1
        if link.base._edge is not None:
            link.recorded = False
    if {base}._view is not None and {base}._view.origin:
        link.origin = {base}._view.origin
% else
% for result in results
    {result}._storage = {result}._view = None
% end
% end
% if not recorded
    {result_edges} = None
    return {returned}
% end
""")

#: giving the result a node, if recording is on and an operand requires grad. In `mul` {o.edge} is
#: `e0`, then `e1`; there are three branches, one for each set of operands that need a gradient. Of
#: the first {branch.condition} is `if e0 is not None and e1 is None`, its only entry is `other`, of
#: the storage `s1`, and {branch.backward} is `_backward0`
RECORD = Template("""
    # where the gradients of the operands go
% if variadic
    edges = tuple([_edge_of(each) for each in {names}])
    if not any(edges) or not _modes.grad_enabled:
        {result_edges} = None
        return {returned}
% else
% for o in operands
% if not o.derived
    {o.edge} = None
% elif o.optional
    {o.edge} = None if {o.name} is None else _edge_of({o.name})
% else
    {o.edge} = {o.name}._edge
    if {o.name}._view is not None and _modes.grad_enabled:
        {o.edge} = _edge_of({o.name})
% end
% end
    if {no_edges} or not _modes.grad_enabled:
        {result_edges} = None
        return {returned}
    edges = {edge_tuple}
% end
% if several
    kinds = {kinds}
    if 'f' not in kinds and 'c' not in kinds:
        {result_edges} = None
        return {returned}
% else
    out_dtype = out.dtype
    if out_dtype is not _F32 and out_dtype is not _F64 and out_dtype.kind not in 'fcVW':
        result._edge = None
        return result
% end
    # the node, with what the derivatives ask for
% if numbered
    node = _node_class_for(_op, {operand_tuple})()
% else
    node = _Node()
% end
    node.edges = edges
% if not branches
    node.saved, node.backward = _saved_by_plan(\
_op, edges, {operand_tuple}, {array_tuple}, [{results_listed}])
% end
% for branch in branches
% if branch.condition
    {branch.condition}:
% end
% for entry in branch.entries
% if entry.is_new
{branch.indent}{entry.storage} = {entry.tensor}._storage = _new(_Storage)
{branch.indent}{entry.storage}.version = 0
{branch.indent}{entry.storage}.notes = ()
% elif entry.optional
{branch.indent}{entry.storage} = _CONSTANT if {entry.tensor} is None \
else _storage_of({entry.tensor})
% elif entry.tensor
{branch.indent}{entry.storage} = {entry.tensor}._storage
{branch.indent}if {entry.storage} is None:
{branch.indent}    {entry.storage} = {entry.tensor}._storage = _new(_Storage)
{branch.indent}    {entry.storage}.version = 0
{branch.indent}    {entry.storage}.notes = ()
% end
% end
{branch.indent}node.saved = {branch.saved}
{branch.indent}node.backward = {branch.backward}
% end
    node.params = {noted}
    node.extra = None
    node.scope = _modes.scope if _slow_path.scopes else None
    node.seq = next(_sequence)
    # the user's line
    frame = _getframe(1)
    code = frame.f_code
    while _library[code.co_filename]:
        frame = frame.f_back
        code = frame.f_code
    node.code = code
    node._lasti = frame.f_lasti
% if several
    node.shape = node.dtype = None
    node.metas = {metas}
    if 'c' in kinds:
        node.backward = _choose(_op, _COMPLEX, node.backward)
% for slot, result in enumerate(results)
    {result}._edge = (node, {slot}) if kinds[{slot}] in 'fc' else None
% end
% else
    node.shape = out.shape
    node.dtype = out_dtype
    node.metas = None
    if out_dtype is not _F32 and out_dtype is not _F64:
        node.backward = _choose(_op, out_dtype, node.backward)
    result._edge = (node, 0)
% end
    return {returned}
""")

# Which fields a node has is said in `Node`: who makes one fills all of them, here as in
# `_native/objects/layout.cpp`, which looks at the same when the compiled module is loaded.
if unfilled := {*Node.__slots__, "__weakref__"} ^ {
    *re.findall(r"\bnode\.(\w+)(?= =)", RECORD.text), "__weakref__",
}:  # fmt: skip
    raise TypeError(f"RECORD and Node.__slots__ differ in {', '.join(sorted(unfilled))}")

#: the in-place variant: a change that nothing records goes straight to the memory
CHANGE = Template("""
    given = {operand_tuple}
{take}
    if {unusual}:
        return _change(_op, given, {param_tuple}, _self)
    try:
        _quiet.run(_into, _be, {into_arguments})
    except Exception:
        return _change(_op, given, {param_tuple}, _self)
    _note({operands[0].name}, {function!r})
    return {operands[0].name}
""")


#: with more operands that have a derivative there is no branch for each set of them
_MOST_IN_BRANCHES = 3


class Operand(NamedTuple):
    """An operand, and the names of the local variables for what belongs to it."""

    name: str
    array: str
    edge: str
    storage: str
    optional: bool
    #: whether the op has a derivative with respect to it
    derived: bool
    #: whether its dtype meets those of the others
    promoted: bool


class Entry(NamedTuple):
    """A value that the node saves: the variable of its storage, and how that is found."""

    text: str
    storage: str = ""
    tensor: str = ""
    is_new: bool = False
    optional: bool = False


class Branch(NamedTuple):
    """What the node gets where these operands need a gradient."""

    condition: str
    indent: str
    entries: list[Entry]
    saved: str
    backward: str


def call_source(op: Op, namespace: dict[str, Any], takes_out: bool = False) -> str:
    """Return the source of an op's call.

    Its default arguments and the backward functions of its nodes are put into ``namespace``.
    """
    holes = _head(op, op.name, namespace, takes_out)
    head = HEAD.fill(holes)
    general = f"    return _general(_op, {holes['operand_tuple']}, {holes['param_tuple']}, _self)\n"
    underivable = op.family.recorded and not op.formulas
    unusual = op.many or (op.family.view and (op.variadic or not op.single))
    if underivable or unusual or not op.operands:
        return guarded(head + general)
    holes |= _results(op) | _bodies(op, holes, has_kernel=namespace.get("_kernel") is not None)
    holes |= {"unusual": _any_of(_unusual(op, holes)), "take": TAKE.fill(holes).rstrip()}
    source = head + COMPUTE.fill(holes)
    if op.family.recorded:
        source += RECORD.fill(holes | _edges(holes["operands"]) | _branches(op, holes, namespace))
    return guarded(source)


def inplace_source(op: Op, namespace: dict[str, Any]) -> str:
    """Return the source of an op's in-place variant; default arguments go into ``namespace``."""
    function = f"{op.name}_"
    holes = _head(op, function, namespace, takes_out=False)
    simple = op.out_variant is not None and all(op.promoted) and not op.variadic
    if not simple or holes["optional"]:
        general = f"_change(_op, {holes['operand_tuple']}, {holes['param_tuple']}, _self)"
        return guarded(f"{HEAD.fill(holes)}    return {general}\n")
    first, *others = [each.array for each in holes["operands"]]
    given = ", ".join([first, first, *others, *(param.name for param in op.params)])
    unusual = _any_of(_unusual_change(op, holes["operands"]))
    holes |= {"into_arguments": given, "unusual": unusual, "take": TAKE.fill(holes).rstrip()}
    return guarded(HEAD.fill(holes) + CHANGE.fill(holes))


def guarded(source: str) -> str:
    """Return the source of a function whose errors lose the library's frames."""
    head, body = source.split("\n", 1)
    return GUARD.fill({"head": head, "body": indent(body.rstrip(), "    ")})


def _tuple(texts: Iterable[str]) -> str:
    given = list(texts)
    return f"({given[0]},)" if len(given) == 1 else f"({', '.join(given)})"


def _head(op: Op, function: str, namespace: dict[str, Any], takes_out: bool) -> dict[str, Any]:
    """Return what the templates say of operands and parameters."""
    operands = [
        Operand(
            o.name, f"x_{o.name}", f"e{i}", f"s{i}", o.optional, o.name in op.formulas,
            op.promoted[i],
        )
        for i, o in enumerate(op.operands)
    ]  # fmt: skip
    names = [operand.name for operand in operands]
    params = [param.name for param in op.params]
    aliases = aliases_of(params)
    absent = _may_be_absent(op, aliases)
    positional = op.order or names
    others = [name for name in params if name not in positional]
    by_name = [*positional, *others, *aliases, *["out"] * takes_out]
    tests = [f"{name} is not _ABSENT" for name in aliases]
    return {
        "function": function,
        "operands": operands,
        "required": [each for each in operands if not each.optional],
        "optional": [each for each in operands if each.optional],
        "variadic": op.variadic,
        "names": ", ".join(names),
        "arrays": ", ".join(each.array for each in operands),
        "operand_tuple": _tuple(names),
        "array_tuple": _tuple(each.array for each in operands),
        "params": params,
        "param_tuple": _tuple(params),
        "noted": _noted(op, operands, params, namespace),
        "parameters": _parameters(op, namespace, absent, [*aliases], takes_out),
        "scale": op.scale,
        "numbered": bool(op.numbered or op.absent),
        "aliases": aliases,
        "renamed_or_missing": " or ".join([*tests, *(f"{name} is _ABSENT" for name in absent)]),
        "by_name": "{" + ", ".join(f"{name!r}: {name}" for name in by_name) + "}",
        "flags": [p.name for p in op.params if p.default is True or p.default is False],
        "takes_out": takes_out,
        "numbers": _numbers(op, names),
    }


def _noted(
    op: Op, operands: list[Operand], params: list[str], namespace: dict[str, Any]
) -> str | None:
    """Return what a node has for parameters."""
    if op.noted is None:
        return _tuple(params) if params else None
    namespace["_noted"] = op.noted
    arrays = operands[0].array if op.variadic else _tuple(each.array for each in operands)
    return _tuple([*params, f"_noted({', '.join([arrays, *params])})"])


def _parameters(
    op: Op, namespace: dict[str, Any], absent: list[str], aliases: list[str], takes_out: bool
) -> str:
    """Return the parameters of the function; an argument that has two names may seem absent."""
    required = "=_ABSENT" if absent else ""  # so that an error can name all that is missing
    texts = [o.name + ("=None" if o.optional else required) for o in op.operands]
    texts += ["_last=_ABSENT"] * (op.scale is not None)
    by_name: list[str] = []
    for param in op.params:
        text = param.name
        if param.name in absent:
            text += "=_ABSENT"
        elif param.has_default:
            namespace[f"_default_{param.name}"] = param.default
            text += f"=_default_{param.name}"
        (by_name if param.keyword_only else texts).append(text)
    by_name += [f"{name}=_ABSENT" for name in aliases] + ["out=None"] * takes_out
    order = op.order
    if order is not None:
        texts.sort(key=lambda text: order.index(text.partition("=")[0]))
    return ", ".join([*texts, *["*"] * bool(by_name), *by_name])


def _may_be_absent(op: Op, aliases: dict[str, str]) -> list[str]:
    """Return the arguments without default, if one is the first that has two names or later."""
    if not aliases:
        return []
    params = [param.name for param in op.params]
    first = min(params.index(name) for name in aliases.values())
    if all(param.has_default for param in op.params[first:]):
        return []
    return [param.name for param in op.params if not param.has_default]


def _numbers(op: Op, names: list[str]) -> str:
    """Return the call that takes a number for a tensor; empty where there must be none."""
    if not op.promotes or len(names) < 2:
        return ""
    pair = len(names) == 2 and all(op.promoted) and not any(o.optional for o in op.operands)
    return f"_with_number{'' if pair else 's'}(_op, {', '.join(names)})"


def _results(op: Op) -> dict[str, Any]:
    """Return what the templates say of the result: one output, or several."""
    count = len(op.outputs)
    outs = ["out"] if count == 1 else [f"out{i}" for i in range(count)]
    results = ["result"] if count == 1 else [f"result{i}" for i in range(count)]
    return {
        "outs": outs,
        "results": results,
        "pairs": list(zip(outs, results, strict=True)),
        "results_listed": ", ".join(results),
        "several": count > 1,
        "returned_arrays": ", ".join(outs),
        "returned": "result" if count == 1 else f"_returns([{', '.join(results)}])",
        "result_edges": " = ".join(f"{result}._edge" for result in results),
        "kinds": " + ".join(f"{out}.dtype.kind" for out in outs),
        "metas": "(" + ", ".join(f"_Meta({out}.shape, {out}.dtype)" for out in outs) + ")",
        "layout": op.layout,
        "broadcasts": op.broadcasts,
        "view": op.family.view,
        "base": op.operands[0].name,
        "recorded": op.family.recorded,
    }


def _bodies(op: Op, holes: dict[str, Any], has_kernel: bool) -> dict[str, Any]:
    """Return the call of the body, and what the function returns where it is given arrays."""
    given = holes["operand_tuple"]
    on_arrays = _body(op, holes["names"], has_kernel)
    if op.layout is not None:
        on_arrays = f"_arranged(_op, {on_arrays}, {given}, {given})"
    elif op.broadcasts and len(op.outputs) == 1:
        on_arrays = f"_follows_first({on_arrays}, {holes['names']})"
    return {"body": _body(op, holes["arrays"], has_kernel), "body_on_arrays": on_arrays}


def _body(op: Op, arrays: str, has_kernel: bool) -> str:
    full = f"_body({', '.join(['_be', arrays, *map(_passed, op.params)])})"
    if not has_kernel:
        return full
    usual = " and ".join(f"{param.name} is _default_{param.name}" for param in op.params)
    return f"_kernel({arrays}) if {usual} else {full}" if usual else f"_kernel({arrays})"


def _passed(param: Parameter) -> str:
    return f"{param.name}={param.name}" if param.keyword_only else param.name


def _any_of(tests: list[str]) -> str:
    """Return a condition, with a line for each test where there are many."""
    one_line = " or ".join(tests)
    if len(one_line) < 80:
        return one_line
    return f"(\n        {f'{chr(10)}        or '.join(tests)}\n    )"


def _unusual(op: Op, holes: dict[str, Any]) -> list[str]:
    """Return the tests for what goes the general way."""
    operands, required = holes["operands"], holes["required"]
    if op.variadic:
        general = f"(_slow_path.general and _is_general(*{operands[0].name}))"
        return [f"{operands[0].array} is None", general]
    general = f"(_slow_path.general and _is_general({holes['names']}))"
    tests = [f"{required[0].array} is None", general, *_unusual_dtypes(op, operands)]
    if op.family.view:
        # a view's base is asked for its history: an object that is like a tensor has none to ask
        tests.insert(0, f"not isinstance({required[0].name}, _TensorBase)")
        tests.append(f"{operands[0].name}._storage.__class__ is _InferenceStorage")
    if op.dtype_param is not None and op.params[op.dtype_param].has_default:
        tests.append("dtype is not None")
    return tests


def _unusual_dtypes(op: Op, operands: list[Operand]) -> list[str]:
    """Return the tests for dtypes that differ, or in which the body does not compute."""
    promoted = [each for each in operands if each.promoted]
    derived = [each for each in operands if each.derived and not each.optional]
    first, *others = promoted or (derived or operands)[:1]
    tests = [
        f"{f'{other.name} is not None and ' if other.optional else ''}"
        f"{first.array}.dtype is not {other.array}.dtype"
        for other in others
    ]
    chars, dtype = op.general_path_tensors, f"{first.array}.dtype"
    indirect = f"{dtype} is not _F32 and {dtype} is not _F64 and {dtype}.char in {chars!r}"
    return [*tests, indirect] if chars else tests


def _unusual_change(op: Op, operands: list[Operand]) -> list[str]:
    """Return the tests for changes in place that need more than writing into the memory."""
    first, *others = operands
    history = " or ".join(
        f"{each.name}._edge is not None or {each.name}._view is not None" for each in operands
    )
    usual = "".join(char for char in "fdFDl" if char not in op.general_path)
    return [
        f"{first.array} is None",
        f"(_slow_path.general and _is_general({', '.join(each.name for each in operands)}))",
        *(f"{first.array}.dtype is not {other.array}.dtype" for other in others),
        f"{first.array}.dtype.char not in {usual!r}",
        f"not {first.array}.flags.forc",
        f"{first.name}._storage.__class__ is _InferenceStorage",
        f"_modes.grad_enabled and ({history})",
        *(f"{each.name}._storage is {first.name}._storage is not None" for each in others),
    ]


def _edges(operands: list[Operand]) -> dict[str, str]:
    return {
        "no_edges": " and ".join(f"{each.edge} is None" for each in operands if each.derived),
        "edge_tuple": _tuple(each.edge for each in operands),
    }


def _branches(op: Op, holes: dict[str, Any], namespace: dict[str, Any]) -> dict[str, Any]:
    """Return what is saved, in a branch for each set of operands that need a gradient.

    There are none where they would be too many: the plan is then looked up at each call.
    """
    if op.variadic:
        branch = _branch(plan_for(op, (True,)), holes, namespace, "", "")
        return {"branches": [branch]}
    operands: list[Operand] = holes["operands"]
    derived = [i for i, each in enumerate(operands) if each.derived]
    if len(derived) > _MOST_IN_BRANCHES:
        return {"branches": []}
    sets = _subsets(len(operands), derived)
    branches: list[Branch] = []
    for number, needed in enumerate(sets):
        tests = [f"e{i} is {'not ' if needed[i] else ''}None" for i in derived]
        condition = f"{'elif' if number else 'if'} {' and '.join(tests)}"
        if len(sets) == 1:
            condition = ""
        elif number == len(sets) - 1:
            condition = "else"
        branches.append(_branch(plan_for(op, needed), holes, namespace, condition, str(number)))
    return {"branches": branches}


def _branch(
    plan: SavePlan, holes: dict[str, Any], namespace: dict[str, Any], condition: str, number: str
) -> Branch:
    backward = f"_backward{number}"
    namespace[backward] = plan.backward
    entries = [_entry(plan.op, asked, holes) for asked in plan.saves]
    saved = _tuple(entry.text for entry in entries) if entries else repr(plan.nothing_saved)
    return Branch(condition, "        " if condition else "    ", entries, saved, backward)


def _entry(op: Op, asked: FormulaInput, holes: dict[str, Any]) -> Entry:
    """Return how one saved value is kept: the value, its storage, and the storage's version."""
    if asked.kind == "output":
        if op.family.view:
            return Entry("(out, storage, storage.version)")
        outs: list[str] = holes["outs"]
        storage, result = f"kept{asked.index}", holes["results"][asked.index]
        return Entry(f"({outs[asked.index]}, {storage}, 0)", storage, result, is_new=True)
    operand: Operand = holes["operands"][asked.index]
    if asked.kind == "like":
        return Entry(f"(_Meta({operand.array}.shape, {operand.array}.dtype), _CONSTANT, 0)")
    text = f"({operand.array}, {operand.storage}, {operand.storage}.version)"
    return Entry(text, operand.storage, operand.name, optional=operand.optional)


def _subsets(count: int, positions: list[int]) -> list[tuple[bool, ...]]:
    """Return all non-empty choices among the positions, the fullest last."""
    return [
        tuple(i in positions and bool(bits >> positions.index(i) & 1) for i in range(count))
        for bits in range(1, 1 << len(positions))
    ]

"""How much code there is, folder by folder: a limit for each, and for what a keeper has to know.

Lines are counted that hold more than a comment or a docstring. Print the table by
``python -m tests.architecture.test_size``.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "pellucid"

#: what must be understood by whoever keeps the library, but for the words of errors, which are
#: loaded when there is something to explain and have a limit of their own
CORE = ("core", "autograd", "tensors", "kernels/numpy", "ops/aliasing")
WORDS = "autograd/explanations"
#: 50 are the ends of functions at which errors lose the library's frames, 10 are what errors for
#: want of memory ask for, and 200 make memory, versions, signs
#: of zero and what nodes show those of PyTorch, and 240
#: are what PyTorch's own test files ask for: refusals, sparse results, memory that is shared; 10
#: say of methods that they call the same ops for tensors that look alike; 70 count how often the
#: engine, as PyTorch's, adds to a gradient in place; 450 show the steps of PyTorch's graphs that
#: are a part of one node here;
#: and 40 run all steps of a GRU at once; and 100 are what freed nodes show, and values that were
#: converted before they were saved; and 70 random
#: numbers with a history, steps that compute, and what hooks change in gradients; and 30 calls with
#: ``beta`` and ``alpha`` in the order of old;
#: and 10 refuse another library's tensors; and 80 are what is saved for its version alone,
#: gradients of inference mode, leaves and views with other data; and 40 complex32
MOST_OF_CORE = 16_120

#: the house without its outbuildings: 56,500, and 2,100 for what says why a gradient is missing,
#: what a graph holds, which calls ran compiled; and 900 for what shows values: summaries, shapes
#: by line, `why`, `assert_trains`; and 1,300 for the checks of what a program means; and 700 for
#: where gradients become zero, and for graphs with their values and gradients; and 600 for what
#: nodes, hooks and views show of themselves as PyTorch's do; and 250 for names that
#: packages ask for; and 900 for histories over steps, what is alive when memory runs out, what
#: a pass would take otherwise, and where a number is from; and 600 for what PyTorch's own test
#: files ask for; and 600 for what nodes show, op by op; and 100 for recordings of either library;
#: and 310 for remedies of errors of calls, with the lines and names that are behind them; and 320
#: for operations that are one node in PyTorch, and what their nodes show; and 150 for steps of both
#: libraries that are compared, and for layers and shapes of either; and 40 for sums with products
#: that are counted; and 530 for recordings of several ranks side by side, and ranks that differ;
#: and 750 for eight kinds of findings that people ask about, what keeps containers small, and
#: names with items, as `net[0].weight`, and of states that loops carry; and 240 for losses,
#: distances and norms that are one node; and 40 for the dimension that is the batch; and 500 for
#: the steps of PyTorch's graphs that are a part of one node here, and what they have saved; and 600
#: for subclasses with slots, random numbers under `vmap` and what else PyTorch's own test files
#: ask for;
#: and 130 for all steps of a GRU at once; and 170 for conditions and loops as functions; and
#: 200 for what `__torch_function__` hears, parameters without shapes, and tangents that are
#: refused; and
#: 60 for the gradients of a batch's normalisation in one kernel;
#: and 220 for derivatives and tangents that are PyTorch's nodes, and what freed ones show;
#: and 240 for tensors that are sent to other processes as memory, and writes to expanded ones
#: and 20 for what a line of an episode repeats, and 20 for steps of optimizers that the compiled
#: module makes as a whole
#: and 140 for random numbers with a history, steps that compute, and how often gradients were
#: changed
#: and 30 for hashes of tensors, and 40 for calls with ``beta`` and ``alpha`` in the order of old;
#: and 30 for what is refused of PyTorch's tensors, and histories of them; and 80 for what is saved
#: for its version alone, gradients of inference mode, leaves and views with other data
#: and 40 for random numbers that compiled steps draw again; and 70 for complex32; and 10 for nodes
#: that were freed and sparse leaves
MOST_OF_HOUSE = 69_730

#: the limit of each folder of the house; "" is the files of the package itself;
#: 90 of autograd are `reading`, through which the tools read tensors of either library; 40 of
#: inspect tell which dimension is the batch, 20 which values and gradients are there on devices;
#: 50 of tensors exchange two of them, which modules do;
#: 10 of the package's files are strings that name no device; 140 of autograd are what gradcheck and
#: strict derivatives refuse, saved values that may be changed, and classes with slots; 40 of compat
#: names of overridable functions; 50 of interpreters random fills under `vmap`; 230 of core the
#: steps of PyTorch's graphs that are a part of one node here; 30 of interpreters the terms of
#: tangents that are zero and still lead to an operand; 60 of core and 110 of ops derivatives that
#: are nodes of their own, and what they show; 180 of func conditions and loops; 30 of autograd
#: tangents that are refused; 30 of compat the functions of layers; 10 of utils batches; 10 of the
#: package's files refusals; 10 of interpreters and 30 of ops two sums with products that are nodes;
#: 20 of inspect leave out what a line of an episode repeats;
#: 20 of inspect the line of a loss by which nothing else is known, and batches that are empty; 20
#: of func what einops does with the names of dimensions; 90 of core and 10 of tensors attributes
#: that modes hear of, and which function stands for an operator; 40 of tensors the dtype that
#: gradients are converted to; 70 of tensors and 90 of sharing memory that is sent to other
#: processes, 20 of core writes to expanded tensors; 10 of optim steps that the
#: compiled module makes as a whole; 50 of core and 10 of the package's files random numbers with a
#: history, and steps that compute; 50 of ops the two nodes of a cross entropy; 20 of autograd what
#: hooks change, and hooks that are put first, which nn and optim had; 10 of tensors DLPack's kinds
#: of devices; 30 of ops hashes; 20 of core calls in the order of old; 10 of
#: autograd numbers of tensors;
#: 10 of explanations and 10 of inspect what is refused of PyTorch's tensors, and histories of them;
#: 20 each of autograd, ops and tensors and 30 of core what is saved for its version alone,
#: gradients of inference mode, leaves and views with other data; 10 each of autograd and func what
#: is done in inference mode; 20 of the package's files, 30 of core, 20 of ops and 10 of tensors
#: complex32; 10 of optim and 30 of sparse steps of sparse leaves
HOUSE = {
    "": 2_270, "_native": 50, "amp": 440, "autograd": 3_640, "autograd/explanations": 1_800,
    "compat": 2_570, "core": 5_800, "func": 1_720, "inspect": 12_450, "interop": 1_820,
    "interpreters": 1_900, "kernels": 4_290, "nn": 6_710, "ops": 15_575, "optim": 2_655,
    "sharing": 160, "tensors": 3_610, "testing": 800, "utils": 1_710,
}  # fmt: skip

#: the limit of each outbuilding; see docs/architecture.md. Of `commands`, 250 are
#: `pellucid learn`: lessons that are run, and made HTML; of `tensorboard`, 60 the
#: files of its projector. Of `processes`, 1,100 are the second
#: transport (sockets and shared memory), its stores and rendezvous, which make groups without MPI;
#: and 500 of `distributed` are pipelines, and hooks and averages for ranks that exchange less; 600
#: more are the older FSDP class with its wrapping policies, and checkpoints that PyTorch reads; 150
#: of `processes` are ranks with different numbers of batches, in which `nn/parallel` takes part;
#: 30 of `nn/parallel` are when buffers are sent, under the older name of that and the newer;
#: 15 names that are loaded when they are asked for;
#: 150 more of `processes` are notes on the board, and reductions that agree and exchange in one
#: round;
#: 270 of `processes` are exchanges as methods of groups, queues of stores and what programs ask
#: about backends, and 500 of `distributed` what scripts import beside the parts that do the work;
#: 300 of `compat/compiling` are what is told of recordings: memory, checks, graphs and pages;
#: 350 of `compat/compiling` are stretches between breaks, and what is read before one; 240 of
#: `compat/fx` code generators, immutable arguments and notes of lines and modules;
#: 60 of `commands` are what programs print, written anew for a phone; 250 of `compat/compiling` are
#: the stretches that the compiled module runs at once; 10 of `inspect/pytorch` are what functions
#: were told that PyTorch's nodes keep as numbers, and 60 ranks that leave each other notes, and 130
#: what devices have of their own (threads, memory, random numbers, captured graphs); 5 of `alias`
#: ranks that `watch` names; 40 of
#: `onnx` are gates, pixel shuffling and padding that were composed before, and 20 layers of GRU;
#: 30 of sparse products that are reduced;
#: 20 of profiler batches, cycles and borders of traces; 20 of sparse makers that modes hear;
#: 10 of alias the loops of `torch._higher_order_ops`; 290 of `processes` are what processes that do
#: not find one another are told, and proofs that strangers cannot hold up; 35 of `nn/parallel`
#: sparse gradients; 10 of sparse transposed matrices that are views;
#: 20 of `inspect/pytorch` why parts of a graph cannot be kept, and whether lines are noted now
OUTBUILDINGS = {
    "alias": 560, "array_api": 870, "commands": 460, "compat/compiling": 4_900,
    "compat/fx": 1_500, "distributed": 5_600,
    "distributions": 4_120, "inspect/pytorch": 3_030, "masked": 270, "multiprocessing": 270,
    "nn/parallel": 790, "onnx": 710, "processes": 4_510, "profiler": 610, "sparse": 1_880,
    "utils/tensorboard": 410, "vision": 1_810,
}  # fmt: skip

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the module and every statement in it; expressions are not gone through."""
    open_ones: list[ast.AST] = [tree]
    while open_ones:
        node = open_ones.pop()
        yield node
        for block in _BLOCKS:
            inner = getattr(node, block, ())
            if isinstance(inner, list):
                open_ones += inner


def lines_of_code(text: str) -> int:
    """Return how many lines hold more than a comment or a docstring.

    Within a string of several lines, those that are empty do not count, nor those that look like
    a comment.
    """
    code = {
        number
        for number, line in enumerate(text.splitlines(), 1)
        if (stripped := line.strip()) and not stripped.startswith("#")
    }
    for node in _statements(ast.parse(text)):
        if isinstance(
            node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        ) and ast.get_docstring(node, clean=False):
            docstring = node.body[0]
            code.difference_update(range(docstring.lineno, (docstring.end_lineno or 0) + 1))
    return len(code)


#: written from declarations and never imported, like the stubs
GENERATED = "_definitions"


@functools.cache
def sizes() -> dict[str, int]:
    """Return the lines of code of each file, by its path in the package."""
    return {
        path.relative_to(PACKAGE).as_posix(): lines_of_code(path.read_text("utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.parent.name != GENERATED
    }


def outbuilding_of(file: str) -> str | None:
    """Return the outbuilding that a file belongs to; ``None`` for one of the house."""
    return next((each for each in OUTBUILDINGS if file.startswith(f"{each}/")), None)


def folder_of(file: str) -> str:
    """Return what a file counts for: an outbuilding, or a folder of the house."""
    if file.startswith(f"{WORDS}/"):
        return WORDS
    return outbuilding_of(file) or file.rpartition("/")[0].partition("/")[0]


@functools.cache
def totals() -> dict[str, int]:
    """Return the lines of code of each outbuilding and of each folder of the house."""
    found: dict[str, int] = {}
    for file, lines in sizes().items():
        folder = folder_of(file)
        found[folder] = found.get(folder, 0) + lines
    return found


def house() -> int:
    """Return the lines of code of the house."""
    return sum(lines for file, lines in sizes().items() if outbuilding_of(file) is None)


def core() -> int:
    """Return the lines of code that a keeper has to know."""
    folders = tuple(f"{each}/" for each in CORE)
    return sum(
        lines
        for file, lines in sizes().items()
        if file.startswith(folders) and folder_of(file) != WORDS
    )


def too_large(what: str, lines: int, most: int) -> str:
    return (
        f"{what} has {lines:,} lines of code, its limit is {most:,}. Take something out; or raise "
        "the limit in tests/architecture/test_size.py in the same commit, and say there why."
    )


@pytest.mark.parametrize(("folder", "most"), [*HOUSE.items(), *OUTBUILDINGS.items()])
def test_a_folder_stays_within_its_limit(folder: str, most: int) -> None:
    lines = totals()[folder]
    assert lines <= most, too_large(f"pellucid/{folder}", lines, most)


def test_every_folder_has_a_limit() -> None:
    assert set(totals()) == {*HOUSE, *OUTBUILDINGS}


def test_the_house_stays_within_its_limit() -> None:
    assert house() <= MOST_OF_HOUSE, too_large("The house", house(), MOST_OF_HOUSE)


def test_what_a_keeper_has_to_know_stays_within_its_limit() -> None:
    assert core() <= MOST_OF_CORE, too_large(", ".join(CORE), core(), MOST_OF_CORE)


def test_a_line_counts_if_it_holds_more_than_a_docstring_or_a_comment() -> None:
    text = (
        '"""About this."""\n\n# why\nx = (\n    1,  # one\n)\n\n\n'
        'def f():\n    """Return\n    it."""\n    return """two\nlines"""\n'
    )
    assert lines_of_code(text) == 3 + 1 + 2


if __name__ == "__main__":
    limits = HOUSE | OUTBUILDINGS
    for folder, lines in sorted(totals().items()):
        print(f"{folder or 'files of the package':24} {lines:7,} {limits.get(folder, 0):7,}")
    print(f"{'core':24} {core():7,} {MOST_OF_CORE:7,}")
    print(f"{'house':24} {house():7,} {MOST_OF_HOUSE:7,}")

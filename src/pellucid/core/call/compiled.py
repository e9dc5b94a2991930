"""The compiled call of an op, in front of the generated one: what the compiled module is given.

The compiled module takes a call if all about it is usual, and hands any other to the generated
function; see Note [What is usual] in ``_native/call/call.cpp``. Without the module, ops are the
generated functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from pellucid import dtypes
from pellucid._native import compiled
from pellucid.autograd import careful_run, explanations
from pellucid.autograd.gradient_ops import gradient_ops
from pellucid.autograd.modes import HARMLESS_MODES, Modes, modes
from pellucid.autograd.node import AccumulateGrad, BackwardRun, Node, sequence
from pellucid.autograd.passes import begin_pass, call_back
from pellucid.autograd.sites import library_files
from pellucid.autograd.storage import CONSTANT, OTHER_NUMBER, WHOLE_NUMBER, Storage
from pellucid.autograd.variable import TensorBase, View
from pellucid.core.backward.node_backward import node_class_of, note_numbers_of, number_classes_of
from pellucid.core.backward.plan import SavePlan, choose_backward, plan_for
from pellucid.core.backward.recording import StandIn, write_call, write_program
from pellucid.core.definition.numbers import as_array
from pellucid.core.definition.op import Op
from pellucid.core.definition.result_types import named, result_type
from pellucid.core.errors.arguments import ABSENT
from pellucid.core.from_above import from_above
from pellucid.core.memory.layouts import arranged, of_queries
from pellucid.core.memory.memory_formats import memory_format
from pellucid.device import device
from pellucid.kernels.active import cpu
from pellucid.kernels.numpy.precision import silencing
from pellucid.kernels.numpy.reduction import COLUMN_BLOCK, UNEVEN_COLUMN_BLOCK
from pellucid.observe import slow_path
from pellucid.shapes import Meta, Size

#: functions of NumPy's that give integers and booleans without looking for special values
_NEVER_WARN = (
    np.add, np.subtract, np.multiply, np.bitwise_and, np.bitwise_or, np.bitwise_xor,
    np.logical_and, np.logical_or, np.logical_xor, np.equal, np.not_equal, np.less, np.less_equal,
    np.greater, np.greater_equal, np.maximum, np.minimum,
)  # fmt: skip
_module: Any = compiled
_ALL_CHARS = "?bhilqBHILQfdFDeEg"

Kernel = Callable[..., Any]
Function = TypeVar("Function", bound=Kernel)


def compiled_call(op: Op, function: Any, plain_kernel: Callable[[Op], Kernel | None]) -> Any:
    """Return the op's compiled call in front of its generated one, where there is the module."""
    if compiled is None:
        return function
    return compiled.function(function, lambda: _described(op, plain_kernel(op)))


def compiled_change(
    op: Op, function: Any, name: str, plain_kernel: Callable[[Op], Kernel | None]
) -> Any:
    """Return the compiled call of an in-place variant in front of its generated one."""
    if compiled is None:
        return function

    def describe() -> Any:
        description = _described(op, plain_kernel(op))
        simple = op.out_variant is not None and all(op.promoted) and not op.variadic
        simple |= op.name == "copy"
        return (description, name) if description is not None and simple else None

    return compiled.changing(function, describe)


def compiled_instead(function: Kernel, name: str) -> Any:
    """Return the compiled function of a name instead of one that does the same, if there is one."""
    return function if compiled is None else getattr(compiled, name)


def compiled_check(
    explained: Any, function: Kernel, fitting: tuple[set[tuple[Any, ...]], ...], failed: Kernel
) -> Any:
    """Return a compiled call in front of one that checks arguments, where there is the module.

    It calls the function at once where the arguments' classes are among those that fit, which are
    two sets: of the second, tuples have to be of integers. It leaves an error to
    ``failed(error, args, kwargs)``.
    """
    if compiled is None:
        return explained
    return compiled.checked(explained, function, fitting, failed, hasattr(function, "replayable"))


def replayable(function: Function) -> Function:
    """Declare that a function calls the same ops for arguments alike, and does nothing else.

    Alike are tensors of the same sizes, strides and dtypes, and equal other arguments: values of
    tensors do not decide what is called, or `remember_nothing` is. The compiled module remembers
    the calls, and makes them at once when there are such arguments again; if one fails, the
    function runs, and what was remembered is forgotten.
    """
    vars(function)["replayable"] = True
    return function


def regular(function: Function) -> Function:
    """Declare what `replayable` does of a function whose calls are not worth remembering."""
    vars(function)["regular"] = True
    return function


def drawing(function: Function) -> Function:
    """Declare that a function is `replayable` but for random numbers, which it lists as `drawn`."""
    vars(function)["drawing"] = True
    return function


#: gives the tensor; a recording makes it anew by the function, which draws from the default stream
#: and returns an array, and the arguments after that
drawn: Callable[..., Any] = compiled_instead(lambda tensor, *_: tensor, "list_draw")


def remember_nothing() -> None:
    """Keep the compiled module from remembering the `replayable` functions that are running now.

    A function asks for this where it does more than to call ops, or where values decide which.
    """
    if compiled is not None:
        compiled.remember_nothing()


def set_up() -> None:
    """Pass to the compiled module the classes whose objects it reads and makes."""
    if compiled is None:
        return
    compiled.set_up(
        {
            "tensor_base": TensorBase, "tensor_class": from_above.tensor, "size_class": Size,
            "storage_class": Storage, "view_class": View, "dtype_class": dtypes.dtype,
            "device_class": device, "format_class": memory_format,
            "meta_class": Meta, "node_class": Node, "accumulate_class": AccumulateGrad,
            "stand_in_class": StandIn, "run_class": BackwardRun,
            "constant_storage": CONSTANT, "whole_number": WHOLE_NUMBER,
            "other_number": OTHER_NUMBER, "slow_path_object": slow_path, "absent": ABSENT,
            "modes": modes, "usual_modes": _usual_modes(), "sequence": sequence,
            "run_numbers": BackwardRun.numbers, "files_of_library": library_files,
            "as_array": as_array, "plan": _plan, "choose_backward": choose_backward,
            "formulas": _formulas, "write_program": write_program, "write_call": write_call,
            "name_line": _name_line, "careful_step": careful_run.step,
            "note_numbers": note_numbers_of,
            "finish_leaf": careful_run.finish_leaf, "begin_pass": begin_pass, "end_pass": call_back,
            "array_gradients": gradient_ops.arrays, "warnings": silencing[0],
            "no_warnings": silencing[1], "add_function": np.add, "maximum_function": np.maximum,
            "multiply_function": np.multiply, "column_blocks": (COLUMN_BLOCK, UNEVEN_COLUMN_BLOCK),
        }
    )  # fmt: skip


def _usual_modes() -> dict[str, Any]:
    """Return the values at which modes are usual, `ABSENT` for those in which all values are."""
    defaults = {name: getattr(Modes, name) for name in Modes.__annotations__}
    return defaults | dict.fromkeys(HARMLESS_MODES, ABSENT)


def _described(op: Op, kernel: Kernel | None) -> dict[str, Any] | None:
    """Return what the compiled call has to know; ``None`` where Python takes all calls."""
    if not takes_compiled_calls(op):
        return None
    ufunc = kernel if isinstance(kernel, np.ufunc) else None
    loops = ufunc or getattr(kernel, "loops", None) or _loops_of_floats(op)
    positional = [param for param in op.params if not param.keyword_only]
    derived = [operand.name in op.formulas for operand in op.operands]
    return {
        "op": op,
        "body": op.body,
        "backend": cpu,
        "kernel": _called_from_here(ufunc) if ufunc is not None else kernel,
        "direct": loops or (op.name if op.compiled_body else None),
        "shortcut": _shortcut(op),
        "loops_for_integers": loops in _NEVER_WARN,
        "node_class": node_class_of(op),
        "number_classes": number_classes_of(op),
        "operands": tuple(
            (meets, number, has_formula, operand.optional)
            for meets, number, has_formula, operand in zip(
                op.promoted, op.takes_numbers, derived, op.operands, strict=True
            )
        ),
        "param_names": tuple(param.name for param in op.params),
        "positional_params": len(positional),
        "order": _order(op),
        "defaults": tuple(param.default if param.has_default else ABSENT for param in op.params),
        "dtype_param": _dtype_param(op),
        "recorded": op.family.recorded,
        "view": op.family.view,
        "variadic": op.variadic,
        "many": op.many,
        "outputs": 1 if op.many else len(op.outputs),
        "returns": _class_of_results(op),
        "broadcasts": op.broadcasts,
        "laid_out": op.layout is not None,
        "by_channels": op.layout is not of_queries,
        "arrange": lambda out, *arrays: arranged(op, out, arrays, arrays),
        "leading": derived.index(True) if True in derived else 0,
        "types": "".join(char for char in _ALL_CHARS if char not in op.general_path_tensors),
        "is_power": op.float_kernel == "power",
        "refuses_integers": np.dtype(np.int64).char in op.general_path,
        "refuses_numbers": "f" in op.general_path or "d" in op.general_path,
    }


def _dtype_param(op: Op) -> int:
    """Return the place of the parameter that has to be None in usual calls; -1 if there is none."""
    position = op.dtype_param
    return -1 if position is None or not op.params[position].has_default else position


def _loops_of_floats(op: Op) -> Any:
    """Return the function of NumPy's whose loops are what the op's body does with floats."""
    kernel: Any = None if op.float_kernel is None else getattr(cpu, op.float_kernel)
    return kernel if isinstance(kernel, np.ufunc) else getattr(kernel, "loops", None)


def _shortcut(op: Op) -> tuple[Kernel, int] | None:
    """Return the compiled kernel that does what a body does, and its number of parameters."""
    if op.compiled_kernel is None or compiled is None:
        return None
    name, count = op.compiled_kernel
    return getattr(compiled.kernels, name), count


def _order(op: Op) -> tuple[int, ...]:
    """Return of each public argument the operand's index, or the parameter's, from -1 downwards.

    Empty where the operands come first.
    """
    if op.order is None:
        return ()
    operands = [operand.name for operand in op.operands]
    params = [param.name for param in op.params]
    later = [p.name for p in op.params if not p.keyword_only and p.name not in op.order]
    names = [*op.order, *later]
    return tuple(
        operands.index(name) if name in operands else -1 - params.index(name) for name in names
    )


def takes_compiled_calls(op: Op) -> bool:
    """Return whether the compiled module takes an op's usual calls, if it is there."""
    return why_in_python(op) is None


def why_in_python(op: Op) -> str | None:
    """Return what about an op keeps the compiled module from all calls of it; ``None`` for nothing.

    Several results are taken where a kernel gives them, or they are a tuple of a fixed number. A
    list of tensors is taken where the compiled module joins them, a list of arrays by every op.
    """
    if op.family.recorded and not op.formulas:
        return "the op has no derivative"
    if not op.operands or len(op.operands) > _module.most_operands:
        return f"the op has no operand, or more than {_module.most_operands}"
    if len(op.params) > _module.most_params:
        return f"the op has more than {_module.most_params} parameters"
    taken = op.single or op.compiled_body or op.compiled_kernel is not None
    if taken or _has_several_results(op):
        return None
    return (
        f"the op's results are neither one tensor nor a tuple of up to {_module.most_outputs}, or "
        "it takes a list of tensors"
    )


def _has_several_results(op: Op) -> bool:
    plain = not (op.variadic or op.many or op.family.view)
    few = 1 < len(op.outputs) <= _module.most_outputs
    return plain and few and _class_of_results(op) is not None


def _class_of_results(op: Op) -> type | None:
    """Return the class of the tuple that an op of several results returns; None for a function."""
    if isinstance(op.returns, named):
        return result_type(op.returns.name, *op.returns.fields)
    return tuple if op.returns is tuple else None


def _called_from_here(ufunc: np.ufunc) -> Kernel:
    """Return a function that calls NumPy's, whose warnings then name a line of the library."""

    def kernel(*arrays: Any) -> Any:
        return ufunc(*arrays)

    return kernel


def _name_line(error: Exception, node: Node | None) -> None:
    explanations.running_pass.name_line(error, node)


def _plan(op: Op, mask: int) -> tuple[Any, ...]:
    """Return the backward of a node whose operands given by bits need a gradient, and its saves.

    Then follows what stands for them where there are none.
    """
    plan = plan_for(op, tuple(bool(mask >> i & 1) for i in range(len(op.operands))))
    return plan.backward, _saves(plan), plan.nothing_saved


def _formulas(backward: Any) -> tuple[Any, ...] | None:
    """Return the formulas behind a backward, which operands need a gradient, and what is saved.

    ``None`` where more than the formulas is needed.
    """
    plan = getattr(backward, "plan", None)
    if (
        plan is None
        or plan.op.variadic
        or plan.op.flat
        or plan.op.joint
        or len(plan.op.outputs) > 1
    ):
        return None
    return plan.gradients, plan.needed, _saves(plan)


def _saves(plan: SavePlan) -> tuple[tuple[str, int], ...]:
    return tuple((asked.kind, asked.index) for asked in plan.saves)

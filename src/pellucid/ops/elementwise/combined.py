"""Arithmetic in several steps at once: interpolation, scaled products and quotients added."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.core.definition.dtype_rules import COMMON, TENSORS
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import CASTING, EXACT, public
from pellucid.core.errors.op_errors import unsupported
from pellucid.core.families import elementwise
from pellucid.core.memory.writing import check_result_shape
from pellucid.dtypes import check_fits, from_numpy_dtype, is_complex_dtype
from pellucid.errors import DtypeError


@public("lerp", method=True, inplace=True, out=EXACT, foreach=True)
@elementwise(
    torch_kernel_name="lerp_kernel_tensor",
    dtypes=COMMON.numbers_for("weight"),
    unsupported="biu",
    overload=1,
    numbered={"weight": "LerpBackward0"},
    unfreed=("LerpBackward0",),
    faces={
        "LerpBackward0": Face("weight#", edges="input end"),
        "LerpBackward1": Face("end self weight"),
    },
)
def lerp(be, input, end, weight, /):
    """Go from ``input`` towards ``end`` by the fraction ``weight``, a number or a tensor.

    Raises RuntimeError unless all are of one floating-point or complex dtype.

    Args:
        end: Tensor of end points that broadcasts with ``input``.
        weight: Share of the way from ``input`` to ``end``: a number, or a tensor that
            broadcasts.

    >>> torch.lerp(torch.tensor([0.0, 10.0]), torch.tensor([10.0, 20.0]), 0.25)
    tensor([ 2.5000, 12.5000])
    """
    return be.lerp(input, end, weight)


@lerp.check
def check_lerp(input, end, weight):
    if input.dtype.kind in "biu":
        how = "tensor" if isinstance(weight, np.ndarray) else "scalar"
        raise unsupported(f"lerp_kernel_{how}", input.dtype)
    if isinstance(weight, complex) and not is_complex_dtype(input.dtype):
        check_fits(weight, input.dtype)
    for name, value in (("end", end), ("weight", weight)):
        dtype = getattr(value, "dtype", input.dtype)
        if dtype != input.dtype and (name == "end" or np.ndim(value)):
            raise DtypeError(
                f"expected dtype {_c_name(input.dtype)} for `{name}` but got dtype {_c_name(dtype)}"
            )


def _c_name(numpy_dtype: Any) -> str:
    name = from_numpy_dtype(numpy_dtype).name
    return {"float32": "float", "float64": "double", "int64": "long int"}.get(name, name)


@lerp.vjp("input")
def lerp_input(g, weight):
    return g * (1 - weight)


@lerp.vjp("end")
def lerp_end(g, weight):
    return g * weight


@lerp.vjp("weight")
def lerp_weight(g, input, end):
    return g * (end - input)


@public("addcmul", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(torch_kernel_name="addcmul_cpu_out", dtypes=TENSORS, unsupported="b", scale="value")
def addcmul(be, input, tensor1, tensor2, /, *, value=1):
    """Add ``value * tensor1 * tensor2``.

    Args:
        tensor1: First factor, or the dividend; it broadcasts with ``input``.
        tensor2: Second factor, or the divisor; it broadcasts with ``input``.
        value: Number that multiplies the product.

    >>> torch.addcmul(torch.ones(2), torch.ones(2), torch.tensor([2.0, 3.0]), value=10)
    tensor([21., 31.])
    """
    return be.addcmul(input, tensor1, tensor2, value)


@addcmul.vjp("input")
def addcmul_input(g):
    return g


@addcmul.vjp("tensor1")
def addcmul_tensor1(g, tensor2, value):
    return g * (tensor2 * value)


@addcmul.vjp("tensor2")
def addcmul_tensor2(g, tensor1, value):
    return g * (tensor1 * value)


def _write(be: Any, out: Any, result: Any) -> None:
    check_result_shape(result.shape, out.shape)  # NumPy drops leading dimensions of size 1
    be.copyto(out, result)


@addcmul.out_variant
def addcmul_into(be, out, input, tensor1, tensor2, value):
    _write(be, out, be.addcmul(input, tensor1, tensor2, value))


@public("addcdiv", method=True, inplace=True, out=CASTING, foreach=True)
@elementwise(
    torch_kernel_name="addcdiv_cpu_out", dtypes=TENSORS, unsupported="biu", scale="value",
    is_freed=True,
)  # fmt: skip
def addcdiv(be, input, tensor1, tensor2, /, *, value=1):
    """Add ``value * tensor1 / tensor2``; raise RuntimeError for integers.

    Args:
        tensor1: First factor, or the dividend; it broadcasts with ``input``.
        tensor2: Second factor, or the divisor; it broadcasts with ``input``.
        value: Number that multiplies the quotient.

    >>> torch.addcdiv(torch.ones(2), torch.ones(2), torch.tensor([2.0, 4.0]), value=10)
    tensor([6.0000, 3.5000])
    """
    return be.addcdiv(input, tensor1, tensor2, value)


@addcdiv.check
def check_addcdiv(input, tensor1, tensor2, value):
    if np.result_type(tensor1).kind in "biu" and np.result_type(tensor2).kind in "biu":
        raise DtypeError(
            "Integer division with addcdiv is no longer supported: convert tensor1 or tensor2 to "
            "floating point, or write input + value * torch.div(tensor1, tensor2, "
            "rounding_mode='trunc')."
        )


@addcdiv.vjp("input")
def addcdiv_input(g):
    return g


@addcdiv.vjp("tensor1")
def addcdiv_tensor1(g, tensor2, value):
    return g * (value / tensor2)


@addcdiv.vjp("tensor2")
def addcdiv_tensor2(g, tensor1, tensor2, value):
    return -g * (tensor1 * value / (tensor2 * tensor2))


@addcdiv.out_variant
def addcdiv_into(be, out, input, tensor1, tensor2, value):
    _write(be, out, be.addcdiv(input, tensor1, tensor2, value))

"""Products of matrices and vectors."""

from __future__ import annotations

import functools
from math import prod
from typing import Any

import numpy as np

from pellucid.autograd.variable import TensorBase
from pellucid.core.backward.node_backward import show_result_as
from pellucid.core.call.compiled import replayable
from pellucid.core.definition import float8_rules
from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.faces import Face
from pellucid.core.definition.numbers import is_number
from pellucid.core.definition.public import CASTING, EXACT, public
from pellucid.core.errors.op_errors import check_same_dtype
from pellucid.core.families import multilinear
from pellucid.dtypes import c_type, from_numpy_dtype, is_float8, is_half, scalar_name
from pellucid.errors import ArgumentTypeError, DtypeError, ShapeError, UnsupportedDtypeError
from pellucid.ops.linalg.product_steps import (
    name_of_linear,
    name_of_product,
    steps_of_linear,
    steps_of_product,
)
from pellucid.ops.shape.broadcasting import check_expandable, check_tensors
from pellucid.ops.shape.views import reshape
from pellucid.shapes import Like, broadcast_shapes, real_dim

_SINGLE = np.dtype(np.float32)
_C_NAMES = {
    "uint8": "unsigned char",
    "int8": "signed char",
    "int16": "short int",
    "int32": "int",
    "int64": "long int",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "float32": "float",
    "float64": "double",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}


_OUTER = {
    "UnsafeViewBackward0": Face(self_sym_sizes=lambda node: node.step().into[0].shape),
    "SqueezeBackward4": Face(
        dim=lambda node: 0, self_sym_sizes=lambda node: node.step().into[0].shape
    ),
    "CloneBackward0": Face(),
}


@public("matmul linalg.matmul", method="matmul __matmul__", out=EXACT)
@multilinear(
    half="native",
    float8=float8_rules.of_products,
    named=name_of_product,
    steps=steps_of_product,
    autocast=Autocast.LOWER,
    compiled_body=True,
    faces={
        **_OUTER,
        "DotBackward0": Face("self tensor=other"),
        "MvBackward0": Face("self vec=other"),
        "MmBackward0": Face(
            "mat2=other mat2_sym_sizes=other mat2_sym_strides=other "
            "self self_sym_sizes self_sym_strides"
        ),
        "BmmBackward0": Face("mat2=other self"),
    },
)
def matmul(be, input, other, /):
    """Multiply matrices; a vector counts as a row on the left and as a column on the right.

    Dimensions before the last two are a batch, and broadcast. Raises RuntimeError where the inner
    sizes or the dtypes differ.

    Args:
        input: Tensor ``[n]`` or ``[*, n, k]``, of any dtype but bool.
        other: Tensor of at least one dimension that fits.

    >>> torch.matmul(torch.ones(2, 3), torch.ones(3))
    tensor([3., 3.])
    """
    if input.dtype is not _SINGLE or other.dtype is not _SINGLE:
        matmul_check(input, other)
        if is_half(input.dtype):
            return _in_single_precision(be, matmul, input, other)
    if input.ndim == 2 and other.ndim == 2:
        return input.dot(other)
    if other.ndim == 2 and input.ndim > 2:
        rows = input.reshape(prod(input.shape[:-1]), input.shape[-1])
        return rows.dot(other).reshape(*input.shape[:-1], other.shape[1])
    if input.ndim > 2 and other.ndim > 2 and input.shape[-1] == 1 == other.shape[-2]:
        return be.multiply(input, other)  # outer products, one after the other, take BLAS long
    if input.ndim > 2 or other.ndim > 2:
        return be.matmul(input, other, order="C")  # NumPy keeps the order of the operands
    return be.matmul(input, other)


@matmul.check
def matmul_check(input, other):
    if not input.ndim or not other.ndim:
        raise ShapeError(
            "both arguments to matmul need to be at least 1D, "
            f"but they are {input.ndim}D and {other.ndim}D"
        )
    if input.ndim > 2 and other.ndim > 2:
        broadcast_shapes(input.shape[:-2], other.shape[:-2])
    inner = other.shape[-1] if other.ndim == 1 else other.shape[-2]
    if input.shape[-1] != inner:
        raise ShapeError(_mismatch(input.shape, other.shape))
    check_product_dtypes(input, other)


def check_product_dtypes(input: Any, other: Any, added: Any = None) -> None:
    for value in (input, other):
        if not hasattr(value, "dtype"):
            raise ArgumentTypeError(
                "matmul(): both arguments must be Tensor, not " + type(value).__name__
            )
    if added is not None and input.dtype != other.dtype:
        check_same_dtype(added, other, TWO_DTYPES)
        check_same_dtype(input, other, TWO_DTYPES.replace("self", "mat1"))
    if input.dtype != other.dtype:
        raise DtypeError(_different_dtypes(input, other))
    if input.dtype.kind == "b":
        kernel = (
            {1: "dot", 2: "addmv_impl_cpu"}.get(input.ndim)
            if other.ndim == 1
            else ("bmm" if input.ndim > 2 and other.ndim > 2 else None)
        )
        raise UnsupportedDtypeError(f"\"{kernel or 'addmm_impl_cpu_'}\" not implemented for 'Bool'")


def _different_dtypes(left: Any, right: Any) -> str:
    """Return that two dtypes do not go together, in the words of the kind of product."""
    first, second = scalar_name(left.dtype), scalar_name(right.dtype)
    if left.ndim == 1 == right.ndim:
        return f"dot : expected both vectors to have same dtype, but found {first} and {second}"
    if right.ndim == 1:
        return (
            f"addmv input tensors must have the same dtype, but got {second}, {first}, and {second}"
        )
    if left.ndim > 2 and right.ndim > 2:
        return f"expected scalar type {first} but found {second}"
    return (
        "expected m1 and m2 to have the same dtype, but got: "
        f"{c_name(left.dtype)} != {c_name(right.dtype)}"
    )


def c_name(numpy_dtype: Any) -> str:
    """Return what C++, and so some of PyTorch's errors, call a dtype."""
    name = from_numpy_dtype(numpy_dtype).name
    return _C_NAMES.get(name) or (c_type(numpy_dtype) if is_float8(numpy_dtype) else name)


TWO_DTYPES = "self and mat2 must have the same dtype, but got {} and {}"


def _mismatch(left: tuple[int, ...], right: tuple[int, ...]) -> str:
    """Return which sizes of a product's operands differ, in the words of its kind."""
    if len(left) == 1 and len(right) == 1:
        return _unequal_vectors(left[0], right[0])
    if len(left) == 1 and len(right) > 2:  # what is transposed is multiplied by the vector
        *batch, inner, columns = right
        return _unequal_vector((*batch, columns, inner), left)
    if len(right) == 1:
        return _unequal_vector(left, right)
    if len(right) == 2:
        return _unequal_matrices((prod(left[:-1]), left[-1]), right)
    batch = prod(broadcast_shapes(left[:-2], right[:-2]))
    return (
        "Expected size for first two dimensions of batch2 tensor to be: "
        f"[{batch}, {left[-1]}] but got: [{batch}, {right[len(right) - 2]}]."
    )


def _unequal_vector(left: tuple[int, ...], right: tuple[int, ...]) -> str:
    rows = prod(left[:-1])
    return f"size mismatch, got input ({rows}), mat ({rows}x{left[-1]}), vec ({right[0]})"


def _unequal_vectors(left: int, right: int) -> str:
    return (
        f"inconsistent tensor size, expected tensor [{left}] and src [{right}] to have the same "
        f"number of elements, but got {left} and {right} elements respectively"
    )


def _unequal_matrices(left: tuple[int, ...], right: tuple[int, ...]) -> str:
    return (
        f"mat1 and mat2 shapes cannot be multiplied ({left[0]}x{left[1]} and {right[0]}x{right[1]})"
    )


def _in_single_precision(be: Any, function: Any, *arrays: Any) -> Any:
    """Run an op's body on half precision: products are added up in single precision."""
    single = [None if each is None else each.astype(_SINGLE) for each in arrays]
    return be.asarray(function.op.body(be, *single)).astype(arrays[0].dtype)


@matmul.vjp("input")
def matmul_input(g, input: Like, other):
    if other.ndim == 1:
        return g.reshape((*g.shape, 1)) * other
    if len(input.shape) == 1:
        g = g.reshape((*g.shape[:-1], 1, g.shape[-1]))
    return matmul(g, other.mT)


@matmul.vjp("other")
def matmul_other(g, input, other: Like):
    if len(other.shape) == 1:
        if input.ndim == 1:
            return input * g
        return matmul(as_rows(input).mT, g.reshape((prod(g.shape),)))
    if input.ndim == 1:
        return input.reshape((input.shape[0], 1)) * g.reshape((*g.shape[:-1], 1, g.shape[-1]))
    if len(other.shape) == 2 and input.ndim > 2:
        return matmul(as_rows(input).mT, as_rows(g))
    return matmul(input.mT, g)


@public(method="__rmatmul__")
def reversed_matmul(self: Any, other: Any) -> Any:
    """Multiply with the operands exchanged: what ``@`` does if the left operand leaves it to us."""
    return matmul(other, self) if isinstance(other, TensorBase) else NotImplemented


def as_rows(x: Any) -> Any:
    """Return a matrix of all the rows of a batch."""
    return x.reshape((prod(x.shape[:-1]), x.shape[-1]))


def _transposed_weight(node: Any) -> Any:
    weight = node.saved_by_name("weight")
    return None if weight is None else weight.t()


def _reversed_measure(measure: str) -> Any:
    def shown(node: Any) -> Any:
        found = node.measured("weight", measure)
        return None if found is None else found[::-1]

    return shown


_OF_WEIGHT = {
    "mat2": _transposed_weight, "mat2_sym_sizes": _reversed_measure("sizes"),
    "mat2_sym_strides": _reversed_measure("strides"),
}  # fmt: skip


@public("nn.functional.linear")
@multilinear(
    half="native",
    float8=float8_rules.of_products,
    named=name_of_linear,
    steps=steps_of_linear,
    absent={"bias": "UnbiasedBackward0"},
    autocast=Autocast.LOWER,
    compiled_body=True,
    faces={
        "AddmmBackward0": Face(
            "mat1=input mat1_sym_sizes=input mat1_sym_strides=input",
            edges="bias input weight",
            alpha=lambda node: 1,
            beta=lambda node: 1,
            **_OF_WEIGHT,
        ),
        "MmBackward0": Face(
            "self self_sym_sizes self_sym_strides",
            edges="input weight",
            **_OF_WEIGHT,
        ),
        "MvBackward0": Face("self=input vec=weight", edges="input weight"),
        "DotBackward0": Face("self=input tensor=weight", edges="input weight"),
        "ViewBackward0": Face(self_sym_sizes=lambda node: node.step().into[0].shape),
        "AddBackward0": Face(alpha=lambda node: 1),
        **_OUTER,
    },
)
def linear(be, input, weight, bias=None, /):
    """Apply the affine map ``input @ weight.T + bias`` to the last dimension.

    Shapes: input ``[*, in]``, weight ``[out, in]`` or ``[in]``, bias ``[out]``. Raises RuntimeError
    where sizes or dtypes differ.

    Args:
        input: Tensor ``[*, in_features]``.
        weight: Matrix ``[out_features, in_features]``.
        bias: Vector ``[out_features]``, or ``None``.

    >>> torch.nn.functional.linear(torch.ones(2, 3), torch.ones(4, 3), torch.ones(4)).shape
    torch.Size([2, 4])
    """
    if input.dtype is not _SINGLE or weight.dtype is not _SINGLE:
        check_product_dtypes(input, weight, bias)
        if is_half(input.dtype):
            return _in_single_precision(be, linear, input, weight, bias)
    if input.ndim == 2 and weight.ndim == 2:
        out = input.dot(weight.T)
    elif input.ndim == 1 and weight.ndim == 2:
        out = be.matmul(input, weight.T)
    else:
        if not weight.ndim:
            linear_check(input, weight, bias)
        out = as_rows(input).dot(weight.T).reshape(input.shape[:-1] + weight.shape[:-1])
    if bias is not None:
        if bias.dtype is not out.dtype:
            check_same_dtype(bias, input, TWO_DTYPES)
        out += bias
    return out


@linear.check
def linear_check(input, weight, bias):
    check_product_dtypes(input, weight, bias)
    if not input.ndim or not weight.ndim:
        raise ShapeError(
            "both arguments to linear need to be at least 1D, "
            f"but they are {input.ndim}D and {weight.ndim}D"
        )
    if weight.ndim > 2:
        raise ShapeError(f"t() expects a tensor with <= 2 dimensions, but self is {weight.ndim}D")
    if input.shape[-1] != weight.shape[-1]:
        raise ShapeError(_mismatch(input.shape, weight.shape[::-1]))
    if bias is not None:
        check_same_dtype(bias, input, TWO_DTYPES)
        check_expandable(bias, input.shape[:-1] + weight.shape[:-1])


@linear.vjp("input")
def linear_input(g, weight):
    return matmul(g, weight) if weight.ndim == 2 else g.reshape((*g.shape, 1)) * weight


@linear.vjp("weight")
def linear_weight(g, input, weight: Like):
    rows = input if input.ndim == 2 else as_rows(input)
    if len(weight.shape) == 1:
        return matmul(rows.mT, g.reshape((prod(g.shape),)))
    return matmul((g if g.ndim == 2 else as_rows(g)).mT, rows)


@linear.vjp("bias")
def linear_bias(g):
    return g  # the engine sums over the rows


def _require_dims(tensor: Any, ndim: int, message: str) -> None:
    if not isinstance(tensor, TensorBase):
        raise ArgumentTypeError(f"{message}, and not a {type(tensor).__name__}")
    if tensor.ndim != ndim:
        raise ShapeError(f"{message}, but got {tensor.ndim}D")


@public("mm dsmm hsmm", method="mm", out=EXACT, foreach=True)
@replayable
@autocasts(Autocast.LOWER)
def mm(input: Any, mat2: Any) -> Any:
    """Multiply two matrices; raise RuntimeError for anything else.

    Args:
        input: Matrix ``[N, M]``.
        mat2: Matrix ``[M, P]``.

    >>> torch.mm(torch.ones(2, 3), torch.ones(3, 1))
    tensor([[3.],
            [3.]])
    """
    _require_dims(input, 2, "self must be a matrix")
    _require_dims(mat2, 2, "mat2 must be a matrix")
    return matmul(input, mat2)


@public("bmm", method=True, out=EXACT)
@replayable
@autocasts(Autocast.LOWER)
def bmm(input: Any, mat2: Any) -> Any:
    """Multiply two batches of as many matrices.

    Args:
        input: Batch of matrices ``[B, N, M]``.
        mat2: Batch of matrices ``[B, M, P]``.

    Raises:
        RuntimeError: If the batches or the inner sizes differ.

    >>> torch.bmm(torch.ones(5, 2, 3), torch.ones(5, 3, 4)).shape
    torch.Size([5, 2, 4])
    """
    check_batches(input, mat2)
    product = matmul(input, mat2)
    show_result_as(matmul, product, "BmmBackward0")
    return product


def check_batches(input: Any, mat2: Any) -> None:
    _require_dims(input, 3, "batch1 must be a 3D tensor")
    _require_dims(mat2, 3, "batch2 must be a 3D tensor")
    left, right = tuple(input.shape), tuple(mat2.shape)
    if (left[0], left[2]) != right[:2]:
        raise ShapeError(
            "Expected size for first two dimensions of batch2 tensor to be: "
            f"[{left[0]}, {left[2]}] but got: [{right[0]}, {right[1]}]."
        )


@public("mv", method=True, out=EXACT)
@replayable
@autocasts(Autocast.AS_GIVEN)
def mv(input: Any, vec: Any) -> Any:
    """Multiply a matrix and a vector.

    Args:
        input: Matrix ``[N, M]``.
        vec: Vector ``[M]``.

    Raises:
        RuntimeError: If the sizes of matrix and vector do not fit.

    >>> torch.mv(torch.ones(2, 3), torch.ones(3))
    tensor([3., 3.])
    """
    real_dim(0, input.ndim)
    check_matrix_vector(vec.ndim, input, vec)
    return matmul(input, vec)


def check_matrix_vector(ndim: int, mat: Any, vec: Any) -> None:
    if mat.ndim != 2 or vec.ndim != 1:
        raise ShapeError(f"vector + matrix @ vector expected, got {ndim}, {mat.ndim}, {vec.ndim}")


@public("dot", method=True, out=EXACT)
@replayable
@autocasts(Autocast.AS_GIVEN)
def dot(input: Any, tensor: Any) -> Any:
    """Multiply two vectors element by element and add up.

    Args:
        input: Vector ``[N]``.
        tensor: Vector ``[N]``.

    Raises:
        RuntimeError: If a tensor is not a vector, or the lengths differ.

    >>> torch.dot(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    tensor(11.)
    """
    if input.ndim != 1 or tensor.ndim != 1:
        raise ShapeError(f"1D tensors expected, but got {input.ndim}D and {tensor.ndim}D tensors")
    return matmul(input, tensor)


@public("vdot", method=True, out=EXACT)
@autocasts(Autocast.AS_GIVEN)
def vdot(input: Any, other: Any) -> Any:
    """Return the dot product with the first vector conjugated.

    Args:
        input: Vector ``[N]``.
        other: Vector ``[N]``.

    >>> torch.vdot(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    tensor(11.)
    """
    return dot(input.conj(), other)


@public("outer ger", method=True, out=CASTING)
@replayable
def outer(input: Any, vec2: Any) -> Any:
    """Multiply every element of one vector by every element of another: ``[n], [m]`` to ``[n, m]``.

    Args:
        input: Vector ``[N]``.
        vec2: Vector ``[M]``.

    Raises:
        RuntimeError: If a tensor is not a vector.

    >>> torch.outer(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    check_vectors(input, vec2)
    return reshape(input, (-1, 1)) * vec2


def check_vectors(input: Any, vec2: Any) -> None:
    if input._array.ndim != 1 or vec2._array.ndim != 1:
        name, ndim = ("self", input.ndim) if input.ndim != 1 else ("vec2", vec2.ndim)
        raise ShapeError(f"outer: Expected 1-D argument {name}, but got {ndim}-D")


@public("inner", method=True, out=EXACT)
@replayable
def inner(input: Any, other: Any) -> Any:
    """Sum products over the last dimension of both: ``[*A, k], [*B, k]`` to ``[*A, *B]``.

    Args:
        input: Tensor ``[*A, k]``, or without dimensions.
        other: Tensor with a last dimension of the same size, or without dimensions.

    Raises:
        RuntimeError: If the sizes of the last dimensions differ.

    >>> torch.inner(torch.ones(2, 3), torch.ones(4, 3)).shape
    torch.Size([2, 4])
    """
    if is_number(other):
        raise ArgumentTypeError(
            f"inner(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}"
        )
    if not input.ndim or not other.ndim:
        return input * other
    if input.shape[-1] != other.shape[-1]:
        raise ShapeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.shape)} and {list(other.shape)}"
        )
    product = matmul(as_rows(input), as_rows(other).mT)
    return product.reshape((*input.shape[:-1], *other.shape[:-1]))


@public("chain_matmul functional.chain_matmul", out=CASTING, reads_late=True)
@autocasts(Autocast.LOWER)
def chain_matmul(*matrices: Any) -> Any:
    """Multiply matrices one after the other, from the left.

    Args:
        *matrices: Matrices to multiply, in order.

    Raises:
        RuntimeError: If there is no matrix, or a tensor is none.

    >>> torch.chain_matmul(torch.ones(2, 3), torch.ones(3, 4), torch.ones(4, 1)).shape
    torch.Size([2, 1])
    """
    if not matrices:
        raise ShapeError("chain_matmul(): Expected one or more matrices")
    check_tensors(matrices)
    for matrix in matrices:
        if matrix._array.ndim != 2:
            raise ShapeError(f"Tensor dimension is {matrix._array.ndim}, expected 2 instead.")
    return functools.reduce(matmul, matrices)


@public("kron", method=True, out=CASTING)
def kron(input: Any, other: Any) -> Any:
    """Return the Kronecker product: blocks of ``other``, each scaled by an element of ``input``.

    Args:
        input: Tensor of any shape.
        other: Tensor of any shape.

    >>> torch.kron(torch.eye(2), torch.ones(1, 2))
    tensor([[1., 1., 0., 0.],
            [0., 0., 1., 1.]])
    """
    ndim = max(input.ndim, other.ndim)
    left = (1,) * (ndim - input.ndim) + tuple(input.shape)
    right = (1,) * (ndim - other.ndim) + tuple(other.shape)
    spread = input.reshape([size for each in left for size in (each, 1)])
    repeated = other.reshape([size for each in right for size in (1, each)])
    return (spread * repeated).reshape([a * b for a, b in zip(left, right, strict=True)])

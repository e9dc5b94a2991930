"""Complex numbers: their parts, their conjugates, and how they are made of real numbers.

These are linear over the real numbers only, so their formulas say what happens to conjugates.
"""

from __future__ import annotations

from typing import Any

from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.batching import Batch
from pellucid.core.definition.dtype_rules import FLOAT_MATH, OWN
from pellucid.core.definition.faces import Face
from pellucid.core.definition.public import CASTING, EXACT, public
from pellucid.core.families import linear, multilinear, op, view
from pellucid.core.memory.layouts import follows_first_operand
from pellucid.dtypes import complex_counterpart, is_complex_dtype, real_counterpart, scalar_name
from pellucid.errors import DtypeError, RealDtypeError, ShapeError
from pellucid.ops.elementwise.arithmetic import zero_gradient
from pellucid.ops.elementwise.conditional import where
from pellucid.ops.elementwise.signs import abs, is_complex
from pellucid.ops.elementwise.trigonometric import cos, sin


@public("conj_physical conj_physical_", method=True, inplace=True, out=EXACT)
@linear(float8=True, holomorphic=False, batch=Batch.ELEMENTWISE)
def conj_physical(be, input, /):
    """Return the complex conjugate.

    Args:
        input: Tensor of any shape.

    >>> torch.conj_physical(torch.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    return input if input.dtype.kind == "b" else be.conjugate(input)


@conj_physical.vjp("input")
def conj_physical_input(g):
    return conj_physical(g)


@linear(holomorphic=False, node_name="conj", batch=Batch.ELEMENTWISE)
def conjugate(be, input, /):
    """Return the complex conjugate of complex numbers."""
    return be.conjugate(input)


@conjugate.vjp("input")
def conjugate_input(g):
    return conjugate(g)


@public("conj", method=True)
def conj(input: Any) -> Any:
    """Return the complex conjugate; a real tensor is returned itself.

    Args:
        input: Tensor of any shape.

    >>> torch.conj(torch.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    if getattr(input, "_interpreter", None) is not None:  # a sparse tensor
        return conjugate(input) if input.is_complex() else input
    return conjugate(input) if is_complex(input) else input


@public("resolve_conj resolve_neg", method=True)
def resolve_conj(input: Any) -> Any:
    """Return the tensor itself: conjugates are always computed at once.

    Args:
        input: Tensor of any shape.

    >>> torch.resolve_conj(torch.tensor([1.0]))
    tensor([1.])
    """
    return input


@public("is_conj is_neg", method=True)
def never(input: Any) -> bool:
    """Return False: the conjugate and the negative are always computed at once.

    Args:
        input: Tensor of any shape and dtype.

    >>> torch.tensor(1j).conj().is_conj()
    False
    """
    return False


@view(holomorphic=False, node_name="real", batch=Batch.ELEMENTWISE)
def real_part(be, input, /):
    """Look at the real part of complex numbers."""
    return _parts(input)[0]


@real_part.vjp("input")
def real_part_input(g):
    return g


@view(holomorphic=False, node_name="imag", batch=Batch.ELEMENTWISE)
def imaginary_part(be, input, /):
    """Look at the imaginary part of complex numbers."""
    return _parts(input)[1]


@imaginary_part.vjp("input")
def imaginary_part_input(g):
    return g * 1j


@public("real")
def real(input: Any) -> Any:
    """Return the real part, sharing memory; a real tensor is returned itself.

    Args:
        input: Tensor of any shape.

    >>> torch.real(torch.tensor([1 + 2j]))
    tensor([1.])
    """
    return real_part(input) if is_complex(input) else input


@public("imag")
def imag(input: Any) -> Any:
    """Return the imaginary part, sharing memory; raise RuntimeError for a real tensor.

    Args:
        input: Tensor of any shape.

    >>> torch.imag(torch.tensor([1 + 2j]))
    tensor([2.])
    """
    if not is_complex(input):
        raise RealDtypeError("imag is not implemented for tensors with non-complex dtypes.")
    return imaginary_part(input)


def _assign_real(self: Any, value: Any) -> None:
    real(self).copy_(value)


def _assign_imag(self: Any, value: Any) -> None:
    imag(self).copy_(value)


public(method="real")(property(real, _assign_real, doc="The real part, sharing memory."))
public(method="imag")(property(imag, _assign_imag, doc="The imaginary part, sharing memory."))


@public("angle", method=True, out=CASTING)
@op(dtypes=FLOAT_MATH, holomorphic=False, batch=Batch.ELEMENTWISE)
def angle(be, input, /):
    """Return the angle of complex numbers in radians; for real ones 0, or pi where negative.

    >>> torch.angle(torch.tensor([1j, -1 + 0j]))
    tensor([1.5708, 3.1416])
    """
    if is_complex_dtype(input.dtype):
        return be.angle(input)
    flat = be.where(be.less(input, 0), be.pi, 0).astype(input.dtype)
    return be.where(be.isnan(input), input, flat)


@angle.vjp("input")
def angle_input(g, input):
    if not is_complex(input):
        return zero_gradient(g)
    size = abs(input)
    nowhere = size == 0
    divisor = where(nowhere, 1, size)
    return where(nowhere, 0, g * 1j * (input / divisor / divisor))


@public("complex", out=EXACT)
@multilinear(
    dtypes=OWN.without_numbers(),
    half="bitwise",
    additive=True,
    holomorphic=False,
    batch=Batch.ELEMENTWISE,
    faces=Face("imag@ real@"),
)
def complex(be, real, imag, /):
    """Make complex numbers of their real and imaginary parts.

    float32 parts give complex64, float64 parts complex128.

    Raises RuntimeError unless both are floating-point numbers of one dtype.

    Args:
        real: Real parts, floating point.
        imag: Imaginary parts, of the dtype of ``real``.

    >>> torch.complex(torch.tensor([1.0]), torch.tensor([2.0]))
    tensor([1.+2.j])
    """
    check_complex(real, imag)
    shape = be.broadcast_shapes(real.shape, imag.shape)
    made = be.empty(shape, complex_counterpart(real.dtype))
    made = follows_first_operand(made, real, imag)
    for part, values in zip(_parts(made), (real, imag), strict=True):
        part[...] = values
    return made


def _parts(array: Any) -> tuple[Any, Any]:
    """Return views of the real and the imaginary parts, of complex32 too."""
    if array.dtype.kind != "W":  # of which NumPy does not know that it is complex
        return array.real, array.imag
    pairs = array[..., None].view(real_counterpart(array.dtype))
    return pairs[..., 0], pairs[..., 1]


def check_complex(real: Any, imag: Any) -> None:
    """Raise RuntimeError unless both are floating-point numbers of one dtype."""
    names = [scalar_name(each.dtype) for each in (real, imag)]
    if any(each.dtype.kind != "f" for each in (real, imag)):
        raise DtypeError(
            "Expected both inputs to be Half, Float or Double tensors but got "
            f"{names[0]} and {names[1]}"
        )
    if real.dtype != imag.dtype:
        raise DtypeError(
            f"Expected object of scalar type {names[0]} but got scalar type {names[1]} for second "
            "argument"
        )


@complex.vjp("real")
def complex_real(g):
    return real_part(g)


@complex.vjp("imag")
def complex_imag(g):
    return imaginary_part(g)


@public("polar", out=EXACT)
@autocasts(Autocast.FLOAT32)
def polar(abs: Any, angle: Any) -> Any:
    """Make complex numbers of their absolute values and angles.

    Args:
        abs: Absolute values, floating point.
        angle: Angles in radians, of the dtype of ``abs``.

    >>> torch.polar(torch.tensor([2.0]), torch.tensor([0.0]))
    tensor([2.+0.j])
    """
    check_complex(abs._array, angle._array)
    return complex(abs * cos(angle), abs * sin(angle))


@public("view_as_real")
@view(holomorphic=False, batch=Batch.ELEMENTWISE)
def view_as_real(be, input, /):
    """View complex numbers as pairs of real numbers, in a new last dimension of size 2.

    Raises RuntimeError for a real tensor.

    Args:
        input: complex64 or complex128 tensor ``[*]``; the result is float32 or float64 ``[*, 2]``.

    >>> torch.view_as_real(torch.tensor([1 + 2j]))
    tensor([[1., 2.]])
    """
    if not is_complex_dtype(input.dtype):
        raise DtypeError("view_as_real is only supported for complex tensors")
    return input[..., None].view(real_counterpart(input.dtype))


@view_as_real.vjp("input")
def view_as_real_input(g):
    return complex(g[..., 0], g[..., 1])


@public("view_as_complex")
@view(holomorphic=False, batch=Batch.LAST_DIMS, autocast=Autocast.FLOAT32)
def view_as_complex(be, input, /):
    """View pairs of real numbers, in a last dimension of size 2, as complex numbers.

    Raises RuntimeError for another size, for numbers that are not floating-point, and where the
    pairs are not next to each other in memory.

    Args:
        input: float32 or float64 tensor ``[*, 2]``; the result is complex64 or complex128 ``[*]``.

    >>> torch.view_as_complex(torch.tensor([[1.0, 2.0]]))
    tensor([1.+2.j])
    """
    if input.dtype.kind != "f":
        raise DtypeError(
            "view_as_complex is only supported for half, float and double tensors, but got a "
            f"tensor of scalar type: {scalar_name(input.dtype)}"
        )
    if not input.ndim:
        raise ShapeError("Input tensor must have one or more dimensions")
    if input.shape[-1] != 2:
        raise ShapeError("Tensor must have a last dimension of size 2")
    if not input.size:
        return input[..., 0].astype(complex_counterpart(input.dtype))
    if input.strides[-1] != input.itemsize:
        raise ShapeError("Tensor must have a last dimension with stride 1")
    if any(stride % (2 * input.itemsize) for stride in input.strides[:-1]):
        raise ShapeError("Tensor must have a stride divisible by 2 for all but last dimension")
    return input.view(complex_counterpart(input.dtype))[..., 0]


@view_as_complex.vjp("input")
def view_as_complex_input(g):
    return view_as_real(g)

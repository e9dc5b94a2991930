"""The dtypes of tensors, their NumPy counterparts, and how dtypes meet in one operation."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pellucid.errors import ArgumentTypeError, DtypeError, UnimplementedError

#: what is public in ``pellucid`` too
__all__ = [
    "bfloat16", "bits16", "bits1x8", "bits2x4", "bits4x2", "bits8", "can_cast", "complex128",
    "complex32", "complex64", "dtype", "float16", "float32", "float4_e2m1fn_x2", "float64",
    "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu",
    "get_default_dtype", "int1", "int16", "int2", "int3", "int32", "int4", "int5", "int6",
    "int64", "int7", "int8", "promote_types", "qint32", "qint8", "quint2x4", "quint4x2",
    "quint8", "set_default_dtype", "uint1", "uint16", "uint2", "uint3", "uint32", "uint4",
    "uint5", "uint6", "uint64", "uint7", "uint8",
]  # fmt: skip


class dtype:  # noqa: N801 - PyTorch's name
    """The type of a tensor's elements; printed as PyTorch prints it, ``torch.float32``.

    Args:
        name: Its name, such as ``"float32"``.
        numpy_type: The type of NumPy that holds it.
        rank: Its position in the order of type promotion.
        itemsize: Bytes per element, where it is not that of ``numpy_type``.

    >>> torch.float32.itemsize, torch.float32.is_floating_point
    (4, True)
    """

    __slots__ = (
        "is_complex",
        "is_floating_point",
        "is_signed",
        "itemsize",
        "name",
        "numpy",
        "rank",
    )

    numpy: np.dtype[Any]

    def __init__(self, name: str, numpy_type: Any, rank: int, itemsize: int | None = None) -> None:
        self.name = name
        if numpy_type is not None:
            self.numpy = np.dtype(numpy_type)
        self.rank = rank  # category: 0 bool, 1 integer, 2 floating point, 3 complex
        self.itemsize = self.numpy.itemsize if itemsize is None else itemsize
        self.is_floating_point = rank == 2
        self.is_complex = rank == 3
        # e8m0fnu is a power of two alone, without a sign
        self.is_signed = rank > 0 and not name.startswith(("uint", "float8_e8m0fnu"))

    def __getattr__(self, name: str) -> Any:
        # reached once, for a dtype of ml_dtypes, which nobody should wait for who does not use it
        if name != "numpy":
            raise AttributeError(f"'torch.dtype' object has no attribute '{name}'")
        if self.is_in_name_only:
            raise UnimplementedError(
                f"{self!r} is there in name only: pellucid has no tensors of this dtype. Programs "
                "may name it and compare with it."
            )
        import ml_dtypes

        if not hasattr(ml_dtypes, self.name):
            raise UnimplementedError(
                f"{self!r} needs the package ml_dtypes from version 0.6 on: "
                "pip install 'ml_dtypes>=0.6'"
            )
        self.numpy = np.dtype(getattr(ml_dtypes, self.name))
        _FROM_NUMPY[self.numpy] = self
        return self.numpy

    @property
    def kind(self) -> str:
        """The letter that NumPy has for the kind of number, which libraries for any array ask."""
        return "biufc"[self.rank + (self.rank > 1 or (self.rank == 1 and not self.is_signed))]

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return "bool_" if self.name == "bool" else self.name

    @property
    def is_in_name_only(self) -> bool:
        """Whether there are no tensors of this dtype, as of ``torch.quint8``."""
        return self not in ALL

    def to_real(self) -> dtype:
        """Return the dtype of the real part: ``complex64`` gives ``float32``."""
        if self.is_in_name_only:
            return self
        return from_numpy_dtype(real_counterpart(self.numpy))

    def to_complex(self) -> dtype:
        """Return the complex dtype of the same precision: ``float32`` gives ``complex64``."""
        return from_numpy_dtype(complex_counterpart(self.numpy))


bool_ = dtype("bool", np.bool_, 0)
uint8 = dtype("uint8", np.uint8, 1)
int8 = dtype("int8", np.int8, 1)
int16 = dtype("int16", np.int16, 1)
int32 = dtype("int32", np.int32, 1)
int64 = dtype("int64", np.int64, 1)
uint16 = dtype("uint16", np.uint16, 1)
uint32 = dtype("uint32", np.uint32, 1)
uint64 = dtype("uint64", np.uint64, 1)
float16 = dtype("float16", np.float16, 2)
bfloat16 = dtype("bfloat16", None, 2, itemsize=2)
float32 = dtype("float32", np.float32, 2)
float64 = dtype("float64", np.float64, 2)
complex32 = dtype("complex32", None, 3, itemsize=4)
complex64 = dtype("complex64", np.complex64, 3)
complex128 = dtype("complex128", np.complex128, 3)
float8_e4m3fn = dtype("float8_e4m3fn", None, 2, 1)
float8_e4m3fnuz = dtype("float8_e4m3fnuz", None, 2, 1)
float8_e5m2 = dtype("float8_e5m2", None, 2, 1)
float8_e5m2fnuz = dtype("float8_e5m2fnuz", None, 2, 1)
float8_e8m0fnu = dtype("float8_e8m0fnu", None, 2, 1)

# Packages name these in tables of sizes and in comparisons; there are no tensors of them.
bits8 = dtype("bits8", None, 1, 1)
bits1x8 = dtype("bits1x8", None, 1, 1)
bits2x4 = dtype("bits2x4", None, 1, 1)
bits4x2 = dtype("bits4x2", None, 1, 1)
quint8 = dtype("quint8", None, 1, 1)
qint8 = dtype("qint8", None, 1, 1)
quint4x2 = dtype("quint4x2", None, 1, 1)
quint2x4 = dtype("quint2x4", None, 1, 1)
uint1 = dtype("uint1", None, 1, 1)
uint2 = dtype("uint2", None, 1, 1)
uint3 = dtype("uint3", None, 1, 1)
uint4 = dtype("uint4", None, 1, 1)
uint5 = dtype("uint5", None, 1, 1)
uint6 = dtype("uint6", None, 1, 1)
uint7 = dtype("uint7", None, 1, 1)
int1 = dtype("int1", None, 1, 1)
int2 = dtype("int2", None, 1, 1)
int3 = dtype("int3", None, 1, 1)
int4 = dtype("int4", None, 1, 1)
int5 = dtype("int5", None, 1, 1)
int6 = dtype("int6", None, 1, 1)
int7 = dtype("int7", None, 1, 1)
bits16 = dtype("bits16", None, 1, 2)
qint32 = dtype("qint32", None, 1, 4)
float4_e2m1fn_x2 = dtype("float4_e2m1fn_x2", None, 2, 1)

_FLOAT8: Final = (float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu)
ALL: Final = (
    bool_, uint8, int8, int16, int32, int64, uint16, uint32, uint64,
    float16, bfloat16, float32, float64, complex32, complex64, complex128, *_FLOAT8,
)  # fmt: skip
#: those that are ml_dtypes', not NumPy's
_FROM_ML_DTYPES: Final = (bfloat16, complex32, *_FLOAT8)

_FROM_NUMPY: Final = {each.numpy: each for each in ALL if each not in _FROM_ML_DTYPES}
#: the category of each ``numpy.dtype.kind``; NumPy does not know bfloat16, of kind V, and
#: complex32, of kind W
KIND_RANK: Final = {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2, "c": 3, "W": 3}
#: ``numpy.dtype.char`` of the dtypes of float8, in the order of `_FLOAT8`
FLOAT8_CHARS: Final = "4G5CW"
#: the same of float16, bfloat16, complex32 and float8, which hold values that are computed in
#: float32 and complex64
HALF_CHARS: Final = "eEO" + FLOAT8_CHARS

#: What PyTorch calls ``x.type()`` for each dtype.
LEGACY_TYPE_NAMES: Final = {
    "float32": "FloatTensor", "float64": "DoubleTensor", "float16": "HalfTensor",
    "bfloat16": "BFloat16Tensor",
    "uint8": "ByteTensor", "int8": "CharTensor", "int16": "ShortTensor", "int32": "IntTensor",
    "int64": "LongTensor", "bool": "BoolTensor",
    "complex32": "ComplexHalfTensor", "complex64": "ComplexFloatTensor",
    "complex128": "ComplexDoubleTensor", "uint16": "UInt16Tensor", "uint32": "UInt32Tensor",
    "uint64": "UInt64Tensor",
    "float8_e4m3fn": "Float8_e4m3fnTensor", "float8_e4m3fnuz": "Float8_e4m3fnuzTensor",
    "float8_e5m2": "Float8_e5m2Tensor", "float8_e5m2fnuz": "Float8_e5m2fnuzTensor",
    "float8_e8m0fnu": "Float8_e8m0fnuTensor",
}  # fmt: skip

#: unsigned integers that meet floating-point numbers only
_UNPROMOTED: Final = frozenset(np.dtype(each) for each in (np.uint16, np.uint32, np.uint64))

_BOOL: Final = np.dtype(np.bool_)
_INT64: Final = np.dtype(np.int64)
_FLOAT16: Final = np.dtype(np.float16)
_FLOAT32: Final = np.dtype(np.float32)
_FLOAT64: Final = np.dtype(np.float64)
_COMPLEX64: Final = np.dtype(np.complex64)
_COMPLEX128: Final = np.dtype(np.complex128)
_default: np.dtype[Any] = _FLOAT32


def from_numpy_dtype(numpy_dtype: np.dtype[Any]) -> dtype:
    """Return the dtype for a NumPy dtype; raise ``TypeError`` where there is none."""
    found = _FROM_NUMPY.get(numpy_dtype)
    if found is None:
        raise _unconvertible(numpy_dtype)
    return found


def scalar_name(numpy_dtype: Any) -> str:
    """Return what PyTorch calls the elements of a tensor in its errors, such as ``Float``."""
    return LEGACY_TYPE_NAMES[from_numpy_dtype(numpy_dtype).name].removesuffix("Tensor")


def check_convertible(numpy_dtype: np.dtype[Any]) -> None:
    """Raise TypeError for a dtype of which the user's arrays are not taken."""
    if is_unknown_to_numpy(numpy_dtype) or numpy_dtype not in _FROM_NUMPY:
        raise _unconvertible(numpy_dtype)


def _unconvertible(numpy_dtype: np.dtype[Any]) -> ArgumentTypeError:
    return ArgumentTypeError(
        f"can't convert np.ndarray of type {numpy_dtype}. The only supported types are: "
        f"{', '.join(each.name for each in ALL if each not in _FROM_ML_DTYPES)}."
    )


def to_numpy_dtype(value: Any) -> np.dtype[Any]:
    """Return the NumPy dtype for a dtype, or for one of Python's number types."""
    if isinstance(value, dtype):
        return value.numpy
    if value is float:
        return _FLOAT64
    if value is int:
        return _INT64
    if value is bool:
        return _BOOL
    if value is complex:
        return _COMPLEX128
    raise ArgumentTypeError(f"dtype must be a torch.dtype, not {type(value).__name__}")


def default() -> np.dtype[Any]:
    """Return the NumPy dtype that floating-point results take when nothing else decides."""
    return _default


def get_default_dtype() -> dtype:
    """Return the floating-point dtype of new tensors made from Python numbers.

    >>> torch.get_default_dtype()
    torch.float32
    """
    return from_numpy_dtype(_default)


def set_default_dtype(d: dtype) -> None:
    """Set the dtype of new floating-point tensors.

    Args:
        d: A floating-point dtype.

    Raises:
        TypeError: If ``d`` is any other dtype, or one of eight bits.

    >>> torch.set_default_dtype(torch.float64)
    >>> torch.tensor([1.5]).dtype
    torch.float64
    >>> torch.set_default_dtype(torch.float32)
    """
    global _default
    if not isinstance(d, dtype) or not d.is_floating_point:
        raise ArgumentTypeError(
            "only floating-point types are supported as the default type; "
            f"got {d!r}. Give torch.float16, torch.bfloat16, torch.float32 or torch.float64."
        )
    if is_float8(d.numpy):
        raise ArgumentTypeError(
            f"couldn't find storage object {scalar_name(d.numpy)}Storage: numbers of eight bits "
            "are for storage, and are asked for by dtype="
        )
    _default = d.numpy


def real_counterpart(numpy_dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype of the real part."""
    if numpy_dtype.kind == "W":
        return _FLOAT16
    if numpy_dtype == _COMPLEX64:
        return _FLOAT32
    return _FLOAT64 if numpy_dtype == _COMPLEX128 else numpy_dtype


def complex_counterpart(numpy_dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the complex dtype that holds the values."""
    if is_complex_dtype(numpy_dtype):
        return numpy_dtype
    if numpy_dtype == _FLOAT16:
        return complex32.numpy
    if is_float8(numpy_dtype):
        raise DtypeError(
            f"Unknown Complex ScalarType for {scalar_name(numpy_dtype)}: convert to float16 or a "
            "wider dtype first"
        )
    return _COMPLEX128 if numpy_dtype == _FLOAT64 else _COMPLEX64


def is_differentiable(numpy_dtype: np.dtype[Any]) -> bool:
    """Return whether this is a dtype of floating-point or complex numbers: it can require grad."""
    return numpy_dtype.kind in "fcVW"


def is_complex_dtype(numpy_dtype: np.dtype[Any]) -> bool:
    """Return whether this is a dtype of complex numbers."""
    return numpy_dtype.kind in "cW"


def is_floating(numpy_dtype: np.dtype[Any]) -> bool:
    """Return whether this is a dtype of real floating-point numbers."""
    return numpy_dtype.kind in "fV"


def largest(numpy_dtype: np.dtype[Any]) -> float:
    """Return the largest finite number."""
    if is_unknown_to_numpy(numpy_dtype):
        return float(_ml_finfo(numpy_dtype).max)
    return float(np.finfo(real_counterpart(numpy_dtype)).max)


def overflows(value: Any, numpy_dtype: np.dtype[Any]) -> bool:
    """Return whether a number is beyond what a dtype holds, unless it is infinity for floats.

    Unsigned integers take negative integers too, which count from the end; no integers take NaN.
    """
    if isinstance(value, complex):
        return bool(value.imag) and numpy_dtype.kind not in "bcW"
    if numpy_dtype.kind in "iu":
        limits = np.iinfo(numpy_dtype)
        if isinstance(value, float) and not value >= limits.min:
            return True
        return value > limits.max or value < (limits.min or -limits.max)
    if is_float8(numpy_dtype):
        return _overflows_float8(value, numpy_dtype)
    return is_floating(numpy_dtype) and largest(numpy_dtype) < abs(value) < float("inf")


def _overflows_float8(value: float, numpy_dtype: np.dtype[Any]) -> bool:
    """Return whether a number is beyond what eight bits hold; only e5m2 has infinities."""
    if abs(value) == float("inf") and numpy_dtype == float8_e5m2.numpy:
        return False
    limits = _ml_finfo(numpy_dtype)
    least = float(limits.min)
    return value > float(limits.max) or value < (int(least) if isinstance(value, int) else least)


#: what PyTorch calls the C++ types of elements
_SCALAR_TYPES: Final = {
    "float16": "c10::Half", "bfloat16": "c10::BFloat16", "float32": "float", "float64": "double",
    "complex32": "c10::complex<c10::Half>",
    "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
    "int32": "int",
}  # fmt: skip


def c_type(numpy_dtype: np.dtype[Any]) -> str:
    """Return what PyTorch calls the C++ type of the elements."""
    name = from_numpy_dtype(numpy_dtype).name
    if is_float8(numpy_dtype):
        return f"c10::{scalar_name(numpy_dtype)}"
    return _SCALAR_TYPES.get(name, f"{name}_t")


def check_fits(value: Any, numpy_dtype: np.dtype[Any]) -> None:
    """Raise RuntimeError for a number that is beyond what a dtype holds."""
    if overflows(value, numpy_dtype):
        if numpy_dtype.kind in "iu":
            raise DtypeError(
                f"value cannot be converted to type {c_type(numpy_dtype)} without overflow: "
                f"{value} is beyond the numbers of {from_numpy_dtype(numpy_dtype)!r}; take a wider "
                "dtype"
            )
        given = from_numpy_dtype(numpy_dtype)
        sentence = f"value cannot be converted to type {c_type(numpy_dtype)} without overflow"
        if isinstance(value, complex):
            raise DtypeError(f"{sentence}\n\n  {given!r} has no numbers such as {value}.")
        raise DtypeError(
            f"{sentence}\n\n"
            f"  {value} is beyond {largest(numpy_dtype)}, the largest number of {given!r}. If\n"
            "  infinity is what you mean, give float('inf'); else take a wider dtype."
        )


def fitted_number(value: Any, numpy_dtype: np.dtype[Any]) -> Any:
    """Return a number as an element of a dtype holds it.

    In integers it is rounded towards zero, and negative ones of unsigned integers count from the
    end. Raises RuntimeError for a number that is beyond what the dtype holds.
    """
    check_fits(value, numpy_dtype)
    real = value.real if isinstance(value, complex) else value
    if numpy_dtype.kind == "i":
        return int(real)
    if numpy_dtype.kind == "u":
        return int(real) % (np.iinfo(numpy_dtype).max + 1)
    if numpy_dtype.kind == "b":
        return bool(value)
    return value if is_complex_dtype(numpy_dtype) else real


def epsilon(numpy_dtype: np.dtype[Any]) -> float:
    """Return the distance from 1 to the next number."""
    if is_unknown_to_numpy(numpy_dtype):
        return float(_ml_finfo(numpy_dtype).eps)
    return np.finfo(real_counterpart(numpy_dtype)).eps.item()


def is_float8(numpy_dtype: np.dtype[Any]) -> bool:
    """Return whether this is a dtype of floating-point numbers of eight bits."""
    return numpy_dtype.itemsize == 1 and numpy_dtype.kind in "fV"


def is_unknown_to_numpy(numpy_dtype: np.dtype[Any]) -> bool:
    """Return whether this is bfloat16, complex32 or float8, whose functions are ml_dtypes'."""
    return numpy_dtype.kind in "VW" or is_float8(numpy_dtype)


def _ml_finfo(numpy_dtype: np.dtype[Any]) -> Any:
    import ml_dtypes

    return ml_dtypes.finfo(numpy_dtype)


def is_half(numpy_dtype: np.dtype[Any]) -> bool:
    """Return whether this is float16 or bfloat16, complex32 or float8."""
    return numpy_dtype.char in HALF_CHARS


def wide_counterpart(numpy_dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype in which numbers of half precision are computed; any other as it is."""
    if not is_half(numpy_dtype):
        return numpy_dtype
    return _COMPLEX64 if numpy_dtype.kind == "W" else _FLOAT32


def promote_arrays(first: np.dtype[Any], second: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype in which two tensors of equal standing meet.

    As PyTorch, and unlike NumPy, a float keeps its precision whatever integer meets it.
    """
    if first == second:
        return first
    if first in _UNPROMOTED or second in _UNPROMOTED:
        _require_promotion(first, second)
    if is_float8(first) or is_float8(second):
        raise _unpromoted("Float8 Types", first, second)
    first_rank, second_rank = KIND_RANK[first.kind], KIND_RANK[second.kind]
    if first_rank == second_rank or {first_rank, second_rank} == {2, 3}:
        if "W" in (first.kind, second.kind) and _FLOAT16 in (first, second):
            return complex32.numpy
        first, second = (_COMPLEX64 if each.kind == "W" else each for each in (first, second))
        # neither float16 nor complex holds all of bfloat16, but what holds float32 does
        wide = [_FLOAT32 if each.kind == "V" else each for each in (first, second)]
        return np.promote_types(*wide)
    return first if first_rank > second_rank else second


def _require_promotion(first: np.dtype[Any], second: np.dtype[Any]) -> None:
    if {first.kind, second.kind} & set("fV"):
        return
    raise _unpromoted("uint16, uint32, uint64 types", first, second)


def _unpromoted(which: str, first: np.dtype[Any], second: np.dtype[Any]) -> DtypeError:
    return DtypeError(
        f"Promotion for {which} is not supported, attempted to promote {scalar_name(first)} and "
        f"{scalar_name(second)}\n\n"
        "  No dtype is agreed on that both would fit in. Convert one of them first, for example\n"
        f"  with .to(torch.{'float32' if 'Float8' in which else 'int64'})."
    )


def number_rank(value: Any) -> int:
    """Return the category of a Python number: 0 bool, 1 integer, 2 floating point, 3 complex."""
    if isinstance(value, bool):
        return 0
    if isinstance(value, int):
        return 1
    return 2 if isinstance(value, float) else 3


def _of_rank(rank: int) -> np.dtype[Any]:
    return (_BOOL, _INT64, _default, complex_counterpart(_default))[rank]


def result_dtype(operands: list[Any]) -> np.dtype[Any]:
    """Return the dtype in which arrays and Python numbers meet in one operation.

    Tensors with dimensions decide; a 0-d tensor, then a number, only counts if it is of a higher
    category (bool < integer < floating point < complex) than all before it.
    """
    strong: np.dtype[Any] | None = None
    zero_dim: np.dtype[Any] | None = None
    weak_rank = -1
    for operand in operands:
        if isinstance(operand, np.ndarray | np.generic) or hasattr(operand, "level"):
            if operand.ndim:
                strong = operand.dtype if strong is None else promote_arrays(strong, operand.dtype)
            else:
                zero_dim = (
                    operand.dtype if zero_dim is None else promote_arrays(zero_dim, operand.dtype)
                )
        else:
            weak_rank = max(weak_rank, number_rank(operand))
    weak = None if weak_rank < 0 else _of_rank(weak_rank)
    return _combine_standing(_combine_standing(strong, zero_dim), weak) or _default


def _combine_standing(
    higher: np.dtype[Any] | None, lower: np.dtype[Any] | None
) -> np.dtype[Any] | None:
    if higher is None or lower is None:
        return higher if lower is None else lower
    higher_rank, lower_rank = KIND_RANK[higher.kind], KIND_RANK[lower.kind]
    if lower_rank <= higher_rank:
        return higher
    if is_float8(lower):
        return promote_arrays(higher, lower)
    if lower_rank == 3 and higher_rank == 2:
        return complex_counterpart(higher)
    return lower


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """Return the dtype in which tensors of two dtypes are computed together.

    Args:
        type1: A dtype.
        type2: Another dtype.

    Raises:
        TypeError: If an argument is not a dtype.

    >>> torch.promote_types(torch.int32, torch.float32)
    torch.float32
    """
    for position, given in enumerate((type1, type2), 1):
        if not isinstance(given, dtype):
            raise ArgumentTypeError(
                f"promote_types(): argument 'type{position}' (position {position}) must be "
                f"torch.dtype, not {type(given).__name__}"
            )
    return from_numpy_dtype(promote_arrays(type1.numpy, type2.numpy))


def can_cast(from_: dtype, to: dtype) -> bool:
    """Return whether in-place arithmetic may write values of one dtype into a tensor of another.

    Args:
        from_: The dtype of the values.
        to: The dtype of the tensor.

    Raises:
        TypeError: If an argument is not a dtype.

    >>> torch.can_cast(torch.float64, torch.float32), torch.can_cast(torch.float32, torch.int64)
    (True, False)
    """
    for name, given in (("from_", from_), ("to", to)):
        if not isinstance(given, dtype):
            raise ArgumentTypeError(
                f"can_cast(): argument '{name}' must be torch.dtype, not {type(given).__name__}"
            )
    return from_.rank <= to.rank


def castable(source: np.dtype[Any], target: np.dtype[Any]) -> bool:
    """Return whether a result of dtype ``source`` may be written into memory of ``target``."""
    return KIND_RANK[source.kind] <= KIND_RANK[target.kind]

# mypy: disable-error-code="misc, override"
"""The methods of `Tensor`; written by ``docs/generate_stubs.py``."""

from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, overload

from pellucid.autograd.variable import TensorBase
from pellucid.core.memory.memory_formats import layout as _layout
from pellucid.core.memory.memory_formats import memory_format as _memory_format
from pellucid.device import device as _device
from pellucid.dtypes import dtype as _dtype
from pellucid.ops.random.sampling import Generator
from pellucid.shapes import Size
from pellucid.tensors.tensor import Tensor

class aminmax_result(NamedTuple):
    min: Tensor
    max: Tensor

class cummax_result(NamedTuple):
    values: Tensor
    indices: Tensor

class cummin_result(NamedTuple):
    values: Tensor
    indices: Tensor

class frexp_result(NamedTuple):
    mantissa: Tensor
    exponent: Tensor

class geqrf_result(NamedTuple):
    a: Tensor
    tau: Tensor

class histogram_result(NamedTuple):
    hist: Tensor
    bin_edges: Tensor

class histogramdd_result(NamedTuple):
    hist: Tensor
    bin_edges: Tensor

class kthvalue_result(NamedTuple):
    values: Tensor
    indices: Tensor

class linalg_cholesky_ex_result(NamedTuple):
    L: Tensor
    info: Tensor

class linalg_eig_result(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor

class linalg_eigh_result(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor

class linalg_inv_ex_result(NamedTuple):
    inverse: Tensor
    info: Tensor

class linalg_ldl_factor_ex_result(NamedTuple):
    LD: Tensor
    pivots: Tensor
    info: Tensor

class linalg_ldl_factor_result(NamedTuple):
    LD: Tensor
    pivots: Tensor

class linalg_lstsq_result(NamedTuple):
    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor

class linalg_lu_factor_ex_result(NamedTuple):
    LU: Tensor
    pivots: Tensor
    info: Tensor

class linalg_lu_factor_result(NamedTuple):
    LU: Tensor
    pivots: Tensor

class linalg_lu_result(NamedTuple):
    P: Tensor
    L: Tensor
    U: Tensor

class linalg_qr_result(NamedTuple):
    Q: Tensor
    R: Tensor

class linalg_slogdet_result(NamedTuple):
    sign: Tensor
    logabsdet: Tensor

class linalg_solve_ex_result(NamedTuple):
    result: Tensor
    info: Tensor

class linalg_svd_result(NamedTuple):
    U: Tensor
    S: Tensor
    Vh: Tensor

class lu_result(NamedTuple):
    LU: Tensor
    pivots: Tensor

class lu_unpack_result(NamedTuple):
    P: Tensor
    L: Tensor
    U: Tensor

class max_result(NamedTuple):
    values: Tensor
    indices: Tensor

class median_result(NamedTuple):
    values: Tensor
    indices: Tensor

class min_result(NamedTuple):
    values: Tensor
    indices: Tensor

class mode_result(NamedTuple):
    values: Tensor
    indices: Tensor

class nanmedian_result(NamedTuple):
    values: Tensor
    indices: Tensor

class qr_result(NamedTuple):
    Q: Tensor
    R: Tensor

class sort_result(NamedTuple):
    values: Tensor
    indices: Tensor

class svd_result(NamedTuple):
    U: Tensor
    S: Tensor
    V: Tensor

class topk_result(NamedTuple):
    values: Tensor
    indices: Tensor

class triangular_solve_result(NamedTuple):
    solution: Tensor
    cloned_coefficient: Tensor

class Operations(TensorBase):
    @property
    def _cdata(self) -> _int: ...
    @staticmethod
    def array_from_arguments(args: tuple[Any, ...], dtype: Any) -> Any: ...
    def bfloat16(self, *, memory_format: _memory_format | None = None) -> Tensor: ...
    def bool(self, *, memory_format: _memory_format | None = None) -> Tensor: ...
    def byte(self, *, memory_format: _memory_format | None = None) -> Tensor: ...
    def cdouble(self, *, memory_format: _memory_format | None = None) -> Tensor: ...
    def cfloat(self, *, memory_format: _memory_format | None = None) -> Tensor: ...
    def chalf(self, *, memory_format: _memory_format | None = None) -> Tensor: ...
    def char(self, *, memory_format: _memory_format | None = None) -> Tensor: ...
    def double(self, *, memory_format: _memory_format | None = None) -> Tensor: ...
    def float(self, *, memory_format: _memory_format | None = None) -> Tensor: ...
    def half(self, *, memory_format: _memory_format | None = None) -> Tensor: ...
    def int(self, *, memory_format: _memory_format | None = None) -> Tensor: ...
    def long(self, *, memory_format: _memory_format | None = None) -> Tensor: ...
    def short(self, *, memory_format: _memory_format | None = None) -> Tensor: ...
    @overload
    def type(self) -> _str: ...
    @overload
    def type(self, dtype: _dtype | _str) -> Tensor: ...
    def __abs__(self) -> Tensor:
        """Return the absolute value; that of complex numbers is real.

        Dtypes:
            Booleans are refused.

        Args:
            input: Tensor of any shape.

        >>> torch.abs(torch.tensor([1.0, -2.0]))
        tensor([1., 2.])

        Defined in ``pellucid/ops/elementwise/signs.py``.
        """
    def __add__(
        self,
        other: Tensor | _int | _float | _complex,
        *,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """Add ``alpha`` times the other tensor, with broadcasting.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.
            alpha: Number that multiplies ``other``.

        >>> torch.add(torch.ones(2), torch.ones(2), alpha=3)
        tensor([4., 4.])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def __and__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return the bits that both integers, or truth values, have.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Floating-point numbers and complex numbers are refused.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.bitwise_and(torch.tensor([6]), 3)
        tensor([2])

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def __array__(self, dtype: _dtype | None = None, copy: _bool | None = None) -> Any:
        """Return the array for NumPy, which shares memory unless told otherwise.

        Raises RuntimeError for a tensor that requires grad.

        Defined in ``pellucid/tensors/conversions.py``.
        """
    def __array_function__(
        self, func: Any, types: Any, args: tuple[Any, ...], kwargs: Any
    ) -> Tensor:
        """Return what a function of NumPy gives for tensors.

        Args:
            func: NumPy's function.
            types: The classes among its arguments that have a say.
            args: Its positional arguments.
            kwargs: Its keyword arguments.

        Defined in ``pellucid/tensors/numpy_functions.py``.
        """
    def __array_namespace__(self, *, api_version: _str | None = None) -> Tensor:
        """Return the functions of the array API standard for tensors, `pellucid.array_api`.

        Raises ValueError for a version of the standard that is not there.

        Defined in ``pellucid/tensors/dlpack.py``.
        """
    def __array_ufunc__(
        self, ufunc: Any, method: _str, *inputs: _int | Sequence[_int], **options: Any
    ) -> Tensor:
        """Return what a ufunc gives for tensors: the result of the function of its meaning here.

        Args:
            ufunc: NumPy's function.
            method: ``"__call__"``, or a method of the ufunc, such as ``"reduce"``.
            inputs: Its operands.
            options: Its keyword arguments.

        Defined in ``pellucid/tensors/numpy_functions.py``.
        """
    def __array_wrap__(
        self, array: Any, context: Any = None, return_scalar: _bool = False
    ) -> Tensor:
        """Return what a function of NumPy has computed of tensors, as a tensor.

        Defined in ``pellucid/tensors/dlpack.py``.
        """
    def __complex__(self) -> _complex:
        """Return ``complex(self)`` of a tensor of one element.

        Defined in ``pellucid/tensors/conversions.py``.
        """
    def __contains__(self, element: Tensor | _int | _float | _complex) -> _bool:
        """Return whether some element equals the given one.

        Defined in ``pellucid/tensors/conversions.py``.
        """
    def __copy__(self) -> Tensor:
        """Return a leaf over the same memory.

        Defined in ``pellucid/tensors/copies.py``.
        """
    def __deepcopy__(self, memo: Any) -> Tensor:
        """Return a copy that shares memory with what is copied with it, as the tensor does.

        Raises RuntimeError unless the tensor is a leaf.

        Defined in ``pellucid/tensors/copies.py``.
        """
    def __delitem__(self, index: Tensor) -> None:
        """Raise TypeError: a tensor keeps all its elements.

        Defined in ``pellucid/ops/index/indexing.py``.
        """
    def __div__(
        self,
        other: Tensor | _int | _float | _complex,
        *,
        rounding_mode: Literal["trunc", "floor"] | None = None,
    ) -> Tensor:
        """Divide element by element, with broadcasting.

        Integers give floating-point quotients, unless ``rounding_mode`` is "floor" or "trunc". Raises
        RuntimeError for integers divided by zero in such a mode.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.
            rounding_mode: ``None`` for a true quotient, ``"trunc"`` towards zero, ``"floor"``
                down.

        >>> torch.div(torch.tensor([7, -7]), 2)
        tensor([ 3.5000, -3.5000])
        >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="floor")
        tensor([ 3, -4])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[_int, _int] | None = None,
        dl_device: Any = None,
        copy: _bool | None = None,
    ) -> Any:
        """Return the values for another library, by the DLPack protocol; memory is shared.

        Raises BufferError for a tensor that requires grad.

        Defined in ``pellucid/tensors/dlpack.py``.
        """
    def __dlpack_device__(self) -> tuple[_int, _int]:
        """Return where the values are, in DLPack's numbers: on the CPU.

        Defined in ``pellucid/tensors/dlpack.py``.
        """
    def __eq__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """See `torch.Tensor`.

        Defined in ``pellucid/ops/elementwise/operators.py``.
        """
    def __float__(self) -> _float:
        """Return ``float(self)`` of a tensor of one element.

        Defined in ``pellucid/tensors/conversions.py``.
        """
    def __floordiv__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Divide and round down.

        Raises RuntimeError for integers divided by zero, and on the way back: as in PyTorch, there is
        no derivative; ``div`` with ``rounding_mode="floor"`` has one.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Booleans and complex numbers are refused.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.floor_divide(torch.tensor([7, -7]), 2)
        tensor([ 3, -4])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def __format__(self, spec: _str) -> _str:
        """Return ``format(self, spec)``: of a 0-d tensor, the number's.

        Defined in ``pellucid/tensors/conversions.py``.
        """
    def __ge__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """See `torch.Tensor`.

        Defined in ``pellucid/ops/elementwise/operators.py``.
        """
    def __getitem__(self, index: Any) -> Tensor:
        """Return ``self[index]``: a view for integers and slices, a copy where tensors gather.

        Raises IndexError for places that are not there, ValueError for slices that run backwards.

        Defined in ``pellucid/ops/index/indexing.py``.
        """
    def __gt__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """See `torch.Tensor`.

        Defined in ``pellucid/ops/elementwise/operators.py``.
        """
    def __iadd__(
        self,
        other: Tensor | _int | _float | _complex,
        *,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """In-place version of :func:`add`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.
            alpha: Number that multiplies ``other``.

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def __iand__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`bitwise_and`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def __idiv__(
        self,
        other: Tensor | _int | _float | _complex,
        *,
        rounding_mode: Literal["trunc", "floor"] | None = None,
    ) -> Tensor:
        """In-place version of :func:`div`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.
            rounding_mode: ``None`` for a true quotient, ``"trunc"`` towards zero, ``"floor"``
                down.

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def __ifloordiv__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`floor_divide`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def __ilshift__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`bitwise_left_shift`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def __imod__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`remainder`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def __imul__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`mul`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def __index__(self) -> _int:
        """Return the value as a list index; raise TypeError unless it is one integer.

        Defined in ``pellucid/tensors/conversions.py``.
        """
    def __int__(self) -> _int:
        """Return ``int(self)`` of a tensor of one element.

        Defined in ``pellucid/tensors/conversions.py``.
        """
    def __invert__(self) -> Tensor:
        """Return ``~input``; raise TypeError for elements that are neither integer nor boolean.

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def __ior__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`bitwise_or`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def __ipow__(self, exponent: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`pow`: write the result into the first operand.

        Args:
            input: Base: a tensor or a number.
            exponent: Tensor or number; the base broadcasts with it.

        Defined in ``pellucid/ops/elementwise/powers.py``.
        """
    def __irshift__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`bitwise_right_shift`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def __isub__(
        self,
        other: Tensor | _int | _float | _complex,
        *,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """In-place version of :func:`sub`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.
            alpha: Number that multiplies ``other`` before it is used.

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def __iter__(self) -> Iterator[Tensor]:
        """Go through the parts along the first dimension.

        Defined in ``pellucid/tensors/conversions.py``.
        """
    def __itruediv__(
        self,
        other: Tensor | _int | _float | _complex,
        *,
        rounding_mode: Literal["trunc", "floor"] | None = None,
    ) -> Tensor:
        """In-place version of :func:`div`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.
            rounding_mode: ``None`` for a true quotient, ``"trunc"`` towards zero, ``"floor"``
                down.

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def __ixor__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`bitwise_xor`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def __le__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """See `torch.Tensor`.

        Defined in ``pellucid/ops/elementwise/operators.py``.
        """
    def __long__(self) -> _int:
        """Return ``int(self)`` of a tensor of one element.

        Defined in ``pellucid/tensors/dlpack.py``.
        """
    def __lshift__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Shift bits to the left: multiply by a power of 2.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Booleans, floating-point numbers and complex numbers are refused.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.bitwise_left_shift(torch.tensor([3]), 2)
        tensor([12])

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def __lt__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """See `torch.Tensor`.

        Defined in ``pellucid/ops/elementwise/operators.py``.
        """
    def __matmul__(self, other: Tensor) -> Tensor:
        """Multiply matrices; a vector counts as a row on the left and as a column on the right.

        Dimensions before the last two are a batch, and broadcast. Raises RuntimeError where the inner
        sizes or the dtypes differ.

        Args:
            input: Tensor ``[n]`` or ``[*, n, k]``, of any dtype but bool.
            other: Tensor of at least one dimension that fits.

        >>> torch.matmul(torch.ones(2, 3), torch.ones(3))
        tensor([3., 3.])

        Defined in ``pellucid/ops/linalg/matmul.py``.
        """
    def __mod__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return what is left by a division rounded down; it has the sign of the divisor.

        Raises RuntimeError for integers divided by zero.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.remainder(torch.tensor([7.0, -7.0]), 4)
        tensor([3., 1.])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def __mul__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Multiply element by element, with broadcasting.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.mul(torch.tensor([1.0, 2.0]), 3)
        tensor([3., 6.])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def __ne__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """See `torch.Tensor`.

        Defined in ``pellucid/ops/elementwise/operators.py``.
        """
    def __neg__(self) -> Tensor:
        """Change the sign; raise RuntimeError for a boolean tensor.

        Args:
            input: Tensor of any shape, or a number.

        >>> torch.neg(torch.tensor([1.0, -2.0]))
        tensor([-1.,  2.])

        Defined in ``pellucid/ops/elementwise/signs.py``.
        """
    def __nonzero__(self) -> _bool:
        """Return whether the one element is not zero; raise RuntimeError if there is not just one.

        Args:
            input: Tensor of any shape.

        >>> torch.is_nonzero(torch.tensor([0.5]))
        True

        Defined in ``pellucid/tensors/properties.py``.
        """
    def __or__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return the bits that at least one of the integers, or truth values, has.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Floating-point numbers and complex numbers are refused.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.bitwise_or(torch.tensor([6]), 3)
        tensor([7])

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def __pos__(self) -> Tensor:
        """Return the tensor itself; raise RuntimeError if it is boolean.

        Args:
            input: Tensor of any shape, or a number.

        >>> torch.positive(torch.tensor([1.0, -2.0]))
        tensor([ 1., -2.])

        Defined in ``pellucid/ops/elementwise/signs.py``.
        """
    def __pow__(self, exponent: Tensor | _int | _float | _complex) -> Tensor:
        """Raise to a power; either operand may be a number.

        Raises RuntimeError for integers to a negative number, and to one beyond their dtype.

        Dtypes:
            ``input`` and ``exponent`` are computed in their common dtype.

        Args:
            input: Base: a tensor or a number.
            exponent: Tensor or number; the base broadcasts with it.

        >>> torch.pow(torch.tensor([1.0, 2.0, 3.0]), 2)
        tensor([1., 4., 9.])

        Defined in ``pellucid/ops/elementwise/powers.py``.
        """
    def __radd__(
        self,
        other: Tensor | _int | _float | _complex,
        *,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """Add ``alpha`` times the other tensor, with broadcasting.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.
            alpha: Number that multiplies ``other``.

        >>> torch.add(torch.ones(2), torch.ones(2), alpha=3)
        tensor([4., 4.])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def __rand__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return the bits that both integers, or truth values, have.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Floating-point numbers and complex numbers are refused.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.bitwise_and(torch.tensor([6]), 3)
        tensor([2])

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def __rdiv__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """See `torch.Tensor`.

        Defined in ``pellucid/ops/elementwise/operators.py``.
        """
    def __reduce_ex__(self, protocol: Any) -> Any:
        """Return what a pickle is to hold; the graph is not kept, so that a leaf comes back.

        Defined in ``pellucid/tensors/copies.py``.
        """
    def __reversed__(self) -> Tensor:
        """Return the tensor in reverse order along its first dimension; a 0-d tensor as it is.

        Defined in ``pellucid/tensors/dlpack.py``.
        """
    def __rfloordiv__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """See `torch.Tensor`.

        Defined in ``pellucid/ops/elementwise/operators.py``.
        """
    def __rlshift__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """See `torch.Tensor`.

        Defined in ``pellucid/ops/elementwise/operators.py``.
        """
    def __rmatmul__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Multiply with the operands exchanged: what ``@`` does if the left operand leaves it to us.

        Defined in ``pellucid/ops/linalg/matmul.py``.
        """
    def __rmod__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """See `torch.Tensor`.

        Defined in ``pellucid/ops/elementwise/operators.py``.
        """
    def __rmul__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Multiply element by element, with broadcasting.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.mul(torch.tensor([1.0, 2.0]), 3)
        tensor([3., 6.])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def __ror__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return the bits that at least one of the integers, or truth values, has.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Floating-point numbers and complex numbers are refused.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.bitwise_or(torch.tensor([6]), 3)
        tensor([7])

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def __rpow__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """See `torch.Tensor`.

        Defined in ``pellucid/ops/elementwise/operators.py``.
        """
    def __rrshift__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """See `torch.Tensor`.

        Defined in ``pellucid/ops/elementwise/operators.py``.
        """
    def __rshift__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Shift bits to the right: divide by a power of 2, rounding down.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Booleans, floating-point numbers and complex numbers are refused.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.bitwise_right_shift(torch.tensor([12]), 2)
        tensor([3])

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def __rsub__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """See `torch.Tensor`.

        Defined in ``pellucid/ops/elementwise/operators.py``.
        """
    def __rtruediv__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """See `torch.Tensor`.

        Defined in ``pellucid/ops/elementwise/operators.py``.
        """
    def __rxor__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return the bits that just one of the integers, or truth values, has.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Floating-point numbers and complex numbers are refused.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.bitwise_xor(torch.tensor([6]), 3)
        tensor([5])

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def __setitem__(self, index: Any, value: Any) -> None:
        """Write ``self[index] = value``; the value is broadcast to what the index names.

        Raises IndexError for places that are not there, RuntimeError for a value that does not fit.

        Defined in ``pellucid/ops/index/indexing.py``.
        """
    def __sub__(
        self,
        other: Tensor | _int | _float | _complex,
        *,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """Subtract ``alpha`` times the other tensor, with broadcasting.

        Raises RuntimeError for boolean tensors.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.
            alpha: Number that multiplies ``other`` before it is used.

        >>> torch.sub(torch.ones(2), torch.ones(2), alpha=3)
        tensor([-2., -2.])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def __truediv__(
        self,
        other: Tensor | _int | _float | _complex,
        *,
        rounding_mode: Literal["trunc", "floor"] | None = None,
    ) -> Tensor:
        """Divide element by element, with broadcasting.

        Integers give floating-point quotients, unless ``rounding_mode`` is "floor" or "trunc". Raises
        RuntimeError for integers divided by zero in such a mode.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.
            rounding_mode: ``None`` for a true quotient, ``"trunc"`` towards zero, ``"floor"``
                down.

        >>> torch.div(torch.tensor([7, -7]), 2)
        tensor([ 3.5000, -3.5000])
        >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="floor")
        tensor([ 3, -4])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def __xor__(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return the bits that just one of the integers, or truth values, has.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Floating-point numbers and complex numbers are refused.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.bitwise_xor(torch.tensor([6]), 3)
        tensor([5])

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def _addmm_activation(
        self,
        mat1: Tensor,
        mat2: Tensor,
        *,
        beta: _int | _float | _complex | Tensor = 1,
        alpha: _int | _float | _complex | Tensor = 1,
        use_gelu: _bool = False,
    ) -> Tensor:
        """Return ``relu`` or ``gelu`` of ``beta * input + alpha * (mat1 @ mat2)``.

        Args:
            input: Matrix that broadcasts to ``[n, m]``.
            mat1: Matrix ``[n, k]``.
            mat2: Matrix ``[k, m]``.
            beta: Number that multiplies ``input``.
            alpha: Number that multiplies the product.
            use_gelu: Whether the function is ``gelu``.

        >>> torch._addmm_activation(
        ...     torch.zeros(1), torch.eye(2), torch.tensor([[1.0, -2], [-3, 4]])
        ... )
        tensor([[1., 0.],
                [0., 4.]])

        Defined in ``pellucid/ops/nn/activation.py``.
        """
    def _is_view(self) -> _bool:
        """Return whether the tensor looks into the memory of another.

        Defined in ``pellucid/tensors/properties.py``.
        """
    def abs(self) -> Tensor:
        """Return the absolute value; that of complex numbers is real.

        Dtypes:
            Booleans are refused.

        Args:
            input: Tensor of any shape.

        >>> torch.abs(torch.tensor([1.0, -2.0]))
        tensor([1., 2.])

        Defined in ``pellucid/ops/elementwise/signs.py``.
        """
    def abs_(self) -> Tensor:
        """In-place version of :func:`abs`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/signs.py``.
        """
    def absolute(self) -> Tensor:
        """Return the absolute value; that of complex numbers is real.

        Dtypes:
            Booleans are refused.

        Args:
            input: Tensor of any shape.

        >>> torch.abs(torch.tensor([1.0, -2.0]))
        tensor([1., 2.])

        Defined in ``pellucid/ops/elementwise/signs.py``.
        """
    def absolute_(self) -> Tensor:
        """In-place version of :func:`abs`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/signs.py``.
        """
    def acos(self) -> Tensor:
        """Return the angle in [0, pi] that has this cosine; NaN beyond -1 and 1.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.acos(torch.tensor([0.0, 1.0]))
        tensor([1.5708, 0.0000])

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def acos_(self) -> Tensor:
        """In-place version of :func:`acos`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def acosh(self) -> Tensor:
        """Return the positive inverse of the hyperbolic cosine; NaN below 1.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.acosh(torch.tensor([1.0, 2.0]))
        tensor([0.0000, 1.3170])

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def acosh_(self) -> Tensor:
        """In-place version of :func:`acosh`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def add(
        self,
        other: Tensor | _int | _float | _complex,
        *,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """Add ``alpha`` times the other tensor, with broadcasting.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.
            alpha: Number that multiplies ``other``.

        >>> torch.add(torch.ones(2), torch.ones(2), alpha=3)
        tensor([4., 4.])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def add_(
        self,
        other: Tensor | _int | _float | _complex,
        *,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """In-place version of :func:`add`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.
            alpha: Number that multiplies ``other``.

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def addbmm(
        self,
        batch1: Tensor,
        batch2: Tensor,
        *,
        beta: _int | _float | _complex | Tensor = 1,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """Return ``beta * input`` plus ``alpha`` times the sum of the products of a batch.

        Args:
            input: Matrix that broadcasts to ``[n, m]``.
            batch1: First batch of matrices ``[B, N, M]``.
            batch2: Second batch of matrices ``[B, M, P]``.
            beta: Number that multiplies ``input``.
            alpha: Number that multiplies the product.

        >>> torch.addbmm(torch.zeros(1), torch.ones(5, 1, 3), torch.ones(5, 3, 1))
        tensor([[15.]])

        Defined in ``pellucid/ops/linalg/addmm.py``.
        """
    def addbmm_(
        self,
        batch1: Tensor,
        batch2: Tensor,
        *,
        beta: _int | _float | _complex | Tensor = 1,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """In-place version of :func:`addbmm`.

        Args:
            input: Matrix that broadcasts to ``[n, m]``.
            batch1: First batch of matrices ``[B, N, M]``.
            batch2: Second batch of matrices ``[B, M, P]``.
            beta: Number that multiplies ``input``.
            alpha: Number that multiplies the product.

        Defined in ``pellucid/ops/linalg/addmm.py``.
        """
    def addcdiv(
        self, tensor1: Tensor, tensor2: Tensor, *, value: _int | _float | _complex | Tensor = 1
    ) -> Tensor:
        """Add ``value * tensor1 / tensor2``; raise RuntimeError for integers.

        Dtypes:
            ``input``, ``tensor1`` and ``tensor2`` are computed in their common dtype.
            Booleans and integers are refused.

        Args:
            input: Tensor of any shape.
            tensor1: First factor, or the dividend; it broadcasts with ``input``.
            tensor2: Second factor, or the divisor; it broadcasts with ``input``.
            value: Number that multiplies the quotient.

        >>> torch.addcdiv(torch.ones(2), torch.ones(2), torch.tensor([2.0, 4.0]), value=10)
        tensor([6.0000, 3.5000])

        Defined in ``pellucid/ops/elementwise/combined.py``.
        """
    def addcdiv_(
        self, tensor1: Tensor, tensor2: Tensor, *, value: _int | _float | _complex | Tensor = 1
    ) -> Tensor:
        """In-place version of :func:`addcdiv`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            tensor1: First factor, or the dividend; it broadcasts with ``input``.
            tensor2: Second factor, or the divisor; it broadcasts with ``input``.
            value: Number that multiplies the quotient.

        Defined in ``pellucid/ops/elementwise/combined.py``.
        """
    def addcmul(
        self, tensor1: Tensor, tensor2: Tensor, *, value: _int | _float | _complex | Tensor = 1
    ) -> Tensor:
        """Add ``value * tensor1 * tensor2``.

        Dtypes:
            ``input``, ``tensor1`` and ``tensor2`` are computed in their common dtype.
            Booleans are refused.

        Args:
            input: Tensor of any shape.
            tensor1: First factor, or the dividend; it broadcasts with ``input``.
            tensor2: Second factor, or the divisor; it broadcasts with ``input``.
            value: Number that multiplies the product.

        >>> torch.addcmul(torch.ones(2), torch.ones(2), torch.tensor([2.0, 3.0]), value=10)
        tensor([21., 31.])

        Defined in ``pellucid/ops/elementwise/combined.py``.
        """
    def addcmul_(
        self, tensor1: Tensor, tensor2: Tensor, *, value: _int | _float | _complex | Tensor = 1
    ) -> Tensor:
        """In-place version of :func:`addcmul`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            tensor1: First factor, or the dividend; it broadcasts with ``input``.
            tensor2: Second factor, or the divisor; it broadcasts with ``input``.
            value: Number that multiplies the product.

        Defined in ``pellucid/ops/elementwise/combined.py``.
        """
    def addmm(
        self,
        mat1: Tensor,
        mat2: Tensor,
        *,
        beta: _int | _float | _complex | Tensor = 1,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * (mat1 @ mat2)`` for two matrices.

        Args:
            input: Matrix that broadcasts to ``[n, m]``.
            mat1: Matrix ``[n, k]``.
            mat2: Matrix ``[k, m]``.
            beta: Number that multiplies ``input``.
            alpha: Number that multiplies the product.

        Raises:
            RuntimeError: If the matrices have different dtypes or sizes that do not fit.

        >>> torch.addmm(torch.ones(2), torch.ones(2, 3), torch.ones(3, 2), alpha=2)
        tensor([[7., 7.],
                [7., 7.]])

        Defined in ``pellucid/ops/linalg/addmm.py``.
        """
    def addmm_(
        self,
        mat1: Tensor,
        mat2: Tensor,
        *,
        beta: _int | _float | _complex | Tensor = 1,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """In-place version of :func:`addmm`.

        Args:
            input: Matrix that broadcasts to ``[n, m]``.
            mat1: Matrix ``[n, k]``.
            mat2: Matrix ``[k, m]``.
            beta: Number that multiplies ``input``.
            alpha: Number that multiplies the product.

        Defined in ``pellucid/ops/linalg/addmm.py``.
        """
    def addmv(
        self,
        mat: Tensor,
        vec: Tensor,
        *,
        beta: _int | _float | _complex | Tensor = 1,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * (mat @ vec)`` for a matrix and a vector.

        Args:
            input: Vector that broadcasts to ``[n]``.
            mat: Matrix ``[N, M]``.
            vec: Vector ``[M]``.
            beta: Number that multiplies ``input``.
            alpha: Number that multiplies the product.

        >>> torch.addmv(torch.ones(2), torch.ones(2, 3), torch.ones(3))
        tensor([4., 4.])

        Defined in ``pellucid/ops/linalg/addmm.py``.
        """
    def addmv_(
        self,
        mat: Tensor,
        vec: Tensor,
        *,
        beta: _int | _float | _complex | Tensor = 1,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """In-place version of :func:`addmv`.

        Args:
            input: Vector that broadcasts to ``[n]``.
            mat: Matrix ``[N, M]``.
            vec: Vector ``[M]``.
            beta: Number that multiplies ``input``.
            alpha: Number that multiplies the product.

        Defined in ``pellucid/ops/linalg/addmm.py``.
        """
    def addr(
        self,
        vec1: Tensor,
        vec2: Tensor,
        *,
        beta: _int | _float | _complex | Tensor = 1,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * outer(vec1, vec2)``.

        Args:
            input: Matrix that broadcasts to ``[n, m]``.
            vec1: Vector ``[N]``.
            vec2: Vector ``[M]``.
            beta: Number that multiplies ``input``.
            alpha: Number that multiplies the product.

        Raises:
            RuntimeError: If the input is of integers and ``beta`` or ``alpha`` is not.

        >>> torch.addr(torch.zeros(2, 2), torch.ones(2), torch.ones(2))
        tensor([[1., 1.],
                [1., 1.]])

        Defined in ``pellucid/ops/linalg/addmm.py``.
        """
    def addr_(
        self,
        vec1: Tensor,
        vec2: Tensor,
        *,
        beta: _int | _float | _complex | Tensor = 1,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """In-place version of :func:`addr`.

        Args:
            input: Matrix that broadcasts to ``[n, m]``.
            vec1: Vector ``[N]``.
            vec2: Vector ``[M]``.
            beta: Number that multiplies ``input``.
            alpha: Number that multiplies the product.

        Defined in ``pellucid/ops/linalg/addmm.py``.
        """
    def adjoint(self) -> Tensor:
        """Exchange the last two dimensions and conjugate.

        Args:
            input: Matrices ``[*, n, m]``.

        >>> torch.adjoint(torch.ones(2, 3)).shape
        torch.Size([3, 2])

        Defined in ``pellucid/ops/shape/views.py``.
        """
    def all(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor:
        """Return a bool: whether all elements are true (not zero), along dimensions or altogether.

        Args:
            input: Tensor of any shape.
            dim: Dimension or dimensions to reduce; all by default.
            keepdim: Whether reduced dimensions stay, with size 1.

        >>> torch.tensor([[True, False], [True, True]]).all(dim=1)
        tensor([False,  True])

        Defined in ``pellucid/ops/reduce/reductions.py``.
        """
    def allclose(
        self,
        other: Tensor | _int | _float | _complex,
        rtol: _float = 1e-05,
        atol: _float = 1e-08,
        equal_nan: _bool = False,
    ) -> _bool:
        """Return whether all elements differ by no more than ``atol + rtol * abs(other)``.

        Raises RuntimeError for different dtypes.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.
            rtol: Relative tolerance.
            atol: Absolute tolerance.
            equal_nan: Whether two NaNs count as equal.

        >>> torch.allclose(torch.tensor([1.0]), torch.tensor([1.0 + 1e-9]))
        True

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def amax(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor:
        """Return the largest elements over dimensions; a gradient is shared equally among ties.

        Args:
            input: Real tensor of any shape.
            dim: Dimension to reduce; all by default.
            keepdim: Whether reduced dimensions stay, with size 1.

        >>> torch.amax(torch.tensor([[1.0, 3.0], [2.0, 0.0]]), dim=1)
        tensor([3., 2.])

        Defined in ``pellucid/ops/reduce/extremes.py``.
        """
    def amin(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor:
        """Return the smallest elements over dimensions; a gradient is shared equally among ties.

        Args:
            input: Real tensor of any shape.
            dim: Dimension to reduce; all by default.
            keepdim: Whether reduced dimensions stay, with size 1.

        >>> torch.amin(torch.tensor([[1.0, 3.0], [2.0, 0.0]]), dim=1)
        tensor([1., 0.])

        Defined in ``pellucid/ops/reduce/extremes.py``.
        """
    def aminmax(self, *, dim: _int | None = None, keepdim: _bool = False) -> aminmax_result:
        """Return the smallest and the largest elements together.

        Args:
            input: Real tensor of any shape.
            dim: Dimension to reduce; all by default.
            keepdim: Whether reduced dimensions stay, with size 1.

        Raises:
            RuntimeError: If there is nothing to reduce.

        >>> torch.aminmax(torch.tensor([1.0, 3.0])).max
        tensor(3.)

        Defined in ``pellucid/ops/reduce/extremes.py``.
        """
    def angle(self) -> Tensor:
        """Return the angle of complex numbers in radians; for real ones 0, or pi where negative.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.angle(torch.tensor([1j, -1 + 0j]))
        tensor([1.5708, 3.1416])

        Defined in ``pellucid/ops/elementwise/complexes.py``.
        """
    def any(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor:
        """Return a bool: whether any element is true (not zero), along dimensions or altogether.

        Args:
            input: Tensor of any shape.
            dim: Dimension or dimensions to reduce; all by default.
            keepdim: Whether reduced dimensions stay, with size 1.

        >>> torch.tensor([[True, False], [False, False]]).any(dim=1)
        tensor([ True, False])

        Defined in ``pellucid/ops/reduce/reductions.py``.
        """
    def apply_(self, callable: Callable[[Any], Any]) -> Tensor:
        """Replace each element by what a Python function returns for it, in place.

        Raises RuntimeError for a tensor that requires grad.

        Defined in ``pellucid/tensors/inplace_methods.py``.
        """
    def arccos(self) -> Tensor:
        """Return the angle in [0, pi] that has this cosine; NaN beyond -1 and 1.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.acos(torch.tensor([0.0, 1.0]))
        tensor([1.5708, 0.0000])

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def arccos_(self) -> Tensor:
        """In-place version of :func:`acos`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def arccosh(self) -> Tensor:
        """Return the positive inverse of the hyperbolic cosine; NaN below 1.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.acosh(torch.tensor([1.0, 2.0]))
        tensor([0.0000, 1.3170])

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def arccosh_(self) -> Tensor:
        """In-place version of :func:`acosh`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def arcsin(self) -> Tensor:
        """Return the angle in [-pi/2, pi/2] that has this sine; NaN beyond -1 and 1.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.asin(torch.tensor([0.0, 1.0]))
        tensor([0.0000, 1.5708])

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def arcsin_(self) -> Tensor:
        """In-place version of :func:`asin`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def arcsinh(self) -> Tensor:
        """Return the inverse of the hyperbolic sine.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.asinh(torch.tensor([0.0, 1.0]))
        tensor([0.0000, 0.8814])

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def arcsinh_(self) -> Tensor:
        """In-place version of :func:`asinh`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def arctan(self) -> Tensor:
        """Return the angle between -pi/2 and pi/2 that has this tangent.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.atan(torch.tensor([0.0, 1.0]))
        tensor([0.0000, 0.7854])

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def arctan2(self, other: Tensor) -> Tensor:
        """Return the angle of the point with ordinate ``input`` and abscissa ``other``.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Integers and booleans are computed in the default floating dtype.

        Args:
            other: Tensor that broadcasts with ``input``.
            input: Ordinates: real tensor of any shape, or a number.

        >>> torch.atan2(torch.tensor([1.0]), torch.tensor([-1.0]))
        tensor([2.3562])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def arctan2_(self, other: Tensor) -> Tensor:
        """In-place version of :func:`atan2`: write the result into the first operand.

        Args:
            other: Tensor that broadcasts with ``input``.
            input: Ordinates: real tensor of any shape, or a number.

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def arctan_(self) -> Tensor:
        """In-place version of :func:`atan`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def arctanh(self) -> Tensor:
        """Return the inverse of the hyperbolic tangent; NaN beyond -1 and 1.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.atanh(torch.tensor([0.0, 0.5]))
        tensor([0.0000, 0.5493])

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def arctanh_(self) -> Tensor:
        """In-place version of :func:`atanh`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def argmax(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor:
        """Return the index (int64) of the first largest element, along a dimension or of all elements.

        Args:
            input: Real tensor of any shape, not of booleans.
            dim: Dimension to reduce; all by default.
            keepdim: Whether reduced dimensions stay, with size 1.

        >>> torch.argmax(torch.tensor([[1, 3], [2, 0]]), dim=1)
        tensor([1, 0])

        Defined in ``pellucid/ops/reduce/extremes.py``.
        """
    def argmin(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor:
        """Return the index (int64) of the first smallest element; see `argmax`.

        Args:
            input: Real tensor of any shape, not of booleans.
            dim: Dimension to reduce; all by default.
            keepdim: Whether reduced dimensions stay, with size 1.

        >>> torch.argmin(torch.tensor([[1, 3], [2, 0]]), dim=1)
        tensor([0, 1])

        Defined in ``pellucid/ops/reduce/extremes.py``.
        """
    def argsort(
        self, dim: _int | Sequence[_int] = -1, descending: _bool = False, stable: _bool = False
    ) -> Tensor:
        """Return the indices (int64) that sort a tensor along a dimension.

        Args:
            input: Real tensor of any shape.
            dim: Dimension to sort along.
            descending: Whether the largest element comes first.
            stable: Whether equal elements keep their order.

        >>> torch.argsort(torch.tensor([3, 1, 2]))
        tensor([1, 2, 0])

        Defined in ``pellucid/ops/reduce/sort.py``.
        """
    def argwhere(self) -> Tensor:
        """Return the indices (int64) of the elements that are not zero, one row for each.

        Args:
            input: Tensor of any shape with ``d`` dimensions; the result is ``[count, d]``.

        >>> torch.argwhere(torch.tensor([0, 5, 6]))
        tensor([[1],
                [2]])

        Defined in ``pellucid/ops/index/masked.py``.
        """
    def as_strided(
        self, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None
    ) -> Tensor:
        """Return a view of a tensor's memory with any sizes and strides, counted in elements.

        The offset counts from the start of the memory, by default the tensor's own. Raises RuntimeError
        for negative strides and where the view would leave the memory.

        Args:
            input: Tensor of any shape.
            size: Sizes of the result.
            stride: Distance in memory between elements, one per dimension.
            storage_offset: Index in the storage of the first element.

        >>> torch.arange(4).as_strided((2, 2), (1, 1))
        tensor([[0, 1],
                [1, 2]])

        Defined in ``pellucid/ops/shape/strided.py``.
        """
    def as_strided_(
        self, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None
    ) -> Tensor:
        """Give the tensor other sizes and strides over its memory, in place.

        Args:
            self: Tensor to change.
            size: New shape.
            stride: Steps in memory along each dimension, in elements.
            storage_offset: Where the first element lies in the memory; as before if None.

        Defined in ``pellucid/tensors/inplace_methods.py``.
        """
    def as_strided_scatter(
        self,
        src: Tensor | _int | _float | _complex,
        size: _int | Sequence[_int],
        stride: _int | Sequence[_int],
        storage_offset: _int | None = None,
    ) -> Tensor:
        """Return a copy with other values in a strided part of the memory.

        Args:
            input: Tensor of any shape.
            src: Tensor with the values to write.
            size: Sizes of ``src``.
            stride: Steps in memory along the dimensions of ``src``.
            storage_offset: Index in the storage of the first element.

        >>> torch.as_strided_scatter(torch.zeros(2, 2), torch.ones(2), (2,), (3,))
        tensor([[1., 0.],
                [0., 1.]])

        Defined in ``pellucid/ops/index/slice_scatter.py``.
        """
    def as_subclass(self, cls: Any) -> Any:
        """Return the same values and history as an instance of a subclass.

        Args:
            cls: Subclass of `Tensor`.

        Raises:
            TypeError: If it is none.

        Defined in ``pellucid/tensors/copies.py``.
        """
    def asin(self) -> Tensor:
        """Return the angle in [-pi/2, pi/2] that has this sine; NaN beyond -1 and 1.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.asin(torch.tensor([0.0, 1.0]))
        tensor([0.0000, 1.5708])

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def asin_(self) -> Tensor:
        """In-place version of :func:`asin`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def asinh(self) -> Tensor:
        """Return the inverse of the hyperbolic sine.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.asinh(torch.tensor([0.0, 1.0]))
        tensor([0.0000, 0.8814])

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def asinh_(self) -> Tensor:
        """In-place version of :func:`asinh`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def atan(self) -> Tensor:
        """Return the angle between -pi/2 and pi/2 that has this tangent.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.atan(torch.tensor([0.0, 1.0]))
        tensor([0.0000, 0.7854])

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def atan2(self, other: Tensor) -> Tensor:
        """Return the angle of the point with ordinate ``input`` and abscissa ``other``.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Integers and booleans are computed in the default floating dtype.

        Args:
            other: Tensor that broadcasts with ``input``.
            input: Ordinates: real tensor of any shape, or a number.

        >>> torch.atan2(torch.tensor([1.0]), torch.tensor([-1.0]))
        tensor([2.3562])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def atan2_(self, other: Tensor) -> Tensor:
        """In-place version of :func:`atan2`: write the result into the first operand.

        Args:
            other: Tensor that broadcasts with ``input``.
            input: Ordinates: real tensor of any shape, or a number.

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def atan_(self) -> Tensor:
        """In-place version of :func:`atan`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def atanh(self) -> Tensor:
        """Return the inverse of the hyperbolic tangent; NaN beyond -1 and 1.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.atanh(torch.tensor([0.0, 0.5]))
        tensor([0.0000, 0.5493])

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def atanh_(self) -> Tensor:
        """In-place version of :func:`atanh`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def baddbmm(
        self,
        batch1: Tensor,
        batch2: Tensor,
        *,
        beta: _int | _float | _complex | Tensor = 1,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """Return ``beta * input + alpha * bmm(batch1, batch2)``.

        Args:
            input: Tensor that broadcasts to ``[B, n, m]``.
            batch1: First batch of matrices ``[B, N, M]``.
            batch2: Second batch of matrices ``[B, M, P]``.
            beta: Number that multiplies ``input``.
            alpha: Number that multiplies the product.

        >>> torch.baddbmm(torch.ones(2), torch.ones(5, 2, 3), torch.ones(5, 3, 2)).shape
        torch.Size([5, 2, 2])

        Defined in ``pellucid/ops/linalg/addmm.py``.
        """
    def baddbmm_(
        self,
        batch1: Tensor,
        batch2: Tensor,
        *,
        beta: _int | _float | _complex | Tensor = 1,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """In-place version of :func:`baddbmm`.

        Args:
            input: Tensor that broadcasts to ``[B, n, m]``.
            batch1: First batch of matrices ``[B, N, M]``.
            batch2: Second batch of matrices ``[B, M, P]``.
            beta: Number that multiplies ``input``.
            alpha: Number that multiplies the product.

        Defined in ``pellucid/ops/linalg/addmm.py``.
        """
    def bernoulli(
        self,
        p: _int | _float | _complex | None = None,
        *,
        generator: Generator | None = None,
        out: Tensor | tuple[Tensor, ...] | None = None,
    ) -> Tensor:
        """Draw ones with the probabilities in ``input`` (or ``p`` for all), zeros otherwise.

        Args:
            input: Probabilities: floating-point tensor of any shape.
            p: Probability of a one, in place of the values of ``input``.
            generator: Generator to draw from; by default the global one.
            out: Tensor of any dtype that the draws are written into.

        >>> torch.bernoulli(torch.tensor([0.0, 1.0]))
        tensor([0., 1.])

        Defined in ``pellucid/ops/random/sampling.py``.
        """
    def bernoulli_(
        self, p: _int | _float | _complex = 0.5, *, generator: Generator | None = None
    ) -> Tensor:
        """Fill the tensor with ones of probability ``p``, a number or a tensor, and zeros.

        Defined in ``pellucid/ops/random/sampling.py``.
        """
    def bincount(self, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
        """Count how often each non-negative integer occurs, or sum the weights of its occurrences.

        Args:
            input: Vector of integers, not negative.
            weights: Weight of each element, or ``None``.
            minlength: Smallest number of bins.

        Raises:
            RuntimeError: If the input is not a vector of integers that are not negative, or the weights
                differ in length.

        >>> torch.bincount(torch.tensor([0, 2, 2]))
        tensor([1, 0, 2])

        Defined in ``pellucid/ops/reduce/sort.py``.
        """
    def bitwise_and(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return the bits that both integers, or truth values, have.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Floating-point numbers and complex numbers are refused.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.bitwise_and(torch.tensor([6]), 3)
        tensor([2])

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def bitwise_and_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`bitwise_and`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def bitwise_left_shift(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Shift bits to the left: multiply by a power of 2.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Booleans, floating-point numbers and complex numbers are refused.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.bitwise_left_shift(torch.tensor([3]), 2)
        tensor([12])

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def bitwise_left_shift_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`bitwise_left_shift`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def bitwise_not(self) -> Tensor:
        """Return the bits that an integer, or truth value, has not.

        Dtypes:
            Floating-point numbers and complex numbers are refused.

        Args:
            input: Tensor of any shape.

        >>> torch.bitwise_not(torch.tensor([0, 5]))
        tensor([-1, -6])

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def bitwise_not_(self) -> Tensor:
        """In-place version of :func:`bitwise_not`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def bitwise_or(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return the bits that at least one of the integers, or truth values, has.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Floating-point numbers and complex numbers are refused.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.bitwise_or(torch.tensor([6]), 3)
        tensor([7])

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def bitwise_or_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`bitwise_or`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def bitwise_right_shift(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Shift bits to the right: divide by a power of 2, rounding down.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Booleans, floating-point numbers and complex numbers are refused.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.bitwise_right_shift(torch.tensor([12]), 2)
        tensor([3])

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def bitwise_right_shift_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`bitwise_right_shift`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def bitwise_xor(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return the bits that just one of the integers, or truth values, has.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Floating-point numbers and complex numbers are refused.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.bitwise_xor(torch.tensor([6]), 3)
        tensor([5])

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def bitwise_xor_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`bitwise_xor`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def bmm(self, mat2: Tensor) -> Tensor:
        """Multiply two batches of as many matrices.

        Args:
            input: Batch of matrices ``[B, N, M]``.
            mat2: Batch of matrices ``[B, M, P]``.

        Raises:
            RuntimeError: If the batches or the inner sizes differ.

        >>> torch.bmm(torch.ones(5, 2, 3), torch.ones(5, 3, 4)).shape
        torch.Size([5, 2, 4])

        Defined in ``pellucid/ops/linalg/matmul.py``.
        """
    def broadcast_to(self, size: Sequence[_int]) -> Tensor:
        """Stretch a tensor to a shape; the same as `expand`.

        Args:
            input: Tensor of any shape.
            size: Sizes of the result; -1 leaves a size or follows from the others.

        >>> torch.broadcast_to(torch.ones(1), (3,))
        tensor([1., 1., 1.])

        Defined in ``pellucid/ops/shape/broadcasting.py``.
        """
    def cauchy_(
        self, median: _float = 0.0, sigma: _float = 1.0, *, generator: Generator | None = None
    ) -> Tensor:
        """Fill the tensor from the Cauchy distribution.

        Defined in ``pellucid/ops/random/sampling.py``.
        """
    def ccol_indices(self) -> Tensor:
        """Raise RuntimeError: ccol_indices() is there for sparse column compressed tensors.

        Defined in ``pellucid/tensors/layouts.py``.
        """
    def ceil(self) -> Tensor:
        """Round up; the gradient is 0.

        Dtypes:
            Booleans and complex numbers are refused.

        Args:
            input: Tensor of any shape.

        >>> torch.ceil(torch.tensor([1.5, -1.5]))
        tensor([ 2., -1.])

        Defined in ``pellucid/ops/elementwise/rounding.py``.
        """
    def ceil_(self) -> Tensor:
        """In-place version of :func:`ceil`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/rounding.py``.
        """
    def cholesky(self, upper: _bool = False) -> Tensor:
        """Return the Cholesky factors of positive-definite matrices; see `linalg.cholesky`.

        Args:
            input: Hermitian positive-definite matrices ``[*, n, n]``.
            upper: Whether the upper triangle is meant rather than the lower.

        >>> torch.cholesky(torch.eye(2))
        tensor([[1., 0.],
                [0., 1.]])

        Defined in ``pellucid/ops/linalg/decompositions.py``.
        """
    def cholesky_inverse(self, upper: _bool = False) -> Tensor:
        """Return the inverse of ``A`` from its Cholesky factor.

        Args:
            L: Cholesky factor ``[*, N, N]``.
            upper: Whether the upper triangle is meant rather than the lower.

        >>> torch.cholesky_inverse(torch.eye(1) * 2)
        tensor([[0.2500]])

        Defined in ``pellucid/ops/linalg/solving.py``.
        """
    def cholesky_solve(self, L: Tensor, upper: _bool = False) -> Tensor:
        """Solve ``A X = B`` with the Cholesky factor ``L`` of ``A``.

        Args:
            B: Right-hand side: vectors or matrices that fit ``A``.
            L: Cholesky factor ``[*, N, N]``.
            upper: Whether the upper triangle is meant rather than the lower.

        >>> torch.cholesky_solve(torch.ones(1, 1), torch.eye(1) * 2)
        tensor([[0.2500]])

        Defined in ``pellucid/ops/linalg/solving.py``.
        """
    def chunk(self, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
        """Split a tensor along a dimension, into at most ``chunks`` parts of equal size.

        Args:
            input: Tensor of at least one dimension.
            chunks: Number of parts.
            dim: Dimension to cut.

        Raises:
            RuntimeError: If the tensor has no dimensions, or ``chunks`` is not positive.

        >>> torch.arange(5).chunk(2)
        (tensor([0, 1, 2]), tensor([3, 4]))

        Defined in ``pellucid/ops/shape/splitting.py``.
        """
    def clamp(
        self,
        min: Tensor | _int | _float | _complex | None = None,
        max: Tensor | _int | _float | _complex | None = None,
    ) -> Tensor:
        """Replace what is below ``min`` by ``min`` and then what is above ``max`` by ``max``.

        Bounds are numbers or tensors. Raises RuntimeError without any bound.

        Dtypes:
            ``input``, ``min`` and ``max`` are computed in their common dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.
            min: Lower bound: a number, a tensor that broadcasts, or ``None``.
            max: Upper bound: a number, a tensor that broadcasts, or ``None``.

        >>> torch.clamp(torch.tensor([-2.0, 0.5, 3.0]), -1, 1)
        tensor([-1.0000,  0.5000,  1.0000])

        Defined in ``pellucid/ops/elementwise/conditional.py``.
        """
    def clamp_(
        self,
        min: Tensor | _int | _float | _complex | None = None,
        max: Tensor | _int | _float | _complex | None = None,
    ) -> Tensor:
        """In-place version of :func:`clamp`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            min: Lower bound: a number, a tensor that broadcasts, or ``None``.
            max: Upper bound: a number, a tensor that broadcasts, or ``None``.

        Defined in ``pellucid/ops/elementwise/conditional.py``.
        """
    def clamp_max(self, max: Tensor | _int | _float | _complex) -> Tensor:
        """Replace what is above ``max``, a number or a tensor, by ``max``.

        Dtypes:
            ``input`` and ``max`` are computed in their common dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.
            max: Upper bound: a number or a tensor that broadcasts.

        >>> torch.clamp_max(torch.tensor([-2.0, 3.0]), 0)
        tensor([-2.,  0.])

        Defined in ``pellucid/ops/elementwise/conditional.py``.
        """
    def clamp_max_(self, max: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`clamp_max`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            max: Upper bound: a number or a tensor that broadcasts.

        Defined in ``pellucid/ops/elementwise/conditional.py``.
        """
    def clamp_min(self, min: Tensor | _int | _float | _complex) -> Tensor:
        """Replace what is below ``min``, a number or a tensor, by ``min``.

        Dtypes:
            ``input`` and ``min`` are computed in their common dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.
            min: Lower bound: a number or a tensor that broadcasts.

        >>> torch.clamp_min(torch.tensor([-2.0, 3.0]), 0)
        tensor([0., 3.])

        Defined in ``pellucid/ops/elementwise/conditional.py``.
        """
    def clamp_min_(self, min: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`clamp_min`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            min: Lower bound: a number or a tensor that broadcasts.

        Defined in ``pellucid/ops/elementwise/conditional.py``.
        """
    def clip(
        self,
        min: Tensor | _int | _float | _complex | None = None,
        max: Tensor | _int | _float | _complex | None = None,
    ) -> Tensor:
        """Replace what is below ``min`` by ``min`` and then what is above ``max`` by ``max``.

        Bounds are numbers or tensors. Raises RuntimeError without any bound.

        Dtypes:
            ``input``, ``min`` and ``max`` are computed in their common dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.
            min: Lower bound: a number, a tensor that broadcasts, or ``None``.
            max: Upper bound: a number, a tensor that broadcasts, or ``None``.

        >>> torch.clamp(torch.tensor([-2.0, 0.5, 3.0]), -1, 1)
        tensor([-1.0000,  0.5000,  1.0000])

        Defined in ``pellucid/ops/elementwise/conditional.py``.
        """
    def clip_(
        self,
        min: Tensor | _int | _float | _complex | None = None,
        max: Tensor | _int | _float | _complex | None = None,
    ) -> Tensor:
        """In-place version of :func:`clamp`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            min: Lower bound: a number, a tensor that broadcasts, or ``None``.
            max: Upper bound: a number, a tensor that broadcasts, or ``None``.

        Defined in ``pellucid/ops/elementwise/conditional.py``.
        """
    def clone(self, *, memory_format: _memory_format | None = None) -> Tensor:
        """Return a copy in memory of its own.

        Args:
            input: Tensor of any shape.
            memory_format: Order of the elements in memory.

        >>> torch.ones(2).clone()
        tensor([1., 1.])

        Defined in ``pellucid/ops/shape/copying.py``.
        """
    def coalesce(self) -> Tensor:
        """Raise RuntimeError: coalesce() is there for sparse coordinate tensors.

        Defined in ``pellucid/tensors/layouts.py``.
        """
    def col_indices(self) -> Tensor:
        """Raise RuntimeError: col_indices() is there for sparse row compressed tensors.

        Defined in ``pellucid/tensors/layouts.py``.
        """
    def conj(self) -> Tensor:
        """Return the complex conjugate; a real tensor is returned itself.

        Args:
            input: Tensor of any shape.

        >>> torch.conj(torch.tensor([1 + 2j]))
        tensor([1.-2.j])

        Defined in ``pellucid/ops/elementwise/complexes.py``.
        """
    def conj_physical(self) -> Tensor:
        """Return the complex conjugate.

        Args:
            input: Tensor of any shape.

        >>> torch.conj_physical(torch.tensor([1 + 2j]))
        tensor([1.-2.j])

        Defined in ``pellucid/ops/elementwise/complexes.py``.
        """
    def conj_physical_(self) -> Tensor:
        """In-place version of :func:`conj_physical`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/complexes.py``.
        """
    def const_data_ptr(self) -> _int:
        """Return the address of the first element; 0 where there are no values.

        Defined in ``pellucid/tensors/properties.py``.
        """
    def contiguous(self, *, memory_format: _memory_format | None = ...) -> Tensor:
        """Return the tensor itself if its elements are contiguous in memory, otherwise a copy.

        Args:
            input: Tensor of any shape.
            memory_format: Order of the elements in memory.

        >>> x = torch.ones(2, 3)
        >>> x.contiguous() is x, x.t().contiguous().stride()
        (True, (2, 1))

        Defined in ``pellucid/ops/shape/copying.py``.
        """
    def copy_(self, src: Tensor | _int | _float | _complex, non_blocking: _bool = False) -> Tensor:
        """In-place version of :func:`copy`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            src: Tensor whose values are copied; it broadcasts.
            non_blocking: Accepted as PyTorch does; it changes nothing.

        Defined in ``pellucid/ops/shape/copying.py``.
        """
    def copysign(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return the absolute value of ``input`` with the sign of ``other``.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Integers and booleans are computed in the default floating dtype.

        Args:
            other: Tensor or number that broadcasts with ``input``.
            input: Magnitudes: real tensor of any shape, or a number.

        >>> torch.copysign(torch.tensor([1.0, -2.0]), -3.0)
        tensor([-1., -2.])

        Defined in ``pellucid/ops/elementwise/signs.py``.
        """
    def copysign_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`copysign`: write the result into the first operand.

        Args:
            other: Tensor or number that broadcasts with ``input``.
            input: Magnitudes: real tensor of any shape, or a number.

        Defined in ``pellucid/ops/elementwise/signs.py``.
        """
    def corrcoef(self) -> Tensor:
        """Return the correlations of variables, one per row: ``[v, n]`` to ``[v, v]``.

        Args:
            input: Variables by observations ``[V, N]``, or one variable ``[N]``.

        Raises:
            RuntimeError: If the input has more than two dimensions.

        >>> torch.corrcoef(torch.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
        tensor([[ 1., -1.],
                [-1.,  1.]])

        Defined in ``pellucid/ops/reduce/covariance.py``.
        """
    def cos(self) -> Tensor:
        """Return the cosine of angles in radians.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.cos(torch.tensor([0.0, 1.0]))
        tensor([1.0000, 0.5403])

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def cos_(self) -> Tensor:
        """In-place version of :func:`cos`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def cosh(self) -> Tensor:
        """Return the hyperbolic cosine.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.cosh(torch.tensor([0.0, 1.0]))
        tensor([1.0000, 1.5431])

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def cosh_(self) -> Tensor:
        """In-place version of :func:`cosh`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def count_nonzero(self, dim: _int | Sequence[_int] | None = None) -> Tensor:
        """Count the elements that are not zero (int64), along dimensions or altogether.

        Args:
            input: Tensor of any shape.
            dim: Dimension or dimensions to reduce; all by default.

        >>> torch.count_nonzero(torch.tensor([0, 1, 2]))
        tensor(2)

        Defined in ``pellucid/ops/reduce/reductions.py``.
        """
    def cov(
        self,
        *,
        correction: _int = 1,
        fweights: Tensor | None = None,
        aweights: Tensor | None = None,
    ) -> Tensor:
        """Return the covariances of variables, one per row, with ``correction`` off the count.

        Shapes: ``[v, n]`` to ``[v, v]``. ``fweights`` says how often each observation occurs,
        ``aweights`` how much it counts. Raises RuntimeError for more than two dimensions.

        Args:
            input: Variables by observations ``[V, N]``, or one variable ``[N]``.
            correction: What is subtracted from the number of elements in the divisor.
            fweights: How often each observation counts (integers).
            aweights: Weight of each observation.

        >>> torch.cov(torch.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
        tensor([[ 1., -1.],
                [-1.,  1.]])

        Defined in ``pellucid/ops/reduce/covariance.py``.
        """
    def cpu(self, *, memory_format: _memory_format | None = None) -> Tensor:
        """Return the tensor itself if it is on the CPU; raise NotImplementedError without values.

        Args:
            memory_format: Order of the elements in memory; as it is by default.

        Defined in ``pellucid/tensors/conversions.py``.
        """
    def cross(self, other: Tensor | _int | _float | _complex, dim: _int | None = None) -> Tensor:
        """Return the cross product along a dimension, by default the first of size 3.

        Args:
            input: Tensor with a dimension of size 3.
            other: Tensor of vectors of three elements, of the shape of ``input``.
            dim: Dimension to work along; a negative one counts from the end.

        Raises:
            RuntimeError: If no dimension has size 3.

        >>> torch.cross(torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 1.0, 0.0]))
        tensor([0., 0., 1.])

        Defined in ``pellucid/ops/linalg/products.py``.
        """
    def crow_indices(self) -> Tensor:
        """Raise RuntimeError: crow_indices() is there for sparse row compressed tensors.

        Defined in ``pellucid/tensors/layouts.py``.
        """
    def cuda(
        self,
        device: _device | _str | _int | None = None,
        non_blocking: _bool = False,
        memory_format: _memory_format | None = None,
    ) -> Tensor:
        """Raise: pellucid computes on the CPU.

        Args:
            device: Device that is asked for.
            non_blocking: Accepted, and without effect.
            memory_format: Accepted, and without effect.

        Defined in ``pellucid/tensors/conversions.py``.
        """
    def cummax(self, dim: _int | Sequence[_int]) -> cummax_result:
        """Return running maxima along a dimension, and the indices (int64) where they occur.

        Args:
            input: Real tensor of any shape.
            dim: Dimension to work along; a negative one counts from the end.

        >>> torch.cummax(torch.tensor([1, 3, 2]), dim=0).values
        tensor([1, 3, 3])

        Defined in ``pellucid/ops/reduce/scan.py``.
        """
    def cummin(self, dim: _int | Sequence[_int]) -> cummin_result:
        """Return running minima along a dimension, and the indices (int64) where they occur.

        Args:
            input: Real tensor of any shape.
            dim: Dimension to work along; a negative one counts from the end.

        >>> torch.cummin(torch.tensor([3, 1, 2]), dim=0).values
        tensor([3, 1, 1])

        Defined in ``pellucid/ops/reduce/scan.py``.
        """
    def cumprod(self, dim: _int | Sequence[_int], *, dtype: _dtype | None = None) -> Tensor:
        """Return running products along a dimension.

        Args:
            input: Tensor of any shape.
            dim: Dimension to work along; a negative one counts from the end.
            dtype: Dtype of the result; by default that of the values.

        >>> torch.cumprod(torch.tensor([1, 2, 3]), dim=0)
        tensor([1, 2, 6])

        Defined in ``pellucid/ops/reduce/scan.py``.
        """
    def cumprod_(self, dim: _int | Sequence[_int], *, dtype: _dtype | None = None) -> Tensor:
        """In-place version of :func:`cumprod`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            dim: Dimension to work along; a negative one counts from the end.
            dtype: Dtype of the result; by default that of the values.

        Defined in ``pellucid/ops/reduce/scan.py``.
        """
    def cumsum(self, dim: _int | Sequence[_int], *, dtype: _dtype | None = None) -> Tensor:
        """Return running sums along a dimension.

        Args:
            input: Tensor of any shape.
            dim: Dimension to work along; a negative one counts from the end.
            dtype: Dtype of the result; by default that of the values.

        >>> torch.cumsum(torch.tensor([1, 2, 3]), dim=0)
        tensor([1, 3, 6])

        Defined in ``pellucid/ops/reduce/scan.py``.
        """
    def cumsum_(self, dim: _int | Sequence[_int], *, dtype: _dtype | None = None) -> Tensor:
        """In-place version of :func:`cumsum`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            dim: Dimension to work along; a negative one counts from the end.
            dtype: Dtype of the result; by default that of the values.

        Defined in ``pellucid/ops/reduce/scan.py``.
        """
    def data_ptr(self) -> _int:
        """Return the address of the first element; 0 where there are no values.

        Defined in ``pellucid/tensors/properties.py``.
        """
    def deg2rad(self) -> Tensor:
        """Convert degrees to radians.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.

        >>> torch.deg2rad(torch.tensor([180.0, 90.0]))
        tensor([3.1416, 1.5708])

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def deg2rad_(self) -> Tensor:
        """In-place version of :func:`deg2rad`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def dense_dim(self) -> _int:
        """Return the number of dimensions: all are dense.

        Defined in ``pellucid/tensors/layouts.py``.
        """
    def det(self) -> Tensor:
        """Return the determinants of square matrices: ``[*, n, n]`` to ``[*]``.

        Args:
            A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.

        >>> torch.linalg.det(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
        tensor(-2.)

        Defined in ``pellucid/ops/linalg/determinants.py``.
        """
    def diag(self, diagonal: _int = 0) -> Tensor:
        """Return a matrix's diagonal, or a matrix with a vector on its diagonal.

        Raises RuntimeError for other numbers of dimensions.

        Args:
            input: Vector ``[n]`` or matrix ``[n, m]``.
            diagonal: Which diagonal: 0 is the main one, positive numbers lie above it.

        >>> torch.diag(torch.tensor([1, 2]), 1)
        tensor([[0, 1, 0],
                [0, 0, 2],
                [0, 0, 0]])

        Defined in ``pellucid/ops/shape/diagonal.py``.
        """
    def diag_embed(self, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
        """Make matrices that have the vectors of the last dimension on a diagonal, zeros elsewhere.

        Args:
            input: Vectors ``[*, n]``.
            offset: Which diagonal: 0 is the main one, positive numbers lie above it, negative
                ones below.
            dim1: First of the two dimensions.
            dim2: Second of the two dimensions.

        Raises:
            RuntimeError: If ``dim1`` and ``dim2`` are the same dimension.

        >>> torch.diag_embed(torch.tensor([1, 2]))
        tensor([[1, 0],
                [0, 2]])

        Defined in ``pellucid/ops/shape/diagonal.py``.
        """
    def diagflat(self, offset: _int = 0) -> Tensor:
        """Make a matrix with all elements on a diagonal.

        Args:
            input: Tensor of any shape.
            offset: Which diagonal: 0 is the main one, positive numbers lie above it, negative
                ones below.

        >>> torch.diagflat(torch.tensor([[1], [2]]))
        tensor([[1, 0],
                [0, 2]])

        Defined in ``pellucid/ops/shape/diagonal.py``.
        """
    def diagonal(self, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
        """Return a view of a diagonal of two dimensions, as the last dimension.

        Args:
            input: Tensor of at least two dimensions.
            offset: Which diagonal: 0 is the main one, positive numbers lie above it, negative
                ones below.
            dim1: First of the two dimensions.
            dim2: Second of the two dimensions.

        >>> torch.arange(4).view(2, 2).diagonal()
        tensor([0, 3])

        Defined in ``pellucid/ops/shape/diagonal.py``.
        """
    def diagonal_scatter(
        self,
        src: Tensor | _int | _float | _complex,
        offset: _int = 0,
        dim1: _int = 0,
        dim2: _int = 1,
    ) -> Tensor:
        """Return a copy with other values on a diagonal.

        Args:
            input: Tensor of at least two dimensions.
            offset: Which diagonal: 0 is the main one, positive numbers lie above it, negative
                ones below.
            dim1: First of the two dimensions.
            dim2: Second of the two dimensions.
            src: Tensor with the values to write.

        Raises:
            RuntimeError: If ``src`` does not have the shape of the diagonal.

        >>> torch.diagonal_scatter(torch.zeros(2, 2), torch.ones(2))
        tensor([[1., 0.],
                [0., 1.]])

        Defined in ``pellucid/ops/index/slice_scatter.py``.
        """
    def diff(
        self,
        n: Tensor | _int | _float | _complex = 1,
        dim: _int = -1,
        prepend: Tensor | None = None,
        append: Tensor | None = None,
    ) -> Tensor:
        """Return the differences of neighbours along a dimension, taken ``n`` times.

        ``prepend`` and ``append`` are joined to the input first; ``n`` = 0 copies the input alone.
        Raises RuntimeError for a negative ``n``, and where what is joined has other dimensions.

        Args:
            input: Tensor of at least one dimension.
            n: How often to take differences.
            dim: Dimension to work along; a negative one counts from the end.
            prepend: Tensor put before ``input`` along ``dim``.
            append: Tensor put after ``input`` along ``dim``.

        >>> torch.diff(torch.tensor([1, 3, 6]))
        tensor([2, 3])

        Defined in ``pellucid/ops/reduce/scan.py``.
        """
    def digamma(self) -> Tensor:
        """Return the derivative of `lgamma`.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.

        >>> torch.digamma(torch.tensor([1.0, 2.0]))
        tensor([-0.5772,  0.4228])

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def digamma_(self) -> Tensor:
        """In-place version of :func:`digamma`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def dim(self) -> _int:
        """Return the number of dimensions.

        Defined in ``pellucid/tensors/properties.py``.
        """
    def dim_order(self, *, ambiguity_check: Any = False) -> tuple[_int, ...]:
        """Return the dimensions in the order of their steps in memory, the longest step first.

        With ``ambiguity_check``, raises RuntimeError if steps are equal, or, for a list of memory
        formats, if not exactly one of them applies.

        Defined in ``pellucid/tensors/dlpack.py``.
        """
    def dist(
        self, other: Tensor | _int | _float | _complex, p: _int | _float | _complex = 2
    ) -> Tensor:
        """Return the p-norm of the difference.

        Args:
            input: Floating point or complex tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.
            p: Order of the norm.

        >>> torch.dist(torch.tensor([3.0, 4.0]), torch.zeros(2))
        tensor(5.)

        Defined in ``pellucid/ops/reduce/statistics.py``.
        """
    def div(
        self,
        other: Tensor | _int | _float | _complex,
        *,
        rounding_mode: Literal["trunc", "floor"] | None = None,
    ) -> Tensor:
        """Divide element by element, with broadcasting.

        Integers give floating-point quotients, unless ``rounding_mode`` is "floor" or "trunc". Raises
        RuntimeError for integers divided by zero in such a mode.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.
            rounding_mode: ``None`` for a true quotient, ``"trunc"`` towards zero, ``"floor"``
                down.

        >>> torch.div(torch.tensor([7, -7]), 2)
        tensor([ 3.5000, -3.5000])
        >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="floor")
        tensor([ 3, -4])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def div_(
        self,
        other: Tensor | _int | _float | _complex,
        *,
        rounding_mode: Literal["trunc", "floor"] | None = None,
    ) -> Tensor:
        """In-place version of :func:`div`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.
            rounding_mode: ``None`` for a true quotient, ``"trunc"`` towards zero, ``"floor"``
                down.

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def divide(
        self,
        other: Tensor | _int | _float | _complex,
        *,
        rounding_mode: Literal["trunc", "floor"] | None = None,
    ) -> Tensor:
        """Divide element by element, with broadcasting.

        Integers give floating-point quotients, unless ``rounding_mode`` is "floor" or "trunc". Raises
        RuntimeError for integers divided by zero in such a mode.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.
            rounding_mode: ``None`` for a true quotient, ``"trunc"`` towards zero, ``"floor"``
                down.

        >>> torch.div(torch.tensor([7, -7]), 2)
        tensor([ 3.5000, -3.5000])
        >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="floor")
        tensor([ 3, -4])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def divide_(
        self,
        other: Tensor | _int | _float | _complex,
        *,
        rounding_mode: Literal["trunc", "floor"] | None = None,
    ) -> Tensor:
        """In-place version of :func:`div`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.
            rounding_mode: ``None`` for a true quotient, ``"trunc"`` towards zero, ``"floor"``
                down.

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def dot(self, tensor: Tensor) -> Tensor:
        """Multiply two vectors element by element and add up.

        Args:
            input: Vector ``[N]``.
            tensor: Vector ``[N]``.

        Raises:
            RuntimeError: If a tensor is not a vector, or the lengths differ.

        >>> torch.dot(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
        tensor(11.)

        Defined in ``pellucid/ops/linalg/matmul.py``.
        """
    def dsplit(self, indices_or_sections: _int | Sequence[_int] | Tensor) -> tuple[Tensor, ...]:
        """Split a tensor along dimension 2.

        Args:
            input: Tensor of at least three dimensions.
            indices_or_sections: Number of equal parts, or the indices at which to cut.

        >>> [part.shape for part in torch.dsplit(torch.ones(1, 1, 2), 2)]
        [torch.Size([1, 1, 1]), torch.Size([1, 1, 1])]

        Defined in ``pellucid/ops/shape/splitting.py``.
        """
    def element_size(self) -> _int:
        """Return the bytes of one element.

        Defined in ``pellucid/tensors/properties.py``.
        """
    def eq(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return a bool tensor, True where the elements are equal.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.eq(torch.tensor([1, 2]), 2)
        tensor([False,  True])

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def eq_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`eq`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def equal(self, other: Tensor | _int | _float | _complex) -> _bool:
        """Return whether two tensors have the same shape and equal elements.

        Args:
            input: Tensor of any shape.
            other: Tensor of any shape.

        Raises:
            TypeError: If an argument is not a tensor.

        >>> torch.equal(torch.tensor([1, 2]), torch.tensor([1, 2]))
        True

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def erf(self) -> Tensor:
        """Return the error function.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.

        >>> torch.erf(torch.tensor([0.0, 1.0]))
        tensor([0.0000, 0.8427])

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def erf_(self) -> Tensor:
        """In-place version of :func:`erf`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def erfc(self) -> Tensor:
        """Return ``1 - erf(input)``, exact also where that is small.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.

        >>> torch.erfc(torch.tensor([0.0, 1.0]))
        tensor([1.0000, 0.1573])

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def erfc_(self) -> Tensor:
        """In-place version of :func:`erfc`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def erfinv(self) -> Tensor:
        """Return the inverse of the error function, NaN beyond -1 and 1.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.

        >>> torch.erfinv(torch.tensor([0.0, 0.5]))
        tensor([0.0000, 0.4769])

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def erfinv_(self) -> Tensor:
        """In-place version of :func:`erfinv`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def exp(self) -> Tensor:
        """Return e to the power of the elements.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.exp(torch.tensor([0.0, 1.0]))
        tensor([1.0000, 2.7183])

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def exp2(self) -> Tensor:
        """Return 2 to the power of the elements.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.exp2(torch.tensor([0.0, 3.0]))
        tensor([1., 8.])

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def exp2_(self) -> Tensor:
        """In-place version of :func:`exp2`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def exp_(self) -> Tensor:
        """In-place version of :func:`exp`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def expand(
        self,
        *sizes: _int | Sequence[_int],
        size: _int | Sequence[_int] | None = None,
        implicit: _bool = False,
    ) -> Tensor:
        """Stretch dimensions of size 1 without copying; -1 leaves a size as it is.

        Args:
            sizes: Sizes, one by one or as a sequence; new dimensions come first.
            size: The same as a sequence.
            implicit: Accepted, and without effect.

        Defined in ``pellucid/tensors/resizing.py``.
        """
    def expand_as(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Stretch a tensor to the shape of another.

        Args:
            input: Tensor of any shape.
            other: Tensor of the shape.

        >>> torch.ones(1).expand_as(torch.zeros(3))
        tensor([1., 1., 1.])

        Defined in ``pellucid/ops/shape/broadcasting.py``.
        """
    def expm1(self) -> Tensor:
        """Return ``exp(input) - 1``, exact also near 0.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.expm1(torch.tensor([0.0, 1.0]))
        tensor([0.0000, 1.7183])

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def expm1_(self) -> Tensor:
        """In-place version of :func:`expm1`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def exponential_(self, lambd: _float = 1.0, *, generator: Generator | None = None) -> Tensor:
        """Fill the tensor from the exponential distribution of rate ``lambd``.

        Defined in ``pellucid/ops/random/sampling.py``.
        """
    def fill_(self, value: _int | _float | _complex | Tensor) -> Tensor:
        """Write one value, a number or a 0-d tensor, over all elements.

        Defined in ``pellucid/tensors/inplace_methods.py``.
        """
    def fill_diagonal_(self, fill_value: _int | _float | _complex, wrap: _bool = False) -> Tensor:
        """Write a number over the diagonal; with ``wrap`` over the others of a tall matrix too.

        Raises RuntimeError for less than two dimensions, and for more of different sizes.

        Defined in ``pellucid/tensors/inplace_methods.py``.
        """
    def fix(self) -> Tensor:
        """Round towards zero; the gradient is 0.

        Dtypes:
            Booleans and complex numbers are refused.

        Args:
            input: Tensor of any shape.

        >>> torch.trunc(torch.tensor([1.5, -1.5]))
        tensor([ 1., -1.])

        Defined in ``pellucid/ops/elementwise/rounding.py``.
        """
    def fix_(self) -> Tensor:
        """In-place version of :func:`trunc`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/rounding.py``.
        """
    def flatten(self, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
        """Join the dimensions from ``start_dim`` to ``end_dim`` into one.

        Args:
            input: Tensor of any shape.
            start_dim: First dimension to flatten.
            end_dim: Last dimension to flatten.

        Raises:
            RuntimeError: If ``start_dim`` comes after ``end_dim``.

        >>> torch.ones(2, 3, 4).flatten(1).shape
        torch.Size([2, 12])

        Defined in ``pellucid/ops/shape/views.py``.
        """
    def flip(
        self, *positions: _int | Sequence[_int], dims: _int | Sequence[_int] | None = None
    ) -> Tensor:
        """Reverse the order along dimensions, given one by one or as a sequence.

        Args:
            places: Dimensions to reverse.
            dims: The same as a sequence.

        Defined in ``pellucid/ops/shape/diagonal.py``.
        """
    def fliplr(self) -> Tensor:
        """Reverse the order along dimension 1.

        Args:
            input: Tensor of at least two dimensions.

        Raises:
            RuntimeError: If the tensor has fewer than two dimensions.

        >>> torch.fliplr(torch.tensor([[1, 2]]))
        tensor([[2, 1]])

        Defined in ``pellucid/ops/shape/diagonal.py``.
        """
    def flipud(self) -> Tensor:
        """Reverse the order along dimension 0.

        Args:
            input: Tensor of at least one dimension.

        Raises:
            RuntimeError: If the tensor has no dimensions.

        >>> torch.flipud(torch.tensor([1, 2]))
        tensor([2, 1])

        Defined in ``pellucid/ops/shape/diagonal.py``.
        """
    def float_power(self, exponent: Tensor | _complex) -> Tensor:
        """Raise to a power in double precision; either operand may be a number.

        Args:
            input: Base: a tensor or a number.
            exponent: Tensor or number; the base broadcasts with it.

        >>> torch.float_power(torch.tensor([1, 2, 3]), 2)
        tensor([1., 4., 9.], dtype=torch.float64)

        Defined in ``pellucid/ops/elementwise/powers.py``.
        """
    def float_power_(self, exponent: Tensor | _int | _float | _complex) -> Tensor:
        """Raise to a power in place; raise RuntimeError for a base that is not in double precision.

        Defined in ``pellucid/tensors/inplace_methods.py``.
        """
    def floor(self) -> Tensor:
        """Round down; the gradient is 0.

        Dtypes:
            Booleans and complex numbers are refused.

        Args:
            input: Tensor of any shape.

        >>> torch.floor(torch.tensor([1.5, -1.5]))
        tensor([ 1., -2.])

        Defined in ``pellucid/ops/elementwise/rounding.py``.
        """
    def floor_(self) -> Tensor:
        """In-place version of :func:`floor`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/rounding.py``.
        """
    def floor_divide(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Divide and round down.

        Raises RuntimeError for integers divided by zero, and on the way back: as in PyTorch, there is
        no derivative; ``div`` with ``rounding_mode="floor"`` has one.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Booleans and complex numbers are refused.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.floor_divide(torch.tensor([7, -7]), 2)
        tensor([ 3, -4])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def floor_divide_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`floor_divide`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def fmax(self, other: Tensor) -> Tensor:
        """Return the greater of two elements; where one is NaN, the other.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.

        Raises:
            RuntimeError: For complex numbers.

        >>> torch.fmax(torch.tensor([1.0, torch.nan]), torch.tensor([3.0, 2.0]))
        tensor([3., 2.])

        Defined in ``pellucid/ops/elementwise/extrema.py``.
        """
    def fmin(self, other: Tensor) -> Tensor:
        """Return the smaller of two elements; where one is NaN, the other.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.

        Raises:
            RuntimeError: For complex numbers.

        >>> torch.fmin(torch.tensor([1.0, torch.nan]), torch.tensor([3.0, 2.0]))
        tensor([1., 2.])

        Defined in ``pellucid/ops/elementwise/extrema.py``.
        """
    def fmod(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return what is left by a division rounded towards zero; it has the sign of the dividend.

        Raises RuntimeError for integers divided by zero.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.fmod(torch.tensor([7.0, -7.0]), 4)
        tensor([ 3., -3.])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def fmod_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`fmod`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def frac(self) -> Tensor:
        """Return what rounding towards zero leaves.

        Dtypes:
            Booleans, integers and complex numbers are refused.

        Args:
            input: Tensor of any shape.

        >>> torch.frac(torch.tensor([1.5, -1.5]))
        tensor([ 0.5000, -0.5000])

        Defined in ``pellucid/ops/elementwise/rounding.py``.
        """
    def frac_(self) -> Tensor:
        """In-place version of :func:`frac`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/rounding.py``.
        """
    def frexp(self) -> frexp_result:
        """Return mantissas of size in [0.5, 1) and int32 exponents, with ``mantissa * 2 ** exponent``.

        Zeros, infinities and NaN are their own mantissas. Raises RuntimeError for what is not of a real
        floating-point dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.frexp(torch.tensor([3.0])).mantissa
        tensor([0.7500])

        Defined in ``pellucid/ops/elementwise/floating.py``.
        """
    def gather(
        self, dim: _int | Sequence[_int], index: Tensor, *, sparse_grad: _bool = False
    ) -> Tensor:
        """Read ``input[index[i][j]][j]`` (for ``dim=0``): one element along ``dim`` per index.

        ``index`` has as many dimensions as ``input`` and, but for ``dim``, is no larger. Raises
        RuntimeError for an index that is out of bounds.

        Args:
            input: Tensor with as many dimensions as ``index``.
            dim: Dimension that ``index`` counts along.
            index: Indices (int64) along ``dim``; the result has their shape.
            sparse_grad: Whether the gradient would be sparse; here it is dense.

        >>> torch.gather(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([[0, 0], [1, 0]]))
        tensor([[1, 1],
                [4, 3]])

        Defined in ``pellucid/ops/index/scatter.py``.
        """
    def gcd(self, other: Tensor) -> Tensor:
        """Return the greatest common divisors of integers; that of 0 and 0 is 0.

        Raises NotImplementedError for booleans, floating-point and complex numbers.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Booleans, floating-point numbers and complex numbers are refused.

        Args:
            input: Integer tensor of any shape.
            other: Integer tensor or number that broadcasts with ``input``.

        >>> torch.gcd(torch.tensor([12, -18]), torch.tensor([18, 12]))
        tensor([6, 6])

        Defined in ``pellucid/ops/elementwise/integers.py``.
        """
    def gcd_(self, other: Tensor) -> Tensor:
        """In-place version of :func:`gcd`: write the result into the first operand.

        Args:
            input: Integer tensor of any shape.
            other: Integer tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/integers.py``.
        """
    def ge(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return a bool tensor, True where the first is at least the second.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.ge(torch.tensor([1, 2, 3]), 2)
        tensor([False,  True,  True])

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def ge_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`ge`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def geometric_(
        self, p: _int | _float | _complex, *, generator: Generator | None = None
    ) -> Tensor:
        """Fill the tensor with the number of trials until the first success of probability ``p``.

        Defined in ``pellucid/ops/random/sampling.py``.
        """
    def geqrf(self) -> geqrf_result:
        """Return a QR decomposition as LAPACK leaves it: ``R`` above, reflections below, their factors.

        Args:
            input: Matrices ``[*, m, n]``, float32, float64 or complex.

        >>> torch.geqrf(torch.eye(2)).tau
        tensor([0., 0.])

        Defined in ``pellucid/ops/linalg/householder.py``.
        """
    def ger(self, vec2: Tensor) -> Tensor:
        """Multiply every element of one vector by every element of another: ``[n], [m]`` to ``[n, m]``.

        Args:
            input: Vector ``[N]``.
            vec2: Vector ``[M]``.

        Raises:
            RuntimeError: If a tensor is not a vector.

        >>> torch.outer(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
        tensor([[3., 4.],
                [6., 8.]])

        Defined in ``pellucid/ops/linalg/matmul.py``.
        """
    def get_device(self) -> _int:
        """Return the number of the device: -1 for the CPU.

        Defined in ``pellucid/tensors/properties.py``.
        """
    def greater(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return a bool tensor, True where the first is greater than the second.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.gt(torch.tensor([2, 3]), 2)
        tensor([False,  True])

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def greater_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`gt`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def greater_equal(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return a bool tensor, True where the first is at least the second.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.ge(torch.tensor([1, 2, 3]), 2)
        tensor([False,  True,  True])

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def greater_equal_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`ge`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def gt(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return a bool tensor, True where the first is greater than the second.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.gt(torch.tensor([2, 3]), 2)
        tensor([False,  True])

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def gt_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`gt`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def hardshrink(self, lambd: _int | _float | _complex | Tensor = 0.5) -> Tensor:
        """Replace what lies between ``-lambd`` and ``lambd`` by 0.

        Dtypes:
            Booleans, integers and complex numbers are refused.

        Args:
            input: Tensor of any shape.
            lambd: Half the width of the interval that becomes 0.

        >>> torch.nn.functional.hardshrink(torch.tensor([0.2, -2.0]))
        tensor([ 0., -2.])

        Defined in ``pellucid/ops/nn/activation.py``.
        """
    def hash_tensor(
        self,
        dim: _int | Sequence[_int] | None = None,
        *,
        keepdim: _bool = False,
        mode: _int | _float | _complex | Tensor = 0,
    ) -> Tensor:
        """Return a hash of the elements, as uint64, along dimensions or altogether.

        Elements are widened to 64 bits, as int64 or float64, and their bits combined by exclusive or.

        Args:
            input, dim, keepdim: As for `sum`.
            mode: Which hash; 0 is the only one.

        Raises:
            NotImplementedError: If the elements are complex, or unsigned integers of more than 8 bits.

        >>> torch.hash_tensor(torch.tensor([[1, 2], [4, 4]]), dim=1)
        tensor([3, 0], dtype=torch.uint64)

        Defined in ``pellucid/ops/reduce/hashing.py``.
        """
    def heaviside(self, values: Tensor) -> Tensor:
        """Return 0 for negative elements and NaN, 1 for positive ones, and ``values`` at 0.

        Raises RuntimeError for different dtypes, for complex numbers, and on the way back: as in
        PyTorch, there is no derivative.

        Dtypes:
            ``input`` and ``values`` are computed in their common dtype.

        Args:
            input: Tensor of any shape.
            values: Result where ``input`` is 0; it broadcasts.

        >>> torch.heaviside(torch.tensor([-1.0, 0.0, 2.0]), torch.tensor([0.5]))
        tensor([0.0000, 0.5000, 1.0000])

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def heaviside_(self, values: Tensor) -> Tensor:
        """In-place version of :func:`heaviside`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            values: Result where ``input`` is 0; it broadcasts.

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def histc(
        self,
        bins: _int = 100,
        min: _int | _float | _complex | Tensor = 0,
        max: _int | _float | _complex | Tensor = 0,
    ) -> Tensor:
        """Count the elements in each of ``bins`` equal intervals from ``min`` to ``max``.

        With ``min == max`` the interval is that of the elements.

        Args:
            input: Floating-point tensor of any shape.
            bins: Number of bins, or their edges.
            min: Lower edge of the histogram.
            max: Upper edge of the histogram.

        Raises:
            RuntimeError: If the input is not floating point, ``bins`` is not positive, or ``max`` is
                below ``min``.

        >>> torch.histc(torch.tensor([1.0, 2.0, 1.0]), bins=2, min=0, max=3)
        tensor([2., 1.])

        Defined in ``pellucid/ops/reduce/sort.py``.
        """
    def histogram(
        self,
        bins: _int | Tensor = 100,
        *,
        range: Any = None,
        weight: Tensor | None = None,
        density: _bool = False,
    ) -> histogram_result:
        """Count the elements in bins; return the counts and the edges of the bins.

        ``bins`` is how many there are of equal width over ``range`` (from the smallest element to the
        largest, if it is not given), or a vector of edges that rise. ``weight`` has the shape of the
        input; ``density`` makes the integral over the bins 1. As in PyTorch there is no derivative.
        Raises RuntimeError for bins, ranges and weights that do not fit.

        Args:
            input: Floating point tensor of any shape.
            bins: Number of bins, or their edges.
            range: Lowest and highest edge of the bins.
            weight: Weight of each element, or ``None``.
            density: Whether the counts are scaled to a probability density.

        >>> torch.histogram(torch.tensor([1.0, 2.0, 1.0]), bins=4, range=(0.0, 3.0)).hist
        tensor([0., 2., 1., 0.])

        Defined in ``pellucid/ops/reduce/histograms.py``.
        """
    def hsplit(self, indices_or_sections: _int | Sequence[_int] | Tensor) -> tuple[Tensor, ...]:
        """Split a tensor along dimension 1, or along dimension 0 of a vector.

        Args:
            input: Tensor of at least one dimension.
            indices_or_sections: Number of equal parts, or the indices at which to cut.

        >>> torch.hsplit(torch.arange(4), 2)
        (tensor([0, 1]), tensor([2, 3]))

        Defined in ``pellucid/ops/shape/splitting.py``.
        """
    def hypot(self, other: Tensor) -> Tensor:
        """Return the length of the hypotenuse over two legs.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Booleans and integers are refused.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.

        >>> torch.hypot(torch.tensor([3.0]), torch.tensor([4.0]))
        tensor([5.])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def hypot_(self, other: Tensor) -> Tensor:
        """In-place version of :func:`hypot`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def i0(self) -> Tensor:
        """Return the modified Bessel function of the first kind, of order 0.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.

        >>> torch.special.i0(torch.tensor([1.0]))
        tensor([1.2661])

        Defined in ``pellucid/ops/elementwise/special_functions.py``.
        """
    def i0_(self) -> Tensor:
        """In-place version of :func:`i0`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/special_functions.py``.
        """
    def igamma(self, other: Tensor) -> Tensor:
        """Return the regularized lower incomplete gamma function with parameter ``input``.

        Raises NotImplementedError for integers, and on the way back where ``input`` requires grad.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Booleans, integers and complex numbers are refused.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.

        >>> torch.igamma(torch.tensor([1.0]), torch.tensor([1.0]))
        tensor([0.6321])

        Defined in ``pellucid/ops/elementwise/special_functions.py``.
        """
    def igamma_(self, other: Tensor) -> Tensor:
        """In-place version of :func:`igamma`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/special_functions.py``.
        """
    def igammac(self, other: Tensor) -> Tensor:
        """Return the regularized upper incomplete gamma function with parameter ``input``.

        Raises NotImplementedError for integers, and on the way back where ``input`` requires grad.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Booleans, integers and complex numbers are refused.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.

        >>> torch.igammac(torch.tensor([1.0]), torch.tensor([1.0]))
        tensor([0.3679])

        Defined in ``pellucid/ops/elementwise/special_functions.py``.
        """
    def igammac_(self, other: Tensor) -> Tensor:
        """In-place version of :func:`igammac`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/special_functions.py``.
        """
    @property
    def imag(self) -> Tensor: ...
    @imag.setter
    def imag(self, value: Any) -> None: ...
    def index_add(
        self,
        dim: _int | Sequence[_int],
        index: Tensor,
        source: Tensor,
        *,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """Return a copy with ``alpha`` times the slices of ``source`` added at a vector of indices.

        Args:
            input: Tensor of at least one dimension.
            dim: Dimension that ``index`` counts along.
            index: Vector of indices (int64) along ``dim``.
            source: Slices to add: the shape of ``input``, with one slice per index along ``dim``.
            alpha: Number that multiplies ``source``.

        Raises:
            RuntimeError: If the dtypes of ``input`` and ``source`` differ.

        >>> torch.index_add(torch.zeros(2), 0, torch.tensor([1, 1]), torch.ones(2))
        tensor([0., 2.])

        Defined in ``pellucid/ops/index/index_slices.py``.
        """
    def index_add_(
        self,
        dim: _int | Sequence[_int],
        index: Tensor,
        source: Tensor,
        *,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """In-place version of :func:`index_add`: write the result into the first operand.

        Args:
            input: Tensor of at least one dimension.
            dim: Dimension that ``index`` counts along.
            index: Vector of indices (int64) along ``dim``.
            source: Slices to add: the shape of ``input``, with one slice per index along ``dim``.
            alpha: Number that multiplies ``source``.

        Defined in ``pellucid/ops/index/index_slices.py``.
        """
    def index_copy(self, dim: _int | Sequence[_int], index: Tensor, source: Tensor) -> Tensor:
        """Return a copy with the slices of ``source`` at a vector of indices.

        Args:
            input: Tensor of at least one dimension.
            dim: Dimension that ``index`` counts along.
            index: Vector of indices (int64) along ``dim``.
            source: Slices to write: the shape of ``input``, with one slice per index along ``dim``.

        Raises:
            RuntimeError: If the dtypes of ``input`` and ``source`` differ.

        >>> torch.index_copy(torch.zeros(3), 0, torch.tensor([1]), torch.ones(1))
        tensor([0., 1., 0.])

        Defined in ``pellucid/ops/index/index_slices.py``.
        """
    def index_copy_(self, dim: _int | Sequence[_int], index: Tensor, source: Tensor) -> Tensor:
        """In-place version of :func:`index_copy`: write the result into the first operand.

        Args:
            input: Tensor of at least one dimension.
            dim: Dimension that ``index`` counts along.
            index: Vector of indices (int64) along ``dim``.
            source: Slices to write: the shape of ``input``, with one slice per index along ``dim``.

        Defined in ``pellucid/ops/index/index_slices.py``.
        """
    def index_fill(
        self, dim: _int, index: Tensor, value: _int | _float | _complex | Tensor
    ) -> Tensor:
        """Return a copy with one number in the slices at a vector of indices.

        Args:
            input: Tensor of at least one dimension.
            dim: Dimension that ``index`` counts along.
            index: Indices (int64) along ``dim``.
            value: Number to write.

        >>> torch.index_fill(torch.zeros(3), 0, torch.tensor([0, 2]), 7)
        tensor([7., 0., 7.])

        Defined in ``pellucid/ops/index/index_slices.py``.
        """
    def index_fill_(
        self, dim: _int, index: Tensor, value: _int | _float | _complex | Tensor
    ) -> Tensor:
        """Write one number into the slices at a vector of indices.

        Defined in ``pellucid/ops/index/index_slices.py``.
        """
    def index_put(
        self, indices: Tensor, values: Tensor | _int | _float | _complex, accumulate: _bool = False
    ) -> Tensor:
        """Return a copy with ``values`` at the indices; with ``accumulate`` they are added.

        Args:
            input: Tensor of any shape.
            indices: One tensor of indices or booleans for each indexed dimension.
            values: Tensor with the values to write.
            accumulate: Whether values are added to what is there rather than written over it.

        >>> torch.index_put(torch.zeros(3), (torch.tensor([1]),), torch.ones(1))
        tensor([0., 1., 0.])

        Defined in ``pellucid/ops/index/indexing.py``.
        """
    def index_put_(
        self, indices: Tensor, values: Tensor | _int | _float | _complex, accumulate: _bool = False
    ) -> Tensor:
        """Write ``values`` at the indices; with ``accumulate`` they are added, repeated ones too.

        Defined in ``pellucid/ops/index/indexing.py``.
        """
    def index_reduce(
        self, dim: _int, index: Tensor, source: Tensor, reduce: _str, *, include_self: _bool = True
    ) -> Tensor:
        """Return a copy with the slices of ``source`` reduced into it at a vector of indices.

        ``reduce`` is prod, mean, amax or amin; without ``include_self`` what was there does not count.
        Raises RuntimeError for another name, and IndexError for indices that are not there.

        Args:
            input: Tensor of at least one dimension.
            dim: Dimension to work along; a negative one counts from the end.
            index: Indices (int64) along ``dim``.
            source: Tensor with the values to read.
            reduce: ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
            include_self: Whether the values that are there take part.

        >>> x, index = torch.tensor([1.0, 2.0]), torch.tensor([0, 0])
        >>> torch.index_reduce(x, 0, index, torch.tensor([5.0, 3.0]), "amax")
        tensor([5., 2.])

        Defined in ``pellucid/ops/index/index_misc.py``.
        """
    def index_reduce_(
        self, dim: _int, index: Tensor, source: Tensor, reduce: _str, *, include_self: _bool = True
    ) -> Tensor:
        """Reduce the slices of ``source`` into this tensor at a vector of indices.

        Defined in ``pellucid/ops/index/index_misc.py``.
        """
    def index_select(self, dim: _int | Sequence[_int], index: Tensor) -> Tensor:
        """Return the slices at a vector of indices along a dimension.

        Raises IndexError for indices that are not there, negative ones among them.

        Args:
            input: Tensor of at least one dimension.
            dim: Dimension that ``index`` counts along.
            index: Vector of indices (int64) along ``dim``.

        >>> torch.index_select(torch.tensor([5, 6, 7]), 0, torch.tensor([2, 2, 0]))
        tensor([7, 7, 5])

        Defined in ``pellucid/ops/index/index_slices.py``.
        """
    def indices(self) -> Tensor:
        """Raise RuntimeError: indices() is there for sparse coordinate tensors.

        Defined in ``pellucid/tensors/layouts.py``.
        """
    def inner(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Sum products over the last dimension of both: ``[*A, k], [*B, k]`` to ``[*A, *B]``.

        Args:
            input: Tensor ``[*A, k]``, or without dimensions.
            other: Tensor with a last dimension of the same size, or without dimensions.

        Raises:
            RuntimeError: If the sizes of the last dimensions differ.

        >>> torch.inner(torch.ones(2, 3), torch.ones(4, 3)).shape
        torch.Size([2, 4])

        Defined in ``pellucid/ops/linalg/matmul.py``.
        """
    def inverse(self) -> Tensor:
        """Return the inverses of square matrices; see `linalg.inv`.

        Args:
            input: Square matrices ``[*, n, n]``, floating point or complex.

        >>> torch.inverse(torch.eye(1) * 2)
        tensor([[0.5000]])

        Defined in ``pellucid/ops/linalg/solving.py``.
        """
    def is_coalesced(self) -> Tensor:
        """Raise RuntimeError: is_coalesced() is there for sparse coordinate tensors.

        Defined in ``pellucid/tensors/layouts.py``.
        """
    def is_complex(self) -> _bool:
        """Return whether the dtype is complex.

        Args:
            input: Tensor of any shape.

        >>> torch.is_complex(torch.ones(1))
        False

        Defined in ``pellucid/tensors/properties.py``.
        """
    def is_conj(self) -> _bool:
        """Return False: the conjugate and the negative are always computed at once.

        Args:
            input: Tensor of any shape and dtype.

        >>> torch.tensor(1j).conj().is_conj()
        False

        Defined in ``pellucid/ops/elementwise/complexes.py``.
        """
    def is_contiguous(self, *, memory_format: _memory_format | None = ...) -> _bool:
        """Return whether the elements lie in memory one after the other.

        Args:
            memory_format: Order of the dimensions in memory that is asked about.

        Defined in ``pellucid/tensors/properties.py``.
        """
    def is_distributed(self) -> _bool:
        """Return False: no tensor is spread over several processes.

        Args:
            input: Tensor of any shape.

        >>> torch.is_distributed(torch.ones(1))
        False

        Defined in ``pellucid/tensors/dlpack.py``.
        """
    def is_floating_point(self) -> _bool:
        """Return whether the dtype is one of floating point.

        Args:
            input: Tensor of any shape.

        >>> torch.is_floating_point(torch.ones(1))
        True

        Defined in ``pellucid/tensors/properties.py``.
        """
    def is_inference(self) -> _bool:
        """Return whether the tensor was made in inference mode.

        Args:
            self: Tensor of any shape and dtype.

        >>> torch.is_inference(torch.ones(2))
        False

        Defined in ``pellucid/tensors/properties.py``.
        """
    def is_neg(self) -> _bool:
        """Return False: the conjugate and the negative are always computed at once.

        Args:
            input: Tensor of any shape and dtype.

        >>> torch.tensor(1j).conj().is_conj()
        False

        Defined in ``pellucid/ops/elementwise/complexes.py``.
        """
    def is_nonzero(self) -> _bool:
        """Return whether the one element is not zero; raise RuntimeError if there is not just one.

        Args:
            input: Tensor of any shape.

        >>> torch.is_nonzero(torch.tensor([0.5]))
        True

        Defined in ``pellucid/tensors/properties.py``.
        """
    def is_pinned(self, device: _device | _str | _int | None = None) -> _bool:
        """Return False: no memory is pinned, as there is no accelerator.

        Args:
            device: Accepted, and without effect.

        Defined in ``pellucid/tensors/shared_memory.py``.
        """
    def is_same_size(self, other: Tensor | _int | _float | _complex) -> _bool:
        """Return whether two tensors have the same shape.

        Args:
            input: Tensor of any shape.
            other: Tensor of any shape.

        Raises:
            TypeError: If an argument is not a tensor.

        >>> torch.is_same_size(torch.ones(2), torch.zeros(2))
        True

        Defined in ``pellucid/tensors/dlpack.py``.
        """
    def is_set_to(self, tensor: Tensor) -> _bool:
        """Return whether two tensors have the same memory, offset, shape and strides.

        Args:
            tensor: The other tensor.

        Defined in ``pellucid/tensors/dlpack.py``.
        """
    def is_shared(self) -> _bool:
        """Return whether the values are in memory that other processes see.

        Defined in ``pellucid/tensors/shared_memory.py``.
        """
    def is_signed(self) -> _bool:
        """Return whether the dtype has negative numbers.

        Args:
            self: Tensor of any shape and dtype.

        >>> torch.is_signed(torch.ones(2)), torch.is_signed(torch.ones(2, dtype=torch.uint8))
        (True, False)

        Defined in ``pellucid/tensors/properties.py``.
        """
    def isclose(
        self,
        other: Tensor,
        rtol: _int | _float | _complex | Tensor = 1e-05,
        atol: _int | _float | _complex | Tensor = 1e-08,
        equal_nan: _bool = False,
    ) -> Tensor:
        """Return a bool tensor, True where the difference is at most ``atol + rtol * abs(other)``.

        Raises RuntimeError for different dtypes and for negative tolerances.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.
            rtol: Relative tolerance.
            atol: Absolute tolerance.
            equal_nan: Whether two NaNs count as equal.

        >>> torch.isclose(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.1]))
        tensor([ True, False])

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def isfinite(self) -> Tensor:
        """Return a bool tensor, True where the elements are neither infinite nor NaN.

        Args:
            input: Tensor of any shape.

        >>> torch.isfinite(torch.tensor([1.0, torch.inf, torch.nan]))
        tensor([ True, False, False])

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def isinf(self) -> Tensor:
        """Return a bool tensor, True where the elements are infinite, of either sign.

        Args:
            input: Tensor of any shape.

        >>> torch.isinf(torch.tensor([1.0, -torch.inf]))
        tensor([False,  True])

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def isnan(self) -> Tensor:
        """Return a bool tensor, True where the elements are NaN.

        Args:
            input: Tensor of any shape.

        >>> torch.isnan(torch.tensor([1.0, torch.nan]))
        tensor([False,  True])

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def isneginf(self) -> Tensor:
        """Return a bool tensor, True where the elements are minus infinity; not for complex numbers.

        Args:
            input: Tensor of any shape.

        >>> torch.isneginf(torch.tensor([-torch.inf, torch.inf]))
        tensor([ True, False])

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def isposinf(self) -> Tensor:
        """Return a bool tensor, True where the elements are plus infinity; not for complex numbers.

        Args:
            input: Tensor of any shape.

        >>> torch.isposinf(torch.tensor([-torch.inf, torch.inf]))
        tensor([False,  True])

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def isreal(self) -> Tensor:
        """Return a bool tensor, True where the elements have no imaginary part.

        Args:
            input: Tensor of any shape.

        >>> torch.isreal(torch.tensor([1 + 0j, 1j]))
        tensor([ True, False])

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def istft(
        self,
        n_fft: _int,
        hop_length: _int | None = None,
        win_length: _int | None = None,
        window: Tensor | None = None,
        center: _bool = True,
        normalized: _bool = False,
        onesided: _bool | None = None,
        length: _int | None = None,
        return_complex: _bool = False,
    ) -> Tensor:
        """Undo `stft`: add up the windows, divided by the sum of the squares of their weights.

        Shapes: ``[*, frequencies, windows]`` to ``[*, L]``, cut or lengthened to ``length``. Raises
        RuntimeError where the windows leave a sample out.

        Args:
            input: Spectrum ``[*, F, T]``, complex.
            n_fft: Length of a Fourier transform.
            hop_length: Distance between frames; by default a quarter of ``n_fft``.
            win_length: Length of the window; by default ``n_fft``.
            window: Window ``[win_length]``; by default all ones.
            center: Whether the frames were centred.
            normalized: Whether the transforms are divided by the square root of their length.
            onesided: Whether only the non-negative frequencies are kept.
            length: Number of elements to keep.
            return_complex: Whether the result is complex.

        >>> spectra = torch.stft(torch.arange(8.0), n_fft=4, return_complex=True)
        >>> torch.istft(spectra, n_fft=4).shape
        torch.Size([8])

        Defined in ``pellucid/ops/signal/spectrogram.py``.
        """
    def kron(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return the Kronecker product: blocks of ``other``, each scaled by an element of ``input``.

        Args:
            input: Tensor of any shape.
            other: Tensor of any shape.

        >>> torch.kron(torch.eye(2), torch.ones(1, 2))
        tensor([[1., 1., 0., 0.],
                [0., 0., 1., 1.]])

        Defined in ``pellucid/ops/linalg/matmul.py``.
        """
    def kthvalue(
        self, k: _int, dim: _int | Sequence[_int] = -1, keepdim: _bool = False
    ) -> kthvalue_result:
        """Return the ``k``-th smallest element along a dimension, counted from 1, and its index.

        Args:
            input: Tensor of any shape, not of booleans.
            k: Which element in increasing order, counted from 1.
            dim: Dimension to sort along.
            keepdim: Whether reduced dimensions stay, with size 1.

        Raises:
            RuntimeError: If ``k`` is out of range, or the tensor is of booleans.

        >>> torch.kthvalue(torch.tensor([3, 1, 2]), 2).values
        tensor(2)

        Defined in ``pellucid/ops/reduce/sort.py``.
        """
    def lcm(self, other: Tensor) -> Tensor:
        """Return the least common multiples of integers; that of 0 and anything is 0.

        Raises NotImplementedError for booleans, floating-point and complex numbers.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Booleans, floating-point numbers and complex numbers are refused.

        Args:
            input: Integer tensor of any shape.
            other: Integer tensor or number that broadcasts with ``input``.

        >>> torch.lcm(torch.tensor([4, -6]), torch.tensor([6, 4]))
        tensor([12, 12])

        Defined in ``pellucid/ops/elementwise/integers.py``.
        """
    def lcm_(self, other: Tensor) -> Tensor:
        """In-place version of :func:`lcm`: write the result into the first operand.

        Args:
            input: Integer tensor of any shape.
            other: Integer tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/integers.py``.
        """
    def ldexp(self, other: Tensor) -> Tensor:
        """Return ``input * 2 ** other``; integers and booleans give the default dtype.

        Raises NotImplementedError for boolean exponents of floating-point numbers.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.

        >>> torch.ldexp(torch.tensor([1.0, 3.0]), torch.tensor([2, -1]))
        tensor([4.0000, 1.5000])

        Defined in ``pellucid/ops/elementwise/floating.py``.
        """
    def ldexp_(self, other: Tensor) -> Tensor:
        """In-place version of :func:`ldexp`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/floating.py``.
        """
    def le(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return a bool tensor, True where the first is at most the second.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.le(torch.tensor([1, 2, 3]), 2)
        tensor([ True,  True, False])

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def le_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`le`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def lerp(self, end: Tensor, weight: Tensor | _int | _float | _complex) -> Tensor:
        """Go from ``input`` towards ``end`` by the fraction ``weight``, a number or a tensor.

        Raises RuntimeError unless all are of one floating-point or complex dtype.

        Dtypes:
            ``input``, ``end`` and ``weight`` are computed in their common dtype.
            Booleans and integers are refused.

        Args:
            input: Tensor of any shape.
            end: Tensor of end points that broadcasts with ``input``.
            weight: Share of the way from ``input`` to ``end``: a number, or a tensor that
                broadcasts.

        >>> torch.lerp(torch.tensor([0.0, 10.0]), torch.tensor([10.0, 20.0]), 0.25)
        tensor([ 2.5000, 12.5000])

        Defined in ``pellucid/ops/elementwise/combined.py``.
        """
    def lerp_(self, end: Tensor, weight: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`lerp`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            end: Tensor of end points that broadcasts with ``input``.
            weight: Share of the way from ``input`` to ``end``: a number, or a tensor that
                broadcasts.

        Defined in ``pellucid/ops/elementwise/combined.py``.
        """
    def less(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return a bool tensor, True where the first is less than the second.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.lt(torch.tensor([1, 2]), 2)
        tensor([ True, False])

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def less_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`lt`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def less_equal(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return a bool tensor, True where the first is at most the second.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.le(torch.tensor([1, 2, 3]), 2)
        tensor([ True,  True, False])

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def less_equal_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`le`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def lgamma(self) -> Tensor:
        """Return the natural logarithm of the absolute value of the gamma function.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.

        >>> torch.lgamma(torch.tensor([1.0, 5.0]))
        tensor([0.0000, 3.1781])

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def lgamma_(self) -> Tensor:
        """In-place version of :func:`lgamma`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def log(self) -> Tensor:
        """Return the natural logarithm, NaN for negative numbers.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.log(torch.tensor([1.0, 10.0]))
        tensor([0.0000, 2.3026])

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def log10(self) -> Tensor:
        """Return the logarithm to base 10, NaN for negative numbers.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.log10(torch.tensor([1.0, 50.0]))
        tensor([0.0000, 1.6990])

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def log10_(self) -> Tensor:
        """In-place version of :func:`log10`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def log1p(self) -> Tensor:
        """Return ``log(1 + input)``, exact also near 0.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.log1p(torch.tensor([0.0, 1.0]))
        tensor([0.0000, 0.6931])

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def log1p_(self) -> Tensor:
        """In-place version of :func:`log1p`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def log2(self) -> Tensor:
        """Return the logarithm to base 2, NaN for negative numbers.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.log2(torch.tensor([1.0, 8.0]))
        tensor([0., 3.])

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def log2_(self) -> Tensor:
        """In-place version of :func:`log2`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def log_(self) -> Tensor:
        """In-place version of :func:`log`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def log_normal_(
        self,
        mean: Tensor | _int | _float | _complex = 1.0,
        std: Tensor | _int | _float | _complex = 2.0,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Fill the tensor with exponentials of normal numbers.

        Defined in ``pellucid/ops/random/sampling.py``.
        """
    def log_softmax(self, dim: _int | Sequence[_int], dtype: _dtype | None = None) -> Tensor:
        """Return the logarithm of `softmax`, exact where probabilities vanish.

        Args:
            input: Floating point tensor of any shape.
            dim: Dimension along which the results add up to 1.
            dtype: Dtype to compute in, floating point.

        >>> torch.log_softmax(torch.tensor([0.0, 0.0]), dim=0)
        tensor([-0.6931, -0.6931])

        Defined in ``pellucid/ops/nn/softmax.py``.
        """
    def logaddexp(self, other: Tensor) -> Tensor:
        """Return ``log(exp(input) + exp(other))`` without overflow.

        Of complex numbers too.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Booleans and integers are refused.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.

        >>> torch.logaddexp(torch.tensor([1000.0]), torch.tensor([1000.0]))
        tensor([1000.6932])

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def logaddexp2(self, other: Tensor) -> Tensor:
        """Return the logarithm to base 2 of ``2**input + 2**other`` without overflow.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Booleans, integers and complex numbers are refused.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.

        >>> torch.logaddexp2(torch.tensor([1000.0]), torch.tensor([1000.0]))
        tensor([1001.])

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def logcumsumexp(self, dim: _int | Sequence[_int]) -> Tensor:
        """Return the logarithms of the running sums of exponentials, without overflow.

        Args:
            input: Floating-point or complex tensor of any shape.
            dim: Dimension to work along; a negative one counts from the end.

        >>> torch.logcumsumexp(torch.zeros(2), dim=0)
        tensor([0.0000, 0.6931])

        Defined in ``pellucid/ops/reduce/scan.py``.
        """
    def logdet(self) -> Tensor:
        """Return the logarithms of determinants, NaN where they are negative.

        Args:
            input: Square matrices ``[*, n, n]``, floating point or complex.

        >>> torch.logdet(torch.eye(2))
        tensor(0.)

        Defined in ``pellucid/ops/linalg/determinants.py``.
        """
    def logical_and(self, other: Tensor) -> Tensor:
        """Return a bool tensor, True where both elements are true, that is, not 0.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.

        >>> torch.logical_and(torch.tensor([0, 1]), torch.tensor([2, 3]))
        tensor([False,  True])

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def logical_and_(self, other: Tensor) -> Tensor:
        """In-place version of :func:`logical_and`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def logical_not(self) -> Tensor:
        """Return a bool tensor, True where elements are 0.

        Args:
            input: Tensor of any shape.

        >>> torch.logical_not(torch.tensor([0, 3]))
        tensor([ True, False])

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def logical_not_(self) -> Tensor:
        """In-place version of :func:`logical_not`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def logical_or(self, other: Tensor) -> Tensor:
        """Return a bool tensor, True where at least one element is true, that is, not 0.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.

        >>> torch.logical_or(torch.tensor([0, 1]), torch.tensor([0, 0]))
        tensor([False,  True])

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def logical_or_(self, other: Tensor) -> Tensor:
        """In-place version of :func:`logical_or`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def logical_xor(self, other: Tensor) -> Tensor:
        """Return a bool tensor, True where just one element is true, that is, not 0.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.

        >>> torch.logical_xor(torch.tensor([1, 1]), torch.tensor([0, 2]))
        tensor([ True, False])

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def logical_xor_(self, other: Tensor) -> Tensor:
        """In-place version of :func:`logical_xor`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/logic.py``.
        """
    def logit(self, eps: _int | _float | _complex | Tensor | None = None) -> Tensor:
        """Return ``log(input / (1 - input))``; with ``eps`` of the input clamped to [eps, 1 - eps].

        Dtypes:
            Integers and booleans are computed in the default floating dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.
            eps: Inputs are clamped to ``[eps, 1 - eps]``; ``None`` does not clamp.

        >>> torch.logit(torch.tensor([0.25, 0.5]))
        tensor([-1.0986,  0.0000])

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def logit_(self, eps: _int | _float | _complex | Tensor | None = None) -> Tensor:
        """In-place version of :func:`logit`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            eps: Inputs are clamped to ``[eps, 1 - eps]``; ``None`` does not clamp.

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def logsumexp(self, dim: _int | Sequence[_int], keepdim: _bool = False) -> Tensor:
        """Return the logarithm of the sum of the exponentials over dimensions, without overflow.

        Args:
            input: Tensor of any shape; integers are computed in floating point.
            dim: Dimension or dimensions to reduce; all by default.
            keepdim: Whether reduced dimensions stay, with size 1.

        Raises:
            RuntimeError: If ``dim`` names no dimension of a tensor that has some.

        >>> torch.logsumexp(torch.zeros(2), dim=0)
        tensor(0.6931)

        Defined in ``pellucid/ops/reduce/reductions.py``.
        """
    def lt(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return a bool tensor, True where the first is less than the second.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.lt(torch.tensor([1, 2]), 2)
        tensor([ True, False])

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def lt_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`lt`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def lu(self, pivot: _bool = True, get_infos: _bool = False) -> lu_result:
        """Return an LU factorization in one matrix with its pivots; see `linalg.lu_factor`.

        Args:
            A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
            pivot: Whether rows are exchanged for stability.
            get_infos: Whether to return ``info`` too.

        >>> torch.lu(torch.eye(1) * 2).LU
        tensor([[2.]])

        Defined in ``pellucid/ops/linalg/lu.py``.
        """
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """Solve ``A X = b`` with the LU factorization of ``A``; see `linalg.lu_solve`.

        Args:
            b: Right-hand sides ``[*, N, K]``.
            LU_data: Packed factors ``[*, M, N]``, as `lu_factor` returns them.
            LU_pivots: Row exchanges (int32), as `lu_factor` returns them.

        >>> torch.lu_solve(torch.ones(1, 1), *torch.linalg.lu_factor(torch.eye(1) * 4))
        tensor([[0.2500]])

        Defined in ``pellucid/ops/linalg/lu.py``.
        """
    def map2_(self, x: Tensor, y: Tensor, callable: Callable[[Any, Any, Any], Any]) -> Tensor:
        """Replace each element by what a function returns for it and those of two others, in place.

        Raises RuntimeError for tensors that require grad.

        Defined in ``pellucid/tensors/inplace_methods.py``.
        """
    def map_(self, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
        """Replace each element by what a function returns for it and that of another tensor, in place.

        Raises RuntimeError for tensors that require grad.

        Defined in ``pellucid/tensors/inplace_methods.py``.
        """
    def masked_fill(
        self, mask: Tensor | _int | _float | _complex, value: Tensor | _int | _float | _complex
    ) -> Tensor:
        """Put a number, or the value of a 0-d tensor, where the mask holds; the dtype stays.

        Raises RuntimeError for a mask that is not boolean, and for a value with dimensions.

        Dtypes:
            The other operands are converted to the dtype of ``input``.

        Args:
            input: Tensor of any shape.
            mask: Boolean tensor that broadcasts with ``input``.
            value: Number, or 0-d tensor, to write where ``mask`` is true.

        >>> torch.ones(3).masked_fill(torch.tensor([True, False, True]), 0)
        tensor([0., 1., 0.])

        Defined in ``pellucid/ops/elementwise/conditional.py``.
        """
    def masked_fill_(self, mask: Tensor, value: _int | _float | _complex | Tensor) -> Tensor:
        """Write a number, or the value of a 0-d tensor, where the mask holds.

        Defined in ``pellucid/ops/index/masked.py``.
        """
    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """Return a copy with the elements of ``source``, one after the other, where the mask is true.

        Args:
            input: Tensor of any shape.
            mask: Boolean tensor that broadcasts with ``input``.
            source: Tensor with the values to read.

        Raises:
            RuntimeError: If ``source`` has fewer elements than the mask has True.

        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked_scatter(torch.zeros(3), mask, torch.tensor([1.0, 2.0]))
        tensor([1., 0., 2.])

        Defined in ``pellucid/ops/index/masked.py``.
        """
    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Tensor:
        """Write the elements of ``source``, one after the other, where the mask is true.

        Defined in ``pellucid/ops/index/masked.py``.
        """
    def masked_select(self, mask: Tensor) -> Tensor:
        """Return the elements where the mask is true, as a vector.

        Args:
            input: Tensor that broadcasts with ``mask``.
            mask: Boolean tensor that broadcasts with ``input``.

        >>> torch.masked_select(torch.tensor([1, 2, 3]), torch.tensor([True, False, True]))
        tensor([1, 3])

        Defined in ``pellucid/ops/index/masked.py``.
        """
    def matmul(self, other: Tensor) -> Tensor:
        """Multiply matrices; a vector counts as a row on the left and as a column on the right.

        Dimensions before the last two are a batch, and broadcast. Raises RuntimeError where the inner
        sizes or the dtypes differ.

        Args:
            input: Tensor ``[n]`` or ``[*, n, k]``, of any dtype but bool.
            other: Tensor of at least one dimension that fits.

        >>> torch.matmul(torch.ones(2, 3), torch.ones(3))
        tensor([3., 3.])

        Defined in ``pellucid/ops/linalg/matmul.py``.
        """
    def matrix_exp(self) -> Tensor:
        """Return the exponentials of square matrices.

        Args:
            A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.

        >>> torch.linalg.matrix_exp(torch.zeros(2, 2))
        tensor([[1., 0.],
                [0., 1.]])

        Defined in ``pellucid/ops/linalg/matrix_functions.py``.
        """
    def matrix_power(self, n: Tensor | _int | _float | _complex) -> Tensor:
        """Multiply square matrices ``n`` times with themselves; a negative ``n`` inverts them first.

        Args:
            A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
            n: Exponent, an integer.

        Raises:
            TypeError: If ``n`` is not an int.
            RuntimeError: If a matrix is not square, or is singular and ``n`` negative.

        >>> torch.linalg.matrix_power(torch.eye(2) * 2, 3)
        tensor([[8., 0.],
                [0., 8.]])

        Defined in ``pellucid/ops/linalg/matrix_functions.py``.
        """
    @overload
    def max(self) -> Tensor:
        """Return the largest of all elements, or along a dimension, or of two tensors elementwise.

        ``max(input)``; ``max(input, dim, keepdim=False)``, which returns values and indices;
        ``max(input, other)``. A gradient is shared equally among ties, but along a dimension it goes to
        the element that the index names.

        Args:
            input: Real tensor of any shape.
            *args: ``()``, ``(dim,)``, ``(dim, keepdim)`` or another tensor, to compare element
                by element.
            **keywords: The arguments by name.

        >>> torch.max(torch.tensor([[1, 3], [2, 0]]), dim=1).indices
        tensor([1, 0])

        Defined in ``pellucid/ops/reduce/extremes.py``.
        """
    @overload
    def max(self, dim: _int, keepdim: _bool = False) -> max_result:
        """Return the largest of all elements, or along a dimension, or of two tensors elementwise.

        ``max(input)``; ``max(input, dim, keepdim=False)``, which returns values and indices;
        ``max(input, other)``. A gradient is shared equally among ties, but along a dimension it goes to
        the element that the index names.

        Args:
            input: Real tensor of any shape.
            *args: ``()``, ``(dim,)``, ``(dim, keepdim)`` or another tensor, to compare element
                by element.
            **keywords: The arguments by name.

        >>> torch.max(torch.tensor([[1, 3], [2, 0]]), dim=1).indices
        tensor([1, 0])

        Defined in ``pellucid/ops/reduce/extremes.py``.
        """
    @overload
    def max(self, other: Tensor) -> Tensor:
        """Return the largest of all elements, or along a dimension, or of two tensors elementwise.

        ``max(input)``; ``max(input, dim, keepdim=False)``, which returns values and indices;
        ``max(input, other)``. A gradient is shared equally among ties, but along a dimension it goes to
        the element that the index names.

        Args:
            input: Real tensor of any shape.
            *args: ``()``, ``(dim,)``, ``(dim, keepdim)`` or another tensor, to compare element
                by element.
            **keywords: The arguments by name.

        >>> torch.max(torch.tensor([[1, 3], [2, 0]]), dim=1).indices
        tensor([1, 0])

        Defined in ``pellucid/ops/reduce/extremes.py``.
        """
    def maximum(self, other: Tensor) -> Tensor:
        """Return the greater of two elements; NaN where one is NaN. Equal ones share the gradient.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.

        Raises:
            RuntimeError: For complex numbers.

        >>> torch.maximum(torch.tensor([1.0, 4.0]), torch.tensor([3.0, 2.0]))
        tensor([3., 4.])

        Defined in ``pellucid/ops/elementwise/extrema.py``.
        """
    def mean(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        dtype: _dtype | None = None,
    ) -> Tensor:
        """Average the elements, of the given dimensions or of all.

        Raises RuntimeError for integers, unless ``dtype`` says in what to compute.

        Args:
            input: Floating-point or complex tensor of any shape, or any with ``dtype``.
            dim: Dimension or dimensions to reduce; all by default.
            keepdim: Whether reduced dimensions stay, with size 1.
            dtype: Dtype of the result; by default that of the values.

        >>> torch.tensor([[1.0, 3.0], [5.0, 7.0]]).mean(dim=1)
        tensor([2., 6.])

        Defined in ``pellucid/ops/reduce/reductions.py``.
        """
    @overload
    def median(self) -> Tensor:
        """Return the median, the lower of two; along a dimension also its index (int64).

        Args:
            input: Real tensor of any shape.
            dim: Dimension to reduce; all by default.
            keepdim: Whether reduced dimensions stay, with size 1.

        >>> torch.median(torch.tensor([3, 1, 2, 4]))
        tensor(2)

        Defined in ``pellucid/ops/reduce/extremes.py``.
        """
    @overload
    def median(self, dim: _int, keepdim: _bool = False) -> median_result:
        """Return the median, the lower of two; along a dimension also its index (int64).

        Args:
            input: Real tensor of any shape.
            dim: Dimension to reduce; all by default.
            keepdim: Whether reduced dimensions stay, with size 1.

        >>> torch.median(torch.tensor([3, 1, 2, 4]))
        tensor(2)

        Defined in ``pellucid/ops/reduce/extremes.py``.
        """
    @overload
    def min(self) -> Tensor:
        """Return the smallest of all elements, or along a dimension, or of two tensors elementwise.

        The forms are those of `max`.

        Args:
            input: Real tensor of any shape.
            *args: ``()``, ``(dim,)``, ``(dim, keepdim)`` or another tensor, to compare element
                by element.
            **keywords: The arguments by name.

        >>> torch.min(torch.tensor([[1, 3], [2, 0]]), dim=1).values
        tensor([1, 0])

        Defined in ``pellucid/ops/reduce/extremes.py``.
        """
    @overload
    def min(self, dim: _int, keepdim: _bool = False) -> min_result:
        """Return the smallest of all elements, or along a dimension, or of two tensors elementwise.

        The forms are those of `max`.

        Args:
            input: Real tensor of any shape.
            *args: ``()``, ``(dim,)``, ``(dim, keepdim)`` or another tensor, to compare element
                by element.
            **keywords: The arguments by name.

        >>> torch.min(torch.tensor([[1, 3], [2, 0]]), dim=1).values
        tensor([1, 0])

        Defined in ``pellucid/ops/reduce/extremes.py``.
        """
    @overload
    def min(self, other: Tensor) -> Tensor:
        """Return the smallest of all elements, or along a dimension, or of two tensors elementwise.

        The forms are those of `max`.

        Args:
            input: Real tensor of any shape.
            *args: ``()``, ``(dim,)``, ``(dim, keepdim)`` or another tensor, to compare element
                by element.
            **keywords: The arguments by name.

        >>> torch.min(torch.tensor([[1, 3], [2, 0]]), dim=1).values
        tensor([1, 0])

        Defined in ``pellucid/ops/reduce/extremes.py``.
        """
    def minimum(self, other: Tensor) -> Tensor:
        """Return the smaller of two elements; NaN where one is NaN. Equal ones share the gradient.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.

        Raises:
            RuntimeError: For complex numbers.

        >>> torch.minimum(torch.tensor([1.0, 4.0]), torch.tensor([3.0, 2.0]))
        tensor([1., 2.])

        Defined in ``pellucid/ops/elementwise/extrema.py``.
        """
    def mm(self, mat2: Tensor) -> Tensor:
        """Multiply two matrices; raise RuntimeError for anything else.

        Args:
            input: Matrix ``[N, M]``.
            mat2: Matrix ``[M, P]``.

        >>> torch.mm(torch.ones(2, 3), torch.ones(3, 1))
        tensor([[3.],
                [3.]])

        Defined in ``pellucid/ops/linalg/matmul.py``.
        """
    def mode(self, dim: _int | Sequence[_int] = -1, keepdim: _bool = False) -> mode_result:
        """Return the most frequent value along a dim, the smallest of several, and its index.

        Args:
            input: Tensor of any shape and real dtype.
            dim: The dim to search along.
            keepdim: Whether the result keeps ``dim``, with size 1.

        Returns:
            A named tuple: values, of the input's dtype, and indices, int64.

        >>> torch.mode(torch.tensor([1, 2, 2])).values
        tensor(2)

        Defined in ``pellucid/ops/reduce/extremes.py``.
        """
    def module_load(
        self, other: Tensor | _int | _float | _complex, assign: _bool = False
    ) -> Tensor:
        """Return what is to take this tensor's place in a module that loads ``other``.

        That is this tensor with the values of ``other`` written into it, or with ``assign`` the other,
        in either case without history.

        Defined in ``pellucid/tensors/dlpack.py``.
        """
    def moveaxis(self, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor:
        """Move dimensions to other positions; the rest keep their order.

        Args:
            input: Tensor of any shape.
            source: Dimensions to move.
            destination: Where the dimensions go.

        Raises:
            RuntimeError: If there are not as many sources as destinations, or one occurs twice.

        >>> torch.ones(2, 3, 4).movedim(0, -1).shape
        torch.Size([3, 4, 2])

        Defined in ``pellucid/ops/shape/views.py``.
        """
    def movedim(self, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor:
        """Move dimensions to other positions; the rest keep their order.

        Args:
            input: Tensor of any shape.
            source: Dimensions to move.
            destination: Where the dimensions go.

        Raises:
            RuntimeError: If there are not as many sources as destinations, or one occurs twice.

        >>> torch.ones(2, 3, 4).movedim(0, -1).shape
        torch.Size([3, 4, 2])

        Defined in ``pellucid/ops/shape/views.py``.
        """
    def msort(self) -> Tensor:
        """Sort along the first dimension.

        Args:
            input: Real tensor of any shape.

        >>> torch.msort(torch.tensor([3, 1, 2]))
        tensor([1, 2, 3])

        Defined in ``pellucid/ops/reduce/sort.py``.
        """
    def mul(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Multiply element by element, with broadcasting.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.mul(torch.tensor([1.0, 2.0]), 3)
        tensor([3., 6.])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def mul_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`mul`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def multinomial(
        self, num_samples: _int, replacement: _bool = False, *, generator: Generator | None = None
    ) -> Tensor:
        """Draw indices, of each row, with probabilities proportional to the weights in ``input``.

        Raises RuntimeError for weights that are negative, not finite or all zero, and for more samples
        than there are categories without replacement.

        Args:
            input: Weights ``[N]`` or ``[M, N]``, not negative.
            num_samples: Number of draws.
            replacement: Whether an element may be drawn more than once.
            generator: Generator to draw from; by default the global one.

        >>> torch.multinomial(torch.tensor([0.0, 3.0]), 1)
        tensor([1])

        Defined in ``pellucid/ops/random/sampling.py``.
        """
    def multiply(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Multiply element by element, with broadcasting.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.mul(torch.tensor([1.0, 2.0]), 3)
        tensor([3., 6.])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def multiply_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`mul`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def mv(self, vec: Tensor) -> Tensor:
        """Multiply a matrix and a vector.

        Args:
            input: Matrix ``[N, M]``.
            vec: Vector ``[M]``.

        Raises:
            RuntimeError: If the sizes of matrix and vector do not fit.

        >>> torch.mv(torch.ones(2, 3), torch.ones(3))
        tensor([3., 3.])

        Defined in ``pellucid/ops/linalg/matmul.py``.
        """
    def mvlgamma(self, p: _int | _float | _complex) -> Tensor:
        """Return the logarithm of the multivariate gamma function of dimension ``p``.

        Args:
            input: Real tensor of any shape.
            p: Dimension.

        Raises:
            RuntimeError: If ``p`` is less than 1 or unreasonably large.

        >>> torch.special.multigammaln(torch.tensor([2.0]), 1)
        tensor([0.])

        Defined in ``pellucid/ops/elementwise/special_functions.py``.
        """
    def mvlgamma_(self, p: _int | _float | _complex) -> Tensor:
        """In-place version of :func:`multigammaln`.

        Args:
            input: Real tensor of any shape.
            p: Dimension.

        Defined in ``pellucid/ops/elementwise/special_functions.py``.
        """
    def nan_to_num(
        self,
        nan: _int | _float | _complex | Tensor | None = None,
        posinf: _int | _float | _complex | Tensor | None = None,
        neginf: _int | _float | _complex | Tensor | None = None,
    ) -> Tensor:
        """Replace NaN, infinity and minus infinity: by 0 and the largest finite numbers, or as given.

        Args:
            input: Tensor of any shape.
            nan: What replaces NaN.
            posinf: What replaces positive infinity; by default the largest finite number.
            neginf: What replaces negative infinity; by default the smallest finite number.

        >>> torch.nan_to_num(torch.tensor([torch.nan, 1.0]), nan=2.0)
        tensor([2., 1.])

        Defined in ``pellucid/ops/elementwise/conditional.py``.
        """
    def nan_to_num_(
        self,
        nan: _int | _float | _complex | Tensor | None = None,
        posinf: _int | _float | _complex | Tensor | None = None,
        neginf: _int | _float | _complex | Tensor | None = None,
    ) -> Tensor:
        """In-place version of :func:`nan_to_num`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            nan: What replaces NaN.
            posinf: What replaces positive infinity; by default the largest finite number.
            neginf: What replaces negative infinity; by default the smallest finite number.

        Defined in ``pellucid/ops/elementwise/conditional.py``.
        """
    def nanmean(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        dtype: _dtype | None = None,
    ) -> Tensor:
        """Average the elements that are not NaN.

        Raises RuntimeError for integers, and for an integer ``dtype``.

        Args:
            input: Floating-point or complex tensor of any shape.
            dim: Dimension or dimensions to reduce; all by default.
            keepdim: Whether reduced dimensions stay, with size 1.
            dtype: Dtype of the result; by default that of the values.

        >>> torch.tensor([1.0, 3.0, torch.nan]).nanmean()
        tensor(2.)

        Defined in ``pellucid/ops/reduce/reductions.py``.
        """
    @overload
    def nanmedian(self) -> Tensor:
        """Return the median of the elements that are not NaN; along a dimension also its index (int64).

        Args:
            input: Real tensor of any shape.
            dim: Dimension to reduce; all by default.
            keepdim: Whether reduced dimensions stay, with size 1.

        >>> torch.nanmedian(torch.tensor([3.0, 1.0, torch.nan]))
        tensor(1.)

        Defined in ``pellucid/ops/reduce/extremes.py``.
        """
    @overload
    def nanmedian(self, dim: _int, keepdim: _bool = False) -> nanmedian_result:
        """Return the median of the elements that are not NaN; along a dimension also its index (int64).

        Args:
            input: Real tensor of any shape.
            dim: Dimension to reduce; all by default.
            keepdim: Whether reduced dimensions stay, with size 1.

        >>> torch.nanmedian(torch.tensor([3.0, 1.0, torch.nan]))
        tensor(1.)

        Defined in ``pellucid/ops/reduce/extremes.py``.
        """
    def nanquantile(
        self,
        q: _float | Tensor,
        dim: _int | None = None,
        keepdim: _bool = False,
        *,
        interpolation: _str = "linear",
    ) -> Tensor:
        """Return the quantiles at the fractions ``q`` of the elements that are not NaN.

        See `quantile`.

        Args:
            input: float32 or float64 tensor of any shape.
            q: Quantiles: a number or vector of numbers from 0 to 1.
            dim: Dimension to reduce; all by default.
            keepdim: Whether reduced dimensions stay, with size 1.
            interpolation: Between two elements: ``"linear"``, ``"lower"``, ``"higher"``,
                ``"midpoint"`` or ``"nearest"``.

        >>> torch.nanquantile(torch.tensor([3.0, torch.nan, 2.0]), 0.5)
        tensor(2.5000)

        Defined in ``pellucid/ops/reduce/quantiles.py``.
        """
    def nansum(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        dtype: _dtype | None = None,
    ) -> Tensor:
        """Add up the elements that are not NaN.

        Args:
            input: Real tensor of any shape.
            dim: Dimension or dimensions to reduce; all by default.
            keepdim: Whether reduced dimensions stay, with size 1.
            dtype: Dtype of the result; by default that of the values.

        Raises:
            RuntimeError: For complex numbers.

        >>> torch.tensor([1.0, torch.nan]).nansum()
        tensor(1.)

        Defined in ``pellucid/ops/reduce/reductions.py``.
        """
    def narrow(self, dim: _int, start: _int, length: _int) -> Tensor:
        """Return a view of ``length`` elements along a dimension, from ``start`` on.

        Args:
            input: Tensor of at least one dimension.
            dim: Dimension to cut.
            start: First position to keep, an int or a 0-d integer tensor.
            length: Number of positions to keep.

        Raises:
            RuntimeError: If the part is not within the dimension.
            IndexError: If ``start`` is out of range.

        >>> torch.arange(5).narrow(0, 1, 3)
        tensor([1, 2, 3])

        Defined in ``pellucid/ops/shape/splitting.py``.
        """
    def ndimension(self) -> _int:
        """Return the number of dimensions.

        Defined in ``pellucid/tensors/properties.py``.
        """
    def ne(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return a bool tensor, True where the elements differ.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.ne(torch.tensor([1, 2]), 2)
        tensor([ True, False])

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def ne_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`ne`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def neg(self) -> Tensor:
        """Change the sign; raise RuntimeError for a boolean tensor.

        Args:
            input: Tensor of any shape, or a number.

        >>> torch.neg(torch.tensor([1.0, -2.0]))
        tensor([-1.,  2.])

        Defined in ``pellucid/ops/elementwise/signs.py``.
        """
    def neg_(self) -> Tensor:
        """In-place version of :func:`neg`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.

        Defined in ``pellucid/ops/elementwise/signs.py``.
        """
    def negative(self) -> Tensor:
        """Change the sign; raise RuntimeError for a boolean tensor.

        Args:
            input: Tensor of any shape, or a number.

        >>> torch.neg(torch.tensor([1.0, -2.0]))
        tensor([-1.,  2.])

        Defined in ``pellucid/ops/elementwise/signs.py``.
        """
    def negative_(self) -> Tensor:
        """In-place version of :func:`neg`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.

        Defined in ``pellucid/ops/elementwise/signs.py``.
        """
    def nelement(self) -> _int:
        """Return the number of elements.

        Args:
            input: Tensor of any shape.

        >>> torch.numel(torch.ones(2, 3))
        6

        Defined in ``pellucid/tensors/properties.py``.
        """
    def new(self, *args: Any, **options: Any) -> Tensor:
        """Return a new tensor of this dtype, by size or with data.

        Args:
            args: Sizes, data or a tensor.
            options: ``size``, ``data``, ``other`` or ``device`` by name.

        Defined in ``pellucid/tensors/new_tensors.py``.
        """
    def new_empty(
        self,
        *size: _int | Sequence[_int],
        dtype: _dtype | None = None,
        device: _device | _str | _int | None = None,
        requires_grad: _bool = False,
        layout: _layout | None = None,
        pin_memory: _bool = False,
    ) -> Tensor:
        """Return a new tensor of this dtype, values not set.

        Args:
            size: Sizes, one by one or as a sequence.
            dtype: Dtype of the result; this tensor's if None.
            device: Device of the result; this tensor's if None.
            requires_grad: Whether the result is a leaf that wants a gradient.
            layout: Accepted; strided is the only one.
            pin_memory: Refused if true: there is no accelerator.

        Defined in ``pellucid/tensors/new_tensors.py``.
        """
    def new_empty_strided(
        self,
        size: _int | Sequence[_int],
        stride: _int | Sequence[_int],
        dtype: _dtype | None = None,
        layout: _layout | None = None,
        device: _device | _str | _int | None = None,
        requires_grad: _bool = False,
        pin_memory: _bool = False,
    ) -> Tensor:
        """Make a tensor of the given strides and this tensor's dtype, without setting its values.

        Args:
            size, stride, layout, requires_grad, pin_memory: As for `empty_strided`.
            dtype: Dtype of the result; this tensor's if None.
            device: Device of the result; this tensor's if None.

        >>> torch.ones(1, dtype=torch.int64).new_empty_strided((2, 3), (1, 2)).dtype
        torch.int64

        Defined in ``pellucid/tensors/new_tensors.py``.
        """
    def new_full(
        self,
        size: _int | Sequence[_int],
        fill_value: _int | _float | _complex,
        *,
        dtype: _dtype | None = None,
        device: _device | _str | _int | None = None,
        requires_grad: _bool = False,
        layout: _layout | None = None,
        pin_memory: _bool = False,
    ) -> Tensor:
        """Return a new tensor of one value, in this tensor's dtype.

        Args:
            size: Shape of the result.
            fill_value: Number that all elements have.
            dtype: Dtype of the result; this tensor's if None.
            device: Device of the result; this tensor's if None.
            requires_grad: Whether the result is a leaf that wants a gradient.
            layout: Accepted; strided is the only one.
            pin_memory: Refused if true: there is no accelerator.

        Defined in ``pellucid/tensors/new_tensors.py``.
        """
    def new_ones(
        self,
        *size: _int | Sequence[_int],
        dtype: _dtype | None = None,
        device: _device | _str | _int | None = None,
        requires_grad: _bool = False,
        layout: _layout | None = None,
        pin_memory: _bool = False,
    ) -> Tensor:
        """Return a new tensor of ones, in this tensor's dtype.

        Args:
            size: Sizes, one by one or as a sequence.
            dtype: Dtype of the result; this tensor's if None.
            device: Device of the result; this tensor's if None.
            requires_grad: Whether the result is a leaf that wants a gradient.
            layout: Accepted; strided is the only one.
            pin_memory: Refused if true: there is no accelerator.

        Defined in ``pellucid/tensors/new_tensors.py``.
        """
    def new_tensor(
        self,
        data: Any,
        *,
        dtype: _dtype | None = None,
        device: _device | _str | _int | None = None,
        requires_grad: _bool = False,
        layout: _layout | None = None,
        pin_memory: _bool = False,
    ) -> Tensor:
        """Return a new tensor with a copy of the data, in this tensor's dtype.

        Args:
            data: Number, sequence, array or tensor.
            dtype: Dtype of the result; this tensor's if None.
            device: Device of the result; this tensor's if None.
            requires_grad: Whether the result is a leaf that wants a gradient.
            layout: Accepted; strided is the only one.
            pin_memory: Refused if true: there is no accelerator.

        Defined in ``pellucid/tensors/new_tensors.py``.
        """
    def new_zeros(
        self,
        *size: _int | Sequence[_int],
        dtype: _dtype | None = None,
        device: _device | _str | _int | None = None,
        requires_grad: _bool = False,
        layout: _layout | None = None,
        pin_memory: _bool = False,
    ) -> Tensor:
        """Return a new tensor of zeros, in this tensor's dtype.

        Args:
            size: Sizes, one by one or as a sequence.
            dtype: Dtype of the result; this tensor's if None.
            device: Device of the result; this tensor's if None.
            requires_grad: Whether the result is a leaf that wants a gradient.
            layout: Accepted; strided is the only one.
            pin_memory: Refused if true: there is no accelerator.

        Defined in ``pellucid/tensors/new_tensors.py``.
        """
    def nextafter(self, other: Tensor) -> Tensor:
        """Return the next number that the dtype has, from ``input`` on the way to ``other``.

        As in PyTorch, the slope is 1 by the input, 0 where both are equal, and 0 by the other.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Booleans, integers and complex numbers are refused.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.

        >>> torch.nextafter(torch.tensor([1.0]), torch.tensor([2.0])) > 1
        tensor([True])

        Defined in ``pellucid/ops/elementwise/floating.py``.
        """
    def nextafter_(self, other: Tensor) -> Tensor:
        """In-place version of :func:`nextafter`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            other: Tensor that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/floating.py``.
        """
    @overload
    def nonzero(self, *, as_tuple: Literal[False] = False) -> Tensor:
        """Return the indices (int64) of the elements that are not zero: rows, or one vector per dim.

        Args:
            input: Tensor of any shape.
            as_tuple: Whether to return one tensor of indices per dimension.

        >>> torch.nonzero(torch.tensor([0, 5, 6]), as_tuple=True)
        (tensor([1, 2]),)

        Defined in ``pellucid/ops/index/masked.py``.
        """
    @overload
    def nonzero(self, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]:
        """Return the indices (int64) of the elements that are not zero: rows, or one vector per dim.

        Args:
            input: Tensor of any shape.
            as_tuple: Whether to return one tensor of indices per dimension.

        >>> torch.nonzero(torch.tensor([0, 5, 6]), as_tuple=True)
        (tensor([1, 2]),)

        Defined in ``pellucid/ops/index/masked.py``.
        """
    @overload
    def nonzero(self, *, as_tuple: _bool = False) -> Tensor | tuple[Tensor, ...]:
        """Return the indices (int64) of the elements that are not zero: rows, or one vector per dim.

        Args:
            input: Tensor of any shape.
            as_tuple: Whether to return one tensor of indices per dimension.

        >>> torch.nonzero(torch.tensor([0, 5, 6]), as_tuple=True)
        (tensor([1, 2]),)

        Defined in ``pellucid/ops/index/masked.py``.
        """
    def nonzero_static(
        self, *, size: _int | Sequence[_int], fill_value: _int | _float | _complex = -1
    ) -> Tensor:
        """Return the indices of the first ``size`` elements that are not zero, one row for each.

        Where there are fewer, rows of ``fill_value`` follow. Raises RuntimeError for a negative size.

        Args:
            input: Tensor of any shape.
            size: Number of indices to return; missing ones are ``fill_value``.
            fill_value: Value of every element.

        >>> torch.nonzero_static(torch.tensor([1, 0, 3]), size=3)
        tensor([[ 0],
                [ 2],
                [-1]])

        Defined in ``pellucid/ops/index/index_misc.py``.
        """
    def norm(
        self,
        p: _int | _float | _complex | _str = "fro",
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        dtype: _dtype | None = None,
    ) -> Tensor:
        """Return the p-norm of the elements; see `norm`.

        Args:
            p: Order of the norm, ``"fro"`` or ``"nuc"``.
            dim: Dimension, or dimensions, that are reduced; all if None.
            keepdim: Whether they stay, with size 1.
            dtype: Dtype in which the norm is computed; the tensor's if None.

        Defined in ``pellucid/ops/reduce/statistics.py``.
        """
    def normal_(
        self,
        mean: Tensor | _int | _float | _complex = 0.0,
        std: Tensor | _int | _float | _complex = 1.0,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Fill the tensor from the normal distribution; raise RuntimeError if ``std`` is negative.

        Defined in ``pellucid/ops/random/sampling.py``.
        """
    def not_equal(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return a bool tensor, True where the elements differ.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.ne(torch.tensor([1, 2]), 2)
        tensor([ True, False])

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def not_equal_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`ne`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def numel(self) -> _int:
        """Return the number of elements.

        Args:
            input: Tensor of any shape.

        >>> torch.numel(torch.ones(2, 3))
        6

        Defined in ``pellucid/tensors/properties.py``.
        """
    def orgqr(self, tau: Tensor) -> Tensor:
        """Return the first columns of a product of Householder reflections, as `geqrf` leaves them.

        Shapes: ``A`` is ``[*, m, n]`` with ``m >= n``, ``tau`` is ``[*, k]`` with ``k <= n``; the
        result is ``[*, m, n]``.

        Args:
            A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
            tau: Scale factors of the reflections, as `geqrf` returns them.

        Raises:
            RuntimeError: If the shapes of ``A`` and ``tau`` do not fit.

        >>> torch.linalg.householder_product(torch.zeros(2, 1), torch.zeros(1))
        tensor([[1.],
                [0.]])

        Defined in ``pellucid/ops/linalg/householder.py``.
        """
    def ormqr(
        self,
        tau: Tensor,
        other: Tensor | _int | _float | _complex,
        left: _bool = True,
        transpose: _bool = False,
    ) -> Tensor:
        """Multiply ``other`` by the whole product of the reflections that `geqrf` returned.

        Args:
            input: Reflections ``[*, m, k]``, as `geqrf` returns them.
            tau: Scale factors of the reflections, as `geqrf` returns them.
            other: Matrix, or batch of matrices, to multiply.
            left: Whether Q is multiplied from the left.
            transpose: Whether the transposed matrix is used.

        Raises:
            RuntimeError: If the shapes do not fit.

        >>> torch.ormqr(torch.zeros(2, 1), torch.zeros(1), torch.ones(2, 1))
        tensor([[1.],
                [1.]])

        Defined in ``pellucid/ops/linalg/householder.py``.
        """
    def outer(self, vec2: Tensor) -> Tensor:
        """Multiply every element of one vector by every element of another: ``[n], [m]`` to ``[n, m]``.

        Args:
            input: Vector ``[N]``.
            vec2: Vector ``[M]``.

        Raises:
            RuntimeError: If a tensor is not a vector.

        >>> torch.outer(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
        tensor([[3., 4.],
                [6., 8.]])

        Defined in ``pellucid/ops/linalg/matmul.py``.
        """
    def permute(
        self, *order: _int | Sequence[_int], dims: _int | Sequence[_int] | None = None
    ) -> Tensor:
        """Put the dimensions in another order.

        Defined in ``pellucid/tensors/resizing.py``.
        """
    def pin_memory(self, device: _device | _str | _int | None = None) -> Tensor:
        """Raise RuntimeError: memory is pinned for an accelerator, and there is none.

        Args:
            device: Accepted, and without effect.

        Defined in ``pellucid/tensors/conversions.py``.
        """
    def pinverse(self, rcond: _float = 1e-15) -> Tensor:
        """Return the pseudoinverses of matrices; see `linalg.pinv`.

        Args:
            input: Matrices ``[*, m, n]``, floating point or complex.
            rcond: Singular values below this share of the largest count as 0.

        >>> torch.pinverse(torch.tensor([[2.0], [0.0]]))
        tensor([[0.5000, 0.0000]])

        Defined in ``pellucid/ops/linalg/matrix_functions.py``.
        """
    def polygamma(self, n: Tensor | _int | _float | _complex) -> Tensor:
        """Return the ``n``-th derivative of `digamma` at the elements.

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def polygamma_(self, n: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`polygamma_method`.

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def positive(self) -> Tensor:
        """Return the tensor itself; raise RuntimeError if it is boolean.

        Args:
            input: Tensor of any shape, or a number.

        >>> torch.positive(torch.tensor([1.0, -2.0]))
        tensor([ 1., -2.])

        Defined in ``pellucid/ops/elementwise/signs.py``.
        """
    def pow(self, exponent: Tensor | _int | _float | _complex) -> Tensor:
        """Raise to a power; either operand may be a number.

        Raises RuntimeError for integers to a negative number, and to one beyond their dtype.

        Dtypes:
            ``input`` and ``exponent`` are computed in their common dtype.

        Args:
            input: Base: a tensor or a number.
            exponent: Tensor or number; the base broadcasts with it.

        >>> torch.pow(torch.tensor([1.0, 2.0, 3.0]), 2)
        tensor([1., 4., 9.])

        Defined in ``pellucid/ops/elementwise/powers.py``.
        """
    def pow_(self, exponent: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`pow`: write the result into the first operand.

        Args:
            input: Base: a tensor or a number.
            exponent: Tensor or number; the base broadcasts with it.

        Defined in ``pellucid/ops/elementwise/powers.py``.
        """
    def prelu(self, weight: Tensor) -> Tensor:
        """Multiply negative elements by a slope, one for all or one for each channel (dimension 1).

        Source: He et al., "Delving Deep into Rectifiers", 2015.

        Raises RuntimeError if the number of slopes is another.

        Args:
            input: Floating point tensor of any shape.
            weight: Slope for negative inputs: one, or one per channel.

        >>> torch.prelu(torch.tensor([[-1.0, -1.0]]), torch.tensor([0.1, 0.2]))
        tensor([[-0.1000, -0.2000]])

        Defined in ``pellucid/ops/nn/activation.py``.
        """
    def prod(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        dtype: _dtype | None = None,
    ) -> Tensor:
        """Multiply the elements, along one dimension or all.

        Booleans and integers give int64 unless ``dtype`` is given.

        Args:
            input: Tensor of any shape.
            dim: Dimension to work along; a negative one counts from the end.
            keepdim: Whether reduced dimensions stay, with size 1.
            dtype: Dtype of the result; by default that of the values.

        Raises:
            TypeError: If ``dim`` is not an int.

        >>> torch.tensor([[1.0, 2.0], [3.0, 4.0]]).prod(dim=1)
        tensor([ 2., 12.])

        Defined in ``pellucid/ops/reduce/scan.py``.
        """
    def put(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
        """Return a copy with other elements at indices into the flattened tensor.

        Args:
            input: Tensor of any shape.
            index: Indices (int64) along ``dim``.
            source: Tensor with the values to read.
            accumulate: Whether values are added to what is there rather than written over it.

        Raises:
            RuntimeError: If ``source`` does not have as many elements as ``index``.

        >>> torch.put(torch.zeros(2, 2), torch.tensor([3]), torch.ones(1))
        tensor([[0., 0.],
                [0., 1.]])

        Defined in ``pellucid/ops/index/take.py``.
        """
    def put_(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
        """Write other elements at indices into the flattened tensor.

        Defined in ``pellucid/ops/index/take.py``.
        """
    def qr(self, some: _bool = True) -> qr_result:
        """Return a QR decomposition, complete unless ``some``; see `linalg.qr`.

        Args:
            input: Matrices ``[*, m, n]``, floating point or complex.
            some: Whether to return the reduced form.

        >>> torch.qr(torch.tensor([[3.0], [4.0]])).R
        tensor([[-5.]])

        Defined in ``pellucid/ops/linalg/decompositions.py``.
        """
    def qscheme(self) -> None:
        """Raise NotImplementedError: no tensor is quantized.

        Defined in ``pellucid/tensors/dlpack.py``.
        """
    def quantile(
        self,
        q: _float | Tensor,
        dim: _int | None = None,
        keepdim: _bool = False,
        *,
        interpolation: _str = "linear",
    ) -> Tensor:
        """Return the quantiles of the elements at the fractions ``q``; NaN if an element is NaN.

        With a vector ``q`` the result's first dimension is that of the fractions. Between two elements
        ``interpolation`` takes a weighted mean (linear), one of them (lower, higher, nearest) or the
        middle (midpoint). Raises RuntimeError for fractions outside [0, 1] and for what is not of
        dtype float32 or float64.

        Args:
            input: float32 or float64 tensor of any shape.
            q: Quantiles: a number or vector of numbers from 0 to 1.
            dim: Dimension to reduce; all by default.
            keepdim: Whether reduced dimensions stay, with size 1.
            interpolation: Between two elements: ``"linear"``, ``"lower"``, ``"higher"``,
                ``"midpoint"`` or ``"nearest"``.

        >>> torch.quantile(torch.tensor([3.0, 1.0, 2.0]), 0.75)
        tensor(2.5000)

        Defined in ``pellucid/ops/reduce/quantiles.py``.
        """
    def rad2deg(self) -> Tensor:
        """Convert radians to degrees.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape.

        >>> torch.rad2deg(torch.tensor([0.0, 1.0]))
        tensor([ 0.0000, 57.2958])

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def rad2deg_(self) -> Tensor:
        """In-place version of :func:`rad2deg`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def random_(
        self,
        *args: _int | _float | _complex | None,
        generator: Generator | None = None,
        **bounds: Any,
    ) -> Tensor:
        """Fill the tensor with integers: ``random_(to)`` from [0, to), ``random_(from, to)``.

        Without bounds, or with ``to=None``, all integers from ``from`` on that the dtype holds exactly
        can come.

        Defined in ``pellucid/ops/random/sampling.py``.
        """
    def ravel(self) -> Tensor:
        """Return the elements in one dimension.

        Args:
            input: Tensor of any shape.

        >>> torch.eye(2).ravel()
        tensor([1., 0., 0., 1.])

        Defined in ``pellucid/ops/shape/views.py``.
        """
    @property
    def real(self) -> Tensor: ...
    @real.setter
    def real(self, value: Any) -> None: ...
    def reciprocal(self) -> Tensor:
        """Return ``1 / input``.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.reciprocal(torch.tensor([2.0, 4.0]))
        tensor([0.5000, 0.2500])

        Defined in ``pellucid/ops/elementwise/powers.py``.
        """
    def reciprocal_(self) -> Tensor:
        """In-place version of :func:`reciprocal`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/powers.py``.
        """
    def relu(self) -> Tensor:
        """Replace negative elements by 0.

        Raises RuntimeError for booleans and for complex numbers.

        Dtypes:
            Booleans and complex numbers are refused.

        Args:
            input: Tensor of any shape.

        >>> torch.relu(torch.tensor([-1.0, 2.0]))
        tensor([0., 2.])

        Defined in ``pellucid/ops/nn/activation.py``.
        """
    def relu_(self) -> Tensor:
        """In-place version of :func:`relu`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/nn/activation.py``.
        """
    def remainder(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return what is left by a division rounded down; it has the sign of the divisor.

        Raises RuntimeError for integers divided by zero.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.remainder(torch.tensor([7.0, -7.0]), 4)
        tensor([3., 1.])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def remainder_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`remainder`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def renorm(self, p: _int | _float | _complex, dim: _int, maxnorm: _float | _complex) -> Tensor:
        """Scale the slices along a dimension down to a p-norm of ``maxnorm`` where theirs is greater.

        Raises RuntimeError for less than two dimensions, for a ``p`` that is not positive and for a
        negative ``maxnorm``.

        Args:
            input: Tensor of at least two dimensions, floating point or complex.
            p: Order of the norm.
            dim: Dimension whose slices are scaled.
            maxnorm: Largest norm that is kept.

        >>> torch.renorm(torch.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0)
        tensor([[0.6000, 0.8000],
                [0.3000, 0.4000]])

        Defined in ``pellucid/ops/linalg/distances.py``.
        """
    def renorm_(self, p: _int | _float | _complex, dim: _int, maxnorm: _float | _complex) -> Tensor:
        """In-place version of :func:`renorm`.

        Args:
            input: Tensor of at least two dimensions, floating point or complex.
            p: Order of the norm.
            dim: Dimension whose slices are scaled.
            maxnorm: Largest norm that is kept.

        Defined in ``pellucid/ops/linalg/distances.py``.
        """
    def repeat(
        self, *counts: _int | Sequence[_int], repeats: _int | Tensor | None = None
    ) -> Tensor:
        """Repeat a tensor along each dimension; more counts than dimensions add leading dimensions.

        Args:
            input: Tensor of any shape.
            *counts: How often to repeat along each dimension.
            repeats: The same as a sequence.

        >>> torch.tensor([1, 2]).repeat(2, 2)
        tensor([[1, 2, 1, 2],
                [1, 2, 1, 2]])

        Defined in ``pellucid/ops/shape/diagonal.py``.
        """
    def repeat_interleave(
        self,
        repeats: _int | Tensor | None = None,
        dim: _int | None = None,
        *,
        output_size: _int | None = None,
    ) -> Tensor:
        """Repeat each element, or each slice along ``dim``, as often as its count says.

        Raises RuntimeError for negative counts and where there are not as many counts as slices.

        Args:
            input: Tensor of any shape.
            repeats: How often to repeat.
            dim: Dimension to work along; a negative one counts from the end.
            output_size: Sum of the counts, if it is known.

        >>> torch.repeat_interleave(torch.tensor([7, 8]), torch.tensor([1, 2]))
        tensor([7, 8, 8])

        Defined in ``pellucid/ops/shape/diagonal.py``.
        """
    def reshape(
        self, *sizes: _int | Sequence[_int], shape: _int | Sequence[_int] | None = None
    ) -> Tensor:
        """Return the elements in another shape: a view where possible, else a copy.

        Defined in ``pellucid/tensors/resizing.py``.
        """
    def reshape_as(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return the elements in the shape of another tensor.

        Args:
            input: Tensor of any shape.
            other: Tensor of the shape, with as many elements.

        >>> torch.ones(4).reshape_as(torch.zeros(2, 2)).shape
        torch.Size([2, 2])

        Defined in ``pellucid/ops/shape/views.py``.
        """
    def resize_(
        self,
        *sizes: _int | Sequence[_int],
        size: _int | Sequence[_int] | None = None,
        memory_format: _memory_format | None = None,
    ) -> Tensor:
        """Give this tensor other sizes, over the same memory from its first element on.

        Where the memory is too small, the tensor gets larger memory of its own. Raises RuntimeError for
        a tensor that requires grad, and for memory of another object that is too small.

        Defined in ``pellucid/tensors/resizing.py``.
        """
    def resize_as_(
        self, the_template: Tensor, *, memory_format: _memory_format | None = None
    ) -> Tensor:
        """Give a tensor the sizes of another, as ``resize_`` does.

        Args:
            self: Tensor to change.
            the_template: Tensor with the wanted shape.
            memory_format: Order of the elements in memory.

        Defined in ``pellucid/tensors/inplace_methods.py``.
        """
    def resolve_conj(self) -> Tensor:
        """Return the tensor itself: conjugates are always computed at once.

        Args:
            input: Tensor of any shape.

        >>> torch.resolve_conj(torch.tensor([1.0]))
        tensor([1.])

        Defined in ``pellucid/ops/elementwise/complexes.py``.
        """
    def resolve_neg(self) -> Tensor:
        """Return the tensor itself: conjugates are always computed at once.

        Args:
            input: Tensor of any shape.

        >>> torch.resolve_conj(torch.tensor([1.0]))
        tensor([1.])

        Defined in ``pellucid/ops/elementwise/complexes.py``.
        """
    def roll(
        self, shifts: _int | Sequence[_int], dims: _int | Sequence[_int] | None = None
    ) -> Tensor:
        """Shift the elements along dimensions; what leaves at one end comes in at the other.

        Without ``dims`` the elements are shifted through the whole tensor. Raises RuntimeError where
        there are not as many shifts as dimensions.

        Args:
            input: Tensor of any shape.
            shifts: How far to shift, one for each of ``dims``.
            dims: Dimensions to shift; without them the flattened tensor is shifted.

        >>> torch.roll(torch.tensor([1, 2, 3]), 1)
        tensor([3, 1, 2])

        Defined in ``pellucid/ops/shape/diagonal.py``.
        """
    def rot90(self, k: _int = 1, dims: Sequence[_int] = ...) -> Tensor:
        """Rotate by 90 degrees ``k`` times, from the first of two dimensions to the second.

        Args:
            input: Tensor of at least two dimensions.
            k: Number of quarter turns.
            dims: Dimensions to work on.

        Raises:
            RuntimeError: If ``dims`` are not two different dimensions of the tensor.
            IndexError: If one of ``dims`` is out of range.

        >>> torch.rot90(torch.tensor([[1, 2], [3, 4]]))
        tensor([[2, 4],
                [1, 3]])

        Defined in ``pellucid/ops/shape/diagonal.py``.
        """
    def round(self, *, decimals: _int = 0) -> Tensor:
        """Round to the nearest integer, halves to the even one, or to ``decimals`` places.

        The gradient is 0. Raises RuntimeError for integers with ``decimals``.

        Dtypes:
            Booleans and complex numbers are refused.

        Args:
            input: Tensor of any shape.
            decimals: Number of digits after the decimal point; may be negative.

        >>> torch.round(torch.tensor([0.5, 1.5, 2.4]))
        tensor([0., 2., 2.])
        >>> torch.round(torch.tensor([1.234]), decimals=1)
        tensor([1.2000])

        Defined in ``pellucid/ops/elementwise/rounding.py``.
        """
    def round_(self, *, decimals: _int = 0) -> Tensor:
        """In-place version of :func:`round`: write the result into the first operand.

        Args:
            input: Tensor of any shape.
            decimals: Number of digits after the decimal point; may be negative.

        Defined in ``pellucid/ops/elementwise/rounding.py``.
        """
    def row_indices(self) -> Tensor:
        """Raise RuntimeError: row_indices() is there for sparse column compressed tensors.

        Defined in ``pellucid/tensors/layouts.py``.
        """
    def rsqrt(self) -> Tensor:
        """Return ``1 / sqrt(input)``.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.rsqrt(torch.tensor([4.0, 16.0]))
        tensor([0.5000, 0.2500])

        Defined in ``pellucid/ops/elementwise/powers.py``.
        """
    def rsqrt_(self) -> Tensor:
        """In-place version of :func:`rsqrt`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/powers.py``.
        """
    def scatter(
        self,
        dim: _int,
        index: Tensor,
        src: Tensor | _int | _float | _complex | None = None,
        *,
        value: _int | _float | _complex | Tensor | None = None,
        reduce: _bool | None = None,
    ) -> Tensor:
        """Return a copy with the elements of ``src``, or one number, written at indices along ``dim``.

        Which element stays where several meet is not said. Raises RuntimeError for indices that are not
        there and where sizes or dtypes do not fit.

        Args:
            input: Tensor of any shape.
            dim: Dimension that ``index`` counts along; all of the elements in a row if None.
            index: Indices (int64) along ``dim``.
            src: Tensor with the values to write.
            value: Number to write.
            reduce: ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``; for `scatter`
                ``"add"`` or ``"multiply"``.

        >>> torch.scatter(torch.zeros(3), 0, torch.tensor([2, 0]), torch.tensor([1.0, 2.0]))
        tensor([2., 0., 1.])

        Defined in ``pellucid/ops/index/scatter.py``.
        """
    def scatter_(
        self,
        dim: _int,
        index: Tensor,
        src: Tensor | _int | _float | _complex | None = None,
        *,
        value: _int | _float | _complex | Tensor | None = None,
        reduce: _bool | None = None,
    ) -> Tensor:
        """Write the elements of ``src``, or one number, at indices along a dimension.

        Defined in ``pellucid/ops/index/scatter.py``.
        """
    def scatter_add(self, dim: _int | Sequence[_int], index: Tensor, src: Tensor) -> Tensor:
        """Return a copy with the elements of ``src`` added at the indices along a dimension.

        Args:
            input: Tensor with as many dimensions as ``index``.
            dim: Dimension that ``index`` counts along.
            index: Indices (int64) along ``dim``, in no dimension more than ``src`` has.
            src: Values to add, with as many dimensions as ``index``.

        Raises:
            RuntimeError: If the dtypes of ``input`` and ``src`` differ.

        >>> torch.scatter_add(torch.zeros(2), 0, torch.tensor([1, 1]), torch.ones(2))
        tensor([0., 2.])

        Defined in ``pellucid/ops/index/scatter.py``.
        """
    def scatter_add_(self, dim: _int | Sequence[_int], index: Tensor, src: Tensor) -> Tensor:
        """In-place version of :func:`scatter_add`: write the result into the first operand.

        Args:
            input: Tensor with as many dimensions as ``index``.
            dim: Dimension that ``index`` counts along.
            index: Indices (int64) along ``dim``, in no dimension more than ``src`` has.
            src: Values to add, with as many dimensions as ``index``.

        Defined in ``pellucid/ops/index/scatter.py``.
        """
    def scatter_reduce(
        self,
        dim: _int | Sequence[_int],
        index: Tensor,
        src: Tensor,
        reduce: _str,
        *,
        include_self: _bool = True,
    ) -> Tensor:
        """Return a copy with the elements of ``src`` reduced into it at indices along a dimension.

        ``reduce`` is sum, prod, mean, amax or amin; without ``include_self`` what was there does not
        count. Raises RuntimeError for another name.

        Args:
            input: Tensor with as many dimensions as ``index``.
            dim: Dimension that ``index`` counts along.
            index: Indices (int64) along ``dim``, in no dimension more than ``src`` has.
            src: Values to reduce, with as many dimensions as ``index``.
            reduce: ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
            include_self: Whether the values that are there take part.

        >>> x, index = torch.tensor([1.0, 2.0]), torch.tensor([0, 0])
        >>> torch.scatter_reduce(x, 0, index, torch.tensor([5.0, 3.0]), "amax")
        tensor([5., 2.])

        Defined in ``pellucid/ops/index/scatter.py``.
        """
    def scatter_reduce_(
        self,
        dim: _int | Sequence[_int],
        index: Tensor,
        src: Tensor,
        reduce: _str,
        *,
        include_self: _bool = True,
    ) -> Tensor:
        """In-place version of :func:`scatter_reduce`: write the result into the first operand.

        Args:
            input: Tensor with as many dimensions as ``index``.
            dim: Dimension that ``index`` counts along.
            index: Indices (int64) along ``dim``, in no dimension more than ``src`` has.
            src: Values to reduce, with as many dimensions as ``index``.
            reduce: ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
            include_self: Whether the values that are there take part.

        Defined in ``pellucid/ops/index/scatter.py``.
        """
    def select(self, dim: _int | Sequence[_int], index: _int) -> Tensor:
        """Return a view of one slice along a dimension, without that dimension.

        Raises IndexError for an index that is out of range.

        Args:
            input: Tensor of at least one dimension.
            dim: Dimension to cut.
            index: Position along ``dim``; a negative one counts from the end.

        >>> torch.arange(6).view(2, 3).select(1, 0)
        tensor([0, 3])

        Defined in ``pellucid/ops/shape/splitting.py``.
        """
    def select_scatter(
        self, src: Tensor | _int | _float | _complex, dim: _int, index: _int
    ) -> Tensor:
        """Return a copy with other values at one index of a dimension.

        Args:
            input: Tensor of any shape.
            src: Tensor with the values to write.
            dim: Dimension that ``index`` counts along.
            index: Indices (int64) along ``dim``.

        >>> torch.select_scatter(torch.zeros(2, 2), torch.ones(2), 0, 1)
        tensor([[0., 0.],
                [1., 1.]])

        Defined in ``pellucid/ops/index/slice_scatter.py``.
        """
    def set_(
        self,
        source: Any = None,
        storage_offset: _int = 0,
        size: _int | Sequence[_int] | None = None,
        stride: _int | Sequence[_int] | None = None,
    ) -> Tensor:
        """Give this tensor the memory of another, or of a storage; without either, none.

        Raises RuntimeError for another dtype, and for a leaf that requires grad while operations are
        recorded. There is no derivative: a backward pass that comes to it raises.

        Defined in ``pellucid/tensors/inplace_methods.py``.
        """
    def sgn(self) -> Tensor:
        """Return the sign, for a complex number ``z / abs(z)``; 0 stays 0.

        Args:
            input: Tensor of any shape.

        >>> torch.sgn(torch.tensor([3 + 4j]))
        tensor([0.6000+0.8000j])

        Defined in ``pellucid/ops/elementwise/signs.py``.
        """
    def sgn_(self) -> Tensor:
        """In-place version of :func:`sgn`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/signs.py``.
        """
    def share_memory_(self) -> Tensor:
        """Move the values into memory that other processes see; return the tensor.

        A process that is forked afterwards, or that is given the tensor by multiprocessing, works on
        the same values. All tensors that look into the same memory move with it.

        >>> torch.ones(2).share_memory_().is_shared()
        True

        Defined in ``pellucid/tensors/shared_memory.py``.
        """
    def sigmoid(self) -> Tensor:
        """Return ``1 / (1 + exp(-input))``.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.sigmoid(torch.tensor([0.0, 2.0]))
        tensor([0.5000, 0.8808])

        Defined in ``pellucid/ops/nn/activation.py``.
        """
    def sigmoid_(self) -> Tensor:
        """In-place version of :func:`sigmoid`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/nn/activation.py``.
        """
    def sign(self) -> Tensor:
        """Return -1, 0 or 1; raise RuntimeError for complex numbers.

        Args:
            input: Tensor of any shape.

        >>> torch.sign(torch.tensor([3.0, 0.0, -2.0]))
        tensor([ 1.,  0., -1.])

        Defined in ``pellucid/ops/elementwise/signs.py``.
        """
    def sign_(self) -> Tensor:
        """In-place version of :func:`sign`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/signs.py``.
        """
    def signbit(self) -> Tensor:
        """Return a bool tensor, True where the sign bit is set: negative or minus zero; not complex.

        Args:
            input: Tensor of any shape.

        Raises:
            RuntimeError: For complex numbers.

        >>> torch.signbit(torch.tensor([-0.0, 1.0]))
        tensor([ True, False])

        Defined in ``pellucid/ops/elementwise/compare.py``.
        """
    def sin(self) -> Tensor:
        """Return the sine of angles in radians.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.sin(torch.tensor([0.0, 1.0]))
        tensor([0.0000, 0.8415])

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def sin_(self) -> Tensor:
        """In-place version of :func:`sin`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def sinc(self) -> Tensor:
        """Return ``sin(pi * input) / (pi * input)``, and 1 at 0.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.sinc(torch.tensor([0.0, 0.5]))
        tensor([1.0000, 0.6366])

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def sinc_(self) -> Tensor:
        """In-place version of :func:`sinc`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def sinh(self) -> Tensor:
        """Return the hyperbolic sine.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.sinh(torch.tensor([0.0, 1.0]))
        tensor([0.0000, 1.1752])

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def sinh_(self) -> Tensor:
        """In-place version of :func:`sinh`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    @overload
    def size(self) -> Size:
        """Return all sizes, or that of one dimension.

        Args:
            dim: Dimension; all if None.

        Defined in ``pellucid/tensors/properties.py``.
        """
    @overload
    def size(self, dim: _int) -> _int:
        """Return all sizes, or that of one dimension.

        Args:
            dim: Dimension; all if None.

        Defined in ``pellucid/tensors/properties.py``.
        """
    def slice_scatter(
        self,
        src: Tensor | _int | _float | _complex,
        dim: _int = 0,
        start: Tensor | _int | _float | _complex | None = None,
        end: _int | None = None,
        step: _int = 1,
    ) -> Tensor:
        """Return a copy with other values in a slice along a dimension.

        Args:
            input: Tensor of any shape.
            src: Tensor with the values to write.
            dim: Dimension that ``index`` counts along.
            start: Index of the first slice.
            end: Index after the last slice.
            step: Distance from one element to the next.

        Raises:
            IndexError: If the tensor has no dimensions.

        >>> torch.slice_scatter(torch.zeros(3), torch.ones(2), 0, 1)
        tensor([0., 1., 1.])

        Defined in ``pellucid/ops/index/slice_scatter.py``.
        """
    def slogdet(self) -> linalg_slogdet_result:
        """Return the signs (for complex numbers: units) of determinants, and the logarithms of sizes.

        Args:
            A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.

        >>> torch.linalg.slogdet(torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sign
        tensor(-1.)

        Defined in ``pellucid/ops/linalg/determinants.py``.
        """
    def softmax(self, dim: _int | Sequence[_int], dtype: _dtype | None = None) -> Tensor:
        """Divide exponentials by their sum along a dimension; ``dtype`` is converted to beforehand.

        Args:
            input: Floating point tensor of any shape.
            dim: Dimension along which the results add up to 1.
            dtype: Dtype to compute in, floating point.

        >>> torch.softmax(torch.tensor([0.0, 0.0]), dim=0)
        tensor([0.5000, 0.5000])

        Defined in ``pellucid/ops/nn/softmax.py``.
        """
    def sort(
        self, dim: _int | Sequence[_int] = -1, descending: _bool = False, stable: _bool = False
    ) -> sort_result:
        """Sort along a dimension; return the values and their indices (int64) in the input.

        Args:
            input: Real tensor of any shape.
            dim: Dimension to sort along.
            descending: Whether the largest element comes first.
            stable: Whether equal elements keep their order.

        >>> torch.sort(torch.tensor([3, 1, 2])).values
        tensor([1, 2, 3])

        Defined in ``pellucid/ops/reduce/sort.py``.
        """
    def sparse_dim(self) -> _int:
        """Return 0: no dimension is sparse.

        Defined in ``pellucid/tensors/layouts.py``.
        """
    def sparse_mask(self, mask: Tensor) -> Tensor:
        """Return the elements at the indices of a sparse tensor, as a sparse tensor.

        Args:
            mask: Sparse tensor of the same size, of any layout and dtype.

        >>> torch.ones(2, 2).sparse_mask(torch.eye(2).to_sparse()).values()
        tensor([1., 1.])

        Defined in ``pellucid/tensors/layouts.py``.
        """
    def split(
        self, split_size_or_sections: _int | Sequence[_int], dim: _int = 0
    ) -> tuple[Tensor, ...]:
        """Take a tensor apart along a dimension: in parts of one size, or of the given sizes.

        The last part may be smaller. Raises RuntimeError where given sizes do not add up.

        Args:
            tensor: Tensor to cut.
            split_size_or_sections: Size of each part, or the list of all sizes.
            dim: Dimension to cut.

        >>> torch.arange(5).split(2)
        (tensor([0, 1]), tensor([2, 3]), tensor([4]))

        Defined in ``pellucid/ops/shape/splitting.py``.
        """
    def split_with_sizes(self, split_sizes: Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]:
        """Split a tensor along a dimension, into parts of the given sizes.

        Raises RuntimeError where the sizes do not add up.

        Args:
            input: Tensor of at least one dimension.
            split_sizes: Size of each part.
            dim: Dimension to cut.

        >>> torch.split_with_sizes(torch.arange(5), [2, 3])
        (tensor([0, 1]), tensor([2, 3, 4]))

        Defined in ``pellucid/ops/shape/splitting.py``.
        """
    def sqrt(self) -> Tensor:
        """Return the square root, NaN for negative numbers.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.sqrt(torch.tensor([4.0, 9.0]))
        tensor([2., 3.])

        Defined in ``pellucid/ops/elementwise/powers.py``.
        """
    def sqrt_(self) -> Tensor:
        """In-place version of :func:`sqrt`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/powers.py``.
        """
    def square(self) -> Tensor:
        """Return the square.

        Args:
            input: Tensor of any shape.

        >>> torch.square(torch.tensor([2.0, -3.0]))
        tensor([4., 9.])

        Defined in ``pellucid/ops/elementwise/powers.py``.
        """
    def square_(self) -> Tensor:
        """In-place version of :func:`square`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/powers.py``.
        """
    def squeeze(self, dim: _int | Sequence[_int] | None = None) -> Tensor:
        """Return a view without dimensions of size 1: all, one, or those in a tuple.

        Args:
            input: Tensor of any shape.
            dim: Dimension to work along; a negative one counts from the end.

        >>> torch.ones(1, 2, 1).squeeze().shape, torch.ones(1, 2, 1).squeeze(0).shape
        (torch.Size([2]), torch.Size([2, 1]))

        Defined in ``pellucid/ops/shape/views.py``.
        """
    def squeeze_(self, dim: _int | Sequence[_int] | None = None) -> Tensor:
        """Leave out dimensions of size 1, of this very tensor.

        Defined in ``pellucid/tensors/resizing.py``.
        """
    def std(
        self,
        dim: _int | Sequence[_int] | _bool | None = None,
        unbiased: _bool | None = None,
        keepdim: _bool = False,
        *,
        correction: _float | None = None,
    ) -> Tensor:
        """Return the standard deviation over dimensions.

        Args:
            input: Floating point or complex tensor of any shape.
            dim: Dimension or dimensions to reduce; all by default.
            unbiased: Whether to divide by ``n - 1``: the same as ``correction=1``.
            keepdim: Whether reduced dimensions stay, with size 1.
            correction: What is subtracted from the number of elements in the divisor.

        >>> torch.std(torch.tensor([1.0, 2.0, 3.0]))
        tensor(1.)

        Defined in ``pellucid/ops/reduce/statistics.py``.
        """
    def stft(
        self,
        n_fft: _int,
        hop_length: _int | None = None,
        win_length: _int | None = None,
        window: Tensor | None = None,
        center: _bool = True,
        pad_mode: _str = "reflect",
        normalized: _bool = False,
        onesided: _bool | None = None,
        return_complex: _bool | None = None,
        align_to_window: _bool | None = None,
    ) -> Tensor:
        """Return the spectra of windows of ``n_fft`` samples, ``hop_length`` apart.

        Shapes: ``[L]`` or ``[B, L]`` to ``[*, frequencies, windows]``. With ``center`` the signal is
        lengthened at both ends, so that each window lies around its time. A real signal gives half of
        the frequencies unless ``onesided=False``, and needs ``return_complex``; with False the real and
        imaginary parts form a last dimension.

        Args:
            input: Signal ``[*, L]``.
            n_fft: Length of a Fourier transform.
            hop_length: Distance between frames; by default a quarter of ``n_fft``.
            win_length: Length of the window; by default ``n_fft``.
            window: Window ``[win_length]``; by default all ones.
            center: Whether the signal is padded so that frames are centred.
            pad_mode: How the signal is padded if it is centred; see `pad`.
            normalized: Whether the transforms are divided by the square root of their length.
            onesided: Whether only the non-negative frequencies are kept.
            return_complex: Whether the result is complex.
            align_to_window: Accepted as PyTorch does where frames are not centred.

        Raises:
            RuntimeError: If a size is out of range, or the dtype is neither floating point nor complex.

        >>> torch.stft(torch.ones(8), n_fft=4, return_complex=True).shape
        torch.Size([3, 9])

        Defined in ``pellucid/ops/signal/spectrogram.py``.
        """
    def storage(self) -> Any:
        """Return the memory behind the tensor as elements of its dtype; it warns as PyTorch does.

        Defined in ``pellucid/tensors/storages.py``.
        """
    def storage_offset(self) -> _int:
        """Return how many elements lie before the first one in memory.

        Defined in ``pellucid/tensors/properties.py``.
        """
    def storage_type(self) -> Any:
        """Return the class of storages of the tensor's dtype.

        Defined in ``pellucid/tensors/storages.py``.
        """
    @overload
    def stride(self) -> tuple[_int, ...]:
        """Return the steps in memory, in elements, to the next place along all or one dimension.

        Args:
            dim: Dimension; all if None.

        Defined in ``pellucid/tensors/properties.py``.
        """
    @overload
    def stride(self, dim: _int) -> _int:
        """Return the steps in memory, in elements, to the next place along all or one dimension.

        Args:
            dim: Dimension; all if None.

        Defined in ``pellucid/tensors/properties.py``.
        """
    def sub(
        self,
        other: Tensor | _int | _float | _complex,
        *,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """Subtract ``alpha`` times the other tensor, with broadcasting.

        Raises RuntimeError for boolean tensors.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.
            alpha: Number that multiplies ``other`` before it is used.

        >>> torch.sub(torch.ones(2), torch.ones(2), alpha=3)
        tensor([-2., -2.])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def sub_(
        self,
        other: Tensor | _int | _float | _complex,
        *,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """In-place version of :func:`sub`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.
            alpha: Number that multiplies ``other`` before it is used.

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def subtract(
        self,
        other: Tensor | _int | _float | _complex,
        *,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """Subtract ``alpha`` times the other tensor, with broadcasting.

        Raises RuntimeError for boolean tensors.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.
            alpha: Number that multiplies ``other`` before it is used.

        >>> torch.sub(torch.ones(2), torch.ones(2), alpha=3)
        tensor([-2., -2.])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def subtract_(
        self,
        other: Tensor | _int | _float | _complex,
        *,
        alpha: _int | _float | _complex | Tensor = 1,
    ) -> Tensor:
        """In-place version of :func:`sub`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.
            alpha: Number that multiplies ``other`` before it is used.

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def sum(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        dtype: _dtype | None = None,
    ) -> Tensor:
        """Add up the elements, of the given dimensions or of all.

        Booleans and integers give int64 unless ``dtype`` is given.

        Args:
            input: Tensor of any shape.
            dim: Dimension or dimensions to reduce; all by default.
            keepdim: Whether reduced dimensions stay, with size 1.
            dtype: Dtype of the result; by default that of the values.

        >>> torch.ones(2, 3).sum(dim=1)
        tensor([3., 3.])

        Defined in ``pellucid/ops/reduce/reductions.py``.
        """
    def sum_to_size(self, *size: _int | Sequence[_int]) -> Tensor:
        """Sum over dimensions until the shape is a smaller one, which could be expanded to this one.

        Raises RuntimeError if it could not.

        Args:
            size: The smaller shape, one by one or as a sequence.

        Defined in ``pellucid/tensors/dlpack.py``.
        """
    def svd(self, some: _bool = True, compute_uv: _bool = True) -> svd_result:
        """Return ``U``, ``S`` and ``V`` with ``input = U diag(S) V^H``; see `linalg.svd`.

        Without ``compute_uv``, ``U`` and ``V`` are square matrices of zeros.

        Args:
            input: Matrices ``[*, m, n]``, floating point or complex.
            some: Whether ``U`` and ``V`` are reduced.
            compute_uv: Whether singular vectors are wanted.

        >>> torch.svd(torch.tensor([[0.0, 2.0], [1.0, 0.0]])).S
        tensor([2., 1.])

        Defined in ``pellucid/ops/linalg/decompositions.py``.
        """
    def swapaxes(self, axis0: _int, axis1: _int) -> Tensor:
        """Exchange two dimensions, as `transpose` does.

        Args:
            input: Tensor of any shape.
            axis0: First of the two dimensions.
            axis1: Second of the two dimensions.

        >>> torch.ones(2, 3).swapaxes(0, 1).shape
        torch.Size([3, 2])

        Defined in ``pellucid/ops/shape/views.py``.
        """
    def swapaxes_(self, dim0: _int, dim1: _int) -> Tensor:
        """Exchange two dimensions of this very tensor.

        Defined in ``pellucid/tensors/resizing.py``.
        """
    def swapdims(self, dim0: _int, dim1: _int) -> Tensor:
        """Exchange two dimensions.

        Args:
            input: Tensor of any shape.
            dim0: First of the two dimensions.
            dim1: Second of the two dimensions.

        >>> torch.ones(2, 3).transpose(0, 1).shape
        torch.Size([3, 2])

        Defined in ``pellucid/ops/shape/views.py``.
        """
    def swapdims_(self, dim0: _int, dim1: _int) -> Tensor:
        """Exchange two dimensions of this very tensor.

        Defined in ``pellucid/tensors/resizing.py``.
        """
    def t(self) -> Tensor:
        """Transpose a matrix; a vector stays as it is.

        Raises RuntimeError for more than two dimensions.

        Args:
            input: Tensor of at most two dimensions.

        >>> torch.ones(2, 3).t().shape
        torch.Size([3, 2])

        Defined in ``pellucid/ops/shape/views.py``.
        """
    def t_(self) -> Tensor:
        """Transpose this very matrix.

        Defined in ``pellucid/tensors/resizing.py``.
        """
    def take(self, index: Tensor) -> Tensor:
        """Read the elements at indices into the flattened tensor.

        Args:
            input: Tensor of any shape.
            index: Indices (int64) along ``dim``.

        >>> torch.take(torch.tensor([[4, 5], [6, 7]]), torch.tensor([3, 0]))
        tensor([7, 4])

        Defined in ``pellucid/ops/index/take.py``.
        """
    def take_along_dim(self, indices: Tensor, dim: _int | None = None) -> Tensor:
        """Read elements at indices along a dimension; the other dimensions broadcast.

        Along a dimension, indices beyond its size, or negative, begin again at its other end. Without
        one, they raise RuntimeError.

        Args:
            input: Tensor of any shape.
            indices: Indices (int64; without ``dim`` int32 too).
            dim: Dimension that ``index`` counts along; all of the elements in a row if None.

        >>> x = torch.tensor([[10, 30, 20]])
        >>> torch.take_along_dim(x, torch.tensor([[0, 2, 1]]), dim=1)
        tensor([[10, 20, 30]])

        Defined in ``pellucid/ops/index/scatter.py``.
        """
    def tan(self) -> Tensor:
        """Return the tangent of angles in radians.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.tan(torch.tensor([0.0, 1.0]))
        tensor([0.0000, 1.5574])

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def tan_(self) -> Tensor:
        """In-place version of :func:`tan`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def tanh(self) -> Tensor:
        """Return the hyperbolic tangent.

        Dtypes:
            Integers and booleans are computed in the default floating dtype.

        Args:
            input: Tensor of any shape.

        >>> torch.tanh(torch.tensor([0.0, 1.0]))
        tensor([0.0000, 0.7616])

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def tanh_(self) -> Tensor:
        """In-place version of :func:`tanh`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/trigonometric.py``.
        """
    def tensor_split(
        self, indices_or_sections: _int | Sequence[_int] | Tensor, dim: _int = 0
    ) -> tuple[Tensor, ...]:
        """Split a tensor into nearly equal parts, or before the given indices.

        Args:
            input: Tensor of at least one dimension.
            indices_or_sections: Number of equal parts, or the indices at which to cut.
            dim: Dimension to cut.

        Raises:
            RuntimeError: If the tensor has no dimensions, or the number of sections is not positive.

        >>> torch.arange(5).tensor_split(3)
        (tensor([0, 1]), tensor([2, 3]), tensor([4]))

        Defined in ``pellucid/ops/shape/splitting.py``.
        """
    def tile(
        self, *counts: _int | Sequence[_int], dims: _int | Sequence[_int] | None = None
    ) -> Tensor:
        """Repeat a tensor along each dimension; fewer counts than dimensions repeat the last ones.

        Args:
            counts: How often along each dimension, one by one or as a sequence.
            dims: The same as a sequence.

        Defined in ``pellucid/ops/shape/diagonal.py``.
        """
    def to(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the tensor in another dtype; itself if it has that dtype and ``copy`` is not set.

        ``to(dtype)``, ``to(device)``, ``to(device, dtype)`` and ``to(other)`` are understood, followed
        by ``non_blocking`` and ``copy``. Raises RuntimeError for a device that is not here.

        Args:
            input: Tensor of any shape.
            *args: A dtype, a device, or another tensor whose both are taken.
            **kwargs: The arguments by name.

        >>> torch.ones(1).to(torch.float64)
        tensor([1.], dtype=torch.float64)

        Defined in ``pellucid/ops/shape/copying.py``.
        """
    def to_dense(self, dtype: _dtype | None = None, *, masked_grad: Any = None) -> Tensor:
        """Return the tensor, in a dtype if one is given: it is dense already.

        Args:
            dtype: Dtype of the result; as it is if None.
            masked_grad: Accepted, and without effect.

        Defined in ``pellucid/tensors/layouts.py``.
        """
    def to_device(self, device: _device | _str | _int | None, *, stream: Any = None) -> Tensor:
        """Return the tensor on a device: itself where it is there.

        Raises RuntimeError for another device, and ValueError for a stream, which a CPU has not.

        Args:
            device: Device of the result.
            stream: Stream on which a copy runs; none on the CPU.

        >>> x = torch.ones(2)
        >>> x.to_device("cpu") is x
        True

        Defined in ``pellucid/tensors/dlpack.py``.
        """
    def to_sparse(
        self,
        sparse_dim: _int | None = None,
        *,
        layout: _layout | None = None,
        blocksize: Any = None,
        dense_dim: _int | None = None,
    ) -> Tensor:
        """Return the tensor as a sparse one, of the elements that are not zero.

        Raises RuntimeError where the layout is not for such a tensor.

        Args:
            sparse_dim: How many of the first dimensions are sparse; all by default.
            layout: Layout of the result; ``torch.sparse_coo`` by default.
            blocksize: Height and width of the blocks, for ``torch.sparse_bsr`` and ``sparse_bsc``.
            dense_dim: How many of the last dimensions are dense, for layouts of rows and columns.

        >>> torch.eye(2).to_sparse().indices()
        tensor([[0, 1],
                [0, 1]])

        Defined in ``pellucid/tensors/layouts.py``.
        """
    def to_sparse_bsc(self, blocksize: Any, dense_dim: _int | None = None) -> Tensor:
        """Return a matrix in compressed sparse columns of blocks.

        Args:
            blocksize: Height and width of the blocks.
            dense_dim: How many of the last dimensions are dense.

        Defined in ``pellucid/tensors/layouts.py``.
        """
    def to_sparse_bsr(self, blocksize: Any, dense_dim: _int | None = None) -> Tensor:
        """Return a matrix in compressed sparse rows of blocks.

        Args:
            blocksize: Height and width of the blocks.
            dense_dim: How many of the last dimensions are dense.

        Defined in ``pellucid/tensors/layouts.py``.
        """
    def to_sparse_coo(self) -> Tensor:
        """Return the tensor in coordinate format, of the elements that are not zero.

        Defined in ``pellucid/tensors/layouts.py``.
        """
    def to_sparse_csc(self, dense_dim: _int | None = None) -> Tensor:
        """Return a matrix in compressed sparse columns.

        Args:
            dense_dim: How many of the last dimensions are dense.

        Defined in ``pellucid/tensors/layouts.py``.
        """
    def to_sparse_csr(self, dense_dim: _int | None = None) -> Tensor:
        """Return a matrix in compressed sparse rows.

        Args:
            dense_dim: How many of the last dimensions are dense.

        >>> torch.eye(2).to_sparse_csr().col_indices()
        tensor([0, 1])

        Defined in ``pellucid/tensors/layouts.py``.
        """
    def tolist(self) -> Any:
        """Return the values as nested lists of Python numbers; one number for a 0-d tensor.

        Defined in ``pellucid/tensors/conversions.py``.
        """
    def topk(
        self, k: _int, dim: _int = -1, largest: _bool = True, sorted: Any = True
    ) -> topk_result:
        """Return the ``k`` largest (or smallest) elements along a dimension, and their indices (int64).

        Args:
            input: Real tensor of any shape.
            k: Number of elements.
            dim: Dimension to sort along.
            largest: Whether the largest are looked for rather than the smallest.
            sorted: Whether the result is in order.

        Raises:
            RuntimeError: If ``k`` is out of range, or the tensor is complex.

        >>> torch.topk(torch.tensor([3, 1, 2]), 2).values
        tensor([3, 2])

        Defined in ``pellucid/ops/reduce/sort.py``.
        """
    def trace(self) -> Tensor:
        """Add up the diagonal of a matrix; raise RuntimeError for other numbers of dimensions.

        Args:
            input: Matrix ``[n, m]``.

        >>> torch.trace(torch.eye(3))
        tensor(3.)

        Defined in ``pellucid/ops/shape/diagonal.py``.
        """
    def transpose(self, dim0: _int, dim1: _int) -> Tensor:
        """Exchange two dimensions.

        Args:
            input: Tensor of any shape.
            dim0: First of the two dimensions.
            dim1: Second of the two dimensions.

        >>> torch.ones(2, 3).transpose(0, 1).shape
        torch.Size([3, 2])

        Defined in ``pellucid/ops/shape/views.py``.
        """
    def transpose_(self, dim0: _int, dim1: _int) -> Tensor:
        """Exchange two dimensions of this very tensor.

        Defined in ``pellucid/tensors/resizing.py``.
        """
    def triangular_solve(
        self, A: Tensor, upper: _bool = True, transpose: _bool = False, unitriangular: _bool = False
    ) -> triangular_solve_result:
        """Solve ``A X = input`` reading one triangle of ``A``; return the solution and a copy of ``A``.

        Args:
            input: Right-hand sides ``[*, n, k]``, of the dtype of ``A``.
            A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
            upper: Whether the upper triangle is meant rather than the lower.
            transpose: Whether the transposed matrix is used.
            unitriangular: Whether the diagonal is taken to be all ones.

        >>> torch.triangular_solve(torch.ones(1, 1), torch.eye(1) * 4).solution
        tensor([[0.2500]])

        Defined in ``pellucid/ops/linalg/solving.py``.
        """
    def tril(self, diagonal: _int = 0) -> Tensor:
        """Keep the lower triangle of matrices, up to a diagonal; put zeros above.

        Args:
            input: Matrices ``[*, n, m]``.
            diagonal: Which diagonal: 0 is the main one, positive numbers lie above it.

        >>> torch.tril(torch.ones(2, 2))
        tensor([[1., 0.],
                [1., 1.]])

        Defined in ``pellucid/ops/shape/diagonal.py``.
        """
    def tril_(self, diagonal: _int = 0) -> Tensor:
        """In-place version of :func:`tril`: write the result into the first operand.

        Args:
            input: Matrices ``[*, n, m]``.
            diagonal: Which diagonal: 0 is the main one, positive numbers lie above it.

        Defined in ``pellucid/ops/shape/diagonal.py``.
        """
    def triu(self, diagonal: _int = 0) -> Tensor:
        """Keep the upper triangle of matrices, from a diagonal on; put zeros below.

        Args:
            input: Matrices ``[*, n, m]``.
            diagonal: Which diagonal: 0 is the main one, positive numbers lie above it.

        >>> torch.triu(torch.ones(2, 2))
        tensor([[1., 1.],
                [0., 1.]])

        Defined in ``pellucid/ops/shape/diagonal.py``.
        """
    def triu_(self, diagonal: _int = 0) -> Tensor:
        """In-place version of :func:`triu`: write the result into the first operand.

        Args:
            input: Matrices ``[*, n, m]``.
            diagonal: Which diagonal: 0 is the main one, positive numbers lie above it.

        Defined in ``pellucid/ops/shape/diagonal.py``.
        """
    def true_divide(self, other: Tensor | _complex) -> Tensor:
        """Divide element by element, with broadcasting; integers give floating-point quotients.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.true_divide(torch.tensor([7, -7]), 2)
        tensor([ 3.5000, -3.5000])

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def true_divide_(
        self,
        other: Tensor | _int | _float | _complex,
        *,
        rounding_mode: Literal["trunc", "floor"] | None = None,
    ) -> Tensor:
        """In-place version of :func:`div`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.
            rounding_mode: ``None`` for a true quotient, ``"trunc"`` towards zero, ``"floor"``
                down.

        Defined in ``pellucid/ops/elementwise/arithmetic.py``.
        """
    def trunc(self) -> Tensor:
        """Round towards zero; the gradient is 0.

        Dtypes:
            Booleans and complex numbers are refused.

        Args:
            input: Tensor of any shape.

        >>> torch.trunc(torch.tensor([1.5, -1.5]))
        tensor([ 1., -1.])

        Defined in ``pellucid/ops/elementwise/rounding.py``.
        """
    def trunc_(self) -> Tensor:
        """In-place version of :func:`trunc`: write the result into the first operand.

        Args:
            input: Tensor of any shape.

        Defined in ``pellucid/ops/elementwise/rounding.py``.
        """
    def type_as(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return the tensor in the dtype of another.

        Args:
            other: Tensor with the wanted dtype.

        Defined in ``pellucid/tensors/conversions.py``.
        """
    def unbind(self, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
        """Split a tensor into its slices along a dimension, without that dimension.

        Args:
            input: Tensor of at least one dimension.
            dim: Dimension to cut.

        Raises:
            IndexError: If the tensor has no dimensions.

        >>> torch.tensor([1, 2]).unbind()
        (tensor(1), tensor(2))

        Defined in ``pellucid/ops/shape/splitting.py``.
        """
    def unflatten(self, dim: _int, *sizes: _int | Sequence[_int]) -> Tensor:
        """Split a dimension into several.

        Args:
            dim: Dimension to split.
            sizes: Sizes of its parts, one by one or as a sequence; one may be -1.

        Defined in ``pellucid/tensors/resizing.py``.
        """
    def unfold(
        self, dimension: _int, size: _int | Sequence[_int], step: _int | _float | _complex | Tensor
    ) -> Tensor:
        """Return a view of the windows along a dimension, ``step`` apart, as a last dimension.

        Args:
            input: Tensor of at least one dimension.
            dimension: Dimension to cut into windows.
            size: Number of elements in a window.
            step: Distance between windows.

        >>> torch.arange(4).unfold(0, 2, 1)
        tensor([[0, 1],
                [1, 2],
                [2, 3]])

        Defined in ``pellucid/ops/shape/strided.py``.
        """
    def uniform_(
        self,
        *args: _int | _float | _complex | None,
        generator: Generator | None = None,
        **bounds: Any,
    ) -> Tensor:
        """Fill the tensor uniformly from ``from`` to ``to``, by default [0, 1).

        Raises RuntimeError if ``from`` is above ``to``.

        Defined in ``pellucid/ops/random/sampling.py``.
        """
    @overload
    def unique(
        self,
        sorted: _bool = True,
        return_inverse: Literal[False] = False,
        return_counts: Literal[False] = False,
        dim: _int | None = None,
    ) -> Tensor:
        """Return the distinct values in order, or the distinct slices along a dimension.

        As asked, also for each element the index of its value, and how often each value occurs.

        Args:
            input: Real tensor of any shape.
            sorted: Whether the result is in order.
            return_inverse: Whether to return where each element went in the result.
            return_counts: Whether to return how often each element occurs.
            dim: Dimension whose slices are compared; by default all elements.

        >>> torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
        (tensor([1, 3]), tensor([1, 2]))

        Defined in ``pellucid/ops/reduce/sort.py``.
        """
    @overload
    def unique(
        self,
        *,
        sorted: _bool = True,
        return_counts: _bool = False,
        dim: _int | None = None,
        return_inverse: Literal[True],
    ) -> tuple[Tensor, ...]:
        """Return the distinct values in order, or the distinct slices along a dimension.

        As asked, also for each element the index of its value, and how often each value occurs.

        Args:
            input: Real tensor of any shape.
            sorted: Whether the result is in order.
            return_inverse: Whether to return where each element went in the result.
            return_counts: Whether to return how often each element occurs.
            dim: Dimension whose slices are compared; by default all elements.

        >>> torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
        (tensor([1, 3]), tensor([1, 2]))

        Defined in ``pellucid/ops/reduce/sort.py``.
        """
    @overload
    def unique(
        self,
        *,
        sorted: _bool = True,
        return_inverse: _bool = False,
        dim: _int | None = None,
        return_counts: Literal[True],
    ) -> tuple[Tensor, ...]:
        """Return the distinct values in order, or the distinct slices along a dimension.

        As asked, also for each element the index of its value, and how often each value occurs.

        Args:
            input: Real tensor of any shape.
            sorted: Whether the result is in order.
            return_inverse: Whether to return where each element went in the result.
            return_counts: Whether to return how often each element occurs.
            dim: Dimension whose slices are compared; by default all elements.

        >>> torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
        (tensor([1, 3]), tensor([1, 2]))

        Defined in ``pellucid/ops/reduce/sort.py``.
        """
    @overload
    def unique(
        self,
        sorted: _bool = True,
        return_inverse: _bool = False,
        return_counts: _bool = False,
        dim: _int | None = None,
    ) -> Tensor | tuple[Tensor, ...]:
        """Return the distinct values in order, or the distinct slices along a dimension.

        As asked, also for each element the index of its value, and how often each value occurs.

        Args:
            input: Real tensor of any shape.
            sorted: Whether the result is in order.
            return_inverse: Whether to return where each element went in the result.
            return_counts: Whether to return how often each element occurs.
            dim: Dimension whose slices are compared; by default all elements.

        >>> torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
        (tensor([1, 3]), tensor([1, 2]))

        Defined in ``pellucid/ops/reduce/sort.py``.
        """
    def unique_consecutive(
        self, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None
    ) -> Tensor:
        """Return the elements (or slices) that differ from the one before.

        Args:
            input: Real tensor of any shape.
            return_inverse: Whether to return where each element went in the result.
            return_counts: Whether to return how often each element occurs.
            dim: Dimension whose slices are compared; by default all elements.

        Raises:
            NotImplementedError: For complex numbers.

        >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 1]))
        tensor([1, 2, 1])

        Defined in ``pellucid/ops/reduce/sort.py``.
        """
    def unsafe_chunk(self, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
        """Take a tensor apart as `chunk` does, into parts as those of `unsafe_split`.

        Raises RuntimeError if the tensor has no dimensions, or ``chunks`` is not positive.

        Args:
            input: Tensor of at least one dimension.
            chunks: Number of parts.
            dim: Dimension to cut.

        >>> torch.arange(3).unsafe_chunk(2)
        (tensor([0, 1]), tensor([2]))

        Defined in ``pellucid/ops/shape/splitting.py``.
        """
    def unsafe_split(self, split_size: _int, dim: _int = 0) -> tuple[Tensor, ...]:
        """Take a tensor apart as `split` does, into parts that autograd takes for independent tensors.

        They may be changed in place, as long as the input and the other parts are not used then.
        Raises RuntimeError if the tensor has no dimensions, or for a negative size.

        Args:
            input: Tensor of at least one dimension.
            split_size: Size of each part.
            dim: Dimension to cut.

        >>> torch.arange(3).unsafe_split(2)
        (tensor([0, 1]), tensor([2]))

        Defined in ``pellucid/ops/shape/splitting.py``.
        """
    def unsqueeze(self, dim: _int | Sequence[_int]) -> Tensor:
        """Return a view with one more dimension, of size 1, at a position.

        Args:
            input: Tensor of any shape.
            dim: Dimension to work along; a negative one counts from the end.

        >>> torch.ones(3).unsqueeze(1).shape
        torch.Size([3, 1])

        Defined in ``pellucid/ops/shape/views.py``.
        """
    def unsqueeze_(self, dim: _int) -> Tensor:
        """Put in a dimension of size 1, in this very tensor.

        Defined in ``pellucid/tensors/resizing.py``.
        """
    def untyped_storage(self) -> Any:
        """Return the memory behind the tensor.

        Defined in ``pellucid/tensors/storages.py``.
        """
    def values(self) -> Tensor:
        """Raise RuntimeError: values() is there for sparse tensors.

        Defined in ``pellucid/tensors/layouts.py``.
        """
    def var(
        self,
        dim: _int | Sequence[_int] | _bool | None = None,
        unbiased: _bool | None = None,
        keepdim: _bool = False,
        *,
        correction: _float | None = None,
    ) -> Tensor:
        """Return the variance over dimensions: squared deviations over ``count - correction``.

        Args:
            input: Floating point or complex tensor of any shape.
            dim: Dimension or dimensions to reduce; all by default.
            unbiased: Whether to divide by ``n - 1``: the same as ``correction=1``.
            keepdim: Whether reduced dimensions stay, with size 1.
            correction: What is subtracted from the number of elements in the divisor.

        >>> torch.var(torch.tensor([1.0, 2.0, 3.0]))
        tensor(1.)

        Defined in ``pellucid/ops/reduce/statistics.py``.
        """
    def vdot(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return the dot product with the first vector conjugated.

        Args:
            input: Vector ``[N]``.
            other: Vector ``[N]``.

        >>> torch.vdot(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
        tensor(11.)

        Defined in ``pellucid/ops/linalg/matmul.py``.
        """
    def view(
        self,
        *shape: _int | Sequence[_int] | _dtype,
        dtype: _dtype | None = None,
        size: _int | Sequence[_int] | None = None,
    ) -> Tensor:
        """Return a view in another shape, or of the bytes as another dtype.

        Args:
            shape: Sizes, one by one or as a sequence, one of which may be -1; or a dtype.
            dtype: Dtype as which the bytes are read.
            size: The shape, by name.

        Defined in ``pellucid/tensors/resizing.py``.
        """
    def view_as(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return a view of the elements in the shape of another tensor.

        Args:
            input: Tensor of any shape.
            other: Tensor of the shape, with as many elements.

        >>> torch.ones(4).view_as(torch.zeros(2, 2)).shape
        torch.Size([2, 2])

        Defined in ``pellucid/ops/shape/views.py``.
        """
    def vsplit(self, indices_or_sections: _int | Sequence[_int] | Tensor) -> tuple[Tensor, ...]:
        """Split a tensor along dimension 0.

        Args:
            input: Tensor of at least two dimensions.
            indices_or_sections: Number of equal parts, or the indices at which to cut.

        >>> torch.vsplit(torch.eye(2), 2)
        (tensor([[1., 0.]]), tensor([[0., 1.]]))

        Defined in ``pellucid/ops/shape/splitting.py``.
        """
    def where(
        self, condition: Tensor | _int | _float | _complex, other: Tensor | _int | _float | _complex
    ) -> Tensor:
        """Keep the elements where the condition holds, and take ``other`` elsewhere.

        Defined in ``pellucid/ops/elementwise/conditional.py``.
        """
    def xlogy(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """Return ``input * log(other)``, and 0 where ``input`` is 0.

        Dtypes:
            ``input`` and ``other`` are computed in their common dtype.
            Integers and booleans are computed in the default floating dtype.
            Complex numbers are refused.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        >>> torch.xlogy(torch.tensor([0.0, 2.0]), torch.tensor([0.0, 1.0]))
        tensor([0., 0.])

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def xlogy_(self, other: Tensor | _int | _float | _complex) -> Tensor:
        """In-place version of :func:`xlogy`: write the result into the first operand.

        Args:
            input: Tensor of any shape, or a number.
            other: Tensor or number that broadcasts with ``input``.

        Defined in ``pellucid/ops/elementwise/exponential.py``.
        """
    def zero_(self) -> Tensor:
        """Write zeros over all elements.

        Defined in ``pellucid/tensors/inplace_methods.py``.
        """

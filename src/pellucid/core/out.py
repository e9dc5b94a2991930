"""Results that are written into tensors which are there already: ``torch.add(a, b, out=c)``."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from pellucid.autograd.modes import modes, no_autocast, no_grad
from pellucid.autograd.sites import user_frame, user_stacklevel
from pellucid.autograd.variable import TensorBase, storage_of
from pellucid.core import op_errors, opmath
from pellucid.core.call import call, operand_arrays
from pellucid.core.checked import check_functions, explaining
from pellucid.core.fast_call import function_with_out
from pellucid.core.history import requires_grad
from pellucid.core.op import Op, OpFunction
from pellucid.core.writing import check_overlap, check_result_dtype, check_writable
from pellucid.dtypes import castable, from_numpy_dtype
from pellucid.errors import ArgumentTypeError, DtypeError, GraphError, PellucidError
from pellucid.kernels.numpy.backend import cpu
from pellucid.kernels.numpy.precision import quiet

# Note [The dtype of out]
# What most functions return may be written into any dtype that does not lose its category: a
# float into a float of any size or into a complex number, never into an integer. Others, those
# listed as exact, want the very dtype of their result. It is no rule but PyTorch's history: the
# lists are what PyTorch 2.13 does, found by asking it for every name.

#: by module: the functions that take ``out`` of any dtype to which the result may be cast
_CASTING: Final = {
    "pellucid": """
        acos acosh add addcdiv addcmul addr angle arange arccos arccosh arcsin arcsinh arctan
        arctan2 arctanh asin asinh atan atan2 atanh bernoulli bitwise_and bitwise_left_shift
        bitwise_or bitwise_right_shift bitwise_xor cat chain_matmul cholesky
        cholesky_inverse cholesky_solve clamp clamp_max clamp_min clip column_stack concat
        concatenate copysign cos cosh cumprod cumsum deg2rad diff digamma div divide dstack empty
        eq erf erfc erfinv exp exp2 expm1 eye floor_divide fmax fmin fmod full gcd ge geqrf ger
        greater greater_equal gt hstack hypot i0 igamma igammac kron lcm ldexp le less less_equal
        lgamma linspace log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not
        logical_or logical_xor logit logspace logsumexp lt lu matrix_power max maximum mean min
        minimum mul multiply mvlgamma nanmean ne nextafter normal not_equal ones outer polygamma
        pow prod rad2deg rand randint randn randperm range reciprocal remainder renorm row_stack
        rsqrt sigmoid sin sinc sinh sqrt square stack std sub subtract sum tan tanh true_divide
        var vstack xlogy zeros nansum
    """,
    "pellucid.linalg": """
        cond householder_product matrix_power matrix_rank pinv tensorinv tensorsolve
    """,
    "pellucid.fft": "fftfreq hfft hfft2 hfftn irfft irfft2 irfftn rfftfreq",
    "pellucid.special": """
        airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 chebyshev_polynomial_t
        chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w digamma entr erf
        erfc erfcx erfinv exp2 expit expm1 gammainc gammaincc gammaln hermite_polynomial_h
        hermite_polynomial_he i0 i0e i1 i1e laguerre_polynomial_l legendre_polynomial_p log1p
        log_ndtr logit logsumexp modified_bessel_i0 modified_bessel_i1 modified_bessel_k0
        modified_bessel_k1 multigammaln ndtr ndtri polygamma psi scaled_modified_bessel_k0
        scaled_modified_bessel_k1 shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u
        shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w sinc spherical_bessel_j0
        xlog1py xlogy zeta
    """,
    "pellucid.nn.functional": "normalize",
}
#: the functions to which an ``out`` of a dtype that cannot hold the result is a wrong argument
_JOINING: Final = (
    "cat", "column_stack", "concat", "concatenate", "dstack", "hstack", "row_stack", "stack",
    "vstack",
)  # fmt: skip
#: by module: the functions that take ``out`` of the dtype of the result alone
_EXACT: Final = {
    "pellucid": """
        abs absolute addbmm addmm addmv all amax amin aminmax any argmax argmin baddbmm
        bitwise_not bmm
        bucketize ceil complex conj_physical cross cummax cummin diag dot fix float_power floor frac
        frexp gather heaviside histc histogram index_add index_copy index_reduce index_select
        inner inverse isneginf isposinf kthvalue lerp logcumsumexp lu_solve lu_unpack
        masked_select matmul median mm mode msort multinomial mv nan_to_num nanmedian nanquantile
        neg negative nonzero norm ormqr polar qr quantile round searchsorted sgn sign signbit
        sort svd take take_along_dim tensordot topk triangular_solve tril triu trunc vdot where
    """,
    "pellucid.linalg": """
        cholesky cholesky_ex cross det eig eigh eigvals eigvalsh inv inv_ex lu lu_factor
        lu_factor_ex lu_solve matmul matrix_norm multi_dot norm qr slogdet solve solve_ex
        solve_triangular svd svdvals vecdot vector_norm
    """,
    "pellucid.fft": "fft fft2 fftn ifft ifft2 ifftn ihfft ihfft2 ihfftn rfft rfft2 rfftn",
    "pellucid.special": "round",
}


def public_functions(
    namespace: dict[str, Any], module: str, *, apart_from: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return the functions of a public module that differ from those it imports, by name.

    Composites explain their failures, and what PyTorch gives ``out`` takes it.
    """
    made = check_functions(namespace, module, apart_from=apart_from)
    for names, exact in ((_CASTING, False), (_EXACT, True)):
        for name in names.get(module, "").split():
            function = namespace.get(name)
            if function is not None:
                made[name] = _with_out(function, module, name, exact)
    return made


def _with_out(function: Any, module: str, name: str, exact: bool) -> Any:
    if hasattr(function, "op"):
        return _op_with_out(function.op, exact)
    return _composite_with_out(function, module, name, exact)


def _op_with_out(op: Op, exact: bool) -> OpFunction:
    def write(op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], out: Any) -> Any:
        try:
            return _write_op(op, operands, params, out, exact)
        except PellucidError as error:
            if op_errors.STORY in str(error):
                raise
            raise type(error)(f"{error}{op_errors.story(op, operands, params)}") from error

    return function_with_out(op, write)


def _composite_with_out(function: Any, module: str, name: str, exact: bool) -> Any:
    def write(
        function: Callable[..., Any], name: str, args: Any, kwargs: dict[str, Any], out: Any
    ) -> Any:
        try:
            return _write_composite(function, name, args, kwargs, out, exact)
        except PellucidError as error:
            if op_errors.STORY in str(error):
                raise
            names = inspect.signature(function).parameters
            given = [*zip(names, args, strict=False), *kwargs.items()]
            raise type(error)(f"{error}{op_errors.told(name, given, 3)}") from error

    return explaining(function, module, name, write)


def _write_op(
    op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], out: Any, exact: bool
) -> Any:
    targets = _targets(op.name, out, len(op.outputs))
    _check_targets(op.name, targets, _tensors(operands))
    if _compute_in_place(op, operands, params, targets):
        return out
    if not exact:  # what can compute in another dtype does so in that of the target
        names = [param.name for param in op.params]
        wanted = from_numpy_dtype(targets[0]._array.dtype)
        params = tuple(
            wanted if name == "dtype" and value is None else value
            for name, value in zip(names, params, strict=True)
        )
    with no_grad(), no_autocast():
        result = call(op, operands, params)
    return _deliver(op.name, result, targets, exact)


def _compute_in_place(
    op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], targets: list[TensorBase]
) -> bool:
    """Let the op write straight into the memory that is there, if that is what it would make."""
    if op.into is None or len(targets) != 1 or op.variadic or not all(op.promoted):
        return False
    target = targets[0]._array
    arrays = operand_arrays(op, operands, params)
    given = [each for each in arrays if each is not None]
    fits = all(
        each.shape in ((), target.shape)
        and each.dtype == target.dtype
        and not np.may_share_memory(each, target)
        for each in given
    )
    if not fits or all(each.shape != target.shape for each in given):
        return False
    if opmath.is_wider(op, target, arrays):
        return False
    quiet.run(op.into, cpu, target, *arrays, *params)
    _note_change(targets[0], op.name)
    return True


def _write_composite(
    function: Callable[..., Any], name: str, args: Any, kwargs: dict[str, Any], out: Any,
    exact: bool,
) -> Any:  # fmt: skip
    targets = _targets(name, out, None)
    _check_targets(name, targets, _tensors((*args, *kwargs.values())))
    if not exact and "dtype" in inspect.signature(function).parameters:
        kwargs = {"dtype": from_numpy_dtype(targets[0]._array.dtype), **kwargs}
    with no_grad(), no_autocast():
        result = function(*args, **kwargs)
    return _deliver(name, result, targets, exact)


def _targets(name: str, out: Any, count: int | None) -> list[TensorBase]:
    """Return the tensors to write into; raise TypeError where they are none, or not so many."""
    targets = list(out) if isinstance(out, tuple | list) else [out]
    for each in targets:
        if not isinstance(each, TensorBase):
            raise ArgumentTypeError(
                f"{name}(): argument 'out' must be Tensor, not {type(each).__name__}"
            )
    if count is not None and len(targets) != count:
        raise ArgumentTypeError(
            f"{name}(): argument 'out' must be {_tensors_in_words(count)}, "
            f"but {len(targets)} were given"
        )
    return targets


def _tensors_in_words(count: int) -> str:
    return "a Tensor" if count == 1 else f"a tuple of {count} Tensors"


def _tensors(arguments: tuple[Any, ...]) -> list[TensorBase]:
    """Return the tensors among the arguments and in the sequences among them."""
    found: list[TensorBase] = []
    for each in arguments:
        if isinstance(each, TensorBase):
            found.append(each)
        elif isinstance(each, tuple | list):
            found += _tensors(tuple(each))
    return found


def _check_targets(name: str, targets: list[TensorBase], operands: list[TensorBase]) -> None:
    """Raise where writing would lose a gradient, or change what is still to be read."""
    if modes.grad_enabled and any(requires_grad(each) for each in (*operands, *targets)):
        raise GraphError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad. Leave out= out, or call it under "
            "torch.no_grad()."
        )
    for target in targets:
        check_writable(target)
        check_overlap(target, tuple(operands))


def _deliver(name: str, result: Any, targets: list[TensorBase], exact: bool) -> Any:
    """Write the results into the targets, and return those in the form of the results."""
    results = list(result) if isinstance(result, tuple | list) else [result]
    if len(results) != len(targets):
        raise ArgumentTypeError(
            f"{name}(): argument 'out' must be {_tensors_in_words(len(results))}, "
            f"but {len(targets)} were given"
        )
    for made, target in zip(results, targets, strict=True):
        _check_dtype(name, made._array.dtype, target._array.dtype, exact)
    for made, target in zip(results, targets, strict=True):
        _fit_shape(target, made._array.shape)
        np.copyto(target._array, made._array, casting="unsafe")
        _note_change(target, name)
    make = getattr(type(result), "_make", type(result))  # of a named tuple, or of a plain one
    return make(targets) if isinstance(result, tuple | list) else targets[0]


def _check_dtype(name: str, result: Any, wanted: Any, exact: bool) -> None:
    if result.kind == "b" and not exact:
        return  # truth values may be written as any numbers
    if exact and result != wanted:
        raise DtypeError(
            f"Expected out tensor to have dtype {op_errors.scalar_name(result).lower()}, but got "
            f"{op_errors.scalar_name(wanted).lower()} instead"
        )
    if name in _JOINING and not castable(result, wanted):
        raise ArgumentTypeError(
            f"torch.{name}(): input types can't be cast to the desired output type "
            f"{op_errors.scalar_name(wanted)}"
        )
    check_result_dtype(result, wanted)


def _fit_shape(target: TensorBase, shape: tuple[int, ...]) -> None:
    if target._array.shape == shape:
        return
    if target._array.size:
        warnings.warn(
            "An output with one or more elements was resized since it had shape "
            f"{list(target._array.shape)}, which does not match the required output shape "
            f"{list(shape)}. This behavior is deprecated, and in a future PyTorch release outputs "
            "will not be resized unless they have zero elements. You can explicitly reuse an out "
            "tensor t by resizing it, inplace, to zero elements with t.resize_(0).",
            UserWarning,
            stacklevel=user_stacklevel(),
        )
    target._array = np.empty(shape, target._array.dtype)


def _note_change(target: TensorBase, name: str) -> None:
    storage_of(target).note_change(name, *user_frame(2))

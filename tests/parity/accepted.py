"""Differences that the sweep and PyTorch's tables show, each under a row of the page of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple


class Accepted(NamedTuple):
    """What may differ, of which names; a pattern that is empty holds for all."""

    row: str
    """What the row of the page begins with."""
    kind: str
    """What the difference begins with: ``error``, ``results``, ``strides``, ``values``, ..."""
    says: str = ""
    """A pattern that the difference holds."""
    names: str = ""
    """Names of functions without their place; those that change in place are meant too."""
    change: str = ""
    """A pattern that the change of operands holds."""

    def covers(self, name: str, change: str, difference: str) -> bool:
        """Return whether a difference of a function is this one."""
        names = self.names.split()
        return (
            re.match(self.kind, difference) is not None
            and (not names or name in names or name.removesuffix("_") in names)
            and re.search(self.says, difference) is not None
            and re.search(self.change, change) is not None
        )


_POLYNOMIALS = """
    airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 modified_bessel_i0 modified_bessel_i1
    modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k0 scaled_modified_bessel_k1
    spherical_bessel_j0 chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v
    chebyshev_polynomial_w shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u
    shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w hermite_polynomial_h
    hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p
"""
_FAILS = "^error: ours no error: .*theirs "
_REFUSED = "^error: ours (?!no error).*theirs no error"
_BOTH = "^error: ours (?!no error).*theirs (?!no error)"
_NO_KERNEL = (
    "not implemented for|not support|[Cc]omplex inputs|following scalar types|"
    "only supports floating|non-complex|could not infer|may not be a boolean|can't be cast"
)

ACCEPTED = (
    # ---- strides
    Accepted(
        "strides of results",
        "strides",
        names="""
        cholesky cholesky_ex cholesky_inverse cholesky_solve geqrf lu lu_factor
        lu_factor_ex lu_solve orgqr ormqr householder_product qr solve solve_ex solve_triangular
        triangular_solve
        eig eigh ldl_factor ldl_factor_ex ldl_solve lstsq svd_lowrank pca_lowrank
        fft fft2 fftn hfft ifft ifft2 ifftn ihfft ihfft2 ihfftn irfft rfft rfftn
        conj conj_physical adjoint H mH
        as_strided_scatter diagonal_scatter select_scatter slice_scatter
        angle masked_scatter mvlgamma multigammaln put pow __rpow__
        unravel_index
    """,
    ),
    Accepted("strides of results", "strides", "", "backward", "expanded"),
    # ---- gradients that are other ones, or there on one side only
    Accepted("gradient of `ctc_loss`", "gradients", "", "ctc_loss CTCLoss"),
    Accepted("gradient of `cholesky_solve`", "gradients", "", "cholesky_solve cholesky_inverse"),
    Accepted("`Muon`", "values", "", "Muon"),
    Accepted(
        "signs of eigenvectors and singular vectors; `svd_lowrank`",
        "values|gradients",
        "",
        "svd_lowrank pca_lowrank",
    ),
    Accepted("gradient of `as_strided_scatter`", "gradients", "", "as_strided_scatter"),
    Accepted("Bessel and Airy", "results|gradients|error", "", _POLYNOMIALS),
    Accepted(
        "Bessel functions of large",
        "values",
        "",
        "bessel_j0 bessel_j1 bessel_y0 bessel_y1",
        "float64",
    ),
    Accepted("signs of eigenvectors", "values", "", "eig eigh svd", "torch"),
    Accepted("small integers in a derivative", "gradients", "", "", "int|list"),
    Accepted("small integers in a derivative", "values", "", _POLYNOMIALS, "int"),
    Accepted("a derivative that PyTorch lacks", "error", _FAILS + "\\w+: [\"']in backward"),
    Accepted("gradient where the value is NaN", "gradients", "nan|inf"),
    # ---- dtypes
    Accepted("integers that values of a history", "error", "Autograd not support dtype"),
    Accepted("dtypes without a kernel", "error", _FAILS + f".*({_NO_KERNEL})"),
    Accepted("dtypes of empty tensors", "error", "ours NotImpl.*not implemented for.*no error"),
    Accepted("half precision on the CPU", "values|gradients|results", "", "", "float16"),
    Accepted(
        "losses of operands of two dtypes",
        "results|values",
        "",
        """
        soft_margin_loss binary_cross_entropy_with_logits hinge_embedding_loss block_diag
    """,
    ),
    Accepted(
        "a bias of another dtype",
        "error",
        "bias type",
        """
        conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d
    """,
    ),
    # ---- which error, and whether there is one
    Accepted("what is not a tensor", "error", _BOTH + "AttributeError"),
    Accepted(
        "which of two mistakes",
        "error",
        _BOTH,
        """
        __setitem__ einsum embedding expand gaussian_nll_loss index_copy index_fill index_put
        lobpcg tensordot to
    """,
    ),
    Accepted(
        "PyTorch's own failures",
        "error",
        _FAILS + ".*(INTERNAL ASSERT|view size is not|MKL FFT error|masked_fill_ only supports)",
    ),
    Accepted("PyTorch's own failures", "crash: PyTorch: ends", "SIGSEGV", "pdist", "empty"),
    Accepted("names of arguments", "error", _FAILS + "TypeError", "", "by names"),
    Accepted("a bias of another dtype", "error", _REFUSED, "solve_triangular"),
    Accepted("`addbmm_` of a tensor", "error", "doesn't match the broadcast", "addbmm"),
    Accepted("checks that are not made", "error", _FAILS, "trapezoid trapz", "None"),
    Accepted("numbers for tensors", "error", _REFUSED, "gaussian_nll_loss to"),
    Accepted(
        "numbers for tensors",
        "error",
        _FAILS,
        "clamp clip gaussian_nll_loss masked_fill",
        "^(True|-?[0-9.]+) ",
    ),
    Accepted("numbers for tensors", "results|values", "", "to", "True"),
    Accepted("`lobpcg` of complex", "error", _REFUSED, "lobpcg"),
    Accepted("`lobpcg` of complex", "values", "", "lobpcg", "expanded"),
    Accepted("names of arguments", "error", _REFUSED, "copy_ result_type", "by names"),
    Accepted("`view(dtype)`", "results|gradients", "", "view"),
    Accepted("rounding in single precision", "gradients", "", "pinverse pinv sinc", "32|64"),
    Accepted("a singular matrix", "error", "U\\[2,2\\] is zero", "lu"),
    Accepted(
        "a singular matrix",
        "values|gradients",
        "",
        "cond eig eigvals inv_ex nuclear_norm qr solve_ex svd svdvals",
        "expanded",
    ),
    Accepted("a singular matrix", "gradients", "", "matrix_norm norm", "expanded"),
    Accepted(
        "numbers that nothing defines",
        "values",
        "",
        "empty empty_like empty_strided empty_permuted new_empty new_empty_strided",
    ),
    Accepted("numbers that nothing defines", "values", "", "multi_margin_loss cross_entropy"),
    Accepted("gradient of `index_reduce`", "gradients", "", "index_reduce", "complex"),
    # ---- ties
    Accepted("which of several equal", "values 1", "", "kthvalue topk mode sort", "int|bool"),
)


def accepting(name: str, change: str, difference: str) -> Accepted | None:
    """Return the entry that accepts a difference of a function, with or without its place."""
    last = name.rpartition(".")[2]
    return next((each for each in ACCEPTED if each.covers(last, change, difference)), None)


@dataclass
class Finding:
    """One sample of PyTorch's tables in which the libraries differ."""

    name: str
    change: str
    """The dtype and the variant of the sample, or that it is refused."""
    number: int
    sample: str
    difference: str

    @property
    def accepted(self) -> bool:
        """Whether the list has it."""
        return accepting(self.name, self.change, self.difference) is not None

    def __str__(self) -> str:
        return f"{self.name} | {self.change} | {self.number} | {self.difference} | {self.sample}"


class Job(NamedTuple):
    """A comparison of some samples, of which it tells the number and what differs."""

    name: str
    what: str
    compare: Callable[[], tuple[int, list[Finding]]]

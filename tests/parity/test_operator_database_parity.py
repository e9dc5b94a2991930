"""PyTorch's own samples of its operators, run here and there; see `operator_database`."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from tests.parity import operator_database as samples  # noqa: E402 - it imports torch

pytestmark = pytest.mark.filterwarnings("ignore")

#: kinds of differences that docs/differences.md explains, and the operators that have them
_LAPACK_OR_FFT = (
    "linalg.", "fft.", "lu", "qr", "geqrf", "ormqr", "cholesky", "triangular_solve", "svd_lowrank",
    "pca_lowrank", "inverse", "ldl",
)  # fmt: skip
ACCEPTED = {
    "strides": (
        *_LAPACK_OR_FFT, "unfold_copy", "transpose_copy", "permute_copy", "as_strided_copy",
        "__getitem__", "double", "float", "half", "bfloat16", "long", "int", "short", "char",
        "byte", "bool", "unravel_index",
    ),
    # vectors of a decomposition are there up to their sign
    "value": (
        "svd_lowrank", "pca_lowrank", "empty", "new_empty", "special.bessel_",
        "as_strided.partial_views",
    ),
    "gradient value": ("nn.functional.ctc_loss", "as_strided", "cholesky_", "svd_", "pca_"),
    "requires_grad": ("linalg.lstsq", "normal", "bernoulli"),
    "error": ("new_empty_strided", "nn.functional.linear_cross_entropy"),
}  # fmt: skip

ENTRIES = [each for each in samples.database() if samples.in_scope(each)]


@pytest.mark.parametrize("entry", ENTRIES, ids=samples.full_name)
def test_samples_of_an_operator_give_what_they_give_in_pytorch(entry):
    dtype = next((each for each in samples.DTYPES[1:] if each in entry.dtypes), None)
    if dtype is None:
        pytest.skip("none of the dtypes that are compared")
    try:
        _, found = samples.compare_operator(entry, dtype, most=2)
    except AttributeError as error:
        pytest.skip(str(error))
    unexplained = [
        str(each)
        for each in found
        if not each.operator.startswith(ACCEPTED.get(each.kind, ("not any",)))
    ]
    assert not unexplained

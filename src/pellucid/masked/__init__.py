"""Reductions and normalizations that leave out the elements that a mask is False for.

They are PyTorch's ``torch.masked``, for strided tensors and masks; ``MaskedTensor`` is not there.
"""

from pellucid.masked.functions import (
    amax,
    amin,
    argmax,
    argmin,
    cumprod,
    cumsum,
    log_softmax,
    logaddexp,
    logsumexp,
    mean,
    median,
    norm,
    normalize,
    prod,
    softmax,
    softmin,
    std,
    sum,
    var,
)
from pellucid.masked.masks import identity as _reduction_identity  # noqa: F401 - for tests
from pellucid.masked.masks import input_mask as _input_mask  # noqa: F401 - for tests
from pellucid.masked.masks import output_mask as _output_mask  # noqa: F401 - for tests

__all__ = [
    "amax", "amin", "argmax", "argmin", "cumprod", "cumsum", "log_softmax", "logaddexp",
    "logsumexp", "mean", "median", "norm", "normalize", "prod", "softmax", "softmin", "std", "sum",
    "var",
]  # fmt: skip

"""A hash of the values of a tensor."""

from __future__ import annotations

import numpy as np

from pellucid.core.definition.batching import Batch
from pellucid.core.definition.public import EXACT, public
from pellucid.core.families import nograd
from pellucid.core.memory.layouts import contiguous
from pellucid.dtypes import scalar_name
from pellucid.errors import DomainError, UnimplementedError
from pellucid.ops.reduce.extremes import require_elements
from pellucid.ops.reduce.reductions import axes_of

_BITS = np.dtype(np.uint64)


@public("hash_tensor", method=True, out=EXACT)
@nograd(torch_kernel_name="xor_sum_cpu", layout=contiguous, batch=Batch.OVER_DIMS)
def hash_tensor(be, input, /, dim=None, *, keepdim=False, mode=0):
    """Return a hash of the elements, as uint64, along dimensions or altogether.

    Elements are widened to 64 bits, as int64 or float64, and their bits combined by exclusive or.

    Args:
        input, dim, keepdim: As for `sum`.
        mode: Which hash; 0 is the only one.

    Raises:
        NotImplementedError: If the elements are complex, or unsigned integers of more than 8 bits.

    >>> torch.hash_tensor(torch.tensor([[1, 2], [4, 4]]), dim=1)
    tensor([3, 0], dtype=torch.uint64)
    """
    if mode != 0:
        raise DomainError(f"Unknown hash_tensor mode: {mode}\n\n  0 is the only one.")
    kind = input.dtype.kind
    if kind == "c" or (kind == "u" and input.dtype.itemsize > 1):
        raise UnimplementedError(
            f"\"xor_sum_cpu\" not implemented for '{scalar_name(input.dtype)}'\n\n"
            "  Take a view as integers, by .view(torch.int64) for example."
        )
    dims = axes_of(None if dim == () or dim == [] else dim, input.ndim)
    require_elements("hash_tensor", input, dims)
    wide = input.astype(np.float64 if kind in "fV" else np.int64)
    return be.bitwise_xor.reduce(wide.view(_BITS), dims, None, None, keepdim)

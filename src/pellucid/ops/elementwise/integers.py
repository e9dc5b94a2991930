"""Operations of number theory."""

from __future__ import annotations

from pellucid.core.definition.batching import Batch
from pellucid.core.definition.dtype_rules import TENSORS
from pellucid.core.definition.public import CASTING, public
from pellucid.core.families import nograd


@public("gcd gcd_", method=True, inplace=True, out=CASTING)
@nograd(dtypes=TENSORS, unsupported="bfc", kernel="gcd", batch=Batch.ELEMENTWISE)
def gcd(be, input, other, /):
    """Return the greatest common divisors of integers; that of 0 and 0 is 0.

    Raises NotImplementedError for booleans, floating-point and complex numbers.

    Args:
        input: Integer tensor of any shape.
        other: Integer tensor or number that broadcasts with ``input``.

    >>> torch.gcd(torch.tensor([12, -18]), torch.tensor([18, 12]))
    tensor([6, 6])
    """


@public("lcm lcm_", method=True, inplace=True, out=CASTING)
@nograd(dtypes=TENSORS, unsupported="bfc", kernel="lcm", batch=Batch.ELEMENTWISE)
def lcm(be, input, other, /):
    """Return the least common multiples of integers; that of 0 and anything is 0.

    Raises NotImplementedError for booleans, floating-point and complex numbers.

    Args: As for `gcd`.

    >>> torch.lcm(torch.tensor([4, -6]), torch.tensor([6, 4]))
    tensor([12, 12])
    """

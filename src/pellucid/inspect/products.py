"""The products that each of pellucid's operations adds up, counted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from pellucid.autograd.modes import no_grad, push_interpreter
from pellucid.blocks import Block, temporary
from pellucid.core.call.interpreter import Execution, Interpreter
from pellucid.random import fork_rng


@contextmanager
def counting(count: Callable[[int], None]) -> Iterator[None]:
    """Report how many products each operation adds up, in a block that leaves no trace.

    Args:
        count: Called with the number of products.
    """
    with no_grad(), fork_rng(), _interpreted_by(_Products(count)):
        yield


@temporary
def _interpreted_by(block: Block, interpreter: Interpreter) -> None:
    push_interpreter(block, interpreter)


class _Products(Interpreter):
    """The interpreter that sees each operation."""

    def __init__(self, count: Callable[[int], None]) -> None:
        self._count = count

    def executed(self, execution: Execution) -> None:
        """Count the products of an operation that multiplies matrices."""
        products = PRODUCTS.get(execution.op.name)
        if products is not None:
            self._count(products(execution))


def _size(execution: Execution) -> int:
    return execution.results[0]._array.size


def _shape(execution: Execution, position: int) -> tuple[int, ...]:
    return execution.operands[position]._array.shape


def _contracted(execution: Execution) -> int:
    left, _, kept = execution.params[:3]
    sizes = zip(left, _shape(execution, 0), strict=True)
    return _size(execution) * math.prod(size for name, size in sizes if name not in kept)


#: by operation, how many products it adds up
PRODUCTS: Final[dict[str, Callable[[Execution], int]]] = {
    "linear": lambda it: _size(it) * _shape(it, 0)[-1],
    "matmul": lambda it: _size(it) * _shape(it, 0)[-1],
    "sum_with_product": lambda it: _size(it) * _shape(it, 1)[-1],
    "sum_with_products": lambda it: _size(it) * _shape(it, 1)[0] * _shape(it, 1)[-1],
    "convolution": lambda it: _size(it) * math.prod(_shape(it, 1)[1:]),
    "transposed_convolution": lambda it: math.prod(_shape(it, 0)) * math.prod(_shape(it, 1)[1:]),
    "contract": _contracted,
    "flash_attention": lambda it: 2 * math.prod(_shape(it, 0)) * _shape(it, 1)[-2],
    "lstm": lambda it: math.prod(_shape(it, 0)[:2]) * math.prod(_shape(it, 3)),
    "gru": lambda it: math.prod(_shape(it, 0)[:2]) * math.prod(_shape(it, 2)),
}

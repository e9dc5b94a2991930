"""The products that each of PyTorch's operations adds up, counted."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

torch: Any = importlib.import_module("torch")
_counts: Any = importlib.import_module("torch.utils.flop_counter")
importlib.import_module("torch.nn.attention")
_dispatch: Any = importlib.import_module("torch.utils._python_dispatch")


@contextmanager
def counting(count: Callable[[int], None]) -> Iterator[None]:
    """Report how many products each operation adds up, in a block that leaves no trace.

    What computes several layers in one operation is kept out, so that each layer's are its own.

    Args:
        count: Called with the number of products.
    """
    attention, native = torch.backends.mha, torch._C
    fast, compiled = attention.get_fastpath_enabled(), native._get_mkldnn_enabled()
    attention.set_fastpath_enabled(False)
    native._set_mkldnn_enabled(False)
    plain = torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)
    try:
        with torch.no_grad(), torch.random.fork_rng(), plain, _Products(count):
            yield
    finally:
        attention.set_fastpath_enabled(fast)
        native._set_mkldnn_enabled(compiled)


class _Products(_dispatch.TorchDispatchMode):
    """The mode that sees each operation below PyTorch's functions."""

    def __init__(self, count: Callable[[int], None]) -> None:
        super().__init__()
        self._count = count

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given = kwargs or {}
        result = func(*args, **given)
        operations = _counts.flop_registry.get(func._overloadpacket)
        if operations is not None:
            self._count(operations(*args, **given, out_val=result) // 2)
        return result

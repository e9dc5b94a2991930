"""PyTorch's calls and nodes, told to an observer of pellucid's; its products counted."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from pellucid.inspect.pytorch.events import watching_torch
from pellucid.observe import Observer

torch: Any = importlib.import_module("torch")
_counts: Any = importlib.import_module("torch.utils.flop_counter")
importlib.import_module("torch.nn.attention")
_dispatch: Any = importlib.import_module("torch.utils._python_dispatch")


@contextmanager
def observing(observer: Observer) -> Iterator[None]:
    """Report to an observer each call of PyTorch's functions in the block.

    Of nodes it hears as all do that are in `pellucid.observe.observers`.

    Args:
        observer: What hears of them.
    """
    with watching_torch(lambda event, subject: None, recorder=_Telling(observer)):
        yield


class _Telling:
    """What calls PyTorch's functions in the place of a recorder, and tells of them.

    Args:
        observer: What hears of them.
    """

    own_range = nullcontext

    def __init__(self, observer: Observer) -> None:
        self._observer = observer

    def call(
        self, name: str, scope: str | None, function: Any, args: Any, given: dict[str, Any]
    ) -> Any:
        """Call a function of PyTorch's between the two events."""
        self._observer.op_began("op", name, (*args, *given.values()))
        try:
            return function(*args, **given)
        except BaseException:
            self._observer.op_ended(None)
            raise

    def called(self, result: Any, start: int, end: int) -> None:
        """Report what the function has returned."""
        self._observer.op_ended(result)


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

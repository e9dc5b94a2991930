"""Data parallelism over processes, of which there is one here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pellucid.nn.modules.module import Module


class DistributedDataParallel(Module):
    """Wrapper that trains a module in all processes of a group; here, in this one.

    Parameter names start with ``module.``, as in PyTorch's checkpoints. No gradients are exchanged.

    Args:
        module: The module to wrap.
        device_ids: Accepted for compatibility; only the CPU is there.
        output_device: Accepted for compatibility; only the CPU is there.
        dim: The batch dim.
        options: Other options of PyTorch, which change nothing.

    >>> import pellucid as torch
    >>> net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 3))
    >>> with net.no_sync():
    ...     net(torch.ones(4, 2)).sum().backward()
    >>> net.module.bias.grad
    tensor([4., 4., 4.])
    """

    def __init__(
        self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0,
        **options: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        self.module = module
        self.device_ids = device_ids
        self.output_device = output_device
        self.dim = dim
        self.require_backward_grad_sync = True
        self.find_unused_parameters = bool(options.get("find_unused_parameters", False))

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Return a context manager without gradient exchange, which never happens here."""
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before


DistributedDataParallelCPU = DistributedDataParallel

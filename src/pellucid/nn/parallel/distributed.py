"""A module trained by several processes: here there is one, in which it runs as it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pellucid.nn.modules.module import Module


class DistributedDataParallel(Module):
    """Train a module in all processes of a group: in this one, as it is.

    The options of PyTorch are accepted; there is nobody to exchange gradients with.

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
        """Let gradients stay in this process for the duration of a block, as they do anyway."""
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before


DistributedDataParallelCPU = DistributedDataParallel

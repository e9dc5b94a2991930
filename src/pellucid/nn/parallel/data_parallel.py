"""Data parallelism over devices, of which there is one here."""

from __future__ import annotations

from typing import Any

from pellucid.nn.modules.module import Module


class DataParallel(Module):
    """Wrapper that runs a module on all devices; here, on the CPU.

    Parameter names start with ``module.``, as in PyTorch's checkpoints.

    Args:
        module: The module to wrap.
        device_ids: Accepted for compatibility; only the CPU is there.
        output_device: Accepted for compatibility; only the CPU is there.
        dim: The batch dim.

    >>> net = torch.nn.DataParallel(torch.nn.Linear(2, 3))
    >>> net(torch.ones(4, 2)).shape
    torch.Size([4, 3])
    >>> list(net.state_dict())
    ['module.weight', 'module.bias']
    """

    def __init__(
        self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0
    ) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[int] = []
        self.output_device = output_device
        self.dim = dim

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)


def data_parallel(
    module: Module, inputs: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0,
    module_kwargs: Any = None,
) -> Any:  # fmt: skip
    """Call a module with inputs, on all devices; here, on the CPU.

    Args:
        module: The module to call.
        inputs: A tuple of positional arguments, or a single one.
        device_ids: Accepted for compatibility; only the CPU is there.
        output_device: Accepted for compatibility; only the CPU is there.
        dim: The batch dim.
        module_kwargs: Keyword arguments of the module.

    >>> torch.nn.parallel.data_parallel(torch.nn.Identity(), torch.ones(1))
    tensor([1.])
    """
    inputs = inputs if isinstance(inputs, tuple) else () if inputs is None else (inputs,)
    return module(*inputs, **(module_kwargs or {}))

"""A module on several devices: here there is one, on which it runs as it is."""

from __future__ import annotations

from typing import Any

from pellucid.nn.modules.module import Module


class DataParallel(Module):
    """Run a module on all devices that there are: on the CPU, as it is.

    Parameters are those of ``module``, with its name in front, as in PyTorch's saved files.

    >>> import pellucid as torch
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
    """Call a module with inputs: a tuple of them, or one.

    >>> import pellucid as torch
    >>> torch.nn.parallel.data_parallel(torch.nn.Identity(), torch.ones(1))
    tensor([1.])
    """
    inputs = inputs if isinstance(inputs, tuple) else () if inputs is None else (inputs,)
    return module(*inputs, **(module_kwargs or {}))

"""Parts of a program that PyTorch runs its own way: DDP, custom functions, compiled modules."""

from __future__ import annotations

import os
import warnings
from typing import Any

import pytest

import pellucid
from pellucid.inspect import graph, pytorch, why_no_grad

torch: Any = pytest.importorskip("torch")
nn = torch.nn


class Half(nn.Module):  # type: ignore[misc]
    """A module that uses one of its two parts."""

    def __init__(self) -> None:
        super().__init__()
        self.used, self.unused, self.frozen = (nn.Linear(4, 2) for _ in range(3))
        self.frozen.requires_grad_(False)

    def forward(self, x: Any) -> Any:
        return self.used(x)


def step_twice() -> None:
    net = nn.parallel.DistributedDataParallel(Half())
    for _ in range(2):
        net(torch.ones(3, 4)).sum().backward()


def test_ddp_is_told_which_parameters_have_no_gradient() -> None:
    if not torch.distributed.is_initialized():
        torch.distributed.init_process_group(
            "gloo", store=torch.distributed.HashStore(), rank=0, world_size=1
        )
    with pytest.raises(RuntimeError) as alone:
        step_twice()
    with pytorch.lines(), pytest.raises(RuntimeError) as told:
        step_twice()
    assert "unused.weight" not in str(alone.value)
    assert str(told.value).startswith(str(alone.value))
    added = str(told.value).removeprefix(str(alone.value))
    assert "Without a gradient since the step before: unused.weight, unused.bias." in added
    assert "find_unused_parameters=True" in added


def lost(library: Any) -> str:
    class Scaled(library.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any, w: Any) -> Any:
            return x * w

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g, None

    x, w = (library.ones(3, requires_grad=True) for _ in range(2))
    loss = Scaled.apply(x, w).sum()
    loss.backward()
    assert w.grad is None
    return str(why_no_grad(w, loss))


def test_a_custom_function_that_gives_none_is_named_as_on_pellucid() -> None:
    with pytorch.lines():
        told = lost(torch)
    assert told == lost(pellucid)
    assert "A custom function on the way to w returned None for it." in told


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_a_compiled_part_has_the_line_that_calls_it_and_no_warning_more(backend: str) -> None:
    net = torch.compile(nn.Linear(3, 3), backend=backend)
    x = torch.ones(2, 3)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*global hooks")
        with pytorch.lines():
            loss = net(x).sum()
    nodes = graph(loss).nodes
    assert {node.text for node in nodes} == {"loss = net(x).sum()"}
    # where tests of parity have run, compile() gives the function as it is
    compiles = os.environ.get("TORCH_COMPILE_DISABLE") != "1" and backend != "eager"
    assert ("CompiledFunctionBackward" in {node.name for node in nodes}) == compiles

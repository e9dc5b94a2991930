"""A function with a backward of its own, checked, with hooks and saved tensors packed."""

from __future__ import annotations

from typing import Any, assert_type

import pellucid as torch
from pellucid import Tensor
from pellucid.autograd import Function
from pellucid.autograd.function import FunctionCtx, once_differentiable


class Clamp(Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, low: float) -> Tensor:
        ctx.save_for_backward(x)
        ctx.low = low
        return x.clamp(min=low)

    @staticmethod
    def backward(ctx: FunctionCtx, gradient: Tensor) -> tuple[Tensor, None]:
        (x,) = ctx.saved_tensors
        return gradient * (x >= ctx.low), None


class Sorted(Function):
    @staticmethod
    def forward(x: Tensor) -> tuple[Tensor, Tensor]:
        values, indices = torch.sort(x)
        return values, indices

    @staticmethod
    def setup_context(
        ctx: FunctionCtx, inputs: tuple[Tensor], output: tuple[Tensor, Tensor]
    ) -> None:
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(output[1])

    @staticmethod
    @once_differentiable
    def backward(ctx: FunctionCtx, gradient: Tensor, _: Tensor | None) -> Tensor:
        (order,) = ctx.saved_tensors
        return torch.zeros_like(gradient).scatter(0, order, gradient)


def pack(tensor: Tensor) -> Any:
    return tensor.to(torch.float16)


def unpack(packed: Any) -> Tensor:
    restored: Tensor = packed.to(torch.float32)
    return restored


def cube(x: Tensor) -> Tensor:
    return (x**3).sum()


def main() -> None:
    x = torch.randn(4, dtype=torch.float64, requires_grad=True)
    y: Tensor = Clamp.apply(x, 0.0)
    seen: list[Tensor] = []
    handle = y.register_hook(seen.append)
    y.sum().backward()
    handle.remove()
    assert x.grad is not None
    assert x.grad.shape == x.shape
    assert torch.autograd.gradcheck(Clamp.apply, (x, 0.0))
    assert_type(torch.autograd.gradcheck(torch.sin, x), bool)
    (first,) = torch.autograd.grad(cube(x), x, create_graph=True)
    assert_type(first, Tensor)
    second = torch.autograd.grad(first.sum(), [x])
    assert_type(second, tuple[Tensor, ...])
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        z = (x.float() ** 2).sum()
    z.backward()
    with torch.autograd.detect_anomaly(), torch.enable_grad():
        assert_type(torch.autograd.functional.hessian(cube, x.detach()), Any)
    node = z.grad_fn
    assert node is not None
    assert_type(node.name(), str)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x.detach(), torch.ones_like(x))
        value, tangent = torch.autograd.forward_ad.unpack_dual(torch.exp(dual))
        assert_type(value, Tensor)
        assert tangent is not None
    values, order = Sorted.apply(x)
    print(values, order)


if __name__ == "__main__":
    main()

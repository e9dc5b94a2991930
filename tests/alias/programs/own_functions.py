"""Functions with derivatives written by hand: a cube, a linear layer, rounding straight through."""

import torch
import torch.nn as nn
from torch.autograd import Function, gradcheck, gradgradcheck
from torch.autograd.function import once_differentiable

torch.manual_seed(0)


class Cube(Function):
    @staticmethod
    def forward(x):
        return x**3, 3 * x**2

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,), (result, slope) = inputs, output
        ctx.save_for_backward(x, slope)
        ctx.mark_non_differentiable(slope)

    @staticmethod
    def backward(ctx, grad, _):
        x, _ = ctx.saved_tensors
        return grad * 3 * x * x


class LinearFunction(Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


class RoundThrough(Function):
    @staticmethod
    def forward(ctx, x, levels):
        ctx.levels = levels
        return (x * levels).round() / levels

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        return grad.clamp(-1, 1), None


class Reversal(Function):
    """Turn the sign of gradients, for training against a critic in one pass."""

    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.strength * grad, None


class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        ctx.mark_dirty(x)
        return x.mul_(factor)

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


x = torch.randn(4, 3, dtype=torch.double, requires_grad=True)
w = torch.randn(2, 3, dtype=torch.double, requires_grad=True)
b = torch.randn(2, dtype=torch.double, requires_grad=True)
print(gradcheck(LinearFunction.apply, (x, w, b)), gradgradcheck(LinearFunction.apply, (x, w, b)))
print(gradcheck(lambda t: Cube.apply(t)[0], (x,)), Cube.apply(x)[1].requires_grad)
(first,) = torch.autograd.grad(Cube.apply(x)[0].sum(), x, create_graph=True)
(second,) = torch.autograd.grad(first.sum(), x)
print(torch.allclose(second, 6 * x), f"{second.abs().sum().item():.4f}")


class Quantized(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(3, 5).uniform_(-0.1, 0.1))
        self.bias = nn.Parameter(torch.zeros(3))
        self.critic = nn.Linear(3, 2)

    def forward(self, x):
        h = LinearFunction.apply(x, RoundThrough.apply(self.weight, 8), self.bias)
        return h, self.critic(Reversal.apply(h, 0.1))


torch.manual_seed(1)
model = Quantized()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.randn(32, 5)
targets = inputs @ torch.randn(5, 3)
sides = (inputs[:, 0] > 0).long()
for step in range(20):
    optimizer.zero_grad()
    h, side = model(inputs)
    loss = nn.functional.mse_loss(h, targets)
    (loss + nn.functional.cross_entropy(side, sides)).backward()
    optimizer.step()
    if step % 5 == 4:
        print(f"loss {loss.item():.4f}")
leaf = torch.ones(3, requires_grad=True)
y = leaf * 1
Scale.apply(y, 4.0).sum().backward()
print(leaf.grad, y)

"""A program as it was written years ago: Variables, data of data, functions with static methods."""

import torch
from torch.autograd import Function, Variable


class MyReLU(Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[input < 0] = 0
        return grad_input


dtype = torch.FloatTensor
torch.manual_seed(0)
x = Variable(torch.randn(8, 10).type(dtype), requires_grad=False)
y = Variable(torch.randn(8, 3).type(dtype))
w1 = Variable(torch.randn(10, 12).type(dtype), requires_grad=True)
w2 = Variable(torch.randn(12, 3).type(dtype), requires_grad=True)
for t in range(20):
    y_pred = MyReLU.apply(x.mm(w1)).mm(w2)
    loss = (y_pred - y).pow(2).sum()
    if t % 4 == 0:
        print("loss %.3f" % loss.data.item())
    loss.backward()
    w1.data -= 1e-3 * w1.grad.data
    w2.data -= 1e-3 * w2.grad.data
    w1.grad.data.zero_()
    w2.grad.data.zero_()

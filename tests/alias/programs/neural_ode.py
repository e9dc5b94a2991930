"""A differential equation learnt by the adjoint method: gradients by solving it backwards."""

import torch
import torch.nn as nn

torch.manual_seed(0)


def rk4(f, state, t0, t1, steps):
    h = (t1 - t0) / steps
    t = t0
    for _ in range(steps):
        k1 = f(t, state)
        k2 = f(t + h / 2, [s + h / 2 * k for s, k in zip(state, k1)])
        k3 = f(t + h / 2, [s + h / 2 * k for s, k in zip(state, k2)])
        k4 = f(t + h, [s + h * k for s, k in zip(state, k3)])
        state = [
            s + h / 6 * (a + 2 * b + 2 * c + d) for s, a, b, c, d in zip(state, k1, k2, k3, k4)
        ]
        t = t + h
    return state


class Adjoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, func, y0, t, *params):
        ctx.func = func
        with torch.no_grad():
            ys = [y0]
            for a, b in zip(t[:-1], t[1:]):
                ys += rk4(lambda s, y: [func(s, y[0])], ys[-1:], a, b, 4)
        ys = torch.stack(ys)
        ctx.save_for_backward(ys, t, *params)
        return ys

    @staticmethod
    def backward(ctx, grad_ys):
        ys, t, *params = ctx.saved_tensors
        func = ctx.func

        def dynamics(s, state):
            y, a = state[0], state[1]
            with torch.enable_grad():
                y = y.detach().requires_grad_(True)
                f = func(s, y)
                grads = torch.autograd.grad(f, (y, *params), -a, allow_unused=True)
            return [f.detach(), *grads]

        with torch.no_grad():
            a = grad_ys[-1]
            sums = [torch.zeros_like(p) for p in params]
            for i in reversed(range(1, len(t))):
                _, a, *sums = rk4(dynamics, [ys[i], a, *sums], t[i], t[i - 1], 4)
                a = a + grad_ys[i - 1]
        return (None, a, None, *sums)


class ODEFunc(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
        for m in self.net.modules():
            if isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, mean=0, std=0.1)
                nn.init.constant_(m.bias, val=0)

    def forward(self, t, y):
        return self.net(y**3)


true_A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
t = torch.linspace(0.0, 1.0, 6)
y0 = torch.tensor([[2.0, 0.0], [1.0, 1.0]])
with torch.no_grad():
    true_y = [y0]
    for a, b in zip(t[:-1], t[1:]):
        true_y += rk4(lambda s, y: [y[0] ** 3 @ true_A], true_y[-1:], a, b, 8)
    true_y = torch.stack(true_y)

func = ODEFunc()
by_adjoint = Adjoint.apply(func, y0, t, *func.parameters())
by_adjoint.pow(2).mean().backward()
adjoint = [p.grad.clone() for p in func.parameters()]
func.zero_grad()
ys = [y0]
for a, b in zip(t[:-1], t[1:]):
    ys += rk4(lambda s, y: [func(s, y[0])], ys[-1:], a, b, 4)
torch.stack(ys).pow(2).mean().backward()
print(
    "same gradients:",
    all(
        torch.allclose(p.grad, a, rtol=2e-2, atol=1e-4) for p, a in zip(func.parameters(), adjoint)
    ),
)
optimizer = torch.optim.RMSprop(func.parameters(), lr=1e-2)
for step in range(8):
    optimizer.zero_grad()
    loss = torch.mean(torch.abs(Adjoint.apply(func, y0, t, *func.parameters()) - true_y))
    loss.backward()
    optimizer.step()
    print(f"loss {loss.item():.4f}")

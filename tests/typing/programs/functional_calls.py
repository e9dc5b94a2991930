"""Derivatives of functions, batches of them, and a model called with other parameters."""

from __future__ import annotations

from typing import assert_type

import pellucid as torch
from pellucid import Tensor, nn
from pellucid.func import functional_call, grad, grad_and_value, jacrev, vjp, vmap


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))

    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = self.layers(x)
        return output.squeeze(-1)


def loss(parameters: dict[str, Tensor], model: Model, x: Tensor, target: Tensor) -> Tensor:
    predicted: Tensor = functional_call(model, parameters, (x,))
    return nn.functional.mse_loss(predicted, target)


def per_sample_gradients(model: Model, x: Tensor, target: Tensor) -> dict[str, Tensor]:
    parameters = {name: p.detach() for name, p in model.named_parameters()}

    def one(x: Tensor, target: Tensor) -> dict[str, Tensor]:
        gradients: dict[str, Tensor] = grad(loss)(parameters, model, x, target)
        return gradients

    return vmap(one, in_dims=(0, 0))(x, target)


def newton_step(x: Tensor) -> Tensor:
    def f(x: Tensor) -> Tensor:
        return (x**4).sum() + torch.special.xlogy(x, x).sum()

    slope, value = grad_and_value(f)(x)
    print(value)
    hessian: Tensor = torch.func.hessian(f)(x)
    return x - torch.linalg.solve(hessian, slope)


def spectrum(signal: Tensor) -> tuple[Tensor, Tensor]:
    transformed = torch.fft.rfft(signal, dim=-1)
    return transformed.abs(), torch.fft.fftshift(torch.fft.fftfreq(8))


def sample(mean: Tensor) -> tuple[Tensor, Tensor]:
    normal = torch.distributions.Normal(mean, torch.ones_like(mean))
    drawn = normal.rsample((2,))
    divergence = torch.distributions.kl_divergence(normal, torch.distributions.Normal(0.0, 1.0))
    assert_type(normal.log_prob(drawn), Tensor)
    assert_type(divergence, Tensor)
    return drawn, normal.entropy()


def main() -> None:
    model = Model()
    x, target = torch.randn(5, 3), torch.randn(5)
    for name, gradient in per_sample_gradients(model, x, target).items():
        print(name, gradient.shape)
    print(newton_step(torch.ones(2)))
    output, pullback = vjp(torch.sin, x)
    print(output.shape, pullback(torch.ones_like(x))[0].shape)
    jacobian: Tensor = jacrev(torch.tanh)(torch.ones(2))
    assert_type(torch.linalg.det(jacobian), Tensor)
    q, r = torch.linalg.qr(torch.randn(3, 3))
    assert_type(q @ r, Tensor)
    values, vectors = torch.linalg.eigh(jacobian)
    assert_type(values, Tensor)
    assert_type(vectors, Tensor)
    print(spectrum(torch.randn(8)), sample(torch.zeros(2)))
    graph = torch.inspect.graph(model(x).sum())
    print(len(graph.nodes), str(graph))
    assert_type(torch.vmap(torch.dot)(x, x), Tensor)


if __name__ == "__main__":
    main()

"""Steps that differentiate gradients: `create_graph=True`, and back through what was recorded."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from benchmarks.harness import Case, Duel, Program, step_of


def cases() -> list[Case]:
    """Return one step of each kind."""
    return [
        Duel("PINN, u'' of 1-20-20-1 at 64 points, Adam", equation, target=0.5),
        Duel("gradient penalty of a critic, 32-64-64-1, Adam", penalty),
        Duel("Hessian times vector, 32-64-10, batch 64", curvature),
        Duel("MAML, 4 tasks, 1-40-40-1, SGD", meta_learning),
    ]


def equation(torch: ModuleType) -> Program:
    """Solve u'' = -f by a network.

    Raissi, Perdikaris and Karniadakis, "Physics-informed neural networks" (2019).
    """
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(
        nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1)
    )
    points = (torch.rand(64, 1) * 2 - 1).requires_grad_()
    force = torch.sin(3.14159 * points).detach()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def derivative(values: Any) -> Any:
        return torch.autograd.grad(values.sum(), points, create_graph=True)[0]

    def compute_loss() -> Any:
        return ((derivative(derivative(model(points))) + force) ** 2).mean()

    return step_of(model, optimizer, compute_loss)


def penalty(torch: ModuleType) -> Program:
    """Keep the length of a critic's gradients near one.

    Gulrajani et al., "Improved Training of Wasserstein GANs" (2017).
    """
    torch.manual_seed(0)
    nn = torch.nn
    critic = nn.Sequential(
        nn.Linear(32, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1)
    )
    samples = torch.randn(64, 32, requires_grad=True)
    optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)

    def compute_loss() -> Any:
        scores = critic(samples)
        gradient = torch.autograd.grad(scores.sum(), samples, create_graph=True)[0]
        return ((gradient.norm(2, dim=1) - 1) ** 2).mean() - scores.mean()

    return step_of(critic, optimizer, compute_loss)


def curvature(torch: ModuleType) -> Program:
    """Multiply the Hessian of a loss by a vector; Pearlmutter (1994)."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.Linear(32, 64), nn.Tanh(), nn.Linear(64, 10))
    inputs, labels = torch.randn(64, 32), torch.randint(0, 10, (64,))
    parameters = list(model.parameters())
    direction = [torch.randn_like(each) for each in parameters]

    def program() -> Any:
        loss = nn.functional.cross_entropy(model(inputs), labels)
        gradients = torch.autograd.grad(loss, parameters, create_graph=True)
        along = sum((g * v).sum() for g, v in zip(gradients, direction, strict=True))
        return torch.autograd.grad(along, parameters)

    return program


def meta_learning(torch: ModuleType) -> Program:
    """Learn from what is after one step of learning; Finn, Abbeel and Levine (2017)."""
    torch.manual_seed(0)
    functional = torch.nn.functional
    sizes = [(40, 1), (40,), (40, 40), (40,), (1, 40), (1,)]
    weights = torch.nn.ParameterList([torch.randn(*size) * 0.3 for size in sizes])
    inputs = torch.randn(4, 10, 1)
    waves = torch.sin(inputs)
    optimizer = torch.optim.SGD(weights.parameters(), lr=1e-2)

    def network(weights: Any, x: Any) -> Any:
        for i in (0, 2):
            x = functional.relu(functional.linear(x, weights[i], weights[i + 1]))
        return functional.linear(x, weights[4], weights[5])

    def loss_of_task(x: Any, y: Any) -> Any:
        first = functional.mse_loss(network(weights, x), y)
        gradients = torch.autograd.grad(first, list(weights), create_graph=True)
        learnt = [w - 0.01 * g for w, g in zip(weights, gradients, strict=True)]
        return functional.mse_loss(network(learnt, x), y)

    def compute_loss() -> Any:
        return sum(loss_of_task(x, y) for x, y in zip(inputs, waves, strict=True))

    return step_of(weights, optimizer, compute_loss)

"""The call path: programs on tensors so small that nearly all the time goes into bookkeeping."""

from __future__ import annotations

from types import ModuleType

from benchmarks.harness import Case, Duel, Program, step_of

REPEATS = 100
CHAIN = 1000
MIXED_REPEATS = 50
MIXED_OPS = 6


def cases() -> list[Case]:
    """Return what is measured here."""
    return [
        Duel("a * b, 4×4, recorded", multiply_recorded, target=0.3, units=REPEATS),
        Duel("a * b, 4×4, nobody needs gradients", multiply_constants, target=0.2, units=REPEATS),
        Duel("a * b, 4×4, under no_grad", multiply_no_grad, target=0.2, units=REPEATS),
        Duel("chain of 1,000 a * b, per op, with backward", chain, target=0.3, units=CHAIN),
        Duel(
            "mixed chain, per op, with backward",
            mixed_chain,
            target=0.4,
            units=MIXED_REPEATS * MIXED_OPS,
        ),
        Duel("training step, 2-16-16-1, batch 100, SGD", training_step, target=0.2),
    ]


def multiply_recorded(torch: ModuleType) -> Program:
    """Multiply two leaves."""
    a = torch.full((4, 4), 1.5, requires_grad=True)
    b = torch.full((4, 4), 0.5, requires_grad=True)

    def program() -> None:
        for _ in range(REPEATS):
            a * b

    return program


def multiply_constants(torch: ModuleType) -> Program:
    """Multiply where there is nothing to record."""
    a = torch.full((4, 4), 1.5)
    b = torch.full((4, 4), 0.5)

    def program() -> None:
        for _ in range(REPEATS):
            a * b

    return program


def multiply_no_grad(torch: ModuleType) -> Program:
    """Multiply two leaves while nothing is recorded."""
    a = torch.full((4, 4), 1.5, requires_grad=True)
    b = torch.full((4, 4), 0.5, requires_grad=True)

    def program() -> None:
        with torch.no_grad():
            for _ in range(REPEATS):
                a * b

    return program


def chain(torch: ModuleType) -> Program:
    """Multiply a thousand times by the same leaf and go back; factors of one keep it finite."""
    x = torch.ones(4, 4, requires_grad=True)
    w = torch.ones(4, 4, requires_grad=True)

    def program() -> None:
        y = x
        for _ in range(CHAIN):
            y = y * w
        y.sum().backward()
        x.grad = w.grad = None

    return program


def mixed_chain(torch: ModuleType) -> Program:
    """Alternate products, sums, functions and transposes, and go back."""
    x = torch.ones(4, 4, requires_grad=True)
    w = torch.full((4, 4), 0.1, requires_grad=True)
    s = torch.full((4, 4), 0.5, requires_grad=True)
    b = torch.full((4,), 0.1, requires_grad=True)

    def program() -> None:
        y = x
        for _ in range(MIXED_REPEATS):
            y = y @ w
            y = y * s
            y = y + b
            y = y.tanh()
            y = y.exp()
            y = y.transpose(0, 1)
        y.sum().backward()
        x.grad = w.grad = s.grad = b.grad = None

    return program


def training_step(torch: ModuleType) -> Program:
    """Forward, loss, backward and update of a small perceptron."""
    torch.manual_seed(0)
    points = torch.rand(100, 2) * 2 - 1
    labels = (points[:, :1] * points[:, 1:] > 0).float()
    model = torch.nn.Sequential(
        torch.nn.Linear(2, 16),
        torch.nn.ReLU(),
        torch.nn.Linear(16, 16),
        torch.nn.ReLU(),
        torch.nn.Linear(16, 1),
    )
    measure = torch.nn.MSELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    return step_of(model, optimizer, lambda: measure(model(points), labels))

"""Random numbers in a compiled step are those of the plain one, drawn where it draws them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pellucid as torch
from pellucid import _native, nn
from pellucid.kernels.random.stream import MersenneStream
from pellucid.nn import functional as F

pytestmark = pytest.mark.skipif(_native.compiled is None, reason="there is no module")


class World:
    """A network with dropout, and a step that is compiled or not."""

    def __init__(self, wrap: Callable[[Any], Any]) -> None:
        torch.manual_seed(0)
        self.net = net = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), nn.Linear(4, 1))
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        self.x, self.y = torch.randn(5, 3), torch.randn(5, 1)
        self.p, self.heard = 0.25, list[Any]()

        def step(x: Any, y: Any) -> Any:
            self.optimizer.zero_grad()
            by_columns = F.dropout(x.t(), self.p).t()
            loss = F.mse_loss(net(F.dropout(by_columns, self.p)), y)
            loss.backward()
            self.optimizer.step()
            return loss

        self.step = wrap(step)

    def seen(self) -> Any:
        return (
            self.step(self.x, self.y).tolist(),
            [each.detach().numpy().tobytes() for each in self.net.parameters()],
            torch.get_rng_state().tolist(),
            len(self.heard),
        )

    def numbers_at_once(self) -> int:
        (recorded, *_) = torch.inspect.compiled(self.step).recordings
        names = [each.name for each in recorded.operations if each.at_once]
        return sum(each in ("dropout", "Dropout") for each in names)


def _other_generator(world: World) -> None:
    state = torch.get_rng_state()
    torch.manual_seed(5)
    world.heard.append(torch.rand(3))
    torch.set_rng_state(state)


CHANGES: dict[str, Callable[[World], Any]] = {
    "nothing": lambda w: None,
    "the seed": lambda w: torch.manual_seed(9),
    "the state": _other_generator,
    "numbers between": lambda w: torch.randn(7),
    "half of a pair of normal numbers": lambda w: torch.normal(0.0, 1.0, (1,)),
    "the layer's probability": lambda w: setattr(w.net[1], "p", 0.75),
    "no number is kept": lambda w: setattr(w.net[1], "p", 1.0),
    "no number is drawn": lambda w: setattr(w.net[1], "p", 0.0),
    "the number": lambda w: setattr(w, "p", 0.5),
    "a wrong number": lambda w: setattr(w.net[1], "p", 2.0),
    "evaluation": lambda w: w.net.eval(),
    "rows": lambda w: vars(w).update(x=torch.randn(2, 3), y=torch.randn(2, 1)),
    "order in memory": lambda w: setattr(w, "x", torch.randn(3, 5).t()),
    "double precision": lambda w: (w.net.double(), vars(w).update(x=w.x.double(), y=w.y.double())),
    "a hook": lambda w: w.net[1].register_forward_hook(lambda *a: w.heard.append(torch.rand(1))),
    "a hook of a gradient": lambda w: w.net[0].weight.register_hook(
        lambda g: w.heard.append(torch.rand(1))
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_they_are_those_of_the_plain_step(change: str) -> None:
    def run(wrap: Callable[[Any], Any]) -> list[Any]:
        world, found = World(wrap), list[Any]()
        for call in range(14):
            if call == 8:
                if wrap is torch.compile:
                    assert world.numbers_at_once() == 3
                CHANGES[change](world)
            try:
                found.append(world.seen())
            except ValueError as error:
                found.append(str(error))
        return found

    assert run(torch.compile) == run(lambda step: step)


def test_where_half_is_zeroed_the_rest_is_doubled() -> None:
    f = torch.compile(lambda x: (F.dropout(x, 0.5) * 1.0).square().sqrt() * 1.0)
    for _ in range(8):
        found = f(torch.ones(10_000))
        assert set(found.tolist()) == {0.0, 2.0}
        assert 0.47 < found.mean().item() / 2 < 0.53
    (recorded,) = torch.inspect.compiled(f).recordings
    assert all(each.at_once for each in recorded.operations)


def test_a_stream_returns_to_where_it_was() -> None:
    stream = MersenneStream(3)
    for draws in (0, 1, 623, 624, 1000):
        stream.uniform(draws, "float32")
        stream.normal(1, "float32")
        position, state = stream.position(), stream.get_state().tolist()
        expected = stream.normal(5, "float64").tolist()
        stream.return_to(position)
        assert stream.get_state().tolist() == state
        assert stream.normal(5, "float64").tolist() == expected

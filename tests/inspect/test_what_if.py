"""What is foretold of a step, against the step that is really made so."""

from __future__ import annotations

from typing import Any

import pytest

import pellucid as torch
from pellucid import nn
from pellucid.inspect import memory, plan, record, what_if
from pellucid.nn import functional as F
from pellucid.utils.checkpoint import checkpoint

NAMES = [f"blocks.{number}" for number in range(4)]
targets = torch.arange(256) % 10


class Block(nn.Module):
    """A block of a transformer without its attention."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Any) -> Any:
        return x + self.down(F.gelu(self.up(self.norm(x))))


class Net(nn.Module):
    """Four blocks and a head; each block a checkpoint, or not."""

    def __init__(self, checkpoints: bool = False) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block(64) for _ in range(4)])
        self.head, self.checkpoints = nn.Linear(64, 10), checkpoints

    def forward(self, x: Any) -> Any:
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.checkpoints else block(x)
        return self.head(x)


def loss_of(net: Any, batch: int) -> Any:
    return F.cross_entropy(net(torch.randn(batch, 64)), targets[:batch])


def convolutions(batch: int) -> Any:
    net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.BatchNorm2d(8), nn.Conv2d(8, 4, 3))
    return net(torch.randn(batch, 3, 16, 16)).square().mean()


def recurrent(batch: int) -> Any:
    out, _ = nn.LSTM(6, 12)(torch.randn(7, batch, 6))  # the batch is the second dimension
    return out.square().mean()


@pytest.mark.parametrize(
    "make",
    [lambda batch: loss_of(Net(), batch), convolutions, recurrent],
    ids=["net", "conv", "lstm"],
)
@pytest.mark.parametrize("then", [96, 16])
def test_another_batch_costs_what_was_foretold(make: Any, then: int) -> None:
    foretold = what_if(make(32), batch=(32, then)).then
    real = make(then)
    assert foretold.held == pytest.approx(memory(real).held_bytes, rel=0.01)
    assert foretold.peak == pytest.approx(plan(real).peak, rel=0.02)


@pytest.mark.parametrize("batch", [None, (32, 128)])
def test_checkpoints_keep_what_was_foretold(batch: Any) -> None:
    foretold = what_if(loss_of(Net(), 32), checkpoint=NAMES, batch=batch).then
    real = memory(loss_of(Net(checkpoints=True), 128 if batch else 32))
    assert foretold.held == pytest.approx(real.held_bytes, rel=0.02)


def test_the_first_part_that_is_computed_again_makes_the_peak() -> None:
    loss = loss_of(Net(), 256)
    foretold = what_if(loss, checkpoint=NAMES)
    one = what_if(loss, checkpoint=NAMES[-1])
    # the last block is computed again when all the others are still there
    assert one.then.peak == pytest.approx(foretold.now.peak, rel=0.02)
    assert foretold.then.peak < foretold.now.peak / 2
    assert foretold.then.held < one.then.held < foretold.now.held
    assert foretold.then.after == foretold.now.after


def test_a_graph_that_is_retained_is_there_afterwards() -> None:
    loss = loss_of(Net(), 32)
    foretold = what_if(loss, retain_graph=True)
    expected = plan(loss, retain_graph=True)
    assert foretold.then[:3] == (expected.held_before, expected.peak, expected.held_after)
    assert foretold.now[:3] == what_if(loss).now[:3] == what_if(loss).then[:3]


def test_times_are_those_of_the_recording_and_what_is_computed_again() -> None:
    net = Net()
    with record() as recording:
        loss_of(net, 32).backward()
    net.zero_grad()
    loss = loss_of(net, 32)
    again = sum(
        each.self_time
        for each in recording.events
        if each.phase == "forward" and each.module.startswith("blocks.")
    )
    foretold = what_if(loss, checkpoint=NAMES, recording=recording)
    assert foretold.now.time == sum(each.self_time for each in recording.events)
    assert foretold.then.time == foretold.now.time + again
    twice = what_if(loss, batch=(32, 64), recording=recording)
    assert 1 < twice.then.time / twice.now.time <= 2
    assert "time of a step" in str(twice)
    assert "time" not in str(what_if(loss))


def test_nothing_is_run_or_changed() -> None:
    loss = loss_of(Net(), 32)
    before = memory(loss).to_dict()
    what_if(loss, batch=(32, 64), checkpoint="blocks.0", retain_graph=True)
    assert memory(loss).to_dict() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"checkpoint": "encoder"}, "no node is of a module 'encoder'; there are "),
        ({"batch": (31, 62)}, "nothing that the graph keeps has a dimension of 31"),
        ({"batch": (0, 62)}, "of at least 1"),
    ],
)
def test_what_is_not_there_cannot_be_asked(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        what_if(loss_of(Net(), 32), **options)


def test_it_is_told_in_words_and_numbers() -> None:
    text = str(what_if(loss_of(Net(), 32), batch=(32, 64), checkpoint=NAMES[:2]))
    lines = text.splitlines()
    assert lines[0] == (
        "what if the batch were 64 in place of 32 and blocks.0, blocks.1 were checkpointed"
    )
    assert lines[2].startswith("before backward  ")


def test_modules_may_be_given_in_place_of_their_names() -> None:
    net = Net()
    loss = loss_of(net, 32)
    by_module = what_if(loss, checkpoint=list(net.blocks))
    assert by_module == what_if(loss, checkpoint=NAMES)
    assert what_if(loss, checkpoint=net.blocks[0]) == what_if(loss, checkpoint="blocks.0")
    with pytest.raises(ValueError, match="nothing in the graph is of this Linear"):
        what_if(loss, checkpoint=nn.Linear(2, 2))


def attention(batch: int) -> Any:
    """A head of attention over 8 places, and the loss of each place."""
    x = torch.randn(batch, 8, 12)
    q, k, v = nn.Linear(12, 36)(x).chunk(3, -1)
    mixed = (q @ k.transpose(1, 2)).softmax(-1) @ v
    scores = nn.Linear(12, 5)(mixed).view(batch * 8, 5)
    return F.cross_entropy(scores, torch.zeros(batch * 8, dtype=torch.long))


@pytest.mark.parametrize(
    "make",
    [lambda batch: loss_of(Net(), batch), convolutions, attention],
    ids=["net", "conv", "attention"],
)
@pytest.mark.parametrize("size", [32, 24, 1])
def test_the_size_that_the_batch_has_is_found(make: Any, size: int) -> None:
    loss = make(size)
    assert str(what_if(loss, batch=96)) == str(what_if(loss, batch=(size, 96)))


def test_which_of_several_sizes_is_the_batch_has_to_be_said() -> None:
    with pytest.raises(ValueError, match=r"shares 7 and 32\. .*batch=\(7, 64\)"):
        what_if(recurrent(32), batch=64)
    fixed = torch.randn(5, 3) @ nn.Linear(3, 2).weight.t()
    with pytest.raises(ValueError, match=r"shares no size\. .*batch=\(16, 64\)"):
        what_if((fixed.sum(0) @ fixed.sum(1)[:2]).exp(), batch=64)


@pytest.mark.parametrize("batch", ["64", (1, 2, 3), True])
def test_a_batch_is_a_number_or_two(batch: Any) -> None:
    with pytest.raises(TypeError, match=r"batch=64, or the one that it has and that one"):
        what_if(loss_of(Net(), 32), batch=batch)


def test_a_question_without_a_change_shows_what_is() -> None:
    loss = torch.ones(2, requires_grad=True).exp().sum()
    assert str(what_if(loss)).startswith("what if nothing changed\n")


def test_only_a_loss_is_asked_about() -> None:
    with pytest.raises(TypeError, match="takes a loss, not Linear"):
        what_if(nn.Linear(2, 2), retain_graph=True)

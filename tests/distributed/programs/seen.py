"""What is shown of several ranks: where each computes and waits, and that they differ."""

import time
from itertools import pairwise

import pellucid as torch
import pellucid.distributed as dist
from pellucid import nn
from pellucid.inspect import checking, record
from pellucid.inspect.recording.rank_times import KINDS
from pellucid.nn.parallel import DistributedDataParallel
from pellucid.processes.board import State
from pellucid.processes.world import entered_world

dist.init_process_group("gloo")
me, count = dist.get_rank(), dist.get_world_size()
late = count - 1
#: the line at which the others wait
STOOD = "seen.py:29"


# ---- a recording of all ranks -------------------------------------------------------------------
def step(value):
    if me == late:
        board = entered_world().board
        while any(board.read(rank).state is not State.WAITING for rank in range(late)):
            time.sleep(0.001)
        time.sleep(0.3)
    dist.all_reduce(value)
    dist.barrier()


big = torch.zeros(2000) if me == 0 else torch.zeros(1000)
with record() as recording:
    big = big + 1
    step(torch.ones(3))
    if me == 0:
        dist.send(torch.ones(2), 1)
    elif me == 1:
        dist.recv(torch.ones(2), 0)
times = recording.over_ranks()
assert recording.ranks is times
assert [row.rank for row in times.rows] == list(range(count))
for row in times.rows[:late]:
    assert row.time_of("waiting") > 2.9e8
    (waiting,) = (line for line in times.lines if (line.rank, line.where) == (row.rank, STOOD))
    assert waiting.waiting > 2.9e8
    assert late in waiting.late
    assert waiting.text == "dist.all_reduce(value)"
assert not any(
    each.where == STOOD and each.kind == "waiting" for each in times.rows[late].stretches
)
assert times.rows[late].time_of("computing") > 2.9e8  # it slept, and stood at no exchange
for row in times.rows:
    assert sum(map(row.time_of, KINDS)) == row.end - row.start
    assert all(one.end <= other.start for one, other in pairwise(row.stretches))
    assert all(row.start <= each.start and each.end <= row.end for each in row.stretches)
assert [row.peak_bytes for row in times.rows] == [16_000, *[8_000] * (count - 1)]
assert STOOD in str(times)
assert any(each.call.startswith("all_reduce(float32[3]") for each in recording.exchanges)


# ---- ranks that are compared while they train ---------------------------------------------------
def train(kind):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
    if kind in ("sound", "moved"):
        net = DistributedDataParallel(net)
    if kind == "buffers":
        net = DistributedDataParallel(net, forward_sync_buffers=False)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    data = torch.Generator().manual_seed(me)
    with checking() as findings:
        for number in range(20):
            optimizer.zero_grad()
            nn.functional.mse_loss(
                net(torch.randn(16, 4, generator=data)), torch.randn(16, 1, generator=data)
            ).backward()
            if kind == "moved" and number == 5 and me == late:
                with torch.no_grad():
                    net.module[3].bias.add_(1)
            optimizer.step()
        dist.barrier()
    return findings


def told_by_all(kind):
    told = [None] * count
    dist.all_gather_object(told, [(each.kind, each.what) for each in train(kind)])
    return [each for found in told for each in found]


assert told_by_all("sound") == []
*first, last = map(str, range(1, count))
others = f"ranks {', '.join(first)} and {last}" if first else f"rank {last}"
differ = "DistributedDataParallel.module.1.running_mean and "
differ += f"DistributedDataParallel.module.1.running_var of {others} differ from those of rank 0"
assert told_by_all("buffers") == [("buffers that differ among ranks", differ)]
differs = f"DistributedDataParallel.module.3.bias of rank {late} differs from that of rank 0"
assert told_by_all("moved") == [("parameters that differ among ranks", differs)]
alone = told_by_all("alone")
assert alone
assert {kind for kind, _ in alone} == {"ranks that train on their own"}

dist.destroy_process_group()
if me == 0:
    print("all agree on what is seen")

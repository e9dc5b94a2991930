"""Every exchange, compared with what NumPy makes of the tensors of all ranks."""

from __future__ import annotations

import gc
import platform
import re
import time
from datetime import timedelta
from pathlib import Path

import numpy as np

import pellucid as torch
import pellucid.distributed as dist
from pellucid import dtypes
from pellucid.processes import communicator
from pellucid.processes.communicator import MpiCommunicator

dist.init_process_group("gloo", timeout=timedelta(seconds=20))
me, count = dist.get_rank(), dist.get_world_size()
Op = dist.ReduceOp


def raised(kind, function) -> str:
    """Return the text of the exception that a function raises."""
    try:
        function()
    except kind as error:
        return str(error)
    raise AssertionError(f"{kind.__name__} expected")


def tensors_of(dtype, shape=(3, 2)) -> list:
    """Return the tensors of all ranks, equal on all of them."""
    generator = np.random.default_rng(0)
    drawn = generator.integers(1, 4, (count, *shape))
    return [torch.tensor(each.tolist()).to(dtype) for each in drawn]


def wide(tensor) -> np.ndarray:
    array = tensor._array
    if tensor.is_complex():
        return array.astype(np.complex128)
    return array.astype(np.float64) if array.dtype.kind in "fV" else array


def check(result, expected) -> None:
    np.testing.assert_allclose(wide(result), expected, rtol=1e-2)


NUMPY = {
    Op.SUM: np.add, Op.PRODUCT: np.multiply, Op.MIN: np.minimum, Op.MAX: np.maximum,
    Op.BAND: np.bitwise_and, Op.BOR: np.bitwise_or, Op.BXOR: np.bitwise_xor,
}  # fmt: skip
BITWISE = (Op.BAND, Op.BOR, Op.BXOR)

for dtype in dtypes.ALL:
    every = tensors_of(dtype)
    arrays = [wide(each) for each in every]
    for op, ufunc in NUMPY.items():
        if op in BITWISE and (dtype.is_floating_point or dtype.is_complex):
            continue
        if dtype.is_complex and op is not Op.SUM:
            continue
        if dtype.is_floating_point and dtype.itemsize == 1:
            continue  # rounded to eight bits
        mine = every[me].clone()
        dist.all_reduce(mine, op)
        expected = arrays[0]
        for each in arrays[1:]:
            expected = ufunc(expected, each)
        check(mine, expected)
    gathered = [torch.zeros_like(every[0]) for _ in range(count)]
    dist.all_gather(gathered, every[me])
    for each, expected in zip(gathered, arrays, strict=True):
        check(each, expected)
    copied = every[me].clone()
    dist.broadcast(copied, src=count - 1)
    check(copied, arrays[-1])

every = tensors_of(torch.float32, (count, 2))
arrays = np.stack([wide(each) for each in every])
mine = every[me]

average = mine.clone()
dist.all_reduce(average, Op.AVG)
check(average, arrays.mean(0))

strided = torch.zeros(2, count).t().copy_(mine)
assert not strided.is_contiguous()
dist.all_reduce(strided)
check(strided, arrays.sum(0))

most, communicator._MOST_AT_ONCE = communicator._MOST_AT_ONCE, 16  # so that it goes in parts
for parted in (mine.clone(), torch.zeros(2, count).t().copy_(mine)):
    dist.all_reduce(parted)
    check(parted, arrays.sum(0))
communicator._MOST_AT_ONCE = most

# Large arrays are reduced in pieces, by MPI in memory in common: bit by bit the same on all ranks.
for size, dtype in ((1 << 14, "f4"), (400_001, "f4"), (70_003, "f8"), (1 << 17, "i4")):
    drawn = np.random.default_rng(size).standard_normal((count, size)) * 1000
    large = drawn.astype(dtype)
    for op in (Op.SUM, Op.MAX, Op.AVG) if dtype != "i4" else (Op.SUM, Op.BXOR):
        ours = torch.from_numpy(large[me].copy())
        dist.all_reduce(ours, op)
        reference = NUMPY[Op.SUM if op is Op.AVG else op].reduce(large.astype(dtype[0] + "8"))
        expected = reference / count if op is Op.AVG else reference
        np.testing.assert_allclose(wide(ours), expected, rtol=1e-6, atol=1e-3)
        of_rank_0 = ours.clone()
        dist.broadcast(of_rank_0, 0)
        assert torch.equal(ours, of_rank_0)
has_memory = getattr(dist.group.WORLD.comm, "_shared", None) is not None
is_mpi = isinstance(dist.group.WORLD.comm, MpiCommunicator)
assert has_memory == (is_mpi and platform.machine() in ("x86_64", "AMD64"))

reduced = mine.clone()
dist.reduce(reduced, dst=1)
check(reduced, arrays.sum(0) if me == 1 else arrays[me])

for output in (torch.zeros(count * count, 2), torch.zeros(count, count, 2)):
    dist.all_gather_into_tensor(output, mine)
    check(output.reshape(count, count, 2), arrays)

listed = [torch.zeros(count, 2) for _ in range(count)] if me == 0 else None
dist.gather(mine, listed)
if listed is not None:
    check(torch.stack(listed), arrays)

part = torch.zeros(2)
dist.scatter(part, list(every[1]) if me == 1 else None, src=1)
check(part, arrays[1][me])

for output in (torch.zeros(2), torch.zeros(1, 2)):
    dist.reduce_scatter_tensor(output, mine, Op.AVG)
    check(output.reshape(2), arrays.mean(0)[me])
output = torch.zeros(2, dtype=torch.bfloat16)
dist.reduce_scatter(output, [row.bfloat16() for row in mine])
check(output, arrays.sum(0)[me])

output = torch.zeros(count, 2)
dist.all_to_all_single(output, mine)
check(output, arrays[:, me])
pieces = [torch.zeros(2) for _ in range(count)]
dist.all_to_all(pieces, list(mine))
check(torch.stack(pieces), arrays[:, me])

# Rank r sends j + 1 rows to rank j, and so receives r + 1 rows from everyone.
rows = list(range(1, count + 1))
uneven = torch.zeros(count * (me + 1), 2)
dist.all_to_all_single(uneven, torch.full((sum(rows), 2), float(me)), [me + 1] * count, rows)
check(uneven[:, 0], np.repeat(np.arange(count), me + 1))

several = [torch.full((2,), float(me)), torch.full((1, 3), 1.0 + me)]
dist.all_reduce_coalesced(several)
check(several[1], np.full((1, 3), sum(rows)))

# ---- started now, waited for later -----------------------------------------------------------
first, second = mine.clone(), torch.full((1 << 16,), float(me))
works = [dist.all_reduce(first, async_op=True), dist.all_reduce(second, async_op=True)]
doubled = works[1].get_future().then(lambda future: future.value()[0][0].item() * 2)
assert doubled.wait() == count * (count - 1)
assert works[0].wait()
assert works[0].is_completed()
check(first, arrays.sum(0))
work = dist.barrier(async_op=True)
work.wait()
assert work.is_success()

# ---- between two ranks -----------------------------------------------------------------------
following, before = (me + 1) % count, (me - 1) % count
received, tagged = torch.zeros(2), torch.zeros(2)
works = dist.batch_isend_irecv([
    dist.P2POp(dist.isend, torch.full((2,), float(me)), following),
    dist.P2POp(dist.isend, torch.full((2,), 10.0 + me), following, tag=7),
    dist.P2POp(dist.irecv, tagged, before, tag=7),
    dist.P2POp(dist.irecv, received, before),
])  # fmt: skip
for work in works:
    work.wait()
assert (received[0], tagged[0]) == (before, 10 + before)
if me == 0:
    senders = {dist.recv(torch.zeros(1), tag=3) for _ in range(count - 1)}
    assert senders == set(range(1, count))
else:
    dist.send(torch.ones(1), 0, tag=3)

# ---- objects ---------------------------------------------------------------------------------
everything = [None] * count
dist.all_gather_object(everything, {"rank": me, "long": "x" * 1000 * me})
assert [each["rank"] for each in everything] == list(range(count))
shared = [me, "mine"] if me else [torch.ones(2), "first"]
dist.broadcast_object_list(shared)
assert shared[1] == "first"
own = [None]
dist.scatter_object_list(own, [f"for {rank}" for rank in range(count)] if me == 0 else None)
assert own == [f"for {me}"]
lists = [None] * count if me == 0 else None
dist.gather_object(me, lists)
assert lists in (None, list(range(count)))
if me == 0:
    dist.send_object_list(["a", {"b": 1}], 1)
elif me == 1:
    taken = [None, None]
    assert dist.recv_object_list(taken, 0) == 0
    assert taken == ["a", {"b": 1}]

# ---- groups ----------------------------------------------------------------------------------
last = dist.new_group([count - 1, 0])
if me in (0, count - 1):
    assert dist.get_process_group_ranks(last) == [0, count - 1]
    two = torch.ones(1)
    dist.all_reduce(two, group=last)
    assert two == 2
    dist.broadcast(two, src=count - 1, group=last)
else:
    assert last == dist.GroupMember.NON_GROUP_MEMBER
    assert dist.get_rank(last) == -1
mesh = dist.init_device_mesh("cpu", (1, count), mesh_dim_names=("replicate", "shard"))
assert mesh["shard"].get_local_rank() == me
assert mesh.get_group("replicate").size() == 1
flat = mesh["replicate", "shard"]._flatten()
assert flat.mesh_dim_names == ("replicate_shard",)
assert mesh["replicate_shard"] is flat
assert mesh["shard"]._flatten() == mesh["shard"]
assert flat.mesh.tolist() == list(range(count))
assert dist.DeviceMesh.from_group(flat.get_group(), "cpu").get_local_rank() == me
assert "Invalid mesh" in raised(
    ValueError, lambda: dist.DeviceMesh.from_group(flat.get_group(), "cpu", mesh=[count])
)
assert "without mesh_dim_names" in raised(
    RuntimeError, dist.DeviceMesh.from_group(flat.get_group(), "cpu")._flatten
)
for group in (mesh.get_group("shard"), flat.get_group()):
    whole = torch.ones(1)
    dist.all_reduce(whole, group=group)
    assert whole == count

# MPI has some 2,000 communicators, which are freed with their groups or owners.
for _ in range(3):
    passing = dist.new_group(list(range(count)))
    parallel = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1))
    made = passing.comm, passing.side, parallel.reducer.comm
    freeings = [each._freeing for each in made if isinstance(each, MpiCommunicator)]
    assert len(freeings) == (3 if isinstance(dist.group.WORLD.comm, MpiCommunicator) else 0)
    assert all(each.alive for each in freeings)
    dist.destroy_process_group(passing)
    del parallel, made
    gc.collect()
    assert not any(each.alive for each in freeings)
assert "Invalid process group" in raised(
    ValueError, lambda: dist.all_reduce(torch.ones(1), group=passing)
)

# ---- autograd and versions -------------------------------------------------------------------
weight = torch.ones(2, requires_grad=True)
product = weight * weight
saved = (product * product).sum()
dist.all_reduce(product.detach())
assert "modified by an inplace operation" in raised(RuntimeError, saved.backward)

# ---- calls that differ -----------------------------------------------------------------------
untouched = torch.ones(3 + me)
told = raised(RuntimeError, lambda: dist.all_reduce(untouched))
assert "Detected mismatch between collectives" in told
assert f"rank {me}: collectives.py:" in told
assert f"all_reduce(float32[{count + 2}], SUM)" in told
assert untouched.tolist() == [1.0] * (3 + me)
told = raised(RuntimeError, dist.barrier if me else lambda: dist.broadcast(torch.ones(1), 0))
assert "barrier" in told
assert "broadcast(float32[1], from 0)" in told
work = dist.all_reduce(torch.ones(2), Op.MAX if me else Op.MIN, async_op=True)
assert "MAX" in raised(RuntimeError, work.wait)
for size in (10, 1 << 17, 1 << 21):  # as a message, in shared memory, in parts
    alone = torch.full((size,), me + 1.0)
    told = raised(RuntimeError, dist.barrier if me else lambda x=alone: dist.all_reduce(x))
    assert "barrier" in told
    assert bool((alone == me + 1).all())
    for kind, expected in ((Op.SUM, count * (count + 1) / 2), (Op.MAX, count), (Op.MIN, 1)):
        value = alone.clone()
        dist.all_reduce(value, kind)
        assert bool((value == expected).all())
assert "invalid tensor size" in raised(
    RuntimeError, lambda: dist.all_gather([torch.zeros(1)] * count, torch.zeros(2))
)
dist.barrier()

# ---- several tensors, several futures --------------------------------------------------------
sizes = (3, 1 << 18)
gathered = [[torch.zeros(size) for size in sizes] for _ in range(count)]
work = dist.all_gather_coalesced(
    gathered, [torch.full((size,), me + 1.0) for size in sizes], async_op=True
)
work.wait()
for rank, tensors in enumerate(gathered):
    assert all(bool((each == rank + 1).all()) for each in tensors)
assert "invalid tensor size" in raised(
    RuntimeError, lambda: dist.all_gather_coalesced([[torch.zeros(1)]] * count, [torch.ones(2)])
)
several = [torch.full((1 << 16,), me + 1.0) for _ in range(3)]
if me:
    time.sleep(0.3)  # so that rank 0 has to wait
works = [dist.all_reduce(each, async_op=True) for each in several]
together = torch.futures.collect_all([work.get_future() for work in works])
told = torch.futures.Future()
together.then(lambda ready: told.set_result(len(ready.value())))
assert told.wait() == 3
assert all(bool((each == count * (count + 1) / 2).all()) for each in several)
dist.barrier()


# ---- a time limit ----------------------------------------------------------------------------
def dawdle() -> None:
    time.sleep(1)


if me == 1:
    dawdle()
else:
    told = raised(RuntimeError, lambda: dist.monitored_barrier(timeout=timedelta(seconds=0.6)))
    assert "Timed out waiting 600ms for monitored_barrier" in told
    assert "rank 1: in no exchange (the last one: collectives.py:" in told
    assert re.search(
        r"; at collectives.py:\d+ in dawdle, called from collectives.py:\d+ in <module>", told
    ), told

# ---- shared memory has no name that a killed job would leave -----------------------------------
maps = Path("/proc/self/maps")
if maps.exists():
    assert not re.findall(r"/dev/shm/mpich_\w+$", maps.read_text(), re.MULTILINE)
dist.destroy_process_group()
if me == 0:
    print("all agree on collectives")

"""Pipelines compute what one process with the whole network does."""

import pellucid as torch
import pellucid.distributed as dist
from pellucid import nn
from pellucid.distributed.pipelining import (
    PipelineStage,
    Schedule1F1B,
    ScheduleGPipe,
    ScheduleInterleaved1F1B,
    ScheduleLoopedBFS,
    TensorChunkSpec,
)

dist.init_process_group("gloo")
me, count = dist.get_rank(), dist.get_world_size()
batch = torch.randn(6 * count, 5, generator=torch.Generator().manual_seed(1))
targets = torch.randn(6 * count, 5, generator=torch.Generator().manual_seed(2))


def raised(function) -> str:
    """Return what a ValueError says."""
    try:
        function()
    except ValueError as error:
        return str(error)
    raise AssertionError("nothing was raised")


def layer(number: int):
    torch.manual_seed(number)
    return nn.Sequential(nn.Linear(5, 5), nn.Tanh())


def whole(total: int):
    layers = nn.Sequential(*map(layer, range(total)))
    out = layers(batch)
    nn.functional.mse_loss(out, targets).backward()
    return out.detach(), [each[0].weight.grad for each in layers]


for make, per_rank in (
    (ScheduleGPipe, 1), (Schedule1F1B, 1), (ScheduleInterleaved1F1B, 2), (ScheduleLoopedBFS, 2),
):  # fmt: skip
    total = per_rank * count
    numbers = range(me, total, count)
    layers = [layer(number) for number in numbers]
    stages = [
        PipelineStage(each, number, total) for each, number in zip(layers, numbers, strict=True)
    ]
    schedule = make(stages if per_rank > 1 else stages[0], 2 * count, nn.functional.mse_loss)
    expected, gradients = whole(total)
    is_last = me == count - 1
    first = [batch] if me == 0 else []
    out = schedule.step(*first, target=targets if is_last else None)
    assert (out is not None) == is_last
    if is_last:
        assert torch.allclose(out, expected, atol=1e-6)
    for each, number in zip(layers, numbers, strict=True):
        assert torch.allclose(each[0].weight.grad, gradients[number], atol=1e-6)
    told = schedule.eval(*first)
    if is_last:
        assert torch.allclose(told, expected, atol=1e-6)
        assert not told.requires_grad

# ---- errors that say what is wrong --------------------------------------------------------------
assert "out of range" in raised(lambda: PipelineStage(layer(0), count, count))
other = raised(lambda: PipelineStage(layer(0), (me + 1) % count, count))
assert f"not on rank {me}" in other
assert "one stage per rank" in raised(
    lambda: ScheduleGPipe(PipelineStage(layer(0), me, 2 * count), 2)
)
stage = PipelineStage(layer(me), me, count)
schedule = ScheduleGPipe(stage, 7 * count, args_chunk_spec=(TensorChunkSpec(0),))
if me == 0:
    assert "microbatches" in raised(lambda: schedule.step(batch))
dist.barrier()
dist.destroy_process_group()
if me == 0:
    print("all agree on pipelines")

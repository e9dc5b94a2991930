"""Sharded training and checkpoints, compared with one process that has everything."""

from __future__ import annotations

import copy
import functools
import io
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

import pellucid as torch
import pellucid.distributed as dist
import pellucid.distributed.checkpoint as dcp
from pellucid import nn
from pellucid.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_state_dict,
    set_state_dict,
)
from pellucid.distributed.fsdp import (
    FSDPModule,
    FullOptimStateDictConfig,
    FullStateDictConfig,
    MixedPrecisionPolicy,
    ShardingStrategy,
    StateDictType,
    fully_shard,
)
from pellucid.distributed.fsdp import FullyShardedDataParallel as Older
from pellucid.distributed.fsdp.shards import ShardedParam
from pellucid.distributed.fsdp.wrap import ModuleWrapPolicy, size_based_auto_wrap_policy
from pellucid.distributed.optim import ZeroRedundancyOptimizer
from pellucid.distributed.tensor import DTensor, Replicate, Shard
from pellucid.nn.parallel import DistributedDataParallel

directory, mode = Path(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo")
me, count = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
x, y = torch.randn(8 * count, 6), torch.randn(8 * count, 3)
mine = slice(8 * me, 8 * me + 8)


def network():
    torch.manual_seed(5)
    return nn.Sequential(
        nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 7, bias=False), nn.LayerNorm(7), nn.Linear(7, 3)
    )


def sharded(**options):
    net = network()
    for layer in (net[0], net[2]):
        fully_shard(layer, **options)
    return fully_shard(net, **options)


def step(model, optimizer, rows, limit=None):
    optimizer.zero_grad()
    ((model(x[rows]) - y[rows]) ** 2).mean().backward()
    norm = limit and nn.utils.clip_grad_norm_(model.parameters(), limit)
    optimizer.step()
    return norm


def whole(model) -> list[np.ndarray]:
    return [
        (each.full_tensor() if isinstance(each, DTensor) else each).detach().numpy()
        for each in model.parameters()
    ]


def compare(model, other, tolerance=1e-6) -> None:
    for each, expected in zip(whole(model), whole(other), strict=True):
        np.testing.assert_allclose(each, expected, rtol=1e-4, atol=tolerance)


def check_that_parameters_are_whole(net, alone) -> None:
    """Check what a program may ask of a parameter, next to one process that has everything."""
    for mine, whole_one in zip(net.parameters(), alone.parameters(), strict=True):
        assert mine.shape == whole_one.shape
        assert mine.numel() == whole_one.numel()
        for ask in (
            lambda p: p.norm(), lambda p: p.pow(2).sum(), lambda p: p.mean(), lambda p: p.std(),
            lambda p: p.abs().max(), lambda p: (p.detach() * 2).norm(1), lambda p: torch.norm(p),
            lambda p: (p - p.mean()).square().sum(), lambda p: p.flatten()[0] * 1,
        ):  # fmt: skip
            found, expected = ask(mine), ask(whole_one)
            torch.testing.assert_close(found.full_tensor(), expected)
            assert abs(float(found) - expected.item()) < 1e-4
    penalty = sum(p.pow(2).sum() for p in net.parameters())
    penalty.backward()
    sum(p.pow(2).sum() for p in alone.parameters()).backward()
    for mine, whole_one in zip(net.parameters(), alone.parameters(), strict=True):
        torch.testing.assert_close(mine.grad.full_tensor(), whole_one.grad)
        mine.grad = whole_one.grad = None
    torch.manual_seed(7)
    net.apply(start)
    torch.manual_seed(7)
    alone.apply(start)
    compare(net, alone, 0)


def start(module) -> None:
    if isinstance(module, nn.Linear):
        nn.init.kaiming_uniform_(module.weight)
    if getattr(module, "bias", None) is not None:
        nn.init.normal_(module.bias)


def train_and_save() -> None:
    net, alone = sharded(), network()
    assert isinstance(net, FSDPModule)
    assert net[0].weight.to_local().shape[0] < 5
    check_that_parameters_are_whole(net, alone)
    optimizers = [torch.optim.AdamW(each.parameters(), lr=0.01) for each in (net, alone)]
    for _ in range(4):
        norms = [
            step(net, optimizers[0], mine, 0.1), step(alone, optimizers[1], slice(None), 0.1)
        ]  # fmt: skip
        torch.testing.assert_close(norms[0], norms[1])
    compare(net, alone)
    full = get_model_state_dict(net, options=StateDictOptions(full_state_dict=True))
    assert full["0.weight"].shape == (5, 6)
    model_state, optimizer_state = get_state_dict(net, optimizers[0])
    state = {"model": model_state, "optimizer": optimizer_state, "step": 4, "names": ["a", {}]}
    dcp.save(state, checkpoint_id=directory / "checkpoint")
    for _ in range(2):
        step(alone, optimizers[1], slice(None))
    if me == 0:
        np.savez(directory / "expected.npz", *whole(alone))
    dist.barrier()


def load_and_train() -> None:
    """Go on from the checkpoint, on whatever number of ranks."""
    torch.manual_seed(9)
    net = sharded()
    for param in net.parameters():
        param.data.zero_()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1.0)
    model_state, optimizer_state = get_state_dict(net, optimizer)
    state = {"model": model_state, "optimizer": optimizer_state, "step": 0, "names": [None, {}]}
    dcp.load(state, checkpoint_id=directory / "checkpoint")
    assert (state["step"], state["names"]) == (4, ["a", {}])
    set_state_dict(
        net, optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"]
    )
    x_saved, y_saved = saved_batches()
    for _ in range(2):
        optimizer.zero_grad()
        part = slice(me, None, count)
        loss = ((net(x_saved[part]) - y_saved[part]) ** 2).sum() * count / y_saved.numel()
        loss.backward()
        optimizer.step()
    with np.load(directory / "expected.npz") as file:
        for each, expected in zip(whole(net), file.values(), strict=True):
            np.testing.assert_allclose(each, expected, rtol=1e-4, atol=1e-6)
    try:
        dcp.load({"other": torch.ones(1)}, checkpoint_id=directory / "checkpoint")
    except RuntimeError as error:
        told = str(error)
    assert told == "Missing key in checkpoint state_dict: other."


def saved_batches():
    """Return the batches of the job of two ranks that has saved."""
    torch.manual_seed(0)
    return torch.randn(16, 6), torch.randn(16, 3)


def check_memory() -> None:
    """Check that nothing holds a layer's whole parameters between forward and backward."""
    filled = []
    original = ShardedParam.fill

    def fill(self, array) -> None:
        owner = array if array.base is None else array.base
        filled.append((self.sharding.shape, weakref.ref(owner)))
        original(self, array)

    ShardedParam.fill = fill
    try:
        net = sharded()
        filled.clear()
        loss = net(x[mine]).sum()
        alive = [shape for shape, reference in filled if reference() is not None]
        assert (5, 6) not in alive
        assert (7, 5) not in alive
        assert (3, 7) in alive  # of the outermost module
        loss.backward()
        assert all(reference() is None for _, reference in filled)
    finally:
        ShardedParam.fill = original


def check_other_ways() -> None:
    net, alone = sharded(reshard_after_forward=False), network()
    net.set_requires_gradient_sync(False)
    net(x[mine]).sum().backward()
    assert all(param.grad is None for param in net.parameters())
    net.set_requires_gradient_sync(True)
    net(x[mine]).sum().backward()
    (alone(x).sum() * 2 / count).backward()
    for each, expected in zip(net.parameters(), alone.parameters(), strict=True):
        found = each.grad.full_tensor()
        np.testing.assert_allclose(found.numpy(), expected.grad.numpy(), rtol=1e-4, atol=1e-5)

    net = network()
    for layer in (net[0], net[2]):
        fully_shard(layer, mp_policy=MixedPrecisionPolicy(torch.bfloat16, torch.float32))
    fully_shard(net, mp_policy=MixedPrecisionPolicy(torch.bfloat16, torch.float32, torch.float32))
    outputs = net(x[mine])
    assert outputs.dtype is torch.float32
    outputs.sum().backward()
    assert net[0].weight.grad.dtype is torch.float32
    np.testing.assert_allclose(outputs.detach().numpy(), alone(x[mine]).detach().numpy(), atol=0.1)

    net.load_state_dict(alone.state_dict())
    compare(net, alone)
    with torch.no_grad():
        torch.testing.assert_close(sharded()(x), network()(x))


def check_copies_and_files() -> None:
    """Copy, save and load sharded and parallel modules; all of them train on alike."""
    net = sharded()
    with torch.no_grad():
        net(x)
    file = io.BytesIO()
    torch.save(net, file)
    file.seek(0)
    nets = [net, copy.deepcopy(net), torch.load(file, weights_only=False)]
    optimizers = [torch.optim.Adam(each.parameters(), lr=0.1) for each in nets]
    for each, optimizer in zip(nets, optimizers, strict=True):
        for _ in range(3):
            step(each, optimizer, mine)
        assert isinstance(each, FSDPModule)
        compare(each, net, 0)
    for what in (net.state_dict(), optimizers[0].state_dict()):
        file = io.BytesIO()
        torch.save(what, file)
        file.seek(0)
        loaded = torch.load(file, weights_only=False)
        target = nets[1] if "0.weight" in loaded else optimizers[1]
        target.load_state_dict(loaded)
    moments = optimizers[1].state[nets[1][0].weight]["exp_avg"]
    assert moments.shape == (5, 6)
    assert torch.equal(
        moments.full_tensor(), optimizers[0].state[net[0].weight]["exp_avg"].full_tensor()
    )


def check_copies_of_shards() -> None:
    """Train on a mesh of two dims: shards along one, copies of them along the other."""
    copies = count if count % 2 else 2
    mesh = dist.init_device_mesh(
        "cpu", (copies, count // copies), mesh_dim_names=("copies", "shards")
    )
    first = network()
    if me:
        nn.init.zeros_(first[0].weight)  # the first rank's values are taken
    older = Older(
        first, (mesh.get_group("shards"), mesh.get_group("copies")), ShardingStrategy.HYBRID_SHARD,
        sync_module_states=True,
    )  # fmt: skip
    for net in (sharded(mesh=mesh), older):
        alone = network()
        weight = next(net.parameters())
        assert weight.placements == (Replicate(), Shard(0))
        assert weight.device_mesh.mesh.tolist() == mesh.mesh.tolist()
        assert len(weight.to_local()) == (5 if count == copies else 3 - me % 2)
        optimizers = [torch.optim.AdamW(each.parameters(), lr=0.01) for each in (net, alone)]
        for _ in range(3):
            step(net, optimizers[0], mine, 0.1)
            step(alone, optimizers[1], slice(None), 0.1)
        compare(net, alone)


def check_older_class() -> None:
    """Train wrappers as plain modules, with what their state dicts and whole parameters are."""
    by_size = functools.partial(size_based_auto_wrap_policy, min_num_params=30)
    for strategy, policy, number in (
        (ShardingStrategy.FULL_SHARD, by_size, 3),
        (ShardingStrategy.SHARD_GRAD_OP, ModuleWrapPolicy({nn.Linear, nn.LayerNorm}), 5),
        (ShardingStrategy.NO_SHARD, None, 1),
    ):
        first, alone = network(), network()
        if me:
            nn.init.zeros_(first[0].weight)  # the first rank's values are taken
        net = Older(
            first, sharding_strategy=strategy, auto_wrap_policy=policy, sync_module_states=True
        )
        assert len(Older.fsdp_modules(net)) == number
        optimizers = [torch.optim.AdamW(each.parameters(), lr=0.01) for each in (net, alone)]
        for _ in range(3):
            step(net, optimizers[0], mine, 0.1)
            step(alone, optimizers[1], slice(None), 0.1)
        compare(net, alone)
        saved, expected = copy.deepcopy(net.state_dict()), alone.state_dict()
        assert list(saved) == list(expected)
        for name, value in saved.items():
            torch.testing.assert_close(value, expected[name], rtol=1e-4, atol=1e-6)
        state = Older.optim_state_dict(net, optimizers[0])
        moments = optimizers[1].state[alone[0].weight]["exp_avg"]
        found = state["state"]["0.weight"]["exp_avg"]
        torch.testing.assert_close(found, moments, rtol=1e-4, atol=1e-7)
        with Older.state_dict_type(
            net, StateDictType.FULL_STATE_DICT, FullStateDictConfig(rank0_only=True)
        ):
            assert len(net.state_dict()) == (0 if me else len(expected))
            assert Older.optim_state_dict(net, optimizers[0])["state"]
        with Older.state_dict_type(
            net, StateDictType.FULL_STATE_DICT, None, FullOptimStateDictConfig(rank0_only=True)
        ):
            assert bool(Older.optim_state_dict(net, optimizers[0])) == (not me)
            assert len(net.state_dict()) == len(expected)
        with Older.state_dict_type(net, StateDictType.SHARDED_STATE_DICT):
            assert isinstance(net.state_dict()["0.weight"], DTensor)
        with Older.summon_full_params(net), torch.no_grad():
            assert dict(net.named_parameters())["0.weight"].shape == (5, 6)
            dict(net.named_parameters())["4.bias"].fill_(2.0)
        assert net.state_dict()["4.bias"].tolist() == [2.0] * 3
        with Older.summon_full_params(net, writeback=False, rank0_only=True):
            whole_ones = not isinstance(dict(net.named_parameters())["0.weight"], DTensor)
            assert whole_ones == (not me)
        assert isinstance(dict(net.named_parameters())["0.weight"], DTensor)
        for options in ({"with_grads": True}, {"rank0_only": True}):
            with (
                pytest.raises(NotImplementedError, match="not supported yet"),
                Older.summon_full_params(net, **options),
            ):
                pass
        net.load_state_dict(saved)
        optimizers[0].load_state_dict(Older.optim_state_dict_to_load(net, optimizers[0], state))
        optimizers[0].zero_grad()
        with net.no_sync():
            (net(x[mine]) - y[mine]).square().mean().backward()
        assert net.module[4].weight.grad is None
        (net(x[mine]) - y[mine]).square().mean().backward()
        assert float(net.clip_grad_norm_(0.1)) > 0.1
        optimizers[0].step()
        step(alone, optimizers[1], slice(None), 0.1)  # twice the gradient, of the same norm
        compare(net, alone)


def check_saving_in_the_background() -> None:
    """Save while training and exchanges go on, which do not change what is saved."""
    net = sharded()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    before = whole(net)
    state = {"model": net.state_dict(), "turn": 1}
    saving = dcp.async_save(state, checkpoint_id=directory / "background")
    for _ in range(3):
        step(net, optimizer, mine)
        dist.all_reduce(torch.ones(3))
    again = dcp.async_save({"turn": 2}, checkpoint_id=directory / "second")
    assert set(saving.result(30).state_dict_metadata) == {*(f"model.{n}" for n in state["model"]),
                                                          "turn"}  # fmt: skip
    again.result(30)
    dcp.load(state, checkpoint_id=directory / "background")
    for each, expected in zip(whole(net), before, strict=True):
        np.testing.assert_array_equal(each, expected)
    assert state["turn"] == 1


def check_spread_optimizer() -> None:
    net, alone = network(), network()
    parallel = DistributedDataParallel(net)
    spread = ZeroRedundancyOptimizer(parallel.parameters(), torch.optim.Adam, lr=0.05)
    usual = torch.optim.Adam(alone.parameters(), lr=0.05)
    schedules = [torch.optim.lr_scheduler.StepLR(each, 2) for each in (spread, usual)]
    for _ in range(4):
        step(parallel, spread, mine)
        step(alone, usual, slice(None))
        for schedule in schedules:
            schedule.step()
    compare(net, alone, 1e-5)
    assert 0 < len(spread.optim.state) < len(usual.state)
    spread.consolidate_state_dict(to=0)
    states = [None]
    if me == 0:
        states = [spread.state_dict()]
        assert list(states[0]["state"]) == list(usual.state_dict()["state"])
    dist.broadcast_object_list(states)
    again = ZeroRedundancyOptimizer(parallel.parameters(), torch.optim.Adam, lr=1.0)
    again.load_state_dict(states[0])
    step(parallel, again, mine)
    step(alone, usual, slice(None))
    compare(net, alone, 1e-5)


if mode == "save":
    train_and_save()
    check_memory()
    check_other_ways()
    check_copies_and_files()
    check_older_class()
    check_saving_in_the_background()
    check_spread_optimizer()
elif mode == "copies":
    check_copies_of_shards()
else:
    load_and_train()
dist.destroy_process_group()
if me == 0:
    print(f"all agree after {mode}")

"""Modules on several devices and in several processes, of which there is one."""

from __future__ import annotations

from itertools import pairwise
from types import ModuleType

import pytest

import pellucid as torch
from pellucid import nn
from pellucid.distributed import pipelining
from pellucid.nn.parallel.reducer import DEFAULT_BUCKET, FIRST_BUCKET, make_buckets


def test_names_of_nn_are_looked_up_without_a_function_of_its_own() -> None:
    # CPython 3.11 and 3.12 specialize the lookup of names only in modules without `__getattr__`.
    assert not {"__getattr__", "__class__"} & vars(nn).keys()
    assert type(nn) is ModuleType
    assert {"parallel", "DataParallel"} <= vars(nn).keys()


@pytest.mark.parametrize("name", nn.parallel.__all__)
def test_each_name_of_parallel_is_there_and_listed(name: str) -> None:
    assert getattr(nn.parallel, name).__name__ == name.removesuffix("CPU")
    assert name in dir(nn.parallel)


def test_parallel_has_its_modules_and_refuses_other_names() -> None:
    assert nn.parallel.scatter_gather.gather is nn.parallel.gather
    assert nn.parallel.distributed.DistributedDataParallel is nn.parallel.DistributedDataParallel
    with pytest.raises(AttributeError, match=r"'pellucid\.nn\.parallel' has no attribute 'gathr'"):
        nn.parallel.gathr


def test_tensors_are_dealt_out_and_brought_together_in_nested_containers() -> None:
    made = {"x": torch.arange(4), "rest": [torch.ones(4, 2), "word"]}
    parts = nn.parallel.scatter(made, ["cpu", "cpu"])
    assert [part["x"].tolist() for part in parts] == [[0, 1], [2, 3]]
    assert parts[1]["rest"][1] == "word"
    joined = nn.parallel.gather([{"x": p["x"], "y": (p["rest"][0],)} for p in parts], "cpu")
    assert torch.equal(joined["x"], made["x"])
    assert joined["y"][0].shape == (4, 2)


def test_losses_are_gathered_into_a_vector() -> None:
    assert nn.parallel.gather([torch.tensor(1.0), torch.tensor(2.0)], "cpu").tolist() == [1.0, 2.0]


def test_copies_for_devices_share_parameters_and_run_one_after_the_other() -> None:
    net = nn.Linear(2, 1)
    copies = nn.parallel.replicate(net, ["cpu", "cpu"])
    outputs = nn.parallel.parallel_apply(copies, [torch.ones(1, 2), torch.zeros(1, 2)])
    torch.cat(outputs).sum().backward()
    assert net.bias.grad.tolist() == [2.0]


def test_devices_that_are_not_here_are_refused() -> None:
    with pytest.raises(RuntimeError, match="not available"):
        nn.parallel.scatter(torch.ones(2), [0, 1])


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"device_ids": [0]}, ValueError, "device_ids and output_device arguments only work"),
        ({"output_device": "cpu"}, ValueError, "device_ids and output_device arguments only work"),
        ({"device_ids": [0, 1]}, ValueError, "can only be None or contain a single element"),
        ({"mixed_precision": object()}, NotImplementedError, "Train under torch.autocast"),
        ({"param_to_hook_all_reduce": 1}, ValueError, "need to be set at the same time"),
        (
            {"delay_all_reduce_named_params": [], "param_to_hook_all_reduce": 1},
            NotImplementedError, "Leave it and",
        ),
    ],
)  # fmt: skip
def test_what_would_be_forgotten_is_refused(given, error, text) -> None:
    torch.distributed.init_process_group(world_size=1, rank=0)
    try:
        with pytest.raises(error, match=text):
            nn.parallel.DistributedDataParallel(nn.Linear(1, 1), **given)
        taken = nn.parallel.DistributedDataParallel(nn.Linear(1, 1), device_ids=[])
        assert taken.device_ids is None
    finally:
        torch.distributed.destroy_process_group()


def test_a_wrapped_module_is_the_module() -> None:
    net = nn.Linear(2, 1)
    x = torch.ones(3, 2)
    torch.distributed.init_process_group(world_size=1, rank=0)
    try:
        for wrapped in (nn.DataParallel(net), nn.parallel.DistributedDataParallel(net)):
            assert torch.equal(wrapped(x), net(x))
            assert wrapped.module is net
    finally:
        torch.distributed.destroy_process_group()
    assert torch.equal(nn.parallel.data_parallel(net, x), net(x))


@pytest.mark.parametrize(
    ("widths", "counts"),
    [
        ([784, 512, 512, 10], [4, 2]),  # layers from the last on; the first one is not parted
        ([600] * 7, [2, 8, 2]),
        ([100] * 101, [52, 98, 50]),
        ([10, 10], [2]),
    ],
)
def test_the_last_bucket_is_small_and_parts_no_layer(widths, counts) -> None:
    net = nn.Sequential(*(nn.Linear(*each) for each in pairwise(widths)))
    layers = {id(param): name.partition(".")[0] for name, param in net.named_parameters()}
    buckets = make_buckets(
        list(net.parameters()), [FIRST_BUCKET, DEFAULT_BUCKET], layers, is_seen=False
    )
    assert [len(bucket.parameters()) for bucket in buckets] == counts


def test_a_network_is_cut_into_stages_by_hand() -> None:
    """PyTorch's tutorial imports both names, and then deletes layers."""
    spec = {"0": pipelining.SplitPoint.END}
    with pytest.raises(NotImplementedError, match=r"give the rest to PipelineStage\("):
        pipelining.pipeline(nn.Sequential(nn.Linear(1, 1)), (torch.ones(1, 1),), split_spec=spec)

"""Names that packages written for PyTorch ask for, and what they do."""

from __future__ import annotations

import copy
import importlib
import pickle
import sys
import typing
import warnings
from typing import Any

import pytest

import pellucid as torch
from pellucid import nn
from pellucid.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, dataloader


@pytest.mark.parametrize("name", ["eig", "lstsq", "matrix_rank", "solve", "symeig"])
def test_a_retired_function_says_what_took_its_place(name: str) -> None:
    with pytest.raises(RuntimeError, match=r"(?s)deprecated since version 1\.9.*torch\.linalg"):
        getattr(torch, name)(torch.eye(2))


# ---- results with names ------------------------------------------------------------------------


def test_results_are_instances_of_the_types_of_their_name() -> None:
    largest = torch.ones(2, 2).max(0)
    assert isinstance(largest, torch.return_types.max)
    assert not isinstance(largest, torch.return_types.min)
    assert str(type(largest)) == "<class 'torch.return_types.max'>"


def test_a_named_result_is_made_from_a_sequence_as_pytorchs_are() -> None:
    made = torch.return_types.sort((1, 2))
    assert (made.values, made.indices, made.n_fields) == (1, 2, 2)
    with pytest.raises(TypeError, match=r"takes a 2-sequence \(3-sequence given\)"):
        torch.return_types.sort((1, 2, 3))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_a_named_result_is_copied_and_pickled(copied: Any) -> None:
    result = torch.tensor([[1.0, 3.0]]).max(1)
    again = copied(result)
    assert type(again) is type(result)
    assert again.values.tolist() == [3.0]


def test_a_name_that_no_function_returns_is_unknown() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'maximum'"):
        _ = torch.return_types.maximum


# ---- data loaders ------------------------------------------------------------------------------


class Numbers(IterableDataset[int]):
    def __iter__(self) -> Any:
        return iter(range(3))


@pytest.mark.parametrize(
    ("dataset", "kind"), [(TensorDataset(torch.arange(3)), "Map"), (Numbers(), "Iterable")]
)
def test_a_loader_says_the_kind_of_its_data(dataset: Dataset[Any], kind: str) -> None:
    loader = DataLoader(dataset)
    assert loader._dataset_kind == getattr(dataloader._DatasetKind, kind)
    assert isinstance(iter(loader), dataloader._SingleProcessDataLoaderIter)
    assert isinstance(iter(loader), dataloader._BaseDataLoaderIter)


def test_an_iterator_takes_a_loader_of_a_packages_own() -> None:
    class Own:
        """What fastai gives to PyTorch's iterators in place of a loader."""

        dataset = Numbers()
        _dataset_kind = dataloader._DatasetKind.Iterable
        _index_sampler = range(3)
        _auto_collation = drop_last = False
        num_workers, generator, _IterableDataset_len_called = 0, None, None

        def collate_fn(self, sample: int) -> int:
            return 10 * sample

    own: Any = Own()
    assert list(dataloader._SingleProcessDataLoaderIter(own)) == [0, 10, 20]


# ---- modules and optimizers --------------------------------------------------------------------


def test_the_annotations_of_a_layer_need_none_of_our_names() -> None:
    layer: Any = nn.CrossEntropyLoss()
    assert typing.get_type_hints(layer, globalns={}, localns={})["training"] is bool


def test_call_impl_calls_a_module_with_its_hooks() -> None:
    layer = nn.Linear(2, 2)
    seen: list[Any] = []
    layer.register_forward_hook(lambda *call: seen.append(call))
    layer._call_impl(torch.ones(1, 2))
    assert len(seen) == 1


def test_an_optimizer_takes_a_parameter_list_and_refuses_modules() -> None:
    weights = nn.ParameterList([nn.Parameter(torch.ones(2))])
    optimizer = torch.optim.SGD(weights, lr=0.1)
    assert optimizer.param_groups[0]["params"] == [weights[0]]
    with pytest.raises(TypeError, match=r"'Linear' object is not iterable\n.*module\.parameters"):
        torch.optim.SGD(nn.Linear(1, 1), lr=0.1)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match=r"params is torch\.nn\.modules\.linear\.Linear\n"):
        torch.optim.SGD(nn.Sequential(nn.Linear(1, 1)), lr=0.1)  # pyright: ignore


def test_a_scripted_module_says_why_it_has_no_file() -> None:
    scripted: Any = torch.jit.script(nn.Linear(1, 1))
    with pytest.raises(AttributeError, match=r"save its state_dict by torch\.save"):
        scripted.save("net.pt")


@pytest.mark.parametrize("loss", [nn.functional.cross_entropy, nn.functional.nll_loss])
def test_a_batch_needs_a_target_for_each_row(loss: Any) -> None:
    with pytest.raises(ValueError, match=r"batch_size \(1\) to match target batch_size \(0\)"):
        loss(torch.randn(1, 5), torch.tensor(2))


# ---- tools -------------------------------------------------------------------------------------


def test_tensors_are_grouped_by_device_and_dtype() -> None:
    group = torch.utils._foreach_utils._group_tensors_by_device_and_dtype
    weights = [torch.ones(1), torch.ones(2).double(), torch.ones(3)]
    lists, places = group([weights, [None, None, None]], True)[torch.device("cpu"), torch.float32]
    assert [len(each) for each in lists[0]] == [1, 3]
    assert (lists[1], places) == ([None, None], [0, 2])
    with pytest.raises(RuntimeError, match="must have the same length"):
        group([weights, []])


def test_hooks_that_are_not_saved_are_warned_of() -> None:
    x = torch.ones(1, requires_grad=True)
    warn = torch.utils.hooks.warn_if_has_hooks
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x.register_hook(torch.utils.hooks.unserializable_hook(lambda g: g))
        warn(x)
    x.register_hook(lambda g: g)
    with pytest.warns(UserWarning, match="will not be serialized"):
        warn(x)


def test_one_function_of_two_is_called_as_an_argument_says() -> None:
    internal = importlib.import_module("pellucid._jit_internal")
    size = internal.boolean_dispatch(
        "whole", 1, False, lambda x, whole: len(x), lambda x, whole=False: min(x), __name__, "size"
    )
    assert (size([3, 4]), size([3, 4], True), size([3, 4], whole=True)) == (3, 2, 2)


def test_the_module_of_a_device() -> None:
    assert torch.get_device_module("cpu") is torch.cpu
    with pytest.raises(RuntimeError, match="Invalid value of device '3'"):
        torch.get_device_module(3)


def test_einsum_with_a_list_is_traced_as_without() -> None:
    def product(a: Any, b: Any) -> Any:
        return torch.einsum("ij,jk->ik", [a, b])

    *_, call, _ = torch.fx.symbolic_trace(product).graph.nodes
    assert [str(each) for each in call.args] == ["ij,jk->ik", "a", "b"]


# ---- torch.distributed -------------------------------------------------------------------------


def test_a_backend_is_its_name_in_lower_case() -> None:
    distributed = torch.distributed
    assert distributed.Backend("GLOO") == distributed.Backend.GLOO == "gloo"
    with pytest.raises(ValueError, match="must be string-ish"):
        distributed.Backend(3)  # pyright: ignore[reportArgumentType]


def test_modules_of_torch_distributed_are_reached_by_attribute() -> None:
    assert isinstance(torch.distributed.fsdp.FSDPModule, type)
    assert not hasattr(torch.distributed, "nothing_of_the_kind")


def test_calls_of_other_processes_are_not_here_and_say_so() -> None:
    assert not torch.distributed.rpc.is_available()
    with pytest.raises(NotImplementedError, match=r"torch\.distributed\.rpc is not here"):
        torch.distributed.rpc.init_rpc("worker0")


@pytest.mark.skipif("torch" in sys.modules, reason="PyTorch itself is imported in this process")
def test_modules_are_found_by_their_names_before_they_were_public() -> None:
    with torch.install_as_torch():
        for name in ("_tensor", "_tensor.experimental", "_composable.fsdp"):
            now = name.replace("_composable.", "").removeprefix("_")
            before = importlib.import_module(f"torch.distributed.{name}")
            assert before is importlib.import_module(f"torch.distributed.{now}")


def test_pickles_of_packages_rebuild_sparse_tensors() -> None:
    from pellucid.compat import _utils

    parts = (torch.tensor([[0, 1]]), torch.tensor([2.0, 3.0]), (2,))
    made = _utils._rebuild_sparse_tensor(torch.sparse_coo, parts)
    assert made.to_dense().tolist() == [2.0, 3.0]
    with pytest.raises(RuntimeError, match="size is inconsistent with indices"):
        _utils._rebuild_sparse_tensor(torch.sparse_coo, (parts[0] + 5, *parts[1:]))

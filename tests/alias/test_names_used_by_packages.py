"""Names that published packages ask for, although few programs do."""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
import threading
import types
import typing
from collections import OrderedDict, namedtuple
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pellucid.torch_version import TorchVersion

import pellucid
from pellucid.alias.names import RENAMED

if "torch" in sys.modules:
    pytest.skip("PyTorch itself is imported in this process", allow_module_level=True)


@pytest.fixture(autouse=True)
def alias() -> Iterator[None]:
    with pellucid.install_as_torch():
        yield


class TestVersions:
    def test_the_installed_packages_include_torch_while_the_alias_is_there(self) -> None:
        assert importlib.metadata.version("torch") == pellucid.__version__
        assert importlib.metadata.version("numpy") == np.__version__
        pellucid.uninstall_as_torch()
        with pytest.raises(importlib.metadata.PackageNotFoundError):
            importlib.metadata.version("torch")

    def test_the_module_is_named_as_programs_import_it(self) -> None:
        import torch

        assert torch.__name__ == "torch"
        pellucid.uninstall_as_torch()
        assert pellucid.__name__ == "pellucid"

    def test_the_version_is_compared_number_by_number(self) -> None:
        import torch

        assert torch.__version__ >= (1, 10)
        assert torch.__version__ > "2.9"
        assert not torch.__version__ < TorchVersion("2.13.0")
        assert TorchVersion("2.0") == "2.0.0"
        assert TorchVersion("2.0a1") < "2.0" < TorchVersion("2.0+cpu")
        assert TorchVersion("2.0") != "2.0.1"


class TestTrees:
    @pytest.fixture
    def pytree(self) -> Any:
        return importlib.import_module("torch.utils._pytree")

    def test_leaves_come_back_in_their_places(self, pytree: Any) -> None:
        point = namedtuple("point", "x y")
        tree = {"a": (1, [2, point(3, None)]), "b": OrderedDict(z=4, y=5)}
        leaves, spec = pytree.tree_flatten(tree)
        assert leaves == [1, 2, 3, None, 4, 5]
        assert spec.num_leaves == 6
        assert pytree.tree_unflatten(iter(leaves), spec) == tree
        with pytest.raises(ValueError, match="refers to a tree that holds 6"):
            pytree.tree_unflatten([1], spec)

    def test_other_trees_are_followed_by_their_keys_and_may_go_deeper(self, pytree: Any) -> None:
        found = pytree.tree_map(lambda x, y: (x, y), {"a": 1, "b": 2}, {"b": [3], "a": 4})
        assert found == {"a": (1, 4), "b": (2, [3])}
        with pytest.raises(ValueError, match="mismatch"):
            pytree.tree_map(lambda x, y: x, [1, 2], [1])
        with pytest.raises(ValueError, match="keys mismatch"):
            pytree.tree_map(lambda x, y: x, {"a": 1}, {"b": 1})

    def test_only_some_types_are_put_through_the_function(self, pytree: Any) -> None:
        tree = [pellucid.ones(2), "text", 3]
        doubled = pytree.tree_map_only(pellucid.Tensor, lambda t: 2 * t, tree)
        assert doubled[0].tolist() == [2.0, 2.0]
        assert doubled[1:] == ["text", 3]
        assert pytree.tree_map_only(lambda x: x == 3, str, tree[1:]) == ["text", "3"]
        assert pytree.tree_any(lambda x: x == 3, tree[1:])
        assert not pytree.tree_all(lambda x: x == 3, tree[1:])

    def test_a_registered_class_is_a_collection_for_vmap_too(self, pytree: Any) -> None:
        class Pair:
            def __init__(self, a: Any, b: Any) -> None:
                self.a, self.b = a, b

        pytree.register_pytree_node(Pair, lambda p: ([p.a, p.b], None), lambda c, _: Pair(*c))
        swapped = pellucid.vmap(lambda p: Pair(p.b.sum(), p.a))(
            Pair(pellucid.arange(3), pellucid.ones(3, 2))
        )
        assert swapped.a.tolist() == [2.0, 2.0, 2.0]
        assert swapped.b.tolist() == [0, 1, 2]
        with pytest.raises(ValueError, match="already registered"):
            pytree.register_pytree_node(Pair, None, None)


class TestLists:
    def test_each_tensor_gets_its_own_argument_of_a_list(self) -> None:
        a, b = [pellucid.ones(2), pellucid.ones(1)], [pellucid.full((2,), 3.0), pellucid.zeros(1)]
        assert [t.tolist() for t in pellucid._foreach_add(a, b, alpha=2)] == [[7.0, 7.0], [1.0]]
        assert [t.tolist() for t in pellucid._foreach_mul(a, [2.0, 5.0])] == [[2.0, 2.0], [5.0]]
        powers = pellucid._foreach_pow(2.0, b)
        assert [t.tolist() for t in powers] == [[8.0, 8.0], [1.0]]
        assert [n.item() for n in pellucid._foreach_norm(b)] == pytest.approx([18**0.5, 0])

    def test_names_with_an_underscore_write_into_the_tensors(self) -> None:
        means = [pellucid.zeros(2), pellucid.zeros(1)]
        ends = [pellucid.ones(2), pellucid.ones(1)]
        assert pellucid._foreach_lerp_(means, ends, 0.25) is means
        ones = [pellucid.ones(2), pellucid.ones(1)]
        pellucid._foreach_addcmul_(means, ones, ones, pellucid.tensor([1.0, 2.0]))
        assert [t.tolist() for t in means] == [[1.25, 1.25], [2.25]]
        pellucid._foreach_maximum_(means, 2.0)
        assert means[0].tolist() == [2.0, 2.0]

    def test_lists_of_different_lengths_are_refused(self) -> None:
        with pytest.raises(RuntimeError, match="same number of tensors, got 1 and 2"):
            pellucid._foreach_add([pellucid.ones(1)], [pellucid.ones(1)] * 2)
        with pytest.raises(RuntimeError, match="at least one tensor"):
            pellucid._foreach_sqrt([])
        assert not hasattr(pellucid, "_foreach_no_such")


class TestFutures:
    def test_a_value_from_another_thread_is_waited_for(self) -> None:
        future = pellucid.futures.Future()
        threading.Timer(0.02, future.set_result, ["late"]).start()
        assert future.then(lambda ready: ready.wait().upper()).wait() == "LATE"

    def test_an_exception_is_raised_where_the_value_is_wanted(self) -> None:
        future = pellucid.Future()
        following = future.then(lambda ready: ready.value())
        with pytest.raises(RuntimeError, match="no result yet"):
            future.value()
        future.set_exception(KeyError("lost"))
        for waiting in (future, following):
            with pytest.raises(KeyError, match="lost"):
                waiting.wait()
        with pytest.raises(RuntimeError, match="Attempting to mark a completed Future"):
            future.set_result(1)
        with pytest.raises(TypeError, match="not an Exception"):
            pellucid.Future().set_exception(3)

    def test_many_futures_are_done_when_all_are(self) -> None:
        many = [pellucid.Future() for _ in range(3)]
        together = pellucid.futures.collect_all(many)
        for number, future in enumerate(many):
            assert not together.done()
            future.set_result(number)
        assert pellucid.futures.wait_all(together.wait()) == [0, 1, 2]
        assert pellucid.futures.collect_all([]).wait() == []


class TestConditions:
    def test_a_condition_that_does_not_hold_raises_with_the_programs_text(self) -> None:
        pellucid._check(True)
        with pytest.raises(RuntimeError, match="Expected cond to be True"):
            pellucid._check(False)
        with pytest.raises(IndexError, match="row 7"):
            pellucid._check_index(False, lambda: "row 7")
        with pytest.raises(NotImplementedError):
            pellucid._check_not_implemented(False)
        with pytest.raises(TypeError, match="must be a bool"):
            pellucid._check(1)
        with pytest.raises(RuntimeError):
            pellucid._check_is_size(-1)
        with pytest.raises(RuntimeError):
            pellucid._check_tensor_all(pellucid.tensor([True, False]))
        with pytest.raises(AssertionError, match="odd"):
            pellucid._assert(False, "odd")
        with pytest.raises(RuntimeError, match="nonzero"):
            pellucid._assert_async(pellucid.zeros(1))

    def test_symbolic_numbers_are_numbers(self) -> None:
        assert pellucid.sym_max(1, 2.0) == 2.0
        assert isinstance(pellucid.sym_min(1, 2.0), float)
        assert (pellucid.sym_int(2.7), pellucid.sym_float(2), pellucid.sym_not(0)) == (2, 2.0, True)
        assert (pellucid.sym_ite(True, 1, 2), pellucid.sym_sum([1, 2])) == (1, 3)
        assert not isinstance(3, pellucid.SymInt)


class TestCompilers:
    def test_what_only_marks_functions_returns_them(self) -> None:
        import torch
        import torch.fx
        from torch._C import _get_tracing_state

        assert torch.fx.wrap(len) is len
        assert torch._dynamo.disable(len) is torch._dynamo.optimize("eager")(len) is len
        assert _get_tracing_state() is None
        torch._dynamo.config.suppress_errors = True
        assert not torch._dynamo.is_compiling()

    def test_programs_are_traced(self) -> None:
        from torch.fx import Proxy, symbolic_trace
        from torch.fx.proxy import TraceError

        assert not isinstance(3, Proxy)
        assert symbolic_trace(lambda x: x + 1)(2) == 3
        with pytest.raises(TraceError, match="control flow"):
            symbolic_trace(lambda x: x if x else -x)


def test_legacy_types_stand_in_annotations() -> None:
    hint = pellucid.FloatTensor | None
    assert typing.get_args(hint) == (pellucid.FloatTensor, type(None))
    assert set(typing.get_args(int | pellucid.LongTensor)) == {int, pellucid.LongTensor}


def test_tensors_are_packed_into_one_and_unpacked_as_views() -> None:
    utils: types.ModuleType = pellucid._utils
    parts = [pellucid.ones(2, 2), pellucid.zeros(3)]
    flat = utils._flatten_dense_tensors(parts)
    assert flat.tolist() == [1, 1, 1, 1, 0, 0, 0]
    first, second = utils._unflatten_dense_tensors(flat, parts)
    flat[0] = 5
    assert first.tolist() == [[5, 1], [1, 1]]
    assert second.shape == (3,)


class TestPlaces:
    def test_a_private_module_is_found_by_every_kind_of_import(self) -> None:
        import torch
        from torch.utils import _pytree
        from torch.utils._pytree import tree_map

        assert _pytree.tree_map is tree_map is torch.utils._pytree.tree_map

    def test_a_name_that_is_spelt_otherwise_is_found(self) -> None:
        from torch.distributions.utils import _standard_normal, _sum_rightmost
        from torch.nn.modules.module import _IncompatibleKeys

        assert _sum_rightmost(pellucid.ones(2, 3, 4), 2).tolist() == [12.0, 12.0]
        assert _standard_normal((2,), dtype=pellucid.float64, device="cpu").shape == (2,)
        assert _IncompatibleKeys([], []).missing_keys == []

    @pytest.mark.parametrize("name", RENAMED)
    def test_every_name_that_is_spelt_otherwise_is_there(self, name: str) -> None:
        home, _, last = name.rpartition(".")
        assert getattr(importlib.import_module(home), last) is not None

    def test_a_module_below_a_file_of_ours_is_a_missing_one(self, tmp_path: Any) -> None:
        path = tmp_path / "program.py"
        path.write_text("from torch.hub.nothing import there\n")
        names: dict[str, Any] = {"__name__": "program"}
        exec(compile(path.read_text(), str(path), "exec"), names)
        with pytest.raises(NotImplementedError, match=r"torch\.hub\.nothing\.there"):
            names["there"]()

    def test_devices_of_checkpoints_are_none_but_the_cpu(self) -> None:
        from torch.utils.checkpoint import get_device_states, set_device_states

        assert get_device_states(pellucid.ones(1)) == ([], [])
        assert set_device_states([], []) is None


class TestClassesOfPrograms:
    def test_a_transform_may_be_a_module_too(self) -> None:
        import torch

        class Scale(torch.distributions.Transform, torch.nn.Module):
            domain = codomain = torch.distributions.constraints.real
            bijective = True

            def __init__(self) -> None:
                super().__init__()
                self.factor = torch.nn.Parameter(torch.tensor(2.0))

            def _call(self, x: Any) -> Any:
                return self.factor * x

            __hash__ = torch.nn.Module.__hash__

        scale = Scale()
        assert [name for name, _ in scale.named_parameters()] == ["factor"]
        assert torch.distributions.Transform.__call__(scale, torch.ones(1)).tolist() == [2.0]

    def test_a_distribution_may_have_another_base(self) -> None:
        import torch

        class Counted:
            def __init__(self) -> None:
                self.count = 0

        class Unit(torch.distributions.Distribution, Counted):
            arg_constraints: dict[str, Any] = {}

        assert Unit().count == 0

    def test_members_are_chosen_by_a_function(self) -> None:
        import torch

        net = torch.nn.Sequential(torch.nn.Linear(1, 2), torch.nn.Tanh())
        found = net._named_members(lambda module: [("kind", type(module))], prefix="net")
        assert [name for name, _ in found] == ["net.kind", "net.0.kind", "net.1.kind"]

    def test_a_tensor_is_known_by_its_number(self) -> None:
        a, b = pellucid.ones(1), pellucid.ones(1)
        assert a._cdata == a._cdata != b._cdata

    def test_a_divergence_may_be_registered_for_any_class(self) -> None:
        class Other:
            pass

        register = pellucid.distributions.register_kl(Other, pellucid.distributions.Distribution)
        assert callable(register)
        with pytest.raises(TypeError, match="Expected a subclass"):
            pellucid.distributions.register_kl(3, Other)

    def test_a_legacy_type_converts(self) -> None:
        assert pellucid.ones(1).type(pellucid.DoubleTensor).dtype is pellucid.float64

    @pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
    def test_recurrent_layers_list_their_parameters(self, kind: str) -> None:
        layer = getattr(pellucid.nn, kind)(2, 3, num_layers=2, bidirectional=True)
        assert layer._flat_weights_names == list(dict(layer.named_parameters()))
        pairs = zip(layer._flat_weights, layer.parameters(), strict=True)
        assert all(mine is theirs for mine, theirs in pairs)

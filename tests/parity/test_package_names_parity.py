"""What packages ask for, next to PyTorch: limits of dtypes, points of Sobol, windows, trees."""

from __future__ import annotations

import warnings
from collections import OrderedDict, defaultdict, deque, namedtuple
from importlib import import_module
from typing import Any

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch")
import pellucid  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:.*LeafSpec:FutureWarning")

Pair = namedtuple("Pair", "a b")


def of_both(name: str) -> tuple[Any, Any]:
    return import_module(f"pellucid.{name}"), import_module(f"torch.{name}")


def pytrees() -> tuple[Any, Any]:
    return import_module("pellucid.func.pytree"), import_module("torch.utils._pytree")


def all_of(kind: Any) -> dict[str, Any]:
    return {name: each for name, each in vars(torch).items() if isinstance(each, kind)}


@pytest.mark.parametrize("name", all_of(torch.dtype))
def test_each_dtype_is_there_with_its_facts(name: str) -> None:
    mine, theirs = getattr(pellucid, name), getattr(torch, name)
    assert repr(mine) == repr(theirs)
    for fact in ("itemsize", "is_floating_point", "is_complex"):
        assert getattr(mine, fact) == getattr(theirs, fact)
    if name == "float4_e2m1fn_x2" or "q" in name:
        return  # PyTorch has no limits, but another error
    for limits in ("finfo", "iinfo"):
        try:
            wanted = repr(getattr(torch, limits)(theirs))
        except TypeError:
            with pytest.raises(TypeError):
                getattr(pellucid, limits)(mine)
        else:
            if limits == "finfo":
                assert repr(pellucid.finfo(mine)) == wanted


def test_each_layout_is_there() -> None:
    for name, theirs in all_of(torch.layout).items():
        assert repr(getattr(pellucid, name)) == repr(theirs)


class TestSobol:
    @pytest.mark.parametrize("dimension", [1, 2, 7, 60])
    @pytest.mark.parametrize("scramble", [False, True])
    def test_the_points_are_pytorchs(self, dimension: int, scramble: bool) -> None:
        drawn = []
        for module, package in zip(of_both("quasirandom"), (pellucid, torch), strict=True):
            engine = module.SobolEngine(dimension, scramble=scramble, seed=4)
            package.manual_seed(2)
            by_default = module.SobolEngine(dimension, scramble=scramble)
            drawn.append([
                engine.draw(1), engine.draw(6), engine.draw(5, dtype=package.float64),
                engine.fast_forward(20).draw(4), engine.reset().draw_base2(4), by_default.draw(9),
            ])  # fmt: skip
        for mine, theirs in zip(*drawn, strict=True):
            assert str(mine.dtype) == str(theirs.dtype)
            np.testing.assert_array_equal(mine.numpy(), theirs.numpy())

    def test_many_points_come_without_a_warning(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            mine, theirs = (
                module.SobolEngine(3, scramble=True, seed=0).draw(3000)
                for module in of_both("quasirandom")
            )
        np.testing.assert_array_equal(mine.numpy(), theirs.numpy())

    @pytest.mark.parametrize("dimension", [0, 21202])
    def test_too_many_coordinates_are_refused(self, dimension: int) -> None:
        for module in of_both("quasirandom"):
            with pytest.raises(ValueError, match="Supported range of dimensionality"):
                module.SobolEngine(dimension)
            engine = module.SobolEngine(2)
            engine.draw(3)
            with pytest.raises(ValueError, match="power of 2"):
                engine.draw_base2(2)


def windows() -> Any:
    shapes = {
        "general_cosine": [{"a": [0.5, 0.3, 0.1]}], "kaiser": [{}, {"beta": 3.0}],
        "gaussian": [{}, {"std": 2.5}], "general_hamming": [{}, {"alpha": 0.7}],
        "exponential": [{}, {"tau": 3.0}],
    }  # fmt: skip
    for name in of_both("signal.windows")[1].__all__:
        for shape in shapes.get(name, [{}]):
            yield pytest.param(name, shape, id=f"{name} {shape}")


@pytest.mark.parametrize(("name", "shape"), list(windows()))
def test_windows_are_pytorchs(name: str, shape: dict[str, Any]) -> None:
    for length in (0, 1, 2, 7, 16):
        for sym in (True, False):
            mine, theirs = (
                getattr(module, name)(length, sym=sym, **shape)
                for module in of_both("signal.windows")
            )
            assert str(mine.dtype) == str(theirs.dtype)
            np.testing.assert_allclose(mine.numpy(), theirs.numpy(), atol=2e-7)
    for module in of_both("signal.windows"):
        with pytest.raises(ValueError, match="M=-1"):
            getattr(module, name)(-1, **shape)
        with pytest.raises(TypeError):
            getattr(module, name)(3, 4.0, **shape)


TREES = [
    1, None, [], (1, [2, {"b": 3, "a": ()}]), Pair(1, [2]), deque([1, 2], maxlen=3),
    defaultdict(int, {1: 2}), OrderedDict(z=1, y=[2, 3]), [Pair({"k": 1}, (2,))],
]  # fmt: skip


@pytest.mark.parametrize("tree", TREES, ids=repr)
class TestTrees:
    def test_structures_and_paths_are_pytorchs(self, tree: Any) -> None:
        mine, theirs = pytrees()
        leaves, spec = mine.tree_flatten(tree)
        wanted, wanted_spec = theirs.tree_flatten(tree)
        assert leaves == wanted
        assert repr(spec) == repr(wanted_spec)
        for fact in ("num_nodes", "num_leaves", "num_children", "context"):
            assert getattr(spec, fact) == getattr(wanted_spec, fact)
        assert spec.is_leaf() == wanted_spec.is_leaf()
        assert mine._get_node_type(tree) is theirs._get_node_type(tree)
        paths = [
            [(module.keystr(path), leaf) for path, leaf in module.tree_leaves_with_path(tree)]
            for module in (mine, theirs)
        ]
        assert paths[0] == paths[1]
        for path, leaf in mine.tree_leaves_with_path(tree):
            assert mine.key_get(tree, path) is leaf

    def test_one_is_written_and_read_again(self, tree: Any) -> None:
        pytree, _ = pytrees()
        spec = pytree.tree_structure(tree)
        assert pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec
        assert spec.unflatten(pytree.tree_leaves(tree)) == tree


def test_the_same_functions_of_trees_are_there() -> None:
    mine, theirs = pytrees()
    tree = [1, (2.5, {"x": "text"})]
    for call in (
        lambda m: m.tree_map_only(int, lambda x: -x, tree),
        lambda m: m.tree_map_only((int, float), lambda x: -x, tree),
        lambda m: m.tree_map_only(int | float, lambda x: -x, tree),
        lambda m: m.tree_all_only(int, lambda x: x == 1, tree),
        lambda m: m.tree_any_only(str, lambda x: x == "no", tree),
        lambda m: m.tree_map_with_path(lambda path, x: m.keystr(path), tree),
        lambda m: m._broadcast_to_and_flatten((1, 2), m.tree_structure(([3, 4], 5))),
        lambda m: m._broadcast_to_and_flatten((1, 2), m.tree_structure([3, 4])),
        lambda m: m.arg_tree_leaves(1, [2], x=3),
        lambda m: m._dict_flatten({"b": 1, "a": 2}),
        lambda m: repr(m._dict_flatten_with_keys({"b": 1})),
        lambda m: m.tree_flatten((1, 2))[1] == m.treespec_tuple([m.LeafSpec(), m.treespec_leaf()]),
    ):
        assert call(mine) == call(theirs)


def test_the_schema_of_a_function_is_pytorchs() -> None:
    def for_package(package: Any, infer_schema: Any) -> Any:
        def function(
            x: package.Tensor, sizes: list[int], y: package.Tensor | None = None, *,
            rate: float = 0.5, name: str = "a", flag: bool = True,
        ) -> tuple[package.Tensor, package.Tensor]: ...  # fmt: skip

        function.__annotations__.update(
            x=package.Tensor, sizes=list[int], y=package.Tensor | None, rate=float, name=str,
            flag=bool,
        )  # fmt: skip
        function.__annotations__["return"] = tuple[package.Tensor, package.Tensor]
        return infer_schema(function, mutates_args=("x",))

    mine, theirs = (each.infer_schema for each in of_both("library"))
    assert for_package(pellucid, mine) == for_package(torch, theirs)

"""Loaders, samplers, checkpoints and rarer methods do what those of the installed PyTorch do."""

from __future__ import annotations

import importlib
import random
import warnings
from typing import Any

import numpy as np
import pytest

import pellucid
import pellucid.utils.data

torch = pytest.importorskip("torch")

LIBRARIES = (pellucid, torch)


def plain(value: Any) -> Any:
    """Return batches as lists and numbers."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return type(value)(map(plain, value)) if isinstance(value, list | tuple) else value


class Raised:
    """An error: equal to another if its class is one of the other's, with its sentence first."""

    def __init__(self, error: Exception) -> None:
        self.kinds = [k.__name__ for k in type(error).__mro__ if k.__module__ == "builtins"]
        self.text = str(error)

    def __eq__(self, other: object) -> bool:
        start = self.text.startswith
        return isinstance(other, Raised) and other.kinds[0] in self.kinds and start(other.text[:30])

    __hash__ = None

    def __repr__(self) -> str:
        return f"{self.kinds[0]}: {self.text}"


def outcome(call: Any) -> Any:
    """Return the result or the error, and the beginnings of the warnings."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            result = plain(call())
        except Exception as error:  # noqa: BLE001 - compared
            result = Raised(error)
    return result, [str(each.message)[:60] for each in told]


def agree(call: Any) -> None:
    ours, theirs = (outcome(lambda library=library: call(library)) for library in LIBRARIES)
    assert ours == theirs


def drawing_set(library: Any) -> Any:
    """Return a set whose samples draw from all three generators."""

    class Drawing(library.utils.data.Dataset):
        def __len__(self) -> int:
            return 10

        def __getitem__(self, index: int) -> Any:
            old = float(np.random.rand())  # noqa: NPY002 - the one that workers seed
            return index, random.random(), old, library.rand(2)

    return Drawing()


def counting_stream(library: Any) -> Any:
    class Counting(library.utils.data.IterableDataset):
        def __iter__(self) -> Any:
            worker = library.utils.data.get_worker_info()
            return iter(range(worker.id * 100, worker.id * 100 + (9, 5)[worker.id]))

    return Counting()


LOADERS = [
    "dict(shuffle=True)",
    "dict(shuffle=True, batch_size=3)",
    "dict(shuffle=True, batch_size=4, drop_last=True, persistent_workers=True)",
    "dict(batch_size=3, shuffle=True, generator=library.Generator().manual_seed(9))",
    "dict(batch_size=None, sampler=data.RandomSampler(range(10)))",
    "dict(batch_sampler=[[3, 1], [2]], prefetch_factor=4)",
    "dict(batch_size=4, sampler=data.WeightedRandomSampler([1.0, 2.0, 3.0], 9))",
    "dict(batch_size=2, sampler=data.SubsetRandomSampler([7, 1, 4]))",
]


@pytest.mark.parametrize("options", LOADERS)
@pytest.mark.parametrize("num_workers", [0, 2])
def test_batches_and_all_random_numbers_are_the_same(options: str, num_workers: int) -> None:
    def two_passes(library: Any) -> Any:
        library.manual_seed(3)
        random.seed(3)
        np.random.seed(3)  # noqa: NPY002
        names = {"library": library, "data": library.utils.data}
        chosen = eval(options, names)
        if not num_workers:
            for name in ("persistent_workers", "prefetch_factor"):
                chosen.pop(name, None)
        loader = library.utils.data.DataLoader(
            drawing_set(library), num_workers=num_workers, **chosen
        )
        return [(list(map(plain, loader)), library.rand(1)) for _ in range(2)]

    agree(two_passes)


@pytest.mark.parametrize(
    "options", [{"batch_size": None}, {"batch_size": 2}, {"batch_size": 4, "drop_last": True}]
)
def test_streams_in_workers_give_the_same_batches(options: dict[str, Any]) -> None:
    agree(
        lambda library: list(
            library.utils.data.DataLoader(counting_stream(library), num_workers=2, **options)
        )
    )


DRAWS = [
    "list(data.RandomSampler(range(4), num_samples=7, generator=g))",
    "list(data.RandomSampler(range(4), True, 70, generator=g))",
    "list(data.WeightedRandomSampler([0.1, 0.5, 0.4], 5, generator=g))",
    "list(data.WeightedRandomSampler([0.1, 0.5, 0.4], 2, replacement=False, generator=g))",
    "list(data.SubsetRandomSampler([3, 5, 7], generator=g))",
    "[list(part.indices) for part in data.random_split(range(10), [0.3, 0.3, 0.4], generator=g)]",
    "[list(data.distributed.DistributedSampler(range(11), 3, rank, seed=4, drop_last=drop))"
    " for rank in range(3) for drop in (False, True)]",
    "list(data.distributed.DistributedSampler(range(2), 5, 4, shuffle=False))",
    "data.DistributedSampler(range(3), 2, 2)",
    "data.StackDataset([1, 2], [3, 4])[1]",
    "data.StackDataset(a=[1, 2], b=[3, 4]).__getitems__([0, 1])",
    "data.StackDataset([1], b=[2])",
    "data.StackDataset([1], [1, 2])",
    "data.StackDataset()",
    "data.default_collate([1, 2.5])",
    "data.default_collate([object()])",
    "data._utils.collate.collate([1], collate_fn_map={str: len})",
    "data._utils.collate.collate([{'a': (1, 'x')}, {'a': (2, 'y')}],"
    " collate_fn_map=data._utils.collate.default_collate_fn_map)",
    "data.DataLoader(range(3), num_workers=1, multiprocessing_context=5)",
    "data.DataLoader(range(3), multiprocessing_context='fork')",
    "setattr(data.DataLoader(range(3)), 'dataset', 1)",
]


@pytest.mark.parametrize("expression", DRAWS)
def test_sets_and_samplers_agree(expression: str) -> None:
    def draw(library: Any) -> Any:
        data = library.utils.data
        generator = library.Generator().manual_seed(1)
        names = {"data": data, "g": generator}
        return [eval(expression, names), library.rand(2, generator=generator)]

    agree(draw)


@pytest.mark.parametrize(
    "error", [ValueError("a"), KeyError("b"), FileNotFoundError(2, "c"), ZeroDivisionError()]
)
def test_exceptions_of_workers_read_the_same(error: Exception) -> None:
    def raising(library: Any) -> Any:
        class Raising(library.utils.data.Dataset):
            def __len__(self) -> int:
                return 1

            def __getitem__(self, index: int) -> Any:
                raise error

        return next(iter(library.utils.data.DataLoader(Raising(), num_workers=1)))

    agree(raising)


CHECKPOINTS = [
    {"use_reentrant": False},
    {"use_reentrant": True},
    {"use_reentrant": False, "early_stop": False},
    {"use_reentrant": True, "preserve_rng_state": False},
    {},
    {"use_reentrant": True, "debug": True},
    {"use_reentrant": True, "unknown": 1},
    {"use_reentrant": False, "determinism_check": "unknown"},
]


@pytest.mark.parametrize("options", CHECKPOINTS)
@pytest.mark.parametrize("nested", [False, True])
def test_checkpoints_compute_again_at_the_same_points(
    options: dict[str, Any], nested: bool
) -> None:
    def run(library: Any) -> Any:
        checkpoint = importlib.import_module(f"{library.__name__}.utils.checkpoint").checkpoint
        reached: list[str] = []

        def part(x: Any, w: Any) -> Any:
            reached.append("first")
            hidden = library.nn.functional.dropout(library.relu(x @ w), 0.5)
            reached.append("second")
            return hidden.sin() @ w.t()

        def parts(x: Any, w: Any) -> Any:
            first = checkpoint(part, x, w, use_reentrant=False)
            return checkpoint(part, first.tanh(), w, use_reentrant=False)

        library.manual_seed(0)
        x = library.randn(3, 4, requires_grad=True)
        w = library.randn(4, 4, requires_grad=True)
        y = checkpoint(parts if nested else part, x, w, **options)
        after = library.rand(2)
        y.sum().backward()
        rounded = [np.round(each.detach().numpy(), 3).tolist() for each in (x.grad, w.grad)]
        preserved = options.get("preserve_rng_state", True)
        return [reached, rounded if preserved else None, after if preserved else None]

    agree(run)


METHODS = [
    "t.is_distributed()", "t.is_pinned()", "t.is_shared()", "t.clone().share_memory_().is_shared()",
    "t.const_data_ptr() == t.data_ptr()", "t.dim_order()", "t.t().dim_order(ambiguity_check=True)",
    "T.ones(2, 3, 4, 5).to(memory_format=T.channels_last).dim_order()",
    "T.ones(1, 3, 1, 2).transpose(1, 3).dim_order()", "T.ones(3).expand(2, 3).dim_order()",
    "T.ones(1, 1).dim_order(ambiguity_check=True)", "t.values()", "t.indices()", "t.coalesce()",
    "t.crow_indices()", "t.col_indices()", "t.ccol_indices()", "t.row_indices()",
    "t.is_coalesced()", "t.sparse_dim()", "t.dense_dim()", "t.sum_to_size(1, 3)",
    "t.sum_to_size(3)", "t.sum_to_size((2, 1))", "t.sum_to_size(5)", "t.to_dense()",
    "t.to_dense(T.float64).dtype == T.float64", "t[0, :1].__long__()", "t[0, :1].__nonzero__()",
    "t.__div__(2)", "t.clone().__idiv__(2)", "t.__rdiv__(2)", "list(reversed(T.arange(3)))",
    "reversed(t)", "reversed(T.tensor(3))", "t.is_set_to(t.detach())", "t.is_set_to(t[:1])",
    "T.is_distributed(t)", "T.is_inference(t)", "T.is_storage(t)", "T.is_signed(t)",
    "T.is_storage(t.untyped_storage())", "T.is_same_size(t, t.t())", "T.is_same_size(t, 3)",
    "T.detach(t)", "numpy.from_dlpack(t)", "T.from_dlpack(numpy.ones(3))", "t.__dlpack_device__()",
    "T.from_dlpack(t.__dlpack__())", "T.from_dlpack([1])", "t.__dlpack__(stream=1)",
    "T.from_dlpack(numpy.array(['a']))", "t.clone().requires_grad_().__dlpack__()",
    "numpy.add(t, numpy.ones(3))", "numpy.sqrt(t)", "T.typename(t)", "T.set_num_threads(0)",
    "T.set_num_threads(1.5)", "T.use_deterministic_algorithms(1)", "T.cuda.is_available()",
    "T.set_deterministic_debug_mode('x')", "T.set_deterministic_debug_mode(4)",
    "T.cuda.current_device()", "T.cuda.get_rng_state_all()", "T.cuda.memory_allocated()",
    "T.accelerator.current_accelerator()", "T.accelerator.synchronize()", "T.cpu.current_device()",
    "T.xpu.synchronize()", "T.distributed.get_rank()", "T.distributed.is_initialized()",
    "T.backends.cudnn.enabled", "T.backends.cudnn.version()", "T.get_float32_matmul_precision()",
    "T.compiler.is_compiling()", "T.backends.cuda.flash_sdp_enabled()",
]  # fmt: skip


@pytest.mark.parametrize("expression", METHODS)
def test_rarer_names_agree(expression: str) -> None:
    def evaluate(library: Any) -> Any:
        t = library.arange(6, dtype=library.float32).reshape(2, 3) + 1
        return eval(expression, {"T": library, "t": t, "numpy": np})

    ours, theirs = (outcome(lambda library=library: evaluate(library)) for library in LIBRARIES)
    assert ours[0] == theirs[0]  # NumPy warns of the way in which PyTorch meets it

"""Files go both ways: PyTorch loads what pellucid saved, and pellucid what PyTorch saved."""

from __future__ import annotations

import collections
import io
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid

torch = pytest.importorskip("torch")

BOTH_WAYS = pytest.mark.parametrize(
    ("saver", "loader"), [(pellucid, torch), (torch, pellucid)], ids=["to_torch", "from_torch"]
)

DTYPES = [
    "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip


def carried(saver: Any, loader: Any, obj: Any, **options: Any) -> Any:
    """Return what one library loads of what the other saved."""
    file = io.BytesIO()
    saver.save(obj, file)
    file.seek(0)
    return loader.load(file, **options)


def assert_equal(found: Any, expected: Any) -> None:
    """Compare tensors of two libraries: kind, dtype, sizes, strides, values, wish for gradients."""
    assert type(found).__name__ == type(expected).__name__
    assert str(found.dtype) == str(expected.dtype)
    assert tuple(found.shape) == tuple(expected.shape)
    assert found.requires_grad == expected.requires_grad
    np.testing.assert_array_equal(found.detach().numpy(), expected.detach().numpy())


@BOTH_WAYS
@pytest.mark.parametrize("dtype", DTYPES)
def test_tensors_of_all_dtypes_travel(saver: Any, loader: Any, dtype: str) -> None:
    x = saver.tensor([[0, 1, 2], [3, 5, 7]]).to(getattr(saver, dtype))
    assert_equal(carried(saver, loader, x), x)


@BOTH_WAYS
@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1, 1), (1, 4, 1)])
def test_tensors_of_all_shapes_travel(saver: Any, loader: Any, shape: tuple[int, ...]) -> None:
    x = saver.zeros(shape)
    assert_equal(carried(saver, loader, x), x)


@BOTH_WAYS
def test_views_share_one_memory_after_the_journey(saver: Any, loader: Any) -> None:
    x = saver.arange(12.0).reshape(3, 4)
    views = [x, x.t(), x[1], x[:, ::2], x[2, 3], x[1:2].expand(5, 4), x.unfold(1, 2, 1)]
    found = carried(saver, loader, views)
    for each, expected in zip(found, views, strict=True):
        assert_equal(each, expected)
        assert each.storage_offset() == expected.storage_offset()
    assert found[1].stride() == x.t().stride()
    assert found[6].stride() == views[6].stride()
    found[0][1, 0] = 100
    x[1, 0] = 100
    for each, expected in zip(found, views, strict=True):
        assert_equal(each, expected)


@BOTH_WAYS
def test_one_tensor_named_twice_stays_one(saver: Any, loader: Any) -> None:
    x = saver.ones(2)
    first, second = carried(saver, loader, [x, x])
    assert first is second


@BOTH_WAYS
def test_parameters_attributes_and_the_wish_for_gradients_travel(saver: Any, loader: Any) -> None:
    parameter = saver.nn.Parameter(saver.arange(3.0))
    frozen = saver.nn.Parameter(saver.ones(2), requires_grad=False)
    marked = saver.nn.Parameter(saver.ones(2))
    marked.role = "gain"
    leaf = saver.ones(2, requires_grad=True)
    named = saver.ones(2)
    named.origin = {"line": 3}
    everything = [parameter, frozen, marked, leaf, named, leaf * 2]
    found = carried(saver, loader, everything)
    for each, expected in zip(found, everything, strict=True):
        assert_equal(each, expected)
    assert found[2].role == "gain"
    assert found[4].origin == {"line": 3}


@BOTH_WAYS
def test_containers_and_plain_values_travel(saver: Any, loader: Any) -> None:
    obj = {
        "numbers": [0, -1, 255, 256, 70000, -(2**31), 2**40, 2**100, 1.5, float("inf"), 1 + 2j],
        "words": ("", "Ω", "x" * 300, b"\x00\xff", bytearray(b"ab")),
        "truth": [True, False, None],
        "sets": {1, 2},
        "counter": collections.Counter("abca"),
        "ordered": collections.OrderedDict([("b", 1), ("a", {"deep": [(), (1,), (1, 2, 3, 4)]})]),
        (1, "key"): 3,
    }
    assert carried(saver, loader, obj) == obj


@BOTH_WAYS
def test_dtypes_devices_and_sizes_travel(saver: Any, loader: Any) -> None:
    obj = [saver.float64, saver.device("cpu"), saver.device("cuda", 1), saver.Size([2, 3])]
    found = carried(saver, loader, obj)
    assert found == [
        loader.float64, loader.device("cpu"), loader.device("cuda", 1), loader.Size([2, 3])
    ]  # fmt: skip
    assert [repr(each) for each in found] == [repr(each) for each in obj]


@BOTH_WAYS
def test_lists_that_contain_themselves_travel(saver: Any, loader: Any) -> None:
    loop: list[Any] = [1]
    loop.append(loop)
    found = carried(saver, loader, loop)
    assert found[1] is found


@BOTH_WAYS
def test_shared_weights_share_after_the_journey(saver: Any, loader: Any) -> None:
    embedding = saver.nn.Embedding(5, 3)
    head = saver.nn.Linear(3, 5, bias=False)
    head.weight = embedding.weight
    found = carried(saver, loader, saver.nn.Sequential(embedding, head).state_dict())
    found["0.weight"][1, 2] = 7
    assert found["1.weight"][1, 2] == 7


def network(library: Any) -> Any:
    nn = library.nn
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1, padding_mode="circular"), nn.BatchNorm2d(4), nn.ReLU(),
        nn.Conv2d(4, 4, 3, padding="same", padding_mode="reflect"), nn.InstanceNorm2d(4),
        nn.MaxPool2d(2), nn.ConvTranspose2d(4, 2, 2, stride=2), nn.Flatten(), nn.Dropout(0.5),
        nn.LayerNorm(72), nn.Linear(72, 5), nn.GELU(approximate="tanh"), nn.Softmax(dim=1),
    )  # fmt: skip


def images(library: Any) -> Any:
    values = np.random.default_rng(0).standard_normal((3, 1, 6, 6), np.float32)
    return library.from_numpy(values)


@BOTH_WAYS
def test_state_dicts_travel_and_the_networks_agree(saver: Any, loader: Any) -> None:
    saved, loaded = network(saver), network(loader)
    saved(images(saver))
    state = carried(saver, loader, saved.state_dict())
    assert type(state) is collections.OrderedDict
    assert state._metadata == saved.state_dict()._metadata
    loaded.load_state_dict(state)
    saved.eval(), loaded.eval()
    np.testing.assert_allclose(
        loaded(images(loader)).detach().numpy(), saved(images(saver)).detach().numpy(), atol=1e-5
    )


@BOTH_WAYS
def test_whole_networks_travel(saver: Any, loader: Any) -> None:
    saved = network(saver)
    saved(images(saver))
    saved.eval()
    loaded = carried(saver, loader, saved, weights_only=False)
    assert repr(loaded) == repr(saved)
    np.testing.assert_allclose(
        loaded(images(loader)).detach().numpy(), saved(images(saver)).detach().numpy(), atol=1e-5
    )
    loaded.train()
    loaded(images(loader)).sum().backward()
    assert all(parameter.grad is not None for parameter in loaded.parameters())


LAYERS = {
    "LSTM": (3, 4, 2), "GRU": (3, 4), "RNN": (3, 4), "Embedding": (5, 3), "PReLU": (),
    "MultiheadAttention": (4, 2), "TransformerEncoderLayer": (4, 2, 8, 0.0),
    "Upsample": (None, 2), "ZeroPad2d": (1,), "Bilinear": (3, 3, 2), "RMSNorm": (3,),
}  # fmt: skip


def input_of(library: Any, name: str) -> tuple[Any, ...]:
    values = np.random.default_rng(1).standard_normal((2, 6, 4), np.float32)
    x = library.from_numpy(values)
    if name == "Embedding":
        return (library.tensor([0, 4]),)
    if name in ("MultiheadAttention", "Bilinear"):
        x = x if name == "MultiheadAttention" else x[..., :3]
        return (x, x, x)[: 3 if name == "MultiheadAttention" else 2]
    if name in ("TransformerEncoderLayer", "Upsample", "ZeroPad2d"):
        return (x,)
    return (x[..., :3],)


def first(result: Any) -> Any:
    return first(result[0]) if isinstance(result, tuple) else result.detach().numpy()


@BOTH_WAYS
@pytest.mark.parametrize("name", [name for name in LAYERS if hasattr(pellucid.nn, name)])
def test_layers_compute_the_same_after_the_journey(saver: Any, loader: Any, name: str) -> None:
    saved = getattr(saver.nn, name)(*LAYERS[name])
    loaded = carried(saver, loader, saved, weights_only=False)
    assert repr(loaded) == repr(saved)
    for training in (True, False):
        saved.train(training), loaded.train(training)
        np.testing.assert_allclose(
            first(loaded(*input_of(loader, name))), first(saved(*input_of(saver, name))), atol=1e-5
        )


@BOTH_WAYS
def test_whole_networks_are_loaded_safely_where_their_classes_are_allowed(
    saver: Any, loader: Any
) -> None:
    saved = saver.nn.Sequential(saver.nn.Linear(2, 3), saver.nn.InstanceNorm1d(3))
    classes = [loader.nn.Sequential, loader.nn.Linear, loader.nn.InstanceNorm1d]
    with loader.serialization.safe_globals(classes):
        loaded = carried(saver, loader, saved)
    assert repr(loaded) == repr(saved)
    assert_equal(loaded[0].weight, saved[0].weight)


OPTIMIZERS = [
    ("SGD", {"momentum": 0.9}), ("Adam", {"amsgrad": True}), ("AdamW", {}), ("RMSprop", {}),
    ("Adagrad", {}), ("Adadelta", {}),
]  # fmt: skip


@BOTH_WAYS
@pytest.mark.parametrize(("name", "options"), OPTIMIZERS, ids=lambda each: str(each))
def test_states_of_optimizers_travel_and_training_goes_on_alike(
    saver: Any, loader: Any, name: str, options: dict[str, Any]
) -> None:
    def step(library: Any, model: Any, optimizer: Any) -> None:
        optimizer.zero_grad()
        (model(library.ones(4, 3)) ** 2).sum().backward()
        optimizer.step()

    models = {library: library.nn.Linear(3, 2) for library in (saver, loader)}
    optimizers = {
        library: getattr(library.optim, name)(model.parameters(), lr=0.01, **options)
        for library, model in models.items()
    }
    step(saver, models[saver], optimizers[saver])
    checkpoint = {
        "model": models[saver].state_dict(), "optimizer": optimizers[saver].state_dict(), "epoch": 3
    }  # fmt: skip
    found = carried(saver, loader, checkpoint)
    assert found["epoch"] == 3
    models[loader].load_state_dict(found["model"])
    optimizers[loader].load_state_dict(found["optimizer"])
    for library in (saver, loader):
        step(library, models[library], optimizers[library])
    np.testing.assert_allclose(
        models[loader].weight.detach().numpy(), models[saver].weight.detach().numpy(), rtol=1e-5
    )


def prefers_keywords(module: Any, args: Any, kwargs: Any) -> None:
    module.seen = sorted(kwargs)


def sees_result(module: Any, args: Any, output: Any) -> None:
    module.result = tuple(output.shape)


@BOTH_WAYS
def test_hooks_travel_with_how_they_want_to_be_called(saver: Any, loader: Any) -> None:
    saved = saver.nn.Linear(2, 3)
    saved.register_forward_pre_hook(prefers_keywords, with_kwargs=True)
    saved.register_forward_hook(sees_result)
    loaded = carried(saver, loader, saved, weights_only=False)
    loaded(input=loader.ones(1, 2))
    assert loaded.seen == ["input"]
    assert loaded.result == (1, 3)


@BOTH_WAYS
def test_a_network_that_has_run_travels(saver: Any, loader: Any) -> None:
    saved = saver.nn.Sequential(saver.nn.Linear(2, 2))
    saved(saver.ones(1, 2))
    loaded = carried(saver, loader, saved, weights_only=False)
    assert set(vars(loaded)) - set(vars(saved)) <= {
        "_is_full_backward_hook", "_forward_hooks_with_kwargs", "_forward_hooks_always_called",
        "_forward_pre_hooks_with_kwargs",
    }  # fmt: skip


def test_classes_of_layers_have_the_names_that_they_have_in_torch() -> None:
    from pellucid.interop.names import name_in_files

    shared = [
        name
        for name, cls in vars(pellucid.nn).items()
        if isinstance(cls, type)
        and issubclass(cls, pellucid.nn.Module)
        and isinstance(getattr(torch.nn, name, None), type)
    ]
    assert len(shared) > 50
    for name in shared:
        theirs = getattr(torch.nn, name)
        found = name_in_files(getattr(pellucid.nn, name))
        assert found == (theirs.__module__, theirs.__qualname__)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "LBFGS"])
def test_classes_of_optimizers_have_the_names_that_they_have_in_torch(name: str) -> None:
    from pellucid.interop.names import name_in_files

    theirs = getattr(torch.optim, name)
    assert name_in_files(getattr(pellucid.optim, name)) == (theirs.__module__, name)


@BOTH_WAYS
def test_functions_kept_in_attributes_travel(saver: Any, loader: Any) -> None:
    functions = [saver.tanh, saver.nn.functional.relu, saver.relu, saver.nn.functional.gelu]
    found = carried(saver, loader, functions, weights_only=False)
    x = np.linspace(-1, 1, 5)
    for each, expected in zip(found, functions, strict=True):
        np.testing.assert_allclose(
            each(loader.tensor(x)).numpy(), expected(saver.tensor(x)).numpy()
        )


@BOTH_WAYS
def test_files_can_be_mapped_into_memory(saver: Any, loader: Any, tmp_path: Path) -> None:
    path = tmp_path / "state.pt"
    state = {"a": saver.arange(1000.0), "b": saver.ones(3, dtype=saver.int64), "c": saver.ones(0)}
    saver.save(state, path)
    before = path.read_bytes()
    found = loader.load(path, mmap=True)
    for name in state:
        assert_equal(found[name], state[name])
    found["a"][0] = 5
    assert path.read_bytes() == before


def test_torch_finds_our_storages_by_reckoning(tmp_path: Path) -> None:
    from torch.utils.serialization import config

    path = tmp_path / "state.pt"
    state = [pellucid.arange(float(n)) for n in (5, 0, 17, 1000)]
    pellucid.save(state, path)
    before = config.load.calculate_storage_offsets
    config.load.calculate_storage_offsets = True
    try:
        found = torch.load(path, mmap=True)
    finally:
        config.load.calculate_storage_offsets = before
    for each, expected in zip(found, state, strict=True):
        assert_equal(each, expected)


def test_records_stand_where_torch_puts_them() -> None:
    def records(library: Any) -> list[tuple[Any, ...]]:
        file = io.BytesIO()
        library.save(
            [library.arange(3.0), library.ones(0), library.ones(5, dtype=library.int8)], file
        )
        with zipfile.ZipFile(file) as archive:
            return [
                (each.filename, each.file_size, each.header_offset, each.flag_bits)
                for each in archive.infolist()
            ]

    assert records(pellucid) == records(torch)


@BOTH_WAYS
@pytest.mark.parametrize(
    "dtype",
    [
        "bfloat16", "complex32", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
        "float8_e5m2fnuz", "float8_e8m0fnu",
    ],
)  # fmt: skip
def test_dtypes_that_numpy_has_not_travel(saver: Any, loader: Any, dtype: str) -> None:
    with warnings.catch_warnings(action="ignore"):  # complex32 is called experimental
        x = saver.tensor([1.0, 2.0]).to(getattr(saver, dtype))
        found = carried(saver, loader, {"x": x})["x"]
    assert found.dtype is getattr(loader, dtype)
    assert found.tolist() == x.tolist()


@pytest.mark.parametrize("dtype", ["float4_e2m1fn_x2"])
def test_dtypes_that_are_not_here_are_refused_by_name(dtype: str) -> None:
    x = torch.empty(2, dtype=getattr(torch, dtype))
    with pytest.raises(NotImplementedError, match=f"torch.{dtype}, a dtype that pellucid does not"):
        carried(torch, pellucid, {"x": x})


@BOTH_WAYS
def test_generators_travel(saver: Any, loader: Any) -> None:
    generator = saver.Generator().manual_seed(5)
    saver.rand(7, generator=generator)
    found = carried(saver, loader, generator, weights_only=False)
    expected = saver.rand(3, generator=generator).tolist()
    assert loader.rand(3, generator=found).tolist() == expected
    assert found.initial_seed() == 5


def test_conjugated_tensors_arrive_conjugated() -> None:
    x = torch.tensor([1 + 2j, 3 - 4j])
    assert_equal(carried(torch, pellucid, x.conj()), x.conj().resolve_conj())


@BOTH_WAYS
@pytest.mark.parametrize("checksums", [True, False])
def test_files_travel_with_and_without_checksums(saver: Any, loader: Any, checksums: bool) -> None:
    saver.serialization.set_crc32_options(checksums)
    try:
        assert carried(saver, loader, saver.arange(3)).tolist() == [0, 1, 2]
    finally:
        saver.serialization.set_crc32_options(True)


@BOTH_WAYS
def test_storages_travel(saver: Any, loader: Any) -> None:
    x = saver.arange(4.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, tensor = carried(saver, loader, [x.storage(), x])
        assert list(found) == [0, 1, 2, 3]
        found[0] = 7.0
        assert tensor[0] == 7
        assert len(carried(saver, loader, x.untyped_storage())) == 16


def test_the_same_names_are_unsafe_as_in_torch() -> None:
    file = io.BytesIO()
    torch.save([torch.nn.Linear(2, 2), torch.ones(2), np.float64(3)], file)
    file.seek(0)
    found = pellucid.serialization.get_unsafe_globals_in_checkpoint(file)
    file.seek(0)
    assert found == sorted(torch.serialization.get_unsafe_globals_in_checkpoint(file))


def test_refusals_say_what_torch_says() -> None:
    def refusal(library: Any) -> str:
        file.seek(0)
        with pytest.raises(Exception, match="Weights only load failed") as caught:
            library.load(file)
        return str(caught.value).split("WeightsUnpickler error: ")[1].split("\n")[0]

    file = io.BytesIO()
    torch.save(np.ones(3), file)
    assert refusal(torch).startswith("Unsupported global: GLOBAL numpy.")
    assert refusal(pellucid) == refusal(torch)


# ---- the format before 1.6 ------------------------------------------------------------------


def legacy(obj: Any, protocol: int = 2) -> io.BytesIO:
    file = io.BytesIO()
    torch.save(obj, file, _use_new_zipfile_serialization=False, pickle_protocol=protocol)
    file.seek(0)
    return file


@pytest.mark.parametrize("weights_only", [True, False])
def test_torch_loads_the_format_before_1_6_from_here(weights_only: bool) -> None:
    x = pellucid.arange(6.0).reshape(2, 3)
    obj = {"many": [pellucid.full((2,), n) for n in range(11)], "x": x, "t": x.t(), "n": 3}
    obj["state"] = pellucid.nn.Linear(2, 1).state_dict()
    file = io.BytesIO()
    pellucid.save(obj, file, _use_new_zipfile_serialization=False)
    file.seek(0)
    found = torch.load(file, weights_only=weights_only)
    assert [each.tolist() for each in found["many"]] == [[n, n] for n in range(11)]
    assert found["t"].tolist() == x.t().tolist()
    assert found["x"].data_ptr() == found["t"].data_ptr()
    assert list(found["state"]) == ["weight", "bias"]


LEGACY_DTYPES = [each for each in DTYPES if each not in ("uint16", "uint32", "uint64")]


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("dtype", LEGACY_DTYPES)
def test_tensors_arrive_in_the_format_before_1_6(dtype: str, weights_only: bool) -> None:
    x = torch.tensor([[0, 1, 2], [3, 5, 7]]).to(getattr(torch, dtype))
    found = pellucid.load(legacy([x, x.t(), x[1]]), weights_only=weights_only)
    for mine, theirs in zip(found, [x, x.t(), x[1]], strict=True):
        assert_equal(mine, theirs)
    found[0][1] = 0
    assert not found[1][:, 1].any()
    assert not found[2].any()


@pytest.mark.parametrize("protocol", [2, 3])
def test_states_arrive_in_the_format_before_1_6(protocol: int) -> None:
    layer = torch.nn.Linear(3, 2)
    training = torch.optim.Adam(layer.parameters())
    layer(torch.ones(3)).sum().backward()
    training.step()
    file = legacy({"layer": layer.state_dict(), "training": training.state_dict()}, protocol)
    found = pellucid.load(file)
    mine = pellucid.nn.Linear(3, 2)
    mine.load_state_dict(found["layer"])
    assert_equal(mine.weight.detach(), layer.weight.detach())
    average = found["training"]["state"][0]["exp_avg"]
    assert_equal(average, training.state_dict()["state"][0]["exp_avg"])


def test_whole_networks_arrive_in_the_format_before_1_6() -> None:
    network = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU())
    found = pellucid.load(legacy(network), weights_only=False)
    x = np.ones((1, 3), np.float32)
    np.testing.assert_allclose(
        found(pellucid.from_numpy(x)).detach().numpy(),
        network(torch.from_numpy(x)).detach().numpy(),
        rtol=1e-6,
    )
    with pytest.raises(Exception, match=r"container\.Sequential was not an allowed"):
        pellucid.load(legacy(network))

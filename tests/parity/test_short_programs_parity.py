"""Short programs give the same results, or the same refusals, as in PyTorch."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import pellucid

torch = pytest.importorskip("torch")

SYMMETRIC = np.array([[0.0, 1, 2, 3], [1, 0, 4, 5], [2, 4, 0, 1], [3, 5, 1, 0]])
BATCH = np.random.default_rng(0).standard_normal((3, 4, 4))


def _ldl(lib: Any) -> Any:
    a = lib.tensor(BATCH + BATCH.swapaxes(1, 2))
    LD, pivots = lib.linalg.ldl_factor(a)
    return [LD, pivots, lib.linalg.ldl_solve(LD, pivots, lib.eye(4, dtype=lib.float64))]


def _seeded(lib: Any, function: Any) -> Any:
    lib.manual_seed(11)
    return function()


def _raised(lib: Any, function: Any) -> Any:
    try:
        return function(lib)
    except Exception as error:  # noqa: BLE001 - which class it is, is what is compared
        kind = next(
            each for each in type(error).__mro__ if each.__module__ in ("builtins", "torch._C")
        )
        return [kind.__name__, str(error).split("\n")[0]]


def _signs_of_zeros(lib: Any, text: str) -> Any:
    x = lib.tensor([[-0.0, 0.0, 2.0, -2.0], [-0.0, -0.0, 0.0, 1.0], [0.0, -0.0, -1.0, -0.0]])
    return lib.signbit(eval(text, {"lib": lib, "x": x, "ones": lib.tensor([1])}))


def _memory(tensor: Any) -> Any:
    storage = tensor.untyped_storage()
    return [
        tensor.storage_offset(),
        storage.nbytes(),
        list(tensor.stride()),
        tensor.data_ptr() - storage.data_ptr(),
    ]


def _unrecorded_view(lib: Any) -> Any:
    x = lib.ones(2, 2, requires_grad=True)
    with lib.no_grad():
        return x.as_strided((2,), (1,))


def _parametrized_after_use(lib: Any) -> Any:
    layer = lib.nn.Linear(2, 2)
    out = layer(lib.ones(2, 2, requires_grad=True))
    lib.nn.utils.parametrizations.orthogonal(layer)
    return _raised(lib, lambda _: out.sum().backward())[0]


def _of_inference(lib: Any) -> Any:
    with lib.inference_mode():
        x = lib.arange(3.0)
    value, tangent = lib.func.jvp(lambda a: lib.func.vjp(lib.sin, a)[0], (x,), (x,))
    return [value, tangent, lib.func.jacfwd(lambda a: a.reshape(3, 1).renorm(2, 0, 1.0))(x)]


def _version_of_a_view(lib: Any) -> Any:
    x = lib.ones(4)
    view = x[2:]
    x.data = lib.zeros(3)
    x.add_(1)
    return [x._version, view._version, view.tolist()]


def _lstm(lib: Any, **options: Any) -> Any:
    with lib.autocast("cpu", dtype=lib.bfloat16):
        try:
            output, state = lib.nn.LSTM(3, 4, **options)(lib.zeros(5, 2, 3))
        except RuntimeError as error:
            if lib is torch and "could not create a primitive" in str(error):
                pytest.skip("PyTorch has no LSTM in bfloat16 for this processor")
            raise
    return [str(output.dtype), *(str(each.dtype) for each in state)]


def _beta(lib: Any, name: str, *shapes: tuple[int, ...]) -> Any:
    first = lib.full(shapes[0], float("nan"), requires_grad=True)
    out = getattr(lib, name)(first, *(lib.ones(each) for each in shapes[1:]), beta=0)
    (slope,) = lib.autograd.grad(out.sum(), first)
    return [out.detach(), slope]


CASES = {
    **{
        f"{name} of {one} and {other}": lambda lib, name=name, one=one, other=other: getattr(
            lib.nn.functional, name
        )(lib.ones(3).to(getattr(lib, one)), lib.arange(3).to(getattr(lib, other)))
        for name in ("huber_loss", "smooth_l1_loss")
        for one, other in (("float32", "float64"), ("float64", "float32"), ("float32", "int64"))
    },
    "smooth_l1_loss of whole numbers and floats": lambda lib: lib.nn.functional.smooth_l1_loss(
        lib.arange(3), lib.ones(3)
    ),
    "ldl of batches": _ldl,
    "bincount of complex weights": lambda lib: lib.bincount(
        lib.tensor([0, 1, 1]), lib.tensor([1 + 2j, 2, 3j])
    ),
    "indices that wrap round": lambda lib: lib.take_along_dim(
        lib.arange(3.0), lib.tensor([5, -4, 3]), 0
    ),
    "the device by DLPack": lambda lib: [
        repr(lib.ones(2).__dlpack_device__()),
        lib.utils.dlpack.DLDeviceType.kDLCUDA.value,
    ],
    "integrals of no samples": lambda lib: [
        lib.trapezoid(lib.ones(shape, requires_grad=True), dim=0).requires_grad
        for shape in ((0,), (1,), (0, 2))
    ],
    "a fill of everything": lambda lib: [
        (x := lib.ones(3, requires_grad=True).clone()).__setitem__(..., 1.0),
        x.grad_fn.name(),
    ],
    "derivatives of a derivative, of what was made in inference mode": _of_inference,
    "linearize of what returns its argument": lambda lib: [
        lib.func.linearize(same, x)[0] is x
        for x in (lib.ones(2), lib.ones(2, requires_grad=True), lib.ones(2, requires_grad=True) * 2)
        for same in (lambda v: v, lib.positive, lambda v: v.view(2))
    ],
    "a weight that was parametrized after its use": _parametrized_after_use,
    "ldl with blocks": lambda lib: list(lib.linalg.ldl_factor(lib.tensor(SYMMETRIC))),
    "ldl hermitian": lambda lib: list(
        lib.linalg.ldl_factor(lib.tensor(SYMMETRIC + 1j * np.triu(SYMMETRIC, 1)), hermitian=True)
    ),
    "svd_lowrank": lambda lib: _seeded(
        lib, lambda: lib.svd_lowrank(lib.tensor(BATCH[:, :, :3]), q=2)[1]
    ),
    "svd_lowrank of wide": lambda lib: _seeded(
        lib,
        lambda: lib.svd_lowrank(lib.tensor(BATCH[:, :3]), q=2, M=lib.ones(1, 4, dtype=lib.float64))[
            1
        ],
    ),
    "pca_lowrank": lambda lib: _seeded(lib, lambda: lib.pca_lowrank(lib.tensor(BATCH[0]))[1]),
    "feature_dropout": lambda lib: _seeded(
        lib, lambda: lib.feature_dropout(lib.ones(4, 5, 2), 0.5, True)
    ),
    "feature_dropout_": lambda lib: _seeded(
        lib, lambda: lib.feature_dropout_(lib.ones(4, 5, 2), 0.5, True)
    ),
    "embedding_renorm_": lambda lib: lib.embedding_renorm_(
        lib.arange(8.0).reshape(4, 2), lib.tensor([1, 3, 1]), 2.0, 2.0
    ),
    "slice_copy": lambda lib: lib.slice_copy(lib.arange(12).reshape(3, 4), 1, 0, 4, 2),
    "split_copy": lambda lib: list(lib.split_copy(lib.arange(5), 2)),
    "unfold_copy": lambda lib: lib.unfold_copy(lib.arange(5), 0, 2, 1),
    "signs of zero remainders": lambda lib: lib.signbit(
        lib.tensor([2.0, -2.0, 0.0, -0.0, 4.0])[:, None] % lib.tensor([2.0, -2.0])
    ),
    **{
        f"signs of zeros after {text}": lambda lib, text=text: _signs_of_zeros(lib, text)
        for text in (
            "x.index_add(0, ones * 0, x[:1])",
            "x.index_add(1, ones * 0, x[:, :1], alpha=2)",
            "x.index_put((ones * 0,), x[:1], accumulate=True)",
            "x.clone().clamp_(0.0, 1.0)",
            "x.index_put((ones, ones), x[0, :1], accumulate=True)",
            "x.clone().clamp_(max=-0.0)",
            "x.put(ones, x[0, 1:2], accumulate=True)",
            "x.clone().relu_()",
            "lib.nn.functional.max_pool1d(x, 2)",
            "lib.nn.functional.max_pool1d(x, 3, 1, 1)",
            "lib.nn.functional.max_pool2d(x[None], 2)",
            "x.half().index_add(0, ones * 0, x[:1].half())",
        )
    },
    "strides of a product of turned batches": lambda lib: list(
        lib.ones(5, 2, 3, 4).transpose(0, 1).matmul(lib.ones(5, 3, 4).mT).stride()
    ),
    **{
        f"memory of {text}": lambda lib, text=text: _memory(
            eval(text, {"lib": lib, "np": np, "a": np.arange(12.0).reshape(4, 3)})
        )
        for text in (
            "lib.from_numpy(a)",
            "lib.from_numpy(a[1:])",
            "lib.from_numpy(a[::2, 1:])",
            "lib.from_numpy(a.T)",
            "lib.from_numpy(a[1:, 1:].T)",
            "lib.as_tensor(a[2:])",
            "lib.asarray(a[1])",
            "lib.from_numpy(a[1:])[1:]",
            "lib.from_numpy(a[3, 2:])",
            "lib.from_numpy(a.reshape(-1))",
            "lib.from_numpy(a[1:1])",
        )
    },
    "version of a view of replaced data": lambda lib: _version_of_a_view(lib),
    "strides of a product in bfloat16": lambda lib: list(
        lib.ones(5, 2, 3, 4).bfloat16().transpose(0, 1).matmul(lib.ones(4, 6).bfloat16()).stride()
    ),
    "autocast of LSTM": _lstm,
    "autocast of a projecting LSTM": lambda lib: _lstm(lib, proj_size=2),
    "second derivative of a product": lambda lib: lib.autograd.functional.hessian(
        lambda y: lib.scatter_reduce(
            lib.tensor([2.0, 3.0]), 0, lib.tensor([0, 0, 1]), y, "prod"
        ).sum(),
        lib.tensor([4.0, 5.0, 6.0]),
    ),
    **{
        f"beta of zero in {name}": lambda lib, name=name, shapes=shapes: _beta(lib, name, *shapes)
        for name, shapes in {
            "addmm": [(2,), (2, 3), (3, 2)],
            "baddbmm": [(1, 2), (4, 2, 3), (4, 3, 2)],
            "addmv": [(2,), (2, 3), (3,)],
        }.items()
    },
    **{
        f"make_tensor of {name}": lambda lib, name=name: _seeded(
            lib,
            lambda: lib.testing.make_tensor((3, 4), dtype=getattr(lib, name), device="cpu"),
        )
        for name in ("float32", "float64", "int64", "uint8", "bool", "complex64")
    },
    "make_tensor apart": lambda lib: _seeded(
        lib,
        lambda: lib.testing.make_tensor(
            (2, 3), dtype=lib.float32, device="cpu", noncontiguous=True
        ),
    ),
    "a typed storage": lambda lib: lib.FloatStorage([1.0, 2.0]).tolist(),
    "a tensor of a storage": lambda lib: lib.empty(0).set_(lib.FloatStorage([1.0, 2.0]), 1, (1,)),
}

REFUSED = {
    "promotion": lambda lib: lib.promote_types(lib.uint16, lib.int32),
    "promotion with complex": lambda lib: lib.promote_types(lib.uint64, lib.complex64),
    "unique": lambda lib: lib.unique(lib.ones(2, requires_grad=True)).sum().backward(),
    "unique of slices": lambda lib: (
        lib.unique(lib.ones(2, requires_grad=True), dim=0).sum().backward()
    ),
    "unique_consecutive": lambda lib: (
        lib.unique_consecutive(lib.ones(2, requires_grad=True)).sum().backward()
    ),
    "geqrf": lambda lib: lib.geqrf(lib.eye(2, requires_grad=True))[0].sum().backward(),
    "bincount": lambda lib: (
        lib.bincount(lib.tensor([0, 1]), lib.ones(2, requires_grad=True)).sum().backward()
    ),
    "linspace": lambda lib: lib.linspace(0, 1e5, 3, dtype=lib.float16),
    "full": lambda lib: lib.full((2,), 1e39),
    "fill_": lambda lib: lib.zeros(2, dtype=lib.bfloat16).fill_(1e39),
    "masked_fill": lambda lib: lib.zeros(2).half().masked_fill(lib.tensor([True, False]), -1e9),
    "bilinear": lambda lib: lib.nn.functional.bilinear(
        lib.ones(2, 3), lib.ones(2, 4).double(), lib.ones(5, 3, 4), lib.ones(5)
    ),
    "ldl sizes": lambda lib: lib.linalg.ldl_factor(lib.ones(2, 3)),
    "ldl pivots": lambda lib: lib.linalg.ldl_solve(lib.eye(2), lib.ones(2), lib.ones(2, 1)),
    **{
        f"{name} of {one} and {other}": lambda lib, name=name, one=one, other=other: getattr(
            lib.nn.functional, name
        )(lib.ones(2, dtype=getattr(lib, one)), lib.ones(2, dtype=getattr(lib, other)))
        for name, one, other in (
            ("huber_loss", "bool", "float32"),
            ("huber_loss", "int64", "int64"),
            ("huber_loss", "int64", "bool"),
            ("huber_loss", "float32", "complex64"),
            ("huber_loss", "complex64", "float64"),
            ("smooth_l1_loss", "bool", "int64"),
            ("smooth_l1_loss", "int64", "int64"),
            ("smooth_l1_loss", "float64", "complex64"),
        )
    },
    "rot90 in one plane": lambda lib: lib.rot90(lib.ones(2, 2), 1, (0, 0)),
    "rot90 of a vector": lambda lib: lib.rot90(lib.ones(2)),
    "rot90 of samples that are vectors": lambda lib: lib.vmap(lib.rot90)(lib.ones(2, 2)),
    "rot90 of samples that are numbers": lambda lib: lib.vmap(lib.rot90)(lib.ones(2)),
    "edge of a view made without recording": lambda lib: lib.autograd.graph.get_gradient_edge(
        _unrecorded_view(lib)
    ),
    "pca rank": lambda lib: lib.pca_lowrank(lib.ones(3, 4), q=9),
    "make_tensor bounds": lambda lib: lib.testing.make_tensor(
        2, dtype=lib.float32, device="cpu", low=3, high=1
    ),
    "a storage's slice": lambda lib: lib.FloatStorage([1.0])[:1],
}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value.resolve_conj().numpy() if hasattr(value, "numpy") else value


@pytest.mark.parametrize("name", CASES)
def test_result_is_the_same(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("ignore", DeprecationWarning)  # of what PyTorch imports late
        theirs, ours = _plain(CASES[name](torch)), _plain(CASES[name](pellucid))
    if not isinstance(theirs, list):
        theirs, ours = [theirs], [ours]
    for expected, actual in zip(theirs, ours, strict=True):
        if isinstance(expected, np.ndarray):
            assert actual.dtype == expected.dtype
            np.testing.assert_allclose(actual, expected, 1e-5, 1e-6)
        else:
            assert actual == expected


@pytest.mark.parametrize("name", REFUSED)
def test_refusal_is_the_same(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        theirs, ours = (_raised(lib, REFUSED[name]) for lib in (torch, pellucid))
    assert isinstance(theirs, list)
    assert ours == theirs

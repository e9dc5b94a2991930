"""Every expression on inputs of half precision gives what PyTorch gives, but for rounding."""

from __future__ import annotations

import functools

import pytest

import pellucid
from tests.parity.half_side import SPACING, differences_in_half, in_half, real_inputs
from tests.parity.known_differences import ON_PURPOSE
from tests.samples.operands import operands
from tests.samples.reader import grouped, texts
from tests.samples.running import used

torch = pytest.importorskip("torch")

#: how many units in the last place of the largest element results may be apart: both sides round,
#: and PyTorch rounds between the steps of a composite
UNITS = 2

_EXACT_HERE = "PyTorch's gradient is the rounding error of numbers that cancel"
_STEPWISE = "PyTorch rounds after every step; ours is nearer to the result in double precision"

#: what differs for half precision knowingly, and why
HALF_ON_PURPOSE = {
    "torch.sinc(s)": _STEPWISE,
    "torch.sinc(a)": _STEPWISE,
    "torch.sinc(o)": _STEPWISE,
    **dict.fromkeys(
        ["torch.sinc(n32)", "torch.sinc(k)", "torch.sinc(u8)"],
        "at whole numbers ours is 0, PyTorch's the error of a rounded pi",
    ),
    "torch.logit(special)": "the sign of the infinite slope at -0",
    "torch.div(ties, ties)": _EXACT_HERE,
    "torch.true_divide(ties, ties)": _EXACT_HERE,
    "p / p": _EXACT_HERE,
    "torch.atan2(a, a * 0)": "PyTorch's square of a small number underflows to 0 / 0",
    "torch.prod(t)": "PyTorch divides a product that has underflowed",
    "F.nll_loss(img, torch.zeros(2, 6, 6, dtype=torch.int64))": _STEPWISE,
    "F.cross_entropy(a, p / p.sum(1, keepdim=True))": _STEPWISE,
    "F.cosine_similarity(a, b)": _STEPWISE,
    "F.batch_norm(a, None, None, training=True)": _EXACT_HERE,
    "torch.corrcoef(a)": _STEPWISE,
    "torch.matrix_exp(q)": "PyTorch's is NaN",
    "torch.vander(v)": "PyTorch changes in place what its backward needs",
    "a.scatter(1, i, b, reduce='multiply')": "ours has a derivative",
    "a.scatter(1, i, 2., reduce='add')": "ours has a derivative",
    "F.local_response_norm(img, 3)": "PyTorch has no kernel for half precision",
    "torch.polar(p, a)": "PyTorch has no kernel for half precision",
    "torch.polar(a, f)": "PyTorch has no kernel for half precision",
}


@functools.cache
def arrays() -> dict:
    return real_inputs()


@functools.cache
def cases() -> list[str]:
    """Return the expressions without complex numbers."""
    complex_names = {name for name, array in operands().items() if array.dtype.kind == "c"}
    return [
        each
        for each in texts("expressions")
        if each not in ON_PURPOSE
        and each not in HALF_ON_PURPOSE
        and "1j" not in each
        and not complex_names & set(used(each, operands()))
    ]


def faults(expression: str, dtype: str) -> list[str]:
    """Return in what an expression gives something else than in PyTorch."""
    ours, theirs = (in_half(lib, expression, dtype, arrays()) for lib in (pellucid, torch))
    return differences_in_half(ours, theirs, SPACING[dtype], UNITS)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("group", grouped(cases()), ids=lambda group: group[0])
def test_expressions_in_half_precision(group: list[str], dtype: str) -> None:
    assert {each: wrong for each in group if (wrong := faults(each, dtype))} == {}


@pytest.mark.parametrize("expression", HALF_ON_PURPOSE)
def test_what_differs_on_purpose_in_half_precision_does_differ(expression: str) -> None:
    found = []
    for dtype in ("float16", "bfloat16"):
        ours = in_half(pellucid, expression, dtype, arrays())
        theirs = in_half(torch, expression, dtype, arrays())
        found += differences_in_half(ours, theirs, SPACING[dtype], UNITS)
    assert found


DTYPES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128"


@pytest.mark.parametrize("other", DTYPES.split())
def test_bfloat16_meets_every_dtype_as_in_pytorch(other: str) -> None:
    def met(library) -> list[str]:
        first, second = library.bfloat16, getattr(library, other)
        return [
            str(library.promote_types(first, second)),
            str(library.can_cast(first, second)),
            str(library.can_cast(second, first)),
            *(
                str((library.ones(shape, dtype=first) + library.ones(rest, dtype=second)).dtype)
                for shape in ((2,), ())
                for rest in ((2,), ())
            ),
        ]

    assert met(pellucid) == met(torch)


@pytest.mark.parametrize("function", ["finfo", "dtype", "element"])
def test_bfloat16_is_described_as_in_pytorch(function: str) -> None:
    def described(library) -> object:
        if function == "finfo":
            return repr(library.finfo(library.bfloat16))
        dtype = library.bfloat16
        if function == "dtype":
            return dtype.is_floating_point, dtype.is_signed, dtype.itemsize, str(dtype.to_complex())
        x = library.tensor([1.1, -2.5, 1e30, float("nan")], dtype=dtype)
        return repr(x), repr(x.tolist()), x.type(), x.element_size()

    assert described(pellucid) == described(torch)


def test_files_with_bfloat16_go_both_ways(tmp_path) -> None:
    values = torch.arange(6, dtype=torch.bfloat16).reshape(2, 3) / 7
    torch.save({"x": values, "row": values[1], "dtype": torch.bfloat16}, tmp_path / "theirs.pt")
    loaded = pellucid.load(tmp_path / "theirs.pt")
    assert loaded["dtype"] is pellucid.bfloat16
    assert loaded["x"].tolist() == values.tolist()
    pellucid.save(loaded, tmp_path / "ours.pt")
    returned = torch.load(tmp_path / "ours.pt")
    assert torch.equal(returned["x"], values)
    assert torch.equal(returned["row"], values[1])
    assert returned["dtype"] is torch.bfloat16


OPTIMIZERS = [
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
    ("Adam", {"lr": 0.05, "amsgrad": True}),
    ("AdamW", {"lr": 0.05}),
    ("Adagrad", {"lr": 0.1}),
    ("Adadelta", {}),
    ("RMSprop", {"lr": 0.05}),
]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize(("name", "options"), OPTIMIZERS)
def test_optimizers_step_in_half_precision(name: str, options: dict, dtype: str) -> None:
    def stepped(library) -> tuple[list[float], dict[str, str]]:
        weight = library.tensor([1.0, -0.5, 0.25], dtype=getattr(library, dtype))
        optimizer = getattr(library.optim, name)([weight.requires_grad_()], **options)
        for _ in range(5):
            optimizer.zero_grad()
            (weight * weight).sum().backward()
            optimizer.step()
        state = optimizer.state[weight]
        kinds = {key: str(each.dtype) for key, each in state.items() if hasattr(each, "dtype")}
        return weight.tolist(), kinds

    (ours, our_state), (theirs, their_state) = stepped(pellucid), stepped(torch)
    assert our_state == their_state
    assert ours == pytest.approx(theirs, rel=4 * SPACING[dtype], abs=4 * SPACING[dtype])

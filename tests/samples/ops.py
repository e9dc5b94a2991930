"""Operands for testing every op: automatic ones for elementwise ops, a row for each of the others.

An op's row is a function of a `Draw` that lists samples.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid import dtypes
from pellucid.core.definition.op import Op
from pellucid.ops.aliasing.region import Geometry
from pellucid.ops.shape.diagonal import diagonal
from pellucid.ops.shape.views import basic_index
from tests.samples.grouped import folder_of, for_each


class Sample:
    """One call of an op: operands as arrays (``None`` and lists too), and parameters by name."""

    def __init__(self, *operands: Any, **params: Any) -> None:
        self.operands = operands
        self.params = params

    def __repr__(self) -> str:
        texts = [_text(each) for each in self.operands]
        texts += [f"{name}={_text(value)}" for name, value in self.params.items()]
        return f"({', '.join(texts)})"

    def with_operands(self, operands: tuple[Any, ...]) -> Sample:
        """Return the sample with other operands."""
        return Sample(*operands, **self.params)

    def converted(self, change: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]) -> Sample:
        """Return the sample with every array put through a function."""
        return self.with_operands(tuple(_changed(each, change) for each in self.operands))


def _changed(value: Any, change: Callable[..., Any]) -> Any:
    if isinstance(value, np.ndarray):
        return change(value)
    return [_changed(each, change) for each in value] if isinstance(value, list) else value


def _text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    return repr(value) if len(repr(value)) < 50 else type(value).__name__


class Draw:
    """A source of random arrays, always the same ones for the same name."""

    def __init__(self, name: str, low: float = -2.0, high: float = 2.0) -> None:
        self._random = np.random.default_rng([ord(letter) for letter in name])
        self.low = low
        self.high = high

    def __call__(self, *shape: int) -> np.ndarray[Any, Any]:
        """Return numbers from where the op is defined."""
        return self.within(self.low, self.high, *shape)

    def within(self, low: float, high: float, *shape: int) -> np.ndarray[Any, Any]:
        """Return numbers between two bounds."""
        return np.asarray(self._random.uniform(low, high, shape))

    def complex(self, *shape: int) -> np.ndarray[Any, Any]:
        """Return complex numbers."""
        return np.asarray(self(*shape) + 1j * self(*shape))

    def distinct(self, *shape: int) -> np.ndarray[Any, Any]:
        """Return numbers no two of which are near each other, so that an order has no ties."""
        count = int(np.prod(shape))
        return (self._random.permutation(count).reshape(shape) - count / 2 + 0.3) / 3

    def index(self, high: int, *shape: int) -> np.ndarray[Any, Any]:
        """Return whole numbers from 0 up to, not including, ``high``."""
        return np.asarray(self._random.integers(high, size=shape))

    def mask(self, *shape: int) -> np.ndarray[Any, Any]:
        """Return truth values."""
        return np.asarray(self._random.random(shape) < 0.5)


Row = Callable[[Draw], list[Sample]]
S = Sample

ONE_OPERAND = [((2, 3),), ((),), ((0, 3),)]
TWO_OPERANDS = [((2, 3), (2, 3)), ((2, 1), (3,)), ((), (2, 3)), ((0, 3), (3,)), ((), ())]
THREE_OPERANDS = [
    ((2, 3), (2, 3), (2, 3)),
    ((2, 3), (3,), ()),
    ((2, 1), (1, 3), (2, 3)),
    ((0, 3), (3,), ()),
]
SHAPES = {1: ONE_OPERAND, 2: TWO_OPERANDS, 3: THREE_OPERANDS}


def samples(op: Op) -> list[Sample]:
    """Return the samples of an op; none if it has neither a row nor a family that gives them."""
    low, high = op.domain if isinstance(op.domain, tuple) else (-2.0, 2.0)
    draw = Draw(op.name, low, high)
    row = ROWS.get(op.name)
    if row is not None:
        return row(draw)
    return automatic(op, draw)


def automatic(op: Op, draw: Draw) -> list[Sample]:
    """Return samples of an elementwise op: same shapes, broadcast, 0-d and empty ones."""
    if not (op.family.name == "elementwise" or op.promotes or _is_plain(op)) or op.variadic:
        return []
    if any(not param.has_default for param in op.params):
        return []
    return [
        Sample(*(draw(*shape) for shape in shapes)) for shapes in SHAPES.get(len(op.operands), [])
    ]


def arguments_in_order(op: Op, operands: Any, params: dict[str, Any]) -> tuple[Any, Any]:
    """Return the arguments by position, as the public function has them, and those by name."""
    if op.order is None:
        return operands, params
    given = dict(zip((each.name for each in op.operands), operands, strict=False)) | params
    return [given.pop(name) for name in op.order], given


def on_every_sample(cases: list[tuple[Op, Sample]]) -> Callable[[Callable[..., None]], Any]:
    """Return a decorator that makes a check of an op and a sample a test of each folder of ops."""
    members = [{"op": op, "sample": sample} for op, sample in cases]
    return for_each(members, lambda member: folder_of(member["op"]))


def pairs(draw: Draw) -> list[Sample]:
    """Return samples of two operands that broadcast."""
    return [Sample(draw(*first), draw(*second)) for first, second in TWO_OPERANDS]


def triples(draw: Draw) -> list[Sample]:
    """Return samples of three operands that broadcast."""
    return [Sample(*(draw(*shape) for shape in shapes)) for shapes in THREE_OPERANDS]


def _is_plain(op: Op) -> bool:
    """Return whether an op without derivative takes one tensor and nothing else."""
    return not op.family.recorded and len(op.operands) == 1 and not op.params


def image(draw: Draw) -> np.ndarray[Any, Any]:
    """Return a small batch of images whose elements are all different."""
    return draw.distinct(2, 2, 5, 4)


def positive(draw: Draw) -> list[Sample]:
    """Return samples of positive numbers."""
    return [S(draw.within(0.1, 3, *shape)) for (shape,) in ONE_OPERAND]


def two_integers(draw: Draw) -> list[Sample]:
    """Return samples of what combines the bits of integers."""
    return [
        S(draw.index(9, 2, 3), draw.index(4, 2, 3)),
        S(draw.index(9, 2, 1), draw.index(4, 3)),
        S(draw.index(9), draw.index(4, 0, 3)),
    ]


def reduced(draw: Draw) -> list[Sample]:
    """Return samples of what reduces some dimensions or all."""
    return [
        S(draw(2, 3, 2)),
        S(draw(2, 3, 2), dim=1),
        S(draw(2, 3, 2), dim=(0, -1), keepdim=True),
        S(draw()),
        S(draw(2, 0), dim=0),
    ]


def booleans(draw: Draw) -> list[Sample]:
    """Return samples of what asks whether elements are true."""
    return [S(draw.mask(2, 3)), S(draw.mask(2, 3), dim=1, keepdim=True), S(draw(2, 0))]


def extremes(draw: Draw) -> list[Sample]:
    """Return samples of a largest or smallest value, of some dimensions or all."""
    return [
        S(draw.distinct(2, 3)),
        S(draw.distinct(2, 3), dim=1, keepdim=True),
        S(draw.distinct(2, 3, 2), dim=(0, 2)),
        S(draw()),
    ]


def along(draw: Draw) -> list[Sample]:
    """Return samples of a value and its index along a dimension."""
    return [
        S(draw.distinct(2, 3), dim=1),
        S(draw.distinct(3, 2), dim=0, keepdim=True),
        S(draw(), dim=0),
    ]


def spread(draw: Draw) -> list[Sample]:
    """Return samples of variances."""
    return [
        S(draw(2, 3), dim=None, correction=1, keepdim=False),
        S(draw(2, 3), dim=(1,), correction=0, keepdim=True),
        S(draw(3, 2, 2), dim=(0, 2), correction=1.5, keepdim=False),
    ]


def reading(mode: str, padding_mode: str, align_corners: bool, ndim: int = 2) -> dict[str, Any]:
    """Return the parameters of a reading of images at the places of a grid."""
    return {
        "mode": mode, "padding_mode": padding_mode, "align_corners": align_corners,
        "orders": (0,) * ndim,
    }  # fmt: skip


def plan(
    mode: str, old: tuple[int, ...], new: tuple[int, ...], antialias: bool = False
) -> tuple[tuple[Any, ...], ...]:
    """Return how each axis of images is resized."""
    return tuple(
        (mode, before, after, None, False, antialias)
        for before, after in zip(old, new, strict=True)
    )


def geometries(draw: Draw) -> list[tuple[np.ndarray[Any, Any], Geometry]]:
    """Return bases with regions: apart, overlapping, of a transposed base, leaving the base."""
    base = draw(3, 4)
    return [
        (base, Geometry((3, 4), (4, 1), (2, 2), (4, 2), 1)),
        (base, Geometry((3, 4), (4, 1), (3, 3), (1, 1), 0)),
        (base, Geometry((3, 4), (1, 3), (3,), (4,), 0)),
        (base, Geometry((3, 4), (4, 1), (), (), 5)),
        (base, Geometry((3, 4), (4, 1), (2, 3), (4, 1), -1)),
        (base, Geometry((3, 4), (4, 1), (2, 3), (4, 1), 7)),
    ]


AVERAGING: list[dict[str, Any]] = [
    {"kernel_size": (2, 2), "stride": (2, 2), "padding": (0, 0), "ceil_mode": False,
     "count_include_pad": True, "divisor_override": None},
    {"kernel_size": (3, 2), "stride": (2, 1), "padding": (1, 1), "ceil_mode": True,
     "count_include_pad": False, "divisor_override": None},
    {"kernel_size": (2, 2), "stride": (1, 1), "padding": (1, 1), "ceil_mode": False,
     "count_include_pad": True, "divisor_override": 3},
]  # fmt: skip


def regular(draw: Draw, *shape: int) -> np.ndarray[Any, Any]:
    """Return square matrices far from singular, with eigenvalues far from each other."""
    return draw(*shape) * 0.3 + np.diag(np.arange(1.0, shape[-1] + 1))


def definite(draw: Draw, *shape: int) -> np.ndarray[Any, Any]:
    """Return symmetric positive-definite matrices."""
    made = draw(*shape) * 0.3
    return made @ made.swapaxes(-1, -2) + np.diag(np.arange(1.0, shape[-1] + 1))


def squares(draw: Draw) -> list[Sample]:
    """Return samples of regular square matrices: one, a batch, an empty one."""
    return [Sample(regular(draw, 3, 3)), Sample(regular(draw, 2, 2, 2)), Sample(draw(0, 2, 2))]


def degrees(draw: Draw) -> list[Sample]:
    """Return samples of polynomials: places and whole degrees."""
    return [Sample(draw(2, 3), draw.index(5, 3)), Sample(draw(), draw.index(4, 2))]


def rectangles(draw: Draw) -> list[Sample]:
    """Return samples of matrices, square, tall and wide."""
    return [Sample(regular(draw, 3, 3)), Sample(draw(2, 3, 2)), Sample(draw(2, 3))]


PATCHES = {"kernel": (2, 2), "dilation": (2, 1), "stride": (1, 2), "counts": (2, 2)}
GATHERING = (slice(None), np.array([[0, 2], [2, 1]]))
MASK = (np.array([[True, False, True], [False, True, False]]),)

#: samples of the ops whose operands are not just any arrays that broadcast
ROWS: dict[str, Row] = {
    # elementwise, with parameters or peculiar operands
    "add": lambda d: [*pairs(d), S(d(2, 3), d(3), alpha=2.5)],
    "sub": lambda d: [*pairs(d), S(d(2, 3), d(3), alpha=-0.5)],
    "div": lambda d: [
        S(d(2, 3), d.within(0.5, 2, 3)),
        S(d(), d.within(0.5, 2, 2, 1)),
        S(d(0, 3), d.within(0.5, 2, 3)),
        S(d(2, 3), d.within(0.5, 2, 2, 3), rounding_mode="floor"),
        S(d(2, 3), d.within(0.5, 2, 2, 3), rounding_mode="trunc"),
    ],
    "pow": lambda d: [
        S(d.within(0.2, 2, 2, 3), d(3)),
        S(d.within(0.2, 2), d(2, 3)),
        S(d.within(0.2, 2, 0, 3), d(3)),
    ],
    "unaffected": lambda d: [S(d(2, 3), d(3))],
    "addcmul": lambda d: [*triples(d), S(d(2, 3), d(2, 1), d(3), value=-2)],
    "addcdiv": lambda d: [
        S(d(2, 3), d(2, 1), d.within(0.5, 2, 3)),
        S(d(), d(3), d.within(0.5, 2, 2, 1), value=-2),
    ],
    "clamp": lambda d: [
        S(d(2, 3), d.within(-1, 0, 3), d.within(0.5, 1, 2, 1)),
        S(d(2, 3), d(3)),
        S(d(2, 3), None, d(2, 3)),
        S(d(), d(), d() + 3),
    ],
    "nan_to_num": lambda d: [S(d(2, 3)), S(d(2, 3), nan=1.0, posinf=2.0), S(d())],
    "round": lambda d: [S(d(2, 3)), S(d(2, 3), decimals=1), S(d(0, 2))],
    "logit": lambda d: [S(d(2, 3)), S(d.within(0, 1, 2, 3), eps=0.2), S(d())],
    "neg": lambda d: [S(d(2, 3)), S(d()), S(d(0, 3))],
    "sqrt": positive,
    "rsqrt": positive,
    "threshold": lambda d: [S(d(2, 3), threshold=0.1, value=0.5), S(d(), threshold=-3, value=1)],
    "polygamma_of": lambda d: [S(d(2, 3), n=1), S(d(), n=2)],
    "remainder": lambda d: [S(d(2, 3), d.within(0.5, 1, 3)), S(d(), -d.within(0.5, 1, 2))],
    "fmod": lambda d: [S(d(2, 3), d.within(0.5, 1, 3)), S(d(), -d.within(0.5, 1, 2))],
    "floor_divide": lambda d: [S(d(2, 3), d.within(0.5, 1, 3)), S(d(), -d.within(0.5, 1, 2))],
    "remainder_of_number": lambda d: [
        S(d(2, 3), d.within(0.5, 1, 3)),
        S(d(), -d.within(0.5, 1, 2)),
    ],
    "heaviside": lambda d: [*pairs(d), S(np.array([-1.0, 0.0, 2.0]), np.array(0.5))],
    "frexp": lambda d: [S(d(2, 3)), S(np.array([0.3, 1.5, -5.0])), S(d()), S(d(0, 2))],
    "ldexp": lambda d: [*pairs(d), S(d(2, 3), d.index(5, 3) - 2)],
    "nextafter": lambda d: [*pairs(d), S(d(3), d.within(-9, 9, 2, 3))],
    "gcd": two_integers,
    "lcm": two_integers,
    "isclose": lambda d: [S(d(2, 3), d(3)), S(d(2), d(2), rtol=0.5, atol=0.1)],
    "where": lambda d: [
        S(d.mask(2, 3), d(2, 3), d(3)),
        S(d.mask(2, 1), d(), d(3)),
        S(d.mask(0), d(0), d(1)),
    ],
    "masked_fill": lambda d: [S(d(2, 3), d.mask(3), d()), S(d(3), d.mask(2, 3), d())],
    "bitwise_and": two_integers,
    "bitwise_or": two_integers,
    "bitwise_xor": two_integers,
    "bitwise_left_shift": two_integers,
    "bitwise_right_shift": two_integers,
    "bitwise_not": lambda d: [S(d.index(9, 2, 3)), S(d.mask(3)), S(d.index(9))],
    "zero_gradient": lambda d: [S(d(2, 3)), S(d())],
    # copies
    "clone": lambda d: [S(d(2, 3)), S(d()), S(d(0, 2))],
    "copy": lambda d: [S(d(2, 3), d(3)), S(d(2), d())],
    "cast": lambda d: [S(d(2, 3), dtype=dtypes.float64), S(d(), dtype=dtypes.complex128)],
    # reductions
    "sum": reduced,
    "mean": lambda d: reduced(d)[:-1],
    "mse": lambda d: [
        S(d(2, 3), d(2, 3), reduction="mean"),
        S(d(2, 3), d(3), reduction="sum"),
        S(d(2, 1), d(3), reduction="none"),
    ],
    "huber": lambda d: [
        S(d(2, 3), d(3), delta=1.0, smooth=True, reduction="none"),
        S(d(2, 3), d(2, 3), delta=0.5, smooth=True, reduction="mean"),
        S(d(2, 1), d(3), delta=0.5, smooth=False, reduction="sum"),
        S(d(0), d(0), delta=0.5, smooth=False, reduction="none"),
    ],
    "huber_backward": lambda d: [S(d(2, 3), d(2, 3), d(3), delta=0.5, divisor=2.0)],
    "elu_backward": lambda d: [S(d(2, 3), d(2, 3), alpha=0.5, scale=2.0, input_scale=0.5)],
    "leaky_relu_backward": lambda d: [S(d(2, 3), d(2, 3), negative_slope=0.1)],
    "softplus_backward": lambda d: [S(d(2, 3), d(2, 3), beta=2.0, threshold=1.0)],
    "hardtanh_backward": lambda d: [S(d(2, 3), d(2, 3), min_val=-0.5, max_val=0.5)],
    "gelu_backward": lambda d: [
        S(d(2, 3), d(2, 3), approximate="none"),
        S(d(2, 3), d(2, 3), approximate="tanh"),
    ],
    "safe_softmax": lambda d: [S(d(2, 3), dim=0), S(d(2, 3), dim=-1), S(d(), dim=0)],
    "threshold_backward": lambda d: [S(d(2, 3), d(2, 3), threshold=0.1)],
    "hardshrink_backward": lambda d: [S(d(2, 3), d(2, 3), lambd=0.5)],
    "softshrink_backward": lambda d: [S(d(2, 3), d(2, 3), lambd=0.5)],
    "softmax_backward_data": lambda d: [
        S(d(2, 3), d(2, 3), dim=0),
        S(d(2, 3), d(2, 3), dim=-1),
        S(d(), d(), dim=0),
    ],
    "log_softmax_backward_data": lambda d: [
        S(d(2, 3), d(2, 3), dim=0),
        S(d(2, 3), d(2, 3), dim=-1),
        S(d(), d(), dim=0),
    ],
    "pad_with_own": lambda d: [
        S(d(2, 3, 4), pad=(1, 2), mode="reflect"),
        S(d(1, 2, 3, 4), pad=(-1, 2, 1, 0), mode="replicate"),
        S(d(1, 3, 2), pad=(2, 1), mode="circular"),
    ],
    "pad_with_own_backward": lambda d: [
        S(d(2, 3, 6), pad=(1, 1), mode="reflect", sizes=(4,)),
        S(d(1, 2, 3, 4), pad=(1, 0, 1, 1), mode="circular", sizes=(1, 3)),
    ],
    "nansum": reduced,
    "reduce_segments": lambda d: [
        S(values, np.array(segments), count=3, reduce=how, initial=start)
        for how in ("sum", "prod", "max", "min")
        for values, segments, start in (
            (d.distinct(5, 2), [0, 0, 1, 2, 2], None),
            (d.distinct(5), [0, 0, 2, 2, 2], 0.5),  # one is empty
        )
    ],
    "prod": lambda d: [
        S(d(2, 3, 2), dim=1),
        S(d(2, 3), dim=0, keepdim=True),
        S(d(2, 3)),
        S(d()),
        S(d(2, 0), dim=0),
        S(np.array([[2.0, 0.0, 3.0], [0.0, 0.0, 1.0]]), dim=1),
    ],
    "all": booleans,
    "any": booleans,
    "count_nonzero": lambda d: [S(d.mask(2, 3)), S(d.mask(2, 3), dim=1)],
    "hash_tensor": lambda d: [S(d(2, 3)), S(d(2, 3), dim=1, keepdim=True)],
    "logsumexp": lambda d: [S(d(2, 3), dim=1), S(d(2, 3), dim=(0, 1), keepdim=True)],
    "amax": extremes,
    "amin": extremes,
    "argmax": lambda d: [S(d.distinct(2, 3)), S(d.distinct(2, 3), dim=0, keepdim=True)],
    "argmin": lambda d: [S(d.distinct(2, 3)), S(d.distinct(2, 3), dim=0, keepdim=True)],
    "max_all": lambda d: [S(d.distinct(2, 3)), S(d())],
    "min_all": lambda d: [S(d.distinct(2, 3)), S(d())],
    "max_dim": along,
    "min_dim": along,
    "median_dim": along,
    "nanmedian_dim": along,
    "median_all": lambda d: [S(d.distinct(2, 3)), S(d())],
    "nanmedian_all": lambda d: [S(d.distinct(2, 3)), S(d())],
    "mode": along,
    "var_correction": spread,
    "var_mean_correction": spread,
    "std_mean_correction": spread,
    "std_correction": spread,
    "vector_norm": lambda d: [
        S(d(2, 3)),
        S(d(2, 3), ord=1),
        S(d(2, 3), ord=3, dim=1),
        S(d.distinct(2, 3), ord=np.inf, dim=0, keepdim=True),
        S(d.distinct(2, 3), ord=-np.inf),
        S(d.within(0.5, 2, 2, 3), ord=0.5, dim=(0, 1)),
    ],
    # scans and orders
    "cumsum": lambda d: [S(d(2, 3), dim=1), S(d(), dim=0), S(d(2, 0), dim=1)],
    "cumprod": lambda d: [
        S(d(2, 3), dim=1),
        S(np.array([[2.0, 0.0, 3.0], [0.0, 0.0, 1.0]]), dim=1),
        S(d(), dim=0),
    ],
    "cummax": lambda d: [S(d.distinct(2, 4), dim=1), S(d.distinct(3, 2), dim=0)],
    "cummin": lambda d: [S(d.distinct(2, 4), dim=1), S(d.distinct(3, 2), dim=0)],
    "weighted_from_end": lambda d: [
        S(d(2, 4), d(2, 4), d(2, 4), dim=1),
        S(d(3), d(3), d(3), dim=0),
    ],
    "weighted_from_start": lambda d: [S(d(2, 4), d(2, 4), d(2, 4), dim=1)],
    "logcumsumexp": lambda d: [S(d(2, 4), dim=1), S(d(3), dim=0)],
    "sort": lambda d: [S(d.distinct(2, 4)), S(d.distinct(2, 4), dim=0, descending=True)],
    "argsort": lambda d: [S(d.distinct(2, 4)), S(d.distinct(2, 4), dim=0, descending=True)],
    "topk": lambda d: [S(d.distinct(2, 4), k=2), S(d.distinct(3, 2), k=1, dim=0, largest=False)],
    "kthvalue": lambda d: [S(d.distinct(2, 4), k=2), S(d.distinct(3, 2), k=3, dim=0, keepdim=True)],
    "unique2": lambda d: [S(d.index(4, 2, 3), inverse=True, counts=True)],
    "unique_dim": lambda d: [S(d.index(4, 2, 3), dim=0, inverse=True, counts=True)],
    "unique_consecutive_values": lambda d: [S(d.index(2, 7), dim=None)],
    "search_rows": lambda d: [S(np.sort(d(5)), d(2, 3), right=True, out_int32=False)],
    "bincount": lambda d: [S(d.index(4, 6)), S(d.index(4, 6), d(6), minlength=6)],
    "binned": lambda d: [
        S(d(9, 1), edges=(np.linspace(-1, 1, 5),)),
        S(d(2, 4, 2), d(2, 4), edges=(np.linspace(-2, 2, 3), np.array([-1.0, 0.0, 1.5]))),
        S(d(9, 1), d.within(0.5, 1, 9), edges=(np.linspace(-2, 2, 4),), density=True),
    ],
    "isin_values": lambda d: [
        S(d.index(9, 2, 3), d.index(9, 4), assume_unique=False, invert=False),
        S(d(2, 3), d(4), assume_unique=False, invert=True),
    ],
    "nonzero_static": lambda d: [S(d.mask(2, 3), size=2), S(d.mask(3), size=5, fill_value=7)],
    "histc": lambda d: [S(d(9), bins=4), S(d(9), bins=3, min=-1, max=1)],
    # normalisation
    "softmax": lambda d: [S(d(2, 3), dim=1), S(d(2, 3, 2), dim=-2), S(d(), dim=0)],
    "log_softmax": lambda d: [S(d(2, 3), dim=1), S(d(2, 3, 2), dim=-2), S(d(), dim=0)],
    "batch_norm_training": lambda d: [
        S(d(4, 2), d(2), d(2)),
        S(d(2, 2, 3), eps=1e-2),
        S(d(2, 3, 2, 2), d(3), d(3)),
    ],
    "batch_norm_inference": lambda d: [
        S(d(4, 2), d(2), d.within(0.5, 2, 2), d(2), d(2)),
        S(d(2, 2, 3), d(2), d.within(0.5, 2, 2), eps=1e-2),
    ],
    "normalization_backward": lambda d: [
        S(d(2, 3), d(2, 3), d(2, 1), d(2, 1), d(3), dims=(1,)),
        S(d(3, 2, 2), d(3, 2, 2), d(1, 2, 1), d(1, 2, 1), dims=(0, 2)),
    ],
    "normalization_weight_backward": lambda d: [
        S(d(2, 3), d(2, 3), d(2, 1), d(2, 1), dims=(0,)),
        S(d(3, 2, 2), d(3, 2, 2), d(1, 2, 1), d(1, 2, 1), dims=(0, 2)),
    ],
    "native_layer_norm": lambda d: [
        S(d(2, 3), d(3), d(3)),
        S(d(2, 3, 2), d(3, 2), d(3, 2), ndim=2),
        S(d(2, 4), eps=1e-2),
    ],
    # classes and tables
    "nll_loss_forward": lambda d: [
        S(d(4, 3), d.index(3, 4)),
        S(d(4, 3), d.index(3, 4), d.within(0.5, 2, 3), reduction="sum", ignore_index=1),
        S(d(2, 3, 2), d.index(3, 2, 2), d.within(0.5, 2, 3), reduction="none"),
        S(d(3), d.index(3)),
    ],
    "nll_loss_backward": lambda d: [
        S(d(), d.index(3, 4), shape=(4, 3)),
        S(d(2, 2), d.index(3, 2, 2), d.within(0.5, 2, 3), shape=(2, 3, 2), reduction="none"),
    ],
    "cross_entropy_loss": lambda d: [
        S(d(4, 3), d.index(3, 4), reduction="mean"),
        S(d(4, 3), d.index(3, 4), reduction="sum"),
        S(d(4, 3), d.index(3, 4), reduction="none"),
    ],
    "cross_entropy_loss_backward": lambda d: [S(d(4, 3), d.index(3, 4))],
    "kept_operand": lambda d: [S(d(2, 3), d(2, 3), name="KeptBackward0")],
    "kept_operand_of_shape": lambda d: [S(d(2, 3), d(4), name="KeptBackward0", shape=(4,))],
    "relu_backward": lambda d: [S(d(2, 3), d(2, 3)), S(d(), d())],
    "flash_attention": lambda d: [
        S(d(2, 3, 4), d(2, 5, 4), d(2, 5, 2), scale=0.5, is_causal=False),
        S(d(2, 4, 3), d(2, 5, 3), d(2, 5, 2), scale=0.7, is_causal=True),
    ],
    "lstm": lambda d: [
        S(d(3, 2, 12), d(2, 3), d(2, 3), d(12, 3)),
        S(d(1, 2, 12), d(2, 3), d(2, 3), d(12, 3)),
        S(d(2, 2, 12), d(2, 3), d(2, 3), d(12, 3), reverse=True),
    ],
    "fused_lstm_cell": lambda d: [S(d(2, 12), d(2, 3))],
    "lstm_cell_backward": lambda d: [S(d(2, 12), d(2, 3), d(2, 3), d(2, 3), d(2, 3))],
    "lstm_cell_backward_cell": lambda d: [S(d(2, 12), d(2, 3), d(2, 3), d(2, 3))],
    "gru_cell_backward": lambda d: [S(d(2, 9), d(2, 9), d(2, 3), d(2, 3))],
    "gru": lambda d: [
        S(d(3, 2, 9), d(2, 3), d(9, 3), d(9)),
        S(d(1, 2, 9), d(2, 3), d(9, 3), d(9)),
        S(d(2, 2, 9), d(2, 3), d(9, 3), d(9), reverse=True),
    ],
    "fused_gru_cell": lambda d: [S(d(2, 9), d(2, 9), d(2, 3))],
    "glu_kernel": lambda d: [S(d(3, 4), dim=-1), S(d(4, 3), dim=0)],
    "pixel_shuffle": lambda d: [S(d(2, 8, 2, 3), upscale_factor=2)],
    "pixel_unshuffle": lambda d: [S(d(2, 2, 4, 6), downscale_factor=2)],
    "im2col": lambda d: [S(d(*lead, 2, 4, 5), **PATCHES) for lead in ((), (2,))],
    "col2im": lambda d: [S(d(*lead, 8, 4), shape=(2, 4, 5), **PATCHES) for lead in ((), (2,))],
    "embedding_lookup": lambda d: [S(d(5, 2), d.index(5, 3)), S(d(5, 2), d.index(5, 2, 4))],
    "embedding_backward": lambda d: [
        S(d(3, 2), d.index(5, 3), count=5),
        S(d(2, 4, 2), d.index(5, 2, 4), count=5, padding_idx=1, scale_grad_by_freq=True),
    ],
    "scaled_lookup": lambda d: [
        S(d(5, 2), d.index(5, 2, 4), padding_idx=1, scale_grad_by_freq=True),
    ],
    "one_hot_rows": lambda d: [S(d.index(3, 2, 2), num_classes=4)],
    "contract": lambda d: [
        S(d(2, 3), d(3, 4), left=(0, 1), right=(1, 2), kept=(0, 2)),
        S(d(2, 3, 4), d(4, 5, 2), left="bik", right="kjb", kept="jbi"),
        S(d(2), d(3), left="i", right="j", kept="ji"),
    ],
    "trace": lambda d: [S(d(3, 3)), S(d(2, 4))],
    # linear algebra
    "cholesky_factors": lambda d: [
        S(definite(d, 3, 3), upper=False, function="linalg.cholesky", check_errors=True),
        S(definite(d, 2, 2, 2), upper=True, function="linalg.cholesky", check_errors=True),
    ],
    "linalg_qr": lambda d: [
        S(regular(d, 3, 3)),
        S(d(2, 3, 2)),
        S(d(2, 3)),
        S(d(2, 3), mode="complete"),
    ],
    "linalg_eigh": lambda d: [S(definite(d, 3, 3)), S(definite(d, 2, 2, 2), UPLO="U")],
    "hermitian_eigenvalues": lambda d: [S(definite(d, 3, 3)), S(definite(d, 2, 2, 2), UPLO="U")],
    # random weights on eigenvectors depend on their phase, which is refused
    "linalg_eig": lambda d: [S(d(0, 2, 2))],
    "general_eigenvalues": squares,
    "linalg_svd": lambda d: [*rectangles(d), S(d(2, 3), full_matrices=False)],
    "singular_values": rectangles,
    "inverses": squares,
    "solutions": lambda d: [
        S(regular(d, 3, 3), d(3)),
        S(regular(d, 2, 2, 2), d(2, 3)),
        S(regular(d, 2, 3, 3), d(2, 3)),
        S(regular(d, 3, 3), d(2, 3), left=False),
        S(d(0, 2, 2), d(2, 3)),
    ],
    "linalg_solve_triangular": lambda d: [
        S(regular(d, 3, 3), d(3, 2), upper=True),
        S(regular(d, 2, 3, 3), d(2, 3), upper=False, left=False),
        S(d(2, 2), d(3, 2, 1), upper=False, unitriangular=True),
    ],
    "lu_factors": rectangles,
    "row_exchanges": lambda d: [S(np.array([2, 3, 3], np.int32), d(3, 3), rows=3)],
    "linalg_det": squares,
    "cofactors": squares,
    "linalg_slogdet": squares,
    "linalg_matrix_exp": squares,
    "pseudoinverse": lambda d: [
        S(each, atol=0.0, rtol=1e-9, hermitian=False)
        for each in (regular(d, 3, 3), d(2, 3, 2), d(2, 3))
    ],
    "count_above": lambda d: [S(d(2, 3), least=0.1, relative=0.5)],
    "geqrf": rectangles,
    "ldl_factors": squares,
    "linalg_ldl_solve": lambda d: [S(d(3, 3), np.array([1, 2, 3], np.int32), d(3, 2))],
    # Fourier transforms
    "fft_c2c": lambda d: [
        S(d.complex(2, 3), dims=(1,), normalization=0, forward=True),
        S(d.complex(2, 3), dims=(1, 0), normalization=1, forward=False),
    ],
    "fft_r2c": lambda d: [
        S(d(2, 4), dims=(1,), normalization=0, onesided=True, forward=True),
        S(d(3, 2), dims=(1, 0), normalization=1, onesided=True, forward=False),
        S(d(5), dims=(0,), normalization=2, onesided=True, forward=True),
        S(d(2, 3), dims=(0, 1), normalization=0, onesided=False, forward=True),
    ],
    "fft_c2r": lambda d: [
        S(d.complex(2, 3), dims=(1,), normalization=0, size=4, forward=False),
        S(d.complex(2, 3), dims=(0, 1), normalization=1, size=5, forward=True),
        S(d.complex(1), dims=(0,), normalization=1, size=1, forward=True),
    ],
    "scale_repeated": lambda d: [
        S(d.complex(2, 3), dim=1, size=4, factor=2.0),
        S(d.complex(2, 3), dim=1, size=5, factor=0.5),
    ],
    # special functions of which one argument has no derivative
    "igamma": lambda d: [S(d.index(3, 2, 1) + 1, d.within(0.5, 3, 3))],
    "igammac": lambda d: [S(d.index(3, 2, 1) + 1, d.within(0.5, 3, 3))],
    "zeta": lambda d: [S(d.index(3, 2, 1) + 2, d.within(0.5, 3, 3))],
    "chebyshev_polynomial_t": degrees,
    "chebyshev_polynomial_u": degrees,
    "legendre_polynomial_p": degrees,
    "hermite_polynomial_h": degrees,
    "hermite_polynomial_he": degrees,
    "gegenbauer": lambda d: [S(d(2, 3), d.index(4, 3), alpha=1.5)],
    "laguerre": lambda d: [S(d(2, 3), d.index(4, 3), alpha=1.0)],
    # complex numbers
    "complex": lambda d: [S(d(2, 3), d(3)), S(d(), d())],
    "real_part": lambda d: [S(d.complex(2, 3)), S(d.complex())],
    "imaginary_part": lambda d: [S(d.complex(2, 3)), S(d.complex())],
    "conjugate": lambda d: [S(d.complex(2, 3))],
    "conj_physical": lambda d: [S(d.complex(2, 3)), S(d(3))],
    "view_as_real": lambda d: [S(d.complex(2, 3)), S(d.complex())],
    "view_as_complex": lambda d: [S(d(2, 3, 2)), S(d(2))],
    # matrix products
    "linear": lambda d: [
        S(d(2, 3), d(4, 3), d(4)),
        S(d(2, 3), d(4, 3)),
        S(d(3), d(4, 3), d(4)),
        S(d(2, 5, 3), d(4, 3), d(4)),
        S(d(0, 3), d(4, 3), d(4)),
        S(d(2, 3), d(3)),
    ],
    "matmul": lambda d: [
        S(d(2, 3), d(3, 4)),
        S(d(3), d(3)),
        S(d(2, 3), d(3)),
        S(d(3), d(3, 4)),
        S(d(2, 4, 3), d(2, 3, 2)),
        S(d(2, 1, 4, 3), d(5, 3, 2)),
        S(d(3), d(2, 3, 4)),
        S(d(2, 4, 3), d(3)),
        S(d(0, 3), d(3, 4)),
    ],
    # joining, arranging
    "cat": lambda d: [S([d(2, 3), d(1, 3)]), S([d(2, 1), d(2, 2), d(2, 0)], dim=-1)],
    "stack": lambda d: [S([d(2, 3), d(2, 3)], dim=1), S([d()]), S([d(2), d(2)], dim=-1)],
    "diagonal": lambda d: [S(d(3, 4)), S(d(2, 3, 3), offset=-1, dim1=2, dim2=1)],
    "diagonal_backward": lambda d: [S(d(2, 2), shape=(2, 3, 3), offset=-1, dim1=2, dim2=1)],
    "turned": lambda d: [S(d(2, 3), k=1, dims=(0, 1)), S(d(2, 2, 3), k=-2, dims=(1, 2))],
    "taken": lambda d: [S(d(2, 3), index=np.array([0, 5])), S(d(3), index=np.array([[0, -1]]))],
    "shifted": lambda d: [S(d(2, 3), number=0.5)],
    "raised": lambda d: [S(d.within(0.5, 2, 2, 3), least=0.1)],
    "norm_of_difference": lambda d: [S(d(2, 3), d(3), p=2), S(d(2), d(2), p=1.5)],
    "sum_with_product": lambda d: [
        S(d(2, 4), d(2, 3), d(3, 4), beta=1, alpha=1),
        S(d(4), d(2, 3), d(3, 4), beta=0.5, alpha=2),
        S(d(2), d(2, 3), d(3), beta=1, alpha=2),
        S(d(2, 2, 4), d(2, 2, 3), d(2, 3, 4), beta=2, alpha=1),
    ],
    "sum_with_products": lambda d: [
        S(d(2, 4), d(2, 2, 3), d(2, 3, 4), beta=1, alpha=1, length=2),
        S(d(4), d(2, 2, 3), d(2, 3, 4), beta=0.5, alpha=2, length=2),
    ],
    "sum_with_outer": lambda d: [
        S(d(2, 4), d(2), d(4), beta=1, alpha=1),
        S(d(2, 1), d(2), d(4), beta=0.5, alpha=2),
    ],
    "distances_of_rows": lambda d: [S(d(2, 3), d(4, 3), p=2.0), S(d(2, 2, 3), d(1, 3), p=1.5)],
    "renormed": lambda d: [
        S(d(2, 3), p=2, dim=0, maxnorm=0.5),
        S(d(2, 3, 2), p=1.5, dim=-1, maxnorm=2.0),
        S(d(2, 3), p=2, dim=1, maxnorm=100.0),
    ],
    "weight_norm_interface": lambda d: [
        S(d(2, 3), d(2, 1), dim=0),
        S(d(2, 3, 2), d(1, 1, 2), dim=2),
    ],
    "binary_cross_entropy_loss": lambda d: [
        S(d.within(0.1, 0.9, 2, 3), d.within(0.1, 0.9, 2, 3), reduction=each)
        for each in ("mean", "sum", "none")
    ],
    "logits_cross_entropy_loss": lambda d: [
        S(d(2, 3), d(2, 3), reduction=each) for each in ("mean", "sum", "none")
    ],
    "flip_dims": lambda d: [S(d(2, 3), dims=(1,)), S(d(2, 3), dims=(0, 1))],
    "roll": lambda d: [S(d(2, 3), shifts=1), S(d(2, 3), shifts=(1, -1), dims=(0, 1))],
    "repeat_tiles": lambda d: [S(d(2, 3), repeats=(2, 1)), S(d(3), repeats=(2, 2))],
    "tril": lambda d: [S(d(3, 3)), S(d(2, 3, 4), diagonal=1)],
    "triu": lambda d: [S(d(3, 3)), S(d(2, 3, 4), diagonal=-1)],
    "pad_constant": lambda d: [S(d(2, 3), pad=(1, 2)), S(d(2, 3), pad=(-1, 1, 0, 2), value=3.0)],
    # gathering and scattering along a dimension
    "gather": lambda d: [S(d(2, 3), d.index(3, 2, 4), dim=1), S(d(), d.index(1), dim=0)],
    "index_select": lambda d: [S(d(2, 3), d.index(3, 4), dim=1)],
    "scatter_add": lambda d: [S(d(2, 3), d.index(3, 2, 4), d(2, 4), dim=1)],
    "gather_backward": lambda d: [S(d(2, 4), d.index(3, 2, 4), shape=(2, 3), dim=1)],
    "index_add": lambda d: [
        S(d(2, 3), d.index(3, 4), d(2, 4), dim=1),
        S(d(2, 3), d.index(2, 3), d(3, 3), dim=0, alpha=2),
    ],
    "index_select_backward": lambda d: [S(d(2, 4), d.index(3, 4), shape=(2, 3), dim=1)],
    "scatter_value": lambda d: [S(d(2, 3), d.index(3, 2, 2), dim=1, value=2.0)],
    "index_fill_scalar": lambda d: [S(d(2, 3), d.index(3, 2), dim=1, value=2.0)],
    "scatter_src": lambda d: [S(d(2, 3), np.array([[0, 2], [2, 1]]), d(2, 2), dim=1)],
    "index_copy": lambda d: [S(d(2, 3), np.array([2, 0]), d(2, 2), dim=1)],
    "scatter_reduce": lambda d: [
        S(
            d.distinct(2, 3),
            d.index(3, 2, 4),
            d.distinct(2, 4) + 0.1,
            dim=1,
            reduce=how,
            include_self=own,
        )
        for how in ("sum", "prod", "mean", "amax", "amin")
        for own in (True, False)
    ],
    # convolution and pooling
    "convolution": lambda d: [
        S(d(2, 2, 5), d(3, 2, 3), d(3), stride=(2,), padding=(1,), dilation=(1,)),
        S(d(1, 2, 5, 4), d(2, 2, 3, 2), stride=(1, 2), padding=(0, 1), dilation=(2, 1)),
        S(
            d(1, 4, 3, 3),
            d(2, 2, 2, 2),
            d(2),
            stride=(1, 1),
            padding=(0, 0),
            dilation=(1, 1),
            groups=2,
        ),
    ],
    "transposed_convolution": lambda d: [
        S(d(2, 3, 3), d(3, 2, 3), d(2), size=(6,), stride=(2,), padding=(1,), dilation=(1,)),
        S(
            d(1, 4, 2, 2),
            d(4, 1, 2, 2),
            size=(3, 3),
            stride=(1, 1),
            padding=(0, 0),
            dilation=(1, 1),
            groups=2,
        ),
    ],
    "filter_correlation": lambda d: [
        S(
            d(2, 3, 3),
            d(2, 2, 5),
            shape=(3, 2, 3),
            stride=(2,),
            padding=(1,),
            dilation=(1,),
            groups=1,
        ),
    ],
    "max_pool": lambda d: [
        S(
            image(d),
            kernel_size=(2, 2),
            stride=(2, 2),
            padding=(0, 0),
            dilation=(1, 1),
            ceil_mode=False,
        ),
        S(
            image(d),
            kernel_size=(3, 2),
            stride=(1, 2),
            padding=(1, 0),
            dilation=(1, 2),
            ceil_mode=True,
        ),
    ],
    "avg_pool": lambda d: [S(d(1, 2, 5, 4), **options) for options in AVERAGING],
    "avg_pool_backward": lambda d: [
        S(d(1, 2, 2, 2), shape=(1, 2, 5, 4), **AVERAGING[0]),
    ],
    "adaptive_avg_pool": lambda d: [S(d(1, 2, 5, 4), output_size=(2, 3))],
    "adaptive_avg_pool_backward": lambda d: [
        S(d(1, 2, 2, 3), shape=(1, 2, 5, 4), output_size=(2, 3)),
    ],
    "adaptive_max_pool": lambda d: [S(image(d), output_size=(2, 3))],
    "gather_spatial": lambda d: [S(image(d), d.index(20, 2, 2, 2, 3), ndim=2)],
    "scatter_spatial": lambda d: [
        S(d(2, 2, 2, 3), d.index(20, 2, 2, 2, 3), shape=(2, 2, 5, 4), ndim=2),
    ],
    "write_spatial": lambda d: [  # no place twice in an image: the gradient of those is PyTorch's
        S(d(2, 2, 2, 3), np.arange(24).reshape(2, 2, 2, 3) % 20, shape=(2, 2, 5, 4), ndim=2),
    ],
    "fractional_max_pool": lambda d: [
        S(image(d), d.within(0, 1, 2, 2, 2), kernel_size=(2, 3), output_size=(3, 2)),
    ],
    "rows_cross_entropy": lambda d: [
        S(d(5, 3), d(4, 3), d.index(4, 5), d(4), rows=2),
        S(d(3, 2), d(4, 2), d.index(4, 3), rows=3),
    ],
    # images read between their pixels
    "grid_sampler": lambda d: [
        S(d(2, 2, 4, 3), d(2, 3, 2, 2), **reading("bilinear", "zeros", False)),
        S(d(1, 2, 4, 3), d(1, 3, 2, 2), **reading("bicubic", "border", True)),
        S(d(1, 1, 2, 3, 2), d(1, 2, 1, 2, 3), **reading("bilinear", "reflection", False, 3)),
        S(d(1, 2, 4, 3), d(1, 3, 2, 2), **reading("nearest", "reflection", True)),
    ],
    "grid_sampler_backward": lambda d: [
        S(d(2, 2, 3, 2), d(2, 3, 2, 2), size=(4, 3), **reading("bilinear", "zeros", False)),
        S(d(1, 2, 3, 2), d(1, 3, 2, 2), size=(4, 3), **reading("bicubic", "zeros", True)),
    ],
    "affine_grid_generator": lambda d: [
        S(d(2, 2, 3), size=(2, 1, 3, 2), align_corners=True),
        S(d(1, 3, 4), size=(1, 1, 2, 1, 3), align_corners=False),
    ],
    "affine_grid_generator_backward": lambda d: [
        S(d(2, 3, 2, 2), size=(2, 1, 3, 2), align_corners=False)
    ],
    "interpolated": lambda d: [
        S(d(2, 1, 4, 3), plan=plan("bilinear", (4, 3), (6, 2))),
        S(d(1, 2, 5, 4), plan=plan("bicubic", (5, 4), (2, 7), antialias=True)),
        S(d(1, 2, 3), plan=plan("nearest", (3,), (7,))),
    ],
    "upsample_backward": lambda d: [S(d(2, 1, 6, 2), plan=plan("bilinear", (4, 3), (6, 2)))],
    # views and their transposes
    "view": lambda d: [S(d(2, 3), size=(3, 2)), S(d(), size=(1, 1)), S(d(2, 3), size=(-1,))],
    "view_dtype": lambda d: [S(d(2, 3), dtype=dtypes.int64)],
    "unsafe_view": lambda d: [S(d(3, 2).T, size=(6,)), S(d(0, 2), size=(2, 0))],
    "expand": lambda d: [S(d(2, 1), size=(4, -1, 3)), S(d(), size=(2, 2)), S(d(1), size=(0,))],
    "transpose": lambda d: [S(d(2, 3, 4), dim0=0, dim1=-1), S(d(), dim0=0, dim1=-1)],
    "t": lambda d: [S(d(2, 3)), S(d(3)), S(d())],
    "permute": lambda d: [S(d(2, 3, 4), dims=(2, 0, -2)), S(d(), dims=())],
    "squeeze": lambda d: [S(d(1, 2, 1)), S(d(1, 2, 1), dim=-1), S(d(1, 2), dim=(0, 1))],
    "unsqueeze": lambda d: [S(d(2, 3), dim=1), S(d(), dim=-1)],
    "select": lambda d: [S(d(2, 3), dim=1, index=-1), S(d(3), dim=0, index=0)],
    "basic_index": lambda d: [
        S(d(3, 4), index=(slice(1, None), slice(None, None, 2))),
        S(d(3, 4), index=(None, Ellipsis, 1)),
    ],
    "indexed_position": lambda d: [S(d(3, 4), index=(slice(None), 1)), S(d(3), index=(2,))],
    "unbind": lambda d: [S(d(3, 2)), S(d(3, 2), dim=1)],
    "split_at": lambda d: [S(d(5, 2), borders=(0, 2, 5), dim=0)],
    "unsafe_split_at": lambda d: [S(d(5, 2), borders=(0, 2, 5), dim=0)],
    "unfold": lambda d: [
        S(d(7), dimension=0, size=3, step=2),
        S(d(2, 5), dimension=1, size=2, step=1),
    ],
    "unfold_backward": lambda d: [S(d(3, 3), shape=(7,), dimension=0, size=3, step=2)],
    "slices_backward": lambda d: [
        S([d(2), d(1)], indices=[slice(0, 2), slice(3, 4)], shape=(4,)),
        S([d(2)], indices=[(slice(None), 1)], shape=(2, 2)),
    ],
    "region": lambda d: [S(base, geometry=geometry) for base, geometry in geometries(d)],
    "region_backward": lambda d: [S(d(*g.shape), geometry=g) for _, g in geometries(d)],
    "replace_region": lambda d: [
        S(base, d(*g.shape), geometry=g) for base, g in geometries(d) if not g.overlaps
    ],
    "clear_region": lambda d: [S(base, geometry=geometry) for base, geometry in geometries(d)],
    # gathering and scattering
    "gather_index": lambda d: [S(d(2, 3), index=GATHERING), S(d(2, 3), index=MASK)],
    "index_backward": lambda d: [
        S(d(2, 2, 2), shape=(2, 3), index=GATHERING),
        S(d(3), shape=(2, 3), index=MASK),
    ],
    "put_index": lambda d: [
        S(d(2, 3), d(2, 2, 2), index=GATHERING, accumulate=True),
        S(d(2, 3), d(3), index=MASK),
        S(d(2, 3), d(2, 1), index=(slice(None), np.array([2, 0]))),
    ],
    "clear_index": lambda d: [S(d(2, 3), index=GATHERING), S(d(2, 3), index=MASK)],
    "put_part": lambda d: [
        S(d(2, 3), d(3), view=basic_index, place=((0, ...),)),
        S(d(2, 3), d(2, 2), view=basic_index, place=((slice(None), slice(0, None, 2), ...),)),
        S(d(3, 4), d(3), view=diagonal, place=(1, 0, 1)),
    ],
    "clear_part": lambda d: [
        S(d(3), view=basic_index, place=((1, ...),)),
        S(d(3, 4), view=diagonal, place=(-1, 1, 0)),
    ],
    "by_number": lambda d: [S(d(2, 3), number=2.5), S(d(3), number=3, divides=True)],
}

#: ops to whose samples finite differences do not apply, and why
NOT_SMOOTH: dict[str, str] = {
    "cholesky_factors": "one triangle is read, and the gradient is that of both changed alike",
    "linalg_eigh": "one triangle is read, and the gradient is that of both changed alike",
    "linalg_eig": "eigenvectors may be turned by any phase",
    "linalg_svd": "singular vectors may be turned by any phase",
    "view_dtype": "the bytes of one dtype read as another are no function of its values",
}

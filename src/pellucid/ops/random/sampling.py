"""Filling tensors with random numbers, from a generator's stream."""

from __future__ import annotations

import functools
import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid import dtypes
from pellucid.autograd.modes import modes
from pellucid.autograd.sites import user_stacklevel
from pellucid.autograd.variable import TensorBase
from pellucid.core.backward.drawn import with_parameters, without_derivative
from pellucid.core.call.call import new_tensor
from pellucid.core.construct import numpy_dtype_of
from pellucid.core.definition.public import EXACT, public
from pellucid.core.errors.arguments import require
from pellucid.device import check_device, cpu_device, device, meta_device
from pellucid.dtypes import c_type, is_floating, is_half, scalar_name
from pellucid.errors import (
    ArgumentError,
    ArgumentTypeError,
    DtypeError,
    GraphError,
    UnsupportedDtypeError,
)
from pellucid.kernels.meta import is_meta
from pellucid.kernels.meta.stream import meta_stream
from pellucid.kernels.random import stream as streams
from pellucid.kernels.random.checks import MANTISSA_BITS, end_of_integers, refuse_float8
from pellucid.ops.aliasing.inplace import call_inplace
from pellucid.ops.shape.copying import copy
from pellucid.shapes import broadcast_shapes


@public("Generator")
class Generator:
    """A stream of random numbers, the same as PyTorch's for the same seed.

    Args:
        device: Must be the CPU.

    Raises:
        RuntimeError: If it is another device.

    >>> generator = torch.Generator().manual_seed(0)
    >>> torch.rand(2, generator=generator)
    tensor([0.4963, 0.7682])
    """

    __slots__ = ("__weakref__", "stream")

    def __init__(self, device: Any = None) -> None:
        if check_device(device) is meta_device:
            raise GraphError("META device type not an accelerator.")
        self.stream = streams.MersenneStream()

    @property
    def device(self) -> device:
        """Where the numbers are drawn: on the CPU."""
        return cpu_device

    def manual_seed(self, seed: int) -> Generator:
        """Start the stream that belongs to a seed; return the generator."""
        try:
            number = operator.index(seed)
        except TypeError:
            raise GraphError(
                f"manual_seed expected a long, but got {type(seed).__name__}"
            ) from None
        self.stream.manual_seed(number)
        return self

    def seed(self) -> int:
        """Start a stream that nobody can foresee; return its seed."""
        return self.stream.seed()

    def initial_seed(self) -> int:
        """Return the seed that the stream was started with."""
        return self.stream.initial_seed()

    def get_state(self) -> Any:
        """Return the state as a tensor of bytes."""
        return new_tensor(self.stream.get_state())

    def set_state(self, new_state: Any) -> Generator:
        """Continue from a state and return the generator.

        Raises TypeError or RuntimeError for what is not a state.
        """
        if not isinstance(new_state, TensorBase):
            raise ArgumentTypeError(
                f"expected a torch.ByteTensor, but got {type(new_state).__name__}"
            )
        self.stream.set_state(new_state._array)
        return self

    def clone_state(self) -> Generator:
        """Return an independent generator in the same state."""
        copied = Generator()
        copied.stream = self.stream.clone()
        return copied

    def __setstate__(self, state: tuple[Any, Any, Any]) -> None:
        # As PyTorch's pickles have it: the seed, an offset that only other devices know, the state.
        self.set_state(state[2])

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (self.stream.get_state(),))


def _restored(state: Any) -> Generator:
    generator = Generator()
    generator.stream.set_state(state)
    return generator


def _default_generator() -> Generator:
    generator = Generator()
    generator.stream = streams.default
    return generator


default_generator = _default_generator()


class _BatchedStream:
    """What random operations draw from inside `vmap`; `pellucid.func`, above, puts it here."""

    of: Callable[[streams.MersenneStream], Any]
    #: calls a function of parameters that are drawn from element by element, without the innermost
    #: `vmap`, on the parameters of all samples
    drawn: Callable[[Callable[..., Any], tuple[Any, ...], Any], Any]
    #: overwrites a tensor by a function, which is called with it and arguments
    filled: Callable[[Callable[..., Any], Any, tuple[Any, ...], dict[str, Any]], Any]
    #: calls a function that draws in the shape of a tensor
    drawn_like: Callable[[Callable[[Any], Any], Any], Any]


batched_stream = _BatchedStream()


def stream_of(generator: Generator | None, on_meta: bool = False) -> Any:
    """Return the stream of a generator, by default the shared one; for meta one without numbers."""
    if on_meta:
        return meta_stream
    if modes.batching:
        return batched_stream.of(_own_stream(generator))
    return _own_stream(generator)


def _filling(fill: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that overwrites a tensor, inside `vmap` sample by sample."""

    @functools.wraps(fill)
    def filled(self: Any, *args: Any, **options: Any) -> Any:
        if modes.batch_levels:
            return batched_stream.filled(filled, self, args, options)
        return fill(self, *args, **options)

    return filled


def _own_stream(generator: Generator | None) -> streams.MersenneStream:
    if generator is None:
        return default_generator.stream
    if not isinstance(generator, Generator):
        raise ArgumentTypeError(
            f"argument 'generator' must be Generator, not {type(generator).__name__}"
        )
    return generator.stream


def _overwrite(tensor: Any, values: Any) -> Any:
    """Write drawn values into a tensor, in the order of its memory."""
    array = tensor._array
    if not array.flags.c_contiguous and array.size and not is_meta(array):
        ordered = np.empty(array.shape, values.dtype)
        order = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
        in_memory_order = ordered.transpose(order)
        in_memory_order[...] = values.reshape(in_memory_order.shape)
        values = ordered
    return call_inplace(copy.op, (tensor, new_tensor(values)), (False,))


@public(method="normal_")
@_filling
def normal_(self: Any, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Any:
    """Fill the tensor from the normal distribution; raise RuntimeError if ``std`` is negative."""
    array = self._array
    contiguous = array.flags.c_contiguous
    draw = stream_of(generator, is_meta(self._array)).normal
    return _overwrite(self, draw(array.shape, array.dtype, mean, std, contiguous=contiguous))


# PyTorch names the bounds after Python's keyword.
@public(method="uniform_")
@_filling
def uniform_(self: Any, *args: float, generator: Any = None, **bounds: float) -> Any:
    """Fill the tensor uniformly from ``from`` to ``to``, by default [0, 1).

    Raises RuntimeError if ``from`` is above ``to``.
    """
    low, high = _bounds("uniform_", args, bounds, (0.0, 1.0))
    require("uniform_", "float", **{"from": low, "to": high})
    draw = stream_of(generator, is_meta(self._array)).uniform
    return _overwrite(self, draw(self._array.shape, self._array.dtype, low, high))


def _bounds(name: str, args: tuple[Any, ...], named: dict[str, Any], default: Any) -> Any:
    """Return the bounds given by position, or by the names ``from`` and ``to``."""
    unknown = set(named) - {"from", "to"}
    if unknown or len(args) > 2:
        raise ArgumentTypeError(
            f"{name}() takes the bounds 'from' and 'to'; got {[*args, *sorted(unknown)]}"
        )
    given = dict(zip(("from", "to"), args, strict=False)) | named
    return given.get("from", default[0]), given.get("to", default[1])


@public(method="random_")
@_filling
def random_(self: Any, *args: int, generator: Any = None, **bounds: int) -> Any:
    """Fill the tensor with integers: ``random_(to)`` from [0, to), ``random_(from, to)``.

    Without bounds, or with ``to=None``, all integers from ``from`` on that the dtype holds exactly
    can come.
    """
    shape, dtype = self._array.shape, self._array.dtype
    stream = stream_of(generator, is_meta(self._array))
    if len(args) == 1 and "to" not in bounds:
        args = (0, *args)
    low, high = _bounds("random_", args, bounds, (0, None))
    require("random_", "int", **{"from": low}, **({} if high is None else {"to": high}))
    if high is None and low == 0 and not args and not bounds:
        return _overwrite(self, stream.random(shape, dtype))
    refuse_float8(dtype, "random_update_from_to")
    if high is None:
        high = end_of_integers(dtype)
    if dtype.kind in "fV":
        _warn_of_rounding(dtype, int(low), int(high) - 1)
    return _overwrite(self, stream.integers(int(low), int(high), shape, dtype))


def _warn_of_rounding(dtype: Any, first: int, last: int) -> None:
    """Warn of integers that a floating-point dtype rounds."""
    digits = MANTISSA_BITS[dtype.name]
    for name, bound in (("from", first), ("to - 1", last)):
        if abs(bound) > 1 << digits:
            warnings.warn(
                f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision "
                f"limitations {c_type(dtype)} can support discrete uniform distribution only "
                "within this range. This warning will become an error in version 1.7 release, "
                "please fix the code in advance",
                UserWarning,
                stacklevel=user_stacklevel(),
            )


@public(method="bernoulli_")
@_filling
def bernoulli_(self: Any, p: Any = 0.5, *, generator: Any = None) -> Any:
    """Fill the tensor with ones of probability ``p``, a number or a tensor, and zeros."""
    chance = p._array if isinstance(p, TensorBase) else float(p)
    draw = stream_of(generator, is_meta(self._array)).bernoulli
    return _overwrite(self, draw(chance, self._array.shape, self._array.dtype))


@public(method="exponential_")
@_filling
def exponential_(self: Any, lambd: float = 1.0, *, generator: Any = None) -> Any:
    """Fill the tensor from the exponential distribution of rate ``lambd``."""
    draw = stream_of(generator, is_meta(self._array)).exponential
    return _overwrite(self, draw(self._array.shape, self._array.dtype, lambd))


@public(method="geometric_")
@_filling
def geometric_(self: Any, p: float, *, generator: Any = None) -> Any:
    """Fill the tensor with the number of trials until the first success of probability ``p``."""
    draw = stream_of(generator, is_meta(self._array)).geometric
    return _overwrite(self, draw(self._array.shape, self._array.dtype, p))


@public(method="cauchy_")
@_filling
def cauchy_(self: Any, median: float = 0.0, sigma: float = 1.0, *, generator: Any = None) -> Any:
    """Fill the tensor from the Cauchy distribution."""
    draw = stream_of(generator, is_meta(self._array)).cauchy
    return _overwrite(self, draw(self._array.shape, self._array.dtype, median, sigma))


@public(method="log_normal_")
@_filling
def log_normal_(self: Any, mean: float = 1.0, std: float = 2.0, *, generator: Any = None) -> Any:
    """Fill the tensor with exponentials of normal numbers."""
    draw = stream_of(generator, is_meta(self._array)).log_normal
    return _overwrite(self, draw(self._array.shape, self._array.dtype, mean, std))


@public("bernoulli", method=True)
def bernoulli(input: Any, p: float | None = None, *, generator: Any = None, out: Any = None) -> Any:
    """Draw ones with the probabilities in ``input`` (or ``p`` for all), zeros otherwise.

    Args:
        input: Probabilities: floating-point tensor of any shape.
        p: Probability of a one, in place of the values of ``input``.
        generator: Generator to draw from; by default the global one.
        out: Tensor of any dtype that the draws are written into.

    >>> torch.bernoulli(torch.tensor([0.0, 1.0]))
    tensor([0., 1.])
    """
    if out is not None:
        return bernoulli_(
            out.resize_(input._array.shape), input if p is None else p, generator=generator
        )
    chance = input._array if p is None else float(p)
    stream = stream_of(generator, is_meta(input._array))
    drawn = new_tensor(stream.bernoulli(chance, input._array.shape, input._array.dtype))
    if p is None:
        return with_parameters(drawn, "BernoulliBackward0", input)
    return without_derivative(drawn, "aten::bernoulli", input)


@public("multinomial", method=True, out=EXACT)
def multinomial(
    input: Any, num_samples: int, replacement: bool = False, *, generator: Any = None
) -> Any:
    """Draw indices, of each row, with probabilities proportional to the weights in ``input``.

    Raises RuntimeError for weights that are negative, not finite or all zero, and for more samples
    than there are categories without replacement.

    Args:
        input: Weights ``[N]`` or ``[M, N]``, not negative.
        num_samples: Number of draws.
        replacement: Whether an element may be drawn more than once.
        generator: Generator to draw from; by default the global one.

    >>> torch.multinomial(torch.tensor([0.0, 3.0]), 1)
    tensor([1])
    """
    stream = stream_of(generator, is_meta(input._array))
    return new_tensor(stream.multinomial(input._array, num_samples, replacement))


@public("poisson")
def poisson(input: Any, generator: Any = None) -> Any:
    """Draw counts from Poisson distributions with the rates in ``input``.

    The result has the shape and dtype of ``input``. Raises RuntimeError for a negative rate.

    Args:
        input: Rates: floating-point tensor of any shape, not negative.
        generator: Generator to draw from; by default the global one.

    >>> torch.poisson(torch.zeros(3))
    tensor([0., 0., 0.])
    """
    _require_real(input, "poisson_cpu")
    if modes.batch_levels:
        return batched_stream.drawn(poisson, (input,), generator)
    from pellucid.kernels.random import rejection

    drawn = new_tensor(drawn_from(rejection.poisson, generator, input._array))
    return with_parameters(drawn, "PoissonBackward0", input)


@public("binomial")
def binomial(count: Any, prob: Any, generator: Any = None) -> Any:
    """Draw how many of ``count`` trials succeed, each with probability ``prob``.

    Both are of one dtype, and so is the result; their shapes broadcast.

    Args:
        count: Number of trials, a tensor.
        prob: Probability of success.
        generator: Generator to draw from; by default the global one.

    Raises:
        RuntimeError: If ``count`` and ``prob`` have different dtypes.

    >>> torch.binomial(torch.tensor([5.0, 7.0]), torch.tensor([0.0, 1.0]))
    tensor([0., 7.])
    """
    _require_real(count, "binomial_cpu")
    if prob._array.dtype.kind not in "fV":
        raise ArgumentError(
            "binomial only supports floating-point dtypes for prob, got: "
            f"{scalar_name(prob._array.dtype)}"
        )
    if count._array.dtype != prob._array.dtype:
        raise DtypeError(
            f"Found dtype {scalar_name(prob._array.dtype)} but expected "
            f"{scalar_name(count._array.dtype)}: count and prob have to be of one dtype; convert "
            "one of them"
        )
    if modes.batch_levels:
        return batched_stream.drawn(binomial, (count, prob), generator)
    shape = broadcast_shapes(count._array.shape, prob._array.shape)
    counts, chances = (np.broadcast_to(each._array, shape) for each in (count, prob))
    from pellucid.kernels.random import rejection

    drawn = new_tensor(drawn_from(rejection.binomial, generator, counts, chances))
    return without_derivative(drawn, "aten::binomial", count, prob)


def drawn_from(draw: Callable[..., Any], generator: Any, *parameters: Any) -> Any:
    """Return what a stream draws for arrays of parameters, in their dtype."""
    dtype = parameters[0].dtype
    if is_meta(parameters[0]):
        return np.empty_like(parameters[0])
    if not is_half(dtype):
        return draw(stream_of(generator), *parameters)
    wide = [each.astype(np.float32) for each in parameters]
    return draw(stream_of(generator), *wide).astype(dtype)


def _require_real(tensor: Any, kernel: str) -> None:
    if not is_floating(tensor._array.dtype):
        raise UnsupportedDtypeError(
            f"\"{kernel}\" not implemented for '{scalar_name(tensor._array.dtype)}'; "
            "convert to floating point first"
        )


def float_dtype(dtype: Any) -> Any:
    """Return the NumPy dtype of random numbers: the default one unless another is asked for."""
    return numpy_dtype_of(dtype, dtypes.default())

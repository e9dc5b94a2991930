"""Random numbers: PyTorch's streams, so that a seed gives the same numbers as there."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from pellucid import dtypes
from pellucid.autograd.modes import modes
from pellucid.autograd.variable import TensorBase
from pellucid.blocks import Block, temporary
from pellucid.core.backward.drawn import with_parameters
from pellucid.core.construct import fresh, made_at_once, numpy_dtype_of, placed, sizes_from
from pellucid.core.definition.numbers import is_number
from pellucid.core.definition.public import CASTING, public
from pellucid.core.errors.arguments import require
from pellucid.errors import ArgumentTypeError, DomainError
from pellucid.kernels.meta import any_meta, is_meta
from pellucid.ops.random.sampling import (
    Generator,
    batched_stream,
    bernoulli,
    binomial,
    default_generator,
    float_dtype,
    multinomial,
    poisson,
    stream_of,
)
from pellucid.shapes import as_tuple, broadcast_shapes
from pellucid.tensors import Tensor
from pellucid.tensors.creation import layout_like

__all__ = [
    "Generator", "bernoulli", "binomial", "default_generator", "fork_rng", "get_rng_state",
    "initial_seed", "manual_seed", "multinomial", "normal", "poisson", "rand", "rand_like",
    "randint", "randint_like", "randn", "randn_like", "randperm", "seed", "set_rng_state",
]  # fmt: skip


@public("manual_seed", checked=False)
def manual_seed(seed: int) -> Generator:
    """Start the shared stream that belongs to a seed; return its generator.

    Args:
        seed: Integer from -2**63 to 2**64 - 1.

    >>> _ = torch.manual_seed(0)
    >>> torch.randn(3)
    tensor([ 1.5410, -0.2934, -2.1788])
    """
    return default_generator.manual_seed(int(seed))


@public("seed")
def seed() -> int:
    """Start a shared stream that nobody can foresee; return its seed.

    >>> torch.seed() == torch.initial_seed()
    True
    """
    return default_generator.seed()


@public("initial_seed")
def initial_seed() -> int:
    """Return the seed that the shared stream was started with.

    >>> _ = torch.manual_seed(7)
    >>> torch.initial_seed()
    7
    """
    return default_generator.initial_seed()


@public("get_rng_state")
def get_rng_state() -> Any:
    """Return the state of the shared stream as a tensor of bytes.

    >>> torch.get_rng_state().shape
    torch.Size([5056])
    """
    return default_generator.get_state()


@public("set_rng_state")
def set_rng_state(new_state: Any) -> None:
    """Set the state of the global generator.

    Args:
        new_state: State as `get_rng_state` returns it.

    >>> state = torch.get_rng_state()
    >>> x = torch.rand(2)
    >>> torch.set_rng_state(state)
    >>> torch.rand(2).tolist() == x.tolist()
    True
    """
    default_generator.set_state(new_state)


@temporary
def fork_rng(block: Block, devices: Any = None, enabled: bool = True) -> None:
    """Put the state of the shared stream back at the end of the block.

    Args:
        devices: Accepted as PyTorch does; there are no other devices.
        enabled: Whether the block keeps the state at all.

    >>> with torch.random.fork_rng():
    ...     _ = torch.manual_seed(0)
    """
    if enabled:
        block._at_end(functools.partial(set_rng_state, get_rng_state()))


@public("rand", out=CASTING)
@made_at_once(default_generator)
def rand(
    *sizes: Any, size: Any = None, generator: Generator | None = None, dtype: Any = None,
    layout: Any = None,
    device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Draw numbers uniformly from [0, 1).

    Args:
        *sizes: Sizes of the dimensions, as numbers or as one sequence.
        size: Shape of the result.
        generator: Generator to draw from; by default the global one.
        dtype: Dtype of the result; by default that of the values.
        layout: Memory layout; only ``torch.strided`` is there.
        device: Device of the result: the CPU or ``meta``.
        requires_grad: Whether operations on the result are recorded.
        pin_memory: Accepted as PyTorch does; memory is never pinned.

    >>> torch.rand(2, 3).shape
    torch.Size([2, 3])
    """
    on_meta = placed(device, pin_memory)
    array = stream_of(generator, on_meta).uniform(
        sizes_from("rand", sizes, size), float_dtype(dtype)
    )
    return fresh(array, requires_grad)


@public("randn", out=CASTING)
@made_at_once(default_generator)
def randn(
    *sizes: Any, size: Any = None, generator: Generator | None = None, dtype: Any = None,
    layout: Any = None,
    device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Draw numbers from the normal distribution of mean 0 and variance 1.

    Args: As for `rand`.

    >>> torch.randn(2, 3).shape
    torch.Size([2, 3])
    """
    on_meta = placed(device, pin_memory)
    array = stream_of(generator, on_meta).normal(
        sizes_from("randn", sizes, size), float_dtype(dtype)
    )
    return fresh(array, requires_grad)


@public("randint", out=CASTING)
@made_at_once(default_generator)
def randint(
    *args: Any, low: int | None = None, high: int | None = None, size: Any = None,
    generator: Generator | None = None, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Draw integers from [low, high): ``randint(high, size)`` or ``randint(low, high, size)``.

    Args:
        *args: The arguments by position.
        low: Smallest value that can be drawn.
        high: One more than the largest value that can be drawn.
        size, generator, dtype, layout, device, requires_grad, pin_memory: As for `rand`.

    Raises:
        TypeError: If neither of the two forms is given.
        RuntimeError: If ``low`` is not less than ``high``.

    >>> torch.randint(5, 6, (3,))
    tensor([5, 5, 5])
    """
    rest = list(args)
    if size is None and rest:
        size = rest.pop()
    if high is None and rest:
        high = rest.pop()
    if low is None:
        low = rest.pop() if rest else 0
    if rest or high is None or size is None:
        raise TypeError("randint() takes (high, size) or (low, high, size)")
    require("randint", "int", low=low or 0, high=high)
    on_meta = placed(device, pin_memory)
    array = stream_of(generator, on_meta).integers(
        int(low or 0), int(high), sizes_from("randint", (as_tuple(size, "randint", "size"),)),
        numpy_dtype_of(dtype, np.dtype(np.int64)),
    )  # fmt: skip
    return fresh(array, requires_grad)


@public("randperm", out=CASTING)
@made_at_once(default_generator)
def randperm(
    n: int, *, generator: Generator | None = None, dtype: Any = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Return 0, 1, ..., n - 1 in random order.

    Args:
        n: Number of elements.
        generator, dtype, layout, device, requires_grad, pin_memory: As for `rand`.

    >>> torch.randperm(3).sum()
    tensor(3)
    """
    on_meta = placed(device, pin_memory)
    array = stream_of(generator, on_meta).permutation(n, numpy_dtype_of(dtype, np.dtype(np.int64)))
    return fresh(array, requires_grad)


#: what PyTorch's nodes are called, by whether the mean and the deviation are tensors
_NORMAL_NODES = {
    (True, False): "NormalBackward1", (False, True): "NormalBackward2",
    (True, True): "NormalBackward3",
}  # fmt: skip


@public("normal")
@made_at_once(default_generator)
def normal(
    mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Generator | None = None,
    dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False, out: Any = None,
) -> Tensor:  # fmt: skip
    """Draw from normal distributions of the given means and standard deviations.

    These are tensors, or numbers together with a size.

    Args:
        mean: Mean: a number, or a tensor with one for each element.
        std: Standard deviation: a number, or a tensor with one for each element.
        size, generator, dtype, layout, device, requires_grad: As for `rand`.
        pin_memory: Has no effect: there is no device to copy to.
        out: Tensor that the draws are written into, which are made in its dtype.

    Raises:
        RuntimeError: If a standard deviation is negative.

    >>> torch.normal(torch.tensor([1.0, 2.0]), 0.0)
    tensor([1., 2.])
    """
    on_meta = placed(device)
    tensors = [each._array for each in (mean, std) if isinstance(each, TensorBase)]
    _check_normal(mean, std, size if not tensors else dtype, bool(tensors))
    if out is not None:
        return _normal_into(out, mean, std, size, generator)
    if tensors and modes.batch_levels:
        return _normal_of_all(mean, std, generator)
    stream = stream_of(generator, on_meta or any_meta(tensors))
    if not tensors:
        shape = sizes_from("normal", (() if size is None else as_tuple(size, "normal", "size"),))
        return fresh(stream.normal(shape, float_dtype(dtype), mean, std), requires_grad)
    if isinstance(std, TensorBase) and not is_meta(std._array) and bool((std._array < 0).any()):
        raise RuntimeError(
            f"normal expects all elements of std >= 0.0, but one is {std._array.min():g}"
        )
    numpy_dtype = tensors[0].dtype
    shape = broadcast_shapes(*(array.shape for array in tensors))
    draws = stream.normal(shape, numpy_dtype)
    centre, spread = (
        each._array if isinstance(each, TensorBase) else numpy_dtype.type(each)
        for each in (mean, std)
    )
    drawn = fresh((draws * spread + centre).astype(numpy_dtype, copy=False), requires_grad)
    kinds = (isinstance(mean, TensorBase), isinstance(std, TensorBase))
    return with_parameters(drawn, _NORMAL_NODES[kinds], mean, std)


def _normal_of_all(mean: Any, std: Any, generator: Any) -> Any:
    """Draw inside `vmap`, with the means or deviations of all samples."""
    given = tuple(each for each in (mean, std) if isinstance(each, TensorBase))

    def draw(*parameters: Any) -> Any:
        rest = iter(parameters)
        both = [next(rest) if isinstance(each, TensorBase) else each for each in (mean, std)]
        return normal(*both, generator=next(rest))

    return batched_stream.drawn(draw, given, generator)


def _normal_into(out: Any, mean: Any, std: Any, size: Any, generator: Any) -> Any:
    """Write draws into a tensor, which takes their shape."""
    if not isinstance(mean, TensorBase) and not isinstance(std, TensorBase):
        return out.resize_(size).normal_(mean, std, generator=generator)
    if isinstance(std, TensorBase):
        given = [each._array.shape for each in (mean, std) if isinstance(each, TensorBase)]
        out = out.resize_(broadcast_shapes(*given))
    return out.normal_(generator=generator).mul_(std).add_(mean)


def _check_normal(mean: Any, std: Any, more: Any, of_tensors: bool) -> None:
    """Raise TypeError for arguments that do not match, RuntimeError for ``std < 0``.

    Between tensors there is no choice of dtype, and numbers need a size: ``more`` is that one.
    """
    fit = all(isinstance(each, TensorBase) or is_number(each) for each in (mean, std))
    if not fit or (more is None) is not of_tensors:
        given = ", ".join(type(each).__name__ for each in (mean, std))
        raise ArgumentTypeError(
            f"normal() received an invalid combination of arguments - got ({given}), but expected "
            "tensors for mean or std, or numbers and a size"
        )
    if isinstance(std, int | float) and std < 0:
        raise DomainError(f"normal expects std >= 0.0, but found std {std:g}")


@public("rand_like")
@made_at_once(default_generator, like=True)
def rand_like(
    input: Any, *, generator: Generator | None = None, dtype: Any = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False, memory_format: Any = None,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Draw uniformly from [0, 1), in the shape and dtype of another tensor.

    Args:
        input: Tensor whose shape, dtype and device are taken.
        generator, dtype, layout, device, requires_grad, pin_memory: As for `normal`.
        memory_format: Order of the elements in memory.

    >>> torch.rand_like(torch.ones(2)).shape
    torch.Size([2])
    """
    return _drawn_like(
        input, Tensor.uniform_, generator, dtype, device, requires_grad, memory_format
    )


@public("randn_like")
@made_at_once(default_generator, like=True)
def randn_like(
    input: Any, *, generator: Generator | None = None, dtype: Any = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False, memory_format: Any = None,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Draw from the standard normal distribution, in the shape and dtype of another tensor.

    Args: As for `rand_like`.

    >>> torch.randn_like(torch.ones(2)).shape
    torch.Size([2])
    """
    return _drawn_like(
        input, Tensor.normal_, generator, dtype, device, requires_grad, memory_format
    )


def _drawn_like(
    input: Any, fill: Any, generator: Any, dtype: Any, device: Any, requires_grad: bool,
    memory_format: Any,
) -> Tensor:  # fmt: skip
    if hasattr(input, "batch_dim"):  # a compressed matrix keeps its pattern
        values = _drawn_like(input.values(), fill, generator, dtype, device, False, None)
        return input.with_values(values).requires_grad_(requires_grad)
    if modes.batch_levels and isinstance(input, TensorBase):
        return batched_stream.drawn_like(
            lambda each: _drawn_like(
                each, fill, generator, dtype, device, requires_grad, memory_format
            ),
            input,
        )
    result = fresh(layout_like(input, dtype, memory_format, device))
    return fill(result, generator=generator)._switch_recording(requires_grad)


@public("randint_like")
@made_at_once(default_generator, like=True)
def randint_like(
    input: Any, *args: int, low: int | None = None, high: int | None = None,
    generator: Generator | None = None, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, memory_format: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Draw integers from [low, high), in the shape and dtype of another tensor.

    Args:
        input: Tensor whose shape, dtype and device are taken.
        *args: The arguments by position.
        low, high: As for `randint`.
        generator, dtype, layout, device, requires_grad: As for `rand`.
        memory_format: Order of the elements in memory.
        pin_memory: Has no effect: there is no device to copy to.

    >>> torch.randint_like(torch.ones(2), 3, 4)
    tensor([3., 3.])
    """
    numpy_dtype = numpy_dtype_of(dtype, input._array.dtype)
    return randint(
        *args, low=low, high=high, size=tuple(input._array.shape), generator=generator,
        dtype=dtypes.from_numpy_dtype(numpy_dtype), requires_grad=requires_grad,
        device=input.device if device is None else device,
    )  # fmt: skip

"""What PyTorch refuses of the arguments of its random functions."""

from __future__ import annotations

import numpy as np

from pellucid.dtypes import is_complex_dtype, is_differentiable, is_float8, largest, scalar_name

#: how many bits hold the digits of each floating-point dtype
MANTISSA_BITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
_C_NAMES = {
    "bool": "bool",
    "uint8": "unsigned char",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long",
    "uint16": "unsigned short",
    "uint32": "unsigned int",
    "uint64": "unsigned long",
}
_MOST_CATEGORIES = 1 << 24


def not_implemented(kernel: str, dtype: np.dtype) -> NotImplementedError:
    """Return the error for a dtype that PyTorch has no kernel of this name for."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(dtype)}'")


def refuse_float8(dtype: np.dtype, kernel: str) -> None:
    """Raise for numbers of eight bits, which nothing is drawn of."""
    if is_float8(dtype):
        raise not_implemented(kernel, dtype)


def require_floating(dtype: np.dtype, kernel: str) -> None:
    """Raise for a dtype that is not of floating point."""
    if dtype.kind not in "fV" or is_float8(dtype):
        raise not_implemented(kernel, dtype)


def require_inexact(dtype: np.dtype, kernel: str) -> None:
    """Raise for a dtype that is neither of floating point nor complex."""
    if not is_differentiable(dtype) or is_float8(dtype):
        raise not_implemented(kernel, dtype)


def require_continuous(dtype: np.dtype, distribution: str, in_c: bool = False) -> None:
    """Raise for a dtype that a continuous distribution has no samples of."""
    refuse_float8(dtype, f"{distribution.lower()}_cpu")
    if dtype.kind not in "fV":
        name = _C_NAMES.get(dtype.name, dtype.name) if in_c else scalar_name(dtype)
        raise RuntimeError(
            f"{distribution} distribution is a continuous probability distribution. dtype must be "
            f"a floating point but you specified {name}"
        )


def check_interval(low: float, high: float, dtype: np.dtype) -> None:
    """Raise where an interval is empty, or too long for the dtype."""
    limit = largest(dtype)
    for name, bound in (("from", low), ("to", high)):
        if not -limit <= bound <= limit:
            raise RuntimeError(
                f"{name} is out of bounds for {scalar_name(dtype)}: {bound:g} is not between "
                f"{-limit:g} and {limit:g}."
            )
    if low > high:
        raise RuntimeError(
            f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}"
        )
    if high - low > limit:
        raise RuntimeError(
            "uniform_ expects to-from <= std::numeric_limits<"
            f"{scalar_name(dtype)}>::max(), but found to={high:g} and from={low:g} "
            "which result in to-from to exceed the limit"
        )


def check_integer_bounds(low: int, high: int, dtype: np.dtype) -> None:
    """Raise where a dtype does not hold the ends of an interval of integers."""
    if is_complex_dtype(dtype):
        raise RuntimeError(
            "check_random_bounds handles only integral, floating-point and boolean types, "
            f"and the dtype is {dtype.name}."
        )
    if dtype == np.bool_:
        least, most = 0, 1
    elif dtype.kind in "fV":
        most = int(largest(dtype))
        least = -most
    else:
        least, most = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    name = _C_NAMES.get(dtype.name, dtype.name)
    if not least <= low <= most:
        raise RuntimeError(f"from is out of bounds for {name}: {low} is not in [{least}, {most}].")
    if not least <= high - 1 <= most:
        raise RuntimeError(
            f"to - 1 is out of bounds for {name}: {high - 1} is not in [{least}, {most}]."
        )


def end_of_integers(dtype: np.dtype) -> int:
    """Return the number after the last integer up to which a dtype holds all of them."""
    if dtype.kind in "fV":
        return (1 << MANTISSA_BITS[dtype.name]) + 1
    return 2 if dtype == np.bool_ else int(np.iinfo(dtype).max) + 1


def check_permutation(n: int, dtype: np.dtype) -> None:
    """Raise where a dtype does not count to ``n``."""
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    if dtype.kind not in "iufV" or is_float8(dtype):
        raise not_implemented("randperm", dtype)
    most = end_of_integers(dtype)
    if n > most:
        raise RuntimeError(f"n cannot be greater than {most} for {scalar_name(dtype)} type.")


def check_multinomial(probabilities: np.ndarray, n: int, replacement: bool) -> None:
    """Raise for weights and sizes of which nothing can be drawn."""
    if probabilities.ndim not in (1, 2):
        raise RuntimeError(
            f"prob_dist must be 1 or 2 dim, and the shape is {list(probabilities.shape)}."
        )
    if probabilities.dtype.kind not in "fV":
        raise RuntimeError(
            "multinomial only supports floating-point dtypes for input, got: "
            f"{scalar_name(probabilities.dtype)}"
        )
    if n <= 0:
        raise RuntimeError(f"cannot sample n_sample <= 0 samples: n_sample is {n}.")
    categories = probabilities.shape[-1]
    if not replacement and n > categories:
        raise RuntimeError(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement: "
            f"{n} samples of {categories} categories. Draw fewer, or pass replacement=True."
        )
    if categories > _MOST_CATEGORIES:
        raise RuntimeError(f"number of categories cannot exceed 2^24, and there are {categories}.")


def check_weights(probabilities: np.ndarray) -> None:
    """Raise for weights that are negative, not finite, or all zero."""
    if not bool(np.all((probabilities >= 0) & (probabilities < np.inf))):
        raise RuntimeError(
            "probability tensor contains either `inf`, `nan` or element < 0: its values reach "
            f"from {probabilities.min():g} to {probabilities.max():g}."
        )
    _check_sums(probabilities)


def check_cumulative_weights(probabilities: np.ndarray) -> None:
    """Raise for the same, in the words for a draw with replacement."""
    if not bool(np.all(probabilities >= 0)):
        raise RuntimeError(
            "invalid multinomial distribution (encountering probability entry < 0): "
            f"the least is {probabilities.min():g}."
        )
    if not bool(np.all(np.isfinite(probabilities))):
        raise RuntimeError(
            "invalid multinomial distribution (encountering probability entry = infinity or NaN)"
        )
    _check_sums(probabilities)


def _check_sums(probabilities: np.ndarray) -> None:
    if not bool(np.all(np.any(probabilities > 0, axis=-1))):
        raise RuntimeError(
            "invalid multinomial distribution (sum of probabilities <= 0): "
            "a row needs at least one positive weight."
        )

"""Random numbers inside `vmap`: refused, the same for all samples, or different ones for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import signature
from typing import Any

import numpy as np

from pellucid.autograd.modes import modes
from pellucid.core.call.call import new_tensor
from pellucid.errors import GraphError
from pellucid.interpreters.vmap.batched import BatchedArray, Level, at_level, batched
from pellucid.interpreters.vmap.dispatch import not_batched, with_ndim
from pellucid.kernels.random.stream import MersenneStream
from pellucid.ops.random.sampling import batched_stream, default_generator


class BatchedStream:
    """A stream of random numbers that follows the ``randomness`` of the running `vmap` calls."""

    def __init__(self, stream: Any, levels: tuple[Level, ...]) -> None:
        self._stream = stream
        self._levels = levels

    def __getattr__(self, name: str) -> Any:
        draw = getattr(self._stream, name)
        if name not in vars(MersenneStream):
            return draw  # something that draws nothing, such as the seed
        if any(level.randomness == "error" for level in self._levels):
            raise _refused()
        different = [level for level in self._levels if level.randomness == "different"]
        return lambda *args, **options: _drawn(name, draw, args, options, different)


def _refused() -> GraphError:
    return GraphError(
        "vmap: called random operation while in randomness error mode. Please either use the "
        "'same' or 'different' randomness flags on vmap or perform the randomness operation out "
        "of vmap"
    )


def _same_for_different_chances() -> GraphError:
    return GraphError(
        "Vmap does not currently support same randomness with a batched tensor input. Please "
        "file an issue with functorch."
    )


def _drawn_from_all(
    function: Callable[..., Any], parameters: tuple[Any, ...], generator: Any
) -> Any:
    """Draw from parameters element by element: those of all samples are more elements."""
    level = modes.batch_levels[-1]
    if level.randomness == "error":
        raise _refused()
    flags = [at_level(each, level) for each in parameters]
    if any(flags) and level.randomness == "same":
        raise _same_for_different_chances()
    one_for_all = level.randomness == "same"
    ndim = max(each._array.ndim for each in parameters)
    values = [
        with_ndim(each.value, ndim)
        if flag
        else each
        if one_for_all
        else each.expand(level.size, *(1,) * (ndim - each._array.ndim), *each._array.shape)
        for each, flag in zip(parameters, flags, strict=True)
    ]
    with _outside():
        found = function(*values, generator)
    return found if one_for_all else batched(found, level)


def _filled(
    fill: Callable[..., Any], tensor: Any, args: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """Overwrite a tensor with random numbers: the samples each with their own, or all alike."""
    level = modes.batch_levels[-1]
    if level.randomness == "error":
        raise _refused()
    is_batched = at_level(tensor, level)
    if level.randomness == "different" and not is_batched and any(at_level(p, level) for p in args):
        raise not_batched("inplace bernoulli")
    if level.randomness == "different" and not is_batched:
        raise GraphError(
            "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will "
            "appear like same randomness. If this is necessary for your usage, please file an "
            "issue with functorch."
        )
    if level.randomness == "same" and any(at_level(each, level) for each in args):
        raise _same_for_different_chances()
    ndim = tensor._array.ndim
    given = [with_ndim(each.value, ndim) if at_level(each, level) else each for each in args]
    alike = is_batched and level.randomness == "same"
    value = tensor.value if is_batched else tensor
    with _outside():
        found = fill((value[0] if alike else value).clone(), *given, **options)
    return tensor.copy_(batched(found, level) if is_batched and not alike else found)


def _drawn_like(draw: Callable[..., Any], tensor: Any) -> Any:
    """Draw in the shape of a tensor: for all samples, or once for all of them."""
    level = modes.batch_levels[-1]
    if level.randomness == "error":
        raise _refused()
    alike, is_batched = level.randomness == "same", at_level(tensor, level)
    value = tensor.value if is_batched else tensor
    if alike and is_batched:
        value = value[0]
    elif not alike and not is_batched:
        value = value.expand(level.size, *value.shape)
    with _outside():
        found = draw(value)
    return found if alike else batched(found, level)


@contextmanager
def _outside() -> Iterator[None]:
    """Leave the innermost `vmap` for the length of a block."""
    levels = modes.batch_levels
    modes.batch_levels = levels[:-1]
    try:
        yield
    finally:
        modes.batch_levels = levels


def _drawn(
    name: str, draw: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any],
    different: list[Level],
) -> Any:  # fmt: skip
    """Draw once for all, or for the samples of each level at which they differ."""
    given = [each for each in (*args, *options.values()) if each.__class__ is BatchedArray]
    if given:
        return _drawn_by_value(name, draw, args, options, different)
    if not different:
        return draw(*args, **options)
    sizes = tuple(level.size for level in different)
    position = _place_of_shape(draw)
    if position is None:
        return _one_per_sample(draw, args, options, different)
    if position < len(args):
        shape = args[position]
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        args = (*args[:position], (*sizes, *shape), *args[position + 1 :])
    else:
        options = {**options, "shape": (*sizes, *options["shape"])}
    return _around(draw(*args, **options), different)


def _place_of_shape(draw: Callable[..., Any]) -> int | None:
    """Return where a method of a stream takes the shape of what it draws, if it does."""
    names = list(signature(draw).parameters)
    return names.index("shape") if "shape" in names else None


def _drawn_by_value(
    name: str, draw: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any],
    different: list[Level],
) -> Any:  # fmt: skip
    """Draw with chances that are the samples' own."""
    array = next(each for each in args if each.__class__ is BatchedArray)
    if array.level not in different:
        raise _same_for_different_chances()
    value = array.value._array
    if value.__class__ is BatchedArray:
        raise GraphError(f"vmap: {name} with chances that two nested vmaps have batched")
    passed = [value if each is array else each for each in args]
    if name == "bernoulli":
        shape = (array.level.size, *array.shape)
        passed[1] = shape  # which follows the chances
        return _around(draw(*passed, **options), [array.level])
    rows = [
        draw(*(value[i] if each is value else each for each in passed), **options)
        for i in range(array.level.size)
    ]
    return _around(np.stack(rows), [array.level])


def _one_per_sample(
    draw: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any],
    different: list[Level],
) -> Any:  # fmt: skip
    count = 1
    for level in different:
        count *= level.size
    rows = np.stack([draw(*args, **options) for _ in range(count)])
    sizes = tuple(level.size for level in different)
    return _around(rows.reshape(*sizes, *rows.shape[1:]), different)


def _around(array: Any, levels: list[Level]) -> Any:
    value: Any = new_tensor(array)
    for level in levels:
        value = BatchedArray(value, level).__batched_tensor__()
    return value._array


def keep_stream() -> Callable[[], None]:
    """Return a function that lets the shared stream go on from here."""
    state = default_generator.get_state()

    def restart() -> None:
        default_generator.set_state(state)

    return restart


def _of(stream: Any) -> Any:
    return BatchedStream(stream, (*modes.batch_levels, *modes.tangent_levels))


batched_stream.of = _of
batched_stream.drawn = _drawn_from_all
batched_stream.filled = _filled
batched_stream.drawn_like = _drawn_like

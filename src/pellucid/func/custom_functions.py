"""What `vmap` does with an ``autograd.Function`` of the user's."""

from __future__ import annotations

from typing import Any, NamedTuple

from pellucid.autograd.function import Function, batched_functions, lacks_setup
from pellucid.autograd.variable import TensorBase
from pellucid.errors import GraphError
from pellucid.func.trees import broadcast_leaves, flatten, unflatten
from pellucid.interpreters.vmap.batched import Level, batched, batched_along, level_of
from pellucid.interpreters.vmap.dispatch import entered

_MORE = (
    "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
    "\n  Write vmap(info, in_dims, *args), which returns outputs and their out_dims; or let "
    "forward and backward be run on batched tensors with generate_vmap_rule = True."
)


class VmapInfo(NamedTuple):
    """The facts about the running `vmap` that a Function's ``vmap`` receives."""

    batch_size: int
    randomness: str


def apply(cls: type[Any], args: tuple[Any, ...]) -> Any:
    """Apply a user's function to batched tensors, as it says itself.

    Raises RuntimeError where it does not say, or says it twice.
    """
    if not cls._has_setup():
        raise lacks_setup()
    own = cls.vmap
    is_written = own not in (None, Function.vmap)
    if is_written and cls.generate_vmap_rule:
        raise GraphError(
            f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and "
            "an overridden vmap staticmethod. Please set generate_vmap_rule=False or delete the "
            "overridden vmap staticmethod to avoid ambiguity. " + _MORE
        )
    if not is_written and not cls.generate_vmap_rule:
        raise GraphError(
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please "
            "override and implement the vmap staticmethod or set generate_vmap_rule=True. " + _MORE
        )
    levels = [level for each in args if (level := level_of(each)) is not None]
    level = max(levels, key=lambda each: each.number)
    flags = [level_of(each) is level for each in args]
    values = [each.value if flag else each for each, flag in zip(args, flags, strict=True)]
    if not is_written:
        return _wrapped(_generated(cls, flags, level).apply(*values), level)
    info = VmapInfo(level.size, level.randomness)
    in_dims = tuple(
        each._array.given_dim if flag else None for each, flag in zip(args, flags, strict=True)
    )
    placed = [
        value.movedim(0, dim) if dim else value for value, dim in zip(values, in_dims, strict=True)
    ]
    returned = own(info, in_dims, *placed)
    if not isinstance(returned, tuple):
        raise GraphError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with "
            f"pytree structure compatible with the output. Got a {type(returned)} instead"
        )
    if len(returned) != 2:
        raise GraphError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with "
            f"pytree structure compatible with the output. Got {len(returned)} returns instead"
        )
    outputs, out_dims = returned
    leaves, structure = flatten(outputs)
    dims = broadcast_leaves(out_dims, structure)
    if dims is None:
        raise GraphError(
            "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) "
            f"tuple. Expected out_dims={out_dims} to be compatible with the structure of `output`. "
            f"out_dims has structure {flatten(out_dims)[1]} but output has structure {structure}. "
            + _MORE
        )
    found = [batched_along(leaf, level, dim) for leaf, dim in zip(leaves, dims, strict=True)]
    return unflatten(found, structure)


def _wrapped(outputs: Any, level: Level) -> Any:
    if isinstance(outputs, tuple):
        return tuple(_wrapped(each, level) for each in outputs)
    return batched(outputs, level) if isinstance(outputs, TensorBase) else outputs


class _Samples:
    """The context that a function's halves get inside `vmap`, which handles batched tensors."""

    def __init__(self, ctx: Any, level: Level) -> None:
        self.__dict__.update(_ctx=ctx, _level=level, _flags=(), _values={})

    def save_for_backward(self, *tensors: Any) -> None:
        """Save the values of batched tensors, for backward to wrap again."""
        self.__dict__["_flags"] = tuple(level_of(each) is self._level for each in tensors)
        self._ctx.save_for_backward(*(_value(each, self._level) for each in tensors))

    save_for_forward = save_for_backward

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The saved tensors, batched as they were."""
        return tuple(
            batched(each, self._level) if flag else each
            for each, flag in zip(self._ctx.saved_tensors, self._flags, strict=True)
        )

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Mark the outputs that have no gradient."""
        held = self._values
        self._ctx.mark_non_differentiable(*(held.get(id(each), each) for each in tensors))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ctx, name)


def _value(tensor: Any, level: Level) -> Any:
    return tensor.value if level_of(tensor) is level else tensor


def _for_all(tensor: Any, level: Level) -> Any:
    """Return a result with samples along the first dimension."""
    if not isinstance(tensor, TensorBase) or level_of(tensor) is level:
        return _value(tensor, level)
    whole: Any = tensor
    return whole.unsqueeze(0).expand(level.size, *whole.shape)


def _several(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)


def _generated(cls: type[Any], flags: list[bool], level: Level) -> type[Any]:
    """Return a function of values that runs the halves of the user's on batched tensors."""

    def given(values: Any) -> list[Any]:
        return [
            batched(value, level) if flag else value
            for value, flag in zip(values, flags, strict=True)
        ]

    class Generated(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(*values: Any) -> Any:
            with entered(level):
                found = cls.forward(*given(values))
            results = tuple(_for_all(each, level) for each in _several(found))
            return results if isinstance(found, tuple) else results[0]

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.samples = _Samples(ctx, level)
            outputs = _wrapped(output, level)
            pairs = zip(_several(outputs), _several(output), strict=True)
            ctx.samples._values.update({id(mine): theirs for mine, theirs in pairs})
            with entered(level):
                cls.setup_context(ctx.samples, tuple(given(inputs)), outputs)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            with entered(level):
                found = _several(cls._backward_function()(ctx.samples, *_wrapped(grads, level)))
            return tuple(
                None if each is None
                else _for_all(each, level) if flag
                else _value(each, level).sum(0) if level_of(each) is level
                else each
                for each, flag in zip(found, flags, strict=True)
            )  # fmt: skip

        @staticmethod
        def jvp(ctx: Any, *tangents: Any) -> Any:
            wrapped = (
                batched(each, level) if flag and each is not None else each
                for each, flag in zip(tangents, flags, strict=True)
            )
            with entered(level):
                found = cls.jvp(ctx.samples, *wrapped)
            results = tuple(_for_all(each, level) for each in _several(found))
            return results if isinstance(found, tuple) else results[0]

    name = f"Vmapped{cls.__name__}"
    return type(name, (Generated,), {"__qualname__": name})


batched_functions.apply = apply

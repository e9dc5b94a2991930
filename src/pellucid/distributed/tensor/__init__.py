"""Tensors that are spread over the ranks of a group, as far as sharded training needs them."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.sites import user_site
from pellucid.core.call.call import new_tensor
from pellucid.core.call.overriding import disabled_torch_function_impl
from pellucid.errors import UnimplementedError
from pellucid.nn.parameter import Parameter
from pellucid.processes.mesh import DeviceMesh, init_device_mesh
from pellucid.processes.sharding import Sharding
from pellucid.ranks import sharding_of
from pellucid.tensors import Tensor

__all__ = ["DTensor", "DeviceMesh", "Replicate", "Shard", "init_device_mesh"]


class Shard:
    """Placement of a tensor that is cut along a dim.

    Args:
        dim: The dim, 0 here.
    """

    def __init__(self, dim: int = 0) -> None:
        self.dim = dim

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shard) and other.dim == self.dim

    def __hash__(self) -> int:
        return hash(("Shard", self.dim))

    def __repr__(self) -> str:
        return f"Shard(dim={self.dim})"


class Replicate:
    """Placement of a tensor that every rank has in whole."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Replicate)

    def __hash__(self) -> int:
        return hash("Replicate")

    def __repr__(self) -> str:
        return "Replicate()"


#: methods whose results depend on all elements, or lead to such: each rank would have another one
_OVER_ALL_ELEMENTS = (
    "__pow__", "abs", "all", "amax", "amin", "any", "argmax", "argmin", "count_nonzero", "dist",
    "logsumexp", "max", "mean", "median", "min", "nelement", "norm", "numel", "pow", "prod",
    "square", "std", "sum", "var",
)  # fmt: skip


def _refusing(name: str) -> Any:
    def refuse(tensor: Any, *args: Any, **kwargs: Any) -> Any:
        raise UnimplementedError(
            f"{name} of a sharded tensor at {user_site()}: this rank has only some of its rows, so "
            "each rank would get another number. full_tensor() gives the whole tensor, on all "
            "ranks that call it; to_local() gives this rank's rows; whole_shape is its shape."
        )

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


class DTensor(Tensor):
    """Tensor of which this rank has some rows; its shape and values are those of the rows.

    What would silently be this rank's number, such as a norm, raises NotImplementedError.
    """

    __slots__ = ()

    __torch_function__ = disabled_torch_function_impl

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise UnimplementedError(
            "a sharded tensor cannot be pickled or copied: torch.distributed.checkpoint.save "
            "writes the shards of all ranks, full_tensor() gives the whole tensor to save"
        )

    @property
    def placements(self) -> tuple[Any, ...]:
        """How the tensor is laid out over the ranks."""
        return (Shard(0),)

    @property
    def whole_shape(self) -> tuple[int, ...]:
        """The shape of the whole tensor."""
        return self._how.shape

    @property
    def _how(self) -> Sharding:
        found = sharding_of(self)
        assert found is not None
        return found

    def to_local(self) -> Any:
        """Return this rank's rows as an ordinary tensor, which shares their memory.

        Returns:
            The tensor.
        """
        return new_tensor(self._array)

    def full_tensor(self) -> Any:
        """Return the whole tensor; all ranks of the group call it.

        Returns:
            A new tensor without history.
        """
        return new_tensor(self._how.gathered(self._array))


for _name in _OVER_ALL_ELEMENTS:
    setattr(DTensor, _name, _refusing(_name))


class ShardedParameter(Parameter, DTensor):
    """Parameter of which this rank has some rows."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return DTensor.__reduce_ex__(self, protocol)


def sharded_parameter(param: Any, sharding: Sharding) -> ShardedParameter:
    """Return this rank's rows of a parameter, in memory of their own."""
    part = new_tensor(param._array[sharding.mine].copy())
    made: Any = ShardedParameter(part, param.requires_grad)
    made._sharding = sharding
    return made


def sharded(array: Any, sharding: Sharding) -> Any:
    """Return a `DTensor` around this rank's rows."""
    made: Any = object.__new__(DTensor)
    made._array = array
    made._edge = made._storage = made._view = made._grad = made._extra = None
    made._sharding = sharding
    return made

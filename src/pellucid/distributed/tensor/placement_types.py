"""How a tensor is laid out along one dim of a mesh of ranks: cut, whole on each, or in summands."""

from __future__ import annotations

from pellucid.errors import ArgumentError

#: the ways in which the summands of a `Partial` tensor may be put together
REDUCTIONS = ("sum", "avg", "product", "max", "min")


class Placement:
    """A layout of a tensor along one dim of a mesh."""

    def is_shard(self, dim: int | None = None) -> bool:
        """Return whether the tensor is cut, along that dim if one is given.

        Args:
            dim: A dim of the tensor; any if None.
        """
        return False

    def is_replicate(self) -> bool:
        """Return whether every rank has the whole tensor."""
        return False

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Return whether the ranks' tensors have still to be reduced, in that way if one is given.

        Args:
            reduce_op: Name of a reduction; any if None.
        """
        return False


class Shard(Placement):
    """Placement of a tensor that is cut along a dim, into as many parts as there are ranks.

    All parts but the last ones are equally large; the last ones may be smaller, or empty.

    Args:
        dim: The dim of the tensor; a negative one counts from the end.

    >>> from pellucid.distributed.tensor import Shard
    >>> Shard(0) == Shard(dim=0), Shard(1).is_shard(0)
    (True, False)
    """

    def __init__(self, dim: int = 0) -> None:
        self.dim = dim

    def is_shard(self, dim: int | None = None) -> bool:
        """Return whether the tensor is cut along the dim.

        Args:
            dim: A dim of the tensor; any if None.
        """
        return dim is None or self.dim == dim

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Shard) and other.dim == self.dim

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.dim))

    def __repr__(self) -> str:
        return f"Shard(dim={self.dim})"

    def __str__(self) -> str:
        return f"S({self.dim})"


class _StridedShard(Shard):
    """Placement of a tensor that later dims of the mesh have cut along the same dim before.

    It arises where `fully_shard` cuts what tensor parallelism has cut already.

    Args:
        dim: The dim of the tensor.
        split_factor: Into how many parts the later dims of the mesh cut it.
    """

    def __init__(self, dim: int = 0, *, split_factor: int = 1) -> None:
        super().__init__(dim)
        self.split_factor = split_factor

    def __eq__(self, other: object) -> bool:
        same = super().__eq__(other)
        return same and isinstance(other, _StridedShard) and other.split_factor == self.split_factor

    def __hash__(self) -> int:
        return hash(("_StridedShard", self.dim, self.split_factor))

    def __repr__(self) -> str:
        return f"_StridedShard(dim={self.dim}, sf={self.split_factor})"

    def __str__(self) -> str:
        return f"_S({self.dim}, {self.split_factor})"


class Replicate(Placement):
    """Placement of a tensor that every rank has in whole."""

    def is_replicate(self) -> bool:
        """Return True."""
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Replicate)

    def __hash__(self) -> int:
        return hash("Replicate")

    def __repr__(self) -> str:
        return "Replicate()"

    def __str__(self) -> str:
        return "R"


class Partial(Placement):
    """Placement of a tensor that is the reduction of the ranks' tensors, which is still to be done.

    Args:
        reduce_op: ``"sum"``, ``"avg"``, ``"product"``, ``"max"`` or ``"min"``.

    Raises:
        ValueError: For any other reduction.
    """

    def __init__(self, reduce_op: str = "sum") -> None:
        if reduce_op not in REDUCTIONS:
            raise ArgumentError(
                f"Partial: reduce_op must be one of {', '.join(REDUCTIONS)}, not {reduce_op!r}"
            )
        self.reduce_op = reduce_op

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Return whether the reduction is the one asked for.

        Args:
            reduce_op: Name of a reduction; any if None.
        """
        return reduce_op is None or self.reduce_op == reduce_op

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Partial) and other.reduce_op == self.reduce_op

    def __hash__(self) -> int:
        return hash(("Partial", self.reduce_op))

    def __repr__(self) -> str:
        return f"Partial({self.reduce_op})"

    def __str__(self) -> str:
        return f"P({self.reduce_op})"

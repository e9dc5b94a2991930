"""`DTensor`: a whole tensor of which each rank of a mesh has a part."""

from __future__ import annotations

import copy
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, cast

import numpy as np

from pellucid.autograd.node import Node, RemovableHandle
from pellucid.autograd.variable import Edge, TensorBase
from pellucid.device import cpu_device, device
from pellucid.distributed.tensor import redistribute
from pellucid.distributed.tensor.placement_types import Placement, Replicate
from pellucid.distributed.tensor.spec import Placements, Spec, checked_placements
from pellucid.dtypes import dtype as dtype_class
from pellucid.dtypes import from_numpy_dtype
from pellucid.errors import ArgumentError, ArgumentTypeError, GraphError, ShapeError
from pellucid.kernels import meta
from pellucid.ops.shape import views
from pellucid.processes.collectives import broadcast
from pellucid.processes.mesh import DeviceMesh, mesh_of_all
from pellucid.shapes import Size
from pellucid.tensors import Tensor

# Note [Whole tensors]
# A DTensor is a view of all ranks: its shape, its norms, its elements are those of the whole. The
# class has two members: the rank's own part, an ordinary tensor, and what that is a part of. The
# array that other tensors have their values in has none here (`pellucid.kernels.meta`), but the
# whole's shape, dtype and strides, so that whatever asks for these is told right and whatever asks
# for values by itself is refused.
#
# An op of DTensors becomes the op of their parts, after exchanges that bring these into layouts in
# which that is right: `rules` say which. So the graph is that of the parts, with each exchange a
# node, and the derivatives of parts and exchanges make up that of the whole. Note [Exchanges and
# their transposes] in `pellucid.processes.exchanges` says why.


class DTensor(Tensor):
    """A tensor that is spread over the ranks of a mesh, and that looks whole on each of them.

    It is made by `distribute_tensor`, by `DTensor.from_local` or by ``fully_shard``. All ranks of
    the mesh make the same calls: what an operation needs of other ranks' parts is exchanged, and an
    operation for which there is no rule raises NotImplementedError.

    >>> from pellucid.distributed.tensor import Shard, distribute_tensor, init_device_mesh
    >>> torch.distributed.init_process_group(world_size=1, rank=0)
    >>> mesh = init_device_mesh("cpu", (1,))
    >>> x = distribute_tensor(torch.arange(4.0), mesh, [Shard(0)])
    >>> x.shape, x.to_local(), x.sum().item()
    (torch.Size([4]), tensor([0., 1., 2., 3.]), 6.0)
    >>> torch.distributed.destroy_process_group()
    """

    __slots__ = ("_copied", "_local", "_spec")

    _local: Any
    _spec: Spec
    #: whether it looks like a view, and is a copy that had to be gathered
    _copied: bool
    #: a DTensor is not a view of another; its part may be one
    _view = None

    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        from pellucid.distributed.tensor.dispatch import call_function

        return call_function(func, types, args, kwargs or {})

    # ---- what it is -------------------------------------------------------------------------

    @property
    def shape(self) -> Size:
        """The sizes of the whole tensor."""
        return Size(self._spec.shape)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._spec.shape)

    def dim(self) -> int:
        """Return the number of dimensions."""
        return len(self._spec.shape)

    @property
    def dtype(self) -> dtype_class:
        """The type of the elements."""
        return from_numpy_dtype(self._array.dtype)

    @property
    def device(self) -> device:
        """Where the parts are."""
        return self._local.device

    @property
    def is_cpu(self) -> bool:
        """Whether the parts are on the CPU."""
        return self._local.device == cpu_device

    @property
    def is_meta(self) -> bool:
        """Whether the parts have no values."""
        return self._local.is_meta

    @property
    def device_mesh(self) -> DeviceMesh:
        """The ranks that have parts."""
        return self._spec.mesh

    @property
    def placements(self) -> Placements:
        """How the tensor is laid out along each dim of the mesh."""
        return self._spec.placements

    # ---- from parts, and to parts -----------------------------------------------------------

    @staticmethod
    def from_local(
        local_tensor: Any, device_mesh: Any = None, placements: Sequence[Placement] | None = None,
        *, run_check: bool = False, shape: Any = None, stride: Any = None,
    ) -> DTensor:  # fmt: skip
        """Return the tensor of which each rank gives its part; the parts keep their history.

        Args:
            local_tensor: This rank's part.
            device_mesh: The ranks; all of them if None.
            placements: How the parts make up the tensor, along each dim of the mesh; each rank has
                it whole if None.
            run_check: Whether replicated parts are copied from the first rank.
            shape: Shape of the whole; where None, all parts are as large as this one.
            stride: Accepted for compatibility; follows from the shape.

        Raises:
            TypeError: If ``local_tensor`` is not an ordinary tensor.
            ValueError: If the placements do not fit the mesh or the tensor.
            RuntimeError: If the part has not the shape that follows from ``shape``.
        """
        if not isinstance(local_tensor, Tensor) or isinstance(local_tensor, DTensor):
            raise ArgumentTypeError(
                f"from_local needs a torch.Tensor, not {type(local_tensor).__name__}"
            )
        mesh = mesh_or_all(device_mesh)
        placed = checked_placements(placements, mesh, local_tensor.ndim)
        part = views.view(local_tensor, local_tensor.shape)
        if run_check:
            part = _first_ranks(part, mesh, placed)
        if shape is None:
            sizes = list(part.shape)
            for number, each in enumerate(placed):
                if each.is_shard():
                    sizes[cast("Any", each).dim] *= mesh.shape[number]
            shape = sizes
        spec = Spec(mesh, placed, tuple(shape))
        if shape is not None and spec.local_shape != tuple(part.shape):
            raise ShapeError(
                f"from_local: a tensor of shape {list(shape)} with placements {placed} has a part "
                f"of shape {list(spec.local_shape)} here, not {list(part.shape)}"
            )
        return wrapped(part, spec)

    def to_local(self, *, grad_placements: Sequence[Placement] | None = None) -> Any:
        """Return this rank's part, an ordinary tensor that shares its memory and history.

        Args:
            grad_placements: What the ranks' gradients of their parts are placements of; that of the
                tensor if None. ``Partial()`` for a whole tensor of which each rank makes something
                else: its gradient is then the sum.

        Returns:
            The part.
        """
        part = views.view(self._local, self._local.shape)
        if grad_placements is None:
            return part
        wanted = checked_placements(grad_placements, self.device_mesh, self.ndim)
        return redistribute.with_gradient_in(part, self._spec, wanted)

    def full_tensor(self, *, grad_placements: Sequence[Placement] | None = None) -> Any:
        """Return the whole tensor, on all ranks; all ranks of the mesh call it.

        Args:
            grad_placements: As for `to_local`, of the whole tensor's gradient.

        Returns:
            An ordinary tensor; gradients flow back to the parts.
        """
        whole = (Replicate(),) * self.device_mesh.ndim
        return self.redistribute(placements=whole).to_local(grad_placements=grad_placements)

    def redistribute(
        self, device_mesh: Any = None, placements: Sequence[Placement] | None = None, *,
        async_op: bool = False, forward_dtype: Any = None, backward_dtype: Any = None,
    ) -> DTensor:  # fmt: skip
        """Return the tensor in another layout; all ranks of the mesh call it.

        Args:
            device_mesh: The same mesh, or None.
            placements: The wanted placement along each dim of the mesh.
            async_op: Accepted for compatibility; the exchange is over when it returns.
            forward_dtype: Dtype in which parts are exchanged; that of the tensor if None.
            backward_dtype: Accepted for compatibility; gradients have the dtype of the tensor.

        Returns:
            The tensor; gradients flow back by the transposed exchanges.

        Raises:
            RuntimeError: Without placements.
            ValueError: For another mesh, or placements that do not fit.
        """
        if device_mesh is not None and device_mesh != self.device_mesh:
            raise ArgumentError("redistribute: cross device mesh comm is not supported")
        if placements is None:
            raise GraphError("placements is needed for redistribute!")
        wanted = checked_placements(placements, self.device_mesh, self.ndim)
        for old, new in zip(self.placements, wanted, strict=True):
            if new.is_partial() and old != new:
                raise GraphError(
                    f"Can not redistribute from {old!r} to {new!r}: only redistributing from "
                    "Partial is allowed"
                )
        source: Any = self if forward_dtype is None else self.to(forward_dtype)
        return source._moved(wanted)

    def _moved(self, placements: Placements) -> DTensor:
        """Return the tensor in another layout, checked or chosen by a rule."""
        if placements == self._spec.placements:
            return self
        part = redistribute.redistributed(self._local, self._spec, placements)
        return wrapped(part, self._spec.with_placements(placements), self._array)

    def placed_like(self, whole: Any) -> Any:
        """Return a plain tensor that all ranks have, of this shape or one that broadcasts to it."""
        ahead = self.ndim - whole.ndim
        placements = tuple(
            Replicate() if not each.is_shard() or (dim := cast("Any", each).dim - ahead) < 0
            or whole.shape[dim] == 1
            else each
            for each in self.placements
        )  # fmt: skip
        spec = Spec(self.device_mesh, placements, tuple(whole.shape))
        return wrapped(whole[spec.local_index], spec)

    def spread_like(self, whole: Any) -> DTensor:
        """Return a plain tensor of this shape, which all ranks have, spread like this one."""
        spec = self._spec.of_gradient
        return wrapped(whole[spec.local_index].clone(), spec)

    def whole_like(self, value: Any) -> Any:
        """Return a tensor of the shape of this one's part as a part; other values as they are."""
        if not isinstance(value, Tensor) or value.shape != self._local.shape or not self.ndim:
            return value
        return value if isinstance(value, DTensor) else wrapped(value, self._spec)

    def part_like(self, value: Any) -> Any:
        """Return the part of a tensor that is spread like this one; other values as they are."""
        if isinstance(value, DTensor):
            return value._moved(self._spec.placements)._local
        if not isinstance(value, Tensor) or value.shape != self.shape or not self.ndim:
            return value
        return value[self._spec.local_index].clone()

    @staticmethod
    def norm_of_all(tensors: list[Any], order: float) -> float:
        """Return the norm of several DTensors, taken together as one vector."""
        from pellucid.distributed.tensor.norms import norm_of_all

        return norm_of_all(tensors, order)

    # ---- its values -------------------------------------------------------------------------

    def item(self) -> Any:
        """Return the one element as a number, on all ranks; all ranks of the mesh call it."""
        if self._array.size != 1:
            raise ShapeError(
                f"a Tensor with {self._array.size} elements cannot be converted to Scalar"
            )
        return self.full_tensor().item()

    def __bool__(self) -> bool:
        if self._array.size != 1:
            what = "more than one value" if self._array.size else "no values"
            raise ShapeError(f"Boolean value of Tensor with {what} is ambiguous")
        return bool(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    __index__ = __int__

    def tolist(self) -> Any:
        """Return the elements of the whole as nested lists; all ranks of the mesh call it."""
        return self.full_tensor().tolist()

    def numpy(self, *, force: bool = False) -> NoReturn:
        """Raise TypeError: this rank has only a part of the elements."""
        raise ArgumentTypeError(
            "can't convert a DTensor to numpy: this rank has a part of it only. "
            "full_tensor().numpy() gives the whole, to_local().numpy() this rank's part."
        )

    def __array__(self, *args: Any, **options: Any) -> NoReturn:
        return self.numpy()

    def __repr__(self) -> str:
        return (
            f"DTensor(local_tensor={self._local!r}, device_mesh={self.device_mesh}, "
            f"placements={self.placements})"
        )

    def __hash__(self) -> int:
        return id(self)

    def _repr_html_(self) -> None:
        return None

    # ---- its history ------------------------------------------------------------------------

    @property
    def _edge(self) -> Edge | None:
        return self._local.edge

    @property
    def edge(self) -> Edge | None:
        return self._local.edge

    @property
    def _storage(self) -> Any:
        return self._local._storage

    @_storage.setter
    def _storage(self, value: Any) -> None:
        self._local._storage = value

    @property
    def _extra(self) -> Any:
        return self._local._extra

    @_extra.setter
    def _extra(self, value: Any) -> None:
        self._local._extra = value

    @property
    def _version(self) -> int:
        """How often the part has been changed in place."""
        return self._local._version

    @property
    def requires_grad(self) -> bool:
        """Whether gradients are computed for the tensor."""
        return self._local.requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self._local.requires_grad = value

    def requires_grad_(self, requires_grad: bool = True) -> DTensor:
        """Switch the recording of operations on the tensor on, or for a leaf off.

        Args:
            requires_grad: Whether operations on the tensor are recorded.
        """
        self._local.requires_grad_(requires_grad)
        return self

    def _switch_recording(self, requires_grad: bool) -> DTensor:
        self._local._switch_recording(requires_grad)
        return self

    @property
    def grad_fn(self) -> Node | None:
        """The node that made the part; ``None`` for a leaf."""
        return self._local.grad_fn

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation made the part."""
        return self._local.is_leaf

    @property
    def output_nr(self) -> int:
        """Which output of ``grad_fn`` the part is."""
        return self._local.output_nr

    @property
    def held(self) -> Any:
        """This rank's part."""
        return self._local

    def in_own_form(self, gradient: Any) -> DTensor:
        """Return a gradient of the part as that of the tensor."""
        return wrapped(gradient, self._spec.of_gradient, self._array)

    def of_values(self, gradient: Any) -> Any:
        """Return a gradient of the tensor as that of the part.

        Raises RuntimeError for another shape, TypeError for a plain tensor with dims.
        """
        if not isinstance(gradient, Tensor):
            return gradient
        if not isinstance(gradient, DTensor):
            if self.ndim and not self._spec.of_gradient.is_whole:
                raise ArgumentTypeError(
                    "the gradient of a DTensor is a DTensor: distribute_tensor makes one of a "
                    "tensor that all ranks have"
                )
            return gradient
        if gradient.shape != self.shape:
            raise ShapeError(
                f"Mismatch in shape: the gradient has a shape of {gradient.shape} and the tensor "
                f"has a shape of {self.shape}"
            )
        spread: Any = gradient
        return spread._moved(self._spec.of_gradient.placements)._local

    @property
    def _grad(self) -> DTensor | None:
        held = self._local._grad
        return None if held is None else self.in_own_form(held)

    @_grad.setter
    def _grad(self, value: Any) -> None:
        self._local._grad = None if value is None else self.of_values(value)

    @property
    def grad(self) -> DTensor | None:
        """The gradient that backward passes have added up so far, spread like the tensor."""
        held = self._local.grad
        return None if held is None else self.in_own_form(held)

    @grad.setter
    def grad(self, value: Any) -> None:
        self._local.grad = None if value is None else self.of_values(value)

    @grad.deleter
    def grad(self) -> None:
        self._local._grad = None

    def retain_grad(self) -> None:
        """Make backward fill ``.grad`` although this is not a leaf."""
        self._local.retain_grad()

    @property
    def retains_grad(self) -> bool:
        """Whether ``.grad`` is filled although this is not a leaf."""
        return self._local.retains_grad

    def register_hook(self, hook: Callable[[Any], Any]) -> RemovableHandle:
        """Call ``hook(grad)`` with a DTensor when the gradient is known; its result replaces it.

        Args:
            hook: The function.
        """
        form = weakref.ref(self)
        spec, array = self._spec, self._array

        def of_part(gradient: Any) -> Any:
            result = hook(wrapped(gradient, spec.of_gradient, array))
            owner = form()
            return result if result is None or owner is None else owner.of_values(result)

        return self._local.register_hook(of_part)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Any], None]) -> RemovableHandle:
        """Call ``hook(self)`` after a backward pass has added to ``.grad`` of this leaf.

        Args:
            hook: The function.
        """
        form = weakref.ref(self)

        def of_part(_: Any) -> None:
            owner = form()
            if owner is not None:
                hook(owner)

        return self._local.register_post_accumulate_grad_hook(of_part)

    def backward(
        self, gradient: Any = None, retain_graph: Any = None, create_graph: bool = False,
        inputs: Any = None, atomic: bool = False,
    ) -> None:  # fmt: skip
        """Go backward from the tensor; all ranks of the mesh do so.

        Args:
            gradient: Gradient of the result with respect to this tensor, a DTensor; one if None.
            retain_graph: Whether what nodes saved is kept.
            create_graph: Whether gradients are recorded.
            inputs: Tensors that get a gradient; all leaves if None.
            atomic: Whether either all gradients are written or none.
        """
        if gradient is None and self._array.size != 1:
            raise GraphError("grad can be implicitly created only for scalar outputs")
        self._local.backward(self.of_values(gradient), retain_graph, create_graph, inputs, atomic)

    def detach(self) -> DTensor:
        """Return a tensor with the same parts and no history."""
        return wrapped(self._local.detach(), self._spec, self._array)

    def detach_(self) -> DTensor:
        """Cut this tensor off its history."""
        self._local.detach_()
        return self

    @property
    def data(self) -> DTensor:
        """The values with no history, and with a version of their own."""
        return wrapped(self._local.data, self._spec, self._array)

    @data.setter
    def data(self, value: Any) -> None:
        if not isinstance(value, DTensor):
            raise ArgumentTypeError(
                f".data of a DTensor is a DTensor, not {type(value).__name__}: distribute_tensor "
                "makes one"
            )
        self._local.data = value._local
        self._spec, self._array = value._spec, value._array

    # ---- copies and pickles -----------------------------------------------------------------

    def __deepcopy__(self, memo: dict[int, Any]) -> DTensor:
        if id(self) not in memo:
            made = wrapped(copy.deepcopy(self._local, memo), self._spec, self._array)
            made.__dict__.update(copy.deepcopy(self.__dict__, memo))
            memo[id(self)] = made
        return memo[id(self)]

    def __copy__(self) -> DTensor:
        made = wrapped(copy.copy(self._local), self._spec, self._array)
        made.__dict__.update(self.__dict__)
        return made

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        how = (self.device_mesh, self.placements, tuple(self.shape))
        return _restored, (self._local, *how, dict(self.__dict__))


_SLOTS: tuple[Any, ...] = tuple(
    TensorBase.__dict__[name] for name in ("_edge", "_storage", "_view", "_grad", "_extra")
)


def wrapped(part: Any, spec: Spec, array: Any = None) -> DTensor:
    """Return the tensor of which this rank has a part; ``array`` tells strides, if they matter."""
    made: Any = object.__new__(DTensor)
    for slot in _SLOTS:  # which the compiled module reads
        slot.__set__(made, None)
    made._local = part
    made._spec = spec
    made._copied = False
    dtype = part._array.dtype
    if array is None or array.dtype != dtype:
        array = meta.empty(spec.shape, dtype)
    made._array = array
    return made


def _restored(
    part: Any, mesh: DeviceMesh, placements: Placements, shape: tuple[int, ...],
    attributes: dict[str, Any],
) -> DTensor:  # fmt: skip
    """Make a tensor from what a pickle holds."""
    made = wrapped(part, Spec(mesh, placements, shape))
    made.__dict__.update(attributes)
    return made


def mesh_or_all(mesh: Any) -> DeviceMesh:
    """Return a mesh, that of all ranks if None."""
    return mesh_of_all() if mesh is None else mesh


def _first_ranks(part: Any, mesh: DeviceMesh, placements: Placements) -> Any:
    """Return a part with those that all ranks should have copied from the first of them."""
    for number, each in enumerate(placements):
        if each.is_replicate() and mesh.shape[number] > 1:
            part = part.detach().clone()
            part._array = np.array(part._array, order="C")
            broadcast(part, group=mesh.get_group(number), group_src=0)
    return part

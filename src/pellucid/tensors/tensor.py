"""The tensor: identity, storage and history; its operations are borrowed from `pellucid.ops`."""

from __future__ import annotations

import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from pellucid import dtypes
from pellucid._native import in_front
from pellucid.autograd.backward import backward
from pellucid.autograd.cuts import note_cut
from pellucid.autograd.forward_ad import tangent_of
from pellucid.autograd.modes import modes
from pellucid.autograd.node import (
    AccumulateGrad,
    Node,
    RemovableHandle,
    UndefinedGrad,
    add_hook,
    leaf_edge,
    node_extra,
    renew_leaf_edge,
    set_make_leaf,
)
from pellucid.autograd.saved import storage_version
from pellucid.autograd.short_tracebacks import shorten
from pellucid.autograd.sites import user_stacklevel
from pellucid.autograd.variable import (
    Edge,
    TensorBase,
    extra_of,
    grad_dtype_of,
    is_inference,
    leave_base,
    rebind_leaf,
    storage_of,
)
from pellucid.core.backward.history import edge_of, requires_grad
from pellucid.core.backward.node_backward import base_of
from pellucid.core.call import compiled, overriding
from pellucid.core.call.attributes import attributes, prepare_subclass
from pellucid.core.call.call import new_tensor
from pellucid.core.from_above import from_above
from pellucid.core.memory.memory_formats import sparse_coo, strided
from pellucid.device import cpu_device, device, meta_device
from pellucid.dtypes import dtype
from pellucid.errors import ArgumentTypeError, GraphError, ShapeError, ViewInplaceError
from pellucid.kernels.meta import is_meta
from pellucid.observe import slow_path
from pellucid.ops.linalg.matmul import c_name
from pellucid.ops.shape import views
from pellucid.shapes import Size
from pellucid.tensors import conversions, new_tensors
from pellucid.tensors.methods import Operations
from pellucid.tensors.shared_memory import let_multiprocessing_share_class

_LEAF_GRAD_WARNING = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
    "attribute won't be populated during autograd.backward(). If you indeed want the .grad field "
    "to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you "
    "access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. See "
    "github.com/pytorch/pytorch/pull/30531 for more informations."
)


def _in_class(result: Any, cls: type[Any]) -> Any:
    """Return a result with its tensors as tensors of the class."""
    if isinstance(result, Tensor):
        return result if cls is Tensor or isinstance(result, cls) else result.as_subclass(cls)
    if isinstance(result, tuple | list):
        parts = [_in_class(each, cls) for each in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


def _text_of_tangent(tensor: Any) -> str | None:
    """Return the tangent of a dual tensor as it is printed; None for any other."""
    tangent = tangent_of(tensor)
    return None if tangent is None else repr(tangent)


class Tensor(Operations):
    """An array of numbers, and the history of how it was computed.

    Args:
        args: Sizes, or nested lists of values, or a tensor; `tensor` is the usual way to make one.
        options: ``device`` and, for subclasses, keyword arguments of their own.

    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    __slots__ = ()
    __array_priority__ = 1000  # NumPy arrays leave mixed arithmetic to the tensor

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        prepare_subclass(cls, Tensor)
        let_multiprocessing_share_class(cls)

    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Call a function of the package, and return tensors of this class.

        Subclasses that replace it take over the functions that are given their tensors. Returns
        NotImplemented where an argument belongs to a class that is none of this one's bases.
        """
        if not all(issubclass(cls, each) for each in types):
            return NotImplemented
        with overriding.DisableTorchFunctionSubclass():
            result = func(*args, **(kwargs or {}))
        return result if func == Tensor.grad.__get__ else _in_class(result, cls)

    # ---- what it is -------------------------------------------------------------------------

    @property
    @in_front("shape")
    def shape(self) -> Size:
        """The sizes, one per dimension."""
        return Size(self._array.shape)

    @property
    def dtype(self) -> dtype:
        """The type of the elements."""
        return dtypes.from_numpy_dtype(self._array.dtype)

    @property
    def device(self) -> device:
        """Where the elements are: on the CPU, or on ``meta``, where there are none."""
        return meta_device if is_meta(self._array) else cpu_device

    @property
    def held(self) -> Any:
        """The tensor whose array has the values: the tensor itself, unless it has parts."""
        return self

    # ---- its history ------------------------------------------------------------------------

    @property
    def edge(self) -> Edge | None:
        return edge_of(self)

    @property
    def requires_grad(self) -> bool:
        """Whether gradients are computed for this tensor."""
        return requires_grad(self)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise GraphError(f"requires_grad must be a bool, not {type(value).__name__}")
        if not self.is_leaf:
            detaching = (
                "" if value else " If you want to use a computed variable in a subgraph that "
                "doesn't require differentiation use var_no_grad = var.detach()."
            )  # fmt: skip
            raise GraphError(
                f"you can only change requires_grad flags of leaf variables.{detaching}"
            )
        if value and not dtypes.is_differentiable(self._array.dtype):
            raise GraphError(
                "only Tensors of floating point and complex dtype can require gradients\n"
                f"  This one is {self.dtype}."
            )
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Switch the recording of operations on this tensor on, or for a leaf off.

        Raises RuntimeError for a dtype that is neither floating point nor complex, and for
        switching off a tensor that a recorded operation made.

        Args:
            requires_grad: Whether operations on the tensor are recorded.
        """
        if modes.transforms or modes.batch_levels:
            raise GraphError(
                "You are attempting to call Tensor.requires_grad_() (or perhaps using "
                "torch.autograd.functional.* APIs) inside of a function being transformed by a "
                "functorch transform. This is unsupported, please attempt to use the functorch "
                "transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call requires_grad_() "
                "outside of a function being transformed instead."
            )
        return self._switch_recording(requires_grad)

    def _switch_recording(self, requires_grad: bool) -> Tensor:
        """Do what `requires_grad_` does, inside transforms too."""
        if not isinstance(requires_grad, bool):
            raise ArgumentTypeError(
                "requires_grad_(): argument 'requires_grad' (position 1) must be bool, not "
                f"{type(requires_grad).__name__}"
            )
        known = requires_grad and self._edge is not None  # then nothing has to be looked up
        try:
            edge = self._edge if known else edge_of(self)
        except ViewInplaceError:
            if requires_grad:
                return self  # which requires grad already
            raise
        if edge is not None and not isinstance(edge[0], AccumulateGrad):
            if not requires_grad:
                raise GraphError(
                    "you can only change requires_grad flags of leaf variables. If you want to use "
                    "a computed variable in a subgraph that doesn't require differentiation use "
                    "var_no_grad = var.detach()."
                )
            return self
        if requires_grad and not dtypes.is_differentiable(self._array.dtype):
            raise GraphError(
                "only Tensors of floating point dtype can require gradients\n"
                f"  This one is {self.dtype}; complex ones can, too."
            )
        if requires_grad and is_inference(self) and not modes.inference:
            raise GraphError(
                "Setting requires_grad=True on inference tensor outside InferenceMode is not "
                "allowed."
            )
        if not requires_grad:
            self._edge = None
        elif edge is None or isinstance(edge[0], UndefinedGrad):
            self._edge = leaf_edge(self)
            if is_inference(self):  # `pellucid.core.call.call.record` asks where it is used
                slow_path.need_for_life_of(self)
        return self

    @property
    def grad_fn(self) -> Node | None:
        """The node that made this tensor; ``None`` for a leaf."""
        recording = modes.grad_enabled
        modes.grad_enabled = True  # whoever asks is told of a history that is wrong by now
        try:
            edge = edge_of(self)
        finally:
            modes.grad_enabled = recording
        if edge is None or isinstance(edge[0], AccumulateGrad):
            return None
        extra = self._extra
        return edge[0].shown() if extra is None or not extra.begins_level else None

    @property
    def output_nr(self) -> int:
        """Which output of ``grad_fn`` this tensor is."""
        edge = self._edge
        return 0 if edge is None else edge[1]

    @property
    def name(self) -> None:
        """``None``: tensors have no names."""
        return None

    @property
    def volatile(self) -> bool:
        """``False``, with a warning: `no_grad` has taken its place."""
        warnings.warn(
            "volatile was removed (Variable.volatile is always False)",
            UserWarning,
            stacklevel=user_stacklevel(),
        )
        return False

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation made this tensor."""
        return self.grad_fn is None

    @property
    def grad(self) -> Tensor | None:
        """The gradient that backward passes have added up so far."""
        grad = self._grad
        if grad is None and self._has_maker() and not self.retains_grad:
            warnings.warn(_LEAF_GRAD_WARNING, UserWarning, stacklevel=2)
        return grad

    def _has_maker(self) -> bool:
        """Return whether a recorded operation made this tensor, if that can be told."""
        try:
            return not self.is_leaf
        except ViewInplaceError:
            return False

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            self._check_grad(value)
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    def _check_grad(self, value: Any) -> None:
        if not isinstance(value, Tensor):
            raise ArgumentTypeError(
                "assigned grad expected to be a Tensor or None but got grad of type "
                f"{type(value).__name__}"
            )
        if value is self:
            raise GraphError("can't assign Variable as its own grad")
        wanted = grad_dtype_of(self.held)
        if wanted is not None and value.dtype is not dtypes.from_numpy_dtype(wanted):
            raise GraphError(
                f"attempting to assign a gradient with dtype '{c_name(value.dtype.numpy)}' to a "
                f"tensor with grad_dtype '{dtypes.scalar_name(wanted)}'. The gradient must match "
                "the tensor's grad_dtype (defaults to the tensor's dtype). You can set the "
                "tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. "
                "Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient "
                "may break downstream systems that assume they match."
            )
        if value.device.type != self.device.type:
            raise GraphError(
                f"attempting to assign a gradient with device type '{value.device.type}' to a "
                f"tensor with device type '{self.device.type}'. Please ensure that the gradient "
                "and the tensor are on the same device"
            )
        layouts = {value.layout, self.layout}
        is_other = len(layouts) == 2 and not layouts.isdisjoint({strided, sparse_coo})
        if is_other and value.layout is not sparse_coo:
            raise GraphError(
                "attempting to assign a gradient to a tensor that has data of a different type: "
                f"layout {value.layout} for {self.layout}"
            )
        if value.shape != self.shape:
            raise ShapeError(
                f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of "
                f"size '{list(self.shape)}'. Please ensure that the gradient and the tensor are "
                "the same size"
            )

    @property
    def grad_dtype(self) -> dtype | None:
        """The dtype that gradients of a leaf are converted to; None where they keep their own.

        It is the leaf's dtype as long as no other is set. Raises RuntimeError for a tensor that is
        not a leaf, and when a dtype is set that ``.grad`` does not have.

        >>> x = torch.ones(2, requires_grad=True)
        >>> x.grad_dtype = torch.float64
        >>> x.sum().backward()
        >>> x.grad
        tensor([1., 1.], dtype=torch.float64)
        """
        if not self.is_leaf:
            raise GraphError("grad_dtype can only be accessed on leaf tensors.")
        found = grad_dtype_of(self)
        return None if found is None else dtypes.from_numpy_dtype(found)

    @grad_dtype.setter
    def grad_dtype(self, value: dtype | None) -> None:
        if not self.is_leaf:
            raise GraphError("grad_dtype can only be set on leaf tensors.")
        if value is not None and not isinstance(value, dtype):
            raise GraphError(
                f"grad_dtype must be a torch.dtype or None, but got {type(value).__name__}"
            )
        held = self._grad
        if value is not None and held is not None and held.dtype != value:
            raise GraphError(
                f"Cannot set grad_dtype to '{dtypes.scalar_name(value.numpy)}' because there is "
                f"already a gradient with dtype '{c_name(held._array.dtype)}'. Please clear the "
                "gradient (.grad = None) before changing grad_dtype, or ensure the new grad_dtype "
                "matches the existing gradient's dtype."
            )
        extra_of(self).grad_dtype = (None if value is None else value.numpy,)
        rebind_leaf(self)

    @property
    def retains_grad(self) -> bool:
        """Whether ``.grad`` is filled although this is not a leaf."""
        edge = self._edge
        if edge is None or isinstance(edge[0], AccumulateGrad) or edge[0].extra is None:
            return False
        reference = edge[0].extra.retained.get(edge[1])
        return reference is not None and reference() is self

    @property
    def _backward_hooks(self) -> OrderedDict[int, Any] | None:
        """The hooks on the gradient, by their numbers; ``None`` if there are none."""
        edge = self._edge
        extra = None if edge is None else edge[0].extra
        hooks = None if extra is None else extra.tensor_hooks.get(edge[1])  # pyright: ignore[reportOptionalSubscript]
        return OrderedDict(hooks) if hooks else None

    def retain_grad(self) -> None:
        """Make backward fill ``.grad`` of this tensor although it is not a leaf.

        Raises RuntimeError if it does not require grad.

        >>> h = torch.ones(2, requires_grad=True) * 3
        >>> h.retain_grad()
        >>> h.sum().backward()
        >>> h.grad
        tensor([1., 1.])
        """
        try:
            edge = edge_of(self)
        except ViewInplaceError:
            if self._edge is None or isinstance(self._edge[0], AccumulateGrad):
                return  # a leaf, for PyTorch
            raise
        if edge is None:
            raise GraphError("can't retain_grad on Tensor that has requires_grad=False")
        if not isinstance(edge[0], AccumulateGrad):
            node_extra(edge[0]).retained[edge[1]] = weakref.ref(self)

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Call ``hook(grad)`` when the gradient of this tensor is known; its result replaces it.

        Raises RuntimeError if the tensor does not require grad.
        """
        edge = edge_of(self)
        if edge is None:
            raise GraphError("cannot register a hook on a tensor that doesn't require gradient")
        return add_hook(node_extra(edge[0]).tensor_hooks.setdefault(edge[1], {}), hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call ``hook(self)`` after a backward pass has added to ``.grad`` of this leaf.

        Raises RuntimeError for a tensor that does not require grad, or is not a leaf.
        """
        edge = edge_of(self)
        if edge is None:
            raise GraphError("cannot register a hook on a tensor that doesn't require gradient")
        if not isinstance(edge[0], AccumulateGrad):
            raise GraphError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        return add_hook(node_extra(edge[0]).post_accumulate_hooks, hook)

    def backward(
        self, gradient: Any = None, retain_graph: Any = None, create_graph: bool = False,
        inputs: Any = None, atomic: bool = False,
    ) -> None:  # fmt: skip
        """Add the gradient of this tensor to the ``.grad`` of the leaves it was computed from.

        See `pellucid.autograd.backward`.

        Args:
            gradient: Gradient of the result with respect to this tensor, in its shape; one if
                None.
            retain_graph: Whether what nodes saved is kept: True, or the tensors for which it is.
            create_graph: Whether gradients are recorded, so that they can be differentiated.
            inputs: Leaves and other tensors that get a gradient; all leaves if None.
            atomic: Whether either all gradients are written or none.

        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> x.grad
        tensor([2., 4.])
        """
        try:
            backward(self, gradient, retain_graph, create_graph, inputs=inputs, atomic=atomic)
        except Exception as error:
            shorten(error)
            raise

    def detach(self) -> Tensor:
        """Return a tensor with the same memory and no history.

        >>> x = torch.ones(2, requires_grad=True)
        >>> (x * 2).detach().requires_grad
        False
        """
        edge = self._edge
        if edge is not None and edge[0].edges:  # not for a leaf: the source tells as much of it
            note_cut("detach()", edge[0])
        result = cast("Tensor", new_tensor(self._array))
        result._storage = storage_of(self)
        return result

    def detach_(self) -> Tensor:
        """Cut this tensor off its history; raise RuntimeError for a view.

        In inference mode nothing happens, as nothing there is about a history.
        """
        if modes.inference:
            return self
        if self._view is not None:
            raise GraphError(
                "Can't detach views in-place. Use detach() instead. If you are using "
                "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as "
                "True, gradients are views of DDP buckets, and hence detach_() cannot be called on "
                "these gradients. To fix this error, please refer to the Optimizer.zero_grad() "
                "function in torch/optim/optimizer.py as a solution."
            )
        if self._edge is not None:
            note_cut("detach_()", self._edge[0])
        self._edge = None
        return self

    @property
    def data(self) -> Tensor:
        """The values with no history, and with a version of their own: changes are not noticed."""
        edge = self._edge
        if edge is not None and edge[0].edges:
            note_cut(".data", edge[0])
        return cast("Tensor", new_tensor(self._array))

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise ArgumentTypeError(
                f"Variable data has to be a tensor, but got {type(value).__name__}"
            )
        if self._edge is not None and not dtypes.is_differentiable(value._array.dtype):
            raise GraphError(
                "data set to a tensor that requires gradients must be floating point or complex "
                f"dtype; this one is {value.dtype}"
            )
        changes_dtype = self._array.dtype != value._array.dtype
        self._array = value._array
        leave_base(self)
        if is_inference(self):
            self._storage = None
        if changes_dtype and (self._edge is None or isinstance(self._edge[0], AccumulateGrad)):
            renew_leaf_edge(self)
        else:
            rebind_leaf(self)

    @property
    def _version(self) -> int:
        """How often the memory has been changed in place."""
        return storage_version(self._storage)

    # ---- its values -------------------------------------------------------------------------

    def numpy(self, *, force: bool = False) -> np.ndarray[Any, Any]:
        """Return the NumPy array behind the tensor, sharing memory.

        Raises RuntimeError for a tensor that requires grad, unless ``force``.
        """
        if modes.grad_enabled and self.requires_grad and not force:
            raise GraphError(
                "Can't call numpy() on Tensor that requires grad. "
                "Use tensor.detach().numpy() instead."
            )
        if is_meta(self._array):
            raise ArgumentTypeError(
                "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the "
                "tensor to host memory first."
            )
        if dtypes.is_unknown_to_numpy(self._array.dtype):
            name = dtypes.scalar_name(self._array.dtype)
            raise ArgumentTypeError(f"Got unsupported ScalarType {name}")
        return self._array

    def item(self) -> int | float | bool:
        """Return the one element as a Python number; raise RuntimeError for any other count."""
        if self._array.size != 1:
            raise ShapeError(
                f"a Tensor with {self._array.size} elements cannot be converted to Scalar"
            )
        return conversions.only_value(self)

    def __len__(self) -> int:
        if not self._array.ndim:
            raise ArgumentTypeError("len() of a 0-d tensor")
        return len(self._array)

    def __bool__(self) -> bool:
        if self._array.size != 1:
            size = self._array.size
            what = "no values" if not size else "more than one value"
            raise ShapeError(f"Boolean value of Tensor with {what} is ambiguous")
        return bool(conversions.only_value(self))

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        from pellucid.tensors import formatting

        cls = type(self)
        package = cls.__module__.partition(".")[0]
        own = cls is Tensor or (package in ("pellucid", "torch") and not cls._takes_over)
        with overriding.DisableTorchFunctionSubclass():
            text = formatting.format_tensor(
                self._array,
                dtype_name=str(self.dtype),
                default_dtype_name=str(dtypes.get_default_dtype()),
                requires_grad=requires_grad(self),
                grad_fn_name=self._made_by(),
                type_name="tensor" if own else cls.__name__,
                device="meta" if is_meta(self._array) else None,
                tangent=_text_of_tangent(self),
            )
        return f"Parameter({text})" if hasattr(self, "_is_param") else text

    def _repr_html_(self) -> str | None:
        """Return the values, or a histogram, for notebooks; None where a subclass has its text."""
        return self._html() if type(self).__repr__ is Tensor.__repr__ else None

    def _html(self) -> str:
        from pellucid.tensors.notebook import tensor_html

        made_by = self._made_by()
        text = "requires grad" if made_by is None else f"grad_fn {made_by}"
        dtype = str(self.dtype).removeprefix("torch.")
        return tensor_html(self._array, dtype, [text] if requires_grad(self) else [])

    def _made_by(self) -> str | None:
        """Return the name of the node that made the tensor."""
        try:
            node = self.grad_fn
        except ViewInplaceError:
            return "Invalid"
        return None if node is None else node.short_name()

    # ---- what it is and where: see pellucid.tensors.properties ------------------------------

    def __new__(cls, *args: Any, **options: Any) -> Any:
        return new_tensors.construct(cls, *args, **options)

    @staticmethod
    def _make_subclass(kind: type[Any], data: Any, require_grad: bool = False) -> Any:
        """Return the memory of a tensor as one of a subclass, without history."""
        made = data.detach().as_subclass(kind)
        with overriding.DisableTorchFunctionSubclass():  # its attributes are still to come
            return made.requires_grad_(require_grad)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    @property
    def itemsize(self) -> int:
        """The bytes of one element."""
        return self._array.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return self._array.nbytes

    @property
    def layout(self) -> Any:
        """How the elements are kept: ``torch.strided``."""
        return strided

    @property
    def _base(self) -> TensorBase | None:
        """The tensor that this one is a view of."""
        return base_of(self)

    @property
    def T(self) -> Tensor:
        """The tensor with its dimensions in reverse order."""
        return views.reversed_dims(self)

    @property
    def mT(self) -> Tensor:
        """The tensor with its last two dimensions exchanged."""
        return views.matrix_transpose(self)

    @property
    def H(self) -> Tensor:
        """The conjugate of a matrix, transposed."""
        if self.ndim not in (0, 2):
            instead = " For batches of matrices, consider using tensor.mH" if self.ndim > 2 else ""
            raise ShapeError(
                "tensor.H is only supported on matrices (2-D tensors). Got "
                f"{self.ndim}-D tensor.{instead}"
            )
        return views.conjugate_transpose(
            self, "tensor.H", "Tensor.H is {} Consider using x.conj()."
        )

    @property
    def mH(self) -> Tensor:
        """The conjugate with its last two dimensions exchanged."""
        return views.conjugate_transpose(
            self, "tensor.mH", "Tensor.mH is {} Consider using x.conj()."
        )

    @property
    def is_meta(self) -> bool:
        """Whether the tensor has no values, on the device ``meta``."""
        return is_meta(self._array)

    @property
    def is_cpu(self) -> bool:
        """Whether the elements are on the CPU."""
        return not is_meta(self._array)

    is_cuda = is_mps = is_xpu = is_sparse = is_quantized = is_mkldnn = is_nested = False
    is_sparse_csr = is_vulkan = is_ipu = is_xla = is_hpu = is_mtia = is_ort = is_maia = False


from_above.tensor = Tensor
attributes.cls = Tensor
compiled.set_up()


def _make_leaf(accumulate: AccumulateGrad) -> TensorBase:
    leaf = new_tensor(accumulate.value)
    leaf._storage = accumulate.storage
    leaf._edge = (accumulate, 0)
    return leaf


set_make_leaf(_make_leaf)

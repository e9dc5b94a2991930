"""The exceptions of pellucid: every class is also the builtin that PyTorch raises in its place.

    PellucidError
    ├── ShapeError            RuntimeError   shapes that do not match
    ├── DtypeError            RuntimeError   dtypes that do not match
    │   └── UnsupportedDtypeError            (NotImplementedError) no such operation for the dtype
    ├── DomainError           RuntimeError   values that the operation is not defined for
    │   └── LinAlgError                      a matrix without such a decomposition or solution
    ├── AllocationError       MemoryError and RuntimeError: there is not as much memory
    ├── DeviceError           AssertionError and RuntimeError: a device that is not here
    ├── DimensionError        IndexError     a dimension that the tensor does not have
    ├── IndexingError         IndexError     an index out of range, or of a kind that cannot index
    ├── ArgumentError         ValueError     a value that the argument does not take
    ├── ArgumentTypeError     TypeError      a type that the argument does not take
    │   └── NotATensorError                  (AttributeError) asked for what only tensors have
    ├── UnimplementedError    NotImplementedError  a method that the user has to write
    │   └── SparseLayoutError            (AttributeError) a sparse tensor where elements are needed
    └── GraphError            RuntimeError   recording or running the graph
        ├── FreedGraphError                  saved values are needed that an earlier backward freed
        ├── NoGraphError                     backward from a tensor without history
        ├── NonScalarError                   an implicit gradient for more than one element
        ├── UnusedInputError                 a tensor asked about is not in the graph
        ├── InvalidGradientError             a gradient of the wrong count, shape or dtype
        ├── AnomalyError                     NaN found while anomaly detection is on
        └── InplaceError                     an in-place change that autograd cannot follow
            ├── SavedModifiedError           a saved value was changed before it was needed
            ├── LeafInplaceError             a leaf that requires grad is changed in place
            └── ViewInplaceError             a view that must not be changed in place

The docstring of each class is its help page: what one sees, the code that causes it, and the code
that does not.
"""

from __future__ import annotations


class PellucidError(Exception):
    """Catch any error that pellucid itself raises."""


class ShapeError(PellucidError, RuntimeError):
    """The shapes of the operands do not match.

    Wrong: ``torch.ones(2, 3) @ torch.ones(2, 3)``: the inner sizes differ.
    Right: ``torch.ones(2, 3) @ torch.ones(2, 3).T``.
    """


class DtypeError(PellucidError, RuntimeError):
    """The dtypes of the operands do not match, or the operation has no meaning for them.

    Wrong: ``torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.float64)``.
    Right: convert one of them first, ``a.double() @ b``.
    """


class RealDtypeError(DtypeError, AttributeError):
    """A tensor of real numbers was asked for its imaginary part.

    ``hasattr(x, "imag")`` is False, which libraries ask that take any array. Wrong:
    ``torch.ones(2).imag``. Right: ``torch.zeros_like(x)``.
    """


class UnsupportedDtypeError(DtypeError, NotImplementedError):
    """The operation is not defined for elements of this dtype.

    Wrong: ``torch.tensor([1.5]) & 1``. Right: convert first, ``x.long() & 1``.
    """


class DomainError(PellucidError, RuntimeError):
    """The operation is not defined for the values of the operands.

    Wrong: ``torch.tensor([1]) // 0``. Right: floating-point numbers, whose quotient is infinite.
    """


class LinAlgError(DomainError):
    """A matrix has no such decomposition or solution: it is singular, or not positive-definite.

    Wrong: ``torch.linalg.inv(torch.zeros(2, 2))``. Right: ``torch.linalg.pinv(torch.zeros(2, 2))``.
    """


class AllocationError(PellucidError, MemoryError, RuntimeError):
    """There is not enough memory for a tensor.

    Wrong: ``torch.ones(100_000)[:, None] * torch.ones(100_000)`` on a machine with 16 GB.
    Right: a smaller dtype, or one part of the rows after the other.
    """


class DeviceError(PellucidError, AssertionError, RuntimeError):
    """The device does not exist here: pellucid computes on the CPU.

    Wrong: ``torch.ones(2, device="cuda")``.
    Right: ``device = "cuda" if torch.cuda.is_available() else "cpu"``.
    """


class DimensionError(PellucidError, IndexError):
    """A dimension was named that the tensor does not have.

    Wrong: ``torch.ones(2, 3).sum(dim=2)``. Right: dimensions run from ``-ndim`` to ``ndim - 1``.
    """


class IndexingError(PellucidError, IndexError):
    """An index is out of range, or is something that cannot index a tensor.

    Wrong: ``torch.ones(3)[3]``. Right: indices run from ``-size`` to ``size - 1``.
    """


class ArgumentError(PellucidError, ValueError):
    """The argument has the right type and a value that the function does not take."""


class ArgumentTypeError(PellucidError, TypeError):
    """The argument has a type that the function does not take."""


class NotATensorError(ArgumentTypeError, AttributeError):
    """An argument that is not a tensor was asked for what only tensors have.

    Functions that PyTorch has written in Python ask an argument for its shape before its type is
    known, and fail as Python does. Wrong: ``F.mse_loss(x, 3)``.
    Right: ``F.mse_loss(x, torch.full_like(x, 3))``.
    """


class UnimplementedError(PellucidError, NotImplementedError):
    """A method that the user has to write is missing, or what was asked for is not supported.

    Wrong: a ``torch.autograd.Function`` without ``backward``, or a ``torch.nn.Module`` without
    ``forward``, that is called all the same.
    """


class SparseLayoutError(UnimplementedError, AttributeError):
    """The operation reads all elements of a tensor, and a sparse one stores only a few of them.

    Wrong: ``torch.exp(adjacency)``, whose zeros would all become ones.
    Right: ``torch.exp(adjacency.to_dense())``.
    """


class GraphError(PellucidError, RuntimeError):
    """Recording the graph or running it backward failed."""


class FreedGraphError(GraphError):
    """A backward pass needs saved values that an earlier backward pass has freed.

    A backward pass frees what each node saved, as soon as the node has run. Wrong::

        y = t @ a  # made once
        for _ in range(2):
            loss = (t @ y).sum()
            loss.backward()  # the second time finds y's part freed

    Right: make ``y`` inside the loop; or cut it off with ``y.detach()``; or keep just its part of
    the graph, ``loss.backward(retain_graph=y)``; or keep everything, ``retain_graph=True``.
    """


class NoGraphError(GraphError):
    """Backward was called on a tensor that no recorded operation made and that is not a leaf.

    Wrong: ``torch.ones(2).sum().backward()``.
    Right: give something a gradient, ``torch.ones(2, requires_grad=True).sum().backward()``; and
    look for ``no_grad``, ``detach``, ``.data``, ``.item()`` or an integer result on the way.
    """


class NonScalarError(GraphError):
    """Backward needs to know the gradient of an output with more than one element.

    Wrong: ``y.backward()`` for a ``y`` of shape [3].
    Right: ``y.sum().backward()``, or ``y.backward(torch.ones_like(y))``.
    """


class UnusedInputError(GraphError):
    """A gradient was requested for a tensor that the output does not depend on.

    Right: pass ``allow_unused=True`` and expect ``None`` for it.
    """


class InvalidGradientError(GraphError):
    """A gradient has the wrong count, shape or dtype for the tensor it belongs to."""


class AnomalyError(GraphError):
    """Anomaly detection found NaN in a gradient."""


class InplaceError(GraphError):
    """An in-place change that the graph cannot follow."""


class SavedModifiedError(InplaceError):
    """A value that a node saved was changed in place before the backward pass needed it.

    Wrong: ``y = x.exp(); y.add_(1); y.sum().backward()``: exp saves its result.
    Right: ``y = y + 1``, or change a copy, ``y.clone().add_(1)``.
    """


class LeafInplaceError(InplaceError):
    """A leaf that requires grad cannot be changed in place while operations are recorded.

    Wrong: ``w -= lr * w.grad``. Right: ``with torch.no_grad(): w -= lr * w.grad``.
    """


class ViewInplaceError(InplaceError):
    """A view of a kind that cannot be changed in place was about to be changed in place.

    Wrong: ``a, b = x.unbind(); a.mul_(2)``. Right: ``x[0].mul_(2)``, or ``a = a * 2``.
    """

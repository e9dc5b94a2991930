"""The functions of ``torch.functional``; written by ``docs/generate_stubs.py``."""

from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from collections.abc import Sequence
from typing import Any, Literal, overload

from pellucid.dtypes import dtype as _dtype
from pellucid.shapes import broadcast_shapes as broadcast_shapes
from pellucid.tensors.methods import (
    lu_result,
)
from pellucid.tensors.tensor import Tensor

def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """Give tensors without dimensions one.

    Args:
        *tensors: Tensors to combine.

    >>> torch.atleast_1d(torch.tensor(1.0))
    tensor([1.])

    Defined in ``pellucid/ops/shape/views.py``.
    """

def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """Give tensors with fewer than two dimensions leading ones.

    Args:
        *tensors: Tensors to combine.

    >>> torch.atleast_2d(torch.ones(2))
    tensor([[1., 1.]])

    Defined in ``pellucid/ops/shape/views.py``.
    """

def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """Give tensors with fewer than three dimensions a trailing one, and leading ones.

    Args:
        *tensors: Tensors to combine.

    >>> torch.atleast_3d(torch.ones(2)).shape
    torch.Size([1, 2, 1])

    Defined in ``pellucid/ops/shape/views.py``.
    """

def block_diag(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """Make a matrix that has matrices along its diagonal, zeros elsewhere.

    Args:
        *tensors: Tensors to join.

    Raises:
        RuntimeError: If a tensor has more than two dimensions.

    >>> torch.block_diag(torch.tensor([[1, 2]]), torch.tensor(3))
    tensor([[1, 2, 0],
            [0, 0, 3]])

    Defined in ``pellucid/ops/shape/join.py``.
    """

def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Stretch tensors to the shape that they have together.

    Args:
        *tensors: Tensors to combine.

    >>> a, b = torch.broadcast_tensors(torch.ones(2, 1), torch.ones(3))
    >>> a.shape, b.shape
    (torch.Size([2, 3]), torch.Size([2, 3]))

    Defined in ``pellucid/ops/shape/broadcasting.py``.
    """

def cartesian_prod(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """Return all choices of one element from each vector, one per row.

    Args:
        *tensors: Tensors to join.

    Raises:
        RuntimeError: If a tensor is not a vector.

    >>> torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3]))
    tensor([[1, 3],
            [2, 3]])

    Defined in ``pellucid/ops/shape/join.py``.
    """

def cdist(
    x1: Tensor, x2: Tensor, p: _int | _float | _complex = 2.0, compute_mode: _str | None = None
) -> Tensor:
    """Return the distances of all pairs of rows: ``[*B, n, d], [*B, m, d]`` to ``[*B, n, m]``.

    Args:
        x1: Points ``[*, P, D]``.
        x2: Points ``[*, R, D]``.
        p: Order of the norm.
        compute_mode: Whether matrix products may be used; it changes nothing here.

    Raises:
        RuntimeError: If a tensor is not floating point.

    >>> torch.cdist(torch.zeros(1, 2), torch.tensor([[3.0, 4.0], [0.0, 1.0]]))
    tensor([[5., 1.]])

    Defined in ``pellucid/ops/linalg/distances.py``.
    """

def chain_matmul(
    *matrices: _int | Sequence[_int], out: Tensor | tuple[Tensor, ...] | None = None
) -> Tensor:
    """Multiply matrices one after the other, from the left.

    Args:
        *matrices: Matrices to multiply, in order.

    Raises:
        RuntimeError: If there is no matrix, or a tensor is none.

    >>> torch.chain_matmul(torch.ones(2, 3), torch.ones(3, 4), torch.ones(4, 1)).shape
    torch.Size([2, 1])

    Defined in ``pellucid/ops/linalg/matmul.py``.
    """

def einsum(*args: _str | Tensor | Sequence[_int] | Sequence[Tensor]) -> Tensor:
    """Sum products of the operands' elements over the indices that the output lacks.

    ``einsum("ij,jk->ik", a, b)``, or ``einsum(a, [0, 1], b, [1, 2], [0, 2])``. ``...`` stands for
    dimensions that broadcast; without an output, the indices that occur once come in order.

    Args:
        *args: The equation, then the tensors.

    Raises:
        RuntimeError: If the equation does not fit the number or the shapes of the operands.

    >>> torch.einsum("ij,j->i", torch.ones(2, 3), torch.ones(3))
    tensor([3., 3.])

    Defined in ``pellucid/ops/linalg/contract.py``.
    """

def istft(
    input: Tensor,
    n_fft: _int,
    hop_length: _int | None = None,
    win_length: _int | None = None,
    window: Tensor | None = None,
    center: _bool = True,
    normalized: _bool = False,
    onesided: _bool | None = None,
    length: _int | None = None,
    return_complex: _bool = False,
) -> Tensor:
    """Undo `stft`: add up the windows, divided by the sum of the squares of their weights.

    Shapes: ``[*, frequencies, windows]`` to ``[*, L]``, cut or lengthened to ``length``. Raises
    RuntimeError where the windows leave a sample out.

    Args:
        input: Spectrum ``[*, F, T]``, complex.
        n_fft: Length of a Fourier transform.
        hop_length: Distance between frames; by default a quarter of ``n_fft``.
        win_length: Length of the window; by default ``n_fft``.
        window: Window ``[win_length]``; by default all ones.
        center: Whether the frames were centred.
        normalized: Whether the transforms are divided by the square root of their length.
        onesided: Whether only the non-negative frequencies are kept.
        length: Number of elements to keep.
        return_complex: Whether the result is complex.

    >>> spectra = torch.stft(torch.arange(8.0), n_fft=4, return_complex=True)
    >>> torch.istft(spectra, n_fft=4).shape
    torch.Size([8])

    Defined in ``pellucid/ops/signal/spectrogram.py``.
    """

def lu(
    A: Tensor,
    pivot: _bool = True,
    get_infos: _bool = False,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> lu_result:
    """Return an LU factorization in one matrix with its pivots; see `linalg.lu_factor`.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``, floating point or complex.
        pivot: Whether rows are exchanged for stability.
        get_infos: Whether to return ``info`` too.

    >>> torch.lu(torch.eye(1) * 2).LU
    tensor([[2.]])

    Defined in ``pellucid/ops/linalg/lu.py``.
    """

def meshgrid(
    *tensors: Tensor | Sequence[Tensor], indexing: _str | None = None
) -> tuple[Tensor, ...]:
    """Make the coordinates of a grid from vectors of coordinates, one per dimension.

    ``indexing="ij"`` gives result i the direction i; ``"xy"`` exchanges the first two. Raises
    RuntimeError for another value.

    Args:
        *tensors: Tensors to combine.
        indexing: ``"ij"`` for matrix order, ``"xy"`` for Cartesian order.

    >>> x, y = torch.meshgrid(torch.tensor([1, 2]), torch.tensor([3, 4]), indexing="ij")
    >>> y
    tensor([[3, 4],
            [3, 4]])

    Defined in ``pellucid/ops/shape/broadcasting.py``.
    """

def norm(
    input: Tensor,
    p: _int | _float | _complex | _str = "fro",
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Return the p-norm of the elements over dimensions; "fro" is the norm of order 2.

    "nuc" is the sum of the singular values of matrices.

    Args:
        input: Floating point or complex tensor of any shape.
        p: Order of the norm.
        dim: Dimension or dimensions to reduce; all by default.
        keepdim: Whether reduced dimensions stay, with size 1.
        dtype: Dtype of the result; by default that of the values.

    Raises:
        RuntimeError: If the order is a name other than "fro" and "nuc".

    >>> torch.norm(torch.tensor([3.0, 4.0]))
    tensor(5.)

    Defined in ``pellucid/ops/reduce/statistics.py``.
    """

def pca_lowrank(
    A: Tensor, q: _int | None = None, center: _bool = True, niter: _int = 2
) -> tuple[Tensor, ...]:
    """Return about the ``q`` first principal components of rows of samples: ``U``, ``S``, ``V``.

    The columns of ``V`` are the directions, and ``S ** 2 / (m - 1)`` the variances along them;
    ``center`` takes the mean of the samples off. By default ``q`` is ``min(6, m, n)``. Raises
    ValueError for a ``q`` or ``niter`` out of range.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``.
        q: Number of singular values to find.
        center: Whether the columns are centred first.
        niter: Largest number of iterations.

    >>> samples = torch.tensor([[0.0, 1.0], [2.0, 1.0]])
    >>> torch.pca_lowrank(samples, q=1)[2].abs()
    tensor([[1.],
            [0.]])

    Defined in ``pellucid/ops/linalg/low_rank.py``.
    """

def split(
    tensor: Tensor, split_size_or_sections: _int | Sequence[_int], dim: _int = 0
) -> tuple[Tensor, ...]:
    """Take a tensor apart along a dimension: in parts of one size, or of the given sizes.

    The last part may be smaller. Raises RuntimeError where given sizes do not add up.

    Args:
        tensor: Tensor to cut.
        split_size_or_sections: Size of each part, or the list of all sizes.
        dim: Dimension to cut.

    >>> torch.arange(5).split(2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))

    Defined in ``pellucid/ops/shape/splitting.py``.
    """

def stft(
    input: Tensor,
    n_fft: _int,
    hop_length: _int | None = None,
    win_length: _int | None = None,
    window: Tensor | None = None,
    center: _bool = True,
    pad_mode: _str = "reflect",
    normalized: _bool = False,
    onesided: _bool | None = None,
    return_complex: _bool | None = None,
    align_to_window: _bool | None = None,
) -> Tensor:
    """Return the spectra of windows of ``n_fft`` samples, ``hop_length`` apart.

    Shapes: ``[L]`` or ``[B, L]`` to ``[*, frequencies, windows]``. With ``center`` the signal is
    lengthened at both ends, so that each window lies around its time. A real signal gives half of
    the frequencies unless ``onesided=False``, and needs ``return_complex``; with False the real and
    imaginary parts form a last dimension.

    Args:
        input: Signal ``[*, L]``.
        n_fft: Length of a Fourier transform.
        hop_length: Distance between frames; by default a quarter of ``n_fft``.
        win_length: Length of the window; by default ``n_fft``.
        window: Window ``[win_length]``; by default all ones.
        center: Whether the signal is padded so that frames are centred.
        pad_mode: How the signal is padded if it is centred; see `pad`.
        normalized: Whether the transforms are divided by the square root of their length.
        onesided: Whether only the non-negative frequencies are kept.
        return_complex: Whether the result is complex.
        align_to_window: Accepted as PyTorch does where frames are not centred.

    Raises:
        RuntimeError: If a size is out of range, or the dtype is neither floating point nor complex.

    >>> torch.stft(torch.ones(8), n_fft=4, return_complex=True).shape
    torch.Size([3, 9])

    Defined in ``pellucid/ops/signal/spectrogram.py``.
    """

def svd_lowrank(
    A: Tensor, q: _int | None = 6, niter: _int | None = 2, M: Any = None
) -> tuple[Tensor, ...]:
    """Return about the ``q`` largest singular values of ``A - M``: ``U``, ``S`` and ``V``.

    Shapes: ``A`` is ``[*, m, n]`` and ``M`` broadcasts to it; ``U`` is ``[*, m, q]``, ``S``
    ``[*, q]`` and ``V`` ``[*, n, q]``. The subspace is found by ``niter`` steps of iteration from
    random vectors: seed the generator to get the same again. Halko, Martinsson and Tropp, "Finding
    structure with randomness", SIAM Review 53, 2011, algorithms 4.4 and 5.1.

    Args:
        A: Matrix or batch of matrices ``[*, M, N]``.
        q: Number of singular values to find.
        niter: Largest number of iterations.
        M: Matrix subtracted from ``A``, or ``None``.

    >>> U, S, V = torch.svd_lowrank(torch.ones(3, 4), q=1)
    >>> S
    tensor([3.4641])

    Defined in ``pellucid/ops/linalg/low_rank.py``.
    """

def tensordot(
    a: Tensor,
    b: Tensor,
    dims: _int | Sequence[_int] = 2,
    *,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Tensor:
    """Sum products over dimensions of both tensors.

    ``dims`` is how many of the last of ``a`` and the first of ``b``, or a list for each.

    Args:
        a: First tensor.
        b: Second tensor.
        dims: Number of dimensions to contract, or two lists of dimensions.

    Raises:
        RuntimeError: If the dtypes differ, or the sizes of the dimensions that are summed over.

    >>> torch.tensordot(torch.ones(2, 3, 4), torch.ones(3, 4, 5)).shape
    torch.Size([2, 5])

    Defined in ``pellucid/ops/linalg/contract.py``.
    """

@overload
def unique(
    input: Tensor,
    sorted: _bool = True,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    dim: _int | None = None,
) -> Tensor:
    """Return the distinct values in order, or the distinct slices along a dimension.

    As asked, also for each element the index of its value, and how often each value occurs.

    Args:
        input: Real tensor of any shape.
        sorted: Whether the result is in order.
        return_inverse: Whether to return where each element went in the result.
        return_counts: Whether to return how often each element occurs.
        dim: Dimension whose slices are compared; by default all elements.

    >>> torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))

    Defined in ``pellucid/ops/reduce/sort.py``.
    """

@overload
def unique(
    input: Tensor,
    *,
    sorted: _bool = True,
    return_counts: _bool = False,
    dim: _int | None = None,
    return_inverse: Literal[True],
) -> tuple[Tensor, ...]:
    """Return the distinct values in order, or the distinct slices along a dimension.

    As asked, also for each element the index of its value, and how often each value occurs.

    Args:
        input: Real tensor of any shape.
        sorted: Whether the result is in order.
        return_inverse: Whether to return where each element went in the result.
        return_counts: Whether to return how often each element occurs.
        dim: Dimension whose slices are compared; by default all elements.

    >>> torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))

    Defined in ``pellucid/ops/reduce/sort.py``.
    """

@overload
def unique(
    input: Tensor,
    *,
    sorted: _bool = True,
    return_inverse: _bool = False,
    dim: _int | None = None,
    return_counts: Literal[True],
) -> tuple[Tensor, ...]:
    """Return the distinct values in order, or the distinct slices along a dimension.

    As asked, also for each element the index of its value, and how often each value occurs.

    Args:
        input: Real tensor of any shape.
        sorted: Whether the result is in order.
        return_inverse: Whether to return where each element went in the result.
        return_counts: Whether to return how often each element occurs.
        dim: Dimension whose slices are compared; by default all elements.

    >>> torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))

    Defined in ``pellucid/ops/reduce/sort.py``.
    """

@overload
def unique(
    input: Tensor,
    sorted: _bool = True,
    return_inverse: _bool = False,
    return_counts: _bool = False,
    dim: _int | None = None,
) -> Tensor | tuple[Tensor, ...]:
    """Return the distinct values in order, or the distinct slices along a dimension.

    As asked, also for each element the index of its value, and how often each value occurs.

    Args:
        input: Real tensor of any shape.
        sorted: Whether the result is in order.
        return_inverse: Whether to return where each element went in the result.
        return_counts: Whether to return how often each element occurs.
        dim: Dimension whose slices are compared; by default all elements.

    >>> torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))

    Defined in ``pellucid/ops/reduce/sort.py``.
    """

def unique_consecutive(
    input: Tensor,
    return_inverse: _bool = False,
    return_counts: _bool = False,
    dim: _int | None = None,
) -> Tensor:
    """Return the elements (or slices) that differ from the one before.

    Args:
        input: Real tensor of any shape.
        return_inverse: Whether to return where each element went in the result.
        return_counts: Whether to return how often each element occurs.
        dim: Dimension whose slices are compared; by default all elements.

    Raises:
        NotImplementedError: For complex numbers.

    >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 1]))
    tensor([1, 2, 1])

    Defined in ``pellucid/ops/reduce/sort.py``.
    """

def unravel_index(indices: Tensor, shape: _int | Sequence[_int]) -> tuple[Tensor, ...]:
    """Return one tensor of indices per dimension, for indices into a flattened tensor of a shape.

    Raises TypeError for indices that are not integers and for sizes that are none, and ValueError
    for negative sizes.

    Args:
        indices: Indices (int64).
        shape: Shape, as a tuple of sizes.

    >>> torch.unravel_index(torch.tensor([7, 2]), (3, 4))
    (tensor([1, 0]), tensor([3, 2]))

    Defined in ``pellucid/ops/index/index_misc.py``.
    """

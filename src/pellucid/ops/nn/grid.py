"""Images read at the places that a grid names, and the grids of affine maps."""

from __future__ import annotations

from itertools import islice
from typing import Any

from pellucid.core.definition.autocasting import Autocast, autocasts
from pellucid.core.definition.public import public
from pellucid.core.errors.op_errors import unsupported
from pellucid.core.families import linear, op
from pellucid.dtypes import is_complex_dtype, scalar_name
from pellucid.errors import ArgumentError, DtypeError, ShapeError
from pellucid.ops.shape.join import stack
from pellucid.shapes import Like

# Note [Readings of images]
# A reading is linear in the image, and its weights are polynomials in the grid, piece by piece.
# So a reading knows how often it is differentiated by each coordinate (`orders`), and the
# derivatives of readings and of their transposes are again such readings: any order follows.

_MODES = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")


@op(
    torch_kernel_name="grid_sampler_2d_cpu_kernel_impl",
    named=lambda node: f"GridSampler{len(node.params[-1])}DBackward0",
)  # fmt: skip
def grid_sampler(be, input, grid, /, mode, padding_mode, align_corners, orders):
    """Read images between their pixels, or the derivative with respect to the grid."""
    _require_real(input, grid)
    return be.grid_sample(input, grid, mode, padding_mode, align_corners, orders)


@grid_sampler.vjp("input")
def grid_sampler_input(g, input: Like, grid, mode, padding_mode, align_corners, orders):
    size = tuple(input.shape[2:])
    return grid_sampler_backward(g, grid, size, mode, padding_mode, align_corners, orders)


@grid_sampler.vjp("grid")
def grid_sampler_grid(g, input, grid, mode, padding_mode, align_corners, orders):
    return _by_grid(g, input, grid, mode, padding_mode, align_corners, orders)


@op
def grid_sampler_backward(be, input, grid, /, size, mode, padding_mode, align_corners, orders):
    """Transpose `grid_sampler`: add values to images of zeros where they would have been read."""
    _require_real(input, grid)
    return be.grid_sample_to_input(input, grid, size, mode, padding_mode, align_corners, orders)


@grid_sampler_backward.vjp("input")
def grid_sampler_backward_input(g, grid, mode, padding_mode, align_corners, orders):
    return grid_sampler(g, grid, mode, padding_mode, align_corners, orders)


@grid_sampler_backward.vjp("grid")
def grid_sampler_backward_grid(g, input, grid, mode, padding_mode, align_corners, orders):
    return _by_grid(input, g, grid, mode, padding_mode, align_corners, orders)


def _require_real(*arrays: Any) -> None:
    for array in arrays:
        if is_complex_dtype(array.dtype):
            raise unsupported("grid_sampler", array.dtype)


def _by_grid(
    values: Any, image: Any, grid: Any, mode: str, padding_mode: str, align_corners: bool,
    orders: tuple[int, ...],
) -> Any:  # fmt: skip
    """Differentiate ``(values * reading of image).sum()`` by the grid."""
    parts = []
    for axis in reversed(range(len(orders))):
        raised = tuple(order + (axis == number) for number, order in enumerate(orders))
        slope = grid_sampler(image, grid, mode, padding_mode, align_corners, raised)
        parts.append((values * slope).sum(1))
    return stack(parts, -1)


@public("nn.functional.grid_sample", reads_late=True)
@autocasts(Autocast.FLOAT32)
def grid_sample(
    input: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Any:  # fmt: skip
    """Read images ``[N, C, *S]`` at the points of a grid ``[N, *P, D]``: ``[N, C, *P]``.

    ``grid`` holds for each new pixel its coordinates, x first, where -1 and 1 are the borders: the
    centres of the outermost pixels with ``align_corners``, else their outer edges. There are 2 or 3
    dimensions ``D``. ``mode`` is "bilinear", "nearest" or, for images, "bicubic";
    ``padding_mode`` says what lies outside: "zeros", "border" or "reflection". Raises ValueError
    for another mode, and RuntimeError for shapes or dtypes that do not match.

    Args:
        input: Images ``[N, C, H, W]``, or volumes ``[N, C, D, H, W]``.
        grid: Positions to read ``[N, H, W, 2]`` (or ``[N, D, H, W, 3]``), from -1 to 1.
        mode: ``"bilinear"``, ``"nearest"`` or ``"bicubic"``.
        padding_mode: What lies outside: ``"zeros"``, ``"border"`` or ``"reflection"``.
        align_corners: Whether the corner pixels of input and output lie on each other.

    >>> image = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> places = torch.tensor([[[[0.0, 0.0], [-0.5, -0.5]]]])
    >>> torch.nn.functional.grid_sample(image, places, align_corners=False)
    tensor([[[[2.5000, 1.0000]]]])
    """
    if mode not in _MODES:
        raise ArgumentError(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', "
            f"but got: '{mode}'"
        )
    if padding_mode not in _PADDINGS:
        raise ArgumentError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
            f"'reflection', but got: '{padding_mode}'"
        )
    _check_grid(input, grid, mode)
    orders = (0,) * (input.ndim - 2)
    return grid_sampler(input, grid, mode, padding_mode, bool(align_corners), orders)


def _check_grid(input: Any, grid: Any, mode: str) -> None:
    have = f"input with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
    if not input.ndim or not grid.ndim or input.shape[0] != grid.shape[0]:
        raise ShapeError(
            f"grid_sampler(): expected grid and input to have same batch size, but got {have}"
        )
    ndim = input.ndim - 2
    if grid.shape[-1] != ndim:
        raise ShapeError(
            f"grid_sampler(): expected grid to have size {ndim} in last dimension, but got grid "
            f"with sizes {list(grid.shape)}"
        )
    if ndim not in (2, 3) or grid.ndim != input.ndim:
        raise ShapeError(
            "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but "
            f"got {have}"
        )
    if 0 in input.shape[2:]:
        empty = 2 + tuple(input.shape[2:]).index(0)
        raise ShapeError(
            "grid_sampler(): expected input to have non-empty spatial dimensions, but input has "
            f"sizes {list(input.shape)} with dimension {empty} being empty"
        )
    if mode == "bicubic" and ndim == 3:
        raise ShapeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if input.dtype != grid.dtype:
        raise DtypeError(
            f"expected scalar type {scalar_name(input._array.dtype)} but found "
            f"{scalar_name(grid._array.dtype)}: the grid has to be of the input's dtype"
        )
    if not input.dtype.is_floating_point:
        raise unsupported(f"grid_sampler_{ndim}d_cpu_kernel_impl", input._array.dtype)


@public("nn.functional.affine_grid", reads_late=True)
def affine_grid(theta: Any, size: Any, align_corners: bool | None = None) -> Any:
    """Return the grid ``[N, *S, D]`` that `grid_sample` needs for affine maps ``[N, D, D + 1]``.

    ``size`` is that of the images to make: ``(N, C, H, W)`` or ``(N, C, D, H, W)``. Raises
    NotImplementedError for another number of dimensions, and ValueError for maps of another shape
    or an integer dtype.

    Args:
        theta: Affine maps ``[N, 2, 3]`` (or ``[N, 3, 4]``).
        size: Size of the images ``[N, C, H, W]``, or of volumes ``[N, C, D, H, W]``.
        align_corners: Whether the corner pixels of input and output lie on each other.

    >>> same = torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> torch.nn.functional.affine_grid(same, (1, 1, 1, 2), align_corners=True)
    tensor([[[[-1.,  0.],
              [ 1.,  0.]]]])
    """
    sizes = tuple(int(each) for each in islice(size, 6))  # one more than may be given
    if not theta.dtype.is_floating_point:
        raise ArgumentError(f"Expected theta to have floating point type, but got {theta.dtype}")
    ndim = len(sizes) - 2
    if ndim not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
            f"respectively. Got size {size}."
        )
    if theta.ndim != 3 or tuple(theta.shape[1:]) != (ndim, ndim + 1):
        raise ArgumentError(
            f"Expected a batch of {ndim}D affine matrices of shape Nx{ndim}x{ndim + 1} for size "
            f"{size}. Got {theta.shape}."
        )
    if min(sizes) <= 0:
        raise ArgumentError(f"Expected non-zero, positive output size. Got {size}")
    if theta.shape[0] != sizes[0]:
        raise ShapeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{sizes[0]}, "
            f"{ndim + 1}] but got: [{theta.shape[0]}, {ndim + 1}]."
        )
    return affine_grid_generator(theta, sizes, bool(align_corners))


@linear
def affine_grid_generator(be, theta, /, size, align_corners):
    """Map the places of all pixels by each map."""
    positions = _homogeneous_points(be, size[2:], align_corners, theta.dtype)
    return (positions @ theta.swapaxes(1, 2)).reshape(size[0], *size[2:], len(size) - 2)


@affine_grid_generator.vjp("theta")
def affine_grid_generator_theta(g, size, align_corners):
    return affine_grid_generator_backward(g, size, align_corners)


@linear
def affine_grid_generator_backward(be, grid, /, size, align_corners):
    """Transpose `affine_grid_generator`."""
    positions = _homogeneous_points(be, size[2:], align_corners, grid.dtype)
    return grid.reshape(size[0], -1, len(size) - 2).swapaxes(1, 2) @ positions


@affine_grid_generator_backward.vjp("grid")
def affine_grid_generator_backward_grid(g, size, align_corners):
    return affine_grid_generator(g, size, align_corners)


def _homogeneous_points(be: Any, size: tuple[int, ...], align_corners: bool, dtype: Any) -> Any:
    """Return the places of all pixels, x first and a one last: ``[pixels, D + 1]``."""
    axes = []
    for length in reversed(size):
        reach = 1.0 if align_corners else (length - 1) / length
        axes.append(be.linspace(-reach, reach, length) if length > 1 else be.zeros(1))
    grids = be.meshgrid(*reversed(axes), indexing="ij")[::-1]
    columns = [each.reshape(-1) for each in (*grids, be.ones(size))]
    return be.stack(columns, axis=-1).astype(dtype)

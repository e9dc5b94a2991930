"""Boxes: areas, overlaps, and the ways to write them."""

from __future__ import annotations

from pellucid.errors import ArgumentError
from pellucid.ops.shape.join import cat, stack
from pellucid.tensors import Tensor

__all__ = [
    "batched_nms", "box_area", "box_convert", "box_iou", "clip_boxes_to_image",
    "generalized_box_iou", "nms", "remove_small_boxes",
]  # fmt: skip


def box_area(boxes: Tensor) -> Tensor:
    """Return the areas ``[N]`` of boxes ``[N, 4]`` given as x1, y1, x2, y2.

    Args:
        boxes: Boxes ``[N, 4]`` as x1, y1, x2, y2.

    >>> box_area(torch.tensor([[0.0, 0.0, 2.0, 3.0]]))
    tensor([6.])
    """
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def box_iou(boxes1: Tensor, boxes2: Tensor) -> Tensor:
    """Return the intersection of every two boxes over their union: ``[N, M]``.

    Args:
        boxes1: Boxes ``[N, 4]`` as x1, y1, x2, y2.
        boxes2: Boxes ``[M, 4]``.

    >>> box_iou(torch.tensor([[0.0, 0.0, 2.0, 1.0]]), torch.tensor([[1.0, 0.0, 3.0, 1.0]]))
    tensor([[0.3333]])
    """
    common, union = _common_and_union(boxes1, boxes2)
    return common / union


def generalized_box_iou(boxes1: Tensor, boxes2: Tensor) -> Tensor:
    """Return `box_iou` less the part of the smallest box around both that neither covers.

    Args:
        boxes1: Boxes ``[N, 4]`` as x1, y1, x2, y2.
        boxes2: Boxes ``[M, 4]``.

    Returns:
        The differences ``[N, M]``, between -1 and 1.

    >>> unit = torch.tensor([[0.0, 0.0, 1.0, 1.0]])
    >>> generalized_box_iou(unit, unit + 1)
    tensor([[-0.5000]])
    """
    common, union = _common_and_union(boxes1, boxes2)
    low = boxes1[:, None, :2].minimum(boxes2[:, :2])
    high = boxes1[:, None, 2:].maximum(boxes2[:, 2:])
    around = (high - low).clamp(min=0).prod(dim=2)
    return common / union - (around - union) / around


def _common_and_union(boxes1: Tensor, boxes2: Tensor) -> tuple[Tensor, Tensor]:
    low = boxes1[:, None, :2].maximum(boxes2[:, :2])
    high = boxes1[:, None, 2:].minimum(boxes2[:, 2:])
    common = (high - low).clamp(min=0).prod(dim=2)
    return common, box_area(boxes1)[:, None] + box_area(boxes2) - common


def nms(boxes: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """Return the indices (int64) of the boxes that overlap no box of a higher score, best first.

    Args:
        boxes: Boxes ``[N, 4]`` as x1, y1, x2, y2.
        scores: Scores ``[N]``.
        iou_threshold: The `box_iou` above which two boxes overlap.

    >>> boxes = torch.tensor([[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 1.9], [3.0, 0.0, 4.0, 1.0]])
    >>> nms(boxes, torch.tensor([0.5, 0.9, 0.7]), 0.5)
    tensor([1, 2])
    """
    boxes = boxes.detach()
    waiting = scores.detach().argsort(descending=True, stable=True)
    kept = []
    # Which boxes count depends on those kept before: one step for each that is kept.
    while len(waiting):
        best, waiting = waiting[:1], waiting[1:]
        kept.append(best)
        waiting = waiting[box_iou(boxes[best], boxes[waiting])[0] <= iou_threshold]
    return cat(kept) if kept else waiting


def batched_nms(boxes: Tensor, scores: Tensor, idxs: Tensor, iou_threshold: float) -> Tensor:
    """Return what `nms` returns if boxes of different classes ``idxs`` do not overlap.

    Args:
        boxes: Boxes ``[N, 4]`` as x1, y1, x2, y2.
        scores: Scores ``[N]``.
        idxs: Classes ``[N]`` (int64).
        iou_threshold: As in `nms`.

    >>> boxes = torch.tensor([[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 2.0]])
    >>> batched_nms(boxes, torch.tensor([0.5, 0.9]), torch.tensor([0, 1]), 0.5)
    tensor([1, 0])
    """
    if not boxes.numel():
        return nms(boxes, scores, iou_threshold)
    # Every class gets a part of the plane of its own.
    apart = idxs.to(boxes.dtype) * (boxes.max() + 1)
    return nms(boxes + apart[:, None], scores, iou_threshold)


def clip_boxes_to_image(boxes: Tensor, size: tuple[int, int]) -> Tensor:
    """Return boxes ``[..., 4]`` without their parts outside of an image of height and width.

    Args:
        boxes: Boxes ``[..., 4]`` as x1, y1, x2, y2.
        size: Height and width of the image.

    >>> clip_boxes_to_image(torch.tensor([[-1.0, 2.0, 9.0, 9.0]]), (8, 6))
    tensor([[0., 2., 6., 8.]])
    """
    height, width = size
    x1, y1, x2, y2 = boxes.unbind(-1)
    xs, ys = stack([x1, x2], -1).clamp(0, width), stack([y1, y2], -1).clamp(0, height)
    return stack([xs, ys], -1).flatten(-2)


def remove_small_boxes(boxes: Tensor, min_size: float) -> Tensor:
    """Return the indices (int64) of the boxes both of whose sides are long enough.

    Args:
        boxes: Boxes ``[N, 4]`` as x1, y1, x2, y2.
        min_size: The least length of a side.

    >>> remove_small_boxes(torch.tensor([[0.0, 0.0, 1.0, 9.0], [0.0, 0.0, 4.0, 4.0]]), 2)
    tensor([1])
    """
    sides = boxes[:, 2:] - boxes[:, :2]
    return (sides >= min_size).all(dim=1).nonzero()[:, 0]


def box_convert(boxes: Tensor, in_fmt: str, out_fmt: str) -> Tensor:
    """Convert boxes ``[..., 4]`` from one format to another.

    Args:
        boxes: Boxes ``[..., 4]``.
        in_fmt: ``"xyxy"`` (corners), ``"xywh"`` (corner and size) or ``"cxcywh"`` (middle and
            size).
        out_fmt: The format of the result.

    Raises:
        ValueError: If there is no such format.

    >>> box_convert(torch.tensor([1.0, 1.0, 3.0, 5.0]), "xyxy", "cxcywh")
    tensor([2., 3., 2., 4.])
    """
    a, b, c, d = boxes.unbind(-1)
    if in_fmt == "xyxy":
        x1, y1, x2, y2 = a, b, c, d
    elif in_fmt == "xywh":
        x1, y1, x2, y2 = a, b, a + c, b + d
    elif in_fmt == "cxcywh":
        x1, y1, x2, y2 = a - c / 2, b - d / 2, a + c / 2, b + d / 2
    else:
        raise _unknown_format(in_fmt)
    if out_fmt == "xyxy":
        return stack([x1, y1, x2, y2], dim=-1)
    if out_fmt == "xywh":
        return stack([x1, y1, x2 - x1, y2 - y1], dim=-1)
    if out_fmt == "cxcywh":
        return stack([(x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1], dim=-1)
    raise _unknown_format(out_fmt)


def _unknown_format(name: str) -> ArgumentError:
    return ArgumentError(
        f"Unsupported Bounding Box Conversion: {name!r} is none of xyxy, xywh and cxcywh"
    )

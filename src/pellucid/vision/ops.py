"""Boxes: areas, overlaps, and the ways to write them, as in ``torchvision.ops``."""

from __future__ import annotations

from pellucid.errors import ArgumentError
from pellucid.ops.join import stack
from pellucid.tensor import Tensor

__all__ = ["box_area", "box_convert", "box_iou"]


def box_area(boxes: Tensor) -> Tensor:
    """Return the areas ``[N]`` of boxes ``[N, 4]`` given as x1, y1, x2, y2."""
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def box_iou(boxes1: Tensor, boxes2: Tensor) -> Tensor:
    """Return for every two boxes ``[N, 4]``, ``[M, 4]`` the common part of their area, ``[N, M]``.

    >>> import pellucid as torch
    >>> box_iou(torch.tensor([[0.0, 0.0, 2.0, 1.0]]), torch.tensor([[1.0, 0.0, 3.0, 1.0]]))
    tensor([[0.3333]])
    """
    low = boxes1[:, None, :2].maximum(boxes2[:, :2])
    high = boxes1[:, None, 2:].minimum(boxes2[:, 2:])
    common = (high - low).clamp(min=0).prod(dim=2)
    return common / (box_area(boxes1)[:, None] + box_area(boxes2) - common)


def box_convert(boxes: Tensor, in_fmt: str, out_fmt: str) -> Tensor:
    """Convert boxes ``[..., 4]`` between corners (xyxy), corner and size (xywh), middle and size.

    >>> import pellucid as torch
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

"""The newer transforms, ``torchvision.transforms.v2``: they take whole samples, such as pairs.

Of a sample the picture is transformed, and what is not a picture stays as it is: of tensors the
first one is taken for a picture, unless there is an image of Pillow's. There are no boxes or
masks.
"""

from __future__ import annotations

from typing import Any

from pellucid.dtypes import dtype as Dtype
from pellucid.errors import UnimplementedError
from pellucid.func.trees import flatten, unflatten
from pellucid.nn.modules.module import Module
from pellucid.tensors import Tensor
from pellucid.vision import transforms as of_pictures
from pellucid.vision.pil import is_pillow_image
from pellucid.vision.transforms import functional
from pellucid.vision.transforms.functional import InterpolationMode

__all__ = [
    "CenterCrop", "ColorJitter", "Compose", "GaussianBlur", "Grayscale", "Identity",
    "InterpolationMode", "Lambda", "Normalize", "PILToTensor", "Pad", "RandomApply",
    "RandomChoice", "RandomCrop", "RandomErasing", "RandomGrayscale", "RandomHorizontalFlip",
    "RandomResizedCrop", "RandomRotation", "RandomVerticalFlip", "Resize", "ToDtype", "ToImage",
    "ToPILImage", "ToPureTensor", "ToTensor", "functional",
]  # fmt: skip


class _OfSamples:
    """The part of a transform that finds the picture in a sample."""

    def __call__(self, inpt: Any, *more: Any) -> Any:
        transform: Any = super().__call__  # pyright: ignore[reportAttributeAccessIssue]
        sample = (inpt, *more) if more else inpt
        leaves, structure = flatten(sample)
        images = [place for place, leaf in enumerate(leaves) if is_pillow_image(leaf)]
        tensors = [place for place, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]
        if len(images) > 1:
            raise UnimplementedError("a sample of several images: transform them one by one")
        if not images and not tensors:
            return transform(sample)
        place = (images or tensors)[0]
        leaves[place] = transform(leaves[place])
        return unflatten(leaves, structure)


class Compose(of_pictures.Compose):
    """Transforms applied one after the other to a picture or a sample.

    >>> Compose([ToDtype(torch.float64), Identity()])(torch.ones(1, 1, 1), 3)
    (tensor([[[1.]]], dtype=torch.float64), 3)
    """

    def __call__(self, inpt: Any, *more: Any) -> Any:
        found = (inpt, *more) if more else inpt
        for transform in self.transforms:
            found = transform(*found) if isinstance(found, tuple) else transform(found)
        return found


class _ToImage:
    def __call__(self, inpt: Any) -> Any:
        return inpt if isinstance(inpt, Tensor) else functional.pil_to_tensor(inpt)


class _ToDtype(Module):
    def __init__(self, dtype: Dtype, scale: bool = False) -> None:
        super().__init__()
        self.dtype = dtype
        self.scale = scale

    def forward(self, inpt: Tensor) -> Tensor:
        if self.scale:
            return functional.convert_image_dtype(inpt, self.dtype)
        return inpt.to(self.dtype)


class ToImage(_OfSamples, _ToImage):
    """The conversion of an image to a tensor ``[C, H, W]`` of the same numbers."""


class ToDtype(_OfSamples, _ToDtype):
    """The conversion of pixels to another dtype, and with ``scale=True`` to its range."""


class Identity(Module):
    """The transform that changes nothing."""

    def forward(self, inpt: Any, *more: Any) -> Any:
        return (inpt, *more) if more else inpt


class ToPureTensor(Identity):
    """The conversion to plain tensors, which pictures are in any case."""


def _of_samples(cls: type[Any]) -> type[Any]:
    """Return a transform of pictures as one of samples."""
    return type(cls.__name__, (_OfSamples, cls), {"__doc__": cls.__doc__, "__module__": __name__})


CenterCrop = _of_samples(of_pictures.CenterCrop)
ColorJitter = _of_samples(of_pictures.ColorJitter)
GaussianBlur = _of_samples(of_pictures.GaussianBlur)
Grayscale = _of_samples(of_pictures.Grayscale)
Lambda = of_pictures.Lambda
Normalize = _of_samples(of_pictures.Normalize)
PILToTensor = _of_samples(of_pictures.PILToTensor)
Pad = _of_samples(of_pictures.Pad)
RandomApply = _of_samples(of_pictures.RandomApply)
RandomChoice = _of_samples(of_pictures.RandomChoice)
RandomCrop = _of_samples(of_pictures.RandomCrop)
RandomErasing = _of_samples(of_pictures.RandomErasing)
RandomGrayscale = _of_samples(of_pictures.RandomGrayscale)
RandomHorizontalFlip = _of_samples(of_pictures.RandomHorizontalFlip)
RandomResizedCrop = _of_samples(of_pictures.RandomResizedCrop)
RandomRotation = _of_samples(of_pictures.RandomRotation)
RandomVerticalFlip = _of_samples(of_pictures.RandomVerticalFlip)
Resize = _of_samples(of_pictures.Resize)
ToPILImage = _of_samples(of_pictures.ToPILImage)
ToTensor = _of_samples(of_pictures.ToTensor)

"""Pictures of noise, for trying programs out."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.random import get_rng_state, manual_seed, randint, randn, set_rng_state
from pellucid.vision.datasets.base import Transform, VisionDataset, as_image


class FakeData(VisionDataset):
    """Random pictures with random classes, always the same for an index.

    The stream of random numbers is left as it was. Raises IndexError past the end.

    >>> len(FakeData(size=3)), FakeData(num_classes=5, image_size=(1, 2, 2))[0][1] < 5
    (3, True)
    """

    def __init__(
        self, size: int = 1000, image_size: tuple[int, int, int] = (3, 224, 224),
        num_classes: int = 10, transform: Transform = None, target_transform: Transform = None,
        random_offset: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(None, None, transform, target_transform)
        self.size = size
        self.num_classes = num_classes
        self.image_size = image_size
        self.random_offset = random_offset

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        if index >= len(self):
            raise IndexError(f"{type(self).__name__} index out of range")
        state = get_rng_state()
        manual_seed(index + self.random_offset)
        noise = randn(*self.image_size)
        target = int(randint(0, self.num_classes, (1,)))
        set_rng_state(state)
        # Bytes wrap around, as they do where torchvision makes an image of numbers below zero.
        pixels = (noise.numpy() * np.float32(255)).astype(np.int64).astype(np.uint8)
        pixels = np.ascontiguousarray(np.moveaxis(pixels, 0, 2))
        return self.transformed(
            as_image(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels), target
        )

    def __len__(self) -> int:
        return self.size

"""The parts of torchvision that programs need: transforms, datasets on disk, models, image grids.

Under the alias this is ``torchvision``. Nothing is ever downloaded. Pillow is used where it is
installed (the extra ``vision``); tensors and NumPy arrays do without it.
"""

from __future__ import annotations

from pellucid.vision import datasets, models, ops, transforms, utils

__all__ = ["datasets", "models", "ops", "transforms", "utils"]

#: the release of torchvision whose names and defaults these are
__version__ = "0.28.0+pellucid"

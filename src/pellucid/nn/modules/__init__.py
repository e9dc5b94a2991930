"""The modules of ``pellucid.nn``, one file per kind of layer."""

from __future__ import annotations

# ruff: noqa: F403, I001 - the layers, as listed in the ``__all__`` of each file
from pellucid.nn.modules import (
    activation, adaptive, batchnorm, channelshuffle, container, conv, distance, dropout, flatten,
    fold, instancenorm, linear, linear_cross_entropy_options, loss, normalization, padding,
    pixelshuffle, pooling, rnn, sparse, transformer, upsampling,
)  # fmt: skip
from pellucid.nn.modules.activation import *
from pellucid.nn.modules.adaptive import *
from pellucid.nn.modules.batchnorm import *
from pellucid.nn.modules.channelshuffle import *
from pellucid.nn.modules.container import *
from pellucid.nn.modules.conv import *
from pellucid.nn.modules.distance import *
from pellucid.nn.modules.dropout import *
from pellucid.nn.modules.flatten import *
from pellucid.nn.modules.fold import *
from pellucid.nn.modules.instancenorm import *
from pellucid.nn.modules.linear import *
from pellucid.nn.modules.linear_cross_entropy_options import *
from pellucid.nn.modules.loss import *
from pellucid.nn.modules.module import Module
from pellucid.nn.modules.normalization import *
from pellucid.nn.modules.padding import *
from pellucid.nn.modules.pixelshuffle import *
from pellucid.nn.modules.pooling import *
from pellucid.nn.modules.rnn import *
from pellucid.nn.modules.sparse import *
from pellucid.nn.modules.transformer import *
from pellucid.nn.modules.upsampling import *

__all__ = ["Module"]
__all__ += activation.__all__
__all__ += adaptive.__all__
__all__ += batchnorm.__all__
__all__ += channelshuffle.__all__
__all__ += container.__all__
__all__ += conv.__all__
__all__ += distance.__all__
__all__ += dropout.__all__
__all__ += flatten.__all__
__all__ += fold.__all__
__all__ += instancenorm.__all__
__all__ += linear.__all__
__all__ += linear_cross_entropy_options.__all__
__all__ += loss.__all__
__all__ += normalization.__all__
__all__ += padding.__all__
__all__ += pixelshuffle.__all__
__all__ += pooling.__all__
__all__ += rnn.__all__
__all__ += sparse.__all__
__all__ += transformer.__all__
__all__ += upsampling.__all__

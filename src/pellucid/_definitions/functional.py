"""Where functions of ``torch.functional`` are defined; by ``docs/generate_stubs.py``.

Nobody imports it. pyright's server goes this way from a name to its definition; jedi, which
would show the definition's docstring in place of the stub's, takes the condition as it is.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pellucid.ops.index.index_misc import unravel_index as unravel_index
    from pellucid.ops.linalg.contract import einsum as einsum
    from pellucid.ops.linalg.contract import tensordot as tensordot
    from pellucid.ops.linalg.distances import cdist as cdist
    from pellucid.ops.linalg.low_rank import pca_lowrank as pca_lowrank
    from pellucid.ops.linalg.low_rank import svd_lowrank as svd_lowrank
    from pellucid.ops.linalg.lu import lu as lu
    from pellucid.ops.linalg.matmul import chain_matmul as chain_matmul
    from pellucid.ops.reduce.sort import unique as unique
    from pellucid.ops.reduce.sort import unique_consecutive as unique_consecutive
    from pellucid.ops.reduce.statistics import norm as norm
    from pellucid.ops.shape.broadcasting import broadcast_tensors as broadcast_tensors
    from pellucid.ops.shape.broadcasting import meshgrid as meshgrid
    from pellucid.ops.shape.join import block_diag as block_diag
    from pellucid.ops.shape.join import cartesian_prod as cartesian_prod
    from pellucid.ops.shape.splitting import split as split
    from pellucid.ops.shape.views import atleast_1d as atleast_1d
    from pellucid.ops.shape.views import atleast_2d as atleast_2d
    from pellucid.ops.shape.views import atleast_3d as atleast_3d
    from pellucid.ops.signal.spectrogram import istft as istft
    from pellucid.ops.signal.spectrogram import stft as stft

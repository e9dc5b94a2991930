"""The methods of `Tensor`, made from what the files of operations declare."""

from __future__ import annotations

# ruff: noqa: F401 - importing a file of operations is what declares its functions and methods
from pellucid.ops.elementwise import (
    arithmetic,
    combined,
    compare,
    complexes,
    conditional,
    exponential,
    extrema,
    floating,
    integers,
    logic,
    operators,
    polynomials,
    powers,
    rounding,
    signs,
    special_functions,
    trigonometric,
    upcast,
)
from pellucid.ops.index import (
    index_misc,
    index_slices,
    indexing,
    masked,
    scatter,
    scatter_prod,
    slice_scatter,
    take,
)
from pellucid.ops.linalg import (
    contract,
    decompositions,
    determinants,
    distances,
    householder,
    ldl,
    least_squares,
    lobpcg,
    low_rank,
    lu,
    matmul,
    matrices,
    matrix_functions,
    matrix_norms,
    products,
    solving,
)
from pellucid.ops.nn import (
    activation,
    attention,
    channels,
    conv,
    conv_time,
    cross_entropy,
    ctc,
    dropout,
    embedding,
    fractional_pool,
    grid,
    likelihood_loss,
    linear_loss,
    loss,
    margin_loss,
    multihead,
    multilabel,
    norm,
    pad,
    patches,
    pool,
    power_pool,
    recurrent,
    resize,
    softmax,
    unpool,
)
from pellucid.ops.random import gamma_sampling, sampling
from pellucid.ops.reduce import (
    covariance,
    extremes,
    histograms,
    integrate,
    quantiles,
    reductions,
    scan,
    segments,
    sort,
    statistics,
)
from pellucid.ops.shape import (
    broadcasting,
    copying,
    diagonal,
    join,
    splitting,
    strided,
    view_copies,
    views,
)
from pellucid.ops.signal import fourier, frequencies, spectrogram
from pellucid.tensors import (
    conversions,
    copies,
    dlpack,
    inplace_methods,
    layouts,
    new_tensors,
    numpy_functions,
    print_options,
    properties,
    resizing,
    shared_memory,
    storages,
)
from pellucid.tensors.public_functions import methods

Operations = type(
    "Operations",
    (conversions.Conversions,),
    {
        "__slots__": (),
        "__module__": __name__,
        "__doc__": "The methods that are declared with their functions.",
        "_cdata": property(id),  # what programs ask whether two are the same tensor
        "array_from_arguments": staticmethod(new_tensors.array_from_arguments),
        **methods(),
    },
)

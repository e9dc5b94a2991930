"""The operations of `Tensor`: every method that is one of the functions of `pellucid.ops`."""

from __future__ import annotations

from pellucid.core.checked import check_functions
from pellucid.ops.aliasing.inplace import inplace
from pellucid.ops.elementwise import (
    arithmetic,
    compare,
    complexes,
    exponential,
    floating,
    integers,
    logic,
    rounding,
    special_functions,
    trigonometric,
)
from pellucid.ops.elementwise import conditional as selection
from pellucid.ops.index import index_misc, indexing
from pellucid.ops.index import scatter as placing
from pellucid.ops.linalg import decompositions, distances, matrix_functions, solving
from pellucid.ops.linalg import matmul as products
from pellucid.ops.nn import activation
from pellucid.ops.nn import softmax as normalised
from pellucid.ops.random import sampling
from pellucid.ops.reduce import (
    covariance,
    extremes,
    histograms,
    quantiles,
    reductions,
    scan,
    statistics,
)
from pellucid.ops.reduce import sort as sorting
from pellucid.ops.shape import copying, splitting, views
from pellucid.ops.shape import diagonal as matrices
from pellucid.ops.signal import spectrogram
from pellucid.tensors import conversions, dlpack, inplace_methods, shared_memory, storages


class Operations(conversions.Conversions):
    """Hold the table of the methods that compute: one line each."""

    __slots__ = ()

    tolist = conversions.tolist
    __int__ = conversions.to_int
    __float__ = conversions.to_float
    __complex__ = conversions.to_complex
    __index__ = conversions.to_index
    __format__ = conversions.formatted
    __contains__ = conversions.contains
    __iter__ = conversions.iterate
    __array__ = conversions.to_array
    __deepcopy__ = conversions.deepcopy
    __copy__ = conversions.shallow_copy
    __reduce_ex__ = conversions.reduced
    array_from_arguments = staticmethod(conversions.array_from_arguments)
    dim = ndimension = conversions.dim
    size = conversions.size
    stride = conversions.stride
    storage_offset = conversions.storage_offset
    data_ptr = const_data_ptr = conversions.data_ptr
    _cdata = property(id)  # what programs ask whether two are the same tensor
    untyped_storage = storages.untyped_storage
    storage = storages.storage
    storage_type = storages.storage_type
    module_load = dlpack.module_load
    numel = nelement = conversions.numel
    element_size = conversions.element_size
    is_contiguous = conversions.is_contiguous_method
    is_floating_point = conversions.is_floating_point
    is_complex = conversions.is_complex
    is_signed = conversions.is_signed
    is_nonzero = __nonzero__ = conversions.is_nonzero
    is_inference = conversions.is_inference
    _is_view = conversions.is_view
    get_device = conversions.get_device
    share_memory_ = shared_memory.share_memory_
    is_shared = shared_memory.is_shared
    is_pinned = shared_memory.is_pinned
    __dlpack__ = dlpack.to_dlpack_capsule
    __dlpack_device__ = dlpack.dlpack_device
    __array_wrap__ = dlpack.array_wrap
    __reversed__ = dlpack.reversed_rows
    __long__ = dlpack.to_long
    is_distributed = dlpack.is_distributed
    is_same_size = dlpack.is_same_size
    is_set_to = dlpack.is_set_to
    dim_order = dlpack.dim_order
    sum_to_size = dlpack.sum_to_size
    to_dense = dlpack.to_dense
    to_sparse = to_sparse_coo = dlpack.to_sparse
    dense_dim = dlpack.dense_dim
    sparse_dim = dlpack.sparse_dim
    values = dlpack.values
    indices = dlpack.indices
    coalesce = dlpack.coalesce
    is_coalesced = dlpack.is_coalesced
    crow_indices = dlpack.crow_indices
    col_indices = dlpack.col_indices
    ccol_indices = dlpack.ccol_indices
    row_indices = dlpack.row_indices
    qscheme = dlpack.qscheme
    pin_memory = conversions.pin_memory
    cuda = conversions.cuda
    cpu = conversions.cpu
    type_as = conversions.type_as
    zero_ = conversions.zero_
    fill_ = conversions.fill_
    new = conversions.new_instance
    new_tensor = conversions.new_tensor_method
    new_zeros = conversions.new_zeros
    new_ones = conversions.new_ones
    new_empty = conversions.new_empty
    new_full = conversions.new_full
    resize_ = conversions.resize_
    as_subclass = conversions.set_subclass

    normal_ = sampling.normal_
    uniform_ = sampling.uniform_
    random_ = sampling.random_
    bernoulli_ = sampling.bernoulli_
    exponential_ = sampling.exponential_
    geometric_ = sampling.geometric_
    cauchy_ = sampling.cauchy_
    log_normal_ = sampling.log_normal_
    bernoulli = sampling.bernoulli
    multinomial = sampling.multinomial

    view = conversions.view
    reshape = conversions.reshape
    expand = conversions.expand
    permute = conversions.permute
    unflatten = conversions.unflatten
    squeeze_ = conversions.squeeze_
    unsqueeze_ = conversions.unsqueeze_
    transpose_ = swapaxes_ = swapdims_ = conversions.transpose_
    t_ = conversions.t_
    expand_as = views.expand_as
    broadcast_to = views.broadcast_to
    view_as = views.view_as
    reshape_as = views.reshape_as
    transpose = swapaxes = swapdims = views.transpose
    t = views.t
    adjoint = views.adjoint
    movedim = moveaxis = views.movedim
    squeeze = views.squeeze
    unsqueeze = views.unsqueeze
    flatten = views.flatten
    ravel = views.ravel
    narrow = splitting.narrow
    select = splitting.select
    unbind = splitting.unbind
    split = splitting.split
    split_with_sizes = splitting.split_with_sizes
    chunk = splitting.chunk
    tensor_split = splitting.tensor_split
    hsplit = splitting.hsplit
    vsplit = splitting.vsplit
    dsplit = splitting.dsplit
    as_strided = views.as_strided
    as_strided_ = inplace_methods.as_strided_
    set_ = inplace_methods.set_
    resize_as_ = inplace_methods.resize_as_
    unfold = views.unfold
    contiguous = copying.contiguous
    to = copying.to

    __getitem__ = indexing.getitem
    __setitem__ = indexing.setitem
    index_put = indexing.index_put
    index_put_ = indexing.index_put_

    gather = placing.gather
    take_along_dim = placing.take_along_dim
    scatter = placing.scatter
    scatter_ = placing.scatter_
    scatter_add = placing.scatter_add
    scatter_add_ = placing.scatter_add_
    scatter_reduce = placing.scatter_reduce
    scatter_reduce_ = placing.scatter_reduce_
    index_select = placing.index_select
    index_add = placing.index_add
    index_add_ = placing.index_add_
    index_copy = placing.index_copy
    index_copy_ = placing.index_copy_
    index_fill = placing.index_fill
    index_fill_ = placing.index_fill_
    take = placing.take
    put = placing.put
    put_ = placing.put_
    masked_select = placing.masked_select
    masked_scatter = placing.masked_scatter
    masked_scatter_ = placing.masked_scatter_
    nonzero = placing.nonzero
    argwhere = placing.argwhere
    nonzero_static = index_misc.nonzero_static
    index_reduce = index_misc.index_reduce
    index_reduce_ = index_misc.index_reduce_
    slice_scatter = placing.slice_scatter
    select_scatter = placing.select_scatter
    as_strided_scatter = placing.as_strided_scatter

    diagonal = matrices.diagonal
    fill_diagonal_ = inplace_methods.fill_diagonal_
    diag = matrices.diag
    diag_embed = matrices.diag_embed
    diagflat = matrices.diagflat
    diagonal_scatter = matrices.diagonal_scatter
    trace = matrices.trace
    tril = matrices.tril
    tril_ = inplace(matrices.tril)
    triu = matrices.triu
    triu_ = inplace(matrices.triu)
    flip = matrices.flip_method
    fliplr = matrices.fliplr
    flipud = matrices.flipud
    roll = matrices.roll
    rot90 = matrices.rot90
    repeat = matrices.repeat
    tile = matrices.tile_method
    repeat_interleave = matrices.repeat_interleave

    # ---- operations: one line each, see pellucid.ops ---------------------------------------------

    add = __add__ = __radd__ = arithmetic.add
    add_ = __iadd__ = inplace(arithmetic.add)
    sub = __sub__ = subtract = arithmetic.sub
    sub_ = __isub__ = subtract_ = inplace(arithmetic.sub)
    __rsub__ = arithmetic.reflected(arithmetic.sub)
    mul = __mul__ = __rmul__ = multiply = arithmetic.mul
    mul_ = __imul__ = multiply_ = inplace(arithmetic.mul)
    div = __truediv__ = __div__ = divide = arithmetic.div
    div_ = __itruediv__ = __idiv__ = divide_ = true_divide_ = inplace(arithmetic.div)
    true_divide = arithmetic.true_divide
    __rtruediv__ = __rdiv__ = arithmetic.reflected(arithmetic.div)
    floor_divide = __floordiv__ = arithmetic.floor_divide
    floor_divide_ = __ifloordiv__ = inplace(arithmetic.floor_divide)
    __rfloordiv__ = arithmetic.reflected(arithmetic.floor_divide)
    remainder = __mod__ = arithmetic.remainder
    remainder_ = __imod__ = inplace(arithmetic.remainder)
    __rmod__ = arithmetic.reflected(arithmetic.remainder_of)
    fmod = arithmetic.fmod
    fmod_ = inplace(arithmetic.fmod)
    pow = __pow__ = arithmetic.pow
    pow_ = __ipow__ = inplace(arithmetic.pow)
    __rpow__ = arithmetic.reflected(arithmetic.pow)
    float_power = arithmetic.float_power
    float_power_ = inplace_methods.float_power_
    neg = negative = __neg__ = arithmetic.neg
    neg_ = negative_ = inplace(arithmetic.neg)
    positive = __pos__ = arithmetic.positive
    abs = absolute = __abs__ = arithmetic.abs
    abs_ = absolute_ = inplace(arithmetic.abs)
    reciprocal = arithmetic.reciprocal
    reciprocal_ = inplace(arithmetic.reciprocal)
    square = arithmetic.square
    square_ = inplace(arithmetic.square)
    sqrt = arithmetic.sqrt
    sqrt_ = inplace(arithmetic.sqrt)
    rsqrt = arithmetic.rsqrt
    rsqrt_ = inplace(arithmetic.rsqrt)
    sign = arithmetic.sign
    sign_ = inplace(arithmetic.sign)
    sgn = arithmetic.sgn
    sgn_ = inplace(arithmetic.sgn)
    maximum = arithmetic.maximum
    minimum = arithmetic.minimum
    fmax = arithmetic.fmax
    fmin = arithmetic.fmin
    lerp = arithmetic.lerp
    lerp_ = inplace(arithmetic.lerp)
    addcmul = arithmetic.addcmul
    addcmul_ = inplace(arithmetic.addcmul)
    addcdiv = arithmetic.addcdiv
    addcdiv_ = inplace(arithmetic.addcdiv)
    hypot = arithmetic.hypot
    hypot_ = inplace(arithmetic.hypot)
    atan2 = arctan2 = arithmetic.atan2
    atan2_ = arctan2_ = inplace(arithmetic.atan2)
    copysign = arithmetic.copysign
    copysign_ = inplace(arithmetic.copysign)
    frexp = floating.frexp
    ldexp = floating.ldexp
    ldexp_ = inplace(floating.ldexp)
    nextafter = floating.nextafter
    nextafter_ = inplace(floating.nextafter)
    gcd = integers.gcd
    gcd_ = inplace(integers.gcd)
    lcm = integers.lcm
    lcm_ = inplace(integers.lcm)
    exp = exponential.exp
    exp_ = inplace(exponential.exp)
    exp2 = exponential.exp2
    exp2_ = inplace(exponential.exp2)
    expm1 = exponential.expm1
    expm1_ = inplace(exponential.expm1)
    log = exponential.log
    log_ = inplace(exponential.log)
    log2 = exponential.log2
    log2_ = inplace(exponential.log2)
    log10 = exponential.log10
    log10_ = inplace(exponential.log10)
    log1p = exponential.log1p
    log1p_ = inplace(exponential.log1p)
    xlogy = exponential.xlogy
    xlogy_ = inplace(exponential.xlogy)
    erf = exponential.erf
    erf_ = inplace(exponential.erf)
    erfc = exponential.erfc
    erfc_ = inplace(exponential.erfc)
    erfinv = exponential.erfinv
    erfinv_ = inplace(exponential.erfinv)
    cholesky = decompositions.cholesky
    qr = decompositions.qr
    svd = decompositions.svd
    cholesky_inverse = solving.cholesky_inverse
    cholesky_solve = solving.cholesky_solve
    det = solving.linalg_det
    inverse = solving.inverse
    logdet = solving.logdet
    lu = solving.lu
    lu_solve = solving.lu_solve
    slogdet = solving.linalg_slogdet
    triangular_solve = solving.triangular_solve
    cross = matrix_functions.cross
    geqrf = matrix_functions.geqrf
    matrix_exp = matrix_functions.linalg_matrix_exp
    matrix_power = matrix_functions.linalg_matrix_power
    orgqr = matrix_functions.linalg_householder_product
    ormqr = matrix_functions.ormqr
    pinverse = matrix_functions.pinverse
    corrcoef = covariance.corrcoef
    cov = covariance.cov
    stft = spectrogram.stft
    istft = spectrogram.istft
    i0 = special_functions.i0
    i0_ = inplace(special_functions.i0)
    igamma = special_functions.igamma
    igamma_ = inplace(special_functions.igamma)
    igammac = special_functions.igammac
    igammac_ = inplace(special_functions.igammac)
    mvlgamma = special_functions.multigammaln
    mvlgamma_ = inplace_methods.mvlgamma_
    lgamma = exponential.lgamma
    lgamma_ = inplace(exponential.lgamma)
    digamma = exponential.digamma
    digamma_ = inplace(exponential.digamma)
    logit = exponential.logit
    logit_ = inplace(exponential.logit)
    logaddexp = exponential.logaddexp
    logaddexp2 = exponential.logaddexp2
    sin = trigonometric.sin
    sin_ = inplace(trigonometric.sin)
    cos = trigonometric.cos
    cos_ = inplace(trigonometric.cos)
    tan = trigonometric.tan
    tan_ = inplace(trigonometric.tan)
    asin = arcsin = trigonometric.asin
    asin_ = arcsin_ = inplace(trigonometric.asin)
    acos = arccos = trigonometric.acos
    acos_ = arccos_ = inplace(trigonometric.acos)
    atan = arctan = trigonometric.atan
    atan_ = arctan_ = inplace(trigonometric.atan)
    asinh = arcsinh = trigonometric.asinh
    asinh_ = arcsinh_ = inplace(trigonometric.asinh)
    acosh = arccosh = trigonometric.acosh
    acosh_ = arccosh_ = inplace(trigonometric.acosh)
    atanh = arctanh = trigonometric.atanh
    atanh_ = arctanh_ = inplace(trigonometric.atanh)
    sinh = trigonometric.sinh
    sinh_ = inplace(trigonometric.sinh)
    cosh = trigonometric.cosh
    cosh_ = inplace(trigonometric.cosh)
    tanh = trigonometric.tanh
    tanh_ = inplace(trigonometric.tanh)
    sinc = trigonometric.sinc
    sinc_ = inplace(trigonometric.sinc)
    deg2rad = trigonometric.deg2rad
    deg2rad_ = inplace(trigonometric.deg2rad)
    rad2deg = trigonometric.rad2deg
    rad2deg_ = inplace(trigonometric.rad2deg)
    floor = rounding.floor
    floor_ = inplace(rounding.floor)
    ceil = rounding.ceil
    ceil_ = inplace(rounding.ceil)
    round = rounding.round
    round_ = inplace(rounding.round)
    frac = rounding.frac
    frac_ = inplace(rounding.frac)
    trunc = fix = rounding.trunc
    trunc_ = fix_ = inplace(rounding.trunc)
    eq = compare.eq
    eq_ = inplace(compare.eq)
    __eq__ = compare.operator(compare.eq)
    ne = not_equal = compare.ne
    ne_ = not_equal_ = inplace(compare.ne)
    __ne__ = compare.operator(compare.ne)
    lt = less = compare.lt
    lt_ = less_ = inplace(compare.lt)
    __lt__ = compare.operator(compare.lt)
    le = less_equal = compare.le
    le_ = less_equal_ = inplace(compare.le)
    __le__ = compare.operator(compare.le)
    gt = greater = compare.gt
    gt_ = greater_ = inplace(compare.gt)
    __gt__ = compare.operator(compare.gt)
    ge = greater_equal = compare.ge
    ge_ = greater_equal_ = inplace(compare.ge)
    __ge__ = compare.operator(compare.ge)
    isclose = compare.isclose
    isnan = compare.isnan
    isinf = compare.isinf
    isfinite = compare.isfinite
    isposinf = compare.isposinf
    isneginf = compare.isneginf
    signbit = compare.signbit
    isreal = compare.isreal
    allclose = compare.allclose
    equal = compare.equal
    heaviside = compare.heaviside
    heaviside_ = inplace(compare.heaviside)
    logical_and = logic.logical_and
    logical_and_ = inplace(logic.logical_and)
    logical_or = logic.logical_or
    logical_or_ = inplace(logic.logical_or)
    logical_xor = logic.logical_xor
    logical_xor_ = inplace(logic.logical_xor)
    logical_not = logic.logical_not
    logical_not_ = inplace(logic.logical_not)
    bitwise_and = __and__ = __rand__ = logic.bitwise_and
    bitwise_and_ = __iand__ = inplace(logic.bitwise_and)
    bitwise_or = __or__ = __ror__ = logic.bitwise_or
    bitwise_or_ = __ior__ = inplace(logic.bitwise_or)
    bitwise_xor = __xor__ = __rxor__ = logic.bitwise_xor
    bitwise_xor_ = __ixor__ = inplace(logic.bitwise_xor)
    bitwise_not = logic.bitwise_not
    bitwise_not_ = inplace(logic.bitwise_not)
    __invert__ = logic.invert
    bitwise_left_shift = __lshift__ = logic.bitwise_left_shift
    bitwise_left_shift_ = __ilshift__ = inplace(logic.bitwise_left_shift)
    __rlshift__ = arithmetic.reflected(logic.bitwise_left_shift)
    bitwise_right_shift = __rshift__ = logic.bitwise_right_shift
    bitwise_right_shift_ = __irshift__ = inplace(logic.bitwise_right_shift)
    __rrshift__ = arithmetic.reflected(logic.bitwise_right_shift)
    clamp = clip = selection.clamp
    clamp_ = clip_ = inplace(selection.clamp)
    clamp_min = selection.clamp_min
    clamp_max = selection.clamp_max
    clamp_min_ = inplace_methods.clamp_min_
    clamp_max_ = inplace_methods.clamp_max_
    masked_fill = selection.masked_fill
    masked_fill_ = placing.masked_fill_
    nan_to_num = selection.nan_to_num
    nan_to_num_ = inplace(selection.nan_to_num)
    relu = activation.relu
    relu_ = inplace(activation.relu)
    sigmoid = activation.sigmoid
    sigmoid_ = inplace(activation.sigmoid)
    prelu = activation.prelu
    hardshrink = activation.hardshrink
    where = selection.choose
    conj = complexes.conj
    conj_physical = complexes.conj_physical
    conj_physical_ = inplace(complexes.conj_physical)
    resolve_conj = resolve_neg = complexes.resolve_conj
    is_conj = is_neg = complexes.never
    angle = complexes.angle
    real = complexes.real_property
    imag = complexes.imag_property
    polygamma = exponential.polygamma_method
    polygamma_ = inplace_methods.polygamma_
    rsub = arithmetic.rsub
    copy_ = inplace(copying.copy)
    clone = copying.clone
    sum = reductions.sum
    mean = reductions.mean
    nansum = reductions.nansum
    nanmean = reductions.nanmean
    all = reductions.all
    any = reductions.any
    count_nonzero = reductions.count_nonzero
    logsumexp = reductions.logsumexp
    prod = scan.prod
    cumsum = scan.cumsum
    cumprod = scan.cumprod
    cummax = scan.cummax
    cummin = scan.cummin
    logcumsumexp = scan.logcumsumexp
    diff = scan.diff
    cumsum_ = inplace(scan.cumsum)
    cumprod_ = inplace(scan.cumprod)
    amax = extremes.amax
    amin = extremes.amin
    aminmax = extremes.aminmax
    max = extremes.max
    min = extremes.min
    argmax = extremes.argmax
    argmin = extremes.argmin
    median = extremes.median
    nanmedian = extremes.nanmedian
    mode = extremes.mode
    sort = sorting.sort
    argsort = sorting.argsort
    msort = sorting.msort
    topk = sorting.topk
    kthvalue = sorting.kthvalue
    unique = sorting.unique
    unique_consecutive = sorting.unique_consecutive
    bincount = sorting.bincount
    histc = sorting.histc
    histogram = histograms.histogram
    var = statistics.var
    std = statistics.std
    norm = statistics.method_norm
    dist = statistics.dist
    quantile = quantiles.quantile
    nanquantile = quantiles.nanquantile
    renorm = distances.renorm
    renorm_ = inplace_methods.renorm_
    log_softmax = normalised.log_softmax
    softmax = normalised.softmax

    matmul = __matmul__ = products.matmul
    __rmatmul__ = products.reversed_matmul
    mm = products.mm
    bmm = products.bmm
    mv = products.mv
    dot = products.dot
    vdot = products.vdot
    outer = ger = products.outer
    inner = products.inner
    addmm = products.addmm
    addmm_ = inplace_methods.addmm_
    addmv = products.addmv
    addmv_ = inplace_methods.addmv_
    addr = products.addr
    addr_ = inplace_methods.addr_
    addbmm = products.addbmm
    addbmm_ = inplace_methods.addbmm_
    baddbmm = products.baddbmm
    baddbmm_ = inplace_methods.baddbmm_
    kron = products.kron


#: methods called so often that even a frame in between is felt; they tell of failures themselves
_QUICK = (
    "contiguous", "dim", "element_size", "expand", "is_complex", "is_contiguous",
    "is_floating_point", "ndimension", "nelement", "numel", "permute", "reshape", "size", "stride",
    "view",
)  # fmt: skip
for _name, _method in check_functions(
    dict(vars(Operations)), "pellucid.tensors.tensor", apart_from=_QUICK, prefix="Tensor."
).items():
    setattr(Operations, _name, _method)

"""Where functions of `Tensor` are defined; by ``docs/generate_stubs.py``.

Nobody imports it. pyright's server goes this way from a name to its definition; jedi, which
would show the definition's docstring in place of the stub's, takes the condition as it is.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:

    class Operations:
        def __abs__(self, *given):
            from pellucid.ops.elementwise.signs import abs

        def __add__(self, *given):
            from pellucid.ops.elementwise.arithmetic import add

        def __and__(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_and

        def __div__(self, *given):
            from pellucid.ops.elementwise.arithmetic import div

        def __floordiv__(self, *given):
            from pellucid.ops.elementwise.arithmetic import floor_divide

        def __getitem__(self, *given):
            from pellucid.ops.index.indexing import getitem

        def __iadd__(self, *given):
            from pellucid.ops.elementwise.arithmetic import add

        def __iand__(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_and

        def __idiv__(self, *given):
            from pellucid.ops.elementwise.arithmetic import div

        def __ifloordiv__(self, *given):
            from pellucid.ops.elementwise.arithmetic import floor_divide

        def __ilshift__(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_left_shift

        def __imod__(self, *given):
            from pellucid.ops.elementwise.arithmetic import remainder

        def __imul__(self, *given):
            from pellucid.ops.elementwise.arithmetic import mul

        def __ior__(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_or

        def __ipow__(self, *given):
            from pellucid.ops.elementwise.powers import pow

        def __irshift__(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_right_shift

        def __isub__(self, *given):
            from pellucid.ops.elementwise.arithmetic import sub

        def __itruediv__(self, *given):
            from pellucid.ops.elementwise.arithmetic import div

        def __ixor__(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_xor

        def __lshift__(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_left_shift

        def __matmul__(self, *given):
            from pellucid.ops.linalg.matmul import matmul

        def __mod__(self, *given):
            from pellucid.ops.elementwise.arithmetic import remainder

        def __mul__(self, *given):
            from pellucid.ops.elementwise.arithmetic import mul

        def __neg__(self, *given):
            from pellucid.ops.elementwise.signs import neg

        def __or__(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_or

        def __pow__(self, *given):
            from pellucid.ops.elementwise.powers import pow

        def __radd__(self, *given):
            from pellucid.ops.elementwise.arithmetic import add

        def __rand__(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_and

        def __rmul__(self, *given):
            from pellucid.ops.elementwise.arithmetic import mul

        def __ror__(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_or

        def __rshift__(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_right_shift

        def __rxor__(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_xor

        def __setitem__(self, *given):
            from pellucid.ops.index.indexing import setitem

        def __sub__(self, *given):
            from pellucid.ops.elementwise.arithmetic import sub

        def __truediv__(self, *given):
            from pellucid.ops.elementwise.arithmetic import div

        def __xor__(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_xor

        def _addmm_activation(self, *given):
            from pellucid.ops.nn.activation import _addmm_activation

        def _is_view(self, *given):
            from pellucid.tensors.properties import _is_view

        def abs(self, *given):
            from pellucid.ops.elementwise.signs import abs

        def abs_(self, *given):
            from pellucid.ops.elementwise.signs import abs

        def absolute(self, *given):
            from pellucid.ops.elementwise.signs import abs

        def absolute_(self, *given):
            from pellucid.ops.elementwise.signs import abs

        def acos(self, *given):
            from pellucid.ops.elementwise.trigonometric import acos

        def acos_(self, *given):
            from pellucid.ops.elementwise.trigonometric import acos

        def acosh(self, *given):
            from pellucid.ops.elementwise.trigonometric import acosh

        def acosh_(self, *given):
            from pellucid.ops.elementwise.trigonometric import acosh

        def add(self, *given):
            from pellucid.ops.elementwise.arithmetic import add

        def add_(self, *given):
            from pellucid.ops.elementwise.arithmetic import add

        def addbmm(self, *given):
            from pellucid.ops.linalg.addmm import addbmm

        def addbmm_(self, *given):
            from pellucid.ops.linalg.addmm import addbmm

        def addcdiv(self, *given):
            from pellucid.ops.elementwise.combined import addcdiv

        def addcdiv_(self, *given):
            from pellucid.ops.elementwise.combined import addcdiv

        def addcmul(self, *given):
            from pellucid.ops.elementwise.combined import addcmul

        def addcmul_(self, *given):
            from pellucid.ops.elementwise.combined import addcmul

        def addmm(self, *given):
            from pellucid.ops.linalg.addmm import addmm

        def addmm_(self, *given):
            from pellucid.ops.linalg.addmm import addmm

        def addmv(self, *given):
            from pellucid.ops.linalg.addmm import addmv

        def addmv_(self, *given):
            from pellucid.ops.linalg.addmm import addmv

        def addr(self, *given):
            from pellucid.ops.linalg.addmm import addr

        def addr_(self, *given):
            from pellucid.ops.linalg.addmm import addr

        def adjoint(self, *given):
            from pellucid.ops.shape.views import adjoint

        def all(self, *given):
            from pellucid.ops.reduce.reductions import all

        def allclose(self, *given):
            from pellucid.ops.elementwise.compare import allclose

        def amax(self, *given):
            from pellucid.ops.reduce.extremes import amax

        def amin(self, *given):
            from pellucid.ops.reduce.extremes import amin

        def aminmax(self, *given):
            from pellucid.ops.reduce.extremes import aminmax

        def angle(self, *given):
            from pellucid.ops.elementwise.complexes import angle

        def any(self, *given):
            from pellucid.ops.reduce.reductions import any

        def apply_(self, *given):
            from pellucid.tensors.inplace_methods import apply_

        def arccos(self, *given):
            from pellucid.ops.elementwise.trigonometric import acos

        def arccos_(self, *given):
            from pellucid.ops.elementwise.trigonometric import acos

        def arccosh(self, *given):
            from pellucid.ops.elementwise.trigonometric import acosh

        def arccosh_(self, *given):
            from pellucid.ops.elementwise.trigonometric import acosh

        def arcsin(self, *given):
            from pellucid.ops.elementwise.trigonometric import asin

        def arcsin_(self, *given):
            from pellucid.ops.elementwise.trigonometric import asin

        def arcsinh(self, *given):
            from pellucid.ops.elementwise.trigonometric import asinh

        def arcsinh_(self, *given):
            from pellucid.ops.elementwise.trigonometric import asinh

        def arctan(self, *given):
            from pellucid.ops.elementwise.trigonometric import atan

        def arctan2(self, *given):
            from pellucid.ops.elementwise.arithmetic import atan2

        def arctan2_(self, *given):
            from pellucid.ops.elementwise.arithmetic import atan2

        def arctan_(self, *given):
            from pellucid.ops.elementwise.trigonometric import atan

        def arctanh(self, *given):
            from pellucid.ops.elementwise.trigonometric import atanh

        def arctanh_(self, *given):
            from pellucid.ops.elementwise.trigonometric import atanh

        def argmax(self, *given):
            from pellucid.ops.reduce.extremes import argmax

        def argmin(self, *given):
            from pellucid.ops.reduce.extremes import argmin

        def argsort(self, *given):
            from pellucid.ops.reduce.sort import argsort

        def argwhere(self, *given):
            from pellucid.ops.index.masked import argwhere

        def as_strided(self, *given):
            from pellucid.ops.shape.strided import as_strided

        def as_strided_(self, *given):
            from pellucid.tensors.inplace_methods import as_strided_

        def as_strided_scatter(self, *given):
            from pellucid.ops.index.slice_scatter import as_strided_scatter

        def as_subclass(self, *given):
            from pellucid.tensors.copies import as_subclass

        def asin(self, *given):
            from pellucid.ops.elementwise.trigonometric import asin

        def asin_(self, *given):
            from pellucid.ops.elementwise.trigonometric import asin

        def asinh(self, *given):
            from pellucid.ops.elementwise.trigonometric import asinh

        def asinh_(self, *given):
            from pellucid.ops.elementwise.trigonometric import asinh

        def atan(self, *given):
            from pellucid.ops.elementwise.trigonometric import atan

        def atan2(self, *given):
            from pellucid.ops.elementwise.arithmetic import atan2

        def atan2_(self, *given):
            from pellucid.ops.elementwise.arithmetic import atan2

        def atan_(self, *given):
            from pellucid.ops.elementwise.trigonometric import atan

        def atanh(self, *given):
            from pellucid.ops.elementwise.trigonometric import atanh

        def atanh_(self, *given):
            from pellucid.ops.elementwise.trigonometric import atanh

        def baddbmm(self, *given):
            from pellucid.ops.linalg.addmm import baddbmm

        def baddbmm_(self, *given):
            from pellucid.ops.linalg.addmm import baddbmm

        def bernoulli(self, *given):
            from pellucid.ops.random.sampling import bernoulli

        def bernoulli_(self, *given):
            from pellucid.ops.random.sampling import bernoulli_

        def bincount(self, *given):
            from pellucid.ops.reduce.sort import bincount

        def bitwise_and(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_and

        def bitwise_and_(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_and

        def bitwise_left_shift(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_left_shift

        def bitwise_left_shift_(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_left_shift

        def bitwise_not(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_not

        def bitwise_not_(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_not

        def bitwise_or(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_or

        def bitwise_or_(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_or

        def bitwise_right_shift(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_right_shift

        def bitwise_right_shift_(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_right_shift

        def bitwise_xor(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_xor

        def bitwise_xor_(self, *given):
            from pellucid.ops.elementwise.logic import bitwise_xor

        def bmm(self, *given):
            from pellucid.ops.linalg.matmul import bmm

        def broadcast_to(self, *given):
            from pellucid.ops.shape.broadcasting import broadcast_to

        def cauchy_(self, *given):
            from pellucid.ops.random.sampling import cauchy_

        def ceil(self, *given):
            from pellucid.ops.elementwise.rounding import ceil

        def ceil_(self, *given):
            from pellucid.ops.elementwise.rounding import ceil

        def cholesky(self, *given):
            from pellucid.ops.linalg.decompositions import cholesky

        def cholesky_inverse(self, *given):
            from pellucid.ops.linalg.solving import cholesky_inverse

        def cholesky_solve(self, *given):
            from pellucid.ops.linalg.solving import cholesky_solve

        def chunk(self, *given):
            from pellucid.ops.shape.splitting import chunk

        def clamp(self, *given):
            from pellucid.ops.elementwise.conditional import clamp

        def clamp_(self, *given):
            from pellucid.ops.elementwise.conditional import clamp

        def clamp_max(self, *given):
            from pellucid.ops.elementwise.conditional import clamp_max

        def clamp_max_(self, *given):
            from pellucid.ops.elementwise.conditional import clamp_max

        def clamp_min(self, *given):
            from pellucid.ops.elementwise.conditional import clamp_min

        def clamp_min_(self, *given):
            from pellucid.ops.elementwise.conditional import clamp_min

        def clip(self, *given):
            from pellucid.ops.elementwise.conditional import clamp

        def clip_(self, *given):
            from pellucid.ops.elementwise.conditional import clamp

        def clone(self, *given):
            from pellucid.ops.shape.copying import clone

        def conj(self, *given):
            from pellucid.ops.elementwise.complexes import conj

        def conj_physical(self, *given):
            from pellucid.ops.elementwise.complexes import conj_physical

        def conj_physical_(self, *given):
            from pellucid.ops.elementwise.complexes import conj_physical

        def const_data_ptr(self, *given):
            from pellucid.tensors.properties import data_ptr

        def contiguous(self, *given):
            from pellucid.ops.shape.copying import contiguous

        def copy_(self, *given):
            from pellucid.ops.shape.copying import copy

        def copysign(self, *given):
            from pellucid.ops.elementwise.signs import copysign

        def copysign_(self, *given):
            from pellucid.ops.elementwise.signs import copysign

        def corrcoef(self, *given):
            from pellucid.ops.reduce.covariance import corrcoef

        def cos(self, *given):
            from pellucid.ops.elementwise.trigonometric import cos

        def cos_(self, *given):
            from pellucid.ops.elementwise.trigonometric import cos

        def cosh(self, *given):
            from pellucid.ops.elementwise.trigonometric import cosh

        def cosh_(self, *given):
            from pellucid.ops.elementwise.trigonometric import cosh

        def count_nonzero(self, *given):
            from pellucid.ops.reduce.reductions import count_nonzero

        def cov(self, *given):
            from pellucid.ops.reduce.covariance import cov

        def cpu(self, *given):
            from pellucid.tensors.conversions import cpu

        def cross(self, *given):
            from pellucid.ops.linalg.products import cross

        def cuda(self, *given):
            from pellucid.tensors.conversions import cuda

        def cummax(self, *given):
            from pellucid.ops.reduce.scan import cummax

        def cummin(self, *given):
            from pellucid.ops.reduce.scan import cummin

        def cumprod(self, *given):
            from pellucid.ops.reduce.scan import cumprod

        def cumprod_(self, *given):
            from pellucid.ops.reduce.scan import cumprod

        def cumsum(self, *given):
            from pellucid.ops.reduce.scan import cumsum

        def cumsum_(self, *given):
            from pellucid.ops.reduce.scan import cumsum

        def data_ptr(self, *given):
            from pellucid.tensors.properties import data_ptr

        def deg2rad(self, *given):
            from pellucid.ops.elementwise.trigonometric import deg2rad

        def deg2rad_(self, *given):
            from pellucid.ops.elementwise.trigonometric import deg2rad

        def dense_dim(self, *given):
            from pellucid.tensors.layouts import dense_dim

        def det(self, *given):
            from pellucid.ops.linalg.determinants import linalg_det

        def diag(self, *given):
            from pellucid.ops.shape.diagonal import diag

        def diag_embed(self, *given):
            from pellucid.ops.shape.diagonal import diag_embed

        def diagflat(self, *given):
            from pellucid.ops.shape.diagonal import diagflat

        def diagonal(self, *given):
            from pellucid.ops.shape.diagonal import diagonal

        def diagonal_scatter(self, *given):
            from pellucid.ops.index.slice_scatter import diagonal_scatter

        def diff(self, *given):
            from pellucid.ops.reduce.scan import diff

        def digamma(self, *given):
            from pellucid.ops.elementwise.exponential import digamma

        def digamma_(self, *given):
            from pellucid.ops.elementwise.exponential import digamma

        def dim(self, *given):
            from pellucid.tensors.properties import dim

        def dim_order(self, *given):
            from pellucid.tensors.dlpack import dim_order

        def dist(self, *given):
            from pellucid.ops.reduce.statistics import dist

        def div(self, *given):
            from pellucid.ops.elementwise.arithmetic import div

        def div_(self, *given):
            from pellucid.ops.elementwise.arithmetic import div

        def divide(self, *given):
            from pellucid.ops.elementwise.arithmetic import div

        def divide_(self, *given):
            from pellucid.ops.elementwise.arithmetic import div

        def dot(self, *given):
            from pellucid.ops.linalg.matmul import dot

        def dsplit(self, *given):
            from pellucid.ops.shape.splitting import dsplit

        def element_size(self, *given):
            from pellucid.tensors.properties import element_size

        def eq(self, *given):
            from pellucid.ops.elementwise.compare import eq

        def eq_(self, *given):
            from pellucid.ops.elementwise.compare import eq

        def equal(self, *given):
            from pellucid.ops.elementwise.compare import equal

        def erf(self, *given):
            from pellucid.ops.elementwise.exponential import erf

        def erf_(self, *given):
            from pellucid.ops.elementwise.exponential import erf

        def erfc(self, *given):
            from pellucid.ops.elementwise.exponential import erfc

        def erfc_(self, *given):
            from pellucid.ops.elementwise.exponential import erfc

        def erfinv(self, *given):
            from pellucid.ops.elementwise.exponential import erfinv

        def erfinv_(self, *given):
            from pellucid.ops.elementwise.exponential import erfinv

        def exp(self, *given):
            from pellucid.ops.elementwise.exponential import exp

        def exp2(self, *given):
            from pellucid.ops.elementwise.exponential import exp2

        def exp2_(self, *given):
            from pellucid.ops.elementwise.exponential import exp2

        def exp_(self, *given):
            from pellucid.ops.elementwise.exponential import exp

        def expand(self, *given):
            from pellucid.tensors.resizing import expand

        def expand_as(self, *given):
            from pellucid.ops.shape.broadcasting import expand_as

        def expm1(self, *given):
            from pellucid.ops.elementwise.exponential import expm1

        def expm1_(self, *given):
            from pellucid.ops.elementwise.exponential import expm1

        def exponential_(self, *given):
            from pellucid.ops.random.sampling import exponential_

        def fill_(self, *given):
            from pellucid.tensors.inplace_methods import fill_

        def fill_diagonal_(self, *given):
            from pellucid.tensors.inplace_methods import fill_diagonal_

        def fix(self, *given):
            from pellucid.ops.elementwise.rounding import trunc

        def fix_(self, *given):
            from pellucid.ops.elementwise.rounding import trunc

        def flatten(self, *given):
            from pellucid.ops.shape.views import flatten

        def flip(self, *given):
            from pellucid.ops.shape.diagonal import flip_method

        def fliplr(self, *given):
            from pellucid.ops.shape.diagonal import fliplr

        def flipud(self, *given):
            from pellucid.ops.shape.diagonal import flipud

        def float_power(self, *given):
            from pellucid.ops.elementwise.powers import float_power

        def float_power_(self, *given):
            from pellucid.tensors.inplace_methods import float_power_

        def floor(self, *given):
            from pellucid.ops.elementwise.rounding import floor

        def floor_(self, *given):
            from pellucid.ops.elementwise.rounding import floor

        def floor_divide(self, *given):
            from pellucid.ops.elementwise.arithmetic import floor_divide

        def floor_divide_(self, *given):
            from pellucid.ops.elementwise.arithmetic import floor_divide

        def fmax(self, *given):
            from pellucid.ops.elementwise.extrema import fmax

        def fmin(self, *given):
            from pellucid.ops.elementwise.extrema import fmin

        def fmod(self, *given):
            from pellucid.ops.elementwise.arithmetic import fmod

        def fmod_(self, *given):
            from pellucid.ops.elementwise.arithmetic import fmod

        def frac(self, *given):
            from pellucid.ops.elementwise.rounding import frac

        def frac_(self, *given):
            from pellucid.ops.elementwise.rounding import frac

        def frexp(self, *given):
            from pellucid.ops.elementwise.floating import frexp

        def gather(self, *given):
            from pellucid.ops.index.scatter import gather

        def gcd(self, *given):
            from pellucid.ops.elementwise.integers import gcd

        def gcd_(self, *given):
            from pellucid.ops.elementwise.integers import gcd

        def ge(self, *given):
            from pellucid.ops.elementwise.compare import ge

        def ge_(self, *given):
            from pellucid.ops.elementwise.compare import ge

        def geometric_(self, *given):
            from pellucid.ops.random.sampling import geometric_

        def geqrf(self, *given):
            from pellucid.ops.linalg.householder import geqrf

        def ger(self, *given):
            from pellucid.ops.linalg.matmul import outer

        def get_device(self, *given):
            from pellucid.tensors.properties import get_device

        def greater(self, *given):
            from pellucid.ops.elementwise.compare import gt

        def greater_(self, *given):
            from pellucid.ops.elementwise.compare import gt

        def greater_equal(self, *given):
            from pellucid.ops.elementwise.compare import ge

        def greater_equal_(self, *given):
            from pellucid.ops.elementwise.compare import ge

        def gt(self, *given):
            from pellucid.ops.elementwise.compare import gt

        def gt_(self, *given):
            from pellucid.ops.elementwise.compare import gt

        def hardshrink(self, *given):
            from pellucid.ops.nn.activation import hardshrink

        def hash_tensor(self, *given):
            from pellucid.ops.reduce.hashing import hash_tensor

        def heaviside(self, *given):
            from pellucid.ops.elementwise.compare import heaviside

        def heaviside_(self, *given):
            from pellucid.ops.elementwise.compare import heaviside

        def histc(self, *given):
            from pellucid.ops.reduce.sort import histc

        def histogram(self, *given):
            from pellucid.ops.reduce.histograms import histogram

        def hsplit(self, *given):
            from pellucid.ops.shape.splitting import hsplit

        def hypot(self, *given):
            from pellucid.ops.elementwise.arithmetic import hypot

        def hypot_(self, *given):
            from pellucid.ops.elementwise.arithmetic import hypot

        def i0(self, *given):
            from pellucid.ops.elementwise.special_functions import i0

        def i0_(self, *given):
            from pellucid.ops.elementwise.special_functions import i0

        def igamma(self, *given):
            from pellucid.ops.elementwise.special_functions import igamma

        def igamma_(self, *given):
            from pellucid.ops.elementwise.special_functions import igamma

        def igammac(self, *given):
            from pellucid.ops.elementwise.special_functions import igammac

        def igammac_(self, *given):
            from pellucid.ops.elementwise.special_functions import igammac

        def index_add(self, *given):
            from pellucid.ops.index.index_slices import index_add

        def index_add_(self, *given):
            from pellucid.ops.index.index_slices import index_add

        def index_copy(self, *given):
            from pellucid.ops.index.index_slices import index_copy

        def index_copy_(self, *given):
            from pellucid.ops.index.index_slices import index_copy

        def index_fill(self, *given):
            from pellucid.ops.index.index_slices import index_fill

        def index_fill_(self, *given):
            from pellucid.ops.index.index_slices import index_fill_

        def index_put(self, *given):
            from pellucid.ops.index.indexing import index_put

        def index_put_(self, *given):
            from pellucid.ops.index.indexing import index_put_

        def index_reduce(self, *given):
            from pellucid.ops.index.index_misc import index_reduce

        def index_reduce_(self, *given):
            from pellucid.ops.index.index_misc import index_reduce_

        def index_select(self, *given):
            from pellucid.ops.index.index_slices import index_select

        def inner(self, *given):
            from pellucid.ops.linalg.matmul import inner

        def inverse(self, *given):
            from pellucid.ops.linalg.solving import inverse

        def is_complex(self, *given):
            from pellucid.tensors.properties import is_complex

        def is_conj(self, *given):
            from pellucid.ops.elementwise.complexes import never

        def is_contiguous(self, *given):
            from pellucid.tensors.properties import is_contiguous

        def is_distributed(self, *given):
            from pellucid.tensors.dlpack import is_distributed

        def is_floating_point(self, *given):
            from pellucid.tensors.properties import is_floating_point

        def is_inference(self, *given):
            from pellucid.tensors.properties import is_inference

        def is_neg(self, *given):
            from pellucid.ops.elementwise.complexes import never

        def is_pinned(self, *given):
            from pellucid.tensors.shared_memory import is_pinned

        def is_same_size(self, *given):
            from pellucid.tensors.dlpack import is_same_size

        def is_set_to(self, *given):
            from pellucid.tensors.dlpack import is_set_to

        def is_shared(self, *given):
            from pellucid.tensors.shared_memory import is_shared

        def is_signed(self, *given):
            from pellucid.tensors.properties import is_signed

        def isclose(self, *given):
            from pellucid.ops.elementwise.compare import isclose

        def isfinite(self, *given):
            from pellucid.ops.elementwise.compare import isfinite

        def isinf(self, *given):
            from pellucid.ops.elementwise.compare import isinf

        def isnan(self, *given):
            from pellucid.ops.elementwise.compare import isnan

        def isneginf(self, *given):
            from pellucid.ops.elementwise.compare import isneginf

        def isposinf(self, *given):
            from pellucid.ops.elementwise.compare import isposinf

        def isreal(self, *given):
            from pellucid.ops.elementwise.compare import isreal

        def istft(self, *given):
            from pellucid.ops.signal.spectrogram import istft

        def kron(self, *given):
            from pellucid.ops.linalg.matmul import kron

        def kthvalue(self, *given):
            from pellucid.ops.reduce.sort import kthvalue

        def lcm(self, *given):
            from pellucid.ops.elementwise.integers import lcm

        def lcm_(self, *given):
            from pellucid.ops.elementwise.integers import lcm

        def ldexp(self, *given):
            from pellucid.ops.elementwise.floating import ldexp

        def ldexp_(self, *given):
            from pellucid.ops.elementwise.floating import ldexp

        def le(self, *given):
            from pellucid.ops.elementwise.compare import le

        def le_(self, *given):
            from pellucid.ops.elementwise.compare import le

        def lerp(self, *given):
            from pellucid.ops.elementwise.combined import lerp

        def lerp_(self, *given):
            from pellucid.ops.elementwise.combined import lerp

        def less(self, *given):
            from pellucid.ops.elementwise.compare import lt

        def less_(self, *given):
            from pellucid.ops.elementwise.compare import lt

        def less_equal(self, *given):
            from pellucid.ops.elementwise.compare import le

        def less_equal_(self, *given):
            from pellucid.ops.elementwise.compare import le

        def lgamma(self, *given):
            from pellucid.ops.elementwise.exponential import lgamma

        def lgamma_(self, *given):
            from pellucid.ops.elementwise.exponential import lgamma

        def log(self, *given):
            from pellucid.ops.elementwise.exponential import log

        def log10(self, *given):
            from pellucid.ops.elementwise.exponential import log10

        def log10_(self, *given):
            from pellucid.ops.elementwise.exponential import log10

        def log1p(self, *given):
            from pellucid.ops.elementwise.exponential import log1p

        def log1p_(self, *given):
            from pellucid.ops.elementwise.exponential import log1p

        def log2(self, *given):
            from pellucid.ops.elementwise.exponential import log2

        def log2_(self, *given):
            from pellucid.ops.elementwise.exponential import log2

        def log_(self, *given):
            from pellucid.ops.elementwise.exponential import log

        def log_normal_(self, *given):
            from pellucid.ops.random.sampling import log_normal_

        def log_softmax(self, *given):
            from pellucid.ops.nn.softmax import log_softmax

        def logaddexp(self, *given):
            from pellucid.ops.elementwise.exponential import logaddexp

        def logaddexp2(self, *given):
            from pellucid.ops.elementwise.exponential import logaddexp2

        def logcumsumexp(self, *given):
            from pellucid.ops.reduce.scan import logcumsumexp

        def logdet(self, *given):
            from pellucid.ops.linalg.determinants import logdet

        def logical_and(self, *given):
            from pellucid.ops.elementwise.logic import logical_and

        def logical_and_(self, *given):
            from pellucid.ops.elementwise.logic import logical_and

        def logical_not(self, *given):
            from pellucid.ops.elementwise.logic import logical_not

        def logical_not_(self, *given):
            from pellucid.ops.elementwise.logic import logical_not

        def logical_or(self, *given):
            from pellucid.ops.elementwise.logic import logical_or

        def logical_or_(self, *given):
            from pellucid.ops.elementwise.logic import logical_or

        def logical_xor(self, *given):
            from pellucid.ops.elementwise.logic import logical_xor

        def logical_xor_(self, *given):
            from pellucid.ops.elementwise.logic import logical_xor

        def logit(self, *given):
            from pellucid.ops.elementwise.exponential import logit

        def logit_(self, *given):
            from pellucid.ops.elementwise.exponential import logit

        def logsumexp(self, *given):
            from pellucid.ops.reduce.reductions import logsumexp

        def lt(self, *given):
            from pellucid.ops.elementwise.compare import lt

        def lt_(self, *given):
            from pellucid.ops.elementwise.compare import lt

        def lu(self, *given):
            from pellucid.ops.linalg.lu import lu

        def lu_solve(self, *given):
            from pellucid.ops.linalg.lu import lu_solve

        def map2_(self, *given):
            from pellucid.tensors.inplace_methods import map2_

        def map_(self, *given):
            from pellucid.tensors.inplace_methods import map_

        def masked_fill(self, *given):
            from pellucid.ops.elementwise.conditional import masked_fill

        def masked_fill_(self, *given):
            from pellucid.ops.index.masked import masked_fill_

        def masked_scatter(self, *given):
            from pellucid.ops.index.masked import masked_scatter

        def masked_scatter_(self, *given):
            from pellucid.ops.index.masked import masked_scatter_

        def masked_select(self, *given):
            from pellucid.ops.index.masked import masked_select

        def matmul(self, *given):
            from pellucid.ops.linalg.matmul import matmul

        def matrix_exp(self, *given):
            from pellucid.ops.linalg.matrix_functions import linalg_matrix_exp

        def matrix_power(self, *given):
            from pellucid.ops.linalg.matrix_functions import linalg_matrix_power

        def max(self, *given):
            from pellucid.ops.reduce.extremes import max

        def maximum(self, *given):
            from pellucid.ops.elementwise.extrema import maximum

        def mean(self, *given):
            from pellucid.ops.reduce.reductions import mean

        def median(self, *given):
            from pellucid.ops.reduce.extremes import median

        def min(self, *given):
            from pellucid.ops.reduce.extremes import min

        def minimum(self, *given):
            from pellucid.ops.elementwise.extrema import minimum

        def mm(self, *given):
            from pellucid.ops.linalg.matmul import mm

        def module_load(self, *given):
            from pellucid.tensors.dlpack import module_load

        def moveaxis(self, *given):
            from pellucid.ops.shape.views import movedim

        def movedim(self, *given):
            from pellucid.ops.shape.views import movedim

        def msort(self, *given):
            from pellucid.ops.reduce.sort import msort

        def mul(self, *given):
            from pellucid.ops.elementwise.arithmetic import mul

        def mul_(self, *given):
            from pellucid.ops.elementwise.arithmetic import mul

        def multinomial(self, *given):
            from pellucid.ops.random.sampling import multinomial

        def multiply(self, *given):
            from pellucid.ops.elementwise.arithmetic import mul

        def multiply_(self, *given):
            from pellucid.ops.elementwise.arithmetic import mul

        def mv(self, *given):
            from pellucid.ops.linalg.matmul import mv

        def mvlgamma(self, *given):
            from pellucid.ops.elementwise.special_functions import multigammaln

        def mvlgamma_(self, *given):
            from pellucid.ops.elementwise.special_functions import multigammaln

        def nan_to_num(self, *given):
            from pellucid.ops.elementwise.conditional import nan_to_num

        def nan_to_num_(self, *given):
            from pellucid.ops.elementwise.conditional import nan_to_num

        def nanmean(self, *given):
            from pellucid.ops.reduce.reductions import nanmean

        def nanmedian(self, *given):
            from pellucid.ops.reduce.extremes import nanmedian

        def nanquantile(self, *given):
            from pellucid.ops.reduce.quantiles import nanquantile

        def nansum(self, *given):
            from pellucid.ops.reduce.reductions import nansum

        def narrow(self, *given):
            from pellucid.ops.shape.splitting import narrow

        def ndimension(self, *given):
            from pellucid.tensors.properties import dim

        def ne(self, *given):
            from pellucid.ops.elementwise.compare import ne

        def ne_(self, *given):
            from pellucid.ops.elementwise.compare import ne

        def neg(self, *given):
            from pellucid.ops.elementwise.signs import neg

        def neg_(self, *given):
            from pellucid.ops.elementwise.signs import neg

        def negative(self, *given):
            from pellucid.ops.elementwise.signs import neg

        def negative_(self, *given):
            from pellucid.ops.elementwise.signs import neg

        def nelement(self, *given):
            from pellucid.tensors.properties import numel

        def new(self, *given):
            from pellucid.tensors.new_tensors import new_instance

        def new_empty_strided(self, *given):
            from pellucid.tensors.new_tensors import new_empty_strided

        def new_full(self, *given):
            from pellucid.tensors.new_tensors import new_full

        def new_tensor(self, *given):
            from pellucid.tensors.new_tensors import new_tensor_method

        def nextafter(self, *given):
            from pellucid.ops.elementwise.floating import nextafter

        def nextafter_(self, *given):
            from pellucid.ops.elementwise.floating import nextafter

        def nonzero(self, *given):
            from pellucid.ops.index.masked import nonzero

        def nonzero_static(self, *given):
            from pellucid.ops.index.index_misc import nonzero_static

        def norm(self, *given):
            from pellucid.ops.reduce.statistics import method_norm

        def normal_(self, *given):
            from pellucid.ops.random.sampling import normal_

        def not_equal(self, *given):
            from pellucid.ops.elementwise.compare import ne

        def not_equal_(self, *given):
            from pellucid.ops.elementwise.compare import ne

        def numel(self, *given):
            from pellucid.tensors.properties import numel

        def orgqr(self, *given):
            from pellucid.ops.linalg.householder import linalg_householder_product

        def ormqr(self, *given):
            from pellucid.ops.linalg.householder import ormqr

        def outer(self, *given):
            from pellucid.ops.linalg.matmul import outer

        def permute(self, *given):
            from pellucid.tensors.resizing import permute

        def pin_memory(self, *given):
            from pellucid.tensors.conversions import pin_memory

        def pinverse(self, *given):
            from pellucid.ops.linalg.matrix_functions import pinverse

        def polygamma(self, *given):
            from pellucid.ops.elementwise.exponential import polygamma_method

        def polygamma_(self, *given):
            from pellucid.ops.elementwise.exponential import polygamma_method

        def pow(self, *given):
            from pellucid.ops.elementwise.powers import pow

        def pow_(self, *given):
            from pellucid.ops.elementwise.powers import pow

        def prelu(self, *given):
            from pellucid.ops.nn.activation import prelu

        def prod(self, *given):
            from pellucid.ops.reduce.scan import prod

        def put(self, *given):
            from pellucid.ops.index.take import put

        def put_(self, *given):
            from pellucid.ops.index.take import put_

        def qr(self, *given):
            from pellucid.ops.linalg.decompositions import qr

        def qscheme(self, *given):
            from pellucid.tensors.dlpack import qscheme

        def quantile(self, *given):
            from pellucid.ops.reduce.quantiles import quantile

        def rad2deg(self, *given):
            from pellucid.ops.elementwise.trigonometric import rad2deg

        def rad2deg_(self, *given):
            from pellucid.ops.elementwise.trigonometric import rad2deg

        def random_(self, *given):
            from pellucid.ops.random.sampling import random_

        def ravel(self, *given):
            from pellucid.ops.shape.views import ravel

        def reciprocal(self, *given):
            from pellucid.ops.elementwise.powers import reciprocal

        def reciprocal_(self, *given):
            from pellucid.ops.elementwise.powers import reciprocal

        def relu(self, *given):
            from pellucid.ops.nn.activation import relu

        def relu_(self, *given):
            from pellucid.ops.nn.activation import relu

        def remainder(self, *given):
            from pellucid.ops.elementwise.arithmetic import remainder

        def remainder_(self, *given):
            from pellucid.ops.elementwise.arithmetic import remainder

        def renorm(self, *given):
            from pellucid.ops.linalg.distances import renorm

        def renorm_(self, *given):
            from pellucid.ops.linalg.distances import renorm

        def repeat(self, *given):
            from pellucid.ops.shape.diagonal import repeat

        def repeat_interleave(self, *given):
            from pellucid.ops.shape.diagonal import repeat_interleave

        def reshape(self, *given):
            from pellucid.tensors.resizing import reshape

        def reshape_as(self, *given):
            from pellucid.ops.shape.views import reshape_as

        def resize_(self, *given):
            from pellucid.tensors.resizing import resize_

        def resize_as_(self, *given):
            from pellucid.tensors.inplace_methods import resize_as_

        def resolve_conj(self, *given):
            from pellucid.ops.elementwise.complexes import resolve_conj

        def resolve_neg(self, *given):
            from pellucid.ops.elementwise.complexes import resolve_conj

        def roll(self, *given):
            from pellucid.ops.shape.diagonal import roll

        def rot90(self, *given):
            from pellucid.ops.shape.diagonal import rot90

        def round(self, *given):
            from pellucid.ops.elementwise.rounding import round

        def round_(self, *given):
            from pellucid.ops.elementwise.rounding import round

        def rsqrt(self, *given):
            from pellucid.ops.elementwise.powers import rsqrt

        def rsqrt_(self, *given):
            from pellucid.ops.elementwise.powers import rsqrt

        def scatter(self, *given):
            from pellucid.ops.index.scatter import scatter

        def scatter_(self, *given):
            from pellucid.ops.index.scatter import scatter_

        def scatter_add(self, *given):
            from pellucid.ops.index.scatter import scatter_add

        def scatter_add_(self, *given):
            from pellucid.ops.index.scatter import scatter_add

        def scatter_reduce(self, *given):
            from pellucid.ops.index.scatter import scatter_reduce

        def scatter_reduce_(self, *given):
            from pellucid.ops.index.scatter import scatter_reduce

        def select(self, *given):
            from pellucid.ops.shape.splitting import select

        def select_scatter(self, *given):
            from pellucid.ops.index.slice_scatter import select_scatter

        def set_(self, *given):
            from pellucid.tensors.inplace_methods import set_

        def sgn(self, *given):
            from pellucid.ops.elementwise.signs import sgn

        def sgn_(self, *given):
            from pellucid.ops.elementwise.signs import sgn

        def share_memory_(self, *given):
            from pellucid.tensors.shared_memory import share_memory_

        def sigmoid(self, *given):
            from pellucid.ops.nn.activation import sigmoid

        def sigmoid_(self, *given):
            from pellucid.ops.nn.activation import sigmoid

        def sign(self, *given):
            from pellucid.ops.elementwise.signs import sign

        def sign_(self, *given):
            from pellucid.ops.elementwise.signs import sign

        def signbit(self, *given):
            from pellucid.ops.elementwise.compare import signbit

        def sin(self, *given):
            from pellucid.ops.elementwise.trigonometric import sin

        def sin_(self, *given):
            from pellucid.ops.elementwise.trigonometric import sin

        def sinc(self, *given):
            from pellucid.ops.elementwise.trigonometric import sinc

        def sinc_(self, *given):
            from pellucid.ops.elementwise.trigonometric import sinc

        def sinh(self, *given):
            from pellucid.ops.elementwise.trigonometric import sinh

        def sinh_(self, *given):
            from pellucid.ops.elementwise.trigonometric import sinh

        def size(self, *given):
            from pellucid.tensors.properties import size

        def slice_scatter(self, *given):
            from pellucid.ops.index.slice_scatter import slice_scatter

        def slogdet(self, *given):
            from pellucid.ops.linalg.determinants import linalg_slogdet

        def softmax(self, *given):
            from pellucid.ops.nn.softmax import softmax

        def sort(self, *given):
            from pellucid.ops.reduce.sort import sort

        def sparse_dim(self, *given):
            from pellucid.tensors.layouts import sparse_dim

        def sparse_mask(self, *given):
            from pellucid.tensors.layouts import sparse_mask

        def split(self, *given):
            from pellucid.ops.shape.splitting import split

        def split_with_sizes(self, *given):
            from pellucid.ops.shape.splitting import split_with_sizes

        def sqrt(self, *given):
            from pellucid.ops.elementwise.powers import sqrt

        def sqrt_(self, *given):
            from pellucid.ops.elementwise.powers import sqrt

        def square(self, *given):
            from pellucid.ops.elementwise.powers import square

        def square_(self, *given):
            from pellucid.ops.elementwise.powers import square

        def squeeze(self, *given):
            from pellucid.ops.shape.views import squeeze

        def squeeze_(self, *given):
            from pellucid.tensors.resizing import squeeze_

        def std(self, *given):
            from pellucid.ops.reduce.statistics import std

        def stft(self, *given):
            from pellucid.ops.signal.spectrogram import stft

        def storage(self, *given):
            from pellucid.tensors.storages import storage

        def storage_offset(self, *given):
            from pellucid.tensors.properties import storage_offset

        def storage_type(self, *given):
            from pellucid.tensors.storages import storage_type

        def stride(self, *given):
            from pellucid.tensors.properties import stride

        def sub(self, *given):
            from pellucid.ops.elementwise.arithmetic import sub

        def sub_(self, *given):
            from pellucid.ops.elementwise.arithmetic import sub

        def subtract(self, *given):
            from pellucid.ops.elementwise.arithmetic import sub

        def subtract_(self, *given):
            from pellucid.ops.elementwise.arithmetic import sub

        def sum(self, *given):
            from pellucid.ops.reduce.reductions import sum

        def sum_to_size(self, *given):
            from pellucid.tensors.dlpack import sum_to_size

        def svd(self, *given):
            from pellucid.ops.linalg.decompositions import svd

        def swapaxes(self, *given):
            from pellucid.ops.shape.views import swapaxes

        def swapaxes_(self, *given):
            from pellucid.tensors.resizing import transpose_

        def swapdims(self, *given):
            from pellucid.ops.shape.views import transpose

        def swapdims_(self, *given):
            from pellucid.tensors.resizing import transpose_

        def t(self, *given):
            from pellucid.ops.shape.views import t

        def t_(self, *given):
            from pellucid.tensors.resizing import t_

        def take(self, *given):
            from pellucid.ops.index.take import take

        def take_along_dim(self, *given):
            from pellucid.ops.index.scatter import take_along_dim

        def tan(self, *given):
            from pellucid.ops.elementwise.trigonometric import tan

        def tan_(self, *given):
            from pellucid.ops.elementwise.trigonometric import tan

        def tanh(self, *given):
            from pellucid.ops.elementwise.trigonometric import tanh

        def tanh_(self, *given):
            from pellucid.ops.elementwise.trigonometric import tanh

        def tensor_split(self, *given):
            from pellucid.ops.shape.splitting import tensor_split

        def tile(self, *given):
            from pellucid.ops.shape.diagonal import tile_method

        def to(self, *given):
            from pellucid.ops.shape.copying import to

        def to_dense(self, *given):
            from pellucid.tensors.layouts import to_dense

        def to_device(self, *given):
            from pellucid.tensors.dlpack import to_device

        def to_sparse(self, *given):
            from pellucid.tensors.layouts import to_sparse

        def to_sparse_bsc(self, *given):
            from pellucid.tensors.layouts import to_sparse_bsc

        def to_sparse_bsr(self, *given):
            from pellucid.tensors.layouts import to_sparse_bsr

        def to_sparse_coo(self, *given):
            from pellucid.tensors.layouts import to_sparse_coo

        def to_sparse_csc(self, *given):
            from pellucid.tensors.layouts import to_sparse_csc

        def to_sparse_csr(self, *given):
            from pellucid.tensors.layouts import to_sparse_csr

        def tolist(self, *given):
            from pellucid.tensors.conversions import tolist

        def topk(self, *given):
            from pellucid.ops.reduce.sort import topk

        def trace(self, *given):
            from pellucid.ops.shape.diagonal import trace

        def transpose(self, *given):
            from pellucid.ops.shape.views import transpose

        def transpose_(self, *given):
            from pellucid.tensors.resizing import transpose_

        def triangular_solve(self, *given):
            from pellucid.ops.linalg.solving import triangular_solve

        def tril(self, *given):
            from pellucid.ops.shape.diagonal import tril

        def tril_(self, *given):
            from pellucid.ops.shape.diagonal import tril

        def triu(self, *given):
            from pellucid.ops.shape.diagonal import triu

        def triu_(self, *given):
            from pellucid.ops.shape.diagonal import triu

        def true_divide(self, *given):
            from pellucid.ops.elementwise.arithmetic import true_divide

        def true_divide_(self, *given):
            from pellucid.ops.elementwise.arithmetic import div

        def trunc(self, *given):
            from pellucid.ops.elementwise.rounding import trunc

        def trunc_(self, *given):
            from pellucid.ops.elementwise.rounding import trunc

        def type_as(self, *given):
            from pellucid.tensors.conversions import type_as

        def unbind(self, *given):
            from pellucid.ops.shape.splitting import unbind

        def unflatten(self, *given):
            from pellucid.tensors.resizing import unflatten

        def unfold(self, *given):
            from pellucid.ops.shape.strided import unfold

        def uniform_(self, *given):
            from pellucid.ops.random.sampling import uniform_

        def unique(self, *given):
            from pellucid.ops.reduce.sort import unique

        def unique_consecutive(self, *given):
            from pellucid.ops.reduce.sort import unique_consecutive

        def unsafe_chunk(self, *given):
            from pellucid.ops.shape.splitting import unsafe_chunk

        def unsafe_split(self, *given):
            from pellucid.ops.shape.splitting import unsafe_split

        def unsqueeze(self, *given):
            from pellucid.ops.shape.views import unsqueeze

        def unsqueeze_(self, *given):
            from pellucid.tensors.resizing import unsqueeze_

        def untyped_storage(self, *given):
            from pellucid.tensors.storages import untyped_storage

        def var(self, *given):
            from pellucid.ops.reduce.statistics import var

        def vdot(self, *given):
            from pellucid.ops.linalg.matmul import vdot

        def view(self, *given):
            from pellucid.tensors.resizing import view

        def view_as(self, *given):
            from pellucid.ops.shape.views import view_as

        def vsplit(self, *given):
            from pellucid.ops.shape.splitting import vsplit

        def where(self, *given):
            from pellucid.ops.elementwise.conditional import choose

        def xlogy(self, *given):
            from pellucid.ops.elementwise.exponential import xlogy

        def xlogy_(self, *given):
            from pellucid.ops.elementwise.exponential import xlogy

        def zero_(self, *given):
            from pellucid.tensors.inplace_methods import zero_

"""Single differences from PyTorch that were found from outside, and their kin."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import pellucid

torch = pytest.importorskip("torch")


def named(library: Any, program: str) -> Any:
    """Return what a program leaves as ``r``, as text."""
    space: dict[str, Any] = {
        "torch": library, "nn": library.nn, "F": library.nn.functional, "lin": library.linalg,
        "fw": library.autograd.forward_ad,
    }  # fmt: skip
    with warnings.catch_warnings(action="ignore"):
        exec(program, space)
    return repr(space["r"])


PROGRAMS = [
    # tolerances and spacings
    "r = lin.matrix_rank(torch.eye(3), atol=torch.tensor([0.5, 2.0]))",
    "r = lin.matrix_rank(torch.eye(3).expand(2, 3, 3), tol=torch.tensor([0.5, 2.0]))",
    "r = torch.gradient(torch.arange(4.0) ** 2, spacing=2.0)",
    "r = torch.histogramdd(torch.zeros(3, 0), 2)",
    "r = lin.lstsq(torch.eye(3, 2).requires_grad_(), torch.ones(3, 1)).residuals.requires_grad",
    # subclasses and old names
    "r = torch.Tensor._make_subclass(nn.Parameter, torch.ones(2), True)",
    "class C(torch.Tensor): pass\n"
    "x = torch.Tensor._make_subclass(C, torch.ones(2), True)\n"
    "r = type(x).__name__, x.requires_grad, x.is_leaf",
    "class P(nn.Parameter):\n"
    "    def __new__(cls, data, more=None):\n"
    "        made = super().__new__(cls, data)\n"
    "        made.more = more\n"
    "        return made\n"
    "p = P(torch.ones(2), more=3)\n"
    "r = p, p.more",
    "r = torch.autograd.Variable(torch.ones(1), volatile=True)",
    "x = {'a': torch.ones(1, requires_grad=True)}\nr = torch.autograd.grad(x['a'] * 2, x.values())",
    "b = nn.Buffer(torch.ones(2))\n"
    "r = type(b).__name__, isinstance(b, nn.Buffer), isinstance(torch.ones(2), nn.Buffer)",
    "m = nn.Module()\nm.b = nn.Buffer(torch.ones(2), persistent=False)\n"
    "r = type(m.b).__name__, list(m.state_dict()), [name for name, _ in m.named_buffers()]",
    # hooks of modules are the functions
    "m = nn.Linear(1, 1)\n"
    "def hook(*args, **kwargs): pass\n"
    "handles = [m.register_forward_pre_hook(hook, with_kwargs=True),\n"
    "           m.register_forward_hook(hook, with_kwargs=True, always_call=True)]\n"
    "tables = [m._forward_pre_hooks, m._forward_hooks, m._forward_pre_hooks_with_kwargs,\n"
    "          m._forward_hooks_with_kwargs, m._forward_hooks_always_called]\n"
    "before = [[each is hook or each for each in table.values()] for table in tables]\n"
    "for handle in handles: handle.remove()\n"
    "r = before, [len(table) for table in tables]",
    # forward mode with two dtypes
    "with fw.dual_level():\n"
    "    d = fw.make_dual(torch.ones(2, dtype=torch.float64), torch.ones(2))\n"
    "    r = fw.unpack_dual(d).tangent",
    # complex running sums
    "r = torch.logcumsumexp(torch.tensor([1 + 2j, -1 + 1j, 0.5j]), 0)",
    "r = torch.logcumsumexp(torch.tensor([1e3 + 2j, -1e3, complex(float('-inf'), 0)]), 0)",
    "x = torch.tensor([[1 + 2j, -1 + 1j, 0.5j]], requires_grad=True)\n"
    "torch.logcumsumexp(x, 1).abs().sum().backward()\nr = x.grad",
    # norms beside half precision
    "x = torch.arange(8.0).view(1, 2, 4).bfloat16()\n"
    "r = nn.GroupNorm(1, 2)(x).detach(), nn.InstanceNorm1d(2, affine=True)(x).detach()",
    # members that come with the extra state
    "class E(nn.Module):\n"
    "    def get_extra_state(self): return len(self._modules)\n"
    "    def set_extra_state(self, count): self.sub = nn.Linear(1, 1)\n"
    "given, made = E(), E()\n"
    "given.sub = nn.Linear(1, 1)\n"
    "r = made.load_state_dict(given.state_dict())",
    # parametrizations whose originals are others
    "def orthonormal(kind, start):\n"
    "    m = nn.utils.parametrizations.orthogonal(\n"
    "        nn.Linear(3, 3), orthogonal_map=kind, use_trivialization=start)\n"
    "    return bool(torch.allclose(m.weight @ m.weight.T, torch.eye(3), atol=1e-5))\n"
    "r = [orthonormal(kind, start) for kind in ('matrix_exp', 'cayley', 'householder')\n"
    "     for start in (True, False)]",
    "class Double(nn.Module):\n"
    "    def forward(self, x): return x * 2\n"
    "P = nn.utils.parametrize\n"
    "m = P.register_parametrization(nn.Linear(2, 2), 'weight', Double())\n"
    "n = P.transfer_parametrizations_and_params(m, nn.Linear(2, 2))\n"
    "same = bool((m.weight == n.weight).all()), bool((m.bias == n.bias).all())\n"
    "r = same, sorted(n.state_dict())",
    "m = nn.utils.parametrizations.weight_norm(nn.Linear(2, 3))\n"
    "old = nn.utils.weight_norm(nn.Linear(2, 3))\n"
    "r = m.load_state_dict(old.state_dict()), bool(torch.allclose(m.weight, old.weight))",
    # memory order, names inside files, old attributes
    "x = torch.ones(2, 8, 4, 4).contiguous(memory_format=torch.channels_last)\n"
    "r = nn.PixelShuffle(2)(x).stride()",
    "import os, tempfile, zipfile\n"
    "r = []\n"
    "with tempfile.TemporaryDirectory() as folder:\n"
    "    for name in ('m.pt', 'a.b.pt', 'x y.pt', 'none'):\n"
    "        torch.save(torch.ones(1), path := os.path.join(folder, name))\n"
    "        r.append(zipfile.ZipFile(path).namelist()[0])",
    "r = torch.ones(1).volatile, torch.ones(1).name",
    # the dtype of a list of tensors is that which they have in common
    "one = torch.tensor(1)\n"
    "lists = [one, one / 2], [one, 2.5], [one.half(), True], [[one], [torch.tensor(2j)]]\n"
    "r = [torch.tensor(each) for each in lists]",
    "r = torch.combinations(torch.arange(3), 0)",
    # what a function writes in place into new memory, under jacfwd
    "def f(y):\n"
    "    x = torch.zeros(3)\n"
    "    x[:2] = y * y\n"
    "    x[1].copy_(y[0])\n"
    "    return x\n"
    "y = torch.ones(2)\n"
    "r = torch.func.jacfwd(f)(y), torch.func.hessian(lambda y: f(y).sum())(y)",
    # functions of users: subclasses returned as they are, and the caller's dimensions
    "class F(torch.autograd.Function):\n"
    "    @staticmethod\n"
    "    def forward(ctx, x): return x\n"
    "    @staticmethod\n"
    "    def backward(ctx, g): return g\n"
    "class C(torch.Tensor): pass\n"
    "x = torch.ones(1).as_subclass(C)\n"
    "given = x, x.requires_grad_(), nn.Parameter(torch.ones(1))\n"
    "r = [type(F.apply(each)).__name__ for each in given]",
    "class F(torch.autograd.Function):\n"
    "    @staticmethod\n"
    "    def forward(x, y): return x * y\n"
    "    @staticmethod\n"
    "    def setup_context(ctx, inputs, output): pass\n"
    "    @staticmethod\n"
    "    def vmap(info, in_dims, x, y):\n"
    "        seen.append((in_dims, tuple(x.shape)))\n"
    "        return F.apply(x, y), in_dims[0]\n"
    "seen = []\n"
    "x = torch.arange(24.0).reshape(2, 3, 4)\n"
    "r = torch.vmap(F.apply, in_dims=(-1, None))(x, torch.ones(3)[:, None].mT.reshape(3, 1)), seen",
    # one node for all that a call returns; hooks of what got no gradient
    "x = torch.arange(3.0, requires_grad=True)\n"
    "pairs = torch.var_mean(x), torch.std_mean(x, 0)\n"
    "seen, names = [], [pair[1].grad_fn.name() for pair in pairs]\n"
    "for pair in pairs:\n"
    "    pair[0].grad_fn.register_prehook(lambda gradients: seen.append(len(gradients)))\n"
    "    sum(pair).backward()\n"
    "r = names, seen, x.grad",
    "seen = []\n"
    "parts = torch.ones(3, 2, requires_grad=True).unbind()\n"
    "for part in parts: part.register_hook(seen.append)\n"
    "(parts[0] + parts[2]).sum().backward()\n"
    "r = seen",
    # versions, momentum, the order of elements, tangents of a table that is cut to a norm
    "m = nn.Linear(1, 1)\n"
    "before = m.weight._version\n"
    "m._apply(lambda tensor: tensor.add_(1))\n"
    "r = m.weight._version - before",
    "mu, given = (torch.tensor(1.0, requires_grad=True) for _ in range(2))\n"
    "x = torch.ones(1, requires_grad=True)\n"
    "optimizer = torch.optim.NAdam([x], differentiable=True)\n"
    "x = optimizer.param_groups[0]['params'][0] = x.clone()\n"
    "x.grad = torch.ones(1)\n"
    "zeros = {name: torch.zeros(1) for name in ('exp_avg', 'exp_avg_sq')}\n"
    "optimizer.state[x] = {'step': torch.tensor(9.0), 'mu_product': mu.clone()} | zeros\n"
    "optimizer.step()\n"
    "r = torch.autograd.grad(x, mu)",
    "x = torch.randn(1, 2, 4, 4, 4).contiguous(memory_format=torch.channels_last_3d)\n"
    "found, places = F.max_pool3d(x, 2, return_indices=True)\n"
    "r = found.stride(), F.max_unpool3d(found, places, 2).stride()",
    "with fw.dual_level():\n"
    "    table = fw.make_dual(torch.full((4, 3), 2.0), torch.ones(4, 3))\n"
    "    r = fw.unpack_dual(F.embedding(torch.tensor([1]), table, max_norm=1.0)).tangent",
    # names that were missing
    "s = torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (3, 3))\n"
    "d = torch.arange(6.0).view(3, 2)\n"
    "i = torch.sparse_coo_tensor([[0], [1]], [1.0], (3, 2))\n"
    "r = torch.hspmm(s, d), torch.smm(s, d), s.smm(d), torch.sspaddmm(i, s, d, beta=2, alpha=3)",
    "x = torch.tensor([1.0, 3.0, 3.0, 0.0, 2.0, 5.0], requires_grad=True)\n"
    "r = []\n"
    "for how in ('sum', 'mean', 'max', 'min', 'prod'):\n"
    "    for start in (None, 2.0):\n"
    "        y = torch.segment_reduce(x, how, lengths=torch.tensor([3, 0, 3]), initial=start)\n"
    "        r += [y.detach(), *torch.autograd.grad(y.sum(), x)]",
    "x = torch.arange(24.0).view(2, 4, 3)\n"
    "n = torch.tensor([[1, 3], [2, 2]])\n"
    "o = torch.tensor([[1, 1, 2], [0, 3, 4]])\n"
    "cuts = {'lengths': n}, {'offsets': o}\n"
    "r = [torch.segment_reduce(x, 'prod', axis=1, **each) for each in cuts]",
    "b = bytearray(b'abcdefgh')\n"
    "U = torch.UntypedStorage\n"
    "r = [list(U.from_buffer(b, order, dtype=torch.int16)) for order in ('little', 'big')]\n"
    "r += [list(U.from_buffer(b, 'native', 2, 1, torch.int16))]\n"
    "r += [list(torch.FloatStorage.from_buffer(b, 'big')), list(torch.ByteStorage.from_buffer(b))]",
    # ranges of integers by fractions
    "r = [torch.range(0, 4, 1.5, dtype=torch.int64), torch.arange(1, 4, 0.75, dtype=torch.int32)]",
    "r = torch.full((2,), 1j, dtype=torch.bool), torch.ones(2, dtype=torch.bool).fill_(0j)",
    # fits
    "r = torch.zeros(2, dtype=torch.uint8).fill_(-1)",
    "r = torch.zeros(2, dtype=torch.bool).fill_(300)",
    "r = torch.zeros(2, dtype=torch.uint8) + 300",
    "r = torch.zeros(2, dtype=torch.uint8).masked_fill(torch.tensor([True, False]), -1)",
    # gradients that are set, and sparse leaves
    "r = []\n"
    "made = [torch.eye(2), torch.eye(2).to_sparse(), torch.eye(2).to_sparse_csr(),\n"
    "        torch.eye(2, device='meta'), torch.ones(3), torch.eye(2).half().to_sparse()]\n"
    "for leaf in made:\n"
    "    for grad in made:\n"
    "        x = leaf.detach().requires_grad_()\n"
    "        try:\n"
    "            x.grad = grad\n"
    "        except Exception as error:\n"
    "            r.append(str(error)[:60])",
    "x = torch.sparse_coo_tensor([[0, 1, 1]], [1.0, 2.0, 3.0], (3,)).requires_grad_()\n"
    "(x.to_dense() * torch.tensor([1.0, 2.0, 3.0])).sum().backward()\n"
    "with torch.no_grad():\n"
    "    x.mul_(2).add_(x)\n"
    "    x.add_(torch.sparse_coo_tensor([[2, 0]], [10.0, 20.0], (3,)))\n"
    "r = [x._version, x.requires_grad, x.is_leaf, x.to_dense().tolist(), x.grad.to_dense()]\n"
    "x.grad = None\n"
    "(x.to_dense() * torch.tensor([1.0, 2.0, 3.0])).sum().backward()\n"
    "r.append(x.grad.to_dense())\n"
    "y = x * 2\n"
    "with torch.no_grad():\n"
    "    y.mul_(2)\n"
    "    x.zero_()\n"
    "r += [x._version, y._version, y.requires_grad, y.detach_().requires_grad]\n"
    "r.append(x.to_dense().tolist())",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_leaves_what_it_leaves_in_pytorch(program: str) -> None:
    assert named(pellucid, program) == named(torch, program)


def scaled(library: Any) -> Any:
    """Return a layer whose weight is computed from another, and cannot be assigned."""

    class Double(library.nn.Module):
        def forward(self, x: Any) -> Any:
            return x * 2

    layer = library.nn.Linear(2, 2)
    return library.nn.utils.parametrize.register_parametrization(layer, "weight", Double())


REFUSED: list[Callable[[Any], Any]] = [
    lambda t: t.zeros(2, dtype=t.uint8).fill_(300),
    lambda t: t.zeros(2, dtype=t.int8).fill_(-129),
    lambda t: t.zeros(2, dtype=t.int32).fill_(2**40),
    lambda t: t.zeros(2, dtype=t.uint8).fill_(300.5),
    lambda t: t.zeros(2, dtype=t.int8).masked_fill(t.tensor([True, False]), 200),
    lambda t: t.zeros(2, dtype=t.int8).masked_fill_(t.tensor([True, False]), t.tensor(200)),
    lambda t: t.zeros(2, dtype=t.uint8).__setitem__(0, 300),
    lambda t: t.zeros(2, dtype=t.uint8).__setitem__(slice(None), 300),
    lambda t: t.zeros(2, dtype=t.uint8).__setitem__(t.tensor([True, False]), 300),
    lambda t: t.zeros(2).fill_(1j),
    lambda t: t.zeros(2).scatter(0, t.tensor([0]), 1j),
    # where a tensor is written at indices, nothing is converted
    lambda t: t.zeros(2).__setitem__(t.tensor([0]), t.ones(1, dtype=t.float64)),
    lambda t: t.zeros(2).index_put((t.tensor([0]),), t.ones(1, dtype=t.complex64)),
    lambda t: t.zeros(2).index_copy(0, t.tensor([0]), t.ones(1, dtype=t.int64)),
    lambda t: t.zeros(2).index_add(0, t.tensor([0]), t.ones(1, dtype=t.int64)),
    lambda t: t.zeros(2).index_fill(0, t.tensor([0]), t.tensor(1j)),
    lambda t: t.zeros(2).put(t.tensor([0]), t.ones(1, dtype=t.float64)),
    lambda t: t.zeros(2).masked_scatter(t.tensor([True, False]), t.ones(1, dtype=t.float64)),
    lambda t: t.cumsum(t.ones(2), 0, dtype=t.float32, out=t.empty(2, dtype=t.float64)),
    lambda t: t.softmax(t.ones(2), 0, dtype=t.float32, out=t.empty(2, dtype=t.float64)),
    lambda t: t.fft.fft(t.ones(4), -1),
    lambda t: t.arange(3, dtype=t.bool),
    lambda t: t.tril_indices(-1, 2),
    lambda t: t.fft.fftfreq(4, dtype=t.int32),
    lambda t: setattr(scaled(t), "weight", t.ones(2, 2)),
    # norms of parameters in another dtype
    lambda t: t.nn.GroupNorm(1, 2).bfloat16()(t.ones(1, 2)),
    lambda t: t.nn.LayerNorm(2).double()(t.ones(1, 2)),
    lambda t: t.nn.BatchNorm1d(2)(t.ones(3, 2, dtype=t.float64)),
]


@pytest.mark.parametrize("function", REFUSED)
def test_what_the_dtype_does_not_take_is_refused_as_in_pytorch(
    function: Callable[..., Any],
) -> None:
    sentences = []
    for library in (pellucid, torch):
        with pytest.raises(RuntimeError) as caught:
            function(library)
        sentences.append(str(caught.value))
    assert sentences[0].startswith(sentences[1])


REFUSED_IN_OTHER_WORDS: list[Callable[[Any], Any]] = [
    lambda t: t.range(0, 3, dtype=t.bool),
    lambda t: t.arange(0, 3, 0.5, dtype=t.int64),
    lambda t: t.tensor([True]) ** -1,
    lambda t: t.hann_window(3, dtype=t.int64),
    lambda t: t.bartlett_window(3, dtype=t.uint8),
    lambda t: t.signal.windows.hann(3, dtype=t.float16),
    lambda t: t.segment_reduce(t.ones(3), "sum", lengths=t.tensor([1, 1])),
    lambda t: t.segment_reduce(t.ones(3, dtype=t.int64), "sum", lengths=t.tensor([3])),
    lambda t: t.hspmm(t.eye(2).to_sparse(), t.ones(3, 2)),
    lambda t: t.sparse.spsolve(t.eye(2).to_sparse_csr(), t.ones(2)),
    lambda t: t.FloatStorage.from_buffer(b"abc", "native"),
    lambda t: t.UntypedStorage.from_buffer(b"abcd", dtype=t.int16),
]


def test_what_pytorch_refuses_is_refused() -> None:
    for number, function in enumerate(REFUSED_IN_OTHER_WORDS):
        for library in (torch, pellucid):
            with (
                warnings.catch_warnings(action="ignore"),
                pytest.raises((RuntimeError, ValueError)),
            ):
                pytest.fail(f"{number} {library.__name__}: {function(library)}")

"""What tensors share (tangents, versions, memory, graphs), told by short programs."""

from __future__ import annotations

import pytest

import pellucid
from tests.parity.test_findings_parity import named

torch = pytest.importorskip("torch")

PROGRAMS = [
    "v = torch.tensor([1, 2], dtype=torch.int8)\n"
    "s = torch.sparse_coo_tensor([[0, 0], [1, 1]], v, (2, 2))\n"
    "b = torch.sparse_coo_tensor([[0, 0], [1, 1]], [True, True], (2, 2))\n"
    "r = s[0, 1], s[0, 0], s.to_sparse_csr()[0, 1], b[0, 1], torch.sparse.sum(b), b.to_dense() + b",
    "import tempfile\n"
    "with tempfile.NamedTemporaryFile() as file:\n"
    "    torch.save({'a': torch.ones(2)}, file)\n"
    "    r = torch.load(file.name)",
    # forward mode: primals are without tangents, tangents of the caller are not written
    "with fw.dual_level():\n"
    "    y = fw.make_dual(torch.ones(2), torch.tensor([1.0, 3.0])) * 2\n"
    "    p = fw.unpack_dual(y).primal\n"
    "    made = p, p * 3, p[0], p.view(2, 1)[:1] * 2, p + y\n"
    "    r = [fw.unpack_dual(each).tangent for each in made], p._is_view()",
    "with fw.dual_level():\n"
    "    y = fw.make_dual(torch.ones(2), torch.tensor([1.0, 3.0])) * 2\n"
    "    p = fw.unpack_dual(y).primal\n"
    "    p.mul_(fw.make_dual(torch.ones(2) * 3, torch.ones(2)))\n"
    "    r = y.tolist(), fw.unpack_dual(y).tangent, fw.unpack_dual(p).tangent",
    "a, b = torch.arange(5.0), torch.arange(6.0).view(2, 3)\n"
    "pairs = [(a[2:], torch.ones(3)), (torch.ones(3), a[2:]), (a[2:].clone(), a[:3]),\n"
    "         (torch.ones(3), torch.ones(1).expand(3)), (b.T, torch.ones(3, 2)),\n"
    "         (torch.ones(1, 3).as_strided((1, 3), (7, 1)), torch.ones(1, 3)),\n"
    "         (b.T, b.clone().T), (a[2:], a[2:].clone())]\n"
    "r = []\n"
    "for primal, tangent in pairs:\n"
    "    with fw.dual_level():\n"
    "        d = fw.make_dual(primal.clone() if primal.is_contiguous() else primal, tangent)\n"
    "        d.mul_(2)\n"
    "        r += [tangent.tolist(), fw.unpack_dual(d).tangent.tolist()]",
]

#: writes to a vector of integers at indices
WRITES = [
    "x.put_(i, v)", "x.put_(i, v, True)", "x.scatter_(0, i, v)", "x.scatter_add_(0, i, v)",
    "x.scatter_(0, i, v, reduce='add')", "x.scatter_reduce_(0, i, v, 'amax')",
    "x.index_add_(0, i, v)", "x.index_copy_(0, i, v)", "x.index_reduce_(0, i, v, 'prod')",
    "x.index_put_((i,), v)", "x.index_put_((i,), v, True)", "x[i] = v",
]  # fmt: skip
#: what is written where, of x, x = b[:4], and others
OPERANDS = [
    "i, v = r4, x", "i, v = r4, x.view(4)", "i, v = r4[:2], x[1:3]", "i, v = r4[:2], x[::2]",
    "i, v = x, r4", "i, v = x[:2], r4[:2]", "i, v = r4, b[4:]", "i, v = r4, r4",
    "i, v = r4[:1], x[0]", "i, v = r4, x.clone()", "i, v = x.clone(), x", "i, v = r4[:2], b[3:5]",
]  # fmt: skip
PROGRAMS += [
    f"b = torch.arange(8)\nx, r4 = b[:4], torch.tensor([3, 2, 1, 0])\n{operands}\n"
    f"try: {write}\nexcept (RuntimeError, IndexError): print\nr = b, r4"
    for write in WRITES for operands in OPERANDS
]  # fmt: skip
PROGRAMS += [
    "x = torch.arange(6.0)\nx.index_fill_(0, torch.tensor([0, 3]), x[3])\nr = x",
    "x = torch.arange(3.0).view(3, 1)\nx[0] = x.view(-1)[0]\nx[1] = x[1, 0]\nr = x",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_leaves_what_it_leaves_in_pytorch(program: str) -> None:
    assert named(pellucid, program) == named(torch, program)

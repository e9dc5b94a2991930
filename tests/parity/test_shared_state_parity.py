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


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_leaves_what_it_leaves_in_pytorch(program: str) -> None:
    assert named(pellucid, program) == named(torch, program)

"""The names of arguments that PyTorch's own type stubs have: each is taken here."""

from __future__ import annotations

from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
import pellucid  # noqa: E402
from tests.parity.stubs import accepts, forms  # noqa: E402

#: what the stubs say of every function and is not so, or is tested elsewhere
NOT_COUNTED = {
    "self",  # PyTorch itself takes no first operand of this name
    "out",  # tests/parity/test_out_parity.py
    "names",  # named tensors
    "out_dtype",  # on CUDA alone
}
#: functions whose stubs name arguments that are not taken here, or not by PyTorch itself
ACCEPTED = {
    "det": {"input"}, "slogdet": {"input"}, "matrix_exp": {"input"},  # torch.linalg's: A
    "copy_": {"other"},  # PyTorch's page says src
    "requires_grad_": {"mode"},  # PyTorch itself takes requires_grad alone
    "range": {"pin_memory"},  # not taken by PyTorch itself
    # sizes by place alone
    "new_empty": {"size"}, "new_ones": {"size"}, "new_zeros": {"size"}, "sum_to_size": {"size"},
    "unflatten": {"sizes"},
    "to_sparse": {"layout", "blocksize", "dense_dim"},
}  # fmt: skip

PLACES = {
    "torch": ("_C/_VariableFunctions.pyi", None, pellucid, torch),
    "Tensor": ("_C/__init__.pyi", "TensorBase", pellucid.Tensor, torch.Tensor),
    "functional": ("nn/functional.pyi", None, pellucid.nn.functional, torch.nn.functional),
}


@pytest.mark.parametrize("place", PLACES)
def test_every_function_takes_its_arguments_by_pytorchs_names(place: str) -> None:
    file, of_class, mine, theirs = PLACES[place]
    known = forms(file, of_class)
    assert len(known) > 90
    refused = {}
    for name, each in known.items():
        if name.startswith("_") or not hasattr(mine, name) or not hasattr(theirs, name):
            continue
        names = {argument for form in each for argument in form}
        names -= NOT_COUNTED | ACCEPTED.get(name, set())
        wrong = {each for each in names if not accepts(getattr(mine, name), each)}
        if wrong:
            refused[name] = wrong
    assert refused == {}


CALLS = """
x.split(split_size=2)
x.split(split_size=[1, 3], dim=1)
t.normal(0.0, 1.0, (2,), layout=t.strided, pin_memory=False) * 0
t.hann_window(3, pin_memory=False)
t.rand_like(x, pin_memory=False) * 0
t.tensor_split(x, sections=2)
t.tensor_split(x, indices=[1])
t.tensor_split(x, tensor_indices_or_sections=t.tensor(2))
t.hsplit(x, sections=2)
t.vsplit(input=x, indices=[1])
t.swapaxes(x, axis0=0, axis1=1)
x.swapaxes(axis0=0, axis1=1)
x.clone().swapaxes_(axis0=0, axis1=1)
t.result_type(tensor=x, other=x)
t.result_type(scalar=1, tensor=x)
t.result_type(scalar1=1, scalar2=2.0)
t.zero_(input=x.clone())
t.fill_(input=x.clone(), value=2)
t.is_signed(input=x)
t.addmv_(input=v.clone(), mat=x, vec=v)
t.clamp_max_(input=v.clone(), max=1)
t.matrix_power(input=x, n=2)
t.cholesky_inverse(input=x @ x.mT + t.eye(4))
t.cholesky_solve(input=x, input2=t.eye(4))
t.orgqr(input=x, input2=v)
t.ormqr(input=x, input2=v, input3=x)
x.clone().resize_(size=(2, 2))
x.new(size=(2,)).shape
t.mm(x1=x, mat2=x)
t.reshape(a=x, shape=(16,))
t.batch_norm(x, v, v + 1, v, v.abs() + 1, False, 0.1, 1e-5, False)
t.batch_norm(x, v, v + 1, None, None, training=True, momentum=0.1, eps=1e-5, cudnn_enabled=True)
t.layer_norm(x, (4,), v, v, 1e-5, False)
t.group_norm(x, 2, v, v, 1e-5, cudnn_enabled=False)
t.embedding_bag(x, i, t.tensor([0, 1]))[0]
t.embedding_bag(weight=x, indices=i, offsets=t.tensor([0, 1]), mode=1)[0]
t.block_diag()
t.addmm(2, x, 3, x, x)
t.addr(2, x, v, v)
v.clone().addmv_(2, x, v)
x.addbmm(2, x.expand(2, 4, 4), x.expand(2, 4, 4))
x.expand(2, 4, 4).clone().baddbmm_(2, .5, x.expand(2, 4, 4), x.expand(2, 4, 4))
t.tril_indices(2, 3, pin_memory=False)
""".strip().splitlines()


@pytest.mark.filterwarnings("ignore:This overload of")
@pytest.mark.parametrize("call", CALLS)
def test_the_call_gives_what_pytorch_gives(call: str) -> None:
    found = []
    for t in (pellucid, torch):
        t.manual_seed(0)
        names = {"t": t, "x": t.randn(4, 4), "v": t.randn(4), "i": t.tensor([3, 0, 1])}
        found.append(eval(call, names))
    mine, theirs = (_plain(each) for each in found)
    assert mine == theirs


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if hasattr(value, "tolist"):
        numbers = [round(float(each), 4) + 0.0 for each in value.flatten().tolist()]
        return [str(value.dtype), list(value.shape), numbers]
    return str(value)

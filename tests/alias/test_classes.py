"""By what names classes go while pellucid stands in PyTorch's place."""

from __future__ import annotations

import io
import pickle
import sys
import zipfile

import pytest

import pellucid

if "torch" in sys.modules:
    pytest.skip("PyTorch itself is imported in this process", allow_module_level=True)

NAMES = {
    "Tensor": "torch.Tensor",
    "dtype": "torch.dtype",
    "Size": "torch.Size",
    "Generator": "torch._C.Generator",
    "no_grad": "torch.autograd.grad_mode.no_grad",
    "nn.Parameter": "torch.nn.parameter.Parameter",
    "nn.Linear": "torch.nn.modules.linear.Linear",
    "nn.parallel.DistributedDataParallel": "torch.nn.parallel.distributed.DistributedDataParallel",
    "nn.UninitializedParameter": "torch.nn.parameter.UninitializedParameter",
    "optim.SGD": "torch.optim.sgd.SGD",
    "optim.lr_scheduler.StepLR": "torch.optim.lr_scheduler.StepLR",
    "utils.data.DataLoader": "torch.utils.data.dataloader.DataLoader",
    "distributions.Normal": "torch.distributions.normal.Normal",
}


def found(path: str) -> type:
    value = pellucid
    for part in path.split("."):
        value = getattr(value, part)
    assert isinstance(value, type)
    return value


@pytest.mark.parametrize(("path", "name"), NAMES.items())
def test_a_class_prints_as_pytorchs_does(path: str, name: str) -> None:
    with pellucid.install_as_torch():
        assert str(found(path)) == f"<class '{name}'>"


def test_classes_have_their_own_names_again_without_the_alias() -> None:
    before = {path: str(found(path)) for path in NAMES}
    with pellucid.install_as_torch():
        pass
    assert {path: str(found(path)) for path in NAMES} == before


def test_a_tensor_prints_and_a_layer_is_saved_as_without_the_alias() -> None:
    layer = pellucid.nn.Linear(2, 2)

    def written() -> tuple[str, bytes]:
        file = io.BytesIO()
        pellucid.save(layer, file)
        return repr(layer.bias), zipfile.ZipFile(file).read("archive/data.pkl")

    plain = written()
    with pellucid.install_as_torch():
        assert written() == plain


def test_a_layer_is_pickled_by_the_name_that_programs_know() -> None:
    with pellucid.install_as_torch():
        data = pickle.dumps(pellucid.nn.Linear(2, 2))
        assert b"torch.nn.modules.linear" in data
        assert isinstance(pickle.loads(data), pellucid.nn.Linear)


def test_extra_state_is_saved_under_the_alias() -> None:
    class Counting(pellucid.nn.Module):
        def get_extra_state(self) -> int:
            return 7

    with pellucid.install_as_torch():
        assert Counting().state_dict() == {"_extra_state": 7}
        assert pellucid.nn.Linear(1, 1, bias=False).state_dict().keys() == {"weight"}

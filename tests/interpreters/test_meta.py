"""Tensors on the device ``meta`` have shape, dtype and strides, and no values."""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid import nn
from pellucid.nn import functional as F
from tests.samples.grouped import together

#: more elements than any memory holds
MANY = 1_000_000


def meta(*size: int, **options: Any) -> torch.Tensor:
    return torch.empty(*size, device="meta", **options)


def test_a_meta_tensor_tells_shape_dtype_strides_and_device() -> None:
    x = meta(2, 3, dtype=torch.float64)
    assert (x.shape, x.dtype, x.stride()) == ((2, 3), torch.float64, (3, 1))
    assert x.device == torch.device("meta")
    assert (x.is_meta, x.is_cpu, x.data_ptr()) == (True, False, 0)
    assert type(x) is torch.Tensor


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("meta(2, 3)", "tensor(..., device='meta', size=(2, 3))"),
        ("meta(())", "tensor(..., device='meta', size=())"),
        ("meta(2, dtype=torch.int64)", "tensor(..., device='meta', size=(2,), dtype=torch.int64)"),
        ("meta(2).requires_grad_() * 2",
         "tensor(..., device='meta', size=(2,), grad_fn=<MulBackward0>)"),
        ("nn.Linear(1, 2, device='meta').bias",
         "Parameter containing:\ntensor(..., device='meta', size=(2,), requires_grad=True)"),
    ],
)  # fmt: skip
def test_it_is_printed_as_in_pytorch(text: str, shown: str) -> None:
    assert repr(eval(text)) == shown


def test_it_takes_no_memory_whatever_its_size() -> None:
    w = meta(MANY, MANY, requires_grad=True)
    loss = F.softmax(F.layer_norm((w * 2).relu() @ w.t(), (MANY,)), -1).var(0).sum()
    loss.backward()
    assert w.grad is not None
    assert (w.grad.shape, w.grad.is_meta) == ((MANY, MANY), True)


def test_what_reads_and_writes_at_indices_has_the_shape_it_would_have() -> None:
    x, index = meta(3, 4), meta(3, 2, dtype=torch.int64)
    assert x.gather(1, index).shape == (3, 2)
    assert x.scatter(1, index, x).shape == x.scatter_add(1, index, x).shape == (3, 4)


def test_views_share_a_storage_and_its_count_of_changes() -> None:
    x = meta(4, 6)
    y = x.t()[1:3]
    assert (y.shape, y.stride(), y.storage_offset()) == ((2, 4), (1, 6), 1)
    before = x._version
    y.fill_(1.0)
    assert x._version == before + 1
    assert y._base is x


@together()
@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("m[0].item()", RuntimeError, r"Tensor.item\(\) cannot be called on meta tensors"),
        ("bool(m[0])", RuntimeError, r"Tensor.item\(\) cannot be called on meta tensors"),
        ("float(m[0])", RuntimeError, r"Tensor.item\(\) cannot be called on meta tensors"),
        ("1.0 in m", RuntimeError, r"Tensor.item\(\) cannot be called on meta tensors"),
        ("torch.allclose(m, m)", RuntimeError, r"Tensor.item\(\) cannot be called"),
        ("m.tolist()", NotImplementedError, "Cannot copy out of meta tensor; no data!"),
        ("m.to('cpu')", NotImplementedError, "Cannot copy out of meta tensor; no data!"),
        ("m.cpu()", NotImplementedError, "Cannot copy out of meta tensor; no data!"),
        ("c.copy_(m)", NotImplementedError, "Cannot copy out of meta tensor; no data!"),
        ("m.numpy()", TypeError, "can't convert meta device type tensor to numpy"),
        ("np.asarray(m)", TypeError, "can't convert meta device type tensor to numpy"),
        ("m.__dlpack__()", BufferError, "Cannot pack tensors on meta"),
        ("m.share_memory_()", RuntimeError, "only available on CPU"),
        ("m.nonzero()", NotImplementedError, "attempted to run this operator with Meta tensors"),
        ("m[m > 0]", NotImplementedError, "attempted to run this operator with Meta tensors"),
        ("m.masked_select(m > 0)", NotImplementedError, "attempted to run this operator"),
        ("m.unique()", NotImplementedError, "attempted to run this operator"),
        ("m + c", RuntimeError, "Tensor on device cpu is not on the expected device meta!"),
        ("c + m", RuntimeError, "Tensor on device meta is not on the expected device cpu!"),
        ("c + m[0]", RuntimeError, "Tensor on device meta is not on the expected device cpu!"),
        ("torch.cat([m, c])", RuntimeError, "Tensor on device cpu is not on the expected"),
        ("nn.Linear(1, 1, device='meta').to('cpu')", NotImplementedError, "to_empty"),
        ("torch.Generator('meta')", RuntimeError, "META device type not an accelerator"),
        ("m.view(5)", RuntimeError, "shape"),
        ("m @ meta(7)", RuntimeError, "inconsistent tensor size|size mismatch|shapes"),
    ],
)
def test_what_needs_values_is_refused(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        eval(text, {"m": meta(3), "c": torch.ones(3), "torch": torch, "np": np, **globals()})


def test_a_number_on_the_cpu_goes_with_any_tensor() -> None:
    assert (meta(3) + torch.tensor(1.0)).is_meta
    assert (torch.tensor(1.0) * meta(3)).is_meta


def test_new_tensors_are_made_on_the_device_of_a_block_or_of_their_model() -> None:
    with torch.device("meta"):
        made = [torch.ones(2), torch.tensor([1.0]), torch.arange(3), torch.randn(2), torch.eye(2)]
        with torch.device("cpu"):
            assert torch.ones(1).is_cpu
        layer = nn.LSTM(2, 3)
    assert all(each.is_meta for each in [*made, *layer.parameters()])
    assert torch.ones(1).is_cpu
    x = meta(3)
    likes = [torch.zeros_like(x), x.new_ones(2), x.new_tensor([1]), torch.rand_like(x), x.clone()]
    assert all(each.is_meta for each in likes)
    assert torch.zeros_like(x, device="cpu").tolist() == [0, 0, 0]
    assert torch.ones_like(torch.ones(2, 3).t(), device="meta").stride() == (1, 3)


def test_the_default_device_can_be_set() -> None:
    torch.set_default_device("meta")
    try:
        assert torch.ones(1).is_meta
        assert torch.get_default_device() == torch.device("meta")
    finally:
        torch.set_default_device(None)
    assert torch.ones(1).is_cpu


def test_nothing_is_drawn_for_meta_tensors() -> None:
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    torch.randn(5, device="meta")
    nn.init.kaiming_uniform_(meta(4, 4))
    nn.init.trunc_normal_(meta(4, 4))
    nn.init.orthogonal_(meta(4, 4))
    F.dropout(meta(4))
    assert torch.rand(3).tolist() == expected.tolist()


def test_modules_go_to_meta_and_come_back_empty() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    kept = copy.deepcopy(model.state_dict())
    assert all(each.is_meta for each in model.to("meta").state_dict().values())
    assert model(meta(4, 2)).shape == (4, 3)
    model.to_empty(device="cpu")
    assert all(each.is_cpu for each in model.state_dict().values())
    model.load_state_dict(kept)
    assert model[0].weight.tolist() == kept["0.weight"].tolist()


def test_a_state_is_assigned_to_a_model_on_meta() -> None:
    source = nn.Linear(2, 3)
    with torch.device("meta"):
        model = nn.Linear(2, 3)
    model.load_state_dict(source.state_dict(), assign=True)
    assert isinstance(model.weight, nn.Parameter)
    assert model.weight.requires_grad
    x = torch.ones(1, 2)
    assert model(x).tolist() == source(x).tolist()


def test_a_state_that_is_copied_into_meta_is_lost_with_a_warning() -> None:
    with torch.device("meta"):
        model = nn.Linear(2, 3)
    with pytest.warns(UserWarning, match="copying from a non-meta parameter"):
        model.load_state_dict(nn.Linear(2, 3).state_dict())
    assert model.weight.is_meta


def test_copies_pickles_and_files_keep_what_there_is() -> None:
    x = meta(2, 3, requires_grad=True).t().detach().requires_grad_()
    file = io.BytesIO()
    torch.save({"x": x, "p": nn.Parameter(meta(2))}, file)
    file.seek(0)
    loaded = torch.load(file)
    for each in (copy.deepcopy(x), pickle.loads(pickle.dumps(x)), loaded["x"]):
        assert each.is_meta
        assert (each.shape, each.stride(), each.requires_grad) == ((3, 2), (1, 3), True)
    assert isinstance(loaded["p"], nn.Parameter)


def test_a_file_is_loaded_onto_meta() -> None:
    file = io.BytesIO()
    torch.save(nn.Linear(2, 3).state_dict(), file)
    file.seek(0)
    state = torch.load(file, map_location="meta")
    assert [(each.is_meta, each.shape) for each in state.values()] == [(True, (3, 2)), (True, (3,))]


def test_the_graph_is_recorded_and_run_backward() -> None:
    with torch.device("meta"):
        model = nn.Sequential(
            nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.GELU(), nn.AdaptiveAvgPool2d(1),
            nn.Flatten(), nn.Linear(8, 10),
        )  # fmt: skip
        loss = F.cross_entropy(model(torch.randn(2, 3, 9, 9)), torch.zeros(2, dtype=torch.int64))
    loss.backward()
    for each in model.parameters():
        assert each.grad is not None
        assert (each.grad.shape, each.grad.is_meta) == (each.shape, True)
    x = meta(3, requires_grad=True)
    (grad,) = torch.autograd.grad((x * x).sum(), x, create_graph=True)
    assert (grad.shape, grad.is_meta, grad.requires_grad) == ((3,), True, True)


def test_a_tensor_that_goes_to_meta_has_no_way_back_for_gradients() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x.to("meta")
    assert str(y) == "tensor(..., device='meta', size=(2,), grad_fn=<ToCopyBackward0>)"
    with pytest.raises(NotImplementedError, match="no data"):
        y.sum().backward()


def test_an_optimizer_steps_on_meta() -> None:
    model = nn.Linear(2, 3, device="meta")
    optimizer = torch.optim.AdamW(model.parameters())
    model(meta(4, 2)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    assert model.weight.is_meta


def test_tensors_on_the_cpu_are_computed_as_before() -> None:
    meta(2)
    assert (torch.ones(2) + 1).tolist() == [2, 2]
    assert (torch.arange(3)[torch.tensor([2, 0])]).tolist() == [2, 0]

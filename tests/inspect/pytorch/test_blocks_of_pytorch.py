"""Layers and shapes of PyTorch's programs: what pellucid's own give, word for word."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable
from typing import Any

import pytest

import pellucid
from pellucid import inspect
from pellucid.inspect import compare

torch: Any = pytest.importorskip("torch")


def mlp(library: Any) -> tuple[Any, Any]:
    nn = library.nn
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(), nn.Linear(8, 2))
    net[0].weight.requires_grad_(False)
    return net, library.ones(3, 4)


def convnet(library: Any) -> tuple[Any, Any]:
    nn = library.nn
    net = nn.Sequential(
        nn.Conv2d(3, 4, 3, padding=1, stride=2), nn.BatchNorm2d(4), nn.ReLU(),
        nn.ConvTranspose2d(4, 2, 2, stride=2), nn.Flatten(), nn.Linear(128, 3),
    )  # fmt: skip
    return net, library.ones(2, 3, 8, 8)


def transformer(library: Any) -> tuple[Any, Any]:
    return library.nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), library.ones(2, 5, 16)


def transformer_at_test(library: Any) -> tuple[Any, Any]:
    net, x = transformer(library)
    return net.eval(), x


def lstm(library: Any) -> tuple[Any, Any]:
    return library.nn.LSTM(6, 8, 2), library.ones(5, 3, 6)


@pytest.mark.parametrize(
    "program",
    [mlp, convnet, transformer, transformer_at_test, lstm],
    ids=lambda each: each.__name__,
)
def test_the_table_of_layers_is_pellucids(program: Callable[[Any], tuple[Any, Any]]) -> None:
    ours, theirs = (inspect.summary(*program(library)) for library in (pellucid, torch))
    assert str(theirs) == str(ours)
    assert theirs.multiply_adds > 0


def test_a_table_of_layers_leaves_no_trace() -> None:
    net, x = convnet(torch)
    net.append(torch.nn.Dropout())
    before = copy.deepcopy(net.state_dict())
    state = torch.get_rng_state()
    inspect.summary(net, x)
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(before[name], each) for name, each in net.state_dict().items())
    assert net(x).requires_grad
    assert not any(each._forward_hooks or each._forward_pre_hooks for each in net.modules())
    assert torch.backends.mha.get_fastpath_enabled()
    assert torch._C._get_mkldnn_enabled()


def test_what_is_no_module_is_refused() -> None:
    with pytest.raises(TypeError, match="'model' must be a Module, not Tensor"):
        inspect.summary(torch.ones(1))


def printed(library: Any) -> str:
    file = io.StringIO()
    with inspect.shapes(file):
        x = library.ones(8, 3, requires_grad=True)
        y = x @ library.ones(3, 4)
        z = y.relu().sum(0)
        z.max().backward()

    @inspect.shapes(file)
    def halved(t: Any) -> Any:
        return t.chunk(2)

    halved(library.ones(4, 2))
    return file.getvalue()


def test_shapes_by_line_are_pellucids() -> None:
    theirs = printed(torch)
    assert theirs == printed(pellucid)
    assert "y = x @ library.ones(3, 4)" in theirs
    assert "float32[8, 3], float32[3, 4] → float32[8, 4]" in theirs


def test_an_error_in_a_block_leaves_later_lines_as_they_are() -> None:
    file = io.StringIO()
    with inspect.shapes(file):
        with pytest.raises(RuntimeError):
            torch.ones(2) @ torch.ones(3)
        made = torch.ones(5)
    assert len(made) == 5
    assert "float32[5]" in file.getvalue().splitlines()[-1]


def test_both_runs_begin_with_the_same_random_numbers() -> None:
    drawn: list[Any] = []
    found = compare(lambda: drawn.append(torch.rand(3)), lambda: drawn.append(torch.rand(3)))
    assert found
    assert torch.equal(*drawn)

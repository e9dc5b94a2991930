"""Autocast: which operations compute in which dtype, and what happens to weights and gradients."""

from __future__ import annotations

import threading
import warnings
from typing import Any

import pytest

import pellucid as torch
from pellucid.observe import slow_path

functional = torch.nn.functional


@pytest.fixture
def x() -> Any:
    torch.manual_seed(0)
    return torch.randn(4, 3)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x @ x.T,
        lambda x: torch.mm(x, x.T),
        lambda x: torch.addmm(torch.zeros(4), x, x.T),
        lambda x: torch.einsum("ij,kj->ik", x, x),
        lambda x: functional.linear(x, x, torch.zeros(4)),
        lambda x: functional.conv1d(x[None], torch.ones(2, 4, 2)),
        lambda x: functional.scaled_dot_product_attention(x[None], x[None], x[None]),
        lambda x: torch.nn.Linear(3, 2)(x),
        lambda x: torch.nn.MultiheadAttention(3, 1)(x, x, x)[0],
    ],
)
def test_products_compute_in_half_precision(call: Any, x: Any) -> None:
    for dtype in (torch.bfloat16, torch.float16):
        with torch.autocast("cpu", dtype=dtype):
            assert call(x).dtype == dtype
    assert call(x).dtype == torch.float32


@pytest.mark.parametrize(
    "call",
    [
        lambda x: functional.cross_entropy(x, torch.tensor([0, 1, 2, 0])),
        lambda x: functional.mse_loss(x, torch.zeros(4, 3)),
        lambda x: functional.binary_cross_entropy_with_logits(x, torch.ones(4, 3)),
        lambda x: x.prod(),
        lambda x: torch.linalg.inv(x.T @ x + torch.eye(3)),
        lambda x: torch.cdist(x, x),
        lambda x: functional.pad(x[None], (1, 1), mode="reflect"),
    ],
)
def test_what_needs_precision_computes_in_float32(call: Any, x: Any) -> None:
    with torch.autocast("cpu"):
        assert call(x.to(torch.bfloat16)).dtype == torch.float32


@pytest.mark.parametrize(
    "call", [torch.exp, torch.sum, lambda x: x + x, lambda x: x.softmax(1), torch.relu]
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_all_else_computes_in_the_dtype_it_is_given(call: Any, dtype: Any, x: Any) -> None:
    with torch.autocast("cpu"):
        assert call(x.to(dtype)).dtype == dtype


def test_mixed_operands_meet_in_the_widest(x: Any) -> None:
    narrow = x.to(torch.bfloat16)
    with torch.autocast("cpu"):
        assert torch.cat([x, narrow]).dtype == torch.float32
        assert torch.stack([narrow, x]).dtype == torch.float32
        copied = torch.index_copy(narrow, 0, torch.tensor([1]), x[:1])
        assert copied.dtype == torch.float32


def test_double_precision_integers_and_targets_are_left_alone(x: Any) -> None:
    whole = torch.ones(2, 2, dtype=torch.int64)
    with torch.autocast("cpu"):
        assert (x.double() @ x.double().T).dtype == torch.float64
        assert (whole @ whole).dtype == torch.int64
        assert torch.mm(x, x.T, out=torch.zeros(4, 4)).dtype == torch.float32
        assert torch.zeros(4, 4).addmm_(x, x.T).dtype == torch.float32


def test_gradients_reach_weights_in_float32(x: Any) -> None:
    weight = torch.randn(2, 3, requires_grad=True)
    with torch.autocast("cpu"):
        loss = functional.linear(x, weight).float().square().sum()
    loss.backward()
    narrow, data = (each.detach().to(torch.bfloat16).float() for each in (weight, x))
    out = (data @ narrow.T).to(torch.bfloat16).float()
    wanted = (2 * out).to(torch.bfloat16).float().T @ data
    assert weight.grad.dtype == torch.float32
    assert torch.equal(weight.grad, wanted.to(torch.bfloat16).float())


def test_a_weight_is_cast_once_in_a_block(x: Any) -> None:
    weight = torch.randn(3, 3, requires_grad=True)

    def casts(cache_enabled: bool) -> int:
        with torch.autocast("cpu", cache_enabled=cache_enabled):
            outs = [x @ weight, x @ weight]
        sources = {id(out.grad_fn.next_functions[1][0]) for out in outs}
        return len(sources)

    assert casts(True) == 1
    assert casts(False) == 2


def test_a_weight_that_has_changed_is_cast_again(x: Any) -> None:
    weight = torch.zeros(3, 3, requires_grad=True)
    with torch.autocast("cpu"):
        before = x @ weight
        with torch.no_grad():
            weight.fill_(1.0)
        after = x @ weight
    assert not torch.equal(before, after)


def test_a_cast_without_recording_does_not_hide_the_weight(x: Any) -> None:
    weight = torch.ones(3, 3, requires_grad=True)
    with torch.autocast("cpu"):
        with torch.no_grad():
            x @ weight
        (x @ weight).sum().backward()
    assert weight.grad is not None


def test_blocks_nest_and_end(x: Any) -> None:
    needed = len(slow_path.active)
    with torch.autocast("cpu", dtype=torch.float16):
        with torch.autocast("cpu", enabled=False):
            assert (x @ x.T).dtype == torch.float32
        with torch.autocast("cpu"):
            assert (x @ x.T).dtype == torch.float16
    assert not torch.is_autocast_enabled("cpu")
    assert torch.get_autocast_dtype("cpu") == torch.bfloat16
    assert len(slow_path.active) == needed


def test_decorated_functions_run_under_autocast(x: Any) -> None:
    @torch.autocast("cpu")
    def product(x: Any) -> Any:
        """Multiply."""
        return x @ x.T

    assert product(x).dtype == torch.bfloat16
    assert product.__name__ == "product"
    assert not torch.is_autocast_enabled("cpu")


def test_an_exception_ends_the_block() -> None:
    with pytest.raises(KeyError), torch.autocast("cpu"):
        raise KeyError
    assert not torch.is_autocast_enabled("cpu")


def test_other_threads_have_their_own_mode(x: Any) -> None:
    found: list[Any] = []
    with torch.autocast("cpu"):
        thread = threading.Thread(target=lambda: found.append((x @ x.T).dtype))
        thread.start()
        thread.join()
    assert found == [torch.float32]


def test_it_can_be_switched_on_for_good(x: Any) -> None:
    torch.set_autocast_enabled("cpu", True)
    torch.set_autocast_dtype("cpu", torch.float16)
    try:
        assert (x @ x.T).dtype == torch.float16
    finally:
        torch.set_autocast_enabled("cpu", False)
        torch.set_autocast_dtype("cpu", torch.bfloat16)
    assert (x @ x.T).dtype == torch.float32


def test_devices_that_are_not_here_are_warned_of(x: Any) -> None:
    with pytest.warns(UserWarning, match="CUDA is not available"):
        block = torch.autocast("cuda")
    with block:
        assert (x @ x.T).dtype == torch.float32
    with pytest.warns(UserWarning, match="target dtype is not supported"):
        torch.autocast("cpu", dtype=torch.float32)
    with pytest.raises(RuntimeError, match="Expected one of"):
        torch.autocast("nowhere")
    with pytest.raises(ValueError, match="Expected `device_type` of type `str`"):
        torch.autocast(3)  # pyright: ignore[reportArgumentType]


def test_recurrent_layers_take_half_precision_under_autocast(x: Any) -> None:
    layer = torch.nn.GRU(3, 2)
    with pytest.raises(ValueError, match="does not match weight dtype"):
        layer(x.to(torch.bfloat16))
    with torch.autocast("cpu"):
        layer(x.to(torch.bfloat16))[0].sum().backward()
    assert layer.weight_ih_l0.grad.dtype == torch.float32


class Square(torch.autograd.Function):
    seen: list[Any]

    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu")
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x @ x

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx: Any, *grads: Any) -> Any:
        (x,) = ctx.saved_tensors
        gradient = grads[0] @ x.mT + x.mT @ grads[0]
        Square.seen.append(gradient.dtype)
        return gradient


def test_backward_of_a_function_runs_as_its_forward_did() -> None:
    Square.seen = []
    for enabled in (True, False):
        x = torch.ones(2, 2, requires_grad=True)
        with torch.autocast("cpu", enabled=enabled):
            out = Square.apply(x)
        out.sum().backward()
    assert Square.seen == [torch.bfloat16, torch.float32]


def test_inputs_of_a_function_can_be_cast() -> None:
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    def forward(ctx: Any, pair: Any, *, scale: Any) -> Any:
        return [pair["x"].dtype, scale.dtype, torch.is_autocast_enabled("cpu")]

    narrow = torch.ones(2, dtype=torch.bfloat16)
    with torch.autocast("cpu"):
        found = forward(Square, {"x": narrow}, scale=narrow)
    assert found == [torch.float32, torch.float32, False]
    assert forward(Square, {"x": narrow}, scale=narrow)[0] == torch.bfloat16


def test_a_language_model_trains_in_mixed_precision() -> None:
    """Train as nanoGPT does: autocast, scaler, clipped gradients, AdamW."""
    torch.manual_seed(1)
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    model = torch.nn.Sequential(torch.nn.Embedding(7, 8), layer, torch.nn.Linear(8, 7))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cpu")
    tokens = torch.randint(7, (4, 5))
    losses = []
    for _ in range(25):
        with torch.amp.autocast(device_type="cpu", dtype=torch.bfloat16):
            logits = model(tokens)
            loss = functional.cross_entropy(logits.view(-1, 7), tokens.view(-1))
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        losses.append(loss.item())
    assert losses[-1] < 0.2 * losses[0]
    assert all(each.dtype == torch.float32 for each in model.parameters())


def test_without_autocast_nothing_is_asked_of_an_op(x: Any) -> None:
    needed = len(slow_path.active)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.autocast("cpu")
    assert len(slow_path.active) == needed
    with torch.autocast("cpu"):
        assert len(slow_path.active) == needed + 1
    assert len(slow_path.active) == needed


@pytest.mark.parametrize("bidirectional", [False, True])
def test_an_lstm_is_computed_in_half_precision_as_a_whole(bidirectional: bool) -> None:
    lstm = torch.nn.LSTM(3, 4, num_layers=2, bidirectional=bidirectional)
    x = torch.rand(5, 2, 3)
    with torch.autocast("cpu"):
        output, (h, c) = lstm(x)
    assert {output.dtype, h.dtype, c.dtype} == {torch.bfloat16}
    reference, (_, cells) = lstm(x)
    assert torch.allclose(output.float(), reference, atol=0.02)
    assert torch.allclose(c.float(), cells, atol=0.02)
    output.float().sum().backward()
    assert all(each.grad.dtype == torch.float32 for each in lstm.parameters())


def test_an_lstm_that_projects_and_a_packed_one_cast_only_their_products() -> None:
    packed = torch.nn.utils.rnn.pack_padded_sequence(torch.rand(5, 2, 3), [5, 4])
    with torch.autocast("cpu"):
        output, (h, c) = torch.nn.LSTM(3, 4)(packed)
        assert {output.data.dtype, h.dtype, c.dtype} == {torch.float32}
        output, (h, c) = torch.nn.LSTM(3, 4, proj_size=2)(torch.rand(5, 2, 3))
    assert (output.dtype, h.dtype, c.dtype) == (torch.bfloat16, torch.bfloat16, torch.float32)


def test_a_gated_recurrent_unit_keeps_its_state_in_single_precision() -> None:
    with torch.autocast("cpu"):
        output, state = torch.nn.GRU(3, 4)(torch.rand(5, 2, 3))
    assert (output.dtype, state.dtype) == (torch.float32, torch.float32)


def test_a_pseudoinverse_is_a_product_of_factors_in_single_precision() -> None:
    matrix = torch.tensor([[2.0, 1.0], [1.0, 3.0], [0.0, 1.0]])
    with torch.autocast("cpu"):
        inverse = torch.linalg.pinv(matrix)
        assert torch.pinverse(matrix).dtype == torch.float32
        assert torch.linalg.pinv(matrix.double()).dtype == torch.float64
    assert inverse.dtype == torch.bfloat16
    assert torch.equal(inverse, torch.linalg.pinv(matrix).to(torch.bfloat16))


def test_bilinear_wants_one_dtype() -> None:
    x1, x2, weight, bias = torch.ones(2, 3), torch.ones(2, 4), torch.ones(5, 3, 4), torch.ones(5)
    for wrong in range(4):
        operands = [x1, x2, weight, bias]
        operands[wrong] = operands[wrong].double()
        with pytest.raises(RuntimeError, match="All tensors must have the same dtype, got input1"):
            functional.bilinear(*operands)
    with torch.autocast("cpu"):
        assert functional.bilinear(x1, x2, weight, bias).dtype == torch.float32


def test_the_older_names_for_the_cpu_warn_and_do_the_same() -> None:
    with pytest.warns(FutureWarning, match="`torch.cpu.amp.autocast") as caught:
        block = torch.cpu.amp.autocast()
    assert caught[0].filename == __file__
    with block:
        assert torch.mm(torch.ones(2, 2), torch.ones(2, 2)).dtype == torch.bfloat16
    with pytest.warns(FutureWarning, match="`torch.cpu.amp.GradScaler"):
        scaler = torch.cpu.amp.GradScaler(init_scale=4.0)
    assert scaler.scale(torch.ones(1)).item() == 4


def test_the_decorators_of_cuda_by_their_old_names_warn_and_decorate() -> None:
    def doubled(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return 2 * x

    def halved(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        return g / 2  # not the derivative, to tell who computed it

    old = torch.cuda.amp
    with pytest.warns(FutureWarning, match=r"custom_fwd\(args..., device_type='cuda'\)"):
        forward = old.custom_fwd(doubled)
    with pytest.warns(FutureWarning, match=r"custom_fwd"):
        casting = old.custom_fwd(cast_inputs=torch.float32)(doubled)
    with pytest.warns(FutureWarning, match=r"custom_bwd\(args..., device_type='cuda'\)"):
        backward = old.custom_bwd(halved)
    for each in (forward, casting):
        methods = {"forward": staticmethod(each), "backward": staticmethod(backward)}
        x = torch.ones(2, requires_grad=True)
        y = type("Doubled", (torch.autograd.Function,), methods).apply(x)
        y.sum().backward()
        assert y.tolist() == [2, 2]
        assert x.grad.tolist() == [0.5, 0.5]

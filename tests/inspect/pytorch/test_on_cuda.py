"""PyTorch's programs on a CUDA device: what is told of them is true there too, and changes nothing.

Its nodes run backward in a thread of the device's, its kernels after the call that asked for them,
and its memory comes from another allocator.
"""

from __future__ import annotations

import gc
import hashlib
import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest

from pellucid import inspect
from pellucid.inspect import pytorch, record
from tests.inspect.pytorch.test_ledgers_of_pytorch import (
    NETWORKS,
    assert_ledgers_are,
    counted,
    leaves_of,
    needs_stored,
    order_of_backward,
)
from tests.inspect.pytorch.test_recordings_of_pytorch import two_steps

torch: Any = pytest.importorskip("torch")
nn = torch.nn
functional = torch.nn.functional

DEVICE = "cuda"
#: how errors write it
HERE = f" on {DEVICE}:0"
pytestmark = [
    pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device"),
    pytest.mark.filterwarnings("ignore"),
]
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # with which products have equal bits


@pytest.fixture(autouse=True)
def equal_bits() -> Iterator[None]:
    """Let kernels sum in one order."""
    torch.backends.cudnn.benchmark = False
    torch.use_deterministic_algorithms(True, warn_only=True)
    yield
    torch.use_deterministic_algorithms(False)


@contextmanager
def everything() -> Iterator[None]:
    """Watch in all ways at once."""
    with pytorch.checking(), pytorch.lines(), record(values=True):
        yield


# ---- networks of the device's kernels ------------------------------------------------------------


def attention(backend: str, dtype: str) -> Callable[[], Any]:
    def program() -> Any:
        kinds = torch.nn.attention.SDPBackend
        size = (2, 4, 16, 32)
        q, k, v = (
            torch.randn(size, dtype=getattr(torch, dtype), requires_grad=True) for _ in range(3)
        )
        with torch.nn.attention.sdpa_kernel(getattr(kinds, backend)):
            out = functional.scaled_dot_product_attention(q.sin(), k.sin(), v, dropout_p=0.1)
        return out.float().square().mean()

    program.__name__ = f"attention_{backend}".lower()
    return program


def mixed(dtype: str) -> Callable[[], Any]:
    def program() -> Any:
        net = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Dropout(0.3),
            nn.Flatten(), nn.Linear(512, 10), nn.LayerNorm(10),
        )  # fmt: skip
        with torch.autocast(DEVICE, dtype=getattr(torch, dtype)):
            return functional.cross_entropy(net(torch.randn(4, 3, 8, 8)), torch.arange(4))

    program.__name__ = f"mixed_{dtype}"
    return program


def channels_last() -> Any:
    net = nn.Sequential(nn.Conv2d(4, 8, 3, groups=2), nn.BatchNorm2d(8), nn.SiLU())
    net = net.to(memory_format=torch.channels_last)
    return net(torch.randn(2, 4, 9, 9).to(memory_format=torch.channels_last)).square().mean()


def recurrent() -> Any:
    net = nn.LSTM(6, 8, 2, dropout=0.2, bidirectional=True)
    packed = nn.utils.rnn.pack_padded_sequence(torch.randn(5, 3, 6), torch.tensor([5, 4, 2]).cpu())
    return net(packed)[0].data.square().mean() + nn.GRU(6, 4)(torch.randn(5, 3, 6))[0].mean()


def embedded() -> Any:
    table, layer = nn.EmbeddingBag(9, 4), nn.Embedding(9, 4)
    return (table(torch.arange(8).reshape(2, 4)) + layer(torch.arange(2))).norm()


def between_devices() -> Any:
    first, second = nn.Linear(6, 8), nn.Linear(8, 2).cpu()
    return second(first(torch.randn(5, 6)).relu().cpu()).to(DEVICE).square().mean()


KERNELS = [
    attention("FLASH_ATTENTION", "float16"), attention("EFFICIENT_ATTENTION", "float32"),
    attention("MATH", "float32"), mixed("bfloat16"), mixed("float16"), channels_last, recurrent,
    embedded, between_devices,
]  # fmt: skip
ON_DEVICE = [each for each in NETWORKS if each.__name__ != "distributed"] + KERNELS
each_network = pytest.mark.parametrize("program", ON_DEVICE, ids=lambda each: each.__name__)


def on_device(program: Callable[[], Any]) -> Any:
    torch.manual_seed(0)
    with torch.device(DEVICE):
        return program()


@needs_stored
@each_network
def test_the_ledger_is_what_hooks_count(program: Callable[[], Any]) -> None:
    with torch.device(DEVICE):
        _, blocks = counted(program)
    loss = on_device(program)
    assert_ledgers_are(loss, blocks)
    loss.backward()
    assert inspect.memory(loss).held_bytes == 0
    grads = [leaf.grad.untyped_storage() for leaf in leaves_of(loss)]
    together = {each.data_ptr(): each.nbytes() for each in grads}
    assert inspect.memory(loss).grad_bytes == sum(together.values())


@each_network
def test_the_plan_has_the_order_of_pytorchs_engine(program: Callable[[], Any]) -> None:
    if program is between_devices:
        pytest.skip("threads of two devices run at their own speed")
    loss = on_device(program)
    planned = [node.name for node in inspect.plan(loss).nodes]
    assert order_of_backward(loss) == planned


@each_network
def test_a_look_changes_neither_bits_nor_memory(program: Callable[[], Any]) -> None:
    def run(looks: bool) -> tuple[str, int]:
        gc.collect()
        before = torch.cuda.memory_allocated()
        with everything() if looks else nullcontext():
            loss = on_device(program)
            if looks:
                inspect.memory(loss), inspect.graph(loss), inspect.plan(loss)
            leaves = leaves_of(loss)
            loss.backward()
        found = hashlib.sha256()
        state = torch.cuda.get_rng_state()
        for each in (loss, state, *[leaf.grad for leaf in leaves]):
            found.update(each.detach().cpu().numpy().tobytes())
        gc.collect()
        return found.hexdigest(), torch.cuda.memory_allocated() - before

    run(looks=False)  # a workspace of a library's is allocated once
    assert run(looks=True) == run(looks=False)


# ---- training ------------------------------------------------------------------------------------


def trained(block: Any, steps: int = 4, scaled: bool = False) -> list[Any]:
    """Train a small network in a block; return losses, parameters and the random stream."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 4)).to(DEVICE)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler(DEVICE, enabled=scaled)
    x, y = torch.randn(8, 16).to(DEVICE), (torch.arange(8) % 4).to(DEVICE)
    losses: list[Any] = []
    with block:
        for _ in range(steps):
            optimizer.zero_grad()
            with torch.autocast(DEVICE, dtype=torch.float16, enabled=scaled):
                loss = functional.cross_entropy(net(x), y)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            losses.append(loss.detach())
    return [*losses, *[each.detach() for each in net.parameters()], torch.rand(1, device=DEVICE)]


WAYS = [pytorch.lines, pytorch.checking, record, everything]


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_training_has_the_same_bits_in_all_ways(way: Callable[[], Any], scaled: bool) -> None:
    alone = trained(nullcontext(), scaled=scaled)
    watched = trained(way(), scaled=scaled)
    assert all(map(torch.equal, alone, watched))


@pytest.mark.parametrize("scaled", [False, True])
def test_sound_training_has_no_findings(scaled: bool, capsys: Any) -> None:
    with pytorch.checking() as findings:
        trained(nullcontext(), steps=12, scaled=scaled)
    assert len(findings) == 0, str(findings)
    assert "was left out" not in capsys.readouterr().err


def test_streams_pinned_memory_and_copies_that_do_not_block(capsys: Any) -> None:
    def run() -> list[Any]:
        torch.manual_seed(0)
        data = torch.utils.data.TensorDataset(torch.randn(12, 5), torch.arange(12) % 3)
        loader = torch.utils.data.DataLoader(data, 4, num_workers=1, pin_memory=True)
        net = nn.Linear(5, 3).to(DEVICE)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        side = torch.cuda.Stream()
        for x, y in loader:
            with torch.cuda.stream(side):
                x, y = x.to(DEVICE, non_blocking=True), y.to(DEVICE, non_blocking=True)
                loss = functional.cross_entropy(net(x), y)
            torch.cuda.current_stream().wait_stream(side)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return [each.detach() for each in net.parameters()]

    alone = run()
    with everything():
        watched = run()
    assert all(map(torch.equal, alone, watched))
    assert "was left out" not in capsys.readouterr().err


@pytest.mark.parametrize("way", [nullcontext, *WAYS])
def test_a_step_is_captured_as_a_graph_of_cuda(way: Callable[[], Any], capsys: Any) -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)).to(DEVICE)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x, y = torch.randn(6, 4, device=DEVICE), torch.arange(6, device=DEVICE) % 3

    def step() -> Any:
        optimizer.zero_grad(set_to_none=True)
        loss = functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        return loss

    with way():
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(2):
                step()
        torch.cuda.current_stream().wait_stream(side)
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            loss = step()
        for _ in range(3):
            captured.replay()
        eager = step().item()
    torch.cuda.synchronize()
    assert eager < loss.item() < 2
    assert "was left out" not in capsys.readouterr().err


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_a_compiled_part_is_left_alone(backend: str, capsys: Any) -> None:
    def run() -> list[Any]:
        torch.manual_seed(0)
        torch._dynamo.reset()
        net = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 1)).to(DEVICE)
        compiled = torch.compile(net, backend=backend)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            compiled(torch.ones(2, 4, device=DEVICE)).sum().backward()
            optimizer.step()
        return list(net.parameters())

    alone = run()
    with pytorch.checking():
        watched = run()
    assert all(map(torch.equal, alone, watched))
    assert "was left out" not in capsys.readouterr().err


# ---- lines and errors ----------------------------------------------------------------------------


def test_lines_are_right_also_of_what_the_devices_thread_makes() -> None:
    with pytorch.lines():
        for _ in range(20):
            unrelated = torch.ones(2, requires_grad=True) * 3
        x = torch.ones(3, device=DEVICE, requires_grad=True)
        y = (x.sin() * x).sum()
        (first,) = torch.autograd.grad(y, x, create_graph=True)
        norm = first.square().sum()
    told = str(inspect.graph(norm))
    assert "(first,) = torch.autograd.grad(y, x, create_g" in told
    assert "y = (x.sin() * x).sum()" in told
    assert "unrelated" not in told
    norm.backward()
    assert "unrelated" not in str(inspect.graph(norm))
    assert unrelated.requires_grad


class Failing(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g @ torch.ones(5, 5, device=DEVICE)


class Shortened(Failing):
    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g[:1]


def changed_in_place(w: Any) -> None:
    y = w.exp()
    y += 1
    y.sum().backward()


def freed(w: Any) -> None:
    loss = w.exp().sum()
    loss.backward()
    loss.backward()


def two_devices(w: Any) -> None:
    w + torch.ones(3, 3, device="cpu")


def shapes(w: Any) -> None:
    nn.Sequential(nn.Linear(3, 4), nn.Linear(5, 1)).to(DEVICE)(w)


def fails_in_backward(w: Any) -> None:
    y = Failing.apply(w)
    (y * 2).sum().backward()


def wrong_shape_in_backward(w: Any) -> None:
    y = Shortened.apply(w)
    (y * 2).sum().backward()


def fails_in_a_hook(w: Any) -> None:
    def hook(g: Any) -> Any:
        raise RuntimeError("too large")

    y = w * 2
    y.register_hook(hook)
    y.sum().backward()


@pytest.mark.parametrize(
    ("program", "told"),
    [
        (changed_in_place, ["y = w.exp()", "y += 1", "makes a new tensor"]),
        (freed, ["loss = w.exp().sum()", "retain_graph=True"]),
        (two_devices, [f"float32[3, 3]{HERE}", "w + torch.ones"]),
        (shapes, ["in layer 1 (Linear(", f"float32[3, 4]{HERE}"]),
        (fails_in_backward, ["FailingBackward", "y = Failing.apply(w)", "return g @ torch.ones"]),
        (wrong_shape_in_backward, ["ShortenedBackward", "y = Shortened.apply(w)"]),
        (fails_in_a_hook, ['raise RuntimeError("too large")']),
    ],
)
def test_errors_have_lines_and_remedies(program: Callable[[Any], None], told: list[str]) -> None:
    w = torch.ones(3, 3, device=DEVICE, requires_grad=True)
    with pytest.raises(RuntimeError) as alone:
        program(w)
    with pytorch.lines(), pytest.raises(type(alone.value)) as watched:
        program(w)
    said = str(watched.value)
    assert said.splitlines()[0] == str(alone.value).splitlines()[0]
    assert [each for each in told if each not in said] == [], said


# ---- the other tools -----------------------------------------------------------------------------


def test_cut_histories_are_found() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder, self.head = nn.Linear(4, 3), nn.Linear(3, 1)

        def forward(self, x: Any) -> Any:
            features = torch.tensor(self.encoder(x).tolist(), device=x.device)
            return self.head(features)

    model = Model().to(DEVICE)
    with pytorch.lines():
        loss = model(torch.ones(2, 4, device=DEVICE)).sum()
        told = str(inspect.why_no_grad(model.encoder.weight, loss))
    assert "features = torch.tensor(self.encoder(x).tolist()" in told
    loss.backward()
    assert "has a gradient, and not all of it is zero" in str(
        inspect.why_no_grad(model.head.weight, loss)
    )
    dead = torch.ones(3, device=DEVICE, requires_grad=True)
    loss = functional.relu(-dead).sum()
    assert "relu" in str(inspect.why_no_grad(dead, loss)).lower()


def test_owners_are_found() -> None:
    x = torch.ones(300, device=DEVICE, requires_grad=True)
    hidden = x.exp()
    history = {"outputs": [hidden]}
    loss = hidden.sin().sum()
    told = str(inspect.why_alive(hidden))
    assert "float32[300]" in told
    assert "['outputs'] → [0] → its memory" in told
    assert "SumBackward0 → SinBackward0 → saved self → its memory" in told
    assert loss.requires_grad
    assert history


def test_kept_graphs_and_a_summed_loss_are_growth() -> None:
    net = nn.Linear(5, 1).to(DEVICE)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    total: Any = 0
    with pytorch.checking() as findings:
        for _ in range(12):
            optimizer.zero_grad()
            loss = net(torch.ones(4, 5, device=DEVICE)).square().mean()
            loss.backward()
            optimizer.step()
            total += loss
    assert total.requires_grad
    assert "total" in str(findings) or "total += loss" in str(findings), str(findings)


def test_summary_check_diff_and_pages(tmp_path: Any) -> None:
    net = nn.Sequential(
        nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Dropout(), nn.Flatten(), nn.Linear(144, 2)
    ).to(DEVICE)
    optimizer = torch.optim.SGD(net[0].parameters(), lr=0.1)
    x = torch.randn(2, 3, 8, 8, device=DEVICE)
    state = torch.cuda.get_rng_state()
    assert "Conv2d" in str(inspect.summary(net, x))
    after = torch.cuda.get_rng_state()
    assert torch.equal(state, after)
    with pytorch.lines():
        loss = net(x).mean()
        other = net(x).relu().mean()
        assert "4.weight" in str(inspect.check(net, loss, optimizer))
    picture = inspect.graph(loss)
    assert "relu" in str(inspect.diff(picture, inspect.graph(other)))
    picture.html(tmp_path / "graph.html")
    picture.svg(tmp_path / "graph.svg")
    assert "ConvolutionBackward0" in (tmp_path / "graph.html").read_text("utf-8")
    assert "convolution" in (tmp_path / "graph.svg").read_text("utf-8")


def test_nan_is_told_with_its_line() -> None:
    net = nn.Linear(3, 1).to(DEVICE)
    with pytorch.checking() as findings:
        for _ in range(3):
            net.zero_grad()
            root = (net(torch.ones(2, 3, device=DEVICE)).square() * -1 - 1).sqrt()
            loss = root.sum()
            loss.backward()
    assert "root = (net(" in str(findings)


def test_nothing_is_kept_alive() -> None:
    gc.collect()
    before = torch.cuda.memory_allocated()
    with everything():
        net = nn.Linear(500, 500).to(DEVICE)
        loss = net(torch.ones(50, 500, device=DEVICE)).sum()
        loss.backward()
        told = [inspect.graph(loss), inspect.memory(loss), inspect.why_alive(loss)]
        gone = weakref.ref(net)
        del net, loss
    gc.collect()
    assert gone() is None
    assert len(told) == 3
    assert torch.cuda.memory_allocated() - before < 500_000  # a workspace of cuBLAS's, if it is new


# ---- recordings ----------------------------------------------------------------------------------


def step_of(size: int) -> Callable[[], Any]:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(size, size), nn.ReLU(), nn.Linear(size, 8)).to(DEVICE)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    x = torch.randn(256, size, device=DEVICE)

    def step() -> None:
        optimizer.zero_grad()
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()

    return step


def test_each_line_has_its_times_forward_backward_and_in_updates() -> None:
    recording = two_steps(step_of(256))
    rows = {row.text: row for row in recording.by_line()}
    forward = rows["loss = net(x).square().mean()"]
    assert forward.forward
    assert forward.backward
    assert rows["optimizer.step()"].update
    assert sum(row.own for row in recording.by_op()) > 0


def test_times_are_those_of_kernels() -> None:
    a = torch.randn(4096, 4096, device=DEVICE)
    b = a @ a
    torch.cuda.synchronize()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    with record(gradients=False) as recording:
        start.record()
        b = a @ a
        end.record()
        torch.cuda.synchronize()
    (row,) = [each for each in recording.by_op() if each.name in ("matmul", "mm")]
    assert row.own / 1e6 == pytest.approx(start.elapsed_time(end), rel=0.5)
    assert b.shape == a.shape


def test_the_curve_is_what_the_allocator_says() -> None:
    step = step_of(300)
    step()
    gc.collect()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    with record(gradients=False) as recording:
        step()
        after = torch.cuda.memory_allocated()
    peak = torch.cuda.max_memory_allocated()
    curve = recording.memory().live.bytes
    assert max(curve) - curve[0] == peak - before
    assert curve[-1] - curve[0] == after - before
    assert curve[0] == before
    assert recording.peak.bytes == peak

"""Sound programs of PyTorch's: the same bits watched and alone, whatever an observer does."""

from __future__ import annotations

import hashlib
import importlib
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pellucid.inspect import graph, pytorch, record

torch: Any = pytest.importorskip("torch")
nn = torch.nn
functional = torch.nn.functional
watching_torch = pytorch.watching_torch

pytestmark = pytest.mark.filterwarnings("ignore")  # PyTorch's, of prototypes


def higher_derivatives() -> Any:
    def scalar(x: Any) -> Any:
        return (x.sin() ** 2).sum()

    x = torch.arange(4.0)
    yield torch.func.grad(scalar)(x)
    yield torch.func.grad(lambda x: torch.func.grad(scalar)(x).sum())(x)
    yield torch.func.jacrev(torch.sin)(x)
    yield torch.func.jacfwd(torch.sin)(x)
    yield torch.func.hessian(scalar)(x)
    yield torch.func.jvp(scalar, (x,), (x,))
    value, pull = torch.func.vjp(scalar, x)
    yield value, pull(torch.tensor(1.0))
    yield torch.autograd.functional.jacobian(torch.sin, x, vectorize=True)


def in_place_under_vmap() -> Any:
    def change(x: Any) -> Any:
        y = x.clone()
        y.add_(1)
        y[0] = 3
        y *= x
        return y

    yield torch.vmap(change)(torch.arange(6.0).reshape(2, 3))
    yield torch.vmap(torch.func.grad(lambda x: change(x).sum()))(torch.ones(2, 3))
    yield torch.func.functionalize(change)(torch.ones(3))
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True), nn.Dropout(0.5))
    yield torch.vmap(net, randomness="different")(torch.ones(4, 2, 3))


def gradients_of_each_sample() -> Any:
    net = nn.Sequential(nn.Linear(3, 2), nn.Tanh())

    def loss(parameters: Any, x: Any) -> Any:
        return torch.func.functional_call(net, parameters, (x,)).sum()

    each = torch.vmap(torch.func.grad(loss), (None, 0))
    yield from each(dict(net.named_parameters()), torch.ones(4, 3)).values()


def forward_mode() -> Any:
    forward_ad = torch.autograd.forward_ad
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(torch.ones(3), torch.ones(3)).sin()
        dual.mul_(2)
        yield tuple(forward_ad.unpack_dual(dual))


def sparse_in_place() -> Any:
    at = torch.tensor([[0, 1], [1, 0]])
    sparse = torch.sparse_coo_tensor(at, torch.tensor([1.0, 2.0]), (2, 2))
    sparse.mul_(2)
    sparse.add_(sparse)
    yield sparse.to_dense()
    rows = torch.eye(3).to_sparse_csr()
    rows.mul_(3)
    yield rows.to_dense()
    table = nn.Embedding(5, 2, sparse=True)
    for kind in (torch.optim.SGD, torch.optim.SparseAdam):
        table.zero_grad()
        table(torch.tensor([1, 2])).sum().backward()
        kind(table.parameters(), lr=0.1).step()
    yield table.weight


def nested() -> Any:
    layer = nn.Linear(3, 2)
    for layout in (torch.strided, torch.jagged):
        parts = [torch.ones(2, 3), torch.ones(4, 3)]
        rows = torch.nested.nested_tensor(parts, layout=layout, requires_grad=True)
        torch.nested.to_padded_tensor(layer(rows), 0.0).sum().backward()
        changed = torch.nested.nested_tensor(parts, layout=layout)
        changed.mul_(2)
        yield layer.weight.grad, torch.nested.to_padded_tensor(changed, 0.0)


def quantized() -> Any:
    values = torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.quint8)
    values.copy_(torch.zeros(3))
    values[0] = 1.0
    yield values.dequantize()


def compiled() -> Any:
    torch._dynamo.reset()
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    # where tests of parity have run, compile() gives the function as it is
    compiles = os.environ.get("TORCH_COMPILE_DISABLE") != "1"
    for backend, whole in (("eager", compiles), ("aot_eager", False)):
        run = torch.compile(net, backend=backend, fullgraph=whole)
        for _ in range(2):
            optimizer.zero_grad()
            loss = run(torch.ones(2, 3)).sum()
            loss.backward()
            optimizer.step()
            yield loss
    yield list(net.parameters())


def traced() -> Any:
    net = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
    x = torch.ones(1, 3)
    yield torch.jit.trace(net, x)(x)
    yield torch.fx.symbolic_trace(net)(x)


def several_threads() -> Any:
    net = nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 1))
    results: list[Any] = [None] * 4

    def work(number: int) -> None:
        for _ in range(10):
            x = torch.full((2, 3), float(number))
            results[number] = torch.autograd.grad(net(x).sum(), list(net.parameters()))
            x.add_(1)

    threads = [threading.Thread(target=work, args=(each,)) for each in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    yield results


class Counted(torch.utils.data.Dataset):
    def __init__(self) -> None:
        self.layer = nn.Linear(3, 3)

    def __len__(self) -> int:
        return 4

    def __getitem__(self, position: int) -> Any:
        return self.layer(torch.full((3,), float(position))).detach().add_(1)


def workers() -> Any:
    yield from torch.utils.data.DataLoader(Counted(), batch_size=2, num_workers=2)


def half_precision() -> Any:
    layer, x = nn.Linear(8, 4), torch.randn(2, 8)
    optimizer, scaler = torch.optim.SGD(layer.parameters(), lr=0.1), torch.amp.GradScaler("cpu")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = functional.mse_loss(layer(x).float(), torch.zeros(2, 4))
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    yield loss, list(layer.parameters())
    narrow = nn.Linear(8, 4).bfloat16()
    optimizer = torch.optim.AdamW(narrow.parameters())
    for _ in range(4):
        optimizer.zero_grad()
        narrow(x.bfloat16()).square().mean().backward()
        optimizer.step()
    yield [each.float() for each in narrow.parameters()]


class Dirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        ctx.save_for_backward(x)
        ctx.mark_dirty(y)
        y.add_(1)
        return x * 2, y

    @staticmethod
    def backward(ctx: Any, a: Any, b: Any) -> Any:
        return a * 2, b


class Doubled(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x: Any) -> Any:
        return x * 2

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 2


def custom_functions() -> Any:
    x = torch.ones(3, requires_grad=True)
    a, b = Dirty.apply(x, torch.zeros(3))
    (a.sum() + b.sum()).backward()
    yield x.grad, a, b
    yield torch.func.grad(lambda x: Doubled.apply(x).sum())(torch.ones(3))
    yield torch.vmap(Doubled.apply)(torch.ones(3))


def checkpoints() -> Any:
    net = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), nn.Linear(4, 1))
    x = torch.ones(2, 3, requires_grad=True)
    for reentrant in (True, False):
        torch.utils.checkpoint.checkpoint(net, x, use_reentrant=reentrant).sum().backward()
        yield x.grad, [each.grad for each in net.parameters()]


def fail(*_: Any) -> None:
    raise ZeroDivisionError


def hooks_that_raise() -> Any:
    net, x = nn.Sequential(nn.Linear(3, 2), nn.ReLU()), torch.ones(1, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for hooked, run in (
        (net[1].register_forward_pre_hook, lambda: net(x)),
        (net[1].register_forward_hook, lambda: net(x)),
        (net.register_full_backward_hook, lambda: net(x).sum().backward()),
        (optimizer.register_step_pre_hook, optimizer.step),
    ):
        handle = hooked(fail)
        for _ in range(2):
            with pytest.raises(ZeroDivisionError):
                run()
        handle.remove()
        optimizer.zero_grad()
        net(x).sum().backward()
        optimizer.step()
        yield list(net.parameters())


def modes_of_its_own() -> Any:
    calls: list[str] = []

    class Calls(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None):
            calls.append(func.__name__)
            return func(*args, **(kwargs or {}))

    class Dispatched(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None):
            calls.append(func.__name__)
            return func(*args, **(kwargs or {}))

    with Calls(), Dispatched():
        x = torch.ones(3, requires_grad=True)
        y = x * 2
        y.add_(1)
        y.sum().backward()
        torch.autograd.grad((x * 3).sum(), x)
    yield calls, x.grad


def without_values() -> Any:
    x = torch.ones(3, device="meta", requires_grad=True)
    y = x * 2
    y.add_(1)
    y.sum().backward()
    layer = nn.Linear(3, 2, device="meta")
    layer(torch.ones(1, 3, device="meta")).sum().backward()
    torch.optim.Adam(layer.parameters()).step()
    yield x.grad.shape
    with torch.inference_mode():
        z = torch.ones(3)
        z.add_(1)
        z[0] = 5
        yield z


def attention() -> Any:
    layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
    net = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    x = torch.randn(2, 5, 4)
    with torch.no_grad():
        yield net(x), torch.is_inference_mode_enabled()
    yield net.train()(x)


def odd_arguments() -> Any:
    x = torch.ones(3, requires_grad=True)
    unrelated = torch.ones(1, requires_grad=True)
    for call in (
        lambda: torch.autograd.backward(iter([(x * 2).sum(), (x * 3).sum()])),
        lambda: torch.autograd.backward((x * 2).sum(), inputs=iter([x])),
        lambda: torch.autograd.grad(iter([(x * 5).sum()]), iter([x])),
        lambda: torch.autograd.grad((x * 7).sum(), {"x": x}),
        lambda: torch.autograd.backward([]),
        lambda: torch.autograd.backward(5),
        lambda: torch.autograd.backward(),
        lambda: torch.autograd.backward(bogus=3),
        lambda: torch.autograd.grad([None], [x]),
        lambda: torch.autograd.grad((x * 2).sum(), 5),
        lambda: torch.autograd.grad((x * 2).sum(), []),
        lambda: torch.autograd.grad((x * 2).sum(), [unrelated], allow_unused=True),
        lambda: torch.autograd.grad((x * 2).sum(), [unrelated]),
    ):
        try:
            yield call()
        except Exception as error:  # noqa: BLE001 - all that it raises is compared
            said = (str(error).splitlines() or [""])[0]
            yield type(error).__name__, said.removesuffix(": it")
    yield x.grad


PROGRAMS: list[Callable[[], Any]] = [
    higher_derivatives, in_place_under_vmap, gradients_of_each_sample, forward_mode,
    sparse_in_place, nested, quantized, compiled, traced, several_threads, workers,
    half_precision, custom_functions, checkpoints, hooks_that_raise, modes_of_its_own,
    without_values, attention, odd_arguments,
]  # fmt: skip


def bits(value: Any) -> Any:
    """Return values so that they are equal only where all their bits are."""
    if isinstance(value, torch.Tensor):
        plain = value.detach().contiguous()
        digest = hashlib.sha256(plain.flatten().view(torch.uint8).numpy().tobytes()).hexdigest()
        return str(value.dtype), tuple(value.shape), digest
    if isinstance(value, dict):
        return {key: bits(each) for key, each in value.items()}
    if isinstance(value, list | tuple | Iterator):
        return [bits(each) for each in value]
    return value


def run(program: Callable[[], Any]) -> Any:
    torch.manual_seed(0)
    return bits(program())


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_a_program_computes_the_same_bits_watched_and_alone(
    program: Callable[[], Any], capfd: pytest.CaptureFixture[str]
) -> None:
    alone = run(program)
    told = capfd.readouterr().err
    with pytorch.checking() as findings:
        watched = run(program)
    assert watched == alone
    assert "pellucid" not in capfd.readouterr().err.replace(told, "")
    assert not findings.of_kind("a check that failed")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_a_program_computes_the_same_bits_recorded_and_alone(
    program: Callable[[], Any], capfd: pytest.CaptureFixture[str]
) -> None:
    alone = run(program)
    told = capfd.readouterr().err
    with record(values=True) as recording:
        recorded = run(program)
    assert recorded == alone
    assert "pellucid" not in capfd.readouterr().err.replace(told, "")
    assert recording.events or program is without_values


def test_a_listener_that_fails_is_told_once_and_left_out(capfd: pytest.CaptureFixture[str]) -> None:
    heard: list[str] = []

    def listener(event: str, subject: Any) -> None:
        heard.append(event)
        raise ValueError("no use")

    with watching_torch(listener):
        expected = run(checkpoints)
    assert heard == ["assigned"]
    assert expected == run(checkpoints)
    (told,) = capfd.readouterr().err.splitlines()
    assert "test_sound_programs.py:" in told
    assert "what listens to events was left out (ValueError: no use)" in told


def test_notes_that_fail_are_told_once_and_left_out(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    line_mode = importlib.import_module("pellucid.inspect.pytorch.line_mode")
    changes = importlib.import_module("pellucid.inspect.pytorch.changes")
    passes = importlib.import_module("pellucid.inspect.pytorch.passes")
    expected = run(sparse_in_place), run(higher_derivatives), run(attention)
    for module, name in (
        (line_mode, "user_frame"), (changes, "user_frame"), (passes, "nodes_of"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, fail)
    with pytorch.checking():
        assert (run(sparse_in_place), run(higher_derivatives), run(attention)) == expected
    told = capfd.readouterr().err.splitlines()
    assert len(told) == len(set(told)) == 3, told
    assert all("(ZeroDivisionError: )" in each for each in told)


def test_a_pass_that_modes_hand_on_is_heard_once() -> None:
    class Passing(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None):
            return func(*args, **(kwargs or {}))

    heard: list[str] = []
    x = torch.ones(3, requires_grad=True)
    inputs = {"x": x} if "dict" in str(torch.autograd.grad.__annotations__) else [x]
    with watching_torch(lambda event, subject: heard.append(event)), Passing():
        torch.autograd.grad((x * 2).sum(), inputs)
        torch.autograd.backward((x * 2).sum())
    assert heard == ["backward began", "backward ended"] * 2


def test_modules_and_steps_left_by_an_exception_are_not_taken_for_running() -> None:
    class Interrupted(nn.Module):
        def forward(self, x: Any) -> None:
            raise KeyboardInterrupt

    heard: list[str] = []
    net = nn.Sequential(nn.Linear(3, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with watching_torch(lambda event, subject: heard.append(event)):
        with pytest.raises(KeyboardInterrupt):
            nn.Sequential(Interrupted())(torch.ones(1))
        with pytest.raises(ZeroDivisionError):
            optimizer.step(fail)
        net(torch.ones(1, 3))
        optimizer.step()
    assert heard == [
        "module began", "step began", "module failed", "module began", "module ended",
        "step failed", "step began", "step ended",
    ]  # fmt: skip


def test_a_value_of_pytorch_that_is_not_unpacked_is_counted_by_no_check() -> None:
    packed: list[int] = []
    hooks = torch.autograd.graph.saved_tensors_hooks
    with hooks(lambda x: x, lambda x: packed.append(1) or x), pytorch.checking() as findings:
        state = torch.zeros(2, requires_grad=True)
        for _ in range(8):
            state = torch.tanh(state + 1)
            state.sum().backward(retain_graph=True)
    assert len(packed) == sum(range(1, 9))
    assert findings.of_kind("graph grows")


def test_blocks_that_overlap_share_one_mode() -> None:
    heard: list[str] = []
    modes = torch.overrides._get_current_function_mode_stack
    layer = nn.Linear(2, 1)
    with pytorch.lines():
        first = modes()
        with pytorch.checking() as findings, watching_torch(lambda event, _: heard.append(event)):
            assert modes() == first
            layer(torch.ones(1, 2)).sum().backward()
        layer(torch.ones(1, 2))
    assert heard == ["module began", "module ended", "backward began", "backward ended"]
    assert len(findings) == 0
    assert modes() == []


def test_lines_are_noted_in_the_programs_other_threads() -> None:
    made: list[Any] = []
    w = torch.ones(2, requires_grad=True)

    def compute() -> None:
        made.append((w * 3).sum())

    with pytorch.lines():
        first = w * 2
        thread = threading.Thread(target=compute)
        thread.start()
        thread.join()
    sources = [node.text for each in (first, *made) for node in graph(each).nodes]
    assert sources == ["first = w * 2", *["made.append((w * 3).sum())"] * 2]


def test_a_thread_that_outlives_the_watch_goes_on_alone() -> None:
    w, go_on, made = torch.ones(2, requires_grad=True), threading.Event(), []

    def compute() -> None:
        go_on.wait(10)
        made.append(w * 3)

    with pytorch.lines():
        thread = threading.Thread(target=compute)
        thread.start()
    go_on.set()
    thread.join()
    assert made[0].tolist() == [3, 3]


def test_while_a_graph_of_cuda_is_captured_nobody_looks(monkeypatch: Any) -> None:
    class Captured:
        def capture_begin(self, pool: Any = None) -> None: ...

        def capture_end(self) -> None: ...

    monkeypatch.setattr(torch.cuda, "CUDAGraph", Captured)
    original = vars(Captured)["capture_begin"]
    heard: list[str] = []
    net = nn.Linear(2, 1)
    with watching_torch(lambda event, _: heard.append(event)):
        captured = Captured()
        captured.capture_begin()
        net(torch.ones(1, 2)).sum().backward()
        assert heard == []
        captured.capture_end()
        net(torch.ones(1, 2)).sum().backward()
    assert heard[:2] == ["module began", "module ended"]
    assert vars(Captured)["capture_begin"] is original

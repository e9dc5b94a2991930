"""What the tools say of PyTorch's graphs: equal to the byte to what PyTorch's hooks count."""

from __future__ import annotations

import gc
import re
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import pellucid
from pellucid import inspect
from pellucid.inspect import pytorch

torch: Any = pytest.importorskip("torch")
nn = torch.nn
functional = torch.nn.functional
checkpoint: Any = pytest.importorskip("torch.utils.checkpoint").checkpoint

#: whether this version shows what a node stores without unpacking it
shows_stored = hasattr(
    torch.ones(1, requires_grad=True).exp().grad_fn._raw_saved_result, "unpack_hook"
)
needs_stored = pytest.mark.skipif(
    not shows_stored, reason="this version of PyTorch does not show what a node has stored"
)


# ---- networks ------------------------------------------------------------------------------------


def mlp() -> Any:
    net = nn.Sequential(
        nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 3)
    )
    return functional.cross_entropy(net(torch.randn(8, 20)), torch.arange(8) % 3)


def convnet() -> Any:
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(),
        nn.Conv2d(4, 8, 3), nn.GELU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 3),
    )  # fmt: skip
    return functional.cross_entropy(net(torch.randn(4, 1, 12, 12)), torch.arange(4) % 3)


def residual() -> Any:
    first, second = nn.Conv2d(3, 3, 3, padding=1), nn.Conv2d(3, 3, 3, padding=1)
    x = torch.randn(2, 3, 8, 8)
    for _ in range(3):
        x = functional.relu(x + second(functional.relu(first(x))))
    return x.mean()


def transformer() -> Any:
    layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)(torch.randn(2, 5, 16)).mean()


def lstm() -> Any:
    net = nn.LSTM(6, 8, 2)
    return net(torch.randn(5, 3, 6))[0].square().mean()


def u_net() -> Any:
    down, up = nn.Conv2d(1, 4, 3, padding=1, stride=2), nn.ConvTranspose2d(4, 1, 2, stride=2)
    x = torch.randn(1, 1, 8, 8)
    return torch.cat([x, up(functional.silu(down(x)))], 1).softmax(1).log().mean()


def gan() -> Any:
    maker, judge = nn.Linear(4, 8), nn.Sequential(nn.Linear(8, 4), nn.LeakyReLU(), nn.Linear(4, 1))
    fake = maker(torch.randn(6, 4))
    return functional.softplus(-judge(fake)).mean() + functional.softplus(judge(fake)).mean()


class Cube(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        square = x * x
        ctx.save_for_backward(x, square)
        return square * x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        _, square = ctx.saved_tensors
        return 3 * g * square


def custom_function() -> Any:
    x = torch.randn(50, requires_grad=True)
    return (Cube.apply(x + x) * x).sum()


def double_backward() -> Any:
    x = torch.randn(30, requires_grad=True)
    (first,) = torch.autograd.grad((x.sin() * x).sum(), x, create_graph=True)
    return (first**2).sum()


def views() -> Any:
    x = torch.randn(6, 7, requires_grad=True)
    y = (x + x).exp()
    return (y[1:3].t().reshape(-1).sigmoid() * y.unbind(1)[2].sum()).sum() + y.expand(
        2, 6, 7
    ).norm()


def checkpointed() -> Any:
    first, second = nn.Linear(6, 8), nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 2))
    hidden = first(torch.randn(5, 6)).tanh()
    return checkpoint(second, hidden, use_reentrant=False).square().mean()


def distributed() -> Any:
    if not torch.distributed.is_initialized():
        torch.distributed.init_process_group(
            "gloo", store=torch.distributed.HashStore(), rank=0, world_size=1
        )
    net = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(6, 8), nn.Sigmoid()))
    return net(torch.randn(5, 6)).square().mean()


NETWORKS = [mlp, convnet, residual, transformer, lstm, u_net, gan, custom_function, double_backward,
            views, checkpointed, distributed]  # fmt: skip


class Packed:
    """What a hook packs: it lives as long as the graph keeps it."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor


def counted(program: Callable[[], Any]) -> tuple[Any, dict[Any, int]]:
    """Run a program, and return its loss with the bytes by address of all it has saved."""
    packs: list[weakref.ref[Packed]] = []

    def pack(tensor: Any) -> Any:
        packed = Packed(tensor)
        packs.append(weakref.ref(packed))
        return packed

    torch.manual_seed(0)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda packed: packed.tensor):
        loss = program()
    gc.collect()
    saved = [packed.tensor for each in packs if (packed := each()) is not None]
    leaves = {leaf.untyped_storage().data_ptr() for leaf in leaves_of(loss)}
    blocks = {
        each.untyped_storage().data_ptr(): each.untyped_storage().nbytes()
        for each in saved
        if each.numel()
    }
    return loss, {key: size for key, size in blocks.items() if key not in leaves}


def assert_ledgers_are(loss: Any, blocks: dict[Any, int]) -> None:
    """Assert that the tools say of a graph that it holds blocks of memory of these sizes."""
    ledger = inspect.memory(loss)
    assert ledger.held_bytes == sum(blocks.values()) > 0
    sizes = [block.bytes for block in ledger.by_storage]
    assert sorted(filter(None, sizes)) == sorted(blocks.values())
    assert inspect.graph(loss).held_bytes == ledger.held_bytes
    assert inspect.plan(loss).held_before == ledger.held_bytes


def leaves_of(loss: Any) -> list[Any]:
    """Return the tensors at which a graph of PyTorch's ends."""
    return [node.variable for node in _nodes_of(loss) if hasattr(node, "variable")]


def order_of_backward(loss: Any) -> list[str]:
    """Run a pass; return the names of its nodes in the order in which PyTorch runs them."""
    ran: list[str] = []

    def noting(name: str) -> Callable[[Any], None]:
        return lambda g: ran.append(name)

    for node in _nodes_of(loss):
        if not hasattr(node, "variable"):
            node.register_prehook(noting(node.name()))
    loss.backward()
    return ran


def _nodes_of(loss: Any) -> list[Any]:
    stack, found = [loss.grad_fn], {}
    while stack:
        node = stack.pop()
        if node is not None and node not in found:
            found[node] = None
            stack += [below for below, _ in node.next_functions]
    return list(found)


@needs_stored
@pytest.mark.parametrize("program", NETWORKS, ids=lambda each: each.__name__)
def test_the_ledger_is_what_hooks_count(program: Callable[[], Any]) -> None:
    _, blocks = counted(program)
    torch.manual_seed(0)
    loss = program()
    assert_ledgers_are(loss, blocks)


@needs_stored
@pytest.mark.parametrize("program", NETWORKS, ids=lambda each: each.__name__)
def test_after_backward_the_graph_holds_nothing(program: Callable[[], Any]) -> None:
    torch.manual_seed(0)
    loss = program()
    loss.backward()
    ledger = inspect.memory(loss)
    assert ledger.held_bytes == 0
    assert ledger.grad_bytes == sum(leaf.grad.nbytes for leaf in leaves_of(loss))
    freed = sum(count for _, count in ledger.freed)
    picture = inspect.graph(loss)
    assert freed == sum(node.state == "freed" for node in picture.nodes) > 0
    assert not any(node.state == "live" for node in picture.nodes)
    assert "freed by a pass that was not noted" in str(picture)


@pytest.mark.parametrize("program", NETWORKS, ids=lambda each: each.__name__)
def test_a_look_changes_nothing(program: Callable[[], Any]) -> None:
    def run(looks: bool) -> list[bytes]:
        torch.manual_seed(0)
        loss = program()
        if looks:
            inspect.memory(loss), inspect.graph(loss), inspect.plan(loss)
        leaves = leaves_of(loss)
        loss.backward()
        return [loss.detach().numpy().tobytes(), torch.get_rng_state().numpy().tobytes(),
                *[leaf.grad.numpy().tobytes() for leaf in leaves]]  # fmt: skip

    assert run(looks=True) == run(looks=False)


@pytest.mark.parametrize("program", NETWORKS, ids=lambda each: each.__name__)
def test_the_plan_has_the_order_of_pytorchs_engine(program: Callable[[], Any]) -> None:
    loss = program()
    planned = [node.name for node in inspect.plan(loss).nodes]
    assert order_of_backward(loss) == planned


# ---- what is saved otherwise ---------------------------------------------------------------------


def test_no_hook_runs_and_what_they_packed_counts() -> None:
    unpacked: list[Any] = []
    x = torch.ones(100, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(
        lambda tensor: {"kept": [tensor.detach().clone()]}, lambda packed: unpacked.append(packed)
    ):
        y = x.exp()
    assert "result packed" in str(inspect.graph(y))
    assert inspect.memory(y).held_bytes == (400 if shows_stored else 0)
    assert inspect.plan(y.sum()).nodes[1].frees in (0, 400)
    assert unpacked == []


@needs_stored
def test_a_checkpoint_that_is_not_reentrant_keeps_its_inputs() -> None:
    x = torch.ones(1000, requires_grad=True)
    hidden = x * x
    loss = checkpoint(lambda t: (t * t).exp(), hidden, use_reentrant=False).sum()
    assert inspect.memory(loss).held_bytes == 4000


def test_the_context_of_a_custom_function_counts() -> None:
    class Scaled(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.parts = [torch.ones(30), "text"]
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 2 * g

    (block,) = inspect.memory(Scaled.apply(torch.ones(3, requires_grad=True))).by_storage
    assert (block.bytes, block.holders[0][2]) == (120, "ctx.parts")


@needs_stored
def test_a_sparse_value_counts_by_its_parts() -> None:
    matrix = torch.eye(3).to_sparse()
    product = torch.sparse.mm(matrix, torch.ones(3, 3, requires_grad=True))
    assert inspect.memory(product).held_bytes == 2 * 3 * 8 + 3 * 4
    assert "sparse_coo float32[3, 3]" in str(inspect.graph(product))


def test_tensors_of_transforms_are_looked_at_without_an_error() -> None:
    seen: list[str] = []

    def scalar(x: Any) -> Any:
        y = (x.sin() ** 2).sum()
        if y.grad_fn is not None:
            seen.append(str(inspect.graph(y)))
        return y

    torch.func.grad(scalar)(torch.ones(3))
    torch.vmap(torch.func.grad(scalar))(torch.ones(2, 3))


def test_tensors_of_the_meta_device_have_their_sizes() -> None:
    x = torch.ones(1000, 10, device="meta", requires_grad=True)
    loss = (x.exp() * 2).sum()
    if shows_stored:
        assert max(block.bytes for block in inspect.memory(loss).by_storage) == 40_000
    assert inspect.memory(loss).leaf_bytes == 40_000


@needs_stored
@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float64", "complex64"])
def test_every_dtype_has_its_size(dtype: str) -> None:
    x = torch.ones(50, dtype=getattr(torch, dtype), requires_grad=True)
    (block,) = inspect.memory(x.exp()).by_storage
    assert block.bytes == 50 * getattr(torch, dtype).itemsize
    assert block.like == f"{dtype}[50]"


# ---- in use, and kept alive ----------------------------------------------------------------------


@needs_stored
def test_what_a_variable_has_is_in_use_elsewhere() -> None:
    x = torch.ones(10, requires_grad=True)
    y = x.exp()
    loss = (y.sin() * 2.0).sum()
    held = {block.bytes: block.in_use for block in inspect.memory(loss).by_storage}
    assert held[40]
    del y
    assert not any(block.in_use for block in inspect.memory(loss).by_storage if block.bytes == 40)


def test_nothing_is_kept_alive_by_the_tools() -> None:
    x = torch.ones(3, requires_grad=True)
    hidden = (x * 2).exp()
    gone = weakref.ref(hidden)
    loss = hidden.sum()
    kept = [inspect.graph(loss), inspect.memory(loss), inspect.plan(loss),
            inspect.why_no_grad(x, loss), inspect.why_alive(hidden)]  # fmt: skip
    del hidden, loss
    assert gone() is None
    assert len(kept) == 5


def owners(library: Any) -> list[str]:
    x = library.ones(3, requires_grad=True)
    hidden = (x * 2).exp()
    history = [hidden]
    nested = {"steps": {"first": hidden}}

    def closure() -> Any:
        return hidden

    def fails() -> None:
        inner = hidden
        raise ValueError(inner.shape)

    try:
        fails()
    except ValueError as error:
        kept = error
    chains = [re.sub(r" at [^ ]+", "", str(chain)) for chain in inspect.why_alive(hidden).chains]
    assert len(history) + len(nested) == 2
    assert closure is not None
    assert kept is not None
    return [chain for chain in chains if "owners" in chain]


def test_owners_are_found_as_on_pellucid() -> None:
    assert sorted(owners(torch)) == sorted(owners(pellucid))
    assert len(owners(torch)) >= 4


@needs_stored
def test_a_graph_that_keeps_a_tensor_is_named_with_its_node() -> None:
    x = torch.ones(3, requires_grad=True)
    hidden = x.exp()
    loss = hidden.sin().sum()
    found = str(inspect.why_alive(hidden))
    assert "variable loss of" in found
    assert "SumBackward0 → SinBackward0 → saved self → its memory" in found
    assert loss.requires_grad


# ---- the same answers as on pellucid -------------------------------------------------------------


def cut(library: Any) -> Any:
    w = library.ones(3, requires_grad=True)
    x = library.ones(3, requires_grad=True)
    h = (w * 2).detach()
    loss = (h * x).sum()
    return inspect.why_no_grad(w, loss)


def unrecorded(library: Any) -> Any:
    w = library.ones(3, requires_grad=True)
    with library.no_grad():
        h = w * 2
    loss = h.sum()
    return inspect.why_no_grad(w, loss)


def dead(library: Any) -> Any:
    w = library.ones(3, requires_grad=True)
    loss = library.relu(-w).sum()
    return inspect.why_no_grad(w, loss)


def not_run(library: Any) -> Any:
    w = library.ones(3, requires_grad=True)
    loss = (w * w).sum()
    return inspect.why_no_grad(w, loss)


def with_gradient(library: Any) -> Any:
    w = library.ones(3, requires_grad=True)
    loss = (w * w).sum()
    loss.backward()
    return inspect.why_no_grad(w, loss)


def not_required(library: Any) -> Any:
    w = library.ones(3)
    loss = (w * library.ones(3, requires_grad=True)).sum()
    return inspect.why_no_grad(w, loss)


def not_retained(library: Any) -> Any:
    w = library.ones(3, requires_grad=True)
    h = w * w
    loss = h.sum()
    loss.backward()
    return inspect.why_no_grad(h, loss)


def frozen_head(library: Any) -> Any:
    net = library.nn.Sequential(library.nn.Linear(4, 2), library.nn.Linear(2, 1))
    optimizer = library.optim.SGD(net[0].parameters(), lr=0.1)
    return inspect.check(net, net(library.ones(2, 4)).sum(), optimizer)


def unreached(library: Any) -> Any:
    net = library.nn.Linear(4, 2)
    optimizer = library.optim.SGD(net.parameters(), lr=0.1)
    other = library.ones(3, requires_grad=True)
    return inspect.check(net, other.sum(), optimizer)


def planned_twice(library: Any) -> Any:
    w = library.ones(3, requires_grad=True)
    loss = (w * w).sum()
    loss.backward()
    return inspect.plan(loss)


def planned(library: Any) -> Any:
    w = library.ones(3, requires_grad=True)
    loss = (w * w).exp().sum()
    return inspect.plan(loss)


def planned_vector(library: Any) -> Any:
    w = library.ones(3, requires_grad=True)
    return inspect.plan(w * w)


@needs_stored
@pytest.mark.parametrize(
    "program",
    [cut, unrecorded, dead, not_run, with_gradient, not_required, not_retained, frozen_head,
     unreached, planned_twice, planned, planned_vector],
    ids=lambda each: each.__name__,
)  # fmt: skip
def test_an_answer_is_the_one_of_pellucid(program: Callable[[Any], Any]) -> None:
    ours = re.sub(r"#\d+", "#", str(program(pellucid)))
    with pytorch.lines():
        theirs = re.sub(r"#\d+", "#", str(program(torch)))
    assert theirs == ours
    assert len(ours) > 30


def test_what_was_not_noted_is_said() -> None:
    w, x = (torch.ones(3, requires_grad=True) for _ in range(2))
    loss = (x * x).sum()
    assert "are noted in PyTorch's graphs only inside" in str(inspect.why_no_grad(w, loss))


# ---- what cannot be done -------------------------------------------------------------------------


def test_what_is_impossible_from_outside_says_why() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    with pytest.raises(TypeError, match="its engine frees the whole graph"):
        inspect.plan(y.sum(), retain_graph=[y])
    with pytest.raises(TypeError, match="its nodes do not let go of their operands"):
        inspect.cut(y)


def test_tensors_of_two_libraries_have_no_common_graph() -> None:
    with pytest.raises(TypeError, match="no common graph"):
        inspect.graph(torch.ones(1, requires_grad=True), pellucid.ones(1, requires_grad=True))


@pytest.mark.parametrize("tool", [inspect.graph, inspect.memory, inspect.plan])
def test_a_tensor_without_history_is_refused_or_told(tool: Any) -> None:
    if tool is inspect.plan:
        assert "does not require grad" in tool(torch.ones(1)).errors[0].message
    else:
        with pytest.raises(RuntimeError, match="does not require grad"):
            tool(torch.ones(1))


def test_a_value_that_was_changed_is_foretold() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    y.add_(1)
    loss = y.sum()
    if shows_stored:
        (error,) = inspect.plan(loss).errors
        assert "is at version 1; expected version 0" in error.message
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0"):
        loss.backward()
    gc.collect()

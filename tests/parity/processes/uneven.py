"""Ranks with different numbers of batches, `replicate`, and functions of spread tensors.

Run by `test_distributed_parity.py` as `program.py` is.
"""

from __future__ import annotations

import torch
import torch.distributed as dist
import torch.nn.functional as F
from rank import begin, end, keep
from torch import nn
from torch.distributed._composable.replicate import replicate
from torch.distributed.algorithms.join import Join, Joinable, JoinHook
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.tensor import Replicate, Shard, distribute_tensor
from torch.nn.parallel import DistributedDataParallel

me, count = begin()
mesh = init_device_mesh("cpu", (count,))


def keep_all(name: str, net) -> None:
    for key, value in net.named_parameters():
        keep(f"{name} {key}", value)


def network():
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 2))


def batches(number: int):
    torch.manual_seed(10 + me)
    return [torch.randn(3, 4) for _ in range(number)]


# ---- different numbers of batches --------------------------------------------------------------


def run(name: str, joined, net, optimizer, **options) -> None:
    losses = []
    with Join(joined, **options):
        for x in batches(2 + me):
            optimizer.zero_grad()
            loss = net(x).pow(2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    keep(f"{name} losses", losses)
    keep_all(name, net)


for divides in (True, False):
    net = DistributedDataParallel(network())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    run(f"join, divides {divides}", [net], net, optimizer, divide_by_initial_world_size=divides)
net = DistributedDataParallel(network())
with net.join():
    for x in batches(3 - me % 2):
        net(x).sum().backward()
if me % 2 == 0:  # who ends early has the gradients of the others here, and its own last in PyTorch
    keep("join of a module", [param.grad.sum().item() for param in net.parameters()])


class Counter(Joinable):
    """Counts the batches of all ranks, as PyTorch's documentation of `Join` does."""

    class Hook(JoinHook):
        def __init__(self, counter) -> None:
            self.counter = counter

        def main_hook(self) -> None:
            dist.all_reduce(torch.zeros(1))

        def post_hook(self, is_last_joiner: bool) -> None:
            self.counter.total = dist_max(self.counter.total if is_last_joiner else -1)

    def __init__(self) -> None:
        super().__init__()
        self.total = 0

    def __call__(self) -> None:
        Join.notify_join_context(self)
        one = torch.ones(1)
        dist.all_reduce(one)
        self.total += int(one)

    def join_hook(self, **options):
        return self.Hook(self)

    @property
    def join_device(self):
        return torch.device("cpu")

    @property
    def join_process_group(self):
        return dist.group.WORLD


def dist_max(value: int) -> int:
    told = torch.tensor([value])
    dist.all_reduce(told, dist.ReduceOp.MAX)
    return int(told)


counter = Counter()
with Join([counter]):
    for _ in range(1 + 2 * me):
        counter()
keep("counted", counter.total)
net = DistributedDataParallel(network())
caught = ""
try:
    with Join([net], throw_on_early_termination=True):
        for x in batches(1 + me):
            net(x).sum().backward()
except RuntimeError as error:
    caught = "Detected at least one rank that exhausted inputs" in str(error)
keep("thrown", caught)

# ---- replicate ---------------------------------------------------------------------------------

plain = network()
net = replicate(network())
optimizer = torch.optim.AdamW(net.parameters(), lr=0.05)
sharded_state = ZeroRedundancyOptimizer(plain.parameters(), torch.optim.Adam, lr=0.05)
losses = []
for number, x in enumerate(batches(4)):
    optimizer.zero_grad()
    net.set_requires_gradient_sync(number != 1)
    loss = net(x).pow(2).mean()
    loss.backward()
    if number != 1:
        optimizer.step()
    losses.append(loss.item())
keep("replicate losses", losses)
keep_all("replicate", net)
keep("replicate is", [type(net).__name__, *net.state_dict()])

# ---- functions of spread tensors ---------------------------------------------------------------

# not mse_loss, whose gradient is multiplied by the ranks in PyTorch, and nan where a part is empty
torch.manual_seed(0)
X, W = torch.randn(4, 6), torch.randn(7, 6)
CASES = {
    "add": lambda x: x + x * 2 - x / 3, "cat": lambda x: torch.cat([x, x * 2], 1),
    "stack": lambda x: torch.stack([x, x + 1]), "chunk": lambda x: x.chunk(2, 1)[1] * 1,
    "split": lambda x: x.split(3, 1)[0] * 2, "unbind": lambda x: x.unbind(1)[2] * 1,
    "where": lambda x: torch.where(x > 0, x, x * 2), "clamp": lambda x: x.clamp(-1, 0.5),
    "var": lambda x: x.var(0), "std": lambda x: x.std(1), "amax": lambda x: x.amax(1),
    "argmax": lambda x: x.detach().argmax(1), "prod": lambda x: x.prod(1),
    "logsumexp": lambda x: x.logsumexp(1), "cumsum": lambda x: x.cumsum(1),
    "log_softmax": lambda x: F.log_softmax(x, 1), "slice": lambda x: x[:, 1:4] * 1,
    "select": lambda x: x[:, 2] * 1, "flip": lambda x: x.flip(1), "tril": lambda x: x.tril(),
    "outer": lambda x: torch.outer(x[:, 0], x[:, 1]), "lerp": lambda x: torch.lerp(x, x * 2, 0.3),
    "sort": lambda x: x.sort(1)[0], "topk": lambda x: x.topk(2, 1)[0],
    "double": lambda x: x.double().sum(),
    "einsum": lambda x: torch.einsum("ij,kj->ik", x, x), "rms": lambda x: F.rms_norm(x, (6,)),
    "reshape": lambda x: x.reshape(4, 2, 3), "flatten": lambda x: x.unsqueeze(0).flatten(0, 1),
    "permute": lambda x: x.unsqueeze(0).permute(2, 0, 1), "repeat": lambda x: x.repeat(1, 2),
    "expand": lambda x: x.unsqueeze(0).expand(3, 4, 6) * 1, "abs": lambda x: x.abs().mean(),
    "silu": lambda x: F.silu(x) + F.relu(x) + x.sigmoid(), "norm": lambda x: x.norm(dim=1),
    "index": lambda x: x.index_select(1, replicated(torch.tensor([0, 2]))),
    "gather": lambda x: x.gather(1, replicated(torch.tensor([[0, 1]] * 4))),
    "roll": lambda x: x.roll(1, 1), "masked": lambda x: x.masked_fill(x > 0, 0.5),
    "addmm": lambda x: torch.addmm(replicated(torch.ones(7)), x, replicated(W).t()),
    "dropout": lambda x: F.dropout(x, 0.5, training=False),
}  # fmt: skip


#: their gradients are an error in PyTorch
WITHOUT_GRADIENT = ("chunk", "split", "unbind", "prod")


def replicated(tensor):
    return distribute_tensor(tensor, mesh, [Replicate()])


for kind in (Replicate(), Shard(0)):
    for name, function in CASES.items():
        x = distribute_tensor(X, mesh, [kind]).requires_grad_(name not in WITHOUT_GRADIENT)
        out = function(x)
        keep(f"{name} of {kind}", out)
        if out.requires_grad:
            out.sum().backward()
            keep(f"{name} of {kind} gradient", x.grad)

end()

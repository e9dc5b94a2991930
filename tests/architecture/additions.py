"""One addition of each kind that CONTRIBUTING.md has a section for, as edits of a checkout."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Edit:
    """A text for a file: a new file, what follows all, or what stands before the first anchor."""

    file: str
    text: str
    before: str = ""

    def apply(self, root: Path) -> None:
        """Write the file anew: the one that is there may be shared with another folder."""
        path = root / self.file
        old = path.read_text("utf-8") if path.exists() else ""
        if self.before:
            assert self.before in old, f"{self.file} has no {self.before!r}"
            new = old.replace(self.before, self.text + self.before, 1)
        else:
            new = old + self.text
        path.unlink(missing_ok=True)
        path.write_text(new, "utf-8")


OP = [
    Edit(
        "src/pellucid/ops/elementwise/exponential.py",
        '''

@public("squareplus", method=True, inplace=True, out=CASTING)
@elementwise(dtypes=FLOAT_MATH, unsupported="c")
def squareplus(be, input, /):
    """Return a smooth positive part of the elements, ``(input + sqrt(input**2 + 4)) / 2``.

    >>> torch.squareplus(torch.tensor([0.0, 1.5]))
    tensor([1., 2.])
    """
    return (input + be.sqrt(input * input + 4)) / 2


@squareplus.partial("input")
def squareplus_partial(input, out):
    return out / (2 * out - input)
''',
    ),
    Edit(
        "tests/samples/references.py",
        '    "squareplus": each(lambda x: (x + math.sqrt(x * x + 4)) / 2),\n',
        before='    "logaddexp": each',
    ),
]

KERNEL = [
    Edit(
        "src/pellucid/kernels/numpy/activations.py",
        '''@silent
@rounded_kernel
def squareplus(x: Array) -> Array:
    """Return ``(x + sqrt(x * x + 4)) / 2``."""
    return (x + np.sqrt(x * x + 4)) / 2


''',
        before="_ONE_BEYOND = ",
    ),
    Edit(
        "src/pellucid/_native/kernels/pointwise_lists.hpp",
        "DO(squareplus) ",
        before="DO(sign) DO(gated)",
    ),
    Edit(
        "src/pellucid/_native/kernels/several_numbers.hpp",
        """template <class T>
inline T squareplus_of(T x) {
    return (x + std::sqrt(x * x + T(4))) / 2;
}

""",
        before="template <class T>\ninline T frac_of",
    ),
    Edit(
        "tests/native/test_kernels_elementwise.py",
        '    "squareplus": (lambda x: (x + np.sqrt(x * x + 4)) / 2, 1.3, (0, 9)),\n',
        before='    "softplus": (softplus, ',
    ),
]

LAYER = [
    Edit(
        "src/pellucid/nn/modules/activation.py",
        '''class Squareplus(_Activation):
    """A smooth positive part: (x + sqrt(x^2 + b)) / 2.

    Args:
        b: How far from the positive part it is; 0 gives the positive part itself.

    Shape: As for `_Activation`.

    >>> torch.nn.Squareplus()(torch.tensor([0.0, 1.5]))
    tensor([1., 2.])
    """

    _shown = ("b",)

    def __init__(self, b: float = 4.0) -> None:
        super().__init__()
        self.b = b

    def forward(self, input: Tensor) -> Tensor:
        return (input + (input * input + self.b).sqrt()) / 2


''',
        before="class Hardtanh(_Inplace):",
    ),
    Edit("src/pellucid/nn/modules/__init__.py", "    Squareplus,\n", before="    Tanh,\n"),
    Edit(
        "src/pellucid/nn/modules/__init__.py",
        '    "Squareplus",\n',
        before='    "AdaptiveAvgPool1d"',
    ),
    Edit(
        "tests/nn/test_layers.py",
        """

def test_squareplus_is_a_smooth_positive_part() -> None:
    layer, x = nn.Squareplus(b=9.0), torch.tensor([-4.0, 0.0, 4.0])
    assert layer(x).tolist() == [0.5, 1.5, 4.5]
    assert repr(layer) == "Squareplus(b=9.0)"
""",
    ),
]

OPTIMIZER = [
    Edit(
        "src/pellucid/optim/lion.py",
        '''"""The Lion optimizer."""

from __future__ import annotations

from typing import Any

from pellucid.docstrings import sections_of
from pellucid.optim.adam import Adam
from pellucid.optim.operands import Group, State, Updated, operands, zeros_for
from pellucid.optim.optimizer import Optimizer
from pellucid.optim.options import check_betas, check_not_negative, check_rate, options_of
from pellucid.tensors import Tensor


@sections_of(Adam)
class Lion(Optimizer):
    """The Lion optimizer: steps of one size, along the sign of a running mean.

    Source: Chen and others, "Symbolic discovery of optimization algorithms", 2023.

    Args:
        params, lr, weight_decay: As for `Adam`.
        betas: Weights of the running mean in the step, and in the next running mean.

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> torch.optim.Lion([w], lr=0.1).step()
    >>> w
    tensor([0.9000], requires_grad=True)
    """

    def __init__(
        self, params: Any, lr: float = 1e-4, betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0,
    ) -> None:  # fmt: skip
        check_rate(lr)
        check_betas(betas)
        check_not_negative(weight_decay=weight_decay)
        super().__init__(params, options_of(locals()))

    def update(self, group: Group, updated: list[Updated]) -> None:
        on = operands(group)
        lr, (beta1, beta2) = on.number(group["lr"]), group["betas"]
        for param, found, state, _ in self.counted(updated, group):
            gradient = on.gradient(param, found, {})
            mean = on.state(state, "exp_avg")
            step = on.sign(mean * beta1 + gradient * (1 - beta1))
            mean += (gradient - mean) * (1 - beta2)
            value = on.value(param)
            value -= (step + value * group["weight_decay"]) * lr

    def _start(self, state: State, param: Tensor, group: Group) -> None:
        super()._start(state, param, group)
        state["exp_avg"] = zeros_for(param)
''',
    ),
    Edit(
        "src/pellucid/optim/__init__.py",
        "from pellucid.optim.lion import Lion\n",
        before="from pellucid.optim.muon",
    ),
    Edit("src/pellucid/optim/__init__.py", '"Lion", ', before='"Muon"'),
    Edit(
        "tests/optim/test_optimizers.py",
        "    lambda params: optim.Lion(params, lr=0.1),\n",
        before="    lambda params: optim.LBFGS(params, lr=0.5",
    ),
    Edit(
        "tests/optim/test_rules.py",
        """

def test_lion_steps_along_the_sign_of_a_running_mean() -> None:
    w = torch.tensor([1.0], requires_grad=True)
    optimizer = optim.Lion([w], lr=0.5, betas=(0.5, 0.5))
    value, mean = 1.0, 0.0
    for gradient in (1.0, -3.0, 0.5):
        w.grad = torch.tensor([gradient])
        optimizer.step()
        direction = 0.5 * mean + 0.5 * gradient
        value -= 0.5 * ((direction > 0) - (direction < 0))
        mean = 0.5 * mean + 0.5 * gradient
        assert w.item() == value
""",
    ),
]

CHECK = [
    Edit(
        "src/pellucid/inspect/checks/rising.py",
        '''"""Learning rates that grow without end."""

from __future__ import annotations

from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.run import Step

#: the rate, and how many times the first it is, from which on it is reported
LARGE, TOO_MUCH = 1.0, 1e6


class Rising(Check):
    """A search for optimizers whose rate has grown beyond all measure."""

    first: float | None = None

    def step_ended(self, step: Step) -> None:
        optimizer = step.optimizer.reference()
        rate = None if optimizer is None else float(optimizer.param_groups[0].get("lr", 0))
        if rate is None or self.is_settled:
            return
        if self.first is None:
            self.first = rate
        elif rate > LARGE and rate > TOO_MUCH * self.first > 0:
            self.is_settled = True
            self.report(
                "a learning rate that keeps growing",
                f"{step.optimizer.name} steps with {rate:.3g}, and began with {self.first:.3g}",
                step.site,
                "Steps that large lead nowhere.",
                "Look at the scheduler: is its factor above 1?",
                step.number,
            )
''',
    ),
    Edit(
        "src/pellucid/inspect/checks/training.py",
        "from pellucid.inspect.checks.rising import Rising\n",
        before="from pellucid.inspect.checks.run import",
    ),
    Edit(
        "src/pellucid/inspect/checks/training.py", "Rising, ", before="Nonfinite, MissingGradients"
    ),
    Edit(
        "tests/inspect/checks/test_faults.py",
        """

def test_a_rate_that_keeps_growing() -> None:
    def program() -> None:
        net = nn.Linear(4, 1)
        optimizer = sgd(net, 1e-6)
        schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=2.0)
        x, y = samples()
        for _ in range(30):
            optimizer.zero_grad()
            F.mse_loss(net(x), y).backward()
            optimizer.step()
            schedule.step()

    with checking() as findings:
        program()
    assert "a learning rate that keeps growing" in [finding.kind for finding in findings]
""",
    ),
    Edit(
        "tests/inspect/checks/healthy.py",
        """

@program
def a_rate_that_grows_at_first() -> None:
    net = mlp()
    optimizer = optim.SGD(net.parameters(), lr=0.05)
    schedule = schedules.LinearLR(optimizer, start_factor=0.01, total_iters=10)
    train(net, optimizer, after=schedule.step)
""",
    ),
]

COLLECTIVE = [
    Edit(
        "src/pellucid/processes/communicator.py",
        '''    def scan(self, array: Array, op: RedOpType) -> list[Request]:
        """Replace the array by the reduction over the ranks up to this one."""
        ...

''',
        before='    def barrier(self) -> list[Request]:\n        """',
    ),
    Edit(
        "src/pellucid/processes/communicator.py",
        """    def scan(self, array: Array, op: RedOpType) -> list[Request]:
        return []

""",
        before="    def barrier(self) -> list[Request]:\n        return []",
    ),
    Edit(
        "src/pellucid/processes/communicator.py",
        """    def scan(self, array: Array, op: RedOpType) -> list[Request]:
        return [self.comm.Iscan(self._mpi.IN_PLACE, array, self._ops[op])]

""",
        before="    def barrier(self) -> list[Request]:\n        return [self",
    ),
    Edit(
        "src/pellucid/processes/sockets/communicator.py",
        '''    def scan(self, array: Array, op: RedOpType) -> list[Request]:
        """Replace the array by the reduction over the ranks up to this one."""
        return [Exchange(self._scan(array.reshape(-1), op, next(self._tags)))]

    def _scan(self, array: Array, op: RedOpType, tag: int) -> Steps:
        """Combine what the rank before has, and send it to the next one."""
        if self._rank:
            yield [self._receive(array, self._rank - 1, tag, UFUNCS[op])]
        if self._rank + 1 < self._size:
            yield [self._send(array, self._rank + 1, tag)]

''',
        before="    def reduce(self, array: Array, op: RedOpType, root: int) -> list[Request]:",
    ),
    Edit(
        "src/pellucid/processes/collectives.py",
        '''

def scan(
    tensor: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Replace the tensor by the reduction of the tensors of the ranks up to this one.

    Args:
        tensor: Any shape and dtype, the same on all ranks; it is replaced.
        op: How to combine; one of `ReduceOp`.
        group: The group; the default one if None.
        async_op: Whether to return at once, with a Work to wait for.

    Returns:
        A Work with ``async_op``, else None.

    >>> torch.distributed.init_process_group(world_size=1, rank=0)
    >>> x = torch.ones(2)
    >>> torch.distributed.scan(x)
    >>> x
    tensor([1., 1.])
    >>> torch.distributed.destroy_process_group()
    """
    check_tensor(tensor, "tensor")
    members = member_group(group, "scan")
    if members is None:
        return None
    kind = check_reduction("scan", op, tensor._array.dtype)
    reducible = Reducible(tensor._array, kind, members.size())
    action = members.action(f"scan({described(tensor._array)}, {kind.name})")
    return start(
        members, action, lambda: members.comm.scan(reducible.array, reducible.op),
        reducible.restore, [tensor], async_op,
    )  # fmt: skip
''',
    ),
    Edit("src/pellucid/distributed/__init__.py", "    scan,\n", before="    scatter,\n"),
    Edit("src/pellucid/distributed/__init__.py", '"scan", ', before='"scatter"'),
    Edit(
        "tests/distributed/programs/collectives.py",
        """summed = torch.full((2,), me + 1.0)
dist.scan(summed)
check(summed, (me + 1.0) * (me + 2.0) / 2)

""",
        before="average = mine.clone()",
    ),
]

MODE = [
    Edit(
        "src/pellucid/autograd/modes.py",
        "    #: what `labelled` says\n    label: str | None = None\n",
        before="    #: what gives op calls another",
    ),
    Edit(
        "src/pellucid/autograd/modes.py",
        '''@temporary
def labelled(block: Block, label: str) -> None:
    """Remember a label in the block.

    >>> from pellucid.autograd.modes import labelled, modes
    >>> with labelled("warm up"):
    ...     modes.label
    'warm up'
    """
    block._set(modes, "label", label)


''',
        before="class DecoratingContext:",
    ),
    Edit(
        "tests/robustness/test_interrupts.py",
        '    "labelled": lambda: labelled("here"),\n',
        before='    "no_grad": torch.no_grad,',
    ),
    Edit(
        "tests/robustness/test_interrupts.py",
        "from pellucid.autograd.modes import labelled\n",
        before="from pellucid.autograd",
    ),
]

VIEW = [
    Edit(
        "src/pellucid/inspect/depth.py",
        '''"""The longest way through a graph: what a backward pass cannot do side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pellucid.inspect.snapshot import graph
from pellucid.inspect.tables import columns


@dataclass(frozen=True)
class Depth:
    """What `depth` returns.

    Attributes:
        nodes: How many nodes the graph has.
        longest: How many are on the longest way from a root to a leaf.

    >>> x = torch.ones(2, requires_grad=True)
    >>> torch.inspect.depth((x * x).sum()).longest
    2
    """

    nodes: int
    longest: int

    def __str__(self) -> str:
        return "\\n".join(columns(("nodes", "deep"), [(str(self.nodes), str(self.longest))]))


def depth(*tensors: Any) -> Depth:
    """Return how long the longest way from these tensors to a leaf is.

    Args:
        tensors: Tensors that have a graph.

    >>> x = torch.ones(2, requires_grad=True)
    >>> print(torch.inspect.depth((x * x).sum()))
    nodes  deep
    2      2
    """
    longest: dict[int, int] = {}
    for node in reversed(list(graph(*tensors).nodes)):
        behind = [longest.get(each, 0) for each in node.operands if each is not None]
        longest[node.number] = 1 + max(behind, default=0)
    return Depth(len(longest), max(longest.values(), default=0))
''',
    ),
    Edit(
        "src/pellucid/inspect/__init__.py",
        "from pellucid.inspect.depth import Depth, depth\n",
        before="from pellucid.inspect.difference",
    ),
    Edit(
        "src/pellucid/inspect/__init__.py",
        '"Depth", "depth",\n    ',
        before='"BackwardPlan", "Block"',
    ),
    Edit(
        "tests/inspect/test_nothing_changes.py",
        '    "depth": lambda loss, _: str(inspect.depth(loss)),\n',
        before='    "memory": lambda',
    ),
]

#: by the section of CONTRIBUTING.md
ADDITIONS = {
    "An op": OP, "A kernel in C++": KERNEL, "A layer": LAYER, "An optimizer": OPTIMIZER,
    "A check": CHECK, "A collective": COLLECTIVE, "A mode": MODE, "A view of the inspector": VIEW,
}  # fmt: skip

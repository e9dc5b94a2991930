"""Counting the floating-point operations of a program: ``torch.utils.flop_counter``."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from pellucid.autograd.modes import push_interpreter
from pellucid.autograd.node_extra import hook_in
from pellucid.blocks import Block
from pellucid.core.call.interpreter import Execution, Interpreter
from pellucid.inspect.products import PRODUCTS
from pellucid.nn import Module
from pellucid.nn.modules.calling import GlobalHook, Hook, global_hooks
from pellucid.observe import Observer, observers, slow_path

__all__ = ["FlopCounterMode"]


def _name(execution: Execution) -> str | None:
    """Return what PyTorch calls the kernel of a product; None for one that it does not count."""
    op, operands = execution.op.name, execution.operands
    if op in ("convolution", "transposed_convolution"):
        return "aten.convolution"
    if op == "linear":
        return "aten.mm" if operands[2] is None else "aten.addmm"
    if op == "contract":
        return "aten.bmm"
    if op == "sum_with_product":
        return {2: "aten.addmm", 3: "aten.baddbmm"}.get(execution.results[0]._array.ndim)
    if op == "sum_with_products":
        return "aten.addbmm"
    left, right = (each._array.ndim for each in operands[:2])
    if op != "matmul" or min(left, right) < 2:
        return None
    return "aten.bmm" if right > 2 else "aten.mm"


_BACKWARD = {
    "aten.addbmm": "aten.bmm",
    "aten.addmm": "aten.mm",
    "aten.baddbmm": "aten.bmm",
    "aten.convolution": "aten.convolution_backward",
}


#: kernels that PyTorch's does not count, though it counts their backward
_ONLY_BACKWARD = ("aten.addbmm",)


class FlopCounterMode(Block, Interpreter, Observer):
    """A block in which the multiplications and additions of products are counted, by module.

    Counted are products of matrices, linear layers and convolutions, forward and backward, two for
    each number that is multiplied; also on tensors of the device ``meta``, which compute nothing.

    Args:
        mods: Kept for PyTorch's callers: modules are found without it.
        depth: How deep the modules of the table are nested.
        display: Whether the table is printed at the end of the block.

    >>> from pellucid.utils.flop_counter import FlopCounterMode
    >>> layer = torch.nn.Linear(4, 8, device="meta")
    >>> with FlopCounterMode(display=False) as counter:
    ...     layer(torch.empty(3, 4, device="meta")).sum().backward()
    >>> counter.get_flop_counts()["Linear"]
    {'aten.addmm': 192, 'aten.mm': 192}
    """

    def __init__(self, mods: Any = None, depth: int = 2, display: bool = True) -> None:
        self.depth = depth
        self.display = display
        self.flop_counts: dict[str, dict[str, int]] = {}
        #: for each node: the kernel of its backward, what each of its gradients takes, the modules,
        #: and the place of the first factor among its operands
        self._nodes: WeakKeyDictionary[Any, tuple[str, int, tuple[str, ...], int]] = (
            WeakKeyDictionary()
        )
        self._names: WeakKeyDictionary[Module, str] = WeakKeyDictionary()
        self._running: list[str] = []

    def _begin(self) -> FlopCounterMode:
        self.flop_counts = defaultdict(lambda: defaultdict(int))
        self._running.clear()
        self._at_end(self._finish)
        before, after = Hook(self._enter_module), Hook(self._leave_module, always_call=True)
        hook_in(self, global_hooks, GlobalHook("forward_pre", before))
        hook_in(self, global_hooks, GlobalHook("forward", after))
        slow_path.need_in(self)
        self._append(observers, self)
        push_interpreter(self, self)
        return self

    def _finish(self) -> None:
        self.flop_counts = {name: dict(counts) for name, counts in self.flop_counts.items()}
        if self.display:
            print(self.get_table(self.depth))  # noqa: T201

    def _enter_module(self, module: Module, args: Any) -> None:
        if module not in self._names:
            name = type(module).__name__
            for path, each in module.named_modules():
                self._names.setdefault(each, f"{name}.{path}" if path else name)
        self._running.append(self._names[module])

    def _leave_module(self, module: Module, args: Any, output: Any) -> None:
        self._running.pop()

    def executed(self, execution: Execution) -> None:
        """Count the products of an operation, and note what those of its backward will be."""
        products: Callable[[Execution], int] | None = PRODUCTS.get(execution.op.name)
        name = None if products is None else _name(execution)
        if products is None or name is None:
            return
        count, modules = 2 * products(execution), ("Global", *self._running)
        if name not in _ONLY_BACKWARD:
            self._add(name, count, modules)
        edge = execution.results[0]._edge
        if edge is not None:
            first = int(execution.op.name in ("sum_with_product", "sum_with_products"))
            self._nodes[edge[0]] = (_BACKWARD.get(name, name), count, modules, first)

    def node_ended(self, node: Any, grads: Any) -> None:
        """Count the products of a node's backward: one for each operand but a bias."""
        noted = self._nodes.get(node)
        if noted is not None and grads is not None:
            name, count, modules, first = noted
            factors = tuple(grads)[first : first + 2]
            self._add(name, count * sum(each is not None for each in factors), modules)

    def _add(self, name: str, count: int, modules: tuple[str, ...]) -> None:
        for module in dict.fromkeys(modules):
            self.flop_counts[module][name] += count

    def get_total_flops(self) -> int:
        """Return the number of all operations."""
        return sum(self.flop_counts.get("Global", {}).values())

    def get_flop_counts(self) -> dict[str, dict[str, int]]:
        """Return the number of operations by module and kernel."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """Return a table of the modules down to a depth, with their operations."""
        depth = self.depth if depth is None else depth
        total = max(self.get_total_flops(), 1)
        rows: list[tuple[str, ...]] = [("Module", "FLOP", "% Total")]
        for module, counts in self.flop_counts.items():
            level = 0 if module == "Global" else module.count(".") + 1
            if level > depth:
                continue
            for name, count in [("", sum(counts.values())), *counts.items()]:
                label = "  " * level + (f" - {name}" if name else module)
                rows.append((label, _shortened(count), f"{count / total:.2%}"))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        rows.insert(1, tuple("-" * width for width in widths))
        return "\n".join(
            "  ".join([row[0].ljust(widths[0]), row[1].rjust(widths[1]), row[2].rjust(widths[2])])
            for row in rows
        )


def _shortened(count: int) -> str:
    """Return a number with the letter of its thousands."""
    step = min(4, int(math.log10(max(count, 1)) // 3))
    return f"{count / 1000**step:.3f}{' KMBT'[step].strip()}" if step else str(count)

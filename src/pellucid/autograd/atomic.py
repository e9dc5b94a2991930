"""A backward pass that writes all gradients or none."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.engine import Task
from pellucid.autograd.gradient_ops import Gradients
from pellucid.autograd.hooks import run_post_accumulate_hooks, run_post_hooks, run_pre_hooks
from pellucid.autograd.node import AccumulateGrad
from pellucid.autograd.variable import TensorBase


class _Unwritten:
    """Gradients of which those that tensors retain are put by until the pass has gone well."""

    def __init__(self, gradients: Gradients) -> None:
        self._gradients = gradients
        self.retained: list[tuple[TensorBase, Any]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._gradients, name)

    def retain(self, tensor: TensorBase, g: Any) -> None:
        """Put a gradient by that is to be added to the ``.grad`` of a tensor."""
        self.retained.append((tensor, g))


class AtomicTask(Task):
    """One backward pass that puts gradients by, and writes them once all nodes have run.

    If the pass fails, or one of the gradients cannot be written, every ``.grad`` is as before.
    Hooks that are called after a ``.grad`` was written run when all are.
    """

    __slots__ = ("_arrived", "_before", "_unwritten")
    _writes_at_once = False

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._unwritten: Any = _Unwritten(self.gradients)
        #: what has arrived for the leaves
        self._arrived: dict[AccumulateGrad, Any] = {}
        #: what was written to, with its ``.grad`` before, and a copy of the values of that
        self._before: list[tuple[TensorBase, Any, Any]] = []

    def execute(self) -> None:
        plain, self.gradients = self.gradients, self._unwritten
        try:
            super().execute()
        finally:
            self.gradients = plain
        try:
            hooked = self._write()
        except BaseException:
            self._undo()
            raise
        finally:
            self._before.clear()
        for leaf, g in hooked:
            self._run_hooks_after(leaf, g)

    def accumulate(self, leaf: AccumulateGrad, g: Any, changes: int = 0) -> None:
        if leaf.extra is not None and leaf.extra.pre_hooks:
            g = run_pre_hooks(leaf, g, self.gradients)
        self._arrived[leaf] = g

    def _write(self) -> list[tuple[AccumulateGrad, Any]]:
        """Write every gradient; return the leaves with hooks that are to be called after that."""
        hooked: list[tuple[AccumulateGrad, Any]] = []
        for tensor, g in self._unwritten.retained:
            self._remember(tensor)
            self.gradients.retain(tensor, g)
        for leaf in list(self._arrived):
            if leaf.extra is not None:
                hooked.append((leaf, self._arrived[leaf] if leaf.extra.post_hooks else None))
            if self._arrived[leaf] is None:
                continue
            with leaf.lock:
                if leaf.leaf is not None:
                    self._remember(leaf.leaf)
                self.gradients.accumulate(leaf, self._arrived.pop(leaf))
        return hooked

    def _remember(self, tensor: TensorBase) -> None:
        held = tensor._grad
        self._before.append((tensor, held, None if held is None else held._array.copy()))

    def _undo(self) -> None:
        for tensor, held, values in reversed(self._before):
            tensor._grad = held
            if held is not None:
                held._array[...] = values

    def _run_hooks_after(self, leaf: AccumulateGrad, g: Any) -> None:
        extra = leaf.extra
        if extra is not None and extra.post_accumulate_hooks:
            with leaf.lock:
                run_post_accumulate_hooks(leaf)
        if extra is not None and extra.post_hooks:
            run_post_hooks(leaf, (), g, self.gradients)

"""Hooks that are registered again and again, and never removed."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.finding import Finding
from pellucid.inspect.checks.run import Step

#: steps in a row with more hooks than at the one before, after which it is reported
PATIENCE = 10

_OF_MODULES = (
    "_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks",
)  # fmt: skip


class PilingHooks(Check):
    """A search for modules and parameters that get more hooks at every step."""

    kinds = ("hooks pile up",)

    def prepare(self) -> None:
        #: id of a module or parameter -> number of hooks, and steps in a row that added some
        self.counts: dict[int, tuple[int, int]] = {}
        self.reported: set[int] = set()
        #: the optimizer whose steps are counted
        self.clock: weakref.ref[Any] | None = None

    def step_ended(self, step: Step) -> None:
        if self.clock is None or self.clock() is None:
            self.clock = weakref.ref(step.optimizer)
        if self.clock() is not step.optimizer:
            return
        for owner, name, hooks in self._hooked(step):
            key, count = id(owner), len(hooks)
            before, in_a_row = self.counts.get(key, (count, 0))
            in_a_row = in_a_row + 1 if count > before else 0
            self.counts[key] = count, in_a_row
            if in_a_row and key not in self.reported:
                step.optimizer.follow()
            if in_a_row >= PATIENCE and key not in self.reported:
                self.reported.add(key)
                self._report(step, name, hooks)

    def _hooked(self, step: Step) -> Iterator[tuple[Any, str, list[Any]]]:
        """Yield everything that has hooks, with its name and the hooks."""
        for module in self.run.live_modules():
            for name, each in module.named_modules():
                attributes = vars(each)
                hooks = [hook for kind in _OF_MODULES for hook in attributes[kind].values()]
                if hooks:
                    yield each, f"{type(module).__name__}.{name}".rstrip("."), hooks
        for entry in step.entries:
            hooks = hooks_of(entry.tensor)
            if hooks:
                yield entry.tensor, self.run.name_of(entry.tensor) or entry.label, hooks

    def _report(self, step: Step, name: str, hooks: list[Any]) -> None:
        code = getattr(hooks[-1], "__code__", None)
        file = "" if code is None else code.co_filename.replace("\\", "/").rpartition("/")[2]
        self.add(
            Finding(
                "hooks pile up",
                f"{name} has {len(hooks)} hooks, more at every step",
                "" if code is None else f"{file}:{code.co_firstlineno}",
                "" if code is None else f"{code.co_name}, the latest hook",
                "Each of them runs every time, and keeps alive what it refers to.",
                "Register the hook once, outside the loop, or call remove() on the handle that "
                "the registration returns.",
                step.number,
            )
        )


def hooks_of(tensor: Any) -> list[Any]:
    """Return the hooks on the gradient of a leaf."""
    edge = getattr(tensor, "_edge", None)
    if edge is None:  # of PyTorch's
        return list((getattr(tensor, "_backward_hooks", None) or {}).values())
    extra = edge[0].extra
    if extra is None:
        return []
    kinds = [*extra.tensor_hooks.values(), extra.post_accumulate_hooks]
    return [hook for hooks in kinds for hook in hooks.values()]

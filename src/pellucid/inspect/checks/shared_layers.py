"""One layer that stands in several places of a container."""

from __future__ import annotations

from typing import Any

from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.finding import listed
from pellucid.inspect.checks.run import Step

KIND = "one layer in several places"


class SharedLayers(Check):
    """A search for containers that have one layer with parameters more than once."""

    kinds = (KIND,)

    def prepare(self) -> None:
        #: modules that were looked through
        self.seen: set[int] = set()

    def step_ended(self, step: Step) -> None:
        if len(self.run.modules) == len(self.seen):
            return
        for module in self.run.live_modules():
            if id(module) not in self.seen:
                self.seen.add(id(module))
                self._look(step, module)

    def _look(self, step: Step, module: Any) -> None:
        top = type(module).__name__
        mine = {id(entry.tensor) for entry in step.entries}
        for prefix, each in module.named_modules():
            if type(each).__name__ not in ("Sequential", "ModuleList", "ModuleDict"):
                continue
            places: dict[int, list[str]] = {}
            for name, child in each._modules.items():
                if child is not None:
                    path = ".".join(filter(None, (top, prefix, name)))
                    places.setdefault(id(child), []).append(path)
            for child in each._modules.values():
                names = places.pop(id(child), [])
                if len(names) > 1 and any(id(p) in mine for p in child.parameters()):
                    self._report(step, child, names)

    def _report(self, step: Step, layer: Any, names: list[str]) -> None:
        kind = type(layer).__name__
        site = self.run.assigned_at(layer) or step.optimizer.made or step.site
        self.report(
            KIND, f"{listed(names)} are one and the same {kind}", site,
            f"They have one weight between them, not {len(names)}: [layer] * n repeats the layer, "
            "it makes no copies.",
            f"Make each one: [nn.{kind}(...) for _ in range({len(names)})]. If they are to share "
            "it, call the one layer in a loop, which says so.", step.number,
        )  # fmt: skip

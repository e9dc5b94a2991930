"""Parameters that get gradients and that no optimizer has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from pellucid.autograd.sites import Site
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.finding import Finding, line_of, listed
from pellucid.inspect.checks.run import Step, array_of

#: looks at a parameter that found a gradient and no change, after which it is reported
PATIENCE = 5
#: how many values of a parameter are compared to see whether anything changes it
_COMPARED = 4
#: the holder of a plain tensor
_TENSOR = "a tensor"


class Place(NamedTuple):
    """Where a module has a parameter.

    Attributes:
        name: The dotted name.
        tensor: The parameter.
        holder: The attribute that hides it from ``parameters()``, with the name of its type; empty
            for a registered parameter.
        owner: The module that has the attribute.
        attribute: Its name.
    """

    name: str
    tensor: Any
    holder: str
    owner: Any
    attribute: str


class Unoptimized(Check):
    """A search for parameters of a trained module that get gradients which nobody uses."""

    kinds = (
        "a parameter in no optimizer", "a tensor that is not registered",
        "layers in a plain container",
    )  # fmt: skip

    def prepare(self) -> None:
        #: id of a parameter -> how often it was found unchanged, and its first values
        self.seen: dict[int, tuple[int, bytes]] = {}
        #: what was reported, or is changed by the program itself
        self.settled: set[int] = set()
        self.steps = 0

    def step_ended(self, step: Step) -> None:
        self.steps += 1
        if self.steps > PATIENCE and self.steps & (self.steps - 1):
            return  # later on, every power of two
        mine = {id(entry.tensor) for entry in step.entries}
        optimized = self.run.optimized()
        for module in self.run.live_modules():
            places = list(places_of(module))
            if not mine.isdisjoint(id(place.tensor) for place in places):
                lacking = [place for place in places if id(place.tensor) not in optimized]
                due = [place for place in lacking if self._is_due(place.tensor)]
                self.settled.update(id(place.tensor) for place in due)
                self._report(step, [place for place in due if not self._replaces(place, step)])

    def _is_due(self, tensor: Any) -> bool:
        key = id(tensor)
        if key in self.settled or not tensor.requires_grad or tensor.grad is None:
            return False
        values = array_of(tensor).ravel()[:_COMPARED].tobytes()
        count, before = self.seen.get(key, (0, values))
        if values != before:
            self.settled.add(key)
            return False
        self.seen[key] = count + 1, values
        return count + 1 >= PATIENCE

    def _replaces(self, place: Place, step: Step) -> bool:
        """Return whether the optimizer has one without gradients that this one may replace."""
        lacking = [entry for entry in step.entries if entry.key.without_gradient]
        if not place.holder and lacking:
            known = step.optimizer
            if self.run.assigned_since(known, place.owner, place.attribute) is not None:
                return True
        return any(entry.tensor.shape == place.tensor.shape for entry in lacking)

    def _report(self, step: Step, due: list[Place]) -> None:
        for holder, places in by_holder(due):
            names, first = [place.name for place in places], places[0]
            line = step.optimizer.made or step.site
            if holder:
                line = self.run.attribute_assigned_at(first.owner, first.attribute) or line
            self.add(place_finding(holder, names, line, step.number))


def by_holder(places: Iterable[Place]) -> Iterable[tuple[str, list[Place]]]:
    """Return what holds parameters, each with their places."""
    found: dict[str, list[Place]] = {}
    for place in places:
        found.setdefault(place.holder, []).append(place)
    return found.items()


def place_finding(holder: str, names: list[str], site: Site, step: int) -> Finding:
    """Return what is to be said of parameters that are at one kind of place; see `Place`."""
    line, several = line_of(site), len(names) > 1
    what = (
        f"{listed(names)} {'get gradients' if several else 'gets a gradient'}, and no optimizer "
        f"has {'them' if several else 'it'}"
    )
    if not holder:
        return Finding(
            "a parameter in no optimizer", what, *line,
            "Nothing changes the values, and the gradients only add up.",
            "Give the optimizer all parameters that are to be trained, and call "
            "requires_grad_(False) on the others, which saves their gradients too.", step,
        )  # fmt: skip
    if holder == _TENSOR:
        return Finding(
            "a tensor that is not registered", what, *line,
            "A plain tensor as an attribute is not in parameters().",
            "Make it a torch.nn.Parameter.", step,
        )  # fmt: skip
    name, _, kind = holder.rpartition(" ")
    better = "ModuleDict" if kind == "dict" else "ModuleList"
    return Finding(
        "layers in a plain container", what, *line,
        f"{name} is a {kind}, and what stands in it is not in parameters(), nor in state_dict().",
        f"Use torch.nn.{better} in its place.", step,
    )  # fmt: skip


def places_of(module: Any) -> Iterator[Place]:
    """Yield all parameters of a module, registered and hidden, with their places."""
    top = type(module).__name__
    registered: set[int] = set()
    for name, parameter in module.named_parameters():
        registered.add(id(parameter))
        yield Place(f"{top}.{name}", parameter, "", module, name)
    for prefix, each in module.named_modules():
        path = f"{top}.{prefix}" if prefix else top
        for name, value in vars(each).items():
            if not name.startswith("_"):
                for place in _hidden(f"{path}.{name}", value, each, name):
                    if id(place.tensor) not in registered:
                        registered.add(id(place.tensor))
                        yield place


def _hidden(name: str, value: Any, owner: Any, attribute: str) -> Iterator[Place]:
    """Yield the parameters that an attribute of a module hides."""
    if isinstance(value, list | tuple):
        items = [(f"{name}[{position}]", each) for position, each in enumerate(value)]
    elif isinstance(value, dict):
        items = [(f"{name}[{key!r}]", each) for key, each in value.items()]
    else:
        if getattr(value, "requires_grad", False) is True and getattr(value, "is_leaf", False):
            yield Place(name, value, _TENSOR, owner, attribute)
        return
    for path, each in items:
        if hasattr(each, "named_parameters"):
            for inner, parameter in each.named_parameters():
                holder = f"{name} {_kind(value)}"
                yield Place(f"{path}.{inner}", parameter, holder, owner, attribute)


def _kind(container: Any) -> str:
    return next(kind.__name__ for kind in (list, tuple, dict) if isinstance(container, kind))

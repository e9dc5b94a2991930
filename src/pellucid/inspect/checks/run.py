"""What is known of a training run while it goes on: modules, optimizers, steps, parameters.

Everything is kept by weak reference, so that no tensor lives longer for being watched.

Note [Steps are sampled]: to look at the gradients of all parameters takes a few hundredths of a
small step. It is done in the first steps of each optimizer, in two steps of every `EVERY` from
then on, and in the steps after one in which a check has seen something, until it knows. What comes
up later is found a little later; NaN is looked for in each step, in the gradients of few values.
"""

from __future__ import annotations

import functools
import itertools
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from pellucid.autograd.explanations.trail import asking_scopes
from pellucid.autograd.explanations.variables import variables_with
from pellucid.autograd.sites import Site
from pellucid.inspect.checks.origins import Origins
from pellucid.ranks import Ranks
from pellucid.ranks import ranks as own_ranks

#: tensors of more elements are not looked through
_MOST = 1_000_000
#: steps of an optimizer that are looked at in full: the first ones, and two of every so many
_FIRST = 24
EVERY = 32


class Parameter:
    """A parameter of an optimizer, known by a weak reference, with what the checks count.

    Args:
        tensor: The parameter.
        forget: Called with the reference once the parameter is gone.
    """

    __slots__ = ("name", "reference", "without_gradient", "zero_gradients")

    def __init__(self, tensor: Any, forget: Callable[[Any], object]) -> None:
        self.reference = weakref.ref(tensor, forget)
        #: what the program called it when its optimizer was made
        self.name: str | None = None
        #: steps before its first gradient; None from then on
        self.without_gradient: int | None = 0
        #: steps in a row at which all of its gradient was zero
        self.zero_gradients = 0


class Optimizer:
    """An optimizer of the run.

    Args:
        optimizer: The optimizer itself, which is held by a weak reference.
        made: The line that made it, if that was seen.
        order: When it was made, in the order of what is noted.
    """

    def __init__(self, optimizer: Any, made: Site | None, order: int = 0) -> None:
        self.order = order
        self.reference = weakref.ref(optimizer)
        self.made = made
        #: the line of the latest step
        self.stepped: Site | None = None
        self.steps = 0
        #: the line that cleared gradients which no step had used, since the latest pass
        self.cleared: Site | None = None
        #: the last of its steps that a check wants to be looked at, as it has seen something
        self.followed = 0

    def follow(self) -> None:
        """Have the next step looked at in full; see Note [Steps are sampled]."""
        self.followed = self.steps + 1

    @property
    def is_looked_at(self) -> bool:
        """Whether the coming step is looked at in full; see Note [Steps are sampled]."""
        coming = self.steps + 1
        return coming <= max(_FIRST, self.followed) or coming % EVERY < 2

    @property
    def name(self) -> str:
        optimizer = self.reference()
        return "optimizer" if optimizer is None else type(optimizer).__name__


class Assignment(NamedTuple):
    """An assignment to an attribute of a module.

    Attributes:
        reference: The module, or what was assigned.
        site: The line.
        order: When it was, in the order of what is noted.
    """

    reference: weakref.ref[Any]
    site: Site
    order: int


class Entry:
    """A parameter in an optimizer at one step, with its gradient at that time.

    Args:
        key: What the parameter is known by from step to step.
        tensor: The parameter.
        group: Its parameter group.
        place: The number of the group, and its position there.
    """

    __slots__ = ("_place", "_square", "_version", "grad", "group", "key", "tensor")

    def __init__(
        self, key: Parameter, tensor: Any, group: dict[str, Any], place: tuple[int, int]
    ) -> None:
        self.key = key
        self.tensor = tensor
        self.group = group
        self.grad = tensor.grad
        self._place = place
        self._version = 0 if self.grad is None else self.grad._version
        self._square: float | None = None

    @property
    def label(self) -> str:
        """The name that the program had for it when its optimizer was made, or else its place."""
        number, position = self._place
        names = self.group.get("param_names", ())
        if position < len(names):
            return names[position]
        return self.key.name or f"parameter {position} of group {number}"

    def read_again(self) -> None:
        """Read the gradient again, if a closure has computed one during the step."""
        grad = self.tensor.grad
        if grad is not None and not (grad is self.grad and grad._version == self._version):
            self.grad, self._version, self._square = grad, grad._version, None

    @property
    def square(self) -> float:
        """The sum of the squares of the gradient, computed once; it may overflow or underflow."""
        if self._square is None:
            self._square = square_of(self.grad)
        return self._square


class Step:
    """One step of an optimizer, as the checks look at it: it lives no longer than they run."""

    def __init__(
        self, optimizer: Optimizer, number: int, site: Site, make: Callable[[], list[Entry]]
    ) -> None:
        self.optimizer = optimizer
        #: over all optimizers
        self.number = number
        self.site = site
        #: whether it is one of those that are looked at in full; see Note [Steps are sampled]
        self.is_looked_at = optimizer.is_looked_at
        self._make = make
        self._entries: list[Entry] | None = None

    @property
    def entries(self) -> list[Entry]:
        """Those of the parameters that require grad, read when first asked for."""
        if self._entries is None:
            self._entries = self._make()
        return self._entries

    def ended(self) -> None:
        """Note that the optimizer has stepped, and read again what was read before it."""
        self.optimizer.steps += 1
        for entry in self._entries or ():
            entry.read_again()


class Run:
    """A training run so far.

    Args:
        ranks: The processes that train together.
    """

    def __init__(self, ranks: Ranks = own_ranks) -> None:
        self.ranks = ranks
        #: modules that no other module called, by identity
        self.modules: dict[int, weakref.ref[Any]] = {}
        self.optimizers: dict[int, Optimizer] = {}
        self._parameters: dict[int, Parameter] = {}
        self.steps = 0
        #: the latest ``backward`` that no other pass called, after it succeeded
        self.last_pass: Site | None = None
        #: the latest pass that no other one called
        self.passing: Site | None = None
        #: the calls behind tensors, of the steps that are listened to
        self.origins = Origins()
        #: by a module and the name of an attribute: what was assigned while it was watched
        self._assigned: dict[tuple[int, str], Assignment] = {}
        self._assigned_values: dict[int, Assignment] = {}
        self._clock = itertools.count(1)

    # ---- modules ------------------------------------------------------------------------------

    def add_module(self, module: Any) -> None:
        """Remember a module that was called."""
        key, modules = id(module), self.modules
        if key not in modules:
            modules[key] = weakref.ref(module, lambda _: modules.pop(key, None))

    def live_modules(self) -> list[Any]:
        """Return the modules that are still there."""
        return [module for each in tuple(self.modules.values()) if (module := each()) is not None]

    def name_of(self, tensor: Any) -> str | None:
        """Return the dotted name of a parameter in a module that was called."""
        for module in self.live_modules():
            for name, parameter in module.named_parameters():
                if parameter is tensor:
                    return f"{type(module).__name__}.{name}"
        return None

    def variable_of(self, module: Any) -> str:
        """Return a variable that has a module, or a name for one, made of its type."""
        for scope in asking_scopes():
            for name, value in tuple(scope.values.items()):
                if value is module and name != "self" and not name.startswith("_"):
                    return name
        return type(module).__name__.lower()

    def names_of(self, entries: Iterable[Entry]) -> list[str]:
        """Return the names of parameters, for a sentence."""
        return [self.name_of(entry.tensor) or entry.label for entry in entries]

    def note_assignment(self, owner: Any, name: str, value: Any, site: Site) -> None:
        """Remember the line that assigned a module, a parameter or a container of modules."""
        is_part = hasattr(value, "named_parameters") or hasattr(value, "requires_grad")
        if not is_part and not isinstance(value, list | tuple | dict):
            return
        made = Assignment(weakref.ref(owner), site, next(self._clock))
        self._assigned[id(owner), name] = made
        if is_part:
            self._assigned_values[id(value)] = made._replace(reference=weakref.ref(value))

    def attribute_assigned_at(self, owner: Any, name: str) -> Site | None:
        """Return the line that last assigned to an attribute of a module."""
        known = self._assigned.get((id(owner), name))
        return known.site if known is not None and known.reference() is owner else None

    def assigned_at(self, value: Any) -> Site | None:
        """Return the line that last assigned a module or parameter to an attribute."""
        known = self._assignment_of(value)
        return None if known is None else known.site

    def _assignment_of(self, value: Any) -> Assignment | None:
        known = self._assigned_values.get(id(value))
        return known if known is not None and known.reference() is value else None

    def assigned_since(self, optimizer: Optimizer, module: Any, name: str) -> Site | None:
        """Return the line that put a parameter into a module after an optimizer was made.

        Args:
            optimizer: What is known of the optimizer.
            module: The module.
            name: The dotted name of the parameter in it.
        """
        found: Site | None = None
        value = module
        for part in name.split("."):
            value = getattr(value, part, None)
            known = None if value is None else self._assignment_of(value)
            if known is not None and known.order > optimizer.order:
                found = known.site
        return found

    # ---- optimizers ---------------------------------------------------------------------------

    def add_optimizer(self, optimizer: Any, made: Site | None = None) -> Optimizer:
        """Return what is known of an optimizer; it is made known first if need be."""
        key, optimizers = id(optimizer), self.optimizers
        known = optimizers.get(key)
        if known is None or known.reference() is not optimizer:
            known = optimizers[key] = Optimizer(optimizer, made, next(self._clock))
            weakref.finalize(optimizer, optimizers.pop, key, None)
        return known

    def optimized(self) -> set[int]:
        """Return the identities of all parameters that an optimizer has."""
        return {id(tensor) for tensor, _ in self._all_optimized()}

    def _all_optimized(self) -> Iterator[tuple[Any, Optimizer]]:
        for known in tuple(self.optimizers.values()):
            optimizer = known.reference()
            if optimizer is not None:
                for group in optimizer.param_groups:
                    yield from ((tensor, known) for tensor in group["params"])

    def key_of(self, tensor: Any) -> Parameter:
        """Return what a parameter is known by, from step to step."""
        key, parameters = id(tensor), self._parameters
        known = parameters.get(key)
        if known is None or known.reference() is not tensor:
            known = Parameter(tensor, lambda _: parameters.pop(key, None))
            parameters[key] = known
        return known

    def name_parameters(self, optimizer: Any) -> None:
        """Note what the program calls the parameters of an optimizer at this time."""
        given = [tensor for group in optimizer.param_groups for tensor in group["params"]]
        for position, name in variables_with(enumerate(given)).items():
            self.key_of(given[position]).name = name

    def entries(self, optimizer: Any) -> list[Entry]:
        """Return the parameters of an optimizer that require grad, with their gradients."""
        found: list[Entry] = []
        for number, group in enumerate(optimizer.param_groups):
            for position, tensor in enumerate(group["params"]):
                if tensor.requires_grad:
                    found.append(Entry(self.key_of(tensor), tensor, group, (number, position)))
        return found


@functools.cache
def _is_known(dtype: Any) -> bool:
    """Return whether NumPy has a floating point type of PyTorch's."""
    return str(dtype) in ("torch.float16", "torch.float32", "torch.float64")


def array_of(tensor: Any) -> np.ndarray:
    """Return the values of a tensor, of pellucid's or of PyTorch's, without copying them.

    Values that NumPy cannot have are left out: those of PyTorch's meta tensors, for example.
    """
    if tensor.is_sparse:
        tensor = tensor._values()
    array = getattr(tensor, "_array", None)
    return _foreign_array(tensor.detach()) if array is None else array


def _foreign_array(tensor: Any) -> np.ndarray:
    """Return the values of a tensor of PyTorch's, in float32 if NumPy has not its dtype."""
    try:
        if tensor.is_floating_point():
            tensor = tensor if _is_known(tensor.dtype) else tensor.float()
        return tensor.resolve_conj().resolve_neg().cpu().numpy()
    except (RuntimeError, TypeError):
        return np.empty(0, np.float32)


def values_of(tensor: Any) -> np.ndarray | None:
    """Return the values of a tensor in float64; None where that is too much, or not possible."""
    if not hasattr(tensor, "numel") or tensor.numel() > _MOST or tensor.is_sparse:
        return None
    try:
        array = array_of(tensor)
        if not isinstance(array, np.ndarray) or array.size != tensor.numel():
            return None  # of vmap, or without values
        return array.astype(np.float64) if array.dtype.kind != "c" else None
    except (RuntimeError, TypeError, ValueError):  # on another device, or without values
        return None


def square_of(tensor: Any) -> float:
    """Return the sum of the squares of a tensor's values, in one pass."""
    flat = array_of(tensor).ravel(order="K")
    if flat.dtype.itemsize == 2:  # squares would overflow half precision
        flat = flat.astype(np.float32)
    return float(np.vdot(flat, flat).real)


def has_gradients(subject: Any) -> bool:
    """Return whether a parameter of an optimizer or a module has a gradient."""
    if hasattr(subject, "param_groups"):
        given = (each for group in subject.param_groups for each in group["params"])
    else:
        given = subject.parameters()
    return any(each.grad is not None for each in given)


def loss_of(asked: Any) -> float | None:
    """Return the number that a ``backward`` begins at; None for another pass."""
    roots = asked.roots
    is_loss = asked.run.call == "backward" and len(roots) == 1 and hasattr(roots[0], "numel")
    return float(roots[0].item()) if is_loss and roots[0].numel() == 1 else None


def is_finite(tensor: Any) -> bool:
    """Return whether all values are finite."""
    return bool(np.isfinite(array_of(tensor)).all())

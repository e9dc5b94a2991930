"""Containers of modules and parameters: sequences, lists and dicts."""

from __future__ import annotations

import itertools
import operator
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pellucid.errors import ArgumentError, ArgumentTypeError
from pellucid.nn.modules.module import Module
from pellucid.nn.parameter import Parameter
from pellucid.tensors import Tensor


class Container(Module):
    """Container of modules given by keyword; deprecated, as in PyTorch.

    Args:
        kwargs: The modules by name.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.nn.Container(first=torch.nn.Tanh()).first
    Tanh()
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        warnings.warn(
            "nn.Container is deprecated. All of it's functionality is now implemented in "
            "nn.Module. Subclass that instead.",
            FutureWarning,
            stacklevel=2,
        )
        for name, module in kwargs.items():
            self.add_module(name, module)


class Sequential(Module):
    """Container that applies its modules in order.

    Args:
        args: The modules, or a single ``OrderedDict`` of named modules.

    Shape:
        Input: that of the first module. Output: that of the last one.

    >>> torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
    )
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            named = args[0].items()
        else:
            named = ((str(index), module) for index, module in enumerate(args))
        for name, module in named:
            self.add_module(name, module)

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)  # pyright: ignore[reportOptionalCall]
        return input

    def __getitem__(self, idx: slice | int) -> Any:
        modules = list(self._modules.items())
        if isinstance(idx, slice):
            return type(self)(OrderedDict(modules[idx]))
        return modules[_position(idx, len(modules))][1]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, list(self._modules)[_position(idx, len(self))], module)

    def __delitem__(self, idx: slice | int) -> None:
        _delete(self, idx)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __add__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            raise ArgumentError(
                "add operator supports only objects of Sequential class, but "
                f"{type(other)} is given."
            )
        return Sequential(*self, *other)

    def __iadd__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            raise ArgumentError(
                "add operator supports only objects of Sequential class, but "
                f"{type(other)} is given."
            )
        return self.extend(list(other))

    def __mul__(self, other: int) -> Sequential:
        _check_factor(self, other)
        return Sequential(*list(self) * other)

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Sequential:
        _check_factor(self, other)
        return self.extend(list(self) * (other - 1))

    def append(self, module: Module) -> Sequential:
        """Append a module; return the container.

        Args:
            module: The module.

        >>> len(torch.nn.Sequential(torch.nn.Tanh()).append(torch.nn.ReLU()))
        2
        """
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> Sequential:
        """Insert a module before an index; return the container.

        Args:
            index: Index in [-len, len].
            module: The module.

        Raises:
            IndexError: If the index is out of range.

        >>> torch.nn.Sequential(torch.nn.Tanh()).insert(0, torch.nn.ReLU())[0]
        ReLU()
        """
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        _insert(self, index, module)
        return self

    def extend(self, sequential: Iterable[Module]) -> Sequential:
        """Append several modules; return the container.

        Args:
            sequential: Iterable of modules.

        >>> len(torch.nn.Sequential().extend([torch.nn.Tanh(), torch.nn.ReLU()]))
        2
        """
        for module in sequential:
            self.append(module)
        return self

    def pop(self, key: int | slice) -> Any:
        """Remove a module and return it.

        Args:
            key: Index, or a slice.

        >>> torch.nn.Sequential(torch.nn.Tanh(), torch.nn.ReLU()).pop(0)
        Tanh()
        """
        removed = self[key]
        del self[key]
        return removed


def _check_factor(modules: Sequential, factor: Any) -> None:
    if not isinstance(factor, int):
        raise ArgumentTypeError(
            f"unsupported operand type(s) for *: {type(modules)} and {type(factor)}"
        )
    if factor <= 0:
        raise ArgumentError(f"Non-positive multiplication factor {factor} for {type(modules)}")


class ModuleList(Module):
    """List of modules, which are registered as submodules.

    Args:
        modules: Iterable of modules; none by default.

    >>> layers = torch.nn.ModuleList([torch.nn.Linear(2, 2) for _ in range(3)])
    >>> len(layers), len(list(layers.parameters()))
    (3, 6)
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, idx: slice | int) -> Any:
        if isinstance(idx, slice):
            return type(self)(list(self._modules.values())[idx])  # pyright: ignore[reportArgumentType]
        return self._modules[str(_position(idx, len(self)))]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, str(_position(idx, len(self))), module)

    def __delitem__(self, idx: slice | int) -> None:
        _delete(self, idx)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __iadd__(self, modules: Iterable[Module]) -> ModuleList:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList(itertools.chain(self, other))

    def append(self, module: Module) -> ModuleList:
        """Append a module; return the list.

        Args:
            module: The module.

        >>> len(torch.nn.ModuleList().append(torch.nn.Tanh()))
        1
        """
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> None:
        """Insert a module before an index.

        Args:
            index: Index as in ``list.insert``.
            module: The module.

        >>> layers = torch.nn.ModuleList([torch.nn.Tanh()])
        >>> layers.insert(0, torch.nn.ReLU())
        >>> layers[0]
        ReLU()
        """
        _insert(self, index, module)

    def extend(self, modules: Iterable[Module]) -> ModuleList:
        """Append several modules; return the list.

        Args:
            modules: Iterable of modules.

        Raises:
            TypeError: If ``modules`` is not iterable.

        >>> len(torch.nn.ModuleList().extend([torch.nn.Tanh(), torch.nn.ReLU()]))
        2
        """
        if not isinstance(modules, Iterable):
            raise ArgumentTypeError(
                "ModuleList.extend should be called with an iterable, but got "
                f"{type(modules).__name__}"
            )
        for module in modules:
            self.append(module)
        return self

    def pop(self, key: int | slice) -> Any:
        """Remove a module and return it.

        Args:
            key: Index, or a slice.

        >>> torch.nn.ModuleList([torch.nn.Tanh(), torch.nn.ReLU()]).pop(-1)
        ReLU()
        """
        removed = self[key]
        del self[key]
        return removed

    def __repr__(self) -> str:
        """Return the printed form, with equal consecutive modules written once and counted."""
        runs = [
            (text, [index for index, _ in group])
            for text, group in itertools.groupby(enumerate(map(repr, self)), operator.itemgetter(1))
        ]
        if not runs:
            return f"{self._get_name()}()"
        lines = [_run_line(text, indices[0], indices[-1]) for text, indices in runs]
        body = "".join(f"\n  {line}" for line in lines).rstrip("\n")
        return f"{self._get_name()}({body}\n)"


def _run_line(text: str, first: int, last: int) -> str:
    shown = text.replace("\n", "\n  ")
    if first == last:
        return f"({first}): {shown}"
    return f"({first}-{last}): {last - first + 1} x {shown}"


class ModuleDict(Module):
    """Ordered dict of modules, which are registered as submodules.

    Args:
        modules: Mapping from names to modules, or iterable of pairs; none by default.

    >>> choice = torch.nn.ModuleDict({"relu": torch.nn.ReLU(), "tanh": torch.nn.Tanh()})
    >>> choice["tanh"]
    Tanh()
    """

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        if key not in self._modules:
            raise KeyError(key)
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove all modules.

        >>> layers = torch.nn.ModuleDict({"a": torch.nn.Tanh()})
        >>> layers.clear()
        >>> len(layers)
        0
        """
        for key in list(self._modules):
            del self[key]

    def pop(self, key: str) -> Any:
        """Remove a module and return it.

        Args:
            key: Name of the module.

        >>> torch.nn.ModuleDict({"a": torch.nn.Tanh()}).pop("a")
        Tanh()
        """
        removed = self[key]
        del self[key]
        return removed

    def keys(self) -> Any:
        """Return the names of the modules.

        >>> list(torch.nn.ModuleDict({"a": torch.nn.Tanh()}).keys())
        ['a']
        """
        return self._modules.keys()

    def items(self) -> Any:
        """Return pairs of name and module.

        >>> list(torch.nn.ModuleDict({"a": torch.nn.Tanh()}).items())
        [('a', Tanh())]
        """
        return self._modules.items()

    def values(self) -> Any:
        """Return the modules.

        >>> list(torch.nn.ModuleDict({"a": torch.nn.Tanh()}).values())
        [Tanh()]
        """
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add modules; those of the same name are replaced.

        Args:
            modules: Mapping from names to modules, or iterable of pairs.

        Raises:
            TypeError: If ``modules`` is anything else.

        >>> layers = torch.nn.ModuleDict()
        >>> layers.update({"a": torch.nn.Tanh()})
        >>> list(layers)
        ['a']
        """
        if not isinstance(modules, Iterable):
            raise ArgumentTypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                f"{type(modules).__name__}"
            )
        for key, module in _pairs(modules):
            self[key] = module


class ParameterList(Module):
    """List of parameters; assigned tensors become parameters.

    Args:
        values: Iterable of tensors and other values; none by default.

    >>> weights = torch.nn.ParameterList([torch.zeros(2), torch.zeros(3)])
    >>> [name for name, _ in weights.named_parameters()]
    ['0', '1']
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __getitem__(self, idx: slice | int) -> Any:
        if isinstance(idx, slice):
            return type(self)([self[index] for index in range(*idx.indices(len(self)))])
        return getattr(self, str(_position(idx, len(self))))

    def __setitem__(self, idx: int, value: Any) -> None:
        setattr(self, str(_position(idx, len(self))), _as_parameter(value))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([self[index] for index in range(len(self))])

    def __iadd__(self, values: Iterable[Any]) -> ParameterList:
        return self.extend(values)

    def append(self, value: Any) -> ParameterList:
        """Append a value; return the list.

        Args:
            value: A tensor, which becomes a parameter, or any other value.

        >>> len(torch.nn.ParameterList().append(torch.zeros(2)))
        1
        """
        self._size += 1
        self[len(self) - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Append several values; return the list.

        Args:
            values: Iterable of values, not a single tensor.

        Raises:
            TypeError: If ``values`` is a tensor or not iterable.

        >>> len(torch.nn.ParameterList().extend([torch.zeros(2), torch.zeros(3)]))
        2
        """
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise ArgumentTypeError(
                "ParameterList.extend should be called with an iterable, but got "
                f"{type(values).__name__}"
            )
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return _parameter_lines(enumerate(self), lambda value: str(value.dtype))


class ParameterDict(Module):
    """Ordered dict of parameters; assigned tensors become parameters.

    Args:
        parameters: Mapping from names to values, or iterable of pairs; none by default.

    >>> weights = torch.nn.ParameterDict({"left": torch.zeros(2)})
    >>> weights["left"].requires_grad
    True
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        if key not in self._keys:
            raise KeyError(key)
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        self._keys[key] = None
        setattr(self, key, _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def keys(self) -> Any:
        """Return the names of the parameters.

        >>> list(torch.nn.ParameterDict({"a": torch.zeros(1)}).keys())
        ['a']
        """
        return self._keys.keys()

    def values(self) -> list[Any]:
        """Return the parameters.

        >>> [p.shape for p in torch.nn.ParameterDict({"a": torch.zeros(1)}).values()]
        [torch.Size([1])]
        """
        return [self[key] for key in self]

    def items(self) -> list[tuple[str, Any]]:
        """Return pairs of name and parameter.

        >>> [name for name, _ in torch.nn.ParameterDict({"a": torch.zeros(1)}).items()]
        ['a']
        """
        return [(key, self[key]) for key in self]

    def get(self, key: str, default: Any = None) -> Any:
        """Return a parameter, or the default if the name is missing.

        Args:
            key: Name of the parameter.
            default: Value to return if the name is missing.

        >>> torch.nn.ParameterDict().get("a", "none")
        'none'
        """
        return getattr(self, key) if key in self._keys else default

    def pop(self, key: str) -> Any:
        """Remove a parameter and return it.

        Args:
            key: Name of the parameter.

        >>> torch.nn.ParameterDict({"a": torch.zeros(1)}).pop("a").shape
        torch.Size([1])
        """
        removed = self[key]
        del self[key]
        return removed

    def clear(self) -> None:
        """Remove all parameters.

        >>> values = torch.nn.ParameterDict({"a": torch.zeros(1)})
        >>> values.clear()
        >>> len(values)
        0
        """
        for key in list(self):
            del self[key]

    def update(self, parameters: Any) -> None:
        """Add parameters; those of the same name are replaced.

        Args:
            parameters: Mapping from names to values, or iterable of pairs.

        Raises:
            TypeError: If ``parameters`` is anything else.

        >>> values = torch.nn.ParameterDict()
        >>> values.update({"a": torch.zeros(1)})
        >>> list(values)
        ['a']
        """
        if not isinstance(parameters, Iterable):
            raise ArgumentTypeError(
                "ParametersDict.update should be called with an iterable of key/value pairs, but "
                f"got {type(parameters).__name__}"
            )
        pairs = _pairs(parameters)
        if isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict):
            pairs = sorted(pairs)  # as in PyTorch
        for key, value in pairs:
            self[key] = value

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._keys))

    def __or__(self, other: ParameterDict) -> ParameterDict:
        joined = self.copy()
        joined.update(other)
        return joined

    def __ror__(self, other: ParameterDict) -> ParameterDict:
        joined = other.copy()
        joined.update(self)
        return joined

    def __ior__(self, other: Any) -> ParameterDict:
        self.update(other)
        return self

    def copy(self) -> ParameterDict:
        """Return a shallow copy, which shares the parameters.

        >>> list(torch.nn.ParameterDict({"a": torch.zeros(1)}).copy())
        ['a']
        """
        return ParameterDict(self.items())

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return a parameter; if the name is missing, set it to the default first.

        Args:
            key: Name of the parameter.
            default: Value to set if the name is missing.

        >>> torch.nn.ParameterDict().setdefault("a", torch.zeros(2)).shape
        torch.Size([2])
        """
        if key not in self:
            self[key] = default
        return self[key]

    def popitem(self) -> tuple[str, Any]:
        """Remove the last parameter and return its name and value.

        >>> torch.nn.ParameterDict({"a": torch.zeros(1), "b": torch.ones(1)}).popitem()[0]
        'b'
        """
        key = next(reversed(self))
        return key, self.pop(key)

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """Return a new dict with the given names, all with the same value.

        Args:
            keys: The names.
            default: The value.

        >>> list(torch.nn.ParameterDict().fromkeys(["a", "b"], torch.zeros(1)))
        ['a', 'b']
        """
        return ParameterDict((key, default) for key in keys)

    def extra_repr(self) -> str:
        return _parameter_lines(self.items(), lambda value: value.type())


def _pairs(values: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(values, Mapping | ModuleDict | ParameterDict):
        return values.items()
    return [(key, value) for key, value in values]


def _as_parameter(value: Any) -> Any:
    return (
        Parameter(value)
        if isinstance(value, Tensor) and not isinstance(value, Parameter)
        else value
    )


def _parameter_lines(items: Iterable[tuple[Any, Any]], kind_of: Callable[[Any], str]) -> str:
    lines: list[str] = []
    for name, value in items:
        if isinstance(value, Tensor):
            word = "Parameter" if isinstance(value, Parameter) else "Tensor"
            size = "x".join(str(each) for each in value.shape)
            lines.append(f"  ({name}): {word} containing: [{kind_of(value)} of size {size}]")
        else:
            lines.append(f"  ({name}): Object of type: {type(value).__name__}")
    return "\n".join(lines)


def _position(idx: Any, length: int) -> int:
    index = operator.index(idx)
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of range")
    return index % length


def _delete(container: Any, idx: slice | int) -> None:
    """Delete modules by index or slice and renumber the others."""
    names = list(container._modules)
    chosen = names[idx] if isinstance(idx, slice) else [names[_position(idx, len(names))]]
    for name in chosen:
        delattr(container, name)
    _renumber(container, list(container._modules.values()))


def _insert(container: Any, index: int, module: Module) -> None:
    modules = list(container._modules.values())
    modules.insert(index, module)
    _renumber(container, modules)


def _renumber(container: Any, modules: list[Any]) -> None:
    for name in list(container._modules):
        delattr(container, name)
    for index, module in enumerate(modules):
        container.add_module(str(index), module)

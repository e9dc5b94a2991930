"""The submodules, parameters and buffers of a module: all of them, or one by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

from pellucid.nn.parameter import Parameter
from pellucid.tensors import Tensor

if TYPE_CHECKING:
    from pellucid.nn.modules.module import Module


class Members:
    """Base class of ``Module`` with the methods that look up what a module consists of."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    # not of `Module`, which is not there while programs run: they ask classes for their hints
    _modules: dict[str, Any]

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Yield the names and modules of this module and all submodules, in depth-first order.

        Args:
            memo: Modules to skip; extended by those that are yielded.
            prefix: Name of this module.
            remove_duplicate: Whether to yield a shared module only once.

        >>> [name for name, _ in torch.nn.Sequential(torch.nn.ReLU()).named_modules()]
        ['', '0']
        """
        memo = set() if memo is None else memo
        this = cast("Module", self)
        if this in memo:
            return
        if remove_duplicate:
            memo.add(this)
        yield prefix, this
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, _joined(prefix, name), remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """Yield this module and all submodules, in depth-first order.

        Args:
            remove_duplicate: Whether to yield a shared module only once.

        >>> [type(module).__name__ for module in torch.nn.Sequential(torch.nn.Tanh()).modules()]
        ['Sequential', 'Tanh']
        """
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yield the names and modules of the direct submodules, a shared one once.

        >>> list(torch.nn.Sequential(torch.nn.Tanh()).named_children())
        [('0', Tanh())]
        """
        seen: set[Module] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """Yield the direct submodules, a shared one once.

        >>> list(torch.nn.Sequential(torch.nn.Tanh()).children())
        [Tanh()]
        """
        for _, module in self.named_children():
            yield module

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Yield the dotted names and parameters of the module.

        Args:
            prefix: Prefix of all names.
            recurse: Whether to include the parameters of submodules.
            remove_duplicate: Whether to yield a shared parameter only once, under its first name.

        >>> [name for name, _ in torch.nn.Linear(2, 3).named_parameters()]
        ['weight', 'bias']
        """
        return self._named_members(
            lambda module: module._parameters.items(), prefix, recurse, remove_duplicate
        )

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yield the parameters of the module, a shared one once.

        Args:
            recurse: Whether to include the parameters of submodules.

        >>> [list(p.shape) for p in torch.nn.Linear(2, 3).parameters()]
        [[3, 2], [3]]
        """
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Yield the dotted names and buffers of the module.

        Args:
            prefix: Prefix of all names.
            recurse: Whether to include the buffers of submodules.
            remove_duplicate: Whether to yield a shared buffer only once, under its first name.

        >>> [name for name, _ in torch.nn.BatchNorm1d(2).named_buffers()]
        ['running_mean', 'running_var', 'num_batches_tracked']
        """
        return self._named_members(
            lambda module: module._buffers.items(), prefix, recurse, remove_duplicate
        )

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yield the buffers of the module, a shared one once.

        Args:
            recurse: Whether to include the buffers of submodules.

        >>> len(list(torch.nn.BatchNorm1d(2).buffers()))
        3
        """
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def _named_members(
        self, get_members_fn: Callable[[Module], Iterable[tuple[str, Any]]], prefix: str = "",
        recurse: bool = True, remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:  # fmt: skip
        seen: set[int] = set()
        owners: Iterable[tuple[str, Module]] = [(prefix, cast("Module", self))]
        if recurse:
            owners = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for path, module in owners:
            for name, value in get_members_fn(module):
                if value is None or (remove_duplicate and id(value) in seen):
                    continue
                seen.add(id(value))
                yield _joined(path, name), value

    def get_submodule(self, target: str) -> Module:
        """Return the submodule of a dotted name.

        Args:
            target: The name, such as ``"layers.0"``; an empty one means the module itself.

        Raises:
            AttributeError: If there is no such module.

        >>> torch.nn.Sequential(torch.nn.Tanh()).get_submodule("0")
        Tanh()
        """
        module: Any = self
        for name in target.split(".") if target else []:
            if not hasattr(module, name):
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Members):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return cast("Module", module)

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Set the submodule of a dotted name.

        Args:
            target: The name, such as ``"layers.0"``.
            module: The new submodule.
            strict: Whether a submodule of that name has to exist already.

        Raises:
            ValueError: If ``target`` is empty or ``module`` is not a ``Module``.
            AttributeError: If the parent, or with ``strict`` the submodule, does not exist.

        >>> net = torch.nn.Sequential(torch.nn.Tanh())
        >>> net.set_submodule("0", torch.nn.ReLU())
        >>> net[0]
        ReLU()
        """
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Members):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        present = getattr(parent, name, None)
        if present is not None and not isinstance(present, Members):
            raise AttributeError(f"`{name}` is not an nn.Module")
        if strict and not isinstance(getattr(parent, name, None), Members):
            raise AttributeError(f"{type(parent).__name__} has no attribute `{name}`")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter of a dotted name.

        Args:
            target: The name, such as ``"layers.0.weight"``.

        Raises:
            AttributeError: If there is no such parameter.

        >>> torch.nn.Linear(2, 3).get_parameter("bias").shape
        torch.Size([3])
        """
        return self._get_member(
            target, lambda value: isinstance(value, Parameter), "an nn.Parameter"
        )

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer of a dotted name.

        Args:
            target: The name, such as ``"norm.running_mean"``.

        Raises:
            AttributeError: If there is no such buffer.

        >>> torch.nn.BatchNorm1d(2).get_buffer("running_mean")
        tensor([0., 0.])
        """
        path, _, name = target.rpartition(".")
        buffers = self.get_submodule(path)._buffers
        return self._get_member(target, lambda _: name in buffers, "a buffer")

    def _get_member(self, target: str, fits: Callable[[Any], bool], kind: str) -> Any:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
        value = getattr(module, name)
        if not fits(value):
            raise AttributeError(f"`{name}` is not {kind}")
        return value


def _joined(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name

"""Module: a function with parameters, and with other modules inside it."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from pellucid.autograd.modes import modes
from pellucid.errors import ArgumentTypeError
from pellucid.nn.modules import calling, state
from pellucid.nn.modules.calling import (
    register_module_backward_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
)
from pellucid.nn.modules.conversion import Conversion
from pellucid.nn.modules.hook_registration import HookRegistration
from pellucid.nn.modules.registration import (
    register_module_buffer_registration_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
    registered,
)
from pellucid.nn.modules.scope import run_in_scope, run_outermost, running, structure
from pellucid.nn.parameter import Buffer, Parameter
from pellucid.tensors import Tensor

T = TypeVar("T", bound="Module")
T_destination = TypeVar("T_destination", bound=dict[str, Any])

__all__ = [
    "Module",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]


class Module(HookRegistration, Conversion):
    """Be the base of networks and layers: parameters, buffers, children, found by assignment.

    A subclass calls ``super().__init__()`` first, assigns parameters and modules to attributes, and
    says in ``forward`` what it computes. Calling the module runs its hooks and ``forward``.

    >>> import pellucid as torch
    >>> class Scale(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = torch.nn.Parameter(torch.tensor(2.0))
    ...
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> scale = Scale()
    >>> scale(torch.tensor(3.0))
    tensor(6., grad_fn=<MulBackward0>)
    >>> [name for name, _ in scale.named_parameters()]
    ['factor']
    """

    #: counts changes of what the class writes into a ``state_dict``
    _version: int = 1
    #: whether the constructors of classes after `Module` in the order of bases are called too
    call_super_init: bool = False
    dump_patches: bool = False
    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _non_persistent_buffers_set: set[str]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if (args or kwargs) and not self.call_super_init:
            raise _unexpected_arguments(self, args, kwargs)
        self.__dict__.update(
            training=True,
            _parameters={},
            _buffers={},
            _modules={},
            _non_persistent_buffers_set=set(),
            _forward_pre_hooks=OrderedDict(),
            _forward_hooks=OrderedDict(),
            _backward_pre_hooks=OrderedDict(),
            _backward_hooks=OrderedDict(),
            _state_dict_pre_hooks=OrderedDict(),
            _state_dict_hooks=OrderedDict(),
            _load_state_dict_pre_hooks=OrderedDict(),
            _load_state_dict_post_hooks=OrderedDict(),
        )
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    # ---- calling ------------------------------------------------------------------------------

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the module's result; a subclass says how."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # Written out, as every layer of a small network pays for each step.
        if (
            self._forward_hooks
            or self._forward_pre_hooks
            or self._backward_hooks
            or self._backward_pre_hooks
            or calling.global_hooks
        ):
            return run_in_scope(self, calling.call_with_hooks, (self, args, kwargs), {})
        names = running.names
        if names is None:
            return run_outermost(self, self.forward, args, kwargs)
        before = modes.scope
        modes.scope = names.get(id(self), before)
        try:
            return self.forward(*args, **kwargs)
        finally:
            modes.scope = before

    # ---- attributes ---------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        attributes = self.__dict__
        if "_parameters" in attributes:
            for kind in ("_parameters", "_modules", "_buffers"):
                members = attributes[kind]
                if name in members:
                    return members[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        attributes = self.__dict__
        if isinstance(value, Parameter) or name in attributes.get("_parameters", ()):
            self._assign_parameter(name, value)
        elif isinstance(value, Module) or name in attributes.get("_modules", ()):
            self._assign_module(name, value)
        elif isinstance(value, Buffer) or name in attributes.get("_buffers", ()):
            self._assign_buffer(name, value)
        else:
            object.__setattr__(self, name, value)

    def _assign_parameter(self, name: str, value: Any) -> None:
        self._require_initialized("parameters")
        if value is not None and not isinstance(value, Parameter):
            raise ArgumentTypeError(
                f"cannot assign '{type_name(value)}' as parameter '{name}' "
                "(torch.nn.Parameter or None expected)"
            )
        if value is not None:
            self._forget(name, "_buffers", "_modules")
        self.register_parameter(name, value)

    def _assign_module(self, name: str, value: Any) -> None:
        self._require_initialized("module")
        if value is not None and not isinstance(value, Module):
            raise ArgumentTypeError(
                f"cannot assign '{type_name(value)}' as child module '{name}' "
                "(torch.nn.Module or None expected)"
            )
        if value is not None:
            self._forget(name, "_parameters", "_buffers")
        self._modules[name] = registered("module", self, name, value)
        structure.version += 1

    def _assign_buffer(self, name: str, value: Any) -> None:
        self._require_initialized("buffer")
        if value is not None and not isinstance(value, Tensor):
            raise ArgumentTypeError(
                f"cannot assign '{type_name(value)}' as buffer '{name}' "
                "(torch.nn.Buffer, torch.Tensor or None expected)"
            )
        if isinstance(value, Buffer):
            self._forget(name, "_buffers", "_parameters", "_modules")
            self.register_buffer(name, value, value.persistent)
        else:
            self._buffers[name] = registered("buffer", self, name, value)

    def _require_initialized(self, kind: str) -> None:
        if "_parameters" not in self.__dict__:
            raise AttributeError(
                f"cannot assign {kind} before Module.__init__() call: "
                f"{type(self).__name__}.__init__ has to call super().__init__() first"
            )

    def _forget(self, name: str, *kinds: str) -> None:
        """Drop what else is known under a name that is about to mean something new."""
        self.__dict__.pop(name, None)
        for kind in kinds:
            if self.__dict__[kind].pop(name, None) is not None and kind == "_modules":
                structure.version += 1
        self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name: str) -> None:
        if name in self._parameters:
            del self._parameters[name]
        elif name in self._buffers:
            del self._buffers[name]
            self._non_persistent_buffers_set.discard(name)
        elif name in self._modules:
            del self._modules[name]
            structure.version += 1
        else:
            object.__delattr__(self, name)

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        Module.__init__(self)
        self.__dict__.update(attributes)
        calling.gather_hooks(self.__dict__)

    def __dir__(self) -> list[str]:
        names = {*object.__dir__(self), *self._parameters, *self._buffers, *self._modules}
        return sorted(name for name in names if not name[:1].isdigit())

    # ---- registration ---------------------------------------------------------------------------

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under a name.

        Raises TypeError for something that is neither a `Parameter` nor ``None``, KeyError for a
        name that is taken, empty or dotted, and ValueError for a tensor that is no leaf.
        """
        self._require_initialized("parameter")
        self._check_name("parameter", name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise ArgumentTypeError(
                f"cannot assign '{type_name(param)}' object to parameter '{name}' "
                "(torch.nn.Parameter or None required)"
            )
        if param is not None and not param.is_leaf:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be "
                f"created explicitly. To express '{name}' as a function of another Tensor, compute "
                "the value in the forward() method."
            )
        self._parameters[name] = registered("parameter", self, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is state but not learned; ``persistent``: part of the ``state_dict``.

        Raises TypeError for something that is neither a tensor nor ``None``, and KeyError for a
        name that is taken, empty or dotted.

        >>> import pellucid as torch
        >>> module = torch.nn.Module()
        >>> module.register_buffer("mean", torch.zeros(2))
        >>> module.mean
        tensor([0., 0.])
        """
        self._require_initialized("buffer")
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise ArgumentTypeError(
                f"cannot assign '{type_name(tensor)}' object to buffer '{name}' "
                "(torch Tensor or None required)"
            )
        self._buffers[name] = registered("buffer", self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a child module under a name.

        Raises TypeError for something that is neither a `Module` nor ``None``, and KeyError for a
        name that is taken, empty or dotted.
        """
        if module is not None and not isinstance(module, Module):
            raise ArgumentTypeError(f"{type_name(module)} is not a Module subclass")
        self._require_initialized("module")
        self._check_name("module", name, self._modules)
        self._modules[name] = registered("module", self, name, module)
        structure.version += 1

    register_module = add_module

    def _check_name(self, kind: str, name: Any, known: Mapping[str, Any]) -> None:
        if not isinstance(name, str):
            raise ArgumentTypeError(f"{kind} name should be a string. Got {type_name(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in known:
            raise KeyError(f"attribute '{name}' already exists")

    # ---- walking ------------------------------------------------------------------------------

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Yield this module and all below it, with dotted names; each once.

        >>> import pellucid as torch
        >>> [name for name, _ in torch.nn.Sequential(torch.nn.ReLU()).named_modules()]
        ['', '0']
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, _joined(prefix, name), remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """Yield this module and all below it; each once, unless told otherwise."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yield the modules right below this one, with names; each once."""
        seen: set[Module] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """Yield the modules right below this one; each once."""
        for _, module in self.named_children():
            yield module

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Yield parameters with dotted names; a shared one once, under its first name."""
        return self._named_members(_parameters_of, prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yield the parameters, of the modules below too if ``recurse``; a shared one once.

        >>> import pellucid as torch
        >>> [list(p.shape) for p in torch.nn.Linear(2, 3).parameters()]
        [[3, 2], [3]]
        """
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Yield buffers with dotted names; a shared one once."""
        return self._named_members(_buffers_of, prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yield the buffers, of the modules below too if ``recurse``."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def _named_members(
        self,
        get_members_fn: Callable[[Module], Iterable[tuple[str, Any]]],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        owners: Iterable[tuple[str, Module]] = [(prefix, self)]
        if recurse:
            owners = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for path, module in owners:
            for name, value in get_members_fn(module):
                if value is None or (remove_duplicate and id(value) in seen):
                    continue
                seen.add(id(value))
                yield _joined(path, name), value

    def get_submodule(self, target: str) -> Module:
        """Return the module of a dotted name; raise AttributeError if there is none.

        >>> import pellucid as torch
        >>> torch.nn.Sequential(torch.nn.Tanh()).get_submodule("0")
        Tanh()
        """
        module: Any = self
        for name in target.split(".") if target else []:
            if not hasattr(module, name):
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put a module under a dotted name; ``strict``: there has to be one already."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        present = getattr(parent, name, None)
        if present is not None and not isinstance(present, Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        if strict and not isinstance(getattr(parent, name, None), Module):
            raise AttributeError(f"{type(parent).__name__} has no attribute `{name}`")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter of a dotted name; raise AttributeError if there is none."""
        return self._get_member(
            target, lambda value: isinstance(value, Parameter), "an nn.Parameter"
        )

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer of a dotted name; raise AttributeError if there is none."""
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

    # ---- changing everything ------------------------------------------------------------------

    def apply(self: T, fn: Callable[[Module], None]) -> T:
        """Call ``fn`` with every module below this one, then with this one; return the module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self: T, mode: bool = True) -> T:
        """Let layers such as dropout behave as in training; for all modules below, too.

        Raises ValueError for a mode that is not bool.
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self: T) -> T:
        """Let layers such as dropout behave as in use: the same as ``train(False)``."""
        return self.train(False)

    def requires_grad_(self: T, requires_grad: bool = True) -> T:
        """Switch the recording for all parameters on or off."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients of all parameters, or fill them with zeros."""
        for parameter in self.parameters():
            if parameter._grad is None:
                continue
            if set_to_none:
                parameter._grad = None
            else:
                parameter.grad = parameter._grad.detach()
                parameter._grad.zero_()

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: modules run as they are written. Arguments are accepted as in PyTorch."""

    # ---- state --------------------------------------------------------------------------------

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """Return parameters and persistent buffers by dotted name; a shared one under each name.

        The values share memory with the module and have no history, unless ``keep_vars``.

        >>> import pellucid as torch
        >>> list(torch.nn.Linear(2, 3).state_dict())
        ['weight', 'bias']
        """
        if args:
            warnings.warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict"
                " for details.",
                FutureWarning,
                stacklevel=2,
            )
            given = dict(zip(("destination", "prefix", "keep_vars"), args, strict=False))
            destination = given.get("destination", destination)
            prefix, keep_vars = given.get("prefix", prefix), given.get("keep_vars", keep_vars)
        return state.state_dict(self, destination, prefix, keep_vars)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> state.IncompatibleKeys:
        """Copy values into parameters and buffers by dotted name; return what did not match.

        ``assign`` takes the given tensors themselves. Raises TypeError for something that is no
        mapping, and RuntimeError, before anything is written, for values of other shapes and, if
        ``strict``, for missing and unexpected names.

        >>> import pellucid as torch
        >>> net = torch.nn.Linear(2, 1)
        >>> net.load_state_dict(torch.nn.Linear(2, 1).state_dict())
        <All keys matched successfully>
        """
        return state.load_state_dict(self, state_dict, strict, assign)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Write what this module itself holds; a subclass may write more."""
        state.save_members(self, destination, prefix, keep_vars)

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Read what this module itself holds; a subclass may read more."""
        state.load_members(
            self,
            state_dict,
            prefix,
            local_metadata,
            strict,
            missing_keys,
            unexpected_keys,
            error_msgs,
        )

    def get_extra_state(self) -> Any:
        """Return what else the ``state_dict`` should hold; a subclass says what."""
        raise RuntimeError(
            "Reached a code path in Module.get_extra_state() that should never be called: a class "
            "that keeps extra state defines get_extra_state and set_extra_state"
        )

    def set_extra_state(self, state: Any) -> None:
        """Take up what ``get_extra_state`` of an equal module has returned."""
        raise RuntimeError(
            "Reached a code path in Module.set_extra_state() that should never be called: a class "
            "that keeps extra state defines get_extra_state and set_extra_state"
        )

    # ---- printing -----------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """Return what stands between the brackets when the module is printed."""
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): {_indented(repr(m))}" for name, m in self._modules.items()]
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({lines[0]})"
        body = "".join(f"\n  {line}" for line in lines + children)
        return f"{self._get_name()}({body}\n)" if body else f"{self._get_name()}()"


def _unexpected_arguments(module: Module, args: Any, kwargs: Any) -> TypeError:
    name = type(module).__name__
    if kwargs:
        return ArgumentTypeError(
            f"{name}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
        )
    return ArgumentTypeError(
        f"{name}.__init__() takes 1 positional argument but {len(args) + 1} were given"
    )


def type_name(value: Any) -> str:
    """Return the name of a value's class as PyTorch's messages spell it."""
    cls = type(value)
    if cls.__module__ == "builtins":
        return cls.__qualname__
    if isinstance(value, Tensor) and cls is Tensor:
        return value.type()
    module = cls.__module__.replace("pellucid", "torch", 1)
    return f"{module}.{cls.__qualname__}"


def _joined(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _indented(text: str) -> str:
    """Move all lines but the first to the right."""
    return text.replace("\n", "\n  ")


def _parameters_of(module: Module) -> Iterable[tuple[str, Any]]:
    return module._parameters.items()


def _buffers_of(module: Module) -> Iterable[tuple[str, Any]]:
    return module._buffers.items()

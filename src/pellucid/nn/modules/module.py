"""The base class of all neural network modules."""

from __future__ import annotations

import inspect
import types
import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

from pellucid._native import in_front
from pellucid.autograd.modes import modes
from pellucid.autograd.short_tracebacks import shorten, shortening
from pellucid.core.call.compiled import replayable
from pellucid.docstrings import completed
from pellucid.errors import ArgumentTypeError, GraphError
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
from pellucid.nn.modules.members import Members
from pellucid.nn.modules.registration import (
    register_module_buffer_registration_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
    registered,
)
from pellucid.nn.modules.scope import run_in_scope, run_outermost, structure
from pellucid.nn.modules.state import _EXTRA_STATE_KEY_SUFFIX  # noqa: F401 - PyTorch's place
from pellucid.nn.parameter import Parameter, is_buffer
from pellucid.observe import announce, watchers
from pellucid.outbuildings import outbuildings
from pellucid.tensors import Tensor

T = TypeVar("T", bound="Module")
T_destination = TypeVar("T_destination", bound=dict[str, Any])

if TYPE_CHECKING:
    P = ParamSpec("P")
    R_co = TypeVar("R_co", covariant=True)

    class _Forward(Protocol[P, R_co]):
        """A module as type checkers see its call: it takes and returns what ``forward`` does."""

        def forward(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...


__all__ = [
    "Module", "register_module_backward_hook", "register_module_buffer_registration_hook",
    "register_module_forward_hook", "register_module_forward_pre_hook",
    "register_module_full_backward_hook", "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook", "register_module_parameter_registration_hook",
]  # fmt: skip


#: said of attributes that only a compiled module of PyTorch's has
_NOT_COMPILED = (
    "\n  torch.jit.script and torch.jit.trace return the module itself here: save its state_dict "
    "by torch.save, and see its graph by pellucid.inspect.graph"
)


class Module(Members, HookRegistration, Conversion):
    """Base class of all neural network modules.

    A subclass calls ``super().__init__()`` first, assigns parameters and submodules to attributes,
    which registers them, and defines ``forward``. Calling the module runs ``forward`` and the
    hooks.

    Args:
        args: Passed to the next class in the method resolution order if ``call_super_init`` is
            true.
        kwargs: Like ``args``.

    Attributes:
        training: Whether the module is in training mode.

    Raises:
        TypeError: For arguments, unless ``call_super_init`` is true.

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

    #: version of the format that the class writes to a ``state_dict``
    _version: int = 1
    #: whether the constructor calls that of the next class in the method resolution order
    call_super_init: bool = False
    dump_patches: bool = False
    training: bool
    if TYPE_CHECKING:
        # Packages evaluate the annotations of a layer outside this module's names.
        _parameters: dict[str, Parameter | None]
        _buffers: dict[str, Tensor | None]
        _modules: dict[str, Module | None]
        _non_persistent_buffers_set: set[str]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        completed(cls)

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
            _forward_pre_hooks_with_kwargs=OrderedDict(),
            _forward_hooks_with_kwargs=OrderedDict(),
            _forward_hooks_always_called=OrderedDict(),
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
        """Compute the output of the module; defined by subclasses.

        Args:
            args: Positional arguments of the call.
            kwargs: Keyword arguments of the call.
        """
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    if TYPE_CHECKING:

        def __call__(self: _Forward[P, R_co], *args: P.args, **kwargs: P.kwargs) -> R_co: ...

    else:

        @in_front("module_call", calling.global_hooks)
        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            # Not split into functions, because every layer of a small network pays for the call.
            try:
                if (
                    self._forward_hooks
                    or self._forward_pre_hooks
                    or self._backward_hooks
                    or self._backward_pre_hooks
                    or calling.global_hooks
                ):
                    return run_in_scope(self, calling.call_with_hooks, (self, args, kwargs), {})
                names = modes.module_names
                if names is None:
                    return run_outermost(self, self.forward, args, kwargs)
                before = modes.scope
                modes.scope = names.get(id(self), before)
                try:
                    return self.forward(*args, **kwargs)
                finally:
                    modes.scope = before
            except Exception as error:
                if modes.module_names is None:  # else the outermost has to find the layer
                    shorten(error)
                raise

        #: packages call a module by this too, past a `__call__` of their own
        _call_impl = __call__

    # ---- attributes ---------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        attributes = self.__dict__
        if "_parameters" in attributes:  # written out, as every layer reads its parameters here
            if name in attributes["_parameters"]:
                return attributes["_parameters"][name]
            if name in attributes["_modules"]:
                return attributes["_modules"][name]
            if name in attributes["_buffers"]:
                return attributes["_buffers"][name]
        hint = _NOT_COMPILED if name in ("save", "graph", "code") else ""
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'{hint}")

    def __setattr__(self, name: str, value: Any) -> None:
        attributes = self.__dict__
        if isinstance(value, Parameter) or name in attributes.get("_parameters", ()):
            self._assign_parameter(name, value)
        elif isinstance(value, Module) or name in attributes.get("_modules", ()):
            self._assign_module(name, value)
        elif is_buffer(value) or name in attributes.get("_buffers", ()):
            self._assign_buffer(name, value)
        else:
            object.__setattr__(self, name, value)
        if watchers:
            announce("assigned", (self, name, value))

    def _assign_parameter(self, name: str, value: Any) -> None:
        self._require_initialized("parameters")
        if value is not None and not isinstance(value, Parameter):
            raise ArgumentTypeError(
                f"cannot assign '{type_name(value)}' as parameter '{name}' "
                "(torch.nn.Parameter or None expected)"
            )
        if value is not None:
            self._remove_other_members(name, "_buffers", "_modules")
        self.register_parameter(name, value)

    def _assign_module(self, name: str, value: Any) -> None:
        self._require_initialized("module")
        if value is not None and not isinstance(value, Module):
            raise ArgumentTypeError(
                f"cannot assign '{type_name(value)}' as child module '{name}' "
                "(torch.nn.Module or None expected)"
            )
        if value is not None:
            self._remove_other_members(name, "_parameters", "_buffers")
        self._modules[name] = registered("module", self, name, value)
        structure.version += 1

    def _assign_buffer(self, name: str, value: Any) -> None:
        self._require_initialized("buffer")
        if value is not None and not isinstance(value, Tensor):
            raise ArgumentTypeError(
                f"cannot assign '{type_name(value)}' as buffer '{name}' "
                "(torch.nn.Buffer, torch.Tensor or None expected)"
            )
        if is_buffer(value):
            self._register_made_buffer(name, value, getattr(value, "persistent", True))
        else:
            self._buffers[name] = registered("buffer", self, name, value)

    def _register_made_buffer(self, name: str, value: Any, persistent: bool) -> None:
        """Register a `Buffer`, also by a method of a subclass that does not ask how it is kept."""
        if "persistent" in inspect.signature(self.register_buffer).parameters:
            self.register_buffer(name, value, persistent)
        elif persistent:
            self.register_buffer(name, value)
        else:
            raise GraphError(
                "Registering a non-persistent buffer on a Module subclass that implements "
                "register_buffer() without the persistent argument is not allowed."
            )

    def _require_initialized(self, kind: str) -> None:
        if "_parameters" not in self.__dict__:
            raise AttributeError(
                f"cannot assign {kind} before Module.__init__() call: "
                f"{type(self).__name__}.__init__ has to call super().__init__() first"
            )

    def _remove_other_members(self, name: str, *kinds: str) -> None:
        """Remove other attributes, parameters, buffers or submodules of a name."""
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

    def __dir__(self) -> list[str]:
        names = {*object.__dir__(self), *self._parameters, *self._buffers, *self._modules}
        return sorted(name for name in names if not name[:1].isdigit())

    # ---- registration ---------------------------------------------------------------------------

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Register a parameter under a name.

        Args:
            name: Name of the attribute.
            param: The parameter; None registers the name without a parameter.

        Raises:
            TypeError: If ``param`` is neither a ``Parameter`` nor None.
            KeyError: If the name is in use, empty, or contains a dot.
            ValueError: If the tensor is not a leaf.

        >>> module = torch.nn.Module()
        >>> module.register_parameter("weight", torch.nn.Parameter(torch.zeros(2)))
        >>> module.weight.shape
        torch.Size([2])
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
        """Register a tensor that is part of the module's state but not learned.

        Args:
            name: Name of the attribute.
            tensor: The buffer; None registers the name without a tensor.
            persistent: Whether the buffer is part of the ``state_dict``.

        Raises:
            TypeError: If ``tensor`` is neither a tensor nor None.
            KeyError: If the name is in use, empty, or contains a dot.

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
        """Register a submodule under a name.

        Args:
            name: Name of the attribute.
            module: The submodule; None registers the name without a module.

        Raises:
            TypeError: If ``module`` is neither a ``Module`` nor None.
            KeyError: If the name is in use, empty, or contains a dot.

        >>> net = torch.nn.Module()
        >>> net.add_module("activation", torch.nn.Tanh())
        >>> net.activation
        Tanh()
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

    # ---- modes and gradients ------------------------------------------------------------------

    def apply(self: T, fn: Callable[[Module], None]) -> T:
        """Call a function with every submodule and then with this module; return the module.

        Args:
            fn: Called as ``fn(module)``.

        >>> _ = torch.nn.Sequential(torch.nn.Tanh()).apply(
        ...     lambda module: print(type(module).__name__)
        ... )
        Tanh
        Sequential
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self: T, mode: bool = True) -> T:
        """Set training mode for the module and all submodules; return the module.

        It changes layers such as dropout and batch normalization.

        Args:
            mode: True for training, False for evaluation.

        Raises:
            ValueError: If ``mode`` is not a bool.

        >>> torch.nn.Dropout().train(False).training
        False
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        if watchers and mode is not self.training:
            announce("training mode", self)
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self: T) -> T:
        """Set evaluation mode, as ``train(False)`` does; return the module.

        >>> torch.nn.Dropout().eval()(torch.ones(2))
        tensor([1., 1.])
        """
        return self.train(False)

    def requires_grad_(self: T, requires_grad: bool = True) -> T:
        """Set whether the parameters require gradients; return the module.

        Args:
            requires_grad: Whether operations on the parameters are recorded.

        >>> torch.nn.Linear(1, 1).requires_grad_(False).weight.requires_grad
        False
        """
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Reset the gradients of all parameters.

        Args:
            set_to_none: Whether to set the gradients to None instead of filling them with zeros.

        >>> net = torch.nn.Linear(1, 1)
        >>> net(torch.ones(1)).backward()
        >>> net.zero_grad()
        >>> net.weight.grad is None
        True
        """
        if watchers:
            announce("zero_grad", self)
        for parameter in self.parameters():
            gradient = parameter._grad
            if gradient is None:
                continue
            if set_to_none:
                parameter._grad = None
            else:
                parameter.grad = gradient.detach().zero_()

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile the module's forward in place; the arguments are those of `torch.compile`.

        Hooks run around it as before.

        Args:
            args: None; kept for PyTorch's callers.
            kwargs: The options.

        >>> net = torch.nn.Linear(2, 1)
        >>> net.compile()
        >>> net(torch.ones(3, 2)).shape
        torch.Size([3, 1])
        """
        outbuildings.compiling().compile_module(self, *args, **kwargs)

    # ---- state --------------------------------------------------------------------------------

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """Return the parameters and persistent buffers by dotted name.

        A shared tensor is listed under each of its names. The values share memory with the module.

        Args:
            args: ``destination``, ``prefix`` and ``keep_vars`` by position; deprecated.
            destination: Dict to extend; a new one by default.
            prefix: Prefix of all names.
            keep_vars: Whether to return the parameters themselves instead of detached tensors.

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

    @shortening
    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> state.IncompatibleKeys:
        """Copy values into parameters and buffers by dotted name.

        Args:
            state_dict: Mapping from names to tensors, such as the result of ``state_dict``.
            strict: Whether missing and unexpected names are errors.
            assign: Whether to register the given tensors instead of copying their values.

        Returns:
            The lists ``missing_keys`` and ``unexpected_keys``.

        Raises:
            TypeError: If ``state_dict`` is not a mapping.
            RuntimeError: If shapes differ or, with ``strict``, names do not match; nothing is
                changed then.

        >>> net = torch.nn.Linear(2, 1)
        >>> net.load_state_dict(torch.nn.Linear(2, 1).state_dict())
        <All keys matched successfully>
        """
        keys = state.load_state_dict(self, state_dict, strict, assign)
        if watchers:
            announce("state loaded", (self, state_dict, keys, strict))
        return keys

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Write the members of this module itself; subclasses may add more."""
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
        """Load the members of this module itself; subclasses may load more."""
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
        """Return additional data for the ``state_dict``; defined by subclasses."""
        raise RuntimeError(
            "Reached a code path in Module.get_extra_state() that should never be called: a class "
            "that keeps extra state defines get_extra_state and set_extra_state"
        )

    def set_extra_state(self, state: Any) -> None:
        """Load the result of ``get_extra_state``; defined by subclasses.

        Args:
            state: The value in the ``state_dict``.
        """
        raise RuntimeError(
            "Reached a code path in Module.set_extra_state() that should never be called: a class "
            "that keeps extra state defines get_extra_state and set_extra_state"
        )

    # ---- printing -----------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """Return the text in the parentheses when the module is printed; defined by subclasses.

        >>> torch.nn.Linear(2, 3).extra_repr()
        'in_features=2, out_features=3, bias=True'
        """
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

    def _repr_html_(self) -> str:
        """Return a table of the layers and their parameters, for notebooks."""
        from pellucid.nn.modules.notebook import module_html

        return module_html(self)


def _unexpected_arguments(module: Module, args: Any, kwargs: Any) -> TypeError:
    name = type(module).__name__
    if kwargs:
        return ArgumentTypeError(
            f"{name}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
        )
    return ArgumentTypeError(
        f"{name}.__init__() takes 1 positional argument but {len(args) + 1} were given"
    )


@replayable
def weight_and_bias(module: Module) -> tuple[Any, Any]:
    """Return the attributes of these names, without the search that a missing attribute begins."""
    own = module._parameters
    if "weight" in own and "bias" in own:
        return own["weight"], own["bias"]
    return module.weight, module.bias


def type_name(value: Any) -> str:
    """Return the name of a value's class as in PyTorch's messages."""
    cls = type(value)
    if cls.__module__ == "builtins":
        return cls.__qualname__
    if isinstance(value, Tensor) and cls is Tensor:
        return value.type()
    module = cls.__module__.replace("pellucid", "torch", 1)
    return f"{module}.{cls.__qualname__}"


def _indented(text: str) -> str:
    """Indent all lines but the first."""
    return text.replace("\n", "\n  ")


# Python's own errors name a method by the class that it was written in.
for _part in Module.__bases__:
    for _method in vars(_part).values():
        if isinstance(_method, types.FunctionType):
            _method.__module__, _method.__qualname__ = __name__, f"Module.{_method.__name__}"

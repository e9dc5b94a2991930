"""The base class of all optimizers: parameter groups, state, steps and checkpoints."""

from __future__ import annotations

import functools
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from types import CodeType
from typing import Any, ClassVar

from pellucid.autograd.graph import AccumulateGrad
from pellucid.autograd.modes import enable_grad
from pellucid.autograd.short_tracebacks import shortening
from pellucid.autograd.sites import user_frame
from pellucid.core.call.compiled import compiled_instead
from pellucid.docstrings import completed
from pellucid.errors import ArgumentError, ArgumentTypeError, GraphError, ShapeError
from pellucid.kernels.numpy.precision import quiet
from pellucid.observe import announce, watchers
from pellucid.optim.hook_registration import (
    HookRegistration,
    global_post_hooks,
    global_pre_hooks,
    register_optimizer_step_post_hook,  # noqa: F401 - PyTorch's place
    register_optimizer_step_pre_hook,  # noqa: F401 - PyTorch's place
    with_step_hooks,
)
from pellucid.optim.operands import Group, State, Updated, count_step, new_tensor, scalar_state
from pellucid.optim.options import required
from pellucid.shapes import broadcast_shapes
from pellucid.tensors import Tensor

_OF_MODULE = "\n  An optimizer is given the parameters of a module: module.parameters()."

#: parameters of an optimizer: tensors, ``(name, tensor)`` pairs, or dicts of groups
ParamsT = Iterable[Tensor] | Iterable[tuple[str, Tensor]] | Iterable[Group]


def step_detail(position: int, group: int, shape: tuple[int, ...], dtype: Any) -> str:
    """Describe a parameter that a step has changed, for an error message."""
    return f"parameter {position} of group {group}, {dtype}{list(shape)}"


#: makes functions that describe a parameter when they are called
_later_detail = functools.partial(functools.partial, step_detail)

_note_step = compiled_instead(lambda *_: NotImplemented, "note_step")
_usual_updates = compiled_instead(lambda _: NotImplemented, "usual_updates")
_step_usually = compiled_instead(lambda *_: False, "step_usually")
_take_steps = compiled_instead(lambda *_: None, "take_steps")


def take_steps(kind: type[Optimizer], rule: str) -> None:
    """Make the usual steps of a class in the compiled module; see Note [Usual steps] there.

    Args:
        kind: The class.
        rule: By which rule: "sgd", "adam", "rmsprop" or "adadelta".
    """
    _take_steps(kind, rule, _later_detail, global_pre_hooks, global_post_hooks)


def _are_special(updated: list[Updated]) -> bool:
    """Return whether there is a gradient that is sparse, or spread over ranks.

    Raise RuntimeError for another that does not fit a parameter changed since the pass.
    """
    special = False
    for param, gradient in updated:
        if gradient._interpreter is not None:
            special = True
        elif param._array.shape != gradient._array.shape:
            _check_shapes(param._array.shape, gradient._array.shape)
    return special


def _check_shapes(shape: tuple[int, ...], of_gradient: tuple[int, ...]) -> None:
    together = broadcast_shapes(shape, of_gradient)
    if together != shape:
        raise ShapeError(
            f"output with shape {list(shape)} doesn't match the broadcast shape "
            f"{list(together)}: a parameter has got another shape since its gradient was "
            "computed. Call zero_grad() and backward() after the change."
        )


def _check_states(error: ValueError, updated: list[Updated], states: Any) -> None:
    """Raise RuntimeError for a state that does not fit its parameter, where that was the error."""
    for param, _ in updated:
        for name, value in states[param].items():
            shape = getattr(value, "shape", ())
            if shape not in ((), param.shape):
                raise ShapeError(
                    f"{error}: the state {name!r} has the shape {list(shape)}, and its parameter "
                    f"{list(param.shape)}, which has changed since. Make a new optimizer after "
                    "such a change."
                ) from None


class Optimizer(HookRegistration):
    """Base class of optimizers.

    A subclass overrides either ``step`` or ``update``, which processes one parameter group.

    Args:
        params: Tensors to optimize, ``(name, tensor)`` pairs, or dicts of parameter groups: the
            tensors as ``params``, and options that differ from the defaults.
        defaults: Default values of the options of a group.

    Raises:
        TypeError: If ``params`` is or contains anything else.
        ValueError: If there are no parameters, if one is not a leaf, or if one is in two groups.

    Attributes:
        param_groups: List of parameter groups, dicts with ``params`` and the options.
        state: Dict from parameter to the dict of its state.
        defaults: Default values of the options.

    >>> class SignDescent(torch.optim.Optimizer):
    ...     def __init__(self, params, lr=0.1):
    ...         super().__init__(params, {"lr": lr})
    ...
    ...     @torch.no_grad()
    ...     def step(self, closure=None):
    ...         for group in self.param_groups:
    ...             for p in group["params"]:
    ...                 p -= group["lr"] * p.grad.sign()
    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> SignDescent([w]).step()
    >>> w
    tensor([0.9000], requires_grad=True)
    """

    #: whether ``step`` has been called; read by the schedulers
    _opt_called = False
    #: options of a group that checkpoints of older versions may lack
    older_defaults: ClassVar[dict[str, Any]] = {}
    #: whether an element's update depends on nothing but that element's gradients and state
    elementwise: ClassVar[bool] = True
    #: entries of the state that are one number; Python numbers in checkpoints of older versions
    scalars: ClassVar[tuple[str, ...]] = ("step",)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        completed(cls)
        if "step" in cls.__dict__:
            cls.step = with_step_hooks(cls.step)

    def __init__(self, params: ParamsT, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise ArgumentTypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, "
                f"but got {params.type()}"
            )
        if callable(getattr(params, "parameters", None)) and not isinstance(params, Iterable):
            raise ArgumentTypeError(f"{type(params).__name__!r} object is not iterable{_OF_MODULE}")
        self.defaults = defaults
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[Group] = []
        self._prepare_hooks()
        groups: list[Any] = list(params)
        if not groups:
            raise ArgumentError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)
        if watchers:
            announce("optimizer made", self)

    # ---- groups -------------------------------------------------------------------------------

    def add_param_group(self, param_group: Group) -> None:
        """Add a parameter group.

        Args:
            param_group: Dict with ``params`` and options; missing options take their defaults.

        Raises:
            TypeError: If ``param_group`` is not a dict or ``params`` are not tensors.
            ValueError: If a required option is missing, a parameter is not a leaf or is in another
                group, or only some groups have names.

        >>> a, b = (torch.zeros(1, requires_grad=True) for _ in range(2))
        >>> optimizer = torch.optim.SGD([a], lr=0.1)
        >>> optimizer.add_param_group({"params": [b], "lr": 0.5})
        >>> [group["lr"] for group in optimizer.param_groups]
        [0.1, 0.5]
        """
        if not isinstance(param_group, dict):
            raise ArgumentTypeError(f"param_group must be a dict, but got {type(param_group)}")
        group = dict(param_group)
        group["params"], names = _listed(param_group["params"])
        if names:
            group["param_names"] = names
        for param in group["params"]:
            _check_parameter(param, may_have_history=bool(self.defaults.get("differentiable")))
        for name, default in self.defaults.items():
            if default is required and name not in group:
                raise ArgumentError(
                    "parameter group didn't specify a value of required optimization parameter "
                    f"{name}"
                )
            group.setdefault(name, default)
        self._check_against_others(group)
        param_group.update(group)
        self.param_groups.append(param_group)

    def _check_against_others(self, group: Group) -> None:
        """Refuse parameters of other groups, and names that only some groups have."""
        identities = [id(param) for param in group["params"]]
        if len(identities) != len(set(identities)):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this "
                "will cause an error; see github.com/pytorch/pytorch/issues/40967 for more "
                "information",
                stacklevel=4,
            )
        for other in self.param_groups:
            if ("param_names" in group) != ("param_names" in other):
                named = "with names" if "param_names" in group else "without names"
                raise ArgumentError(
                    "all optimizer param groups should be with/without names. cannot add param "
                    f"group {named} to the optimizer"
                )
        known = {id(param) for each in self.param_groups for param in each["params"]}
        if not known.isdisjoint(identities):
            raise ArgumentError("some parameters appear in more than one parameter group")

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Reset the gradients of all parameters.

        Args:
            set_to_none: Whether to set the gradients to None instead of filling them with zeros.

        >>> w = torch.ones(2, requires_grad=True)
        >>> w.sum().backward()
        >>> torch.optim.SGD([w]).zero_grad()
        >>> w.grad is None
        True
        """
        if watchers:
            announce("zero_grad", self)
        for group in self.param_groups:
            for param in group["params"]:
                gradient = param._grad
                if gradient is None:
                    continue
                if set_to_none:
                    param._grad = None
                elif gradient.is_sparse:
                    param._grad = gradient.detach().zero_()
                else:
                    if gradient._edge is not None:
                        gradient = param._grad = gradient.detach()
                    gradient.held._array[...] = 0
                    if gradient._storage is not None:
                        gradient._storage.note_change(
                            f"{type(self).__name__}.zero_grad", *user_frame(2)
                        )

    # ---- a step -------------------------------------------------------------------------------

    @with_step_hooks
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update every parameter that has a gradient.

        Args:
            closure: Function that computes the loss and its gradients again and returns the loss.

        Returns:
            What the closure returned, or None without a closure.

        >>> w = torch.ones(2, requires_grad=True)
        >>> w.sum().backward()
        >>> torch.optim.SGD([w], lr=0.5).step()
        >>> w
        tensor([0.5000, 0.5000], requires_grad=True)
        """
        loss = evaluate(closure)
        code, lasti = user_frame(2)
        if _step_usually(self, code, lasti):
            return loss
        for number, group in enumerate(self.param_groups):
            updates = _usual_updates(group["params"])
            if updates is NotImplemented:
                updates = self._updates(group)
            if updates is None:
                continue
            gradients, updated = updates
            if group.get("differentiable"):
                self._update_recorded(group, updated)
            else:
                try:
                    # overflow gives inf without a warning, as in PyTorch
                    quiet.run(self.update, group, updated)
                except ValueError as error:
                    _check_states(error, updated, self.state)
                    raise
                self.note_step(number, group, gradients, code, lasti)
        return loss

    def _updates(self, group: Group) -> tuple[list[Any], list[Updated]] | None:
        """Return the gradients of a group, and its parameters that have one, with that.

        Parameters with a special gradient are updated at once, and left out.
        """
        gradients = [param._grad for param in group["params"]]
        both = zip(group["params"], gradients, strict=True)
        updated = [each for each in both if each[1] is not None]
        if not updated:
            return None
        if _are_special(updated):
            special = [each for each in updated if each[1]._interpreter is not None]
            updated = [each for each in updated if each[1]._interpreter is None]
            quiet.run(self._update_special, group, special)
        return gradients, updated

    def _update_special(self, group: Group, updated: list[Updated]) -> None:
        """Update parameters whose gradients are sparse, and those that are spread over ranks."""
        sparse = [each for each in updated if each[1].is_sparse]
        spread = [each for each in updated if not each[1].is_sparse]
        if sparse:
            self.update_sparse(group, sparse)
        if spread:
            self._update_parts(group, spread)

    def refuse_parts(self, params: list[Any]) -> None:
        """Raise RuntimeError for parameters of which this process has parts, unless those will do.

        Args:
            params: Parameters.
        """
        if not self.elementwise and any(each.held is not each for each in params):
            raise GraphError(
                f"{type(self).__name__} looks at whole parameters, and some of them are spread "
                "over ranks: choose an optimizer that treats each element by itself, such as AdamW"
            )

    def _update_parts(self, group: Group, updated: list[Updated]) -> None:
        """Update this process's parts of parameters that are spread over ranks.

        Raises RuntimeError for an optimizer that does not treat each element by itself.
        """
        self.refuse_parts([param for param, _ in updated])
        parts = [(each.held, each.counted_once(each.of_values(g))) for each, g in updated]
        try:
            for (param, _), (part, _) in zip(updated, parts, strict=True):
                if param in self.state:
                    self.state[part] = {
                        name: param.part_like(value) for name, value in self.state[param].items()
                    }
            self.update(group, parts)
        finally:
            for (param, _), (part, _) in zip(updated, parts, strict=True):
                if part in self.state:
                    self.state[param] = {
                        name: param.whole_like(value)
                        for name, value in self.state.pop(part).items()
                    }

    def _update_recorded(self, group: Group, updated: list[Updated]) -> None:
        if group.get("foreach"):
            raise AssertionError(
                "_foreach ops don't support autograd: leave out foreach=True or differentiable=True"
            )
        with enable_grad():
            self.update(group, updated)

    def update(self, group: Group, updated: list[Updated]) -> None:
        """Update the parameters of a group in place; see Note [Steps on arrays] in operands.py.

        Args:
            group: The parameter group, with its options.
            updated: Those of its parameters that have a gradient, each with its gradient.
        """
        raise NotImplementedError(f"{type(self).__name__} defines neither step nor update")

    def counted(self, updated: list[Updated], group: Group) -> list[tuple[Any, Any, State, float]]:
        """Count a step of every parameter, before any is changed; an interrupt leaves them equal.

        Args:
            updated: Parameters of one group, each with its gradient.
            group: The group.

        Returns:
            Each parameter with its gradient, its state and the number of its steps.
        """
        found = []
        for param, gradient in updated:
            state = self.state[param]
            if not state:
                self._start(state, param, group)
            found.append((param, gradient, state, count_step(state)))
        return found

    def _start(self, state: State, param: Any, group: Group) -> None:
        """Initialize the state of a parameter before its first step."""
        state["step"] = scalar_state(0)

    def update_sparse(self, group: Group, updated: list[Updated]) -> None:
        """Update parameters whose gradients are sparse, at the indices of these alone.

        Args:
            group: The parameter group, with its options.
            updated: Those of its parameters that have a sparse gradient, each with its gradient.

        Raises:
            RuntimeError: If the optimizer is none of those that can.
        """
        raise GraphError(
            f"{type(self).__name__} does not support sparse gradients: use SGD, Adagrad or "
            "SparseAdam, or leave out sparse=True of the embedding"
        )

    def note_step(
        self, number: int, group: Group, gradients: list[Any], code: CodeType, lasti: int
    ) -> None:
        """Record the in-place change of each updated parameter, for autograd's version checks.

        Args:
            number: Index of the group.
            group: The parameter group.
            gradients: For each of its parameters what it was updated with, or None.
            code: Code object of the user's call of ``step``.
            lasti: Index of the calling instruction in ``code``.
        """
        op = f"{type(self).__name__}.step"
        params = group["params"]
        for _ in range(self.writes(group)):
            if (
                _note_step(params, gradients, number, op, code, lasti, _later_detail)
                is not NotImplemented
            ):
                continue
            for position, (param, gradient) in enumerate(zip(params, gradients, strict=True)):
                if gradient is not None and param._storage is not None:
                    array = param._array
                    detail = _later_detail(position, number, array.shape, array.dtype)
                    param._storage.note_change(op, code, lasti, detail)

    def writes(self, group: Group) -> int:
        """Return how often PyTorch's step writes to a parameter of a group: versions count it."""
        return 2 if group.get("decoupled_weight_decay") and group["weight_decay"] else 1

    # ---- saving -------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return the options and the state, with the index of each parameter in its place.

        Returns:
            A dict with the entries ``state`` (index of a parameter to its state) and
                ``param_groups``.

        >>> w = torch.ones(2, requires_grad=True)
        >>> torch.optim.SGD([w]).state_dict()["param_groups"][0]["params"]
        [0]
        """
        for hook in list(self._optimizer_state_dict_pre_hooks.values()):
            hook(self)
        packed = self._packed()
        for hook in list(self._optimizer_state_dict_post_hooks.values()):
            packed = _unless_none(hook(self, packed), packed)
        return packed

    def _packed(self) -> dict[str, Any]:
        positions: dict[int, int] = {}
        groups: list[Group] = []
        for group in self.param_groups:
            for param in group["params"]:
                positions.setdefault(id(param), len(positions))
            packed = {name: value for name, value in group.items() if name != "params"}
            packed["params"] = [positions[id(param)] for param in group["params"]]
            groups.append(packed)
        state = {
            positions[id(key)] if isinstance(key, Tensor) else key: value
            for key, value in self.state.items()
        }
        return {"state": state, "param_groups": groups}

    @shortening
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load options and state from the result of ``state_dict`` of a similar optimizer.

        Args:
            state_dict: The dict to load; its tensors are copied, in the dtype of their parameter.

        Raises:
            ValueError: If the groups do not match; nothing is changed then.

        >>> w = torch.zeros(1, requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.1)
        >>> optimizer.load_state_dict(torch.optim.SGD([w], lr=0.5).state_dict())
        >>> optimizer.param_groups[0]["lr"]
        0.5
        """
        state_dict = dict(state_dict)
        for hook in list(self._optimizer_load_state_dict_pre_hooks.values()):
            state_dict = _unless_none(hook(self, state_dict), state_dict)
        saved_groups = deepcopy(state_dict["param_groups"])
        if len(saved_groups) != len(self.param_groups):
            raise ArgumentError("loaded state dict has a different number of parameter groups")
        for group, saved in zip(self.param_groups, saved_groups, strict=True):
            if len(group["params"]) != len(saved["params"]):
                raise ArgumentError(
                    "loaded state dict contains a parameter group that doesn't match the size of "
                    "optimizer's group"
                )
        positions = chain.from_iterable(saved["params"] for saved in saved_groups)
        params = chain.from_iterable(group["params"] for group in self.param_groups)
        at = dict(zip(positions, params, strict=True))
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in at:
                state[at[key]] = {
                    name: _cast_state(name, each, at[key]) for name, each in value.items()
                }
            else:
                state[key] = value
        for group, saved in zip(self.param_groups, saved_groups, strict=True):
            saved["params"] = group["params"]
            if "param_names" in group:
                saved.setdefault("param_names", group["param_names"])
        self.__setstate__({"state": state, "param_groups": saved_groups})
        for hook in list(self._optimizer_load_state_dict_post_hooks.values()):
            hook(self)

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare_hooks()
        self.defaults.setdefault("differentiable", False)
        for group in self.param_groups:
            for name, default in self.older_defaults.items():
                group.setdefault(name, default)
            for param in group["params"]:
                self._convert_old_state(self.state.get(param, {}))

    def _convert_old_state(self, state: dict[str, Any]) -> None:
        """Convert the Python numbers of old checkpoints to tensors."""
        for name in self.scalars:
            if name in state and not isinstance(state[name], Tensor):
                state[name] = scalar_state(float(state[name]))

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            lines += [f"    {name}: {group[name]}" for name in sorted(group) if name != "params"]
        return "\n".join([*lines, ")"])


def evaluate(closure: Callable[[], Any] | None) -> Any:
    """Call the closure with gradients enabled and return its result."""
    if closure is None:
        return None
    with enable_grad():
        return closure()


def _listed(params: Any) -> tuple[list[Any], list[str]]:
    """Return the parameters of a group as a list, and their names if they are given."""
    if isinstance(params, Tensor):
        return [params], []
    if isinstance(params, set):
        raise ArgumentTypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering of "
            "tensors in sets will change between runs. Please use a list instead."
        )
    listed = list(params)
    named = [isinstance(each, tuple) and len(each) == 2 for each in listed]
    if listed and all(named):
        return [param for _, param in listed], [name for name, _ in listed]
    if any(named):
        raise ArgumentError(
            "all optimizer params should be with/without names. Some param names are missing"
        )
    return listed, []


def _check_parameter(param: Any, may_have_history: bool) -> None:
    if not isinstance(param, Tensor):
        cls = type(param)
        home = "" if cls.__module__ == "builtins" else f"{cls.__module__}."
        name = f"{home.replace('pellucid', 'torch', 1)}{cls.__qualname__}"
        raise ArgumentTypeError(
            f"optimizer can only optimize Tensors, but one of the params is {name}"
            f"{_OF_MODULE if callable(getattr(param, 'parameters', None)) else ''}"
        )
    if not (may_have_history or _is_leaf(param) or param.retains_grad):
        raise ArgumentError("can't optimize a non-leaf Tensor")


def _is_leaf(param: Tensor) -> bool:
    return param._edge is None or isinstance(param._edge[0], AccumulateGrad)


def _cast_state(name: str | None, value: Any, param: Any) -> Any:
    """Return a copy of loaded state in the dtype of the parameter; the step count keeps its own."""
    if isinstance(value, Tensor) and value._interpreter is not None:  # sparse, or spread over ranks
        return value.detach().clone().to(param.dtype)
    if isinstance(value, Tensor) and param._interpreter is not None and value.shape == param.shape:
        return param.spread_like(value.detach().to(param.dtype))
    if isinstance(value, Tensor):
        array = value._array
        keeps = name == "step" or param._array.dtype.kind != "f"
        return new_tensor(array.astype(array.dtype if keeps else param._array.dtype))
    if isinstance(value, dict):
        return {key: _cast_state(key, each, param) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_cast_state(None, each, param) for each in value)
    return deepcopy(value)


def _unless_none(value: Any, otherwise: Any) -> Any:
    return otherwise if value is None else value

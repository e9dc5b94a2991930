"""Pruning: some elements of a parameter held at zero by a mask.

A pruned parameter ``name`` is kept as ``name_orig`` beside the buffer ``name_mask``; their product
stands under ``name`` and is made anew before every forward.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from pellucid.errors import ArgumentError, ArgumentTypeError, DimensionError
from pellucid.nn.modules.calling import Hook
from pellucid.nn.modules.module import Module
from pellucid.ops.reduce.sort import topk
from pellucid.ops.shape.join import cat
from pellucid.random import rand, rand_like
from pellucid.tensors import Tensor
from pellucid.tensors.creation import ones_like, zeros_like


class BasePruningMethod(ABC):
    """Be the base of pruning methods; a subclass says in ``compute_mask`` what stays.

    ``PRUNING_TYPE`` is "unstructured", "structured" (whole channels) or "global", and says what of
    a parameter that is pruned already is looked at.
    """

    PRUNING_TYPE: str
    _tensor_name: str

    def __call__(self, module: Any, inputs: Any) -> None:
        """Make the product anew; runs before every forward."""
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """Return the mask for a tensor of importances, given the mask so far."""

    def apply_mask(self, module: Any) -> Any:
        """Return the parameter times its mask; raise AssertionError if there is none."""
        if not hasattr(self, "_tensor_name"):
            raise AssertionError(f"Module {module} has to be pruned")
        mask = getattr(module, f"{self._tensor_name}_mask")
        original = getattr(module, f"{self._tensor_name}_orig")
        return mask.to(original.dtype) * original

    @classmethod
    def apply(
        cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any
    ) -> BasePruningMethod:
        """Prune a parameter of a module, further if it is pruned already; return the method.

        Raises AssertionError for scores of another shape.
        """
        method = cls(*args, **kwargs)
        method._tensor_name = name
        before = _method_of(module, name)
        value = getattr(module, name)
        if importance_scores is not None and importance_scores.shape != value.shape:
            raise AssertionError(
                "importance_scores should have the same shape as parameter "
                f"{name} of {module}, got {importance_scores.shape} vs {value.shape}"
            )
        scores = value if importance_scores is None else importance_scores
        mask = ones_like(value) if before is None else getattr(module, f"{name}_mask")
        combined = method
        if before is not None:
            combined = before[1] if isinstance(before[1], PruningContainer) else None
            combined = PruningContainer(before[1]) if combined is None else combined
            combined.add_pruning_method(method)
        mask = combined.compute_mask(scores.detach(), mask.detach())
        if before is None:
            original = module._parameters.pop(name)
            module.register_parameter(f"{name}_orig", original)
            module.register_buffer(f"{name}_mask", mask)
        else:
            del module._forward_pre_hooks[before[0]]
            setattr(module, f"{name}_mask", mask)
        setattr(module, name, combined.apply_mask(module))
        module.register_forward_pre_hook(combined)
        return combined

    def prune(self, t: Any, default_mask: Any = None, importance_scores: Any = None) -> Any:
        """Return a tensor with some elements set to zero; nothing is registered."""
        if importance_scores is not None and importance_scores.shape != t.shape:
            raise AssertionError(
                "importance_scores should have the same shape as tensor t, "
                f"got {importance_scores.shape} vs {t.shape}"
            )
        scores = t if importance_scores is None else importance_scores
        mask = ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, mask)

    def remove(self, module: Any) -> None:
        """Let the pruned values be the parameter, under its own name."""
        name = getattr(self, "_tensor_name", None)
        if name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        pruned = self.apply_mask(module).detach()
        original = module._parameters.pop(f"{name}_orig")
        original.data = pruned
        del module._buffers[f"{name}_mask"]
        module.__dict__.pop(name, None)
        setattr(module, name, original)


def _method_of(module: Any, name: str) -> tuple[int, BasePruningMethod] | None:
    """Return the key and the method of a parameter's pruning; ``None`` if there is none."""
    for key, hook in module._forward_pre_hooks.items():
        method = hook.function if isinstance(hook, Hook) else hook
        if isinstance(method, BasePruningMethod) and method._tensor_name == name:
            return key, method
    return None


class PruningContainer(BasePruningMethod):
    """Hold the methods that pruned a parameter one after the other."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        methods = args[0] if len(args) == 1 and isinstance(args[0], Iterable) else args
        for method in methods:
            if not self._pruning_methods:
                self._tensor_name = method._tensor_name
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Add a method for the same parameter; raise TypeError or ValueError for anything else."""
        if not isinstance(method, BasePruningMethod):
            raise ArgumentTypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if self._tensor_name != method._tensor_name:
            raise ArgumentError(
                "Can only add pruning methods acting on the parameter named "
                f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """Apply the last method to what the ones before it have left."""
        method = self._pruning_methods[-1]
        mask = default_mask.to(t.dtype)
        if method.PRUNING_TYPE == "unstructured":
            left: Any = mask == 1
        elif method.PRUNING_TYPE == "global":
            left = slice(None)
        else:
            left = self._channels_left(method, mask)
        mask = mask.clone()
        mask[left] = method.compute_mask(t[left], mask[left])
        return mask

    def _channels_left(self, method: Any, mask: Any) -> Any:
        if not -mask.ndim <= method.dim < mask.ndim:
            raise DimensionError(f"Index is out of bounds for tensor with dimensions {mask.ndim}")
        dim = method.dim % mask.ndim
        others = tuple(each for each in range(mask.ndim) if each != dim)
        return (*(slice(None),) * dim, mask.sum(others) != 0)


class Identity(BasePruningMethod):
    """Prune nothing: register a mask of ones."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return default_mask


class _ByAmount(BasePruningMethod):
    """Prune a number of elements, or a share of them."""

    def __init__(self, amount: float) -> None:
        _check_amount(amount)
        self.amount = amount

    def _count(self, size: int) -> int:
        """Return how many to prune; raise ValueError if there are not so many."""
        if isinstance(self.amount, int) and self.amount > size:
            raise ArgumentError(
                f"amount={self.amount} should be smaller than the number of parameters to prune="
                f"{size}"
            )
        return self.amount if isinstance(self.amount, int) else round(self.amount * size)


class RandomUnstructured(_ByAmount):
    """Prune elements at random."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return _without_largest(rand_like(t).reshape(-1), self._count(t.numel()), default_mask)


class L1Unstructured(_ByAmount):
    """Prune the elements of smallest absolute value."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return _without_largest(-t.abs().reshape(-1), self._count(t.numel()), default_mask)


def _without_largest(values: Any, count: int, default_mask: Any) -> Any:
    mask = default_mask.clone()
    if count:
        flat = mask.reshape(-1)
        flat[topk(values, count).indices] = 0
        mask = flat.reshape(default_mask.shape)
    return mask


class _OfChannels(_ByAmount):
    """Prune whole channels along a dimension."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def _importances(self, t: Any) -> Any:
        raise NotImplementedError

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        if t.ndim <= 1:
            raise ArgumentError(
                "Structured pruning can only be applied to multidimensional tensors. Found tensor "
                f"of shape {t.shape} with {t.ndim} dims"
            )
        if not -t.ndim <= self.dim < t.ndim:
            raise DimensionError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        channels = t.shape[self.dim]
        count = self._count(channels)
        values = self._importances(t)
        if not count:
            return default_mask
        kept = zeros_like(values)
        if count < channels:
            kept[topk(values, channels - count).indices] = 1
        shape = [1] * t.ndim
        shape[self.dim] = channels
        return default_mask * kept.reshape(shape).to(default_mask.dtype)


class RandomStructured(_OfChannels):
    """Prune channels at random."""

    def _importances(self, t: Any) -> Any:
        return rand(t.shape[self.dim])


class LnStructured(_OfChannels):
    """Prune the channels of smallest norm; ``n`` is its order."""

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def _importances(self, t: Any) -> Any:
        dim = self.dim % t.ndim
        return t.norm(p=self.n, dim=tuple(each for each in range(t.ndim) if each != dim))


class CustomFromMask(BasePruningMethod):
    """Prune what a given mask hides."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape "
                f"{self.mask.shape}"
            )
        return default_mask * self.mask.to(default_mask.dtype)


def _check_amount(amount: Any) -> None:
    if not isinstance(amount, int | float):
        raise ArgumentTypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if amount < 0 or (isinstance(amount, float) and amount > 1):
        raise ArgumentError(
            f"amount={amount} should either be a float in the range [0, 1] or a non-negative "
            "integer"
        )


# ---- the functions ----------------------------------------------------------------------------


def identity(module: Module, name: str) -> Module:
    """Register a mask of ones for a parameter; return the module."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Module, name: str, amount: float) -> Module:
    """Prune elements of a parameter at random, a number or a share of them; return the module.

    >>> import pellucid as torch
    >>> from pellucid.nn.utils import prune
    >>> layer = prune.random_unstructured(torch.nn.Linear(2, 3), "weight", amount=2)
    >>> int((layer.weight_mask == 0).sum())
    2
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(
    module: Module, name: str, amount: float, importance_scores: Any = None
) -> Module:
    """Prune the elements of smallest absolute value, or smallest score; return the module.

    >>> import pellucid as torch
    >>> from pellucid.nn.utils import prune
    >>> layer = torch.nn.Linear(2, 1)
    >>> layer.weight.data = torch.tensor([[3.0, -1.0]])
    >>> prune.l1_unstructured(layer, "weight", amount=0.5).weight_mask
    tensor([[1., 0.]])
    """
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


def random_structured(module: Module, name: str, amount: float, dim: int) -> Module:
    """Prune whole channels along a dimension at random; return the module."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Module, name: str, amount: float, n: Any, dim: int, importance_scores: Any = None
) -> Module:
    """Prune the channels of smallest norm along a dimension; return the module.

    >>> import pellucid as torch
    >>> from pellucid.nn.utils import prune
    >>> layer = torch.nn.Linear(2, 2)
    >>> layer.weight.data = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> prune.ln_structured(layer, "weight", amount=1, n=2, dim=0).weight_mask
    tensor([[0., 0.],
            [1., 1.]])
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def global_unstructured(
    parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any
) -> None:
    """Prune several parameters, pairs of module and name, as if they were one vector.

    Raises TypeError for methods that prune channels, and for arguments of other types.
    """
    if not isinstance(parameters, Iterable):
        raise ArgumentTypeError("global_unstructured(): parameters is not an Iterable")
    if importance_scores is not None and not isinstance(importance_scores, dict):
        raise ArgumentTypeError("global_unstructured(): importance_scores must be of type dict")
    pairs: list[Any] = list(parameters)
    given = importance_scores or {}
    values = [getattr(module, name) for module, name in pairs]
    scores = [given.get(pair, value) for pair, value in zip(pairs, values, strict=True)]
    masks = [
        getattr(module, f"{name}_mask", ones_like(value))
        for (module, name), value in zip(pairs, values, strict=True)
    ]
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise ArgumentTypeError(
            'Only "unstructured" PRUNING_TYPE is supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    method._tensor_name = "temp"
    together = PruningContainer(method)
    mask = together.compute_mask(_vector(scores), _vector(masks))
    sizes = [value.numel() for value in values]
    for (module, name), value, part in zip(pairs, values, mask.split(sizes), strict=True):
        custom_from_mask(module, name, part.reshape(value.shape))


def _vector(tensors: list[Tensor]) -> Any:
    return cat([each.detach().reshape(-1) for each in tensors])


def custom_from_mask(module: Module, name: str, mask: Any) -> Module:
    """Prune what a mask hides; return the module.

    >>> import pellucid as torch
    >>> from pellucid.nn.utils import prune
    >>> layer = torch.nn.Linear(2, 1)
    >>> layer = prune.custom_from_mask(layer, "bias", torch.tensor([0]))
    >>> layer.bias == 0
    tensor([True])
    """
    CustomFromMask.apply(module, name, mask)
    return module


def remove(module: Module, name: str) -> Module:
    """Let the pruned values be the parameter; raise ValueError if it is not pruned."""
    found = _method_of(module, name)
    if found is None:
        raise ArgumentError(
            f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
        )
    key, method = found
    method.remove(module)
    del module._forward_pre_hooks[key]
    return module


def is_pruned(module: Module) -> bool:
    """Tell whether a parameter of a module, or of one below it, is pruned.

    >>> import pellucid as torch
    >>> torch.nn.utils.prune.is_pruned(torch.nn.Linear(2, 1))
    False
    """
    return any(
        isinstance(hook.function, BasePruningMethod)
        for part in module.modules()
        for hook in part._forward_pre_hooks.values()
    )

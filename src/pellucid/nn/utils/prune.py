"""Pruning: elements of a parameter that a mask keeps at zero.

A pruned parameter ``name`` is stored as ``name_orig`` beside the buffer ``name_mask``; their
product is the attribute ``name`` and is recomputed before every forward.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from pellucid.errors import ArgumentError, ArgumentTypeError, DimensionError
from pellucid.nn.modules.module import Module
from pellucid.ops.reduce.sort import topk
from pellucid.ops.shape.join import cat
from pellucid.random import rand, rand_like
from pellucid.tensors import Tensor
from pellucid.tensors.creation import ones_like, zeros_like


class BasePruningMethod(ABC):
    """Base class of pruning methods; a subclass defines ``compute_mask``.

    ``PRUNING_TYPE`` is ``"unstructured"``, ``"structured"`` (whole channels) or ``"global"``, and
    determines which part of a pruned parameter the next method sees.

    >>> class EveryOther(torch.nn.utils.prune.BasePruningMethod):
    ...     PRUNING_TYPE = "unstructured"
    ...
    ...     def compute_mask(self, t, default_mask):
    ...         mask = default_mask.clone()
    ...         mask.view(-1)[::2] = 0
    ...         return mask
    >>> net = torch.nn.Linear(4, 1)
    >>> _ = EveryOther.apply(net, "weight")
    >>> net.weight_mask
    tensor([[0., 1., 0., 1.]])
    """

    PRUNING_TYPE: str
    _tensor_name: str

    def __call__(self, module: Any, inputs: Any) -> None:
        """Recompute the pruned parameter; runs as a hook before every forward.

        Args:
            module: The module.
            inputs: Arguments of the forward; not used.
        """
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """Return the new mask; defined by subclasses.

        Args:
            t: Importance of each element, often the parameter itself.
            default_mask: The mask so far, of the same shape.
        """

    def apply_mask(self, module: Any) -> Any:
        """Return the parameter times its mask.

        Args:
            module: The module.

        Raises:
            AssertionError: If the module is not pruned by this method.
        """
        if not hasattr(self, "_tensor_name"):
            raise AssertionError(f"Module {module} has to be pruned")
        mask = getattr(module, f"{self._tensor_name}_mask")
        original = getattr(module, f"{self._tensor_name}_orig")
        return mask.to(original.dtype) * original

    @classmethod
    def apply(
        cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any
    ) -> BasePruningMethod:
        """Prune a parameter of a module, in addition to earlier pruning.

        Args:
            module: Module with the parameter.
            name: Name of the parameter.
            args: Positional arguments of the method's constructor.
            importance_scores: Importance of each element; the parameter itself if None.
            kwargs: Keyword arguments of the method's constructor.

        Returns:
            The pruning method.

        Raises:
            AssertionError: If the scores have another shape than the parameter.
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
        """Return a pruned copy of a tensor, without registering anything.

        Args:
            t: The tensor.
            default_mask: The mask so far; ones if None.
            importance_scores: Importance of each element; the tensor itself if None.

        >>> method = torch.nn.utils.prune.L1Unstructured(amount=1)
        >>> method.prune(torch.tensor([3.0, -2.0, 1.0]))
        tensor([ 3., -2.,  0.])
        """
        if importance_scores is not None and importance_scores.shape != t.shape:
            raise AssertionError(
                "importance_scores should have the same shape as tensor t, "
                f"got {importance_scores.shape} vs {t.shape}"
            )
        scores = t if importance_scores is None else importance_scores
        mask = ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, mask)

    def remove(self, module: Any) -> None:
        """Make the pruned value an ordinary parameter again.

        Args:
            module: The module.
        """
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
    """Return the hook key and the pruning method of a parameter; None if it is not pruned."""
    for key, method in module._forward_pre_hooks.items():
        if isinstance(method, BasePruningMethod) and method._tensor_name == name:
            return key, method
    return None


class PruningContainer(BasePruningMethod):
    """Sequence of methods that pruned one parameter.

    Args:
        args: The methods, or a single iterable of them.

    >>> prune = torch.nn.utils.prune
    >>> net = torch.nn.Linear(4, 1)
    >>> _ = prune.l1_unstructured(net, "weight", amount=1)
    >>> _ = prune.random_unstructured(net, "weight", amount=1)
    >>> net.weight_mask.sum()
    tensor(2.)
    """

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        methods = args[0] if len(args) == 1 and isinstance(args[0], Iterable) else args
        for method in methods:
            if not self._pruning_methods:
                self._tensor_name = method._tensor_name
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Add a method for the same parameter.

        Args:
            method: The pruning method.

        Raises:
            TypeError: If it is not a pruning method.
            ValueError: If it belongs to another parameter.
        """
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
        """Return the mask after the last method, applied to what the earlier ones kept.

        Args:
            t: Importance of each element.
            default_mask: The mask so far.
        """
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
    """Pruning method that prunes nothing.

    >>> torch.nn.utils.prune.Identity().prune(torch.ones(2))
    tensor([1., 1.])
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return default_mask


class _ByAmount(BasePruningMethod):
    """Base class of methods that prune a number or a fraction of elements."""

    def __init__(self, amount: float) -> None:
        _check_amount(amount)
        self.amount = amount

    def _count(self, size: int) -> int:
        """Return the number to prune; raise ValueError if it exceeds the size."""
        if isinstance(self.amount, int) and self.amount > size:
            raise ArgumentError(
                f"amount={self.amount} should be smaller than the number of parameters to prune="
                f"{size}"
            )
        return self.amount if isinstance(self.amount, int) else round(self.amount * size)


class RandomUnstructured(_ByAmount):
    """Pruning method that prunes elements at random.

    Args:
        amount: Number of elements to prune, or their fraction in [0, 1].

    >>> torch.nn.utils.prune.RandomUnstructured(2).prune(torch.ones(4)).sum()
    tensor(2.)
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return _without_largest(rand_like(t).reshape(-1), self._count(t.numel()), default_mask)


class L1Unstructured(_ByAmount):
    """Pruning method that prunes the elements of smallest absolute value.

    Args:
        amount: Number of elements to prune, or their fraction in [0, 1].

    >>> torch.nn.utils.prune.L1Unstructured(0.5).prune(torch.tensor([1.0, 2.0]))
    tensor([0., 2.])
    """

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
    """Base class of methods that prune whole channels along a dim."""

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
    """Pruning method that prunes channels at random.

    Args:
        amount: Number of channels to prune, or their fraction in [0, 1].
        dim: The dim of the channels.

    >>> torch.nn.utils.prune.RandomStructured(1, dim=0).prune(torch.ones(2, 3)).sum()
    tensor(3.)
    """

    def _importances(self, t: Any) -> Any:
        return rand(t.shape[self.dim])


class LnStructured(_OfChannels):
    """Pruning method that prunes the channels of smallest norm.

    Args:
        amount: Number of channels to prune, or their fraction in [0, 1].
        n: Exponent of the norm.
        dim: The dim of the channels.

    >>> torch.nn.utils.prune.LnStructured(1, n=2, dim=0).prune(
    ...     torch.tensor([[1.0, 1.0], [2.0, 2.0]])
    ... )
    tensor([[0., 0.],
            [2., 2.]])
    """

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def _importances(self, t: Any) -> Any:
        dim = self.dim % t.ndim
        return t.norm(p=self.n, dim=tuple(each for each in range(t.ndim) if each != dim))


class CustomFromMask(BasePruningMethod):
    """Pruning method with a given mask.

    Args:
        mask: Tensor that is 0 where elements are pruned, otherwise 1.

    >>> torch.nn.utils.prune.CustomFromMask(torch.tensor([1, 0])).prune(torch.ones(2))
    tensor([1., 0.])
    """

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
    """Add a mask of ones to a parameter; return the module.

    Args:
        module: Module with the parameter.
        name: Name of the parameter.

    >>> net = torch.nn.utils.prune.identity(torch.nn.Linear(2, 1), "weight")
    >>> net.weight_mask
    tensor([[1., 1.]])
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module: Module, name: str, amount: float) -> Module:
    """Prune elements of a parameter at random; return the module.

    Args:
        module: Module with the parameter.
        name: Name of the parameter.
        amount: Number of elements to prune, or their fraction in [0, 1].

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
    """Prune the elements of smallest absolute value; return the module.

    Args:
        module: Module with the parameter.
        name: Name of the parameter.
        amount: Number of elements to prune, or their fraction in [0, 1].
        importance_scores: Importance of each element; the parameter itself if None.

    >>> from pellucid.nn.utils import prune
    >>> layer = torch.nn.Linear(2, 1)
    >>> layer.weight.data = torch.tensor([[3.0, -1.0]])
    >>> prune.l1_unstructured(layer, "weight", amount=0.5).weight_mask
    tensor([[1., 0.]])
    """
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


def random_structured(module: Module, name: str, amount: float, dim: int) -> Module:
    """Prune channels of a parameter at random; return the module.

    Args:
        module: Module with the parameter.
        name: Name of the parameter.
        amount: Number of channels to prune, or their fraction in [0, 1].
        dim: The dim of the channels.

    >>> net = torch.nn.utils.prune.random_structured(torch.nn.Linear(2, 4), "weight", 3, dim=0)
    >>> net.weight_mask.sum()
    tensor(2.)
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Module, name: str, amount: float, n: Any, dim: int, importance_scores: Any = None
) -> Module:
    """Prune the channels of smallest norm; return the module.

    Args:
        module: Module with the parameter.
        name: Name of the parameter.
        amount: Number of channels to prune, or their fraction in [0, 1].
        n: Exponent of the norm.
        dim: The dim of the channels.
        importance_scores: Importance of each element; the parameter itself if None.

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
    """Prune several parameters as if they were one vector.

    Args:
        parameters: List or tuple of pairs of module and parameter name.
        pruning_method: A class of unstructured pruning.
        importance_scores: Dict from pairs to tensors of scores; the parameters themselves by
            default.
        kwargs: Arguments of the pruning method.

    Raises:
        TypeError: If the method is structured or an argument is of another type.

    >>> net, prune = torch.nn.Linear(2, 2), torch.nn.utils.prune
    >>> pairs = [(net, "weight"), (net, "bias")]
    >>> prune.global_unstructured(pairs, pruning_method=prune.L1Unstructured, amount=3)
    >>> net.weight_mask.sum() + net.bias_mask.sum()
    tensor(3.)
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
    """Prune a parameter with a given mask; return the module.

    Args:
        module: Module with the parameter.
        name: Name of the parameter.
        mask: Tensor of the parameter's shape, 0 where elements are pruned, otherwise 1.

    >>> from pellucid.nn.utils import prune
    >>> layer = torch.nn.Linear(2, 1)
    >>> layer = prune.custom_from_mask(layer, "bias", torch.tensor([0]))
    >>> layer.bias == 0
    tensor([True])
    """
    CustomFromMask.apply(module, name, mask)
    return module


def remove(module: Module, name: str) -> Module:
    """Make a pruned parameter an ordinary one again, with the pruned values; return the module.

    Args:
        module: Module with the parameter.
        name: Name of the parameter.

    Raises:
        ValueError: If the parameter is not pruned.

    >>> prune = torch.nn.utils.prune
    >>> net = prune.l1_unstructured(torch.nn.Linear(2, 1), "weight", amount=1)
    >>> [name for name, _ in prune.remove(net, "weight").named_parameters()]
    ['bias', 'weight']
    """
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
    """Return whether a parameter of a module or its submodules is pruned.

    Args:
        module: The module.

    >>> torch.nn.utils.prune.is_pruned(torch.nn.Linear(2, 1))
    False
    """
    return any(
        isinstance(hook, BasePruningMethod)
        for part in module.modules()
        for hook in part._forward_pre_hooks.values()
    )

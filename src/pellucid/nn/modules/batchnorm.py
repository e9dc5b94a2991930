"""Batch normalization, and the base classes of normalization with running statistics."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.modes import no_grad
from pellucid.dtypes import int64
from pellucid.errors import ArgumentError, DimensionError
from pellucid.nn import functional, init
from pellucid.nn.lazy_tensors import UninitializedBuffer, UninitializedParameter, is_lazy
from pellucid.nn.modules.lazy import LazyModuleMixin
from pellucid.nn.modules.module import Module, weight_and_bias
from pellucid.nn.modules.synchronized import SyncBatchNormFunction
from pellucid.nn.parameter import Parameter
from pellucid.ranks import Group, ranks
from pellucid.tensors import Tensor
from pellucid.tensors.creation import ones, tensor, zeros


class _NormBase(Module):
    """Base class with weight and bias for each channel and running statistics."""

    _version = 2
    #: numbers of dims that an input may have
    ranks: tuple[int, ...]

    def __init__(
        self, num_features: int, eps: float, momentum: float | None, affine: bool,
        track_running_stats: bool, device: Any, dtype: Any, bias: bool,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        factory = {"device": device, "dtype": dtype}
        self.register_parameter(
            "weight", Parameter(ones(num_features, **factory)) if affine else None
        )
        shifted = affine and bias
        self.register_parameter(
            "bias", Parameter(zeros(num_features, **factory)) if shifted else None
        )
        track = track_running_stats
        self.register_buffer("running_mean", zeros(num_features, **factory) if track else None)
        self.register_buffer("running_var", ones(num_features, **factory) if track else None)
        self.register_buffer("num_batches_tracked", tensor(0, dtype=int64) if track else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Reset the running statistics."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Reset weights to 1, biases to 0, and the running statistics."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_rank(self, input: Any) -> None:
        if input.dim() not in self.ranks:
            wanted = " or ".join(f"{rank}D" for rank in self.ranks)
            raise ArgumentError(f"expected {wanted} input (got {input.dim()}D input)")

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: dict[str, Any], *rest: Any
    ) -> None:
        # Version 1 did not count batches.
        key = f"{prefix}num_batches_tracked"
        if (local_metadata.get("version") or 1) < 2 and self.track_running_stats:
            state_dict.setdefault(key, tensor(0, dtype=int64))
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_NormBase):
    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1,
        affine: bool = True, track_running_stats: bool = True, device: Any = None,
        dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias
        )

    def forward(self, input: Tensor) -> Tensor:
        self._check_rank(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                factor = 1.0 / float(self.num_batches_tracked)
        from_batch = self.training or self.running_mean is None
        remembered = not self.training or self.track_running_stats
        return functional.batch_norm(
            input,
            self.running_mean if remembered else None,
            self.running_var if remembered else None,
            *weight_and_bias(self),
            from_batch,
            factor,
            self.eps,
        )


class BatchNorm1d(_BatchNorm):
    """Batch normalization of features.

    In training, statistics of the batch are used, and running statistics are updated, which are
    used in evaluation. Source: Ioffe and Szegedy, "Batch normalization", 2015.

    Args:
        num_features: Number of channels C.
        eps: Number added to the variance for numerical stability.
        momentum: Weight of the new value in running statistics; None means their cumulative
            average.
        affine: Whether to learn a weight and a bias for each channel.
        track_running_stats: Whether to keep running statistics for evaluation.
        device: Device of the parameters; the CPU is the only one.
        dtype: Floating-point dtype of the parameters; the default dtype if None.
        bias: Whether to learn a bias, if ``affine``.

    Shape:
        Input and output: ``[N, C]`` or ``[N, C, L]``.

    Attributes:
        weight: Scale of shape ``[C]``, or None.
        bias: Shift of shape ``[C]``, or None.
        running_mean: Running mean of shape ``[C]``, or None.
        running_var: Running variance of shape ``[C]``, or None.

    Raises:
        ValueError: If the input has another number of dims.

    >>> torch.nn.BatchNorm1d(1)(torch.tensor([[1.0], [3.0]])).detach()
    tensor([[-1.0000],
            [ 1.0000]])
    """

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalization of images, over the batch and all pixels.

    Source: see ``BatchNorm1d``.

    Args: As for `BatchNorm1d`.

    Shape:
        Input and output: ``[N, C, H, W]``.

    Attributes: As for `BatchNorm1d`.

    Raises:
        ValueError: If the input has another number of dims.

    >>> torch.nn.BatchNorm2d(1)(torch.tensor([[[[0.0, 2.0]]]])).detach()
    tensor([[[[-1.0000,  1.0000]]]])
    """

    ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalization of volumes, over the batch and all voxels.

    Source: see ``BatchNorm1d``.

    Args: As for `BatchNorm1d`.

    Shape:
        Input and output: ``[N, C, D, H, W]``.

    Attributes: As for `BatchNorm1d`.

    Raises:
        ValueError: If the input has another number of dims.

    >>> torch.nn.BatchNorm3d(1)(torch.tensor([[[[[0.0, 2.0]]]]])).detach()
    tensor([[[[[-1.0000,  1.0000]]]]])
    """

    ranks = (5,)


class SyncBatchNorm(_BatchNorm):
    """Batch normalization over the batches of all ranks of a process group.

    In training, mean and variance are those of all ranks' elements. In evaluation, and without a
    group of several processes, it is ordinary batch normalization.

    Args:
        num_features, eps, momentum, affine: As for `BatchNorm1d`.
        track_running_stats, device, dtype, bias: As for `BatchNorm1d`.
        process_group: The process group; the default group if None.

    Shape:
        Input and output: ``[N, C, *]``, with at least two dims.

    Raises:
        ValueError: If the input has fewer than two dims.

    >>> torch.nn.SyncBatchNorm(1)(torch.tensor([[0.0], [2.0]])).detach()
    tensor([[-1.0000],
            [ 1.0000]])
    """

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1,
        affine: bool = True, track_running_stats: bool = True, process_group: Any = None,
        device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )
        self.process_group = process_group

    def _check_rank(self, input: Any) -> None:
        if input.dim() < 2:
            raise ArgumentError(f"expected at least 2D input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        members = self._active_group()
        if members is None or not (self.training or self.running_mean is None):
            return super().forward(input)
        self._check_rank(input)
        output, mean, var, count = SyncBatchNormFunction.apply(
            input, self.weight, self.bias, self.eps, members
        )
        if self.training and self.track_running_stats and self.running_mean is not None:
            self._update_running_stats(mean, var * (count / max(count - 1, 1)))
        return output

    def _active_group(self) -> Group | None:
        """Return the group to normalize over if it has several processes, otherwise None."""
        if self.process_group is None and not ranks.is_initialized():
            return None
        members = ranks.resolved(self.process_group)
        return members if members.size() > 1 else None

    def _update_running_stats(self, mean: Any, var: Any) -> None:
        """Update the running statistics with those of a batch."""
        self.num_batches_tracked.add_(1)
        factor = 1.0 / float(self.num_batches_tracked) if self.momentum is None else self.momentum
        with no_grad():
            self.running_mean.mul_(1 - factor).add_(mean, alpha=factor)
            self.running_var.mul_(1 - factor).add_(var, alpha=factor)

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """Replace each batch normalization in a module by a ``SyncBatchNorm``, tensors included.

        Args:
            module: The module to convert.
            process_group: The process group of the new layers; the default group if None.

        Returns:
            The converted module.

        >>> net = torch.nn.Sequential(torch.nn.BatchNorm1d(2))
        >>> type(torch.nn.SyncBatchNorm.convert_sync_batchnorm(net)[0]).__name__
        'SyncBatchNorm'
        """
        converted = module
        if isinstance(module, _BatchNorm):
            converted = cls(
                module.num_features, module.eps, module.momentum, module.affine,
                module.track_running_stats, process_group,
            )  # fmt: skip
            converted._parameters = module._parameters
            converted._buffers = module._buffers
            converted.training = module.training
        for name, child in module.named_children():
            converted.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return converted


class _LazyNormBase(LazyModuleMixin, _NormBase):
    """Base class of normalizations that take the number of channels from the first input."""

    weight: Any
    bias: Any
    running_mean: Any
    running_var: Any

    def _uninitialize(self, affine: bool, track: bool, bias: bool, factory: Any) -> None:
        """Replace the tensors that depend on the channels by uninitialized ones."""
        self.affine = affine
        self.track_running_stats = track
        if affine:
            self.weight = UninitializedParameter(**factory)
            if bias:
                self.bias = UninitializedParameter(**factory)
        if track:
            self.register_buffer("running_mean", UninitializedBuffer(**factory))
            self.register_buffer("running_var", UninitializedBuffer(**factory))
            self.register_buffer("num_batches_tracked", tensor(0, dtype=int64))

    def reset_parameters(self) -> None:
        """Reset the parameters, once the number of channels is known."""
        if not self.has_uninitialized_params() and self.num_features:
            super().reset_parameters()

    def _channel_dim(self, input: Any) -> int:
        return 1

    def initialize_parameters(self, input: Any) -> None:
        """Set the number of channels and create the parameters.

        Args:
            input: The first input; its dim 1 is that of the channels.
        """
        if not self.has_uninitialized_params():
            return
        channel_dim = self._channel_dim(input)
        if not -input.ndim <= channel_dim < input.ndim:
            raise DimensionError(
                f"{type(self).__name__}: an input with {input.ndim} dims has no channel dim"
            )
        self.num_features = input.shape[channel_dim]
        for each in (self.weight, self.bias, self.running_mean, self.running_var):
            if is_lazy(each):
                each.materialize((self.num_features,))
        self.reset_parameters()


class _LazyBatchNorm(_LazyNormBase, _BatchNorm):
    def __init__(
        self, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: Any = None, *,
        bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(0, eps, momentum, False, False, device, dtype, bias=bias)
        factory = {"device": device, "dtype": dtype}
        self._uninitialize(affine, track_running_stats, bias, factory)


class LazyBatchNorm1d(_LazyBatchNorm, BatchNorm1d):
    """``BatchNorm1d`` that takes ``num_features`` from the first input.

    Args:
        eps, momentum, affine, track_running_stats, device, dtype, bias: As for `BatchNorm1d`.

    >>> torch.nn.LazyBatchNorm1d()(torch.zeros(2, 3)).shape
    torch.Size([2, 3])
    """

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyBatchNorm, BatchNorm2d):
    """``BatchNorm2d`` that takes ``num_features`` from the first input.

    Args: As for `LazyBatchNorm1d`.

    >>> layer = torch.nn.LazyBatchNorm2d()
    >>> y = layer(torch.rand(2, 3, 4, 4))
    >>> layer.num_features
    3
    """

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyBatchNorm, BatchNorm3d):
    """``BatchNorm3d`` that takes ``num_features`` from the first input.

    Args: As for `LazyBatchNorm1d`.

    >>> torch.nn.LazyBatchNorm3d()(torch.zeros(2, 3, 1, 1, 1)).shape
    torch.Size([2, 3, 1, 1, 1])
    """

    cls_to_become = BatchNorm3d

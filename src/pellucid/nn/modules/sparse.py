"""Embeddings: tables of vectors that are looked up by index."""

from __future__ import annotations

from typing import Any

from pellucid.nn import functional, init
from pellucid.nn.modules.module import Module
from pellucid.nn.parameter import Parameter
from pellucid.tensors import Tensor
from pellucid.tensors.creation import empty


def _check_table(weight: Any, num_embeddings: int, embedding_dim: int) -> None:
    if tuple(weight.shape) != (num_embeddings, embedding_dim):
        raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")


def _row(padding_idx: int | None, num_embeddings: int, argument: str) -> int | None:
    """Return ``padding_idx`` as a nonnegative index; raise AssertionError if it is out of range."""
    if padding_idx is None:
        return None
    if not -num_embeddings <= padding_idx < num_embeddings:
        raise AssertionError(f"{argument} must be within num_embeddings")
    return padding_idx % num_embeddings


class Embedding(Module):
    """Table of vectors that are looked up by index.

    Args:
        num_embeddings: Number of rows of the table.
        embedding_dim: Size of each row.
        padding_idx: Index of a row that starts as zero and gets no gradient.
        max_norm: Rows of a larger norm are rescaled to it in place, on lookup.
        norm_type: Exponent p of that norm.
        scale_grad_by_freq: Whether gradients are divided by the frequency of the row in the batch.
        sparse: Whether the gradient of the table is a sparse tensor.
        _weight: Initial table, instead of random values.
        _freeze: Whether the table requires no gradient.
        device: Device of the parameters; the CPU is the only one.
        dtype: Floating-point dtype of the parameters; the default dtype if None.

    Shape:
        Input: (*), of integer dtype. Output: ``[*, embedding_dim]``.

    Attributes:
        weight: The table, ``[num_embeddings, embedding_dim]``.

    Raises:
        AssertionError: If ``padding_idx`` is out of range.

    >>> torch.nn.Embedding(10, 3)(torch.tensor([[1, 2], [4, 5]])).shape
    torch.Size([2, 2, 3])
    """

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None,
        max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False,
        sparse: bool = False, _weight: Any = None, _freeze: bool = False, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = _row(padding_idx, num_embeddings, "Padding_idx")
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        if _weight is not None:
            _check_table(_weight, num_embeddings, embedding_dim)
            self.weight = Parameter(_weight, requires_grad=not _freeze)
            return
        table = empty(num_embeddings, embedding_dim, device=device, dtype=dtype)
        self.weight = Parameter(table, requires_grad=not _freeze)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize the table with samples of the standard normal distribution."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight._array[self.padding_idx] = 0

    @classmethod
    def from_pretrained(
        cls, embeddings: Any, freeze: bool = True, padding_idx: int | None = None,
        max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:  # fmt: skip
        """Return an embedding with a given table.

        Args:
            embeddings: The table, ``[num_embeddings, embedding_dim]``.
            freeze: Whether the table requires no gradient.
            padding_idx: Index of a row that gets no gradient.
            max_norm: Rows of a larger norm are rescaled to it in place, on lookup.
            norm_type: Exponent p of that norm.
            scale_grad_by_freq: Whether gradients are divided by the frequency of the row in the
                batch.
            sparse: Whether the gradient of the table is a sparse tensor.

        >>> table = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.nn.Embedding.from_pretrained(table)(torch.tensor(1))
        tensor([3., 4.])
        """
        rows, columns = embeddings.shape
        return cls(
            rows, columns, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse,
            _weight=embeddings, _freeze=freeze,
        )  # fmt: skip

    def forward(self, input: Tensor) -> Tensor:
        return functional.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type,
            self.scale_grad_by_freq, self.sparse,
        )  # fmt: skip

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        if self.max_norm is not None:
            text += f", max_norm={self.max_norm}"
        if self.norm_type != 2:
            text += f", norm_type={self.norm_type}"
        if self.scale_grad_by_freq:
            text += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        return text + (", sparse=True" if self.sparse else "")


class EmbeddingBag(Module):
    """Table of vectors whose sums, means or maxima over bags of indices are computed.

    Args:
        num_embeddings, embedding_dim, max_norm, norm_type, scale_grad_by_freq: As for `Embedding`.
        sparse, _weight, device, dtype: As for `Embedding`.
        mode: ``"sum"``, ``"mean"`` or ``"max"``.
        include_last_offset: Whether the last offset is the end of the last bag.
        padding_idx: Index of a row that does not contribute and gets no gradient.

    Shape:
        Input: ``[B, n]``, one bag per row; or ``[n]`` with ``offsets`` ``[B]`` at which bags start;
            both of integer dtype. Output: ``[B, embedding_dim]``.

    Attributes:
        weight: The table, ``[num_embeddings, embedding_dim]``.

    Raises:
        AssertionError: If ``padding_idx`` is out of range.

    >>> torch.nn.EmbeddingBag(10, 3)(torch.tensor([1, 2, 4, 5]), torch.tensor([0, 3])).shape
    torch.Size([2, 3])
    """

    def __init__(
        self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, mode: str = "mean",
        sparse: bool = False, _weight: Any = None, include_last_offset: bool = False,
        padding_idx: int | None = None, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset
        self.padding_idx = _row(padding_idx, num_embeddings, "padding_idx")
        if _weight is not None:
            _check_table(_weight, num_embeddings, embedding_dim)
            self.weight = Parameter(_weight)
            return
        self.weight = Parameter(empty(num_embeddings, embedding_dim, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize the table with samples of the standard normal distribution."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight._array[self.padding_idx] = 0

    @classmethod
    def from_pretrained(
        cls, embeddings: Any, freeze: bool = True, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, mode: str = "mean",
        sparse: bool = False, include_last_offset: bool = False, padding_idx: int | None = None,
    ) -> EmbeddingBag:  # fmt: skip
        """Return an embedding bag with a given table.

        Args:
            embeddings: The table, ``[num_embeddings, embedding_dim]``.
            freeze: Whether the table requires no gradient.
            max_norm: Rows of a larger norm are rescaled to it in place, on lookup.
            norm_type: Exponent p of that norm.
            scale_grad_by_freq: Whether gradients are divided by the frequency of the row in the
                batch.
            mode: ``"sum"``, ``"mean"`` or ``"max"``.
            sparse: Whether the gradient of the table is a sparse tensor.
            include_last_offset: Whether the last offset is the end of the last bag.
            padding_idx: Index of a row that does not contribute and gets no gradient.

        >>> table = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.nn.EmbeddingBag.from_pretrained(table, mode="sum")(torch.tensor([[0, 1]]))
        tensor([[4., 6.]])
        """
        rows, columns = embeddings.shape
        made = cls(
            rows, columns, max_norm, norm_type, scale_grad_by_freq, mode, sparse, embeddings,
            include_last_offset, padding_idx,
        )  # fmt: skip
        made.weight.requires_grad_(not freeze)
        return made

    def forward(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Tensor:
        return functional.embedding_bag(
            input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq,
            self.mode, self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx,
        )  # fmt: skip

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.max_norm is not None:
            text += f", max_norm={self.max_norm}"
        if self.norm_type != 2:
            text += f", norm_type={self.norm_type}"
        if self.scale_grad_by_freq:
            text += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        text += f", mode={self.mode!r}"
        return text if self.padding_idx is None else f"{text}, padding_idx={self.padding_idx}"

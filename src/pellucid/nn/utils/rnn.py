"""Sequences of different lengths, padded to one length or packed without gaps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from pellucid.core.call.call import new_tensor
from pellucid.errors import ArgumentError, ArgumentTypeError, ShapeError
from pellucid.ops.shape.join import cat
from pellucid.tensors import Tensor


class _Fields(NamedTuple):
    data: Any
    batch_sizes: Any
    sorted_indices: Any
    unsorted_indices: Any


class PackedSequence(_Fields):
    """Several sequences packed step by step, returned by ``pack_padded_sequence``.

    Args:
        data: Elements ``[sum of lengths, *]``: those of all sequences at time 0, then at time 1,
            and so on, longer sequences first.
        batch_sizes: Number of sequences at each time, an int64 tensor.
        sorted_indices: Indices that sort the given sequences by length, or None.
        unsorted_indices: The inverse permutation, or None.

    >>> packed = torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2]), torch.tensor([3])])
    >>> packed.data, packed.batch_sizes
    (tensor([1, 3, 2]), tensor([2, 1]))
    """

    __slots__ = ()

    def __new__(
        cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None,
        unsorted_indices: Any = None,
    ) -> PackedSequence:  # fmt: skip
        if batch_sizes is None:
            data, batch_sizes = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def __repr__(self) -> str:
        fields = ", ".join(
            f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True)
        )
        return f"PackedSequence({fields})"

    def _with_data(self, data: Any) -> PackedSequence:
        return type(self)(data, self.batch_sizes, self.sorted_indices, self.unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Convert the elements as ``Tensor.to`` does.

        Args:
            args: Positional arguments of ``Tensor.to``.
            kwargs: Keyword arguments of ``Tensor.to``.

        >>> packed = torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2])])
        >>> packed.to(torch.float32).data
        tensor([1., 2.])
        """
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else self._with_data(data)

    def cpu(self) -> PackedSequence:
        """Return the sequence, which is on the CPU.

        Args:
            args: Accepted for compatibility; ignored.
            kwargs: Accepted for compatibility; ignored.
        """
        return self

    def pin_memory(self) -> PackedSequence:
        """Return the sequence; pinned memory does not exist here."""
        return self

    def double(self) -> PackedSequence:
        """Convert the elements to float64.

        >>> torch.nn.utils.rnn.pack_sequence([torch.tensor([1.0])]).double().data.dtype
        torch.float64
        """
        return self._with_data(self.data.double())

    def float(self) -> PackedSequence:
        """Convert the elements to float32.

        >>> torch.nn.utils.rnn.pack_sequence([torch.tensor([1])]).float().data.dtype
        torch.float32
        """
        return self._with_data(self.data.float())

    def half(self) -> PackedSequence:
        """Convert the elements to float16.

        >>> torch.nn.utils.rnn.pack_sequence([torch.tensor([1.0])]).half().data.dtype
        torch.float16
        """
        return self._with_data(self.data.half())

    def short(self) -> PackedSequence:
        """Convert the elements to int16."""
        return self._with_data(self.data.short())

    def char(self) -> PackedSequence:
        """Convert the elements to int8."""
        return self._with_data(self.data.char())

    def byte(self) -> PackedSequence:
        """Convert the elements to uint8."""
        return self._with_data(self.data.byte())

    def long(self) -> PackedSequence:
        """Convert the elements to int64.

        >>> torch.nn.utils.rnn.pack_sequence([torch.tensor([1.0])]).long().data.dtype
        torch.int64
        """
        return self._with_data(self.data.long())

    def int(self) -> PackedSequence:
        """Convert the elements to int32.

        >>> torch.nn.utils.rnn.pack_sequence([torch.tensor([1.0])]).int().data.dtype
        torch.int32
        """
        return self._with_data(self.data.int())

    @property
    def is_cuda(self) -> bool:
        """Whether the elements are on a GPU, which is never the case."""
        return False

    def is_pinned(self) -> bool:
        """Return False: pinned memory does not exist here.

        >>> torch.nn.utils.rnn.pack_sequence([torch.tensor([1.0])]).is_pinned()
        False
        """
        return False


def invert_permutation(permutation: Any) -> Any:
    """Return the inverse of a permutation; None for None.

    Args:
        permutation: 1-d integer tensor, or None.

    >>> torch.nn.utils.rnn.invert_permutation(torch.tensor([2, 0, 1]))
    tensor([1, 2, 0])
    """
    return (
        None if permutation is None else new_tensor(np.argsort(permutation._array, kind="stable"))
    )


def _lengths(lengths: Any, count: int) -> Any:
    values = lengths._array if isinstance(lengths, Tensor) else np.asarray(lengths)
    values = values.astype(np.int64)
    if len(values) != count:
        raise ShapeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(values)} "
            f"(batch_size={count})"
        )
    if (values <= 0).any():
        raise ShapeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' "
            "that is <= 0"
        )
    return values


def pack_padded_sequence(
    input: Any, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack padded sequences.

    Args:
        input: Tensor of shape ``[T, B, *]``, or ``[B, T, *]`` if ``batch_first``.
        lengths: Length of each sequence: a list, or a 1-d int64 tensor.
        batch_first: Whether the batch dim comes first.
        enforce_sorted: Whether lengths have to decrease; otherwise sequences are sorted.

    Raises:
        RuntimeError: If lengths are not positive, too large, of the wrong number, or not sorted.

    >>> padded = torch.tensor([[1, 4], [2, 5], [3, 0]])
    >>> torch.nn.utils.rnn.pack_padded_sequence(padded, [3, 2]).data
    tensor([1, 4, 2, 5, 3])
    """
    if batch_first:
        input = input.transpose(0, 1)
    steps, count = input.shape[:2]
    if not input.numel():
        raise ShapeError("Cannot pack empty tensors.")
    values = _lengths(lengths, count)
    order = None
    if not enforce_sorted:
        order = np.argsort(-values, kind="stable")
        values = values[order]
        input = input.index_select(1, new_tensor(order))
    elif (np.diff(values) > 0).any():
        raise ShapeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You "
            "can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to "
            "sidestep this requirement if you do not need ONNX exportability."
        )
    if values[0] > steps:
        raise ShapeError(
            f"Expected lengths of at most {steps}, the size of the padded input, but got "
            f"{values[0]}"
        )
    present = np.arange(values[0])[:, None] < values
    index = np.flatnonzero(present)
    data = input.reshape(steps * count, *input.shape[2:]).index_select(0, new_tensor(index))
    sizes = new_tensor(present.sum(1))
    return PackedSequence(data, sizes, None if order is None else new_tensor(order), None)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Pad packed sequences, the inverse of ``pack_padded_sequence``.

    Args:
        sequence: The packed sequences.
        batch_first: Whether the batch dim comes first in the result.
        padding_value: Value of the padding.
        total_length: Length of the result; the longest sequence if None.

    Returns:
        The padded tensor, and the lengths as an int64 tensor.

    Raises:
        ValueError: If ``total_length`` is less than the longest sequence.

    >>> packed = torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2]), torch.tensor([3])])
    >>> torch.nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
    (tensor([[1, 2],
            [3, 0]]), tensor([2, 1]))
    """
    sizes = sequence.batch_sizes._array
    longest, count = len(sizes), int(sizes[0])
    if total_length is not None and total_length < longest:
        raise ArgumentError(
            "Expected total_length to be at least the length of the longest sequence in input, but "
            f"got total_length={total_length} and max sequence length being {longest}"
        )
    steps = longest if total_length is None else total_length
    present = np.arange(count) < sizes[:, None]
    padded = _scattered_rows(sequence.data, np.flatnonzero(present), steps * count, padding_value)
    padded = padded.reshape(steps, count, *sequence.data.shape[1:])
    lengths = present.sum(0)
    if sequence.unsorted_indices is not None:
        padded = padded.index_select(1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices._array]
    return padded.transpose(0, 1) if batch_first else padded, new_tensor(lengths)


def _scattered_rows(rows: Any, index: Any, count: int, value: float) -> Any:
    """Return ``count`` rows filled with a value, with the given rows at the given indices."""
    whole = rows.new_full((count, *rows.shape[1:]), value)
    return whole.index_copy(0, new_tensor(index), rows)


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0,
    padding_side: str = "right",
) -> Any:  # fmt: skip
    """Pad sequences to the length of the longest one and stack them.

    Args:
        sequences: List of tensors ``[T_i, *]``.
        batch_first: Whether the result is ``[B, T, *]`` instead of ``[T, B, *]``.
        padding_value: Value of the padding.
        padding_side: ``"right"`` or ``"left"``.

    Raises:
        RuntimeError: If there are no sequences, or their other sizes differ.

    >>> torch.nn.utils.rnn.pad_sequence([torch.tensor([1, 2]), torch.tensor([3])], batch_first=True)
    tensor([[1, 2],
            [3, 0]])
    """
    if not isinstance(sequences, Iterable):
        raise ShapeError(
            "pad_sequence: Expected iterable for input sequences, but got arg of type: "
            f"{type(sequences)}"
        )
    given = list(sequences)
    if padding_side not in ("left", "right"):
        raise ShapeError(
            f"Expected padding_side to be one of left or right, but got {padding_side}."
        )
    if not given:
        raise ShapeError("received an empty list of sequences")
    for position, each in enumerate(given):
        if not isinstance(each, Tensor):
            raise ArgumentTypeError(
                f"expected Tensor as element {position} in argument 0, but got "
                f"{type(each).__name__}"
            )
    lengths = np.array([each.shape[0] for each in given])
    longest = int(lengths.max())
    times = np.arange(longest)
    present = times < lengths[:, None]
    if padding_side == "left":
        present = present[:, ::-1]
    index = np.flatnonzero(present)
    padded = _scattered_rows(cat(given), index, longest * len(given), padding_value)
    padded = padded.reshape(len(given), longest, *given[0].shape[1:])
    return padded if batch_first else padded.transpose(0, 1)


def unpad_sequence(padded_sequences: Any, lengths: Any, batch_first: bool = False) -> list[Any]:
    """Return the list of sequences without padding, the inverse of ``pad_sequence``.

    Args:
        padded_sequences: Tensor ``[T, B, *]``, or ``[B, T, *]`` if ``batch_first``.
        lengths: Length of each sequence, a 1-d int64 tensor.
        batch_first: Whether the batch dim comes first.

    >>> padded = torch.tensor([[1, 2], [3, 0]])
    >>> torch.nn.utils.rnn.unpad_sequence(padded, torch.tensor([2, 1]), batch_first=True)
    [tensor([1, 2]), tensor([3])]
    """
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    counts = lengths.tolist()
    return [each[:count] for each, count in zip(padded_sequences, counts, strict=True)]


def pack_sequence(sequences: Sequence[Any], enforce_sorted: bool = True) -> PackedSequence:
    """Pack a list of sequences.

    Args:
        sequences: List of tensors ``[T_i, *]``.
        enforce_sorted: Whether lengths have to decrease; otherwise sequences are sorted.

    Raises:
        RuntimeError: As for ``pack_padded_sequence``.

    >>> torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2]), torch.tensor([3])]).data
    tensor([1, 3, 2])
    """
    lengths = [each.shape[0] for each in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Any]:
    """Return the list of packed sequences, the inverse of ``pack_sequence``.

    Args:
        packed_sequences: The packed sequences.

    >>> packed = torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2]), torch.tensor([3])])
    >>> torch.nn.utils.rnn.unpack_sequence(packed)
    [tensor([1, 2]), tensor([3])]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)

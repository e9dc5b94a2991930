"""One stage of a pipeline: some layers, what comes in for each microbatch, and what goes on."""

from __future__ import annotations

from typing import Any

from pellucid import dtypes
from pellucid.autograd.backward import backward
from pellucid.errors import ArgumentError, GraphError
from pellucid.nn.modules.module import Module
from pellucid.processes.groups import ProcessGroup, get_global_rank, resolved
from pellucid.processes.point_to_point import isend, recv
from pellucid.processes.work import Work
from pellucid.tensors import Tensor
from pellucid.tensors.creation import empty, tensor, zeros

#: the dtypes that are sent, by the number that stands for each
_DTYPES = (
    dtypes.float32, dtypes.float64, dtypes.float16, dtypes.bfloat16, dtypes.int64, dtypes.int32,
    dtypes.int16, dtypes.int8, dtypes.uint8, dtypes.bool_, dtypes.complex64, dtypes.complex128,
)  # fmt: skip
#: the most tensors that go from one stage to the next, and the most dims of one
_TENSORS, _DIMS = 8, 8
_FIELDS = 3 + _DIMS
#: what goes from stage to stage
_ACTIVATIONS, _GRADIENTS = 0, 1


class PipelineStage:
    """A part of a network on one rank, which gets its inputs from the part before it.

    Stage s is on rank s mod p of the group. Shapes need not be given: the first time, each stage
    tells the next one what it sends.

    Args:
        submodule: The layers.
        stage_index: The number of the stage, from 0.
        num_stages: The number of stages.
        device: Accepted for compatibility; tensors are on the CPU.
        input_args: Accepted for compatibility; shapes are found out.
        output_args: Accepted for compatibility; shapes are found out.
        output_grads: Accepted for compatibility; shapes are found out.
        input_grads: Accepted for compatibility; shapes are found out.
        group: The ranks; all if None.
        dw_builder: Not used.
        get_mesh: Not used.

    Raises ValueError for a number that is not below the number of stages, or another rank's.
    """

    def __init__(
        self, submodule: Module, stage_index: int, num_stages: int, device: Any = None,
        input_args: Any = None, output_args: Any = None, output_grads: Any = None,
        input_grads: Any = None, group: ProcessGroup | None = None, dw_builder: Any = None,
        get_mesh: Any = None,
    ) -> None:  # fmt: skip
        self.group = resolved(group)
        self.group_rank, self.group_size = self.group.rank(), self.group.size()
        if not 0 <= stage_index < num_stages:
            raise ArgumentError(f"Stage index {stage_index} is out of range of {num_stages}")
        if self.group_size > num_stages:
            raise ArgumentError(
                f"Pipeline group size {self.group_size} cannot be larger than number of stages "
                f"{num_stages}"
            )
        if stage_index % self.group_size != self.group_rank:
            raise ArgumentError(
                f"stage {stage_index} is on rank {stage_index % self.group_size} of "
                f"{self.group_size}, not on rank {self.group_rank}: stages are dealt out in turn"
            )
        self.submod = submodule
        self.stage_index = stage_index
        self.num_stages = num_stages
        #: what the stages before and after have sent, by microbatch: see `_told`
        self._heard: dict[tuple[int, int], list[tuple[Any, bool, tuple[int, ...]]]] = {}
        self._said: dict[tuple[int, int], list[tuple[Any, bool, tuple[int, ...]]]] = {}
        self.clear()

    @property
    def is_first(self) -> bool:
        """Whether inputs of the program come in here."""
        return self.stage_index == 0

    @property
    def is_last(self) -> bool:
        """Whether outputs of the program come out here."""
        return self.stage_index == self.num_stages - 1

    def clear(self) -> None:
        """Forget what belongs to one step."""
        self._inputs: dict[int, tuple[Any, ...]] = {}
        self._outputs: dict[int, tuple[Any, ...]] = {}
        self.results: list[tuple[Any, ...]] = []
        self.is_single = True
        self._on_their_way: list[Work] = []
        #: what other stages of this rank have left here
        self._mailbox: dict[tuple[int, int], list[Any]] = {}

    def forward_one(
        self, number: int, args: tuple[Any, ...], kwargs: dict[str, Any],
        neighbours: dict[int, PipelineStage], is_training: bool,
    ) -> Any:  # fmt: skip
        """Compute one microbatch, send what comes out on, and return it.

        Args:
            number: The number of the microbatch.
            args: Its positional inputs, of which only the first stage uses any.
            kwargs: Its inputs by name.
            neighbours: The stages of this rank, by number.
            is_training: Whether a backward pass follows.

        Returns:
            The output of the layers.
        """
        if not self.is_first:
            args = tuple(self._receive(_ACTIVATIONS, number, self.stage_index - 1, neighbours))
            for each in args:
                each.requires_grad_(is_training and each.dtype.is_floating_point)
        result: Any = self.submod(*args, **kwargs)
        self.is_single = not isinstance(result, tuple | list)
        outputs = (result,) if self.is_single else tuple(result)
        if is_training:
            self._inputs[number], self._outputs[number] = args, outputs
        if self.is_last:
            self.results.append(tuple(_detached(each) for each in outputs))
        else:
            sent = [each.detach() for each in outputs]
            self._send(_ACTIVATIONS, number, self.stage_index + 1, sent, neighbours)
        return result

    def backward_one(self, number: int, loss: Any, neighbours: dict[int, PipelineStage]) -> None:
        """Differentiate one microbatch, and send the gradients of its inputs back.

        Args:
            number: The number of the microbatch.
            loss: Its loss, on the last stage.
            neighbours: The stages of this rank, by number.
        """
        inputs, outputs = self._inputs.pop(number), self._outputs.pop(number)
        if self.is_last:
            loss.backward()
        else:
            grads = self._receive(_GRADIENTS, number, self.stage_index + 1, neighbours)
            pairs = [
                (out, grad)
                for out, grad in zip(outputs, grads, strict=True) if out.requires_grad
            ]  # fmt: skip
            backward([out for out, _ in pairs], [grad for _, grad in pairs])
        if not self.is_first:
            sent = [each.grad if each.grad is not None else zeros(each.shape, dtype=each.dtype)
                    for each in inputs]  # fmt: skip
            self._send(_GRADIENTS, number, self.stage_index - 1, sent, neighbours)

    def scale_grads(self, divisor: int) -> None:
        """Divide the gradients of the parameters.

        Args:
            divisor: The number of microbatches whose gradients have been added up.
        """
        for param in self.submod.parameters():
            if param.grad is not None:
                param.grad.div_(divisor)

    def finish(self) -> None:
        """Wait until everything that this stage has sent is on its way."""
        for each in self._on_their_way:
            each.wait()
        self._on_their_way.clear()

    # ---- messages -----------------------------------------------------------------------------

    def _tag(self, kind: int, number: int, sender: int) -> int:
        """Return the tag of the first of the messages that a stage sends for a microbatch."""
        return ((number * self.num_stages + sender) * 2 + kind) * (_TENSORS + 1)

    def _rank_of(self, stage: int) -> int:
        return get_global_rank(self.group, stage % self.group_size)

    def _send(
        self, kind: int, number: int, to: int, tensors: list[Any],
        neighbours: dict[int, PipelineStage],
    ) -> None:  # fmt: skip
        if to in neighbours:
            neighbours[to]._left(kind, number, tensors)
            return
        described = [(each.dtype, each.requires_grad, tuple(each.shape)) for each in tensors]
        rank, tag = self._rank_of(to), self._tag(kind, number, self.stage_index)
        known = self._said.setdefault((kind, number), described)
        if known is described:
            self._start(_header(described), rank, tag)
        elif known != described:
            raise GraphError(
                f"stage {self.stage_index} sends {_listed(described)} for microbatch {number}, "
                f"which were {_listed(known)} in the first step: keep the shapes, or make a new "
                "PipelineStage"
            )
        for position, each in enumerate(tensors):
            self._start(each.contiguous(), rank, tag + 1 + position)

    def _start(self, sent: Any, rank: int, tag: int) -> None:
        work = isend(sent, rank, self.group, tag)
        assert work is not None
        self._on_their_way.append(work)

    def _left(self, kind: int, number: int, tensors: list[Any]) -> None:
        """Take what another stage of the same rank has for this one."""
        self._mailbox[kind, number] = tensors

    def _receive(
        self, kind: int, number: int, sender: int, neighbours: dict[int, PipelineStage]
    ) -> list[Any]:
        if sender in neighbours:
            return [each.detach() for each in self._mailbox.pop((kind, number))]
        rank, tag = self._rank_of(sender), self._tag(kind, number, sender)
        key = kind, number
        if key not in self._heard:
            header = empty(1 + _TENSORS * _FIELDS, dtype=dtypes.int64)
            recv(header, rank, self.group, tag)
            self._heard[key] = _read(header.tolist())
        received = []
        for position, (dtype, _, shape) in enumerate(self._heard[key]):
            target = empty(shape, dtype=dtype)
            recv(target, rank, self.group, tag + 1 + position)
            received.append(target)
        return received


def _detached(value: Any) -> Any:
    return value.detach() if isinstance(value, Tensor) else value


def _header(described: list[tuple[Any, bool, tuple[int, ...]]]) -> Any:
    """Return what tells the receiver which tensors come: numbers in a tensor of fixed size."""
    if len(described) > _TENSORS or any(len(shape) > _DIMS for _, _, shape in described):
        raise ArgumentError(
            f"a stage sends at most {_TENSORS} tensors of at most {_DIMS} dims, not "
            f"{_listed(described)}"
        )
    fields = [len(described)]
    for dtype, requires_grad, shape in described:
        rest = [0] * (_DIMS - len(shape))
        fields += [_DTYPES.index(dtype), int(requires_grad), len(shape), *shape, *rest]
    fields += [0] * (1 + _TENSORS * _FIELDS - len(fields))
    return tensor(fields, dtype=dtypes.int64)


def _read(fields: list[int]) -> list[tuple[Any, bool, tuple[int, ...]]]:
    each = [fields[1 + at * _FIELDS : 1 + (at + 1) * _FIELDS] for at in range(fields[0])]
    return [
        (_DTYPES[dtype], bool(requires_grad), tuple(shape[:ndim]))
        for dtype, requires_grad, ndim, *shape in each
    ]


def _listed(described: list[tuple[Any, bool, tuple[int, ...]]]) -> str:
    return ", ".join(f"{dtype}{list(shape)}" for dtype, _, shape in described)

"""Cutting a network into stages by tracing it, which is not here; programs import the names."""

from __future__ import annotations

import enum
from typing import Any, NoReturn

from pellucid.errors import UnimplementedError


class SplitPoint(enum.Enum):
    """Whether a network would be cut before or after a layer, in ``split_spec`` of `pipeline`."""

    BEGINNING = 1
    END = 2


def pipeline(
    module: Any, mb_args: tuple[Any, ...], mb_kwargs: dict[str, Any] | None = None,
    split_spec: dict[str, SplitPoint] | None = None, split_policy: Any = None,
) -> NoReturn:  # fmt: skip
    """Raise NotImplementedError, which says how a network is cut into stages by hand.

    Args:
        module: The network.
        mb_args: The arguments of one microbatch.
        mb_kwargs: Its named arguments.
        split_spec: The layers at which the network would be cut.
        split_policy: A function that would cut it.
    """
    raise UnimplementedError(
        "torch.distributed.pipelining.pipeline is not here: networks are not traced and cut. "
        "Delete on each rank the layers that other stages have, so that forward leaves them out, "
        "and give the rest to PipelineStage(module, stage_index, num_stages)"
    )

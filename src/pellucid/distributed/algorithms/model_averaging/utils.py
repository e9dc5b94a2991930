"""What the averagers do at each average, for programs with a rhythm of their own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pellucid.distributed.algorithms.model_averaging.averagers import average, with_gradients

__all__ = [
    "average_parameters", "average_parameters_or_parameter_groups", "get_params_to_average",
]  # fmt: skip


def average_parameters(params: Iterable[Any], process_group: Any) -> None:
    """Replace parameters by their averages over the ranks.

    Args:
        params: The parameters.
        process_group: The ranks; all if None.
    """
    average(list(params), process_group)


def get_params_to_average(params: Iterable[Any]) -> list[Any]:
    """Return those parameters that have gradients.

    Args:
        params: Parameters, or the groups of an optimizer.
    """
    return with_gradients(params)


def average_parameters_or_parameter_groups(params: Iterable[Any], process_group: Any) -> None:
    """Replace the parameters that have gradients by their averages over the ranks.

    Args:
        params: Parameters, or the groups of an optimizer.
        process_group: The ranks; all if None.
    """
    average(with_gradients(params), process_group)

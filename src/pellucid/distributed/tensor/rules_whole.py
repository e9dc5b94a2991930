"""Operations that every rank computes in whole: none of their operands is cut."""

from __future__ import annotations

from collections.abc import Iterator

from pellucid.distributed.tensor.rules import Call, Way, rule
from pellucid.ops.index import indexing, scatter, slice_scatter
from pellucid.ops.linalg import ldl, lu
from pellucid.ops.nn import recurrent
from pellucid.ops.reduce import sort


@rule(
    indexing.gather_index, indexing.put_index, indexing.clear_index, scatter.scatter_reduce,
    sort.search_rows, lu.row_exchanges, ldl.linalg_ldl_solve, recurrent.lstm,
    recurrent.fused_lstm_cell, recurrent.gru, recurrent.fused_gru_cell, slice_scatter.put_part,
    slice_scatter.clear_part,
)  # fmt: skip
def _whole(call: Call) -> Iterator[Way]:
    """Cut nothing."""
    return iter(())

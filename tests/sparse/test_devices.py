"""Where the elements of sparse tensors are, and in which dtype their indices."""

from __future__ import annotations

import pytest

import pellucid as torch


@pytest.mark.parametrize("convert", ["to_sparse", "to_sparse_csr"])
def test_a_sparse_tensor_on_meta_has_no_elements(convert: str) -> None:
    x = getattr(torch.eye(2), convert)()
    moved = x.to("meta")
    assert moved.device.type == "meta"
    assert moved.is_meta
    assert moved.layout is x.layout
    assert moved.shape == (2, 2)
    assert moved._nnz() == 0
    assert "device='meta'" in repr(moved)
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor"):
        moved.to("cpu")


def test_conversions_between_compressed_layouts_keep_the_dtype_of_indices() -> None:
    ends = torch.tensor([0, 1, 2], dtype=torch.int32)
    others = torch.tensor([0, 1], dtype=torch.int32)
    x = torch.sparse_csr_tensor(ends, others, torch.ones(2))
    assert x.to_sparse_csc().ccol_indices().dtype == torch.int32
    assert x.to_sparse_csc().row_indices().dtype == torch.int32
    assert x.to_sparse_bsr((1, 1)).crow_indices().dtype == torch.int32
    assert x.to_sparse_bsc((1, 1)).row_indices().dtype == torch.int32
    assert x.to_sparse_coo().indices().dtype == torch.int64

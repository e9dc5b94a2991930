"""PyTorch's own samples of its operators, run here and there; see `operator_database`."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from tests.parity import operator_database as samples  # noqa: E402 - it imports torch

pytestmark = pytest.mark.filterwarnings("ignore")

ENTRIES = [each for each in samples.database() if samples.in_scope(each)]


@pytest.mark.parametrize("entry", ENTRIES, ids=samples.full_name)
def test_samples_of_an_operator_give_what_they_give_in_pytorch(entry):
    dtype = next((each for each in samples.DTYPES[1:] if each in entry.dtypes), None)
    if dtype is None:
        pytest.skip("none of the dtypes that are compared")
    try:
        _, found = samples.compare_operator(entry, dtype, most=2)
    except AttributeError as error:
        pytest.skip(str(error))
    assert [str(each) for each in found if not each.accepted] == []

"""The layers and optimizers of PyTorch's own tests, run here and there."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from tests.parity import module_database, optimizer_database  # noqa: E402 - they import torch

pytestmark = pytest.mark.filterwarnings("ignore")

GROUPS = 6
#: samples of a layer that are run; `make operators` runs all
MOST = 8


@pytest.mark.parametrize("group", range(GROUPS))
@pytest.mark.parametrize("dtype", module_database.DTYPES, ids=str)
def test_layers_give_what_they_give_in_pytorch(group, dtype):
    found = []
    for entry in module_database.database()[group::GROUPS]:
        for training in (True, False):
            found += module_database.compare_module(entry, dtype, training, MOST)[1]
    assert [str(each) for each in found if not each.accepted] == []


@pytest.mark.parametrize("dtype", optimizer_database.DTYPES, ids=str)
def test_optimizers_with_all_options_step_as_in_pytorch(dtype):
    compared = [
        optimizer_database.compare_optimizer(each, dtype) for each in optimizer_database.database()
    ]
    assert [str(each) for _, found in compared for each in found if not each.accepted] == []


@pytest.mark.parametrize("tables", [module_database, optimizer_database])
def test_what_layers_and_optimizers_refuse_is_refused_with_pytorchs_sentence(tables):
    compared = [tables.compare_refusals(each) for each in tables.database()]
    assert [str(each) for _, found in compared for each in found if not each.accepted] == []

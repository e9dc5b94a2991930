"""Each benchmark can be collected, and its programs run on pellucid."""

from __future__ import annotations

import importlib

import pytest

import pellucid
from benchmarks.harness import Duel
from benchmarks.run import available


@pytest.mark.parametrize("name", available())
def test_benchmark_offers_cases_whose_programs_run(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module(f"benchmarks.bench_{name}")
    monkeypatch.setattr(module, "MANY", 58_000, raising=False)  # to be run, not to be timed
    cases = module.cases()
    assert cases
    for case in cases:
        if isinstance(case, Duel):
            case.prepare(pellucid)()

"""Each benchmark can be collected, and its programs run on pellucid."""

from __future__ import annotations

import importlib

import pytest

import pellucid
from benchmarks import bench_distributed as distributed
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


@pytest.mark.parametrize("ranks", [2, 4, 64, 1024])
@pytest.mark.parametrize("sharing", [1, 32])
@pytest.mark.parametrize("nbytes", [389_160, 2_678_824, 26 << 20])
def test_the_model_of_a_step_agrees_with_its_messages(
    ranks: int, sharing: int, nbytes: int
) -> None:
    """Simulated one by one, up to 1,024 ranks."""
    network = distributed.LATENCY, distributed.BANDWIDTH, sharing
    modelled = distributed.modelled_step(0.1, nbytes, ranks, *network)
    simulated = distributed.simulated_step(0.1, nbytes, ranks, *network)
    assert simulated == pytest.approx(modelled, rel=0.01)


def test_an_all_reduce_waits_for_the_last_rank_to_begin() -> None:
    together = distributed.simulated_all_reduce([0.0] * 8, 1e6, 1e-5, 1e9, 1)
    assert together == pytest.approx([distributed.modelled_all_reduce(1e6, 8, 1e-5, 1e9)] * 8)
    late = distributed.simulated_all_reduce([0.0] * 7 + [1.0], 1e6, 1e-5, 1e9, 1)
    assert late == pytest.approx([1 + each for each in together])

"""What goes well once goes well thousands of times: groups, and ranks that are killed."""

from __future__ import annotations

import sys

import pytest

from tests.distributed import kills
from tests.distributed.launch import needs_mpi, succeed
from tests.samples.duration import takes_long


@takes_long
@pytest.mark.parametrize("launcher", ["sockets", pytest.param("mpiexec", marks=needs_mpi)])
def test_groups_are_freed_with_what_connects_them(launcher: str) -> None:
    assert "all groups are gone" in succeed(2, "groups", "5000", launcher=launcher)


@takes_long
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("transport", ["sockets", pytest.param("mpi", marks=needs_mpi)])
def test_a_rank_that_is_killed_is_told_of_and_leaves_nothing(transport: str) -> None:
    """`python -m tests.distributed.kills 200` does so 200 times, at moments that differ."""
    assert kills.main(2, (transport,)) == []

"""Kernels that go another way for many elements, against those for few."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid.kernels.active import cpu
from tests.samples.grouped import together

CASES = {
    "ordinary": lambda r, n: (r.standard_normal(n) * 10, r.standard_normal(n)),
    "exact multiples": lambda r, n: (r.integers(-50, 50, n) * 0.1, np.full(n, 0.1)),
    "whole numbers": lambda r, n: (r.integers(-50, 50, n), r.integers(1, 9, n)),
    "large quotients": lambda r, n: (r.standard_normal(n) * 1e8, r.standard_normal(n)),
    "huge quotients": lambda r, n: (r.standard_normal(n) * 1e20, r.standard_normal(n)),
    "special values": lambda r, n: (
        r.choice([np.inf, -np.inf, np.nan, 0.0, -0.0, 5.0], n),
        r.choice([np.inf, -np.inf, np.nan, 0.0, -0.0, -3.0], n),
    ),
}


@together()
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod"])
def test_many_quotients_are_those_of_few(case, name):
    a, b = (np.asarray(x, np.float32) for x in CASES[case](np.random.default_rng(0), 6000))
    with np.errstate(all="ignore"):
        found = getattr(cpu, name)(a, b)
        expected = getattr(np, name)(a, b)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, expected)


def test_logaddexp_of_many_is_that_of_few():
    special = np.array([np.inf, -np.inf, 0.0, 1e30, -1e30, 3.0, np.nan], np.float32)
    a, b = (each.ravel() for each in np.meshgrid(special, special))
    with np.errstate(invalid="ignore"):
        few = np.logaddexp(a, b)
    repeats = 200
    found = cpu.logaddexp(np.tile(a, repeats), np.tile(b, repeats))
    np.testing.assert_allclose(found, np.tile(few, repeats), rtol=1e-6)


def test_cofactors_of_sound_and_of_singular_matrices_agree_with_minors():
    random = np.random.default_rng(0)
    sound = random.standard_normal((5, 4, 4)) + 4 * np.eye(4)
    singular = sound.copy()
    singular[2, 0] = singular[2, 1]
    for batch in (sound, singular):
        found = cpu.cofactors(batch)
        for i in range(4):
            for j in range(4):
                minor = np.delete(np.delete(batch, i, 1), j, 2)
                expected = (-1) ** (i + j) * np.linalg.det(minor)
                np.testing.assert_allclose(found[:, i, j], expected, rtol=1e-9, atol=1e-9)

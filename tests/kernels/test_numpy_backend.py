"""How names become kernels, and how kernels are called without warnings."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from threading import Barrier, Thread

import numpy as np
import pytest

from pellucid.kernels.active import cpu
from pellucid.kernels.numpy.backend import NumpyBackend
from pellucid.kernels.numpy.precision import quiet


def test_names_are_numpys_functions_and_kept_on_the_instance():
    backend = NumpyBackend()
    assert "multiply" not in vars(backend)
    assert backend.multiply is np.multiply
    assert vars(backend)["multiply"] is np.multiply
    assert backend.argmax is np.argmax


def test_special_functions_are_kept_on_the_instance():
    backend = NumpyBackend()
    assert backend.digamma is backend.digamma is vars(backend)["digamma"]


def test_a_backend_that_inherits_looks_in_its_own_library():
    class Linear(NumpyBackend):
        arrays = np.linalg

    assert Linear().multi_dot is np.linalg.multi_dot
    assert Linear().softmax is NumpyBackend.softmax


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_kernel"):
        cpu.no_such_kernel


def test_importing_the_backend_does_not_import_scipy():
    code = "import sys, pellucid.kernels.numpy.backend; print('scipy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": ":".join(filter(None, sys.path))},
    )
    assert done.stdout.strip() == "False"


def test_quiet_calls_are_silent_and_leave_the_settings_alone():
    one, zero = np.ones(3), np.zeros(3)
    before = np.geterr()
    with np.errstate(all="raise"):
        assert np.isinf(quiet.run(np.divide, one, zero)).all()
        with pytest.raises(FloatingPointError):
            np.divide(one, zero)
    assert np.geterr() == before


def test_quiet_calls_work_in_several_threads_at_once():
    together, results = Barrier(2), []

    def divide():
        together.wait()
        return np.divide(np.ones(3), 0)

    def work():
        with warnings.catch_warnings():
            results.append(np.isinf(quiet.run(divide)).all())

    threads = [Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True, True]

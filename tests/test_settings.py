"""Settings of the process: what is set can be read back, and wrong values are refused."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import pellucid as torch


def test_the_number_of_threads_is_what_was_set() -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        assert torch.get_num_threads() == 1
        assert torch.ones(64, 64).mm(torch.ones(64, 64))[0, 0].item() == 64
    finally:
        torch.set_num_threads(before)
    for wrong in (0, -1, 1.5, "2"):
        with pytest.raises(RuntimeError, match="set_num_threads expects"):
            torch.set_num_threads(wrong)


def test_threads_between_operations_are_set_once() -> None:
    code = (
        "import pellucid as torch\n"
        "torch.set_num_interop_threads(3)\n"
        "print(torch.get_num_interop_threads())\n"
        "try:\n    torch.set_num_interop_threads(2)\n"
        "except RuntimeError as error:\n    print(error)"
    )
    path = str(torch.__path__[0]) + "/.."
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": path},
    ).stdout  # fmt: skip
    assert told.startswith("3\nError: cannot set number of interop threads after parallel work")


def test_deterministic_algorithms_can_be_asked_for() -> None:
    try:
        torch.use_deterministic_algorithms(True, warn_only=True)
        assert torch.are_deterministic_algorithms_enabled()
        assert torch.is_deterministic_algorithms_warn_only_enabled()
        assert torch.get_deterministic_debug_mode() == 1
        torch.set_deterministic_debug_mode("error")
        assert torch.get_deterministic_debug_mode() == 2
    finally:
        torch.use_deterministic_algorithms(False)
    assert torch.get_deterministic_debug_mode() == 0
    with pytest.raises(TypeError, match="argument 'mode'"):
        torch.use_deterministic_algorithms(1)
    with pytest.raises(RuntimeError, match="expected one of `default`, `warn`, `error`"):
        torch.set_deterministic_debug_mode("x")
    with pytest.raises(RuntimeError, match="expected 0, 1, or 2, but got 4"):
        torch.set_deterministic_debug_mode(4)


def test_the_precision_of_products_is_remembered() -> None:
    torch.set_float32_matmul_precision("high")
    try:
        with pytest.warns(UserWarning, match="is not one of 'highest', 'high', or 'medium'"):
            torch.set_float32_matmul_precision("x")
        assert torch.get_float32_matmul_precision() == "high"
    finally:
        torch.set_float32_matmul_precision("highest")


def test_new_tensors_are_made_on_the_cpu_and_nowhere_else() -> None:
    torch.set_default_device("cpu")
    assert torch.get_default_device() == torch.device("cpu")
    with pytest.raises(RuntimeError, match="not available"):
        torch.set_default_device("cuda")


def test_old_names_of_types_set_the_default_dtype() -> None:
    try:
        torch.set_default_tensor_type(torch.DoubleTensor)
        assert torch.ones(1).dtype == torch.float64
        torch.set_default_tensor_type("torch.FloatTensor")
        assert torch.ones(1).dtype == torch.float32
    finally:
        torch.set_default_dtype(torch.float32)
    with pytest.raises(TypeError, match="only floating-point types"):
        torch.set_default_tensor_type("torch.LongTensor")


def test_types_have_their_names_in_full() -> None:
    assert torch.typename(torch.ones(1)) == "torch.FloatTensor"
    assert torch.typename(3) == "int"

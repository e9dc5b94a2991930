"""What decides which of PyTorch's own tests count, in ``tests/pytorch_files``."""

from __future__ import annotations

import pytest

from tests.pytorch_files.left_out import reason_to_leave_out
from tests.pytorch_files.private import Mentioned, PrivateNameError, module_of_mentions


@pytest.mark.parametrize(
    "test", ["TestAutograd.test_accumulate_grad", "TestIndexingCPU.test_int_cpu"]
)
def test_tests_of_behaviour_count(test):
    assert reason_to_leave_out(test) is None


@pytest.mark.parametrize("test", ["TestTorch.test_save_jit_module", "TestNN.test_conv_cudnn"])
def test_tests_of_internals_are_left_out_with_a_reason(test):
    assert reason_to_leave_out(test)


def test_a_private_name_may_be_mentioned_and_not_called():
    private = module_of_mentions("torch._refs").add
    assert isinstance(private, Mentioned)
    with pytest.raises(PrivateNameError, match=r"torch\._refs\.add is private"):
        private()

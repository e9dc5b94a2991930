"""What modules offer beside layers, under the names by which programs ask for it."""

from __future__ import annotations

import pellucid as torch


def test_the_tools_of_modules_are_an_attribute_of_their_package():
    state = {"module.weight": 1}
    torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
    assert state == {"weight": 1}

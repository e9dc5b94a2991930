"""Every public name on calls of its own: its value in NumPy, its derivatives, its twin."""

from __future__ import annotations

import pytest

from tests.samples.measuring import (
    damage_faults,
    definition_faults,
    derivative_faults,
    layout_faults,
    second_derivative_faults,
    tangent_faults,
)
from tests.samples.names import Call, calls, damaged, wanted

NAMES = [".".join(key) for key in wanted()]
every_name = pytest.mark.parametrize("name", NAMES)

#: names of whose calls none can be said in NumPy, and why
NO_DEFINITION = {
    "drawn at random; test_random_parity.py compares the numbers": """
        rand randn randint randperm normal bernoulli binomial poisson multinomial bernoulli_ cauchy_
        exponential_ geometric_ log_normal_ normal_ random_ uniform_ gumbel_softmax
    """,
    "an object of the library, compared with PyTorch's": """
        device dtype layout memory_format result_type promote_types get_default_dtype
    """,
    "refused, or a context; test_every_name_parity.py compares the errors": """
        cuda pin_memory indices values qscheme load autocast bfloat16
    """,
    "tests/nn/test_transformer.py has the definition": "multi_head_attention_forward",
}


def of(name: str) -> list[Call]:
    place, _, last = name.rpartition(".")
    return calls()[place, last]


@every_name
def test_name_has_calls(name: str) -> None:
    place, _, last = name.rpartition(".")
    assert (place, last) in calls()


@every_name
def test_value_is_what_numpy_gives(name: str) -> None:
    defined = [call for call in of(name) if call.definition]
    if not defined:
        assert name.rpartition(".")[2] in " ".join(NO_DEFINITION.values()).split()
    assert {call.text: wrong for call in defined if (wrong := definition_faults(call))} == {}


@every_name
def test_layout_of_operands_does_not_matter(name: str) -> None:
    assert {call.text: wrong for call in of(name) if (wrong := layout_faults(call))} == {}


@every_name
def test_derivatives_are_those_of_finite_differences(name: str) -> None:
    assert {call.text: wrong for call in of(name) if (wrong := derivative_faults(call))} == {}


@every_name
def test_second_derivatives_are_those_of_finite_differences(name: str) -> None:
    assert {
        call.text: wrong for call in of(name) if (wrong := second_derivative_faults(call))
    } == {}


@every_name
def test_forward_mode_is_that_of_finite_differences(name: str) -> None:
    assert {call.text: wrong for call in of(name) if (wrong := tangent_faults(call))} == {}


@every_name
def test_bad_input_is_refused_and_nothing_changes(name: str) -> None:
    assert {
        text: wrong
        for call in of(name)[:2]
        for text in damaged(call)
        if (wrong := damage_faults(call, text))
    } == {}

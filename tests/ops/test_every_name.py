"""Every public name on calls of its own: its values, derivatives and in-place variant."""

from __future__ import annotations

from tests.samples.grouped import for_each
from tests.samples.measuring import (
    abilities,
    damage_faults,
    definition_faults,
    derivatives,
    layout_faults,
)
from tests.samples.names import Call, calls, damaged, documented, wanted

Key = tuple[str, str]

#: place and name of all that are called alike: ``torch.exp``, ``Tensor.exp``, ``torch.exp_``
ALIKE: dict[str, list[Key]] = {}
for _key in wanted():
    ALIKE.setdefault(_key[1].strip("_"), []).append(_key)
every_name = for_each(({"name": name} for name in ALIKE), lambda member: member["name"][0])

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


#: random numbers of which other ones come where operands lie otherwise, as in PyTorch
DRAWN_IN_MEMORY_ORDER = {"multinomial"}


def of(name: str) -> list[Call]:
    """Return the calls of all names that are called alike."""
    return [call for key in ALIKE[name] for call in calls()[key]]


def test_every_name_has_calls() -> None:
    assert [key for key in wanted() if key not in calls()] == []


@every_name
def test_value_is_what_numpy_gives(name: str) -> None:
    undefined = [
        last
        for place, last in ALIKE[name]
        if not any(call.definition for call in calls()[place, last])
    ]
    assert set(undefined) <= set(" ".join(NO_DEFINITION.values()).split())
    defined = [call for call in of(name) if call.definition]
    assert {call.text: wrong for call in defined if (wrong := definition_faults(call))} == {}


@every_name
def test_layout_of_operands_does_not_matter(name: str) -> None:
    if name not in DRAWN_IN_MEMORY_ORDER:
        assert {call.text: wrong for call in of(name) if (wrong := layout_faults(call))} == {}


@every_name
def test_derivatives_are_those_of_finite_differences_and_the_page_says_so(name: str) -> None:
    found = {call.text: derivatives(call) for call in of(name)}
    assert {text: wrong for text, wrong in found.items() if wrong and any(wrong)} == {}
    measured = {key: abilities(*key) for key in ALIKE[name]}
    assert measured == {key: documented()[key] for key in ALIKE[name]}


@every_name
def test_bad_input_is_refused_and_nothing_changes(name: str) -> None:
    assert {
        text: wrong
        for key in ALIKE[name]
        for call in calls()[key][:2]
        for text in damaged(call)
        if (wrong := damage_faults(call, text))
    } == {}

"""Walk the registry: what every op has to do, tried on every sample of every op."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pellucid as torch
from pellucid.autograd import forward_ad
from pellucid.core.backward.plan import plan_for
from pellucid.core.definition.op import Op, registry
from pellucid.core.families import UNDERIVED
from pellucid.errors import PellucidError
from pellucid.observe import listening
from pellucid.shapes import Meta
from pellucid.testing.compare import mismatch, real_inner, resolution, slope, slopes
from tests.samples.ops import NOT_SMOOTH, ROWS, Sample, on_every_sample, samples
from tests.samples.references import REFERENCES

#: modules whose ops are registered when they are first looked at
MODULES = [torch.nn.functional, torch.linalg, torch.special]

OPS = dict(sorted(registry.items()))
CASES = [(op, sample) for op in OPS.values() for sample in samples(op)]
DERIVED = [
    (op, sample)
    for op, sample in CASES
    if op.formulas and op.name not in NOT_SMOOTH and op.family is not UNDERIVED
]
RTOL, ATOL = 2e-5, 2e-6


def name_of(op: Op) -> str:
    return op.name


every_case = on_every_sample(CASES)
every_derived_case = on_every_sample(DERIVED)


# ---- running an op ----------------------------------------------------------------------------


def flat(operands: tuple[Any, ...]) -> list[Any]:
    return [
        each
        for operand in operands
        for each in (operand if isinstance(operand, list) else [operand])
    ]


def like(operands: tuple[Any, ...], leaves: list[Any]) -> tuple[Any, ...]:
    """Put flat values back into the lists that the operands had."""
    rest = iter(leaves)
    return tuple(
        [next(rest) for _ in operand] if isinstance(operand, list) else next(rest)
        for operand in operands
    )


def differentiable(op: Op, sample: Sample) -> list[bool]:
    """Return for each flat operand whether there is a derivative by it."""
    flags = []
    for operand, value in zip(op.operands, sample.operands, strict=False):
        derived = operand.name in op.formulas and op.family is not UNDERIVED
        flags += [
            derived and isinstance(each, np.ndarray) and each.dtype.kind in "fc"
            for each in (value if isinstance(value, list) else [value])
        ]
    return flags


def tensors_of(op: Op, sample: Sample, requires_grad: bool = True) -> list[Any]:
    """Return flat operands as tensors in memory of their own, those with a derivative as leaves."""
    made = []
    for value, derived in zip(flat(sample.operands), differentiable(op, sample), strict=True):
        if isinstance(value, np.ndarray):
            value = torch.from_numpy(np.array(value, order="K"))
            if derived and requires_grad:
                value.requires_grad_()
        made.append(value)
    return made


def results(op: Op, sample: Sample, tensors: list[Any]) -> list[Any]:
    """Call the op, from the same state of the random numbers each time; return its outputs."""
    torch.manual_seed(0)
    returned = op.apply(like(sample.operands, tensors), sample.params)
    return list(returned) if isinstance(returned, list | tuple) else [returned]


def arrays_of(tensors: list[Any]) -> list[np.ndarray]:
    return [tensor.detach().numpy() for tensor in tensors]


def weights_for(outputs: list[Any], seed: int) -> list[Any]:
    """Return the gradients that come from above."""
    random = np.random.default_rng(seed)
    made = []
    for output in outputs:
        values = random.uniform(0.5, 1.5, output.shape)
        if output.is_complex():
            values = values + 1j * random.uniform(0.5, 1.5, output.shape)
        made.append(torch.from_numpy(np.asarray(values).astype(output.detach().numpy().dtype)))
    return made


def direction_for(arrays: list[np.ndarray], seed: int) -> list[np.ndarray]:
    random = np.random.default_rng(seed)
    made = []
    for array in arrays:
        values = random.uniform(-1, 1, array.shape)
        if array.dtype.kind == "c":
            values = values + 1j * random.uniform(-1, 1, array.shape)
        made.append(np.asarray(values).astype(array.dtype))
    return made


class Run:
    """One recorded call: its leaves, the outputs that have a gradient, and their weights."""

    def __init__(self, op: Op, sample: Sample) -> None:
        self.op, self.sample = op, sample
        self.tensors = tensors_of(op, sample)
        self.outputs = [each for each in results(op, sample, self.tensors) if each.requires_grad]
        self.positions = [
            i for i, each in enumerate(self.tensors)
            if isinstance(each, torch.Tensor) and each.requires_grad
        ]  # fmt: skip
        self.leaves = [self.tensors[i] for i in self.positions]
        self.weights = weights_for(self.outputs, 1)

    def gradients(self, **options: Any) -> list[Any]:
        found = torch.autograd.grad(
            self.outputs, self.leaves, self.weights, allow_unused=True, retain_graph=True, **options
        )
        return [
            torch.zeros_like(leaf) if each is None else each
            for leaf, each in zip(self.leaves, found, strict=True)
        ]

    def at(self, points: list[np.ndarray]) -> list[Any]:
        """Return tensors as the sample has them, with other values for the leaves."""
        tensors = tensors_of(self.op, self.sample, requires_grad=False)
        for position, point in zip(self.positions, points, strict=True):
            tensors[position] = torch.from_numpy(point)
        return tensors

    def values_at(self, points: list[np.ndarray]) -> list[np.ndarray]:
        """Return the differentiable outputs for other values of the leaves."""
        outputs = results(self.op, self.sample, self.at(points))
        return [each.numpy() for each in outputs if each.is_floating_point() or each.is_complex()]

    def gradients_at(self, points: list[np.ndarray], weights: list[np.ndarray]) -> list[np.ndarray]:
        """Return the gradients of an ordinary backward for other leaves and weights."""
        tensors = self.at(points)
        leaves = [tensors[i].requires_grad_() for i in self.positions]
        outputs = [each for each in results(self.op, self.sample, tensors) if each.requires_grad]
        found = torch.autograd.grad(
            outputs, leaves, [torch.from_numpy(each) for each in weights], allow_unused=True
        )
        return [
            np.zeros_like(leaf.detach().numpy()) if each is None else each.numpy()
            for leaf, each in zip(leaves, found, strict=True)
        ]


def close(actual: float, expected: float) -> bool:
    return abs(actual - expected) <= ATOL + RTOL * max(abs(actual), abs(expected))


def one_at_a_time(direction: list[np.ndarray]) -> list[list[np.ndarray]]:
    """Return directions that change one operand each."""
    return [
        [each if i == chosen else np.zeros_like(each) for i, each in enumerate(direction)]
        for chosen in range(len(direction))
    ]


# ---- the table --------------------------------------------------------------------------------


def test_every_op_has_samples() -> None:
    without = [name for name, op in OPS.items() if not samples(op)]
    # transforms alone make the one (tests/func), the other has no values (test_meta.py)
    assert without == ["of_level", "to_meta"]


def test_every_row_belongs_to_an_op() -> None:
    assert sorted(({*ROWS, *REFERENCES, *NOT_SMOOTH}) - set(OPS)) == []


# ---- forward ----------------------------------------------------------------------------------


@on_every_sample([case for case in CASES if case[0].name in REFERENCES])
def test_forward_is_what_a_plain_definition_gives(op: Op, sample: Sample) -> None:
    with np.errstate(all="ignore"):
        expected = REFERENCES[op.name](*sample.operands, **sample.params)
    expected = list(expected) if isinstance(expected, list | tuple) else [expected]
    found = arrays_of(results(op, sample, tensors_of(op, sample)))
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert mismatch(one, np.asarray(other), 1e-9, 1e-12) == ""


@every_case
def test_arrays_give_the_arrays_that_tensors_hold(op: Op, sample: Sample) -> None:
    tensors = arrays_of(results(op, sample, tensors_of(op, sample)))
    torch.manual_seed(0)
    returned = op.apply(sample.operands, sample.params)
    arrays = list(returned) if isinstance(returned, list | tuple) else [returned]
    for one, other in zip(arrays, tensors, strict=False):
        assert mismatch(np.asarray(one), other, 0, 0) == ""


@every_case
def test_operands_are_left_as_they_were(op: Op, sample: Sample) -> None:
    if op.name in STATEFUL:
        pytest.skip(STATEFUL[op.name])
    tensors = tensors_of(op, sample)
    results(op, sample, tensors)
    for tensor, array in zip(tensors, flat(sample.operands), strict=True):
        if isinstance(array, np.ndarray):
            assert mismatch(tensor.detach().numpy(), array, 0, 0) == ""
            assert tensor._version == 0


#: ops that change an operand by definition
STATEFUL: dict[str, str] = {}


@every_case
def test_memory_layout_does_not_matter(op: Op, sample: Sample) -> None:
    if op.name in LAYOUT_MATTERS:
        pytest.skip(LAYOUT_MATTERS[op.name])
    expected = Run(op, sample)
    for layout in (spread_out, column_major):
        run = Run(op, sample.converted(layout))
        for one, other in zip(run.outputs, expected.outputs, strict=True):
            assert mismatch(one.detach().numpy(), other.detach().numpy(), 1e-12, 1e-12) == ""
        if run.outputs and run.leaves:
            pairs = zip(arrays_of(run.gradients()), arrays_of(expected.gradients()), strict=True)
            assert [mismatch(one, other, 1e-11, 1e-11) for one, other in pairs] == [""] * len(
                run.leaves
            )


LAYOUT_MATTERS = {
    "view": "a view of other sizes needs memory that allows it",
    "view_dtype": "reads memory as it lies",
    "view_as_complex": "a pair of numbers has to lie side by side",
}
OWN_DTYPE = {"cast": "gives the dtype it is told", "view_dtype": "gives the dtype it is told"}


def spread_out(array: np.ndarray) -> np.ndarray:
    """Return the values in memory with gaps."""
    if not array.ndim:
        return array
    gaps = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
    gaps[..., ::2] = array
    return gaps[..., ::2]


def column_major(array: np.ndarray) -> np.ndarray:
    return np.array(array, order="F")


@every_case
def test_single_precision_stays_single_precision(op: Op, sample: Sample) -> None:
    if op.name in OWN_DTYPE:
        pytest.skip(OWN_DTYPE[op.name])
    double = Run(op, sample)
    single = Run(op, sample.converted(narrowed))
    precision = 50 * resolution(np.dtype(np.float32))
    for one, other in zip(single.outputs, double.outputs, strict=True):
        expected = narrowed(other.detach().numpy())
        assert mismatch(one.detach().numpy(), expected, precision, precision) == ""
    if single.outputs and single.leaves:
        for one, other in zip(single.gradients(), double.gradients(), strict=True):
            assert mismatch(one.numpy(), narrowed(other.numpy()), precision, precision) == ""


def narrowed(array: np.ndarray) -> np.ndarray:
    kinds = {"f": np.float32, "c": np.complex64}
    return array.astype(kinds.get(array.dtype.kind, array.dtype))


@every_case
def test_the_general_call_gives_what_the_generated_one_gives(op: Op, sample: Sample) -> None:
    usual = Run(op, sample)
    usual_results = arrays_of(results(op, sample, usual.tensors))
    with listening(lambda event, subject: None):
        general = Run(op, sample)
        general_results = arrays_of(results(op, sample, general.tensors))
    for one, other in zip(general_results, usual_results, strict=True):
        assert mismatch(one, other, 0, 0) == ""
    assert len(general.outputs) == len(usual.outputs)
    for one, other in zip(general.outputs, usual.outputs, strict=True):
        assert one.grad_fn.name() == other.grad_fn.name()
        assert one.grad_fn.plan.saved_names == other.grad_fn.plan.saved_names
    if usual.outputs:
        pairs = zip(arrays_of(general.gradients()), arrays_of(usual.gradients()), strict=True)
        assert all(mismatch(one, other, 0, 0) == "" for one, other in pairs)


@every_case
def test_nothing_is_recorded_under_no_grad(op: Op, sample: Sample) -> None:
    with torch.no_grad():
        outputs = results(op, sample, tensors_of(op, sample))
    assert [each.grad_fn for each in outputs] == [None] * len(outputs)
    # a view requires grad as its base does, though no gradient comes that way
    for each in outputs:
        has_slope = each.is_floating_point() or each.is_complex()
        assert each.requires_grad is (op.family.view and has_slope)


# ---- reverse mode -----------------------------------------------------------------------------


def check_first_order(op: Op, sample: Sample) -> None:
    run = Run(op, sample)
    assert run.outputs
    points, weights = arrays_of(run.leaves), arrays_of(run.weights)
    found = arrays_of(run.gradients())
    for leaf, gradient in zip(points, found, strict=True):
        assert (gradient.shape, gradient.dtype) == (leaf.shape, leaf.dtype)
    for direction in one_at_a_time(direction_for(points, 2)):
        expected = slope(lambda at: real_inner(weights, run.values_at(at)), points, direction)
        assert close(real_inner(found, direction), expected)


def check_second_order(op: Op, sample: Sample) -> None:
    """Differentiate the gradients by leaves and by the weights; compare with moving those."""
    run = Run(op, sample)
    for weight in run.weights:
        weight.requires_grad_()
    first = run.gradients(create_graph=True)
    assert all(mismatch(a.detach().numpy(), b, 1e-9, 1e-11) == "" for a, b in zip(
        first, run.gradients_at(arrays_of(run.leaves), arrays_of(run.weights)), strict=True
    ))  # fmt: skip
    recorded = [i for i, each in enumerate(first) if each.requires_grad]
    above = direction_for(arrays_of(first), 3)
    variables = [*run.leaves, *run.weights]
    points = arrays_of(variables)
    found = [np.zeros_like(each) for each in points]
    if recorded:
        second = torch.autograd.grad(
            [first[i] for i in recorded], variables,
            [torch.from_numpy(above[i]) for i in recorded], allow_unused=True,
        )  # fmt: skip
        found = [z if g is None else g.numpy() for z, g in zip(found, second, strict=True)]
    count = len(run.leaves)

    def measure(at: list[np.ndarray]) -> float:
        return real_inner(above, run.gradients_at(at[:count], at[count:]))

    for direction in one_at_a_time(direction_for(points, 4)):
        assert close(real_inner(found, direction), slope(measure, points, direction, 1e-5))


@every_derived_case
def test_gradient_is_that_of_finite_differences(op: Op, sample: Sample) -> None:
    check_first_order(op, sample)


@every_derived_case
def test_second_gradient_is_that_of_finite_differences(op: Op, sample: Sample) -> None:
    check_second_order(op, sample)


def complex_sample(op: Op, sample: Sample) -> Sample | None:
    """Return the sample with complex numbers; None where the op does not take them."""
    random = np.random.default_rng(5)

    def turned(array: np.ndarray) -> np.ndarray:
        if array.dtype.kind != "f":
            return array
        return np.asarray(array + 0.3j * random.uniform(-1, 1, array.shape))

    made = sample.converted(turned)
    try:
        outputs = results(op, made, tensors_of(op, made, requires_grad=False))
    except PellucidError:
        return None
    return made if any(each.is_complex() or each.is_floating_point() for each in outputs) else None


@pytest.mark.filterwarnings("ignore:Casting complex values to real")
@every_derived_case
def test_gradients_of_complex_numbers_are_those_of_finite_differences(
    op: Op, sample: Sample
) -> None:
    made = complex_sample(op, sample)
    if made is None:
        pytest.skip("takes no complex numbers")
    check_first_order(op, made)
    check_second_order(op, made)


# ---- forward mode -----------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:Casting complex values to real")
@every_derived_case
def test_forward_mode_is_that_of_finite_differences(op: Op, sample: Sample) -> None:
    for made in (sample, complex_sample(op, sample)):
        if made is not None:
            check_tangents(op, made)


def check_tangents(op: Op, sample: Sample) -> None:
    run = Run(op, sample)
    points = arrays_of(run.leaves)
    for direction in [direction_for(points, 6), *one_at_a_time(direction_for(points, 7))]:
        expected = slopes(run.values_at, points, direction)
        with forward_ad.dual_level():
            outputs = tangents_along(run, points, direction, requires_grad=False)
            pairs = [forward_ad.unpack_dual(each) for each in outputs]
            found = [
                np.zeros_like(primal.numpy()) if tangent is None else tangent.numpy()
                for primal, tangent in pairs
            ]
        assert [mismatch(a, b, 1e-5, 1e-6) for a, b in zip(found, expected, strict=True)] == [
            ""
        ] * len(found)


def tangents_along(
    run: Run, points: list[np.ndarray], direction: list[np.ndarray], requires_grad: bool
) -> list[Any]:
    """Call the op on dual numbers; return the outputs that can have tangents."""
    tensors = run.at(points)
    for position, way in zip(run.positions, direction, strict=True):
        primal = tensors[position].requires_grad_(requires_grad)
        tensors[position] = forward_ad.make_dual(primal, torch.from_numpy(way))
    outputs = results(run.op, run.sample, tensors)
    return [each for each in outputs if each.is_floating_point() or each.is_complex()]


@every_derived_case
def test_forward_over_reverse_is_that_of_finite_differences(op: Op, sample: Sample) -> None:
    run = Run(op, sample)
    points, weights = arrays_of(run.leaves), arrays_of(run.weights)
    direction = direction_for(points, 8)
    expected = slopes(lambda at: run.gradients_at(at, weights), points, direction, 1e-5)
    with forward_ad.dual_level():
        tensors = run.at(points)
        for position, way in zip(run.positions, direction, strict=True):
            tensors[position] = forward_ad.make_dual(
                tensors[position].requires_grad_(), torch.from_numpy(way)
            )
        outputs = [each for each in results(op, sample, tensors) if each.requires_grad]
        leaves = [tensors[i] for i in run.positions]
        gradients = torch.autograd.grad(
            outputs, leaves, run.weights, create_graph=True, allow_unused=True
        )
        found = [tangent_or_zeros(each, leaf) for each, leaf in zip(gradients, leaves, strict=True)]
    assert [mismatch(a, b, 1e-5, 1e-5) for a, b in zip(found, expected, strict=True)] == [""] * len(
        found
    )


def tangent_or_zeros(tensor: Any, leaf: Any) -> np.ndarray:
    tangent = None if tensor is None else forward_ad.unpack_dual(tensor).tangent
    return np.zeros_like(leaf.detach().numpy()) if tangent is None else tangent.detach().numpy()


# ---- what is saved ----------------------------------------------------------------------------


def asked_for(op: Op, needed: list[str]) -> set[str]:
    """Return whose values the formulas of these operands name as their parameters."""
    kept = {*(operand.name for operand in op.operands), *op.outputs} - {"g"}
    asked = set()
    for name in needed:
        for parameter in inspect.signature(op.formulas[name].function).parameters.values():
            if parameter.name in kept and not str(parameter.annotation).endswith("Like"):
                asked.add(parameter.name)
    return asked


@every_derived_case
def test_what_is_saved_is_what_the_formulas_name_and_is_gone_after_backward(
    op: Op, sample: Sample
) -> None:
    names = list(op.formulas)
    for chosen in [[name] for name in names] + [names]:
        check_saved(op, sample, chosen)


def check_saved(op: Op, sample: Sample, chosen: list[str]) -> None:
    tensors = like(sample.operands, tensors_of(op, sample, requires_grad=False))
    needed = []
    for operand, value in zip(op.operands, tensors, strict=False):
        if operand.name in chosen and can_require_grad(value):
            needed.append(operand.name)
            for each in value if isinstance(value, list) else [value]:
                each.requires_grad_()
    if not needed:
        return
    torch.manual_seed(0)
    returned = op.apply(tensors, sample.params)
    outputs = list(returned) if isinstance(returned, list | tuple) else [returned]
    recorded = [each for each in outputs if each.requires_grad]
    node = recorded[0].grad_fn
    flags = tuple(operand.name in needed for operand in op.operands)
    values = {w.name for w in plan_for(op, flags).saves if w.saved}
    kept = {each.name for each in op.kept if each.name in needed or each.name not in op.formulas}
    assert values == asked_for(op, needed) | kept
    assert len(node.saved or ()) == len(plan_for(op, flags).saves)
    for want, (value, _, _) in zip(plan_for(op, flags).saves, node.saved or (), strict=True):
        assert isinstance(value, Meta) == (want.kind == "like")
    torch.autograd.backward(recorded, weights_for(recorded, 9))
    assert not isinstance(node.saved, tuple)


def can_require_grad(value: Any) -> bool:
    parts = value if isinstance(value, list) else [value]
    return all(
        isinstance(part, torch.Tensor) and (part.is_floating_point() or part.is_complex())
        for part in parts
    )


# ---- in-place variants ------------------------------------------------------------------------


def in_place_variant_of(op: Op) -> Callable[..., Any] | None:
    return getattr(torch.Tensor, f"{op.name}_", None)


IN_PLACE = [
    (op, sample)
    for op, sample in CASES
    if in_place_variant_of(op) and not op.variadic and not op.family.view and op.operands
]
every_in_place = on_every_sample(IN_PLACE)


def expected_in_place(op: Op, sample: Sample) -> np.ndarray:
    """Return what the op gives; skip where that has no place in the first operand."""
    first = sample.operands[0]
    outputs = results(op, sample, tensors_of(op, sample, requires_grad=False))
    out = outputs[0].detach().numpy()
    if len(outputs) > 1 or (out.shape, out.dtype) != (first.shape, first.dtype):
        pytest.skip("the result has another shape or dtype")
    return out


@every_in_place
def test_in_place_in_place_gives_what_the_op_gives(op: Op, sample: Sample) -> None:
    check_in_place(op, sample)


@every_in_place
def test_in_place_in_place_gives_what_the_op_gives_for_complex_numbers(
    op: Op, sample: Sample
) -> None:
    made = complex_sample(op, sample)
    if made is None:
        pytest.skip("takes no complex numbers")
    check_in_place(op, made)


def check_in_place(op: Op, sample: Sample) -> None:
    plain = expected_in_place(op, sample)
    expected, run = Run(op, sample), Run(op, sample)
    first, *others = like(sample.operands, run.tensors)
    target = first.clone()
    torch.manual_seed(0)
    args, named = op.arguments((target, *others), sample.params)
    returned = in_place_variant_of(op)(*args, **named)
    assert returned is target
    assert target._version == 1
    assert mismatch(target.detach().numpy(), plain, 1e-15, 0) == ""
    if not expected.outputs:
        return
    assert target.requires_grad
    found = torch.autograd.grad(target, run.leaves, run.weights, allow_unused=True)
    for one, other, leaf in zip(found, expected.gradients(), run.leaves, strict=True):
        one = torch.zeros_like(leaf) if one is None else one
        assert mismatch(one.numpy(), other.numpy(), 1e-12, 1e-12) == ""


@every_in_place
def test_in_place_in_place_changes_a_view_and_its_base(op: Op, sample: Sample) -> None:
    plain = expected_in_place(op, sample)
    expected, run = Run(op, sample), Run(op, sample)
    first, *others = like(sample.operands, run.tensors)
    base = torch.stack([first, torch.zeros_like(first)])
    torch.manual_seed(0)
    args, named = op.arguments((base[0], *others), sample.params)
    in_place_variant_of(op)(*args, **named)
    assert mismatch(base[0].detach().numpy(), plain, 1e-15, 0) == ""
    if expected.outputs:
        found = torch.autograd.grad(base[0], run.leaves, run.weights, allow_unused=True)
        for one, other, leaf in zip(found, expected.gradients(), run.leaves, strict=True):
            one = torch.zeros_like(leaf) if one is None else one
            assert mismatch(one.numpy(), other.numpy(), 1e-12, 1e-12) == ""


def takes_floats(op: Op) -> bool:
    first = samples(op)[0].operands
    return all(each.dtype.kind == "f" for each in flat(first) if each is not None)


BINARY_TWINS = [
    op
    for op in OPS.values()
    if op.promotes
    and in_place_variant_of(op)
    and len(op.operands) > 1
    and samples(op)
    and takes_floats(op)
]


@pytest.mark.parametrize("op", BINARY_TWINS, ids=name_of)
def test_in_place_in_place_that_cannot_take_the_result_changes_nothing(op: Op) -> None:
    others = [torch.full((4, 3), 0.5, dtype=torch.float64) for _ in op.operands[1:]]
    leaf = torch.full((3,), 0.5, dtype=torch.float64, requires_grad=True)
    target = leaf * 1
    node = target.grad_fn
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        in_place_variant_of(op)(target, *others)
    assert target.tolist() == [0.5] * 3
    assert target._version == 0
    assert target.grad_fn is node


# ---- bad input --------------------------------------------------------------------------------

BROADCASTING = [
    op
    for op in OPS.values()
    if op.promotes and len(op.operands) == 2 and all(param.has_default for param in op.params)
]


@pytest.mark.parametrize("op", BROADCASTING, ids=name_of)
def test_shapes_that_do_not_meet_are_named_and_nothing_changes(op: Op) -> None:
    first = torch.ones(2, 3, requires_grad=True)
    with pytest.raises(
        RuntimeError,
        match=r"The size of tensor a \(3\) must match the size of tensor b \(4\) at non-",
    ):
        op.function(first, torch.ones(4))
    assert first.grad is None
    assert first._version == 0
    assert first.is_leaf


def refuses_objects(op: Op) -> bool:
    required = [param for param in op.params if not param.has_default]
    operands = [object() for operand in op.operands if not operand.optional]
    try:
        op.apply(operands, {param.name: None for param in required})
    except TypeError:
        return True
    return False


def test_something_that_is_no_tensor_is_refused() -> None:
    ops = [op for op in OPS.values() if op.operands and not op.variadic]
    assert [op.name for op in ops if not refuses_objects(op)] == []

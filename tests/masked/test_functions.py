"""Masked reductions and normalizations, against NumPy's masked arrays and SciPy."""

import numpy as np
import pytest
import scipy.special

import pellucid as torch

VALUES = np.random.default_rng(0).normal(size=(3, 4, 5))
MASK = np.random.default_rng(1).random((3, 4, 5)) < 0.7
EXPECTED = np.ma.array(VALUES, mask=~MASK)


@pytest.mark.parametrize("name", ["sum", "prod", "mean"])
@pytest.mark.parametrize("dim", [None, 0, -1, (0, 2)])
@pytest.mark.parametrize("keepdim", [False, True])
def test_reductions_are_those_of_masked_arrays(name, dim, keepdim):
    result = getattr(torch.masked, name)(
        torch.tensor(VALUES), dim, keepdim=keepdim, mask=torch.tensor(MASK)
    )
    expected = EXPECTED
    axes = range(3) if dim is None else sorted({d % 3 for d in np.atleast_1d(dim)})
    if name == "mean":
        expected = EXPECTED.mean(tuple(axes), keepdims=keepdim)
    else:
        for axis in reversed(axes):
            expected = getattr(expected, name)(axis, keepdims=keepdim)
    of_nothing = {"sum": 0, "prod": 1, "mean": np.nan}[name]
    np.testing.assert_allclose(result.numpy(), np.ma.filled(expected, of_nothing))


@pytest.mark.parametrize(("name", "there"), [("amax", "max"), ("amin", "min")])
def test_extremes_and_their_indices_are_those_of_masked_arrays(name, there):
    mask = torch.tensor(MASK)
    result = getattr(torch.masked, name)(torch.tensor(VALUES), 1, mask=mask)
    np.testing.assert_array_equal(result.numpy(), getattr(EXPECTED, there)(1).filled(np.nan))
    index = getattr(torch.masked, f"arg{there}")(torch.tensor(VALUES), 1, mask=mask)
    np.testing.assert_array_equal(index.numpy(), getattr(EXPECTED, f"arg{there}")(1))


@pytest.mark.parametrize("correction", [0, 1])
@pytest.mark.parametrize("dim", [None, 1])
def test_variances_are_those_of_masked_arrays(correction, dim):
    arguments = {"correction": correction, "mask": torch.tensor(MASK)}
    for name in ("var", "std"):
        result = getattr(torch.masked, name)(torch.tensor(VALUES), dim, **arguments)
        expected = getattr(EXPECTED, name)(dim, ddof=correction)
        np.testing.assert_allclose(result.numpy(), np.ma.filled(expected, np.nan))


def test_medians_and_norms_are_those_of_what_is_left():
    values, mask = torch.tensor(VALUES[0]), torch.tensor(MASK[0])
    for row, kept, median, norm in zip(
        VALUES[0], MASK[0], torch.masked.median(values, 1, mask=mask),
        torch.masked.norm(values, 3, 1, mask=mask), strict=True,
    ):  # fmt: skip
        left = np.sort(row[kept])
        assert median.item() == left[(len(left) - 1) // 2]
        np.testing.assert_allclose(norm.item(), np.linalg.norm(left, 3))


def test_softmax_is_that_of_what_is_left():
    values, mask = torch.tensor(VALUES[0]), torch.tensor(MASK[0])
    soft = torch.masked.softmax(values, 1, mask=mask)
    least = torch.masked.softmin(values, 1, mask=mask)
    logarithms = torch.masked.log_softmax(values, 1, mask=mask)
    total = torch.masked.logsumexp(values, 1, mask=mask)
    for index, (row, kept) in enumerate(zip(VALUES[0], MASK[0], strict=True)):
        np.testing.assert_allclose(soft[index].numpy()[kept], scipy.special.softmax(row[kept]))
        np.testing.assert_allclose(least[index].numpy()[kept], scipy.special.softmax(-row[kept]))
        np.testing.assert_allclose(
            logarithms[index].numpy()[kept], scipy.special.log_softmax(row[kept])
        )
        np.testing.assert_allclose(total[index].item(), scipy.special.logsumexp(row[kept]))
    assert (soft.numpy()[~MASK[0]] == 0).all()


def test_running_sums_and_products_pass_over_what_is_hidden():
    values, mask = torch.tensor(VALUES), torch.tensor(MASK)
    np.testing.assert_allclose(
        torch.masked.cumsum(values, 2, mask=mask).numpy(), np.cumsum(EXPECTED.filled(0), 2)
    )
    np.testing.assert_allclose(
        torch.masked.cumprod(values, 2, mask=mask).numpy(), np.cumprod(EXPECTED.filled(1), 2)
    )


def test_normalized_vectors_have_length_one():
    values, mask = torch.tensor(VALUES), torch.tensor(MASK)
    lengths = (torch.masked.normalize(values, 2.0, 2, mask=mask) ** 2).sum(2)
    np.testing.assert_allclose(lengths.numpy(), 1)


def test_logaddexp_adds_what_takes_part():
    first, second = torch.tensor(VALUES[0]), torch.tensor(VALUES[1])
    result = torch.masked.logaddexp(
        first, second, input_mask=torch.tensor(MASK[0]), other_mask=torch.tensor(MASK[1])
    )
    with np.errstate(divide="ignore"):
        expected = np.log(np.exp(VALUES[0]) * MASK[0] + np.exp(VALUES[1]) * MASK[1])
    np.testing.assert_allclose(result.numpy(), expected)


def test_what_is_hidden_gets_no_gradient():
    values = torch.tensor(VALUES, requires_grad=True)
    torch.masked.mean(values, mask=torch.tensor(MASK)).backward()
    np.testing.assert_allclose(values.grad.numpy(), MASK / MASK.sum())


def test_a_mask_is_broadcast():
    mask = torch.tensor([True, False, True])
    result = torch.masked.sum(torch.ones(2, 3), 1, mask=mask)
    assert result.tolist() == [2.0, 2.0]


def test_where_nothing_takes_part_there_is_no_mean():
    hidden = torch.zeros(2, dtype=torch.bool)
    assert torch.masked.mean(torch.ones(2), mask=hidden).isnan()
    assert torch.masked.amax(torch.ones(2), mask=hidden).item() == -np.inf
    with pytest.raises(ValueError, match="no fully masked out rows"):
        torch.masked.median(torch.ones(2, dtype=torch.int64), mask=hidden)


@pytest.mark.parametrize(
    ("error", "text", "arguments"),
    [
        (IndexError, "higher than of the input", {"mask": torch.ones(1, 2, 2, dtype=torch.bool)}),
        (TypeError, "must be a tensor of booleans", {"mask": [True]}),
        (IndexError, "Dimension out of range", {"dim": 2}),
        (RuntimeError, "appears multiple times", {"dim": (0, -2)}),
    ],
)
def test_masks_and_dimensions_that_do_not_fit_are_refused(error, text, arguments):
    with pytest.raises(error, match=text):
        torch.masked.sum(torch.ones(2, 2), **arguments)


@pytest.mark.parametrize("name", ["sum", "prod", "amax", "amin", "norm", "logsumexp"])
def test_the_identity_of_a_reduction_changes_nothing(name):
    values = torch.tensor(VALUES[0, 0])
    identity = torch.masked._reduction_identity(name, values)
    reduce = getattr(torch.masked, name)
    longer = torch.cat([values, identity[None]])
    np.testing.assert_allclose(reduce(longer).item(), reduce(values).item())


def test_there_is_no_identity_of_a_mean():
    assert torch.masked._reduction_identity("mean", torch.ones(1)) is None


def test_a_reduction_has_a_result_where_anything_takes_part():
    mask = torch.tensor([[True, False], [False, False]])
    values = torch.ones(2, 2)
    assert torch.masked._output_mask(torch.masked.sum, values, 1, mask=mask).tolist() == [
        True, False,
    ]  # fmt: skip
    assert torch.masked._output_mask(torch.masked.cumsum, values, 1, mask=mask).equal(mask)

"""Operations that a program defines are public in every way that those of the library are."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import pellucid as torch
from pellucid.core.definition.op import registry
from pellucid.core.definition.public import METHODS, public_names
from pellucid.define import elementwise, public

PAGE = Path(__file__).resolve().parents[2] / "docs" / "own-op.md"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

PROGRAM = '''
import numpy as np
import pellucid as torch
from pellucid.define import (
    CASTING, EXACT, FLOAT_MATH, Autocast, Batch, Like, elementwise, linear, public
)


@public(method=True, inplace=True, out=CASTING)
@elementwise
def own_cube(be, input, /, scale=1.0):
    """Raise to the third power."""
    return scale * input * input * input


@own_cube.partial("input")
def own_cube_slope(input, scale):
    return 3 * scale * input * input


@public(method=True, out=CASTING)
@linear(batch=Batch.OVER_DIMS)
def own_total(be, input, /, dim=0):
    """Add up along a dimension."""
    return be.sum(input, axis=dim)


@own_total.vjp("input")
def own_total_input(g, input: Like, dim):
    return torch.broadcast_to(torch.unsqueeze(g, dim), input.shape)


@public(method="own_mean_cube", inplace=True, out=EXACT, keeps_input=True)
def own_composite(input, scale: float = 1.0):
    """Return the mean of the third powers, in every element."""
    return own_cube(input, scale).mean() + 0 * input


def kernel(array):
    return np.arctan(np.sinh(array))


@public(method=True, inplace=True, out=CASTING)
@elementwise(dtypes=FLOAT_MATH, autocast=Autocast.FLOAT32)
def own_kernel(be, input, /):
    """Return the Gudermannian function."""
    return kernel(input)


@own_kernel.partial("input")
def own_kernel_slope(input):
    return 1 / torch.cosh(input)
'''

REFERENCES = {
    "own_cube": lambda array: array**3,
    "own_total": lambda array: array.sum(0),
    "own_composite": lambda array: np.full_like(array, (array**3).mean()),
    "own_kernel": lambda array: 2 * np.arctan(np.tanh(array / 2)),
}
METHOD = {name: name for name in REFERENCES} | {"own_composite": "own_mean_cube"}
WITH_VARIANT = ["own_cube", "own_composite", "own_kernel"]
every_kind = pytest.mark.parametrize("name", REFERENCES)


@pytest.fixture(autouse=True)
def _leaves_nothing() -> Iterator[None]:
    """Take back what a test declares."""
    ops, places = set(registry), {place: dict(names) for place, names in public_names.items()}
    yield
    for name in set(registry) - ops:
        del registry[name]
    for name in set(public_names[METHODS]) - set(places[METHODS]):
        delattr(torch.Tensor, name)
    for place in list(public_names):
        if place in places:
            public_names[place] = places[place]
        else:
            del public_names[place]


@pytest.fixture
def own(tmp_path: Path) -> ModuleType:
    """Return a module with an op of each kind, read from a file of its own."""
    (tmp_path / "own_ops.py").write_text(PROGRAM, "utf-8")
    spec = importlib.util.spec_from_file_location("own_ops", tmp_path / "own_ops.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def x() -> torch.Tensor:
    values = [[0.3, -1.2, 0.7], [1.1, 0.4, -0.5]]
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


@every_kind
def test_the_function_and_the_method_compute_it(own, x, name) -> None:
    expected = REFERENCES[name](x.detach().numpy())
    np.testing.assert_allclose(getattr(own, name)(x).detach().numpy(), expected)
    np.testing.assert_allclose(getattr(x, METHOD[name])().detach().numpy(), expected)


@pytest.mark.parametrize("name", WITH_VARIANT)
def test_the_in_place_variant_writes_and_is_recorded(own, x, name) -> None:
    def in_place(tensor):
        return getattr(tensor * 1, f"{METHOD[name]}_")()

    given = x.detach().clone()
    assert getattr(given, f"{METHOD[name]}_")() is given
    np.testing.assert_allclose(given.numpy(), REFERENCES[name](x.detach().numpy()))
    assert torch.autograd.gradcheck(in_place, (x,))


@every_kind
def test_the_result_may_be_written_into_a_tensor(own, x, name) -> None:
    function, given = getattr(own, name), x.detach()
    place = torch.empty_like(function(given))
    assert function(given, out=place) is place
    np.testing.assert_allclose(place.numpy(), REFERENCES[name](given.numpy()))


@every_kind
def test_first_second_and_forward_derivatives_agree_with_finite_differences(own, x, name) -> None:
    function = getattr(own, name)
    assert torch.autograd.gradcheck(function, (x,), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(function, (x,), fast_mode=True)


@every_kind
def test_vmap_gives_the_result_of_each_sample(own, x, name) -> None:
    function, batch = getattr(own, name), x.detach()
    each = torch.stack([function(row) for row in batch])
    np.testing.assert_allclose(torch.func.vmap(function)(batch).numpy(), each.numpy())


@every_kind
def test_it_computes_under_autocast(own, x, name) -> None:
    given = x.detach().float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        result = getattr(own, name)(given)
    np.testing.assert_allclose(result.numpy(), REFERENCES[name](given.numpy()), rtol=1e-5)


def test_autocast_computes_an_op_in_the_dtype_that_it_declares(own) -> None:
    half = torch.tensor([0.5], dtype=torch.bfloat16)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert own.own_kernel(half).dtype is torch.float32
        assert own.own_cube(half).dtype is torch.bfloat16


@every_kind
def test_a_wrong_argument_is_named(own, name) -> None:
    with pytest.raises(
        TypeError, match="argument 'input' \\(position 1\\) must be Tensor, not str"
    ):
        getattr(own, name)("a")


def test_a_method_of_tensor_is_not_replaced() -> None:
    with pytest.raises(TypeError, match=r"add is .* already"):
        public(method="add")(lambda input: input)
    with pytest.raises(TypeError, match="'detach' already"):
        public(method="detach")(lambda input: input)


def test_a_definition_can_be_run_again() -> None:
    for factor in (1, 2):

        @public(method=True)
        @elementwise
        def own_again(be, input, /, factor=factor):
            """Multiply by a factor."""
            return be.multiply(input, factor)

        assert torch.ones(1).own_again().item() == factor


def test_an_op_with_the_name_of_another_is_computed_by_its_own_body(monkeypatch) -> None:
    monkeypatch.setitem(registry, "square", registry["square"])

    @elementwise
    def square(be, input, /):
        """Return one more than the square."""
        return be.multiply(input, input) + 1

    assert square(torch.tensor([2.0])).item() == 5


def test_the_page_prints_what_it_says(tmp_path: Path) -> None:
    blocks = BLOCK.findall(PAGE.read_text("utf-8"))
    program = "\n".join(text for kind, text in blocks if kind == "python")
    (tmp_path / "own.py").write_text(program, "utf-8")
    environment = os.environ | {"PYTHONPATH": str(PAGE.parents[1] / "src")}
    run = subprocess.run(
        [sys.executable, "own.py"], cwd=tmp_path, capture_output=True, text=True, check=False,
        env=environment,
    )  # fmt: skip
    assert run.stdout == "".join(text for kind, text in blocks if kind == "text"), run.stderr

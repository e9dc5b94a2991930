"""Comparing derivatives with finite differences: ``gradcheck`` and ``gradgradcheck``."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from pellucid.autograd import forward_ad
from pellucid.autograd.backward import grad
from pellucid.autograd.function import Function
from pellucid.autograd.short_tracebacks import shortening
from pellucid.autograd.sites import user_stacklevel
from pellucid.core.call.call import new_tensor
from pellucid.core.memory.memory_formats import strided
from pellucid.docstrings import sections_of
from pellucid.dtypes import is_complex_dtype
from pellucid.errors import ArgumentError, GraphError
from pellucid.tensors import Tensor

Array = np.ndarray[Any, Any]


class GradcheckError(GraphError):
    """A derivative differs from finite differences, or does not have the form that it should.

    Wrong: a ``backward`` that returns ``g * x`` for a function whose derivative is ``2 * x``.
    Right: look at the two Jacobians in the message; they show which elements differ.
    """


#: the seeds of the random directions of fast mode
INPUT, OUTPUT = 0, 1


class _Check:
    """One function with its inputs, and what differences between derivatives are allowed."""

    def __init__(
        self, func: Callable[..., Any], inputs: Any, eps: float, atol: float, rtol: float,
        nondet_tol: float, fast_mode: bool,
    ) -> None:  # fmt: skip
        given = tuple(inputs) if isinstance(inputs, Sequence) else (inputs,)
        self.func, self.inputs = _of_values(func, given)
        self.eps, self.atol, self.rtol = eps, atol, rtol
        self.nondet_tol = nondet_tol
        self.fast_mode = fast_mode
        self.checked = [
            (position, each)
            for position, each in enumerate(self.inputs)
            if isinstance(each, Tensor) and each.requires_grad
        ]
        self._refuse_bad_inputs()

    def _refuse_bad_inputs(self) -> None:
        if not self.checked:
            raise ArgumentError(
                "gradcheck expects at least one input tensor to require gradient, "
                "but none of the them have requires_grad=True."
            )
        for position, tensor in self.checked:
            if tensor._array.dtype not in (np.float64, np.complex128):
                warnings.warn(
                    f"Input #{position} requires gradient and is not a double precision floating "
                    "point or complex. This check will likely fail if all the inputs are not of "
                    "double precision floating point or complex. ",
                    stacklevel=4,
                )
            strides = zip(tensor.stride(), tensor.shape, strict=True)
            if any(stride == 0 and size > 1 for stride, size in strides):
                raise GraphError(
                    f"The {position}th input has a dimension with stride 0. gradcheck only "
                    "supports "
                    "inputs that are non-overlapping to be able to compute the numerical gradients "
                    "correctly. You should call .contiguous on the input before passing it to "
                    "gradcheck."
                )

    def outputs(self) -> list[Any]:
        """Call the function, and return its outputs that can have a gradient."""
        returned = self.func(*self.inputs)
        values = list(returned) if isinstance(returned, tuple | list) else [returned]
        return [v for v in values if isinstance(v, Tensor) and v._array.dtype.kind in "fc"]

    def values(self) -> list[Array]:
        """Call the function and return copies of what its outputs hold."""
        return [np.array(output._array) for output in self.outputs()]

    def run(
        self, undefined: bool, forward: bool, backward: bool, batched: bool, batched_forward: bool
    ) -> None:
        """Raise `GradcheckError` at the first difference."""
        outputs = self.outputs()
        if not any(output.requires_grad for output in outputs):
            self._check_constant()
            return
        for position, tensor in self.checked:
            numerical = self._numerical(tensor)
            if backward:
                for number, output in enumerate(outputs):
                    analytical = self._analytical(output, tensor)
                    self._compare("Jacobian", number, position, numerical[number], analytical)
            if forward:
                for number, analytical in enumerate(self._by_forward_mode(tensor)):
                    self._compare(
                        "Jacobian computed with forward mode",
                        number,
                        position,
                        numerical[number],
                        analytical,
                    )
        if backward:
            self._check_form(outputs)
        if batched:
            self._check_batched(outputs)
        if undefined:
            self._check_undefined(outputs)

    def _check_constant(self) -> None:
        for position, tensor in self.checked:
            for number, column in enumerate(self._numerical(tensor)):
                if np.any(np.abs(column) > self.atol):
                    raise GradcheckError(
                        f"Numerical gradient for function expected to be zero: output {number} has "
                        f"no graph, yet it changes with input {position}"
                    )

    # Jacobians have one row per element of the input, and one column per element of the output, as
    # PyTorch prints them. Of a complex number the real and the imaginary part are two elements, so
    # complex functions need no rules of their own: what is compared is the derivative of real and
    # imaginary parts by real and imaginary parts.
    #
    # Fast mode goes along one random direction of the input, and backward from one of the output:
    # of the Jacobian it is the one number between these two that is compared. The two are drawn
    # apart: between a direction and itself a matrix and its transpose have the same number.

    def _directions(self, array: Array, seed: int) -> list[Array]:
        """Return the directions to go in: along each element, or one at random."""
        if not self.fast_mode or not array.size:
            return list(_unit_directions(array))
        random = np.random.default_rng(seed)
        direction = random.standard_normal(array.shape).astype(array.dtype)
        if is_complex_dtype(array.dtype):
            direction += 1j * random.standard_normal(array.shape)
        return [np.asarray(direction / np.linalg.norm(direction))]

    def _along(self, rows: Array, array: Array, seed: int) -> Array:
        """Return the components of rows, each as long as an array, in the directions of it."""
        if not self.fast_mode or not array.size:
            return rows
        return rows @ np.stack([_parts(each) for each in self._directions(array, seed)], axis=1)

    def _numerical(self, tensor: Any) -> list[Array]:
        """Return by central differences one Jacobian per output."""
        columns: list[list[Array]] = []
        for direction in self._directions(tensor._array, INPUT):
            before = np.array(tensor._array)
            tensor._array[...] = before + self.eps * direction
            high = self.values()
            tensor._array[...] = before - self.eps * direction
            low = self.values()
            tensor._array[...] = before
            _require_alike(low, high)
            columns.append([(b - a) / (2 * self.eps) for a, b in zip(low, high, strict=True)])
        if not columns:
            return [np.zeros((0, _parts(each).size)) for each in self.values()]
        return [
            self._along(np.stack([_parts(each) for each in rows]), rows[0], OUTPUT)
            for rows in zip(*columns, strict=True)
        ]

    def _analytical(self, output: Any, tensor: Any) -> Array:
        """Return the Jacobian of one output by going backward once for each of its elements."""
        rows = []
        for direction in self._directions(output._array, OUTPUT):
            found = self._pull(output, tensor, direction)
            again = self._pull(output, tensor, direction)
            if np.any(np.abs(found - again) > self.nondet_tol):
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and "
                    "grad_output multiple times gives different values, although analytical "
                    f"gradient matches numerical gradient. The tolerance for nondeterminism was "
                    f"{self.nondet_tol}."
                )
            rows.append(found)
        if not rows:
            return np.zeros((_parts(tensor._array).size, 0))
        return self._along(np.stack(rows), tensor._array, INPUT).T

    def _pull(self, output: Any, tensor: Any, direction: Array) -> Array:
        if not output.requires_grad:
            return np.zeros(_parts(tensor._array).size)
        (found,) = grad(output, tensor, _tensor(direction), retain_graph=True, allow_unused=True)
        if found is None:
            return np.zeros(_parts(tensor._array).size)
        return _parts((found if found.layout is strided else found.to_dense())._array)

    def _by_forward_mode(self, tensor: Any) -> list[Array]:
        """Return one Jacobian per output, going forward once for each element of the input."""
        rows: list[list[Array]] = []
        for direction in self._directions(tensor._array, INPUT):
            with forward_ad.dual_level():
                leaf = tensor.detach().requires_grad_()
                dual = forward_ad.make_dual(leaf, _tensor(direction))
                returned = self.func(*(dual if each is tensor else each for each in self.inputs))
                values = list(returned) if isinstance(returned, tuple | list) else [returned]
                tangents: list[Array] = []
                for value in values:
                    if not isinstance(value, Tensor) or value._array.dtype.kind not in "fc":
                        continue
                    tangent = forward_ad.unpack_dual(value).tangent
                    tangents.append(
                        np.zeros_like(value._array) if tangent is None else tangent._array
                    )
            rows.append(tangents)
        return [
            self._along(np.stack([_parts(tangent) for tangent in each]), each[0], OUTPUT)
            for each in zip(*rows, strict=True)
        ]

    def _compare(
        self, what: str, output: int, position: int, numerical: Array, analytical: Array
    ) -> None:
        if not np.allclose(analytical, numerical, self.rtol, self.atol):
            raise GradcheckError(
                f"{self._part(output, numerical, analytical)}{what} mismatch for output {output} "
                f"with respect to input {position},\n"
                f"numerical:{_tensor(numerical)}\nanalytical:{_tensor(analytical)}\n"
            )

    def _part(self, output: int, numerical: Array, analytical: Array) -> str:
        """Return which part of a complex output differs, as the beginning of a sentence."""
        if self.fast_mode or not is_complex_dtype(self.outputs()[output]._array.dtype):
            return ""
        imaginary = np.allclose(analytical[:, 1::2], numerical[:, 1::2], self.rtol, self.atol)
        part = "real" if imaginary else "imaginary"
        return f"While considering the {part} part of complex outputs only, "

    def _check_form(self, outputs: list[Any]) -> None:
        """Check that zero gradients go back as zeros, in each input's shape and dtype."""
        outputs = [output for output in outputs if output.requires_grad]
        zeros = [_tensor(np.zeros_like(output._array)) for output in outputs]
        inputs = [tensor for _, tensor in self.checked]
        found = grad(outputs, inputs, zeros, retain_graph=True, allow_unused=True)
        for (position, tensor), each in zip(self.checked, found, strict=True):
            if each is None:
                continue
            if each.layout is not tensor.layout:
                raise GradcheckError(
                    f"grad is incorrect layout ({each.layout} is not {tensor.layout})"
                )
            if np.any(each._array != 0):
                raise GradcheckError("backward not multiplied by grad_output")
            if each._array.dtype != tensor._array.dtype or each._array.shape != tensor._array.shape:
                raise GradcheckError(f"grad is of another type or shape than input {position}")

    def _check_batched(self, outputs: list[Any]) -> None:
        """Compare a batch of gradients with going backward once for each."""
        inputs = [tensor for _, tensor in self.checked]
        random = np.random.default_rng(0)
        for output in outputs:
            if not output.requires_grad:
                continue
            rows = _tensor(random.random((2, *output._array.shape)).astype(output._array.dtype))
            together = grad(
                output, inputs, rows, retain_graph=True, allow_unused=True, is_grads_batched=True
            )
            for number, row in enumerate(rows._array):
                alone = grad(output, inputs, _tensor(row), retain_graph=True, allow_unused=True)
                for batch, each in zip(together, alone, strict=True):
                    if each is not None and not np.allclose(batch._array[number], each._array):
                        raise GradcheckError("batched gradients differ from one at a time")

    def _check_undefined(self, outputs: list[Any]) -> None:
        """Check that a gradient that does not arrive counts as zeros."""
        outputs = [output for output in outputs if output.requires_grad]
        count = len(outputs)
        for cut in [range(count), *([each] for each in range(count if count > 1 else 0))]:
            self._check_without(outputs, set(cut))

    def _check_without(self, outputs: list[Any], cut: set[int]) -> None:
        """Check that gradients which are zero, or do not arrive, give none or zeros."""
        inputs = [tensor for _, tensor in self.checked]
        ends = [_Cut.apply(each) if i in cut else each for i, each in enumerate(outputs)]
        zeros = [_tensor(np.zeros_like(each._array)) for each in outputs]
        try:
            found = grad(ends, inputs, zeros, retain_graph=True, allow_unused=True)
        except RuntimeError as error:
            _warn_of_undefined()
            raise GradcheckError(
                "Expected backward function to handle undefined output grads. Please look at "
                '"Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
            ) from error
        if any(each is not None and np.any(each._array != 0) for each in found):
            _warn_of_undefined()
            raise GradcheckError(
                "Expected all input grads to be undefined or zero when all output grads are "
                'undefined or zero. Please look at "Notes about undefined output gradients" in '
                '"tools/autograd/derivatives.yaml"'
            )


class _Cut(Function):
    """The identity, whose backward passes nothing on."""

    @staticmethod
    def forward(ctx: Any, output: Any) -> Any:
        return output.clone()

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> None:
        return None


def _warn_of_undefined() -> None:
    warnings.warn(
        "Backwards compatibility: New undefined gradient support checking feature is enabled by "
        "default, but it may break existing callers of this function. If this is true for you, "
        'you can call this function with "check_undefined_grad=False" to disable the feature',
        stacklevel=user_stacklevel(),
    )


def _require_alike(low: list[Array], high: list[Array]) -> None:
    """Raise AssertionError where outputs have other shapes or dtypes once inputs are changed."""
    for one, other in zip(low, high, strict=True):
        for name in ("shape", "dtype"):
            if getattr(one, name) != getattr(other, name):
                raise AssertionError(
                    f"Expected `func` to return outputs with the same {name} when inputs are "
                    f"perturbed, but got {getattr(one, name)} and {getattr(other, name)}"
                )


def _of_values(
    func: Callable[..., Any], inputs: tuple[Any, ...]
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return a function and inputs where values take the place of sparse tensors."""
    sparse = [isinstance(each, Tensor) and each.layout is not strided for each in inputs]
    if not any(sparse):
        return func, inputs

    def of_values(*values: Any) -> Any:
        returned = func(*(
            given.with_values(value) if turned else value
            for given, value, turned in zip(inputs, values, sparse, strict=True)
        ))  # fmt: skip
        outputs = returned if isinstance(returned, tuple | list) else (returned,)
        return tuple(v.to_dense() if isinstance(v, Tensor) else v for v in outputs)

    return of_values, tuple(
        each._entries if turned else each for each, turned in zip(inputs, sparse, strict=True)
    )


def _tensor(array: Array) -> Any:
    return new_tensor(np.array(array))


def _parts(array: Array) -> Array:
    """Return the elements in a row; of complex ones real and imaginary parts."""
    flat: Any = np.ravel(array)
    if is_complex_dtype(flat.dtype):
        return np.stack([flat.real, flat.imag], axis=1).ravel()
    return flat


def _unit_directions(array: Array) -> Iterator[Array]:
    """Return for each element, and of complex ones for each part, an array of zeros but for it."""
    units = (1, 1j) if is_complex_dtype(array.dtype) else (1,)
    for index in range(array.size):
        for unit in units:
            direction = np.zeros(array.size, array.dtype)
            direction[index] = unit
            yield direction.reshape(array.shape)


@shortening
def gradcheck(
    func: Callable[..., Any], inputs: Any, *, eps: float = 1e-6, atol: float = 1e-5,
    rtol: float = 1e-3, raise_exception: bool = True, nondet_tol: float = 0.0,
    check_undefined_grad: bool = True, check_grad_dtypes: bool = False,
    check_batched_grad: bool = False, check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False, check_backward_ad: bool = True, fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:  # fmt: skip
    """Return whether a function's derivatives agree with finite differences.

    Args:
        func: A function of tensors that returns a tensor or a tuple of tensors.
        inputs: Its arguments: a tensor or a tuple. The tensors that require grad are varied; they
            should be float64 or complex128.
        eps: The step of the finite differences.
        atol: The absolute tolerance.
        rtol: The relative tolerance.
        raise_exception: Whether a difference raises RuntimeError rather than returning False.
        nondet_tol: How much two backward passes may differ from each other.
        check_undefined_grad: Whether to check that undefined gradients of outputs are taken as
            zeros.
        check_grad_dtypes: Whether gradients must have the dtypes of the inputs.
        check_batched_grad: Whether to check backward under `vmap`.
        check_batched_forward_grad: Whether to check forward mode under `vmap`.
        check_forward_ad: Whether to check forward mode.
        check_backward_ad: Whether to check reverse mode.
        fast_mode: Whether to compare the Jacobian in one random direction only, which takes the
            time of two calls and one backward pass whatever the sizes.
        masked: Accepted for compatibility: of a sparse tensor the elements that are kept have
            gradients.

    Returns:
        True if they agree; False if not, and ``raise_exception`` is False.

    Raises:
        RuntimeError: If they differ; the message shows both Jacobians.

    >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(lambda x: x * x * x, (x,))
    True
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError(
            "Expected at least one of check_forward_ad or check_backward_ad to be True"
        )
    kinds = (
        check_undefined_grad and check_backward_ad, check_forward_ad, check_backward_ad,
        check_batched_grad, check_batched_forward_grad,
    )  # fmt: skip
    try:
        _Check(func, inputs, eps, atol, rtol, nondet_tol, fast_mode).run(*kinds)
    except GradcheckError:
        if not raise_exception:
            return False
        if fast_mode:  # raises with whole Jacobians, if they differ
            _Check(func, inputs, eps, atol, rtol, nondet_tol, fast_mode=False).run(*kinds)
        raise
    return True


@sections_of(gradcheck)
@shortening
def gradgradcheck(
    func: Callable[..., Any], inputs: Any, grad_outputs: Any = None, *, eps: float = 1e-6,
    atol: float = 1e-5, rtol: float = 1e-3, gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False, check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False, check_rev_over_rev: bool = True, fast_mode: bool = False,
    masked: bool = False,
) -> bool:  # fmt: skip
    """Return whether a function's second derivatives agree with finite differences of the first.

    Args:
        func, eps, atol, rtol, raise_exception, nondet_tol, fast_mode, masked: As for `gradcheck`.
        check_undefined_grad, check_grad_dtypes, check_batched_grad: As for `gradcheck`.
        inputs: Its arguments: a tensor or a tuple, float64 or complex128 where they require grad.
        grad_outputs: The gradients of the outputs; random numbers by default.
        gen_non_contig_grad_outputs: Whether the random ``grad_outputs`` are not contiguous.
        check_fwd_over_rev: Whether to check forward mode over reverse mode.
        check_rev_over_rev: Whether to check reverse mode over reverse mode.

    Returns:
        True if they agree; False if not, and ``raise_exception`` is False.

    Raises:
        RuntimeError: If they differ; the message shows both Jacobians.

    >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradgradcheck(lambda x: x * x * x, (x,))
    True
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise ArgumentError(
            "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True"
        )
    given = tuple(inputs) if isinstance(inputs, Sequence) else (inputs,)
    func, arguments = _of_values(func, given)
    if grad_outputs is None:
        weights = _random_weights(func(*arguments), gen_non_contig_grad_outputs)
    else:
        weights = tuple(grad_outputs) if isinstance(grad_outputs, Sequence) else (grad_outputs,)
    count = len(arguments)

    def gradient(*args: Any) -> Any:
        inner = tuple(
            each.view_as(each) if isinstance(each, Tensor) and each.requires_grad else each
            for each in args[:count]
        )
        returned = func(*inner)
        values = returned if isinstance(returned, tuple | list) else (returned,)
        outputs = [v for v in values if isinstance(v, Tensor) and v.requires_grad]
        wanted = [each for each in inner if isinstance(each, Tensor) and each.requires_grad]
        found = grad(outputs, wanted, args[count:], create_graph=True, allow_unused=True)
        return tuple(each for each in found if each is not None)

    return gradcheck(
        gradient, (*arguments, *weights), eps=eps, atol=atol, rtol=rtol,
        raise_exception=raise_exception, nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad, check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev, check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
    )  # fmt: skip


def _random_weights(returned: Any, spread: bool) -> tuple[Any, ...]:
    """Return a random weight, requiring grad, for each output that requires grad."""
    random = np.random.default_rng(0)
    weights: list[Any] = []
    for value in returned if isinstance(returned, tuple | list) else (returned,):
        if not isinstance(value, Tensor) or not value.requires_grad:
            continue
        shape, dtype = value._array.shape, value._array.dtype
        numbers = random.uniform(-1, 1, (*shape, 2)).astype(dtype)
        if is_complex_dtype(dtype):
            numbers = numbers + 1j * random.uniform(-1, 1, (*shape, 2))
        part = np.asarray(numbers[..., 0])
        weight: Any = new_tensor(part if spread else part.copy())
        weights.append(weight.requires_grad_())
    return tuple(weights)

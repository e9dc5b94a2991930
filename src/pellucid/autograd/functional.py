"""``torch.autograd.functional``: whole Jacobians and Hessians, and products with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pellucid.autograd import forward_ad
from pellucid.autograd.backward import grad
from pellucid.autograd.gradient_ops import gradient_ops
from pellucid.autograd.modes import enable_grad, modes, set_grad_enabled
from pellucid.autograd.variable import TensorBase
from pellucid.docstrings import sections_of
from pellucid.errors import ArgumentTypeError, GraphError, UnimplementedError

__all__ = ["vjp", "jvp", "vhp", "hvp", "hessian", "jacobian"]


def _tensors(value: Any, what: str, caller: str) -> tuple[bool, tuple[Any, ...]]:
    """Return whether a tuple was given, and the tuple; raise TypeError for anything but tensors."""
    several = isinstance(value, tuple | list)
    values = tuple(value) if several else (value,)
    for position, each in enumerate(values):
        if not isinstance(each, TensorBase):
            which = f"value at index {position}" if several else f"given {what}"
            raise ArgumentTypeError(
                f"The {what} given to {caller} must be either a Tensor or a tuple of Tensors but "
                f"the {which} has type {type(each)}."
            )
    return several, values


def _prepared(inputs: tuple[Any, ...], create_graph: bool) -> tuple[Any, ...]:
    """Return fresh inputs, still in the outer graph if that is to go on."""
    if create_graph:
        return tuple(
            each.view_as(each) if each.requires_grad else each.detach().requires_grad_()
            for each in inputs
        )
    return tuple(each.detach().requires_grad_() for each in inputs)


def _evaluated(
    func: Callable[..., Any], inputs: Any, create_graph: bool, caller: str, strict: bool = False
) -> tuple[bool, tuple[Any, ...], bool, tuple[Any, ...]]:
    several_in, given = _tensors(inputs, "inputs", caller)
    with enable_grad():
        prepared = _prepared(given, create_graph)
        several_out, outputs = _tensors(
            func(*prepared), "outputs of the user-provided function", caller
        )
    if strict:
        _require_gradients(outputs)
    return several_in, prepared, several_out, outputs


def _require_gradients(outputs: tuple[Any, ...]) -> None:
    for number, output in enumerate(outputs):
        if not output.requires_grad:
            raise GraphError(
                f"Output {number} of the user-provided function does not require gradients. The "
                "outputs must be computed in a differentiable manner from the input when running "
                "in strict mode."
            )


def _zero_for(found: Any, like: Any, strict: bool, what: str) -> Any:
    if found is not None:
        return found
    if strict:
        raise GraphError(f"{what}. This is not allowed in strict mode.")
    return like.new_zeros(like.shape)


#: said of a function whose second derivatives do not depend on the inputs
_OF_FIRST_ORDER = (
    "While computing the hessian, found that the jacobian of the user-provided function with "
    "respect to input {} is independent of the input"
)


def _without_gaps(
    found: Any,
    likes: Any,
    strict: bool,
    what: str = "The output of the user-provided function is independent of input {}",
) -> tuple[Any, ...]:
    pairs = enumerate(zip(found, likes, strict=True))
    return tuple(
        _zero_for(each, like, strict, what.format(position)) for position, (each, like) in pairs
    )


def _require_recorded(found: Any, what: str) -> None:
    """Raise RuntimeError where a derivative is constant; ``what`` names it by the input."""
    for position, each in enumerate(found):
        if each is not None and not each.requires_grad:
            raise GraphError(f"{what.format(position)}. This is not allowed in strict mode")


#: said in strict mode of a derivative that is to be differentiated, and has no history
_CONSTANT = "The jacobian of the user-provided function is independent of input {}"


def _grads(
    outputs: tuple[Any, ...], inputs: tuple[Any, ...], weights: Any, create_graph: bool,
    retain: bool,
) -> tuple[Any, ...]:  # fmt: skip
    """Return the gradients, None where an input is not reached."""
    pairs = [
        (output, weight)
        for output, weight in zip(outputs, weights, strict=True)
        if output.requires_grad
    ]
    if not pairs:
        return (None,) * len(inputs)
    return grad(
        [output for output, _ in pairs], inputs, [weight for _, weight in pairs],
        create_graph=create_graph, retain_graph=retain or create_graph, allow_unused=True,
    )  # fmt: skip


def _arranged(several: bool, values: Any) -> Any:
    values = tuple(values)
    return values if several else values[0]


def _finished(values: Any, create_graph: bool) -> tuple[Any, ...]:
    return tuple(values) if create_graph else tuple(each.detach() for each in values)


def _one_hots(output: Any) -> list[Any]:
    """Return one gradient for each element of an output."""
    size = output.numel()
    found: list[Any] = []
    for index in range(size):
        flat = output.new_zeros((size,))
        flat[index] = 1
        found.append(flat.reshape(output.shape))
    return found


def _check_vector(vector: Any, like: tuple[Any, ...], what: str, caller: str) -> tuple[Any, ...]:
    """Return the vector as one tensor per tensor of ``like``; ones for a single scalar."""
    if vector is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise GraphError(
                f"The vector v can only be None if the {what} "
                "is a single Tensor with a single element."
            )
        return (like[0].new_ones(like[0].shape),)
    _, values = _tensors(vector, "v", caller)
    if len(values) != len(like):
        raise GraphError(
            "The given v should contain a single Tensor."
            if len(like) == 1
            else f"v is a tuple of invalid length: should be {len(like)} but got {len(values)}."
        )
    for position, (given, each) in enumerate(zip(values, like, strict=True)):
        if tuple(given.shape) != tuple(each.shape):
            entry = f"Entry {position} in " if len(like) > 1 else ""
            raise GraphError(
                f"{entry}v has invalid size: should be {each.shape} but got {given.shape}."
            )
    return values


@enable_grad()
def jacobian(
    func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """Return the derivative of each element of the outputs with respect to each of the inputs.

    Args:
        func: A function of tensors that returns a tensor or a tuple of tensors.
        inputs: Its arguments: a tensor or a tuple of tensors.
        create_graph: Whether the result is recorded, so that it can be differentiated.
        strict: Whether an output that does not depend on an input is an error.
        vectorize: Whether to compute all rows at once, by `vmap`.
        strategy: ``"reverse-mode"``, or ``"forward-mode"`` for one tangent per element of the
            inputs, which requires ``vectorize=True``.

    Returns:
        For one output and one input a tensor of the output's shape followed by the input's;
        otherwise tuples of such tensors, the outer one over the outputs.

    Raises:
        TypeError: If an input or output is not a tensor.
        RuntimeError: With ``strict``, if an output does not depend on an input.
        NotImplementedError: For ``"forward-mode"`` without ``vectorize``, or with ``create_graph``.

    >>> torch.autograd.functional.jacobian(lambda x: x * x, torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    _check_strategy(strategy)
    if strategy == "forward-mode":
        return _by_columns(func, inputs, create_graph, strict, vectorize)
    if strict and vectorize:
        raise GraphError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not "
            "supported together. Please either set `strict=False` or `vectorize=False`."
        )
    several_in, given, several_out, outputs = _evaluated(
        func, inputs, create_graph, "jacobian", strict
    )
    rows_of_outputs: list[Any] = []
    for number, output in enumerate(outputs):
        rows: list[list[Any]] = [[] for _ in given]
        for weight in _one_hots(output):
            found = _grads((output,), given, (weight,), create_graph, True)
            for place, (column, each, like) in enumerate(zip(rows, found, given, strict=True)):
                what = (
                    f"Output {number} of the user-provided function is independent of input {place}"
                )
                column.append(_zero_for(each, like, strict, what))
            if strict and create_graph:
                _require_recorded(found, _CONSTANT)
        blocks = (_stack(column, output, like) for column, like in zip(rows, given, strict=True))
        rows_of_outputs.append(_arranged(several_in, _finished(blocks, create_graph)))
    return _arranged(several_out, rows_of_outputs)


_STRATEGIES = ("forward-mode", "reverse-mode")


def _check_strategy(strategy: str) -> None:
    if strategy not in _STRATEGIES:
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your '
            'function has more outputs than inputs, "forward-mode" tends to be more performant. '
            'Otherwise, prefer to use "reverse-mode".'
        )


def _by_columns(
    func: Callable[..., Any], inputs: Any, create_graph: bool, strict: bool, vectorize: bool
) -> Any:
    """Return the Jacobian by forward mode, one column for each element of the inputs."""
    name = "torch.autograd.functional.jacobian"
    if create_graph:
        raise UnimplementedError(
            f'{name}: `create_graph=True` and `strategy="forward-mode"` are not supported together '
            '(yet). Please either set `create_graph=False` or `strategy="reverse-mode"`.'
        )
    if strict:
        raise GraphError(
            f'{name}: `strict=True` and `strategy="forward-mode"` are not supported together '
            '(yet). Please either set `strict=False` or `strategy="reverse-mode"`.'
        )
    if not vectorize:
        raise UnimplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian is only "
            "implemented for `vectorize=True`."
        )
    several_in, given = _tensors(inputs, "inputs", "jacobian")
    several_out, outputs = _tensors(
        func(*(each.detach() for each in given)),
        "outputs of the user-provided function",
        "jacobian",
    )
    columns = [
        [_pushed(func, given, place, unit) for unit in _one_hots(moved.detach())]
        for place, moved in enumerate(given)
    ]
    blocks = [
        _arranged(
            several_in,
            (
                _side_by_side([column[number] for column in found], output, like)
                for found, like in zip(columns, given, strict=True)
            ),
        )
        for number, output in enumerate(outputs)
    ]
    return _arranged(several_out, blocks)


def _pushed(
    func: Callable[..., Any], given: tuple[Any, ...], place: int, unit: Any
) -> tuple[Any, ...]:
    """Return the tangents of the outputs where one of the inputs moves."""
    with forward_ad.dual_level():
        duals = [
            forward_ad.make_dual(each.detach(), unit) if i == place else each.detach()
            for i, each in enumerate(given)
        ]
        _, outputs = _tensors(func(*duals), "outputs of the user-provided function", "jacobian")
        parts = [forward_ad.unpack_dual(output) for output in outputs]
    return tuple(
        part.primal.new_zeros(part.primal.shape) if part.tangent is None else part.tangent.detach()
        for part in parts
    )


def _side_by_side(columns: list[Any], output: Any, like: Any) -> Any:
    """Join one tangent per element of an input."""
    shape = (*output.shape, *like.shape)
    if not columns:
        return output.new_zeros(shape)
    return gradient_ops.stack(columns).movedim(0, -1).reshape(shape)


def _stack(rows: list[Any], output: Any, like: Any) -> Any:
    """Join one gradient per element of an output."""
    shape = (*output.shape, *like.shape)
    if not rows:
        return output.new_zeros(shape)
    return gradient_ops.stack(rows).reshape(shape)


@enable_grad()
@sections_of(jacobian)
def hessian(
    func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, outer_jacobian_strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """Return the second derivatives of a function with one element by all pairs of input elements.

    Args:
        func: A function of tensors that returns a tensor of one element.
        inputs, create_graph, strict, vectorize: As for `jacobian`.
        outer_jacobian_strategy: ``"reverse-mode"`` or ``"forward-mode"``, for the derivative of the
            gradient; see ``strategy`` of `jacobian`.

    Returns:
        For one input a tensor of its shape twice; otherwise a tuple of tuples of tensors.

    Raises:
        RuntimeError: If the function returns anything but one element.

    >>> torch.autograd.functional.hessian(lambda x: (x * x * x).sum(), torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    several, given = _tensors(inputs, "inputs", "hessian")

    def gradient(*values: Any) -> Any:
        value = _scalar(func(*values), "hessian")
        if strict:
            _require_gradients((value,))
        found = _grads((value,), values, (value.new_ones(value.shape),), True, True)
        filled = _without_gaps(found, values, strict=False)
        if strict:
            _require_recorded(filled, _OF_FIRST_ORDER)
        return filled

    _check_strategy(outer_jacobian_strategy)

    def recorded(*values: Any) -> Any:
        return gradient(*(value.requires_grad_() for value in values))

    forward = outer_jacobian_strategy == "forward-mode"
    blocks = jacobian(
        recorded if forward else gradient, given, create_graph=create_graph, strict=strict,
        vectorize=vectorize, strategy=outer_jacobian_strategy,
    )  # fmt: skip
    return blocks if several else blocks[0][0]


def _scalar(value: Any, caller: str) -> Any:
    several, _ = _tensors(value, "outputs of the user-provided function", caller)
    if several:
        raise GraphError(f"The function given to {caller} should return a single Tensor")
    if value.numel() != 1:
        raise GraphError(
            f"The Tensor returned by the function given to {caller} should contain a single element"
        )
    return value


@sections_of(jacobian)
def vjp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """Return the outputs of a function, and the product of a vector with its Jacobian.

    Args:
        func, inputs, create_graph, strict: As for `jacobian`.
        v: The vector, of the shapes of the outputs; may be left out for one output of one element.

    Returns:
        The outputs, and the product, of the shapes of the inputs.

    Raises:
        RuntimeError: If ``v`` does not have the shapes of the outputs.

    >>> torch.autograd.functional.vjp(lambda x: x * x, torch.tensor([1.0, 2.0]), torch.ones(2))[1]
    tensor([2., 4.])
    """
    several_in, given, several_out, outputs = _evaluated(func, inputs, create_graph, "vjp", strict)
    weights = _check_vector(v, outputs, "user-provided function returns outputs that", "vjp")
    with set_grad_enabled(create_graph or modes.grad_enabled):
        found = _grads(outputs, given, weights, create_graph, False)
    filled = _without_gaps(found, given, strict)
    if strict and create_graph:
        _require_recorded(filled, _CONSTANT)
    return (
        _arranged(several_out, _finished(outputs, create_graph)),
        _arranged(several_in, _finished(filled, create_graph)),
    )


@sections_of(jacobian)
def jvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """Return the outputs of a function, and the product of its Jacobian with a vector.

    Args:
        func, inputs, create_graph, strict: As for `jacobian`.
        v: The vector, of the shapes of the inputs; may be left out for one input of one element.

    Returns:
        The outputs, and the product, of the shapes of the outputs.

    Raises:
        RuntimeError: If ``v`` does not have the shapes of the inputs.

    >>> torch.autograd.functional.jvp(lambda x: x * x, torch.tensor([1.0, 2.0]), torch.ones(2))[1]
    tensor([2., 4.])
    """
    _, given, several_out, outputs = _evaluated(func, inputs, create_graph, "jvp", strict)
    vector = _check_vector(v, given, "input to the user-provided function", "jvp")
    with enable_grad():
        dummies = tuple(output.new_zeros(output.shape).requires_grad_() for output in outputs)
        found = _grads(outputs, given, dummies, True, True)
        pulled = _without_gaps(found, given, strict)
    with set_grad_enabled(create_graph):
        pushed = _grads(pulled, dummies, vector, create_graph, True)
    filled = _without_gaps(pushed, outputs, strict=False)
    if strict and create_graph:
        _require_recorded(filled, _CONSTANT)
    return (
        _arranged(several_out, _finished(outputs, create_graph)),
        _arranged(several_out, _finished(filled, create_graph)),
    )


@sections_of(hessian)
def vhp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """Return the value of a one-element function, and the product of a vector with its Hessian.

    Args:
        func, inputs, create_graph, strict: As for `hessian`.
        v: The vector, of the shapes of the inputs; may be left out for one input of one element.

    Returns:
        The value, and the product, of the shapes of the inputs.

    Raises:
        RuntimeError: If the function returns anything but one element, or ``v`` does not have the
            shapes of the inputs.

    >>> f = lambda x: (x * x * x).sum()
    >>> torch.autograd.functional.vhp(f, torch.tensor([1.0, 2.0]), torch.ones(2))[1]
    tensor([ 6., 12.])
    """
    return _value_and_product(func, inputs, v, create_graph, strict, "vhp")


def _value_and_product(
    func: Callable[..., Any], inputs: Any, v: Any, create_graph: bool, strict: bool, caller: str
) -> tuple[Any, Any]:
    several, given, several_out, outputs = _evaluated(func, inputs, create_graph, caller, strict)
    value = _scalar(outputs if several_out else outputs[0], caller)
    vector = _check_vector(v, given, "input to the user-provided function", caller)
    with enable_grad():
        found = _grads((value,), given, (value.new_ones(value.shape),), True, True)
        first = _without_gaps(found, given, strict)
    second = _grads(first, given, vector, create_graph, False)
    filled = _without_gaps(second, given, strict, _OF_FIRST_ORDER)
    return (
        _finished((value,), create_graph)[0],
        _arranged(several, _finished(filled, create_graph)),
    )


@sections_of(vhp)
def hvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """Return the value of a one-element function, and the product of its Hessian with a vector.

    The Hessian is symmetric, so this is `vhp`.

    Args: As for `vhp`.

    Returns:
        The value, and the product, of the shapes of the inputs.

    Raises:
        RuntimeError: If the function returns anything but one element, or ``v`` does not have the
            shapes of the inputs.

    >>> f = lambda x: (x * x * x).sum()
    >>> torch.autograd.functional.hvp(f, torch.tensor([1.0, 2.0]), torch.ones(2))[1]
    tensor([ 6., 12.])
    """
    return _value_and_product(func, inputs, v, create_graph, strict, "hvp")

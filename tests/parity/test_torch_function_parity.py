"""Subclasses of Tensor and classes with ``__torch_function__``, next to PyTorch."""

from __future__ import annotations

import operator
import re
import threading
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

import pellucid

torch = pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


#: expressions of x, a tensor of a subclass, and p, a plain one
EXPRESSIONS = """
x + 1; 1 + x; p + x; x - p; -x; abs(x); x ** 2; 2 ** x; x @ x; x // 1; x % 2; x == x; x > 0
x[0]; x[:1]; x[None]; next(iter(x)); p[torch.tensor([1]).as_subclass(type(x))]; len(x)
x.sum(); x.max(0); x.sort(); x.topk(1); x.unbind(); x.chunk(2); torch.split(x, 1); x.tolist()
torch.sin(x); torch.stack([x, x]); torch.cat([p, x]); torch.where(x > 0, x, 0.0)
torch.einsum("i,i->", x, x); torch.block_diag(x, x); torch.meshgrid(x, x, indexing="ij")
torch.add(p, x, out=torch.empty(2)); p.clone().add_(x); x.clone().mul_(2); x.copy_(p); x.zero_()
x.clone(); x.detach(); x.data; x.view(1, 2); x.expand(3, 2); x.T; x.real; x.grad; x.float()
x.double(); torch.Tensor.half(x); torch.Tensor.float(x); torch.Tensor.type(x, torch.int32)
x.to(torch.float64); x.type(torch.float64); x.numpy(); x.contiguous(); x.cpu()
x.new_zeros(2); torch.zeros_like(x); torch.rand_like(x); torch.tensor(x); torch.as_tensor(x)
x.shape; x.size(); x.dtype; x.requires_grad; x.is_leaf; torch.allclose(x, x); x.requires_grad_()
torch.nn.functional.relu(x); torch.nn.functional.mse_loss(x, x); torch.nn.Linear(2, 2)(x)
torch.nn.functional.layer_norm(x, (2,)); torch.fft.fft(x); torch.linalg.norm(x); x.diag()
x.as_subclass(torch.Tensor); torch.Tensor.add(x, 1); x.masked_fill(x > 0, 0.0); x.clamp(0)
"""


def kinds(value: Any) -> Any:
    """Return the names of the classes of what a call returned."""
    name = type(value).__name__
    return (name, *map(kinds, value)) if isinstance(value, tuple | list) else name


def subclass_of(lib: Any) -> Any:
    class Named(lib.Tensor):
        pass

    return Named


@pytest.mark.parametrize("text", re.split(r"[;\n] *", EXPRESSIONS.strip()))
def test_results_have_the_class_that_pytorch_gives_them(text: str) -> None:
    found = []
    for lib in (torch, pellucid):
        x = lib.tensor([1.0, 2.0]).as_subclass(subclass_of(lib))
        found.append(kinds(eval(text, {"torch": lib, "x": x, "p": lib.ones(2)})))
    assert found[1] == found[0]


def logged(lib: Any) -> list[Any]:
    """Name the functions that a subclass is asked for."""
    names: list[Any] = []

    class Logging(lib.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            names.append((func.__name__, [t.__name__ for t in types]))
            return super().__torch_function__(func, types, args, kwargs or {})

    x = Logging([1.0, 2.0])
    names.clear()
    functional = lib.nn.functional
    _ = x + 1, lib.sum(x), x.sum(0), x.mul_(2), lib.stack([x, x]), functional.relu(x), x.shape, x.T
    x[0] = x[1]
    _ = x == x, -x, len(x), x.dim(), functional.linear(x, lib.ones(3, 2)), lib.max(x, 0)
    _ = x.detach(), x.tolist(), functional.dropout(x, 0.1), lib.ones(2).add(x, alpha=2)
    _ = bool(x.sum()), float(x[0]), int(x[1]), complex(x[1]), 1.0 in x
    lib.nn.init.constant_(x, 1.0), lib.nn.init.uniform_(x)
    lib.nn.init.constant_(tensor=x, val=1.0)
    return names


def with_metadata(lib: Any) -> list[Any]:
    """Compute with a class that holds a tensor and is none."""

    class Marked:
        def __init__(self, data: Any, mark: Any) -> None:
            self.data, self.mark = lib.as_tensor(data), mark

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            marks = tuple(a.mark for a in args if isinstance(a, Marked))
            given = [a.data if isinstance(a, Marked) else a for a in args]
            return Marked(func(*given, **(kwargs or {})), marks)

    m, t = Marked([[1.0, 2.0], [3.0, 4.0]], "m"), lib.tensor([[1, 2], [1, 2]])
    results = [
        lib.add(t, m), lib.mul(m, t), lib.mean(m), lib.add(m, m, alpha=2), t + m,
        lib.nn.functional.softmax(m, dim=0), lib.sum(m, 0, keepdim=True),
    ]  # fmt: skip
    return [(each.data.tolist(), each.mark) for each in results]


def by_table(lib: Any) -> list[Any]:
    """Ask a class that knows one function for it, and for others."""

    class Diagonal:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return 3.0 if func is lib.mean else NotImplemented

    found: list[Any] = [lib.mean(Diagonal())]
    for call in (lambda: lib.sin(Diagonal()), lambda: lib.add(lib.ones(1), Diagonal())):
        try:
            call()
        except TypeError as error:
            found.append(str(error).partition(":")[0])
    return found


def with_modes(lib: Any) -> list[Any]:
    """Name what modes see, one in the other."""

    class Seen(lib.overrides.TorchFunctionMode):
        def __init__(self) -> None:
            self.names: list[str] = []

        def __torch_function__(self, func, types, args=(), kwargs=None):
            self.names.append(func.__name__)
            return func(*args, **(kwargs or {}))

    with Seen() as outer:
        a = lib.ones(2)
        with Seen() as inner:
            b = lib.sin(a + 1)
            lib.nn.functional.relu(b)
        a.add_(1)
        lib.stack([a, b]).sum()
        lib.tensor([1.0], dtype=lib.float64), lib.as_tensor([1.0])
        lib.sparse_coo_tensor([[0]], [1.0], (1,))
    with Seen() as off, lib._C.DisableTorchFunction():
        lib.ones(2)
    return [outer.names, inner.names, off.names]


def families(lib: Any) -> list[Any]:
    """Mix subclasses with each other, with a subclass that asks for nothing, and with gradients."""

    class A(lib.Tensor):
        pass

    class B(A):
        pass

    class Other(lib.Tensor):
        pass

    class Plain(lib.Tensor):
        __torch_function__ = lib._C._disabled_torch_function_impl

    a, b, other, plain = A([1.0]), B([1.0]), Other([1.0]), lib.ones(1).as_subclass(Plain)
    found: list[Any] = [kinds([a + b, b + a, a + lib.ones(1), plain + 1, plain[0]])]
    try:
        a + other
    except TypeError as error:
        found.append(str(error))
    y = a.clone().requires_grad_()
    z = (y * y).sum()
    z.backward()
    (g,) = lib.autograd.grad((y * y).sum(), y, create_graph=True)
    parameter = A([1.0]).requires_grad_()
    optimizer = lib.optim.SGD([parameter], lr=0.1)
    (parameter * 2).sum().backward()
    optimizer.step()
    ask = lib.overrides.has_torch_function
    with lib._C.DisableTorchFunctionSubclass():
        off = kinds(a + 1)
    return [
        *found, kinds([y, z, y.grad, g]), str(y.grad.tolist()), repr(a), repr(parameter), off,
        ask((a,)), ask((plain,)), ask((lib.nn.Parameter(lib.ones(1)),)), ask((lib.ones(1),)),
        lib.overrides.resolve_name(lib.add), lib.overrides.resolve_name(lib.Tensor.add),
        lib.overrides.resolve_name(lib.nn.functional.relu),
        lib.overrides.resolve_name(lib.linalg.det), lib.overrides.resolve_name(lib.fft.fft),
        lib.overrides.resolve_name(lib.Tensor.shape.__get__),
        lib.Tensor.shape.__get__ in lib.overrides.get_testing_overrides(),
        lib.add in lib.overrides.get_testing_overrides(),
        lib.is_tensor in lib.overrides.get_ignored_functions(),
    ]  # fmt: skip


@pytest.mark.parametrize("program", [logged, with_metadata, by_table, with_modes, families])
def test_classes_take_functions_over_as_in_pytorch(program: Callable[[Any], list[Any]]) -> None:
    assert program(pellucid) == program(torch)


OPERATORS = """
add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift lt gt le ge eq ne
iadd isub imul itruediv ifloordiv ipow imod imatmul iand ior ixor ilshift irshift
"""


class Foreign:
    """What knows how to meet anything on the other side of an operator."""


REFLECTED = "radd rsub rmul rtruediv rfloordiv rmod rpow rmatmul rand ror rxor rlshift rrshift"
for _name in f"{REFLECTED} lt gt le ge eq ne".split():
    setattr(Foreign, f"__{_name}__", lambda self, other, _name=_name: _name)


def outcome(call: Callable[[], Any]) -> Any:
    try:
        result = call()
    except TypeError:
        return TypeError
    return result if isinstance(result, str | bool) else type(result).__name__


@pytest.mark.parametrize("name", OPERATORS.split())
def test_operators_leave_foreign_operands_to_the_other_class(name: str) -> None:
    operate = getattr(operator, name)
    for other in (Foreign(), None, object(), [1, 2]):
        theirs, ours = (
            [outcome(partial(operate, *both)) for both in ((one, other), (other, one))]
            for one in (torch.ones(2), pellucid.ones(2))
        )
        if "truediv" in name and isinstance(other, Foreign):  # PyTorch multiplies by the reciprocal
            theirs, ours = theirs[:1], ours[:1]
        assert ours == theirs, other


NUMBERS_FIRST = "add sub mul div true_divide divide floor_divide multiply subtract float_power pow"


@pytest.mark.parametrize("name", [*NUMBERS_FIRST.split(), "atan2", "eq", "fmod", "xlogy", "rsub"])
def test_numbers_stand_where_pytorch_takes_them(name: str) -> None:
    found = []
    for lib in (torch, pellucid):
        of_tensors = getattr(lib, name)
        for args in ((2, lib.full((2,), 3.0)), (lib.full((2,), 3), 2), (7, 2), (7.0, 2)):
            try:
                result = of_tensors(*args)
            except TypeError:
                found.append(TypeError)
            else:
                found.append((result.tolist(), str(result.dtype)))
    assert found[4:] == found[:4]


#: statements about a vector t, one of integers i and a plain p; what is passed by one name to
#: modes and to subclasses
PASSED = """
t + t; t + 1; 1 + t; t - t; 1 - t; t * 2; t / 2; 1 / t; t // 2; 5 // t; t % 2; 5 % t; t ** 2; 2 ** t
t @ t; t == t; t != 1; t < 1; t >= t; -t; abs(t); ~i; i & i; i | 1; i ^ i; i << 1; 1 << i; i >> 1
t.__iadd__(1); t.__isub__(t); t.__imul__(2); t.__itruediv__(2); t.__ifloordiv__(2); t.__imod__(2)
i.__iand__(1); i.__ior__(i); i.__ixor__(1); i.__ilshift__(1); i.__irshift__(1)
t[0]; t[None]; t[t > 2]; t[i]; t.__setitem__(0, 1); t.__setitem__(i, p); p[i]; len(t); 1.0 in t
float(t[0]); int(t[0]); bool(t[0] > 0); repr(t); t.item; t[0].item(); t.tolist()
t.shape; t.dtype; t.device; t.layout; t.ndim; t.requires_grad; t.grad; t.grad_fn; t.is_leaf; t.data
t.T; t[None].mT; t[None].H; t[None].mH; t.real; t._version; t._base; t.output_nr; t.retains_grad
t.name; t.itemsize; t.nbytes; t.is_meta; t.is_cpu; t.size(); t.size(0); t.stride(); t.dim()
t.numel(); t.is_complex(); t.element_size(); t.is_contiguous(); t.is_floating_point(); t.type()
t.type(torch.float64); t.grad_dtype; setattr(t, "grad_dtype", None)
t.view(-1); t.view(2, 1); t.reshape(2, 1); t.expand(2, 2); t.permute(0); t.contiguous(); t.detach()
t.double(); t.long(); t.bool(); t.to(torch.float64); t.requires_grad_(); t.numpy(); t.cpu()
setattr(t, "grad", p); setattr(t, "data", p); setattr(t, "requires_grad", True)
t.requires_grad_().sum().backward(); t.requires_grad_().register_hook(print)
torch.nn.functional.linear(t, t[None]); torch.add(t, t); t.add(t); torch.sum(t); t.sum()
"""


def passed_to_modes(lib: Any, text: str) -> list[str]:
    """Return what a mode is passed in a statement."""
    names: list[str] = []

    class Seen(lib.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            names.append(lib.overrides.resolve_name(func))
            return func(*args, **(kwargs or {}))

    operands = operands_of_statements(lib)
    with Seen():
        eval(text, operands)
    return names


def passed_to_subclasses(lib: Any, text: str) -> list[str]:
    """Return what a subclass of `Tensor` is passed in a statement about its tensors."""
    names: list[str] = []

    class Seen(lib.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            names.append(lib.overrides.resolve_name(func))
            return super().__torch_function__(func, types, args, kwargs or {})

    operands = operands_of_statements(lib, Seen)
    names.clear()
    eval(text, operands)
    return names


def operands_of_statements(lib: Any, cls: Any = None) -> dict[str, Any]:
    t, i = lib.tensor([1.0, 2.0]), lib.tensor([1, 0])
    if cls is not None:
        t, i = t.as_subclass(cls), i.as_subclass(cls)
    return {"torch": lib, "t": t, "i": i, "p": lib.ones(2)}


@pytest.mark.parametrize("passed", [passed_to_modes, passed_to_subclasses])
@pytest.mark.parametrize("text", re.split(r"[;\n] *", PASSED.strip()))
def test_what_is_passed_is_what_pytorch_passes(
    text: str, passed: Callable[[Any, str], list[str]]
) -> None:
    assert passed(pellucid, text) == passed(torch, text)


def test_attributes_ask_nobody_behind_the_last_mode_and_in_other_threads() -> None:
    seen: list[str] = []

    class Seen(pellucid.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(func.__name__)
            return func(*args, **(kwargs or {}))

    x = pellucid.ones(2)
    before = dict(pellucid.Tensor.__dict__)
    with Seen():
        thread = threading.Thread(target=lambda: (x.shape, x.item, len(x)))
        thread.start()
        thread.join()
        assert pellucid.Tensor.shape.__get__(x) == (2,)
    assert seen == []
    with Seen(), Seen():
        pass
    assert dict(pellucid.Tensor.__dict__) == before
    assert x.shape == (2,)
    assert seen == []

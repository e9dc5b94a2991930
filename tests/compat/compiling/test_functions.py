"""Functions with what Python's syntax has give compiled what they give plain."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

import pellucid as torch

X = torch.arange(4.0)


def rows(x: Any) -> Iterator[Any]:
    for number in range(3):
        yield x * number


def all_rows(x: Any) -> Iterator[Any]:
    yield from rows(x)


async def twice(x: Any) -> Any:
    return x * 2


async def each_twice(x: Any) -> AsyncIterator[Any]:
    yield await twice(x)


def matched(x: Any, given: Any) -> Any:
    match given:
        case 1:
            return x + 1
        case {"by": by}:
            return x * by
        case [by, more]:
            return x * by + more
        case _:
            return x


def named_in_a_condition(x: Any) -> Any:
    if (n := x.shape[0]) > 3:
        return x * n
    return x


def collected(x: Any) -> Any:
    return {name: by * x for name, by in {"a": 1, "b": 2}.items()}, sorted(
        {i % 2 for i in range(5)}
    )


def caught(x: Any, index: int) -> Any:
    try:
        return x[index]
    except IndexError:
        return x * 0
    finally:
        x = x + 1


def function_inside(x: Any) -> Any:
    def inner(y: Any, *rest: Any, by: int = 2, **more: Any) -> Any:
        return y * by + sum(rest) + len(more)

    return inner(x, 1, 2, by=3, z=1)


def decorated_inside(x: Any) -> Any:
    def more(function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs) + 1

        return called

    @more
    def doubled(y: Any) -> Any:
        return y * 2

    return doubled(x)


@dataclass
class Config:
    by: int
    of: Any = None


def of_a_dataclass(x: Any) -> Any:
    config = replace(Config(2, x), by=3)
    return config.of * config.by


def in_blocks(x: Any) -> Any:
    with torch.no_grad():
        y = x * 2
    with torch.enable_grad():
        return y + 1


def starred(x: Any, *args: Any, **kwargs: Any) -> Any:
    return x * len(args) + sum(kwargs.values())


def looped(x: Any) -> Any:
    i = 0
    while True:
        i += 1
        if i == 2:
            continue
        if i > 4:
            break
        x = x + i
    else:
        x = x * 0
    return x


def gone_through(x: Any) -> Any:
    return [i * v for i, v in enumerate(x)], list(zip(x, x, strict=True)), list(reversed(x))


def written(x: Any) -> Any:
    return f"{x.shape} {x.dtype}", str(x.ndim), (lambda y, z=3: y * z)(x)


def with_a_class_inside(x: Any) -> Any:
    class Factor:
        by = 2

    return x * Factor.by


def indexed(x: Any) -> Any:
    y = x.clone()
    y += 1
    y[0] *= 3
    z = y
    del y
    return z[1:-1:1], z[..., None], z[[0, 1]], -z if 0 < z.ndim < 5 else z


CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    *((f, (X,), {}) for f in (
        rows, all_rows, twice, each_twice, collected, function_inside, decorated_inside,
        of_a_dataclass, in_blocks, looped, gone_through, written, with_a_class_inside, indexed,
    )),
    *((matched, (X, given), {}) for given in (1, {"by": 3}, [1, 2], "other")),
    (named_in_a_condition, (X,), {}), (named_in_a_condition, (X[:2],), {}),
    (caught, (X, 1), {}), (caught, (X, 9), {}),
    (starred, (X, 1, 2), {"a": 1}), (starred, (X,), {"b": 2, "c": 3}),
]  # fmt: skip


def given(value: Any) -> str:
    """Return what a call gave, as text; what it gave to wait for, or to go through, done."""
    if hasattr(value, "__aiter__"):
        return given(value.__anext__())
    if hasattr(value, "__await__"):
        return given(_waited_for(value))
    return str(list(value) if hasattr(value, "__next__") else value)


def _waited_for(value: Any) -> Any:
    async def wait() -> Any:
        return await value

    return asyncio.run(wait())


@pytest.mark.parametrize(("function", "args", "kwargs"), CALLS)
def test_compiled_functions_give_what_they_give(function: Any, args: Any, kwargs: Any) -> None:
    compiled = torch.compile(function)
    expected = given(function(*args, **kwargs))
    assert [given(compiled(*args, **kwargs)) for _ in range(4)] == [expected] * 4


@pytest.mark.parametrize("function", [rows, twice, matched, with_a_class_inside])
def test_what_is_not_followed_says_so(function: Any) -> None:
    compiled = torch.compile(function)
    given(compiled(*((X, 1) if function is matched else (X,))))
    why = torch.inspect.compiled(compiled).plain_because
    assert why.startswith(f"{function.__name__}() is not followed: ")

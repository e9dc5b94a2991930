"""Programs of Python's statements, containers and functions, what PyTorch tests its compiler with.

They are like those of `programs_of_python`, which has the others.
"""

from __future__ import annotations

PROGRAMS: dict[str, str] = {}


def _add(name: str, text: str) -> None:
    PROGRAMS[name] = text


_add(
    "else and finally",
    """
seen = []
class Wanted(Exception):
    pass
def tried(x, n):
    try:
        seen.append("try")
        if n == 1:
            raise Wanted("one")
        if n == 2:
            raise KeyError("two")
        y = x * 2
    except Wanted as error:
        y = x + len(str(error))
    else:
        y = x - 1
    finally:
        seen.append("finally")
    return y
def f(x, n):
    for k in range(5):
        if k == n:
            x = x * k
            break
    else:
        x = x + 100
    while n > 3:
        n -= 1
        x = x + n
    else:
        x = x - 0.5
    return tried(x, n)
def state():
    return list(seen)
def calls():
    for n in (0, 1, 3, 6, 2, 0, 7):
        yield torch.ones(2), n
""",
)
_add(
    "return in finally, errors from errors, nested handlers",
    """
def quiet(x, n):
    try:
        return x / n
    finally:
        if n == 0:
            return x
def loud(x, n):
    try:
        try:
            return quiet(x, n) + [1, 2, 3][n]
        except IndexError as error:
            raise ValueError(f"no {n}") from error
    except ValueError as error:
        if n > 3:
            raise
        return x * 0 + len(error.args[0]) + (error.__cause__ is not None)
def f(x, n):
    assert n != 5, "five is not allowed"
    return loud(x, n)
def calls():
    for n in (0, 1, 3, 4, 5, 2, 1):
        yield torch.ones(2), n
""",
)
_add(
    "dictionaries: changed, gone through, views of them",
    """
kept = {"a": 1.0}
def f(x, more):
    own = dict(kept, **more)
    own.setdefault("z", 5.0)
    own.update(y=2.0)
    own["a"] += 1
    taken = own.pop("gone", 0.25)
    del own["z"]
    total = x * taken
    for key, value in sorted(own.items()):
        total = total + value * len(key)
    named = {key: x * value for key, value in own.items() if key != "y"}
    kept["count"] = kept.get("count", 0.0) + 1
    return total, named, list(own), "b" in own, {**own, "a": 0.0}
def state():
    return dict(kept)
def calls():
    x = torch.ones(2)
    yield (x, {}), {}
    yield (x, {"b": 3.0}), {}
    kept["a"] = 7.0
    yield (x, {"gone": 4.0}), {}
    del kept["count"]
    yield (x, {}), {}
""",
)
_add(
    "lists: slices, sorting, changes in place",
    """
history = [1.0]
def f(x, items):
    own = items[::-1] + [x]
    own[1:1] = [x * 2, x * 3]
    own.insert(0, x + len(history))
    own.extend(x * k for k in (4, 5))
    last = own.pop()
    own.reverse()
    own[0], own[-1] = own[-1], own[0]
    history.append(float(len(own)))
    ranks = sorted(range(len(own)), key=lambda k: (k % 3, -k))
    picked = [own[k] for k in ranks if k % 2]
    return last, picked, own[-2:], history.index(1.0), max(ranks, key=lambda k: -k)
def state():
    return list(history)
def calls():
    x = torch.ones(1)
    yield x, [x]
    yield x, [x + 1, x + 2]
    history.insert(0, 0.5)
    yield x, [x + 1, x + 2]
    yield x, []
""",
)
_add(
    "sets, deques, ordered and default dictionaries",
    """
from collections import OrderedDict, defaultdict, deque, Counter
window = deque([1.0, 2.0], maxlen=3)
def f(x, names):
    seen = {name for name in names} | {"always"}
    groups = defaultdict(list)
    for name in sorted(seen - {"b"}):
        groups[len(name)].append(name)
    ordered = OrderedDict(first=x, second=x * 2)
    ordered.move_to_end("first")
    window.append(float(len(seen)))
    counts = Counter(names)
    total = sum(window, 0.0) + counts["b"]
    parts = [value * len(groups) + total for value in ordered.values()]
    return parts, dict(groups), list(ordered), {"a", "b"} <= seen
def state():
    return list(window)
def calls():
    x = torch.ones(2)
    yield x, ["a"]
    yield x, ["a", "b", "b"]
    window.clear()
    yield x, ["long", "a"]
""",
)
_add(
    "itertools, functools and reversed",
    """
import functools, itertools, operator
weights = [1.0, 2.0, 3.0]
@functools.lru_cache
def squared(n):
    return n * n
def f(x, n):
    pairs = [a * b for a, b in itertools.product(weights, repeat=2)]
    chained = list(itertools.chain(weights[:1], pairs[:n]))
    total = functools.reduce(operator.add, [x * w for w in chained], x)
    add = functools.partial(torch.add, alpha=2)
    for w in reversed(weights):
        total = add(total, x * w)
    for k, w in enumerate(itertools.islice(itertools.cycle(weights), n), start=1):
        total = total + k * w
    odd = filter(lambda w: w != 2.0, weights)
    return total, list(odd), list(itertools.accumulate(weights)), squared(n)
def calls():
    x = torch.ones(2)
    yield x, 2
    yield x, 3
    weights.append(0.5)
    yield x, 3
    weights[0] = 10.0
    yield x, 2
""",
)
_add(
    "generators: sent to, delegated to, closed early",
    """
closed = []
def numbers(n):
    try:
        got = 0
        while n:
            got = (yield n) or got
            n -= 1 + got
    finally:
        closed.append(n)
def both(n):
    yield from numbers(n)
    yield -1
def f(x, n):
    total = x
    for k in both(n):
        if k == 2:
            break
        total = total + k
    made = numbers(n)
    first = next(made, 0)
    second = made.send(1) if first else 0
    made.close()
    return total * first + second, sum(k * k for k in range(n) if k % 2)
def state():
    return list(closed)
def calls():
    x = torch.ones(1)
    for n in (1, 3, 5, 4):
        yield x, n
""",
)
_add(
    "match: values, sequences, mappings, classes, guards",
    """
from dataclasses import dataclass
@dataclass
class Scale:
    by: float
    shift: float = 0.0
limit = 2
def f(x, what):
    match what:
        case None:
            return x
        case 0 | 1:
            return x + what
        case int(n) if n > limit:
            return x * n
        case [first, *rest]:
            return x * first + len(rest)
        case {"by": by, **more}:
            return x * by + len(more)
        case Scale(by=by, shift=shift):
            return x * by + shift
        case str() as text:
            return x * len(text)
    return x - 1
def calls():
    x = torch.ones(2)
    for what in (None, 1, 2, 3, [2.0], [2.0, 1, 1], {"by": 4.0, "a": 1}, Scale(3.0, 1.0), "abc"):
        yield x, what
    globals()["limit"] = 1
    yield x, 2
""",
)
_add(
    "assignment expressions, conditional and chained ones",
    """
def f(x, items):
    if (n := len(items)) > 2:
        x = x * n
    doubled = [y for item in items if (y := item * 2) > 2]
    a = b = c = x + n
    b = b * 2
    first, (second, *others) = a, (b, c, n)
    low = 0 < n <= 2
    chosen = a if low else b if n == 3 else c
    while (n := n - 1) > 0:
        chosen = chosen + n
    return chosen, doubled, others, first is a, low and "low" or "high"
def calls():
    x = torch.ones(1)
    for items in ([1], [1, 2], [1, 2, 3], [4, 5, 6, 7], [2]):
        yield x, items
""",
)
_add(
    "text: formatted, joined, compared",
    """
name = "weight"
def f(x, n):
    width = 8
    text = f"{name!r:>{width}}|{n:03d}|{n / 3:.2f}|{n = }"
    parts = text.upper().split("|")
    joined = "-".join(each.strip() for each in parts if each)
    key = "%s.%d" % (name, n) + "{:>4}".format(n)
    table = {f"{name}.{k}": x * k for k in range(n)}
    return table, joined, key, key.startswith("w"), name.replace("w", "h") < "i", x * len(joined)
def calls():
    x = torch.ones(1)
    yield x, 1
    yield x, 3
    globals()["name"] = "bias"
    yield x, 3
    yield x, 10
""",
)
_add(
    "parameters of all kinds, and defaults that are made at each definition",
    """
def positional(x, /, y=2, *args, z, w=4, **named):
    return x * y + sum(args) + z * w + sum(named.values())
def decorated(by):
    def around(function):
        def inner(*args, **kwargs):
            return function(*args, **kwargs) * by
        return inner
    return around
@decorated(3)
def tripled(x, n=1):
    return x + n
def f(x, args, named):
    scaled = [lambda y, k=k: y * k for k in range(3)]
    late = [lambda y: y + k for k in range(3)]
    total = positional(x, *args, z=1, **named) + tripled(x, n=2)
    return total, [g(x) for g in scaled], [g(x) for g in late]
def calls():
    x = torch.ones(1)
    yield x, (), {}
    yield x, (5,), {"w": 1}
    yield x, (5, 6, 7), {"v": 9}
    positional.__kwdefaults__["w"] = 100
    yield x, (), {}
    yield x, (), {"x": 1}
""",
)
_add(
    "counters in closures and in globals",
    """
count = 0
def counter():
    n = 10
    def up(by=1):
        nonlocal n
        n += by
        return n
    return up, lambda: n
up, look = counter()
def noted(x):
    global count
    count += 1
    return x * count
def f(x):
    y = noted(x) + up()
    y = y + look()
    def add(k):
        nonlocal y
        y = y + k
    for k in range(count % 3):
        add(k)
    return y
def state():
    return count, look()
def calls():
    x = torch.ones(1)
    yield x
    yield x
    up(100)
    yield x
    globals()["count"] = 50
    yield x
""",
)
_add(
    "classes: setters, class variables, slots, containers of their own",
    """
class Base:
    made = 0
    def __init__(self, by):
        self._by = by
        Base.made += 1
    @property
    def by(self):
        return self._by
    @by.setter
    def by(self, value):
        self._by = value * 2
    @classmethod
    def of(cls, value):
        return cls(value)
    @staticmethod
    def half(x):
        return x * 0.5
class Row(Base):
    __slots__ = ()
    def __getitem__(self, k):
        return self.by * k
    def __len__(self):
        return 3
    def __contains__(self, k):
        return k == 1
    def __iter__(self):
        return iter([self.by, 1.0])
    def __bool__(self):
        return self.by > 0
    def __radd__(self, other):
        return other + self.by
held = Row(1.0)
def f(x, n):
    held.by = held.by + n
    row = type(held).of(n)
    first, second = row
    total = x * held[2] + len(row) + first + second + (1 in row) + (2 in row)
    return Base.half(total) + row if row else total, Base.made, isinstance(row, Base)
def state():
    return held.by, Base.made
def calls():
    x = torch.ones(1)
    for n in (1, 0, 2):
        yield x, n
    Base.half = staticmethod(lambda x: x * 10)
    yield x, 1
""",
)
_add(
    "with: several, exits that catch, stacks, returns inside",
    """
import contextlib
log = []
@contextlib.contextmanager
def noted(name):
    log.append(name)
    try:
        yield len(log)
    finally:
        log.append(f"end {name}")
class Catches:
    def __enter__(self):
        return self
    def __exit__(self, kind, value, trace):
        log.append(kind.__name__ if kind else "fine")
        return kind is ZeroDivisionError
def f(x, n):
    with noted("a") as a, noted("b") as b:
        if n == 1:
            return x * a
        x = x + b
    with Catches():
        x = x * (4 // n)
    with contextlib.suppress(IndexError), torch.no_grad():
        x = x + [1, 2][n - 2]
    with contextlib.ExitStack() as stack:
        for k in range(n):
            x = x + stack.enter_context(noted(str(k)))
    return x, torch.is_grad_enabled()
def state():
    return list(log)
def calls():
    x = torch.ones(1, requires_grad=True)
    for n in (1, 2, 0, 4, 1):
        log.clear()
        yield x, n
""",
)
_add(
    "enumerations, named tuples with defaults, copies",
    """
import copy, enum
from typing import NamedTuple
class Mode(enum.Enum):
    PLAIN = 1
    TWICE = 2
class Flags(enum.IntFlag):
    A = 1
    B = 2
class Pair(NamedTuple):
    left: float
    right: float = 2.0
    def total(self):
        return self.left + self.right
shared = {"items": [1.0, [2.0]]}
def f(x, mode, flags, pair):
    shallow, deep = copy.copy(shared), copy.deepcopy(shared)
    shallow["items"][1].append(len(deep["items"][1]) * 1.0)
    if mode is Mode.TWICE:
        x = x * 2
    if flags & Flags.B:
        x = x + 10
    left, right = pair._replace(left=pair.left + 1)
    return x * pair.total() + left * right, Mode(mode.value).name, shared["items"][1][-1], pair
def state():
    return shared
def calls():
    x = torch.ones(1)
    yield x, Mode.PLAIN, Flags.A, Pair(1.0)
    yield x, Mode.TWICE, Flags.A | Flags.B, Pair(1.0)
    shared["items"] = [0.0, []]
    yield x, Mode.TWICE, Flags.B, Pair(3.0, 4.0)
""",
)
_add(
    "tensors are gone through, unpacked, indexed and asked for sizes",
    """
def f(x, k):
    rows, cols = x.shape
    first, *others = x
    total = first * len(x)
    for i, row in enumerate(others, 1):
        total = total + row * i
    for row, k2 in zip(x, range(rows)):
        total = total + row.sum() * k2
    left, right = x.split([1, cols - 1], dim=1)
    picked = x[..., ::2][-1], x[None, 1:, :k], x[[0, -1]], x[x > k]
    return total, picked, left.numel() + right.numel(), x.size(-1) if cols > 2 else x.dim()
def calls():
    for shape, k in (((2, 2), 1), ((3, 4), 2), ((2, 2), 0), ((3, 4), 3)):
        yield torch.arange(float(shape[0] * shape[1])).reshape(shape), k
""",
)

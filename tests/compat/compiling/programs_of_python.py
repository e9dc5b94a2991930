"""Programs that use Python in all its ways, between whose calls the world changes.

Each defines ``f``, and ``calls``, which yields arguments; what stands between two yields is done
between two calls. Where ``state`` is defined, it is what is compared after every call, too.
"""

PROGRAMS: dict[str, str] = {}


def _add(name: str, text: str) -> None:
    PROGRAMS[name] = text


_add(
    "a global number changes",
    """
n = 2
def f(x):
    return x * n
def calls():
    global n
    for n in (2, 2, 3, 2.5, True):
        yield (torch.ones(2),)
""",
)
_add(
    "a global is deleted after something has acted",
    """
by, more, seen = 2.0, 1.0, []
def f(x):
    seen.append(1)
    return x * by, more
def calls():
    global by, more
    yield (torch.ones(2),)
    del by
    yield (torch.ones(2),)
    by = 3.0
    yield (torch.ones(2),)
    del more
    yield (torch.ones(2),)
""",
)
_add(
    "a global decides",
    """
flag = True
def f(x):
    if flag:
        return x + 1
    return x - 1
def calls():
    global flag
    for flag in (True, False, True, 0, "yes", [], None):
        yield (torch.ones(2),)
""",
)
_add(
    "a global function is replaced",
    """
def g(x):
    return x + 1
def f(x):
    return g(x) * 2
def calls():
    global g
    yield (torch.ones(2),)
    yield (torch.ones(2),)
    g = lambda x: x - 1
    yield (torch.ones(2),)
    g = torch.exp
    yield (torch.ones(2),)
    g = int
    yield (torch.tensor(2.5),)
""",
)
_add(
    "the code of a function is replaced",
    """
def g(x):
    return x + 1
def h(x):
    return x * 10
def f(x):
    return g(x)
def calls():
    yield (torch.ones(2),)
    g.__code__ = h.__code__
    yield (torch.ones(2),)
""",
)
_add(
    "defaults change",
    """
def g(x, by=2, *, more=1):
    return x * by + more
def f(x):
    return g(x)
def calls():
    yield (torch.ones(2),)
    g.__defaults__ = (5,)
    yield (torch.ones(2),)
    g.__kwdefaults__["more"] = 100
    yield (torch.ones(2),)
""",
)
_add(
    "a mutable default",
    """
def f(x, seen=[]):
    seen.append(x.shape[0])
    return x + len(seen)
def calls():
    for n in (1, 2, 3, 3):
        yield (torch.ones(n),)
def state():
    return f.__defaults__ if hasattr(f, "__defaults__") else None
""",
)
_add(
    "closures",
    """
def make(k):
    total = 0
    def inner(x):
        nonlocal total
        total += 1
        return x * k + total
    return inner
f = make(3)
def calls():
    for _ in range(4):
        yield (torch.ones(2),)
""",
)
_add(
    "a closure made inside",
    """
def f(x, k):
    def times(y, n=2):
        return y * k * n
    add = lambda y: y + k
    k = k + 1
    return add(times(x)) + times(x, n=3)
def calls():
    yield (torch.ones(2), 2)
    yield (torch.ones(2), 3)
""",
)
_add(
    "closures with shared state",
    """
def f(x):
    count = 0
    def step(y):
        nonlocal count
        count += 1
        return y + count
    for _ in range(3):
        x = step(x)
    return x, count
def calls():
    yield (torch.ones(2),)
    yield (torch.zeros(3),)
""",
)
_add(
    "comprehensions",
    """
def f(x, n):
    parts = [x * i for i in range(n) if i != 1]
    pairs = {str(i): p for i, p in enumerate(parts)}
    both = [a + b for a, b in zip(parts, parts[1:])]
    nested = [[x + i * j for i in range(2)] for j in range(2)]
    s = {i % 2 for i in range(n)}
    return parts, pairs, both, nested, sorted(s)
def calls():
    for n in (3, 4, 3):
        yield (torch.ones(2), n)
""",
)
_add(
    "generators",
    """
def rows(x):
    for i in range(x.shape[0]):
        yield x[i] * i
def f(x):
    return sum(rows(x)) + sum(r.sum() for r in rows(x)) + max(r.shape[0] for r in rows(x))
def calls():
    yield (torch.ones(3, 2),)
    yield (torch.ones(4, 2),)
""",
)
_add(
    "early returns and loops",
    """
def f(x, n):
    i = 0
    while True:
        x = x + 1
        i += 1
        if i == n:
            break
        if i > 5:
            return x * 100
    else:
        return None
    for j in range(n):
        if j % 2:
            continue
        x = x * 2
    else:
        x = x - 1
    return x
def calls():
    for n in (1, 3, 9, 1):
        yield (torch.ones(2), n)
""",
)
_add(
    "values decide",
    """
def f(x):
    y = x * 2
    if y.sum() > 3:
        y = y + 10
    else:
        y = y - 10
    z = y * 3
    while z.max() > 1:
        z = z / 2
    return z
def calls():
    for v in (1.0, 5.0, 1.0, 2.0, 40.0):
        yield (torch.full((2,), v),)
""",
)
_add(
    "item and shapes from values",
    """
def f(x):
    n = int(x.sum().item())
    k = x.nonzero().shape[0]
    return torch.zeros(n), x[:k], [x] * k, x.tolist()
def calls():
    yield (torch.tensor([1.0, 0.0, 2.0]),)
    yield (torch.tensor([1.0, 3.0, 2.0]),)
    yield (torch.tensor([1.0, 0.0, 2.0]),)
""",
)
_add(
    "effects and reads of them",
    """
class Box:
    pass
box = Box()
box.n = 0
box.seen = []
def f(x):
    box.n += 1
    if box.n % 2:
        x = x + box.n
    box.seen.append(box.n)
    box.last = x
    return x * len(box.seen) + box.last
def calls():
    for _ in range(5):
        yield (torch.ones(2),)
    box.n = 10
    yield (torch.ones(2),)
def state():
    return box.n, list(box.seen)
""",
)
_add(
    "an effect before values decide is not done twice",
    """
log = []
class Box:
    n = 0
box = Box()
def f(x):
    box.n += 1
    log.append(len(log))
    x.add_(1)
    if x.sum() > 5:
        box.n += 100
        return x * box.n
    return x - box.n
def calls():
    x = torch.zeros(2)
    for _ in range(6):
        yield (x,)
def state():
    return box.n, list(log)
""",
)
_add(
    "attributes of a module",
    """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)
        self.scale = 2
        self.act = torch.relu
    def forward(self, x):
        y = self.act(self.lin(x)) * self.scale
        if self.training:
            y = y + 1
        return y
torch.manual_seed(0)
net = Net()
def f(x):
    return net(x)
def calls():
    x = torch.ones(3, 2)
    yield (x,)
    net.eval()
    yield (x,)
    net.scale = 3
    yield (x,)
    net.train()
    net.act = torch.tanh
    yield (x,)
    net.lin = nn.Linear(2, 2, bias=False)
    yield (x,)
    net.lin.weight = nn.Parameter(torch.ones(2, 2))
    yield (x,)
    net.lin.weight.data = torch.full((2, 2), 2.0)
    yield (x,)
    net.lin = nn.Identity()
    yield (x,)
    net.forward = lambda x: x * 7
    yield (x,)
    del net.forward
    yield (x,)
    Net.forward = lambda self, x: x * self.scale
    yield (x,)
""",
)
_add(
    "hooks come and go",
    """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)
    def forward(self, x):
        return self.lin(x) * 2
torch.manual_seed(0)
net = Net()
seen = []
def f(x):
    return net(x)
def calls():
    x = torch.ones(1, 2)
    yield (x,)
    h = net.lin.register_forward_hook(lambda m, a, o: o + 1)
    yield (x,)
    h.remove()
    yield (x,)
    h = net.register_forward_pre_hook(lambda m, a: (a[0] * 3,))
    yield (x,)
    h.remove()
    everywhere = nn.modules.module.register_module_forward_hook
    h = everywhere(lambda m, a, o: seen.append(type(m)) or o * 2)
    yield (x,)
    h.remove()
    yield (x,)
def state():
    return len(seen)
""",
)
_add(
    "structure of modules",
    """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(2)])
        self.named = nn.ModuleDict({"a": nn.Tanh(), "b": nn.ReLU()})
        self.seq = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
        self.ps = nn.ParameterList([torch.ones(2), torch.ones(2) * 2])
    def forward(self, x):
        for i, l in enumerate(self.layers):
            x = l(x) * (i + 1)
        for name, m in self.named.items():
            x = m(x) + len(name)
        for p in self.ps:
            x = x * p
        return self.seq(x) + self.layers[-1](x) + self.named["a"](x)
torch.manual_seed(0)
net = Net()
def f(x):
    return net(x)
def calls():
    x = torch.ones(1, 2)
    yield (x,)
    net.layers.append(nn.Linear(2, 2))
    yield (x,)
    net.seq.add_module("2", nn.Tanh())
    yield (x,)
    net.named["c"] = nn.Sigmoid()
    yield (x,)
    net.layers[0] = nn.Identity()
    yield (x,)
    net.seq[0] = nn.Identity()
    yield (x,)
    net.ps[1] = nn.Parameter(torch.ones(2) * 5)
    yield (x,)
    del net.layers[1]
    yield (x,)
""",
)
_add(
    "shapes, dtypes and kinds of arguments",
    """
def f(x, y=1, *rest, k=None, **more):
    z = x * y
    if x.dim() == 2:
        z = z.sum(dim=0)
    if x.dtype == torch.float64:
        z = z + 0.5
    for r in rest:
        z = z + r
    if k is not None:
        z = z * k
    for name in sorted(more):
        z = z + more[name] * len(name)
    if isinstance(y, torch.Tensor) and y.requires_grad:
        z = z * 2
    return z
def calls():
    x = torch.ones(2)
    yield (x,)
    yield (x, 2)
    yield (x, 2.5)
    yield (x, torch.ones(2))
    yield (x, torch.ones(2, requires_grad=True))
    yield (x, 1, 2, 3)
    yield (torch.ones(2, 3), 1, 2)
    yield (torch.ones(2, dtype=torch.float64),), {"k": 2}
    yield (x,), {"k": 3, "alpha": 1, "be": 2}
    yield (torch.ones(2, dtype=torch.int64),)
    yield (3,)
    yield (x, None)
""",
)
_add(
    "dataclasses, named tuples and dicts",
    """
from dataclasses import dataclass, field
from collections import namedtuple
@dataclass
class Config:
    n: int = 2
    name: str = "a"
Pair = namedtuple("Pair", "left right")
def f(x, config, pair):
    d = {"x": x, "n": config.n}
    d["y"] = d["x"] * d.get("n", 0) + d.get("missing", 1)
    d.update(z=pair.left)
    a, b = pair
    out = Pair(left=a + b, right=[v for k, v in d.items() if k != "n"])
    c = Config(n=config.n + 1)
    return out, c.n, config.name + "b", out._asdict()["left"]
def calls():
    c = Config()
    yield (torch.ones(2), c, Pair(torch.ones(2), torch.ones(2)))
    c.n = 5
    yield (torch.ones(2), c, Pair(torch.ones(2), torch.zeros(2)))
    c.name = "q"
    yield (torch.ones(2), c, (torch.ones(2), 3))
""",
)
_add(
    "context managers",
    """
import contextlib
log = []
@contextlib.contextmanager
def noted(name):
    log.append("in " + name)
    yield len(log)
    log.append("out " + name)
def f(x, w):
    with torch.no_grad():
        a = x * w
        with torch.enable_grad():
            b = x * w
    with noted("one") as n, noted("two"):
        c = a + n
    with contextlib.nullcontext():
        d = torch.is_grad_enabled()
    with torch.set_grad_enabled(False):
        e = (w * 2).requires_grad
    return a, b, c, d, e
def calls():
    w = torch.ones(2, requires_grad=True)
    for _ in range(3):
        yield (torch.ones(2), w)
def state():
    return list(log)
""",
)
_add(
    "errors",
    """
def g(x, n):
    if n == 1:
        raise ValueError(f"no {n}")
    return x / n if n != 2 else x[5]
def f(x, n):
    done = []
    try:
        y = g(x, n)
    except ValueError as error:
        done.append(str(error))
        y = x
    except IndexError:
        return "out of range"
    else:
        done.append("fine")
    finally:
        done.append("last")
    return y, done
def calls():
    for n in (3, 1, 2, 3, 1):
        yield (torch.ones(2), n)
""",
)
_add(
    "an error in a replay is caught",
    """
def f(x, i):
    try:
        y = x * 2
        y = y[i]
    except IndexError:
        y = x * 0
    with torch.no_grad():
        z = y + x
    return z
def calls():
    for i in (0, 1, 7, 1, 9):
        yield (torch.ones(2, requires_grad=True), i)
""",
)
_add(
    "an error leaves, and modes are put back",
    """
def f(x, i):
    with torch.no_grad():
        return x[i] * 2
def calls():
    for i in (0, 1, 7, 0):
        yield (torch.ones(2, requires_grad=True), i)
def state():
    return torch.is_grad_enabled()
""",
)
_add(
    "wrong calls",
    """
def g(a, b):
    return a + b
def f(x, n):
    return g(x) if n == 1 else g(x, n, c=2) if n == 2 else missing if n == 3 else g(x, n)
def calls():
    for n in (4, 1, 2, 3, 4):
        yield (torch.ones(2), n)
    yield ()
    yield (1, 2, 3)
""",
)
_add(
    "in-place changes, views and aliases",
    """
def f(x, y):
    v = x[0]
    v.mul_(2)
    x.add_(y)
    x[1] = 7
    x += 1
    w = x.view(-1)
    w[0] = y.sum()
    y.requires_grad_(False)
    return x, v, w, y is x
def calls():
    yield (torch.ones(2, 2), torch.ones(2))
    yield (torch.ones(2, 2), torch.ones(2))
    a = torch.ones(2, 2)
    yield (a, a)
    yield (a, a[0])
    yield (torch.ones(2, 2), torch.ones(1))
""",
)
_add(
    "in-place changes of leaves are refused",
    """
def f(w):
    w.add_(1)
    return w
def calls():
    yield (torch.ones(2),)
    yield (torch.ones(2, requires_grad=True),)
    yield (torch.ones(2),)
""",
)
_add(
    "random numbers",
    """
drop = nn.Dropout(0.5)
def f(x):
    y = drop(x) + torch.rand(3)
    y = F.dropout(y, 0.3, training=drop.training)
    return y + torch.randn_like(x), torch.randint(0, 10, (2,))
def calls():
    torch.manual_seed(1)
    for _ in range(3):
        yield (torch.ones(3),)
    drop.eval()
    yield (torch.ones(3),)
    torch.manual_seed(1)
    yield (torch.ones(3),)
""",
)
_add(
    "batch norm's buffers",
    """
bn = nn.BatchNorm1d(3)
def f(x):
    return bn(x)
def calls():
    torch.manual_seed(0)
    for n in (4, 4, 5):
        yield (torch.randn(n, 3),)
    bn.eval()
    yield (torch.randn(4, 3),)
    bn.momentum = 0.9
    bn.train()
    yield (torch.randn(4, 3),)
def state():
    return bn.running_mean.tolist(), bn.num_batches_tracked.item()
""",
)
_add(
    "a whole training step",
    """
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
def f(x, y):
    opt.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    opt.step()
    return loss
def calls():
    global opt
    x, y = torch.randn(5, 2), torch.randn(5, 1)
    for _ in range(3):
        yield (x, y)
    opt.param_groups[0]["lr"] = 0.5
    yield (x, y)
    net[2].weight.requires_grad_(False)
    yield (x, y)
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    yield (x, y)
    yield (x[:3], y[:3])
def state():
    return [p.tolist() for p in net.parameters()], [p.grad is None for p in net.parameters()]
""",
)
_add(
    "gradients: accumulation, hooks, several passes",
    """
w = torch.ones(2, requires_grad=True)
seen = []
def f(x):
    y = (w * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    g, = torch.autograd.grad((w ** 3).sum(), w, create_graph=True)
    (g * x).sum().backward()
    return w.grad.clone(), g
def calls():
    x = torch.tensor([1.0, 2.0])
    yield (x,)
    yield (x,)
    h = w.register_hook(lambda g: seen.append(1) or g * 2)
    yield (x,)
    h.remove()
    w.grad = None
    yield (x,)
def state():
    return len(seen)
""",
)
_add(
    "autograd.Function, checkpoint, func",
    """
from pellucid.utils.checkpoint import checkpoint
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return 3 * g * x
def inner(x):
    return torch.sin(x) * 2
def f(x):
    a = Square.apply(x)
    b = checkpoint(inner, x, use_reentrant=False)
    c = torch.func.grad(lambda t: (t ** 2).sum())(x)
    d = torch.vmap(inner)(x)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        e = x @ x
    return a, b, c, d, e.dtype, e
def calls():
    for _ in range(3):
        yield (torch.ones(3, requires_grad=True),)
""",
)
_add(
    "modes around the call",
    """
def f(x, w):
    y = x * w
    if torch.is_grad_enabled():
        y = y + 1
    return y
def calls():
    w = torch.ones(2, requires_grad=True)
    x = torch.ones(2)
    yield (x, w)
    with torch.no_grad():
        yield (x, w)
    with torch.inference_mode():
        yield (x, w)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        yield (x, w)
    torch.set_default_dtype(torch.float64)
    yield (x, w)
    torch.set_default_dtype(torch.float32)
    yield (x, w)
""",
)
_add(
    "classes with methods, properties and inheritance",
    """
class Base:
    def __init__(self, k):
        self.k = k
    def scale(self, x):
        return x * self.k
    @property
    def double(self):
        return self.k * 2
    @classmethod
    def three(cls, x):
        return x * 3
    @staticmethod
    def four(x):
        return x * 4
    def __call__(self, x):
        return self.scale(x) + self.double
    def __getitem__(self, i):
        return i * self.k
    def __len__(self):
        return self.k
    def __add__(self, x):
        return x + self.k
class Child(Base):
    def scale(self, x):
        return super().scale(x) + 1
obj = Child(2)
def f(x):
    y = obj(x) + obj.three(x) + Child.four(x) + obj[3] + (obj + x)
    if obj:
        y = y * len(obj)
    return y, [o.scale(x) for o in (obj, Base(3))]
def calls():
    global obj
    yield (torch.ones(2),)
    obj.k = 3
    yield (torch.ones(2),)
    obj = Base(4)
    yield (torch.ones(2),)
    obj.scale = lambda x: x - 1
    yield (torch.ones(2),)
    Base.double = property(lambda self: 100)
    yield (torch.ones(2),)
    obj.k = 0
    yield (torch.ones(2),)
""",
)
_add(
    "private names and super in modules",
    """
class A(nn.Module):
    def __init__(self):
        super().__init__()
        self.__n = 2
        self.lin = nn.Linear(2, 2)
    def __twice(self, x):
        return x * self.__n
    def forward(self, x):
        return self.__twice(self.lin(x))
class B(A):
    def forward(self, x, *args, **kwargs):
        return super().forward(x) + 1
class C(nn.Linear):
    def forward(self, x):
        return super().forward(x) * 2
torch.manual_seed(0)
b, c = B(), C(2, 2)
def f(x):
    return b(x), c(x)
def calls():
    yield (torch.ones(1, 2),)
    b._A__n = 5
    yield (torch.ones(1, 2),)
""",
)
_add(
    "builtins, text and arithmetic",
    """
import math, operator, functools
half = functools.partial(operator.mul, 0.5)
def f(x, n):
    a = len(x) + abs(-n) + min(n, 3) + round(2.6) + int("4") + pow(2, n) + divmod(7, n + 1)[1]
    b = math.sqrt(n + 1) * math.pi
    c = f"{n:03d}-{b:.2f}-{'x' * n!r}"
    d = sorted([3, 1, n], reverse=True)[0] + sum(range(n)) + (n if n > 2 else -n)
    e = not n or (n and 1 < n <= 4 < 9)
    g = any(v > 2 for v in d_list(n)) and all(isinstance(v, int) for v in d_list(n))
    h = list(map(half, [n, x]))
    k = functools.reduce(operator.add, [x, x, n])
    l = c.upper().split("-")[0], hash(n) == hash(n), ~n, -n, n ** 2 // 3 % 2
    return x * a + b, c, d, e, g, h, k, l
def d_list(n):
    return list(range(n))
def calls():
    for n in (2, 3, 2, 0, 7):
        yield (torch.ones(2), n)
""",
)
_add(
    "unpacking and stars",
    """
def g(*args, a=1, **kw):
    return args, a, kw
def f(x, items, named):
    first, *rest = items
    (a, b), c = (x, 2), [*items, 3]
    u = v = x + 1
    v += 1
    t = (*items, *rest)
    w = {**named, "q": 1}, x[..., :1], x[-1:None]
    return g(*items, x, **named), first, rest, a, b, c, u, v, t, w
def calls():
    yield (torch.ones(2), [1, 2, 3], {"a": 2})
    yield (torch.ones(2), (1, 2), {"a": 2, "b": 3})
    yield (torch.ones(2), [1], {})
    yield (torch.ones(2), [], {})
    yield (torch.ones(2), "ab", {"a": 1, "x": 2})
""",
)
_add(
    "lists that are changed while they are gone through",
    """
items = [1, 2, 3]
def f(x, grow):
    n = 0
    for i in items:
        x = x + i
        n += 1
        if grow and n == 1:
            items.append(10)
    return x, n
def calls():
    yield (torch.ones(2), False)
    yield (torch.ones(2), True)
    yield (torch.ones(2), True)
    items.pop()
    yield (torch.ones(2), False)
""",
)
_add(
    "a zip of a list that a call changes",
    """
items = [1, 2]
def touch():
    items[1] = items[1] * 2
def f(x):
    for i, v in enumerate(items):
        x = x + i * v
        touch()
    return x
def calls():
    for _ in range(3):
        yield (torch.ones(2),)
""",
)
_add(
    "foreign objects and printing",
    """
import random, time
class Odd:
    def __init__(self):
        self.n = 0
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self.n += 1
        return self.n
odd = Odd()
rng = random.Random(0)
def f(x):
    print("seen", x.shape)
    return x * odd.value + odd.other + rng.random() + (1 if rng.random() > 0.5 else 2)
def calls():
    for _ in range(6):
        yield (torch.ones(2),)
def state():
    return odd.n
""",
)
_add(
    "NumPy",
    """
import numpy as np
def f(x):
    a = x.numpy() * 2
    b = np.mean(a)
    return torch.from_numpy(a) + float(b), torch.tensor(a.tolist()), np.float32(2) * x
def calls():
    yield (torch.ones(2),)
    yield (torch.tensor([1.0, 5.0]),)
""",
)
_add(
    "subclasses and overrides",
    """
class Mine(torch.Tensor):
    seen = 0
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        Mine.seen += 1
        return super().__torch_function__(func, types, args, kwargs or {})
flag = 0
def f(x):
    y = x + 1
    return y * Mine.seen
def calls():
    yield (torch.ones(2),)
    yield (torch.ones(2).as_subclass(Mine),)
    yield (torch.ones(2),)
def state():
    return Mine.seen
""",
)
_add(
    "recursion and many recordings",
    """
def fib(x, n):
    return x if n < 2 else fib(x, n - 1) + fib(x, n - 2)
def f(x, n):
    return fib(x, n)
def calls():
    for n in (1, 2, 3, 4, 5, 6, 7, 6, 5, 8, 1, 2):
        yield (torch.ones(2), n)
""",
)
_add(
    "globals that a call changes",
    """
total = 0
def bump():
    global total
    total += 1
    return total
def f(x):
    global total
    a = x + total
    total = total + 10
    b = bump()
    return a + b + total
def calls():
    for _ in range(3):
        yield (torch.ones(2),)
def state():
    return total
""",
)
_add(
    "builtins are shadowed",
    """
def f(x):
    return x * len(x) + max(1, 2)
def calls():
    global len, max
    yield (torch.ones(2),)
    len = lambda x: 100
    yield (torch.ones(2),)
    max = min
    yield (torch.ones(2),)
    del len
    yield (torch.ones(2),)
""",
)
_add(
    "parameters are tied and frozen",
    """
a, b = nn.Linear(2, 2), nn.Linear(2, 2)
torch.manual_seed(0)
for p in (*a.parameters(), *b.parameters()):
    nn.init.normal_(p)
def f(x):
    y = b(a(x))
    return y, y.requires_grad
def calls():
    x = torch.ones(1, 2)
    yield (x,)
    b.weight = a.weight
    yield (x,)
    for p in a.parameters():
        p.requires_grad_(False)
    yield (x,)
    b.bias.requires_grad_(False)
    yield (x,)
""",
)
_add(
    "match, walrus, chained comparison and conditional text",
    """
def f(x, n):
    if (k := n + 1) > 2 and 0 < k < 5:
        x = x * k
    y = [z for i in range(3) if (z := i * n) > 0]
    return x, y, "big" if n > 3 else "small", x if x is not None else n
def calls():
    for n in (1, 2, 3, 4, 1):
        yield (torch.ones(2), n)
""",
)
_add(
    "imports inside",
    """
def f(x):
    import math
    from functools import reduce
    import os.path as p
    return x * math.floor(2.5) + reduce(lambda a, b: a + b, [1, 2, 3]), p.basename("a/b")
def calls():
    yield (torch.ones(2),)
    yield (torch.ones(2),)
""",
)
_add(
    "attributes of tensors",
    """
w = torch.ones(2, requires_grad=True)
w.note = 3
def f(x):
    x.tag = w.note
    y = x.T + w.note + x.ndim
    z = w.grad is None, x.is_leaf, y.size(0), y.numel(), len(y)
    return y, y.shape, y.dtype, x.tag, y.device.type, z
def calls():
    yield (torch.ones(2, 2),)
    w.note = 4
    yield (torch.ones(2, 2),)
    w.sum().backward()
    yield (torch.ones(2, 2),)
    w.grad = None
    yield (torch.ones(3, 2),)
""",
)
_add(
    "arguments of other classes",
    """
def rows(n):
    yield from (torch.ones(2) * i for i in range(n))
class Odd:
    def __init__(self):
        self.n = 0
    def __len__(self):
        return 2
    def __getitem__(self, i):
        return 100
    def __iter__(self):
        self.n += 1
        return iter([self.n, 2])
def f(x, items):
    first, second = items
    total = x
    for each in items:
        total = total + each
    parts = [each for each in items]
    a = [*items]
    total += second
    return total, first, len(parts), a
def calls():
    x = torch.ones(2)
    for _ in range(2):
        yield (x, [1, 2])
        yield (x, (3, 4))
        yield (x, {1: 2, 3: 4})
        yield (x, rows(2))
        yield (x, torch.ones(2, 2))
        yield (x, "ab")
        yield (x, Odd())
        yield (x, range(2))
        yield (x, {5, 6})
        yield (x, iter([1, 2]))
""",
)
_add(
    "operators of other classes",
    """
class Odd:
    seen = 0
    def __add__(self, other):
        Odd.seen += 1
        return other + Odd.seen
    __radd__ = __iadd__ = __add__
    def __eq__(self, other):
        Odd.seen += 10
        return True
    def __bool__(self):
        Odd.seen += 100
        return Odd.seen % 200 > 100
box = type("Box", (), {})()
box.n = 1
def f(x, n):
    y = x * 2
    m = n + 1
    n += 2
    if n == 3 and box.n:
        y = y + 1
    return y, m if type(m) is int else 0, n if type(n) is int else 1, box.n + 1, not box.n
def calls():
    for _ in range(2):
        yield (torch.ones(2), 1)
        yield (torch.ones(2), Odd())
        yield (torch.ones(2), True)
        yield (torch.ones(2), 1.5)
        box.n = Odd()
        yield (torch.ones(2), 1)
        box.n = 2
def state():
    return Odd.seen
""",
)
_add(
    "what is there, is set and is deleted",
    """
class Net(nn.Module):
    def forward(self, x):
        if not hasattr(self, "seen"):
            self.seen = 0
            x = x + 100
        self.seen += 1
        if hasattr(self, "extra"):
            x = x * self.extra
        if getattr(self, "mode", None) == "b":
            x = x - 1
            del self.mode
        self.__dict__["raw"] = self.seen
        return x + self.raw
net = Net()
def f(x):
    return net(x)
def calls():
    yield (torch.ones(2),)
    net.extra = 3
    yield (torch.ones(2),)
    net.mode = "b"
    yield (torch.ones(2),)
    del net.extra, net.seen
    yield (torch.ones(2),)
""",
)
_add(
    "functions in lists, objects that are called, compiled functions inside",
    """
class Adds:
    def __init__(self, n):
        self.n = n
    def __call__(self, x):
        return x + self.n
@torch.compile
def inner(x):
    return x * 5
@torch.compiler.disable
def outside(x):
    return x - 1
@torch.no_grad()
def wrapped(x):
    return x * 2
def f(x, i):
    fs = [lambda y: y + i, lambda y: y * 10]
    objects = [Adds(1), Adds(2)]
    last = (Adds(3) if i else torch.exp)(x)
    return fs[i](x), objects[i](x), inner(x), outside(x), wrapped(x), last
def calls():
    for i in (0, 1, 0, 1):
        yield (torch.ones(2), i)
""",
)
_add(
    "names of the program that replays have, too",
    """
class Box:
    pass
box = Box()
box.r1, box.r2, box.r3, box.r4, box.r5, box.r6, box.r7, box.r8 = range(8)
def g(x):
    return x + 1
def f(r2, r1=0, k0=0, k1=1, Miss=2):
    y = g(r2) - r1 * 2
    print("seen")
    z = g(y) * k0 + k1 - Miss
    found = {"r1": g(z), "r2": g(y), "r3": z, "r4": g(y), "r5": g(z), "r6": y, "r7": z, "r8": g(z)}
    z = z + box.r1 + box.r2 + box.r3 + box.r4 + box.r5 + box.r6 + box.r7 + box.r8
    return z, found
def calls():
    x = torch.ones(2)
    yield (x,), {"r1": 3, "k0": 5}
    yield (x, 3), {"k1": 4, "Miss": 5, "k0": 6}
    yield (), {"r2": x, "r1": 2 * x, "k1": 7, "Miss": 8, "k0": 9}
    yield (), {"r1": 2 * x, "r2": x, "Miss": 8, "k0": 9, "k1": 7}
""",
)
_add(
    "containers change while they are gone through",
    """
import operator
world, seen = {"a": 1.0, "b": 2.0}, [1.0]
net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
def f(x):
    made = {"a": x * 1.0, "b": x * 2.0}
    for k, v in made.items():
        made["b"] = x + 10
        x = x + v
    for one, two in zip(made.values(), made.values()):
        made.update(b=x * 7)
        x = x + one * two
    pairs = dict(world)
    pairs["b"] = x
    for k in pairs:
        x = x + pairs[k]
    for k in world:
        world["b"] += 1.0
        x = x + world[k]
    operator.iadd(seen, [2.0])
    return net(x * sum(seen))
def calls():
    yield (torch.ones(2),)
    net[1] = nn.Identity()
    yield (torch.ones(2),)
    net[0].register_forward_hook(lambda *_: net._modules.update({"1": nn.Tanh()}))
    yield (torch.ones(2),)
    net[1] = nn.Identity()
    net[0].register_forward_hook(lambda *_: net.append(nn.Tanh()))
    yield (torch.ones(2),)
""",
)
_add(
    "a sequential whose layer changes is run on from there",
    """
net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
net[0].register_forward_hook(lambda *_: None)
def f(x):
    return net(x)
def calls():
    yield (torch.ones(2),)
    net[1] = nn.Identity()
    yield (torch.ones(2),)
    net[1] = nn.Tanh()
    yield (torch.ones(2),)
""",
)
_add(
    "what a function of the library closes over is given back",
    """
import weakref
gone = []
def f(x):
    y = x * 2
    gone.append(weakref.ref(y))
    return torch.func.vjp(torch.sin, y)[1](torch.ones_like(y))
def state():
    return [each() is None for each in gone]
def calls():
    for i in range(4):
        yield (torch.ones(2) * i,)
""",
)

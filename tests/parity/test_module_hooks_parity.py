"""Hooks of modules run in the same order, with the same arguments, as in the installed PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

import pellucid
import pellucid.nn

torch = pytest.importorskip("torch")

#: programs that write into ``log``; ``note`` makes a hook that writes its name and arguments
PROGRAMS = {
    "order of forward hooks": """
net.register_forward_pre_hook(note("pre 1"))
net.register_forward_pre_hook(note("pre 2"), prepend=True)
net.register_forward_hook(note("post 1"))
net.register_forward_hook(note("post 2"), prepend=True)
net[0].register_forward_hook(note("inner"))
net(x)
""",
    "hooks with keywords": """
layer = Scale()
layer.register_forward_pre_hook(note("pre", ((x + 1,), {"by": 3.0})), with_kwargs=True)
layer.register_forward_hook(note("post"), with_kwargs=True)
layer.register_forward_hook(note("plain"))
log.append(layer(x, by=2.0))
""",
    "results replaced": """
net.register_forward_pre_hook(note("pre", x * 2))
net.register_forward_hook(note("post", x * 5))
log.append(net(x))
""",
    "hooks called after an error": """
layer = Failing()
layer.register_forward_hook(note("always"), always_call=True)
layer.register_forward_hook(note("never"))
try:
    layer(x)
except ValueError as error:
    log.append(str(error))
""",
    "order of backward hooks": """
net.register_full_backward_pre_hook(note("pre 1"))
net.register_full_backward_pre_hook(note("pre 2"), prepend=True)
net.register_full_backward_hook(note("post 1"))
net.register_full_backward_hook(note("post 2"), prepend=True)
net[0].register_full_backward_hook(note("inner"))
net(x).sum().backward()
""",
    "gradients replaced": """
net[1].register_full_backward_pre_hook(note("pre", (x.detach() * 3,)))
net[0].register_full_backward_hook(note("post", (x.detach() * 7,)))
net(x).sum().backward()
log.append(x.grad)
""",
    "hooks of all modules": """
handles = [
    modules.register_module_forward_pre_hook(note("pre")),
    modules.register_module_forward_hook(note("post")),
    modules.register_module_forward_hook(note("keywords"), with_kwargs=True, always_call=True),
    modules.register_module_full_backward_pre_hook(note("backward pre")),
    modules.register_module_full_backward_hook(note("backward")),
]
net[1].register_forward_hook(note("own"))
net(x).sum().backward()
[each.remove() for each in handles]
log.append("removed")
net(x)
""",
    "hooks removed while they stand": """
handle = net.register_forward_hook(note("gone"))
net.register_forward_hook(note("stays"))
handle.remove()
net(x)
""",
    "hooks around saving": """
net.register_state_dict_pre_hook(note("before"))
net.register_state_dict_post_hook(note("after"))
net[0].register_state_dict_pre_hook(note("inner"))
log.append(list(net.state_dict(prefix="a.")))
""",
    "hooks around loading": """
net.register_load_state_dict_pre_hook(note("before"))
net.register_load_state_dict_post_hook(note("after"))
net[0].register_load_state_dict_post_hook(note("inner"))
log.append(net.load_state_dict({"0.weight": x, "foreign": x}, strict=False))
""",
    "loading that is refused": """
for state in ({}, {"0.factor": x, "foreign": x}, {"0.factor": torch.ones(5)}, {"0.factor": 3}):
    try:
        log.append(nn.Sequential(Scale()).load_state_dict(state))
    except RuntimeError as error:
        log.append(str(error))
""",
    "loading by assignment": """
layer = Scale()
given = torch.full((1,), 9.0, dtype=torch.float64)
layer.load_state_dict({"factor": given}, assign=True)
log.append((layer.factor.dtype is torch.float64, layer.factor.requires_grad, layer.factor))
given.fill_(1.0)
log.append(layer.factor)
""",
    "assigning attributes": """
layer = Scale()
layer.factor = None
log.append(list(layer.state_dict()))
layer.factor = nn.Parameter(x.detach())
layer.count = nn.Buffer(x.detach(), persistent=False)
layer.other = x
layer.child = Scale()
layer.child = None
log.append((list(layer.state_dict()), [n for n, _ in layer.named_buffers()], layer))
del layer.factor
log.append(hasattr(layer, "factor"))
layer.later = 3
layer.later = nn.Parameter(x.detach())
log.append(("later" in layer.__dict__, [n for n, _ in layer.named_parameters()]))
""",
    "training and gradients": """
net.requires_grad_(False)
log.append([p.requires_grad for p in net.parameters()])
net.requires_grad_()
net(x).sum().backward()
net.zero_grad(set_to_none=False)
log.append([p.grad for p in net.parameters()])
net.zero_grad()
log.append([p.grad for p in net.parameters()])
log.append((net.eval()[0].training, net.train()[0].training))
""",
    "order of apply": """
net.apply(lambda module: log.append(type(module).__name__))
log.append([name for name, _ in net.named_modules(prefix="top")])
log.append([name for name, _ in net.named_parameters(prefix="top", recurse=False)])
""",
}


def run(module: Any, text: str) -> list[str]:
    """Run a program with one of the libraries; return what it wrote, as text."""
    nn = module.nn
    log: list[Any] = []

    class Scale(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.factor = nn.Parameter(module.ones(1))

        def forward(self, x: Any, by: float = 1.0) -> Any:
            return x * self.factor * by

    class Failing(nn.Module):
        def forward(self, x: Any) -> Any:
            raise ValueError("no forward")

    def note(name: str, returned: Any = None) -> Any:
        def hook(*args: Any, **kwargs: Any) -> Any:
            log.append((name, args, kwargs))
            return returned

        return hook

    names = {
        "torch": module, "nn": nn, "modules": nn.modules.module, "log": log, "note": note,
        "Scale": Scale, "Failing": Failing, "net": nn.Sequential(Scale(), nn.Tanh()),
        "x": module.tensor([0.5], requires_grad=True),
    }  # fmt: skip
    exec(text, names)
    return [written(each) for each in log]


def written(value: Any) -> str:
    """Write a value down without what the two libraries differ in."""
    if isinstance(value, pellucid.Tensor | torch.Tensor):
        return str([round(each, 5) for each in value.detach().flatten().tolist()])
    if isinstance(value, dict):  # "writes" is where ours collects what it writes at the end
        return str({key: written(each) for key, each in value.items() if key != "writes"})
    if isinstance(value, tuple | list) and not hasattr(value, "_fields"):
        return "(" + ", ".join(written(each) for each in value) + ")"
    return str(value).replace("pellucid", "torch")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_program_writes_the_same(name: str) -> None:
    assert run(pellucid, PROGRAMS[name]) == run(torch, PROGRAMS[name])

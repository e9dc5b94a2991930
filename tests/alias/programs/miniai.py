"""A learner with callbacks, statistics from hooks, one cycle of the rate, mixed precision."""

from contextlib import contextmanager
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.nn import init
from torch.utils.data import DataLoader, default_collate

torch.manual_seed(42)
torch.set_printoptions(precision=2, linewidth=140, sci_mode=False)


class GeneralRelu(nn.Module):
    def __init__(self, leak=None, sub=None, maxv=None):
        super().__init__()
        self.leak, self.sub, self.maxv = leak, sub, maxv

    def forward(self, x):
        x = F.leaky_relu(x, self.leak) if self.leak is not None else F.relu(x)
        if self.sub is not None:
            x -= self.sub
        if self.maxv is not None:
            x.clamp_max_(self.maxv)
        return x


def conv(ni, nf, ks=3, stride=2, act=True, norm=True):
    layers = [nn.Conv2d(ni, nf, stride=stride, kernel_size=ks, padding=ks // 2, bias=not norm)]
    if norm:
        layers.append(nn.BatchNorm2d(nf))
    if act:
        layers.append(GeneralRelu(leak=0.1, sub=0.4))
    return nn.Sequential(*layers)


def init_weights(m, leaky=0.0):
    if isinstance(m, (nn.Conv1d, nn.Conv2d, nn.Linear)):
        init.kaiming_normal_(m.weight, a=leaky)


class Hook:
    def __init__(self, m, f):
        self.hook = m.register_forward_hook(partial(f, self))

    def remove(self):
        self.hook.remove()


def append_stats(hook, mod, inp, outp):
    if not hasattr(hook, "stats"):
        hook.stats = ([], [], [])
    acts = outp.detach().cpu()
    hook.stats[0].append(acts.mean().item())
    hook.stats[1].append(acts.std().item())
    hook.stats[2].append(acts.abs().float().histc(8, 0, 4))


class CancelFitException(Exception):
    pass


class Learner:
    def __init__(self, model, dls, opt_func, lr, cbs):
        self.model, self.dls, self.cbs = model, dls, cbs
        self.opt = opt_func(model.parameters(), lr)

    @contextmanager
    def cb_ctx(self, name):
        for cb in self.cbs:
            getattr(cb, f"before_{name}", lambda learn: None)(self)
        yield
        for cb in self.cbs:
            getattr(cb, f"after_{name}", lambda learn: None)(self)

    def fit(self, n_epochs):
        try:
            with self.cb_ctx("fit"):
                for self.epoch in range(n_epochs):
                    self.model.train()
                    for self.batch in self.dls:
                        with self.cb_ctx("batch"):
                            x, y = self.batch
                            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=False):
                                self.loss = F.cross_entropy(self.model(x), y)
                            self.loss.backward()
                            self.opt.step()
                            self.opt.zero_grad()
                    print(f"{self.epoch} loss {self.loss:.3f}")
        except CancelFitException:
            pass


class OneCycle:
    def before_fit(self, learn):
        self.rates = []
        self.sched = optim.lr_scheduler.OneCycleLR(learn.opt, max_lr=0.05, total_steps=12)

    def after_batch(self, learn):
        self.rates.append(learn.opt.param_groups[0]["lr"])
        self.sched.step()
        if len(self.rates) == 12:
            raise CancelFitException


def collate(samples):
    x, y = default_collate(samples)
    return x.float(), y


y = torch.arange(48) % 4
x = torch.randn(48, 1, 8, 8) + y.view(-1, 1, 1, 1)
data = list(zip(x, y))
model = nn.Sequential(conv(1, 8), conv(8, 16), conv(16, 4, act=False), nn.Flatten())
model.append(nn.LazyLinear(4))
model(x[:2])
model.apply(partial(init_weights, leaky=0.1))
hooks = [Hook(m, append_stats) for m in model.children() if isinstance(m, nn.Sequential)]
cycle = OneCycle()
loader = DataLoader(data, batch_size=16, shuffle=True, collate_fn=collate)
Learner(model, loader, optim.AdamW, 1e-2, [cycle]).fit(5)
for hook in hooks:
    print(["%.2f" % s for s in hook.stats[0][-2:]], hook.stats[2][-1])
    hook.remove()
print(["%.4f" % rate for rate in cycle.rates])

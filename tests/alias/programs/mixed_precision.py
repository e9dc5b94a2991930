"""Low precision where it does, checkpoints, and gradients of several small batches added up."""

import torch
import torch.nn as nn
from torch.amp import GradScaler, autocast
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

torch.manual_seed(0)


class Residual(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.inner = nn.Sequential(nn.Linear(size, 2 * size), nn.GELU(), nn.Linear(2 * size, size))

    def forward(self, x):
        return x + self.inner(self.norm(x))


class Deep(nn.Module):
    def __init__(self, saving):
        super().__init__()
        self.blocks = nn.ModuleList(Residual(16) for _ in range(3))
        self.tail = nn.Sequential(nn.Linear(16, 16), nn.Dropout(0.2), nn.ReLU(), nn.Linear(16, 1))
        self.saving = saving

    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.saving else block(x)
        if self.saving:
            return checkpoint_sequential(self.tail, 2, x, use_reentrant=False)
        return self.tail(x)


inputs = torch.randn(64, 16)
targets = inputs.sin().sum(1, keepdim=True)


def train(saving, low):
    torch.manual_seed(1)
    model = Deep(saving)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    scaler = GradScaler("cpu", init_scale=256.0, growth_interval=3, enabled=True)
    dtypes, losses = set(), []
    for _ in range(4):
        for i, rows in enumerate(torch.arange(64).split(16)):
            with autocast("cpu", dtype=torch.bfloat16, enabled=low):
                out = model(inputs[rows])
                dtypes.add(str(out.dtype))
                loss = nn.functional.mse_loss(out.float(), targets[rows]) / 2
            scaler.scale(loss).backward()
            if i % 2:
                scaler.unscale_(optimizer)
                norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                scaler.step(optimizer)
                scaler.update()
                optimizer.zero_grad(set_to_none=True)
        losses.append(loss.item())
    return sorted(dtypes), losses, norm.item(), scaler.get_scale()


kinds, plain, norm, scale = train(False, False)
print(kinds, [f"{v:.4f}" for v in plain], f"{norm:.3f}", scale)
_, saving, norm, _ = train(True, False)
print("checkpoints change nothing:", torch.allclose(torch.tensor(plain), torch.tensor(saving)))
kinds, low, norm, scale = train(True, True)
close = all(abs(a - b) < 0.05 * (1 + b) for a, b in zip(low, plain))
print(kinds, "close:", close, "falls:", low[-1] < low[0], scale)
a = torch.randn(4, 4)
with torch.autocast("cpu", dtype=torch.bfloat16):
    product = a @ a
    print(product.dtype, (product + a).dtype, torch.softmax(product, -1).dtype)
    with torch.autocast("cpu", enabled=False):
        print((a @ a).dtype)

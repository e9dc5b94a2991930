"""A large network teaches a small one, which is pruned; its weights are averaged on the way."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.nn.utils.prune as prune
from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn, update_bn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(128, 6)
y = (x[:, 0] * x[:, 1] > 0).long() + (x[:, 2] > 0.5).long()
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)

teacher = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 3))
optimizer = torch.optim.Adam(teacher.parameters(), lr=2e-2)
for _ in range(6):
    for inputs, targets in loader:
        optimizer.zero_grad()
        F.cross_entropy(teacher(inputs), targets).backward()
        optimizer.step()
teacher.eval().requires_grad_(False)
print(f"teacher {F.cross_entropy(teacher(x), y).item():.4f}")

student = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3))
hidden = {}
handle = student[2].register_forward_hook(lambda m, i, o: hidden.update(last=o.detach()))
optimizer = torch.optim.SGD(student.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
swa = AveragedModel(student)
ema = AveragedModel(student, multi_avg_fn=get_ema_multi_avg_fn(0.9))
cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
constant = SWALR(optimizer, anneal_strategy="linear", anneal_epochs=2, swa_lr=0.02)
T = 2.0
divergence = nn.KLDivLoss(reduction="batchmean", log_target=True)
for epoch in range(8):
    total = 0.0
    for inputs, targets in loader:
        optimizer.zero_grad()
        out = student(inputs)
        soft = divergence(F.log_softmax(out / T, -1), F.log_softmax(teacher(inputs) / T, -1))
        loss = 0.7 * T * T * soft + 0.3 * F.cross_entropy(out, targets)
        loss.backward()
        optimizer.step()
        ema.update_parameters(student)
        total += loss.item()
    if epoch >= 4:
        swa.update_parameters(student)
        constant.step()
    else:
        cosine.step()
    print(f"loss {total / len(loader):.4f} lr {optimizer.param_groups[0]['lr']:.4f}")
handle.remove()
update_bn(loader, swa)
print("averaged", swa.n_averaged.item(), ema.n_averaged.item(), tuple(hidden["last"].shape))
swa.eval()
print(f"swa {F.cross_entropy(swa(x), y).item():.4f} ema {F.cross_entropy(ema(x), y).item():.4f}")

pruned = swa.module
prune.l1_unstructured(pruned[0], name="weight", amount=0.3)
prune.ln_structured(pruned[3], name="weight", amount=0.25, n=2, dim=1)
print(sorted(dict(pruned.named_buffers()))[:2], prune.is_pruned(pruned))
print([f"{float((m.weight == 0).float().mean()):.3f}" for m in (pruned[0], pruned[3])])
prune.global_unstructured(
    [(pruned[0], "weight"), (pruned[3], "weight")], pruning_method=prune.L1Unstructured, amount=0.2
)
for module in (pruned[0], pruned[3]):
    prune.remove(module, "weight")
print(f"pruned {F.cross_entropy(pruned(x), y).item():.4f}", prune.is_pruned(pruned))

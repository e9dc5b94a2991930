"""A character model trained as nanoGPT's and minGPT's loops do, started by torchrun.

Gradients are accumulated without exchange but in the last part of a step, rank 0 evaluates and
saves; then a trainer with `DistributedSampler` and snapshots goes on from what was saved.
"""

import math
import os
import sys
from contextlib import nullcontext

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

BLOCK, VOCABULARY, WIDTH = 16, 32, 24
ACCUMULATED, STEPS, BATCH = 4, 4, 4


class Block(nn.Module):
    """Causal attention and two layers."""

    def __init__(self):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.c_attn, self.c_proj = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
        )

    def forward(self, x):
        q, k, v = (
            part.view(*part.shape[:2], 3, -1).transpose(1, 2)
            for part in self.c_attn(self.ln_1(x)).split(WIDTH, dim=2)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.c_proj(y.transpose(1, 2).contiguous().view_as(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    """Embeddings, two blocks, and a head that shares the weights of the embedding."""

    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(BLOCK, WIDTH)
        self.h = nn.ModuleList(Block() for _ in range(2))
        self.ln_f, self.lm_head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.wte.weight = self.lm_head.weight
        self.apply(self._init_weights)

    def _init_weights(self, module):
        if isinstance(module, nn.Linear | nn.Embedding):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            torch.nn.init.zeros_(module.bias)

    def forward(self, idx, targets):
        x = self.wte(idx) + self.wpe(torch.arange(idx.size(1)))
        for block in self.h:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.reshape(-1))

    def configure_optimizers(self, weight_decay, learning_rate):
        params = [p for p in self.parameters() if p.requires_grad]
        groups = [
            {"params": [p for p in params if p.dim() >= 2], "weight_decay": weight_decay},
            {"params": [p for p in params if p.dim() < 2], "weight_decay": 0.0},
        ]
        return torch.optim.AdamW(groups, lr=learning_rate, betas=(0.9, 0.95))


def learning_rate(step):
    if step < 2:
        return 1e-2 * (step + 1) / 2
    return 1e-3 + 0.5 * (1 + math.cos(math.pi * (step - 2) / STEPS)) * (1e-2 - 1e-3)


def accumulate(data, rank, path):
    """Train as nanoGPT does."""
    master_process = rank == 0
    torch.manual_seed(1337 + rank)

    def get_batch():
        ix = torch.randint(len(data) - BLOCK, (BATCH,))
        x = torch.stack([data[i : i + BLOCK] for i in ix])
        return x, torch.stack([data[i + 1 : i + 1 + BLOCK] for i in ix])

    model = GPT()
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    optimizer = model.configure_optimizers(1e-1, 1e-2)
    model = DDP(model)
    parts = ACCUMULATED // dist.get_world_size()
    X, Y = get_batch()
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step)
        for part in range(parts):
            model.require_backward_grad_sync = part == parts - 1
            with nullcontext():
                _, loss = model(X, Y)
                loss = loss / parts
            X, Y = get_batch()
            scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        if master_process:
            print("step", step, "loss", loss.item() * parts, "norm", norm.item())
    if master_process:
        model.eval()
        with torch.no_grad():
            print("evaluated", model.module(X, Y)[1].item())
        torch.save({"model": model.module.state_dict(), "optimizer": optimizer.state_dict()}, path)
    dist.barrier()


class Characters(Dataset):
    """Neighbouring pieces of a text."""

    def __init__(self, data):
        self.data = data

    def __len__(self):
        return len(self.data) // BLOCK - 1

    def __getitem__(self, idx):
        chunk = self.data[idx * BLOCK : idx * BLOCK + BLOCK + 1]
        return chunk[:-1], chunk[1:]


class Trainer:
    """Train as minGPT-ddp does: epochs over a sampler, with a snapshot after each."""

    def __init__(self, model, optimizer, data, path, rank):
        self.sampler = DistributedSampler(data)
        self.loader = DataLoader(data, batch_size=BATCH, sampler=self.sampler, drop_last=True)
        self.rank, self.path, self.epochs_run = rank, path, 0
        self.optimizer = optimizer
        snapshot = torch.load(path, map_location="cpu", weights_only=True)
        model.load_state_dict(snapshot["model"])
        optimizer.load_state_dict(snapshot["optimizer"])
        self.model = DDP(model)

    def _run_batch(self, source, targets):
        with torch.set_grad_enabled(True):
            _, loss = self.model(source, targets)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return loss.item()

    def train(self, epochs):
        for epoch in range(self.epochs_run, epochs):
            self.sampler.set_epoch(epoch)
            for number, (source, targets) in enumerate(self.loader):
                loss = self._run_batch(source, targets)
                if self.rank == 0:
                    print("epoch", epoch, "batch", number, "loss", loss)
            if self.rank == 0:
                torch.save({"model": self.model.module.state_dict(), "epoch": epoch}, self.path)
        dist.barrier()


if __name__ == "__main__":
    dist.init_process_group(backend="gloo")
    rank = int(os.environ["RANK"])
    torch.set_num_threads(1)
    text = torch.randint(VOCABULARY, (600,), generator=torch.Generator().manual_seed(5)).cumsum(0)
    text = text % VOCABULARY
    path = os.path.join(sys.argv[1], "ckpt.pt")
    accumulate(text, rank, path)
    model = GPT()
    optimizer = model.configure_optimizers(1e-1, 1e-2)
    Trainer(model, optimizer, Characters(text), path, rank).train(2)
    dist.destroy_process_group()
